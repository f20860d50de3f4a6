"""What databases and code say about the schema, as one short text."""

from uom.orchestrator.inspection.summary import inspect_schema

__all__ = ["inspect_schema"]
