"""What a validation found, and how it is told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PASSED = "[Validation Passed]"
FAILED = "[Validation Failed]"

_MOST_DIAGNOSTICS = 40
_MOST_CHARACTERS = 6000
_SECRETS = (re.compile(r"://[^:/@\s]*:([^@\s]+)@"), re.compile(r"(?i)(?:password|pwd)\s*=\s*([^;]+)"))
_SHORTEST_SECRET = 4


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What a compiler says of a place: `file` relative to the project, line and column from 1; 0 where it named none."""

    file: str
    line: int
    column: int
    message: str
    code: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return ": ".join(part for part in (place, self.code, self.message) if part)


@dataclass(frozen=True, slots=True)
class Validation:
    """`reason` says in one line why it did not pass. `result` is the JSON that the program wrote: query name -> at
    least `count`, `firstSample` and `lastSample`; what is in it is the program's word, no proof.

    `output` is all that was printed, bounded, with secrets taken out.
    """

    passed: bool
    output: str
    reason: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    result: Mapping[str, Any] | None = field(default=None)
    json_path: str = ""
    """Inside the sandbox, whose folder is gone by now."""
    seconds: float = 0.0

    def text(self) -> str:
        """For a person or a model: the marker, then what is needed to mend the code."""
        if self.passed:
            queries = f"{len(self.result)} queries answered" if self.result is not None else "it compiles"
            return f"{PASSED}\n{queries}"
        lines = [f"{FAILED} {self.reason}".rstrip(), *map(str, self.diagnostics[:_MOST_DIAGNOSTICS])]
        if not self.diagnostics:
            lines.append(self.output.strip()[-_MOST_CHARACTERS:])
        return "\n".join(lines).rstrip()


def without_secrets(text: str, values: Mapping[str, str]) -> str:
    """`text` with connection strings, and passwords in them, replaced by the names of their variables."""
    found: dict[str, str] = {}
    for name, value in values.items():
        secrets = [match for pattern in _SECRETS for match in pattern.findall(value)]
        if secrets:
            found[value] = f"${name}"
            found.update((secret.strip(), f"<password of {name}>") for secret in secrets)
    for secret in sorted(found, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, found[secret])
    return text
