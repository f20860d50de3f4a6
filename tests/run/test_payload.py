from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from uom.run.payload import exports, json_path, result_line, unpack_commands

NASTY = "a \"b\" 'c' $HOME `id` {d} \\n ž\r\n\ttail without newline"


def test_files_arrive_byte_for_byte(tmp_path: Path) -> None:
    files = {"pom.xml": NASTY, "src/it's here/Main.java": NASTY * 5000, "empty": ""}
    for command in unpack_commands(files, str(tmp_path)):
        subprocess.run(["sh", "-c", command], check=True)
    assert {name: (tmp_path / name).read_bytes().decode() for name in files} == files


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "a/../../b"])
def test_paths_stay_inside(path: str) -> None:
    with pytest.raises(ValueError, match="outside"):
        unpack_commands({path: ""}, "/project")


def test_the_last_result_line_counts() -> None:
    assert json_path("JSON_PATH=/old.json\nnoise\n\nJSON_PATH=/new.json\n[WARNING] thread\n") == "/new.json"
    assert json_path("nothing") is None
    assert json_path("JSON_PATH=\n") is None


def test_the_script_names_the_newest_result(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("{}")
    script = exports({"FOLDER": str(tmp_path), "SECRET": NASTY}) + result_line("FOLDER")
    printed = subprocess.run(["sh", "-c", script], check=True, capture_output=True, text=True).stdout
    assert json_path(printed) == f"{tmp_path}/results.json"
