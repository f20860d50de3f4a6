"""Collections and the types of their fields, from a sample of documents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import pymongo

from uom.orchestrator.context import Context

_SYSTEM = frozenset({"admin", "local", "config"})
_OWN = "uom_"
"""Databases of our own validations."""
_MOST_COLLECTIONS = 40
_SAMPLE = 20
_MILLISECONDS = 3000
_TYPES = {"int": "int", "Int64": "long", "float": "double", "str": "string", "datetime": "date", "list": "array"}


async def describe_mongodb(context: Context) -> list[str]:
    """One line per collection. Raises PyMongoError when the server does not answer."""
    return await asyncio.to_thread(_describe, context.mongodb_uri)


def _describe(uri: str) -> list[str]:
    options: dict[str, Any] = {"serverSelectionTimeoutMS": _MILLISECONDS, "connectTimeoutMS": _MILLISECONDS}
    with pymongo.MongoClient[dict[str, Any]](
        uri,
        socketTimeoutMS=2 * _MILLISECONDS,
        uuidRepresentation="standard",
        datetime_conversion="DATETIME_AUTO",
        **options,
    ) as client:
        lines = []
        for database in client.list_database_names():
            if database in _SYSTEM or database.startswith(_OWN):
                continue
            for name in sorted(client[database].list_collection_names()):
                documents = client[database][name].find({}, limit=_SAMPLE, max_time_ms=_MILLISECONDS)
                lines.append(f"collection {database}.{name}: {fields_of(documents)}")
                if len(lines) == _MOST_COLLECTIONS:
                    return [*lines, "(more collections)"]
        return lines


def fields_of(documents: Iterable[Mapping[str, Any]]) -> str:
    """Field names with the types seen, in the order in which they came."""
    seen: dict[str, dict[str, None]] = {}
    for document in documents:
        for path, kind in _fields(document, ""):
            seen.setdefault(path, {})[kind] = None
    return ", ".join(f"{path} {'|'.join(kinds)}" for path, kinds in seen.items()) or "empty"


def _fields(document: Mapping[str, Any], prefix: str) -> Iterable[tuple[str, str]]:
    for name, value in document.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from _fields(value, f"{path}.")
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            yield from _fields(value[0], f"{path}[].")
        else:
            yield path, "null" if value is None else _TYPES.get(type(value).__name__, type(value).__name__.lower())
