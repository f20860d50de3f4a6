"""Pipelines over shapes: the bound of the documents after each stage, and observations on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from uom.run.engines.mongodb.observing import containers, letters, numbers
from uom.run.engines.mongodb.observing.comparing import observe_elements, observe_numbers, observe_text
from uom.run.engines.mongodb.observing.expressions import evaluate
from uom.run.engines.mongodb.observing.filters import observe_filter
from uom.run.engines.mongodb.observing.scope import Scope, is_array_on_the_way, path_value, query_value
from uom.run.engines.mongodb.observing.shapes import (
    ABSENT,
    ANYTHING,
    INT,
    LONG,
    MISSING,
    NOTHING,
    NULL,
    NUMBERS,
    SOME_OBJECT,
    Shape,
    array_of,
    deep,
    field_of,
    join,
    object_of,
    with_field,
    without_field,
)

_REGISTERED = (containers,)
Handler = Callable[[Any, Scope], Shape]
_STAGES: dict[str, Handler] = {}


def run(pipeline: Sequence[Mapping[str, Any]], scope: Scope) -> Shape:
    """The bound of the documents that come out."""
    for stage in pipeline:
        name = next(iter(stage), "")
        scope.notes.used.add(name)
        handler = _STAGES.get(name)
        if handler is None:
            scope.note(f"stage_unknown:{name}", stage)
            scope = scope.on(SOME_OBJECT)
        else:
            scope = scope.on(handler(stage[name], scope))
    return scope.document


def stage(*names: str) -> Callable[[Handler], Handler]:
    def keep(handler: Handler) -> Handler:
        _STAGES.update(dict.fromkeys(names, handler))
        return handler

    return keep


@stage("$match")
def _match(body: Any, scope: Scope) -> Shape:
    observe_filter(body, scope)
    return scope.document


@stage("$limit", "$skip", "$sample")
def _page(_body: Any, scope: Scope) -> Shape:
    return scope.document


@stage("$sort")
def _sort(body: Any, scope: Scope) -> Shape:
    observe_sort(body, scope)
    return scope.document


def observe_sort(keys: Any, scope: Scope) -> None:
    for path, direction in keys.items() if isinstance(keys, Mapping) else ():
        if path.startswith("$") or isinstance(direction, Mapping):
            scope.notes.used.add(path if path.startswith("$") else next(iter(direction), "$meta"))
            continue
        value = query_value(scope.document, path)
        what = {"$sort": path}
        if scope.ignores_case and value.may_be("string"):
            in_arrays = is_array_on_the_way(scope.document, path) or value.may_be("array")
            if in_arrays or not letters.folded_bytes_are_in_order(value.letters):
                scope.note("collation_order", what)
        observe_numbers(value, value, what, scope)
        if value.inexact and value.may_be("double"):
            scope.note("inexact_sum_compared", what)


@stage("$count")
def _count(body: Any, scope: Scope) -> Shape:
    # whether nothing was counted is seen from outside when it is the last stage
    scope.note("count_stage", {"$count": body})
    return object_of({str(body): INT})


# -- reshaping -------------------------------------------------------------------------------------------------------


@stage("$set", "$addFields")
def _set(body: Any, scope: Scope) -> Shape:
    document = scope.document
    for path, expression in body.items():
        what = {"$set": {path: expression}}
        value = evaluate(expression, scope)
        if "." in path:
            _observe_nested_set(path, what, scope)
        elif _is_plain_document(expression) and field_of(scope.document, path).may_be("object", "array"):
            scope.note("nested_set_document", what)
            value = join(value, field_of(document, path))
        document = with_field(document, path, replace(value, marker=False))
    return document


def _observe_nested_set(path: str, what: Any, scope: Scope) -> None:
    if is_array_on_the_way(scope.document, path):
        scope.note("set_path_through_array", what)
    parent = scope.document
    for part in path.split(".")[:-1]:
        parent = field_of(parent, part)
        if parent.kinds - {"object", "missing", "array"}:
            scope.note("set_path_below_value", what)


def _is_plain_document(expression: Any) -> bool:
    return isinstance(expression, Mapping) and not (len(expression) == 1 and next(iter(expression)).startswith("$"))


@stage("$unset")
def _unset(body: Any, scope: Scope) -> Shape:
    document = scope.document
    for path in [body] if isinstance(body, str) else body:
        _observe_exclusion(path, scope)
        document = without_field(document, path)
    return document


def _observe_exclusion(path: str, scope: Scope) -> None:
    if is_array_on_the_way(scope.document, path):
        scope.note("excluded_path_through_array", path)


@stage("$project")
def _project(body: Any, scope: Scope) -> Shape:
    return project(body, scope)


def project(body: Mapping[str, Any], scope: Scope, in_find: bool = False) -> Shape:
    """`$project` and the projection of `find`."""
    flags = {path: bool(value) for path, value in body.items() if _is_flag(value)}
    wanted = [path for path, keep in flags.items() if keep]
    if not wanted and len(flags) == len(body):
        return _without(flags, scope, in_find)
    tree: dict[str, Any] = {} if flags.get("_id") is False or "_id" in body.keys() - flags.keys() else {"_id": {}}
    for path in wanted:
        if not isinstance(body[path], bool) and body[path] != 1:
            scope.note("project_number_but_one", {path: body[path]})
        branch = tree
        for part in path.split("."):
            branch = branch.setdefault(part, {})
    document = _kept(scope.document, tree) if tree else object_of({})
    for path in body.keys() - flags.keys():
        if in_find:
            _observe_find_form(path, body[path], scope)
        document = _computed(document, path, body[path], scope)
    return document


def _observe_find_form(path: str, value: Any, scope: Scope) -> None:
    """`$slice` and `$elemMatch` mean something else in a projection of `find` than elsewhere."""
    name = next(iter(value), "") if isinstance(value, Mapping) else ""
    if name in ("$slice", "$elemMatch", "$meta") or path.endswith(".$"):
        scope.notes.used.add(f"{name or '$'} in a projection")


def _without(paths: Iterable[str], scope: Scope, in_find: bool) -> Shape:
    document = scope.document
    for path in paths:
        if not in_find:
            _observe_exclusion(path, scope)
        document = without_field(document, path)
    return document


def _kept(shape: Shape, tree: Mapping[str, Any]) -> Shape:
    """What is left of a value when only the fields in the tree are kept; {} keeps a value whole."""
    if not tree:
        return shape
    fields = {}
    for name, inner in tree.items():
        value = _kept(field_of(replace(shape, kinds=frozenset({"object"})), name), inner)
        # below a value that is no document there is nothing to keep
        fields[name] = value.without(value.kinds - {"object", "array", "missing"}) if inner else value
        if inner:
            fields[name] = join(fields[name], MISSING)
    element = _kept(shape.items, tree) if shape.may_be("array") else None
    return replace(shape, fields=fields, open=False, element=element)


def _computed(document: Shape, path: str, value: Any, scope: Scope) -> Shape:
    if _is_plain_document(value) and deep_flags(value):
        scope.note("project_nested_flags", {path: value})
        return with_field(document, path.split(".")[0], join(SOME_OBJECT, MISSING))
    found = evaluate(value, scope)
    if "." in path or _is_plain_document(value):
        parent = field_of(scope.document, path.split(".")[0])
        if is_array_on_the_way(scope.document, path) or (_is_plain_document(value) and parent.may_be("array")):
            scope.note("set_path_through_array", {path: value})
    return with_field(document, path, replace(found, marker=False))


def deep_flags(value: Any) -> bool:
    """Whether a nested projection says "keep" or "drop" of fields rather than computing them."""
    if isinstance(value, Mapping):
        if _is_plain_document(value):
            return any(deep_flags(inner) for inner in value.values())
        return False
    return _is_flag(value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | int | float)


@stage("$replaceRoot")
def _replace_root(body: Any, scope: Scope) -> Shape:
    return _as_document(evaluate(body["newRoot"], scope))


@stage("$replaceWith")
def _replace_with(body: Any, scope: Scope) -> Shape:
    return _as_document(evaluate(body, scope))


def _as_document(value: Shape) -> Shape:
    """Anything but a document is an error, so what goes on is one."""
    return value.without(value.kinds - {"object"}) if value.may_be("object") else NOTHING


@stage("$unwind")
def _unwind(body: Any, scope: Scope) -> Shape:
    options = body if isinstance(body, Mapping) else {"path": body}
    path = str(options["path"])
    for name in options:
        scope.notes.used.add(f"$unwind.{name}")
    value = path_value(path, scope)
    if options.get("preserveNullAndEmptyArrays"):
        item = join(value.without({"array"}), value.items, MISSING if value.may_be("array") else NOTHING)
    else:
        item = join(value.without(ABSENT | {"array"}), value.items)
    document = with_field(scope.document, path[1:], item, creates=False)
    index = options.get("includeArrayIndex")
    if index:
        scope.note("operator_with_option:$unwind.includeArrayIndex", body)
        document = with_field(document, index, join(LONG, NULL))
    return document


# -- groups ----------------------------------------------------------------------------------------------------------


@stage("$group")
def _group(body: Any, scope: Scope) -> Shape:
    key = evaluate(body["_id"], scope)
    observe_key(key, {"$group": {"_id": body["_id"]}}, scope)
    fields = {"_id": replace(key.or_null(), blurred=False)}
    for name, accumulator in body.items():
        if name != "_id" and isinstance(accumulator, Mapping) and accumulator:
            fields[name] = _accumulated(accumulator, scope)
    return object_of(fields)


@stage("$sortByCount")
def _sort_by_count(body: Any, scope: Scope) -> Shape:
    return object_of({"_id": _group({"_id": body}, scope).fields["_id"], "count": INT})


def observe_key(key: Shape, what: Any, scope: Scope) -> None:
    """Values by which documents are held equal: keys of groups, distinct values."""
    if deep(key, lambda s: s.may_be("object") and not s.built):
        scope.note("document_keys", what)
    if any(deep(inner, lambda s: s.blurred and s.may_be("missing")) for inner in [*key.fields.values(), key.items]):
        scope.note("null_for_missing", what)
    if deep(key, lambda s: s.inexact and s.may_be("double")):
        scope.note("inexact_sum_compared", what)
    if scope.ignores_case:
        if deep(key, lambda s: s.may_be("decimal") or (s.may_be("bool") and s.may_be(*NUMBERS))):
            scope.note("collation_in:group_keys", what)
        if deep(key, lambda s: s.may_be("string") and not letters.fold_is_equality(s.letters)):
            scope.note("collation_beyond_ascii", what)


def _accumulated(accumulator: Mapping[str, Any], scope: Scope) -> Shape:
    operator, argument = next(iter(accumulator.items()))
    scope.notes.used.add(operator)
    if operator == "$count":
        return INT
    if operator in ("$firstN", "$lastN", "$minN", "$maxN", "$top", "$bottom", "$topN", "$bottomN"):
        return _ranked(operator, argument, scope)
    value = evaluate(argument, scope)
    what = {operator: argument}
    if operator in ("$sum", "$avg"):
        return numbers.total(value, average=operator == "$avg")
    if operator in ("$push", "$addToSet"):
        if value.blurred and value.may_be("missing"):
            scope.note("null_for_missing", what)
        if operator == "$addToSet":
            observe_elements(operator, value, what, scope, grouped=True)
        return array_of(value.without({"missing"}), filled=not value.may_be("missing"))
    if operator in ("$min", "$max"):
        observe_elements(operator, value, what, scope, grouped=True)
        return join(value.present(), NULL)
    if operator in ("$first", "$last"):
        return value.or_null()
    if operator in ("$stdDevPop", "$stdDevSamp"):
        return replace(join(numbers.total(value, average=True), NULL), inexact=True)
    return ANYTHING


def _ranked(operator: str, argument: Mapping[str, Any], scope: Scope) -> Shape:
    what = {operator: argument}
    value = evaluate(argument.get("input", argument.get("output")), scope)
    evaluate(argument.get("n"), scope)
    if operator in ("$minN", "$maxN"):
        observe_elements(operator, value, what, scope, grouped=True)
    for path in argument.get("sortBy", {}):
        observe_elements(operator, query_value(scope.document, path), what, scope, grouped=True)
    found = value.or_null()
    return found if operator in ("$top", "$bottom") else array_of(found)


# -- several pipelines -----------------------------------------------------------------------------------------------


@stage("$lookup")
def _lookup(body: Any, scope: Scope) -> Shape:
    for name in body:
        scope.notes.used.add(f"$lookup.{name}")
    foreign = scope.collections.get(body.get("from", ""), SOME_OBJECT)
    if "localField" in body:
        _observe_fields(body, foreign, scope)
    bound = {name: evaluate(value, scope) for name, value in body.get("let", {}).items()}
    found = run(body.get("pipeline", []), scope.on(foreign).binding(bound))
    return with_field(scope.document, body["as"], Shape(frozenset({"array"}), element=found))


def _observe_fields(body: Mapping[str, Any], foreign: Shape, scope: Scope) -> None:
    local_path, foreign_path = body["localField"], body["foreignField"]
    what = {"$lookup": {"localField": local_path, "foreignField": foreign_path}}
    if is_array_on_the_way(scope.document, local_path):
        scope.note("lookup_local_through_array", what)
    if is_array_on_the_way(foreign, foreign_path):
        scope.note("lookup_foreign_through_array", what)
    left, right = query_value(scope.document, local_path), query_value(foreign, foreign_path)
    if left.may_be("object") and right.may_be("object"):
        scope.note("lookup_by_document", what)
    observe_text("collation_in:$lookup", True, left, right, what, scope)
    if left.may_be(*NUMBERS) and right.may_be(*NUMBERS):
        observe_numbers(left, right, what, scope)
    if (left.inexact or right.inexact) and "double" in left.kinds | right.kinds:
        scope.note("inexact_sum_compared", what)


@stage("$unionWith")
def _union_with(body: Any, scope: Scope) -> Shape:
    options: Mapping[str, Any] = {"coll": body} if isinstance(body, str) else body
    other = scope.collections.get(options.get("coll", ""), SOME_OBJECT)
    return join(scope.document, run(options.get("pipeline", []), scope.on(other)))


@stage("$facet")
def _facet(body: Any, scope: Scope) -> Shape:
    return object_of({name: Shape(frozenset({"array"}), element=run(p, scope)) for name, p in body.items()})
