"""A small shop: schema, rows and a compact way to write queries over it by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import count
from typing import Any

from uom.data.documents import documents
from uom.model import queries as q
from uom.model.expressions import (
    Arithmetic,
    ArithmeticOp,
    Coalesce,
    Compare,
    Comparison,
    Conditional,
    Const,
    Convert,
    Expr,
    Fn,
    Function,
    In,
    IsNull,
    Lambda,
    Logical,
    LogicalOp,
    Navigate,
    New,
    Not,
    Parameter,
    Property,
    Subquery,
    Var,
)
from uom.model.mapping import DocumentMapping
from uom.model.schema import (
    ComplexProperty,
    ComplexShape,
    Entity,
    ForeignKey,
    JoinTable,
    Navigation,
    NavigationKind,
    Schema,
)
from uom.model.schema import Property as Column
from uom.model.types import (
    BOOL,
    DATETIME,
    DECIMAL,
    DOUBLE,
    INT,
    STRING,
    ComplexType,
    EntityType,
    EnumType,
    Field,
    GroupingType,
    Kind,
    RecordType,
    ScalarType,
    SequenceType,
    Type,
    as_nullable,
    element_of,
)
from uom.plan.mapping.documents import default_mapping
from uom.reference.arithmetic import single
from uom.reference.values import Complex, Database, Row

SHIP = EnumType("ShipMethod", (("Speedy", 1), ("United", 2), ("Federal", 3)))
COURTESY = EnumType("Courtesy", (("Mr", 0), ("Ms", 1), ("Dr", 2)), (("Mr", "Mr."), ("Ms", "Ms."), ("Dr", "Dr.")))
UINT = ScalarType(Kind.UINT)
SHORT = ScalarType(Kind.SHORT)
FLOAT = ScalarType(Kind.FLOAT)


def null(type_: Type) -> Type:
    return as_nullable(type_)


def _entity(name: str, key: str, columns: dict[str, Type], *navigations: Navigation, **more: Any) -> Entity:
    properties = tuple(Column(n, t, n) for n, t in columns.items())
    return Entity(
        name, f"{name}s", None, tuple(key.split()), properties, navigations=navigations, set_names=(f"{name}s",), **more
    )


_CUSTOMER = ForeignKey("Order", ("CustomerId",), "Customer", ("CustomerId",), required=False)
_SELLER = ForeignKey("Order", ("EmployeeId",), "Employee", ("EmployeeId",), required=False)
_ORDER = ForeignKey("OrderDetail", ("OrderId",), "Order", ("OrderId",), required=True)
_PRODUCT = ForeignKey("OrderDetail", ("ProductId",), "Product", ("ProductId",), required=True)
_MANAGER = ForeignKey("Employee", ("ManagerId",), "Employee", ("EmployeeId",), required=False)
_TAGS = JoinTable("ProductTag", None, (("ProductsId", "ProductId"),), (("TagsId", "TagId"),))
_PRODUCTS = JoinTable("ProductTag", None, (("TagsId", "TagId"),), (("ProductsId", "ProductId"),))


def _one(name: str, target: str, fk: ForeignKey) -> Navigation:
    return Navigation(name, NavigationKind.REFERENCE, target, fk, on_dependent=True)


def _many(name: str, target: str, fk: ForeignKey) -> Navigation:
    return Navigation(name, NavigationKind.COLLECTION, target, fk)


SCHEMA = Schema(
    "Shop",
    (
        _entity(
            "Customer",
            "CustomerId",
            {"CustomerId": STRING, "CompanyName": STRING, "Fax": null(STRING)},
            _many("Orders", "Order", _CUSTOMER),
            complexes=(
                ComplexProperty("Address", "PostalAddress", False, (("City", "City"), ("Country", "Country"))),
            ),
        ),
        _entity(
            "Order",
            "OrderId",
            {
                "OrderId": INT,
                "CustomerId": null(STRING),
                "EmployeeId": null(UINT),
                "OrderDate": null(DATETIME),
                "ShippedDate": null(DATETIME),
                "ShipVia": null(SHIP),
                "Freight": null(DECIMAL),
                "ShipCountry": null(STRING),
            },
            _one("Customer", "Customer", _CUSTOMER),
            _one("Employee", "Employee", _SELLER),
            _many("Details", "OrderDetail", _ORDER),
        ),
        _entity(
            "OrderDetail",
            "OrderId ProductId",
            {"OrderId": INT, "ProductId": INT, "UnitPrice": DECIMAL, "Quantity": SHORT, "Discount": FLOAT},
            _one("Order", "Order", _ORDER),
            _one("Product", "Product", _PRODUCT),
        ),
        _entity(
            "Product",
            "ProductId",
            {
                "ProductId": INT,
                "ProductName": STRING,
                "CategoryId": null(INT),
                "UnitPrice": null(DECIMAL),
                "UnitsInStock": INT,
                "Discontinued": BOOL,
            },
            _many("OrderDetails", "OrderDetail", _PRODUCT),
            Navigation("Tags", NavigationKind.SKIP, "Tag", None, join_table=_TAGS),
        ),
        _entity(
            "Tag", "TagId", {"TagId": INT, "Name": STRING},
            Navigation("Products", NavigationKind.SKIP, "Product", None, join_table=_PRODUCTS),
        ),
        _entity(
            "Employee",
            "EmployeeId",
            {
                "EmployeeId": UINT,
                "LastName": STRING,
                "City": null(STRING),
                "TitleOfCourtesy": null(COURTESY),
                "ManagerId": null(UINT),
            },
            _one("Manager", "Employee", _MANAGER),
            _many("Reports", "Employee", _MANAGER),
        ),
    ),
    (ComplexShape("PostalAddress", (Column("City", null(STRING), "City"), Column("Country", null(STRING), "Country"))),),
)  # fmt: skip
MAPPING: DocumentMapping = default_mapping(SCHEMA)


def _rows(entity: str, *rows: tuple[Any, ...]) -> list[Row]:
    shape = SCHEMA.entity(entity)
    names = [p.name for p in shape.properties] + [c.name for c in shape.complexes]
    found = []
    for values in rows:
        by_name = dict(zip(names, values, strict=True))
        found.append(Row(entity, by_name, (entity, *(str(by_name[k]) for k in shape.key))))
    return found


def _at(city: str | None, country: str | None) -> Complex:
    return Complex("PostalAddress", {"City": city, "Country": country})


def day(text: str) -> datetime:
    return datetime.fromisoformat(text)


_D = Decimal
DATABASE = Database(
    {
        "Customer": _rows(
            "Customer",
            ("ALFKI", "Alfreds", None, _at("Berlin", "Germany")),
            ("BONAP", "Bon app'", "91.24", _at("Marseille", "France")),
            ("CHOPS", "Chop-suey", None, _at(None, None)),
            ("DRACD", "Drachen $tore", "0241", _at("Aachen", "Germany")),
            ("PARIS", "Paris $1.?0", "1\n", _at("Paris", "France")),
        ),
        "Order": _rows(
            "Order",
            (1, "ALFKI", 1, day("1997-08-25"), day("1997-09-02"), 1, _D("29.46"), "Germany"),
            (2, "ALFKI", 2, day("1997-10-03"), None, 2, _D("61.02"), "Germany"),
            (3, "BONAP", 2, day("1998-01-13T10:30:00"), day("1998-01-14"), 1, None, "France"),
            (4, "BONAP", None, day("1998-03-31"), day("1998-04-30"), 3, _D("0.5"), None),
            (5, None, 3, None, None, None, _D("12.345"), "France"),
            (6, "DRACD", 3, day("1996-12-31T23:59:59.999"), day("1997-01-01"), 2, _D("-2.345"), "Germany"),
            (7, "DRACD", 1, day("1998-05-05"), None, 3, _D("100"), "Brazil"),
        ),
        "OrderDetail": _rows(
            "OrderDetail",
            (1, 1, _D("18.00"), 10, single(0.15)),
            (1, 2, _D("19.00"), 5, 0.0),
            (2, 2, _D("19.00"), 60, single(0.25)),
            (3, 3, _D("10.00"), -7, single(0.1)),
            (4, 1, _D("14.40"), 12, 0.0),
            (6, 4, _D("22.3333"), 3, single(0.05)),
            (7, 1, _D("18.00"), 1, 0.0),
            (7, 4, _D("21.35"), 35, single(0.15)),
        ),
        "Product": _rows(
            "Product",
            (1, "Chai", 1, _D("18.00"), 39, False),
            (2, "Chang", 1, _D("19.00"), 17, False),
            (3, "Aniseed Syrup", 2, _D("10.00"), 13, False),
            (4, "Gumbär", None, _D("21.35"), 0, True),
            (5, "Ikura", 2, None, 31, False),
        ),
        "Tag": _rows("Tag", (1, "sweet"), (2, "drink"), (3, "rare")),
        "Employee": _rows(
            "Employee",
            (1, "Davolio", "Seattle", 1, 2),
            (2, "Fuller", "Tacoma", 2, None),
            (3, "Leverling", None, 1, 2),
            (4, "Peacock", "London", None, 3),
        ),
    },
    {
        "ProductTag": [
            {"ProductsId": 1, "TagsId": 2},
            {"ProductsId": 2, "TagsId": 2},
            {"ProductsId": 3, "TagsId": 1},
            {"ProductsId": 3, "TagsId": 2},
        ]
    },
)
DOCUMENTS = documents(DATABASE, SCHEMA, MAPPING)

# -- a compact notation ----------------------------------------------------------------------------------------------

_names = count(1)


@dataclass(frozen=True)
class E:
    """An expression with operators: `o.Freight > 30`, `o.Customer.Address.Country == "UK"`."""

    node: Expr

    def __getattr__(self, name: str) -> E:
        type_ = self.node.type
        if isinstance(type_, EntityType):
            entity = SCHEMA.entity(type_.name)
            navigation = entity.navigation(name)
            if navigation is not None and navigation.kind is NavigationKind.REFERENCE:
                return E(Navigate(self.node, name, EntityType(navigation.target, nullable=True)))
            if navigation is not None:
                raise AttributeError(f"use related(x, {name!r})")
            column, part = entity.property(name), entity.complex(name)
            found: Type = column.type if column else ComplexType(part.complex_name) if part else BOOL
            return E(Property(self.node, name, null(found) if type_.nullable else found))
        if isinstance(type_, ComplexType):
            column = SCHEMA.complex(type_.name).property(name)
            assert column is not None
            return E(Property(self.node, name, null(column.type) if type_.nullable else column.type))
        if isinstance(type_, GroupingType):
            return E(Property(self.node, name, type_.key))
        assert isinstance(type_, RecordType), type_
        field = type_.field(name)
        assert field is not None, name
        return E(Property(self.node, name, null(field.type) if type_.nullable else field.type))

    def _compare(self, op: Comparison, other: Any) -> E:
        return E(Compare(op, self.node, lift(other, self.node.type)))

    def __eq__(self, other: Any) -> E:  # type: ignore[override]
        return self._compare(Comparison.EQ, other)

    def __ne__(self, other: Any) -> E:  # type: ignore[override]
        return self._compare(Comparison.NE, other)

    def __lt__(self, other: Any) -> E:
        return self._compare(Comparison.LT, other)

    def __le__(self, other: Any) -> E:
        return self._compare(Comparison.LE, other)

    def __gt__(self, other: Any) -> E:
        return self._compare(Comparison.GT, other)

    def __ge__(self, other: Any) -> E:
        return self._compare(Comparison.GE, other)

    def __and__(self, other: E) -> E:
        return E(Logical(LogicalOp.AND, self.node, other.node))

    def __or__(self, other: E) -> E:
        return E(Logical(LogicalOp.OR, self.node, other.node))

    def __xor__(self, other: E) -> E:
        return E(Logical(LogicalOp.XOR, self.node, other.node))

    def __invert__(self) -> E:
        return E(Not(self.node))

    def _arithmetic(self, op: ArithmeticOp, other: Any) -> E:
        right = lift(other, self.node.type)
        type_ = self.node.type
        if as_nullable(right.type, False) != as_nullable(type_, False):
            right = Convert(right, as_nullable(type_, right.type.nullable))
        return E(Arithmetic(op, self.node, right, as_nullable(type_, type_.nullable or right.type.nullable)))

    def __add__(self, other: Any) -> E:
        return self._arithmetic(ArithmeticOp.ADD, other)

    def __sub__(self, other: Any) -> E:
        return self._arithmetic(ArithmeticOp.SUB, other)

    def __mul__(self, other: Any) -> E:
        return self._arithmetic(ArithmeticOp.MUL, other)

    def __truediv__(self, other: Any) -> E:
        return self._arithmetic(ArithmeticOp.DIV, other)

    def __mod__(self, other: Any) -> E:
        return self._arithmetic(ArithmeticOp.MOD, other)

    def as_type(self, type_: Type) -> E:
        return E(Convert(self.node, as_nullable(type_, self.node.type.nullable)))

    def or_(self, other: Any) -> E:
        right = lift(other, as_nullable(self.node.type, False))
        return E(Coalesce(self.node, right, as_nullable(self.node.type, right.type.nullable)))

    @property
    def is_null(self) -> E:
        return E(IsNull(self.node))

    def in_(self, *values: Any) -> E:
        return E(In(self.node, tuple(lift(v, self.node.type) for v in values)))

    def fn(self, fn: Fn, *args: Any, type_: Type) -> E:
        nodes = (self.node, *(lift(a) for a in args))
        nullable = any(n.type.nullable for n in nodes) and type_ != BOOL
        return E(Function(fn, nodes, as_nullable(type_, nullable)))

    __hash__ = None  # type: ignore[assignment]


_PLAIN: dict[type, Type] = {bool: BOOL, int: INT, str: STRING, Decimal: DECIMAL, float: DOUBLE, datetime: DATETIME}


def lift(value: Any, like: Type | None = None) -> Expr:
    """A Python value as a constant, of the other side's type where that fits."""
    if isinstance(value, E):
        return value.node
    if value is None:
        return Const(None, null(like or STRING))
    if like is not None and isinstance(like, EnumType | ScalarType) and not isinstance(value, bool):
        return Const(Decimal(value) if like == null(DECIMAL) or like == DECIMAL else value, as_nullable(like, False))
    return Const(value, _PLAIN[type(value)])


def var(type_: Type, name: str = "x") -> Var:
    return Var(f"{name}{next(_names)}", type_)


@dataclass(frozen=True)
class Q:
    """A query: methods are operators, `node` is the algebra."""

    node: q.Query

    def lam(self, function: Any) -> Lambda:
        v = var(self.node.element)
        return Lambda(v, lift(function(E(v))))

    def where(self, function: Any, when: E | None = None) -> Q:
        return Q(q.Filter(self.node, self.lam(function), self.node.element, when.node if when is not None else None))

    def select(self, function: Any) -> Q:
        lam = self.lam(function)
        return Q(q.Map(self.node, lam, lam.body.type))

    def order(self, *functions: Any) -> Q:
        v = var(self.node.element)
        keys = tuple(
            q.SortKey(f(E(v)).node.operand, True) if isinstance(f(E(v)).node, Not) else q.SortKey(f(E(v)).node)
            for f in functions
        )
        return Q(q.OrderBy(self.node, v, keys, self.node.element))

    def order_in_memory(self, *functions: Any) -> Q:
        """As LINQ to Objects sorts: nulls first, wherever the database has them."""
        order = self.order(*functions).node
        assert isinstance(order, q.OrderBy)
        return Q(replace(order, keys=tuple(replace(k, nulls_first=True) for k in order.keys)))

    def skip(self, n: Any) -> Q:
        return Q(q.Skip(self.node, lift(n), self.node.element))

    def take(self, n: Any) -> Q:
        return Q(q.Take(self.node, lift(n), self.node.element))

    def distinct(self) -> Q:
        return Q(q.Distinct(self.node, self.node.element))

    def default(self, value: Any = None) -> Q:
        default = lift(value, self.node.element) if value is not None else None
        return Q(q.DefaultIfEmpty(self.node, self.node.element, default))

    def reverse(self) -> Q:
        return Q(q.Reverse(self.node, self.node.element))

    def group(self, key: Any, value: Any = lambda x: x) -> Q:
        k, v = self.lam(key), self.lam(value)
        return Q(q.GroupBy(self.node, k, v, GroupingType(k.body.type, v.body.type)))

    def flat(self, inner: Any, result: Any, left: bool = False) -> Q:
        outer = var(self.node.element)
        source: q.Query = inner(E(outer)).node
        if left:
            source = q.DefaultIfEmpty(source, null(source.element))
        inner_var = var(source.element, "inner")
        body = result(E(outer), E(inner_var)).node
        return Q(q.FlatMap(self.node, outer, source, inner_var, body, body.type))

    def join(self, kind: q.JoinKind, right: Q, left_key: Any, right_key: Any, result: Any) -> Q:
        left_null = kind in (q.JoinKind.RIGHT, q.JoinKind.FULL)
        right_null = kind in (q.JoinKind.LEFT, q.JoinKind.FULL)
        a = Var(f"l{next(_names)}", as_nullable(self.node.element, left_null))
        b = Var(f"r{next(_names)}", as_nullable(right.node.element, right_null))
        keys = tuple(zip(_keys(left_key(E(a))), _keys(right_key(E(b))), strict=True))
        body = result(E(a), E(b)).node
        return Q(q.Join(kind, self.node, right.node, a, b, keys, body, body.type))

    def set(self, kind: q.SetKind, other: Q) -> Q:
        return Q(q.SetOperation(kind, self.node, other.node, self.node.element))

    def include(self, *tree: q.IncludeNode) -> Q:
        assert isinstance(self.node.element, EntityType)
        return Q(q.Include(self.node, tree, self.node.element))

    # terminals, as values
    def count(self, function: Any = None, type_: Type = INT) -> E:
        source = self.where(function) if function else self
        return E(Subquery(q.Aggregate(q.AggregateKind.COUNT, source.node, None, type_), type_))

    def aggregate(self, kind: q.AggregateKind, function: Any, type_: Type) -> E:
        return E(Subquery(q.Aggregate(kind, self.node, self.lam(function) if function else None, type_), type_))

    def sum(self, function: Any, type_: Type) -> E:
        return self.aggregate(q.AggregateKind.SUM, function, type_)

    def pick(self, kind: q.PickKind, or_default: bool, index: Any = None) -> E:
        element = self.node.element
        if or_default and not isinstance(element, ScalarType | EnumType):
            element = null(element)
        node = q.Pick(kind, self.node, or_default, element, lift(index) if index is not None else None)
        return E(Subquery(node, element))

    def first(self, or_default: bool = True) -> E:
        return self.pick(q.PickKind.FIRST, or_default)

    def any(self, function: Any = None) -> E:
        source = self.where(function) if function else self
        return E(Subquery(q.Exists(source.node), BOOL))

    def all(self, function: Any) -> E:
        return E(Subquery(q.Forall(self.node, self.lam(function)), BOOL))

    def contains(self, item: Any) -> E:
        return E(Subquery(q.Contains(self.node, lift(item, self.node.element)), BOOL))

    def list(self) -> E:
        return E(Subquery(self.node, SequenceType(self.node.element)))


def _keys(value: Any) -> tuple[Expr, ...]:
    return tuple(v.node for v in value) if isinstance(value, tuple) else (value.node,)


def scan(entity: str) -> Q:
    return Q(q.Scan(entity, EntityType(entity), ()))


def related(target: E, navigation: str) -> Q:
    assert isinstance(target.node.type, EntityType)
    found = SCHEMA.entity(target.node.type.name).navigation(navigation)
    assert found is not None
    return Q(q.Related(target.node, navigation, EntityType(found.target), ()))


def items(target: E) -> Q:
    element = element_of(target.node.type)
    assert element is not None
    return Q(q.Elements(target.node, element))


def new(_name: str | None = None, /, **fields: Any) -> E:
    nodes = {n: lift(v) for n, v in fields.items()}
    type_ = RecordType(_name, tuple(Field(n, e.type) for n, e in nodes.items()))
    return E(New(type_, tuple(nodes.values())))


def iif(test: E, then: Any, otherwise: Any, type_: Type) -> E:
    return E(Conditional(test.node, lift(then, type_), lift(otherwise, type_), type_))


def parameter(name: str, type_: Type) -> E:
    return E(Parameter(name, type_))
