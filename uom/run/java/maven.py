"""Portable mode: the bundle as a Maven project, built and run with the user's own JDK and Maven.

Slower than the worker by a factor of thirty, and what a reader can repeat by hand. The pom comes with the bundle; it
should set exec.cleanupDaemonThreads to false, or each run waits 15 seconds for a thread of the driver.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from uom.run.failures import EnvironmentFailure
from uom.run.java.harness import MAIN_CLASS
from uom.run.java.worker import JavaDiagnostic, RunStatus
from uom.run.payload import exports, json_path, result_line, unpack_commands

COMPILE_COMMAND = "mvn -q -B --no-transfer-progress dependency:resolve clean compile"
RUN_COMMAND = f'mvn -q -B --no-transfer-progress exec:java -Dexec.mainClass="{MAIN_CLASS}"'

_ERROR = re.compile(r"\[ERROR\] (?P<file>/\S+\.java):\[(?P<line>\d+),(?P<column>\d+)\] (?P<message>.*)")


@dataclass(frozen=True, slots=True)
class MavenRun:
    """`json_path` is where results.json was written; absent unless `status` is ok."""

    status: RunStatus
    output: str
    diagnostics: tuple[JavaDiagnostic, ...] = ()
    json_path: Path | None = None


def results_variable(target: str) -> str:
    """The variable that names the folder for results."""
    return f"{target.upper()}_RESULTS_PATH"


def settings(target: str, uri: str, database: str, results: str) -> dict[str, str]:
    """What the entry point reads from the environment, e.g. NEO4J_URI, NEO4J_DATABASE, NEO4J_RESULTS_PATH."""
    return {f"{target.upper()}_URI": uri, f"{target.upper()}_DATABASE": database, results_variable(target): results}


def run_script(environment: Mapping[str, str], target: str = "mongodb") -> str:
    """run.sh: compile, run, name the newest result. `environment` must have the target's variable for results."""
    variable = results_variable(target)
    return (
        "#!/usr/bin/env bash\nset -euo pipefail\n"
        f'cd "$(dirname "$0")"\n{exports(environment)}mkdir -p "${variable}"\n'
        f"{COMPILE_COMMAND}\n{RUN_COMMAND}\n{result_line(variable)}"
    )


def run_with_maven(
    files: Mapping[str, str],
    environment: Mapping[str, str],
    folder: Path,
    limit_seconds: float = 600.0,
    target: str = "mongodb",
) -> MavenRun:
    """Unpack `files` into `folder` and run them there; `environment` is what the harness reads (see `settings`).

    Maven and Java are those of the PATH. Raises EnvironmentFailure when there are none.
    """
    _require("mvn")
    _require("javac")
    wanted = {results_variable(target): str(folder / "results"), **environment}
    project = {**files, "run.sh": run_script(wanted, target)}
    unpack = "\n".join(unpack_commands(project, str(folder)))
    code, output = _bash(("-s",), unpack, limit_seconds)
    if code != 0:
        raise EnvironmentFailure(f"Cannot write the project to {folder}", output.strip(), "Use another folder.")
    code, output = _bash((str(folder / "run.sh"),), "", limit_seconds)
    return _judge(code, output, folder)


def _judge(code: int | None, output: str, folder: Path) -> MavenRun:
    diagnostics = _diagnostics(output, folder)
    if code is None:
        return MavenRun(RunStatus.TIMEOUT, output)
    if diagnostics:
        return MavenRun(RunStatus.COMPILE_ERROR, output, diagnostics)
    path = json_path(output)
    if code != 0 or path is None:
        return MavenRun(RunStatus.EXCEPTION, output)
    return MavenRun(RunStatus.OK, output, json_path=Path(path))


def _diagnostics(output: str, folder: Path) -> tuple[JavaDiagnostic, ...]:
    """Maven prints each error twice; files are named relative to the project, as in the bundle."""
    root = f"{folder.resolve()}/"
    found = {
        JavaDiagnostic(match["file"].removeprefix(root), int(match["line"]), int(match["column"]), match["message"])
        for match in _ERROR.finditer(output)
    }
    return tuple(sorted(found, key=lambda problem: (problem.file, problem.line, problem.column)))


def _require(program: str) -> None:
    if shutil.which(program) is None:
        raise EnvironmentFailure(
            "The portable mode needs a JDK and Maven",
            f"{program} is not on the PATH",
            "Install a JDK (17 or later) and Maven, or leave the portable mode off: the built-in worker needs neither.",
        )


def _bash(arguments: tuple[str, ...], text: str, limit_seconds: float) -> tuple[int | None, str]:
    """Exit code (None after the time limit, when the whole process group was killed) and everything printed."""
    environment = {"MAVEN_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Duser.timezone=UTC", **os.environ}
    process = subprocess.Popen(
        ["bash", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(text, timeout=limit_seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        _kill(process)
        return None, process.communicate()[0]
    except BaseException:
        _kill(process)
        process.wait()
        raise


def _kill(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
