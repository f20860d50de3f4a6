"""`evaluation_node`: the rules judge. A model may add words to what it says, never change it."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from uom.orchestrator.context import Context
from uom.orchestrator.state import State
from uom.orchestrator.verdicts import engines_of, judge, summary


async def evaluation_node(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:  # noqa: ARG001
    """Accepted: code and a short summary go to the conversation. Rejected: the reasons go where the next try reads."""
    verdict = await asyncio.to_thread(judge, state)
    text = summary(verdict, engines_of(state))
    update = {"evaluation_decision": verdict.decision, "explanation_message": text}
    if verdict.decision == "ACCEPT":
        return {**update, "messages": [final_message(text, state)]}
    return {**update, "translation_messages": [HumanMessage(text, name="evaluation")]}


def final_message(text: str, state: State) -> AIMessage:
    """What the conversation gets: the verdict and the code, nothing of the way there."""
    blocks = [
        f"{title}\n\n```java\n{code.rstrip()}\n```"
        for title, code in (("Schema:", state.translated_schema_code), ("Queries:", state.translated_query_code))
        if code
    ]
    return AIMessage("\n\n".join([text, *blocks]))
