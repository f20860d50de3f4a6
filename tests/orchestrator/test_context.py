"""Settings: configurable beats environment beats default; types are kept; credentials show up nowhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from uom.orchestrator.context import Context, resolve
from uom.run.failures import EnvironmentFailure

CASES = json.loads((Path(__file__).parent / "cases" / "context.json").read_text(encoding="utf-8"))
SECRET = "s3cret-value"


def shown(value: Any) -> Any:
    return value.get_secret_value() if hasattr(value, "get_secret_value") else value


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Context.__dataclass_fields__:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.delenv("MSSQL_CONNECTION_STRING", raising=False)


@pytest.mark.parametrize("case", CASES, ids=lambda c: str(c["because"]))
def test_where_a_value_comes_from(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in case.get("environment", {}).items():
        monkeypatch.setenv(name, value)
    context = Context(**case["context"]) if "context" in case else None
    config: Any = {"configurable": case.get("configurable", {})}
    if "error" in case:
        with pytest.raises(EnvironmentFailure) as caught:
            resolve(context, config)
        assert case["error"] in str(caught.value) and SECRET not in str(caught.value)
        return
    found = resolve(context, config)
    for name, value in case["expected"].items():
        assert shown(getattr(found, name)) == value and type(shown(getattr(found, name))) is type(value), name


def test_no_secret_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "DAYTONA_API_KEY", "NEO4J_PASSWORD", "MSSQL_CONNECTION_STRING"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("MONGODB_URI", f"mongodb://user:{SECRET}@host/")
    context = resolve(None)
    assert shown(context.neo4j_password) == SECRET and SECRET in context.mongodb_uri
    assert SECRET not in f"{context} {context!r}"


def test_a_model_is_asked_only_where_somebody_named_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not resolve(None).has_model
    assert resolve(None, {"configurable": {"model": "ollama/qwen3"}}).has_model
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    assert resolve(None).has_model
