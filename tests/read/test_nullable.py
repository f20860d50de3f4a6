"""Where reference types are annotated: `#nullable` is said for a file from its line on, else the input is the witness."""

from __future__ import annotations

import pytest

from uom.read import read_program
from uom.read.csharp.syntax import parse

MODEL = """{head}public class Person {{ public int Id {{ get; set; }}
{first}
    public string Name {{ get; set; }}
{second}
    public string Email {{ get; set; }} public Address Home {{ get; set; }} }}
{third}
public class Address {{ public string City {{ get; set; }} }}
public class Db : DbContext {{ public DbSet<Person> People {{ get; set; }}
    protected override void OnModelCreating(ModelBuilder b) {{ b.Entity<Person>().OwnsOne(p => p.Home); b.Entity<Person>().Property<string>("Origin"); }} }}
"""
ANNOTATED = "public class Other { public string? Note { get; set; } public string Text { get; set; } = null!; }"
ENABLED = "#nullable enable\npublic class Other { }"
PLAIN = "public class Other { }"
# what the file says at its top, before Name, before Email, before Address; another file; which are required
CASES = {
    "nothing is said anywhere": ("", "", "", "", PLAIN, set()),
    "another file is annotated": ("", "", "", "", ANNOTATED, {"Name", "Email", "Home", "City"}),
    "off for this file": ("#nullable disable\n", "", "", "", ANNOTATED, set()),
    "off for this file, on in the other": ("#nullable disable\n", "", "", "", ENABLED, set()),
    "on for this file only": ("#nullable enable\n", "", "", "", PLAIN, {"Name", "Email", "Home", "City"}),
    "on for a region": ("#nullable disable\n", "#nullable enable", "#nullable disable", "", ENABLED, {"Name"}),
    "off for a region": ("", "#nullable disable", "#nullable restore", "", ANNOTATED, {"Email", "Home", "City"}),
    "on to the end": ("#nullable disable\n", "", "", "# nullable enable // from here on", PLAIN, {"City"}),
    "annotations only": ("", "#nullable disable annotations", "#nullable restore annotations", "", ANNOTATED, {"Email", "Home", "City"}),
    "warnings only": ("", "#nullable disable warnings", "", "", ANNOTATED, {"Name", "Email", "Home", "City"}),
    "in a comment": ("/*\n#nullable disable\n*/\n", "", "", "", ANNOTATED, {"Name", "Email", "Home", "City"}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("swapped", [False, True])
def test_what_is_required(case: str, swapped: bool) -> None:
    head, first, second, third, other, expected = CASES[case]
    files = [
        parse("Model.cs", MODEL.format(head=head, first=first, second=second, third=third)),
        parse("Other.cs", other),
    ]
    (schema,) = read_program(list(reversed(files)) if swapped else files).schemas
    person, home = schema.entity("Person"), schema.complex("Address")
    required = {p.name for p in (*person.properties, *home.properties) if not p.type.nullable and p.name != "Id"}
    required |= {c.name for c in person.complexes if not c.nullable}
    assert required == expected
