"""Random rows for the shop: nulls, duplicates, empty tables, ties, negative and large numbers, unicode."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.write.shop import SCHEMA
from uom.model.schema import Entity
from uom.model.types import EnumType, Kind, ScalarType, Type
from uom.reference.arithmetic import single
from uom.reference.values import Complex, Database, Row

TEXTS = (
    "",
    "a",
    "A",
    "aa",
    " a",
    "a ",
    "ä",
    "Ω",
    "𝄞",
    "$a",
    "a.b",
    "%",
    "_",
    "\\",
    '"',
    "'",
    "?0",
    "Berlin",
    "France",
    "z\n",
)
NUMBERS = (0, 1, -1, 2, 3, 7, -7, 100)
DECIMALS = ("0", "0.5", "-0.5", "1.5", "2.5", "-2.345", "12.345", "0.001", "99999999.99", "-1", "1", "1.0")
FLOATS = (0.0, 0.05, 0.1, 0.15, 0.25, -1.5)
EPOCH = datetime(1996, 12, 30)


class RowMaker:
    """Makes one database; the same seed makes the same."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def database(self) -> Database:
        rows: dict[str, list[Row]] = {}
        for name in ("Customer", "Employee", "Product", "Tag", "Order", "OrderDetail"):
            rows[name] = self.entity(SCHEMA.entity(name), rows)
        links = [
            {"ProductsId": p.values["ProductId"], "TagsId": t.values["TagId"]}
            for p in rows["Product"]
            for t in rows["Tag"]
            if self.draw.random() < 0.4
        ]
        return Database(rows, {"ProductTag": links})

    def entity(self, entity: Entity, rows: dict[str, list[Row]]) -> list[Row]:
        size = self.draw.choice((0, 1, 3, 5, 8))
        made: dict[tuple[Any, ...], Row] = {}
        for number in range(size):
            values: dict[str, Any] = {p.name: self.value(p.type) for p in entity.properties}
            for complex_ in entity.complexes:
                shape = SCHEMA.complex(complex_.complex_name)
                values[complex_.name] = Complex(shape.name, {p.name: self.value(p.type) for p in shape.properties})
            if not self.refer(entity, values, rows):
                return []
            own = [k for k in entity.key if not self.is_foreign(entity, k)]
            for key in own:
                values[key] = f"K{number}" if isinstance(values[key], str) else number + 1
            identity = (entity.name, *(str(values[k]) for k in entity.key))
            made.setdefault(identity, Row(entity.name, values, identity))
        return list(made.values())

    def is_foreign(self, entity: Entity, name: str) -> bool:
        return any(n.on_dependent and n.foreign_key and name in n.foreign_key.properties for n in entity.navigations)

    def refer(self, entity: Entity, values: dict[str, Any], rows: dict[str, list[Row]]) -> bool:
        """Foreign keys point to rows that are there; False when a required one cannot."""
        for navigation in entity.navigations:
            key = navigation.foreign_key
            if not navigation.on_dependent or key is None:
                continue
            partners: Sequence[Row] = rows.get(navigation.target, ())
            if not partners or (not key.required and self.draw.random() < 0.3):
                if key.required:
                    return False
                values.update(dict.fromkeys(key.properties))
                continue
            partner = self.draw.choice(partners)
            values.update(zip(key.properties, (partner.values[p] for p in key.principal_properties), strict=True))
        return True

    def value(self, type_: Type) -> Any:
        if type_.nullable and self.draw.random() < 0.3:
            return None
        if isinstance(type_, EnumType):
            return self.draw.choice(type_.members)[1]
        assert isinstance(type_, ScalarType)
        match type_.kind:
            case Kind.STRING:
                return self.draw.choice(TEXTS)
            case Kind.DECIMAL:
                return Decimal(self.draw.choice(DECIMALS))
            case Kind.FLOAT:
                return single(self.draw.choice(FLOATS))
            case Kind.BOOL:
                return self.draw.random() < 0.5
            case Kind.DATETIME:
                return EPOCH + timedelta(days=self.draw.randrange(6), hours=self.draw.choice((0, 0, 10, 23)))
            case Kind.UINT:
                return abs(self.draw.choice(NUMBERS))
        return self.draw.choice(NUMBERS)
