"""C# text to the model: schemas, queries, and what was refused."""

from __future__ import annotations

from uom.read.csharp.loading import load_sources
from uom.read.efcore.reader import read_program

__all__ = ["load_sources", "read_program"]
