"""What a value in a pipeline may be: the abstract values of the analysis in this package.

A shape is an upper bound. It says which kinds a value may have, what its fields and elements look like, which
letters its texts hold, and how many digits its numbers have; `ANYTHING` is the bound when nothing is known. An
analysis that works with shapes can claim too much, never too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import floor, isfinite, log10
from typing import Any
from uuid import UUID

from bson import Binary, Decimal128, Int64, ObjectId
from bson.datetime_ms import DatetimeMS

NUMBERS = frozenset({"int", "long", "double", "decimal"})
ABSENT = frozenset({"missing", "null"})
KINDS = NUMBERS | ABSENT | {"bool", "string", "date", "binary", "objectId", "object", "array", "other"}
ANY_LETTER = "\U0010ffff"
"""Stands for every letter; U+10FFFF itself is no character."""
MANY = 40
"""More digits than any number of BSON has."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An upper bound of a value.

    `open`: objects may have other fields than `fields`, of any shape. `element` bounds elements of arrays (None: there
    are none, or `open`). `filled`: an array has at least one element. `digits` bounds the digits before and after the decimal point. `built`: objects have their
    fields in one order. `blurred`: null may stand where MongoDB has no value. `marker`: as operand it may be the
    engine's own mark for no value. `inexact`: a double whose last digits depend on the order of additions.
    """

    kinds: frozenset[str]
    fields: Mapping[str, Shape] = field(default_factory=dict)
    open: bool = False
    element: Shape | None = None
    filled: bool = False
    letters: frozenset[str] = frozenset()
    digits: tuple[int, int] = (0, 0)
    built: bool = False
    blurred: bool = False
    marker: bool = False
    inexact: bool = False

    def may_be(self, *kinds: str) -> bool:
        return not self.kinds.isdisjoint(kinds)

    @property
    def items(self) -> Shape:
        """The bound of the elements."""
        return self.element or (ANYTHING if self.open else NOTHING)

    def without(self, kinds: Iterable[str]) -> Shape:
        return replace(self, kinds=self.kinds - frozenset(kinds))

    def present(self) -> Shape:
        """The value where there is one: neither null nor missing."""
        return replace(self, kinds=self.kinds - ABSENT, blurred=False, marker=False)

    def or_null(self) -> Shape:
        """The value as an element of a list: missing becomes null."""
        if "missing" not in self.kinds:
            return replace(self, blurred=False, marker=False)
        return replace(self, kinds=self.kinds - {"missing"} | {"null"}, blurred=False, marker=False)


NOTHING = Shape(frozenset())
"""No value at all: the elements of an empty array, the documents of an empty collection."""
ANYTHING = Shape(
    KINDS, open=True, letters=frozenset({ANY_LETTER}), digits=(MANY, MANY), blurred=True, marker=True, inexact=True
)
MISSING = Shape(frozenset({"missing"}))
NULL = Shape(frozenset({"null"}))
BOOL = Shape(frozenset({"bool"}))
INT = Shape(frozenset({"int"}), digits=(10, 0))
LONG = Shape(frozenset({"long"}), digits=(19, 0))
DATE = Shape(frozenset({"date"}))
SOME_OBJECT = Shape(frozenset({"object"}), open=True)


def join(*shapes: Shape) -> Shape:
    """The bound of a value that is bounded by one of the shapes."""
    result = NOTHING
    for shape in shapes:
        result = _join(result, shape)
    return result


def _join(a: Shape, b: Shape) -> Shape:
    if not a.kinds or a is b:
        return b
    if not b.kinds:
        return a
    fields = a.fields
    if a.fields is not b.fields:
        fields = {name: _join(_field(a, name), _field(b, name)) for name in {**a.fields, **b.fields}}
    return Shape(
        a.kinds | b.kinds,
        fields,
        a.open or b.open,
        b.element if a.element is None else a.element if b.element is None else _join(a.element, b.element),
        all(shape.filled for shape in (a, b) if "array" in shape.kinds),
        a.letters | b.letters,
        (max(a.digits[0], b.digits[0]), max(a.digits[1], b.digits[1])),
        _one_order(a, b),
        a.blurred or b.blurred,
        a.marker or b.marker,
        a.inexact or b.inexact,
    )


def _one_order(a: Shape, b: Shape) -> bool:
    if "object" not in a.kinds or "object" not in b.kinds:
        return a.built or b.built
    common = [name for name in a.fields if name in b.fields]
    return a.built and b.built and common == [name for name in b.fields if name in a.fields]


def _field(shape: Shape, name: str) -> Shape:
    """The field of an object; NOTHING when the value is no object."""
    if "object" not in shape.kinds:
        return NOTHING
    return shape.fields.get(name) or (ANYTHING if shape.open else MISSING)


def field_of(shape: Shape, name: str) -> Shape:
    """The field of whatever the value is, arrays aside: missing for everything but objects."""
    found = _field(shape, name)
    return join(found, MISSING) if shape.kinds - {"object", "array"} else found


def with_field(shape: Shape, path: str, value: Shape, creates: bool = True) -> Shape:
    """The document with a field set; `path` may be dotted. `creates`: parents that are no documents become some."""
    name, _, rest = path.partition(".")
    if rest:
        parent = _field(shape, name)
        inner = with_field(replace(parent, kinds=frozenset({"object"})), rest, value, creates)
        value = inner if creates else join(parent.without({"object"}), inner)
    fields = {**shape.fields, name: value}
    return replace(shape, kinds=shape.kinds | {"object"}, fields=fields)


def without_field(shape: Shape, path: str) -> Shape:
    """The document with a field removed."""
    name, _, rest = path.partition(".")
    if not rest:
        if shape.open:
            return with_field(shape, name, MISSING)
        return replace(shape, fields={k: v for k, v in shape.fields.items() if k != name})
    if name not in shape.fields:
        return shape
    return with_field(shape, name, without_field(shape.fields[name], rest))


def object_of(fields: Mapping[str, Shape]) -> Shape:
    """A document that a pipeline builds: its fields are always in this order."""
    return Shape(frozenset({"object"}), dict(fields), built=True)


def array_of(element: Shape, filled: bool = False) -> Shape:
    return Shape(frozenset({"array"}), element=element.or_null(), filled=filled)


def text_of(letters: Iterable[str]) -> Shape:
    return Shape(frozenset({"string"}), letters=frozenset(letters))


def deep(shape: Shape, test: Any, depth: int = 12) -> bool:
    """Whether the test holds for the shape or anything inside it."""
    if test(shape):
        return True
    if depth == 0:
        return True
    inside = list(shape.fields.values()) + ([shape.element] if shape.element else [])
    return any(deep(inner, test, depth - 1) for inner in inside)


def shape_of(value: Any) -> Shape:
    """The bound of one value, e.g. a constant."""
    if isinstance(value, Mapping):
        return object_of({name: shape_of(inner) for name, inner in value.items()})
    if isinstance(value, list):
        return Shape(frozenset({"array"}), element=join(*map(shape_of, value)))
    if isinstance(value, str):
        return text_of(value)
    return Shape(frozenset({kind_of(value)}), digits=digits_of(value))


KIND_OF_TYPE: Mapping[type, str] = {
    type(None): "null", bool: "bool", int: "int", Int64: "long", float: "double", Decimal128: "decimal",
    str: "string", datetime: "date", DatetimeMS: "date", ObjectId: "objectId", bytes: "binary", Binary: "binary",
    UUID: "binary", dict: "object", list: "array",
}  # fmt: skip
"""What PyMongo stores for a value of a type. An int beyond 32 bits becomes a long."""


def kind_of(value: Any) -> str:
    if type(value) is int and not -(2**31) <= value < 2**31:
        return "long"
    return KIND_OF_TYPE.get(type(value), "other")


def digits_of(value: Any) -> tuple[int, int]:
    """Digits before and after the decimal point. Of a double those that it has as a decimal of 15 digits."""
    if isinstance(value, Decimal128):
        number = value.to_decimal()
        if not number.is_finite():
            return (MANY, MANY)
        _, digits, exponent = number.as_tuple()
        assert isinstance(exponent, int)
        return (min(max(len(digits) + exponent, 1), MANY), min(max(-exponent, 0), MANY))
    if isinstance(value, float):
        return digits_between(abs(value), abs(value))
    if isinstance(value, bool) or not isinstance(value, int):
        return (0, 0)
    return (len(str(abs(value))), 0)


def digits_between(smallest: float, largest: float) -> tuple[int, int]:
    """The same for all doubles of these magnitudes; `smallest` is the smallest but zero."""
    if not isfinite(largest):
        return (MANY, MANY)
    if largest == 0:
        return (1, 0)
    return (min(max(floor(log10(largest)) + 2, 1), MANY), min(max(15 - floor(log10(smallest)), 0), MANY))
