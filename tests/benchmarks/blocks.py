"""A hundred thousand points of questions that have no closed form, beside solvers that know nothing but the gap.

The others are told a bracket, or where to start; this package finds one for itself, and says of every point that the
root it gives is the only one. What goes point by point is timed on a share of the points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy

from derive import Library
from derive.kernels.backends.numba_source import is_at_hand
from derive.kernels.blocks import block_kernels
from tests.benchmarks.measuring import Bar, Comparison, alternately, compared
from tests.derive.statements import bare

POINTS, SHARE = 100_000, 500
NUMPY, NUMBA, ALONE, BEFORE = "derive, NumPy", "derive, numba", "derive, floats", "derive, the solver at every point"
FIND_ROOT = "scipy elementwise.find_root"


@dataclass(frozen=True)
class Question:
    """What is asked of a library, and what the others are told of it."""

    name: str
    library: Library
    target: str
    columns: Mapping[str, Any]
    gap: Callable[..., Any] | None = None  # of the target and the columns
    bracket: tuple[float, float] = (0.0, 0.0)


def _drawn(**ranges: tuple[float, float]) -> dict[str, Any]:
    draw = numpy.random.default_rng(1)
    return {name: numpy.exp(draw.uniform(*numpy.log(ends), POINTS)) for name, ends in ranges.items()}


KEPLER = Question(
    "Kepler's equation",
    bare("E e M", "M = E - e*sin(E)", domains={"E": "real", "M": "real", "e": "0..1"}),
    "E",
    _drawn(M=(0.01, 6.2), e=(0.01, 0.95)),
    lambda E, M, e: E - e * numpy.sin(E) - M,
    (0.0, 8.0),
)
PRODUCT = Question(
    "a number times its exponential",
    bare("x a", "x*exp(x) = a"),
    "x",
    _drawn(a=(1e-3, 1e5)),
    lambda x, a: x * numpy.exp(x) - a,
    (1e-4, 20.0),
)
MESHES = Question(
    "currents in three meshes",
    bare(
        "i1 i2 i3 u v R1 R2 R3 R4 R5",
        "u = R1*i1 + R2*(i1 - i2)",
        "0 = R2*(i2 - i1) + R3*i2 + R4*(i2 - i3)",
        "v = R4*(i3 - i2) + R5*i3",
        domains=dict.fromkeys(("i1", "i2", "i3"), "real"),
    ),
    "i3",
    _drawn(u=(1, 20), v=(30, 60), R1=(1, 9), R2=(1, 9), R3=(1, 9), R4=(1, 9), R5=(1, 9)),
)
PIPE = Question(
    "friction in a pipe, laminar or by Colebrook",
    bare(
        "f rough Re",
        {"equation": "f = 64/Re", "when": ["Re < 2300"]},
        {"equation": "1/sqrt(f) = -2*log10(rough/3.7 + 2.51/(Re*sqrt(f)))", "when": ["Re >= 2300"]},
    ),
    "f",
    _drawn(rough=(1e-6, 0.05), Re=(3e2, 1e8)),
    lambda f, rough, Re: numpy.where(
        Re < 2300, f - 64 / Re, 1 / numpy.sqrt(f) + 2 * numpy.log10(rough / 3.7 + 2.51 / (Re * numpy.sqrt(f)))
    ),
    (1e-4, 10.0),
)
QUESTIONS = (KEPLER, PRODUCT, MESHES, PIPE)


def measured(question: Question) -> Comparison:
    """The ways to answer one question, for all points."""
    acts = _ours(question)
    expected = acts[NUMPY]()
    if question.gap is None:
        acts["NumPy by hand, linalg.solve"] = lambda: _by_matrix(**question.columns)
    elif find_spec("scipy"):
        acts |= _of_scipy(question, question.gap)
    few = {name for name in acts if name in (ALONE, BEFORE) or name.startswith("scipy root_scalar")}
    for name, act in acts.items():
        numpy.testing.assert_allclose(act(), expected[:: SHARE if name in few else 1], rtol=1e-9, err_msg=name)
    seconds = {name: taken * (SHARE if name in few else 1) for name, taken in alternately(acts, 5).items()}
    bars = (Bar(NUMPY, FIND_ROOT, 3.0),) if FIND_ROOT in acts else ()
    said = dict.fromkeys(few, f"from {POINTS // SHARE} of them")
    return compared(f"Without a closed form: {question.name}", f"{POINTS:,} points", seconds, said, bars)


def kepler() -> Comparison:
    return measured(KEPLER)


def product() -> Comparison:
    return measured(PRODUCT)


def meshes() -> Comparison:
    return measured(MESHES)


def pipe() -> Comparison:
    return measured(PIPE)


def _ours(question: Question) -> dict[str, Callable[[], Any]]:
    library, target, columns = question.library, question.target, dict(question.columns)
    names, some = list(columns), {name: column[::SHARE] for name, column in columns.items()}
    points = [dict(zip(names, row, strict=True)) for row in zip(*(one.tolist() for one in some.values()), strict=True)]
    arrays, floats = library.compile(target, names, "numpy"), library.compile(target, names, "python")
    acts: dict[str, Callable[[], Any]] = {NUMPY: lambda: arrays(**columns)}
    if is_at_hand():
        machine = library.compile(target, names, "numba")
        acts[NUMBA] = lambda: machine(**columns)
    with _left_to_the_solver():
        before = library.compile(target, names, "numpy")
        before(**points[0])  # by which it is written
    return acts | {ALONE: lambda: [floats(**point) for point in points], BEFORE: lambda: before(**some)}


@contextmanager
def _left_to_the_solver() -> Iterator[None]:
    """As if there were no lines for blocks."""
    held = block_kernels.attempts_of
    block_kernels.attempts_of = lambda *_: []
    try:
        yield
    finally:
        block_kernels.attempts_of = held


def _of_scipy(question: Question, gap: Callable[..., Any]) -> dict[str, Callable[[], Any]]:
    optimize, columns = import_module("scipy.optimize"), tuple(question.columns.values())
    low, high = question.bracket
    ends = numpy.full(POINTS, low), numpy.full(POINTS, high)
    rows = list(zip(*(column[::SHARE].tolist() for column in columns), strict=True))
    close = {"xatol": 0, "xrtol": 1e-14, "fatol": 0, "frtol": 0}
    acts = {
        "scipy root_scalar, in a loop": lambda: [
            optimize.root_scalar(gap, args=row, bracket=(low, high), xtol=1e-300, rtol=1e-14).root for row in rows
        ]
    }
    if find_spec("scipy.optimize.elementwise"):
        found = import_module("scipy.optimize.elementwise").find_root
        acts[FIND_ROOT] = lambda: found(gap, ends, args=columns, tolerances=close).x
    return acts


def _by_matrix(u: Any, v: Any, R1: Any, R2: Any, R3: Any, R4: Any, R5: Any) -> Any:
    zero = numpy.zeros(POINTS)
    matrix = numpy.array([[R1 + R2, -R2, zero], [-R2, R2 + R3 + R4, -R4], [zero, -R4, R4 + R5]])
    sides = numpy.stack([u, zero, v], axis=1)[:, :, None]
    return numpy.linalg.solve(numpy.ascontiguousarray(matrix.transpose(2, 0, 1)), sides)[:, 2, 0]
