"""What validations run on, started when it is first needed and kept warm for the next run of this process."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from uom.orchestrator.context import Context
from uom.orchestrator.frameworks import FrameworkEnum
from uom.run.cache import Progress, silent
from uom.run.dotnet.project import Server
from uom.run.dotnet.results import DotnetRunner
from uom.run.dotnet.sdk import find_dotnet
from uom.run.dotnet.worker import DotnetWorker
from uom.run.engines.mongodb.server import MongoEngine
from uom.run.engines.postgres import EmbeddedPostgres
from uom.run.engines.target import TargetEngine
from uom.run.java.worker import JavaWorker
from uom.run.sandboxes.bubblewrap import usable
from uom.run.sandboxes.pool import LocalProvider, ValidationSandbox
from uom.run.sandboxes.protocol import SandboxProvider, SandboxType
from uom.run.toolchain import Part, Toolchain, ensure
from uom.run.validators.dotnet_runner import SandboxDotnet

if TYPE_CHECKING:
    from uom.run.engines.neo4j.server import Neo4jEngine

T = TypeVar("T")


class Engines:
    """One per process. Methods block while something starts: call them from a worker thread.

    `target_lock` is held while translated code runs: the relay tells commands apart by what runs at the moment.
    """

    def __init__(self, progress: Progress = silent) -> None:
        self.progress = progress
        self.target_lock = threading.Lock()
        self.source_lock = threading.Lock()
        self._lock = threading.RLock()
        self._stack = ExitStack()
        self._made: dict[str, object] = {}

    def java(self, target: FrameworkEnum) -> JavaWorker:
        """The resident worker for a target. It answers at once; its first job waits for the JVM."""
        tools = self.java_tools(target)
        return self._once(f"java {target}", lambda: self._stack.enter_context(JavaWorker(tools, usable())))

    def java_tools(self, target: FrameworkEnum) -> Toolchain:
        """The toolchain for a worker of that target."""
        if target is FrameworkEnum.JAVA_SPRING_DATA_NEO4J:
            return self.tools(Part.JAVA_NEO4J).serving("neo4j")
        return self.tools(Part.JAVA)

    def mongodb(self, context: Context) -> MongoEngine:
        """The MongoDB that was named, or the embedded one."""
        uri = context.mongodb_uri if context.is_set("mongodb_uri") else ""
        tools = None if uri else self.tools(Part.SECANTUS)
        return self._once(f"mongodb {uri}", lambda: self._stack.enter_context(MongoEngine(tools, uri)))

    def neo4j(self, context: Context) -> Neo4jEngine:
        """The Neo4j that was named, or the embedded one."""
        from uom.run.engines.neo4j.server import Neo4jEngine  # its driver takes long to import

        uri = with_credentials(context) if context.is_set("neo4j_uri") else ""
        tools = None if uri else self.tools(Part.NEO4J)
        return self._once(f"neo4j {uri}", lambda: self._stack.enter_context(Neo4jEngine(tools, uri)))

    def target(self, context: Context, target: FrameworkEnum) -> TargetEngine:
        """The database that the translated code runs on."""
        if target is FrameworkEnum.JAVA_SPRING_DATA_NEO4J:
            return self.neo4j(context)
        return self.mongodb(context)

    def provider(self, context: Context) -> SandboxProvider:
        """Where sandboxes with a toolchain of their own come from."""
        if context.sandbox == "local":
            unsafe = context.unsafe_no_sandbox
            return self._once(f"local sandboxes {unsafe}", lambda: LocalProvider(allow_unsafe=unsafe))
        from uom.run.sandboxes.daytona import DaytonaProvider, DaytonaSettings

        settings = DaytonaSettings(context.daytona_api_url, context.daytona_api_key.get_secret_value())
        return self._once(f"daytona {context.daytona_api_url}", lambda: DaytonaProvider(settings))

    def relational(self, context: Context) -> tuple[str, Server]:
        """Connection string and kind of the database behind EF Core, which may still be starting."""
        if names_sql_server(context):
            return context.ms_sql_connection_string.get_secret_value(), Server.SQL_SERVER
        return self._once("postgres", self._start_postgres).connection("uom"), Server.POSTGRES

    def _start_postgres(self) -> EmbeddedPostgres:
        embedded = EmbeddedPostgres(self.tools(Part.POSTGRES))
        self._stack.callback(embedded.stop)
        return embedded

    def dotnet(self, context: Context) -> DotnetRunner:
        """What compiles and runs C#, with its database up: the resident worker, or `dotnet` itself in a sandbox."""
        connection, server = self.relational(context)
        if server is Server.POSTGRES:
            _ = self._once("postgres", self._start_postgres).uri  # waits
        if context.portable:
            box = ValidationSandbox.get_sandbox(self.provider(context), SandboxType.DOTNET_10_SANDBOX)
            return SandboxDotnet(asyncio.run(box), connection)
        return self._dotnet_worker(connection, server)

    def _dotnet_worker(self, connection: str, server: Server) -> DotnetWorker:
        def make() -> DotnetWorker:
            worker = DotnetWorker(server, connection, usable(), self.progress)
            self._stack.callback(worker.stop)
            return worker  # not started here: to build it takes seconds, and nothing else could be started meanwhile

        return self._once(f"dotnet {connection}", make)

    def warm(self, context: Context, target: FrameworkEnum) -> None:
        """Starts what both sides will need while other things are done."""
        if source_server(context) is not None and not context.portable:
            self._dotnet_worker(*self.relational(context)).start()
        self.java(target)
        self.target(context, target)

    def tools(self, part: Part) -> Toolchain:
        return self._once(f"tools {part}", lambda: ensure(self.progress, [part]))

    def _once(self, name: str, make: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]  # type: ignore[return-value]

    def close(self) -> None:
        """Stops everything; what is asked for afterwards is started again."""
        with self._lock:
            stack, self._stack, self._made = self._stack, ExitStack(), {}
        stack.close()
        if ValidationSandbox.SANDBOXES:
            asyncio.run(ValidationSandbox.close_all())


def source_server(context: Context) -> Server | None:
    """The database that the C# will run on; None where the interpreter stands for the C#."""
    if find_dotnet() is None:
        return None
    return Server.SQL_SERVER if names_sql_server(context) else Server.POSTGRES


def names_sql_server(context: Context) -> bool:
    """A SQLAlchemy URL is looked at, but EF Core cannot connect with it."""
    connection = context.ms_sql_connection_string.get_secret_value()
    return context.is_set("ms_sql_connection_string") and "://" not in connection


def with_credentials(context: Context) -> str:
    """The address of Neo4j with user and password in it, as the engine takes them."""
    password = context.neo4j_password.get_secret_value()
    scheme, found, rest = context.neo4j_uri.partition("://")
    if not password or not found or "@" in rest:
        return context.neo4j_uri
    return f"{scheme}://{quote(context.neo4j_username, safe='')}:{quote(password, safe='')}@{rest}"


def warm_in_background(context: Context, target: FrameworkEnum) -> None:
    """What validation will need starts while code is written; where it does not, validation says why."""

    def start() -> None:
        with contextlib.suppress(Exception):
            ENGINES.warm(context, target)

    threading.Thread(target=start, name="uom-warm", daemon=True).start()


ENGINES = Engines()
atexit.register(ENGINES.close)
