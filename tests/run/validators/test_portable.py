"""What is believed of a program's results, with shell in the place of a language: the tricks are the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.sandboxes.conftest import SMALL, isolation, wait
from uom.run.sandboxes.local import LocalSandbox
from uom.run.validators.outcome import FAILED, PASSED, Validation
from uom.run.validators.portable import Project, Terms, validate

__all__ = ["isolation"]

GOOD = '{"Query1": {"count": 2, "firstSample": {"Price": 48.50}, "lastSample": null}}'
WRITE = f"echo '{GOOD}' > \"$RESULTS\"/r.json"

# name: (commands, reason; "" for passed)
CASES = {
    "a result": (WRITE, ""),
    "the newest result": (f"echo '{{}}' > \"$RESULTS\"/a.json; touch -d 2020-01-01 \"$RESULTS\"/a.json; {WRITE}", ""),
    "noise": (f"seq 100000; {WRITE}; seq 100000", ""),
    "other paths before": (f"echo JSON_PATH=/etc/passwd; {WRITE}", ""),
    "nothing": (":", "it ended without writing a result"),
    "a false path alone": ("echo JSON_PATH=/etc/passwd", "it ended without writing a result"),
    "exit 0 early": ("echo JSON_PATH=$RESULTS/r.json; exit 0", "its result cannot be read"),
    "exit 0 with a path outside": ("echo JSON_PATH=/etc/passwd; exit 0", "the JSON_PATH that it named is not among"),
    "a path that climbs": (
        "echo '{}' > x.json; echo JSON_PATH=$RESULTS/../x.json; exit 0", "the JSON_PATH that it named is not among",
    ),
    "a link": ("ln -s /etc/passwd $RESULTS/r.json", "its result cannot be read"),
    "a pipe": ("mkfifo $RESULTS/r.json", "its result cannot be read"),
    "the end of the script": (f"{WRITE}; echo JSON_PATH=$RESULTS/r.json; kill -9 $$", "it ended with exit code 137"),
    "the end of everything": (f"{WRITE}; kill -9 -1", "it ended with exit code 137"),
    "a late speaker": (f"(sleep 0.5; echo JSON_PATH=/etc/passwd) & {WRITE}", ""),
    "no JSON": ("echo hello > $RESULTS/r.json", "its result cannot be read"),
    "another shape": ("echo '[1]' > $RESULTS/r.json", "it is no object"),
    "no count": ("echo '{\"Query1\": {\"count\": true}}' > $RESULTS/r.json", "Query1 has no count"),
    "an error": (f"{WRITE}; exit 3", "it ended with exit code 3"),
    "too slow": ("sleep 60", "it did not end in time"),
    "too big": ("for i in 1 2 3 4 5; do head -c 25M /dev/zero > f$i; done; sleep 9", "it wrote too much"),
    "a result from before": ("cp old.json $RESULTS/", ""),
    "a result that came with the files": (":", "it ended without writing a result"),
}  # fmt: skip
FILES = {"old.json": GOOD, "results/planted.json": GOOD, "deep/Größe 'x'.txt": "ž\r\n$HOME `id` \\n\n" * 4200}


@pytest.fixture(scope="module")
def sandbox(isolation: None) -> Iterator[LocalSandbox]:  # noqa: ARG001
    made = LocalSandbox(limits=SMALL)
    yield made
    wait(made.close())


def run(sandbox: LocalSandbox, command: str, limit: float = 20.0, **values: str) -> Validation:
    project = Project(FILES, (command,), ("RESULTS",), values, lambda _output, _folder: ())
    return wait(validate(sandbox, project, Terms(limit_seconds=limit)))


@pytest.mark.parametrize("name", CASES)
def test_results(name: str, sandbox: LocalSandbox) -> None:
    command, reason = CASES[name]
    found = run(sandbox, command, 2.0 if name == "too slow" else 20.0)
    assert found.passed == (not reason), found
    assert reason in found.reason
    assert found.text().startswith(PASSED if found.passed else FAILED)
    if found.passed:
        assert found.result is not None and found.result["Query1"]["count"] == 2
        assert str(found.result["Query1"]["firstSample"]["Price"]) == "48.50"


def test_files_arrive_unchanged(sandbox: LocalSandbox) -> None:
    check = "sha256sum < \"deep/Größe 'x'.txt\" | cut -c1-64"
    expected = __import__("hashlib").sha256(FILES["deep/Größe 'x'.txt"].encode()).hexdigest()
    assert expected in run(sandbox, check).output


def test_nothing_stays(sandbox: LocalSandbox) -> None:
    run(sandbox, WRITE)
    assert wait(sandbox.execute("ls /sandbox")).output == ""


def test_paths_stay_in_the_project(sandbox: LocalSandbox) -> None:
    project = Project({"../x": ""}, (":",), ("RESULTS",), {}, lambda _output, _folder: ())
    with pytest.raises(ValueError, match="outside"):
        wait(validate(sandbox, project, Terms()))


def test_secrets_are_not_repeated(sandbox: LocalSandbox) -> None:
    uri, ado = "mongodb://user:hunter2secret@127.0.0.1:5000/", "Server=localhost,5001;Password=s3cretword;Database=X"
    found = run(sandbox, 'echo "$URI and $ADO and hunter2secret"; exit 1', URI=uri, ADO=ado)
    assert "hunter2" not in found.text() and "s3cret" not in found.text()
    assert "$URI and $ADO and <password of URI>" in found.output


def test_all_results_are_kept(sandbox: LocalSandbox, tmp_path: Path) -> None:
    command = f"{WRITE}; echo row > $RESULTS/q.jsonl; ln -s /etc/passwd $RESULTS/l; mkdir $RESULTS/d"
    project = Project({}, (command,), ("RESULTS",), {}, lambda _output, _folder: ())
    wait(validate(sandbox, project, Terms(keep=tmp_path)))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["q.jsonl", "r.json"]
    assert json.loads((tmp_path / "r.json").read_text())["Query1"]["count"] == 2
