"""Whether a server's answer is the documented one: types count, 1 is not 1.0 and -0.0 is not 0.0."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from typing import Any

from bson import Binary, Decimal128, Int64

_NAMES: dict[type, str] = {
    bool: "bool", int: "int", Int64: "long", float: "double", Decimal128: "decimal", str: "string", list: "array",
    dict: "object", type(None): "null",
}  # fmt: skip
_RELATIVE = 1e-12


def agrees(expected: Any, actual: Any, strict: bool = True) -> bool:
    """Equality of BSON values; the order of fields does not count. `strict`: types of numbers do."""
    if isinstance(expected, dict) and len(expected) == 1:
        ((key, inner),) = expected.items()
        if key == "$anyOrder":
            return isinstance(actual, list) and same_in_any_order(inner, actual, strict)
        if key == "$about":
            return isinstance(actual, float) and math.isclose(inner, actual, rel_tol=_RELATIVE)
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and expected.keys() == actual.keys()
            and all(agrees(value, actual[key], strict) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(expected) == len(actual)
            and all(agrees(a, b, strict) for a, b in zip(expected, actual, strict=True))
        )
    if _is_number(expected) and _is_number(actual):
        return _same_number(expected, actual, strict)
    return _kind(expected) == _kind(actual) and bool(expected == actual)


def same_in_any_order(expected: list[Any], actual: list[Any], strict: bool = True) -> bool:
    """Both lists hold the same values, each as often."""
    left = list(actual)
    for value in expected:
        found = next((index for index, other in enumerate(left) if agrees(value, other, strict)), None)
        if found is None:
            return False
        del left[found]
    return not left


def show(value: Any) -> str:
    """A short text for people, with types of numbers."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {show(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(show(inner) for inner in value) + "]"
    if isinstance(value, Int64 | Decimal128):
        return f"{_NAMES[type(value)]} {value}"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal128) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    if isinstance(value, Binary):
        return f"binary {value.subtype}"
    return _NAMES.get(type(value), type(value).__name__)


def _same_number(expected: Any, actual: Any, strict: bool) -> bool:
    if strict and _kind(expected) != _kind(actual):
        return False
    if isinstance(expected, Decimal128) and isinstance(actual, Decimal128) and strict:
        # the same digits and exponent: 1.10 is not 1.1, as text shows
        return str(expected) == str(actual)
    if isinstance(expected, float) and isinstance(actual, float):
        both_nan = math.isnan(expected) and math.isnan(actual)
        return both_nan or struct.pack("d", expected) == struct.pack("d", actual)
    return _exact(expected) == _exact(actual)


def _exact(value: Any) -> Decimal | float:
    if isinstance(value, Decimal128):
        return value.to_decimal()
    return Decimal(value)
