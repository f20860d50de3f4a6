"""What is loaded into a target database: documents by collection, or a graph."""

from __future__ import annotations

from typing import Any

from uom.data import documents
from uom.data.graph import GraphContent, graph_content
from uom.model.diagnostics import Diagnostic
from uom.model.mapping import DocumentMapping, GraphMapping
from uom.model.program import Semantics
from uom.model.schema import Schema
from uom.reference.values import Database

Documents = dict[str, list[dict[str, Any]]]
Content = Documents | GraphContent


def content_for(
    database: Database, schema: Schema, mapping: DocumentMapping | GraphMapping, semantics: Semantics, file: str
) -> Content:
    """The rows as the design stores them. Raises DataProblem, naming `file`, for what it cannot hold."""
    if isinstance(mapping, GraphMapping):
        return graph_content(database, schema, mapping, semantics, file)
    return documents.documents(database, schema, mapping)


def losses_in(database: Database, mapping: DocumentMapping | GraphMapping) -> list[Diagnostic]:
    """What the design cannot hold of the rows and cuts off. A graph refuses such rows instead."""
    return [] if isinstance(mapping, GraphMapping) else documents.losses(database)
