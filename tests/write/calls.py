"""Methods with parameters, and the calls to make. `CALLS` maps a name to (body, parameters, argument sets)."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

from tests.write.shop import COURTESY, SHIP, E, day, iif, new, null, parameter, related, scan
from uom.model.expressions import Fn, Function, In, Parameter
from uom.model.queries import AggregateKind, PickKind
from uom.model.types import BOOL, DATETIME, DECIMAL, INT, STRING, SequenceType, Type

D = Decimal
Arguments = tuple[Any, ...]
CALLS: dict[str, tuple[E, dict[str, Type], list[Arguments]]] = {}

O, C, P, L, S = (partial(scan, name) for name in ("Order", "Customer", "Product", "OrderDetail", "Employee"))  # noqa: E741


def call(name: str, body: Any, parameters: dict[str, Type], *arguments: Arguments) -> None:
    CALLS[name] = (body(*(parameter(n, t) for n, t in parameters.items())), parameters, list(arguments))


def in_parameter(item: E, values: E) -> E:
    assert isinstance(values.node, Parameter)
    return E(In(item.node, values.node))


call(
    "ByText", lambda t: O().where(lambda o: o.ShipCountry == t).list(), {"text": STRING}, ("Germany",), ("$x",), ("?0",)
)
call(
    "ByNullableText",
    lambda t: O().where(lambda o: o.ShipCountry == t).list(),
    {"text": null(STRING)},
    ("Germany",),
    (None,),
)
call(
    "NotByNullableText",
    lambda t: O().where(lambda o: o.ShipCountry != t).list(),
    {"text": null(STRING)},
    ("Germany",),
    (None,),
)
call(
    "FromFreight",
    lambda m: O().where(lambda o: o.Freight >= m).list(),
    {"minimum": null(DECIMAL)},
    (D("29.46"),),
    (None,),
)
call(
    "NotFromFreight",
    lambda m: O().where(lambda o: ~(o.Freight >= m)).list(),
    {"minimum": null(DECIMAL)},
    (D("29.46"),),
    (None,),
)
call("ByEnum", lambda e: O().where(lambda o: o.ShipVia == e).list(), {"carrier": SHIP}, (1,), (3,))
call(
    "ByTextEnum", lambda e: S().where(lambda x: x.TitleOfCourtesy == e).list(), {"title": null(COURTESY)}, (1,), (None,)
)
call(
    "ByTextEnumComputed",
    lambda e: S().where(lambda x: (x.TitleOfCourtesy == e) ^ (x.LastName == "Fuller")).list(),
    {"title": null(COURTESY)},
    (1,),
    (None,),
)
call(
    "ByDate", lambda d: O().where(lambda o: o.OrderDate < d).list(), {"before": DATETIME}, (day("1998-01-13T10:30:00"),)
)
call(
    "InList",
    lambda v: O().where(lambda o: in_parameter(o.ShipCountry, v)).list(),
    {"countries": SequenceType(STRING)},
    (["Germany", "?0"],),
    ([],),
)
call(
    "NotInEnums",
    lambda v: O().where(lambda o: ~in_parameter(o.ShipVia, v)).list(),
    {"carriers": SequenceType(SHIP)},
    ([1, 2],),
    ([],),
)
call(
    "InListComputed",
    lambda v: O().where(lambda o: in_parameter(o.ShipCountry, v) ^ (o.OrderId > 4)).list(),
    {"values": SequenceType(STRING)},
    (["Germany", "$x"],),
)
call(
    "InEnumsComputed",
    lambda v: S().where(lambda e: in_parameter(e.TitleOfCourtesy, v) ^ (e.LastName == "Fuller")).list(),
    {"titles": SequenceType(COURTESY)},
    ([0, 2],),
)
call(
    "Page",
    lambda p, n: O().order(lambda o: o.OrderId).skip((p - 1) * n).take(n).list(),
    {"page": INT, "size": INT},
    (1, 3),
    (2, 3),
    (2, 0),
    (0, 2),
    (1, -1),
)
call(
    "PageOfValues",
    lambda n: O().order(lambda o: o.OrderId).take(n).select(lambda o: o.OrderId).list(),
    {"size": INT},
    (2,),
    (0,),
)
call(
    "ElementAt",
    lambda i: O().order(lambda o: o.OrderId).pick(PickKind.ELEMENT_AT, True, i),
    {"index": INT},
    (2,),
    (99,),
)
call(
    "Starting",
    lambda t: C().where(lambda c: c.CompanyName.fn(Fn.STARTS_WITH, t, type_=BOOL)).list(),
    {"text": STRING},
    ("Al",),
    ("",),
    ("Paris $1.",),
    ("A.",),
)
call(
    "Containing",
    lambda t: C().where(lambda c: c.CompanyName.fn(Fn.CONTAINS, t, type_=BOOL)).list(),
    {"text": STRING},
    ("$",),
    (".?",),
    ("p'",),
)
call(
    "Ending",
    lambda t: C().where(lambda c: c.Fax.fn(Fn.ENDS_WITH, t, type_=BOOL)).list(),
    {"text": STRING},
    ("24",),
    ("1",),
)
call(
    "ContainingMaybe",
    lambda t: C().where(lambda c: c.CompanyName.fn(Fn.CONTAINS, t, type_=BOOL)).list(),
    {"text": null(STRING)},
    ("o",),
    (None,),
)
call(
    "Optional",
    lambda c, m: (
        O()
        .where(lambda o: o.ShipCountry == c, when=~c.is_null)
        .where(lambda o: o.Freight >= m, when=~m.is_null)
        .order(lambda o: o.OrderId)
        .list()
    ),
    {"country": null(STRING), "minimum": null(DECIMAL)},
    ("Germany", D(30)),
    (None, D(30)),
    ("Germany", None),
    (None, None),
)
call(
    "OptionalInside",
    lambda c, m: O().where(lambda o: (c.is_null | (o.ShipCountry == c)) & (m.is_null | (o.Freight >= m))).list(),
    {"country": null(STRING), "minimum": null(DECIMAL)},
    ("Germany", D(30)),
    (None, D(30)),
    (None, None),
)
call(
    "OptionalJoin",
    lambda c: O().where(lambda o: o.Customer.Address.Country == c, when=~c.is_null).select(lambda o: o.OrderId).list(),
    {"country": null(STRING)},
    ("Germany",),
    (None,),
)
call(
    "OptionalCount",
    lambda c: O().where(lambda o: o.ShipCountry == c, when=~c.is_null).count(),
    {"country": null(STRING)},
    ("Germany",),
    (None,),
)
call(
    "OptionalInSubquery",
    lambda c: (
        C()
        .select(
            lambda x: new(
                C=x.CustomerId, N=related(x, "Orders").where(lambda o: o.ShipCountry == c, when=~c.is_null).count()
            )
        )
        .list()
    ),
    {"country": null(STRING)},
    ("Germany",),
    (None,),
)
call(
    "InSubquery",
    lambda t: C().where(lambda c: related(c, "Orders").any(lambda o: o.ShipCountry == t)).list(),
    {"text": STRING},
    ("Brazil",),
)
call(
    "Computed",
    lambda f: P().select(lambda p: new(A=p.UnitPrice * f, B=iif(p.UnitsInStock > 15, f, D(0), DECIMAL))).list(),
    {"factor": DECIMAL},
    (D("1.5"),),
)
call(
    "TextValue",
    lambda t: P().select(lambda p: new(A=p.ProductName, T=t)).list(),
    {"text": STRING},
    ("$productName",),
    ("?0 'x' \"y\"",),
)
call(
    "LiteralBesideHole",
    lambda t: C().where(lambda c: (c.CompanyName == "Paris $1.?0") ^ (c.CustomerId == t)).list(),
    {"text": STRING},
    ("ALFKI",),
)
call("Reserved", lambda d: O().where(lambda o: o.ShipCountry == d).list(), {"default": STRING}, ("Germany",))
call("FromYear", lambda y: O().where(lambda o: o.OrderDate.fn(Fn.YEAR, type_=INT) >= y).list(), {"year": INT}, (1998,))
call(
    "DaysBefore",
    lambda d, n: O().where(lambda o: o.OrderDate < E(Function(Fn.ADD_DAYS, (d.node, n.node), DATETIME))).list(),
    {"date": DATETIME, "days": INT},
    (day("1998-01-01"), 14),
)
call("Flag", lambda b: P().where(lambda p: p.Discontinued == b).list(), {"flag": BOOL}, (True,), (False,))
call(
    "Totals",
    lambda m: new(
        "Totals",
        Count=O().count(lambda o: o.Freight > m),
        Items=O()
        .where(lambda o: o.Freight > m)
        .order(lambda o: o.OrderId)
        .select(lambda o: new("Line", Id=o.OrderId))
        .list(),
    ),
    {"minimum": DECIMAL},
    (D(20),),
)
call(
    "Rounded",
    lambda m: (
        O()
        .where(lambda o: o.Freight > m)
        .aggregate(AggregateKind.AVERAGE, lambda o: o.Freight, null(DECIMAL))
        .or_(D(0))
        .fn(Fn.ROUND, 2, type_=DECIMAL)
    ),
    {"minimum": DECIMAL},
    (D(20),),
    (D(2000),),
)
call(
    "Mongo",
    lambda m, i: S().where(lambda e: in_parameter(e.TitleOfCourtesy, i) & (e.LastName != m)).list(),
    {"mongo": STRING, "item": SequenceType(COURTESY)},
    ("Fuller", [0, 1]),
)
