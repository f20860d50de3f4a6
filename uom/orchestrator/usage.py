"""What each node cost: seconds, and where a model was asked, tokens and failed attempts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class NodeUsage:
    """Summed over all visits of one node. `failures` counts model calls that gave nothing, by kind."""

    visits: int = 0
    seconds: float = 0.0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    failures: dict[str, int] = field(default_factory=dict)


def add_usage(known: dict[str, NodeUsage], new: dict[str, NodeUsage]) -> dict[str, NodeUsage]:
    """The reducer of `State.usage`."""
    return {**known, **{name: _sum(known[name], usage) if name in known else usage for name, usage in new.items()}}


def _sum(a: NodeUsage, b: NodeUsage) -> NodeUsage:
    return NodeUsage(
        a.visits + b.visits,
        round(a.seconds + b.seconds, 3),
        a.model_calls + b.model_calls,
        a.input_tokens + b.input_tokens,
        a.output_tokens + b.output_tokens,
        dict(Counter(a.failures) + Counter(b.failures)),
    )
