"""`python -m uom.orchestrator.documents`: the README's picture of the graph and its table of settings, from the code.

A test holds that both are up to date.
"""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from uom.orchestrator.context import ENVIRONMENT_NAMES, Context
from uom.orchestrator.drawing import mermaid

README = Path(__file__).resolve().parents[2] / "README.md"


def updated(text: str) -> str:
    """The README with its generated parts written anew. Raises ValueError when a mark is missing."""
    for name, content in (("graph", picture()), ("settings", settings())):
        text, count = re.subn(
            rf"(<!-- {name}: [^>]*-->\n).*?(<!-- /{name} -->)",
            lambda m, c=content: f"{m[1]}{c}\n{m[2]}",  # type: ignore[misc]
            text,
            flags=re.S,
        )
        if count != 1:
            raise ValueError(f"README.md needs one <!-- {name}: ... --> and one <!-- /{name} -->")
    return text


def picture() -> str:
    return f"```mermaid\n{mermaid()}\n```"


def settings() -> str:
    """Name, variable, type, default, purpose; secrets without their default."""
    hints = get_type_hints(Context)
    rows = ["| setting | variable | type | default | what it is for |", "|---|---|---|---|---|"]
    for f in fields(Context):
        variable = ENVIRONMENT_NAMES.get(f.name, f.name.upper())
        info = Context.__pydantic_fields__[f.name]  # type: ignore[attr-defined]
        default = "" if hints[f.name] is SecretStr or info.default == "" else f"`{info.default}`"
        rows.append(f"| `{f.name}` | `{variable}` | {_type(hints[f.name])} | {default} | {_purpose(info)} |")
    return "\n".join(rows)


def _type(hint: object) -> str:
    if get_origin(hint) is Literal:
        return " or ".join(f"`{choice}`" for choice in get_args(hint))
    return "secret" if hint is SecretStr else getattr(hint, "__name__", str(hint))


def _purpose(info: FieldInfo) -> str:
    return str(info.description or "").replace("|", "\\|")


def main() -> int:
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
