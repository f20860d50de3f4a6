"""Asking a model over real HTTP: every way to fail is named and counted, and none goes on without end."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from pydantic import BaseModel

from tests.orchestrator.scripted_server import Reply, serve
from uom.orchestrator.context import Context
from uom.orchestrator.models import ATTEMPTS, Asked, ModelFailure, ask, split_name
from uom.run.failures import EnvironmentFailure

KEY = "sk-s3cret"


class Colour(BaseModel):
    """A colour."""

    name: str
    red: int


RIGHT = Reply({"name": "scarlet", "red": 255})
NOW = {"Retry-After": "0"}

# what the server says before it says it right -> (failures, whether an answer comes, requests)
CASES: dict[str, tuple[tuple[Reply, ...], list[ModelFailure], bool]] = {
    "right at once": ((RIGHT,), [], True),
    "rate limited, then right": ((Reply(status=429, headers=NOW), RIGHT), [ModelFailure.RATE_LIMITED], True),
    "rate limited for good": ((Reply(status=429, headers=NOW),), [ModelFailure.RATE_LIMITED] * ATTEMPTS, False),
    "overloaded": ((Reply(status=503, headers=NOW), RIGHT), [ModelFailure.SERVER_ERROR], True),
    "the connection is dropped": ((Reply(drop=True), RIGHT), [ModelFailure.UNREACHABLE], True),
    "it hangs": ((Reply(hang=3.0), RIGHT), [ModelFailure.TIMEOUT], True),
    "wrong key": ((Reply(status=401),), [ModelFailure.UNAUTHORISED], False),
    "no such model": ((Reply(status=404),), [ModelFailure.NOT_ACCEPTED], False),
    "refused in words": ((Reply(refusal="I will not."),), [ModelFailure.REFUSED], False),
    "stopped by a filter": ((Reply(content="x", finish="content_filter"),), [ModelFailure.REFUSED], False),
    "cut off": ((Reply('{"name": "sca', finish="length"), RIGHT), [ModelFailure.TRUNCATED], True),
    "broken JSON": ((Reply('{"name": "sca'), RIGHT), [ModelFailure.MALFORMED], True),
    "a member is missing": ((Reply({"name": "scarlet"}), RIGHT), [ModelFailure.MALFORMED], True),
    "a member of another type": ((Reply({"name": "scarlet", "red": "much"}), RIGHT), [ModelFailure.MALFORMED], True),
    "empty": ((Reply(), RIGHT), [ModelFailure.EMPTY], True),
    "empty for good": ((Reply(),), [ModelFailure.EMPTY] * ATTEMPTS, False),
    "only words": ((Reply(content="Done, it is scarlet!"), RIGHT), [ModelFailure.MALFORMED], True),
    "JSON as text": ((Reply(content='Sure:\n```json\n{"name": "scarlet", "red": 255}\n```'),), [], True),
    "no JSON document at all": ((Reply(body="<html>"), RIGHT), [ModelFailure.MALFORMED], True),
}


def asked_of(url: str, **settings: Any) -> Asked[Colour]:
    context = Context(openai_api_url=url, openai_api_key=KEY, model="einfra/test", **{"model_timeout": 2, **settings})  # type: ignore[arg-type]
    return asyncio.run(ask(context, [HumanMessage("Which colour?")], Colour, "a_node"))


@pytest.mark.parametrize("name", CASES)
def test_ways_to_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uom.orchestrator.models._BACKOFF_SECONDS", 0.01)
    script, failures, answered = CASES[name]
    with serve(*script) as server:
        asked = asked_of(server.url)
    assert [kind for kind, _ in asked.failures] == failures
    assert (asked.value is not None) == answered
    if asked.value is not None:
        assert (asked.value.name, asked.value.red) == ("scarlet", 255)
    assert asked.calls == len(server.requests) == len(failures) + answered
    assert asked.usage().failures == {kind.value: failures.count(kind) for kind in set(failures)}
    assert set(server.authorisations) == {f"Bearer {KEY}"}
    assert KEY not in f"{asked.failures} {asked.problem}"


def test_tokens_are_counted() -> None:
    with serve(Reply({"name": "x"}), RIGHT) as server:
        asked = asked_of(server.url)
    assert (asked.input_tokens, asked.output_tokens) == (200, 40)


def test_what_was_wrong_is_said() -> None:
    with serve(Reply({"name": "x"}), RIGHT) as server:
        asked_of(server.url)
    assert "could not be used" not in server.prompt(0)
    assert "could not be used: malformed" in server.prompt(1) and "red" in server.prompt(1)


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uom.orchestrator.models._BACKOFF_SECONDS", 0.01)
    started = time.monotonic()
    asked = asked_of("http://127.0.0.1:9/v1")
    assert [kind for kind, _ in asked.failures] == [ModelFailure.UNREACHABLE] * ATTEMPTS
    assert time.monotonic() - started < 60


def test_a_provider_whose_client_is_not_installed() -> None:
    with pytest.raises(EnvironmentFailure, match="pip install langchain-ollama"):
        asyncio.run(ask(Context(model="ollama/qwen3"), [HumanMessage("x")], Colour, "n"))


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("einfra/kimi-k2.6", ("einfra", "kimi-k2.6")),
        ("openai:gpt-5", ("openai", "gpt-5")),
        ("ollama/qwen3:8b", ("ollama", "qwen3:8b")),
        ("google-genai/gemini", ("google_genai", "gemini")),
        ("openrouter/meta/llama", ("openrouter", "meta/llama")),
        ("bare-name", ("", "bare-name")),
    ],
)
def test_names(model: str, parts: tuple[str, str]) -> None:
    assert split_name(model) == parts
