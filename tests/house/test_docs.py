"""Pages that are generated must be what the code says now."""

from __future__ import annotations

from uom.commands.supported import FILE, document
from uom.orchestrator.documents import README, updated


def test_supported_page_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == document(), "run `python -m uom.commands.supported`"


def test_readme_shows_the_graph_and_the_settings_of_today() -> None:
    text = README.read_text(encoding="utf-8")
    assert updated(text) == text, "run `python -m uom.orchestrator.documents`"
