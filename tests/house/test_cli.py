"""The command line as people use it: exit codes, bad input, nothing half-written."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

MODEL = """
public class Item { public int Id { get; set; } public string Name { get; set; } = ""; public decimal Price { get; set; } }
public class ShopContext : DbContext { public DbSet<Item> Items => Set<Item>(); }
"""
QUERY = """
public static class Q {
    public static List<Item> Cheap(ShopContext db) => db.Items.Where(i => i.Price < 5m).OrderBy(i => i.Id).ToList();
}
"""


def uom(*arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "uom", *arguments], input=stdin, capture_output=True, timeout=120, check=False, cwd=cwd
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_help_and_version() -> None:
    assert uom("--help").returncode == 0
    assert uom("--version").stdout.startswith("uom, version")


def test_help_is_quick() -> None:
    """The bench measures it; here only that nothing heavy is imported."""
    code = "import sys, uom.cli; uom.cli.run(['--help']); print([m for m in ('pymongo','tree_sitter','rich','yaml') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.cs", b""),
        ("binary.cs", bytes(range(256)) * 10),
        ("latin1.cs", "// caf\u00e9".encode("latin-1")),
        ("prose.cs", b"Dear team, please find attached the minutes of the meeting."),
    ],
)
def test_input_that_is_no_code(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    done = uom("translate", str(tmp_path / name), "-o", str(tmp_path / "out"))
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_missing_file_and_foreign_output(tmp_path: Path) -> None:
    assert uom("translate", str(tmp_path / "none.cs"), "-o", str(tmp_path / "out")).returncode == 2
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    (tmp_path / "a.cs").write_text(MODEL + QUERY)
    done = uom("translate", str(tmp_path / "a.cs"), "-o", str(tmp_path / "mine"))
    assert done.returncode == 2
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "precious"


def test_translate_is_deterministic_and_leaves_no_litter(tmp_path: Path) -> None:
    (tmp_path / "a.cs").write_text(MODEL + QUERY)
    for name in ("one", "two"):
        done = uom("translate", str(tmp_path / "a.cs"), "-o", str(tmp_path / name))
        assert done.returncode == 0, done.stderr
    one, two = (
        {p.relative_to(tmp_path / n): p.read_bytes() for p in sorted((tmp_path / n).rglob("*")) if p.is_file()}
        for n in ("one", "two")
    )
    assert one == two
    assert one
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.cs", "one", "two"]


def test_stdin_with_markdown(tmp_path: Path) -> None:
    text = f"Here is our code:\n```csharp\n{MODEL}\n```\nand the query\n```cs\n{QUERY}\n```\n"
    done = uom("translate", "-", "-o", str(tmp_path / "out"), stdin=text.encode())
    assert done.returncode == 0, done.stderr


def test_one_refused_query_does_not_stop_the_others(tmp_path: Path) -> None:
    bad = "public static class R { public static object Z(ShopContext db) => db.Items.Zip(db.Items).ToList(); }"
    (tmp_path / "a.cs").write_text(MODEL + QUERY + bad)
    done = uom("translate", str(tmp_path / "a.cs"), "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "Zip" in done.stderr
    assert "1 query translated, 1 refused" in done.stdout


@pytest.mark.parametrize("depth", [100, 5000, 100_000])
def test_deep_nesting_is_refused_not_crashed(tmp_path: Path, depth: int) -> None:
    deep = f"public static class D {{ public static object X(ShopContext db) => db.Items.Where(i => {'(' * depth}i.Id == 1{')' * depth}).ToList(); }}"
    (tmp_path / "a.cs").write_text(MODEL + QUERY + deep)
    started = time.monotonic()
    done = uom("translate", str(tmp_path / "a.cs"), "-o", str(tmp_path / "out"))
    assert done.returncode in (0, 1), done.stderr[-500:]
    assert "Traceback" not in done.stderr
    assert time.monotonic() - started < 60
