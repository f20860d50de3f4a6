"""Queries by hand, one or more per construct. `CASES` maps a name to (method body, whether the row order is stated)."""

# ruff: noqa: ARG005, E711  (lambdas here are C# lambdas; `== None` is C#'s comparison)

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from functools import partial

from tests.write.shop import (
    E,
    day,
    iif,
    items,
    lift,
    new,
    null,
    related,
    scan,
    var,
)  # fmt: skip
from uom.model import queries as q
from uom.model.expressions import (
    Comparison,
    Concat,
    Conditional,
    Const,
    Fn,
    Function,
    LogicalOp,
    SqlCompare,
    SqlIn,
    SqlLogical,
    SqlNot,
)  # fmt: skip
from uom.model.queries import AggregateKind, JoinKind, PickKind, SetKind
from uom.model.types import BOOL, DATETIME, DECIMAL, DOUBLE, INT, LONG, STRING, TIMESPAN
from uom.reference.arithmetic import single

D = Decimal
SUM, AVG, MIN, MAX = AggregateKind.SUM, AggregateKind.AVERAGE, AggregateKind.MIN, AggregateKind.MAX
O, C, P, L, S = (partial(scan, name) for name in ("Order", "Customer", "Product", "OrderDetail", "Employee"))  # noqa: E741
CASES: dict[str, tuple[E, bool]] = {}


def case(name: str, body: E, ordered: bool = False) -> None:
    assert name not in CASES, name
    CASES[name] = (body, ordered)


def load(navigation: str, *children: q.IncludeNode, entity: str, query: object = None) -> q.IncludeNode:
    from uom.model.types import EntityType

    v = var(EntityType(entity))
    return q.IncludeNode(navigation, v, query(related(E(v), navigation)).node if callable(query) else None, children)


def maybe(absent: E, built: E) -> E:
    """`absent ? null : built`."""
    type_ = null(built.node.type)
    return E(Conditional(absent.node, Const(None, type_), built.node, type_))


# filters
case("all", C().list())
case("equal_text", O().where(lambda o: o.ShipCountry == "Germany").list())
case("not_equal_keeps_null", O().where(lambda o: o.ShipCountry != "Germany").list())
case("null_equal", O().where(lambda o: o.ShipCountry == None).list())
case(
    "range",
    P().where(lambda p: (p.UnitPrice >= D(18)) & (p.UnitPrice < D(20))).order(lambda p: p.UnitPrice).list(),
    True,
)
case("less_is_false_on_null", O().where(lambda o: o.Freight < D(50)).list())
case("not_less_is_true_on_null", O().where(lambda o: ~(o.Freight < D(50))).list())
case("two_columns_less", O().where(lambda o: o.ShippedDate > o.OrderDate).list())
case("two_columns_not_less", O().where(lambda o: ~(o.ShippedDate > o.OrderDate)).list())
case("two_columns_less_other", O().where(lambda o: o.OrderDate <= o.ShippedDate).list())
case("two_nullable_equal", O().where(lambda o: o.ShipCountry == o.Customer.Address.Country).list())
case("two_nullable_differ", O().where(lambda o: o.ShipCountry != o.Customer.Address.Country).list())
case(
    "or_and", O().where(lambda o: (o.ShipCountry == "France") | ((o.ShipVia == 2) & ~(o.Freight == D("61.02")))).list()
)
case("xor", P().where(lambda p: p.Discontinued ^ (p.UnitsInStock == 0)).list())
case("not_bool", P().where(lambda p: ~p.Discontinued).list())
case("in", O().where(lambda o: o.ShipCountry.in_("France", None)).list())
case("not_in", O().where(lambda o: ~o.ShipCountry.in_("France", "Brazil")).list())
case("empty_in", O().where(lambda o: o.ShipCountry.in_()).list())
case("enum_text", S().where(lambda e: e.TitleOfCourtesy == 1).list())
case("enum_not", S().where(lambda e: e.TitleOfCourtesy != 1).list())
case("dates", O().where(lambda o: (o.OrderDate >= day("1997-01-01")) & (o.OrderDate < day("1998-01-01"))).list())
case("float_equal", L().where(lambda d: d.Discount == single(0.15)).count())
case("float_range", L().where(lambda d: d.Discount >= 0.15).list())
case("composite_key", L().where(lambda d: (d.OrderId == 1) & (d.ProductId == 2)).first())
case("computed", P().where(lambda p: p.UnitsInStock + 10 > 25).list())
case("short_arithmetic", L().where(lambda d: d.Quantity.as_type(INT) * 2 > 15).list())
case("navigation", L().where(lambda d: (d.Order.Customer.Address.Country == "Germany") & (d.Quantity > 4)).list())
case(
    "navigation_twice", S().where(lambda e: e.Manager.Manager.LastName == "Fuller").select(lambda e: e.LastName).list()
)
case("navigation_null", S().where(lambda e: e.Manager.is_null).list())
case("navigation_not_null", S().where(lambda e: ~(e.Manager.is_null)).list())
case("navigation_differs", S().where(lambda e: e.Manager.City != "Tacoma").list())

# text
for _name, _fn in (("contains", Fn.CONTAINS), ("starts", Fn.STARTS_WITH), ("ends", Fn.ENDS_WITH)):
    for _text in ("Al", "$1", "$", ".?0", "", "p'"):
        case(f"{_name}_{_text}", C().where(lambda c, f=_fn, t=_text: c.CompanyName.fn(f, t, type_=BOOL)).list())
    case(
        f"{_name}_values",
        C()
        .select(
            lambda c, f=_fn: new(
                A=c.CompanyName.fn(f, "o", type_=BOOL),
                B=c.Fax.fn(f, "1", type_=BOOL),
                C=c.CompanyName.fn(f, c.CustomerId, type_=BOOL),
            )
        )
        .list(),
    )
    case(f"not_{_name}", C().where(lambda c, f=_fn: ~c.Fax.fn(f, "4", type_=BOOL)).list())
for _pattern in ("%l%", "Ch__%", "%o_", "a%", "D%$%", "%", "%s $1.?0", "1_"):
    case(
        f"like_{_pattern}",
        C()
        .where(lambda c, t=_pattern: c.CompanyName.fn(Fn.LIKE, t, type_=BOOL) | c.Fax.fn(Fn.LIKE, t, type_=BOOL))
        .list(),
    )
case("like_escape", C().where(lambda c: c.CompanyName.fn(Fn.LIKE, "Dr%!$%", "!", type_=BOOL)).list())
case("null_or_empty", C().where(lambda c: c.Fax.fn(Fn.IS_NULL_OR_EMPTY, type_=BOOL)).list())
case("not_null_or_empty", C().where(lambda c: ~c.Fax.fn(Fn.IS_NULL_OR_EMPTY, type_=BOOL)).list())
case("null_or_white", C().where(lambda c: c.Fax.fn(Fn.IS_NULL_OR_WHITE_SPACE, type_=BOOL)).list())
case("lower_equal", C().where(lambda c: c.CompanyName.fn(Fn.LOWER, type_=STRING) == "alfreds").list())
case(
    "upper_contains",
    P().where(lambda p: p.ProductName.fn(Fn.UPPER, type_=STRING).fn(Fn.CONTAINS, "MBÄ", type_=BOOL)).list(),
)
case(
    "text_functions",
    C()
    .select(
        lambda c: new(
            L=c.CompanyName.fn(Fn.LENGTH, type_=INT),
            F=c.Fax.fn(Fn.LENGTH, type_=INT),
            S=c.CompanyName.fn(Fn.SUBSTRING, 2, type_=STRING),
            T=c.Fax.fn(Fn.SUBSTRING, 0, 2, type_=STRING),
            I=c.CompanyName.fn(Fn.INDEX_OF, "p", type_=INT),
            R=c.CompanyName.fn(Fn.REPLACE, "p", "$p", type_=STRING),
            A=c.CompanyName.fn(Fn.CHAR_AT, 0, type_=STRING),
            W=c.CustomerId.fn(Fn.PAD_LEFT, 7, "0", type_=STRING),
            V=c.Fax.fn(Fn.PAD_RIGHT, 6, ".", type_=STRING),
            X=c.Fax.fn(Fn.TRIM, type_=STRING),
        )
    )
    .list(),
)
case(
    "concat",
    C().select(lambda c: E(Concat((Const("$", STRING), c.Fax.node, Const(" ?0", STRING), c.CompanyName.node)))).list(),
)
case(
    "join",
    C()
    .select(
        lambda c: E(Function(Fn.JOIN, (Const("/", STRING), c.Address.City.node, c.Fax.node, c.CustomerId.node), STRING))
    )
    .list(),
)
case(
    "to_string",
    P()
    .select(
        lambda p: new(
            A=p.ProductId.fn(Fn.TO_STRING, type_=STRING),
            B=p.CategoryId.fn(Fn.TO_STRING, type_=STRING),
            C=p.Discontinued.fn(Fn.TO_STRING, type_=STRING),
        )
    )
    .list(),
)
case("enum_to_string", S().select(lambda e: new(A=e.TitleOfCourtesy.fn(Fn.TO_STRING, type_=STRING))).list())
case(
    "enum_number_to_string",
    O().select(lambda o: new(A=o.ShipVia.fn(Fn.TO_STRING, type_=STRING), B=o.ShipVia.as_type(INT))).list(),
)
case("enum_text_number", S().select(lambda e: e.TitleOfCourtesy.as_type(INT)).list())

# numbers
case(
    "arithmetic",
    P()
    .select(
        lambda p: new(
            A=p.UnitPrice * 2,
            B=p.UnitPrice - D("0.5"),
            C=p.UnitsInStock / 7,
            D=p.UnitsInStock % 7,
            E=(p.UnitsInStock - 30) / 7,
            F=(p.UnitsInStock - 30) % 7,
            G=p.UnitPrice / D(3),
        )
    )
    .list(),
)
case("int_decimal", L().select(lambda d: d.UnitPrice * d.Quantity).list())
case("long_division", P().select(lambda p: (p.UnitsInStock.as_type(LONG) * 3000000000000001) / 7).list())
case(
    "rounding",
    O()
    .select(
        lambda o: new(
            A=o.Freight.fn(Fn.ROUND, type_=DECIMAL),
            B=o.Freight.fn(Fn.ROUND, 2, type_=DECIMAL),
            C=o.Freight.fn(Fn.FLOOR, type_=DECIMAL),
            D=o.Freight.fn(Fn.CEILING, type_=DECIMAL),
            F=o.Freight.fn(Fn.TRUNCATE, type_=DECIMAL),
            G=o.Freight.fn(Fn.ABS, type_=DECIMAL),
            H=o.Freight.fn(Fn.SIGN, type_=INT),
        )
    )
    .list(),
)
case(
    "float_to_decimal",
    L().select(lambda d: d.UnitPrice * d.Quantity * (E(lift(1)).as_type(DECIMAL) - d.Discount.as_type(DECIMAL))).list(),
)
case(
    "conversions",
    P()
    .select(
        lambda p: new(
            A=p.UnitPrice.as_type(DOUBLE),
            B=p.UnitPrice.as_type(INT),
            C=p.UnitsInStock.as_type(LONG),
            D=p.UnitsInStock.as_type(DECIMAL) / D(7),
            E=p.UnitsInStock.as_type(DOUBLE) / 2.0,
        )
    )
    .list(),
)
case(
    "math",
    P()
    .select(
        lambda p: new(
            A=p.UnitsInStock.as_type(DOUBLE).fn(Fn.SQRT, type_=DOUBLE),
            B=p.UnitsInStock.as_type(DOUBLE).fn(Fn.POW, 2.0, type_=DOUBLE),
            C=p.UnitsInStock.fn(Fn.GREATEST, 17, type_=INT),
        )
    )
    .list(),
)
case(
    "coalesce",
    O().select(lambda o: new(A=o.Freight.or_(D(0)), B=o.ShipCountry.or_(o.Customer.Address.Country).or_("?"))).list(),
)
case(
    "conditional",
    P()
    .select(lambda p: iif(p.UnitPrice < D(15), "low", iif(p.UnitPrice < D(20), "middle", "high", STRING), STRING))
    .list(),
)
case(
    "bool_values",
    O()
    .select(
        lambda o: new(
            A=o.ShippedDate > o.OrderDate,
            B=o.Freight == None,
            C=~(o.Freight > D(1)),
            D=(o.ShipVia == 1) | (o.Freight > D(50)),
        )
    )
    .list(),
)

# dates
_PARTS = (Fn.YEAR, Fn.MONTH, Fn.DAY, Fn.DAY_OF_YEAR, Fn.DAY_OF_WEEK, Fn.HOUR, Fn.MINUTE, Fn.SECOND, Fn.MILLISECOND)
case(
    "date_parts",
    O().select(lambda o: new(**{f.name.title().replace("_", ""): o.OrderDate.fn(f, type_=INT) for f in _PARTS})).list(),
)
case(
    "date_add",
    O()
    .select(
        lambda o: new(
            A=o.OrderDate.fn(Fn.ADD_MONTHS, 1, type_=DATETIME),
            B=o.OrderDate.fn(Fn.ADD_DAYS, 1.5, type_=DATETIME),
            C=o.OrderDate.fn(Fn.ADD_YEARS, -1, type_=DATETIME),
            D=o.OrderDate.fn(Fn.ADD_HOURS, 30.0, type_=DATETIME).fn(Fn.DATE, type_=DATETIME),
            F=o.OrderDate.fn(Fn.ADD_DAYS, o.ShipVia.as_type(INT).as_type(DOUBLE), type_=DATETIME),
        )
    )
    .list(),
)
case("date_diff", O().select(lambda o: o.ShippedDate.fn(Fn.DATE_DIFF, o.OrderDate, type_=TIMESPAN)).list())
case(
    "span_days",
    O()
    .select(
        lambda o: new(
            D=o.ShippedDate.fn(Fn.DATE_DIFF, o.OrderDate, type_=TIMESPAN).fn(Fn.SPAN_DAYS, type_=INT),
            T=o.ShippedDate.fn(Fn.DATE_DIFF, o.OrderDate, type_=TIMESPAN).fn(Fn.TOTAL_HOURS, type_=DOUBLE),
            H=o.ShippedDate.fn(Fn.DATE_DIFF, o.OrderDate, type_=TIMESPAN).fn(Fn.SPAN_HOURS, type_=INT),
        )
    )
    .list(),
)
case("time_of_day", O().select(lambda o: o.OrderDate.fn(Fn.TIME_OF_DAY, type_=TIMESPAN)).list())
case(
    "date_plus_span", O().select(lambda o: o.OrderDate + E(Const(timedelta(hours=2), TIMESPAN))).list()
) if False else None

# projection, order, pages
case("select_scalar", O().order(lambda o: o.OrderId).select(lambda o: o.Freight).list(), True)
case(
    "select_entity_pair",
    O().where(lambda o: o.OrderId < 3).select(lambda o: new(Order=o, Customer=o.Customer, F=o.Freight * 2)).list(),
)
case(
    "select_nested",
    O()
    .select(lambda o: new(Id=o.OrderId, Customer=new("Ref", Id=o.Customer.CustomerId, Name=o.Customer.CompanyName)))
    .list(),
)
case("select_navigation_entity", O().select(lambda o: o.Customer).list())
_doubled = P().select(lambda p: new(A=p.UnitsInStock + 1))
for _ in range(14):  # written out, this has 2^14 parts
    _doubled = _doubled.select(lambda x: new(A=x.A + x.A))
case("doubled", _doubled.list())
case("select_complex", C().select(lambda c: c.Address).list())
case(
    "map_filter_map",
    O()
    .select(lambda o: new(A=o.Freight.or_(D(0)) + D(1), B=o.ShipCountry))
    .where(lambda x: D(20) < x.A)
    .order(lambda x: x.B, lambda x: ~x.A)
    .select(lambda x: x.A)
    .list(),
    True,
)
case("order_null", C().order(lambda c: ~c.Fax, lambda c: c.CustomerId).select(lambda c: c.CustomerId).list(), True)
case("order_null_up", C().order(lambda c: c.Fax, lambda c: ~c.CustomerId).list(), True)
case("order_null_in_memory", C().order_in_memory(lambda c: c.Fax, lambda c: c.CustomerId).list(), True)
case("order_null_in_memory_down", C().order_in_memory(lambda c: ~c.Fax, lambda c: ~c.CustomerId).list(), True)
case(
    "order_null_in_memory_inside",
    C()
    .select(
        lambda c: new(
            Id=c.CustomerId,
            Dates=related(c, "Orders")
            .order_in_memory(lambda o: o.ShippedDate, lambda o: o.OrderId)
            .select(lambda o: o.OrderId)
            .list(),
        )
    )
    .list(),
)
case("order_navigation", O().order(lambda o: o.Customer.Address.Country, lambda o: ~o.OrderId).list(), True)
case("order_computed", P().order(lambda p: p.UnitsInStock % 10, lambda p: p.ProductId).list(), True)
case("page", O().order(lambda o: ~o.OrderId).skip(2).take(3).list(), True)
case("take_zero", O().order(lambda o: o.OrderId).take(0).list(), True)
case("take_negative", O().order(lambda o: o.OrderId).take(-3).list(), True)
case(
    "filter_after_take",
    O().order(lambda o: ~o.Freight, lambda o: o.OrderId).take(3).where(lambda o: o.ShipCountry == "Germany").list(),
    True,
)
case(
    "take_then_order",
    O().order(lambda o: ~o.OrderId).take(4).order(lambda o: o.Freight, lambda o: o.OrderId).list(),
    True,
)
case("reverse", O().order(lambda o: o.OrderId).where(lambda o: o.OrderId > 2).reverse().list(), True)
case("reverse_page", O().order(lambda o: o.OrderId).skip(1).take(4).reverse().list(), True)
case("distinct", O().select(lambda o: o.ShipCountry).distinct().list())
case(
    "distinct_record",
    O().select(lambda o: new(A=o.ShipCountry, B=o.ShipVia)).distinct().order(lambda x: x.A, lambda x: x.B).list(),
    True,
)
case("distinct_count", O().select(lambda o: o.ShipCountry).distinct().count())
case("distinct_page", C().select(lambda c: c.Address.Country).distinct().order(lambda c: c).skip(1).list(), True)

# terminals
case("first", O().order(lambda o: ~o.Freight, lambda o: o.OrderId).first())
case("first_none", O().where(lambda o: o.OrderId > 99).first())
case("first_error", O().where(lambda o: o.OrderId > 99).first(False))
case("first_value_default", O().where(lambda o: o.OrderId > 99).select(lambda o: o.OrderId).first())
case("first_record", O().order(lambda o: o.OrderId).select(lambda o: new(A=o.OrderId)).first())
case("single", S().where(lambda e: e.LastName == "Fuller").pick(PickKind.SINGLE, False))
case("single_two", S().where(lambda e: e.ManagerId == 2).pick(PickKind.SINGLE, True))
case("last", O().order(lambda o: o.Freight, lambda o: o.OrderId).pick(PickKind.LAST, False))
case(
    "element_at", C().order(lambda c: c.CompanyName).select(lambda c: c.CompanyName).pick(PickKind.ELEMENT_AT, False, 2)
)
case("count", O().count(lambda o: o.Freight > D(20)))
case("count_none", O().count(lambda o: o.Freight > D(2000)))
case("long_count", L().count(type_=LONG))
case("any", O().any(lambda o: o.ShipCountry == "Brazil"))
case("any_none", O().any(lambda o: o.ShipCountry == "Chile"))
case("all_true", P().all(lambda p: p.UnitsInStock >= 0))
case("all_null", P().all(lambda p: p.UnitPrice > D(0)))
case("contains", P().select(lambda p: p.CategoryId).contains(None))
case("contains_value", P().select(lambda p: p.CategoryId).contains(2))
case("sum", L().sum(lambda d: d.Quantity.as_type(INT), INT))
case("sum_none", L().where(lambda d: d.OrderId > 99).sum(lambda d: d.UnitPrice, DECIMAL))
case("sum_nullable", O().sum(lambda o: o.Freight, null(DECIMAL)))
case("average", P().aggregate(AVG, lambda p: p.UnitPrice, null(DECIMAL)))
case("average_int", P().aggregate(AVG, lambda p: p.UnitsInStock, DOUBLE))
case("average_none", P().where(lambda p: p.ProductId > 99).aggregate(AVG, lambda p: p.UnitsInStock, DOUBLE))
case("max_none", P().where(lambda p: p.ProductId > 99).aggregate(MAX, lambda p: p.UnitPrice, null(DECIMAL)))
case("min_text", P().aggregate(MIN, lambda p: p.ProductName, STRING))
case("max_date", O().aggregate(MAX, lambda o: o.ShippedDate, null(DATETIME)))
case("max_of_rows", O().select(lambda o: o.OrderId).aggregate(MAX, None, INT))

# groups
case(
    "group",
    O()
    .group(lambda o: o.ShipCountry)
    .select(
        lambda g: new(Country=g.Key, Count=items(g).count(), Freight=items(g).sum(lambda o: o.Freight, null(DECIMAL)))
    )
    .list(),
)
case(
    "group_composite",
    O()
    .group(lambda o: new(A=o.ShipCountry, B=o.ShipVia))
    .select(lambda g: new(C=g.Key.A, V=g.Key.B, N=items(g).count()))
    .list(),
)
case(
    "group_having",
    O()
    .group(lambda o: o.CustomerId)
    .where(lambda g: items(g).count() > 1)
    .order(lambda g: ~items(g).count(), lambda g: g.Key)
    .select(lambda g: new(C=g.Key, N=items(g).count()))
    .list(),
    True,
)
case(
    "group_statistics",
    P()
    .group(lambda p: p.CategoryId)
    .order(lambda g: g.Key)
    .select(
        lambda g: new(
            K=g.Key,
            N=items(g).count(lambda p: p.Discontinued),
            Lo=items(g).aggregate(MIN, lambda p: p.UnitPrice, null(DECIMAL)),
            Hi=items(g).aggregate(MAX, lambda p: p.UnitPrice, null(DECIMAL)),
            Avg=items(g).aggregate(AVG, lambda p: p.UnitPrice, null(DECIMAL)).or_(D(0)).fn(Fn.ROUND, 2, type_=DECIMAL),
            Stock=items(g).sum(lambda p: iif(p.Discontinued, 0, p.UnitsInStock, INT), INT),
        )
    )
    .list(),
    True,
)
case(
    "group_constant",
    P()
    .group(lambda p: E(lift(1)))
    .select(lambda g: new(N=items(g).count(), M=items(g).aggregate(MAX, lambda p: p.UnitPrice, null(DECIMAL))))
    .pick(PickKind.SINGLE, False),
)
case(
    "group_value",
    L()
    .group(lambda d: d.Product.CategoryId, lambda d: d.Quantity.as_type(INT))
    .select(lambda g: new(K=g.Key, U=items(g).sum(None, INT), M=items(g).aggregate(MAX, None, INT)))
    .list(),
)
case(
    "group_distinct",
    O()
    .group(lambda o: o.EmployeeId)
    .select(lambda g: new(E=g.Key, N=items(g).select(lambda o: o.ShipCountry).distinct().count()))
    .list(),
)
case(
    "group_quantifiers",
    P()
    .group(lambda p: p.CategoryId)
    .where(lambda g: items(g).all(lambda p: ~p.Discontinued) & items(g).any(lambda p: p.UnitPrice > D(15)))
    .select(
        lambda g: new(
            K=g.Key,
            S=items(g).aggregate(MAX, lambda p: p.UnitPrice, null(DECIMAL))
            - items(g).aggregate(MIN, lambda p: p.UnitPrice, null(DECIMAL)),
        )
    )
    .list(),
)
case(
    "group_navigation",
    L()
    .group(lambda d: d.Order.ShipCountry)
    .select(
        lambda g: new(
            K=g.Key,
            S=items(g).sum(lambda d: d.UnitPrice * d.Quantity, DECIMAL),
            N=items(g).count(lambda d: d.Product.Discontinued),
        )
    )
    .list(),
)
case(
    "group_names",
    P()
    .group(lambda p: p.CategoryId)
    .select(lambda g: new(K=g.Key, N=items(g).order(lambda p: p.ProductName).select(lambda p: p.ProductName).list()))
    .list(),
)
case(
    "group_first",
    O()
    .group(lambda o: o.CustomerId)
    .select(
        lambda g: new(
            K=g.Key,
            F=items(g).order(lambda o: ~o.OrderId).select(lambda o: o.OrderId).first(),
            T=items(g).order(lambda o: o.OrderId).take(1).list(),
        )
    )
    .list(),
)
case(
    "group_first_entity",
    O().group(lambda o: o.CustomerId).select(lambda g: items(g).order(lambda o: o.OrderId).first()).list(),
)
case("groups", S().group(lambda e: e.ManagerId, lambda e: e.LastName).list())
case(
    "group_then_group",
    O()
    .group(lambda o: o.CustomerId)
    .select(lambda g: new(N=items(g).count()))
    .group(lambda x: x.N)
    .select(lambda g: new(N=g.Key, M=items(g).count()))
    .list(),
)
case("group_count", O().group(lambda o: o.ShipCountry).count())
case(
    "group_computed",
    P()
    .group(lambda p: iif(p.UnitPrice < D(19), "low", "high", STRING))
    .select(lambda g: new(K=g.Key, N=items(g).count()))
    .list(),
)

# joins
_KINDS = {"inner": JoinKind.INNER, "left": JoinKind.LEFT, "right": JoinKind.RIGHT, "full": JoinKind.FULL}
for _name, _kind in _KINDS.items():
    case(
        f"join_{_name}",
        O()
        .join(
            _kind,
            C().where(lambda c: c.CustomerId != "ALFKI"),
            lambda o: o.CustomerId,
            lambda c: c.CustomerId,
            lambda o, c: new(O=o.OrderId, C=c.CompanyName),
        )
        .list(),
    )
    case(
        f"join_null_{_name}",
        O()
        .join(
            _kind,
            C(),
            lambda o: o.ShipCountry,
            lambda c: c.Address.Country,
            lambda o, c: new(O=o.OrderId, C=c.CustomerId),
        )
        .list(),
    )
    case(
        f"join_composite_{_name}",
        O()
        .join(
            _kind,
            C(),
            lambda o: (o.CustomerId, o.ShipCountry),
            lambda c: (c.CustomerId, c.Address.Country),
            lambda o, c: new(O=o.OrderId, C=c.CustomerId),
        )
        .list(),
    )
case(
    "join_rows",
    C()
    .join(
        JoinKind.INNER,
        O().order(lambda o: ~o.OrderId).take(3),
        lambda c: c.CustomerId,
        lambda o: o.CustomerId,
        lambda c, o: new(C=c, O=o.OrderId),
    )
    .list(),
)
case(
    "join_projection",
    C()
    .join(
        JoinKind.LEFT,
        O().select(lambda o: new(K=o.CustomerId, F=o.Freight.or_(D(0)) + D(1))),
        lambda c: c.CustomerId,
        lambda x: x.K,
        lambda c, x: new(C=c.CustomerId, X=x),
    )
    .list(),
)
case(
    "join_then_filter",
    O()
    .join(JoinKind.LEFT, C(), lambda o: o.CustomerId, lambda c: c.CustomerId, lambda o, c: new(O=o, C=c))
    .where(lambda x: x.C.is_null | (x.C.Address.Country == "France"))
    .order(lambda x: x.O.OrderId)
    .select(lambda x: new(I=x.O.OrderId, N=x.C.CompanyName))
    .list(),
    True,
)
case(
    "anti_join",
    C()
    .flat(lambda c: related(c, "Orders"), lambda c, o: new(C=c, O=o), left=True)
    .where(lambda x: x.O.is_null)
    .select(lambda x: x.C.CustomerId)
    .list(),
)
case(
    "flat",
    C()
    .flat(
        lambda c: related(c, "Orders").where(lambda o: o.Freight > D(20)),
        lambda c, o: new(N=c.CompanyName, I=o.OrderId),
    )
    .list(),
)
case(
    "flat_left",
    C()
    .flat(
        lambda c: related(c, "Orders").where(lambda o: o.OrderDate >= day("1998-01-01")),
        lambda c, o: new(C=c.CustomerId, D=o.OrderDate),
        left=True,
    )
    .list(),
)
case("flat_entity", C().flat(lambda c: related(c, "Orders"), lambda c, o: o).list())
case(
    "flat_flat",
    C()
    .flat(lambda c: related(c, "Orders"), lambda c, o: o)
    .flat(lambda o: related(o, "Details"), lambda o, d: new(O=o.OrderId, P=d.ProductId))
    .list(),
)
case(
    "cross",
    S()
    .flat(lambda e: P().where(lambda p: p.CategoryId == 2), lambda e, p: new(E=e.LastName, P=p.ProductName))
    .order(lambda x: x.E, lambda x: x.P)
    .list(),
    True,
)
case(
    "cross_compare",
    P()
    .flat(lambda a: P(), lambda a, b: new(A=a, B=b))
    .where(lambda x: (x.A.CategoryId == x.B.CategoryId) & (x.A.UnitPrice > x.B.UnitPrice))
    .select(lambda x: new(A=x.A.ProductName, B=x.B.ProductName))
    .list(),
)
case(
    "lateral",
    C()
    .flat(lambda c: related(c, "Orders").select(lambda o: new(N=c.CompanyName, V=o.ShipVia)).distinct(), lambda c, u: u)
    .list(),
)
case("many_to_many", P().flat(lambda p: related(p, "Tags"), lambda p, t: new(P=p.ProductName, T=t.Name)).list())
case(
    "many_to_many_count",
    P()
    .select(
        lambda p: new(
            P=p.ProductId, N=related(p, "Tags").count(), A=related(p, "Tags").any(lambda t: t.Name == "sweet")
        )
    )
    .list(),
)

# sub-queries
case("exists", C().where(lambda c: related(c, "Orders").any()).list())
case("not_exists", C().where(lambda c: ~related(c, "Orders").any()).list())
case(
    "exists_nested",
    C()
    .where(
        lambda c: related(c, "Orders").any(
            lambda o: related(o, "Details").any(lambda d: d.Product.Discontinued & (d.Discount >= 0.1))
        )
    )
    .list(),
)
case("forall", O().where(lambda o: related(o, "Details").all(lambda d: d.Quantity >= 10)).list())
case(
    "exists_or",
    C().where(lambda c: related(c, "Orders").any(lambda o: o.ShipVia == 3) | (c.CustomerId == "PARIS")).list(),
)
case(
    "count_filter",
    C()
    .where(lambda c: related(c, "Orders").count(lambda o: o.Freight > D(0)) >= 1)
    .order(lambda c: c.CustomerId)
    .select(lambda c: new(C=c.CustomerId, N=related(c, "Orders").count()))
    .list(),
    True,
)
case(
    "sum_children",
    C()
    .select(
        lambda c: new(
            C=c.CompanyName,
            T=related(c, "Orders")
            .flat(lambda o: related(o, "Details"), lambda o, d: d)
            .sum(lambda d: d.UnitPrice * d.Quantity, DECIMAL),
        )
    )
    .where(lambda x: D(10) < x.T)
    .order(lambda x: ~x.T)
    .list(),
    True,
)
case(
    "order_by_count",
    C()
    .order(lambda c: ~related(c, "Orders").count(), lambda c: c.CustomerId)
    .select(lambda c: new(C=c.CompanyName, N=O().count(lambda o: o.CustomerId == c.CustomerId)))
    .list(),
    True,
)
case(
    "above_average",
    P().where(lambda p: p.UnitPrice > P().aggregate(AVG, lambda x: x.UnitPrice, null(DECIMAL)) * D("1.1")).list(),
)
case(
    "contains_query",
    P()
    .where(lambda p: L().where(lambda d: d.Discount >= 0.1).select(lambda d: d.ProductId).contains(p.ProductId))
    .list(),
)
case("not_contains_null", S().where(lambda e: ~C().select(lambda c: c.Address.City).contains(e.City)).list())
case(
    "latest",
    C()
    .order(lambda c: c.CustomerId)
    .select(
        lambda c: new(
            C=c.CustomerId,
            L=related(c, "Orders")
            .order(lambda o: ~o.OrderId)
            .select(lambda o: new(I=o.OrderId, D=o.OrderDate))
            .first(),
            F=related(c, "Orders").order(lambda o: ~o.OrderId).select(lambda o: o.Freight).first(),
            N=related(c, "Orders").order(lambda o: ~o.OrderId).select(lambda o: o.OrderId).first(),
        )
    )
    .list(),
    True,
)
case(
    "latest_entity",
    C().select(lambda c: new(C=c.CustomerId, L=related(c, "Orders").order(lambda o: ~o.OrderId).first())).list(),
)
case(
    "latest_member",
    C().where(lambda c: related(c, "Orders").order(lambda o: ~o.OrderId).first().ShipCountry == "Brazil").list(),
)
case(
    "nested_list",
    C()
    .order(lambda c: c.CustomerId)
    .select(
        lambda c: new(
            C=c.CustomerId,
            O=related(c, "Orders")
            .order(lambda o: o.OrderId)
            .select(
                lambda o: new(
                    I=o.OrderId,
                    L=related(o, "Details").order(lambda d: d.ProductId).select(lambda d: d.ProductId).list(),
                )
            )
            .list(),
        )
    )
    .list(),
    True,
)
case(
    "nested_group",
    C()
    .order(lambda c: c.CustomerId)
    .select(
        lambda c: new(
            C=c.CustomerId,
            G=related(c, "Orders")
            .group(lambda o: o.ShipVia)
            .select(lambda g: new(V=g.Key, N=items(g).count()))
            .order(lambda x: x.V)
            .list(),
        )
    )
    .list(),
    True,
)
case(
    "list_of_entities",
    C().order(lambda c: c.CustomerId).select(lambda c: related(c, "Orders").order(lambda o: o.OrderId).list()).list(),
    True,
)
case(
    "two_levels_out",
    C()
    .where(
        lambda c: related(c, "Orders").any(
            lambda o: related(o, "Details").any(
                lambda d: (
                    d.Product.ProductName.fn(
                        Fn.STARTS_WITH, c.CustomerId.fn(Fn.SUBSTRING, 0, 1, type_=STRING), type_=BOOL
                    )
                    | (o.ShipCountry == c.Address.Country)
                )
            )
        )
    )
    .list(),
)
case(
    "max_in_filter",
    O()
    .where(
        lambda o: (
            o.Freight
            == O().where(lambda x: x.CustomerId == o.CustomerId).aggregate(MAX, lambda x: x.Freight, null(DECIMAL))
        )
    )
    .list(),
)

# sets
for _name, _set in (
    ("concat", SetKind.CONCAT),
    ("union", SetKind.UNION),
    ("except", SetKind.EXCEPT),
    ("intersect", SetKind.INTERSECT),
):
    case(
        f"{_name}_scalars",
        O().select(lambda o: o.ShipCountry).set(_set, C().select(lambda c: c.Address.Country)).list(),
    )
    case(
        f"{_name}_records",
        O()
        .select(lambda o: new(A=o.ShipCountry, B="x"))
        .set(_set, C().select(lambda c: new(A=c.Address.Country, B="x")))
        .list(),
    )
    case(
        f"{_name}_entities",
        P().where(lambda p: p.UnitPrice < D(19)).set(_set, P().where(lambda p: p.UnitsInStock < 20)).list(),
    )
case(
    "concat_order",
    S().select(lambda e: e.City).set(SetKind.CONCAT, C().select(lambda c: c.Address.City)).order(lambda x: x).list(),
    True,
)
case(
    "concat_group",
    O()
    .select(lambda o: new(D=o.OrderDate, W="ordered"))
    .set(SetKind.CONCAT, O().select(lambda o: new(D=o.ShippedDate, W="shipped")))
    .group(lambda x: new(D=x.D.fn(Fn.YEAR, type_=INT), W=x.W))
    .select(lambda g: new(Y=g.Key.D, W=g.Key.W, N=items(g).count()))
    .list(),
)
case(
    "union_pages",
    O()
    .order(lambda o: ~o.OrderId)
    .take(2)
    .set(SetKind.UNION, O().order(lambda o: ~o.Freight, lambda o: o.OrderId).take(2))
    .select(lambda o: o.OrderId)
    .order(lambda x: x)
    .list(),
    True,
)
case(
    "union_in_subquery",
    C()
    .where(
        lambda c: (
            O()
            .select(lambda o: o.ShipCountry)
            .set(SetKind.UNION, S().select(lambda e: e.City))
            .contains(c.Address.Country)
        )
    )
    .list(),
)

# SQL's logic


def sql(op: Comparison, left: E, right: object) -> E:
    return E(SqlCompare(op, left.node, lift(right, left.node.type)))


case("sql_ne", O().where(lambda o: sql(Comparison.NE, o.ShipCountry, "Germany")).list())
case("sql_not_eq", O().where(lambda o: E(SqlNot(sql(Comparison.EQ, o.ShipCountry, "Germany").node))).list())
case(
    "sql_not_and",
    O()
    .where(
        lambda o: E(
            SqlNot(
                SqlLogical(
                    LogicalOp.AND,
                    sql(Comparison.EQ, o.ShipCountry, "Germany").node,
                    sql(Comparison.GT, o.Freight, D(0)).node,
                )
            )
        )
    )
    .list(),
)
case("sql_columns", O().where(lambda o: sql(Comparison.NE, o.ShippedDate, o.OrderDate)).list())
case(
    "sql_values",
    O()
    .select(
        lambda o: new(A=sql(Comparison.LT, o.Freight, D(20)), B=E(SqlNot(sql(Comparison.LT, o.Freight, D(20)).node)))
    )
    .list(),
)
case("sql_not_in", O().where(lambda o: E(SqlNot(SqlIn(o.ShipCountry.node, (lift("France"), lift("Chile")))))).list())
case(
    "sql_not_in_null",
    O().where(lambda o: E(SqlNot(SqlIn(o.ShipCountry.node, (lift("France"), Const(None, null(STRING))))))).list(),
)
case("sql_in", O().where(lambda o: E(SqlIn(o.ShipCountry.node, (lift("France"), Const(None, null(STRING)))))).list())

# loaded navigations


case(
    "include",
    O().include(load("Customer", entity="Order")).where(lambda o: o.OrderId < 6).order(lambda o: o.OrderId).list(),
    True,
)
case(
    "include_tree",
    C()
    .include(
        load(
            "Orders",
            load(
                "Details",
                load("Product", entity="OrderDetail"),
                entity="Order",
                query=lambda r: r.order(lambda d: d.ProductId),
            ),
            entity="Customer",
            query=lambda r: r.order(lambda o: o.OrderId),
        )
    )
    .order(lambda c: c.CustomerId)
    .list(),
    True,
)
case(
    "include_filtered",
    P()
    .include(
        load(
            "OrderDetails",
            entity="Product",
            query=lambda r: r.where(lambda d: d.Quantity > 4).order(lambda d: ~d.Quantity).take(1),
        )
    )
    .order(lambda p: p.ProductId)
    .skip(1)
    .take(3)
    .list(),
    True,
)
case("include_ignored", O().include(load("Customer", entity="Order")).select(lambda o: o.OrderId).list())
case(
    "include_filter_navigation",
    O().include(load("Customer", entity="Order")).where(lambda o: o.Customer.Address.Country == "Germany").list(),
)
case("include_many", P().include(load("Tags", entity="Product", query=lambda r: r.order(lambda t: t.TagId))).list())

# defaults and optional objects
case(
    "max_default",
    P().where(lambda p: p.ProductId > 99).select(lambda p: p.UnitsInStock).default().aggregate(MAX, None, INT),
)
case(
    "min_default_value",
    P().where(lambda p: p.ProductId > 99).select(lambda p: p.UnitsInStock).default(7).aggregate(MIN, None, INT),
)
case(
    "max_default_nested",
    C()
    .select(
        lambda c: new(
            C=c.CustomerId, M=related(c, "Orders").select(lambda o: o.OrderId).default(-1).aggregate(MAX, None, INT)
        )
    )
    .list(),
)
case(
    "optional_object",
    O()
    .select(
        lambda o: new(
            I=o.OrderId, R=maybe(o.Customer.is_null, new("Ref", Id=o.Customer.CustomerId, Name=o.Customer.CompanyName))
        )
    )
    .list(),
)
case(
    "optional_object_used",
    O()
    .select(lambda o: new(I=o.OrderId, R=maybe(o.Freight.is_null, new("Ref", Id=o.CustomerId, Name=o.ShipCountry))))
    .where(lambda x: x.R.is_null | (x.R.Name == "France"))
    .list(),
)
case(
    "group_entity",
    O().group(lambda o: o.Customer).select(lambda g: new(N=g.Key.CompanyName, C=items(g).count())).list(),
)
case("group_required_entity", L().group(lambda d: d.Product).select(lambda g: new(P=g.Key, C=items(g).count())).list())
case("distinct_entities", O().select(lambda o: o.Customer).distinct().list())
case("include_after_select", L().select(lambda d: d.Order).include(load("Customer", entity="Order")).list())
