"""Real files have more in them than queries. The C# side runs what it can of them, and never takes a gap for a result."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden.record import ef_core
from uom.data.rows import DataFile, build_database
from uom.read import load_sources
from uom.read.csharp.syntax import parse
from uom.run.dotnet.project import OPTIONS, ContextClass, SourceCall, project_files
from uom.run.dotnet.results import DotnetRunner
from uom.translation import TranslationOptions, translate
from uom.verify.arguments import argument_sets
from uom.verify.compare import Comparer
from uom.verify.dotnet_source import DotnetSource
from uom.verify.pruning import NOT_HERE, library_text, run_what_compiles
from uom.verify.shapes import shape_of
from uom.verify.source import REFERENCE_NAME, PendingCall, ReferenceSource

FOLDER = Path(__file__).with_name("surroundings")
NOT_BY_EF_CORE = {
    "InvoicesController.Get": "CS0103: The name 'Ok' does not exist",
    "Service.Swallowed": "CS0103: The name 'Log' does not exist",
    "Service.Audited": "IAudit.Seen is not part of the program",
    "Service.AuditedAndSwallowed": "IAudit.Seen is not part of the program",
}
"""Methods that use what is in no file of theirs, and how that is said."""

pytestmark = pytest.mark.skipif(shutil.which("dotnet") is None, reason="dotnet is not on PATH")


@pytest.fixture(scope="module")
def runner() -> Iterator[DotnetRunner]:
    with ef_core() as found:
        yield found


@pytest.mark.parametrize("names", [("Scaffolded.cs", "Program.cs"), ("Caught.cs",)], ids=lambda n: n[0])
def test_business_code_runs_on_ef_core(names: tuple[str, ...], runner: DotnetRunner) -> None:
    """Every query of it but those that touch what is not there."""
    data = DataFile("rows.json", json.loads((FOLDER / "rows.json").read_text())["tables"])
    sources = load_sources(tuple(str(FOLDER / name) for name in names))
    (unit,) = translate(sources, TranslationOptions()).units
    database = build_database(data, unit.schema, unit.entities())
    reference = ReferenceSource(unit.schema, database, unit.semantics)
    source = DotnetSource(unit.schema, data, [(s.name, s.text) for s in sources], reference, runner)
    methods = [p.method for p in unit.planned]
    calls = [
        PendingCall(f"{m.id}-{number}", m, arguments, shape_of(m.body, unit.schema))
        for m in methods
        for number, arguments in enumerate(argument_sets(m, unit.schema, database, unit.semantics))
    ]
    source.prepare(calls)
    for call in calls:
        found = source.call(call.label, call.method, call.arguments, call.shape)
        expected = reference.call(call.label, call.method, call.arguments, call.shape)
        assert Comparer().compare(expected.value, found.value, call.shape) is None, call.label
        reason = NOT_BY_EF_CORE.get(call.method.id, "")
        assert found.engine == (REFERENCE_NAME if reason else "EF Core on PostgreSQL"), f"{call.label}: {found.problem}"
        assert reason in found.problem and bool(reason) == bool(found.problem)


CONTEXT = """
public class Item { public int Id { get; set; } }
public class Db(DbContextOptions<Db> options) : DbContext(options) { public DbSet<Item> Items => Set<Item>(); }
"""
CUT = {
    "using": "using Hangfire; using static Polly.Policies; public class Q { public int Run(Db db) => 1; }",
    "attribute alone": "[Authorize] public class Q { [HttpGet(Name = X.Y)] public int Run(Db db) => 1; }",
    "attribute among others": "public class Q { [Obsolete, Authorize(1), Queue] public int Run([FromRoute] Db db) => 1; }",
    "types that are only named": """public class Q : Controller, IRequestHandler<Item, List<Thing>>
        { private Func<Thing, IMap<Thing, int>>? map; public void Take(Other<int> o) { } public int Run(Db db) => 1; }""",
    "bodies": """public class Q {
        public int A() { return Gone.B(); } public int B() => Gone.C(); public int C => Gone.D();
        public int D { get => Gone.E(); set { Gone.F(); } }
        public int Run(Db db) { int Local() => Gone.G(); return 1; } }""",
    "constructors": """public class Q : Base { public Q(int x) : base(x) { } public Q() { } public int Run(Db db) => 1;
        public override int Over() => 1; }""",
    "signatures": "public class Q { public System.Gone.X M(System.Gone.Y y) { return y.Z(); } System.Gone.F f; public int Run(Db db) => 1; }",
    "lines end as on Windows": "using Hangfire;\r\npublic class Q {\r\n public int Run(Db db) => 1;\r\n int M() => Gone.X(); }",
    "columns are not bytes": 'public class Q { string s = "żółć 😀😀"; int M() { var t = "ąę😀"; return Gone.X(t); } public int Run(Db db) => 1; }',
    "an application around it": """using Hangfire; var host = Host.Create(args); host.Run(); int Local() => 1;
        public class Q { public int Run(Db db) => 1; }""",
}
GAPS = {
    "the body itself": "public class Q { public int Run(Db db) { return Gone.A(); } }",
    "the expression itself": "public class Q { public int Run(Db db) => Gone.A(); }",
    "a helper": "public class Q { int Help() => Gone.A(); public int Run(Db db) => Help(); }",
    "a local function": "public class Q { public int Run(Db db) { int Local() => Gone.G(); return Local(); } }",
    "a helper whose exception is caught": """public class Q { int Help() => Gone.A();
        public int Run(Db db) { try { return Help(); } catch { return 1; } } }""",
    "the whole method": "public class Q { public System.Gone.X Run(Db db) { return new(); } }",
    "a task": "public class Q { public async Task<int> Run(Db db) { await Gone.A(); return 1; } }",
    "a row": "public class Row { public int A => Gone.A(); } public class Q { public Row Run(Db db) => new Row(); }",
}
WHOLE = {
    "a column": "public class Other { public int Id { get; set; } public System.Gone.X Kind { get; set; } } public class Q { public int Run(Db db) => 1; }",
    "a field of a static class": "public static class Q { public static int Run(Db db) => Kept; const int Kept = Gone.A; const int Last = int.None",
}


def program(code: str, call: str = "new Q().Run(db)") -> dict[str, str]:
    texts = [("Db.cs", CONTEXT), ("Q.cs", library_text(parse("Q.cs", code)))]
    shape = {"A": None} if "Row Run" in code else None
    files = project_files(texts, ContextClass("Db", (OPTIONS,)), (), [SourceCall("call", call, shape)])
    return {**files, "tables.json": "[]"}


@pytest.mark.parametrize("name", CUT)
def test_what_is_around_a_query_is_cut_out(name: str, runner: DotnetRunner) -> None:
    found = run_what_compiles(runner, program(CUT[name]), 60)
    assert found.run.outcomes, found.run
    assert (found.run.outcomes["call"].error, found.run.outcomes["call"].value) == ("", 1)
    assert found.left_out


@pytest.mark.parametrize("name", GAPS)
def test_a_query_that_needs_it_has_no_result(name: str, runner: DotnetRunner) -> None:
    found = run_what_compiles(runner, program(GAPS[name]), 60)
    assert found.run.outcomes["call"].error == NOT_HERE, found.run


@pytest.mark.parametrize("name", WHOLE)
def test_what_may_decide_rows_is_not_cut_out(name: str, runner: DotnetRunner) -> None:
    found = run_what_compiles(runner, program(WHOLE[name]), 60)
    assert found.run.errors and not found.run.outcomes


def test_what_compiles_is_run_as_it_is(runner: DotnetRunner) -> None:
    found = run_what_compiles(runner, program("public class Q { public int Run(Db db) => db.Items.Count(); }"), 60)
    assert found.run.outcomes["call"].value == 0
    assert not found.left_out


SELF_CONFIGURED = {
    "options are overridden": """public sealed class Db(DbContextOptions<Db> options) : DbContext(options) {
        public DbSet<Item> Items => Set<Item>();
        protected override void OnConfiguring(DbContextOptionsBuilder b) => b.UseNpgsql("Host=127.0.0.1;Port=9;Database=prod"); }""",
    "another provider": """public sealed class Db(DbContextOptions<Db> options) : DbContext(options) {
        public DbSet<Item> Items => Set<Item>();
        protected override void OnConfiguring(DbContextOptionsBuilder b) => b.UseSqlServer("Server=prod"); }""",
}


@pytest.mark.parametrize("name", SELF_CONFIGURED)
def test_a_database_of_the_users_is_never_made_anew(name: str, runner: DotnetRunner) -> None:
    """A sealed context cannot be kept from configuring itself: nothing is asked then, let alone dropped."""
    code = "public class Item { public int Id { get; set; } }" + SELF_CONFIGURED[name]
    calls = [SourceCall("call", "db.Items.Count()", None)]
    files = project_files([("Db.cs", code)], ContextClass("Db", (OPTIONS,), is_sealed=True), (), calls)
    found = runner.run({**files, "tables.json": "[]"}, 60)
    assert not found.outcomes
    assert "another database" in found.problem or "Only a single database provider" in found.problem, found


def test_what_a_context_configures_itself_is_not_run(runner: DotnetRunner) -> None:
    code = "public class Item { public int Id { get; set; } }" + SELF_CONFIGURED["options are overridden"].replace(
        "sealed ", ""
    )
    calls = [SourceCall("call", "db.Items.Count()", None)]
    files = project_files([("Db.cs", code)], ContextClass("Db", (OPTIONS,)), (), calls)
    assert runner.run({**files, "tables.json": "[]"}, 60).outcomes["call"].value == 0
