"""The resident C# worker: programs that do not compile, throw, hang, end their process or want out; and those after them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from uom.run.dotnet.project import OPTIONS, ContextClass, Server, SourceCall, TableRows, project_files, tables_file
from uom.run.dotnet.results import DotnetRun
from uom.run.dotnet.worker import DotnetWorker
from uom.run.engines.postgres import EmbeddedPostgres
from uom.run.sandboxes.bubblewrap import usable
from uom.run.toolchain import Toolchain

pytestmark = pytest.mark.skipif(shutil.which("dotnet") is None, reason="dotnet is not on PATH")

ENDS = """\
using System.Text.RegularExpressions;
public static partial class Program
{
    static int counter;
    [GeneratedRegex("^b+$")] private static partial Regex Letters();

    public static int Main(string[] args)
    {
        %s
        return 0;
    }
}
"""

# name: (C#, what is said of the end)
ENDINGS = {
    "throws": ('throw new InvalidOperationException("no luck");', "no luck"),
    "returns a code": ("return 3;", "exit code 3"),
    "ends its process": ("Environment.Exit(0);", "the C# worker ended with exit code 0"),
    "throws on a thread": (
        'var t = new Thread(() => throw new Exception("elsewhere")); t.Start(); t.Join();', "the C# worker",
    ),
    "hangs": ("while (true) { }", "it did not end within 2 s"),
    "writes no results": ("", "it wrote no results"),
}  # fmt: skip
CONTAINED = {
    "files of the host": ('Console.WriteLine(File.ReadAllText("/etc/shadow"));', "Could not find file"),
    "our own files": (f'Console.WriteLine(File.ReadAllText("{Path(__file__)}"));', "Could not find"),
    "another machine": ('new System.Net.Sockets.TcpClient("192.0.2.1", 80);', "Network is unreachable"),
    "the environment": (
        'if (Environment.GetEnvironmentVariable("MSSQL_CONNECTION_STRING") is { } s) throw new Exception("seen " + s);',
        "",
    ),
}


@pytest.fixture(scope="module")
def postgres(tools: Toolchain) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(tools)
    _ = server.uri  # waits
    yield server
    server.stop()


@pytest.fixture(scope="module")
def worker(postgres: EmbeddedPostgres) -> Iterator[DotnetWorker]:
    with DotnetWorker(Server.POSTGRES, postgres.connection("worker"), usable()) as running:
        yield running


def program(body: str) -> dict[str, str]:
    return {"Program.cs": ENDS % body}


def shop(price: str = "10.50") -> dict[str, str]:
    """A program with a query, as the verification writes it."""
    code = """
        public class Item { public int Id { get; set; } public string? Name { get; set; } public decimal Price { get; set; } }
        public class ShopContext(DbContextOptions<ShopContext> o) : DbContext(o) { public DbSet<Item> Items => Set<Item>(); }
        public static class Memory { public static int Calls; }
        public class Queries(ShopContext db)
        {
            public List<Item> Cheap() => db.Items.Where(i => i.Price < 12m).OrderBy(i => i.Id).ToList();
            public int Calls() => ++Memory.Calls;
            public int Fails() => db.Items.Select(i => 1 / (i.Id - i.Id)).First();
        }
        """
    shape = [{"Id": None, "Name": None, "Price": None}]
    calls = [
        SourceCall(n, f"new Queries(db).{n}()", s) for n, s in (("Cheap", shape), ("Calls", None), ("Fails", None))
    ]
    files = project_files([("shop.cs", code)], ContextClass("ShopContext", (OPTIONS,)), (), calls)
    rows: list[dict[str, object]] = [{"Id": 1, "Name": "a", "Price": price}, {"Id": 2, "Name": None, "Price": "99"}]
    return {**files, "tables.json": tables_file([TableRows('"Items"', '"Id", "Name", "Price"', rows)])}


def cheap(run: DotnetRun) -> object:
    assert not run.problem and not run.errors, run
    return run.outcomes["Cheap"].value


def test_each_run_has_its_own_rows_and_statics(worker: DotnetWorker) -> None:
    first, second = worker.run(shop()), worker.run(shop("11"))
    assert cheap(first) == [{"Id": 1, "Name": "a", "Price": "10.50"}]
    assert cheap(second) == [{"Id": 1, "Name": "a", "Price": "11"}]
    assert [r.outcomes["Calls"].value for r in (first, second)] == [1, 1]
    assert second.outcomes["Fails"].error == "DivideByZeroException"


@pytest.mark.parametrize("name", ENDINGS)
def test_how_a_program_ends(name: str, worker: DotnetWorker) -> None:
    """Without results there is a problem, whatever the exit code; the next program runs."""
    body, said = ENDINGS[name]
    run = worker.run(program(body), limit_seconds=2 if name == "hangs" else 60)
    assert run.problem and said in run.problem
    assert not run.outcomes
    assert cheap(worker.run(shop()))


def test_diagnostics_name_the_place(worker: DotnetWorker) -> None:
    run = worker.run(program('int wrong = "text";'))
    (error,) = run.errors
    assert (error.file, error.line, error.column, error.code) == ("Program.cs", 9, 21, "CS0029")
    assert "string" in error.message


def test_generators_of_the_sdk_write_what_is_missing(worker: DotnetWorker) -> None:
    body = 'throw new Exception(Letters().IsMatch("bb") && ++counter == 1 ? "matched" : "did not match");'
    assert "matched" in worker.run(program(body)).problem


@pytest.mark.parametrize("name", CONTAINED)
def test_contained(name: str, worker: DotnetWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    if usable() is None:
        pytest.skip("bubblewrap does not work here")
    monkeypatch.setenv("MSSQL_CONNECTION_STRING", "Server=a;Password=b")
    body, said = CONTAINED[name]
    assert said in worker.run(program(body)).problem


def test_many_programs_in_a_row(worker: DotnetWorker) -> None:
    """More than one process runs."""
    assert all(cheap(worker.run(shop(f"{n}.5"))) == [{"Id": 1, "Name": "a", "Price": f"{n}.5"}] for n in range(1, 11))
    assert all(worker.run(program("throw new Exception();")).problem for _ in range(20))
    assert cheap(worker.run(shop()))


def test_without_packages_it_says_so(
    tmp_path: Path, postgres: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"UOM_HOME": tmp_path, "NUGET_PACKAGES": tmp_path / "none", "RestoreSources": tmp_path}.items():
        monkeypatch.setenv(name, str(value))
    with DotnetWorker(Server.POSTGRES, postgres.connection("worker")) as running:
        running.start()
        assert "dotnet build: " in running.run(shop()).problem
