"""`==`, `<`, null tests and bool logic with C#'s meaning."""

from __future__ import annotations

from uom.model.diagnostics import Place, Refusal, Severity
from uom.model.expressions import (
    Compare,
    Comparison,
    Conditional,
    Const,
    Expr,
    IsNull,
    LogicalOp,
    New,
    Parameter,
    Property,
)
from uom.model.types import (
    BOOL,
    INT,
    ComplexType,
    EntityType,
    GroupingType,
    Kind,
    NullType,
    RecordType,
    ScalarType,
    SequenceType,
    as_nullable,
    describe,
)
from uom.read.efcore.folding import FALSE, TRUE, compare_constants, is_null_const, logical, negate
from uom.read.efcore.session import Session
from uom.read.efcore.typing_rules import comparison_pair
from uom.read.efcore.values import Scalar

_FLIPPED = {
    Comparison.LT: Comparison.GT,
    Comparison.GT: Comparison.LT,
    Comparison.LE: Comparison.GE,
    Comparison.GE: Comparison.LE,
}


def boolean(expr: Expr) -> Scalar:
    return Scalar(expr, BOOL)


def is_null(value: Scalar, place: Place | None) -> Scalar:
    """`x == null`, `x is null`, `!x.HasValue`."""
    expr = value.expr
    if is_null_const(expr):
        return boolean(TRUE)
    fetched = isinstance(value.static, SequenceType | GroupingType) and not isinstance(expr, Parameter | Property)
    if isinstance(expr, Const | New) or fetched:
        return boolean(FALSE)
    return boolean(IsNull(expr, place))


def negated(value: Scalar) -> Scalar:
    return boolean(negate(value.expr))


def compare(session: Session, op: Comparison, left: Scalar, right: Scalar, place: Place | None) -> Scalar:
    """Comparison of two values of any kind that C# compares."""
    equality = op in (Comparison.EQ, Comparison.NE)
    for value, other in ((left, right), (right, left)):
        if is_null_const(value.expr):
            if not equality:
                return boolean(FALSE)
            test = is_null(other, place)
            return test if op is Comparison.EQ else negated(test)
    if isinstance(left.static, EntityType) and isinstance(right.static, EntityType) and equality:
        test = same_entity(session, left, right, place)
        return test if op is Comparison.EQ else negated(test)
    for side in (left, right):
        if isinstance(side.static, RecordType | ComplexType | SequenceType | GroupingType):
            return _structural(session, op, left, right, place)
    direct = _of_three_way(op, left.expr, right.expr, place)
    if direct is not None:
        return boolean(direct)
    pair = comparison_pair(left, right, place, op.value)
    check_comparable(session, op, left, right, place)
    if isinstance(pair.left, Const) and isinstance(pair.right, Const):
        answer = compare_constants(op, pair.left, pair.right)
        if answer is not None:
            return boolean(TRUE if answer else FALSE)
    simple = _bool_against_constant(op, pair.left, pair.right)
    return boolean(simple if simple is not None else Compare(op, pair.left, pair.right, place))


def three_way(a: Expr, b: Expr, place: Place | None) -> Expr:
    """-1, 0 or 1 as `a` is less than, equal to or greater than `b`; null when that is not known."""
    one, zero, minus = (Const(n, INT, place) for n in (1, 0, -1))
    nullable = as_nullable(INT, a.type.nullable or b.type.nullable)
    last: Expr = minus
    if nullable.nullable:
        nothing = Const(None, nullable, place)
        last = Conditional(Compare(Comparison.LT, a, b, place), minus, nothing, nullable, place)
    greater = Conditional(Compare(Comparison.GT, a, b, place), one, last, nullable, place)
    return Conditional(Compare(Comparison.EQ, a, b, place), zero, greater, nullable, place)


def _of_three_way(op: Comparison, left: Expr, right: Expr, place: Place | None) -> Expr | None:
    """`string.Compare(a, b) < 0` is `a < b`."""
    for value, const, operator in ((left, right, op), (right, left, _FLIPPED.get(op, op))):
        if isinstance(const, Const) and const.value == 0 and isinstance(value, Conditional):
            test = value.test
            if isinstance(test, Compare) and value == three_way(test.left, test.right, None):
                return Compare(operator, test.left, test.right, place)
    return None


def _bool_against_constant(op: Comparison, left: Expr, right: Expr) -> Expr | None:
    """`flag == true` is the flag itself where it cannot be null."""
    for value, const in ((left, right), (right, left)):
        if (
            isinstance(const, Const)
            and isinstance(const.value, bool)
            and not value.type.nullable
            and op in (Comparison.EQ, Comparison.NE)
        ):
            return value if const.value is (op is Comparison.EQ) else negate(value)
    return None


def check_comparable(session: Session, op: Comparison, left: Scalar, right: Scalar, place: Place | None) -> None:
    """C# has no order for text and bool; text compares by code point in memory but by collation in the database."""
    ordered = op not in (Comparison.EQ, Comparison.NE)
    for side in (left, right):
        type_ = side.static
        if ordered and isinstance(type_, ScalarType) and type_.kind in (Kind.STRING, Kind.BOOL, Kind.BYTES, Kind.GUID):
            raise Refusal(
                op.value,
                f"there is no such operator for {describe(as_nullable(type_, False))}",
                place,
                "Use string.Compare for text." if type_.kind is Kind.STRING else "",
            )
        text = isinstance(type_, ScalarType) and type_.kind is Kind.STRING
        if text and session.fetched is not None and not session.schema.provider:
            session.note(
                Severity.CONVENTION, op.value, "text compares case-sensitively here, since it is C# in memory", place
            )
        if text and session.fetched is not None and session.schema.provider == "sqlserver":
            raise Refusal(
                op.value,
                "text compares case-sensitively here (C# in memory) but not in SQL Server",
                place,
                "Move the comparison into the query.",
            )


def same_entity(session: Session, left: Scalar, right: Scalar, place: Place | None) -> Scalar:
    """Entities are the same when their keys are; both missing counts as equal, as it does in C#."""
    assert isinstance(left.static, EntityType)
    entity = session.entity(left.static.name, place)
    if not entity.key:
        raise Refusal("==", f"{entity.name} has no key to compare by", place, "Compare its columns.")
    result: Expr = TRUE
    for name in entity.key:
        pair = [key_property(session, side, name, place) for side in (left, right)]
        test = compare(session, Comparison.EQ, pair[0], pair[1], place)
        result = logical(LogicalOp.AND, result, test.expr)
    return boolean(result)


def key_property(session: Session, side: Scalar, name: str, place: Place | None) -> Scalar:
    assert isinstance(side.static, EntityType)
    column = session.entity(side.static.name, place).property(name)
    if column is None:
        raise Refusal("==", f"the key {name} of {side.static.name} is not a column", place, "")
    nullable = column.type.nullable or side.expr.type.nullable
    return Scalar(Property(side.expr, name, as_nullable(column.type, nullable), place), column.type)


def _structural(session: Session, op: Comparison, left: Scalar, right: Scalar, place: Place | None) -> Scalar:
    """Anonymous objects and tuples, field by field; other objects have no comparison in the database."""
    a, b = left.expr, right.expr
    if (
        (
            isinstance(a, New)
            and isinstance(b, New)
            and len(a.args) == len(b.args)
            and op in (Comparison.EQ, Comparison.NE)
        )
        and isinstance(left.static, RecordType)
        and isinstance(right.static, RecordType)
    ):
        result: Expr = TRUE
        for x, y, f, g in zip(a.args, b.args, left.static.fields, right.static.fields, strict=True):
            test = compare(session, Comparison.EQ, Scalar(x, f.type), Scalar(y, g.type), place)
            result = logical(LogicalOp.AND, result, test.expr)
        return boolean(result) if op is Comparison.EQ else negated(boolean(result))
    raise Refusal(
        op.value, "whole objects are not comparable in the database", place, "Compare their members one by one."
    )


def truth(_session: Session, value: Scalar, place: Place | None, construct: str) -> Expr:
    """The value as a condition. Raises Refusal when it is no bool."""
    if isinstance(value.static, ScalarType) and value.static.kind is Kind.BOOL:
        return value.expr
    if isinstance(value.static, NullType):
        return FALSE
    raise Refusal(construct, f"a condition is expected, not {describe(value.static)}", place, "Give a bool expression.")
