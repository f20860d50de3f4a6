"""Runs a thread from its input or its interrupt to the next stop, for the command line and anything like it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from langchain_core.messages import HumanMessage
from langgraph.types import Command

from uom.orchestrator.context import Context
from uom.orchestrator.graph import compile_graph
from uom.orchestrator.state import FrameworkEnum, State
from uom.orchestrator.threads import Threads, known_thread
from uom.orchestrator.validation.evidence import check_runs_folder, remove_old

Event = dict[str, Any]
Status = Literal["accepted", "accepted_unproven", "rejected", "waiting", "incomplete", "unfinished"]
SETTINGS = ("translator", "sandbox", "unsafe_no_sandbox", "verdict", "data_file", "model")
"""Settings that a resumed thread keeps, in the metadata of its checkpoints; none of them is a secret."""
_PREFIX = "uom_"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where a thread stands. `question` is the interrupt's payload while a person is waited for."""

    thread: str
    status: Status
    values: dict[str, Any]
    question: dict[str, Any] | None = None
    next: tuple[str, ...] = ()

    def state(self) -> State:
        return State(**{f.name: self.values[f.name] for f in fields(State) if f.name in self.values})

    @property
    def explanation(self) -> str:
        return str(self.values.get("explanation_message") or "")


class ThreadExists(Exception):
    """A new thread was to get the name of another."""


class NotWaiting(Exception):
    """A thread was answered that does not ask anything, perhaps because another process was quicker."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"thread {outcome.thread} does not wait for an answer: it is {outcome.status}")


@dataclass
class Runner:
    """One graph over one store of threads. `listen` gets the progress events of nodes."""

    threads: Threads
    context: Context
    listen: Callable[[Event], None] = lambda _: None
    settings: dict[str, Any] = field(default_factory=dict)

    async def start(self, text: str, target: FrameworkEnum | None = None, thread: str = "") -> Outcome:
        """A new thread with what a user wrote. Raises ThreadExists where there is one of that name."""
        if thread and await self.threads.saver.aget_tuple({"configurable": {"thread_id": thread}}) is not None:
            raise ThreadExists(f"thread {thread} exists already: resume it, or choose another name")
        check_runs_folder()
        remove_old()
        given = {"messages": [HumanMessage(text)]}
        return await self._run(
            thread or uuid.uuid4().hex[:12], given | ({"destination_target": target} if target else {})
        )

    async def answer(self, thread: str, decision: dict[str, str]) -> Outcome:
        """What a person decided about a waiting thread. Raises NotWaiting when nobody is waited for (any more)."""
        await known_thread(self.threads, thread)
        return await self._run(thread, Command(resume=decision), waiting=True)

    async def go_on(self, thread: str) -> Outcome:
        """A thread whose process was ended goes on where it was; any other is left alone."""
        await known_thread(self.threads, thread)
        return await self._run(thread, None)

    async def look(self, thread: str) -> Outcome:
        """Where a thread stands; nothing is run."""
        await known_thread(self.threads, thread)
        return await self._outcome(compile_graph(self.threads.saver), thread)

    async def _run(self, thread: str, given: Any, waiting: bool = False) -> Outcome:
        app = compile_graph(self.threads.saver)
        async with self.threads.claim(thread):
            before = await self._outcome(app, thread)
            if waiting and before.status != "waiting":
                raise NotWaiting(before)
            if given is None and before.status != "unfinished":
                return before
            settings = {**await self._kept(thread), **self.settings}
            kept = {f"{_PREFIX}{name}": value for name, value in settings.items()}
            config = {"configurable": {"thread_id": thread}, "metadata": kept, "recursion_limit": 100}
            context = _with(self.context, settings)
            async for event in app.astream(given, config, context=context, stream_mode="custom", durability="sync"):
                self.listen(event)
            return await self._outcome(app, thread)

    async def _outcome(self, app: Any, thread: str) -> Outcome:
        snapshot = await app.aget_state({"configurable": {"thread_id": thread}})
        question = next((i.value for i in snapshot.interrupts), None)
        return Outcome(thread, _status(snapshot, question is not None), snapshot.values, question, _standing(snapshot))

    async def _kept(self, thread: str) -> dict[str, Any]:
        found = await self.threads.saver.aget_tuple({"configurable": {"thread_id": thread}})
        metadata: dict[str, Any] = dict(found.metadata) if found is not None else {}
        return {name: metadata[f"{_PREFIX}{name}"] for name in SETTINGS if f"{_PREFIX}{name}" in metadata}


def _status(snapshot: Any, asked: bool) -> Status:
    values = snapshot.values
    if asked:
        return "waiting"
    if _standing(snapshot):
        return "unfinished"
    if values.get("human_decision") == "accept":
        return "accepted_unproven"
    if values.get("evaluation_decision") == "ACCEPT" or values.get("schema_validation_passed"):
        return "accepted"
    return "rejected" if values.get("translation_loop_count") or values.get("schema_context") else "incomplete"


def _standing(snapshot: Any) -> tuple[str, ...]:
    """Nodes of the step that a thread is in. `snapshot.next` leaves out one that ended just before the process did."""
    return tuple(task.name for task in snapshot.tasks)


def _with(context: Context, settings: dict[str, Any]) -> Context:
    known = {name: getattr(context, name) for name in context.__dataclass_fields__}
    return Context(**{**known, **settings})
