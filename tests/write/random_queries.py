"""Random queries over the shop: every construct next to every other, to be checked against the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

from tests.write.shop import E, Q, day, iif, items, new, null, related, scan
from uom.model.expressions import Concat, Fn
from uom.model.queries import AggregateKind, JoinKind, SetKind
from uom.model.types import (
    BOOL,
    DATETIME,
    DECIMAL,
    INT,
    STRING,
    EntityType,
    EnumType,
    GroupingType,
    Kind,
    RecordType,
    ScalarType,
    Type,
    as_nullable,
)

ENTITIES = ("Customer", "Order", "OrderDetail", "Product", "Employee")
KEYS = {"Customer": ["CustomerId"], "Order": ["OrderId"], "OrderDetail": ["OrderId", "ProductId"],
        "Product": ["ProductId"], "Employee": ["EmployeeId"], "Tag": ["TagId"]}  # fmt: skip
REFERENCES = {"Order": ["Customer", "Employee"], "OrderDetail": ["Order", "Product"], "Employee": ["Manager"]}
COLLECTIONS = {
    "Customer": ["Orders"],
    "Order": ["Details"],
    "Product": ["OrderDetails", "Tags"],
    "Employee": ["Reports"],
}
COLUMNS: dict[str, list[str]] = {
    "Customer": ["CustomerId", "CompanyName", "Fax"],
    "Order": ["OrderId", "CustomerId", "EmployeeId", "OrderDate", "ShippedDate", "ShipVia", "Freight", "ShipCountry"],
    "OrderDetail": ["OrderId", "ProductId", "UnitPrice", "Quantity"],
    "Product": ["ProductId", "ProductName", "CategoryId", "UnitPrice", "UnitsInStock", "Discontinued"],
    "Employee": ["EmployeeId", "LastName", "City", "TitleOfCourtesy", "ManagerId"],
    "Tag": ["TagId", "Name"],
}
VALUES: dict[Kind, list[Any]] = {
    Kind.INT: [0, 1, 2, 3, 17, -5],
    Kind.SHORT: [5, 10],
    Kind.UINT: [1, 2],
    Kind.DECIMAL: [Decimal(0), Decimal("18"), Decimal("29.46"), Decimal("-2.5")],
    Kind.STRING: ["Germany", "France", "", "a", "$x", "ALFKI"],
    Kind.DATETIME: [day("1997-10-03"), day("1998-01-14"), day("1996-12-31T23:59:59.999")],
    Kind.BOOL: [True, False],
}


class Generator:
    """All choices come from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def pick(self, options: Any) -> Any:
        return self.random.choice(list(options))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # -- values of a row ---------------------------------------------------------------------------------------------

    def leaves(self, row: E, depth: int = 1) -> list[E]:
        """Scalars that a row offers."""
        type_ = row.node.type
        if isinstance(type_, EntityType):
            found = [getattr(row, name) for name in COLUMNS[type_.name]]
            if type_.name == "Customer":
                found += [row.Address.City, row.Address.Country]
            if depth and type_.name in REFERENCES:
                found += self.leaves(getattr(row, self.pick(REFERENCES[type_.name])), depth - 1)
            return found
        if isinstance(type_, RecordType):
            return [leaf for f in type_.fields for leaf in self.leaves(getattr(row, f.name), depth)]
        if isinstance(type_, GroupingType):
            return self.leaves(row.Key) + self.group_values(row)
        return [row] if isinstance(type_, ScalarType | EnumType) else []

    def group_values(self, group: E) -> list[E]:
        values = [items(group).count()]
        numbers = [f for f in self._members(group) if is_kind(f, Kind.INT, Kind.DECIMAL)]
        if numbers:
            choose = same_member(self.pick(numbers))
            type_ = choose(None)
            kind = self.pick([AggregateKind.SUM, AggregateKind.MIN, AggregateKind.MAX])
            values.append(items(group).aggregate(kind, choose, as_nullable(type_, type_.nullable)))
        return values

    def _members(self, group: E) -> list[E]:
        element = group.node.type.element  # type: ignore[union-attr]
        probe = Q(items(group).node)
        row = E(probe.lam(lambda x: x).var)
        return self.leaves(row, 0) if isinstance(element, EntityType | RecordType) else []

    def scalar(self, row: E, depth: int = 2) -> E:
        if depth and self.chance(0.15):
            found = self.looked_up(row, depth)
            if found is not None:
                return found
        leaf = self.pick(self.leaves(row))
        if depth == 0 or self.chance(0.5):
            return leaf  # type: ignore[no-any-return]
        return self.computed(leaf, row, depth)

    def looked_up(self, row: E, depth: int) -> E | None:
        """A value from a sub-query that hangs on the row."""
        rows = self.related_rows(row)
        if rows is None:
            return None
        entity = str(getattr(rows.node.element, "name", ""))
        if self.chance(0.5):
            rows = rows.where(lambda x: self.predicate(x, depth - 1))
        ordered = rows.order(
            lambda x: ~getattr(x, KEYS[entity][0]), *(lambda x, k=k: getattr(x, k) for k in KEYS[entity])
        )
        values = ordered.select(lambda x: self.pick(self.leaves(x)))
        element = values.node.element
        kind = self.pick([AggregateKind.SUM, AggregateKind.MIN, AggregateKind.MAX])
        if isinstance(element, ScalarType) and element.kind in (Kind.INT, Kind.DECIMAL) and self.chance(0.6):
            return values.aggregate(kind, None, null(element))
        return self.pick([values.first, rows.count, lambda: values.distinct().count()])()  # type: ignore[no-any-return]

    def related_rows(self, row: E) -> Q | None:
        type_ = row.node.type
        if not isinstance(type_, EntityType) or type_.nullable or type_.name not in COLLECTIONS:
            return None
        return related(row, self.pick(COLLECTIONS[type_.name]))

    def listed(self, row: E) -> E | None:
        """A list inside a row."""
        rows = self.related_rows(row)
        if rows is None:
            return None
        entity = str(getattr(rows.node.element, "name", ""))
        if self.chance(0.5):
            rows = rows.where(lambda x: self.predicate(x, 1))
        rows = rows.order(*(lambda x, k=k: getattr(x, k) for k in KEYS[entity]))
        if self.chance(0.3):
            rows = rows.take(2)
        if self.chance(0.3):
            return rows.list()
        return rows.select(
            lambda x: self.scalar(x, 1) if self.chance(0.5) else new(P=self.scalar(x, 1), Q=self.scalar(x, 0))
        ).list()

    def group_list(self, group: E) -> E | None:
        """Something of a group's elements that no accumulator gives."""
        element = group.node.type.element  # type: ignore[union-attr]
        if not isinstance(element, EntityType) or element.nullable:
            return None
        keys = [lambda x, k=k: getattr(x, k) for k in KEYS[element.name]]
        rows = items(group)
        if self.chance(0.4):
            rows = rows.where(lambda x: self.comparison(self.pick(self.leaves(x, 0)), x))
        rows = rows.order(*keys)
        if self.chance(0.4):
            rows = rows.skip(1) if self.chance(0.5) else rows.take(2)
        values = rows.select(lambda x: self.pick(self.leaves(x, 0)))
        choices = (values.list, values.first, rows.list, lambda: values.distinct().count(), lambda: rows.count())
        found: E = self.pick(choices)()
        return found

    def computed(self, leaf: E, row: E, depth: int) -> E:
        type_ = leaf.node.type
        options: list[Callable[[], E]] = [
            lambda: iif(self.predicate(row, depth - 1), leaf, self.constant(type_), null(type_))
        ]
        if is_kind(leaf, Kind.INT, Kind.DECIMAL):
            options += [lambda: leaf + self.constant(type_), lambda: leaf * 2, lambda: leaf - self.constant(type_)]
        if is_kind(leaf, Kind.DECIMAL):
            options.append(lambda: leaf.fn(Fn.ROUND, self.pick([0, 1]), type_=DECIMAL))
        if is_kind(leaf, Kind.INT):
            options += [lambda: leaf / self.pick([2, 7, -3]), lambda: leaf % self.pick([2, 5])]
        if is_kind(leaf, Kind.DATETIME):
            options += [
                lambda: leaf.fn(self.pick([Fn.YEAR, Fn.MONTH, Fn.DAY_OF_WEEK]), type_=INT),
                lambda: leaf.fn(Fn.ADD_DAYS, 3, type_=DATETIME),
            ]
        if is_kind(leaf, Kind.STRING):
            options += [
                lambda: leaf.fn(Fn.LENGTH, type_=INT),
                lambda: E(Concat((leaf.node, leaf.node))),
                lambda: (
                    leaf.fn(Fn.SUBSTRING, 1, type_=STRING) if not type_.nullable else leaf.fn(Fn.TRIM, type_=STRING)
                ),
            ]
        if type_.nullable and isinstance(type_, ScalarType):
            options.append(lambda: leaf.or_(self.constant(as_nullable(type_, False))))
        return self.pick(options)()  # type: ignore[no-any-return]

    def constant(self, type_: Type) -> Any:
        if isinstance(type_, EnumType):
            return self.pick([n for _, n in type_.members])
        assert isinstance(type_, ScalarType)
        return self.pick(VALUES[type_.kind])

    # -- predicates --------------------------------------------------------------------------------------------------

    def predicate(self, row: E, depth: int = 2) -> E:
        if depth and self.chance(0.35):
            left, right = self.predicate(row, depth - 1), self.predicate(row, depth - 1)
            return self.pick([left & right, left | right, ~left, left ^ right])  # type: ignore[no-any-return]
        if depth and isinstance(row.node.type, EntityType) and self.chance(0.25):
            found = self.quantified(row, depth)
            if found is not None:
                return found
        return self.comparison(self.scalar(row, depth - 1 if depth else 0), row)

    def comparison(self, value: E, row: E) -> E:
        type_ = value.node.type
        if is_kind(value, Kind.BOOL):
            return value if not type_.nullable else value == True  # noqa: E712
        if type_.nullable and self.chance(0.2):
            return value.is_null
        same = [leaf for leaf in self.leaves(row) if as_nullable(leaf.node.type, False) == as_nullable(type_, False)]
        other = self.pick(same) if same and self.chance(0.4) else self.constant(type_)
        if isinstance(type_, EnumType) or self.chance(0.4):
            return self.pick([value == other, value != other, value.in_(self.constant(type_), self.constant(type_))])  # type: ignore[no-any-return]
        if is_kind(value, Kind.STRING):
            fn = self.pick([Fn.CONTAINS, Fn.STARTS_WITH, Fn.ENDS_WITH])
            return value.fn(fn, self.pick(["a", "an", "$", "L", "4"]), type_=BOOL)
        return self.pick([value < other, value <= other, value > other, value >= other])  # type: ignore[no-any-return]

    def quantified(self, row: E, depth: int) -> E | None:
        entity = row.node.type.name  # type: ignore[union-attr]
        if entity not in COLLECTIONS or row.node.type.nullable:
            return None
        rows = related(row, self.pick(COLLECTIONS[entity]))
        if self.chance(0.3):
            more: E = rows.count() > self.pick([0, 1])
            return more
        if self.chance(0.3):
            return rows.all(lambda x: self.predicate(x, depth - 1))
        return rows.any(lambda x: self.predicate(x, depth - 1))

    # -- queries -----------------------------------------------------------------------------------------------------

    def query(self, steps: int) -> Q:
        rows = scan(self.pick(ENTITIES))
        for _ in range(steps):
            rows = self.step(rows)
        return rows

    def step(self, rows: Q) -> Q:
        element = rows.node.element
        options: list[Callable[[Q], Q]] = [self.where, self.where, self.select, self.page]
        plain = not isinstance(element, RecordType) or all(
            isinstance(f.type, ScalarType | EnumType) for f in element.fields
        )
        if not plain:
            options.remove(self.page)
            return self.pick([lambda r: r, self.where])(rows)  # type: ignore[no-any-return]
        if isinstance(element, ScalarType | EnumType | RecordType) and not isinstance(element, GroupingType):
            options.append(lambda r: r.distinct())
            options.append(self.set_operation)
        if isinstance(element, EntityType):
            options += [self.flatten, self.join, self.set_operation]
        if not isinstance(element, GroupingType):
            options.append(self.group)
        if isinstance(element, GroupingType):
            options = [self.where, self.select_group]
        return self.pick(options)(rows)  # type: ignore[no-any-return]

    def where(self, rows: Q) -> Q:
        return rows.where(lambda x: self.predicate(x))

    def select(self, rows: Q) -> Q:
        if self.chance(0.3):
            return rows.select(lambda x: self.scalar(x))
        if self.chance(0.2) and isinstance(rows.node.element, EntityType) and not rows.node.element.nullable:
            return rows.select(lambda x: new(A=self.scalar(x), B=x, C=self.listed(x) or self.scalar(x, 0)))
        return rows.select(lambda x: new(**{name: self.scalar(x) for name in ("A", "B", "C")[: self.pick([2, 3])]}))

    def select_group(self, rows: Q) -> Q:
        def row(g: E) -> E:
            more = [
                v for v in (*self.group_values(g), self.group_list(g) if self.chance(0.4) else None) if v is not None
            ]
            return new(K=g.Key, **{f"V{i}": v for i, v in enumerate(more)})

        return rows.select(row)

    def group(self, rows: Q) -> Q:
        return rows.group(lambda x: self.scalar(x) if self.chance(0.7) else new(A=self.scalar(x), B=self.scalar(x, 0)))

    def page(self, rows: Q) -> Q:
        element = rows.node.element
        if not isinstance(element, EntityType) or element.nullable:
            return rows
        keys = KEYS[element.name]
        ordered = rows.order(
            lambda x: self.pick([x, x]) and self.scalar(x, 1), *(lambda x, k=k: getattr(x, k) for k in keys)
        )
        return ordered.skip(1).take(self.pick([2, 3])) if self.chance(0.5) else ordered.take(4)

    def flatten(self, rows: Q) -> Q:
        entity = str(getattr(rows.node.element, "name", ""))
        if entity not in COLLECTIONS or rows.node.element.nullable:
            return rows
        navigation = self.pick(COLLECTIONS[entity])
        inner = self.pick(
            [lambda c: related(c, navigation), lambda c: related(c, navigation).where(lambda x: self.predicate(x, 1))]
        )
        left = self.chance(0.4)
        return rows.flat(inner, lambda a, b: new(L=self.scalar(a), R=self.scalar(b), E=a), left)

    def join(self, rows: Q) -> Q:
        if rows.node.element.nullable:
            return rows
        right = scan(self.pick(ENTITIES))
        if self.chance(0.5):
            right = right.where(lambda x: self.predicate(x, 1))
        kind = self.pick(JoinKind)
        wanted = self.pick([Kind.STRING, Kind.INT])

        def chosen(side: Q) -> E:
            row = E(side.lam(lambda x: x).var)
            found: E = self.pick([x for x in self.leaves(row, 0) if is_kind(x, wanted)] or self.leaves(row, 0))
            return found

        left, other = chosen(rows), chosen(right)
        if as_nullable(left.node.type, False) != as_nullable(other.node.type, False):
            return rows
        return rows.join(
            kind, right, same_member(left), same_member(other), lambda a, b: new(L=self.scalar(a), R=self.scalar(b))
        )

    def set_operation(self, rows: Q) -> Q:
        element = rows.node.element
        if element.nullable and not isinstance(element, ScalarType):
            return rows
        return rows.set(self.pick(SetKind), rows.where(lambda x: self.predicate(x, 1)))

    def body(self, steps: int) -> E:
        rows = self.query(steps)
        element = rows.node.element
        if isinstance(element, GroupingType):
            rows = self.select_group(rows)
            element = rows.node.element
        choice = self.random.random()
        if choice < 0.7:
            return rows.list()
        if choice < 0.8:
            return rows.count()
        if choice < 0.9:
            return rows.any(lambda x: self.predicate(x, 1))
        return rows.all(lambda x: self.predicate(x, 1))


def same_member(member: E) -> Callable[[Any], Any]:
    """A selector for the same member of any element; its type when there is no element."""
    path: list[str] = []
    node: Any = member.node
    while hasattr(node, "target"):
        path.insert(0, node.name)
        node = node.target

    def choose(row: Any) -> Any:
        if row is None:
            return member.node.type
        for name in path:
            row = getattr(row, name)
        return row

    return choose


def is_kind(value: E, *kinds: Kind) -> bool:
    return isinstance(value.node.type, ScalarType) and value.node.type.kind in kinds
