"""Queries outside of methods: lambdas of minimal APIs, and top-level statements."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from uom.read.csharp.constants import string_value
from uom.read.csharp.declarations import parameters_of
from uom.read.csharp.symbols import Compilation, MethodSymbol
from uom.read.csharp.syntax import SourceFile, child, descend, named, text_of

_VERBS = {"MapGet": "Get", "MapPost": "Post", "MapPut": "Put"}


def endpoint_methods(compilation: Compilation) -> Iterator[MethodSymbol]:
    """`app.MapGet("/orders/{id}", (ShopContext db, int id) => ..)` as a method `GetOrdersId`."""
    for source in compilation.sources:
        for node, _ in descend(source.root):
            if node.type == "invocation_expression":
                method = _endpoint(source, node)
                if method is not None:
                    yield method


def _endpoint(source: SourceFile, node: Node) -> MethodSymbol | None:
    function, arguments = child(node, "function"), child(node, "arguments")
    name = child(function, "name") if function is not None else None
    if name is None or arguments is None or text_of(name) not in _VERBS:
        return None
    parts = [named(a)[-1] for a in named(arguments) if named(a)]
    if len(parts) != 2 or parts[0].type != "string_literal" or parts[1].type != "lambda_expression":
        return None
    body, parameters = child(parts[1], "body"), child(parts[1], "parameters")
    if body is None or parameters is None or parameters.type != "parameter_list":
        return None
    words = re.findall(r"[A-Za-z0-9]+", string_value(parts[0]))
    called = _VERBS[text_of(name)] + "".join(w[:1].upper() + w[1:] for w in words)
    return MethodSymbol(
        called, source, parts[1], None, frozenset({"public"}), None, parameters_of(parameters), (), body
    )


def top_level_statements(compilation: Compilation) -> Iterator[tuple[SourceFile, list[Node]]]:
    """Statements outside of any class, file by file."""
    for source in compilation.sources:
        found = [named(n)[0] for n in source.root.named_children if n.type == "global_statement" and named(n)]
        statements = [n for n in found if n.type != "local_function_statement"]
        if statements:
            yield source, statements
