"""Threads in PostgreSQL, shared by several machines. Needs the extra `postgres`."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from uom.orchestrator.threads import Threads, serializer, taken, without_secrets
from uom.run.engines.mongodb.addresses import reason_of, without_password
from uom.run.failures import EnvironmentFailure

_OPTIONS = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
_SECONDS = 10.0
_SPACE = 0x756F6D
"""The first half of our advisory locks' keys ("uom"), so that nobody else's are in the way."""

logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # what it says of each attempt, we say once

Connection = psycopg.AsyncConnection[DictRow]


class _PostgresSaver(AsyncPostgresSaver):
    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        metadata, config = without_secrets(metadata, config)
        return await super().aput(config, checkpoint, metadata, new_versions)


class _PostgresThreads:
    def __init__(self, saver: AsyncPostgresSaver, uri: str, pool: AsyncConnectionPool[Connection]) -> None:
        self.saver = saver
        self._uri = uri
        self._pool = pool

    async def ids(self) -> list[str]:
        query = "SELECT thread_id FROM checkpoints WHERE checkpoint_ns = '' GROUP BY thread_id ORDER BY max(checkpoint_id) DESC"
        async with self._pool.connection() as connection:
            rows = await connection.execute(query)
            return [str(row["thread_id"]) for row in await rows.fetchall()]

    @asynccontextmanager
    async def claim(self, thread: str) -> AsyncIterator[None]:
        """An advisory lock of a session of its own: the server lets go of it when the session ends."""
        async with await psycopg.AsyncConnection.connect(self._uri, autocommit=True) as connection:
            answer = await connection.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (_SPACE, thread))
            row = await answer.fetchone()
            if row is None or not row[0]:
                raise taken(thread)
            yield


@asynccontextmanager
async def open_postgres(uri: str) -> AsyncIterator[Threads]:
    """Makes the tables when they are not there. Raises EnvironmentFailure when the server cannot be reached."""
    pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
        uri, min_size=1, max_size=4, kwargs=_OPTIONS, open=False, timeout=_SECONDS
    )
    try:
        await pool.open(wait=True, timeout=_SECONDS)
        saver = _PostgresSaver(pool, serde=serializer())
        await saver.setup()
    except (psycopg.Error, PoolTimeout) as error:
        await pool.close()
        what = f"PostgreSQL, {without_password(uri)}"
        raise EnvironmentFailure(what, reason_of(error), "Check CHECKPOINT_URI.") from None
    try:
        yield _PostgresThreads(saver, uri, pool)
    finally:
        await pool.close()
