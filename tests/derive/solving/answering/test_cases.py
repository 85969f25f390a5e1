"""Cases: which of them hold, what they need, and what they come to over ranges and at their borders."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from tests.derive.statements import bare, number, span
from tests.ordinary import every, examples


def cases(names, *relations, **domains):
    """A library of quantities that may be any real number, except those whose domain is told."""
    declared = [f'{name} = {{ unit = "", domain = "{domains.get(name, "real")}" }}' for name in names.split()]
    lines = ["[quantities]", *declared, "[relations]"]
    for place, (equation, *when) in enumerate(relations):
        conditions = ", ".join(f'"{condition}"' for condition in when)
        lines.append(f'r{place} = {{ equation = "{equation}", when = [{conditions}] }}')
    return derive.load("\n".join(lines))


def numbers(answers):
    return [answer.base for answer in answers]


def test_a_case_that_the_relations_around_it_exclude_is_not_assumed():
    library = cases("x y c v", ("y = x",), ("c = 2*v*x/y", "y >= 11"), ("c = y", "y < 11"), x="0.1..1")
    (answer,) = library.solve_all("c", v=8)
    assert answer.base is None
    assert span(answer) == pytest.approx((0.1, 1))
    assert library.reach(["v"]) == {"v"}
    for ask in (library.compile, library.formula):
        with pytest.raises(derive.UnderdeterminedError):
            ask("c", given=["v"])


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("is_written_out", [True, False])
@pytest.mark.parametrize(("start", "end"), [(0, 4), (-3, 0), (1, 5), (-2, 2)])
def test_a_case_that_holds_at_a_single_point_has_it_as_its_answer(start, end, is_written_out):
    """At an end of the domain a case may leave the target one value, zero as well as any other."""
    for edge, below in ((start, "x <= a"), (end, "x >= a")):
        above = below.replace("<=", ">").replace(">=", "<")
        relations = (("y = z", below), ("y = 2*x", above)) if is_written_out else ((f"y = z if {below} else 2*x",),)
        library = cases("x a y z", *relations, x=f"{start}..{end}")
        for y, z in product(range(-3, 5), repeat=2):
            inner = [y / 2] if start <= y / 2 <= end and y / 2 != edge else []
            expected = sorted({*inner, *([edge] if y == z else [])})
            try:
                solutions = numbers(library.solve_all("x", a=edge, y=y, z=z))
            except (derive.NoSolutionError, derive.InconsistentError):
                solutions = []
            assert sorted(solutions) == expected, (edge, y, z)


@pytest.mark.parametrize("least", ["min(e, z)", "min(e, e, z)", "min(z, e, z)"])
def test_what_a_condition_leaves_of_a_quantity_may_be_enough(least):
    library = cases("k z e w", ("k = z**2", "e >= 2"), ("k = 10*e", "e < 2"), (f"w = {least}",))
    assert numbers(library.solve_all("w", k=4, z=2)) == [0.4, 2.0]
    assert numbers(library.solve_all("w", k=5, z=2)) == [0.5]  # five is no square of two
    assert math.isnan(library.compile("w", given=["k", "z"])(k=4.0, z=2.0))


def test_an_interval_that_a_case_leaves_is_an_answer():
    library = cases("k z e w", ("k = z**2", "e >= 2"), ("k = 10*e", "e < 2"), ("w = max(e, 1)",))
    number_, interval = sorted(library.solve_all("w", k=4, z=2), key=lambda answer: answer.base is None)
    assert number_.base == 1
    assert span(interval) == (2, math.inf)


ARMS = cases("k u e t", ("k = u if e > 4 else 10*t",))
NESTED = cases("k u e t s", ("k = u if e > 4 else (10*t if e > 2 else s)",))
CHOSEN = cases("k u e t f", ("k = u + t if e > 4 else 10*t",), ("e = 2*f",))


@pytest.mark.parametrize(
    ("library", "given", "expected"),
    [
        (ARMS, {"u": 3, "e": 5}, 3),
        (ARMS, {"t": 3, "e": 4}, 30),
        (ARMS, {"t": 3, "e": "1..3"}, 30),
        (NESTED, {"u": 3, "e": 5}, 3),
        (NESTED, {"t": 3, "e": 3}, 30),
        (NESTED, {"s": 3, "e": 1}, 3),
        (CHOSEN, {"t": 3, "f": 2}, 30),
        (CHOSEN, {"t": 3, "u": 1, "f": 2.5}, 4),
    ],
)
def test_an_arm_that_a_condition_excludes_needs_no_value(library, given, expected):
    assert number(library.solve("k", **given)) == expected
    assert "k" in library.reach(given)
    assert library.solve("k", **given).steps[-1].relation == "r0"
    if not any(isinstance(value, str) for value in given.values()):
        function = library.compile("k", given=list(given))
        assert function(**{name: float(value) for name, value in given.items()}) == expected
        swept = library.sweep("k", **{name: numpy.array([value]) for name, value in given.items()})
        assert numpy.ravel(swept.columns["k"]).tolist() == [expected]
        form = library.formula("k", given=list(given))
        assert form.subs({symbol: given[symbol.name] for symbol in form.free_symbols}) == expected


@pytest.mark.parametrize(
    ("library", "given", "missing"),
    [(ARMS, {"u": 3, "e": 2}, "t"), (ARMS, {"t": 3, "e": 5}, "u"), (NESTED, {"u": 1, "t": 2, "e": 1}, "s")],
)
def test_the_arm_that_is_taken_needs_its_value(library, given, missing):
    with pytest.raises(derive.UnderdeterminedError) as caught:
        library.solve("k", **given)
    assert caught.value.missing == ((missing,),)
    assert math.isnan(library.compile("k", given=list(given))(**{n: float(v) for n, v in given.items()}))


def test_an_arm_runs_backwards_too_and_a_maximum_needs_all_its_arms():
    assert number(ARMS.solve("u", k=3, e=5)) == 3
    assert number(ARMS.solve("t", k=30, e=4)) == 3
    with pytest.raises(derive.UnderdeterminedError):
        cases("k u t", ("k = max(u, t)",)).solve("k", u=3)


APART = (("y = x", "x < 3"), ("y = x + 2", "x >= 3"))
STEEP = (("y = x", "x < 3"), ("y = 10*x", "x >= 3"))


@pytest.mark.parametrize(
    ("relations", "target", "given", "expected"),
    [
        (STEEP, "y", {"x": "2..3.5"}, (2, 35)),
        (STEEP, "y", {"x": "3..3.5"}, (30, 35)),
        (STEEP, "y", {"x": "1..2"}, (1, 2)),
        (STEEP, "x", {"y": "2..35"}, (2, 3.5)),
        (APART, "x", {"y": "2..6.5"}, (2, 4.5)),
        (APART, "x", {"y": "1..3.5"}, (1, 3)),
        (APART, "x", {"y": "6..7"}, (4, 5)),
    ],
)
def test_a_range_takes_every_case_that_it_meets(relations, target, given, expected):
    (answer,) = cases("x y", *relations).solve_all(target, **given)
    assert span(answer) == pytest.approx(expected, rel=1e-6)


def test_a_range_takes_every_step_of_a_floor_behind_a_sine():
    library = cases("a b x", ("a = floor(x) + 3.97",), ("b = a + 2.78*sin(a)",))
    (answer,) = library.solve_all("x", b="7.66824..12.01642")
    low, high = span(answer)
    for x in (3.5, 4.05, 5.5, 8.9):
        a = math.floor(x) + 3.97
        assert 7.66824 <= a + 2.78 * math.sin(a) <= 12.01642
        assert low <= x <= high
    assert (low, high) == pytest.approx((3, 9), rel=1e-6)


BORDERS = [
    ("y = 3*x", "y", Fraction(3)),
    ("y = x*3", "y", Fraction(3)),
    ("y = x/10 + 2*x", "y", Fraction(21, 10)),
    ("y = 1.1*x - 0.3*x", "y", Fraction(8, 10)),
]


@pytest.mark.parametrize(("equation", "asked", "factor"), BORDERS)
@pytest.mark.parametrize("tenths", [1, 2, 3, 7, 11, 23])
@pytest.mark.parametrize("kind", ["when", "choice"])
def test_a_tie_of_decimals_is_a_tie(equation, asked, factor, tenths, kind):
    x = Fraction(tenths, 10)
    edge = float(factor * x)
    rules = [("c = 100*y", f"{asked} <= {edge!r}"), ("c = 1000*y", f"{asked} > {edge!r}")]
    if kind == "choice":
        rules = [(f"c = 100*y if {asked} <= {edge!r} else 1000*y",)]
    library = cases("x y c", (equation,), *rules)
    for typed in (float(x), f"{float(x)}"):
        assert number(library.solve("c", x=typed)) == pytest.approx(100 * edge)
    assert library.compile("c", given=["x"])(x=float(x)) == pytest.approx(100 * edge)
    assert library.compile("c", given=["x"])(x=numpy.array([float(x)]))[0] == pytest.approx(100 * edge)
    assert number(library.solve("c", x=float(x) + 1e-9)) == pytest.approx(1000 * edge)


def test_just_beyond_a_border_is_beyond_it():
    library = cases("x y c", ("y = 3*x",), ("c = 1", "y <= 0.3"), ("c = 2", "y > 0.3"))
    assert number(library.solve("c", x="0.1")) == 1
    assert number(library.solve("c", x="0.10000000000001")) == 2


def test_a_default_that_decides_a_case_yields_to_nothing_that_has_no_solution_there():
    """Without it the other case could be taken, in which what is typed plays no part."""
    some = derive.load(MODES)
    assert some.solve("x", y="2.5").base == pytest.approx(0.5)
    with pytest.raises(derive.NoSolutionError, match="it would have to be 3"):
        some.solve("x", y="5")
    assert some.solve("x", y="5", mode="1").base == 0


MODES = """
[quantities]
mode = { unit = "1", domain = "nonnegative", value = "0" }
x = { unit = "1", domain = "0..1" }
y = { unit = "1" }
[relations.plain]
equation = "y = 2 + x"
when = ["mode == 0"]
[relations.closed]
equation = "x = 0"
when = ["mode >= 1"]
"""


@pytest.mark.parametrize("end", [0, 2, -3])
@pytest.mark.parametrize("way", [">", "<"])
@pytest.mark.parametrize("is_beside", [True, False])
def test_the_end_of_a_domain_at_which_a_relation_does_not_apply_is_no_answer_beside_its_own(end, way, is_beside):
    """As an interval that only the failure of a condition leaves is none."""
    far = end + 9 if way == ">" else end - 9
    conditions = (f"x {way} {end}", *(["a < b"] if is_beside else []))
    library = cases("x y a b", ("y = 3*x", *conditions), x=f"{min(end, far)}..{max(end, far)}")
    inner = end + 2 if way == ">" else end - 2
    given = {"a": 1, "b": 2} if is_beside else {}
    assert numbers(library.solve_all("x", y=3 * inner, **given)) == [inner]


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("edge", [0.1, 0.4, 0.9, 1.3])
def test_a_default_that_is_the_edge_of_a_case_decides_it_and_leaves_nothing_open(edge):
    """A solution on the edge belongs to one side of it; on the other there is none, and nothing is said to be open."""
    library = derive.load(f"""[quantities]
k = {{ unit = "", domain = "real", value = "{edge}" }}
x = {{ unit = "", domain = "real" }}
q = {{ unit = "", domain = "real" }}
s = {{ unit = "", domain = "real" }}
[relations]
below = {{ equation = "q = abs(x - 0.5)", when = ["x <= k"] }}
above = {{ equation = "q = abs(x - 0.5)", when = ["x > k"] }}
s = {{ equation = "s = q*(q + 1)" }}""")
    for tenths in range(1, 10):
        answers = library.solve_all("x", s=f"{tenths * (tenths + 10)}e-2")
        assert numbers(answers) == pytest.approx([0.5 - tenths / 10, 0.5 + tenths / 10])
        assert not any("nothing determines" in note for answer in answers for note in answer.assumptions)


@pytest.mark.parametrize("seed", range(8))
def test_a_case_is_none_whose_relation_contradicts_what_follows_with_either_sign(seed):
    """y may be positive or negative; above `turn` it is a, and t may be anything there only if that is one of both."""
    draw = random.Random(f"sign {seed}")
    turn, a, y = draw.randint(1, 4), draw.randint(1, 6), draw.randint(1, 6)
    a = draw.choice([a, y, -y])
    library = cases(
        "t a y z",
        ("z = sqrt(y**2 + 1)",),
        ("y = a", f"t > {turn}"),
        ("y = 2*t", f"t <= {turn}"),
    )
    answers = library.solve_all("t", a=a, z=math.sqrt(y**2 + 1))
    points = [answer.base for answer in answers if answer.base is not None]
    spans = [answer.bounds for answer in answers if answer.base is None]
    assert spans == ([(turn, math.inf)] if abs(a) == y else [])
    expected = [t for t in (-y / 2, y / 2) if t < turn or (t == turn and not spans)]
    assert points == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(20))
def test_where_no_case_fits_the_givens_nothing_is_admissible(seed: int) -> None:
    """`y = 3*x` where q > 1, `y = 2*x` where q <= 1: a y that is neither leaves q no value, the edge not excepted."""
    draw = random.Random(seed)
    edge, one, other = (round(draw.uniform(0.1, 9), 1) for _ in range(3))
    x, y = round(draw.uniform(1, 9), 1), round(draw.uniform(0.1, 99), 3)
    library = derive.load(
        '[quantities]\nx = { unit = "1" }\ny = { unit = "1" }\nq = { unit = "1" }\n'
        f'[relations]\na = {{ equation = "y = {one}*x", when = ["q > {edge}"] }}\n'
        f'b = {{ equation = "y = {other}*x", when = ["q <= {edge}"] }}\n'
    )
    fitting = [Fraction(str(slope)) * Fraction(str(x)) for slope in (one, other)]
    if Fraction(str(y)) not in fitting:
        with pytest.raises(derive.NoSolutionError, match="nothing in its domain satisfies"):
            library.solve_all("q", x=str(x), y=str(y))
    if one != other:
        (above,) = library.solve_all("q", x=str(x), y=str(float(fitting[0])))
        (below,) = library.solve_all("q", x=str(x), y=str(float(fitting[1])))
        assert above.bounds == (edge, float("inf"))
        assert below.bounds == (0, edge)
        assert not above.unused  # they exclude the other case
        assert not below.unused


@pytest.mark.parametrize("seed", range(12))
def test_a_product_with_zero_is_zero_in_its_case_whatever_the_other_factor_is(seed: int) -> None:
    """`y = c*k` with c = 0 up to an edge of k, and c = s*k above it."""
    draw = random.Random(seed)
    edge, slope, high = draw.randint(2, 5), draw.randint(1, 4), draw.randint(6, 9)
    library = derive.load(
        f'[quantities]\nk = {{ unit = "1", domain = "1..{high}" }}\nc = {{ unit = "1", domain = "real" }}\n'
        'y = { unit = "1", domain = "real" }\n[relations]\na = { equation = "y = c*k" }\n'
        f'b = {{ equation = "c = 0", when = ["k <= {edge}"] }}\n'
        f'd = {{ equation = "c = {slope}*k", when = ["k > {edge}"] }}\n'
    )
    answers = library.solve_all("y")
    assert [answer.base for answer in answers if answer.base is not None] == [0]
    assert [answer.bounds for answer in answers if answer.base is None] == [(slope * edge**2, slope * high**2)]


@examples(20, ordinary=2)
@given(y=st.integers(1, 40), first=st.integers(2, 9), second=st.integers(11, 30), turn=st.integers(1, 9))
def test_each_arm_of_a_choice_that_nothing_decides_has_an_answer_of_its_own_which_says_so(y, first, second, turn):
    library = bare("x y w", f"y = {first}*x if w > {turn} else {second}*x")
    by_regime = {answer.regime["r1"]: answer for answer in library.solve_all("x", y=y)}
    assert by_regime.keys() == {f"{first}*x", f"{second}*x"}
    for factor, case in ((first, f"w > {turn}"), (second, f"w <= {turn}")):
        answer = by_regime[f"{factor}*x"]
        assert answer.base == pytest.approx(y / factor)
        assert f"r1 is assumed to apply: {case}" in answer.assumptions


@pytest.mark.parametrize("seed", range(6))
def test_a_number_that_is_proved_to_be_the_only_one_decides_a_case(seed):
    """The cubic pair has one real solution; the case that it excludes is not assumed to apply."""
    draw = random.Random(seed)
    u, v = (Fraction(draw.randint(130, 400) * draw.choice((1, -1)), 100) for _ in "uv")
    given = {"a": str(float(u**3 - v)), "b": str(float(u - v))}
    pair = ("u - v = b",), ("u**3 - v = a",)
    library = cases("a b t u v", ("t = u", "v <= 1.5"), ("t = 2*a", "v > 1.5"), *pair)
    expected = u if v <= Fraction(3, 2) else 2 * (u**3 - v)
    assert numbers(library.solve_all("t", **given)) == pytest.approx([float(expected)])
    swept = library.sweep("t", a=[float(given["a"])] * 2, b=given["b"])
    assert swept.columns["t"][0] == pytest.approx(float(expected))


@pytest.mark.parametrize("condition", ["v + w > 4", "v + w > 4 and w < 9", "w < 4 or w > 9", "log(w) > 4"])
@pytest.mark.parametrize("is_denied_first", [True, False, None])
def test_a_condition_and_its_negation_never_hold_together(condition, is_denied_first):
    """Where both did, `y = t**2` and `y = v*t` would leave y one number, 16."""
    relations = [("y = t**2", condition), ("y = v*t", f"not ({condition})")]
    if is_denied_first is None:
        relations = [(f"y = t**2 if {condition} else v*t",)]
    library = cases("t v w y", *(reversed(relations) if is_denied_first else relations), t="positive")
    try:
        answers = library.solve_all("y", v=4)
    except derive.UnderdeterminedError:
        answers = ()
    assert [answer for answer in answers if answer.value is not None] == []
    with pytest.raises(derive.UnderdeterminedError):
        library.compile("y", ["v"])


@every("seed", range(60), ordinary=12)
def test_a_case_whose_equations_hold_along_a_curve_leaves_the_target_what_its_condition_does(seed: int) -> None:
    """Where c is more than k*b, p is k*b, and its ratio to b is k for every b: so b may be anything below c/k."""
    draw = random.Random(seed)
    k, c = Fraction(draw.randint(2, 30), 10), Fraction(draw.randint(20, 150), 10)
    first, second = draw.choice([("<=", ">"), ("<", ">=")])
    form, r = draw.choice([("r = p/b", k), ("r = p/b + 1", k + 1), ("r = 2*p/b", 2 * k), ("r = 3 - b*p/b**2", 3 - k)])
    library = bare(
        "b c p r",
        {"equation": "p = c", "when": [f"c {first} {float(k)}*b"]},
        {"equation": f"p = {float(k)}*b", "when": [f"c {second} {float(k)}*b"]},
        form,
        domains={"r": "real"},
    )
    with pytest.raises(derive.AmbiguousError) as caught:
        library.solve("b", c=float(c), r=float(r))
    (answer,) = caught.value.answers
    assert span(answer) == pytest.approx((0, float(c / k)))
    assert "the interval contains every value that fits; not every value in it need fit" in answer.assumptions


def test_a_condition_on_another_quantity_of_the_curve_bounds_the_target_as_well() -> None:
    """Where p is below 9 it is 1.5*b, and its ratio to b 1.5."""
    cases = [{"equation": "p = 1.5*b", "when": ["p < 9"]}, {"equation": "p = 9", "when": ["p >= 9"]}]
    with pytest.raises(derive.AmbiguousError) as caught:
        bare("b p r", *cases, "r = p/b").solve("b", r=1.5)
    assert span(caught.value.answers[0]) == pytest.approx((0, 6))


@pytest.mark.parametrize("kind", ["values", "profiles"])
def test_a_weak_value_among_the_equations_of_a_curve_counts(kind: str) -> None:
    stated = {"k": "2"}
    cases = [{"equation": "p = c", "when": ["c <= 1.5*b"]}, {"equation": "p = 1.5*b", "when": ["c > 1.5*b"]}]
    weak: dict[str, Any] = {kind: {"q": stated} if kind == "profiles" else stated}
    library = bare("b c k p r", *cases, "r = k*p/b", **weak)
    (answer,) = library.solve_all("b", *(["q"] if kind == "profiles" else []), c=9, r=3)
    assert span(answer) == pytest.approx((0, 6))
