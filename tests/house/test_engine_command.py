"""`uom engine`: an embedded database alone, with rows, until it is told to end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from tests.house.test_cli import MODEL
from uom.run.engines.owned_server import free_port

ROWS = {"Items": [{"Id": 1, "Name": "Tea", "Price": "1.50"}, {"Id": 2, "Name": "Oil", "Price": "20.00"}]}


@pytest.mark.parametrize(
    ("sources", "node"),
    [(["a.cs"], {"id": 1, "name": "Tea", "price": 15000}), ([], {"Id": 1, "Name": "Tea", "Price": "1.50"})],
)
def test_neo4j_with_rows(tmp_path: Path, sources: list[str], node: dict[str, Any]) -> None:
    (tmp_path / "a.cs").write_text(MODEL)
    (tmp_path / "rows.json").write_text(json.dumps({"tables": ROWS}))
    port = free_port()
    command = [sys.executable, "-m", "uom", "engine", "neo4j", *(str(tmp_path / s) for s in sources)]
    command += ["--port", str(port), "--data", str(tmp_path / "rows.json"), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            lines: list[str] = []
            while not lines or lines[-1] != "}\n":
                line = process.stdout.readline()
                assert line, process.stderr.read()
                lines.append(line)
            told = json.loads("".join(lines))
            assert told["nodes"] == {"Item" if sources else "Items": 2}
            with GraphDatabase.driver(told["uri"]) as driver:
                (found,) = driver.execute_query("MATCH (n) WHERE 1 IN [n.id, n.Id] RETURN properties(n) AS p").records
            assert found["p"] == node
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
