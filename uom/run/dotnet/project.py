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
        "Npgsql.EntityFrameworkCore.PostgreSQL": NPGSQL_EF_VERSION,
    },
    Server.SQL_SERVER: {
        "Microsoft.EntityFrameworkCore.Relational": EF_VERSION,
        "Microsoft.EntityFrameworkCore.SqlServer": EF_VERSION,
    },
}
"""What a program is built with, by the database behind it: NuGet package -> version."""
_USE = {Server.POSTGRES: "UseNpgsql(args[1])", Server.SQL_SERVER: "UseSqlServer(SqlServerRows.OwnDatabase(args[1]))"}
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

_ARGUMENTS = """\
if (args.Length == 0)
{
    string Variable(string name) => Environment.GetEnvironmentVariable(name) ?? "";
    args = [".", Variable("CONNECTION_STRING"), Variable("EFCORE_RESULTS_PATH")];
}
"""

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
    context: str,
    namespaces: Sequence[str],
    calls: Sequence[SourceCall],
    own_options: bool,
    server: Server = Server.POSTGRES,
) -> dict[str, str]:
    """All files of the program but tables.json. `own_options`: the context takes DbContextOptions in its constructor.

    Its arguments are the folder with shapes.json and tables.json, the connection string, and the folder for results;
    without any, `.`, CONNECTION_STRING and EFCORE_RESULTS_PATH. Without `own_options` a derived context overrides OnConfiguring, so that the user's server is never spoken to.
    """
    files = {f"Input/{number:03d}.cs": text for number, (_, text) in enumerate(sources)}
    files["UomSource.csproj"] = project_file(PACKAGES[server], invariant=not needs_cultures(server))
    files["Usings.cs"] = USINGS
    for name in ("Harness.cs", f"{_ROWS[server]}.cs"):
        files[name] = resources.files("uom.run.dotnet").joinpath(f"resources/{name}").read_text(encoding="utf-8")
    files["Program.cs"] = _program(context, namespaces, calls, own_options, server)
    files["shapes.json"] = json.dumps({c.label: c.shape for c in calls})
    return files


def tables_file(tables: Sequence[TableRows]) -> str:
    """Decimals go as text, which PostgreSQL casts exactly."""
    return json.dumps([{"name": t.name, "columns": t.columns, "rows": list(t.rows)} for t in tables], default=str)


def _program(
    context: str, namespaces: Sequence[str], calls: Sequence[SourceCall], own_options: bool, server: Server
) -> str:
    lines = ["// Generated: calls each query method once with a fresh context."]
    lines += [f"using {name};" for name in sorted(set(namespaces)) if name]
    lines += ["using Uom.Services;", "", _ARGUMENTS, "var rows = new " + _ROWS[server] + "();"]
    if own_options:
        lines.append(f"var options = new DbContextOptionsBuilder<{context}>().{_USE[server]}.Options;")
        lines.append(f"Func<{context}> context = () => new {context}(options);")
    else:
        lines.append("UomContext.Connection = args[1];")
        lines.append(f"Func<{context}> context = () => new UomContext();")
    lines += ["var invocations = new List<Invocation>();"]
    for call in calls:
        label = json.dumps(call.label)
        lines.append(
            f"invocations.Add(new({label}, () => {{ var db = context(); return (object?)({call.expression}); }}));"
        )
    lines.append("return await Harness.Main(args[0], args[2], context, rows, invocations);")
    if not own_options:
        lines += [
            "",
            f"sealed class UomContext : {context}",
            "{",
            '    public static string Connection = "";',
            "    protected override void OnConfiguring(DbContextOptionsBuilder builder) => builder."
            + _USE[server].replace("args[1]", "Connection")
            + ";",
            "}",
        ]
    return "\n".join(lines) + "\n"
