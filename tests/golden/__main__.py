"""`python -m tests.golden DIR --to mongodb|neo4j --data FILE [--only THEME[.METHOD]] [--json OUT] [--rows DIR]`"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

from tests.golden.cases import load_cases
from tests.golden.runner import STATUSES, Verdict, run_folder
from uom.data.rows import DataProblem, read_data_file
from uom.model.program import PROVIDER_SEMANTICS
from uom.read.csharp.syntax import InputProblem
from uom.run.engines.mongodb.server import MongoEngine
from uom.run.engines.neo4j.server import Neo4jEngine
from uom.run.failures import EnvironmentFailure
from uom.run.java.worker import JavaWorker
from uom.run.toolchain import Toolchain, ensure


def main() -> int:
    options = _arguments()
    try:
        cases = [c for c in load_cases(options.folder) if _wanted(c.id, options.only)]
        data = read_data_file(options.data)
        tools = ensure(lambda label, done, total: print(f"  {label} {done}/{total}", file=sys.stderr))
        verdicts: list[Verdict] = []
        with JavaWorker(tools.serving(options.to)) as worker, _engine(options.to, tools) as engine:
            print(f"{len(cases)} cases against {engine.info}", file=sys.stderr)
            started = time.monotonic()
            for verdict in run_folder(
                options.folder, cases, data, PROVIDER_SEMANTICS[options.provider], worker, engine
            ):
                verdicts.append(verdict)
                if verdict.status != "equivalent" or options.verbose:
                    print(f"{verdict.status:10} {verdict.case.id}  {verdict.place}  {verdict.reason[:300]}")
                if len(verdicts) % 100 == 0:
                    print(f"  {len(verdicts)}/{len(cases)}", file=sys.stderr)
            seconds = time.monotonic() - started
    except (DataProblem, InputProblem) as problem:
        print(problem.diagnostic, file=sys.stderr)
        return 2
    except EnvironmentFailure as failure:
        print(failure, file=sys.stderr)
        return 3
    _report(verdicts, seconds)
    if options.json:
        options.json.write_text(json.dumps(_summary(verdicts), indent=1) + "\n", encoding="utf-8")
    if options.rows:
        _write_rows(options.rows, verdicts)
    return 1 if any(v.status in ("different", "failed") for v in verdicts) else 0


def _engine(target: str, tools: Toolchain) -> MongoEngine | Neo4jEngine:
    if target == "neo4j":
        return Neo4jEngine(tools, os.environ.get("NEO4J_URI", ""))
    return MongoEngine(tools, os.environ.get("MONGODB_URI", ""))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.golden", description="Translate, run and compare a golden folder.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--to", choices=["mongodb", "neo4j"], default="mongodb")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", default="", help="THEME or THEME.METHOD")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--provider", choices=[p for p in PROVIDER_SEMANTICS if p], default="postgres")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def _wanted(case_id: str, only: str) -> bool:
    return not only or case_id == only or case_id.startswith(only + ".")


def _report(verdicts: list[Verdict], seconds: float) -> None:
    themes = sorted({v.case.theme for v in verdicts})
    print(f"\n{'theme':18}" + "".join(f"{s:>12}" for s in STATUSES))
    for theme in [*themes, ""]:
        counts = Counter(v.status for v in verdicts if not theme or v.case.theme == theme)
        print(f"{theme or 'sum':18}" + "".join(f"{counts[s]:12}" for s in STATUSES))
    print(f"{len(verdicts)} cases in {seconds:.1f} s")


def _summary(verdicts: list[Verdict]) -> dict[str, object]:
    counts = Counter(v.status for v in verdicts)
    cases = {v.case.id: {"status": v.status, "reason": v.reason, "place": v.place} for v in verdicts}
    return {"sum": {s: counts[s] for s in STATUSES}, "cases": cases}


def _write_rows(folder: Path, verdicts: list[Verdict]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for theme in sorted({v.case.theme for v in verdicts}):
        rows = {v.case.method: v.rows for v in verdicts if v.case.theme == theme and v.rows is not None}
        text = json.dumps(rows, ensure_ascii=False, indent=1)
        (folder / f"{theme}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
