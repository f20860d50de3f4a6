"""Collects what the input declares: one pass over the trees of all files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tree_sitter import Node

from uom.model.diagnostics import Diagnostic, Severity
from uom.read.csharp.symbols import (
    Attribute,
    Compilation,
    MemberSymbol,
    MethodSymbol,
    ParameterSymbol,
    TypeSymbol,
    simple_name,
)
from uom.read.csharp.syntax import MAX_DEPTH, SourceFile, child, depth_of, errors, first_of, named, text_of

_DEEPEST = 100
"""Levels of namespaces, types and `#if` in each other."""

_READ_WITH_MODEL = ("property_declaration", "field_declaration", "constructor_declaration", "enum_member_declaration")
"""Members without a verdict of their own: methods that are nested too deeply are refused by name."""

_OTHER_CODE = frozenset(
    """indexer_declaration operator_declaration conversion_operator_declaration event_declaration
    destructor_declaration""".split()
)

TYPE_NODES = {
    "class_declaration": "class",
    "record_declaration": "record",
    "record_struct_declaration": "record",
    "struct_declaration": "struct",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
}


def compile_sources(sources: Sequence[SourceFile]) -> Compilation:
    """Collects declarations from all files; never fails, broken parts become diagnostics."""
    builder = _Builder()
    for source in sources:
        for place, what in errors(source):
            builder.diagnostics.append(
                Diagnostic(Severity.INPUT, "syntax error", what, place, "The rest of the file is still read.")
            )
        builder.collect(source, source.root, "", None)
    compilation = Compilation(tuple(sources), builder.types, tuple(builder.free), ())
    builder.diagnostics += cut_ancestry(compilation)
    return Compilation(tuple(sources), builder.types, tuple(builder.free), tuple(builder.diagnostics[:200]))


def cut_ancestry(compilation: Compilation) -> Iterator[Diagnostic]:
    """Takes away the bases that make a type its own ancestor, or put more types above it than anyone writes.

    Afterwards every chain of bases is short and ends.
    """
    heights: dict[TypeSymbol, int] = {}
    for symbol in compilation.all_types():
        chain: list[TypeSymbol] = []
        on_chain: set[TypeSymbol] = set()
        current: TypeSymbol | None = symbol
        while current is not None and current not in heights and current not in on_chain:
            chain.append(current)
            on_chain.add(current)
            current = compilation.base_of(current)
        height = -1 if current is None else heights.get(current, -1)
        for below in reversed(chain):
            height += 1
            if (current in on_chain and below is chain[-1]) or height > _DEEPEST:
                reason = "it is its own base class" if current in on_chain else "it has too many base classes"
                yield Diagnostic(Severity.INPUT, f"class {below.name}", reason, below.place, "Its base is ignored.")
                below.bases.clear()
                height = 0
            heights[below] = height


class _Builder:
    def __init__(self) -> None:
        self.types: dict[str, list[TypeSymbol]] = {}
        self.free: list[MethodSymbol] = []
        self.diagnostics: list[Diagnostic] = []
        self.depth = 0

    @contextmanager
    def deeper(self, source: SourceFile, node: Node) -> Iterator[bool]:
        """False where declarations lie in each other deeper than anyone writes: what is in there is left out."""
        self.depth += 1
        if self.depth == _DEEPEST:
            self.too_deep(source, node)
        yield self.depth < _DEEPEST
        self.depth -= 1

    def too_deep(self, source: SourceFile, node: Node) -> None:
        place = source.place(node)
        self.diagnostics.append(
            Diagnostic(Severity.INPUT, "nesting", "this is nested too deeply and left out", place, "Take it apart.")
        )

    def collect(self, source: SourceFile, node: Node, namespace: str, outer: TypeSymbol | None) -> None:
        with self.deeper(source, node) as readable:
            if readable:
                self.collect_items(source, node, namespace, outer)

    def collect_items(self, source: SourceFile, node: Node, namespace: str, outer: TypeSymbol | None) -> None:
        for item in node.named_children:
            if item.type == "file_scoped_namespace_declaration":
                name = child(item, "name")
                namespace = text_of(name) if name is not None else namespace
                self.collect(source, item, namespace, outer)
            elif item.type == "namespace_declaration":
                name, body = child(item, "name"), child(item, "body")
                inner = ".".join(p for p in (namespace, text_of(name) if name is not None else "") if p)
                if body is not None:
                    self.collect(source, body, inner, outer)
            elif item.type in TYPE_NODES:
                self.declare(source, item, namespace, outer)
            elif item.type in ("method_declaration", "local_function_statement"):
                self.free.append(method_symbol(source, item, None))
            elif item.type in ("global_statement", "declaration_list", "ERROR") or item.type.startswith("preproc"):
                self.collect(source, item, namespace, outer)

    def declare(self, source: SourceFile, node: Node, namespace: str, outer: TypeSymbol | None) -> None:
        name = child(node, "name")
        body = child(node, "body")
        if name is not None and text_of(name) == "__Fragment__" and source.shift:
            fragment = TypeSymbol("", "class", namespace, None, source, node)
            self.fill(fragment, source, body, namespace)
            if fragment.members:
                self.types.setdefault("", []).append(fragment)  # its methods see them
            else:
                self.free.extend(_freed(m) for m in fragment.methods)
            return
        symbol = self.symbol_for(source, node, text_of(name) if name is not None else "", namespace, outer)
        symbol.modifiers |= modifiers_of(node)
        symbol.attributes.extend(attributes_of(node))
        self.add_bases(symbol, node)
        parameters = first_of(node, "parameter_list")
        if parameters is not None:
            symbol.primary = parameters_of(parameters)
            if symbol.kind == "record":
                self.add_positional(symbol, source)
        self.fill(symbol, source, body, namespace)

    def symbol_for(
        self, source: SourceFile, node: Node, name: str, namespace: str, outer: TypeSymbol | None
    ) -> TypeSymbol:
        arity = first_of(node, "type_parameter_list")
        type_parameters = tuple(_type_parameter_name(p) for p in named(arity)) if arity is not None else ()
        for known in self.types.get(name, []):
            if known.outer is outer and known.namespace == namespace and known.type_parameters == type_parameters:
                if "partial" in known.modifiers and "partial" in modifiers_of(node):
                    return known
                self.diagnostics.append(
                    Diagnostic(
                        Severity.INPUT,
                        f"duplicate class {name}",
                        f"it was already declared at {known.place}",
                        source.place(node),
                        "Remove or rename one of them; queries that use it are refused.",
                    )
                )
        symbol = TypeSymbol(name, TYPE_NODES[node.type], namespace, outer, source, node, type_parameters)
        self.types.setdefault(name, []).append(symbol)
        return symbol

    def add_bases(self, symbol: TypeSymbol, node: Node) -> None:
        bases = first_of(node, "base_list")
        if bases is not None and symbol.kind != "enum":
            symbol.bases.extend(b for b in named(bases) if b.type != "argument_list")

    def add_positional(self, symbol: TypeSymbol, source: SourceFile) -> None:
        for p in symbol.primary or ():
            symbol.members[p.name] = MemberSymbol(
                p.name,
                "parameter",
                p.type_node,
                source,
                p.node,
                symbol,
                frozenset({"public"}),
                p.attributes,
                has_setter=True,
            )

    def fill(self, symbol: TypeSymbol, source: SourceFile, body: Node | None, namespace: str) -> None:
        if body is not None:
            with self.deeper(source, body) as readable:
                if readable:
                    self.fill_items(symbol, source, body, namespace)

    def fill_items(self, symbol: TypeSymbol, source: SourceFile, body: Node, namespace: str) -> None:
        for item in named(body):
            if item.type in _READ_WITH_MODEL and depth_of(item) > MAX_DEPTH:
                self.too_deep(source, item)
            elif item.type in TYPE_NODES:
                self.declare(source, item, namespace, symbol if symbol.name else None)
            elif item.type == "property_declaration":
                member = property_symbol(source, item, symbol)
                symbol.members[member.name] = member
            elif item.type == "field_declaration":
                for member in field_symbols(source, item, symbol):
                    symbol.members[member.name] = member
            elif item.type == "method_declaration":
                symbol.methods.append(method_symbol(source, item, symbol))
            elif item.type == "constructor_declaration":
                symbol.constructors.append(method_symbol(source, item, symbol))
            elif item.type in _OTHER_CODE:
                symbol.other_code.append(method_symbol(source, item, symbol))
            elif item.type == "enum_member_declaration":
                name = child(item, "name")
                symbol.enum_members.append((text_of(name) if name is not None else "", child(item, "value")))
            elif item.type.startswith("preproc") or item.type == "ERROR":
                self.fill(symbol, source, item, namespace)


def _freed(method: MethodSymbol) -> MethodSymbol:
    return method_symbol(method.source, method.node, None)


def _type_parameter_name(node: Node) -> str:
    name = child(node, "name")
    return text_of(name if name is not None else node)


def modifiers_of(node: Node) -> frozenset[str]:
    return frozenset(text_of(c) for c in node.children if c.type in ("modifier", "parameter_modifier"))


def attributes_of(node: Node) -> tuple[Attribute, ...]:
    found = []
    for attribute_list in node.named_children:
        if attribute_list.type != "attribute_list":
            continue
        for item in named(attribute_list):
            if item.type == "attribute":
                found.append(_attribute(item))
    return tuple(found)


def _attribute(node: Node) -> Attribute:
    name_node = child(node, "name")
    name = simple_name(name_node) if name_node is not None else ""
    positional: list[Node] = []
    by_name: dict[str, Node] = {}
    arguments = first_of(node, "attribute_argument_list")
    for argument in named(arguments) if arguments is not None else []:
        label = child(argument, "name")
        parts = [c for c in named(argument) if label is None or c.id != label.id]
        if not parts:
            continue
        if label is not None:
            by_name[text_of(label)] = parts[-1]
        else:
            positional.append(parts[-1])
    return Attribute(name.removesuffix("Attribute") or name, tuple(positional), by_name, node)


def parameters_of(node: Node) -> tuple[ParameterSymbol, ...]:
    found = []
    for p in named(node):
        if p.type != "parameter":
            continue
        name = child(p, "name")
        type_node = child(p, "type")
        known = {n.id for n in (name, type_node) if n is not None}
        rest = [c for c in named(p) if c.id not in known and c.type not in ("modifier", "attribute_list")]
        found.append(
            ParameterSymbol(
                text_of(name) if name is not None else "",
                type_node,
                rest[-1] if rest else None,
                modifiers_of(p),
                attributes_of(p),
                p,
            )
        )
    return (*found, *_params_array(node))


def _params_array(node: Node) -> list[ParameterSymbol]:
    """`params string[] names`: the grammar puts its parts right into the list."""
    words = [c.type for c in node.children]
    if "params" not in words:
        return []
    parts = node.children[words.index("params") + 1 :]
    if len(parts) < 2:
        return []
    return [ParameterSymbol(text_of(parts[1]), parts[0], None, frozenset({"params"}), (), parts[1])]


def method_symbol(source: SourceFile, node: Node, owner: TypeSymbol | None) -> MethodSymbol:
    name = child(node, "name")
    parameters = child(node, "parameters")
    body = child(node, "body")
    if body is None:
        body = first_of(node, "arrow_expression_clause")
    if body is not None and body.type == "arrow_expression_clause":
        inner = named(body)
        body = inner[0] if inner else None
    arity = first_of(node, "type_parameter_list")
    is_constructor = node.type == "constructor_declaration"
    return MethodSymbol(
        ".ctor" if is_constructor else text_of(name) if name is not None else "",
        source,
        node,
        owner,
        modifiers_of(node),
        child(node, "returns") or child(node, "type"),
        parameters_of(parameters) if parameters is not None else (),
        tuple(_type_parameter_name(p) for p in named(arity)) if arity is not None else (),
        body,
        attributes_of(node),
    )


def property_symbol(source: SourceFile, node: Node, owner: TypeSymbol) -> MemberSymbol:
    name = child(node, "name")
    value = child(node, "value")
    accessors = child(node, "accessors")
    getter = None
    initializer = value
    if value is not None and value.type == "arrow_expression_clause":
        inner = named(value)
        getter, initializer = (inner[0] if inner else None), None
    has_setter = False
    for accessor in named(accessors) if accessors is not None else []:
        word = next((text_of(c) for c in accessor.children if text_of(c) in ("get", "set", "init")), "")
        has_setter = has_setter or word in ("set", "init")
        body = first_of(accessor, "block", "arrow_expression_clause")
        if word == "get" and body is not None:
            inner = named(body)
            getter = body if body.type == "block" else (inner[0] if inner else None)
    return MemberSymbol(
        text_of(name) if name is not None else "",
        "property",
        child(node, "type"),
        source,
        node,
        owner,
        modifiers_of(node),
        attributes_of(node),
        getter,
        initializer,
        has_setter,
    )


def field_symbols(source: SourceFile, node: Node, owner: TypeSymbol) -> Iterator[MemberSymbol]:
    declaration = first_of(node, "variable_declaration")
    if declaration is None:
        return
    for declarator in named(declaration):
        if declarator.type != "variable_declarator":
            continue
        name = child(declarator, "name")
        rest = [c for c in named(declarator) if name is None or c.id != name.id]
        yield MemberSymbol(
            text_of(name) if name is not None else "",
            "field",
            child(declaration, "type"),
            source,
            declarator,
            owner,
            modifiers_of(node),
            attributes_of(node),
            None,
            rest[-1] if rest else None,
            True,
        )
