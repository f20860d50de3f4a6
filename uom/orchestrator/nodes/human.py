"""`human_intervention_node`: a person decides what the tries could not."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from uom.orchestrator.context import Context
from uom.orchestrator.nodes.evaluation import final_message
from uom.orchestrator.state import State

ACTION = "accept_translation"
_HOW = 'Answer {"decision": "accept"} or {"decision": "reject", "feedback": "what to do better"}.'
_ACCEPT = frozenset({"accept", "approve", "accepted", "approved"})
_REJECT = frozenset({"reject", "rejected"})


async def human_intervention_node(
    state: State,
    config: RunnableConfig,  # noqa: ARG001
    runtime: Runtime[Context],  # noqa: ARG001
) -> Command[Literal["generate_translation_node", "__end__"]]:
    """Waits for accept, which ends the run as it is and proves nothing, or reject, which starts the tries anew."""
    decision, feedback = None, ""
    problem = ""
    while decision is None:
        decision, feedback = read_answer(interrupt(payload(state, problem)))
        problem = f"The answer was not understood. {_HOW}"
    if decision == "accept":
        text = f"Accepted by a person, not proven. {state.explanation_message or ''}".strip()
        done = {"human_decision": decision, "explanation_message": text, "messages": [final_message(text, state)]}
        return Command(goto="__end__", update=done)
    update: dict[str, Any] = {"human_decision": decision, "translation_loop_count": 0, "evaluation_decision": None}
    if feedback:
        update["translation_messages"] = [HumanMessage(feedback, name="reviewer")]
    return Command(goto="generate_translation_node", update=update)


def payload(state: State, problem: str = "") -> dict[str, Any]:
    """What the person sees. `action_requests` and `review_configs` are there for clients that only know tool calls."""
    explanation = state.explanation_message or ""
    diffs = state.query_equivalence_deep_diffs or {}
    return {
        "kind": "translation_review",
        "question": problem or f"The translation was not accepted. {_HOW}",
        "explanation": explanation,
        "translated_schema_code": state.translated_schema_code,
        "translated_query_code": state.translated_query_code,
        "deep_diffs": {query: asdict(diff) for query, diff in diffs.items() if not diff.equivalent},
        "action_requests": [{"name": ACTION, "args": {}, "description": explanation or "Accept the translation?"}],
        "review_configs": [{"action_name": ACTION, "allowed_decisions": ["approve", "reject"]}],
    }


def read_answer(answer: Any) -> tuple[Literal["accept", "reject"] | None, str]:
    """A word, our own form, or the form of tool-call reviews; anything else is no decision."""
    if isinstance(answer, dict) and isinstance(answer.get("decisions"), list) and len(answer["decisions"]) == 1:
        answer = answer["decisions"][0]
    if isinstance(answer, str):
        answer = {"decision": answer}
    if not isinstance(answer, dict):
        return None, ""
    word = str(answer.get("decision") or answer.get("type") or answer.get("action") or "").strip().lower()
    feedback = str(answer.get("feedback") or answer.get("message") or "")
    if word in _ACCEPT:
        return "accept", ""
    return ("reject", feedback) if word in _REJECT else (None, "")
