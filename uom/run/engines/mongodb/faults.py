"""What a running engine is known to get wrong, and which recorded commands touch it.

The list is generated: `python -m uom.run.engines.mongodb.conformance.generate` writes the facts that the embedded
server gets wrong to faults.json. A fault's `signature` names the observation (see `observing`) that a command makes
when it relies on the fact; without one, any use of all the fact's operators counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from uom.run.engines.mongodb.identity import GENUINE, EngineInfo
from uom.run.engines.mongodb.observing.observer import NOT_ANALYSED, Observations, observe
from uom.run.engines.mongodb.recording import TOO_MANY, RecordedCommand

FILE = "faults.json"
_MEANINGS = {
    "expression_path_through_array": "a path through an array in an expression",
    "numeric_path_part": "a number in a path",
    "excluded_path_through_array": "removing a field of an array's elements",
    "set_path_through_array": "setting a field of an array's elements",
    "set_path_below_value": "setting a field below a value that is no document",
    "lookup_local_through_array": "$lookup by a local field inside an array",
    "lookup_foreign_through_array": "$lookup by a foreign field inside an array",
    "lookup_by_document": "$lookup by whole sub-documents",
    "nested_set_document": "$set of a sub-document, which merges",
    "project_nested_flags": "keeping fields by a nested projection",
    "project_number_but_one": "a projection by another number than 1",
    "count_of_nothing": "$count of no documents",
    "missing_in_list": "looking for a missing field in a list with null",
    "null_for_missing": "telling a missing value from null",
    "missing_operand": "a missing value as an operand",
    "composite_equality": "equality of whole documents or arrays",
    "document_keys": "grouping by whole sub-documents",
    "double_against_decimal": "comparing doubles with decimals",
    "decimal_difference_beyond_28_digits": "a difference of decimals of more than 28 digits",
    "difference_of_double_and_decimal": "a difference of a double and a decimal",
    "inexact_sum_compared": "comparing or cutting a sum of doubles, whose last digits differ",
    "whole_part_beyond_34_digits": "the whole part of a decimal of more than 34 digits",
    "date_as_number": "a date as a number",
    "abs_of_smallest_long": "$abs of the smallest long",
    "regex_construct": "a regular expression that engines read differently",
    "regex_ignores_case": "a regular expression without case and unusual letters",
    "collation_in_expressions": "comparing texts without case in an expression",
    "collation_in:accumulators": "an accumulator that compares texts without case",
    "collation_in:group_keys": "grouping decimals or booleans in a query without case",
    "collation_in:$lookup": "$lookup by texts without case",
    "collation_in:$elemMatch": "texts without case inside an array",
    "collation_beyond_ascii": "comparing unusual letters without case",
    "collation_order": "the order of texts without case",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fact that an engine gets wrong."""

    fact: str
    operators: tuple[str, ...]
    expected: str
    actual: str
    signature: str

    def touched_by(self, seen: Observations) -> str | None:
        """What of a command relies on the fact; None when nothing does."""
        if self.signature:
            where = seen.seen.get(self.signature)
            return None if where is None else f"{_MEANINGS.get(self.signature, self.signature)} ({where})"
        return self.fact if set(self.operators) <= seen.used else None


@dataclass(frozen=True, slots=True)
class FaultList:
    """The faults of one version of an engine, and the operators that any fact exercised."""

    engine: str
    version: str
    faults: tuple[Fault, ...]
    covered: frozenset[str]


def faults_touched(engine: EngineInfo, commands: Sequence[RecordedCommand]) -> list[str]:
    """Reasons not to trust the engine's answer to these commands; empty when there are none."""
    if engine.grade == GENUINE:
        return []
    known = known_faults()
    if (known.engine, known.version) != (engine.name, engine.version):
        return [
            f"{engine.name} {engine.version} is no MongoDB and what it gets wrong is not known: "
            "run `uom doctor --engine` with its address"
        ]
    found = dict.fromkeys(reason for command in commands for reason in _reasons(command, known))
    return [f"{engine.name} gets this wrong: {reason}" for reason in found]


def _reasons(command: RecordedCommand, known: FaultList) -> Iterable[str]:
    if command.name == TOO_MANY:
        yield "more commands were sent than are kept"
        return
    if command.name == "explain":
        yield "explain"
        return
    seen = observe(command.name, command.command, command.collections, command.counted_nothing)
    if NOT_ANALYSED in seen.seen:
        yield f"a command of an unknown form ({seen.seen[NOT_ANALYSED]})"
    reasons: dict[str, str] = {}
    for fault in known.faults:
        if command.stood_in and fault.signature == "count_of_nothing":
            continue
        touched = fault.touched_by(seen)
        if touched is not None:
            reasons.setdefault(fault.signature or fault.fact, touched)
    yield from reasons.values()
    unknown = {name for name in seen.used if "." not in name} - known.covered
    yield from (f"{name}, which no fact covers" for name in sorted(unknown))


@cache
def known_faults() -> FaultList:
    """The generated list."""
    content = json.loads(resources.files(__package__).joinpath(FILE).read_text("utf-8"))
    return FaultList(
        content["engine"],
        content["version"],
        tuple(Fault(**{**entry, "operators": tuple(entry["operators"])}) for entry in content["faults"]),
        frozenset(content["covered"]),
    )
