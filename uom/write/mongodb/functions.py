"""Function calls: each `Fn` is one small function that gets its operands as MongoDB expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from uom.model.diagnostics import Refusal
from uom.model.expressions import Const, Expr, Fn, Function
from uom.model.types import Type, as_nullable
from uom.write.mongodb.expressions import evaluate, folded_match, register, scalar
from uom.write.mongodb.letter_case import KINDS, folded_search, unfolded
from uom.write.mongodb.render import render
from uom.write.mongodb.scope import Scope
from uom.write.mongodb.tree import Bson, is_path
from uom.write.mongodb.values import ListValue, ScalarValue, Value


@dataclass(frozen=True, slots=True)
class Operand:
    """One argument: its MongoDB expression, whether that may be null or missing, and the node it came from."""

    tree: Bson
    nullable: bool
    node: Expr

    @property
    def type(self) -> Type:
        return self.node.type

    @property
    def constant(self) -> object:
        """The value of a literal; None for anything else."""
        return self.node.value if isinstance(self.node, Const) else None


@dataclass(frozen=True, slots=True)
class Call:
    """One call while it is translated."""

    node: Function
    args: tuple[Operand, ...]
    scope: Scope

    def refuse(self, reason: str, remedy: str = "") -> Refusal:
        return Refusal(self.node.fn.value, reason, self.node.place, remedy)


Writer: TypeAlias = Callable[[Call], Bson]
WRITERS: dict[Fn, Writer] = {}
NEVER_NULL: set[Fn] = {
    Fn.CONTAINS, Fn.STARTS_WITH, Fn.ENDS_WITH, Fn.LIKE, Fn.IS_NULL_OR_EMPTY, Fn.IS_NULL_OR_WHITE_SPACE, Fn.JOIN
}  # fmt: skip


def writes(*fns: Fn) -> Callable[[Writer], Writer]:
    """Registers the translation of functions."""

    def keep(writer: Writer) -> Writer:
        WRITERS.update((fn, writer) for fn in fns)
        return writer

    return keep


def plain(table: dict[Fn, str]) -> None:
    """Functions that MongoDB has under another name, with the same nulls."""
    for fn, operator in table.items():
        WRITERS[fn] = _plain_writer(operator)


def _plain_writer(operator: str) -> Writer:
    def write(call: Call) -> Bson:
        trees = [arg.tree for arg in call.args]
        return {operator: trees[0] if len(trees) == 1 else trees}

    return write


@register(Function)
def _function(node: Expr, scope: Scope, hint: str) -> Value:
    assert isinstance(node, Function)
    if node.fn is Fn.VALUE:
        return evaluate(node.args[0], scope, hint)  # Java looks at it when it reads the row
    if node.fn in KINDS:
        text, part = node.args
        if not scope.translation.semantics.case_sensitive:
            node = replace(node, args=(unfolded(text), unfolded(part)))
        elif (folded := folded_search(text, part, KINDS[node.fn])) is not None:
            return folded_match(folded, scope, hint)
    writer = WRITERS.get(node.fn)
    if writer is None:
        raise Refusal(node.fn.value, "has no translation to MongoDB", node.place)
    args = tuple(_operand(arg, scope) for arg in node.args)
    tree = writer(Call(node, args, scope))
    nullable = node.fn not in NEVER_NULL and any(arg.nullable for arg in args)
    return ScalarValue(tree, as_nullable(node.type, nullable), scope.rows, hint)


def _operand(node: Expr, scope: Scope) -> Operand:
    """Lists are operands of `string.Join` only; each other function refuses them by their type."""
    value = evaluate(node, scope)
    if isinstance(value, ListValue) and isinstance(value.item, ScalarValue):
        return Operand(render(value, scope), False, node)
    return Operand(*scalar(node, scope), node)


def null_safe(args: Iterable[Operand], tree: Bson) -> Bson:
    """For operators that fail on null or turn it into something else: null when an argument is null."""
    guards = [{"$gt": [arg.tree, None]} for arg in args if arg.nullable]
    if not guards:
        return tree
    return {"$cond": [guards[0] if len(guards) == 1 else {"$and": guards}, tree, None]}


def once(tree: Bson, use: Callable[[Bson], Bson], scope: Scope) -> Bson:
    """Computes a complicated expression once although `use` mentions it several times."""
    if is_path(tree) or not isinstance(tree, dict | list):
        return use(tree)
    name, _ = scope.item_variable()
    return {"$let": {"vars": {name: tree}, "in": use(f"$${name}")}}
