"""The output folder: all of a run or nothing of it, and never anything of the user's."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from tests.house.test_cli import MODEL, QUERY, uom
from uom.commands.project import MANIFEST, check_output, write_project


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "häuser und so" / "a b.cs"
    file.parent.mkdir()
    file.write_text(MODEL + QUERY, encoding="utf-8")
    return file


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_run_that_finds_nothing_leaves_the_old_output(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "out ü"
    assert uom("translate", str(source), "-o", str(out)).returncode == 0
    before = everything(out)
    (tmp_path / "none.cs").write_text("class A { }")
    assert uom("translate", str(tmp_path / "none.cs"), "-o", str(out)).returncode == 2
    assert everything(out) == before


def test_what_the_user_put_beside_stays_and_what_is_stale_goes(tmp_path: Path) -> None:
    write_project(tmp_path / "o", {"src/deep/A.java": "a", "pom.xml": "p"})
    (tmp_path / "o" / "notes.txt").write_text("mine")
    write_project(tmp_path / "o", {"pom.xml": "q"})
    assert set(everything(tmp_path / "o")) == {"notes.txt", "pom.xml", MANIFEST}
    assert not (tmp_path / "o" / "src").exists()


def test_a_file_of_the_users_in_the_way_is_not_overwritten(tmp_path: Path) -> None:
    write_project(tmp_path / "o", {"pom.xml": "p"})
    for name in ("A.java", "src"):
        (tmp_path / "o" / name).write_text("mine")
    before = everything(tmp_path / "o")
    for files in ({"pom.xml": "new", "A.java": "a"}, {"pom.xml": "new", "src/B.java": "b"}):
        with pytest.raises(click.UsageError, match="in the way"):
            write_project(tmp_path / "o", files)
        assert everything(tmp_path / "o") == before


def test_comments_in_the_mapping_stay(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "out"
    assert uom("translate", str(source), "-o", str(out)).returncode == 0
    text = "# ours\n" + (out / "mapping.yaml").read_text().replace(
        "collection: items", "collection: 'wares' # old name"
    )
    (out / "mapping.yaml").write_text(text)
    assert uom("translate", str(source), "-o", str(out)).returncode == 0
    assert (out / "mapping.yaml").read_text() == text
    assert any(b"wares" in content for name, content in everything(out).items() if name.endswith(".java"))


def test_a_link_is_followed(tmp_path: Path, source: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for _ in range(2):
        assert uom("translate", str(source), "-o", "link", cwd=tmp_path).returncode == 0
    assert (tmp_path / "elsewhere" / "pom.xml").is_file()
    assert (tmp_path / "link").is_symlink()


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(click.UsageError, match="is a file"):
            check_output(folder)


def test_left_over_staging_is_no_reason_to_refuse_and_goes(tmp_path: Path) -> None:
    (tmp_path / "o" / ".uom-part-x").mkdir(parents=True)
    check_output(tmp_path / "o")
    write_project(tmp_path / "o", {"pom.xml": "p"})
    assert {p.name for p in (tmp_path / "o").iterdir()} == {"pom.xml", MANIFEST}


def test_syntax_errors_that_hide_methods_are_no_success(tmp_path: Path) -> None:
    hidden = "public static class T { public static int A(ShopContext db) {{ return 1; public static int B(ShopContext db) => 2; }"
    (tmp_path / "a.cs").write_text(MODEL + QUERY + hidden)
    done = uom("translate", str(tmp_path / "a.cs"), "-o", str(tmp_path / "out"), "--json")
    assert done.returncode == 1
    assert "syntax error" in json.loads(done.stdout)["diagnostics"][0]
