"""The eleven nodes. Each takes state, config and runtime, and returns what changes."""

from uom.orchestrator.nodes.equivalence import check_query_equivalence_node, prep_query_equivalence
from uom.orchestrator.nodes.evaluation import evaluation_node
from uom.orchestrator.nodes.extraction import extract_input
from uom.orchestrator.nodes.generation import generate_translation_node
from uom.orchestrator.nodes.human import human_intervention_node
from uom.orchestrator.nodes.inspection import schema_inspection
from uom.orchestrator.nodes.query_validation import prep_query_validation, validate_query_node
from uom.orchestrator.nodes.schema_validation import prep_schema_validation, validate_schema_node

__all__ = [
    "check_query_equivalence_node",
    "evaluation_node",
    "extract_input",
    "generate_translation_node",
    "human_intervention_node",
    "prep_query_equivalence",
    "prep_query_validation",
    "prep_schema_validation",
    "schema_inspection",
    "validate_query_node",
    "validate_schema_node",
]
