"""Where threads are kept: SQLite by default, PostgreSQL by URI. One process at a time works on a thread."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from uom.orchestrator.threads import Threads, serializer, taken, without_secrets
from uom.run.cache import cache_root, digest
from uom.run.engines.mongodb.addresses import without_password
from uom.run.failures import EnvironmentFailure

VARIABLE = "CHECKPOINT_URI"
_BUSY_SECONDS = 30.0


def open_threads(uri: str = "") -> AbstractAsyncContextManager[Threads]:
    """`uri` is postgresql://..., sqlite:///PATH, or "" for CHECKPOINT_URI and then a file of ours."""
    uri = uri or os.environ.get(VARIABLE, "")
    if uri.startswith(("postgresql://", "postgres://")):
        return _postgres(uri)
    if uri and not uri.startswith("sqlite:///"):
        raise EnvironmentFailure(VARIABLE, f"{without_password(uri)} is no address of threads", _REMEDY)
    return _sqlite(Path(uri.removeprefix("sqlite:///")) if uri else cache_root() / "threads.sqlite")


_REMEDY = f"Set {VARIABLE} to sqlite:///PATH or postgresql://USER@HOST/DATABASE, or leave it out."


class _SqliteSaver(AsyncSqliteSaver):
    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        metadata, config = without_secrets(metadata, config)
        return await super().aput(config, checkpoint, metadata, new_versions)


class _SqliteThreads:
    def __init__(self, saver: AsyncSqliteSaver, locks: Path) -> None:
        self.saver = saver
        self._locks = locks

    async def ids(self) -> list[str]:
        query = "SELECT thread_id FROM checkpoints WHERE checkpoint_ns = '' GROUP BY thread_id ORDER BY max(checkpoint_id) DESC"
        await self.saver.setup()
        async with self.saver.conn.execute(query) as rows:
            return [str(row[0]) async for row in rows]

    @asynccontextmanager
    async def claim(self, thread: str) -> AsyncIterator[None]:
        self._locks.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._locks / digest(thread), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise taken(thread) from None
            yield
        finally:
            os.close(handle)


@asynccontextmanager
async def _sqlite(path: Path) -> AsyncIterator[Threads]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = await aiosqlite.connect(path, timeout=_BUSY_SECONDS)
    except (OSError, aiosqlite.Error) as error:
        raise EnvironmentFailure(str(path), str(error), _REMEDY) from None
    try:
        saver = _SqliteSaver(connection, serde=serializer())
        try:
            await saver.setup()
        except aiosqlite.Error as error:
            raise EnvironmentFailure(str(path), str(error), _REMEDY) from None
        with contextlib.suppress(OSError):
            path.chmod(0o600)
        yield _SqliteThreads(saver, path.with_name(f"{path.name}.locks"))
    finally:
        await connection.close()


@asynccontextmanager
async def _postgres(uri: str) -> AsyncIterator[Threads]:
    try:
        from uom.orchestrator.postgres_threads import open_postgres
    except ImportError:
        raise EnvironmentFailure("PostgreSQL", "its driver is not installed", "pip install 'uom[postgres]'") from None
    async with open_postgres(uri) as threads:
        yield threads
