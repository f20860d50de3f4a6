"""The passes between reading and writing, by name and in fixed order. Each is model -> model and keeps the meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from uom.model.diagnostics import Diagnostic, Refusal
from uom.model.expressions import Expr
from uom.model.program import QueryMethod, Semantics
from uom.model.schema import Schema
from uom.plan.assumptions import check_assumptions
from uom.plan.captured import check_captured
from uom.plan.casts import round_casts
from uom.plan.enums import check_storage, with_stored_enums
from uom.plan.lists import unroll_lists
from uom.plan.narrowing import narrow_parameters
from uom.plan.null_keys import check_null_keys
from uom.plan.orders import keep_orders
from uom.plan.query_filters import apply_query_filters
from uom.plan.simplify import simplify
from uom.plan.singles import relax_nested_singles
from uom.plan.support import check_support
from uom.plan.tie_breakers import TieBreaker


@dataclass(frozen=True, slots=True)
class Planned:
    """A method after planning. `trace` has the body after each pass that changed it, for `uom explain`."""

    method: QueryMethod
    trace: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True, slots=True)
class _Context:
    method: QueryMethod
    schema: Schema
    semantics: Semantics
    diagnostics: list[Diagnostic]


def _break_ties(body: Expr, context: _Context) -> Expr:
    breaker = TieBreaker(context.schema, context.method.place)
    result = breaker.run(body)
    context.diagnostics.extend(d for d in breaker.diagnostics if d not in context.diagnostics)
    return result


PASSES: tuple[tuple[str, Callable[[Expr, _Context], Expr]], ...] = (
    ("check support", lambda body, c: check_support(body, c.schema, c.method.place)),
    ("check enums", lambda body, _: check_storage(body)),
    ("check captured rows", lambda body, c: check_captured(body, c.method.place)),
    ("check null keys", lambda body, c: check_null_keys(body, c.schema)),
    ("keep orders", lambda body, c: keep_orders(body, c.schema)),
    ("relax nested singles", lambda body, _: relax_nested_singles(body)),
    ("round casts", lambda body, c: round_casts(body, c.semantics)),
    ("unroll lists", lambda body, _: unroll_lists(body)),
    ("apply query filters", lambda body, c: apply_query_filters(body, c.schema)),
    ("narrow parameters", lambda body, _: narrow_parameters(body)),
    ("simplify", lambda body, c: simplify(body, c.semantics)),
    ("break ties", _break_ties),
)


def plan(method: QueryMethod, schema: Schema, semantics: Semantics) -> Planned:
    """Runs all passes. Raises Refusal, with a place, when a pass must refuse."""
    check_assumptions(method, semantics)
    method = with_stored_enums(method, schema)
    context = _Context(method, schema, semantics, list(method.diagnostics))
    body = method.body
    trace: list[tuple[str, Expr]] = []
    for name, run in PASSES:
        try:
            changed = run(body, context)
        except Refusal as refusal:
            raise refusal.at(method.place) from None
        if changed != body:
            trace.append((name, changed))
        body = changed
    return Planned(replace(method, body=body, diagnostics=tuple(context.diagnostics)), tuple(trace))
