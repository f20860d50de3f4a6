"""A small input for the graph: two queries that are translated, and one that is refused."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support import SHOP, TABLES

QUERIES = """
public class Sales(ShopContext db) {
    public List<Client> Named(string name) => db.Clients.Where(c => c.Name == name).OrderBy(c => c.Id).ToList();
    public object Totals() => db.Sales.Where(s => s.ClientId != null).OrderBy(s => s.Id).Select(s => new { s.Id, s.Total }).ToList();
}
"""
REFUSED = """
public class Raw(ShopContext db) {
    public object Ids() => db.Clients.FromSqlRaw("SELECT * FROM Clients").ToList();
}
"""


def chat(*queries: str, target: str = "MongoDB") -> str:
    blocks = [f"```csharp\n{text.strip()}\n```" for text in (SHOP, *queries)]
    return f"Translate this EF Core 10 code to Spring Data {target}, please.\n\n" + "\n\n".join(blocks)


def rows_file(folder: Path) -> str:
    file = folder / "rows.json"
    file.write_text(json.dumps({"tables": TABLES}))
    return str(file)
