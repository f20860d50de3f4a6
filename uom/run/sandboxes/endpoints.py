"""The servers that code in a sandbox may talk to, and how connection strings name them."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from uom.run.failures import EnvironmentFailure

_DEFAULT_PORTS = {
    "mongodb": 27017,
    **dict.fromkeys(("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"), 7687),
    **dict.fromkeys(("postgres", "postgresql"), 5432),
}
_SQL_SERVER_PORT = 1433
_FIRST_FREE_PORT = 1024
_POSTGRES_PORT = 5432


@dataclass(frozen=True, slots=True)
class TcpEndpoint:
    """A port of this machine, or of another one by its name."""

    host: str
    port: int

    @property
    def is_local(self) -> bool:
        return self.host == "localhost" or _is_loopback(self.host)


@dataclass(frozen=True, slots=True)
class SocketEndpoint:
    """A unix socket."""

    path: Path


Endpoint = TcpEndpoint | SocketEndpoint


def endpoints_in(connection: str) -> tuple[Endpoint, ...]:
    """The servers that a MongoDB, Bolt or PostgreSQL URI or an ADO.NET connection string names; none for "".

    Raises EnvironmentFailure, without the string itself, which may hold a password, when it names none that can be
    found by name and port (`mongodb+srv`).
    """
    if not connection.strip():
        return ()
    found = _of_uri(connection) if "://" in connection else _of_ado(connection)
    if not found:
        raise EnvironmentFailure(
            "The sandbox cannot tell which server to let through",
            "the connection string names no host and port",
            "Name the server as mongodb://host:port, bolt://host:port, Server=host,port or Host=host;Port=port.",
        )
    return found


def _of_uri(uri: str) -> tuple[Endpoint, ...]:
    """Several hosts with commas between them, as MongoDB has them."""
    scheme = uri.partition("://")[0].lower()
    if scheme not in _DEFAULT_PORTS:
        return ()
    try:
        hosts = urlsplit(uri).netloc.rpartition("@")[2].split(",")
        parts = [urlsplit(f"//{host}") for host in hosts]
        return tuple(TcpEndpoint(p.hostname, p.port or _DEFAULT_PORTS[scheme]) for p in parts if p.hostname)
    except ValueError:
        return ()


def _of_ado(text: str) -> tuple[Endpoint, ...]:
    pairs = (part.partition("=") for part in text.split(";"))
    values = {key.strip().lower(): value.strip() for key, _, value in pairs}
    if server := values.get("server") or values.get("data source"):
        return _of_sql_server(server)
    host, port = values.get("host", ""), _number(values.get("port", ""), _POSTGRES_PORT)
    if host.startswith("/"):
        return (SocketEndpoint(Path(host) / f".s.PGSQL.{port}"),)
    return (TcpEndpoint(host, port),) if host else ()


def _of_sql_server(server: str) -> tuple[Endpoint, ...]:
    host, _, port = server.removeprefix("tcp:").partition(",")
    name = host.partition("\\")[0].strip()
    name = "localhost" if name in (".", "(local)") else name
    return (TcpEndpoint(name, _number(port, _SQL_SERVER_PORT)),) if re.fullmatch(r"[\w.\-]+", name) else ()


def _number(text: str, default: int) -> int:
    return int(text) if text.strip().isdecimal() else default


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def inside_addresses(endpoints: tuple[Endpoint, ...]) -> tuple[dict[TcpEndpoint, str], str]:
    """Loopback addresses that stand for TCP endpoints inside, and the text of /etc/hosts that names them.

    Raises EnvironmentFailure for another machine that is named by number, as inside there is only a loopback, and for
    ports that only an administrator opens.
    """
    addresses: dict[TcpEndpoint, str] = {}
    hosts: dict[str, str] = {"localhost": "127.0.0.1"}
    for endpoint in endpoints:
        if not isinstance(endpoint, TcpEndpoint):
            continue
        if endpoint.port < _FIRST_FREE_PORT:
            raise EnvironmentFailure(
                f"The sandbox cannot reach {endpoint.host}:{endpoint.port}",
                f"ports below {_FIRST_FREE_PORT} cannot be opened inside",
                "Let the server listen on another port.",
            )
        if endpoint.is_local:
            addresses[endpoint] = endpoint.host if endpoint.host.startswith("127.") else "127.0.0.1"
            continue
        if re.fullmatch(r"[\d.]+|.*:.*", endpoint.host):
            raise EnvironmentFailure(
                f"The sandbox cannot reach {endpoint.host}",
                "a server on another machine must have a name there",
                "Give it a name in your /etc/hosts or DNS, and use that.",
            )
        addresses[endpoint] = hosts.setdefault(endpoint.host, f"127.0.0.{len(hosts) + 1}")
    return addresses, "".join(f"{address} {name}\n" for name, address in hosts.items())
