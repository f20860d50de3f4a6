"""Java: a Maven project with Spring Data, compiled and run by the two commands of the portable mode."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from uom.run.java.harness import MAIN_CLASS
from uom.run.java.maven import COMPILE_COMMAND, results_variable
from uom.run.java.sources import TARGETS
from uom.run.sandboxes.endpoints import Endpoint, endpoints_in
from uom.run.sandboxes.protocol import Sandbox
from uom.run.validators.outcome import Diagnostic, Validation
from uom.run.validators.portable import Project, Terms, validate
from uom.write.java.project import pom

RUN_COMMAND = 'mvn -q -B --no-transfer-progress exec:java -Dexec.mainClass="{entry}"'
RESULTS_VARIABLES = tuple(results_variable(target) for target in TARGETS)
RELEASE = 25
DEPENDENCIES = (
    ("org.springframework.data", "spring-data-mongodb"),
    ("org.mongodb", "mongodb-driver-sync"),
    ("org.springframework.data", "spring-data-neo4j"),
)
"""Of projects that come without a pom.xml."""

_CLASS_NAME = re.compile(r"[\w$]+(\.[\w$]+)*")
_PLACED = re.compile(
    r"^\[ERROR\] (?P<file>/\S+\.java):\[(?P<line>\d+),(?P<column>\d+)\] (?P<message>.*(?:\n(?:\[ERROR\])? {2,}\S.*)*)",
    re.MULTILINE,
)
_PROJECT = re.compile(
    r"^\[(?:ERROR|FATAL)\] (?P<message>(?:Non-|Malformed|Failed to execute goal on project|'\w).*?)(?: @ ?)?$",
    re.MULTILINE,
)
"""Faults of the pom.xml, and what it asks for and cannot get."""
_PROJECT_PLACE = re.compile(r"@ ?(?:line )?(?P<line>\d+)(?:, column |:)(?P<column>\d+)")


async def validate_java(
    sandbox: Sandbox,
    files: Mapping[str, str],
    entry: str = MAIN_CLASS,
    *,
    mongodb_uri: str = "",
    neo4j_uri: str = "",
    environment: Mapping[str, str] | None = None,
    reach: Sequence[Endpoint] = (),
    run: bool = True,
    limit_seconds: float = 480.0,
    trusted: bool = False,
    keep: Path | None = None,
) -> Validation:
    """Compile `files` (path -> text; sources below src/main/java) and run the main method of `entry`.

    A pom.xml is made where there is none. The program finds MONGODB_URI, NEO4J_URI and, for the results,
    MONGODB_RESULTS_PATH and NEO4J_RESULTS_PATH in its environment, and reaches the servers of the first two and what
    `reach` names. With `run` off it is only compiled. Raises SandboxProblem, EnvironmentFailure for a URI without a
    server, and ValueError for a class name that is none and for paths that leave the project.
    """
    if not _CLASS_NAME.fullmatch(entry):
        raise ValueError(f"{entry!r} is no class name")
    named = {"MONGODB_URI": mongodb_uri, "NEO4J_URI": neo4j_uri}
    project = Project(
        files if "pom.xml" in files else {**files, "pom.xml": default_pom()},
        (COMPILE_COMMAND, RUN_COMMAND.format(entry=entry)) if run else (COMPILE_COMMAND,),
        RESULTS_VARIABLES,
        {**(environment or {}), **{name: uri for name, uri in named.items() if uri}},
        diagnostics,
        run,
    )
    servers = (*endpoints_in(mongodb_uri), *endpoints_in(neo4j_uri), *reach)
    return await validate(sandbox, project, Terms(servers, limit_seconds, trusted, keep))


def default_pom() -> str:
    return pom("uom.validation", RELEASE, DEPENDENCIES)


def diagnostics(output: str, folder: str) -> tuple[Diagnostic, ...]:
    """Maven prints each twice; what belongs to one follows in lines of its own (symbol, location)."""
    found = []
    for match in _PLACED.finditer(output):
        lines = [line.removeprefix("[ERROR]").strip() for line in match["message"].splitlines()]
        file = match["file"].removeprefix(f"{folder}/")
        found.append(Diagnostic(file, int(match["line"]), int(match["column"]), "; ".join(filter(None, lines))))
    if not found:
        found = [_of_project(match["message"].replace(f"{folder}/", "")) for match in _PROJECT.finditer(output)]
    shortest = {(d.file, d.line, d.column): d for d in sorted(found, key=lambda d: len(d.message))}
    return tuple(sorted(shortest.values(), key=lambda d: (d.file, d.line, d.column)))


def _of_project(message: str) -> Diagnostic:
    place = _PROJECT_PLACE.search(message)
    line, column = (int(place["line"]), int(place["column"])) if place else (0, 0)
    return Diagnostic("pom.xml", line, column, message.strip())
