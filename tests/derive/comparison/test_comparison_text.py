"""A comparison in words, as data and as a picture."""

from __future__ import annotations

import json
import math

import pytest

import derive
from derive.comparison.comparison_result import as_data, charts, sentence
from derive.presentation.charts import described

USUAL = {"chips": "8 chip", "batch": "64 sequence", "context": "8 ktoken/sequence"}


@pytest.fixture(scope="module")
def found() -> derive.Comparison:
    one, other = (
        derive.solve("cost_per_token", chip, "llama3-70b", **USUAL) for chip in ("h100-sxm:fp8", "b200-sxm:fp8")
    )
    return derive.compare(one, other)


def test_text(found: derive.Comparison) -> None:
    lines = str(found).splitlines()
    assert lines[0].startswith("cost_per_token: A 1.54118 USD/Mtoken, B 1.19854 USD/Mtoken; B/A = 0.7777")
    assert lines[1] == "  cost_per_token is 1.29 times less in B than in A: hbm_bandwidth 0.419, chip_price 1.86"
    assert "  together 0.7777; each has the ratio of its own factor" in lines
    assert found.text(9).splitlines()[0].startswith("cost_per_token: A 1.54117799 USD/Mtoken")


def test_a_ratio_next_to_one_is_told_by_its_difference() -> None:
    double = derive.load(
        '[quantities]\nx = { unit = "m" }\ny = { unit = "m" }\n[relations]\ny = { equation = "y = 2*x" }'
    )
    one, other = (double.solve("y", x=text) for text in ("1 m", "0.9997 m"))
    assert sentence(derive.compare(one, other)).startswith("y is 0.03 % less in B than in A")


def test_data_are_json_and_say_the_same(found: derive.Comparison) -> None:
    data = json.loads(json.dumps(as_data(found)))
    assert data["ratio"] == pytest.approx(math.prod(one["amount"] for one in data["factors"]))
    assert data["difference"] == pytest.approx(data["b"]["value"] - data["a"]["value"])
    assert [one["names"] for one in data["factors"]] == [["hbm_bandwidth"], ["chip_price"]]
    assert data["factors"][0]["from"] == ["h100-sxm:fp8", "b200-sxm:fp8"]
    assert [one["names"] for one in data["idle"]] == [["peak_compute"]]


def test_the_waterfall_leads_from_one_value_to_the_other(found: derive.Comparison) -> None:
    (chart,) = charts(found)
    assert chart.y.names == ("A", "hbm bandwidth", "chip price", "B")
    steps = sorted(
        (row, start, end) for one in chart.series[1:] for end, row, start in zip(one.x, one.y, one.start, strict=True)
    )
    ends = [found.a.value.magnitude, *(end for _, _, end in steps)]
    assert [start for _, start, _ in steps] == pytest.approx(ends[:-1])
    assert ends[-1] == pytest.approx(found.b.value.magnitude)
    assert "less" in described([chart])


def test_the_waterfall_joins_the_smallest_of_many_and_draws_differences() -> None:
    names = [f"x{i}" for i in range(20)]
    quantities = "\n".join(f'{name} = {{ unit = "", domain = "real" }}' for name in ("y", *names))
    many = derive.load(f"[quantities]\n{quantities}\n[relations]\nsum = {{ equation = 'y = {' + '.join(names)}' }}")
    one, other = (many.solve("y", **{name: sign * (i + 1.0) for i, name in enumerate(names)}) for sign in (1, -1))
    found = derive.compare(one, other)
    assert found.ratio is None
    (chart,) = charts(found)
    assert len(chart.y.names) == 14
    assert chart.y.names[-2] == "9 more"
    assert not chart.x.log
    assert "-420" in sentence(found)
