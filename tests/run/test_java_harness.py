"""A bundle of 15 queries against a server: rows, failures, limits, and compile errors laid at the right door."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from uom.model.bundle import JavaBundle
from uom.run.failures import EnvironmentFailure
from uom.run.java.harness import ENTRYPOINT, HarnessedBundle, Invocation, harness
from uom.run.java.results import QueryError, ResultsReader
from uom.run.java.worker import JavaRun, JavaWorker, RunStatus

Shop = tuple[str, str]


def run(worker: JavaWorker, bundle: HarnessedBundle, uri: str, database: str, folder: Path) -> JavaRun:
    return worker.run(bundle.files, bundle.main_class, [uri, database, str(folder)], release=17)


@pytest.fixture(scope="module")
def results(
    worker: JavaWorker,
    shop_bundle: JavaBundle,
    shop_invocations: tuple[Invocation, ...],
    mongo_uri: str,
    shop_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> ResultsReader:
    folder = tmp_path_factory.mktemp("results")
    result = run(worker, harness(shop_bundle, shop_invocations), mongo_uri, shop_database, folder)
    assert result.status == RunStatus.OK, (result.diagnostics, result.trace)
    assert result.stdout == f"JSON_PATH={folder}/results.json\n"
    assert not result.tainted
    return ResultsReader(folder)


def test_rows(results: ResultsReader) -> None:
    products = list(results.rows("Filters.ProductsInPriceRange"))
    assert [product["id"] for product in products] == list(range(10, 41))
    assert products[0] == {
        "id": 10, "name": "P10", "kind": "FOOD", "price": "5", "discontinued": True, "tags": []
    }  # fmt: skip
    outcome = results.outcomes["Filters.ProductsInPriceRange"]
    assert (outcome.count, outcome.shape, outcome.error) == (31, "list", None)
    assert (outcome.first_sample, outcome.last_sample) == (products[0], products[-1])


def test_single_values(results: ResultsReader) -> None:
    assert list(results.rows("Filters.Discontinued")) == [12]
    assert list(results.rows("Filters.AnyCustomerIn")) == [True]
    assert list(results.rows("Reports.Dearest")) == ["29.5"]
    assert results.outcomes["Filters.NoCustomer"].shape == "null"
    assert list(results.rows("Filters.NoCustomer")) == [None]
    assert list(results.rows("Filters.Customer")) == [{"id": 7, "name": "C7", "city": "Prague", "since": "2020-01-08"}]


def test_aggregations(results: ResultsReader) -> None:
    sales = list(results.rows("Reports.SalesByProduct"))
    assert len(sales) == 60
    assert sales[0] == {"productId": 0, "quantity": 19, "amount": "534.00"}


def test_damaged_rows_are_noticed(results: ResultsReader) -> None:
    outcome = results.outcomes["Filters.Cities"]
    file = results._folder / outcome.file
    original = file.read_bytes()
    file.write_bytes(original.replace(b"Brno", b"Bern"))
    with pytest.raises(EnvironmentFailure, match="damaged"):
        list(results.rows("Filters.Cities"))
    file.write_bytes(original)


def block(statements: str) -> str:
    """Statements as an expression."""
    return f"((java.util.concurrent.Callable<Object>) () -> {{ {statements} }}).call()"


def test_one_failure_takes_no_other_query_down(
    worker: JavaWorker, shop_bundle: JavaBundle, mongo_uri: str, shop_database: str, tmp_path: Path
) -> None:
    calls = [
        Invocation("throws", "java.util.List.of(1).get(2)"),
        Invocation("exits", block("System.exit(7); return 1;")),
        Invocation("loops", block("while (true);")),
        Invocation("sleeps", block("Thread.sleep(60_000); return 1;")),
        Invocation("overflows", "new Object() { Object deep() { return deep(); } }.deep()"),
        Invocation("lazy", "java.util.stream.Stream.of(1, 0).map(i -> 1 / i)"),
        Invocation('a/b "odd"\n\\u0041 ž', "filters.cities().stream().sorted()"),
    ]
    result = run(worker, harness(shop_bundle, calls, limit_seconds=1), mongo_uri, shop_database, tmp_path)
    assert (result.status, result.tainted) == (RunStatus.OK, False), (result.diagnostics, result.trace)
    results = ResultsReader(tmp_path)
    errors = {label: outcome.error and outcome.error.type for label, outcome in results.outcomes.items()}
    assert errors == {
        "throws": "java.lang.IndexOutOfBoundsException",
        "exits": "uom.worker.Guard$Exit",
        "loops": "TimeLimit",
        "sleeps": "TimeLimit",
        "overflows": "java.lang.StackOverflowError",
        "lazy": "java.lang.ArithmeticException",
        calls[-1].label: None,
    }
    assert results.outcomes["loops"].error == QueryError("TimeLimit", "no result after 1000 ms")
    assert list(results.rows(calls[-1].label)) == ["Brno", "Olomouc", "Prague"]


def test_no_server(worker: JavaWorker, shop_bundle: JavaBundle, tmp_path: Path) -> None:
    bundle = harness(shop_bundle, [Invocation(f"cities{i}", "filters.cities()") for i in range(50)])
    uri = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200"
    result = run(worker, bundle, uri, "shop", tmp_path)
    assert (result.status, result.run_ms < 5000) == (RunStatus.OK, True)
    for outcome in ResultsReader(tmp_path).outcomes.values():
        assert outcome.error is not None
        assert outcome.error.type == "com.mongodb.MongoTimeoutException"


def test_compile_errors_name_the_invocation(worker: JavaWorker, shop_bundle: JavaBundle, tmp_path: Path) -> None:
    calls = [
        Invocation("good", "filters.cities()"),
        Invocation("bad", "filters\n    .citys()"),
        Invocation("worse", 'filters.page("x")'),
    ]
    bundle = harness(shop_bundle, calls)
    result = run(worker, bundle, "mongodb://127.0.0.1:1", "shop", tmp_path)
    assert result.status == RunStatus.COMPILE_ERROR
    assert {problem.file for problem in result.diagnostics} == {ENTRYPOINT}
    assert [bundle.label_at(problem.file, problem.line) for problem in result.diagnostics] == ["bad", "worse"]


def test_a_thousand_invocations_compile(
    worker: JavaWorker, shop_bundle: JavaBundle, mongo_uri: str, shop_database: str, tmp_path: Path
) -> None:
    constant = '"' + "x" * 200 + '".length()'
    calls = [Invocation(f"q{i}", f"{i} + {constant}") for i in range(1000)]
    result = run(worker, harness(shop_bundle, calls), mongo_uri, shop_database, tmp_path)
    assert result.status == RunStatus.OK, result.diagnostics
    assert ResultsReader(tmp_path).outcomes["q999"].first_sample == 1199


def test_what_was_finished_before_the_limit_is_kept(
    worker: JavaWorker, shop_bundle: JavaBundle, mongo_uri: str, shop_database: str, tmp_path: Path
) -> None:
    calls = [Invocation("cities", "filters.cities()"), Invocation("slow", block("Thread.sleep(1100); return 1;"))]
    bundle = harness(shop_bundle, [*calls, Invocation("endless", block("while (true);"))])
    arguments = [mongo_uri, shop_database, str(tmp_path)]
    result = worker.run(bundle.files, bundle.main_class, arguments, limit_seconds=3)
    assert result.status == RunStatus.TIMEOUT
    assert set(ResultsReader(tmp_path).outcomes) == {"cities", "slow"}


def test_spring_forgets_bundles(
    worker: JavaWorker, shop_bundle: JavaBundle, mongo_uri: str, shop_database: str, tmp_path: Path
) -> None:
    """Private caches of Spring Data are cleared by name: this notices when a version renames them."""
    collect = {"a/Main.java": "package a; public class Main { public static void main(String[] a) { System.gc(); } }"}
    bundle = harness(shop_bundle, [Invocation("cities", "filters.cities()")])
    for _ in range(3):
        run(worker, bundle, mongo_uri, shop_database, tmp_path)
    for _ in range(3):
        result = worker.run(collect, "a.Main")
    assert result.loaders <= 3


def test_labels_must_differ(shop_bundle: JavaBundle) -> None:
    with pytest.raises(ValueError, match="same"):
        harness(shop_bundle, [Invocation("same", "1"), Invocation("same", "2")])


def test_a_listener_can_tell_queries_apart(
    worker: JavaWorker, shop_bundle: JavaBundle, tapped: tuple[str, bytearray], shop_database: str, tmp_path: Path
) -> None:
    uri, traffic = tapped
    calls = [Invocation("first", "filters.cities()"), Invocation("second", "filters.discontinued()")]
    assert run(worker, harness(shop_bundle, calls), uri, shop_database, tmp_path).status == RunStatus.OK
    marks = [b"uom:begin:first", b"distinct", b"uom:end:first", b"uom:begin:second", b"aggregate", b"uom:end:second"]
    positions = [bytes(traffic).find(mark) for mark in marks]
    assert -1 not in positions
    assert positions == sorted(positions)


@pytest.fixture
def tapped(mongo_uri: str) -> Iterator[tuple[str, bytearray]]:
    """The server through a proxy that keeps what clients send."""
    port = int(mongo_uri.rpartition(":")[2])
    traffic = bytearray()
    loop = asyncio.new_event_loop()

    async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter, keep: bool) -> None:
        while data := await source.read(65536):
            if keep:
                traffic.extend(data)
            target.write(data)
        target.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(copy(reader, server_writer, True), copy(server_reader, writer, False))

    proxy = loop.run_until_complete(asyncio.start_server(serve, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield f"mongodb://127.0.0.1:{proxy.sockets[0].getsockname()[1]}", traffic
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
