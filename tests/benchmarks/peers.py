"""Systems of equations: the same unknowns from the same numbers, by solvers of several kinds.

None of the others reads units. Those that iterate start from one for every unknown, which is what somebody who knows
nothing would try; what they return counts as right if it is the answer to six digits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from time import perf_counter
from typing import Any

import numpy
import sympy

import derive
from tests.benchmarks import roofline
from tests.benchmarks.measuring import Comparison, alternately, compared
from tests.derive.test_systems import SYSTEMS, base, library
from tests.derive.test_systems import _known as known

N = roofline.NUMBERS
Way = Callable[[bool], float]


TURN = count(1)


def _derive(five: derive.Library, backwards: bool) -> float:
    price = f"{N['price'] + next(TURN) * 1e-9!r} USD/s"  # another number each time: outcomes of blocks are remembered
    if backwards:
        return float(five.solve("bandwidth", **{**roofline.BACKWARDS, "price": price}).value.magnitude)
    return float(five.solve("cost", **{**roofline.GIVEN, "price": price}).value.magnitude)


def _gaps(x: Any, backwards: bool, larger: Callable[[Any, Any], Any]) -> list[Any]:
    """The five equations as differences; the last unknown is the cost, or backwards the bandwidth."""
    compute, weights, kv, step, last = (x[i] for i in range(5))
    bandwidth, cost = (last, roofline.COST) if backwards else (N["bandwidth"], last)
    return [
        compute - N["flops"] * N["tokens"] / N["peak"],
        weights - N["size"] / bandwidth,
        kv - N["cache"] * N["tokens"] / bandwidth,
        step - larger(compute, weights + kv),
        cost - N["price"] * step / N["tokens"],
    ]


def _fsolve(backwards: bool) -> float:
    fsolve = import_module("scipy.optimize").fsolve
    return float(fsolve(lambda x: _gaps(x, backwards, max), numpy.ones(5))[4])


def _casadi(backwards: bool) -> float:
    casadi = import_module("casadi")
    x = casadi.SX.sym("x", 5)
    gaps = casadi.vertcat(*_gaps(x, backwards, casadi.fmax))
    return float(casadi.rootfinder("roofline", "newton", {"x": x, "g": gaps})(x0=numpy.ones(5))["x"][4])


def _gekko(backwards: bool) -> float:
    model = import_module("gekko").GEKKO(remote=False)
    try:
        x = [model.Var(1.0, lb=0) for _ in range(5)]
        for gap in _gaps(x, backwards, model.max3):
            model.Equation(gap == 0)
        model.solve(disp=False)
        return float(x[4].value[0])
    finally:
        model.cleanup()


def _gpkit(backwards: bool) -> float:
    """A geometric programme: the least cost that allows all of it. Backwards it is none of the same kind."""
    if backwards:
        raise NotImplementedError("the least bandwidth is another programme, written anew")
    gpkit = import_module("gpkit")
    given = {name: gpkit.Variable(name, number) for name, number in N.items()}
    compute, weights, kv, step, cost = (gpkit.Variable(n) for n in ("compute", "weights", "kv", "step", "cost"))
    model = gpkit.Model(
        cost,
        [
            compute >= given["flops"] * given["tokens"] / given["peak"],
            weights >= given["size"] / given["bandwidth"],
            kv >= given["cache"] * given["tokens"] / given["bandwidth"],
            step >= compute,
            step >= weights + kv,
            cost >= given["price"] * step / given["tokens"],
        ],
    )
    return float(model.solve(verbosity=0)["cost"])


def _pyomo(backwards: bool) -> float:
    """The least cost that allows all of it, handed to HiGHS: a linear programme, as long as the bandwidth is known."""
    if backwards:
        raise NotImplementedError("the least bandwidth is no linear programme")
    pyomo = import_module("pyomo.environ")
    model = pyomo.ConcreteModel()
    model.compute, model.weights, model.kv, model.step, model.cost = (
        pyomo.Var(domain=pyomo.NonNegativeReals) for _ in range(5)
    )
    model.rules = pyomo.ConstraintList()
    for rule in (
        model.compute == N["flops"] * N["tokens"] / N["peak"],
        model.weights == N["size"] / N["bandwidth"],
        model.kv == N["cache"] * N["tokens"] / N["bandwidth"],
        model.step >= model.compute,
        model.step >= model.weights + model.kv,
        model.cost == N["price"] * model.step / N["tokens"],
    ):
        model.rules.add(rule)
    model.least = pyomo.Objective(expr=model.cost)
    pyomo.SolverFactory("appsi_highs").solve(model)
    return float(pyomo.value(model.cost))


def _sympy(backwards: bool) -> float:
    x = sympy.symbols("compute weights kv step last", positive=True)
    return float(sympy.solve(_gaps(x, backwards, sympy.Max), x, dict=True)[0][x[4]])


PEERS = {
    "scipy.fsolve": ("scipy", _fsolve),
    "casadi": ("casadi", _casadi),
    "gekko": ("gekko", _gekko),
    "gpkit": ("gpkit", _gpkit),
    "pyomo": ("pyomo", _pyomo),
    "sympy.solve, with numbers": ("sympy", _sympy),
}


def _system(backwards: bool) -> Comparison:
    five = derive.load(roofline.TEXT)
    expected = roofline.BANDWIDTH if backwards else roofline.cost(**N)
    acts: dict[str, Callable[[], Any]] = {"derive": lambda: _derive(five, backwards)}
    said: dict[str, str] = {}
    for name, (package, way) in PEERS.items():
        if find_spec(package) is None:
            said[name] = "not installed"
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = way(backwards)
        except Exception as error:  # whatever a peer says where it does not answer
            said[name] = f"no answer: {str(error).splitlines()[0][:90]}"
            continue
        if abs(found - expected) <= 1e-6 * expected:
            acts[name] = partial(way, backwards)
        else:
            said[name] = f"wrong: {found:.6g} for {expected:.6g}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds: dict[str, float | None] = {**alternately(acts, 5)}
    for name in said:
        seconds[name] = None
    direction = "the bandwidth from the cost" if backwards else "the cost"
    notes = ("The others read no units, prove nothing of other solutions, and are told where to start.",)
    title = f"The five equations as a system, {'backwards' if backwards else 'forwards'}"
    return compared(title, f"{direction}, the model stated and solved", seconds, said, (), notes)


def forwards() -> Comparison:
    return _system(False)


def backwards() -> Comparison:
    return _system(True)


def textbook() -> Comparison:
    """The textbook systems with a single answer and as many equations as unknowns, one quantity of each."""
    chosen = {
        name: system
        for name, system in SYSTEMS.items()
        if "expected" in system
        and len(system["units"]) - len(system["knowns"]) == len(system["equations"])
        and len(system["expected"]) == len(system["equations"])
    }
    seconds: dict[str, float | None] = {}
    said = {}
    for way, ask in (("derive", _ask_derive), ("scipy.fsolve", _ask_fsolve)):
        right = silent = 0
        taken = 0.0
        for name, system in chosen.items():
            target = next(iter(system["expected"]))
            act = ask(name, target)
            start = perf_counter()
            found = act()
            taken += perf_counter() - start
            expected = base(system["expected"][target])
            right += found is not None and abs(found - expected) <= 1e-6 * abs(expected) + 1e-12
            silent += found is None
        wrong = len(chosen) - right - silent
        seconds[way], said[way] = taken, f"{right} of {len(chosen)} right, {wrong} wrong, {silent} without an answer"
    task = (
        f"{len(chosen)} systems of 2 to {max(len(s['equations']) for s in chosen.values())} equations, each asked once"
    )
    notes = ("fsolve starts from one in base units for each unknown, and knows no domains.",)
    return compared("Textbook systems", task, seconds, said, (), notes)


def _ask_derive(name: str, target: str) -> Callable[[], float | None]:
    stated = library.__wrapped__(name)

    def act() -> float | None:
        try:
            return stated.solve(target, **SYSTEMS[name]["knowns"]).base
        except derive.DeriveError:
            return None

    return act


def _ask_fsolve(name: str, target: str) -> Callable[[], float | None]:
    fsolve = import_module("scipy.optimize").fsolve
    stated = library(name)
    numbers = {one: known(name, one, text) for one, text in SYSTEMS[name]["knowns"].items()}
    unknowns = [one for one in SYSTEMS[name]["units"] if one not in numbers]
    symbols = stated.quantities
    gaps = [(relation.lhs - relation.rhs).subs({symbols[n]: x for n, x in numbers.items()})
            for relation in stated.relations.values()]  # fmt: skip
    function = sympy.lambdify([[symbols[one] for one in unknowns]], gaps, "numpy")

    def act() -> float | None:
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                found, _, status, _ = fsolve(function, numpy.ones(len(unknowns)), full_output=True)
            except Exception:  # complex numbers, overflow, what its function stumbles over
                return None
        return float(found[unknowns.index(target)]) if status == 1 else None

    return act
