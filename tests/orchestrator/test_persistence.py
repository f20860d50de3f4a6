"""Threads outlive their process: killed ones go on where they were, a question is answered once, by one process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrator.shop import QUERIES, REFUSED, chat, rows_file
from uom.orchestrator.checkpointer import open_threads
from uom.run.engines.postgres import EmbeddedPostgres
from uom.run.failures import EnvironmentFailure
from uom.run.toolchain import Toolchain

UOM = [sys.executable, "-m", "uom"]


@pytest.fixture(autouse=True)
def _without_dotnet(monkeypatch: pytest.MonkeyPatch) -> None:
    """How threads are kept has nothing to do with it, and each command would start it anew."""
    folders = os.environ["PATH"].split(os.pathsep)
    monkeypatch.setenv("PATH", os.pathsep.join(f for f in folders if not (Path(f) / "dotnet").exists()))


@pytest.fixture(scope="module")
def postgres(tools: Toolchain) -> Iterator[str]:
    server = EmbeddedPostgres(tools)
    yield server.uri
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where threads are kept."""
    if request.param == "postgresql":
        monkeypatch.setenv("CHECKPOINT_URI", request.getfixturevalue("postgres"))
    return str(request.param)


def uom(*arguments: str, text: str = "") -> tuple[int, Any]:
    """A command's exit code and what it printed as JSON."""
    done = subprocess.run([*UOM, *arguments, "--json"], input=text, capture_output=True, text=True, timeout=180)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def kill_after(node: str, text: str, *arguments: str) -> None:
    """Starts a run and kills it, as the kernel does, when the node before the one to be hit has ended."""
    process = subprocess.Popen(
        [*UOM, "run", "-", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None and process.stderr is not None
    process.stdin.write(text)
    process.stdin.close()
    said = []
    for line in process.stderr:
        said.append(line)
        if line.split()[-1:] == [node]:
            break
    else:
        pytest.fail(f"it never came to {node}: {''.join(said)}")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()


def summaries() -> dict[str, int]:
    """When each finished piece of sandbox work was written."""
    return {str(f): f.stat().st_mtime_ns for f in Path(os.environ["UOM_RUNS"]).rglob("summary.json")}


def thread_id() -> str:
    return f"thread-{os.urandom(4).hex()}"


@pytest.mark.parametrize("node", ["schema_inspection", "prep_query_validation", "validate_query_node"])
def test_a_killed_run_goes_on(node: str, tmp_path: Path) -> None:
    thread = thread_id()
    kill_after(node, chat(QUERIES), "--data", rows_file(tmp_path), "--thread", thread)
    finished = summaries()
    code, listed = uom("threads")
    assert (code, [(t["thread"], t["status"]) for t in listed]) == (0, [(thread, "unfinished")])
    code, outcome = uom("resume", thread)
    assert (code, outcome["status"]) == (0, "accepted"), outcome
    assert finished.items() <= summaries().items(), "work that was finished is not done again"
    assert bool(finished) == (node == "validate_query_node") or node == "prep_query_validation"
    if node == "validate_query_node":
        assert summaries() == finished
    visits = {name: usage["visits"] for name, usage in outcome["usage"].items()}
    assert set(visits.values()) == {1}, "every node came to its end once"


def test_a_question_waits_in_the_store(store: str, tmp_path: Path) -> None:  # noqa: ARG001
    """Another process answers: reject starts the tries anew, accept ends without calling it proven."""
    thread = thread_id()
    code, outcome = uom("run", "-", "--thread", thread, text=chat(REFUSED))
    assert (code, outcome["status"]) == (1, "waiting")
    assert outcome["question"]["review_configs"][0]["allowed_decisions"] == ["approve", "reject"]
    code, outcome = uom("resume", thread, "--reject", "use the driver")
    assert (code, outcome["status"]) == (1, "waiting")
    assert outcome["usage"]["generate_translation_node"]["visits"] == 2
    assert outcome["usage"]["human_intervention_node"]["visits"] == 1, "it waits again"
    code, outcome = uom("resume", thread, "--accept")
    assert (code, outcome["status"]) == (0, "accepted_unproven")
    assert outcome["explanation"].startswith("Accepted by a person, not proven. REJECTED: 0/1")
    code, refused = uom("resume", thread, "--accept")
    assert code == 2 and "does not wait" in refused["error"]["message"]


def test_two_processes_cannot_answer_the_same_question(store: str, tmp_path: Path) -> None:  # noqa: ARG001
    thread = thread_id()
    uom("run", "-", "--thread", thread, text=chat(REFUSED))
    racing = [
        subprocess.Popen([*UOM, "resume", thread, "--accept", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    codes = [(p.communicate(timeout=120), p.returncode)[1] for p in racing]
    assert codes.count(0) == 1, codes
    assert set(codes) <= {0, 2, 3}
    code, listed = uom("threads")
    assert code == 0 and "accepted_unproven" in [t["status"] for t in listed if t["thread"] == thread]


def test_a_claim_ends_with_its_block(store: str) -> None:  # noqa: ARG001
    async def go() -> None:
        async with open_threads() as ours, open_threads() as theirs:
            async with ours.claim("a"):
                async with theirs.claim("b"):
                    pass
                with pytest.raises(EnvironmentFailure, match="another process"):
                    async with theirs.claim("a"):
                        pass
            async with theirs.claim("a"):
                pass

    asyncio.run(go())


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("mysql://u:pw@h/x", "is no address of threads"),
        ("postgresql://u:pw@127.0.0.1:1/x", "PostgreSQL"),
        ("sqlite:////proc/nowhere/threads.sqlite", "threads.sqlite"),
    ],
)
def test_a_store_that_is_not_there(uri: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_URI", uri)
    monkeypatch.setattr("uom.orchestrator.postgres_threads._SECONDS", 1.0)

    async def go() -> None:
        async with open_threads():
            pass

    with pytest.raises(EnvironmentFailure) as caught:
        asyncio.run(go())
    assert said in str(caught.value) and ":pw@" not in str(caught.value)


def test_a_thread_that_is_not_known() -> None:
    code, answer = uom("resume", "nobody")
    assert code == 2 and "is not known" in answer["error"]["message"]
