"""Which Neo4j runs: the user's own (`NEO4J_URI`), or the embedded one, behind a relay of ours."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from neo4j import Driver, GraphDatabase
from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError

from uom.data.content import Content
from uom.data.graph import GraphContent
from uom.run.cache import Progress, silent
from uom.run.engines.neo4j.addresses import Address, read_address, reason_of, without_password
from uom.run.engines.neo4j.bulk import BULK_ERRORS, BulkConnection
from uom.run.engines.neo4j.embedded import EmbeddedNeo4j
from uom.run.engines.neo4j.identity import identify
from uom.run.engines.neo4j.loading import clear, labels_of, load
from uom.run.engines.neo4j.recording import RecordedStatement
from uom.run.engines.neo4j.relay import Relay
from uom.run.engines.target import IMITATION, Recorded
from uom.run.failures import EnvironmentFailure
from uom.run.toolchain import Toolchain

if TYPE_CHECKING:
    from typing import Self

_DEFAULT = "neo4j"
_LEFTOVER = "UomVerification"
"""The label of a node that says which labels a verification has put into a user's empty database."""
_ERRORS = (Neo4jError, DriverError)


class Neo4jEngine:
    """A server behind our relay. `fresh_database` loads a graph that lives as long as the block.

    Loading goes to the server directly; translated code only ever gets `relay_uri`, which needs no password.
    """

    kind = "neo4j"
    remedy = "Name a real Neo4j in NEO4J_URI, or name none, for full proof."

    def __init__(self, toolchain: Toolchain | None, uri: str = "") -> None:
        self._embedded: EmbeddedNeo4j | None = None
        if not uri:
            if toolchain is None:
                raise EnvironmentFailure("Neo4j", "no server is named and none is set up", "Set NEO4J_URI.")
            self._embedded = EmbeddedNeo4j(toolchain)
            self._address = Address(self._embedded.uri, "127.0.0.1", self._embedded.port, "", "", "")
        else:
            self._address = read_address(uri)
        self.uri = self._address.uri
        try:
            self._connect()
        except _ERRORS as error:
            self.stop()
            raise self._failure(error) from None
        except Exception:
            self.stop()
            raise

    def _connect(self) -> None:
        self.driver: Driver = GraphDatabase.driver(
            self.uri, auth=self._address.credentials, connection_timeout=10, notifications_min_severity="OFF"
        )
        self.database = self._address.database or self._home_database()
        self.info = identify(self.driver, self.database)
        self._host = self._writable_host()
        self.relay = Relay(*self._host, self._address.auth, self.database, self._address.tls())
        self.relay.__enter__()

    def _home_database(self) -> str:
        with self.driver.session() as session:
            return session.run("RETURN 1").consume().database or _DEFAULT

    def _writable_host(self) -> tuple[str, int]:
        """The server that rows are loaded into: in a cluster, the one that leads."""
        with self.driver.session(database=self.database) as session:
            address = session.execute_write(lambda tx: tx.run("RETURN 1").consume()).server.address
        return str(address[0]), int(address[1])

    def _failure(self, error: BaseException) -> EnvironmentFailure:
        remedy = "Check NEO4J_URI." if self._embedded is None else "Run the command again."
        if isinstance(error, AuthError):
            remedy = "Check NEO4J_USERNAME and NEO4J_PASSWORD."
        return EnvironmentFailure("Neo4j", f"{without_password(self.uri)}: {reason_of(error)}", remedy)

    @property
    def pid(self) -> int:
        """The embedded server's process; 0 for a server of the user's."""
        return self._embedded.pid if self._embedded is not None else 0

    @property
    def relay_uri(self) -> str:
        """The URI for translated code: the relay, and nothing else."""
        return f"bolt://{self.relay.address}"

    def check(self) -> None:
        """Raises EnvironmentFailure when the server has gone."""
        if self._embedded is not None:
            if not self._embedded.is_running:
                why = "it ended during the run, perhaps killed for its memory"
                raise EnvironmentFailure("embedded Neo4j", why, "Run the command again, or with fewer rows.")
            return
        try:
            self.driver.verify_connectivity()
        except _ERRORS as error:
            raise self._failure(error) from None

    def take(self, label: str) -> Sequence[RecordedStatement]:
        return self.relay.take(label)

    def take_refused(self, label: str) -> Sequence[str]:
        return self.relay.take_refused(label)

    def doubts(self, asked: Sequence[Recorded]) -> Sequence[str]:  # noqa: ARG002
        return [f"{self.info.name} is no Neo4j"] if self.info.grade == IMITATION else []

    @contextlib.contextmanager
    def fresh_database(self, content: Content, progress: Progress = silent) -> Iterator[str]:
        """A database with this graph only, emptied or dropped at the end; yields its name.

        A user's server gets a database of its own where its edition allows; otherwise the named one must be empty.
        """
        assert isinstance(content, GraphContent)
        with contextlib.ExitStack() as stack:
            try:
                self._make_room(content, stack)
            except _ERRORS as error:
                self.check()
                raise self._failure(error) from None
            self.load(content, progress)
            yield self.database

    def load(self, content: GraphContent, progress: Progress = silent) -> None:
        """Puts a graph into the database, to stay. Raises EnvironmentFailure."""
        try:
            with self._bulk() as bulk:
                load(self.driver, bulk, self.database, content, progress)
        except (*_ERRORS, *BULK_ERRORS) as error:
            self.check()
            raise self._failure(error) from None

    def _make_room(self, content: GraphContent, stack: contextlib.ExitStack) -> None:
        """Sees to an empty database; the stack puts things back, and only what is ours to put back."""
        if self._embedded is not None:
            stack.callback(self._clear)
        elif not self._address.database and self._create_database():
            stack.callback(self._drop_database)
        else:
            self._claim(content)
            stack.callback(self._clear, [*labels_of(content.nodes), _LEFTOVER])

    def _clear(self, labels: Sequence[str] = ()) -> None:
        with contextlib.suppress(*_ERRORS):
            clear(self.driver, self.database, labels)

    def _bulk(self) -> BulkConnection:
        return BulkConnection(*self._host, self._address.auth, self.database, self._address.tls())

    def _create_database(self) -> bool:
        """False where the edition, or the user's rights, do not allow it."""
        name = f"uom{uuid.uuid4().hex[:12]}"
        try:
            with self.driver.session(database="system") as session:
                session.run(f"CREATE DATABASE {name} WAIT").consume()
        except ClientError:
            return False
        self._use(name)
        return True

    def _drop_database(self) -> None:
        name = self.database
        with contextlib.suppress(*_ERRORS):
            self._use(self._home_database())
            with self.driver.session(database="system") as session:
                session.run(f"DROP DATABASE {name} IF EXISTS").consume()

    def _use(self, database: str) -> None:
        self.database = self.relay.database = database

    def _claim(self, content: GraphContent) -> None:
        """Makes sure that a user's database is empty, but for what a run of ours left there that was killed."""
        with self.driver.session(database=self.database) as session:
            left = session.run(f"MATCH (n:{_LEFTOVER}) RETURN n.labels AS labels").value()
            ours = sorted({_LEFTOVER, *(label for labels in left for label in labels or ())})
            foreign = session.run(
                "MATCH (n) WHERE NOT all(label IN labels(n) WHERE label IN $ours) OR size(labels(n)) = 0 "
                "RETURN labels(n) AS labels LIMIT 1",
                ours=ours if left else [],
            ).single()
            if foreign is not None:
                shown = ":".join(foreign["labels"]) or "without a label"
                raise EnvironmentFailure(
                    "Neo4j",
                    f"the database {self.database} is not empty (it has nodes {shown}), and is left as it is",
                    "Name an empty database in NEO4J_DATABASE, or no server: then an embedded one is used.",
                )
        if left:
            clear(self.driver, self.database, ours)
        with self.driver.session(database=self.database) as session:
            session.run(f"CREATE (:{_LEFTOVER} {{labels: $labels}})", labels=labels_of(content.nodes)).consume()

    def stop(self) -> None:
        relay, driver = getattr(self, "relay", None), getattr(self, "driver", None)
        if relay is not None:
            relay.stop()
        if driver is not None:
            with contextlib.suppress(*_ERRORS):
                driver.close()
        if self._embedded is not None:
            self._embedded.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
