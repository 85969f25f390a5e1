"""The same numbers on dask: lazily, on threads, on worker processes, and with a worker killed midway."""

from __future__ import annotations

import os
import signal
import time
import warnings

import numpy
import pytest

import derive
from derive import DeriveError, DomainError, ExpressionError
from derive.tables.exports import computed
from derive.tables.sweep_function import SweepFunction
from tests.derive.statements import bare
from tests.derive.tables.specimens import ROOFLINE

array = pytest.importorskip("dask.array")

GIVEN = {"batch": derive.span("1..4000", 2000, log=True), "weights": derive.span("1..4 ms", 50)}


@pytest.fixture(scope="module")
def whole():
    return ROOFLINE.sweep(["step", "rate"], **GIVEN)


def same(one, other) -> bool:
    return all(numpy.array_equal(one[name], other[name]) for name in ("batch", "step", "rate", "step.regime"))


def test_nothing_is_worked_out_until_it_is_asked_for(whole):
    lazy = ROOFLINE.stream(["step", "rate"], **GIVEN).to_dask(points=7000)
    assert lazy.is_lazy
    assert len(lazy) == 100_000
    assert lazy.columns["step"].numblocks == (15, 1)
    assert same(lazy.compute(), whole)


def test_regimes_are_lazy_too(whole):
    lazy = ROOFLINE.stream("step", **GIVEN).to_dask(points=7000)
    words = lazy["step.regime"]
    assert isinstance(words, array.Array)
    assert numpy.array_equal(words.compute(), whole["step.regime"])


def test_a_chunk_has_all_targets_at_once_and_its_regimes_are_told_from_them(whole, monkeypatch):
    seen, columns = [], SweepFunction.columns
    monkeypatch.setattr(SweepFunction, "columns", lambda work, arrays: seen.append(1) or columns(work, arrays))
    lazy = ROOFLINE.stream(["step", "rate"], **GIVEN).to_dask(points=7000)
    held = {"step": lazy["step"], "rate": lazy["rate"], "regime": lazy["step.regime"]}
    found = computed(held, None, 0)
    assert len(seen) == 15
    assert numpy.array_equal(found["step"], whole["step"])
    assert numpy.array_equal(found["regime"], whole["step.regime"])


def test_an_axis_of_dasks_makes_the_table_dasks():
    numbers = numpy.geomspace(1, 4000, 3000)
    lazy = ROOFLINE.sweep("step", batch=array.from_array(numbers, chunks=700), weights=["1 ms", "4 ms"])
    assert lazy.is_lazy
    table = ROOFLINE.sweep("step", batch=numbers, weights=["1 ms", "4 ms"])
    assert numpy.array_equal(lazy.compute()["step"], table["step"])
    assert lazy.columns["step"].max().compute() == table["step"].max()


def test_an_axis_of_dasks_has_units_like_any_other():
    weights = array.from_array(numpy.array([1e-3, 4e-3]), chunks=1) * 1.0
    lazy = ROOFLINE.sweep("step", batch=10, weights=derive.units.Quantity(weights, "s"))
    assert lazy.compute()["weights"].tolist() == [1, 4]
    with pytest.raises(derive.UnitError):
        ROOFLINE.sweep("step", batch=10, weights=weights)


def test_what_lies_outside_a_domain_is_found_where_it_is_worked_out():
    lazy = ROOFLINE.sweep("step", batch=array.from_array(numpy.array([1.0, -2.0, 3.0]), chunks=1))
    with pytest.raises(DomainError, match="batch"):
        lazy.compute()


def test_what_dask_cannot_divide_is_refused():
    with pytest.raises(ExpressionError, match="no axis"):
        ROOFLINE.stream("step", batch=3).to_dask()
    with pytest.raises(ExpressionError, match="range"):
        ROOFLINE.sweep("step", batch=array.ones(3), each="1..2 ms")
    with pytest.raises(ExpressionError, match="dask"):
        ROOFLINE.stream("step", batch=array.ones(3))


def test_without_dask_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dask.array", None)
    with pytest.raises(DeriveError, match=r"pip install 'derive-engine\[scale\]'"):
        ROOFLINE.stream("step", **GIVEN).to_dask()


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
            ) as cluster,
            distributed.Client(cluster) as found,
        ):
            yield found


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_worker_processes_find_the_same(client, whole):
    lazy = ROOFLINE.stream(["step", "rate"], **GIVEN).to_dask(points=7000)
    assert same(lazy.compute(client), whole)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_midway_loses_nothing(client):
    given = {"batch": derive.span("1..4000", 40_000_000, log=True)}
    lazy = ROOFLINE.stream("step", **given).to_dask(points=400_000)
    total = client.compute(lazy.columns["step"].sum(), retries=5)
    pids = list(client.run(os.getpid).values())
    for _ in range(400):
        held = client.run_on_scheduler(_remembered)
        if held >= 10 or total.done():
            break
        time.sleep(0.02)
    assert not total.done()
    os.kill(pids[0], signal.SIGKILL)
    stream = sum(float(table["step"].sum()) for table in ROOFLINE.stream("step", **given))
    assert total.result() == pytest.approx(stream, rel=1e-12)
    assert pids[0] not in client.run(os.getpid).values()


def _remembered(dask_scheduler) -> int:
    return sum(task.state in ("memory", "released") for task in dask_scheduler.tasks.values())


def test_what_only_a_computed_table_can_tell():
    array = pytest.importorskip("dask.array").from_array([1.0, 2.0, 3.0])
    table = bare("x y", "y = 2*x", domains={"x": "0..9"}).sweep("y", x=array)
    assert table.remarks == ()
    with pytest.raises(ExpressionError, match=r"is known once the table is computed\. Call compute\(\)"):
        _ = table.failed
    assert table.compute().columns["y"].tolist() == [2, 4, 6]
