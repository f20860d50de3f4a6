"""The five gates. Pure functions of the state; the names they return are the nodes of the specification."""

from __future__ import annotations

from typing import Literal

from uom.orchestrator.state import State, TranslationType

MAX_EXTRACTION_LOOPS = 3
MAX_TRANSLATION_LOOPS = 3

PASSED = "[Validation Passed]"
FAILED = "[Validation Failed]"


def should_extract_input(state: State) -> Literal["schema_inspection", "extract_input", "__end__"]:
    """On when everything is there, to reading the conversation while that may help, else to the end.

    What was read from a conversation holds until the user says something more.
    """
    if says_more(state):
        return "extract_input"
    if has_inputs(state):
        return "schema_inspection"
    if state.extraction_loop_count < MAX_EXTRACTION_LOOPS:
        return "extract_input"
    return "__end__"


def route_post_translation(state: State) -> Literal["prep_schema_validation", "prep_query_validation"]:
    """BOTH goes to the queries at once (specification, 4.2): they cannot compile without the schema."""
    if state.translation_type is TranslationType.SCHEMA:
        return "prep_schema_validation"
    return "prep_query_validation"


def route_post_schema_validation(
    state: State,
) -> Literal["prep_query_validation", "generate_translation_node", "human_intervention_node", "__end__"]:
    """The first branch is the specification's 4.3 for BOTH; by 4.2 only SCHEMA comes here."""
    if state.schema_validation_passed:
        return "prep_query_validation" if state.translation_type is TranslationType.BOTH else "__end__"
    if state.translation_loop_count < MAX_TRANSLATION_LOOPS:
        return "generate_translation_node"
    return "human_intervention_node"


def route_post_query_validation(state: State) -> Literal["prep_query_equivalence", "evaluation_node"]:
    """Rows are compared only where both sides compiled and ran."""
    source, target = state.source_query_validation_results, state.target_query_validation_results
    if source is not None and source.passed and target is not None and target.passed:
        return "prep_query_equivalence"
    return "evaluation_node"


def route_post_evaluation(
    state: State,
) -> Literal["generate_translation_node", "human_intervention_node", "__end__"]:
    """Accepted is done; rejected is tried again, and after the last try a person is asked."""
    if state.evaluation_decision == "ACCEPT":
        return "__end__"
    if state.translation_loop_count < MAX_TRANSLATION_LOOPS:
        return "generate_translation_node"
    return "human_intervention_node"


def says_more(state: State) -> bool:
    """Whether the user has said something since the last translation was begun."""
    return state.read_message_id is not None and state.read_message_id != last_message_id(state)


def last_message_id(state: State) -> str | None:
    """Of the user's messages."""
    return next((m.id for m in reversed(state.messages) if m.type == "human"), None)


def has_inputs(state: State) -> bool:
    """Whether the fields that this kind of translation needs are all there."""
    wanted = {
        TranslationType.SCHEMA: (state.source_schema_code,),
        TranslationType.QUERY: (state.source_query_code,),
        TranslationType.BOTH: (state.source_schema_code, state.source_query_code),
    }
    code = wanted.get(state.translation_type, ()) if state.translation_type is not None else ()
    return bool(code) and all(code) and state.source_target is not None and state.destination_target is not None
