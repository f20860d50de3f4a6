"""One round trip to the database as Java: a `find` with Criteria, or an aggregation with raw stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from uom.model.diagnostics import Diagnostic, Refusal
from uom.model.expressions import Expr, Subquery
from uom.model.mapping import DocumentMapping
from uom.model.program import Semantics
from uom.model.schema import Schema
from uom.model.types import EnumType, Kind, ScalarType, SequenceType, Type, as_nullable, describe
from uom.model.walk import substitute
from uom.write.java import client_functions
from uom.write.java.client import LINE, ClientContext, call, client_expression, nested
from uom.write.java.draft import ClassDraft
from uom.write.java.finishing import Finishing, finishing
from uom.write.java.literals import default_literal, java_literal
from uom.write.java.source import string_literal, text_block
from uom.write.java.types import JavaModel, is_primitive
from uom.write.mongodb.compile import CompiledQuery, Finish, compile_query
from uom.write.mongodb.java.criteria import (
    CRITERIA,
    CriteriaWriter,
    FindForm,
    find_form,
    property_paths,
    unstored,
)
from uom.write.mongodb.java.guards import without_guards
from uom.write.mongodb.java.stages import stage_text
from uom.write.mongodb.letter_case import searched_in
from uom.write.mongodb.location import Locations
from uom.write.mongodb.tree import Bind, Bson, Stage
from uom.write.names import fresh_name

_REGISTERED = (client_functions,)
CORE = "org.springframework.data.mongodb.core"
AGGREGATION = f"{CORE}.aggregation.Aggregation"
QUERY = f"{CORE}.query.Query"


@dataclass(slots=True)
class QueryWriter:
    """Writes the queries of one method: expressions are returned, statements they need first collect in `lines`."""

    draft: ClassDraft
    model: JavaModel
    schema: Schema
    mapping: DocumentMapping
    semantics: Semantics
    lines: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    returns: bool = False
    """The one query is what the method returns, so statements before it may return too."""

    @property
    def fields(self) -> frozenset[str]:
        return frozenset({"mongo"})

    def variable(self, hint: str) -> str:
        """A local variable that is not in use."""
        name = fresh_name(hint, self.variables)
        self.variables.add(name)
        return name

    def query(self, node: Subquery, context: ClientContext) -> str:
        """The Java expression of a query's result."""
        divided = finishing(node.query, searched_in)
        if divided is not None:
            return self._finished(divided, context)
        compiled = compile_query(node.query, self.schema, self.mapping, self.semantics)
        if self.returns:
            compiled = self._guarded(compiled, context)
        self.diagnostics.extend(d for d in compiled.diagnostics if d not in self.diagnostics)
        locations = Locations(self.schema, self.mapping)
        find = find_form(compiled, locations)
        if find is not None:
            return self._find(find, compiled, locations, context)
        return self._aggregate(compiled, context)

    def _guarded(self, compiled: CompiledQuery, context: ClientContext) -> CompiledQuery:
        """Statements that return early where no rows are asked for."""
        compiled, guards = without_guards(compiled)
        if guards:
            tests = " || ".join(f"{nested(bind.expr, context)} {comparison} 0" for bind, comparison in guards)
            nothing = f"{self.draft.imports.use('java.util.List')}.of()"
            self.lines.append(f"if ({tests}) {{\n    return {nothing};\n}}")
        return compiled

    def _finished(self, divided: Finishing, context: ClientContext) -> str:
        """Rows that Java makes of what the database delivers."""
        compiled = compile_query(divided.query, self.schema, self.mapping, self.semantics)
        self.diagnostics.extend(d for d in compiled.diagnostics if d not in self.diagnostics)
        delivered = replace(context, hint=context.hint.removesuffix("Row") + "Data")
        row = replace(divided.row, name=self.variable(divided.row.name))
        body = client_expression(substitute(divided.body, {divided.row.name: row}), context)
        picked = compiled.finish in (Finish.FIRST, Finish.SINGLE)
        if (
            picked and not compiled.or_default and divided.body.type.nullable
        ):  # an Optional cannot hold the null that may come of the row
            java = self.model.java_type(compiled.type, self.draft.imports, delivered.hint)
            self.lines.append(f"{java} {row.name} = {self._aggregate(compiled, delivered)};")
            return body
        has_default = picked and compiled.or_default
        nothing = default_literal(divided.body.type, self.draft.imports, self.model) if has_default else ""
        return self._aggregate(compiled, delivered, f"{row.name} -> {body}", nothing)

    # -- find --------------------------------------------------------------------------------------------------------

    def _find(self, find: FindForm, compiled: CompiledQuery, locations: Locations, context: ClientContext) -> str:
        entity = self.draft.imports.use(f"{self.model.package}.{self.model.entity(find.entity)}")
        writer = CriteriaWriter(
            property_paths(find.entity, locations),
            self.draft.imports,
            self.model,
            lambda bind: self.bound(bind, context, stored=False),
        )
        query = self._query_text(find, compiled, writer, context)
        match compiled.finish:
            case Finish.ROWS if query is None:
                return f"mongo.findAll({entity}.class)"
            case Finish.ROWS:
                return _call("mongo.find", query or "", f"{entity}.class")
            case Finish.SCALAR:
                count = _call("mongo.count", query or self._new_query(), f"{entity}.class")
                kind = compiled.type.kind if isinstance(compiled.type, ScalarType) else Kind.INT
                return count if kind is Kind.LONG else f"Math.toIntExact({count})"
            case Finish.EXISTS | Finish.NONE:
                exists = _call("mongo.exists", query or self._new_query(), f"{entity}.class")
                return exists if compiled.finish is Finish.EXISTS else f"!{exists}"
        pick = "first" if compiled.finish is Finish.FIRST else "one"
        steps = [f".matching({query})"] if query else []
        steps += [f".{pick}()", ".orElse(null)" if compiled.or_default else ".orElseThrow()"]
        return _chain(f"mongo.query({entity}.class)", steps)

    def _new_query(self) -> str:
        return f"new {self.draft.imports.use(QUERY)}()"

    def _query_text(
        self, find: FindForm, compiled: CompiledQuery, writer: CriteriaWriter, context: ClientContext
    ) -> str | None:
        """The Query, or None for all documents in any order."""
        imports = self.draft.imports
        if any(when is not None for _, when in find.matches):
            text = self._conditional_query(find, writer, context)
        elif find.matches:
            text = f"{imports.use_static(f'{QUERY}.query')}({self._all_of([m for m, _ in find.matches], writer)})"
        else:
            text = self._new_query()
        steps: list[str] = []
        if find.sort:
            steps.append(f".with({self._sort(find.sort)})")
        if find.skip is not None:
            steps.append(f".skip({self._count(find.skip, context)})")
        if find.limit is not None:
            steps.append(f".limit({self._count(find.limit, context)})")
        if compiled.ignore_case:
            collation = imports.use("org.springframework.data.mongodb.core.query.Collation")
            steps.append(f'.collation({collation}.of("en").strength(2))')
        return None if not find.matches and not steps else _chain(text, steps)

    def _all_of(self, matches: Sequence[dict[str, Bson]], writer: CriteriaWriter) -> str:
        texts = [writer.write(match) for match in matches]
        if len(texts) == 1:
            return texts[0]
        return call(f"new {self.draft.imports.use(CRITERIA)}().andOperator", texts)

    def _conditional_query(self, find: FindForm, writer: CriteriaWriter, context: ClientContext) -> str:
        imports, name = self.draft.imports, self.variable("filters")
        criteria, lists = imports.use(CRITERIA), imports.use("java.util.List")
        self.lines.append(f"{lists}<{criteria}> {name} = new {imports.use('java.util.ArrayList')}<>();")
        for match, when in find.matches:
            add = f"{name}.add({writer.write(match)});"
            if when is None:
                self.lines.append(add)
            else:
                self.lines.append(f"if ({client_expression(when, context)}) {{\n    {add}\n}}")
        query = imports.use_static(f"{QUERY}.query")
        return f"{query}({name}.isEmpty() ? new {criteria}() : new {criteria}().andOperator({name}))"

    def _sort(self, keys: Sequence[tuple[str, int]]) -> str:
        """`Sort.by("a", "b")`, or one part per change of direction."""
        sort = self.draft.imports.use("org.springframework.data.domain.Sort")
        runs: list[tuple[int, list[str]]] = []
        for name, direction in keys:
            if runs and runs[-1][0] == direction:
                runs[-1][1].append(name)
            else:
                runs.append((direction, [name]))
        parts = []
        for direction, names in runs:
            by = f"{sort}.by({', '.join(string_literal(name) for name in names)})"
            parts.append(f"{by}.descending()" if direction < 0 else by)
        return parts[0] + "".join(f".and({part})" for part in parts[1:])

    def _count(self, count: Bson, context: ClientContext) -> str:
        return self.bound(count, context, stored=False) if isinstance(count, Bind) else str(count)

    # -- aggregation -------------------------------------------------------------------------------------------------

    def _aggregate(self, compiled: CompiledQuery, context: ClientContext, finish: str = "", nothing: str = "") -> str:
        """`finish` is a function that Java applies to each row, `nothing` what it would give for no row."""
        row, read = self._row_class(compiled, context)
        read = finish or read
        aggregation = self._aggregation(compiled, context)
        separator = ",\n        " if "\n" in aggregation else ", "
        call = f"mongo.aggregate({aggregation}{separator}{string_literal(compiled.collection)}, {row}.class)"
        results = f"{call}.getMappedResults()"
        match compiled.finish:
            case Finish.ROWS:
                return f"{results}{self._step(call)}.stream().map({read}).toList()" if read else results
            case Finish.EXISTS:
                return f"!{results}.isEmpty()"
            case Finish.NONE:
                return f"{results}.isEmpty()"
        return self._only_row(compiled, call, read, nothing)

    def _only_row(self, compiled: CompiledQuery, call: str, read: str, nothing: str) -> str:
        """First, Single and aggregates: the one row, its default, or an exception as in C#."""
        step = self._step(call)
        mapped = f"{step}.map({read})" if read else ""
        if compiled.finish is Finish.FIRST:
            found = f"{call}.getMappedResults(){step}.stream().findFirst()"
        elif compiled.finish is Finish.SINGLE:  # as `one()` of a find: several rows are an error of Spring's own
            utils = self.draft.imports.use("org.springframework.dao.support.DataAccessUtils")
            found = f"{utils}.optionalResult({call}.getMappedResults())"
        else:
            optional = self.draft.imports.use("java.util.Optional")
            found = f"{optional}.ofNullable({call}.getUniqueMappedResult())"
        if compiled.or_default:
            return f"{found}{mapped}{step}.orElse({nothing or self._default(compiled)})"
        if compiled.type.nullable and read:
            return f"{found}{step}.orElseThrow().value()"
        return f"{found}{mapped}{step}.orElseThrow()"

    @staticmethod
    def _step(call: str) -> str:
        """Long calls go on in a new line."""
        return "\n        " if "\n" in call else ""

    def _default(self, compiled: CompiledQuery) -> str:
        if compiled.default is None:
            return "null"
        if isinstance(compiled.type, ScalarType | EnumType):
            value = unstored(compiled.default, compiled.type)
            return java_literal(value, compiled.type, self.draft.imports, self.model)
        raise Refusal(describe(compiled.type), "its default value has no Java form")

    def _row_class(self, compiled: CompiledQuery, context: ClientContext) -> tuple[str, str]:
        """(class that Spring reads a result document into, method reference that takes the value out of it)."""
        imports = self.draft.imports
        if compiled.finish in (Finish.EXISTS, Finish.NONE):
            return imports.use("org.bson.Document"), ""
        if compiled.finish is not Finish.SCALAR and compiled.row_is_document:
            return self.model.java_type(compiled.type, imports, context.hint), ""
        java = self.model.java_type(as_nullable(compiled.type), imports, context.hint, boxed=True)
        name = self._value_record(java)
        if compiled.required:
            return name, f"row -> {imports.use('java.util.Objects')}.requireNonNull(row.value())"
        return name, f"{name}::value"

    def _value_record(self, java: str) -> str:
        """`record StringValue(String value)` for rows that are a single value."""
        plain = java.rpartition(".")[2] if "<" not in java else java
        stem = "".join(part[:1].upper() + part[1:] for part in _words(plain))
        name = stem + "Value"
        while self.draft.values.get(name, java) != java or self.draft.imports.taken.get(name):
            name += "s"
        self.draft.values[name] = java
        return name

    def _aggregation(self, compiled: CompiledQuery, context: ClientContext) -> str:
        imports = self.draft.imports
        create = imports.use_static(f"{AGGREGATION}.newAggregation")
        if any(stage.when is not None for stage in compiled.stages):
            name = self.variable("stages")
            operation = imports.use(f"{CORE}.aggregation.AggregationOperation")
            array = imports.use("java.util.ArrayList")
            self.lines.append(f"{imports.use('java.util.List')}<{operation}> {name} = new {array}<>();")
            for stage in compiled.stages:
                add = f"{name}.add({self._stage(stage, context, 4 if stage.when is not None else 0)});"
                if stage.when is None:
                    self.lines.append(add)
                else:
                    self.lines.append(f"if ({client_expression(stage.when, context)}) {{\n    {add}\n}}")
            text = f"{create}({name})"
        elif compiled.stages:
            stages = [self._stage(stage, context, 8) for stage in compiled.stages]
            text = f"{create}(\n        " + ",\n        ".join(stages) + ")"
        else:
            # an aggregation without stages is refused by Spring
            text = f'{create}({imports.use_static(f"{AGGREGATION}.stage")}("{{ $match: {{}} }}"))'
        if compiled.ignore_case:
            options = imports.use(f"{CORE}.aggregation.AggregationOptions")
            collation = imports.use(f"{CORE}.query.Collation")
            text += f'.withOptions({options}.builder().collation({collation}.of("en").strength(2)).build())'
        return text

    def _stage(self, stage: Stage, context: ClientContext, depth: int) -> str:
        """One stage; `depth` is the indentation of the line that it begins in, text blocks go on from there."""
        written = stage_text(stage.document)
        create = self.draft.imports.use_static(f"{AGGREGATION}.stage")
        indent = " " * (depth + 8)
        lines = text_block(written.json, indent)
        block = "\n".join(lines)
        if not written.binds:
            return f"{create}({block})"
        self.draft.helpers.add("StageParameters")
        binder = self.draft.imports.use_static(f"{self.model.base_package}.StageParameters.bind")
        values = ", ".join(self.bound(bind, context, stored=True) for bind in written.binds)
        separator = ", " if len(lines[-1]) + len(values) <= LINE else f",\n{indent}"
        return f"{create}({binder}({block}{separator}{values}))"

    # -- values that Java computes -----------------------------------------------------------------------------------

    def bound(self, bind: Bind, context: ClientContext, stored: bool) -> str:
        """The value of a hole; `stored` asks for the stored form, which raw stages need."""
        if bind.as_pattern:
            return self._pattern(bind, context)
        if not stored:
            return client_expression(bind.expr, context)
        return self._stored_text(bind.expr, bind.type, context)

    def _pattern(self, bind: Bind, context: ClientContext) -> str:
        """A regular expression built from a text."""
        self.draft.helpers.add("TextPatterns")
        method = _PATTERN_METHODS[bind.as_pattern]
        patterns = self.draft.imports.use(f"{self.model.base_package}.TextPatterns")
        text = client_expression(bind.expr, context)
        if bind.letter_case is None:
            return f"{patterns}.{method}({text})"
        self.draft.helpers.add("LetterCase")
        cases = self.draft.imports.use(f"{self.model.base_package}.LetterCase")
        return f"{patterns}.{method}({text}, {cases}.{bind.letter_case.name})"

    def _stored_text(self, expr: Expr, type_: Type, context: ClientContext) -> str:
        text = nested(expr, context)
        if isinstance(type_, SequenceType):
            element = type_.element
            conversion = _conversion(element)
            item = fresh_name("item", self.variables)
            return (
                f"{text}.stream().map({item} -> {_null_safe(item, conversion, element)}).toList()"
                if conversion
                else text
            )
        conversion = _conversion(type_)
        if not conversion:
            return client_expression(expr, context)
        return _null_safe(text, conversion, type_)


_PATTERN_METHODS = {
    "contains": "containing",
    "starts": "startingWith",
    "ends": "endingWith",
    "equals": "equalTo",
}


def _chain(head: str, steps: Sequence[str]) -> str:
    """Calls on one line, or one per line when that is too long."""
    flat = head + "".join(steps)
    return flat if len(flat) <= LINE and "\n" not in flat else head + "".join(f"\n        {step}" for step in steps)


def _call(function: str, query: str, row_class: str) -> str:
    """`mongo.find(query, Row.class)`, broken where it gets long."""
    flat = f"{function}({query}, {row_class})"
    if len(flat) <= LINE and "\n" not in flat:
        return flat
    return f"{function}(\n        " + query.replace("\n", "\n        ") + f",\n        {row_class})"


def _conversion(type_: Type) -> str:
    if isinstance(type_, EnumType):
        return "{}.stored()"
    if isinstance(type_, ScalarType) and type_.kind is Kind.TIMESPAN:
        return "{}.toNanos() / 100"
    return ""


def _null_safe(text: str, conversion: str, type_: Type) -> str:
    done = conversion.format(text)
    return f"{text} == null ? null : {done}" if type_.nullable and not is_primitive(type_) else done


def _words(java: str) -> list[str]:
    return [
        word
        for word in java.replace("[]", "Array").replace("<", " ").replace(">", " ").replace(",", " ").split()
        if word
    ]
