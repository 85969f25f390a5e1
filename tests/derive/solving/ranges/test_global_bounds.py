"""Targets over whole ranges: no sample lies outside the bounds, and the bounds are reached."""

from __future__ import annotations

import itertools
import math
import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import DeriveError, NoSolutionError
from derive.expressions.grammar import parse_expression
from derive.numerics.root_finding.branch_and_bound import System, least_and_greatest
from tests.derive.operations import calls
from tests.derive.statements import bare, number, span
from tests.ordinary import every

INF = math.inf


@every(
    ("goal", "zeros", "box", "low", "high"),
    [
        ("y", ["y + y**3 - a*(4 - a)"], {"a": (0, 3.5), "y": (0, INF)}, 0, 1.3787967001),
        ("a", ["t - max(a, 5)"], {"a": (0, INF), "t": (2, 7)}, 0, 7),
        ("2*a", ["t - min(a, b)"], {"a": (0, INF), "t": (5, 6), "b": (5, 7)}, 10, INF),
        (
            "x",
            ["x + y**3 - a", "x*exp(y) - b"],
            {"x": (0, INF), "y": (0, INF), "a": (5, 6), "b": (1, 2)},
            0.165252172,
            0.378102041,
        ),
        ("x + y", ["x**2 + y**2 - 2"], {"x": (-2, 2), "y": (-2, 2)}, -2, 2),
        ("a - b", [], {"a": (1, 10), "b": (5, 8)}, -7, 5),
    ],
    ordinary=3,
)
def test_the_extremes_under_equations(goal, zeros, box, low, high):
    system = System(parse_expression(goal), (-INF, INF), tuple(map(parse_expression, zeros)), box)
    least, greatest = least_and_greatest(system)
    assert least.at <= low + 1e-9
    assert greatest.at >= high - 1e-9
    for bound, expected in ((least, low), (greatest, high)):
        assert bound.at == pytest.approx(expected, rel=1e-6 if bound.is_close else 1e-3, abs=1e-6)


def test_equations_that_hold_nowhere_have_no_extremes():
    system = System(parse_expression("a"), (0, INF), (parse_expression("t - max(a, 5)"),), {"a": (0, INF), "t": (2, 4)})
    assert least_and_greatest(system) is None


IMPLICIT = [
    (("y*exp(y) = a/b",), "y", {"a": (1, 2), "b": (3, 5)}),
    (("x*exp(x) = a", "y = x**2 + a"), "y", {"a": (1, 2)}),
    (("x*exp(x) = a", "z*exp(z) = b + x", "y = x*z"), "y", {"a": (1, 2), "b": (2, 3)}),
    (("y + y**3 = a*(4 - a)*b",), "y", {"a": (1, 3.5), "b": (1, 1.2)}),
    (("t = max(a, b)", "c = a*(10 - a) + t"), "c", {"t": (6, 8), "b": (1, 5)}),
    (("t = abs(a - 3) + a", "c = a/t"), "c", {"t": (4, 9)}),
]


@every(("relations", "target", "ranges"), IMPLICIT, ordinary=6)
def test_every_sample_lies_within_the_bounds_and_comes_near_them(relations, target, ranges):
    asked = bare("a b c t u x y z", *relations)
    (answer,) = asked.solve_all(target, **{name: f"{low}..{high}" for name, (low, high) in ranges.items()})
    assert any("one part in a million" in note or "were found" in note for note in answer.assumptions)
    low, high = span(answer)
    draw = random.Random(7)
    ends = [[(low, high)[side] for low, high in ranges.values()] for side in (0, 1)]
    points = [[draw.choice((low, high, draw.uniform(low, high))) for low, high in ranges.values()] for _ in range(60)]
    found = []
    for point in [*ends, *points]:
        try:
            found.append(number(asked.solve(target, **dict(zip(ranges, point, strict=True)))))
        except DeriveError:
            continue
    assert low * (1 - 1e-9) <= min(found)
    assert max(found) <= high * (1 + 1e-9)
    assert (min(found), max(found)) == pytest.approx((low, high), rel=0.03)


def test_where_a_step_has_no_value_the_target_has_none():
    cut = bare("y u a b", "u = a - b", "y = exp(-u)").solve("y", a="4..6", b="1..5.5")
    assert span(cut) == pytest.approx((math.exp(-5), 1), rel=1e-5)


def test_a_value_that_only_the_middle_lacks():
    (answer,) = bare("y a b", "y = a - b").solve_all("y", a="1..10", b="5..8")
    assert answer.value is None
    assert span(answer) == pytest.approx((0, 5), abs=1e-6)
    with pytest.raises(NoSolutionError):
        bare("y a b", "y = a - b").solve_all("y", a="1..5", b="6..8")


@pytest.mark.parametrize("scale", [1.0, 1e4, 1e6, 1e8])
@pytest.mark.parametrize("written", [("y = {scale} - sqrt(a - b)",), ("x = sqrt(a - b)", "y = {scale} - x")])
def test_bounds_are_no_corner_that_is_merely_near_to_them(scale, written):
    """The greatest is where a and b are equal, and no corner; the least is one."""
    asked = bare(
        "a b x y", *(one.format(scale=f"{scale:.0f}") for one in written), domains={"x": "nonnegative", "y": "real"}
    )
    (answer,) = asked.solve_all("y", a="3..6", b="4.303..5.949")
    low, high = span(answer)
    assert low == pytest.approx(scale - math.sqrt(6 - 4.303), rel=1e-6)
    assert low <= scale - math.sqrt(6 - 4.303) + 1e-12 * scale
    assert scale * (1 - 1e-12) <= high <= scale * (1 + 1e-6)


def test_solutions_side_by_side_keep_their_own_bounds():
    low, high = bare("y a", "a = abs(y - 3)").solve_all("y", a="1..2")
    assert span(low) == pytest.approx((1, 2))
    assert span(high) == pytest.approx((4, 5))


def test_a_range_that_does_not_matter_gives_no_bounds():
    answer = bare("y a b c", "y = 2*a", "b = c*a").solve("y", a=1, c="1..2")
    assert answer.low is None


STEP = bare(
    "b a s p w k c t y u",
    "c = a*b",
    "s = 1 - 0.99*(1 - p)**b",
    "w = 7*s",
    "k = b/40",
    "t = max(c, w + k)",
    "y = b/t",
    "u = (w + k)/t",
    domains={"b": "1..1e6"},
)
"""A step of a batch: its costs and its yield are functions of b alone, with b in an exponent and a max outside."""


@pytest.mark.thorough
def test_a_block_that_hangs_on_one_unknown_is_bounded_where_the_ranges_end():
    least, most = (number(STEP.solve("b", u=0.9, p=0.03, a=a)) for a in (0.035, 0.03))
    assert span(STEP.solve("b", u=0.9, p=0.03, a="0.03..0.035")) == pytest.approx((least, most), rel=1e-6)


def test_a_range_that_does_not_bind_leaves_no_width():
    answer = STEP.solve("b", y=20, p=0.03, a="0.003..0.005")
    b = number(answer)
    assert b / (7 * (1 - 0.99 * 0.97**b) + b / 40) == pytest.approx(20)
    assert span(answer) == pytest.approx((b, b))
    assert not any("not proved" in note or "too wide" in note for note in answer.assumptions)


@pytest.mark.parametrize("a", [pytest.param(0.004, marks=pytest.mark.long), "0.003..0.005"])
def test_that_nothing_fits_is_proved_through_a_quotient_of_alike(a):
    with pytest.raises(NoSolutionError):  # w + k binds, and the quotient is one
        STEP.solve("b", u=0.9, p=0.03, a=a)
    b = number(STEP.solve("b", u=0.9, p=0.03, a=0.03))
    assert (7 * (1 - 0.99 * 0.97**b) + b / 40) / (0.03 * b) == pytest.approx(0.9)


@pytest.mark.thorough
def test_bounds_are_sought_also_where_a_block_hangs_on_what_ranges_give():
    asked = {"chips": "64 chip", "context": "4 ktoken/sequence"}
    answer = derive.solve("batch", "h100-sxm:fp8", "deepseek-v3", memory_to_compute=5, **asked)
    back = derive.solve("memory_to_compute", "h100-sxm:fp8", "deepseek-v3", batch=answer.value, **asked)
    assert number(back) == pytest.approx(5)
    assert number(answer) >= answer.low.magnitude > 0


@pytest.mark.thorough
def test_a_quantity_that_an_inequality_bounds_is_bounded_over_a_range_too():
    given = ("b200-sxm:fp8", "llama3-70b")
    (found,) = derive.solve_all("cost_per_token", *given, chips="8 chip", batch="1..4096 sequence")
    (middle,) = derive.solve_all("cost_per_token", *given, chips="8 chip", batch="2048.5 sequence")
    assert found.value is None
    ends = found.low.magnitude, found.high.magnitude
    assert ends == pytest.approx((middle.low.magnitude, middle.high.magnitude), rel=1e-15)
    assert "bounds are those in the middle of the ranges" in found.assumptions


@pytest.mark.thorough
def test_limits_leave_an_interval_that_is_only_as_wide_as_what_else_holds_allows():
    """At half of the edge the context would be negative: the limit holds between both, and not at the edge alone."""
    given = ("b200-sxm:fp8", "llama3-70b")
    (found,) = derive.solve_all("cost_per_token", *given, chips="8 chip", batch="1 sequence")
    most = derive.solve("cost_per_token", *given, chips="8 chip", batch="1 sequence", context="8192 token/sequence")
    least = derive.solve("cost_per_token", *given, chips="8 chip", batch="1 sequence", context="1 token/sequence")
    assert found.value is None
    assert found.high.magnitude == pytest.approx(number(most))
    assert found.low.magnitude <= number(least) < number(most)


def test_an_end_to_which_no_value_leads_is_not_called_close():
    """Over these ranges x/(x*y - 3*x) is 1/(y - 3), at least one; only its pole may be reached."""
    library = bare("w x y z", "z = x/(x*y - 3*x)", "w = 2*z + y", domains=dict.fromkeys("wz", "real"))
    for target, least in (("z", 1), ("w", 6)):
        answer = library.solve(target, x="1..2", y="3..4")
        low, high = span(answer)
        assert low <= least
        assert high == INF
        assert low == pytest.approx(least, rel=1e-6) or any("too wide" in note for note in answer.assumptions)


@pytest.mark.thorough
def test_a_block_whose_solution_ends_within_the_ranges_is_searched_over_one_unknown():
    """With y = b/t = 20 the first sum binds for any b at a = 1/20. Over all unknowns it would take three times more."""
    batch = bare(
        "b a p w c t y",
        "c = a*b",
        "w = 7*(1 - 0.99*(1 - p)**b) + b/40",
        "t = max(c, w)",
        "y = b/t",
        domains={"b": "1..1e6"},
    )
    found = []
    count = calls(lambda: found.append(batch.solve("b", y=20, p=0.03, a="0.003..0.08")))
    b = number(found[0])
    assert b / (7 * (1 - 0.99 * 0.97**b) + b / 40) == pytest.approx(20)
    assert span(found[0]) == pytest.approx((b, 1e6), rel=1e-6)
    assert count < 1_000_000


def steps_of_a_chain(length: int) -> int:
    """How much is done to bound the last of so many quantities, each of which follows from the one before."""
    names = [f"y{i}" for i in range(length + 1)]
    relations = [f"{later} = {earlier}/2 + 1" for earlier, later in itertools.pairwise(names)]
    chain = bare(" ".join(names), *relations)
    return calls(lambda: chain.solve(names[-1], y0="1..2").bounds)


@pytest.mark.thorough
def test_that_a_chain_of_quantities_stays_in_its_domains_is_seen_step_by_step():
    """Each step put into the next from the start on would take two and a half times as much."""
    steps_of_a_chain(3)
    assert steps_of_a_chain(80) <= 2 * steps_of_a_chain(40)


@given(
    st.sampled_from(["x*y - y*x", "x*exp(y) - exp(y)*x", "exp(x*y) - exp(y*x)", "log(x + y) - log(y + x)"]),
    st.integers(-3, 3),
    st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda pair: (pair[0], sum(pair))),
)
def test_what_is_one_number_all_over_the_ranges_is_that_or_has_no_value(cancelling, height, ends):
    """Terms that cancel are no room for a positive quantity to lie in, which zero is not."""
    held = bare("d x y", f"d = {cancelling} + ({height})", domains={"d": "positive"})
    ranges = {"x": "{}..{}".format(*ends), "y": "2..3"}
    if height > 0:
        assert span(held.solve("d", **ranges)) == pytest.approx((height, height))
    else:
        with pytest.raises(NoSolutionError):
            held.solve("d", **ranges)


@pytest.mark.parametrize("step", [1, -1])
def test_a_root_that_would_be_negative_in_a_part_of_the_ranges_widens_no_bounds(step):
    """With k less than 1.125 the root of x would be negative, whichever equation is stated first."""
    pair = ["sqrt(x) = y**3 + y - 2", "x = k - y - y**3/8"][::step]
    (answer,) = bare("k x y", *pair, domains={"y": "real"}).solve_all("y", k="1..1.5")
    low, high = span(answer)
    assert low == pytest.approx(1, rel=1e-6)
    assert (high**3 + high - 2) ** 2 + high + high**3 / 8 == pytest.approx(1.5, rel=1e-6)


TENTHS = st.integers(1, 99).map(lambda tenths: f"{tenths / 10:g}")


@given(low=TENTHS, size=TENTHS, further=TENTHS, factor=TENTHS, gap=st.sampled_from(["0", "-0.1", "0.1"]))
def test_a_positive_difference_has_a_value_only_where_its_decimals_are_above_zero(low, size, further, factor, gap):
    """The greatest x is the least y, or a tenth from it: rounding leaves no room beside zero for a value."""
    top = Decimal(low) + Decimal(size)
    start = max(top - Decimal(gap), Decimal("0.1"))
    ranges = {"x": f"{low}..{top}", "y": f"{start}..{start + Decimal(further)}", "f": factor}
    held = bare("d f x y", "d = f*x - f*y", domains={"d": "positive", "x": "real", "y": "real"})
    greatest = Decimal(factor) * (top - start)
    if greatest > 0:
        assert max(high for _, high in map(span, held.solve_all("d", **ranges))) == pytest.approx(float(greatest))
    else:
        with pytest.raises(NoSolutionError):
            held.solve("d", **ranges)


def test_an_angle_without_a_value_in_the_middle_of_a_range_is_bounded_in_its_turn():
    (answer,) = bare("x y", "cos(x) = y", domains=dict.fromkeys("xy", "real")).solve_all("x", y="0.7..2")
    assert span(answer) == pytest.approx((-math.acos(0.7), math.acos(0.7)), rel=1e-6)
    assert any("sought in one turn" in note for note in answer.assumptions)


def test_an_angle_whose_turn_a_range_moves_is_not_denied_a_value_elsewhere_in_it():
    """At y = 0.8, the cosine of 3.8*x has that value; at y = 1.35, none."""
    waves = bare("a x y", "cos(a*x) = y", "a = y + 3", domains=dict.fromkeys("axy", "real"))
    assert waves.solve_all("x", y=0.8)
    with pytest.raises(derive.LimitError):
        waves.solve("x", y="0.7..2")


def test_the_domain_of_what_stands_between_cuts_the_bounds():
    """Only where x is more than a, which is two at least, is there a y; of z = x alone the least number would do."""
    (answer,) = bare("a x y z", "y = x - a", "z = x + y**2").solve_all("z", x="1..5", a="2..2.5")
    assert span(answer)[0] == pytest.approx(2, rel=1e-5)


def test_along_each_of_two_solutions_the_bounds_are_attained():
    waves = bare("a x y z", "x*exp(x) = y", "z = x*a", domains=dict.fromkeys("axyz", "real"))
    answers = waves.solve_all("z", y="-0.2..-0.1", a="1..1.1")
    assert len(answers) == 2
    assert all(any("along this solution are attained" in note for note in answer.assumptions) for answer in answers)


def test_what_cancels_over_the_ranges_may_be_anything_and_its_bounds_are_not_too_wide():
    (answer,) = bare("a x y", "x*y = x*a", domains=dict.fromkeys("axy", "real")).solve_all("x", y="1..2", a="1..2")
    assert span(answer) == (-INF, INF)
    assert not answer.assumptions


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("y = a/abs(a) + b", (0, 3)),
        ("y = abs(a)/a + b", (0, 3)),
        ("y = -a/abs(a) + b", (0, 3)),
        ("y = 2*a/abs(a) + b", (-1, 4)),
        ("y = b*a/abs(a)", (-2, 2)),
    ],
)
def test_a_quotient_of_a_number_and_its_size_is_a_sign(equation, expected):
    held = bare("a b y", equation, domains=dict.fromkeys("aby", "real"))
    (answer,) = held.solve_all("y", a="-2..2", b="1..2")
    assert (answer.low.magnitude, answer.high.magnitude) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("relations", "domains", "target", "given"),
    [
        (["a + d = 14", "2*d = 11 - a - c"], "ac", "d", {"c": "-2..5"}),  # d is -3 - c
        (["b = 3*c - 20", "a = b - 2*c - d + 10"], "acd", "b", {"a": -7, "d": "-2..0"}),  # b is at most -11
    ],
)
def test_no_value_is_too_large_for_a_number(relations, domains, target, given):
    linear = bare("a b c d", *relations, domains=dict.fromkeys(domains, "real"))
    with pytest.raises(derive.NoSolutionError):
        linear.solve_all(target, **given)


def test_a_relation_beside_the_answer_may_hold_nowhere_in_ranges_whose_middle_has_no_value():
    """By r1 a is at most 2, and by r2 it is -38, which is not positive."""
    linear = bare("a f d", "a = 3*f - 25", "2*d = a + 14", domains=dict.fromkeys("fd", "real"))
    with pytest.raises(derive.InconsistentError, match="r2"):
        linear.solve_all("a", f="2..9", d=-12)
    (answer,) = linear.solve_all("a", f="2..9", d=7.5)
    assert answer.low.magnitude <= 1 <= answer.high.magnitude
