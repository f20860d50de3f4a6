"""Builds the worker at set-up: its jar, with ECJ, and an archive of loaded classes that makes it start faster."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from uom.run.cache import digest
from uom.run.failures import EnvironmentFailure
from uom.run.java.sources import sources_digest, warm_up_sources, worker_sources

RELEASE = 25
MEMORY_OPTIONS = (
    "-Xmx512m",
    "-XX:MaxMetaspaceSize=256m",
    "-XX:MaxDirectMemorySize=64m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    # Otherwise soft references keep the classes of old bundles until memory is short.
    "-XX:SoftRefLRUPolicyMSPerMB=0",
)
BEHAVIOUR_OPTIONS = (
    "-Duser.timezone=UTC",
    "-Dfile.encoding=UTF-8",
    "-Djava.awt.headless=true",
)


_RECIPE = "our classes and ECJ's in one jar"
_STALE_SECONDS = 7 * 24 * 3600


def build_key() -> str:
    """Names what is built: changes with our Java, with how it is packed and with the options it runs with."""
    return digest(_RECIPE, sources_digest(), *MEMORY_OPTIONS, *BEHAVIOUR_OPTIONS)


def java_environment() -> dict[str, str]:
    """What a Java process of ours sees: nothing of the user's environment, which may hold secrets and JAVA options."""
    return {"PATH": os.defpath, "TZ": "UTC", "LANG": "C.UTF-8"}


def build_worker_jar(java: Path, ecj: Path, classpath: Sequence[Path], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as folder:
        sources = Path(folder, "src")
        classes = Path(folder, "classes")
        _write(worker_sources(), sources)
        _write(warm_up_sources(), classes)
        command = [str(java), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", str(ecj)]
        command += ["org.eclipse.jdt.internal.compiler.batch.Main", "--release", str(RELEASE), "-nowarn", "-proc:none"]
        command += ["-cp", os.pathsep.join(map(str, (ecj, *classpath))), "-d", str(classes), str(sources)]
        _run(command, "compile the Java worker")
        _write_jar(classes, ecj, Path(folder, "worker.jar"))
        _remove_stale(target.parent)
        os.replace(Path(folder, "worker.jar"), target)


def build_archive(java: Path, jvm_classpath: Sequence[Path], bundle_classpath: Sequence[Path], target: Path) -> None:
    """Let the worker run its canned bundle and keep what it loaded (JEP 483, 514, 515).

    The archive holds no bundle: it fits every one, as long as the JVM, its options and the jars stay the same.
    Where the JVM cannot make one, an empty file says so: the worker runs without it.
    """
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as folder:
        archive = Path(folder, "worker.aot")
        command = [str(java), f"-XX:AOTCacheOutput={archive}", *MEMORY_OPTIONS, *BEHAVIOUR_OPTIONS]
        command += ["-cp", os.pathsep.join(map(str, jvm_classpath)), "uom.worker.Worker"]
        command += ["--train", os.pathsep.join(map(str, bundle_classpath))]
        try:
            _run(command, "prepare the Java worker")
        except EnvironmentFailure:
            archive.write_bytes(b"")
        os.replace(archive, target)


def _remove_stale(folder: Path) -> None:
    """Workers of other versions of ours; not yesterday's, which may belong to another installation."""
    for file in folder.glob("worker-*"):
        if time.time() - file.stat().st_mtime > _STALE_SECONDS:
            file.unlink(missing_ok=True)


def _write(sources: Sequence[tuple[str, str]], folder: Path) -> None:
    for path, text in sources:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _write_jar(classes: Path, ecj: Path, target: Path) -> None:
    """Our classes and ECJ's in one jar. ECJ's own is signed, and the JVM archives no classes of signed jars."""
    with zipfile.ZipFile(target, "w") as jar, zipfile.ZipFile(ecj) as compiler:
        for file in sorted(classes.rglob("*")):
            if file.is_file():
                jar.writestr(zipfile.ZipInfo(file.relative_to(classes).as_posix()), file.read_bytes())
        for entry in compiler.infolist():
            if not entry.is_dir() and not entry.filename.startswith("META-INF/"):
                jar.writestr(zipfile.ZipInfo(entry.filename), compiler.read(entry))


def _run(command: list[str], purpose: str) -> None:
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, errors="replace", env=java_environment(), stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise EnvironmentFailure(f"Cannot {purpose}", str(error), _REMEDY) from error
    if result.returncode != 0:
        raise EnvironmentFailure(f"Cannot {purpose}", (result.stdout + result.stderr).strip()[-2000:], _REMEDY)


_REMEDY = "Delete the cache folder (UOM_HOME, by default ~/.cache/uom) and run the command again."
