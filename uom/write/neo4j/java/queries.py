"""One round trip to the database as Java: a statement, its parameters, and how each record becomes a row."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from uom.model.diagnostics import Diagnostic, Refusal
from uom.model.expressions import Compare, Const, Expr, Fn, Function, Parameter, Subquery
from uom.model.mapping import GraphMapping
from uom.model.program import Semantics
from uom.model.schema import Schema
from uom.model.types import BOOL, EnumType, Kind, ScalarType, SequenceType, Type, as_nullable, describe
from uom.model.walk import substitute
from uom.write.java import client_functions
from uom.write.java.client import ClientContext, absent, client_expression, nested
from uom.write.java.draft import ClassDraft
from uom.write.java.finishing import Finishing, finishing, is_java_only
from uom.write.java.literals import default_literal, java_literal
from uom.write.java.source import string_literal, text_block
from uom.write.java.types import JavaModel, is_primitive
from uom.write.names import fresh_name
from uom.write.neo4j.compile import CompiledQuery, Finish, compile_query
from uom.write.neo4j.graph import Graph
from uom.write.neo4j.java.readers import ENTITIES, ReaderWriter, get
from uom.write.neo4j.layouts import NodeLayout, RecordLayout, ScalarLayout
from uom.write.neo4j.scope import Bind

_REGISTERED = (client_functions,)


@dataclass(slots=True)
class QueryWriter:
    """Writes the queries of one method: expressions are returned, statements they need first collect in `lines`."""

    draft: ClassDraft
    model: JavaModel
    schema: Schema
    mapping: GraphMapping
    semantics: Semantics
    lines: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    returns: bool = False

    @property
    def fields(self) -> frozenset[str]:
        return frozenset({"neo4j", ENTITIES})

    def variable(self, hint: str) -> str:
        """A local variable that is not in use."""
        name = fresh_name(hint, self.variables)
        self.variables.add(name)
        return name

    def query(self, node: Subquery, context: ClientContext) -> str:
        """The Java expression of a query's result."""
        divided = finishing(node.query, _compared, _java_only)
        if divided is not None:
            return self._finished(divided, context)
        compiled = self._compiled(node)
        return self._executed(compiled, context)

    def _compiled(self, node: Subquery) -> CompiledQuery:
        compiled = compile_query(node.query, self.schema, self.mapping, self.semantics)
        self.diagnostics.extend(d for d in compiled.diagnostics if d not in self.diagnostics)
        return compiled

    def _finished(self, divided: Finishing, context: ClientContext) -> str:
        """Rows that Java makes of what the database delivers."""
        compiled = self._compiled(Subquery(divided.query, divided.query.element))
        delivered = replace(context, hint=context.hint.removesuffix("Row") + "Data")
        row = replace(divided.row, name=self.variable(divided.row.name))
        body = client_expression(substitute(divided.body, {divided.row.name: row}), context)
        picked = compiled.finish in (Finish.FIRST, Finish.SINGLE)
        if (
            picked and not compiled.or_default and divided.body.type.nullable
        ):  # an Optional cannot hold the null that may come of the row
            java = self.model.java_type(compiled.type, self.draft.imports, delivered.hint)
            self.lines.append(f"{java} {row.name} = {self._executed(compiled, delivered)};")
            return body
        has_default = picked and compiled.or_default
        nothing = default_literal(divided.body.type, self.draft.imports, self.model) if has_default else ""
        return self._executed(compiled, delivered, f"{row.name} -> {body}", nothing)

    # -- one statement -----------------------------------------------------------------------------------------------

    def _executed(self, compiled: CompiledQuery, context: ClientContext, finish: str = "", nothing: str = "") -> str:
        """`finish` is a function that Java applies to each row, `nothing` what it would give for no row."""
        reader = ReaderWriter(
            self.draft.imports, self.model, Graph(self.schema, self.mapping), self.draft.helpers, self.variables
        )
        read, nullable = self._reader(compiled, reader, context)
        if reader.reads_entities:
            self.draft.helpers.add("Entities")
        java = self.model.java_type(as_nullable(compiled.type), self.draft.imports, context.hint, boxed=True)
        unwrap = ""
        if nullable or "<" in java:  # the client drops rows that are null, and a list has no class to fetch
            holder = self._value_record(java)
            read, java, unwrap = _wrapped(read, holder), holder, f"{holder}::value"
        chain = [f"neo4j.query({self._statement(compiled)})", *self._bindings(compiled, context)]
        chain += [f".fetchAs({java}.class)", f".mappedBy({read})"]
        return self._ended(compiled, chain, unwrap or "", finish, nothing)

    def _ended(self, compiled: CompiledQuery, chain: list[str], unwrap: str, finish: str, nothing: str) -> str:
        maps = [f".map({function})" for function in (unwrap, finish) if function]
        match compiled.finish:
            case Finish.ROWS:
                return _chain([*chain, ".all()", ".stream()", *maps, ".toList()"])
            case Finish.SINGLE:  # `.one()` throws the driver's NoSuchRecordException where there are several
                utils = self.draft.imports.use("org.springframework.dao.support.DataAccessUtils")
                chain = [f"{utils}.optionalResult({_chain([*chain, '.all()'])})"]
            case _:
                chain = [*chain, ".first()"]
        if compiled.or_default:
            default = nothing or self._default(compiled)
            if unwrap and default == "null":
                return _chain([*chain, *maps, ".orElse(null)"])
            return _chain([*chain, *maps, f".orElse({default})"])
        if unwrap and not finish:
            return _chain([*chain, ".orElseThrow()", ".value()"])
        return _chain([*chain, *maps, ".orElseThrow()"])

    def _default(self, compiled: CompiledQuery) -> str:
        if compiled.default is None:
            return "null"
        if isinstance(compiled.type, ScalarType | EnumType):
            return java_literal(compiled.default, compiled.type, self.draft.imports, self.model)
        raise Refusal(describe(compiled.type), "its default value has no Java form")

    def _reader(self, compiled: CompiledQuery, reader: ReaderWriter, context: ClientContext) -> tuple[str, bool]:
        """(lambda from a record to a row, whether a row may be null)."""
        types, row = self.variable("types"), self.variable("row")
        head = f"({types}, {row}) -> "
        layout = compiled.layout
        if isinstance(layout, RecordLayout) and not compiled.column:
            return head + reader.record(layout, row, context.hint, compiled.type), False
        if isinstance(layout, NodeLayout) and layout.key and not compiled.column:
            lines = "\n    ".join(reader.loaded(layout, row))
            return f"{head}{{\n    {lines}\n}}", False
        read = reader.read(layout, get(row, compiled.column), context.hint, compiled.type)
        return head + read, self._may_be_null(compiled)

    @staticmethod
    def _may_be_null(compiled: CompiledQuery) -> bool:
        layout = compiled.layout
        if compiled.finish is Finish.SCALAR and not compiled.type.nullable:
            return False
        if isinstance(layout, ScalarLayout):
            reference = isinstance(layout.type, ScalarType) and layout.type.kind in (Kind.STRING, Kind.BYTES)
            return layout.type.nullable or reference
        return bool(getattr(layout, "nullable", False))

    def _value_record(self, java: str) -> str:
        """`record StringValue(String value)` for rows that may be null."""
        plain = java if "<" in java else java.rpartition(".")[2]
        stem = re.sub(r"\W+", "", plain.replace("[]", "Array"))
        name = stem[:1].upper() + stem[1:] + "Value"
        while self.draft.values.get(name, java) != java or self.draft.imports.taken.get(name):
            name += "s"
        self.draft.values[name] = java
        return name

    # -- statement and parameters ------------------------------------------------------------------------------------

    def _statement(self, compiled: CompiledQuery) -> str:
        lines = compiled.statement.split("\n")
        if len(lines) == 1 and len(lines[0]) <= 80:
            return string_literal(lines[0])
        return "\n".join(text_block(compiled.statement, "        "))

    def _bindings(self, compiled: CompiledQuery, context: ClientContext) -> list[str]:
        return [f".bind({self._bound(b, context)}).to({string_literal(b.name)})" for b in compiled.binds]

    def _bound(self, bind: Bind, context: ClientContext) -> str:
        """The value of a parameter in the form that the graph stores; null where it cannot be or need not be computed."""
        text, needs_value = self._passed(bind, context)
        missing = absent(bind.expr, context, bind.when) if needs_value else []
        if bind.when is not None:
            test = nested(bind.when, context)
            return f"{' && '.join([test, *(f'!({m})' for m in missing)])} ? {text} : null"
        return f"{' || '.join(missing)} ? null : {text}" if missing else text

    def _passed(self, bind: Bind, context: ClientContext) -> tuple[str, bool]:
        """(Java text, whether it needs its parameters to be there)."""
        computed = not isinstance(bind.expr, Parameter)
        if isinstance(bind.type, SequenceType):
            element = bind.type.element
            conversion = self._conversion(element, bind)
            if not conversion:
                return client_expression(bind.expr, context), computed
            item = self.variable("item")
            each = f"{item} -> {_null_safe(item, conversion, element)}"
            return f"{nested(bind.expr, context)}.stream().map({each}).toList()", True
        conversion = self._conversion(bind.type, bind)
        if not conversion:
            return client_expression(bind.expr, context), computed
        return _null_safe(nested(bind.expr, context), conversion, bind.type), True

    def _conversion(self, type_: Type, bind: Bind) -> str:
        """A template that turns a Java value into what the driver is to send."""
        imports = self.draft.imports
        if bind.like is not None:
            self.draft.helpers.add("LikePattern")
            method = "regexIgnoringCase" if bind.like.ignore_case else "regex"
            helper = imports.use(f"{self.model.base_package}.LikePattern")
            arguments = f"{string_literal(bind.like.escape)}, {'true' if bind.like.classes else 'false'}"
            return f"{helper}.{method}({{}}, {arguments})"
        if isinstance(type_, EnumType):
            return "{}.stored()"
        if not isinstance(type_, ScalarType):
            return ""
        if type_.kind in (Kind.DECIMAL, Kind.ULONG):
            self.draft.helpers.add("Columns")
            columns = imports.use(f"{self.model.base_package}.Columns")
            rounding = f"{imports.use('java.math.RoundingMode')}.{bind.rounding}"
            return f"{columns}.scaled({{}}, {bind.scale or 0}, {rounding})"
        if type_.kind is Kind.DATETIME:
            local, zone = (imports.use(f"java.time.{n}") for n in ("LocalDateTime", "ZoneOffset"))
            return f"{local}.ofInstant({{}}, {zone}.UTC)"
        if type_.kind is Kind.DATETIMEOFFSET:
            return f"{{}}.atZone({imports.use('java.time.ZoneOffset')}.UTC)"
        if type_.kind is Kind.TIMESPAN:
            return "{}.toNanos() / 100"
        if type_.kind in (Kind.GUID, Kind.CHAR):
            return "{}.toString()"
        return "(double) {}" if type_.kind is Kind.FLOAT else ""


def _compared(expr: Expr) -> Expr | None:
    """Conditions stay in Cypher, whatever the case of the letters that they compare."""
    is_condition = isinstance(expr, Compare) or (isinstance(expr, Function) and expr.type == BOOL)
    return Const(True, BOOL) if is_condition else None


def _java_only(node: Function) -> bool:
    """Neo4j rounds the shortest text of a double, where others round what it really is."""
    is_double = isinstance(node.type, ScalarType) and node.type.kind is Kind.DOUBLE
    return is_java_only(node) or (node.fn is Fn.ROUND and is_double and len(node.args) > 1)


def _null_safe(text: str, conversion: str, type_: Type) -> str:
    done = conversion.format(text)
    return f"{text} == null ? null : {done}" if type_.nullable and not is_primitive(type_) else done


def _wrapped(read: str, holder: str) -> str:
    """The lambda with its result in a holder."""
    head, _, body = read.partition(" -> ")
    return f"{head} -> new {holder}({body})"


def _chain(steps: list[str]) -> str:
    """Calls one per line; what spans several lines keeps its shape."""
    head, *rest = steps
    flat = head + "".join(rest)
    if len(flat) <= 100 and "\n" not in flat:
        return flat
    lines = [head]
    for step in rest:
        lines.append("        " + step.replace("\n", "\n        "))
    return "\n".join(_joined(lines))


def _joined(lines: list[str]) -> list[str]:
    """`.all().stream()` stay on one line."""
    result: list[str] = []
    for line in lines:
        if result and line.strip() in (".stream()", ".toList()", ".value()") and not result[-1].endswith("}"):
            result[-1] += line.strip()
        else:
            result.append(line)
    return result
