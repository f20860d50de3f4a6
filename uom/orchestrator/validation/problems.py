"""What is wrong with an input, as opposed to what is wrong with the machine."""

from __future__ import annotations

from uom.data.rows import DataProblem
from uom.model.diagnostics import Refusal
from uom.plan.mapping.yaml_file import MappingProblem
from uom.read.csharp.syntax import InputProblem

INPUT_PROBLEMS = (InputProblem, DataProblem, MappingProblem, Refusal)


def said(problem: BaseException) -> str:
    """The message for people, with place and remedy."""
    return str(getattr(problem, "diagnostic", problem))
