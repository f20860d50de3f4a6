"""Which MongoDB runs: the user's own (`MONGODB_URI`), or the embedded one, a SecantusDB process of ours.

SecantusDB is GPL-2.0: it is started as a program and spoken to over the wire, never imported.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import re
import signal
import socket
import subprocess
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pymongo
from bson.binary import UuidRepresentation
from bson.codec_options import CodecOptions, DatetimeConversion
from pymongo.errors import PyMongoError
from pymongo.uri_parser import parse_uri

from uom.run.engines.mongodb.relay import Relay, wait_until
from uom.run.failures import EnvironmentFailure
from uom.run.toolchain import Toolchain

IMITATION = "imitation"
GENUINE = "MongoDB"
_START_SECONDS = 30.0
_BATCH = 1000


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What ran: product, version, and `grade`, MongoDB or imitation."""

    name: str
    version: str
    grade: str

    def __str__(self) -> str:
        return f"{self.name} {self.version} ({self.grade})"


class EmbeddedServer:
    """A SecantusDB process with data in memory. Ends with this process, however that ends."""

    def __init__(self, toolchain: Toolchain, port: int = 0) -> None:
        self.port = port or free_port()
        if port and not _is_free(port):
            raise EnvironmentFailure(f"port {port}", "it is taken by another program", "Choose another with --port.")
        arguments = ["--host", "127.0.0.1", "--port", str(self.port), "--storage-path", ":memory:", "--standalone"]
        try:
            self._process = subprocess.Popen(
                [str(toolchain.secantus_python), str(toolchain.secantus_server), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )
        except OSError as error:
            raise EnvironmentFailure("embedded MongoDB", str(error), "Run `uom doctor`.") from error
        atexit.register(self.stop)
        if not wait_until(lambda: self._process.poll() is not None or _answers(self.port), _START_SECONDS):
            self.stop()
            raise EnvironmentFailure("embedded MongoDB", "it did not start in time", "Run `uom doctor`.")
        if self._process.poll() is not None:
            code = self._process.returncode
            raise EnvironmentFailure("embedded MongoDB", f"it ended at once with code {code}", "Run `uom doctor`.")

    @property
    def uri(self) -> str:
        return f"mongodb://127.0.0.1:{self.port}/?directConnection=true"

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> None:
        atexit.unregister(self.stop)
        if self._process.poll() is None:
            # Its data is in memory and ours: there is nothing to save.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(3)


def _die_with_parent() -> None:
    """Linux: the server is killed when our process dies without cleaning up."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def client_for(uri: str) -> pymongo.MongoClient[dict[str, Any]]:
    return pymongo.MongoClient(
        uri, serverSelectionTimeoutMS=5000, uuidRepresentation="standard", datetime_conversion="DATETIME_AUTO"
    )


class MongoEngine:
    """A server behind our relay. `fresh_database` loads rows into a database that lives as long as the block.

    Loading goes to the server directly; translated code only ever gets `relay_uri`.
    """

    def __init__(self, toolchain: Toolchain | None, uri: str = "") -> None:
        self._embedded: EmbeddedServer | None = None
        if uri:
            self.uri = uri
        else:
            if toolchain is None:
                raise EnvironmentFailure("MongoDB", "no server is named and none is set up", "Set MONGODB_URI.")
            self._embedded = EmbeddedServer(toolchain)
            self.uri = self._embedded.uri
        try:
            self.client = client_for(self.uri)
            self.info = _identify(self.client, embedded=self._embedded is not None)
            self.relay = Relay(*_host_of(self.uri))
            self.relay.__enter__()
        except PyMongoError as error:
            self.stop()
            raise EnvironmentFailure(
                "MongoDB", f"{_without_password(self.uri)}: {error}", "Check MONGODB_URI."
            ) from None
        except Exception:
            self.stop()
            raise

    def __enter__(self) -> MongoEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def relay_uri(self) -> str:
        """The URI for translated code: the user's, with the relay's address in place of the host."""
        if self._embedded is not None:
            return f"mongodb://{self.relay.address}/?directConnection=true"
        return re.sub(r"(?<=://)([^/@]*@)?[^/?]+", lambda m: (m.group(1) or "") + self.relay.address, self.uri, count=1)

    @contextlib.contextmanager
    def fresh_database(self, collections: Mapping[str, Iterable[dict[str, Any]]]) -> Iterator[str]:
        """A new database with these documents, dropped at the end; yields its name."""
        name = f"uom_{uuid.uuid4().hex[:12]}"
        try:
            self.load(name, collections)
            yield name
        except PyMongoError as error:
            raise EnvironmentFailure("MongoDB", f"loading rows failed: {error}", "Check the server.") from error
        finally:
            with contextlib.suppress(PyMongoError):
                self.client.drop_database(name)

    def load(self, database: str, collections: Mapping[str, Iterable[dict[str, Any]]]) -> None:
        options: CodecOptions[dict[str, Any]] = CodecOptions(
            uuid_representation=UuidRepresentation.STANDARD, datetime_conversion=DatetimeConversion.DATETIME_AUTO
        )
        for name, documents in collections.items():
            collection = self.client[database].get_collection(name, codec_options=options)
            batch: list[dict[str, Any]] = []
            for document in documents:
                batch.append(document)
                if len(batch) == _BATCH:
                    collection.insert_many(batch)
                    batch = []
            if batch:
                collection.insert_many(batch)

    def stop(self) -> None:
        for name in ("relay", "client", "_embedded"):
            part = getattr(self, name, None)
            if part is not None:
                part.close() if name == "client" else part.stop()


def _host_of(uri: str) -> tuple[str, int]:
    if uri.startswith("mongodb+srv://"):
        raise EnvironmentFailure(
            "MongoDB", "an srv address names several servers", "Name one server: mongodb://host:27017"
        )
    nodes = parse_uri(uri)["nodelist"]
    host, port = nodes[0]
    return str(host), int(port or 27017)


def _without_password(uri: str) -> str:
    return re.sub(r"://[^/@]*@", "://***@", uri)


def _identify(client: pymongo.MongoClient[dict[str, Any]], embedded: bool) -> EngineInfo:
    """Product and grade. Only a server that describes itself as mongod does, build and all, is graded MongoDB."""
    build = client.admin.command("buildInfo")
    version = str(build.get("version", "?"))
    if embedded:
        return EngineInfo("SecantusDB", str(build.get("secantusVersion", version)), IMITATION)
    genuine = (
        re.fullmatch(r"[0-9a-f]{40}", str(build.get("gitVersion", ""))) is not None
        and "wiredTiger" in build.get("storageEngines", [])
        and bool(build.get("buildEnvironment"))
        and not any("ferret" in key.lower() or "secantus" in str(build[key]).lower() for key in build)
    )
    return EngineInfo(GENUINE if genuine else "unknown server", version, GENUINE if genuine else IMITATION)
