"""Where rows are in the graph: labels, properties and relationship patterns. The only place that reads the mapping."""

from __future__ import annotations

from dataclasses import dataclass

from uom.model.diagnostics import Refusal
from uom.model.mapping import EntityRelationship, GraphMapping, GraphProperty, NodeMapping
from uom.model.schema import Navigation, NavigationKind
from uom.plan.mapping.documents import camel_case
from uom.write.members import Members
from uom.write.neo4j.text import quoted


@dataclass(frozen=True, slots=True)
class Graph(Members):
    """Answers about the design; patterns are text that a MATCH takes."""

    mapping: GraphMapping

    def node(self, entity: str) -> NodeMapping | None:
        return self.mapping.node(entity)

    def link(self, entity: str) -> EntityRelationship | None:
        """The relationship that an entity's rows are, if they are not nodes."""
        return self.mapping.relationship(entity)

    def stored(self, entity: str, path: str) -> GraphProperty:
        """The property behind a C# path. Members of derived types are found from their base, too."""
        for name in (entity, *self.schema.descendants(entity)):
            for found in self.mapping.properties(name):
                if found.property == path:
                    return found
        raise Refusal(f"{entity}.{path}", "the mapping does not say where the property is stored")

    def hint(self, entity: str) -> str:
        """A name for a variable with a row of the entity."""
        return camel_case(entity.rpartition(".")[2])

    def label(self, entity: str) -> str:
        node = self.node(entity)
        if node is None:
            raise Refusal(entity, "the mapping does not say where the entity is stored")
        return quoted(node.label)

    def scan(self, entity: str, variable: str) -> str:
        """A pattern that finds every row once."""
        link = self.link(entity)
        if link is None:
            return f"({quoted(variable)}:{self.label(entity)})"
        start, end = self.label(link.start), self.label(link.end)
        return f"(:{start})-[{quoted(variable)}:{quoted(link.type)}]->(:{end})"

    def step(self, source: str, entity: str, navigation: Navigation, target: str) -> str:
        """A pattern from a bound row, an expression in `source`, to the rows that its navigation leads to."""
        here, there = f"({quoted(source)})", self._end(navigation.target, target)
        link = self.link(entity)
        if link is not None:
            raise Refusal(f"{entity}.{navigation.name}", "the start of the step is a relationship")
        far = self.link(navigation.target)
        if far is not None and navigation.foreign_key is not None:
            leaves = far.start_key == navigation.foreign_key
            other = self.label(far.end if leaves else far.start)
            arrow = f"[{quoted(target)}:{quoted(far.type)}]"
            return f"{here}-{arrow}->(:{other})" if leaves else f"{here}<-{arrow}-(:{other})"
        type_, outgoing = self.relationship(entity, navigation)
        arrow = f"[:{quoted(type_)}]"
        return f"{here}-{arrow}->{there}" if outgoing else f"{here}<-{arrow}-{there}"

    def relationship(self, entity: str, navigation: Navigation) -> tuple[str, bool]:
        """(type, whether it leaves the entity) of the relationship behind a navigation."""
        if navigation.kind is NavigationKind.SKIP:
            return self._through(entity, navigation)
        key = navigation.foreign_key
        far = self.link(navigation.target)
        if far is not None:
            return far.type, far.start_key == key
        found = self.mapping.foreign_key(key) if key is not None else None
        if found is None:
            raise Refusal(f"{entity}.{navigation.name}", "the mapping has no relationship for it")
        return found.type, navigation.on_dependent != found.from_principal

    def _through(self, entity: str, navigation: Navigation) -> tuple[str, bool]:
        """A many-to-many navigation."""
        table = navigation.join_table
        join = self.mapping.join(table.table) if table is not None else None
        if table is not None and join is not None:
            return join.type, join.start_columns == table.source_columns
        link = self.link(table.entity) if table is not None and table.entity is not None else None
        if link is None or table is None:
            raise Refusal(f"{entity}.{navigation.name}", "the mapping has no relationship for its join table")
        sources = {column for column, _ in table.source_columns}
        start = (self.property(link.entity, name) for name in link.start_key.properties)
        return link.type, sources == {p.column for p in start if p is not None}

    def _end(self, entity: str, variable: str) -> str:
        return f"({quoted(variable)}:{self.label(entity)})" if self.link(entity) is None else f"({quoted(variable)})"

    def end_of_link(self, entity: str, navigation: Navigation) -> str:
        """`startNode` or `endNode`: where a navigation of a row that is a relationship leads to."""
        link = self.link(entity)
        assert link is not None
        if navigation.foreign_key == link.start_key:
            return "startNode"
        if navigation.foreign_key == link.end_key:
            return "endNode"
        raise Refusal(f"{entity}.{navigation.name}", "the relationship does not end there")

    def concrete_labels(self, entity: str) -> str:
        """The label that the entity and all that derive from it carry."""
        return self.label(entity)
