"""A console program around the user's C#: project file, entry point, and the data to load."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from typing import Any

EF_VERSION = "10.0.15"
NPGSQL_EF_VERSION = "10.0.3"


class Server(StrEnum):
    """The database behind EF Core."""

    POSTGRES = "postgres"
    SQL_SERVER = "sqlserver"


PACKAGES: Mapping[Server, Mapping[str, str]] = {
    Server.POSTGRES: {
        "Microsoft.EntityFrameworkCore.Relational": EF_VERSION,
        "Microsoft.EntityFrameworkCore.SqlServer": EF_VERSION,  # most models have words of it, and must compile
        "Npgsql.EntityFrameworkCore.PostgreSQL": NPGSQL_EF_VERSION,
    },
    Server.SQL_SERVER: {
        "Microsoft.EntityFrameworkCore.Relational": EF_VERSION,
        "Microsoft.EntityFrameworkCore.SqlServer": EF_VERSION,
    },
}
"""What a program is built with, by the database behind it: NuGet package -> version."""
_USE = {Server.POSTGRES: "UseNpgsql", Server.SQL_SERVER: "UseSqlServer"}
_DATABASE = {Server.POSTGRES: "args[1]", Server.SQL_SERVER: "SqlServerRows.OwnDatabase(args[1])"}
_ROWS = {Server.POSTGRES: "PostgresRows", Server.SQL_SERVER: "SqlServerRows"}

_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net10.0</TargetFramework>
    <LangVersion>preview</LangVersion>
    <Nullable>enable</Nullable>
    <ImplicitUsings>enable</ImplicitUsings>
    <AssemblyName>%(assembly)s</AssemblyName>
    <InvariantGlobalization>%(invariant)s</InvariantGlobalization>
    <TreatWarningsAsErrors>false</TreatWarningsAsErrors>
    <NoWarn>$(NoWarn);CS8618;CS8632;CS1591;CS8602;CS8604;CS8603;CS8600</NoWarn>
    <GenerateDocumentationFile>false</GenerateDocumentationFile>
  </PropertyGroup>
  <ItemGroup>
%(packages)s
  </ItemGroup>
</Project>
"""

OPTIONS = "options"
"""Stands for DbContextOptions among the arguments of a context's constructor."""
FACTORY = "new UomContextFactory(context)"
"""C# for an IDbContextFactory."""

_ARGUMENTS = """\
if (args.Length == 0)
{
    string Variable(string name) => Environment.GetEnvironmentVariable(name) ?? "";
    args = [".", Variable("CONNECTION_STRING"), Variable("EFCORE_RESULTS_PATH")];
}
"""

PROGRAM_PATH = "Program.cs"
INVOCATION = "invocations.Add(new("
"""How a line of the program begins that calls a method; its label follows."""

USINGS = """global using Microsoft.EntityFrameworkCore;
global using System.ComponentModel.DataAnnotations;
global using System.ComponentModel.DataAnnotations.Schema;
global using System.Linq.Expressions;
"""


@dataclass(frozen=True, slots=True)
class SourceCall:
    """`expression` is C#; `db` is a fresh context in it."""

    label: str
    expression: str
    shape: Any


@dataclass(frozen=True, slots=True)
class ContextClass:
    """The user's DbContext: its full name, and the C# arguments of its constructor, OPTIONS among them."""

    name: str
    arguments: tuple[str, ...]
    is_sealed: bool = False

    @property
    def takes_options(self) -> bool:
        return OPTIONS in self.arguments


@dataclass(frozen=True, slots=True)
class TableRows:
    """`name` and `columns` are quoted SQL identifiers, ready to be used."""

    name: str
    columns: str
    rows: Sequence[Mapping[str, Any]]


def needs_cultures(server: Server) -> bool:
    """SQL Server's client refuses to run without cultures; elsewhere none is wanted."""
    return server is Server.SQL_SERVER


def project_file(packages: Mapping[str, str], invariant: bool = True, assembly: str = "UomSource") -> str:
    """A console application for net10.0 with these NuGet packages (name -> version). `invariant`: without cultures."""
    lines = [f'    <PackageReference Include="{name}" Version="{version}" />' for name, version in packages.items()]
    return _PROJECT % {"packages": "\n".join(lines), "invariant": str(invariant).lower(), "assembly": assembly}


def project_files(
    sources: Sequence[tuple[str, str]],
    context: ContextClass,
    namespaces: Sequence[str],
    calls: Sequence[SourceCall],
    server: Server = Server.POSTGRES,
    stands_in: bool = False,
) -> dict[str, str]:
    """All files of the program but tables.json. `stands_in`: the model was written for another kind of database.

    Its arguments are the folder with shapes.json and tables.json, the connection string, and the folder for results;
    without any, `.`, CONNECTION_STRING and EFCORE_RESULTS_PATH. What the user's OnConfiguring says is not run, so that
    the user's server is never spoken to.
    """
    files = {source_path(number): text for number, (_, text) in enumerate(sources)}
    files["UomSource.csproj"] = project_file(PACKAGES[server], invariant=not needs_cultures(server))
    files["Usings.cs"] = USINGS
    for name in ("Absent.cs", "Harness.cs", "StandIn.cs", f"{_ROWS[server]}.cs"):
        files[name] = resources.files("uom.run.dotnet").joinpath(f"resources/{name}").read_text(encoding="utf-8")
    files[PROGRAM_PATH] = _program(context, namespaces, calls, server, stands_in)
    files["shapes.json"] = json.dumps({c.label: c.shape for c in calls})
    return files


def source_path(number: int) -> str:
    """Where the user's files are in the program."""
    return f"Input/{number:03d}.cs"


def tables_file(tables: Sequence[TableRows]) -> str:
    """Decimals go as text, which PostgreSQL casts exactly."""
    return json.dumps([{"name": t.name, "columns": t.columns, "rows": list(t.rows)} for t in tables], default=str)


def _program(
    context: ContextClass, namespaces: Sequence[str], calls: Sequence[SourceCall], server: Server, stands_in: bool
) -> str:
    lines = ["// Generated: calls each query method once with a fresh context."]
    lines += [f"using {name};" for name in sorted(set(namespaces)) if name]
    lines += ["using Uom.Services;", "", _ARGUMENTS, f"var rows = new {_ROWS[server]}();"]
    lines.append(f"UomDatabase.Connection = {_DATABASE[server]};")
    made = context.name if context.is_sealed and context.takes_options else "UomContext"
    lines.append(f"Func<{context.name}> context = () => new {made}({', '.join(_given(context, made, server))});")
    lines.append("var invocations = new List<Invocation>();")
    for call in calls:
        lines.append(
            f"{INVOCATION}{json.dumps(call.label)}, () => {{ var db = context(); return (object?)({call.expression}); }}));"
        )
    lines.append("return await Harness.Main(args[0], args[2], UomDatabase.Connection, context, rows, invocations);")
    lines += ["", "static class UomDatabase", "{", '    public static string Connection = "";', "}"]
    lines += ["", *_FACTORY_CLASS.format(context=context.name).splitlines()]
    if made == "UomContext":
        lines += ["", *_context(context, server, stands_in)]
    return "\n".join(lines) + "\n"


def _given(context: ContextClass, made: str, server: Server) -> list[str]:
    """Arguments for the constructor; a context of ours is told of its database when it is configured."""
    if made == "UomContext":
        return []
    options = f"new DbContextOptionsBuilder<{context.name}>().{_use(server)}.Options"
    return [options if text == OPTIONS else text for text in context.arguments]


def _context(context: ContextClass, server: Server, stands_in: bool) -> list[str]:
    """The user's context on our database."""
    options = f"new DbContextOptions<{context.name}>()"
    given = ", ".join(options if text == OPTIONS else text for text in context.arguments)
    adapted = "StandIn.Adapt" if stands_in else "StandIn.ViewsToTables"
    return [
        f"sealed class UomContext() : {context.name}({given})",
        "{",
        f"    protected override void OnConfiguring(DbContextOptionsBuilder builder) => builder.{_use(server)};",
        "",
        "    protected override void OnModelCreating(ModelBuilder builder)",
        "    {",
        "        base.OnModelCreating(builder);",
        f"        {adapted}(builder.Model);",
        "    }",
        "}",
    ]


def _use(server: Server) -> str:
    return f"{_USE[server]}(UomDatabase.Connection)"


_FACTORY_CLASS = """\
sealed class UomContextFactory(Func<{context}> make) : IDbContextFactory<{context}>
{{
    public {context} CreateDbContext() => make();
}}
"""
