"""What counts as equal: values by value, order as far as it goes, and never a float for a decimal."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from uom.model.types import Kind, ScalarType
from uom.verify.canonical import Rows
from uom.verify.compare import MISSING, Comparer
from uom.verify.shapes import ListShape, ObjectShape, ScalarShape, Shape

INT: Shape = ScalarShape(ScalarType(Kind.INT))
DECIMAL: Shape = ScalarShape(ScalarType(Kind.DECIMAL, True))
DOUBLE: Shape = ScalarShape(ScalarType(Kind.DOUBLE))
TEXT: Shape = ScalarShape(ScalarType(Kind.STRING, True))
ROW: Shape = ObjectShape((("Id", INT), ("Price", DECIMAL), ("Name", TEXT)))


def row(number: int, price: str | None = "1", name: str | None = "x") -> dict[str, Any]:
    return {"Id": number, "Price": None if price is None else Decimal(price), "Name": name}


@pytest.mark.parametrize(
    ("expected", "actual", "shape", "equal"),
    [
        (Decimal("1.50"), Decimal("1.5"), DECIMAL, True),
        (Decimal("0.1"), Decimal("0.1000000000000000055511151231257827"), DECIMAL, False),
        (2**53, 2**53 + 1, INT, False),
        (1, True, INT, False),
        (0.1 + 0.2, 0.3, DOUBLE, True),
        (0.3, 0.3001, DOUBLE, False),
        (float("nan"), float("nan"), DOUBLE, True),
        (None, "", TEXT, False),
        ("a", "A", TEXT, False),
        ("é", "e\u0301", TEXT, False),
        (None, None, TEXT, True),
    ],
)
def test_scalars(expected: object, actual: object, shape: Shape, equal: bool) -> None:
    assert (Comparer().compare(expected, actual, shape) is None) is equal


def test_order_matters_as_far_as_it_goes() -> None:
    ordered = Rows([row(1), row(2), row(3)], [1, 1, 1])
    tied = Rows([row(1), row(2), row(3)], [1, 2])
    swapped = Rows([row(1), row(3), row(2)], None)
    assert Comparer().compare(ordered, swapped, ListShape(ROW)) is not None
    assert Comparer().compare(tied, swapped, ListShape(ROW)) is None
    assert Comparer().compare(tied, Rows([row(2), row(1), row(3)], None), ListShape(ROW)) is not None


def test_duplicates_count() -> None:
    assert Comparer().compare(Rows([row(1), row(1)], [2]), Rows([row(1)], None), ListShape(ROW)) is not None
    assert Comparer().compare(Rows([row(1)], [1]), Rows([row(1), row(1)], None), ListShape(ROW)) is not None


def test_the_counterexample_is_the_smallest() -> None:
    expected = Rows([row(1), row(2, "2", "b"), row(3)], [3])
    actual = Rows([row(3), row(1), row(2, "2", "c")], None)
    found = Comparer().compare(expected, actual, ListShape(ROW))
    assert found is not None
    assert found.path == "[1].Name"
    assert (found.expected, found.actual) == ("b", "c")
    assert found.row == row(2, "2", "b")


def test_a_missing_row_is_shown() -> None:
    found = Comparer().compare(Rows([row(1), row(2)], [2]), Rows([row(2)], None), ListShape(ROW))
    assert found is not None
    assert found.expected == row(1)
    assert found.actual is MISSING


def test_inexact_decimals_only_where_a_division_made_them() -> None:
    third, short = Decimal("0.3333333333333333333333333333333333"), Decimal("0.33333333333333333333")
    assert Comparer().compare(third, short, DECIMAL) is not None
    assert Comparer(inexact=True).compare(third, short, DECIMAL) is None
    assert Comparer(inexact=True).compare(Decimal("0.33"), Decimal("0.34"), DECIMAL) is not None
