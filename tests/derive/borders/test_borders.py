"""On a border both arms are equal and both sides of a limit are; beyond it the solver itself says another regime."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import chain, pairwise, product
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.relation_files.loading import load
from tests.derive.operations import Clock, limits_by
from tests.derive.statements import bare, library
from tests.ordinary import every, examples

TRIP = load(
    """
[quantities]
distance = { unit = "km" }
walking  = { unit = "h" }
driving  = { unit = "h" }
parking  = { unit = "h" }
foot     = { unit = "km/h", value = "5 km/h" }
car      = { unit = "km/h", value = "30 km/h" }
time     = { unit = "h" }
patience = { unit = "h" }
[relations]
walking  = { equation = "walking = distance/foot" }
driving  = { equation = "driving = distance/car + parking" }
time     = { equation = "time = min(walking, driving)" }
patience = { equation = "time <= patience" }
"""
)


def test_a_border_is_told_in_closed_form() -> None:
    found = TRIP.border("time", over=("parking", "distance"), parking="0.1..1 h", distance="1..9 km")
    (border,) = found
    assert str(border) == "walking = driving (time), where distance = parking/(1/foot - 1/car)"
    assert (border.kind, border.relation, border.of) == ("regime", "time", "distance")
    speeds = {"foot": 5 / 3.6, "car": 30 / 3.6}  # the form holds in base units
    form = border.formula["distance"].subs(
        {symbol: speeds.get(str(symbol), 1800.0) for symbol in TRIP.quantities.values()}
    )
    assert float(form) == pytest.approx(3000)  # half an hour of parking is worth three kilometres
    assert all(math.isclose(distance, 6 * parking, rel_tol=1e-12) for parking, distance in border.points)
    assert {one.arms["time"] for one in found.regions} == {"walking", "driving"}
    assert sum(one.share for one in found.regions) == pytest.approx(1)


def test_with_one_axis_a_border_is_a_point() -> None:
    found = TRIP.border("time", over="distance", parking="0.5 h", distance="1..9 km", patience="0.55 h")
    arms, limit = sorted(found, key=lambda one: one.kind, reverse=True)
    assert arms.at["distance"].magnitude == pytest.approx(3)
    assert limit.at["distance"].magnitude == pytest.approx(2.75)
    assert limit.kind == "check"
    assert str(limit) == "patience ceases to hold: time = patience, where distance = patience*foot = 2.75 km"


def test_a_border_is_cut_where_its_form_changes() -> None:
    """Patience ends while one walks, or while one drives."""
    found = TRIP.border("time", over=("parking", "distance"), parking="0.1..1 h", distance="1..9 km", patience="0.7 h")
    limits = [one for one in found if one.kind == "check"]
    assert len(limits) == 2
    for border in limits:
        assert border.form is not None
        for parking, distance in border.points:
            assert min(distance / 5, distance / 30 + parking) == pytest.approx(0.7, rel=1e-6)  # where it is cut


def test_what_never_changes_has_no_border() -> None:
    found = TRIP.border("time", over=("parking", "distance"), parking="0.1..0.2 h", distance="5..9 km")
    assert len(found) == 0
    assert found.text().splitlines() == [
        "time over parking (0.1 h to 0.2 h) and distance (5 km to 9 km): no border",
        "",
        "100 %  driving binds (time)",
    ]


@st.composite
def monomials(draw: Any) -> list[tuple[float, int, int]]:
    """Two or three monomials of x and y: a factor and two exponents."""
    one = st.tuples(st.sampled_from([0.5, 1.0, 2.0, 3.0, 7.0]), st.integers(-2, 2), st.integers(-2, 2))
    return draw(st.lists(one, min_size=2, max_size=3, unique_by=lambda m: m[1:]))


@pytest.mark.long
@examples(15)
@given(monomials())
def test_random_maxima_end_where_two_of_them_are_equal(terms: list[tuple[float, int, int]]) -> None:
    names = "abc"[: len(terms)]
    text = "[quantities]\nx = { unit = '' }\ny = { unit = '' }\nm = { unit = '' }\n"
    text += "".join(f"{name} = {{ unit = '' }}\n" for name in names) + "[relations]\n"
    text += "".join(
        f"{name} = {{ equation = '{name} = {k}*x**({i})*y**({j})' }}\n"
        for name, (k, i, j) in zip(names, terms, strict=True)
    )
    library = load(text + f"m = {{ equation = 'm = max({', '.join(names)})' }}\n")
    found = library.border("m", over=("x", "y"), x="0.1..10", y="0.1..10")
    for border in found:
        low, high = (terms[names.index(arm)] for arm in border.change.arms)
        for x, y in border.points:
            values = [k * x**i * y**j for k, i, j in (low, high)]
            assert values[0] == pytest.approx(values[1], rel=1e-6)
            assert values[0] == pytest.approx(max(k * x**i * y**j for k, i, j in terms), rel=1e-6)
    grid = numpy.geomspace(0.1, 10, 25)
    winners = {int(numpy.argmax([k * x**i * y**j for k, i, j in terms])) for x in grid for y in grid}
    assert {names.index(one.arms["m"]) for one in found.regions} >= winners


def _beside(border: Any, share: float) -> list[dict[str, str]]:
    """A point of a border, moved to both sides of it along the axis that its form gives."""
    point = border.points[len(border.points) // 2]
    names = [one.name for one in border.axes]
    moved = []
    for factor in (1 - share, 1 + share):
        numbers = [x * factor if name == (border.of or names[-1]) else x for name, x in zip(names, point, strict=True)]
        moved.append({one.name: f"{x!r} {one.unit}" for one, x in zip(border.axes, numbers, strict=True)})
    return moved


@pytest.mark.thorough
@every(
    ("model", "chip", "over", "given"),
    [
        ("llama3-70b", "h100-sxm:fp8", {"batch": "1..4096 sequence", "context": "0.1..100 ktoken/sequence"}, "8 chip"),
        ("gemma-3-27b", "h100-sxm:fp8", {"context": "0.1..200 ktoken/sequence", "batch": "1..512 sequence"}, "2 chip"),
        (
            "gpt-oss-120b",
            "b200-sxm:fp4",
            {"batch": "100..4096 sequence", "context": "1..100 ktoken/sequence"},
            "1 chip",
        ),
    ],
    ordinary=3,
    thorough=8,
)
def test_on_both_sides_of_a_border_the_solver_says_what_the_map_does(
    model: str, chip: str, over: dict[str, str], given: str
) -> None:
    with derive.limits(seconds=60):  # some seconds are enough where no other work stands beside them
        found = derive.border("step_time", model, chip, over=tuple(over), chips=given, **over)
    assert len(found) > 0
    for border in found:
        assert border.form is not None
        here, there = (derive.solve("step_time", model, chip, chips=given, **at) for at in _beside(border, 1e-4))
        if border.kind == "check":
            failed = [border.relation in {check.name for check in answer.failed} for answer in (here, there)]
            assert sorted(failed) == [False, True]
        else:
            arms = {answer.regime[border.relation] for answer in (here, there)}
            assert arms == set(border.change.arms)


def test_the_closed_form_of_the_knee_is_the_published_one() -> None:
    """Weights alone: the batch is peak/bandwidth times the bytes of a parameter over the operations of one."""
    (knee,) = derive.border(
        "step_time", over="batch", batch="1..4096 sequence", chips="8 chip", peak_compute="1979 TFLOP/s/chip",
        hbm_bandwidth="3.35 TB/s/chip", total_parameters="70e9 parameter", active_parameters="70e9 parameter",
        bytes_per_parameter="1 byte/parameter", context="1 token/sequence", kv_bytes_per_token="1e-9 byte/token",
    )  # fmt: skip
    assert knee.at["batch"].magnitude == pytest.approx(1979e12 / 3.35e12 / 2, rel=1e-6)


def test_a_limit_holds_up_to_the_end_of_a_range() -> None:
    """A capacity that is known as a range is exceeded only beyond its upper end."""
    shelf = load(
        """
[quantities]
book = { unit = "kg" }
books = { unit = "" }
load = { unit = "kg" }
bears = { unit = "kg" }
[relations]
load = { equation = "load = books*book" }
shelf = { equation = "load <= bears" }
[profiles]
oak = { bears = "90..110 kg" }
"""
    )
    (border,) = shelf.border("load", "oak", over=("books", "book"), books="1..100", book="0.5..5 kg")
    assert all(books * book == pytest.approx(110, rel=1e-9) for books, book in border.points)
    assert "with bears at 110 kg" in str(border)
    table = shelf.sweep("load", "oak", books=derive.span("1..100", 60), book=derive.span("0.5..5 kg", 60))
    assert (table.failed["shelf"] == (table.columns["load"] > 110)).all()


@pytest.mark.parametrize(
    ("over", "given", "said"),
    [
        (("batch", "context"), {"batch": "1..8 sequence"}, "context is in over, and has no value"),
        (("batch",), {"batch": "8 sequence"}, "batch is in over, and is not a range"),
        (
            ("batch",),
            {"batch": "1..8 sequence", "context": "1..8 ktoken/sequence"},
            "context is a range and not in over",
        ),
        ((), {}, "over one quantity or two, and over names 0"),
        (3, {}, "over names no quantity"),
        (("step_time",), {"step_time": "1..2 s"}, "step_time is the target"),
        (("batsh",), {"batsh": "1..2 s"}, "There is no quantity 'batsh'"),
    ],
)
def test_what_cannot_be_drawn_is_said(over: Any, given: dict[str, str], said: str) -> None:
    with pytest.raises(derive.DeriveError, match=said):
        derive.border("step_time", "llama3-70b", "h100-sxm:fp8", over=over, **given)


@pytest.mark.thorough
def test_the_border_of_a_relation_is_its_own() -> None:
    axes = {"parking": "0.1..1 h", "distance": "1..9 km"}
    whole = TRIP.border("time", over=tuple(axes), **axes, patience="0.55 h")
    limit = TRIP.border("patience", over=tuple(axes), **axes, patience="0.55 h")
    assert {border.relation for border in whole} == {"time", "patience"}
    assert [border.relation for border in limit] == ["patience"] * len(limit) != []


def test_where_a_relation_begins_to_apply_is_a_border() -> None:
    steps = bare(
        "x y z w",
        "z = x**2",
        {"equation": "w = max(2*z, y)", "when": ["x < 4"]},
        {"equation": "w = 3*z + y", "when": ["x >= 4"]},
    )
    case, regime = sorted(steps.border("w", over=("x", "y"), x="1..9", y="2..15"), key=lambda border: border.kind)
    assert str(case) == "r2 begins to apply, where x = 4"
    assert str(regime) == "2*z = y (r2), where y = 2*x**2"


@pytest.mark.thorough
def test_a_border_without_a_closed_form_is_told_by_its_ends() -> None:
    cliff = bare("x y z w", "z = max(exp(x) + x, 3*y + sin(y) + y**3)", "w = 2*z + sqrt(x - 2)", domains={"y": "real"})
    found = cliff.border("w", over="x", x="1..9", y="2")
    answer, regime = sorted(found, key=lambda border: border.kind)
    assert str(answer) == "there is no answer beyond, where x = 2"
    assert str(regime) == "3*y + sin(y) + y**3 = exp(x) + x (r1), where x = 2.51707"  # mpmath.findroot: 2.5170695
    assert (answer.formula, regime.formula) == (None, None)
    assert found.text().splitlines()[-2].endswith("no answer")
    assert cliff.border("w", over="x", x=[1, 2.2, 3], y="2").text().startswith("w over x (1 to 3): 2 borders")
    assert found.plot().axes


STEPPING: list[tuple[tuple[str | Mapping[str, Any], ...], Callable[[float, float], bool]]] = [
    (
        (
            "t = exp(x/2)",
            {"equation": "u = x*z", "when": ["t >= 3"]},
            {"equation": "u = t + x", "when": ["t < 3"]},
            "w = min(u, t)",
        ),
        lambda x, z: math.exp(x / 2) >= 3 and x * z < math.exp(x / 2),
    ),
    (("t = abs(z - 2) + x", "u = floor(x) + x", "w = min(t, u)"), lambda x, z: abs(z - 2) < math.floor(x)),
    (("t = (4 if x < 3 else z**2)", "u = 5*z - 4", "w = max(t, u)"), lambda x, z: (4 if x < 3 else z**2) > 5 * z - 4),
    (("t = z*ceil(x)", "u = x + 3", "w = max(t, u)"), lambda x, z: z * math.ceil(x) > x + 3),
]


@pytest.mark.thorough
@every("relations, binds", STEPPING, ids=[str(relations) for relations, _ in STEPPING], ordinary=2)
def test_a_border_that_runs_upright_at_a_jump_is_traced_all_along(
    relations: tuple[str | Mapping[str, Any], ...], binds: Callable[[float, float], bool]
) -> None:
    """Between neighbours at which other arms bind there is a border."""
    found = bare("x z t u w", *relations).border("w", over=("x", "z"), x="1.5..5.5", z="0.5..4.5")
    edges = [*chain.from_iterable(pairwise(border.points) for border in found if border.kind == "regime")]
    for i in range(39):
        for j in range(40):
            x, z = 1.6 + i / 10, 0.55 + j / 10
            if binds(x - 0.05, z) != binds(x + 0.05, z):
                assert min(_distance((x, z), *edge) for edge in edges) < 0.11, (x, z)


def _distance(point: tuple[float, ...], start: tuple[float, ...], end: tuple[float, ...]) -> float:
    """The distance of a point from an edge of a border."""
    length = math.dist(start, end)
    along = sum((p - a) * (b - a) for p, a, b in zip(point, start, end, strict=True)) / length**2 if length else 0.0
    share = min(max(along, 0.0), 1.0)
    return math.dist(point, [a + share * (b - a) for a, b in zip(start, end, strict=True)])


@pytest.mark.thorough
def test_a_border_whose_points_only_the_solver_knows_ends_with_the_time_of_a_query():
    jumps = bare(
        "a b c d e f",
        "d = f + c - max(f, 3)",
        "b = c/e*(c if c >= 1.7 else d)",
        "b = d - 0.5 - a*0.5",
        domains={"b": "whole", "c": "nonnegative", "e": "real", "f": "real"},
        profiles={"some": {"b": "1..3", "f": "1..3"}},
    )
    with limits_by(Clock(0.5)), pytest.raises(derive.LimitError):
        jumps.border("r1", "some", over=("a", "e"), a="0.5..3", e="0.5..3")


@pytest.mark.parametrize("over", [("p", "q"), ("q", "p")])
@pytest.mark.parametrize(("factor", "divisor"), [(2, 3), (0.7, 3), (1.1, 7)])
@pytest.mark.parametrize("is_end", [True, False])
def test_arms_that_tie_along_the_edge_of_a_map_leave_it_whole(
    over: tuple[str, str], factor: float, divisor: float, is_end: bool
) -> None:
    """Rounding would choose an arm point by point, and with it where a limit near its number fails."""
    edge = factor * divisor
    p = f"{edge / 4}..{edge}" if is_end else f"{edge}..{3 * edge}"
    limit = {"name": "c0", "equation": f"t <= {4.5 * factor}"}
    tied = bare("p q t", f"t = max(p*q/{divisor}, q*{factor})", limit)
    borders = tied.border("t", over=over, p=p, q="1..6")
    assert [(border.kind, border.relation) for border in borders] == [("check", "c0")]
    assert {region.arms["r1"] for region in borders.regions} == {f"q*{factor}" if is_end else f"p*q/{divisor}"}


@every("units", list(product(("m", "ft", "inch", "yd"), repeat=4)), ordinary=15, thorough=7)
def test_arms_that_tie_over_an_area_leave_one_border_whatever_their_units(units: tuple[str, ...]) -> None:
    tied = library(dict(zip("bcyz", units, strict=True)), "y = min(b, 4*c)", "z = min(y, b)")
    found = tied.border("z", over=("b", "c"), b="4.4..34.4 ft", c="3.6..35.6 inch")
    (border,) = found
    assert border.equation == "b = 4*c"
    assert sum(region.share for region in found.regions) == pytest.approx(1)


def test_bounds_at_a_point_between_those_of_an_axis_are_no_answer_of_a_border() -> None:
    open_below = bare("a b y", "y = a + b", "y <= 100*a")
    with pytest.raises(derive.UnderdeterminedError, match=r"not determined by what is given\. Give b\."):
        open_below.border("y", over="a", a="1..3")


@pytest.mark.parametrize(
    ("limit", "gap"),
    [
        ("b <= 3 + a", lambda a, b: b - 3 - a),
        ("1.5 <= a/b", lambda a, b: a / b - 1.5),
        ("a <= b", lambda a, b: a - b),
        ("a*b >= 4", lambda a, b: a * b - 4),
    ],
)
def test_a_limit_that_compares_axes_and_numbers_alone_has_its_border(limit, gap) -> None:
    (border,) = bare("a b", limit).border("r1", over=("a", "b"), a="0.2..20", b="0.2..20")
    assert (border.kind, border.relation) == ("check", "r1")
    assert all(gap(*point) == pytest.approx(0, abs=1e-9) for point in border.points)
