"""Functions of numbers and flags."""

from __future__ import annotations

from uom.model.expressions import Fn
from uom.model.program import Rounding
from uom.model.types import INTEGERS, Kind, ScalarType
from uom.plan.mapping.graphs import MOST_DIGITS
from uom.write.neo4j import decimals
from uom.write.neo4j.expressions import bit_of
from uom.write.neo4j.functions import Call, Writer, unless_null, writes
from uom.write.neo4j.text import Level, Text, binary, both, call, case, either, integer, is_null, string
from uom.write.neo4j.values import Scalar


def _kind(call_: Call, position: int = 0) -> Kind | None:
    type_ = call_.args[position].type
    return type_.kind if isinstance(type_, ScalarType) else None


@writes(Fn.ABS)
def _abs(call_: Call) -> Scalar:
    number = call_.args[0]
    if number.scale is not None:
        return decimals.absolute(number, call_.node.type)
    return call_.result(call("abs", number.text))


@writes(Fn.ROUND)
def _round(call_: Call) -> Scalar:
    number = call_.args[0]
    digits = call_.constant(1) if len(call_.args) > 1 else 0
    if not isinstance(digits, int) or not 0 <= digits <= MOST_DIGITS:
        raise call_.refuse("the number of digits must be a constant that is not negative")
    semantics = call_.scope.semantics
    if number.scale is not None:
        if semantics.rounding is Rounding.TO_EVEN:
            raise call_.refuse("decimals round half to even here, which integers cannot do")
        return decimals.rounded(number, digits, call_.node.type)
    if _kind(call_) is not Kind.DOUBLE:
        raise call_.refuse("only decimals and doubles are rounded")
    if digits:
        raise call_.refuse("Neo4j rounds the shortest text of a double, other databases its exact value")
    mode = "HALF_EVEN" if semantics.double_rounding is Rounding.TO_EVEN else "HALF_UP"
    return call_.result(call("round", number.text, integer(0), string(mode)))


@writes(Fn.FLOOR)
def _floor(call_: Call) -> Scalar:
    number = call_.args[0]
    return decimals.floored(number, call_.node.type) if number.scale is not None else _double(call_, "floor")


@writes(Fn.CEILING)
def _ceiling(call_: Call) -> Scalar:
    number = call_.args[0]
    return decimals.ceiled(number, call_.node.type) if number.scale is not None else _double(call_, "ceil")


@writes(Fn.TRUNCATE)
def _truncate(call_: Call) -> Scalar:
    number = call_.args[0]
    if number.scale is not None:
        return decimals.truncated(number, call_.node.type)
    return call_.result(call("round", number.text, integer(0), string("DOWN")))


def _double(call_: Call, function: str) -> Scalar:
    return call_.result(call(function, *(a.text for a in call_.args)))


def _of_double(function: str) -> Writer:
    return lambda call_: _double(call_, function)


for _fn, _name in ((Fn.SQRT, "sqrt"), (Fn.EXP, "exp"), (Fn.LOG10, "log10")):
    writes(_fn)(_of_double(_name))


@writes(Fn.LOG)
def _log(call_: Call) -> Scalar:
    logs = [call("log", a.text) for a in call_.args]
    return call_.result(logs[0] if len(logs) == 1 else binary(logs[0], "/", logs[1], Level.MULTIPLY))


@writes(Fn.POW)
def _pow(call_: Call) -> Scalar:
    """`^` binds from the left and tighter than a sign, so both sides stand alone."""
    return call_.result(Text(f"{call_.text().at(Level.ATOM)} ^ {call_.text(1).at(Level.ATOM)}", Level.UNARY))


@writes(Fn.SIGN)
def _sign(call_: Call) -> Scalar:
    return call_.result(call("sign", call_.text()))


@writes(Fn.LEAST, Fn.GREATEST)
def _extreme(call_: Call) -> Scalar:
    left, right = call_.args
    scale = None
    a, b = left.text, right.text
    if left.scale is not None and right.scale is not None:
        a, b, scale = decimals.aligned(left, right)
    operator = "<=" if call_.node.fn is Fn.LEAST else ">="
    pairs = [(binary(a, operator, b, Level.COMPARE), a)]
    nulls = [is_null(t) for t, v in ((a, left), (b, right)) if v.nullable]
    if nulls:
        pairs.insert(0, (either(*nulls), Text("null")))
    return call_.result(case(pairs, b), scale)


@writes(Fn.PARSE)
def _parse(call_: Call) -> Scalar:
    """toInteger would take 2.9, and make null of what is no number; the source's database fails there."""
    if _target(call_) not in INTEGERS:
        raise call_.refuse("only integers are read from text")
    text = call("trim", call_.text())
    checked = case([(binary(text, "=~", string("[+-]?[0-9]+"), Level.COMPARE), text)], Text("[]"))
    return call_.result(unless_null(call_, call("toInteger", checked)))


def _target(call_: Call) -> Kind | None:
    type_ = call_.node.type
    return type_.kind if isinstance(type_, ScalarType) else None


@writes(Fn.HAS_FLAG)
def _has_flag(call_: Call) -> Scalar:
    flag = call_.constant(1)
    if not isinstance(flag, int) or flag < 0:
        raise call_.refuse("a flag that is not a constant: Cypher has no operators on bits")
    bits = [1 << n for n in range(flag.bit_length()) if flag >> n & 1]
    tests = [binary(bit_of(call_.text(), bit), "=", integer(1), Level.COMPARE) for bit in bits]
    return call_.result(both(*tests) if tests else Text("true"))
