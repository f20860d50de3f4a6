"""`mapping.yaml`: the document design as a file that one can read and edit.

Written on the first run; when present it is obeyed, and what it does not mention keeps its default. Errors name the
line and what is allowed there.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from uom.model.mapping import DocumentMapping, EntityMapping, FieldMapping
from uom.plan.mapping.yaml_nodes import MappingProblem, child, pairs, read_contexts

__all__ = ["HEADER", "MappingProblem", "read_yaml", "to_yaml"]

_UNUSABLE = re.compile(r"""[\x00-\x1f\x7f"\\]|^\.|\.\.|\.$|(^|\.)\$""")
_LONGEST_COLLECTION = 200
"""Bytes; the server takes 255, the database's name included."""

HEADER = """\
# Where each entity lives in MongoDB. Edit names here and run again: queries, classes and loaded rows follow.
# collection: the collection of the entity's documents
# fields:     C# property -> stored field (a dot goes into a sub-document; the key belongs into _id)
"""


def to_yaml(mappings: tuple[DocumentMapping, ...]) -> str:
    """The text of the file for one or more contexts."""
    contexts = {m.context or "default": {"entities": {e.entity: _entity(e) for e in m.entities}} for m in mappings}
    body = yaml.safe_dump({"version": 1, "contexts": contexts}, sort_keys=False, allow_unicode=True, width=120)
    return HEADER + body


def _entity(entity: EntityMapping) -> dict[str, Any]:
    return {"collection": entity.collection, "fields": {f.property: _field(f) for f in entity.fields}}


def _field(field: FieldMapping) -> Any:
    if not field.members:
        return field.path
    return {"path": field.path, "fields": {m.property: _field(m) for m in field.members}}


def read_yaml(path: Path, defaults: tuple[DocumentMapping, ...]) -> tuple[DocumentMapping, ...]:
    """The defaults with the file's changes. Raises MappingProblem for anything unknown."""
    return read_contexts(path, "mongodb", defaults, ("entities",), _merge_context)


def _merge_context(file: str, mapping: DocumentMapping, node: yaml.Node) -> DocumentMapping:
    entities = child(file, node, "entities")
    return _merge(file, mapping, entities) if entities is not None else mapping


def _text(file: str, node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode) or not node.value:
        raise MappingProblem(file, node.start_mark.line + 1, "a name is expected here", "Write one word.")
    value = str(node.value)
    if _UNUSABLE.search(value):
        raise MappingProblem(
            file, node.start_mark.line + 1, f"'{value[:80]}' is no field name for MongoDB", "Choose another name."
        )
    return value


def _collection(file: str, node: yaml.Node) -> str:
    name = _text(file, node)
    if "$" in name or name.startswith("system.") or len(name.encode()) > _LONGEST_COLLECTION:
        line = node.start_mark.line + 1
        raise MappingProblem(file, line, f"'{name[:80]}' is no name for a collection", "Choose another name.")
    return name


def _merge(file: str, mapping: DocumentMapping, entities: yaml.Node) -> DocumentMapping:
    known = {e.entity: e for e in mapping.entities}
    for key, value in pairs(file, entities):
        if key.value not in known:
            allowed = ", ".join(sorted(known))
            raise MappingProblem(file, key.start_mark.line + 1, f"there is no entity {key.value}", f"Known: {allowed}.")
        known[key.value] = _merge_entity(file, known[key.value], value)
    _check_clashes(file, tuple(known.values()), entities)
    _check_collections(file, mapping, tuple(known.values()), entities)
    return replace(mapping, entities=tuple(known.values()))


def _merge_entity(file: str, entity: EntityMapping, node: yaml.Node) -> EntityMapping:
    for key, value in pairs(file, node):
        if key.value == "collection":
            entity = replace(entity, collection=_collection(file, value))
        elif key.value == "fields":
            entity = replace(entity, fields=_merge_fields(file, entity.fields, value))
        else:
            line = key.start_mark.line + 1
            raise MappingProblem(file, line, f"'{key.value}' is not known here", "Use collection or fields.")
    return entity


def _merge_fields(file: str, fields: tuple[FieldMapping, ...], node: yaml.Node) -> tuple[FieldMapping, ...]:
    known = {f.property: f for f in fields}
    for key, value in pairs(file, node):
        field = known.get(key.value)
        if field is None:
            allowed = ", ".join(known)
            raise MappingProblem(
                file, key.start_mark.line + 1, f"there is no property {key.value}", f"Known: {allowed}."
            )
        if isinstance(value, yaml.MappingNode):
            path, inner = child(file, value, "path"), child(file, value, "fields")
            members = _merge_fields(file, field.members, inner) if inner is not None else field.members
            field = replace(field, path=_text(file, path) if path is not None else field.path, members=members)
        else:
            field = replace(field, path=_text(file, value))
        known[key.value] = field
    return tuple(known.values())


def _check_clashes(file: str, entities: tuple[EntityMapping, ...], node: yaml.Node) -> None:
    for entity in entities:
        paths = [f.path for f in entity.fields]
        for path in paths:
            if paths.count(path) > 1 or any(other.startswith(path + ".") for other in paths):
                line = node.start_mark.line + 1
                reason = f"two properties of {entity.entity} are stored at '{path}'"
                raise MappingProblem(file, line, reason, "Give each a field of its own.")
        keys = [path for path in paths if path.startswith("_id.")]
        if len(keys) == 1:
            reason = f"'{keys[0]}' of {entity.entity} is the only one in _id"
            raise MappingProblem(file, node.start_mark.line + 1, reason, "Write _id.")


def _check_collections(
    file: str, default: DocumentMapping, entities: tuple[EntityMapping, ...], node: yaml.Node
) -> None:
    """Entities share a collection exactly where they did by default: a class hierarchy stays in one."""
    homes = {e.entity: e.collection for e in default.entities}
    found: dict[str, str] = {j.collection: j.table for j in default.joins}
    moved: dict[str, str] = {}
    for entity in entities:
        home = homes[entity.entity]
        if found.setdefault(entity.collection, home) != home:
            reason = f"the collection '{entity.collection}' is used twice"
            raise MappingProblem(file, node.start_mark.line + 1, reason, "Give each entity one of its own.")
        if moved.setdefault(home, entity.collection) != entity.collection:
            reason = f"{entity.entity} belongs to a hierarchy that lives in '{moved[home]}'"
            raise MappingProblem(file, node.start_mark.line + 1, reason, "Name the same collection for all of it.")
