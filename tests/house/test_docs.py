"""Pages that are generated must be what the code says now."""

from __future__ import annotations

from uom.commands.supported import FILE, document


def test_supported_page_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == document(), "run `python -m uom.commands.supported`"
