"""Options that several commands share, and what they turn into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from uom.model.program import PROVIDER_SEMANTICS, NullOrder, Semantics
from uom.translation import TranslationOptions

F = Callable[..., Any]


def source_options(function: F) -> F:
    """SRC..., --to, --java, --provider, --case-sensitive, --nulls."""
    for option in reversed(
        (
            click.argument("sources", nargs=-1, required=True, metavar="SRC..."),
            click.option(
                "--to", "target", type=click.Choice(["mongodb", "neo4j"]), default="mongodb", show_default=True
            ),
            click.option(
                "--java", type=click.Choice(["17", "21", "25"]), default="25", show_default=True, help="Java release."
            ),
            click.option(
                "--package", default="com.example.app", show_default=True, help="Base package of the Java code."
            ),
            click.option(
                "--provider",
                type=click.Choice([p for p in PROVIDER_SEMANTICS if p]),
                help="Database of the source; by default what UseSqlServer, UseNpgsql or UseSqlite in the code implies.",
            ),
            click.option("--case-sensitive/--case-insensitive", default=None, help="How the source compares text."),
            click.option("--nulls", type=click.Choice(["first", "last"]), help="Where nulls sort in the source."),
        )
    ):
        function = option(function)
    return function


def semantics_of(provider: str | None, case_sensitive: bool | None, nulls: str | None) -> Semantics | None:
    """None when nothing was said: then the code decides."""
    if provider is None and case_sensitive is None and nulls is None:
        return None
    semantics = PROVIDER_SEMANTICS[provider or ""]
    if case_sensitive is not None:
        semantics = replace(semantics, case_sensitive=case_sensitive, ignore_trailing_blanks=not case_sensitive)
    if nulls is not None:
        semantics = replace(semantics, null_order=NullOrder(nulls))
    return semantics


def translation_options(
    java: str,
    package: str,
    provider: str | None,
    case_sensitive: bool | None,
    nulls: str | None,
    output: Path | None = None,
    target: str = "mongodb",
) -> TranslationOptions:
    """Raises UsageError for an impossible package name."""
    parts = package.split(".")
    if not all(p.isidentifier() and p.isascii() for p in parts):
        raise click.UsageError(f"--package: '{package}' is no Java package name")
    mapping = output / "mapping.yaml" if output is not None else None
    return TranslationOptions(int(java), package, semantics_of(provider, case_sensitive, nulls), mapping, target)
