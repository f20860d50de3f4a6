"""Builds the resident worker once for each SDK: one `dotnet build`, whose command line of the compiler is kept.

The worker is a project with the packages of the programs that it will compile, so that the SDK itself says which
references, options and generators those get, and so that they are loaded and warm when a program comes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from uom.run.cache import Progress, cache_root, digest, set_up_lock, silent
from uom.run.dotnet.project import PACKAGES, Server, needs_cultures, project_file
from uom.run.dotnet.sdk import QUIET, Sdk
from uom.run.failures import EnvironmentFailure

COMMAND_LINE = "compiler.rsp"
PROGRAM = "out/UomWorker.dll"
_BUILD_SECONDS = 300.0
_DONE = "built"
_LABEL = "C# worker"
_BUILD = ["build", "--nologo", "-v", "q", "-clp:NoSummary", "-p:UseSharedCompilation=false", "-o", "out"]
_COMPILERS = ("Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll")
_EXTRA = f"""  <ItemGroup>
{chr(10).join(f'    <Reference Include="$(RoslynTargetsPath)/bincore/{name}" />' for name in _COMPILERS)}
  </ItemGroup>
  <PropertyGroup>
    <ProvideCommandLineArgs>true</ProvideCommandLineArgs>
    <TieredPGO>false</TieredPGO>
  </PropertyGroup>
  <Target Name="KeepCommandLine" AfterTargets="CoreCompile">
    <WriteLinesToFile File="{COMMAND_LINE}" Lines="@(CscCommandLineArgs)" Overwrite="true" />
  </Target>
</Project>
"""


def worker_folder(sdk: Sdk, server: Server, progress: Progress = silent) -> Path:
    """The folder with the built worker. Raises EnvironmentFailure where `dotnet build` fails, e.g. without packages."""
    files = _files(server)
    root = cache_root() / "dotnet"
    folder = root / digest(
        str(sdk.root), *sdk.versions(), str(sdk.packages), *(part for item in sorted(files.items()) for part in item)
    )
    if _is_whole(folder):
        return folder
    with set_up_lock(root):
        if not _is_whole(folder):
            progress(_LABEL, 0, 1)
            _build(sdk, files, folder)
            progress(_LABEL, 1, 1)
    return folder


def _files(server: Server) -> dict[str, str]:
    source = resources.files("uom.run.dotnet").joinpath("resources/worker")
    files = {file.name: file.read_text(encoding="utf-8") for file in source.iterdir() if file.name.endswith(".cs")}
    project = project_file(PACKAGES[server], invariant=not needs_cultures(server), assembly="UomWorker")
    files["UomWorker.csproj"] = project.replace("</Project>\n", _EXTRA)
    return files


def _is_whole(folder: Path) -> bool:
    """With all that it refers to: packages may have been cleared away since."""
    if not (folder / _DONE).exists():
        return False
    lines = (folder / COMMAND_LINE).read_text(encoding="utf-8").splitlines()
    return all(os.path.exists(line.removeprefix("/reference:")) for line in lines if line.startswith("/reference:"))


def _build(sdk: Sdk, files: dict[str, str], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = _run([str(sdk.program), *_BUILD], folder)
    if done.returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        remedy = "Install the .NET 10 SDK, and let NuGet reach its packages once."
        raise EnvironmentFailure("dotnet build", _head(done.stdout), remedy)
    (folder / _DONE).touch()


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **QUIET, "TMPDIR": str(folder)}  # it leaves empty folders behind
    with _group(command, folder, environment) as process:
        try:
            stdout, _ = process.communicate(timeout=_BUILD_SECONDS)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, -1, f"it did not end within {_BUILD_SECONDS:.0f} s", "")
    return subprocess.CompletedProcess(command, process.returncode, stdout, "")


@contextlib.contextmanager
def _group(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Nothing of it is left when the block ends, however it ends."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _head(output: str) -> str:
    lines = [line.strip() for line in output.strip().splitlines() if line.strip()]
    return " | ".join(lines[:3])[:600] if lines else "it ended without a word"
