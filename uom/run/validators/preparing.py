"""Packages for sandboxes without a network: fetched once, outside, by the user's own tools, for projects of ours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from uom.run.cache import cache_root, digest
from uom.run.dotnet.project import EF_VERSION, NPGSQL_EF_VERSION, project_file
from uom.run.java.maven import COMPILE_COMMAND
from uom.run.sandboxes.bubblewrap import Bubblewrap
from uom.run.sandboxes.local import Furnishing, LocalSandbox
from uom.run.sandboxes.protocol import Listener, Sandbox, SandboxProblem, SandboxType
from uom.run.validators.dotnet import RUN_COMMAND as DOTNET_RUN
from uom.run.validators.dotnet import validate_dotnet
from uom.run.validators.java import RUN_COMMAND as JAVA_RUN
from uom.run.validators.java import default_pom, validate_java
from uom.run.validators.outcome import Validation

_SECONDS = 900.0
_OUTSIDE = Bubblewrap("", reason="fetching packages needs the network")
_MAIN = "uom.validation.Main"
_JAVA = """\
package uom.validation;

import java.nio.file.Files;
import java.nio.file.Path;

public class Main {
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(System.getenv("MONGODB_RESULTS_PATH"));
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("results.json"), "{}");
    }
}
"""
_CSHARP = """\
var folder = System.Environment.GetEnvironmentVariable("EFCORE_RESULTS_PATH")!;
System.IO.Directory.CreateDirectory(folder);
System.IO.File.WriteAllText(System.IO.Path.Combine(folder, "results.json"), "{}");
"""
_PACKAGES = {
    "Microsoft.EntityFrameworkCore.Relational": EF_VERSION,
    "Microsoft.EntityFrameworkCore.SqlServer": EF_VERSION,
    "Npgsql.EntityFrameworkCore.PostgreSQL": NPGSQL_EF_VERSION,
}


@dataclass(frozen=True, slots=True)
class _Trial:
    """A small project of ours that needs what validated ones need, and the commands that fetch it."""

    files: Mapping[str, str]
    commands: tuple[str, ...]


_TRIALS = {
    SandboxType.DOTNET_10_SANDBOX: _Trial(
        {"Program.cs": _CSHARP, "Trial.csproj": project_file(_PACKAGES)}, ("dotnet build", DOTNET_RUN)
    ),
    SandboxType.JAVA_25_SANDBOX: _Trial(
        {"src/main/java/uom/validation/Main.java": _JAVA, "pom.xml": default_pom()},
        (COMPILE_COMMAND, JAVA_RUN.format(entry=_MAIN)),
    ),
}


async def prepare(sandbox: LocalSandbox, kind: SandboxType, furnishing: Furnishing, listen: Listener) -> None:
    """Make sure that the toolchain works inside. Costs nothing when it did before.

    Raises SandboxProblem with what the tools said when it does not, also after fetching.
    """
    trial = _TRIALS[kind]
    paths = map(str, furnishing.read_only)
    stamp = cache_root() / "sandboxes" / digest(kind, *trial.files.values(), *trial.commands, *paths)
    if stamp.exists():
        return
    listen(f"trying the {kind.value} sandbox")
    done = await _try(sandbox, kind, trial)
    if not done.passed:
        listen(f"fetching packages for the {kind.value} sandbox")
        said = await _fetch(trial, furnishing)
        done = await _try(sandbox, kind, trial)
        if not done.passed:
            raise SandboxProblem(f"The {kind.value} sandbox", done.text()[-2000:], said[-2000:])
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.touch()


async def _try(sandbox: Sandbox, kind: SandboxType, trial: _Trial) -> Validation:
    if kind is SandboxType.DOTNET_10_SANDBOX:
        return await validate_dotnet(sandbox, trial.files, trusted=True)
    return await validate_java(sandbox, trial.files, _MAIN, trusted=True)


async def _fetch(trial: _Trial, furnishing: Furnishing) -> str:
    """The same commands on the same project, with the user's own settings. Returns what they printed."""
    own = {name: furnishing.environment[name] for name in ("JAVA_HOME", "PATH") if name in furnishing.environment}
    environment = {name: value for name, value in os.environ.items() if name not in ("RestoreSources",)}
    outside = LocalSandbox(Furnishing(environment={**environment, **own}), found=_OUTSIDE)
    try:
        folder = f"{outside.root}/trial"
        await outside.upload({f"{folder}/{path}": text.encode() for path, text in trial.files.items()})
        results = dict.fromkeys(("MONGODB_RESULTS_PATH", "EFCORE_RESULTS_PATH"), f"{folder}/results")
        command = " && ".join(trial.commands)
        done = await outside.execute(command, folder, results, _SECONDS, trusted=True)
        return done.output.strip()
    finally:
        await outside.close()
