"""The statement in the making: clauses so far, the current row, and what is still pending at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from uom.model.diagnostics import Refusal
from uom.write.names import fresh_name
from uom.write.neo4j.clauses import Call, Clause, Match, Unwind, With
from uom.write.neo4j.text import Text
from uom.write.neo4j.values import Grouping, Value


@dataclass(frozen=True, slots=True)
class SortItem:
    text: Text
    descending: bool = False


def sort_texts(items: Sequence[SortItem]) -> tuple[Text, ...]:
    return tuple(Text(f"{i.text} DESC") if i.descending else i.text for i in items)


@dataclass(slots=True)
class Names:
    """Variables of one statement: each is used once, so nothing is ever hidden."""

    taken: set[str] = field(default_factory=set)

    def fresh(self, hint: str) -> str:
        name = fresh_name(hint or "value", self.taken)
        self.taken.add(name)
        return name


@dataclass(slots=True)
class Rows:
    """`sort`, `skip` and `limit` belong to a WITH or RETURN that is not written yet.

    The order outlives a page: later clauses may lose it, so it is stated again at the end.
    """

    names: Names
    outer: Rows | None = None
    clauses: list[Clause] = field(default_factory=list)
    row: Value | None = None
    sort: tuple[SortItem, ...] = ()
    skip: Text | None = None
    limit: Text | None = None
    bound: dict[tuple[str, str, object], str] = field(default_factory=dict)
    """(variable, navigation, filter) -> variable of the row that it leads to."""
    group: Grouping | None = None
    before: Rows | None = None
    """What was grouped: its clauses come first."""

    def current(self) -> Value:
        if self.row is None:
            raise Refusal("query", "it has no rows to work on")
        return self.row

    # -- what is visible ---------------------------------------------------------------------------------------------

    def variables(self) -> list[str]:
        """Variables that the next clause may use, those of the outer query not counted."""
        found: dict[str, None] = dict.fromkeys(self.before.variables()) if self.before is not None else {}
        for clause in self.clauses:
            match clause:
                case Match(binds=binds) | Call(binds=binds):
                    found.update(dict.fromkeys(binds))
                case Unwind(variable=variable):
                    found[variable] = None
                case With(items=items, added=added):
                    if items is not None:
                        found = dict.fromkeys(alias for _, alias in items)
                    found.update((alias, None) for _, alias in added)
        return list(found)

    def visible(self) -> list[str]:
        """All variables in sight, those of outer queries first."""
        return [*(self.outer.visible() if self.outer is not None else ()), *self.variables()]

    def known(self, key: tuple[str, str, object]) -> str | None:
        """The variable of a step that was taken here or in a query around."""
        found = self.bound.get(key)
        return found if found is not None or self.outer is None else self.outer.known(key)

    # -- growing -----------------------------------------------------------------------------------------------------

    def add(self, clause: Clause) -> None:
        """Adds a clause after all that is pending."""
        self.settle_page()
        self.clauses.append(clause)

    def close_group(self) -> None:
        """The aggregates asked for so far become a WITH; more may still join it."""
        if self.group is not None and not self.group.written:
            self.group.write(self.clauses)

    def settle_page(self) -> None:
        """Writes the pending page, or the end of grouping, so that another clause can follow. The order stays known."""
        self.close_group()
        if self.skip is not None or self.limit is not None:
            self.clauses.append(With(sort=sort_texts(self.sort), skip=self.skip, limit=self.limit))
            self.skip = self.limit = None

    def filter(self, condition: Text) -> None:
        self.settle_page()
        last = self.clauses[-1] if self.clauses else None
        match last:
            case Match(optional=False) | With():
                last.where.append(condition)
            case _:
                self.clauses.append(With(where=[condition]))

    def let(self, text: Text, hint: str) -> Text:
        """A name for an expression that is used more than once."""
        name = self.names.fresh(hint)
        self.settle_page()
        last = self.clauses[-1] if self.clauses else None
        open_end = isinstance(last, With) and last.items is None and not (last.where or last.limit or last.skip)
        if open_end and isinstance(last, With) and not any(alias in text.cypher for _, alias in last.added):
            last.added.append((text, name))
            return Text(name)
        self.clauses.append(With(added=[(text, name)]))
        return Text(name)

    def carry(self, items: Sequence[tuple[Text, str]], distinct: bool = False) -> None:
        """Only these go on. The order is lost: what it sorted by may be gone."""
        self.settle_page()
        self.clauses.append(With(list(items), distinct))
        self.sort = ()
        self.bound.clear()
        self.group = None

    def inner(self) -> Rows:
        """An empty statement that sees all of this one's variables."""
        self.settle_page()
        return Rows(self.names, self)

    def all_clauses(self) -> list[Clause]:
        """The clauses so far, those before a grouping first."""
        return [*(self.before.all_clauses() if self.before is not None else ()), *self.clauses]
