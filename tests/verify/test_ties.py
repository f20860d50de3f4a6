"""Order of a framework's rows: as far as the algebra knows it, also in lists of lists; where it knows nothing, as it is."""

from __future__ import annotations

from typing import Any

import pytest

from uom.model.types import Kind, ScalarType
from uom.verify.canonical import Concrete, Rows, Unreadable, of_java
from uom.verify.compare import Comparer
from uom.verify.shapes import HierarchyShape, ListShape, ObjectShape, ScalarShape, Shape
from uom.verify.ties import with_ties

INT: Shape = ScalarShape(ScalarType(Kind.INT))
INTS = ListShape(INT)
ROW = ObjectShape((("Id", INT), ("Sales", INTS)))
ROWS = ListShape(ROW)


def row(number: int, sales: list[int], ties: list[int] | None) -> dict[str, Any]:
    return {"Id": number, "Sales": Rows(sales, ties)}


def differs(reference: Any, source: Any, target: Any, shape: Shape) -> bool:
    return Comparer().compare(with_ties(source, reference, shape), target, shape) is not None


REFERENCES = {
    "the outer rows tie": Rows([row(1, [2, 1], [1, 1]), row(2, [4, 3], [1, 1])], [2]),
    "nothing ties": Rows([row(1, [2, 1], [1, 1]), row(2, [4, 3], [1, 1])], [1, 1]),
    "the reference found other rows": Rows([row(1, [2, 1], [1, 1])], [1]),
    "the reference found nothing": None,
    "the reference has other values": Rows([row(5, [2, 1], [2]), row(6, [4, 3], [2])], [2]),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_an_inner_order_that_is_asked_for_counts(name: str) -> None:
    source = Rows([row(1, [2, 1], None), row(2, [4, 3], None)], None)
    assert not differs(REFERENCES[name], source, Rows([row(1, [2, 1], None), row(2, [4, 3], None)], None), ROWS)
    assert differs(REFERENCES[name], source, Rows([row(1, [1, 2], None), row(2, [4, 3], None)], None), ROWS)


def test_rows_that_tie_may_change_places_with_their_lists() -> None:
    reference = REFERENCES["the outer rows tie"]
    source = Rows([row(2, [4, 3], None), row(1, [2, 1], None)], None)
    assert not differs(reference, source, Rows([row(1, [2, 1], None), row(2, [4, 3], None)], None), ROWS)
    assert differs(reference, source, Rows([row(1, [2, 1], None), row(2, [3, 4], None)], None), ROWS)


def test_a_list_that_nothing_orders_is_a_bag() -> None:
    reference = Rows([row(1, [1, 2], [2])], [1])
    assert not differs(reference, Rows([row(1, [2, 1], None)], None), Rows([row(1, [1, 2], None)], None), ROWS)


def test_a_list_in_a_single_row() -> None:
    assert differs(row(1, [2, 1], [1, 1]), row(1, [2, 1], None), row(1, [1, 2], None), ROW)
    assert not differs(row(1, [2, 1], [2]), row(1, [2, 1], None), row(1, [1, 2], None), ROW)


ID = ObjectShape((("Id", INT),))
PETS = HierarchyShape((("Pet", ID), ("Cat", ID), ("Dog", ID)))


def java(content: dict[str, Any]) -> Any:
    return of_java(content, PETS, str.lower)


@pytest.mark.parametrize("name", ["Cat", "Dog", "Pet"])
def test_classes_of_a_hierarchy_are_told_apart(name: str) -> None:
    expected = Concrete({"Id": 1}, name)
    for other in ("Cat", "Dog"):
        assert (Comparer().compare(expected, java({"$type": other, "id": 1}), PETS) is None) == (other == name)
    assert (Comparer().compare(expected, java({"id": 1}), PETS) is None) == (name == "Pet")


def test_an_unknown_class_among_equals_is_no_answer() -> None:
    with pytest.raises(Unreadable, match="Mule"):
        java({"$type": "Mule", "id": 1})
