"""C#: a console application for net10.0, built and run by `dotnet build` and `dotnet run`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from uom.run.dotnet.project import EF_VERSION, NPGSQL_EF_VERSION, project_file
from uom.run.sandboxes.endpoints import Endpoint, endpoints_in
from uom.run.sandboxes.protocol import Sandbox
from uom.run.validators.outcome import Diagnostic, Validation
from uom.run.validators.portable import Project, Terms, validate

BUILD_COMMAND = "dotnet build"
RUN_COMMAND = "dotnet run"
RESULTS_VARIABLE = "EFCORE_RESULTS_PATH"

_PACKAGES = (
    (r"\bUseSqlServer\b", "Microsoft.EntityFrameworkCore.SqlServer", EF_VERSION),
    (r"\bUseNpgsql\b", "Npgsql.EntityFrameworkCore.PostgreSQL", NPGSQL_EF_VERSION),
    (r"\bUseSqlite\b", "Microsoft.EntityFrameworkCore.Sqlite", EF_VERSION),
    (r"\bUseInMemoryDatabase\b", "Microsoft.EntityFrameworkCore.InMemory", EF_VERSION),
    (r"\bUseLazyLoadingProxies\b", "Microsoft.EntityFrameworkCore.Proxies", EF_VERSION),
    (r"\busing Dapper\b", "Dapper", "2.1.86"),
    (r"\bMicrosoft\.Data\.SqlClient\b", "Microsoft.Data.SqlClient", "6.1.7"),
)
_PLACED = re.compile(
    r"^\s*(?P<file>[^\n(]+?)\((?P<line>\d+),(?P<column>\d+)\): (?P<severity>error|warning) (?P<code>\w+): (?P<message>.*?)(?: \[[^\]\n]*\])?$",
    re.MULTILINE,
)
_UNPLACED = re.compile(
    r"^\s*(?P<file>[^\n():]+?)\s*: error (?P<code>[A-Z]+\d+): (?P<message>.*?)(?: \[[^\]\n]*\])?$", re.MULTILINE
)


async def validate_dotnet(
    sandbox: Sandbox,
    files: Mapping[str, str],
    entry: str = "",
    *,
    connection_string: str = "",
    environment: Mapping[str, str] | None = None,
    reach: Sequence[Endpoint] = (),
    run: bool = True,
    limit_seconds: float = 480.0,
    trusted: bool = False,
    keep: Path | None = None,
) -> Validation:
    """Build `files` (path -> text) and run them; a project file is made where there is none.

    `entry` is the class whose Main is run, "" where only one can be. The program finds CONNECTION_STRING and
    EFCORE_RESULTS_PATH in its environment, and reaches the server of the one and what `reach` names. With `run` off it
    is only compiled. Raises SandboxProblem, EnvironmentFailure for a connection string without a server, and ValueError
    for paths that leave the project.
    """
    values = {**(environment or {}), **({"CONNECTION_STRING": connection_string} if connection_string else {})}
    if entry:
        values["StartupObject"] = entry  # MSBuild takes it as a property
    project = Project(
        files if any(path.endswith(".csproj") for path in files) else {**files, "Validation.csproj": _project(files)},
        (BUILD_COMMAND, RUN_COMMAND) if run else (BUILD_COMMAND,),
        (RESULTS_VARIABLE,),
        values,
        diagnostics,
        run,
    )
    return await validate(
        sandbox, project, Terms((*endpoints_in(connection_string), *reach), limit_seconds, trusted, keep)
    )


def diagnostics(output: str, folder: str) -> tuple[Diagnostic, ...]:
    """`dotnet build` prints each twice, with absolute paths."""
    found = [
        Diagnostic(
            m["file"].removeprefix(f"{folder}/"),
            int(m["line"]), int(m["column"]), m["message"].strip(), m["code"], m["severity"],
        )
        for m in _PLACED.finditer(output)
    ]  # fmt: skip
    found += [
        Diagnostic(m["file"].strip().removeprefix(f"{folder}/"), 0, 0, m["message"].strip(), m["code"])
        for m in _UNPLACED.finditer(output)
    ]
    return tuple(dict.fromkeys(found))


def _project(files: Mapping[str, str]) -> str:
    """With the packages that the code names by what it calls."""
    code = "\n".join(text for path, text in files.items() if path.endswith(".cs"))
    packages = {"Microsoft.EntityFrameworkCore.Relational": EF_VERSION}
    packages.update((name, version) for pattern, name, version in _PACKAGES if re.search(pattern, code))
    # SQL Server's client refuses to run without cultures; elsewhere none is wanted.
    return project_file(packages, invariant=not any("Sql" in name and "Npg" not in name for name in packages))
