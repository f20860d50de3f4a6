"""Set-up of the embedded Neo4j: an archive of loaded classes, and an empty store to copy.

Both make each later start faster; the server works without them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from uom.run.cache import digest
from uom.run.engines.neo4j.launch import command, environment, has_started, recipe, write_settings
from uom.run.engines.owned_server import free_port, wait_until
from uom.run.failures import EnvironmentFailure

_START_SECONDS = 120.0
_DUMP_SECONDS = 300.0
_SIGNATURES = (".SF", ".RSA", ".DSA", ".EC")
_STALE_SECONDS = 7 * 24 * 3600
_TRAINING = "training.cypher"
_PARAMETERS: dict[str, Any] = {
    "id": 1,
    "text": "p1",
    "low": 3,
    "high": 9,
    "skip": 1,
    "limit": 5,
    "names": ["p1", "p2"],
    "rows": [{"id": i, "name": f"c{i}", "picture": b"\0"} for i in range(1, 20)],
    "pairs": [[i, {"id": i, "name": f"c{i}", "ratio": 1.5, "when": datetime(2020, 1, 1)}] for i in range(200)],
    "when": datetime(2020, 1, 1),
    "day": date(2020, 1, 1),
    "zoned": datetime(2020, 1, 1, tzinfo=UTC),
}


def build_key() -> str:
    """Names what is built: changes with the way the server is started and with what it is trained on."""
    return digest(*recipe(), _training_text())


def build_unsigned(jar: Path, target: Path) -> None:
    """A copy without its signature: the JVM archives no classes of signed jars."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with _replacing(target) as part, zipfile.ZipFile(jar) as signed, zipfile.ZipFile(part, "w") as copy:
        for entry in signed.infolist():
            name = entry.filename
            if not entry.is_dir() and not (name.startswith("META-INF/") and name.endswith(_SIGNATURES)):
                copy.writestr(zipfile.ZipInfo(name), signed.read(entry))


def build_archive(java: Path, classpath: Sequence[Path], target: Path) -> None:
    """Start a server on an empty folder, ask it what translated queries ask, and keep the classes it loaded.

    Where the JVM cannot make an archive, an empty file says so.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale(target.parent)
    with _replacing(target) as part:
        options = [f"-XX:AOTCacheOutput={part}", "-Xlog:disable"]
        with _run_once(java, classpath, options) as port:
            _train(port)
        if not part.exists():
            part.touch()


def build_template(java: Path, classpath: Sequence[Path], archive: Path, target: Path) -> None:
    """An empty store, made by starting a server once."""
    extra = archive_options(archive)
    home = Path(tempfile.mkdtemp(dir=target.parent, prefix=".build-"))
    try:
        with _run_once(java, classpath, extra, home):
            pass
        (home / "data" / "databases" / "store_lock").unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            os.rename(home / "data", target)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def archive_options(archive: Path) -> list[str]:
    """The JVM's options for using an archive; none where there is none."""
    usable = archive.is_file() and archive.stat().st_size
    return [f"-XX:AOTCache={archive}", "-Xlog:disable"] if usable else ["-Xlog:disable"]


@contextmanager
def _run_once(java: Path, classpath: Sequence[Path], extra: Sequence[str], home: Path | None = None) -> Iterator[int]:
    """A server for the block, ended politely; yields its port."""
    folder = home or Path(tempfile.mkdtemp(prefix="uom-neo4j-setup-"))
    port = free_port()
    write_settings(folder, port)
    try:
        with open(folder / "output", "wb") as output:
            process = subprocess.Popen(
                command(java, classpath, folder, extra),
                cwd=folder,
                env=dict(environment()),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        try:
            came_up = wait_until(lambda: process.poll() is not None or has_started(folder), _START_SECONDS)
            if not came_up or process.poll() is not None:
                words = (folder / "output").read_text(errors="replace").strip()[-500:]
                raise EnvironmentFailure("Cannot prepare Neo4j", words or "it did not start", _REMEDY)
            yield port
            process.terminate()
            process.wait(_DUMP_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise EnvironmentFailure("Cannot prepare Neo4j", "it did not end", _REMEDY) from error
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    finally:
        if home is None:
            shutil.rmtree(folder, ignore_errors=True)


def _train(port: int) -> None:
    from neo4j import GraphDatabase

    with GraphDatabase.driver(f"bolt://127.0.0.1:{port}") as driver:
        for statement in training_statements():
            with driver.session() as session:
                session.run(statement, _PARAMETERS).consume()


def training_statements() -> list[str]:
    """One per paragraph of the file."""
    lines = [line for line in _training_text().splitlines() if not line.startswith("//")]
    return [part.strip() for part in "\n".join(lines).split("\n\n") if part.strip()]


def _training_text() -> str:
    return resources.files("uom.run.engines.neo4j").joinpath(_TRAINING).read_text(encoding="utf-8")


@contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    """A file that gets its name when it is whole."""
    folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=".build-"))
    try:
        yield folder / target.name
        os.replace(folder / target.name, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_stale(folder: Path) -> None:
    """Archives and stores of other versions of ours; not yesterday's, which may belong to another installation."""
    for path in [*folder.glob("server-*.aot"), *folder.glob("store-*")]:
        if time.time() - path.stat().st_mtime > _STALE_SECONDS:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


_REMEDY = "Delete the cache folder (UOM_HOME, by default ~/.cache/uom) and run the command again."
