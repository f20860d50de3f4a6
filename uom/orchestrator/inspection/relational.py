"""Tables, columns and foreign keys of a relational database, by SQLAlchemy's inspector."""

from __future__ import annotations

import asyncio
import importlib.util
from typing import Any
from urllib.parse import quote_plus

from uom.orchestrator.context import Context

_MOST_TABLES = 60
_SECONDS = 3
_DRIVERS = ("pymssql", "pyodbc")


async def describe_relational(context: Context) -> list[str]:
    """One line per table. Raises what the driver raises."""
    return await asyncio.to_thread(_describe, sqlalchemy_url(context.ms_sql_connection_string.get_secret_value()))


def sqlalchemy_url(connection: str) -> str:
    """An ADO.NET connection string for SQL Server, or any SQLAlchemy URL as it is."""
    if "://" in connection:
        return connection
    parts = {k.strip().lower(): v.strip() for k, _, v in (p.partition("=") for p in connection.split(";")) if k.strip()}
    server = parts.get("server") or parts.get("data source") or "localhost"
    host, _, port = server.removeprefix("tcp:").partition(",")
    user, password = parts.get("user id") or parts.get("uid", ""), parts.get("password") or parts.get("pwd", "")
    database = parts.get("database") or parts.get("initial catalog", "")
    driver = next((d for d in _DRIVERS if importlib.util.find_spec(d) is not None), None)
    if driver is None:
        raise ModuleNotFoundError("no driver for SQL Server is installed (pip install pymssql)")
    who = f"{quote_plus(user)}:{quote_plus(password)}@" if user else ""
    return f"mssql+{driver}://{who}{host}:{port or 1433}/{database}"


def _describe(url: str) -> list[str]:
    from sqlalchemy import create_engine, inspect

    engine = create_engine(url, connect_args=_timeouts(url))
    try:
        inspector = inspect(engine)
        lines = []
        for schema in _schemas(inspector):
            for table in inspector.get_table_names(schema=schema):
                lines.append(_table(inspector, schema, table))
                if len(lines) == _MOST_TABLES:
                    return [*lines, "(more tables)"]
        return lines
    finally:
        engine.dispose()


def _timeouts(url: str) -> dict[str, Any]:
    if url.startswith("sqlite"):
        return {}
    return {"login_timeout" if "pymssql" in url else "timeout" if "pyodbc" in url else "connect_timeout": _SECONDS}


def _schemas(inspector: Any) -> list[str | None]:
    """The default one first; those of the server itself left out."""
    system = {"information_schema", "pg_catalog", "sys", "guest"}
    default = inspector.default_schema_name
    others = [s for s in inspector.get_schema_names() if s.lower() not in system and not s.startswith("db_")]
    return [default, *(s for s in others if s != default)]


def _table(inspector: Any, schema: str | None, table: str) -> str:
    keys = set(inspector.get_pk_constraint(table, schema=schema)["constrained_columns"])
    columns = [
        f"{c['name']} {c['type']}{' key' if c['name'] in keys else ''}{'' if c['nullable'] else ' not null'}"
        for c in inspector.get_columns(table, schema=schema)
    ]
    columns += [
        f"{', '.join(k['constrained_columns'])} -> {k['referred_table']}"
        for k in inspector.get_foreign_keys(table, schema=schema)
    ]
    return f"table {f'{schema}.' if schema else ''}{table}: {', '.join(columns)}"
