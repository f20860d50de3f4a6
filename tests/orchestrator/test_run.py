"""The graph with the compiler: real Java, real rows, no model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tracers.base import BaseTracer
from langchain_core.tracers.schemas import Run

from tests.orchestrator.shop import QUERIES, REFUSED, chat, rows_file
from uom.orchestrator.checkpointer import open_threads
from uom.orchestrator.context import Context
from uom.orchestrator.graph import compile_graph
from uom.orchestrator.runner import Outcome, Runner, ThreadExists
from uom.orchestrator.validation.evidence import runs_folder

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "northwind"


def run(text: str, context: Context, thread: str = "t") -> tuple[Outcome, list[str]]:
    """A thread's outcome, and the nodes it went through."""
    visited: list[str] = []

    def listen(event: dict[str, Any]) -> None:
        if event["phase"] == "begin":
            visited.append(event["node"])

    async def go() -> Outcome:
        async with open_threads() as threads:
            return await Runner(threads, context, listen).start(text, thread=thread)

    return asyncio.run(go()), visited


def test_the_example_is_the_demo() -> None:
    text = (EXAMPLE / "efcore.md").read_text(encoding="utf-8")
    for name in ("Model.cs", "ShopQueries.cs"):
        assert (EXAMPLE / name).read_text(encoding="utf-8").rstrip() in text


@pytest.mark.parametrize(("target", "mark"), [("MongoDB", "@Document"), ("Neo4j", "@Node")])
def test_demo_is_accepted(target: str, mark: str) -> None:
    text = (EXAMPLE / "efcore.md").read_text(encoding="utf-8").replace("MongoDB", target)
    outcome, visited = run(text, Context())
    assert outcome.status == "accepted"
    assert outcome.explanation.startswith("ACCEPTED: 15/15 queries equivalent (every row compared;")
    assert visited == [
        "extract_input",
        "schema_inspection",
        "generate_translation_node",
        "prep_query_validation",
        "validate_query_node",
        "prep_query_equivalence",
        "check_query_equivalence_node",
        "evaluation_node",
    ]
    values = outcome.values
    kinds = [m.type for m in values["messages"]]
    assert kinds == ["human", "ai"], "the conversation gets the final result and nothing else"
    assert "JSON_PATH" not in values["messages"][-1].text and "// file: " in values["messages"][-1].text
    assert any("JSON_PATH=" in m.text for m in values["translation_messages"])
    assert "class ShopQueries" in values["translated_query_code"] and mark in values["translated_schema_code"]
    assert f"Spring Data {target}" in outcome.explanation
    assert "ShopContext" in values["source_validation_schema_code"]
    assert "Harness.Main" in values["source_validation_harness_code"]
    assert "ValidationEntrypoint" in values["target_validation_harness_code"]
    assert values["usage"]["validate_query_node"].visits == 1
    samples = values["target_query_validation_results"].queries
    assert len(samples) > 15 and not any("rows" in vars(s) for s in samples.values())


def test_rows_of_a_file_and_a_refused_query(tmp_path: Path) -> None:
    """One refused query is enough for REJECT; the others were compared all the same."""
    outcome, visited = run(chat(QUERIES, REFUSED), Context(data_file=rows_file(tmp_path)))
    assert outcome.status == "waiting" and visited[-2:] == ["evaluation_node", "human_intervention_node"]
    assert outcome.explanation.startswith("REJECTED: 2/3 queries equivalent")
    assert "Raw.Ids [refused] block3.cs:2:39: FromSql" in outcome.explanation
    assert outcome.question is not None and outcome.question["action_requests"][0]["name"] == "accept_translation"
    assert [m.type for m in outcome.values["messages"]] == ["human"]
    levels = {q: d.level for q, d in outcome.values["query_equivalence_deep_diffs"].items()}
    assert levels == {"Sales.Named": "equivalent", "Sales.Totals": "equivalent"}


@pytest.mark.parametrize("target", ["MongoDB", "Neo4j"])
def test_schema_only(target: str, tmp_path: Path) -> None:
    text = chat(target=target).replace("Translate this", "Translate only the entities of this")
    outcome, visited = run(text, Context(data_file=rows_file(tmp_path)))
    assert outcome.status == "accepted", outcome.explanation
    assert visited[-2:] == ["prep_schema_validation", "validate_schema_node"]
    assert "documents of 2 entities" in outcome.explanation
    assert outcome.values["translated_query_code"] is None
    assert "SchemaProbe" not in outcome.values["translated_schema_code"]


def test_incomplete_input_ends_with_what_is_missing() -> None:
    outcome, visited = run("Please translate my code.", Context())
    assert outcome.status == "incomplete" and visited == ["extract_input"] * 3
    assert "fenced block" in outcome.values["messages"][-1].text


@pytest.mark.parametrize("data", ["missing.json", "broken.json"])
def test_rows_that_cannot_be_used_are_named(tmp_path: Path, data: str) -> None:
    (tmp_path / "broken.json").write_text('{"tables": {"Clients": 5}}')
    outcome, _ = run(chat(QUERIES), Context(data_file=str(tmp_path / data)))
    assert outcome.status == "waiting" and outcome.explanation.startswith("REJECTED: 0/2")
    assert data in outcome.explanation or "Clients" in outcome.explanation


def test_samples_are_never_called_proof(tmp_path: Path) -> None:
    outcome, _ = run(chat(QUERIES), Context(data_file=rows_file(tmp_path), verdict="samples"))
    assert outcome.status == "accepted"
    assert "same samples" in outcome.explanation and "no proof" in outcome.explanation
    assert "equivalent" not in outcome.explanation


class Metadata(BaseTracer):
    """What a tracer, LangSmith for one, gets to see of a run."""

    def __init__(self) -> None:
        super().__init__(_schema_format="original+chat")
        self.seen: list[str] = []

    def _persist_run(self, run: Run) -> None:
        self.seen.append(str([r.model_dump() for r in (run, *run.child_runs)]))


def test_secrets_are_not_kept(tmp_path: Path) -> None:
    """Not as `configurable` of a caller of the graph: not in checkpoints, rows, events or traces."""
    secret = "s3cret-value"
    tracer = Metadata()

    async def go() -> list[Any]:
        async with open_threads() as threads:
            app = compile_graph(threads.saver)
            named = {"openai_api_key": secret, "neo4j_uri": f"neo4j://u:{secret}@h", "ms_sql_connection_string": secret}
            config: Any = {"configurable": {"thread_id": "t", "translator": "compiler", **named}, "callbacks": [tracer]}
            given = {"messages": [("user", chat(REFUSED))]}
            modes: Any = ["values", "custom", "debug"]
            return [event async for event in app.astream(given, config, stream_mode=modes)]

    events = asyncio.run(go())
    kept = [f for f in tmp_path.rglob("*") if f.is_file()]
    assert any(f.name.startswith("threads.sqlite") for f in kept)
    assert not [f for f in kept if secret.encode() in f.read_bytes()]
    assert secret not in json.dumps(events, default=str)
    assert tracer.seen and "translator" in str(tracer.seen), "the tracer is a real one"
    assert secret not in str(tracer.seen)


def test_rows_stay_on_disk(tmp_path: Path) -> None:
    outcome, _ = run(chat(QUERIES), Context(data_file=rows_file(tmp_path)))
    files = {f.name for f in runs_folder().rglob("*") if f.is_file()}
    assert {"summary.json", "results.json", "commands.json"} <= files
    assert Path(outcome.values["target_query_validation_results"].json_path).is_file()


def test_a_name_is_given_once(tmp_path: Path) -> None:
    context = Context(data_file=rows_file(tmp_path))
    assert run(chat(QUERIES), context)[0].status == "accepted"
    with pytest.raises(ThreadExists):
        run(chat(REFUSED), context)


def test_who_says_more_gets_a_translation_of_that(tmp_path: Path) -> None:
    """A client that writes into the same conversation again: nothing of the first verdict is taken for the second."""
    other = QUERIES.replace("Named(string name)", "Called(string name)").replace("c.Id)", "c.Name)")

    async def go() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        context = Context(data_file=rows_file(tmp_path))
        async with open_threads() as threads:
            app = compile_graph(threads.saver)
            config: Any = {"configurable": {"thread_id": "more"}}
            said = [chat(QUERIES), chat(other, REFUSED), "To Neo4j now, please."]
            first, second, third = [
                await app.ainvoke({"messages": [("user", s)]}, config, context=context) for s in said
            ]
            return first, second, third

    first, second, third = asyncio.run(go())
    assert first["explanation_message"].startswith("ACCEPTED: 2/2") and "named(" in first["translated_query_code"]
    assert (
        second["explanation_message"].startswith("REJECTED: ") and "Raw.Ids [refused]" in second["explanation_message"]
    )
    assert "called(" in second["translated_query_code"]
    assert "Neo4j" in third["explanation_message"]


def test_only_rows_can_prove(tmp_path: Path) -> None:
    file = tmp_path / "empty.json"
    file.write_text('{"tables": {"Clients": [], "Sales": []}}')
    outcome, _ = run(chat(QUERIES), Context(data_file=str(file)))
    assert outcome.status == "waiting"
    assert "Sales.Totals [executed]" in outcome.explanation and "there are no rows in Sale" in outcome.explanation


def test_what_could_not_be_read_is_not_accepted(tmp_path: Path) -> None:
    broken = "public class Broken(ShopContext db) { public object X( => db.Clients.ToList(); }"
    outcome, _ = run(chat(QUERIES, broken), Context(data_file=rows_file(tmp_path)))
    assert outcome.status == "waiting"
    assert "- not read: block3.cs:1:" in outcome.explanation
