"""From C# sources to a Program: the whole front end for EF Core, method by method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from uom.model.diagnostics import Diagnostic, Place, Refusal, Severity
from uom.model.expressions import Expr, Parameter
from uom.model.program import MethodParameter, Program, QueryMethod, RefusedMethod
from uom.model.schema import Schema
from uom.model.types import Type, describe
from uom.read.csharp.declarations import compile_sources
from uom.read.csharp.symbols import Compilation, MethodSymbol, ParameterSymbol, simple_name
from uom.read.csharp.syntax import MAX_DEPTH, SourceFile, depth_of, descend, text_of
from uom.read.csharp.types import TypeResolver, nullable_annotations, type_arguments
from uom.read.efcore.code_members import REMEDY
from uom.read.efcore.counts import counted_as_efcore_does
from uom.read.efcore.discovery import AMBIGUOUS, Candidate, Finder, context_names, returns_data, services
from uom.read.efcore.filters import bind_filters
from uom.read.efcore.inlining import run_method
from uom.read.efcore.lowering import coerce, to_scalar
from uom.read.efcore.model import SchemaDraft, read_schemas
from uom.read.efcore.names import arguments_for, value_of_declared
from uom.read.efcore.refused import UNTRANSLATABLE
from uom.read.efcore.results import finish
from uom.read.efcore.scope import Scope
from uom.read.efcore.session import Session, World
from uom.read.efcore.tables import TABLES
from uom.read.efcore.toplevel import read_top_level
from uom.read.efcore.values import Context, Instance, Opaque, Rows, Scalar, Value

_IGNORED_PARAMETERS = frozenset({"CancellationToken", "ILogger", "IProgress"})


def read_program(sources: Sequence[SourceFile]) -> Program:
    """Everything that is read from the input; never fails, what is not understood is refused by name and place."""
    compilation = compile_sources(sources)
    drafts = read_schemas(compilation)
    world, finder = build_world(compilation, drafts)
    bound = [bind_filters(world, draft) for draft in drafts]
    schemas = tuple(b.schema for b in bound)
    unusable = {(b.schema.context, entity): why for b in bound for entity, why in b.unusable.items()}
    world = replace(world, schemas=schemas, unusable=unusable)
    methods: list[QueryMethod | RefusedMethod] = [
        m for c in finder.candidates() if (m := read_method(world, c, finder)) is not None
    ]
    methods.extend(read_top_level(world, session_for, finder.uses))
    diagnostics = (*compilation.diagnostics, *(d for s in schemas for d in s.diagnostics))
    texts = tuple((s.name, s.text) for s in sources)
    return Program(schemas, tuple(told_apart(methods)), diagnostics, texts)


def told_apart(methods: Sequence[QueryMethod | RefusedMethod]) -> Iterator[QueryMethod | RefusedMethod]:
    """Overloads with their numbers. What is declared twice with the same parameters is refused: which is meant?"""
    numbers: Counter[tuple[str, str]] = Counter()
    signatures = Counter(_signature(m) for m in methods if isinstance(m, QueryMethod))
    for method in methods:
        name = (method.container, method.name)
        numbers[name] += 1
        if isinstance(method, QueryMethod) and signatures[_signature(method)] > 1:
            twice = Diagnostic(
                Severity.REFUSAL,
                method.name,
                f"{method.container or 'the input'} declares it more than once",
                method.place,
                "Remove or rename one of them.",
            )
            method = RefusedMethod(
                method.name, method.container, method.context, method.place, method.end_line, (twice,)
            )
        yield replace(method, overload=numbers[name])


def _signature(method: QueryMethod) -> tuple[str, str, tuple[str, ...]]:
    return (method.container, method.name, tuple(describe(p.type) for p in method.parameters))


def build_world(compilation: Compilation, drafts: Sequence[SchemaDraft]) -> tuple[World, Finder]:
    schemas = tuple(d.schema for d in drafts)
    contexts = context_names(compilation, schemas)
    held = services(compilation, contexts)
    finder = Finder(compilation, schemas, contexts, held)
    annotations = nullable_annotations(compilation.sources)
    world = World(compilation, schemas, TABLES, annotations, contexts, held, frozenset(finder.readers))
    return world, finder


def session_for(world: World, schema: Schema) -> Session:
    resolver = TypeResolver(
        world.compilation,
        frozenset(e.name for e in schema.entities),
        frozenset(c.name for c in schema.complexes),
        world.annotations,
    )
    return Session(world, schema, resolver)


def read_method(world: World, candidate: Candidate, finder: Finder) -> QueryMethod | RefusedMethod | None:
    """One method; None when it turns out not to be a query."""
    method = candidate.method
    changes = finder.writes(method)
    if changes:
        name = text_of(changes[0])
        reason, remedy = UNTRANSLATABLE.get(
            name, ("it changes data, and only queries are translated", "Translate the update by hand.")
        )
        refusal = Refusal(f"{name}()", reason, method.source.place(changes[0]), remedy)
        return refused(candidate, refusal, [])
    if candidate.refused_as:
        reason = f"a query in {candidate.refused_as} is not read: only methods, properties and delegates are"
        return refused(candidate, Refusal(method.name, reason, method.place, REMEDY), [])
    if not returns_data(method):
        remedy = "Return the rows from a method."
        return refused(candidate, Refusal(method.name, "it returns nothing of what it reads", method.place, remedy), [])
    if candidate.context == AMBIGUOUS:
        known = ", ".join(dict.fromkeys(s.context for s in world.schemas))
        reason, remedy = f"several could be meant: {known}", "Give the field or parameter the type of its context."
        refusal = Refusal("DbContext", reason, method.place, remedy)
        return refused(replace(candidate, context=world.schemas[0].context), refusal, [])
    schema = next((s for s in world.schemas if s.context == candidate.context), world.schemas[0])
    session = session_for(world, schema)
    unused = Refusal(method.name, "what it reads has no part in what it returns", method.place, REMEDY)
    try:
        if depth_of(method.node) > MAX_DEPTH:
            raise Refusal(method.name, "the code is nested too deeply", method.place, "Split the method.")
        read = translate(session, candidate)
        return refused(candidate, unused, session.diagnostics) if read is None and finder.uses.asks(method) else read
    except Refusal as refusal:
        return refused(candidate, refusal.at(method.place), session.diagnostics)
    except RecursionError:
        deep = Refusal(method.name, "the code is nested too deeply", method.place, "Split the method.")
        return refused(candidate, deep, session.diagnostics)


def refused(candidate: Candidate, refusal: Refusal, others: Sequence[Diagnostic]) -> RefusedMethod:
    method = candidate.method
    return RefusedMethod(
        method.name,
        container_of(candidate),
        candidate.context,
        method.place,
        method.source.end_line(method.node),
        (refusal.diagnostic, *others),
    )


def container_of(candidate: Candidate) -> str:
    owner = candidate.heir or candidate.method.owner
    return owner.name if owner is not None else ""


def translate(session: Session, candidate: Candidate) -> QueryMethod | None:
    method = candidate.method
    errors = [n for n in (method.node,) if n.has_error]
    if errors:
        raise Refusal("syntax error", "the method cannot be parsed", first_error(method), "Correct the syntax.")
    this: Value | None = None
    if method.owner is not None and not method.is_static:
        is_context = method.owner.name in session.world.contexts
        this = Context(session.schema, method.owner) if is_context else Instance(candidate.heir or method.owner)
    scope = Scope(method.source, method.owner, this)
    if isinstance(this, Instance) and method.owner is not None:
        scope.type_arguments = arguments_for(session, method.owner, this)
    parameters = bind_parameters(session, method, scope)
    value = run_method(session, method, scope)
    value = coerce(value, declared_result(session, method, scope))
    result = finish(session, value, method.place)
    if result is None:
        return None
    return QueryMethod(
        method.name,
        container_of(candidate),
        tuple(parameters),
        counted_as_efcore_does(result.body),
        result.shape,
        result.type,
        session.schema.context,
        method.place,
        method.source.end_line(method.node),
        tuple(session.diagnostics),
        assumptions=tuple(session.assumptions),
    )


def first_error(method: MethodSymbol) -> Place:
    for node, _ in descend(method.node):
        if node.is_error or node.is_missing:
            return method.source.place(node)
    return method.place


def declared_result(session: Session, method: MethodSymbol, scope: Scope) -> Type | None:
    node = method.return_node
    while node is not None and node.type == "generic_name" and simple_name(node) in ("Task", "ValueTask"):
        arguments = type_arguments(node)
        node = arguments[0] if arguments else None
    return session.resolve(node, scope)


def bind_parameters(session: Session, method: MethodSymbol, scope: Scope) -> list[MethodParameter]:
    """Parameters of the method; contexts and what has no effect on rows are left out."""
    found: list[MethodParameter] = []
    for parameter in method.parameters:
        node = parameter.type_node
        name = simple_name(node) if node is not None else ""
        place = method.source.place(parameter.node)
        if "out" in parameter.modifiers or ("ref" in parameter.modifiers and "readonly" not in parameter.modifiers):
            word = "out" if "out" in parameter.modifiers else "ref"
            reason = "what the method leaves in it is a result, and only what is returned is translated"
            raise Refusal(
                f"{word} {parameter.name}", reason, place, "Return the value instead, in a tuple or a record."
            )
        given = value_of_declared(session, node, scope)
        if given is not None:
            scope.names[parameter.name] = given
            continue
        type_ = session.resolve(node, scope)
        if name in _IGNORED_PARAMETERS or type_ is None or name in ("IQueryable", "Expression", "Func"):
            what = text_of(node) if node is not None else "?"
            scope.names[parameter.name] = Opaque(
                parameter.name, f"a parameter of type {what} is not known here", place, "Pass plain values."
            )
            continue
        type_ = session.resolver.as_annotated(type_, method.source, parameter.node)
        scope.names[parameter.name] = parameter_value(parameter, type_)
        default = default_value(session, parameter, type_, scope)
        found.append(MethodParameter(parameter.name, type_, default))
    return list(found)


def parameter_value(parameter: ParameterSymbol, type_: Type) -> Value:
    return Scalar(Parameter(parameter.name, type_), type_)


def default_value(session: Session, parameter: ParameterSymbol, type_: Type, scope: Scope) -> Expr | None:
    if parameter.default is None:
        return None
    value = coerce(session.eval_as(parameter.default, scope, type_), type_)
    return to_scalar(value, None, parameter.name).expr if isinstance(value, Scalar | Rows) else None
