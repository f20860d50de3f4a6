"""What is found out about schemas: real servers of each kind, and what a dead one costs."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from mcp.server.fastmcp import FastMCP

from tests.support import SHOP
from uom.orchestrator.context import Context
from uom.orchestrator.inspection import inspect_schema
from uom.orchestrator.inspection.relational import sqlalchemy_url
from uom.orchestrator.inspection.summary import MAX_CHARACTERS, bounded
from uom.orchestrator.state import FrameworkEnum
from uom.run.engines.mongodb.server import MongoEngine
from uom.run.engines.neo4j.server import Neo4jEngine
from uom.run.engines.postgres import EmbeddedPostgres
from uom.run.toolchain import Toolchain

MONGODB, NEO4J = FrameworkEnum.JAVA_SPRING_DATA_MONGODB, FrameworkEnum.JAVA_SPRING_DATA_NEO4J


def inspect(context: Context, target: FrameworkEnum = MONGODB, code: str = SHOP) -> list[str]:
    return asyncio.run(inspect_schema(code, target, context)).splitlines()


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def nowhere() -> Context:
    """Nothing listens where the defaults look, whatever runs on this machine."""
    closed = f"http://127.0.0.1:{free_port()}"
    return Context(db_toolbox_uri=closed, mongodb_mcp_uri=f"{closed}/mcp")


@contextlib.contextmanager
def mcp_server(transport: str) -> Iterator[str]:
    """A Toolbox and a MongoDB server in one, speaking the real protocol."""
    server = FastMCP("test")

    @server.tool(name="shop_list_tables", description="List the tables.")
    def list_tables() -> list[str]:
        return ['{"table_name": "Clients", "columns": "Id int"}', '{"table_name": "Sales"}']

    @server.tool(name="shop_execute_sql", description="Runs SQL against the schema.")
    def execute_sql(sql: str = "DROP TABLE Clients") -> str:
        raise AssertionError(f"nobody may call this: {sql}")

    @server.tool(name="list-databases")
    def list_databases(connectionId: str) -> list[str]:
        assert connectionId == "preconfigured"
        return ["Name: shop, size: 8192 bytes", "Name: admin, size: 1 bytes"]

    @server.tool(name="list-collections")
    def list_collections(connectionId: str, database: str) -> list[str]:
        assert (connectionId, database) == ("preconfigured", "shop")
        return ['Name: "sales"']

    @server.tool(name="collection-schema")
    def collection_schema(connectionId: str, database: str, collection: str) -> str:
        assert (connectionId, database) == ("preconfigured", "shop")
        return f'{{"{collection}": {{"total": "Decimal128"}}}}'

    app = server.sse_app() if transport == "sse" else server.streamable_http_app()
    port = free_port()
    running = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = running.force_exit = True
    thread.join(5)


@pytest.mark.parametrize("transport", ["streamable_http", "sse"])
def test_the_toolbox_is_asked_first(transport: str) -> None:
    with mcp_server(transport) as url:
        context = nowhere()
        context.db_toolbox_uri = url
        lines = inspect(context)
    assert "From MCP Toolbox:" in lines and "shop_list_tables:" in lines
    assert any("Clients" in line and "Id int" in line for line in lines)
    assert "shop_execute_sql" not in "\n".join(lines)
    assert lines[0] == "From the code:" and any(line.startswith("Sale (table Sales") for line in lines)


def test_mongodbs_own_server() -> None:
    with mcp_server("streamable_http") as url:
        context = nowhere()
        context.mongodb_mcp_uri = f"{url}/mcp"
        lines = inspect(context)
    assert 'collection shop.sales: {"sales": {"total": "Decimal128"}}' in lines


def test_relational_databases_are_looked_at(tools: Toolchain) -> None:
    import psycopg

    server = EmbeddedPostgres(tools)
    try:
        with psycopg.connect(server.uri, autocommit=True) as connection:
            connection.execute("CREATE TABLE clients (id int PRIMARY KEY, name text NOT NULL)")
            connection.execute("CREATE TABLE sales (id int PRIMARY KEY, client_id int REFERENCES clients)")
        context = nowhere()
        context = Context(**{**_fields(context), "ms_sql_connection_string": server.uri.replace("://", "+psycopg://")})
        lines = inspect(context)
    finally:
        server.stop()
    assert "From Relational database:" in lines
    assert "table public.clients: id INTEGER key not null, name TEXT not null" in lines
    assert "table public.sales: id INTEGER key not null, client_id INTEGER, client_id -> clients" in lines


def _fields(context: Context) -> dict[str, Any]:
    return {name: getattr(context, name) for name in context.__dataclass_fields__}


def test_mongodb_is_sampled(mongodb: MongoEngine) -> None:
    rows = {"sales": [{"_id": 1, "a": {"b": "x"}, "tags": [{"t": 1}]}, {"_id": 2, "a": {"b": None}}], "none": []}
    content = {name: list(documents) for name, documents in rows.items()}
    mongodb.client["inspected"]["sales"].insert_many(content["sales"])
    try:
        lines = inspect(Context(**{**_fields(nowhere()), "mongodb_uri": mongodb.uri}))
    finally:
        mongodb.client.drop_database("inspected")
    assert "collection inspected.sales: _id int, a.b string|null, tags[].t int" in lines


DEAD = {
    "MCP Toolbox": {"db_toolbox_uri": "http://192.0.2.1:5010"},
    "MongoDB": {"mongodb_uri": "mongodb://user:s3cret@192.0.2.1:27017"},
    "MongoDB's MCP server": {"mongodb_mcp_uri": "http://127.0.0.1:9/mcp"},
    "Relational database": {"ms_sql_connection_string": "postgresql+psycopg://user:s3cret@192.0.2.1/x"},
}


@pytest.mark.parametrize("name", DEAD)
def test_a_dead_server_costs_a_line(name: str) -> None:
    lines = inspect(Context(**{**_fields(nowhere()), **DEAD[name]}))
    said = [line for line in lines if line.startswith(f"{name} could not be asked:")]
    assert len(said) == 1 and "s3cret" not in "\n".join(lines)
    assert lines[0] == "From the code:"


def test_neo4j_is_looked_at(neo4j: Neo4jEngine) -> None:
    with neo4j.driver.session() as session:
        session.run("CREATE (:Ada {name: 'x'})-[:KNOWS {since: 1}]->(:Bob {age: 3})").consume()
    try:
        lines = inspect(Context(**{**_fields(nowhere()), "neo4j_uri": neo4j.uri}), NEO4J)
    finally:
        with neo4j.driver.session() as session:
            session.run("MATCH (n) DETACH DELETE n").consume()
    assert {"pattern (:Ada)-[:KNOWS]->(:Bob)", "node :`Ada` name String"} <= set(lines)
    assert "relationship :`KNOWS` since Long" in lines


def test_neo4j_that_is_dead() -> None:
    lines = inspect(Context(**{**_fields(nowhere()), "neo4j_uri": "bolt://127.0.0.1:9"}), NEO4J)
    assert sum(line.startswith("Neo4j could not be asked:") for line in lines) == 1


def test_code_without_a_schema_is_said() -> None:
    assert inspect(nowhere(), code="hello")[0].startswith("The code has no schema")


def test_the_text_is_bounded() -> None:
    text = bounded([f"line {i} " + "x" * 1000 for i in range(100)])
    assert len(text) < MAX_CHARACTERS + 100 and text.endswith("more lines left out)")


def test_connection_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if name == "pymssql" else None)
    text = "Server=tcp:db,1444;Database=Shop;User Id=sa;Password=p@ss;Encrypt=true"
    assert sqlalchemy_url(text) == "mssql+pymssql://sa:p%40ss@db:1444/Shop"
    assert sqlalchemy_url("sqlite:///x") == "sqlite:///x"


def test_sqlite_works_too(tmp_path: Path) -> None:
    import sqlite3

    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    lines = inspect(Context(**{**_fields(nowhere()), "ms_sql_connection_string": f"sqlite:///{tmp_path}/a.db"}))
    assert any(line.startswith("table main.t: id INTEGER key") for line in lines)
