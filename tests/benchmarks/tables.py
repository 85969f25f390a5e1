"""Four million points of a cost per token through its maximum, by several means."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy

import derive
from derive.kernels.several_targets import JointFunctions, found_for
from tests.benchmarks import roofline
from tests.benchmarks.measuring import Bar, Comparison, alternately, compared

SIDE = 2000
POINTS = SIDE * SIDE
AUTO, NUMPY, HAND, FLOOR = "derive, auto", "derive, NumPy", "NumPy by hand", "the arrays touched once"


def columns() -> Comparison:
    """Two columns of four million numbers in, one out."""
    tokens, cache = numpy.linspace(1.0, 1000.0, POINTS), numpy.linspace(1e-4, 1e-2, POINTS)
    library = derive.load(roofline.TEXT)
    given = list(roofline.NUMBERS)
    at = {**roofline.NUMBERS, "tokens": tokens, "cache": cache}
    auto, plain = (library.compile("cost", given, backend) for backend in ("auto", "numpy"))
    expected = roofline.cost(**at, larger=numpy.maximum)
    assert numpy.allclose(auto(**at), expected, rtol=1e-12)
    assert numpy.allclose(plain(**at), expected, rtol=1e-12)
    acts: dict[str, Any] = {
        AUTO: lambda: auto(**at),
        NUMPY: lambda: plain(**at),
        HAND: lambda: roofline.cost(**at, larger=numpy.maximum),
        FLOOR: lambda: tokens + cache,
    }
    pints = roofline.in_pint()
    pints |= {name: numbers * pints[name].units for name, numbers in (("tokens", tokens), ("cache", cache))}
    acts["pint arrays"] = lambda: roofline.cost(**pints, larger=numpy.maximum)
    if find_spec("unyt"):
        unyts = roofline.in_unyt()
        made = import_module("unyt").unyt_array
        unyts |= {name: made(numbers, unyts[name].units) for name, numbers in (("tokens", tokens), ("cache", cache))}
        acts["unyt arrays"] = lambda: roofline.cost(**unyts, larger=numpy.maximum)
    bars = (Bar(NUMPY, HAND, 1 / 0.8),)
    task = f"cost of {POINTS:,} points through a maximum, units in and out"
    return compared("Four million points, column by column", task, alternately(acts, 7), None, bars)


def abreast() -> Comparison:
    """Two columns of four million numbers in, four out, which have most of their way in common."""
    tokens, cache = numpy.linspace(1.0, 1000.0, POINTS), numpy.linspace(1e-4, 1e-2, POINTS)
    library = derive.load(roofline.TEXT)
    at = {**roofline.NUMBERS, "tokens": tokens, "cache": cache}
    expected = roofline.steps(**at, larger=numpy.maximum)
    found = [found_for(library, target, list(at)) for target in expected]
    whole, alone = JointFunctions(library, found), [JointFunctions(library, [one]) for one in found]
    values = [at[name] for name in whole.names]
    acts: dict[str, Any] = {
        AUTO: lambda: whole(values),
        NUMPY: lambda: whole.on_arrays(values),
        f"{AUTO}, one after another": lambda: [one(values)[0] for one in alone],
        f"{NUMPY}, one after another": lambda: [one.on_arrays(values)[0] for one in alone],
        HAND: lambda: [*roofline.steps(**at, larger=numpy.maximum).values()],
    }
    for act in acts.values():
        assert all(
            numpy.allclose(ours, theirs, rtol=1e-12) for ours, theirs in zip(act(), expected.values(), strict=True)
        )
    bars = (Bar(AUTO, HAND, 1.0), Bar(NUMPY, HAND, 2.0), Bar(NUMPY, f"{NUMPY}, one after another", 0.75))
    task = (
        f"a cost of {POINTS:,} points, its step and two times that make it up; by hand what they share is written once"
    )
    return compared("Four million points, four targets", task, alternately(acts, 7), None, bars)


def grid() -> Comparison:
    """The same number of points as a table with two axes."""
    library = derive.load(roofline.TEXT)
    fixed = {name: text for name, text in roofline.GIVEN.items() if name not in ("tokens", "cache")}
    axes = {
        "tokens": derive.span("1..1000 token", SIDE),
        "cache": derive.span("0.0001..0.01 GB/token", SIDE),
    }
    tokens, cache = numpy.linspace(1.0, 1000.0, SIDE), numpy.linspace(1e-4, 1e-2, SIDE)

    def by_hand() -> Any:
        across, down = numpy.meshgrid(tokens, cache, indexing="ij")
        return roofline.cost(**{**roofline.NUMBERS, "tokens": across, "cache": down}, larger=numpy.maximum)

    table = library.sweep("cost", **fixed, **axes)
    assert numpy.allclose(table.columns["cost"], by_hand(), rtol=1e-12)
    acts = {"derive, sweep": lambda: library.sweep("cost", **fixed, **axes), "NumPy by hand, meshgrid": by_hand}
    task = f"the whole of sweep over {SIDE} by {SIDE} points, as often as one likes: it is planned and compiled once"
    bars = (Bar("derive, sweep", "NumPy by hand, meshgrid", 0.2),)
    return compared("Four million points, a table", task, alternately(acts, 7), None, bars)
