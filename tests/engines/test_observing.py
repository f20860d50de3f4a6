"""The analysis: bounds that hold for what a server really answers, and observations by example."""

from __future__ import annotations

import pickle
from enum import StrEnum
from typing import Any

import pytest
from bson import Decimal128, Int64, Regex
from hypothesis import given, settings
from hypothesis import strategies as st
from pymongo.errors import OperationFailure

from uom.run.engines.mongodb.conformance import Outcome, all_facts, run_suite
from uom.run.engines.mongodb.conformance.suite import _CODEC, _load
from uom.run.engines.mongodb.faults import known_faults
from uom.run.engines.mongodb.observing import letters, patterns
from uom.run.engines.mongodb.observing.learning import Knowledge
from uom.run.engines.mongodb.observing.observer import observe
from uom.run.engines.mongodb.observing.scope import Notes, Scope
from uom.run.engines.mongodb.observing.shapes import (
    ANY_LETTER,
    ANYTHING,
    MISSING,
    NUMBERS,
    SOME_OBJECT,
    Shape,
    digits_of,
    join,
    kind_of,
    shape_of,
)
from uom.run.engines.mongodb.observing.stages import run
from uom.run.engines.mongodb.server import MongoEngine

ORDERS: list[dict[str, Any]] = [
    {
        "_id": 1, "customer": "Anna", "code": "A1", "total": Decimal128("12.50"), "weight": 1.5, "count": 3,
        "note": None, "address": {"city": "Brno", "zip": "60200"}, "lines": [{"product": 1, "price": 2.5}],
        "tags": ["NEW"], "big": Int64(5),
    },
    {
        "_id": 2, "customer": "anna", "code": "B-2", "total": Decimal128("7"), "weight": 2.0, "count": 4,
        "note": "é", "address": None, "lines": [], "tags": [], "big": Int64(-(2**63)), "extra": True,
    },
]  # fmt: skip
PRODUCTS = [{"_id": 1, "name": "Chai", "parts": [{"k": 1}]}]


def fits(value: Any, shape: Shape, path: str = "") -> str:
    """Why a value is not within the bound; "" when it is."""
    kind = kind_of(value)
    if kind not in shape.kinds:
        return f"{path}: {kind} is none of {sorted(shape.kinds)}"
    if kind == "object":
        for name, inner in value.items():
            bound = shape.fields.get(name) or (ANYTHING if shape.open else MISSING)
            if (why := fits(inner, bound, f"{path}.{name}")) != "":
                return why
        absent = [name for name, inner in shape.fields.items() if name not in value and not inner.may_be("missing")]
        return f"{path}: {absent} cannot be absent" if absent else ""
    if kind == "array" and shape.filled and not value:
        return f"{path}: is empty"
    if kind == "array":
        return next((why for item in value if (why := fits(item, shape.items, f"{path}[]"))), "")
    if kind == "string" and ANY_LETTER not in shape.letters and not set(value) <= shape.letters:
        return f"{path}: letters {set(value) - shape.letters}"
    if kind in NUMBERS - {"double"} and any(a > b for a, b in zip(digits_of(value), shape.digits, strict=True)):
        return f"{path}: {value} has more digits than {shape.digits}"
    return ""


def test_every_answer_is_within_its_bound(mongodb: MongoEngine) -> None:
    """All facts that the server gets right: whatever it answers, the analysis said so."""
    right = {result.fact.id for result in run_suite(mongodb.client) if result.outcome is Outcome.RIGHT}
    database = mongodb.client.get_database("uom_bounds", codec_options=_CODEC)
    loaded: dict[str, Any] = {}
    answers, misfits = 0, []
    for fact in all_facts():
        knowledge = Knowledge()
        for name, documents in fact.collections.items():
            knowledge.learn("d", name, [dict(document) for document in documents])
        _load(database, fact.collections, loaded)
        shapes = knowledge.of("d")
        for question in fact.questions:
            command = question.command
            if fact.id not in right or "pipeline" not in command or fact.answer.fails:
                continue
            bound = run(command["pipeline"], Scope(shapes.get(command["aggregate"], SOME_OBJECT), Notes(), shapes))
            try:
                rows = database.command(command)["cursor"]["firstBatch"]
            except OperationFailure:
                continue
            answers += len(rows)
            misfits += [f"{fact.id}: {why}" for row in rows if (why := fits(row, bound))]
    mongodb.client.drop_database("uom_bounds")
    assert misfits == []
    assert answers > 1500


def seen(stages: list[Any], collation: bool = False) -> set[str]:
    """Names of what an aggregation over the orders is observed to rely on."""
    knowledge = Knowledge()
    knowledge.learn("d", "orders", ORDERS)
    knowledge.learn("d", "products", PRODUCTS)
    knowledge.learn("d", "empty", [])
    command: dict[str, Any] = {"aggregate": "orders", "pipeline": stages}
    if collation:
        command["collation"] = {"locale": "en", "strength": 2}
    return set(observe("aggregate", command, knowledge.of("d"), False).seen)


def project(**fields: Any) -> list[Any]:
    return [{"$project": {"_id": 0, **fields}}]


def lookup(**more: Any) -> dict[str, Any]:
    return {"$lookup": {"from": "products", "localField": "count", "foreignField": "_id", **more, "as": "found"}}


GROUPED = {"$group": {"_id": "$customer", "total": {"$sum": "$weight"}, "lines": {"$push": {"p": "$total"}}}}


@pytest.mark.parametrize(
    ("stages", "names"),
    [
        # paths
        (project(v="$lines.price"), {"expression_path_through_array"}),
        (project(v="$address.city"), set()),
        ([{"$unwind": "$lines"}, *project(v="$lines.price")], set()),
        ([{"$set": {"first": {"$first": "$lines"}}}, *project(v="$first.price")], set()),
        ([lookup(), *project(v="$found.name")], {"expression_path_through_array"}),
        ([lookup(), {"$unwind": "$found"}, *project(v="$found.name")], set()),
        ([lookup(), {"$unwind": "$found"}, *project(v="$found.parts.k")], {"expression_path_through_array"}),
        ([GROUPED, *project(v="$lines.p")], {"expression_path_through_array"}),
        ([GROUPED, *project(v={"$sum": {"$map": {"input": "$lines", "in": "$$this.p"}}})], set()),
        ([{"$facet": {"a": [{"$match": {}}]}}, *project(v="$a.count")], {"expression_path_through_array"}),
        (project(v="$tags.0"), {"expression_path_through_array", "numeric_path_part"}),
        ([{"$unset": "lines.price"}], {"excluded_path_through_array"}),
        ([{"$unset": "address.city"}], set()),
        ([{"$set": {"lines.x": 1}}], {"set_path_through_array"}),
        ([{"$set": {"address.x": 1}}], {"set_path_below_value"}),
        ([{"$set": {"address": {"x": 1}}}], {"nested_set_document"}),
        ([{"$set": {"other": {"x": 1}}}], set()),
        ([lookup(localField="lines.product")], {"lookup_local_through_array"}),
        ([lookup(foreignField="parts.k")], {"lookup_foreign_through_array"}),
        ([lookup(localField="address", foreignField="parts")], {"lookup_by_document"}),
        # missing and null
        (project(v={"$in": ["$note", [None, "x"]]}), set()),
        (project(v={"$in": ["$extra", [None, True]]}), {"missing_in_list"}),
        (project(v={"$in": ["$extra", [True]]}), set()),
        (project(v={"$in": [{"$ifNull": ["$extra", None]}, [None]]}), set()),
        (project(v={"$first": "$tags"}), {"null_for_missing"}),
        (project(v={"$ifNull": [{"$first": "$tags"}, None]}), set()),
        ([GROUPED, *project(v={"$first": {"$sortArray": {"input": "$lines", "sortBy": {"p": 1}}}})], set()),
        ([GROUPED, *project(v={"$first": {"$slice": ["$lines", 1]}})], {"null_for_missing"}),
        ([GROUPED, *project(v={"$last": {"$filter": {"input": "$lines", "cond": "$$this.p"}}})], {"null_for_missing"}),
        (project(v={"$gt": [{"$first": "$tags"}, None]}), set()),
        (project(v={"$eq": [{"$first": "$tags"}, None]}), {"null_for_missing"}),
        (project(v={"$eq": [{"$first": "$tags"}, "NEW"]}), set()),
        (project(v="$$ROOT.extra"), {"null_for_missing"}),
        (project(v="$$ROOT.count"), set()),
        ([{"$group": {"_id": {"a": "$$ROOT.extra"}}}], {"null_for_missing"}),
        ([{"$group": {"_id": "$$ROOT.extra"}}], set()),
        ([{"$group": {"_id": None, "v": {"$push": "$$ROOT.extra"}}}], {"null_for_missing"}),
        ([{"$group": {"_id": None, "v": {"$max": "$$ROOT.extra"}}}], set()),
        (project(v={"$let": {"vars": {"x": "$extra"}, "in": {"$toBool": "$$x"}}}), {"missing_operand"}),
        (project(v={"$let": {"vars": {"x": "$count"}, "in": {"$toBool": "$$x"}}}), set()),
        (project(v={"$max": [{"$arrayElemAt": ["$tags", 0]}, "A"]}), {"missing_operand"}),
        # equality
        (project(v={"$eq": ["$tags", []]}), set()),
        (project(v={"$eq": ["$address", {"city": "Brno"}]}), {"composite_equality"}),
        (project(v={"$eq": ["$tags", ["NEW"]]}), set()),
        ([{"$group": {"_id": "$address"}}], set()),
        ([{"$group": {"_id": {"c": "$address.city", "n": "$count"}}}], set()),
        # numbers
        (project(v={"$subtract": ["$total", 1]}), set()),
        (project(v={"$subtract": [{"$divide": ["$total", 3]}, 1]}), {"decimal_difference_beyond_28_digits"}),
        (project(v={"$subtract": ["$total", "$weight"]}), {"difference_of_double_and_decimal"}),
        (project(v={"$abs": "$big"}), {"abs_of_smallest_long"}),
        (project(v={"$abs": "$count"}), set()),
        ([GROUPED, {"$match": {"total": {"$gt": 3}}}], {"inexact_sum_compared"}),
        ([GROUPED, {"$match": {"total": {"$ne": None}}}], set()),
        ([GROUPED, {"$sort": {"total": -1}}], {"inexact_sum_compared"}),
        ([GROUPED, *project(v={"$multiply": ["$total", 2]})], set()),
        ([GROUPED, *project(v={"$toInt": "$total"})], {"inexact_sum_compared"}),
        ([{"$match": {"total": 0.1}}], {"double_against_decimal"}),
        ([{"$match": {"total": 0.5}}], set()),
        ([{"$match": {"weight": Decimal128("0.1")}}], {"double_against_decimal"}),
        (project(v={"$max": ["$total", "$weight"]}), {"double_against_decimal"}),
        # stages
        (project(address={"city": 1}), {"project_nested_flags"}),
        (project(address={"city": "$code"}), set()),
        (project(count=2), {"project_number_but_one"}),
        ([{"$facet": {"a": [{"$count": "n"}]}}], {"count_of_nothing"}),
        ([{"$count": "n"}], set()),
        ([{"$unionWith": {"coll": "empty", "pipeline": [{"$count": "n"}]}}], {"count_of_nothing"}),
        (project(v={"$dateToString": {"date": "$note", "onNull": ""}}), {"operator_with_option:$dateToString.onNull"}),
        # patterns
        ([{"$match": {"customer": {"$regex": "^a", "$options": "i"}}}], set()),
        ([{"$match": {"customer": {"$regex": r"$(?!\n)"}}}], set()),
        (project(v={"$regexMatch": {"input": "$customer", "regex": {"$literal": "$"}}}), set()),
        ([{"$match": {"customer": Regex(r"\bA", "i")}}], {"regex_construct"}),
        ([{"$match": {"customer": {"$not": {"$regex": "ß", "$options": "i"}}}}], {"regex_ignores_case"}),
        (project(v={"$regexMatch": {"input": "$customer", "regex": "$code"}}), {"regex_construct"}),
    ],
)
def test_observations(stages: list[Any], names: set[str]) -> None:
    assert seen(stages) == names


@pytest.mark.parametrize(
    ("stages", "names"),
    [
        ([{"$match": {"customer": "ANNA"}}], set()),
        ([{"$match": {"note": "É"}}], set()),
        ([{"$match": {"note": "ß"}}], {"collation_beyond_ascii"}),
        ([{"$match": {"customer": {"$gt": "b"}}}], set()),
        ([{"$match": {"customer": {"$gt": "~"}}}], {"collation_order"}),
        ([{"$match": {"$expr": {"$eq": ["$customer", "ANNA"]}}}], {"collation_in_expressions"}),
        ([{"$match": {"$expr": {"$eq": ["$address.zip", "60200"]}}}], set()),
        ([{"$match": {"$expr": {"$gt": ["$count", 3]}}}], set()),
        ([{"$match": {"tags": {"$all": ["new"]}}}], {"collation_in:$elemMatch"}),
        ([{"$sort": {"customer": 1, "count": -1}}], set()),
        ([{"$sort": {"code": 1}}], set()),
        ([{"$sort": {"note": 1}}], {"collation_order"}),
        ([{"$group": {"_id": "$customer"}}], set()),
        ([{"$group": {"_id": "$total"}}], {"collation_in:group_keys"}),
        ([{"$group": {"_id": None, "v": {"$max": "$customer"}}}], {"collation_in:accumulators"}),
        ([{"$group": {"_id": None, "v": {"$addToSet": "$address.zip"}}}], set()),
        ([{"$group": {"_id": None, "v": {"$addToSet": "$customer"}}}], {"collation_in:accumulators"}),
        ([lookup(localField="customer", foreignField="name")], {"collation_in:$lookup"}),
        ([lookup(localField="count")], set()),
    ],
)
def test_observations_without_case(stages: list[Any], names: set[str]) -> None:
    assert seen(stages, collation=True) == names
    plain = seen(stages)
    assert not any(name.startswith("collation") for name in plain)


def test_the_simple_collation_is_none() -> None:
    command = {"find": "c", "filter": {"a": {"$gt": "x"}}, "collation": {"locale": "simple"}}
    assert not observe("find", command, {}, False).seen


def test_find_count_and_distinct_are_looked_at() -> None:
    wanted = {"$expr": {"$gt": ["$a.b", 1]}}
    for command in ({"find": "c", "filter": wanted}, {"count": "c", "query": wanted}, {"distinct": "c", "query": wanted, "key": "a"}):  # fmt: skip
        name = next(iter(command))
        assert "expression_path_through_array" in observe(name, command, {}, False).seen


@pytest.mark.parametrize(
    ("command", "used"),
    [
        ({"find": "c", "filter": {"$where": "1"}}, "$where"),
        ({"find": "c", "filter": {"a": {"$near": [0, 0]}}}, "$near"),
        ({"find": "c", "projection": {"a": {"$slice": 2}}}, "$slice in a projection"),
        ({"aggregate": "c", "pipeline": [{"$densify": {}}]}, "$densify"),
        ({"aggregate": "c", "pipeline": [{"$group": {"_id": None, "m": {"$median": {}}}}]}, "$median"),
        ({"aggregate": "c", "pipeline": [{"$project": {"a": {"$rand": {}}}}]}, "$rand"),
        ({"aggregate": "c", "pipeline": [{"$project": {"a": {"$filter": {"input": [], "cond": 1, "limit": {"$rand": {}}}}}}]}, "$rand"),
        ({"aggregate": "c", "pipeline": [{"$group": {"_id": 1, "m": {"$firstN": {"input": "$a", "n": {"$rand": {}}}}}}]}, "$rand"),
    ],
)  # fmt: skip
def test_what_no_fact_covers_is_seen(command: dict[str, Any], used: str) -> None:
    assert used in observe(next(iter(command)), command, {}, False).used - known_faults().covered


def test_learning_knows_kinds_letters_and_digits() -> None:
    knowledge = Knowledge()
    knowledge.learn("d", "orders", ORDERS[:1])
    knowledge.learn("d", "orders", ORDERS[1:])
    fields = knowledge.of("d")["orders"].fields
    assert fields["note"].kinds == {"null", "string"}
    assert fields["extra"].kinds == {"bool", "missing"}
    assert fields["total"].digits == (2, 2)
    assert fields["customer"].letters == set("Anna")
    assert fields["lines"].items.fields["product"].kinds == {"int"}
    assert fields["address"].built
    knowledge.learn("d", "orders", [{"address": {"zip": "1", "city": "x"}}])
    assert not knowledge.of("d")["orders"].fields["address"].built
    knowledge.forget("d")
    assert knowledge.of("d") == {}


def test_shapes_travel_between_processes() -> None:
    knowledge = Knowledge()
    knowledge.learn("d", "orders", ORDERS)
    shapes = knowledge.of("d")
    assert pickle.loads(pickle.dumps(dict(shapes))) == dict(shapes)


class Colour(StrEnum):
    RED = "red"


def test_learning_takes_enums_for_what_they_store() -> None:
    knowledge = Knowledge()
    knowledge.learn("d", "c", [{"v": Colour.RED}])
    learned = knowledge.of("d")["c"].fields["v"]
    assert learned.kinds == {"string"}
    assert learned.letters == set("red")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=3)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**20), max_value=10**20).map(Decimal128),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(VALUES, VALUES)
def test_a_join_bounds_both(one: Any, other: Any) -> None:
    joined = join(shape_of(one), shape_of(other))
    assert fits(one, joined) == ""
    assert fits(other, joined) == ""
    knowledge = Knowledge()
    knowledge.learn("d", "c", [{"v": one}, {"v": other}, {}])
    learned = knowledge.of("d")["c"].fields["v"]
    assert learned.may_be("missing")
    assert fits(one, learned) == ""
    assert fits(other, learned) == ""


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("ACTIVE", (True, True, True, True)),
        ("aA", (False, True, False, True)),
        ("aB", (True, True, False, True)),
        ("a-b c.1", (True, True, True, True)),
        ("a'-", (True, True, False, False)),
        ("a~", (True, True, False, False)),
        ("é", (False, True, False, False)),
        ("ß", (False, False, False, False)),
        ("e\u0301", (False, False, False, False)),
        ("", (True, True, True, True)),
        (ANY_LETTER, (False, False, False, False)),
    ],
)
def test_letters(text: str, answers: tuple[bool, ...]) -> None:
    assert answers == (
        letters.has_one_case(text),
        letters.fold_is_equality(text),
        letters.bytes_are_in_order(text),
        letters.folded_bytes_are_in_order(text),
    )


@pytest.mark.parametrize("letter", "ıİſ\u212aßµςẞ")
def test_letters_whose_case_engines_disagree_on(letter: str) -> None:
    assert not letters.case_is_simple(letter)


def test_letters_whose_case_is_simple() -> None:
    assert letters.case_is_simple("azAZ09 -äÄéłЖ日")
    assert not letters.case_is_simple(ANY_LETTER)


ALIKE = r"^abc$ a\.c ^50%\(of\)\[a\]$(?!\n) a.*b? [abc] [^a-z]+ (?:x|y) a{2,3} {x} é []a]".split()
UNLIKE = r"\d \Qa\E [[:digit:]] (?i)a a\b \p{L} a++ a\Z (?<n>x) [\w] a{,3} \1 (*UCP)a".split()


@pytest.mark.parametrize("pattern", ["", *ALIKE])
def test_patterns_that_all_engines_read_alike(pattern: str) -> None:
    assert patterns.construct_of(pattern, "is") == ""


@pytest.mark.parametrize("pattern", UNLIKE)
def test_patterns_that_they_do_not(pattern: str) -> None:
    assert patterns.construct_of(pattern, "") != ""
    assert patterns.construct_of("a", "x") == "option x"
