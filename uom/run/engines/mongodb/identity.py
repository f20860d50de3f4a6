"""What a server is, by what it says and by what it does."""

from __future__ import annotations

import re
from typing import Any

import pymongo
from pymongo.errors import PyMongoError

from uom.run.engines.mongodb.addresses import reason_of
from uom.run.engines.target import IMITATION, EngineInfo
from uom.run.failures import EnvironmentFailure

__all__ = ["GENUINE", "IMITATION", "EngineInfo", "fingerprint", "identify"]

GENUINE = "MongoDB"
_OLDEST = (6, 0)
_TELLING = (
    "paths through arrays: a path through an array gives an array",
    "paths through arrays: a number in an expression path is no position",
    "paths through arrays: a set path reaches each element",
    "missing values: the first of no elements is left out of a document",
    "missing values: a missing field of an element is no null",
    "missing values: a missing variable in $max",
    "conditions and logic: missing is in no list with null",
    "equality of documents and arrays: documents in another order",
    "equality of documents and arrays: arrays of decimals of other scale",
    "decimals of 34 digits: $subtract of fractions",
    "$group, accumulators: $sum of doubles does not gather errors",
    "$group, accumulators: $sum of decimals and ints is decimal",
    "$group, keys: a missing part of a key is left out and differs from null",
    "$project, $set, $unset, $replaceRoot: $set of a document merges",
    "$sort, $skip, $limit, $count: $count of nothing gives no document",
    "$sort, $skip, $limit, $count: the order of types",
    "$sort, $skip, $limit, $count: double and decimal 0.1 in order",
    "$match, logic and $expr: $expr: equal null and missing differ",
    "dates: $dateToString onNull",
    "dates: $dateDiff in weeks and quarters",
    "rounding: $round of decimals goes to even",
    "conversion: double to decimal has 15 digits",
    "arrays: $sortArray by two fields",
    "arrays: $slice of a part",
    "text: $trim of Unicode blanks",
    "$regexMatch: \\d is an ASCII digit",
    "collation: $expr without case",
    "collation: punctuation sorts before digits before letters",
)
"""Facts that imitations get wrong, checked over documents that the command itself carries: nothing is stored."""


def identify(client: pymongo.MongoClient[dict[str, Any]]) -> EngineInfo:
    """Only a server that describes itself as mongod does, build and all, and behaves like one is graded MongoDB."""
    build = client.admin.command("buildInfo")
    version = str(build.get("version", "?"))
    if "secantusVersion" in build:
        return EngineInfo("SecantusDB", str(build["secantusVersion"]), IMITATION)
    claims = (
        re.fullmatch(r"[0-9a-f]{40}", str(build.get("gitVersion", ""))) is not None
        and "wiredTiger" in build.get("storageEngines", [])
        and bool(build.get("buildEnvironment"))
        and not any("ferret" in key.lower() for key in build)
    )
    if not claims:
        return EngineInfo("unknown server", version, IMITATION)
    if _numbers(version) < _OLDEST:
        raise EnvironmentFailure(
            "MongoDB", f"the server is of version {version}", "Name a server of version 6 or later."
        )
    if not fingerprint(client):
        return EngineInfo("a server that says it is MongoDB", version, IMITATION)
    return EngineInfo(GENUINE, version, GENUINE)


def fingerprint(client: pymongo.MongoClient[dict[str, Any]]) -> bool:
    """Whether the server answers some telling questions as MongoDB does. Takes milliseconds, and stores nothing if it can."""
    from uom.run.engines.mongodb.conformance.catalogue import all_facts
    from uom.run.engines.mongodb.conformance.suite import Outcome, check_in_passing, run_suite

    telling = [fact for fact in all_facts() if fact.id in _TELLING]
    assert len(telling) == len(_TELLING)
    try:
        outcomes = [check_in_passing(fact, client).outcome for fact in telling]
        if Outcome.REFUSED in outcomes and Outcome.WRONG not in outcomes:
            # perhaps the user may not ask like this; rows will be stored anyway, so these may be too
            outcomes = [result.outcome for result in run_suite(client, _TELLING)]
    except PyMongoError as error:
        raise EnvironmentFailure("MongoDB", reason_of(error), "Check MONGODB_URI.") from error
    return all(outcome is Outcome.RIGHT for outcome in outcomes)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
