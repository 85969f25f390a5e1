"""What is cut off an interval holds no solution."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import derive
from derive.expressions.grammar import parse_equation, parse_expression
from derive.numerics.algebra.evaluation import value
from derive.numerics.intervals.enclosure import Span, enclose, span_of
from derive.solving.blocks import propagation
from derive.solving.blocks.propagation import narrowed, narrowed_beside
from tests.derive.statements import bare, span
from tests.ordinary import examples

POSITIVE = (0.0, math.inf)
SIDES = ("x*s", "x + s", "s/x", "max(x, s)", "min(x, 2*s)", "x**2 + s*x", "log(1 + x)*s", "(x if x < s else s**2)")


def texts(*equations):
    return [parse_equation(text) for text in equations]


@examples(150)
@given(st.sampled_from(SIDES), st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0, 5), st.floats(0, 5))
def test_a_hidden_solution_is_kept(side, x, s, below, above):
    y = value(parse_expression(side), {"x": x, "s": s})
    assume(math.isfinite(y) and y > 0)
    spans = {"y": (y, y), "s": (s / (1 + below), s * (1 + above)), "x": POSITIVE}
    found = narrowed(texts(f"y = {side}"), ["x"], spans)
    assert found is not None
    assert found["x"][0] * (1 - 1e-9) <= x <= found["x"][1] * (1 + 1e-9)


@pytest.mark.parametrize(
    ("text", "s", "expected"),
    [
        ("x = 3*s + 1", (0, 5), (1, 16)),
        ("x**2 = s", (4, 9), (2, 3)),
        ("x = min(s, 7)", (0, math.inf), (0, 7)),
        ("x + log(x) = s", (1, 1 + math.e), (1, math.e)),
        ("x = ceil(s)", (1.5, 3.5), (2, 4)),
        ("max(x, 2) = s", (0, 2), (0, 2)),
    ],
)
def test_what_is_left_reaches_just_as_far_as_the_solutions(text, s, expected):
    found = narrowed(texts(text), ["x"], {"s": s, "x": POSITIVE})
    assert found is not None
    assert found["x"] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("side", ["s/x", "x/s", "x/(s + x)", "1/x - s", "log(x) + s"])
def test_an_end_at_which_a_side_has_no_value_alone_is_seen_at_once(side, monkeypatch):
    seen = []
    monkeypatch.setattr(propagation, "enclose", lambda *what: seen.append(what) or enclose(*what))
    assert narrowed(texts(f"y = {side}"), ["x"], {"y": POSITIVE, "s": POSITIVE, "x": (0.0, 5.0)}) == {"x": (0.0, 5.0)}
    assert len(seen) == 4  # two sides at each end, where halving would look sixty times


@pytest.mark.parametrize(
    ("side", "expected"),
    [
        ("sqrt(x)", (0, math.inf)),
        ("sqrt(-x)", (-math.inf, 0)),
        ("log(x)", (0, math.inf)),
        ("log(-x)", (-math.inf, 0)),
        ("sqrt(x) + sqrt(-x)", (0, 0)),
        ("1/x", (-math.inf, math.inf)),
    ],
)
def test_an_interval_ends_at_zero_itself_where_a_side_has_no_value_beyond(side, expected):
    everything = (-math.inf, math.inf)
    assert narrowed(texts(f"{side} + y = {side}"), ["x"], {"x": everything, "y": (-1.0, 1.0)}) == {"x": expected}


def test_several_equations_cut_at_each_other():
    found = narrowed(texts("x = s + y/4", "y = x/2"), ["x", "y"], {"s": (1.0, 2.0), "x": POSITIVE, "y": (0.0, 10.0)})
    assert found is not None
    assert found["x"] == pytest.approx((8 / 7, 16 / 7), rel=0.2)
    assert found["y"] == pytest.approx((4 / 7, 8 / 7), rel=0.2)


def test_where_nothing_is_left_there_is_no_solution():
    assert narrowed(texts("x + 10 = min(s, 7)"), ["x"], {"s": (0.0, 5.0), "x": POSITIVE}) is None


@given(st.integers(2, 7), st.floats(0.1, 100), st.randoms())
def test_a_bound_is_carried_along_a_chain_in_whichever_order_it_is_written(length, most, random):
    """An end that comes down from infinity has moved."""
    chain = [f"x{i + 1} = x{i}" for i in range(length)]
    random.shuffle(chain)
    names = [f"x{i}" for i in range(1, length + 1)]
    found = narrowed(texts(*chain), names, {"x0": (0.0, most), **dict.fromkeys(names, POSITIVE)})
    assert found is not None
    assert all(found[name][1] == pytest.approx(most) for name in names)


@pytest.mark.parametrize(
    ("relations", "bounds"),
    [
        (("max(y, 2) = 2", "z = x - y*x"), (-3, 3)),  # two intervals, from -1 to 1 and from -2 to 2
        (("y + y**3 = x", "z = y + x"), (-1.6823278038, 1.6823278038)),
    ],
)
def test_what_follows_from_two_intervals_lies_in_all_that_they_allow(relations, bounds):
    system = bare("x y z", "max(x, 1) = 1", *relations, domains={"x": "-1..5", "y": "-2..7", "z": "real"})
    (answer,) = system.solve_all("z")
    assert span(answer) == pytest.approx(bounds, rel=1e-6)


@pytest.mark.parametrize(
    ("equations", "more", "told"),
    [
        (["v - (p if p < -3 else {level}) = 0"], {}, "p is at least -3"),
        (["(v - max(p, {level}, s/1000))/3 = 0", "max(s, 10) = m"], {"m": "10"}, "p is at most {level}"),
    ],
)
@pytest.mark.parametrize(
    ("level", "offset", "whole"), [("2", "2.9", "4.9"), ("0.5", "3.3", "3.8"), ("2", "2.3", "4.3"), ("4", "4.9", "8.9")]
)
def test_the_last_digit_of_a_computed_number_does_not_narrow_an_interval(equations, more, told, level, offset, whole):
    """In doubles 4.9 - 2.9 is 2.0000000000000004; it is the level to which `v` is computed here."""
    texts = [text.format(level=level) for text in equations]
    names = "p v u t k s m" if more else "p v u t k"
    library = bare(names, *texts, "u**3 = t**3", "u = v + k", domains=dict.fromkeys(names.split(), "real"))
    (answer,) = library.solve_all("p", t=whole, k=offset, **more)
    assert str(answer).splitlines()[0] == told.format(level=level)


@pytest.mark.parametrize("number", [2.0000000000000004, 0.1 + 0.2, 1e9 / 3])
def test_an_interval_beside_a_computed_number_keeps_its_ends_where_the_error_of_the_number_moves_them_alone(number):
    def narrowing(points: Mapping[str, Span]) -> dict[str, Span]:
        return {"x": (0.0, points["v"][1])}

    assert narrowed_beside({"v": number}, narrowing) == {"x": (0.0, span_of(number)[1])}


@pytest.mark.parametrize("number", [2.0000000000000004, 0.1 + 0.2, 1e9 / 3])
def test_an_interval_that_the_last_digit_of_a_computed_number_takes_away_is_kept(number):
    def narrowing(points: Mapping[str, Span]) -> dict[str, Span] | None:
        low, high = points["v"]
        return {"x": (0.0, high)} if low <= number - abs(number) * 1e-15 else None

    spans = narrowed_beside({"v": number}, narrowing)
    assert spans is not None
    assert spans["x"] == (0.0, pytest.approx(number))


FORMS = {  # what t is for u, by relations that leave an interval for u, with an enclosure of t that may be too wide
    "(2*u + 7)/(u + 1)": ["t*u + t = 2*u + 7"],
    "u - u**2/4": ["t = u - u**2/4"],
    "(u - u**2/8)**(1/3)": ["t**3 = u - u**2/8"],
    "exp(u)/u": ["t = exp(u)/u"],
    "(3*u + 5)/(u + 2)": ["t*u + v = 3*u + 5", "v = 2*t"],
    "u*exp(-u/2)": ["t + v = u*exp(-u/2) + 3", "v = 3"],
}


@examples(60, ordinary=6)
@given(st.sampled_from(sorted(FORMS)), st.integers(2, 6), st.integers(1, 40), st.booleans(), st.booleans())
def test_a_target_has_an_enclosure_only_where_a_value_fits(form, most, width, is_above, is_apart):
    """The values of a form at many points say whether a domain beside them, or with some of them, is reached."""
    values = [value(parse_expression(form), {"u": 1 + (most - 1) * i / 2000}) for i in range(2001)]
    least, greatest, gap = min(values), max(values), 0.05 if is_apart else -0.05 * (max(values) - min(values))
    low, high = (greatest + gap, greatest + gap + width) if is_above else (least - gap - width, least - gap)
    domains = {"u": "1..9", "t": f"{low:.6f}..{high:.6f}", "m": "real", "v": "real"}
    library = bare("u m t v", f"m = max(u, {most})", *FORMS[form], domains=domains)
    if is_apart:
        with pytest.raises(derive.NoSolutionError):
            library.solve_all("t", m=most)
    else:
        (answer,) = library.solve_all("t", m=most)
        assert span(answer)[0] <= max(least, low) * (1 + 1e-6) + 1e-6
        assert span(answer)[1] >= min(greatest, high) * (1 - 1e-6) - 1e-6


def test_an_unknown_that_may_cancel_beside_an_interval_is_parted_where_a_side_has_no_value():
    """u is at most 3 by `m = max(u, 3)`; where it is 2, x cancels."""
    relations = ("m = max(u, 3)", "sqrt(x**2 - 4)*u = sqrt(x**2 - 4)*c")
    asked = bare("c m u x", *relations, domains={"c": "real", "m": "real", "u": "1..10", "x": "real"})
    answers = asked.solve_all("x", m=3, c=2)
    assert sorted(map(span, answers)) == [(-math.inf, -2), (2, math.inf)]


@pytest.mark.parametrize(
    ("limit", "left"), [("x <= 3", (0, 3)), ("x >= 3", (3, 5)), ("3 >= x", (0, 3)), ("x >= -1", (0, 5))]
)
def test_a_limit_leaves_what_keeps_to_it(limit, left):
    assert narrowed([parse_equation(limit)], ["x"], {"x": (0.0, 5.0)})["x"] == pytest.approx(left)
    beyond = narrowed([parse_equation(limit)], ["x"], {"x": (left[1] + 1, left[1] + 2)})
    assert (beyond is None) == (left[1] < 5)
