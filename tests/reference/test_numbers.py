"""Numbers as .NET computes them (`facts.txt`, written by `record.py`): the interpreter and generated Java do the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from uom.model.diagnostics import Refusal
from uom.model.expressions import Arithmetic, ArithmeticOp, Const, Convert, Expr, Fn, Function, Parameter
from uom.model.program import PROVIDER_SEMANTICS
from uom.model.schema import Schema
from uom.model.types import DECIMAL, DOUBLE, INT, LONG, Kind, ScalarType
from uom.reference.arithmetic import single
from uom.reference.interpreter import Run
from uom.reference.scalars import evaluate
from uom.reference.values import Database, QueryError
from uom.run.java.worker import JavaWorker, RunStatus
from uom.write.java.client import ClientContext, client_expression
from uom.write.java.client_functions import _FUNCTIONS
from uom.write.java.source import Imports, java_file
from uom.write.java.texts import text_helpers
from uom.write.java.types import JavaModel

assert _FUNCTIONS  # registers the writers
SCHEMA = Schema("Context", ())
FUNCTIONS = {"round": Fn.ROUND, "floor": Fn.FLOOR, "ceiling": Fn.CEILING, "truncate": Fn.TRUNCATE}


def facts() -> dict[str, list[tuple[list[str], str]]]:
    """(operands, result) by operation."""
    found: dict[str, list[tuple[list[str], str]]] = defaultdict(list)
    for line in (Path(__file__).parent / "facts.txt").read_text(encoding="utf-8").splitlines():
        question, _, answer = line.partition(" = ")
        operation, *operands = question.split(" ")
        found[operation].append((operands, answer))
    return found


FACTS = facts()


def expression(operation: str, operands: list[Expr]) -> Expr:
    """What is written in C#."""
    plain = operation.removeprefix("checked")
    checked = plain != operation
    if ">" in plain:
        target = ScalarType(Kind(plain.partition(">")[2]))
        return Convert(operands[0], target, checked=checked)
    if plain[-1] in "+-*/%":
        return Arithmetic(ArithmeticOp(plain[-1]), operands[0], operands[1], operands[0].type, checked=checked)
    return Function(FUNCTIONS[plain.removesuffix("decimal")], tuple(operands), operands[0].type)


def types(operation: str) -> list[ScalarType]:
    """Of the operands."""
    plain = operation.removeprefix("checked")
    first = ScalarType(Kind(plain.partition(">")[0])) if ">" in plain else None
    if plain[-1] in "+-*/%":
        first = {"decimal": DECIMAL, "int": INT, "long": LONG}[plain[:-1]]
        return [first, first]
    if first is not None:
        return [first]
    return [DECIMAL if plain.endswith("decimal") else DOUBLE, INT]


def value(text: str, type_: ScalarType) -> Any:
    if type_.kind is Kind.FLOAT:
        return single(float(text))
    return {Kind.DECIMAL: Decimal, Kind.DOUBLE: float}.get(type_.kind, int)(text)


@pytest.mark.parametrize("operation", FACTS)
def test_the_interpreter_computes_as_net_does(operation: str) -> None:
    run = Run(SCHEMA, Database({}), PROVIDER_SEMANTICS[""], {}, now=None)  # type: ignore[arg-type]
    wrong = []
    for operands, answer in FACTS[operation]:
        constants: list[Expr] = [Const(value(o, t), t) for o, t in zip(operands, types(operation), strict=False)]
        node = expression(operation, constants)
        try:
            computed: Any = evaluate(node, {}, run)
        except QueryError as error:
            computed = error.exception
        if not same(computed, answer):
            wrong.append((operands, answer, computed))
    assert not wrong


def same(computed: Any, answer: str) -> bool:
    if isinstance(computed, str) or answer.endswith("Exception"):
        return bool(computed == answer)
    if isinstance(computed, float):
        return repr(computed) == repr(float(answer))
    return bool(computed == Decimal(answer))


MAIN = """
public final class Main {
    private interface Compute { Object of(String[] operands); }

    public static void main(String[] args) {
        Map<String, Compute> computed = new HashMap<>();
@CASES@
        for (String fact : args[0].split("\\n")) {
            String[] sides = fact.split(" = ");
            String[] question = sides[0].split(" ");
            String[] operands = Arrays.copyOfRange(question, 1, question.length);
            String found;
            try {
                found = String.valueOf(computed.get(question[0]).of(operands));
            } catch (ArithmeticException e) {
                found = "Exception";
            }
            if (!same(found, sides[1])) {
                System.out.println(fact + ", not " + found);
            }
        }
    }

    private static boolean same(String found, String answer) {
        if (found.equals("Exception") || answer.endsWith("Exception")) {
            return found.equals("Exception") && answer.endsWith("Exception");
        }
        return found.matches(".*[a-z].*") || answer.matches(".*[a-z].*")
            ? Double.valueOf(found).equals(Double.valueOf(answer))
            : Double.valueOf(found).equals(Double.valueOf(answer)) && new BigDecimal(found).compareTo(new BigDecimal(answer)) == 0;
    }
}"""
PARSED = {
    Kind.DECIMAL: ("BigDecimal", "new BigDecimal({})"),
    Kind.DOUBLE: ("double", "Double.parseDouble({})"),
    Kind.INT: ("int", "Integer.parseInt({})"),
    Kind.LONG: ("long", "Long.parseLong({})"),
}


def written(imports: Imports, helpers: set[str]) -> Iterator[tuple[str, str]]:
    """(operation, Java) of what is not refused."""
    context = ClientContext(imports, JavaModel("facts", SCHEMA), PROVIDER_SEMANTICS[""], "Row", helpers=helpers)
    for operation, examples in FACTS.items():
        kinds = [t for _, t in zip(examples[0][0], types(operation), strict=False)]
        parameters: list[Expr] = [Parameter(n, t) for n, t in zip("ab", kinds, strict=False)]
        try:
            text = client_expression(expression(operation, parameters), context)
        except Refusal:
            continue
        declared = "".join(
            f"{PARSED[t.kind][0]} {n} = {PARSED[t.kind][1].format(f'operands[{i}]')}; "
            for i, (n, t) in enumerate(zip("ab", kinds, strict=False))
        )
        yield operation, f'        computed.put("{operation}", operands -> {{ {declared}return {text}; }});'


def test_generated_java_computes_as_net_does(java: JavaWorker) -> None:
    imports, helpers = Imports("facts"), set[str]()
    cases = dict(written(imports, helpers))
    assert {"decimal/", "int%", "checkedint*", "round", "rounddecimal", "truncate", "double>int", "long>int"} <= set(
        cases
    )
    for name in ("java.math.BigDecimal", "java.util.Arrays", "java.util.HashMap", "java.util.Map"):
        imports.use(name)
    main = java_file("facts", imports, MAIN.replace("@CASES@", "\n".join(cases.values())).strip().split("\n"))
    files = {f"facts/{name}.java": text for name, text in {**text_helpers("facts", helpers), "Main": main}.items()}
    asked = [f"{o} {' '.join(operands)} = {answer}" for o in cases for operands, answer in FACTS[o]]
    run = java.run(files, "facts.Main", ["\n".join(asked)])
    assert run.status is RunStatus.OK, (run.diagnostics[:5], run.trace)
    assert run.stdout == ""
