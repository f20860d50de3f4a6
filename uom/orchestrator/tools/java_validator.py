"""`validate_java_code`: compile and run translated Java on a database of its own, with the rows of the C# model."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool

from uom.orchestrator.compiling import Prepared, prepared
from uom.orchestrator.context import Context
from uom.orchestrator.files import is_safe
from uom.orchestrator.pauses import no_pauses
from uom.orchestrator.projects import TARGET_ENTRY, files_of_unit, has_queries, is_ours, prefix_of
from uom.orchestrator.state import FrameworkEnum, QueryValidationResults
from uom.orchestrator.tools.reports import context_in, evidence_in, report
from uom.orchestrator.validation.evidence import Evidence
from uom.orchestrator.validation.isolation import NoSandbox
from uom.orchestrator.validation.merging import merged
from uom.orchestrator.validation.other_rows import deal, keep, on_other_rows, part_of
from uom.orchestrator.validation.problems import INPUT_PROBLEMS, said
from uom.orchestrator.validation.target import JavaProject, TargetRows, run_target


@tool(parse_docstring=True)
async def validate_java_code(
    harness_code: str,
    config: RunnableConfig,
    schema_code: str = "",
    query_code: str = "",
    entry_type_name: str = TARGET_ENTRY,
    source_code: str = "",
    arguments: str = "",
    data_file: str = "",
    target: FrameworkEnum = FrameworkEnum.JAVA_SPRING_DATA_MONGODB,
    call_id: str = "",
) -> str:
    """Compiles Java for Spring Data and runs its entry point, in a database of its own.

    Code of several files has a line `// file: PATH` before each. Answers [Validation Passed] or [Validation Failed] with
    the compiler's diagnostics (file:line:column), and the path of the results after JSON_PATH=.

    Args:
        harness_code: The entry point, and what else is needed to run it.
        schema_code: Entity classes and configuration.
        query_code: The classes with translated queries.
        entry_type_name: The fully qualified class whose main is run.
        source_code: The C# whose rows are loaded; without it the database is empty.
        arguments: Argument values of the calls, as the graph's generation wrote them.
        data_file: JSON file with the rows of each table; without it the bundled sample.
        target: The Spring Data module, which decides the database.
        call_id: A name for this validation: the same name in the same thread finds finished work again.
    """
    context = context_in(config)
    evidence = evidence_in(config, call_id)
    java = Java((schema_code, query_code, harness_code), entry_type_name)
    rows = Rows(source_code, arguments, data_file or context.data_file, target)
    found = evidence.read()
    return report(found if found is not None else await asyncio.to_thread(_validate, java, rows, evidence, context))


@no_pauses()
def _validate(java: Java, rows: Rows, evidence: Evidence, context: Context) -> QueryValidationResults:
    try:
        units = rows.units()
        by_prefix = {prefix_of(u, units): u for u in units}
        asked = {prefix: u for prefix, u in by_prefix.items() if has_queries(files_of_unit(java.texts, prefix))}
        parts = {prefix: _run(java, rows, u, prefix, evidence, context) for prefix, u in asked.items()}
        if not parts and rows.source_code.strip():
            return QueryValidationResults(False, output="no query of the C# was translated: there is nothing to run")
        return evidence.write(merged(parts or {"": _run(java, rows, None, "", evidence, context)}))
    except INPUT_PROBLEMS as problem:
        return QueryValidationResults(False, output=said(problem))
    except NoSandbox as missing:
        return QueryValidationResults(False, output=str(missing))


def _run(
    java: Java, rows: Rows, unit: Prepared | None, prefix: str, evidence: Evidence, context: Context
) -> QueryValidationResults:
    files = files_of_unit(java.texts, prefix)
    unsafe = next((path for path in files if not is_safe(path)), None)
    if unsafe is not None:
        return QueryValidationResults(False, output=f"{unsafe}: the path leaves the project")
    ours = unit is not None and is_ours(files, unit)
    release = unit.unit.options.java if unit is not None else 25
    project = JavaProject(files, java.entry, ours, rows.target, release)
    own = evidence.part(f"java-{prefix.strip('/')}")
    if ours or unit is None:
        return run_target(project, [TargetRows(unit, own)], context)[0]
    others = evidence.part(f"java-others-{prefix.strip('/')}")
    dealt = deal(unit)
    rows_of = [TargetRows(on_other_rows(unit, s), part_of(others, n)) for n, s in enumerate(dealt.seeds)]
    first, *more = run_target(project, [TargetRows(unit, own), *rows_of], context)
    failed = next((run for run in more if not run.passed), None)
    if failed is not None:
        return replace(failed, output=f"on other rows: {failed.output}")
    if first.passed:
        keep(others, dealt)
    return first


@dataclass(frozen=True, slots=True)
class Java:
    """The texts to compile, and the class to run."""

    texts: tuple[str, str, str]
    entry: str


@dataclass(frozen=True, slots=True)
class Rows:
    """What decides which rows are loaded."""

    source_code: str
    arguments: str
    data_file: str
    target: FrameworkEnum

    def units(self) -> tuple[Prepared, ...]:
        code = self.source_code
        return prepared(code, self.data_file, self.arguments, self.target) if code.strip() else ()
