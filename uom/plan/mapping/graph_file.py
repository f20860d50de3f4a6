"""`mapping.yaml` for Neo4j: the graph design as a file that one can read and edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from uom.model.mapping import (
    EntityRelationship,
    ForeignKeyRelationship,
    GraphMapping,
    GraphProperty,
    JoinRelationship,
    NodeMapping,
)
from uom.model.schema import Schema
from uom.plan.mapping.graphs import MOST_DIGITS, as_relationship, may_be_relationship
from uom.plan.mapping.yaml_nodes import MappingProblem, child, only, pairs, read_contexts

HEADER = """\
# How each row lives in Neo4j. Edit names here and run again: queries, classes and loaded rows follow.
# entities:      label: the node's label; properties: C# property -> property of the node
#                (a decimal is stored as an integer, value * 10^scale, because Neo4j has no decimals)
#                storage: node, or relationship for rows that only link two others
# relationships: one per foreign key, named by its role; direction: to_principal (from the row that holds the foreign
#                key) or from_principal
# joins:         one per join table without a class of its own
"""
_TO, _FROM = "to_principal", "from_principal"
_WHY_NODE = "other rows may come to refer to it; storage: relationship is possible"
_WHY_LINK = "its key is made of two foreign keys and it links many to many"


def to_yaml(mappings: Sequence[GraphMapping], schemas: Sequence[Schema]) -> str:
    """The text of the file for one or more contexts."""
    by_context = {s.context: s for s in schemas}
    contexts = {m.context or "default": _context(m, by_context[m.context]) for m in mappings}
    document = {"version": 1, "target": "neo4j", "contexts": contexts}
    return HEADER + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)


def _context(mapping: GraphMapping, schema: Schema) -> dict[str, Any]:
    entities: dict[str, Any] = {}
    for entity in schema.entities:
        node, link = mapping.node(entity.name), mapping.relationship(entity.name)
        if node is not None:
            entities[entity.name] = _node(node, schema)
        elif link is not None:
            properties = _properties(link.properties)
            entities[entity.name] = {
                "storage": "relationship", "why": _WHY_LINK, "type": link.type, "properties": properties
            }  # fmt: skip
    found: dict[str, Any] = {"entities": entities}
    if mapping.foreign_keys:
        found["relationships"] = {
            role(r): {"type": r.type, "direction": _FROM if r.from_principal else _TO} for r in mapping.foreign_keys
        }
    if mapping.joins:
        found["joins"] = {j.table: {"type": j.type, "from": j.start, "to": j.end} for j in mapping.joins}
    return found


def _node(node: NodeMapping, schema: Schema) -> dict[str, Any]:
    choice = {"storage": "node", "why": _WHY_NODE} if may_be_relationship(schema, node.entity) else {}
    key = {"key": node.key} if node.key is not None else {}
    return {**choice, "label": node.label, **key, "properties": _properties(node.properties)}


def _properties(properties: Sequence[GraphProperty]) -> dict[str, Any]:
    return {p.property: p.name if p.scale is None else {"name": p.name, "scale": p.scale} for p in properties}


def role(link: ForeignKeyRelationship) -> str:
    """How the file calls a foreign key: `Order.CustomerId`, `Line.OrderId+ProductId`."""
    return f"{link.foreign_key.dependent}.{'+'.join(link.foreign_key.properties)}"


# reading ------------------------------------------------------------------------------------------------------------


def read_graphs(path: Path, defaults: tuple[GraphMapping, ...], schemas: Sequence[Schema]) -> tuple[GraphMapping, ...]:
    """The defaults with the file's changes. Raises MappingProblem for anything unknown."""
    by_context = {s.context: s for s in schemas}

    def merge(file: str, mapping: GraphMapping, node: yaml.Node) -> GraphMapping:
        return _Merger(file, by_context[mapping.context]).context(mapping, node)

    return read_contexts(path, "neo4j", defaults, ("entities", "relationships", "joins"), merge)


class _Merger:
    """Applies one file to the design of one context."""

    def __init__(self, file: str, schema: Schema) -> None:
        self.file, self.schema = file, schema

    def context(self, mapping: GraphMapping, node: yaml.Node) -> GraphMapping:
        entities = child(self.file, node, "entities")
        if entities is not None:
            mapping = self.storages(mapping, entities)
            mapping = self.entities(mapping, entities)
            self.check_labels(mapping, entities)
        links = child(self.file, node, "relationships")
        if links is not None:
            known = {role(r): r for r in mapping.foreign_keys}
            mapping = replace(mapping, foreign_keys=tuple(self.each(links, known, self.foreign_key, "foreign key")))
        joins = child(self.file, node, "joins")
        if joins is not None:
            tables = {j.table: j for j in mapping.joins}
            mapping = replace(mapping, joins=tuple(self.each(joins, tables, self.join, "join table")))
        self.check_types(mapping, node)
        return mapping

    def each(self, node: yaml.Node, known: Mapping[str, Any], merge: Callable[[Any, yaml.Node], Any], what: str) -> Any:
        changed = dict(known)
        for key, value in pairs(self.file, node):
            if key.value not in changed:
                names = ", ".join(sorted(changed)) or "none"
                raise self.problem(key, f"there is no {what} {key.value}", f"Known: {names}.")
            changed[key.value] = merge(changed[key.value], value)
        return changed.values()

    def storages(self, mapping: GraphMapping, node: yaml.Node) -> GraphMapping:
        """What is a node by default becomes a relationship, or the other way round, before names are looked at."""
        known = {e.name for e in self.schema.entities}
        for key, value in pairs(self.file, node):
            if key.value not in known:
                raise self.problem(key, f"there is no entity {key.value}", f"Known: {', '.join(sorted(known))}.")
            storage = child(self.file, value, "storage")
            if storage is None:
                continue
            if storage.value not in ("node", "relationship"):
                raise self.problem(storage, f"'{storage.value}' is no storage", "Use node or relationship.")
            wanted, is_link = storage.value == "relationship", mapping.relationship(key.value) is not None
            if wanted and not is_link:
                if not may_be_relationship(self.schema, key.value):
                    reason = (
                        f"{key.value} cannot be a relationship: its key is not made of two foreign keys, or it has more"
                    )
                    raise self.problem(storage, reason, "Use node.")
                mapping = as_relationship(mapping, self.schema, key.value)
            elif is_link and not wanted:
                raise self.problem(storage, f"{key.value} links many to many", "Use relationship.")
        return mapping

    def entities(self, mapping: GraphMapping, node: yaml.Node) -> GraphMapping:
        nodes = {n.entity: n for n in mapping.nodes}
        links = {r.entity: r for r in mapping.entities}
        for key, value in pairs(self.file, node):
            if key.value in nodes:
                nodes[key.value] = self.node(nodes[key.value], value)
            elif key.value in links:
                links[key.value] = self.link(links[key.value], value)
        relabelled = tuple(self.relabelled(n, nodes) for n in nodes.values())
        return replace(mapping, nodes=relabelled, entities=tuple(links.values()))

    def node(self, node: NodeMapping, value: yaml.Node) -> NodeMapping:
        only(self.file, value, ("storage", "why", "label", "key", "properties"))
        label, key = child(self.file, value, "label"), child(self.file, value, "key")
        properties = child(self.file, value, "properties")
        if label is not None:
            node = replace(node, labels=(*node.labels[:-1], self.name(label)))
        if key is not None:
            if node.key is None:
                raise self.problem(key, f"the key of {node.entity} is one property", "Remove the line.")
            node = replace(node, key=self.name(key))
        if properties is not None:
            node = replace(node, properties=self.properties(node.properties, properties, node.entity))
        return node

    def relabelled(self, node: NodeMapping, nodes: Mapping[str, NodeMapping]) -> NodeMapping:
        """The labels of bases as they are now."""
        lineage = [self.schema.entity(node.entity)]
        while (base := lineage[-1].base) is not None:
            lineage.append(self.schema.entity(base))
        return replace(node, labels=tuple(nodes[e.name].label for e in reversed(lineage)))

    def link(self, link: EntityRelationship, value: yaml.Node) -> EntityRelationship:
        only(self.file, value, ("storage", "why", "type", "properties"))
        type_, properties = child(self.file, value, "type"), child(self.file, value, "properties")
        if type_ is not None:
            link = replace(link, type=self.name(type_))
        if properties is not None:
            link = replace(link, properties=self.properties(link.properties, properties, link.entity))
        return link

    def properties(
        self, properties: Sequence[GraphProperty], node: yaml.Node, entity: str
    ) -> tuple[GraphProperty, ...]:
        known = {p.property: p for p in properties}
        changed = tuple(self.each(node, known, self.property, f"property of {entity} called"))
        names = [p.name for p in changed]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise self.problem(node, f"two properties of {entity} are stored as '{twice}'", "Give each its own name.")
        return changed

    def property(self, property_: GraphProperty, node: yaml.Node) -> GraphProperty:
        if not isinstance(node, yaml.MappingNode):
            return replace(property_, name=self.name(node))
        only(self.file, node, ("name", "scale"))
        name, scale = child(self.file, node, "name"), child(self.file, node, "scale")
        if name is not None:
            property_ = replace(property_, name=self.name(name))
        if scale is not None:
            digits = str(scale.value)
            if property_.scale is None or not digits.isdigit() or int(digits) > MOST_DIGITS:
                reason = f"'{scale.value}' is no scale here: decimals have one, from 0 to {MOST_DIGITS}"
                raise self.problem(scale, reason, "Write a number of digits, or remove the line.")
            property_ = replace(property_, scale=int(digits))
        return property_

    def foreign_key(self, link: ForeignKeyRelationship, node: yaml.Node) -> ForeignKeyRelationship:
        only(self.file, node, ("type", "direction"))
        type_, direction = child(self.file, node, "type"), child(self.file, node, "direction")
        if type_ is not None:
            link = replace(link, type=self.name(type_))
        if direction is not None:
            if direction.value not in (_TO, _FROM):
                raise self.problem(direction, f"'{direction.value}' is no direction", f"Use {_TO} or {_FROM}.")
            link = replace(link, from_principal=direction.value == _FROM)
        return link

    def join(self, join: JoinRelationship, node: yaml.Node) -> JoinRelationship:
        only(self.file, node, ("type", "from", "to"))
        type_, start, end = (child(self.file, node, n) for n in ("type", "from", "to"))
        if type_ is not None:
            join = replace(join, type=self.name(type_))
        ends = (start.value if start is not None else join.start, end.value if end is not None else join.end)
        if ends == (join.end, join.start) and join.start != join.end:
            columns = (join.end_columns, join.start_columns)
            join = replace(join, start=ends[0], end=ends[1], start_columns=columns[0], end_columns=columns[1])
        elif ends != (join.start, join.end):
            where = start if start is not None else node
            raise self.problem(where, "these are not its two ends", f"Use {join.start} and {join.end}.")
        return join

    def name(self, node: yaml.Node) -> str:
        """Any text is a name in Cypher, once quoted; but not every one can be read."""
        value = node.value if isinstance(node, yaml.ScalarNode) else ""
        if not value or any(ord(c) < 32 or ord(c) == 127 for c in value) or len(value.encode()) > 16_000:
            raise self.problem(node, "a name is expected here", "Write one word.")
        return str(value)

    def check_labels(self, mapping: GraphMapping, node: yaml.Node) -> None:
        labels = [n.label for n in mapping.nodes]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise self.problem(node, f"two entities have the label '{twice}'", "Give each its own.")

    def check_types(self, mapping: GraphMapping, node: yaml.Node) -> None:
        """A type may be used twice, but not between the same two entities: a pattern would find both."""
        seen: dict[tuple[str, frozenset[str]], str] = {}
        links = [(r.type, r.start, r.end, role(r)) for r in mapping.foreign_keys]
        links += [(j.type, j.start, j.end, j.table) for j in mapping.joins]
        links += [(e.type, e.start, e.end, e.entity) for e in mapping.entities]
        for type_, start, end, what in links:
            other = seen.setdefault((type_, frozenset({self.root(start), self.root(end)})), what)
            if other != what:
                raise self.problem(node, f"{other} and {what} are both called {type_}", "Give each role its own type.")

    def root(self, entity: str) -> str:
        while (base := self.schema.entity(entity).base) is not None:
            entity = base
        return entity

    def problem(self, node: yaml.Node, reason: str, remedy: str) -> MappingProblem:
        return MappingProblem(self.file, node.start_mark.line + 1, reason, remedy)
