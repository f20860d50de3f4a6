"""What a running engine is known to get wrong, and which recorded commands touch it."""

from __future__ import annotations

from collections.abc import Sequence

from uom.run.engines.mongodb.relay import RecordedCommand
from uom.run.engines.mongodb.server import GENUINE, EngineInfo


def faults_touched(engine: EngineInfo, commands: Sequence[RecordedCommand]) -> list[str]:
    """Reasons not to trust the engine's answer to these commands; empty when there are none."""
    if engine.grade == GENUINE:
        return []
    return []
