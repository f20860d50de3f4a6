"""Pipelines that a `find` can do: filter, sort, skip, limit over whole entities, written with Criteria."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bson import Decimal128, Int64

from uom.model.expressions import Expr
from uom.model.mapping import FieldMapping
from uom.model.types import EnumType, Kind, ScalarType, Type
from uom.write.java.client import LINE, call
from uom.write.java.literals import INTS, java_literal
from uom.write.java.source import Imports, string_literal
from uom.write.java.types import JavaModel
from uom.write.mongodb.compile import CompiledQuery, Finish
from uom.write.mongodb.java.keys import composite_key
from uom.write.mongodb.location import Locations
from uom.write.mongodb.tree import Bind, Bson, Stage
from uom.write.mongodb.values import EntityValue
from uom.write.names import java_property_name

COUNT_ALL = {"$group": {"_id": None, "value": {"$sum": 1}}}
CRITERIA = "org.springframework.data.mongodb.core.query.Criteria"


@dataclass(frozen=True, slots=True)
class FindForm:
    """`matches` are (filter, condition in C#) pairs; `sort` is (property, direction) pairs."""

    entity: str
    matches: tuple[tuple[dict[str, Bson], Expr | None], ...]
    sort: tuple[tuple[str, int], ...]
    skip: Bson = None
    limit: Bson = None


_ORDER = ("$match", "$sort", "$skip", "$limit")


def find_form(compiled: CompiledQuery, locations: Locations) -> FindForm | None:
    """The query as a `find`; None when it needs an aggregation."""
    stages = list(compiled.stages)
    row = compiled.row
    if compiled.finish is Finish.SCALAR:
        if not stages or stages[-1].document != COUNT_ALL:
            return None
        entity = _scanned(compiled, locations)
        stages.pop()
    else:
        entity = row.entity if isinstance(row, EntityValue) and row.at == "$$ROOT" and not row.includes else None
    if compiled.finish in (Finish.EXISTS, Finish.NONE, Finish.FIRST, Finish.SINGLE) and stages:
        if stages[-1].operator != "$limit":
            return None
        stages.pop()
    if entity is None or not _in_order(stages):
        return None
    return _form(entity, stages, locations, compiled.finish)


def _scanned(compiled: CompiledQuery, locations: Locations) -> str | None:
    """The entity whose documents a count is over."""
    for entity in locations.schema.entities:
        if not locations.entity(entity.name).unsupported and entity.base is None:
            mapped = next((m for m in locations.mapping.entities if m.entity == entity.name), None)
            if mapped is not None and mapped.path is None and mapped.collection == compiled.collection:
                return entity.name
    return None


def _in_order(stages: Sequence[Stage]) -> bool:
    positions = [_ORDER.index(s.operator) if s.operator in _ORDER else -1 for s in stages]
    single = [p for p in positions if p > 0]
    return -1 not in positions and positions == sorted(positions) and len(set(single)) == len(single)


def _form(entity: str, stages: Sequence[Stage], locations: Locations, finish: Finish) -> FindForm | None:
    paths = property_paths(entity, locations)
    matches = tuple((s.body, s.when) for s in stages if s.operator == "$match")
    if not all(_expressible(match, paths) for match, _ in matches):
        return None
    sort: dict[str, int] = next((s.body for s in stages if s.operator == "$sort"), {})
    if not all(path in paths for path in sort):
        return None
    others = {s.operator: s.body for s in stages if s.operator in ("$skip", "$limit")}
    if finish in (Finish.SCALAR, Finish.EXISTS, Finish.NONE) and (others or sort):
        return None
    if finish is Finish.SINGLE and others:
        return None
    properties = tuple((paths[path][0], direction) for path, direction in sort.items())
    return FindForm(entity, matches, properties, others.get("$skip"), others.get("$limit"))


def property_paths(entity: str, locations: Locations) -> dict[str, tuple[str, Type]]:
    """Stored path -> (Java property path, type) of all scalar properties."""
    found: dict[str, tuple[str, Type]] = {}
    key = composite_key(entity, locations)
    parts = {prop.name for prop, _ in key.parts} if key else set()
    for prop in locations.properties(entity):
        java = key.path(prop) if key and prop.name in parts else java_property_name(prop.name)
        found[locations.field(entity, prop.name).path] = (java, prop.type)
    for part in locations.complexes(entity):
        if not part.collection:
            mapped = locations.field(entity, part.name)
            _complex_paths(part.complex_name, mapped, java_property_name(part.name), mapped.path, locations, found)
    return found


def _complex_paths(
    name: str, mapped: FieldMapping, java: str, stored: str, locations: Locations, found: dict[str, tuple[str, Type]]
) -> None:
    shape = locations.schema.complex(name)
    for member in mapped.members:
        prop = shape.property(member.property)
        path, java_path = f"{stored}.{member.path}", f"{java}.{java_property_name(member.property)}"
        if prop is not None:
            found[path] = (java_path, prop.type)
        nested = next((c for c in shape.complexes if c.name == member.property), None)
        if nested is not None and not nested.collection:
            _complex_paths(nested.complex_name, member, java_path, path, locations, found)


_SIMPLE = frozenset({"$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$regex", "$options"})


def _expressible(match: dict[str, Bson], paths: dict[str, tuple[str, Type]]) -> bool:
    for key, value in match.items():
        if key in ("$and", "$or"):
            if not all(_expressible(part, paths) for part in value):
                return False
        elif key not in paths or not _condition(value):
            return False
    return sum(key.startswith("$") for key in match) <= 1


def _condition(value: Bson) -> bool:
    if not isinstance(value, dict):
        return not isinstance(value, list)
    if set(value) == {"$not"}:
        return isinstance(value["$not"], dict) and set(value["$not"]) <= _SIMPLE
    return set(value) <= _SIMPLE


@dataclass(frozen=True, slots=True)
class CriteriaWriter:
    """Writes filters with property names and Java values; `bound` writes what Java computes."""

    paths: dict[str, tuple[str, Type]]
    imports: Imports
    model: JavaModel
    bound: Callable[[Bind], str]

    def write(self, match: dict[str, Bson]) -> str:
        """One Criteria for the whole filter."""
        text = ""
        for key, value in match.items():
            if key in ("$and", "$or"):
                owner = text or f"new {self.imports.use(CRITERIA)}()"
                text = call(f"{owner}.{key[1:]}Operator", [self.write(part) for part in value])
            else:
                name, type_ = self.paths[key]
                joint = "\n        .and" if len(text) > LINE // 2 else ".and"
                head = f"{text}{joint}" if text else self.imports.use_static(f"{CRITERIA}.where")
                text = f"{head}({string_literal(name)}){self._condition(value, type_)}"
        return text

    def _condition(self, value: Bson, type_: Type) -> str:
        if not isinstance(value, dict):
            return f".is({self.value(value, type_)})"
        if "$not" in value:
            return f".not(){self._condition(value['$not'], type_)}"
        if "$regex" in value:
            options = f", {string_literal(value['$options'])}" if "$options" in value else ""
            return f".regex({self.pattern(value['$regex'])}{options})"
        return "".join(self._operator(operator, operand, type_) for operator, operand in value.items())

    def _operator(self, operator: str, operand: Bson, type_: Type) -> str:
        name = operator[1:]
        if operator in ("$in", "$nin"):
            if isinstance(operand, Bind):
                return f".{name}({self.bound(operand)})"
            values = ", ".join(self.value(item, type_) for item in operand)
            if any(item is None for item in operand) or not operand:
                return f".{name}({self.imports.use('java.util.Arrays')}.asList({values}))" if operand else (
                    f".{name}({self.imports.use('java.util.List')}.of())")  # fmt: skip
            return f".{name}({values})"
        return f".{name}({self.value(operand, type_)})"

    def pattern(self, regex: Bson) -> str:
        return self.bound(regex) if isinstance(regex, Bind) else string_literal(regex)

    def value(self, stored: Bson, type_: Type) -> str:
        """A stored value as the Java value of the property that it is compared with."""
        if isinstance(stored, Bind):
            return self.bound(stored)
        type_ = _type_of(stored, type_)
        return java_literal(unstored(stored, type_), type_, self.imports, self.model)


def _type_of(stored: Bson, type_: Type) -> Type:
    """The property's type, unless the constant is of a wider one (`quantity > 10.5m`)."""
    if isinstance(type_, ScalarType):
        if isinstance(stored, Decimal128) and type_.kind not in (Kind.DECIMAL, Kind.ULONG):
            return ScalarType(Kind.DECIMAL)
        if isinstance(stored, float) and (type_.kind is not Kind.FLOAT or single(stored) != stored):
            return ScalarType(Kind.DOUBLE)
        if isinstance(stored, Int64) and type_.kind in INTS:
            return ScalarType(Kind.LONG)
    return type_


def single(number: float) -> float:
    """The number as 32 bits hold it."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def unstored(stored: Bson, type_: Type) -> object:
    """The C# value of a stored one; only for types that criteria compare."""
    if stored is None:
        return None
    if isinstance(type_, EnumType):
        return type_.number_of(stored)
    assert isinstance(type_, ScalarType)
    if isinstance(stored, Decimal128):
        return stored.to_decimal()
    if type_.kind is Kind.DATEONLY and isinstance(stored, datetime):
        return stored.date()
    if type_.kind is Kind.TIMEONLY and isinstance(stored, datetime):
        return stored.time()
    if type_.kind is Kind.TIMESPAN:
        return timedelta(microseconds=int(stored) // 10)
    if type_.kind is Kind.GUID:
        return stored.as_uuid()
    return stored
