"""C# and Java with the user's own tools, in a sandbox. Skipped, loudly, where the tools are missing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.sandboxes.conftest import isolation, wait
from tests.run.sandboxes.test_containment import REPOSITORY, server
from uom.model.bundle import JavaBundle
from uom.run.dotnet.project import OPTIONS, ContextClass, SourceCall, TableRows, project_files, tables_file
from uom.run.engines.mongodb.server import MongoEngine
from uom.run.engines.postgres import EmbeddedPostgres
from uom.run.failures import EnvironmentFailure
from uom.run.java.harness import Invocation, harness
from uom.run.java.results import ResultsReader
from uom.run.java.worker import RunStatus
from uom.run.sandboxes.pool import LocalProvider, ValidationSandbox
from uom.run.sandboxes.protocol import Ending, Execution, Limits, Sandbox, SandboxType
from uom.run.sandboxes.toolchains import furnish
from uom.run.toolchain import Toolchain
from uom.run.validators import Validation, validate_dotnet, validate_java
from uom.run.validators.java import default_pom
from uom.run.validators.outcome import Diagnostic
from uom.run.validators.runner import SandboxRunner

__all__ = ["isolation", "server"]

HERE = Path(__file__).parent
CSHARP = (HERE / "misbehaviour" / "Misbehave.cs").read_text(encoding="utf-8")
JAVA = (HERE / "misbehaviour" / "Misbehave.java").read_text(encoding="utf-8")
LIMITS = Limits(cpu_seconds=60, memory_mb=1024, processes=300, file_mb=100, disk_mb=250)
PROVIDER = LocalProvider(limits=LIMITS)


def opened(kind: SandboxType) -> Sandbox:
    try:
        furnish(kind)
    except EnvironmentFailure as missing:
        pytest.skip(f"NOT TESTED: {missing}")
    return wait(ValidationSandbox.get_sandbox(PROVIDER, kind))


@pytest.fixture(scope="module", autouse=True)
def closing() -> Iterator[None]:
    yield
    wait(ValidationSandbox.close_all())


@pytest.fixture(scope="module")
def dotnet(isolation: None) -> Sandbox:  # noqa: ARG001
    return opened(SandboxType.DOTNET_10_SANDBOX)


@pytest.fixture(scope="module")
def java(isolation: None) -> Sandbox:  # noqa: ARG001
    return opened(SandboxType.JAVA_25_SANDBOX)


@pytest.fixture(scope="module")
def csharp_program(dotnet: Sandbox) -> str:
    """Misbehave.cs, compiled once."""
    project = (
        '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0'
        "</TargetFramework><ImplicitUsings>enable</ImplicitUsings></PropertyGroup></Project>"
    )
    wait(dotnet.upload({"/sandbox/cs/M.csproj": project.encode(), "/sandbox/cs/Misbehave.cs": CSHARP.encode()}))
    built = wait(dotnet.execute("dotnet build -o out", "/sandbox/cs"))
    assert built.ok, built.output
    return "dotnet out/M.dll"


@pytest.fixture(scope="module")
def java_program(java: Sandbox) -> str:
    wait(java.upload({"/sandbox/java/Misbehave.java": JAVA.encode()}))
    built = wait(java.execute("javac Misbehave.java", "/sandbox/java"))
    assert built.ok, built.output
    return "java -Xmx600m -cp . Misbehave"


# what it is told to do: (how it ends, what it says; what C# says, where that is something else)
CASES = {
    "read /etc/shadow": (Ending.EXITED, "NoSuchFileException", "Could not find file"),
    "read /etc/passwd": (Ending.EXITED, "sandbox:x:1000:1000::/home/sandbox:/bin/sh", ""),
    f"list {Path.home()}/.ssh": (Ending.EXITED, "NoSuchFileException", "Could not find a part of the path"),
    f"read {REPOSITORY}/README.md": (Ending.EXITED, "NoSuchFileException", "Could not find"),
    "write /usr/bin/x": (Ending.EXITED, "Read-only file system", ""),
    "connect 192.0.2.1 80": (Ending.EXITED, "Network is unreachable", ""),
    "connect 127.0.0.1 {port}": (Ending.EXITED, "Connection refused", ""),
    "resolve example.com": (Ending.EXITED, "UnknownHostException", "SocketException"),
    "start sleep 603": (Ending.EXITED, "cannot start", ""),
    "fill disk": (Ending.DISK, "", ""),
    "fill memory": (Ending.EXITED, "OutOfMemory", "Out of memory"),
    "fill threads": (Ending.EXITED, "OutOfMemoryError", "OutOfMemoryException"),
    "loop": (Ending.TIMEOUT, "", ""),
}


@pytest.mark.parametrize("action", CASES)
def test_java_is_contained(action: str, java: Sandbox, java_program: str, server: int) -> None:
    ending, said, _ = CASES[action]
    done = wait(_told(java, java_program, "/sandbox/java", action, ending, server))
    _check(done, ending, said)


@pytest.mark.parametrize("action", CASES)
def test_csharp_is_contained(action: str, dotnet: Sandbox, csharp_program: str, server: int) -> None:
    ending, said, other = CASES[action]
    done = wait(_told(dotnet, csharp_program, "/sandbox/cs", action, ending, server))
    if action.startswith("fill") and done.ending is not Ending.DISK:
        # It is stopped, by its runtime or by us, whichever comes first.
        assert done.exit_code != 0 and "survived" not in done.output, done
        return
    _check(done, ending, other or said)


async def _told(box: Sandbox, program: str, cwd: str, action: str, ending: Ending, port: int) -> Execution:
    limit = 3.0 if ending is Ending.TIMEOUT else 60.0
    return await box.execute(f"{program} {action.format(port=port)}", cwd, limit_seconds=limit)


def _check(done: Execution, ending: Ending, said: str) -> None:
    assert done.ending is ending, done
    assert said in done.output
    assert "survived" not in done.output


WRITES_CSHARP = """\
using Microsoft.EntityFrameworkCore;
public class Entry {
    public static void Main() {
        var folder = Environment.GetEnvironmentVariable("EFCORE_RESULTS_PATH")!;
        Console.WriteLine("connection " + Environment.GetEnvironmentVariable("CONNECTION_STRING"));
        %s
    }
}
public class Other { public static void Main() { } }
"""
GOOD_CSHARP = 'File.WriteAllText(folder + "/r.json", "{\\"Q\\": {\\"count\\": 1, \\"firstSample\\": 2.50, \\"lastSample\\": null}}");'


def csharp(sandbox: Sandbox, body: str) -> Validation:
    files = {"Entry.cs": WRITES_CSHARP % body}
    connection = "Host=localhost;Port=5999;Password=hunter2secret"
    return wait(validate_dotnet(sandbox, files, "Entry", connection_string=connection, limit_seconds=120))


def test_csharp_passes(dotnet: Sandbox) -> None:
    found = csharp(dotnet, GOOD_CSHARP)
    assert found.passed, found
    assert found.result is not None and str(found.result["Q"]["firstSample"]) == "2.50"
    assert "connection $CONNECTION_STRING" in found.output and "hunter2" not in found.output


def test_csharp_that_does_not_compile(dotnet: Sandbox) -> None:
    found = csharp(dotnet, "int x = missing;\n        folder.Nope();")
    assert found.reason == "it does not compile"
    places = [(d.file, d.line, d.column, d.code) for d in found.diagnostics]
    assert places == [("Entry.cs", 6, 17, "CS0103"), ("Entry.cs", 7, 16, "CS1061")]
    assert "Entry.cs:6:17: CS0103: The name 'missing' does not exist" in found.text()


def test_csharp_that_ends_early_with_a_false_path(dotnet: Sandbox) -> None:
    found = csharp(dotnet, 'Console.WriteLine("JSON_PATH=/etc/passwd"); Environment.Exit(0);')
    assert (found.passed, found.reason) == (False, "it ended without writing a result")


def test_a_package_that_is_not_there(dotnet: Sandbox) -> None:
    project = (
        '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0'
        '</TargetFramework></PropertyGroup><ItemGroup><PackageReference Include="Not.There.At.All" Version="1.0.0" />'
        "</ItemGroup></Project>"
    )
    found = wait(validate_dotnet(dotnet, {"A.csproj": project, "A.cs": ""}, run=False, limit_seconds=60))
    assert [(d.file, d.code) for d in found.diagnostics] == [("A.csproj", "NU1101")]


WRITES_JAVA = """\
package a;
import java.nio.file.*;
public class Entry {
    public static void main(String[] args) throws Exception {
        String folder = System.getenv("MONGODB_RESULTS_PATH");
        System.out.println(System.getenv("MONGODB_URI"));
        %s
    }
}
"""
GOOD_JAVA = 'Files.writeString(Path.of(folder, "r.json"), "{\\"Q\\": {\\"count\\": 0}}");'


def java_run(sandbox: Sandbox, body: str) -> Validation:
    files = {"src/main/java/a/Entry.java": WRITES_JAVA % body}
    uri = "mongodb://user:hunter2secret@localhost:5999/"
    return wait(validate_java(sandbox, files, "a.Entry", mongodb_uri=uri, limit_seconds=120))


def test_java_passes(java: Sandbox) -> None:
    found = java_run(java, GOOD_JAVA)
    assert found.passed, found
    assert found.result == {"Q": {"count": 0}}
    assert "$MONGODB_URI" in found.output and "hunter2" not in found.output


def test_java_that_does_not_compile(java: Sandbox) -> None:
    found = java_run(java, "int x = missing;\n        folder.nope();")
    assert found.reason == "it does not compile"
    assert found.diagnostics[0] == Diagnostic(
        "src/main/java/a/Entry.java", 7, 17, "cannot find symbol; symbol:   variable missing; location: class a.Entry"
    )
    assert [d.line for d in found.diagnostics] == [7, 8]


def test_java_that_ends_early_with_a_false_path(java: Sandbox) -> None:
    found = java_run(java, 'System.out.println("JSON_PATH=/etc/passwd"); System.exit(0);')
    assert (found.passed, found.reason) == (False, "it ended without writing a result")


def test_java_that_throws(java: Sandbox) -> None:
    found = java_run(java, 'throw new IllegalStateException("the reason");')
    assert re.fullmatch("it ended with exit code [1-9]", found.reason)
    assert "the reason" in found.text()


@pytest.mark.parametrize(
    ("pom", "place", "said"),
    [
        ("<project>", (1, 10), "Non-readable POM pom.xml"),
        (
            default_pom().replace("data-neo4j", "data-none"),
            (39, 17),
            "version' for org.springframework.data:spring-data-none",
        ),
        (default_pom().replace("<version>4.1", "<version>9.9"), (20, 19), "Non-resolvable import POM"),
    ],
)
def test_faults_of_the_project_file(pom: str, place: tuple[int, int], said: str, java: Sandbox) -> None:
    files = {"src/main/java/a/Entry.java": WRITES_JAVA % "", "pom.xml": pom}
    found = wait(validate_java(java, files, run=False, limit_seconds=60)).diagnostics[0]
    assert (found.file, found.line, found.column) == ("pom.xml", *place)
    assert said in found.message


def test_java_that_is_only_compiled(java: Sandbox) -> None:
    found = wait(validate_java(java, {"src/main/java/a/Entry.java": WRITES_JAVA % ""}, run=False))
    assert found.passed and found.text() == "[Validation Passed]\nit compiles"


@pytest.mark.parametrize("entry", ["a.Entry; rm -rf /", "", "$(id)", "a b"])
def test_entry_points_are_names(entry: str, java: Sandbox) -> None:
    with pytest.raises(ValueError, match="no class name"):
        wait(validate_java(java, {}, entry))


def test_translated_queries_run_in_the_sandbox(java: Sandbox, mongodb: MongoEngine, tmp_path: Path) -> None:
    """Rows and all, through the relay: as the warm worker would have written them."""
    bundle = harness(_rows_bundle(), [Invocation("rows", "queries.rows()"), Invocation("none", "queries.none()")])
    with mongodb.fresh_database({"rows": [{"_id": i} for i in range(3)]}) as name:
        args = [mongodb.relay_uri, name, str(tmp_path)]
        run = SandboxRunner(java).run(bundle.files, bundle.main_class, args)
    assert run.status is RunStatus.OK, run.trace
    results = ResultsReader(tmp_path)
    assert [row["_id"] for row in results.rows("rows")] == [0, 1, 2]
    assert results.outcomes["none"].count == 0
    assert [command.name for command in mongodb.relay.take("rows")] == ["find"]


def _rows_bundle() -> JavaBundle:
    root = "src/main/java/com/example/app"
    queries = """\
package com.example.app;
import java.util.List;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoTemplate;
public class Queries {
    private final MongoTemplate mongo;
    public Queries(MongoTemplate mongo) { this.mongo = mongo; }
    public List<Document> rows() { return mongo.findAll(Document.class, "rows"); }
    public List<Document> none() { return mongo.findAll(Document.class, "nothing"); }
}
"""
    configuration = """\
package com.example.app;
import com.mongodb.client.MongoClient;
import org.springframework.data.mongodb.core.MongoTemplate;
public class MongoConfig {
    public static MongoTemplate template(MongoClient client, String database) { return new MongoTemplate(client, database); }
}
"""
    files = ((f"{root}/Queries.java", queries), (f"{root}/MongoConfig.java", configuration))
    return JavaBundle(
        files, "com.example.app", ("com.example.app.Queries",), configuration="com.example.app.MongoConfig", methods=()
    )


def test_queries_of_ef_core_run_in_the_sandbox(dotnet: Sandbox, postgres: str, tmp_path: Path) -> None:
    """The program that also verifies queries, with the commands of the portable mode, on a database behind a socket."""
    code = """\
using Microsoft.EntityFrameworkCore;
namespace Shop;
public class Item { public int Id { get; set; } public decimal Price { get; set; } }
public class Db(DbContextOptions<Db> options) : DbContext(options) { public DbSet<Item> Items => Set<Item>(); }
public static class Queries { public static List<Item> Dear(Db db) => db.Items.Where(i => i.Price > 2).OrderBy(i => i.Id).ToList(); }
"""
    shape = [{"Id": "int", "Price": "decimal"}]
    calls = [
        SourceCall("Dear", "Shop.Queries.Dear(db)", shape),
        SourceCall("Fails", "db.Items.First(i => i.Id < 0)", shape[0]),
    ]
    files = project_files([("Shop.cs", code)], ContextClass("Shop.Db", (OPTIONS,)), ["Shop"], calls)
    rows = [{"Id": i, "Price": str(i)} for i in range(1, 6)]
    files["tables.json"] = tables_file([TableRows('"Items"', '"Id", "Price"', rows)])
    found = wait(validate_dotnet(dotnet, files, connection_string=postgres, keep=tmp_path, limit_seconds=120))
    assert found.passed, found
    assert found.result is not None
    dear, fails = found.result["Dear"], found.result["Fails"]
    assert (dear["count"], dear["firstSample"]["Id"], dear["lastSample"]["Id"]) == (3, 3, 5)
    assert (fails["count"], fails["error"]["type"]) == (0, "InvalidOperationException")
    assert json.loads((tmp_path / "Dear.jsonl").read_text().splitlines()[0])["Id"] == 3


@pytest.fixture
def postgres(tools: Toolchain) -> Iterator[str]:
    server = EmbeddedPostgres(tools)
    yield server.connection("validated")
    server.stop()
