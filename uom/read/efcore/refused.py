"""Operators that are known and cannot be translated: why, and what to do."""

from __future__ import annotations

_NUMBERED = ("EF Core cannot number rows and throws when it runs", "Number the rows after they have been read.")
_KEYED = ("EF Core cannot translate it and throws when it runs", "Use GroupBy, or OrderBy with First.")
_RAW = ("raw SQL is not read", "Write the query in LINQ.")
_WRITE = ("it changes data, and only queries are translated", "Translate the update by hand.")
_WHILE = ("EF Core cannot translate it and throws when it runs", "Use Where.")

UNTRANSLATABLE: dict[str, tuple[str, str]] = {
    "DistinctBy": _KEYED,
    "MaxBy": _KEYED,
    "MinBy": _KEYED,
    "ExceptBy": _KEYED,
    "IntersectBy": _KEYED,
    "UnionBy": _KEYED,
    "CountBy": _KEYED,
    "AggregateBy": _KEYED,
    "TakeWhile": _WHILE,
    "SkipWhile": _WHILE,
    "Zip": ("EF Core cannot pair rows by position", "Join on a key."),
    "Aggregate": ("EF Core cannot fold rows with a lambda", "Use Sum, Max, Min or string.Join."),
    "Chunk": ("EF Core cannot translate it and throws when it runs", "Use Skip and Take."),
    "TakeLast": ("EF Core cannot translate it and throws when it runs", "Reverse the order and use Take."),
    "SkipLast": ("EF Core cannot translate it and throws when it runs", "Reverse the order and use Skip."),
    "Append": ("EF Core cannot translate it and throws when it runs", "Append in memory, after the query."),
    "Prepend": ("EF Core cannot translate it and throws when it runs", "Prepend in memory, after the query."),
    "SequenceEqual": ("EF Core cannot compare sequences", "Compare in memory."),
    "Index": _NUMBERED,
    "ToLookup": ("a lookup has no counterpart", "Use GroupBy."),
    "FromSql": _RAW,
    "FromSqlRaw": _RAW,
    "FromSqlInterpolated": _RAW,
    "SqlQuery": _RAW,
    "SqlQueryRaw": _RAW,
    "TemporalAll": ("temporal tables have no counterpart", "Keep history in a collection of its own."),
    "TemporalAsOf": ("temporal tables have no counterpart", "Keep history in a collection of its own."),
    "TemporalBetween": ("temporal tables have no counterpart", "Keep history in a collection of its own."),
    "TemporalContainedIn": ("temporal tables have no counterpart", "Keep history in a collection of its own."),
    "TemporalFromTo": ("temporal tables have no counterpart", "Keep history in a collection of its own."),
    "ExecuteUpdate": _WRITE,
    "ExecuteUpdateAsync": _WRITE,
    "ExecuteDelete": _WRITE,
    "ExecuteDeleteAsync": _WRITE,
    "Add": _WRITE,
    "AddAsync": _WRITE,
    "AddRange": _WRITE,
    "AddRangeAsync": _WRITE,
    "Update": _WRITE,
    "UpdateRange": _WRITE,
    "Remove": _WRITE,
    "RemoveRange": _WRITE,
    "RemoveAll": _WRITE,
    "Attach": _WRITE,
}
WRITES = frozenset(name for name, why in UNTRANSLATABLE.items() if why is _WRITE) | {
    "SaveChanges",
    "SaveChangesAsync",
    "ExecuteSqlRaw",
    "ExecuteSqlRawAsync",
    "ExecuteSql",
    "ExecuteSqlAsync",
    "ExecuteSqlInterpolated",
    "ExecuteSqlInterpolatedAsync",
    "BulkInsert",
    "BulkUpdate",
    "BulkDelete",
}
