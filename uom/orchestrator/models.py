"""Asking a chat model for a typed answer. Whatever goes wrong is a named, counted state, and never an endless loop."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel, ValidationError

from uom.orchestrator.context import Context
from uom.orchestrator.usage import NodeUsage
from uom.run.failures import EnvironmentFailure

ATTEMPTS = 3
_BACKOFF_SECONDS = 0.5
_LONGEST_WAIT = 30.0
_OWN_PROVIDERS = frozenset(
    {"ollama", "anthropic", "google_genai", "mistralai", "groq", "azure_openai", "bedrock_converse"}
)
"""Those with a client of their own; any other name in front is somebody's OpenAI-compatible server."""

T = TypeVar("T", bound=BaseModel)


class ModelFailure(StrEnum):
    """Why a call gave nothing."""

    TIMEOUT = "timeout"
    RATE_LIMITED = "rate limited"
    UNREACHABLE = "unreachable"
    SERVER_ERROR = "server error"
    UNAUTHORISED = "unauthorised"
    NOT_ACCEPTED = "request not accepted"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    MALFORMED = "malformed"
    EMPTY = "empty"


_WORTH_WAITING = frozenset(
    {ModelFailure.TIMEOUT, ModelFailure.RATE_LIMITED, ModelFailure.UNREACHABLE, ModelFailure.SERVER_ERROR}
)
_HOPELESS = frozenset({ModelFailure.UNREACHABLE, ModelFailure.UNAUTHORISED})
"""Of the server, and not of the question."""
_WORTH_ASKING_AGAIN = frozenset({ModelFailure.TRUNCATED, ModelFailure.MALFORMED, ModelFailure.EMPTY})


@dataclass
class Asked(Generic[T]):
    """What came of a question. `value` is None when every attempt failed; `failures` has all that did, in order."""

    value: T | None = None
    failures: list[tuple[ModelFailure, str]] = field(default_factory=list)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def problem(self) -> str:
        """The last failure, for people."""
        if self.value is not None or not self.failures:
            return ""
        kind, detail = self.failures[-1]
        return f"{kind.value}: {detail}" if detail else kind.value

    @property
    def is_hopeless(self) -> bool:
        return self.value is None and bool(self.failures) and self.failures[-1][0] in _HOPELESS

    def usage(self) -> NodeUsage:
        counts = Counter(kind.value for kind, _ in self.failures)
        return NodeUsage(0, 0.0, self.calls, self.input_tokens, self.output_tokens, dict(counts))


def chat_model(context: Context) -> BaseChatModel:
    """The model that the settings name. Raises EnvironmentFailure when its client is not installed."""
    from langchain.chat_models import init_chat_model

    provider, name = split_name(context.model)
    try:
        if provider in _OWN_PROVIDERS:
            own: BaseChatModel = init_chat_model(name, model_provider=provider)
            return own
        key = context.openai_api_key.get_secret_value() or "none"  # a server of one's own may want none
        compatible: BaseChatModel = init_chat_model(
            name,
            model_provider="openai",
            base_url=None if provider == "openai" and not context.is_set("openai_api_url") else context.openai_api_url,
            api_key=key,
            timeout=float(context.model_timeout),
            max_retries=0,
            use_responses_api=False,
            stream_usage=True,
        )
        return compatible
    except ImportError as error:
        remedy = f"pip install langchain-{provider.replace('_', '-')}"
        raise EnvironmentFailure(f"model {context.model}", str(error).partition("\n")[0], remedy) from None


def split_name(model: str) -> tuple[str, str]:
    """`provider/name` or `provider:name`; a bare name is for the OpenAI-compatible server."""
    found = re.match(r"(?P<provider>[\w-]+)[/:](?P<name>.+)", model)
    return (found["provider"].replace("-", "_"), found["name"]) if found is not None else ("", model)


async def ask(context: Context, messages: Sequence[BaseMessage], answer: type[T], node: str) -> Asked[T]:
    """A typed answer. Waits where waiting helps, says what was wrong where that helps, at most ATTEMPTS times."""
    model = chat_model(context).with_structured_output(answer, method="function_calling", include_raw=True)
    asked: Asked[T] = Asked()
    conversation = list(messages)
    for attempt in range(ATTEMPTS):
        asked.calls += 1
        kind, detail, wait = await _attempt(model, conversation, answer, asked, context, node)
        if kind is None:
            return asked
        asked.failures.append((kind, _without_key(detail, context)))
        if kind in _WORTH_ASKING_AGAIN:
            conversation = [*messages, HumanMessage(f"Your last answer could not be used: {kind.value}. {detail}")]
        elif kind not in _WORTH_WAITING:
            break
        elif attempt + 1 < ATTEMPTS:
            await asyncio.sleep(min(_LONGEST_WAIT, wait if wait is not None else _backoff(attempt)))
    return asked


def _backoff(attempt: int) -> float:
    return _BACKOFF_SECONDS * 2.0**attempt * (1 + random.random())


Attempt = tuple[ModelFailure | None, str, float | None]


async def _attempt(
    model: Any, messages: Sequence[BaseMessage], answer: type[T], asked: Asked[T], context: Context, node: str
) -> Attempt:
    """One call: (failure, detail, seconds that the server wants us to wait); the value goes into `asked`."""
    try:
        call = model.ainvoke(messages, config={"tags": [node], "run_name": node})
        reply = await asyncio.wait_for(call, context.model_timeout)
    except TimeoutError:
        return ModelFailure.TIMEOUT, f"no answer within {context.model_timeout} s", None
    except Exception as error:  # every provider has exceptions of its own
        return _failure_of(error)
    raw = reply["raw"]
    usage = raw.usage_metadata or {}
    asked.input_tokens += usage.get("input_tokens", 0)
    asked.output_tokens += usage.get("output_tokens", 0)
    kind, detail = _judge(raw)
    if kind is not None:
        return kind, detail, None
    if isinstance(reply["parsed"], answer):
        asked.value = reply["parsed"]
        return None, "", None
    value, why = _from_text(raw, answer)
    asked.value = value
    if value is not None:
        return None, "", None
    said = reply["parsing_error"]
    return ModelFailure.MALFORMED, why or (_short(said) if said else "it is not what was asked for"), None


def _judge(raw: AIMessage) -> tuple[ModelFailure | None, str]:
    """Whether the message is an answer at all."""
    reason = str(raw.response_metadata.get("finish_reason") or raw.response_metadata.get("stop_reason") or "")
    refusal = raw.additional_kwargs.get("refusal")
    if refusal or reason in ("content_filter", "refusal"):
        return ModelFailure.REFUSED, str(refusal or "by the provider's filter")[:300]
    if reason in ("length", "max_tokens"):
        return ModelFailure.TRUNCATED, "it was cut off; answer shorter"
    if not raw.text.strip() and not raw.tool_calls and not raw.invalid_tool_calls:
        return ModelFailure.EMPTY, ""
    return None, ""


def _from_text(raw: AIMessage, answer: type[T]) -> tuple[T | None, str]:
    """Servers without tool calls write the JSON as text, often in a fence."""
    texts = [str(call["args"]) for call in raw.invalid_tool_calls if call.get("args")] or [raw.text]
    for text in texts:
        found = re.search(r"\{.*\}", text, re.S)
        if found is None:
            continue
        try:
            return answer.model_validate(json.loads(found[0])), ""
        except ValidationError as error:
            return None, _short(error)
        except ValueError as error:
            return None, f"no valid JSON: {error}"
    return None, ""


def _failure_of(error: Exception) -> Attempt:
    """By status and name: the clients of all providers follow the same habits."""
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    names = " ".join(c.__name__ for c in type(error).__mro__)
    detail = _short(error)
    if isinstance(status, int) and status >= 400:
        if status == 429:
            return ModelFailure.RATE_LIMITED, detail, _retry_after(response)
        if status in (401, 403):
            return ModelFailure.UNAUTHORISED, detail, None
        kind = ModelFailure.SERVER_ERROR if status >= 500 or status == 408 else ModelFailure.NOT_ACCEPTED
        return kind, detail, _retry_after(response)
    if "Timeout" in names:
        return ModelFailure.TIMEOUT, detail, None
    if "Refusal" in names or "ContentFilter" in names:
        return ModelFailure.REFUSED, detail, None
    if "LengthFinish" in names:
        return ModelFailure.TRUNCATED, detail, None
    if "Connect" in names or "Transport" in names or isinstance(error, OSError):
        return ModelFailure.UNREACHABLE, detail, None
    return ModelFailure.MALFORMED, detail, None


def _retry_after(response: Any) -> float | None:
    text = response.headers.get("retry-after") if response is not None and hasattr(response, "headers") else None
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None


def _short(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return f"{type(error).__name__}: {error}".partition("\n")[0][:300]


def _without_key(text: str, context: Context) -> str:
    key = context.openai_api_key.get_secret_value()
    return text.replace(key, "***") if key else text
