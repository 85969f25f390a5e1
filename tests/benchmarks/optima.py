"""The cheapest token at a speed: which batch, how many chips and which context, by solvers that search for optima.

The peers get the same arithmetic: those that call a function get the compiled one, those that read equations get them
written by hand. None of them reads units, and only those marked so prove that nothing is better.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy

import derive
from tests.benchmarks.measuring import Comparison, compared

PROFILES = ("h100-sxm:fp8", "llama3-70b")
RANGES = {"batch": (1.0, 4096.0), "chips": (8.0, 128.0), "context": (4e3, 64e3)}
UNITS = {"batch": "sequence", "chips": "chip", "context": "token/sequence"}
SPEED = 60.0
FEW = 20  # contexts of the enumeration


def _free(**more: Any) -> dict[str, Any]:
    """What is free, in a domain that holds all chips: of a smaller one the peers know nothing."""
    ranges = {name: f"{low!r}..{high!r} {UNITS[name]}" for name, (low, high) in RANGES.items()}
    return {**ranges, "scale_up_domain": f"{RANGES['chips'][1]!r} chip", **more}


def _derive() -> derive.Optimum:
    limit = f"user_speed >= {SPEED!r} token/s/sequence"
    return derive.least("cost_per_token", *PROFILES, such_that=[limit], **_free())


@cache
def numbers() -> dict[str, float]:
    """What the answer rests on, in declared units."""
    found = _derive().answer.given
    declared = derive.llm.declared
    values = {name: declared[name].unit.from_base(value.base[1]) for name, value in found.items()}
    capacity = derive.profile(PROFILES[0]).values["hbm_capacity"].base[1]
    return {**{name: number for name, number in values.items() if name not in RANGES}, "capacity": capacity}


@cache
def function(target: str) -> Callable[..., Any]:
    given = [*(name for name in numbers() if name != "capacity"), *RANGES]
    compiled = derive.llm.compile(target, given=given)
    return partial(compiled, **{name: number for name, number in numbers().items() if name != "capacity"})


def _base(name: str) -> float:
    unit = derive.llm.declared[name].unit
    return unit.to_base(numbers()[name])


def _allowed(batch: Any, chips: Any, context: Any) -> Any:
    """Whether it fits and is fast enough."""
    weights = _base("total_parameters") * _base("bytes_per_parameter")
    held = weights + batch * context * _base("kv_bytes_per_token")
    fits = held <= numbers()["capacity"] * chips
    return fits & (function("user_speed")(batch=batch, chips=chips, context=context) >= SPEED)


def _cost(point: Any) -> float:
    batch, chips, context = float(round(point[0])), float(round(point[1])), float(point[2])
    if not _allowed(batch, chips, context):
        return 1e3
    return float(function("cost_per_token")(batch=batch, chips=chips, context=context))


def _evolution() -> float:
    optimize = import_module("scipy.optimize")
    found = optimize.differential_evolution(_cost, list(RANGES.values()), integrality=[True, True, False], seed=1)
    return float(found.fun)


def _shgo() -> float:
    return float(import_module("scipy.optimize").shgo(_cost, list(RANGES.values()), n=512, sampling_method="sobol").fun)


def _enumeration() -> float:
    """Ten million points: every batch and number of chips, and twenty contexts."""
    best = numpy.inf
    batch = numpy.arange(1.0, 4097.0)[:, None]
    chips = numpy.arange(8.0, 129.0)[None, :]
    for context in numpy.linspace(*RANGES["context"], FEW):
        costs = function("cost_per_token")(batch=batch, chips=chips, context=context)
        allowed = _allowed(batch, chips, context)
        best = min(best, float(numpy.where(allowed, costs, numpy.inf).min()))
    return best


def _parts() -> dict[str, float]:
    """The coefficients of the equations written by hand."""
    rate = _base("peak_compute")
    speed = _base("hbm_bandwidth")
    return {
        "compute": 2 * _base("active_parameters") / rate,
        "weights": _base("total_parameters") * _base("bytes_per_parameter") / speed,
        "cache": _base("kv_bytes_per_token") / speed,
        "price": numbers()["chip_price"] / 3600 * 1e6,
        "held": _base("total_parameters") * _base("bytes_per_parameter"),
        "each": _base("kv_bytes_per_token"),
    }


def _scip() -> float:
    """A mixed-integer nonlinear programme, solved to proven optimality."""
    scip = import_module("pyscipopt")
    model, c = scip.Model(), _parts()
    model.hideOutput()
    model.setParam("limits/time", 120)
    batch, chips = (model.addVar(vtype="I", lb=RANGES[n][0], ub=RANGES[n][1]) for n in ("batch", "chips"))
    context = model.addVar(lb=RANGES["context"][0], ub=RANGES["context"][1])
    step, cost = model.addVar(lb=1e-6, ub=10), model.addVar(lb=0, ub=1e4)
    model.addCons(step * chips >= c["compute"] * batch)
    model.addCons(step * chips >= c["weights"] + c["cache"] * batch * context)
    model.addCons(c["held"] / 1e9 + c["each"] / 1e9 * batch * context <= numbers()["capacity"] / 1e9 * chips)
    model.addCons(step * SPEED <= 1)
    model.addCons(cost * batch >= c["price"] * chips * step)
    model.setObjective(cost)
    model.optimize()
    return float(model.getObjVal())


def _gpkit() -> float:
    """A geometric programme, in which batch and chips need not be whole: a bound, and no choice."""
    gpkit, c = import_module("gpkit"), _parts()
    batch, chips, context, step, cost = (gpkit.Variable(n) for n in ("batch", "chips", "context", "step", "cost"))
    sides = [one for v, name in ((batch, "batch"), (chips, "chips"), (context, "context")) for one in
             (v >= RANGES[name][0], v <= RANGES[name][1])]  # fmt: skip
    model = gpkit.Model(
        cost,
        [
            *sides,
            step * chips >= c["compute"] * batch,
            step * chips >= c["weights"] + c["cache"] * batch * context,
            numbers()["capacity"] * chips >= c["held"] + c["each"] * batch * context,
            step * SPEED <= 1,
            cost * batch >= c["price"] * chips * step,
        ],
    )
    return float(model.solve(verbosity=0)["cost"])


PEERS: dict[str, tuple[str, Callable[[], float], str]] = {
    "scipy, differential evolution": ("scipy", _evolution, ""),
    "scipy, SHGO": ("scipy", _shgo, ""),
    "enumeration of 10 million points": ("numpy", _enumeration, "in the compiled function"),
    "SCIP, equations by hand": ("pyscipopt", _scip, "proved"),
    "gpkit, equations by hand": ("gpkit", _gpkit, "proved, but no whole numbers"),
}


def _taken(way: Callable[[], Any]) -> tuple[float, Any]:
    start = perf_counter()
    found = way()
    return perf_counter() - start, found


def cheapest() -> Comparison:
    """Seconds to find the cheapest token."""
    _derive()
    seconds, best = _taken(_derive)
    value = float(best.value.magnitude)
    taken: dict[str, float | None] = {"derive": seconds}
    said = {"derive": f"proved: {value:.6g} USD/Mtoken"}
    faults = [] if best.proved else ["derive: not proved"]
    for name, (package, way, what) in PEERS.items():
        if find_spec(package) is None:
            taken[name], said[name] = None, "not installed"
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _cost((1.0, 8.0, 4e3))
                taken[name], found = _taken(way)
        except Exception as error:  # whatever a peer says where it does not answer
            taken[name], said[name] = None, f"no answer: {str(error).splitlines()[0][:90]}"
            continue
        aside = found / value - 1
        verdict = "the same" if abs(aside) < 1e-6 else f"{aside:+.2g} of it"
        said[name] = "; ".join(filter(None, (verdict, what)))
        if aside < -1e-6 and "whole" not in what:
            faults.append(f"{name} is better: {found:.9g}")
    notes = ("Three free quantities, two of them whole; memory and 60 tokens per second and user are limits.",)
    found = compared(
        "The best choice", "the cheapest token at a speed: batch, chips and context", taken, said, (), notes
    )
    return Comparison(found.name, found.task, found.rows, found.bars, found.notes, tuple(faults))
