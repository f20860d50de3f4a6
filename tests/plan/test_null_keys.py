"""Lists inside a row that EF Core finds by what may be null: it lets null match null or not, as it joins."""

from __future__ import annotations

import pytest

from tests.plan.test_in_memory import translated


def listed(rows: str) -> str:
    return f"return db.Employees.Select(e => new Peers {{ Id = e.Id, All = {rows}.Select(r => r.Id).ToList() }});"


OTHER = "db.Employees.Where(r => {0}).OrderBy(r => r.Id)"
REFUSED = {
    "filter sees the outer row": listed("e.Manager!.Reports.Where(r => r.Id != e.Id)"),
    "over two": listed("e.Manager!.Manager!.Reports.Where(r => r.Id != e.Id)"),
    "flattened": "return db.Employees.SelectMany(e => e.Manager!.Reports.Where(r => r.Id > e.Id)).Select(r => r.Id);",
    "joined on what may be null": listed(OTHER.format("r.ManagerId == e.ManagerId")),
    "with another filter": listed(OTHER.format("r.Id > 1 && r.ManagerId == e.ManagerId")),
    "flattened on what may be null": "return db.Employees.SelectMany(e => db.Employees"
    ".Where(r => r.ManagerId == e.ManagerId)).Select(r => r.Id);",
    "whole row": "return db.Employees.Select(e => db.Employees.Where(r => r.ManagerId == e.ManagerId)"
    ".OrderBy(r => r.Id).FirstOrDefault());",
}
KEPT = {
    "plain": listed("e.Manager!.Reports.OrderBy(r => r.Id)"),
    "own filter": listed("e.Manager!.Reports.Where(r => r.Id > 1)"),
    "owner is there": listed("e.Reports.Where(r => r.Id != e.Id)"),
    "count": "return db.Employees.Select(e => new { e.Id, N = e.Manager!.Reports.Count(r => r.Id != e.Id) });",
    "not null": listed(OTHER.format("r.ManagerId != null && r.ManagerId == e.ManagerId")),
    "compared otherwise too": listed(OTHER.format("r.ManagerId == e.ManagerId && r.Id != e.Id")),
    "key is there": listed(OTHER.format("r.ManagerId == e.Id")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_lists_that_hang_on_a_null_are_refused(name: str) -> None:
    (refused,) = translated(REFUSED[name], "postgres").refused
    assert refused.reason.construct in (".Reports", "==")
    assert "may be null" in refused.reason.reason and refused.reason.place is not None and refused.reason.remedy


@pytest.mark.parametrize("name", KEPT)
def test_lists_that_mean_one_thing_are_kept(name: str) -> None:
    assert not translated(KEPT[name], "postgres").refused
