"""A benchmark that needs no peer runs, over the shortest of what it measures: the long ones are run by hand."""

from __future__ import annotations

from tests.benchmarks import dispersion, growth


def test_what_grows_is_measured(monkeypatch):
    monkeypatch.setattr(growth, "LENGTHS", (10, 20))
    monkeypatch.setattr(growth, "RELATIONS", (10, 20))
    for compare in (growth.chain, growth.planning):
        assert [row.way for row in compare().rows] == ["10 relations", "20 relations"]


def test_any_question_is_measured():
    found = dispersion.dispersion(dispersion.measured(6))
    assert [row.way for row in found.rows] == ["all", *dispersion.KINDS.values()]
