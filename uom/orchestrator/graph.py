"""The state machine of the specification (architecture, section 2). Read it beside the diagram there.

START -> should_extract_input -> extract_input | schema_inspection | END
schema_inspection -> generate_translation_node -> route_post_translation
prep_schema_validation -> validate_schema_node -> route_post_schema_validation
prep_query_validation -> validate_query_node -> route_post_query_validation
prep_query_equivalence -> check_query_equivalence_node -> evaluation_node -> route_post_evaluation
human_intervention_node -> generate_translation_node, or END where a person accepts what is there
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from langgraph.graph import START, StateGraph

from uom.orchestrator import nodes, routes
from uom.orchestrator.context import Context
from uom.orchestrator.discretion import made_discreet
from uom.orchestrator.state import InputState, OutputState, State
from uom.orchestrator.timing import timed

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

NODES = {
    "extract_input": nodes.extract_input,
    "schema_inspection": nodes.schema_inspection,
    "generate_translation_node": nodes.generate_translation_node,
    "prep_schema_validation": nodes.prep_schema_validation,
    "validate_schema_node": nodes.validate_schema_node,
    "prep_query_validation": nodes.prep_query_validation,
    "validate_query_node": nodes.validate_query_node,
    "prep_query_equivalence": nodes.prep_query_equivalence,
    "check_query_equivalence_node": nodes.check_query_equivalence_node,
    "evaluation_node": nodes.evaluation_node,
    "human_intervention_node": nodes.human_intervention_node,
}


@cache
def build() -> StateGraph[State, Context, InputState, OutputState]:
    """The graph before it is compiled."""
    graph = StateGraph(State, context_schema=Context, input_schema=InputState, output_schema=OutputState)
    for name, node in NODES.items():
        graph.add_node(name, timed(name, node))

    graph.add_conditional_edges(START, routes.should_extract_input)
    graph.add_conditional_edges("extract_input", routes.should_extract_input)
    graph.add_edge("schema_inspection", "generate_translation_node")
    graph.add_conditional_edges("generate_translation_node", routes.route_post_translation)

    graph.add_edge("prep_schema_validation", "validate_schema_node")
    graph.add_conditional_edges("validate_schema_node", routes.route_post_schema_validation)

    graph.add_edge("prep_query_validation", "validate_query_node")
    graph.add_conditional_edges("validate_query_node", routes.route_post_query_validation)

    graph.add_edge("prep_query_equivalence", "check_query_equivalence_node")
    graph.add_edge("check_query_equivalence_node", "evaluation_node")
    graph.add_conditional_edges("evaluation_node", routes.route_post_evaluation)
    return graph


def compile_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> Any:
    """The graph, ready to run. A person can only be asked where there is a checkpointer."""
    return made_discreet(build().compile(checkpointer=checkpointer, name="universal-object-mapping-translator"))


def graph() -> Any:
    """For `langgraph dev`, which brings its own checkpointer."""
    return compile_graph()
