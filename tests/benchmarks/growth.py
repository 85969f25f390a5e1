"""How the work grows: a chain of nonlinear relations, loaded and solved; planning over ten times as many."""

from __future__ import annotations

import math
from time import process_time

import derive
from derive.planning.incidence import Structure
from derive.planning.plan import plan
from derive.time_limits import limits, query
from tests.benchmarks.measuring import Comparison, Row

LENGTHS = (1_000, 3_000, 10_000)
RELATIONS = (10_000, 100_000)
SECONDS_OF_CHAIN, SECONDS_OF_PLANNING, GROWTH = 30.0, 10.0, 1.15  # five seconds a plan


def chain_text(length: int) -> str:
    """Each quantity follows from the one before by a root, a square and a quotient; every fifth looks further back."""
    lines = ["[quantities]", *(f'x{i} = {{ unit = "m" }}' for i in range(length + 1)), "[relations]"]
    for i in range(length):
        back = max(i - i % 5 * 3, 0)
        lines.append(f'r{i} = {{ equation = "x{i + 1} = x{i}/2 + sqrt(x{i}*x{back})/2 + x{i}**2/(x{i} + x0)/1000" }}')
    return "\n".join(lines)


def expected(length: int) -> float:
    x = [1.0]
    for i in range(length):
        back = x[max(i - i % 5 * 3, 0)]
        x.append(x[i] / 2 + math.sqrt(x[i] * back) / 2 + x[i] ** 2 / (x[i] + x[0]) / 1000)
    return x[-1]


def chain() -> Comparison:
    """Seconds of the processor to load a chain and to solve for its end."""
    rows, taken = [], {}
    for length in LENGTHS:
        text = chain_text(length)
        start = process_time()
        library = derive.load(text)
        loaded = process_time() - start
        with derive.limits(seconds=120):
            answer = library.solve(f"x{length}", x0="1 m")
        taken[length] = process_time() - start
        assert abs(answer.base - expected(length)) <= 1e-9 * expected(length)
        rows.append(Row(f"{length:,} relations", taken[length], taken[length] / taken[LENGTHS[0]],
                        f"{loaded:.2f} s of it to load"))  # fmt: skip
    exponent = _exponent(taken[LENGTHS[0]], taken[LENGTHS[-1]], LENGTHS)
    faults = [f"{taken[LENGTHS[-1]]:.1f} s"] if taken[LENGTHS[-1]] > SECONDS_OF_CHAIN else []
    faults += [f"it grows to the power {exponent:.2f}"] if exponent > GROWTH else []
    task = "loaded from text, checked, and solved to its end, in seconds of the processor"
    return Comparison("A chain of nonlinear relations", task, tuple(rows), (), _grown(exponent), tuple(faults))


def planning() -> Comparison:
    """Plans alone, forwards along the chain and backwards against it."""
    rows, taken = [], {}
    for length in RELATIONS:
        structure = _bare(length)
        start = process_time()
        with limits(seconds=120), query():
            forwards = plan(structure, f"x{length}", ["x0"], [])
            backwards = plan(structure, "x0", [f"x{length}", "x1"], [])
        taken[length] = process_time() - start
        assert (len(forwards.blocks), forwards.is_determined, backwards.is_determined) == (length, True, True)
        rows.append(Row(f"{length:,} relations", taken[length], taken[length] / taken[RELATIONS[0]]))
    exponent = _exponent(taken[RELATIONS[0]], taken[RELATIONS[-1]], RELATIONS)
    faults = (f"{taken[RELATIONS[-1]]:.1f} s",) if taken[RELATIONS[-1]] > SECONDS_OF_PLANNING else ()
    task = "two plans, one forwards and one backwards, in seconds of the processor"
    return Comparison("Planning", task, tuple(rows), (), _grown(exponent), faults)


def _bare(length: int) -> Structure:
    """The graph of a chain in which each quantity follows from the two before it."""
    members = {f"r{i}": (f"x{i + 1}", *dict.fromkeys((f"x{i}", f"x{max(i - 1, 0)}"))) for i in range(length)}
    holders: dict[str, list[str]] = {}
    for relation, held in members.items():
        for name in held:
            holders.setdefault(name, []).append(relation)
    forward = {f"r{i}": f"x{i + 1}" for i in range(length)}
    inputs = {one: frozenset(members[one]) - {result} for one, result in forward.items()}
    return Structure(members, forward, inputs, {name: tuple(found) for name, found in holders.items()})


def _exponent(short: float, long: float, lengths: tuple[int, ...]) -> float:
    return math.log(long / short) / math.log(lengths[-1] / lengths[0])


def _grown(exponent: float) -> tuple[str, ...]:
    return (f"The time grows with the number of relations to the power {exponent:.2f}.",)
