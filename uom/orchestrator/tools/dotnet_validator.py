"""`validate_dotnet_code`: compile and run the C# on a relational database with the rows of its model."""

from __future__ import annotations

import asyncio

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool

from uom.orchestrator.compiling import Prepared, prepared
from uom.orchestrator.context import Context
from uom.orchestrator.files import is_safe
from uom.orchestrator.pauses import no_pauses
from uom.orchestrator.projects import SOURCE_ENTRY, files_of_unit, prefix_of
from uom.orchestrator.state import FrameworkEnum, QueryValidationResults
from uom.orchestrator.tools.reports import context_in, evidence_in, report
from uom.orchestrator.validation.evidence import Evidence
from uom.orchestrator.validation.merging import merged
from uom.orchestrator.validation.problems import INPUT_PROBLEMS, said
from uom.orchestrator.validation.source import CSharpProgram, run_source


@tool(parse_docstring=True)
async def validate_dotnet_code(
    source_code: str,
    config: RunnableConfig,
    schema_code: str = "",
    harness_code: str = "",
    entry_type_name: str = SOURCE_ENTRY,
    arguments: str = "",
    data_file: str = "",
    target: FrameworkEnum = FrameworkEnum.JAVA_SPRING_DATA_MONGODB,
    call_id: str = "",
) -> str:
    """Compiles C# that queries through EF Core, and runs it. Without a dotnet the reference interpreter answers for it.

    Code of several files has a line `// file: PATH` before each. Answers [Validation Passed] or [Validation Failed] with
    the compiler's diagnostics, what ran the code, and the path of the results after JSON_PATH=.

    Args:
        source_code: The user's C#: entities, DbContext, query methods.
        schema_code: The same in the form that `dotnet` builds, as the graph's generation wrote it.
        harness_code: The program that calls the queries and writes their rows.
        entry_type_name: The program's entry point.
        arguments: Argument values of the calls, as the graph's generation wrote them.
        data_file: JSON file with the rows of each table; without it the bundled sample.
        target: What the C# is translated to: only what can be translated is run.
        call_id: A name for this validation: the same name in the same thread finds finished work again.
    """
    if entry_type_name != SOURCE_ENTRY:
        return report(QueryValidationResults(False, output=f"the entry point is {SOURCE_ENTRY}, not {entry_type_name}"))
    context = context_in(config)
    evidence = evidence_in(config, call_id)
    program = CSharpProgram(
        source_code, files_of_unit((schema_code, harness_code), ""), data_file or context.data_file, target
    )
    found = evidence.read()
    return report(
        found if found is not None else await asyncio.to_thread(_validate, program, arguments, evidence, context)
    )


@no_pauses()
def _validate(program: CSharpProgram, arguments: str, evidence: Evidence, context: Context) -> QueryValidationResults:
    unsafe = next((path for path in program.files if not is_safe(path)), None)
    if unsafe is not None:
        return QueryValidationResults(False, output=f"{unsafe}: the path leaves the project")
    try:
        units = prepared(program.code, program.data_file, arguments, program.target)
        parts = {}
        for unit in units:
            prefix = prefix_of(unit, units)
            parts[prefix] = _run(program, unit, prefix, evidence, context)
    except INPUT_PROBLEMS as problem:
        return QueryValidationResults(False, output=said(problem))
    return evidence.write(merged(parts))


def _run(
    program: CSharpProgram, unit: Prepared, prefix: str, evidence: Evidence, context: Context
) -> QueryValidationResults:
    own = {path.removeprefix(prefix): text for path, text in program.files.items() if path.startswith(prefix)}
    part = evidence.part(f"dotnet-{prefix.strip('/')}")
    return run_source(CSharpProgram(program.code, own, program.data_file, program.target), unit, part, context)
