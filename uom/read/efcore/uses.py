"""Which members ask a database, which only use those that do, and who leads to whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from uom.read.csharp.symbols import Compilation, MethodSymbol, simple_name
from uom.read.efcore.asking import QUERIES, Asking
from uom.read.efcore.mentions import Mentions, called_names


def body_id(method: MethodSymbol) -> int:
    """Tells code apart: the accessors of a property share its node."""
    return method.body.id if method.body is not None else method.node.id


class Uses:
    """All code of the input, of methods and of other members."""

    def __init__(
        self,
        compilation: Compilation,
        code: Sequence[MethodSymbol],
        contexts: Mapping[str, str],
        set_names: set[str],
    ) -> None:
        self.code = code
        self.mentions = Mentions(compilation, code)
        self.asking = Asking(compilation, self.mentions, contexts, set_names)

    def asks(self, method: MethodSymbol) -> bool:
        """Whether it makes a query itself, or goes on with one that another member returns unasked."""
        return body_id(method) in self._asking

    def asks_anew(self, code: MethodSymbol) -> bool:
        """The same of code that is in no member of the input."""
        names = {m.name for m in self.code if body_id(m) in self._reading and _is_unasked(m)}
        return self.asking.asks(code) or not names.isdisjoint(called_names(code))

    def reads(self, method: MethodSymbol) -> bool:
        """Whether it asks, or uses a member that does."""
        return body_id(method) in self._reading

    def is_used(self, method: MethodSymbol) -> bool:
        return any(True for _ in self.mentions.users(method))

    def reached_from(self, roots: Collection[int]) -> set[int]:
        """The roots, and the code that they use with all that it uses in turn."""
        reached = set(roots)
        waiting = list(reached)
        while waiting:
            for used in self._used_by.get(waiting.pop(), ()):
                if used not in reached:
                    reached.add(used)
                    waiting.append(used)
        return reached

    @cached_property
    def _making(self) -> set[int]:
        return {body_id(m) for m in self.code if self.asking.asks(m)}

    @cached_property
    def _users(self) -> dict[int, set[int]]:
        """Who uses code that makes a query, directly or through others."""
        found: dict[int, set[int]] = {}
        by_id = {body_id(m): m for m in self.code}
        waiting = list(self._making)
        while waiting:
            used = waiting.pop()
            if used not in found:
                found[used] = {body_id(m) for m in self.mentions.users(by_id[used])}
                waiting.extend(found[used])
        return found

    @cached_property
    def _used_by(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        for used, users in self._users.items():
            for user in users:
                found.setdefault(user, set()).add(used)
        return found

    @cached_property
    def _reading(self) -> set[int]:
        return set(self._users)

    @cached_property
    def _asking(self) -> set[int]:
        unasked = {body_id(m) for m in self.code if _is_unasked(m)}
        return self._making | {user for used, users in self._users.items() if used in unasked for user in users}


def _is_unasked(method: MethodSymbol) -> bool:
    """Whether what it returns is a query that is still to be asked."""
    return method.return_node is not None and simple_name(method.return_node) in QUERIES
