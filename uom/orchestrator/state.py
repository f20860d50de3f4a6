"""What travels through the graph. Names are public: clients read and write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from uom.orchestrator.frameworks import FrameworkEnum as FrameworkEnum
from uom.orchestrator.frameworks import TranslationType as TranslationType
from uom.orchestrator.usage import NodeUsage, add_usage


@dataclass
class QuerySample:
    """What one call returned, in the shape that the harnesses write: rows, and the two at the edges, as JSON values."""

    count: int
    firstSample: Any = None
    lastSample: Any = None
    error: str = ""


@dataclass
class QueryValidationResults:
    """One side of a validation. `queries` maps labels of calls to samples; all rows stay on disk, at `json_path`.

    `passed` means that the code compiled and ran; a single call that threw has its `error`. `output` is the short
    form of what compiler and program said.
    """

    passed: bool
    queries: dict[str, QuerySample] = field(default_factory=dict)
    json_path: str = ""
    engine: str = ""
    output: str = ""


@dataclass
class QueryEquivalenceDeepDiff:
    """The verdict on one query and what explains it.

    `verdict` says what decided: `rows` (every row was compared) or `samples` (count and edge rows, which is no proof).
    `level` is the ladder's. `first_diff` and `last_diff` are DeepDiff's findings on the samples, bounded in size.
    `source_problem` says why the interpreter stands for the C# where a `dotnet` is there.
    """

    equivalent: bool
    verdict: Literal["rows", "samples"]
    level: str
    reason: str = ""
    remedy: str = ""
    source_count: int = 0
    target_count: int = 0
    first_diff: dict[str, Any] = field(default_factory=dict)
    last_diff: dict[str, Any] = field(default_factory=dict)
    swapped: bool = False
    source_problem: str = ""


@dataclass
class InputState:
    """What a client supplies: a conversation, or the fields that would be read out of it."""

    messages: Annotated[Sequence[AnyMessage], add_messages] = field(default_factory=list)
    source_schema_code: str | None = None
    source_query_code: str | None = None
    translation_type: TranslationType | None = None
    source_target: FrameworkEnum | None = None
    source_target_version: str | None = None
    destination_target: FrameworkEnum | None = None
    destination_target_version: str | None = None

    def __post_init__(self) -> None:
        """Clients write names, and PostgreSQL's checkpoints give names back. Raises ValueError for an unknown one."""
        if self.translation_type is not None:
            self.translation_type = TranslationType(self.translation_type)
        if self.source_target is not None:
            self.source_target = FrameworkEnum(self.source_target)
        if self.destination_target is not None:
            self.destination_target = FrameworkEnum(self.destination_target)


@dataclass
class OutputState:
    """What a client gets. Code of several files has a line `// file: PATH` before each."""

    messages: Annotated[Sequence[AnyMessage], add_messages] = field(default_factory=list)
    translated_schema_code: str | None = None
    translated_query_code: str | None = None
    source_validation_schema_code: str | None = None
    source_validation_harness_code: str | None = None
    target_validation_schema_code: str | None = None
    target_validation_harness_code: str | None = None
    explanation_message: str | None = None
    usage: Annotated[dict[str, NodeUsage], add_usage] = field(default_factory=dict)


@dataclass
class State(InputState, OutputState):
    """Everything, with what only the graph itself needs."""

    source_validation_entry_type_name: str | None = None
    target_validation_entry_type_name: str | None = None
    source_query_validation_results: QueryValidationResults | None = None
    target_query_validation_results: QueryValidationResults | None = None
    query_equivalence_deep_diffs: dict[str, QueryEquivalenceDeepDiff] | None = None
    schema_context: str = ""
    translation_messages: Annotated[Sequence[AnyMessage], add_messages] = field(default_factory=list)
    extraction_loop_count: int = 0
    translation_loop_count: int = 0
    schema_validation_passed: bool | None = None
    evaluation_decision: Literal["ACCEPT", "REJECT"] | None = None
    model_queries: dict[str, str] = field(default_factory=dict)
    """Java that a model wrote, by query: what is right stays when the rest is asked for again."""
    call_arguments: str = ""
    """Argument values of every call, chosen once: both sides and the judge use the same."""
    human_decision: Literal["accept", "reject"] | None = None
    data_file: str = ""
    """The rows of this run, so that a resumed one has the same; "" is the bundled sample."""
    model_schema: str = ""
    """Entity classes that a model wrote, where it was asked for them."""
    read_message_id: str | None = None
    """The last message of the user that a translation was made for: a later one begins another."""
