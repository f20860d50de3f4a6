"""Which servers connection strings name."""

from __future__ import annotations

from pathlib import Path

import pytest

from uom.run.failures import EnvironmentFailure
from uom.run.sandboxes.endpoints import Endpoint, SocketEndpoint, TcpEndpoint, endpoints_in, inside_addresses

CASES: dict[str, list[Endpoint]] = {
    "": [],
    "mongodb://u:p%40@db:27018/?directConnection=true": [TcpEndpoint("db", 27018)],
    "mongodb://localhost": [TcpEndpoint("localhost", 27017)],
    "mongodb://a:1,b:2/?replicaSet=x": [TcpEndpoint("a", 1), TcpEndpoint("b", 2)],
    "neo4j://localhost:7697": [TcpEndpoint("localhost", 7697)],
    "bolt+s://graph": [TcpEndpoint("graph", 7687)],
    "postgresql://u:p@pg:5433/db": [TcpEndpoint("pg", 5433)],
    "Server=localhost,1333;Database=X;Password=a;b": [TcpEndpoint("localhost", 1333)],
    "Data Source=tcp:sql.example.com;User Id=sa": [TcpEndpoint("sql.example.com", 1433)],
    "server=(local)\\SQLEXPRESS;Database=X": [TcpEndpoint("localhost", 1433)],
    "Host=/tmp/pg/data;Username=postgres": [SocketEndpoint(Path("/tmp/pg/data/.s.PGSQL.5432"))],
    "Host=pg;Port=5999": [TcpEndpoint("pg", 5999)],
}


@pytest.mark.parametrize("connection", CASES)
def test_named_servers(connection: str) -> None:
    assert list(endpoints_in(connection)) == CASES[connection]


@pytest.mark.parametrize("connection", ["mongodb+srv://u:secret@cluster.example.com", "Password=secret", "http://x"])
def test_no_server_is_named(connection: str) -> None:
    with pytest.raises(EnvironmentFailure) as problem:
        endpoints_in(connection)
    assert "secret" not in str(problem.value)


def test_each_machine_has_a_loopback_address_of_its_own() -> None:
    local, first, second = TcpEndpoint("localhost", 5000), TcpEndpoint("a", 5000), TcpEndpoint("b", 5000)
    addresses, hosts = inside_addresses((local, first, TcpEndpoint("a", 5001), second))
    assert [addresses[e] for e in (local, first, TcpEndpoint("a", 5001), second)] == [
        "127.0.0.1", "127.0.0.2", "127.0.0.2", "127.0.0.3",
    ]  # fmt: skip
    assert hosts == "127.0.0.1 localhost\n127.0.0.2 a\n127.0.0.3 b\n"


@pytest.mark.parametrize("host", ["10.0.0.5", "fe80::1"])
def test_numbers_of_other_machines_are_refused(host: str) -> None:
    with pytest.raises(EnvironmentFailure, match="must have a name"):
        inside_addresses((TcpEndpoint(host, 5000),))


def test_privileged_ports_are_refused() -> None:
    with pytest.raises(EnvironmentFailure, match="below 1024"):
        inside_addresses((TcpEndpoint("localhost", 80),))
