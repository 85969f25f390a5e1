"""Streams: the numbers of one large table, in the memory of a piece."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy
import pytest
from rich.console import Console

import derive
from derive import ExpressionError, UnderdeterminedError
from derive.tables import progress
from derive.tables.streams import Tally
from tests.derive.statements import bare
from tests.derive.tables.specimens import ROOFLINE

LONG = """
import resource, sys, tracemalloc
from tests.derive.tables.specimens import ROOFLINE
import derive
stream = ROOFLINE.stream("step", batch=derive.span("1..4000", int(sys.argv[1]), log=True))
stream.survey.function.columns(stream.survey.within(next(stream.survey.boxes())))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = stream.summary()["step"]
print(found.points, found.missing, found.high, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.thorough
def test_the_pieces_follow_each_other_as_the_rows_of_one_table():
    given = {"batch": derive.span("1..4000", 700, log=True), "weights": derive.span("1..4 ms", 1000)}
    whole = ROOFLINE.sweep(["step", "rate"], **given)
    pieces = list(ROOFLINE.stream(["step", "rate"], **given))
    assert len(pieces) > 1
    for name in ("step", "rate", "step.regime"):
        assert numpy.concatenate([piece[name].ravel() for piece in pieces]).tolist() == whole[name].ravel().tolist()
    assert numpy.concatenate([piece.rows()["weights"].ravel() for piece in pieces]).tolist() == (
        whole.rows()["weights"].ravel().tolist()
    )


def test_a_summary_is_what_the_table_comes_to():
    given = {"batch": derive.span("1..4000", 900, log=True), "each": derive.span("0.001..0.1 ms", 800)}
    table = ROOFLINE.sweep("rate", **given)
    found = ROOFLINE.stream("rate", **given).summary((0.0, 0.1, 0.5, 1.0))["rate"]
    column = table.columns["rate"]
    assert (found.points, found.missing, found.unit) == (720_000, 0, "1/s")
    assert (found.low, found.high) == (column.min(), column.max())
    i, j = numpy.unravel_index(column.argmax(), column.shape)
    assert found.high_at == {"batch": table.axes["batch"][i], "each": table.axes["each"][j]}
    assert found.mean == pytest.approx(column.mean(), rel=1e-12)
    for share, number in found.quantiles.items():
        assert number == pytest.approx(numpy.quantile(column, share), rel=2e-3)


def test_points_without_an_answer_are_counted_and_left_out():
    found = ROOFLINE.stream("batch", step=derive.span("1..20 ms", 1001)).summary()["batch"]
    column = ROOFLINE.sweep("batch", step=derive.span("1..20 ms", 1001)).columns["batch"]
    assert found.missing == numpy.isnan(column).sum() > 0
    assert found.mean == pytest.approx(numpy.nanmean(column))
    assert found.high == 400
    assert found.high_at == {"step": 20}


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_quantiles_hold_for_numbers_of_either_sign_and_any_size(scale):
    numbers = numpy.random.default_rng(7).normal(size=50_001) ** 3 * scale
    numbers[:100] = 0.0
    tally = Tally()
    for piece in numpy.array_split(numbers, 7):
        tally.add(piece)
    for share in (0.0, 0.01, 0.3, 0.5, 0.77, 1.0):
        exact = numpy.sort(numbers)[min(int(share * len(numbers)), len(numbers) - 1)]
        assert tally.quantile(share) == pytest.approx(exact, rel=1.1e-3, abs=0)


def test_a_column_without_any_number_comes_to_nothing():
    tally = Tally()
    tally.add(numpy.full(5, numpy.nan))
    found = tally.summary("m", [{}, {}], (0.5,))
    assert (found.points, found.missing) == (5, 5)
    assert all(x != x for x in (found.low, found.high, found.mean, found.quantiles[0.5]))


def test_a_quantile_is_a_share():
    with pytest.raises(ExpressionError, match="between 0 and 1"):
        ROOFLINE.stream("step", batch=[1, 2]).summary((50,))


@pytest.mark.long
def test_a_stream_is_written_as_the_table_is(tmp_path):
    given = {"batch": derive.span("1..4000", 600, log=True), "weights": derive.span("1..4 ms", 500)}
    ROOFLINE.stream("step", **given).to_csv(tmp_path / "stream.csv")
    ROOFLINE.sweep("step", **given).to_csv(tmp_path / "table.csv")
    assert (tmp_path / "stream.csv").read_text() == (tmp_path / "table.csv").read_text()


def test_what_cannot_be_answered_is_refused_before_anything_is_worked_out():
    with pytest.raises(UnderdeterminedError):
        ROOFLINE.stream("step", weights=derive.span("1..4 ms", 10**12))
    with pytest.raises(ExpressionError, match="range"):
        ROOFLINE.stream("step", batch=derive.span("1..4", 10**12), each="1..2 ms")


def test_an_axis_of_any_length_takes_no_room():
    stream = ROOFLINE.stream("step", batch=derive.span("1..4000", 10**12, log=True))
    assert len(stream) == 10**12
    first = next(iter(stream))
    assert first["batch"][0] == 1


@pytest.mark.long
def test_memory_stays_flat_over_twenty_million_points():
    done = subprocess.run([sys.executable, "-c", LONG, "20000000"], capture_output=True, text=True, check=True)
    points, missing, high, grown = done.stdout.split()
    assert (int(points), int(missing), float(high)) == (20_000_000, 0, pytest.approx(200))
    assert int(grown) < 150  # MB, of which one column of the whole would take 160


def test_a_bar_stands_on_a_terminal_while_it_takes_long_and_nowhere_else(monkeypatch):
    def shown(is_terminal: bool, patience: float) -> str:
        page = io.StringIO()
        console = Console(file=page, force_terminal=is_terminal, width=80)
        monkeypatch.setattr("rich.console.Console", lambda **_: console)
        monkeypatch.setattr(progress, "_PATIENCE", patience)
        assert len(list(ROOFLINE.stream("step", batch=derive.span("1..4000", 1_000_000)))) > 1
        return page.getvalue()

    assert "points" in shown(True, 0.0)
    assert "%" in shown(True, 0.0)
    assert shown(True, 1e9) == ""
    assert shown(False, 0.0) == ""


def test_a_stream_is_written_line_by_line(tmp_path):
    steps = bare("x y z", "y = 2*x", "z = max(y, 5)")
    steps.stream("z", x=derive.span("1..5", 5)).to_csv(tmp_path / "z.csv")
    assert (tmp_path / "z.csv").read_text().splitlines()[:4] == [
        "x,z,r2.regime,holds,fails",
        "1.0,5.0,5,True,",
        "2.0,5.0,5,True,",
        "3.0,6.0,y,True,",
    ]
