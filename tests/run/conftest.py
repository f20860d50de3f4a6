"""A set-up toolchain, one Java worker, one database server and a small bundle that uses them."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from bson import Decimal128
from pymongo import MongoClient
from pymongo.errors import PyMongoError

from uom.model.bundle import JavaBundle
from uom.run.java.harness import Invocation
from uom.run.java.worker import JavaWorker
from uom.run.toolchain import Part, Toolchain, ensure

SHOP = Path(__file__).with_name("shop")
SHOP_CALLS = {
    "Filters.ProductsInPriceRange": 'filters.productsInPriceRange(new BigDecimal("5"), new BigDecimal("20"))',
    "Filters.FoodOrTagged": 'filters.foodOrTagged("new")',
    "Filters.CustomersNamedLike": 'filters.customersNamedLike("C1")',
    "Filters.OrdersBetween": 'filters.ordersBetween(Instant.parse("2024-01-10T00:00:00Z"), Instant.parse("2024-02-01T00:00:00Z"))',
    "Filters.OrdersWithProduct": "filters.ordersWithProduct(3)",
    "Filters.Page": "filters.page(2)",
    "Filters.Cities": "filters.cities()",
    "Filters.Discontinued": "filters.discontinued()",
    "Filters.Customer": "filters.customer(7)",
    "Filters.NoCustomer": "filters.customer(-1)",
    "Filters.AnyCustomerIn": 'filters.anyCustomerIn("Brno")',
    "Reports.SalesByProduct": "reports.salesByProduct()",
    "Reports.OrdersPerCustomer": "reports.ordersPerCustomer()",
    "Reports.OrdersOf": 'reports.ordersOf("Brno")',
    "Reports.Dearest": "reports.dearest()",
}


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return ensure(parts=(Part.JAVA, Part.SECANTUS))


@pytest.fixture(scope="session")
def worker(toolchain: Toolchain) -> Iterator[JavaWorker]:
    with JavaWorker(toolchain) as running:
        yield running


@pytest.fixture(scope="session")
def mongo_uri(toolchain: Toolchain) -> Iterator[str]:
    """A server of our own on a free port, so that test runs do not meet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(toolchain.secantus_server), "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(
        [*command, "--storage-path", ":memory:", "--standalone"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        uri = f"mongodb://127.0.0.1:{port}"
        _wait_until_it_answers(uri)
        yield uri
    finally:
        server.kill()
        server.wait()


def _wait_until_it_answers(uri: str) -> None:
    deadline = time.monotonic() + 30
    with MongoClient[dict[str, Any]](uri, serverSelectionTimeoutMS=300) as client:
        while True:
            try:
                client.admin.command("ping")
                return
            except PyMongoError:
                if time.monotonic() > deadline:
                    raise


@pytest.fixture(scope="session")
def shop_database(mongo_uri: str) -> str:
    with MongoClient[dict[str, Any]](mongo_uri) as client:
        shop = client["shop"]
        shop["customers"].insert_many(
            {
                "_id": i,
                "name": f"C{i}",
                "city": ("Brno", "Prague", "Olomouc")[i % 3],
                "since": datetime(2020, 1, 1 + i % 28),
            }
            for i in range(30)
        )
        shop["products"].insert_many(
            {
                "_id": i,
                "name": f"P{i}",
                "kind": ("FOOD", "TOOL")[i % 2],
                "price": Decimal128(Decimal(i) / 2),
                "discontinued": i % 5 == 0,
                "tags": ["new"] if i % 7 == 0 else [],
            }
            for i in range(60)
        )
        start = datetime(2024, 1, 1, tzinfo=UTC)
        shop["orders"].insert_many(
            {
                "_id": i,
                "customerId": i % 30,
                "placed": start + timedelta(hours=9 * i, milliseconds=i),
                "lines": [
                    {"productId": (i + k) % 60, "quantity": k + 1, "price": Decimal128(Decimal(i) / 4)}
                    for k in range(3)
                ],
            }
            for i in range(200)
        )
    return "shop"


@pytest.fixture(scope="session")
def shop_bundle() -> JavaBundle:
    root = "src/main/java/com/example/shop"
    files = {f"{root}/{file.relative_to(SHOP).as_posix()}": file.read_text() for file in sorted(SHOP.rglob("*.java"))}
    return JavaBundle(
        files=tuple(files.items()),
        package="com.example.shop",
        query_classes=("com.example.shop.Filters", "com.example.shop.Reports"),
        configuration="com.example.shop.MongoConfiguration",
        methods=(),
    )


@pytest.fixture(scope="session")
def shop_invocations() -> tuple[Invocation, ...]:
    imports = ("java.math.BigDecimal", "java.time.Instant")
    return tuple(Invocation(label, expression, imports) for label, expression in SHOP_CALLS.items())
