"""What MCP servers know: the Toolbox (relational and graph) and MongoDB's own. Only tools that look are called."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from uom.orchestrator.context import Context

_CONNECT_SECONDS = 0.3
_SECONDS = 3.0
_MOST_TOOLS = 4
_MOST_COLLECTIONS = 25
_MOST_TEXT = 3_000
_LOOKS = re.compile(r"list[-_ ]?(?:tables|collections|labels|databases)|schema|overview|describe|columns|ddl", re.I)
_ACTS = re.compile(r"execute|insert|update|delete|drop|create|write|run[-_ ]", re.I)
_CONFIGURED = "preconfigured"
"""What MongoDB's server calls the connection that it was started with."""


async def listens(uri: str, seconds: float = _CONNECT_SECONDS) -> bool:
    """Whether there is anything at an address; cheap, and no protocol is spoken."""
    parts = urlsplit(uri)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        _, writer = await asyncio.wait_for(asyncio.open_connection(parts.hostname or "localhost", port), seconds)
    except (OSError, TimeoutError, ValueError):
        return False
    writer.close()
    return True


async def describe_toolbox(context: Context) -> list[str]:
    """What the tools that list tables or schemas answer. Raises ConnectionError when nobody is there."""
    tools = await _tools(context.db_toolbox_uri, ("/mcp", "/mcp/sse", "/sse"))
    fitting = [t for t in tools if _LOOKS.search(f"{t.name} {t.description}") and not _ACTS.search(t.name)]
    lines: list[str] = []
    for tool in [t for t in fitting if not _required(t)][:_MOST_TOOLS]:
        lines += [f"{tool.name}:", *await _call(tool, {})]
    return lines


async def describe_mongodb_mcp(context: Context) -> list[str]:
    """Collections of every database, each with its schema."""
    tools = {tool.name: tool for tool in await _tools(context.mongodb_mcp_uri, ("",))}
    if "list-databases" not in tools or "list-collections" not in tools:
        raise ConnectionError("the server has no tools that list databases and collections")
    lines: list[str] = []
    for database in _names(await _call(tools["list-databases"], _given(tools["list-databases"]))):
        if database in ("admin", "local", "config"):
            continue
        wanted = _given(tools["list-collections"], database=database)
        for collection in _names(await _call(tools["list-collections"], wanted))[:_MOST_COLLECTIONS]:
            schema = tools.get("collection-schema")
            said = await _call(schema, _given(schema, database=database, collection=collection)) if schema else []
            lines.append(f"collection {database}.{collection}: {' '.join(said)}"[:_MOST_TEXT])
    return lines


async def _tools(uri: str, paths: Sequence[str]) -> list[Any]:
    """By streamable HTTP, or SSE where that is what is there. Raises ConnectionError."""
    if not await listens(uri, _SECONDS):
        raise ConnectionError(f"{uri} does not answer")
    from langchain_mcp_adapters.client import MultiServerMCPClient

    problem: BaseException = ConnectionError(f"{uri} speaks no MCP")
    for path in paths:
        url = uri if uri.rstrip("/").endswith(path) else uri.rstrip("/") + path
        transport = "sse" if url.rstrip("/").endswith("sse") else "streamable_http"
        connection: Any = {"transport": transport, "url": url}
        try:
            client = MultiServerMCPClient({"server": connection})
            return list(await asyncio.wait_for(client.get_tools(), _SECONDS))
        except Exception as error:
            problem = error
    raise ConnectionError(f"{uri}: {problem}") from problem


def _required(tool: Any) -> list[str]:
    schema = tool.args_schema if isinstance(tool.args_schema, dict) else {}
    return list(schema.get("required", ()))


def _given(tool: Any, **values: str) -> dict[str, str]:
    """Only what the tool knows; servers before version 3 have no `connectionId`."""
    schema = tool.args_schema if isinstance(tool.args_schema, dict) else {}
    known = schema.get("properties", {})
    return {n: v for n, v in {"connectionId": _CONFIGURED, **values}.items() if n in known}


async def _call(tool: Any, arguments: dict[str, str]) -> list[str]:
    """The answer's text, a line per block. An error is a line too."""
    call = {"type": "tool_call", "name": tool.name, "args": arguments, "id": "inspection"}
    message = await asyncio.wait_for(tool.ainvoke(call), _SECONDS)
    content = message.content
    blocks = [content] if isinstance(content, str) else [str(b.get("text", "")) for b in content]
    text = "\n".join(blocks)[:_MOST_TEXT]
    return [line for line in text.splitlines() if line.strip()]


def _names(lines: Sequence[str]) -> list[str]:
    """Names out of prose like `Name: shop, size: 8192 bytes`, or out of JSON."""
    found: list[str] = []
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        items = value if isinstance(value, list) else [value] if value is not None else []
        named = [i.get("name") if isinstance(i, dict) else i for i in items]
        prose = re.search(r"\bName:\s*\"?([\w.-]+)", line)
        found += [n for n in named if isinstance(n, str)] or ([prose[1]] if prose is not None else [])
    return list(dict.fromkeys(found))
