"""Code that nobody writes by hand, and code that no compiler takes: an answer for each, and soon."""

from __future__ import annotations

import time

import pytest

from tests.support import query, read
from uom.model.program import QueryMethod, RefusedMethod
from uom.model.types import EnumType

ITEM = 'public class Item { public int Id { get; set; } public string Name { get; set; } = ""; %s }\n'
CONTEXT = "public class ShopContext : DbContext { public DbSet<Item> Items => Set<Item>(); }\n"
FINE = (
    "public static class Q { public static object Fine(ShopContext db) => db.Items.Where(i => i.Id > 1).ToList(); }\n"
)
MANY = 5000


def chain(count: int, last: str) -> str:
    return (
        "".join(f"public class I{k} : I{k + 1} {{ }} " for k in range(count)) + f"public class I{count} : {last} {{ }}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "class N { " * MANY + "}" * MANY,
        "namespace N { " * MANY + "}" * MANY,
        chain(MANY, "Item"),
        "public class A : B { } public class B : A { }",
        "public enum E { A = 1, B = " + "(" * MANY + "1" + ")" * MANY + " }",
        "public class P { public " + "List<" * MANY + "int" + ">" * MANY + " X { get; set; } }",
    ],
    ids=["classes", "namespaces", "bases", "cycle", "enum", "type"],
)
def test_declarations_without_end(text: str) -> None:
    started = time.monotonic()
    program = read(ITEM % "" + CONTEXT + FINE + text)
    assert isinstance(program.methods[0], QueryMethod)
    assert program.diagnostics, "what is left out is said"
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("kind", ["Owned", "ComplexType"])
@pytest.mark.parametrize(
    "values",
    [
        "[K] public class A { public int N { get; set; } public A Inner { get; set; } }",
        "[K] public class A { public B Inner { get; set; } } [K] public class B { public A Inner { get; set; } }",
        "".join(f"[K] public class A{k or ''} {{ public A{k + 1} X {{ get; set; }} }} " for k in range(500)),
    ],
)
def test_values_that_contain_each_other(kind: str, values: str) -> None:
    text = ITEM % "public A Value { get; set; }" + CONTEXT + FINE + values.replace("[K]", f"[{kind}]")
    assert read(text).methods, "refused when it is planned, not here"


def test_three_thousand_calls_in_a_chain_are_refused_at_once() -> None:
    long = "".join(f".Where(i => i.Id != {k})" for k in range(3000))
    started = time.monotonic()
    program = read(
        ITEM % ""
        + CONTEXT
        + f"public static class Q {{ public static object M(ShopContext db) => db.Items{long}.ToList(); }}"
    )
    assert isinstance(program.methods[0], RefusedMethod)
    assert time.monotonic() - started < 20


def test_variables_that_double_are_refused_at_once() -> None:
    steps = "".join(f"var y{k + 1} = y{k} + y{k};" for k in range(60))
    body = f"var y0 = a + a; {steps} return db.Items.Where(i => i.Id == y60).ToList();"
    program = read(
        ITEM % "" + CONTEXT + f"public static class Q {{ public static object M(ShopContext db, int a) {{ {body} }} }}"
    )
    method = program.methods[0]
    assert isinstance(method, RefusedMethod)
    assert "written out" in str(method.diagnostics[0])


def test_the_at_of_a_verbatim_identifier_is_no_part_of_the_name() -> None:
    text = (
        ITEM % 'public string @class { get; set; } = ""; public int @Size { get; set; }'
        + CONTEXT
        + "public static class Q { public static object M(ShopContext db, string @class) =>"
        " db.Items.Where(i => i.@class == @class && i.Size > 1).Select(@new => new { @new.@class, @Size = @new.@Size }).ToList(); }"
    )
    program = read(text)
    assert isinstance(program.methods[0], QueryMethod), [str(d) for d in program.methods[0].diagnostics]
    assert [p.name for p in program.schemas[0].entity("Item").properties] == ["Id", "Name", "class", "Size"]
    assert [p.name for p in program.methods[0].parameters] == ["class"]


@pytest.mark.parametrize(("value", "number"), [("Other.B", None), ("1 << 3", 8), ("6 ^ 3", 5), ("nameof(A)", None)])
def test_an_enum_whose_numbers_are_not_known_is_never_guessed(value: str, number: int | None) -> None:
    text = (
        ITEM % "public E Kind { get; set; }"
        + f"public enum E {{ A = {value}, B }} public enum Other {{ B = 7 }}"
        + CONTEXT
    )
    property_ = read(text + FINE).schemas[0].entity("Item").property("Kind")
    assert property_ is not None
    if number is None:
        assert property_.unsupported
    else:
        assert isinstance(property_.type, EnumType)
        assert property_.type.members == (("A", number), ("B", number + 1))


def test_escapes_are_characters() -> None:
    method, _ = query(r'db.Clients.Where(c => c.Name == "\ud83d\ude00").ToList()')
    assert "\U0001f600" in repr(method.body)
    text = r'db.Items.Where(i => i.Name == "\ud83d").ToList()'
    half = read(
        ITEM % "" + CONTEXT + f"public static class Q {{ public static object M(ShopContext db) => {text}; }}"
    ).methods[0]
    assert isinstance(half, RefusedMethod)
