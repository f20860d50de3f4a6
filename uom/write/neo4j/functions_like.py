"""LIKE: a plain search where one says the same, else a regular expression."""

from __future__ import annotations

import re

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const, Expr, Fn, Function
from uom.write.java.binding import is_bindable
from uom.write.neo4j.expressions import bind_hint, scalar
from uom.write.neo4j.functions import WHOLE
from uom.write.neo4j.scope import LikePattern, Scope
from uom.write.neo4j.text import Level, binary, call, string
from uom.write.neo4j.values import Scalar


def _like(node: Function, scope: Scope) -> tuple[Scalar, tuple[Scalar, ...]]:
    found = scalar(node.args[0], scope)
    pattern, escape = node.args[1], _escape(node)
    if isinstance(pattern, Const) and isinstance(pattern.value, str):
        return _constant(node, found, pattern.value, escape, scope), (found,)
    folded = False
    if isinstance(pattern, Function) and pattern.fn is Fn.LOWER:  # ILike
        folded, pattern = True, pattern.args[0]
    if not is_bindable(pattern):
        raise Refusal("like", "a pattern that depends on a row", node.place)
    like = LikePattern(escape, not scope.semantics.case_sensitive, scope.writing.schema.provider == "sqlserver")
    regex = scope.writing.bind(pattern, bind_hint(pattern), like=like)
    bound = Scalar(call("toLower", regex) if folded else regex, pattern.type)
    return Scalar(binary(found.text, "=~", bound.text, Level.COMPARE), node.type), (found, bound)


def _escape(node: Function) -> str:
    """The escape character; without one nothing escapes, as EF Core says ESCAPE '' then."""
    if len(node.args) < 3:
        return ""
    escape: Expr = node.args[2]
    if not isinstance(escape, Const) or not isinstance(escape.value, str):
        raise Refusal("like", "an escape character that is not a constant", node.place)
    return escape.value


def _constant(node: Function, found: Scalar, pattern: str, escape: str, scope: Scope) -> Scalar:
    if "[" in pattern and scope.writing.schema.provider == "sqlserver":
        raise Refusal("like", "character classes like [a-z] are not supported", node.place)
    if escape and pattern.endswith(escape):
        raise Refusal("like", "the pattern ends with its escape character", node.place)
    plain = _plain_search(pattern) if not escape and scope.semantics.case_sensitive else None
    if plain is not None:
        operator, part = plain
        return Scalar(binary(found.text, operator, string(part), Level.COMPARE), node.type)
    flags = "(?s)" if scope.semantics.case_sensitive else "(?siu)"
    return Scalar(binary(found.text, "=~", string(flags + like_regex(pattern, escape)), Level.COMPARE), node.type)


def _plain_search(pattern: str) -> tuple[str, str] | None:
    """`%text%` and its kin need no regular expression."""
    inner = pattern.strip("%")
    if not inner or any(c in inner for c in "%_"):
        return None
    ends = (pattern.startswith("%"), pattern.endswith("%"))
    operators = {(True, True): "CONTAINS", (False, True): "STARTS WITH", (True, False): "ENDS WITH"}
    return (operators[ends], inner) if ends in operators else None


def like_regex(pattern: str, escape: str) -> str:
    """Java's regular expression for a LIKE pattern."""
    parts, position = [], 0
    while position < len(pattern):
        char = pattern[position]
        if escape and char == escape and position + 1 < len(pattern):
            position += 1
            parts.append(re.escape(pattern[position]))
        else:
            parts.append({"%": ".*", "_": "."}.get(char) or re.escape(char))
        position += 1
    return "".join(parts)


WHOLE[Fn.LIKE] = _like
