"""The facts: read from the YAML files under `facts/`.

A file has a `group`, `collections` that its facts share, and `facts`. A fact asks in one of five ways:

- `expression` (over `document`): the value of an expression, asked in `$project` and in `$replaceRoot`;
- `filter`: the ids of the documents that match, asked by `find`, `$match` and `count`;
- `pipeline`: the documents of an aggregation (`on` names the collection, else `rows`);
- `find`: filter, projection, sort, skip, limit;
- `distinct`: key and query.

The answer is `gives` (for filters `finds`), or `missing: true`, or `fails: true`. Types of numbers count unless
`numbers: by_value`; the order of rows counts unless `order: free`. Inside an answer `{$anyOrder: [...]}` is an array
in any order and `{$about: x}` a double up to rounding. `operators` are those that a fact is about (for expressions
and filters all that occur); `signature` names the detector that recognises commands which rely on the fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from uom.run.engines.mongodb.conformance.extended import from_extended, is_wrapper

Document = dict[str, Any]
DEFAULT_COLLECTION = "rows"


class Reading(Enum):
    """What of a reply is the answer."""

    ROWS = "rows"
    VALUE = "value"
    IDS = "ids"
    NUMBER = "number"
    VALUES = "values"


@dataclass(frozen=True, slots=True)
class Question:
    """One database command and how its reply is read."""

    command: Document
    reading: Reading


@dataclass(frozen=True, slots=True)
class Answer:
    """What MongoDB 8 replies. `missing`: the field is left out; `fails`: the command is an error."""

    value: Any = None
    missing: bool = False
    fails: bool = False
    ordered: bool = True
    strict: bool = True


@dataclass(frozen=True, slots=True)
class Fact:
    """One documented behaviour. All questions have the same answer."""

    group: str
    name: str
    operators: tuple[str, ...]
    collections: Mapping[str, tuple[Document, ...]]
    questions: tuple[Question, ...]
    answer: Answer
    signature: str = ""
    note: str = field(default="", compare=False)

    @property
    def id(self) -> str:
        return f"{self.group}: {self.name}"


@cache
def all_facts() -> tuple[Fact, ...]:
    """Every fact, in the order of the files and of their content."""
    folder = files("uom.run.engines.mongodb.conformance") / "facts"
    found: list[Fact] = []
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        if file.name.endswith(".yaml"):
            content = yaml.load(file.read_text("utf-8"), _Loader)
            shared = {name: _documents(rows) for name, rows in content.get("collections", {}).items()}
            found += [_fact(entry, content, shared) for entry in content["facts"]]
    return tuple(found)


def operators_of(fact: Fact) -> set[str]:
    """All operators, stages and kinds of command that a fact's questions hold."""
    found: set[str] = set()
    for question in fact.questions:
        found.update(_operators(question.command))
        found.update(name for name in ("find", "distinct", "count", "collation") if name in question.command)
    return found


_FastLoader: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


class _Loader(_FastLoader):  # type: ignore[misc]
    """YAML without surprises: a repeated key is an error, dates and yes/no are text."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        repeated = {key for key in keys if keys.count(key) > 1}
        if repeated:
            raise yaml.constructor.ConstructorError(None, None, f"repeated key {repeated}", node.start_mark)
        return dict(super().construct_mapping(node, deep))


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, regexp) for tag, regexp in resolvers if not tag.endswith((":timestamp", ":bool", ":merge"))]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))
_KNOWN = frozenset(
    """
    name expression document filter pipeline find distinct on collections gives finds missing fails numbers order
    collation operators signature note let
    """.split()
)


def _documents(rows: list[Any]) -> tuple[Document, ...]:
    return tuple(from_extended(rows))


def _fact(entry: Document, content: Document, shared: Mapping[str, tuple[Document, ...]]) -> Fact:
    unknown = set(entry) - _KNOWN
    if unknown:
        raise ValueError(f"{content['group']}: {entry.get('name')}: unknown {sorted(unknown)}")
    own = {name: _documents(rows) for name, rows in entry.get("collections", {}).items()}
    if "expression" in entry:
        document: Document = entry.get("document") or content.get("document") or {}
        own, shared = {DEFAULT_COLLECTION: _documents([{"_id": 1, **document}])}, {}
    return Fact(
        content["group"],
        entry["name"],
        tuple(entry.get("operators") or sorted(set(_operators(_subject(entry)))) or ["$project"]),
        {**shared, **own},
        tuple(_questions(entry)),
        Answer(
            from_extended(entry.get("finds", entry.get("gives"))),
            bool(entry.get("missing")),
            bool(entry.get("fails")),
            entry.get("order") != "free",
            entry.get("numbers") != "by_value",
        ),
        entry.get("signature", ""),
        entry.get("note", ""),
    )


def _subject(entry: Document) -> Any:
    return entry.get("expression", entry.get("filter", entry.get("pipeline")))


def _operators(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        for key, inner in tree.items():
            if key.startswith("$") and not is_wrapper(key):
                yield key
            yield from _operators(inner)
    elif isinstance(tree, list):
        for inner in tree:
            yield from _operators(inner)


def _questions(entry: Document) -> Iterator[Question]:
    on = entry.get("on", DEFAULT_COLLECTION)
    options: Document = {key: from_extended(entry[key]) for key in ("collation", "let") if key in entry}

    def aggregate(pipeline: list[Document], reading: Reading) -> Question:
        return Question({"aggregate": on, "pipeline": pipeline, "cursor": {}, **options}, reading)

    if "expression" in entry:
        expression = from_extended(entry["expression"])
        yield aggregate([{"$replaceRoot": {"newRoot": {"v": expression}}}], Reading.VALUE)
        if _means_itself(expression):
            yield aggregate([{"$project": {"_id": 0, "v": expression}}], Reading.VALUE)
    elif "filter" in entry:
        condition = from_extended(entry["filter"])
        yield Question({"find": on, "filter": condition, "sort": {"_id": 1}, **options}, Reading.IDS)
        yield aggregate([{"$match": condition}, {"$sort": {"_id": 1}}], Reading.IDS)
        yield Question({"count": on, "query": condition, **options}, Reading.NUMBER)
    elif "pipeline" in entry:
        yield aggregate(from_extended(entry["pipeline"]), Reading.ROWS)
    elif "find" in entry:
        yield Question({"find": on, **from_extended(entry["find"]), **options}, Reading.ROWS)
    else:
        yield Question({"distinct": on, **from_extended(entry["distinct"]), **options}, Reading.VALUES)


def _means_itself(expression: Any) -> bool:
    """In `$project` numbers, booleans and sub-documents are no expressions."""
    if isinstance(expression, dict):
        return bool(expression) and next(iter(expression)).startswith("$")
    return isinstance(expression, str | list)
