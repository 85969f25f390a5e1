"""A question asked again is answered by its trace: the same number as by the solver, and the same refusal."""

from __future__ import annotations

import copy
import math
import pickle
import random
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

import derive
from derive import AmbiguousError, DeriveError, InconsistentError, LimitError
from derive.library import Library
from derive.solving.answering.solver import the_one
from tests.derive import linear_cases, random_cases
from tests.ordinary import every

TIMES = 6  # that a question is asked

OHM = """
[quantities]
V = { unit = "V" }
I = { unit = "A" }
R = { unit = "ohm" }
P = { unit = "W" }
[relations]
ohm = { equation = "V = I*R" }
power = { equation = "P = V*I" }
"""


def is_explained(answer: Any) -> bool:
    """Whether more than the number of an answer was found."""
    return "checks" in vars(answer)


def asked_often(library: Library, target: str, *profiles: str, **given: Any) -> Any:
    """The answer of a question that was asked before."""
    for _ in range(2):
        library.solve(target, *profiles, **given)
    return library.solve(target, *profiles, **given)


def test_a_question_asked_again_is_explained_when_that_is_asked_for():
    ohm = derive.load(OHM)
    asked_often(ohm, "P", I="2 A", R="3 ohm")
    answer = ohm.solve("P", I="5 A", R="4 ohm")
    assert answer.value.magnitude == 100
    assert not is_explained(answer)
    assert [step.value for step in answer.steps] == ["20 V", "100 W"]
    assert is_explained(answer)
    assert str(answer) == str(derive.load(OHM).solve("P", I="5 A", R="4 ohm"))


def test_a_question_asked_again_with_numbers_that_are_known_as_doubles_alone_has_the_same_answer():
    ohm = derive.load(OHM)
    asked_often(ohm, "P", I=f"{0.1 + 0.2} A", R="3 ohm")
    for current in (f"{0.1 + 0.7} A", "2 A"):
        assert ohm.solve("P", I=current, R="3 ohm").base == derive.load(OHM).solve("P", I=current, R="3 ohm").base


def test_what_cannot_be_read_is_named_whole_also_in_a_question_asked_again():
    ohm = derive.load(OHM)
    asked_often(ohm, "P", I="2 A", R="3 ohm")
    with pytest.raises(DeriveError) as raised:
        ohm.solve("P", I="2 V", R="3,5 ohm")
    assert {"I", "R"} == {problem.message.split(":")[0] for problem in raised.value.problems}


def test_an_answer_that_is_not_explained_yet_is_copied_compared_and_pickled_as_any_other():
    ohm = derive.load(OHM)
    asked_often(ohm, "P", I="2 A", R="3 ohm")
    answer, first = ohm.solve("P", I="5 A", R="4 ohm"), derive.load(OHM).solve("P", I="5 A", R="4 ohm")
    assert copy.copy(answer) is answer
    assert pickle.loads(pickle.dumps(answer)) == first
    assert ohm.solve("P", I="5 A", R="4 ohm") == first
    with pytest.raises(AttributeError, match="no attribute 'vlaue'"):
        _ = answer.vlaue


def test_what_contradicts_itself_is_refused_also_where_the_target_needs_none_of_it():
    chain = derive.load("""
[quantities]
x = { unit = "1" }
a = { unit = "1" }
b = { unit = "1" }
c = { unit = "1" }
[relations]
double = { equation = "a = 2*x" }
triple = { equation = "b = 3*a" }
sum = { equation = "c = b + x" }
""")
    assert asked_often(chain, "c", x="1", b="6").value == 7
    with pytest.raises(InconsistentError, match="triple"):
        chain.solve("c", x="1", b="60")


def test_a_condition_that_comes_out_otherwise_is_another_way():
    pipe = derive.load("""
[quantities]
Re = { unit = "1" }
friction = { unit = "1" }
[relations]
laminar = { equation = "friction = 64/Re", when = ["Re < 2300"] }
turbulent = { equation = "friction = 0.03", when = ["Re >= 4000"] }
""")
    assert asked_often(pipe, "friction", Re="1000").value == 0.064
    assert asked_often(pipe, "friction", Re="5000").value == 0.03
    assert pipe.solve("friction", Re="640").value == 0.1
    with pytest.raises(DeriveError):
        pipe.solve("friction", Re="3000")


def test_what_leaves_its_domain_is_refused():
    rest = derive.load("""
[quantities]
a = { unit = "m" }
b = { unit = "m" }
c = { unit = "m" }
[relations]
rest = { equation = "c = a - b" }
""")
    assert asked_often(rest, "c", a="5 m", b="2 m").value.magnitude == 3
    with pytest.raises(DeriveError, match="it would have to be -2 m"):
        rest.solve("c", a="5 m", b="7 m")


def test_a_given_that_differs_from_its_profile_displaces_what_follows_from_that():
    tank = """
[quantities]
width = { unit = "m" }
area = { unit = "m**2" }
volume = { unit = "m**3" }
height = { unit = "m" }
[relations]
area = { equation = "area = width**2" }
volume = { equation = "volume = area*height" }
[profiles.tank]
width = "2 m"
area = "4 m**2"
"""
    library = derive.load(tank)
    for width in (2, 2, 2, 3, 3, 3, 2, 5):
        answer = library.solve("volume", "tank", width=f"{width} m", height="1 m")
        assert answer.value.magnitude == width**2


def test_decimals_are_exact_however_often_they_are_asked():
    boxes = derive.load("""
[quantities]
load = { unit = "m" }
size = { unit = "m" }
boxes = { unit = "1" }
[relations]
boxes = { equation = "boxes = ceil(load/size)" }
""")
    for tenths in range(1, 60):
        answer = boxes.solve("boxes", load=f"{tenths * 45}e-2 m", size="0.45 m")
        assert answer.value.magnitude == tenths


GROWING = {  # how a quantity follows from two others, so that digits of rationals double, or nearly, at each step
    "a/(b + 2)": lambda a, b: a / (b + 2),
    "(a**2 + 1)/(b**2 + 1)": lambda a, b: (a**2 + 1) / (b**2 + 1),
    "a*b/(a + b)": lambda a, b: a * b / (a + b),
    "((((a**40 + 1)/2)**40 + 1)/2)**40/b": lambda a, b: ((((a**40 + 1) / 2) ** 40 + 1) / 2) ** 40 / b,
}


@pytest.mark.thorough
@every("seed", range(60), ordinary=6, thorough=8)
def test_rationals_of_very_many_digits_take_no_longer_however_often_they_are_asked(seed):
    draw = random.Random(f"digits {seed}")
    form = draw.choice([*GROWING])
    count = draw.choice((2, 8, 40, 150))
    stated = ""
    for i in range(count):
        follows = form.replace("a", f"x{i + 1}").replace("b", f"x{i + 2}")
        stated += f'[relations.r{i}]\nequation = "x{i} = {follows}"\n'
    declared = "".join(f'x{i} = {{ unit = "1" }}\n' for i in range(count + 2))
    library = derive.load(f"[quantities]\n{declared}{stated}")
    for _ in range(5):
        ends = [f"0.{draw.randint(500, 999)}" for _ in range(2)]
        numbers = [float(end) for end in ends]
        try:
            for _ in range(count):
                numbers = [GROWING[form](*numbers), numbers[0]]
        except (OverflowError, ZeroDivisionError):  # doubles do not reach so far
            return
        if not 1e-290 < numbers[0] < 1e290:
            return
        begun = time.monotonic()
        answer = library.solve("x0", **{f"x{count}": ends[0], f"x{count + 1}": ends[1]})
        assert time.monotonic() < begun + 5
        assert math.isclose(answer.base, numbers[0], rel_tol=1e-8)


Given = dict[str, Any]


def outcome(library: Library, target: str, given: Given, *, by_trace: bool) -> tuple[float, ...] | type | None:
    """The number of a question and its bounds over ranges, or the type of its refusal; None for several numbers."""
    try:
        answer = library.solve(target, **given) if by_trace else the_one(library.solve_all(target, **given))
    except (AmbiguousError, LimitError):
        return None
    except DeriveError as error:
        return type(error)
    if answer is None:
        return None
    return answer.base, *(float(f"{end:.12g}") for end in answer.bounds or ())


def is_only(library: Library, target: str, given: Given) -> bool:
    """Whether a question has one answer, which assumes nothing."""
    answers = library.solve_all(target, **given)
    return len(answers) == 1 and not answers[0].assumptions


def cases(seed: int) -> Iterator[tuple[Library, str, dict[str, float], float]]:
    """A question at several numbers, each with a number of the target that fits: everything follows from bases."""
    draw = random.Random(f"again {seed}")
    case = random_cases.cased(seed)
    first = random_cases.hidden(case, draw)
    if first is None:
        return
    target = draw.choice(list(first))
    others = [name for name in first if name != target]
    names = draw.sample(others, draw.randint(1, len(others)))
    for _ in range(TIMES):
        numbers = random_cases.hidden(case, draw)
        if numbers is not None:
            yield case.library, target, {name: numbers[name] for name in names}, numbers[target]


@pytest.mark.thorough
@every("seed", range(300), ordinary=10, thorough=36)
def test_a_question_asked_again_has_the_number_that_fits(seed):
    for library, target, given, fitting in cases(seed):
        found = outcome(library, target, given, by_trace=True)
        assert found != InconsistentError
        if isinstance(found, tuple) and is_only(library, target, given):
            assert math.isclose(found[0], fitting, rel_tol=1e-8, abs_tol=1e-12), (seed, given)


def slips(seed: int) -> Iterator[tuple[Library, str, Given]]:
    """Questions at several numbers that need not fit together, in conditions that compare with defaults too."""
    draw = random.Random(f"slip {seed}")
    for library, target, given, _ in cases(seed):
        slip = draw.choice(list(given))
        for factor in (1.0, draw.choice((1.0, 1.3, 0.5))):
            yield library, target, {**given, slip: given[slip] * factor}
    linear = linear_cases.random_cases(draw)
    library = derive.load(draw.choice((linear.text, linear.text_with_defaults)))
    for target, at in linear_cases.questions(draw, linear, is_ranged=False):
        for _ in range(TIMES):
            moved = {name: float(low) + draw.choice((0, 0, 1, -2, 3)) for name, (low, _) in at.items()}
            ranged = draw.choice(["", *moved])
            yield (
                library,
                target,
                {n: f"{x}..{x + draw.choice((1, 2.5))}" if n == ranged else x for n, x in moved.items()},
            )


@pytest.mark.thorough
@every("seed", range(300, 420), ordinary=30, thorough=100)
def test_a_trace_says_what_the_solver_says(seed):
    for library, target, given in slips(seed):
        found = [outcome(library, target, given, by_trace=is_quick) for is_quick in (True, False)]
        assert found[0] == found[1], (seed, target, given)


def test_a_relation_that_begins_to_apply_is_used():
    text = """
[quantities]
x = { unit = "1" }
u = { unit = "1", value = "1" }
v = { unit = "1", value = "1" }
w = { unit = "1" }
t = { unit = "1" }
[relations]
small = { equation = "t = w", when = ["x < 1"] }
whole = { equation = "w = 5*u" }
large = { equation = "t = 2*x*v" }
"""
    library = derive.load(text)
    assert asked_often(library, "t", x="2").value == 4
    assert library.solve("t", x="0.5").value == derive.load(text).solve("t", x="0.5").value == 5


def of(*equations: str, domain: str = "real", when: tuple[str, ...] = ()) -> str:
    """A library of dimensionless quantities; `when` are the conditions of its equations in order, as far as any."""
    names = sorted({name for text in (*equations, *when) for name in re.findall(r"[a-z]\b", text)})
    declared = [f'{name} = {{ unit = "1", domain = "{domain}" }}' for name in names]
    conditions = [f', when = ["{one}"]' if one else "" for one in (*when, *[""] * len(equations))]
    stated = [f'r{i} = {{ equation = "{one}"{conditions[i]} }}' for i, one in enumerate(equations)]
    return "\n".join(["[quantities]", *declared, "[relations]", *stated])


@pytest.mark.parametrize(
    ("text", "target", "usual", "turns"),
    [
        (of("y = 2*x", domain="0..0.8"), "y", {"x": 0.1}, [{"x": 0.4}, {"x": 0.41}, {"x": 0.0}]),
        (of("y = x - 0.5", domain="0..0.8"), "y", {"x": 0.7}, [{"x": 0.5}, {"x": 0.4}]),
        (of("y = 2*x"), "x", {"x": 1, "y": 2}, [{"x": 2, "y": 4}, {"x": 2, "y": 5}]),
        (of("y = a*x"), "x", {"a": 2, "y": 4}, [{"a": 0, "y": 4}, {"a": 0, "y": 0}]),
        (of("y = x**2"), "x", {"y": 0}, [{"y": 4}, {"y": -1}]),
        (of("y = sqrt(x)"), "x", {"y": 2}, [{"y": -2}, {"y": 3}]),
        (of("y = max(x, a)"), "x", {"y": 3, "a": 1}, [{"y": 3, "a": 3}, {"y": 3, "a": 4}]),
        (of("t = 2*w", "t = 3*w", "w = 3*x", when=("w < 5", "w >= 5")), "t", {"x": 1}, [{"x": 2}, {"x": 1.5}]),
        (of("t = 2*x", "w = 3*x", "t = 5*x", when=("w < 5", "", "w >= 5")), "t", {"x": 1}, [{"x": 2}, {"x": 1.5}]),
        (
            of("z = x + y", "w = 5*x", "t = w + z", when=("w < 1",)),
            "t",
            {"x": 1, "y": 1, "z": 3},
            [{"x": 0.1, "y": 1, "z": 3}, {"x": 0.1, "y": 1, "z": 1.1}],
        ),
        (of("z = x + y", "t = x + z"), "t", {"x": 1, "y": 2}, [{"x": 1, "y": 1e300}, {"x": 1e-300, "y": 1}]),
        # y is (a + 1)/2, and at least 1 only from a = 1 on
        pytest.param(
            of("sqrt(x) = y - 1", "x = y**2 - a"),
            "x",
            {"a": 2},
            [{"a": 4}, {"a": 0.5}, {"a": 1.5}],
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_what_turns_out_otherwise_is_told_as_if_it_were_asked_first(text, target, usual, turns):
    library = derive.load(text)
    for given in [usual, usual, usual, *turns, *turns, usual]:
        found = [outcome(one, target, given, by_trace=True) for one in (library, derive.load(text))]
        assert found[0] == found[1], given


ROOFLINE = """
[quantities]
price = { unit = "USD/s" }
tokens = { unit = "token" }
compute = { unit = "s" }
size = { unit = "GB" }
cache = { unit = "GB/token" }
bandwidth = { unit = "GB/s" }
weights = { unit = "s" }
kv = { unit = "s" }
step = { unit = "s" }
cost = { unit = "USD/token" }
[relations]
weights = { equation = "weights = size/bandwidth" }
kv = { equation = "kv = cache*tokens/bandwidth" }
step = { equation = "step = max(compute, weights + kv)" }
cost = { equation = "cost = price*step/tokens" }
"""


@pytest.mark.thorough
@every("seed", range(40), ordinary=8, thorough=20)
def test_simultaneous_equations_with_a_maximum_come_back_in_the_case_that_holds(seed):
    draw = random.Random(f"roofline {seed}")
    roofline = derive.load(ROOFLINE)
    for _ in range(TIMES):
        price, tokens, size = (draw.randint(1, 9) for _ in range(3))
        compute = draw.randint(1, 6) / 2  # beside a step of 2 s: it is shorter, as long, or longer
        given = {
            "price": f"{price} USD/s",
            "tokens": f"{tokens} token",
            "compute": f"{compute} s",
            "size": f"{size} GB",
            "cache": "0.25 GB/token",
            "cost": f"{2 * price / tokens!r} USD/token",
        }
        answers = roofline.solve_all("bandwidth", **given) if compute <= 2 else ()
        found = outcome(roofline, "bandwidth", given, by_trace=True)
        if compute < 2:
            assert math.isclose(found[0], (size + tokens / 4) / 2 * answers[0].quantity.unit.to_base(1.0), rel_tol=1e-9)
        elif compute > 2:
            assert isinstance(found, type)


def test_bounds_over_ranges_are_those_of_the_trace():
    ohm = derive.load(OHM)
    asked_often(ohm, "P", I="1..2 A", R="3 ohm")
    for low, high in ((1, 3), (2, 5), (0.1, 0.4)):
        answer = ohm.solve("P", I=f"{low}..{high} A", R="4..6 ohm")
        assert answer.bounds == pytest.approx((4 * low**2, 6 * high**2))
        answer = ohm.solve("V", I=f"{low}..{high} A", R="4..6 ohm")
        assert answer.bounds == pytest.approx((4 * low, 6 * high))
        assert answer.base == pytest.approx(5 * (low + high) / 2)


def test_a_range_that_stands_in_two_places_is_not_taken_at_its_ends():
    turning = derive.load(of("y = x*z", "z = 4 - x"))
    for high in (3, 3, 3, 3.5, 4):
        assert turning.solve("y", x=f"1..{high}").bounds == pytest.approx((min(3, high * (4 - high)), 4), abs=1e-5)


def test_a_range_that_changes_a_condition_is_left_to_the_solver():
    text = of("t = 2*x", "t = 3*x", when=("x < 5", "x >= 5"))
    library = derive.load(text)
    for low, high in ((1, 2), (1, 2), (1, 2), (4, 4.5), (6, 7), (6, 7), (6, 7), (4, 6), (4.5, 7)):
        asked = {"x": f"{low}..{high}"}
        assert outcome(library, "t", asked, by_trace=True) == outcome(derive.load(text), "t", asked, by_trace=False)


TWO_ARMS = """
[quantities]
x = { unit = "1", domain = "positive" }
t = { unit = "1" }
u = { unit = "1", domain = "real" }
v = { unit = "1", domain = "real" }
n = { unit = "1" }
[relations]
u = { equation = "u = %s + %s" }
v = { equation = "v = %s + (%s if n > 3 else 0)" }
t = { equation = "t = max(u, v)" }
"""


@pytest.mark.thorough
@every("seed", range(60), ordinary=12, thorough=28)
@pytest.mark.parametrize("falls", [False, True])
def test_simultaneous_equations_over_a_range_are_bounded_where_it_ends(falls, seed):
    """The greater of two arms that rise with the unknown, or both fall: each of them alone would bound it."""
    draw = random.Random(f"two arms {seed} {falls}")
    a, b, c, d = (draw.randint(1, 40) / 10 for _ in range(4))
    arms = (f"{a}/x", b, f"{c}/x", d) if falls else (f"{a}*x", b, f"{c}*x", d)
    library = derive.load(TWO_ARMS % arms)

    def unknown(t: float, n: float) -> float:
        shift = d if n > 3 else 0
        return max(a / (t - b), c / (t - shift)) if falls else min((t - b) / a, (t - shift) / c)

    for _ in range(8):
        low = 5 + draw.randint(0, 200) / 10
        high = low + draw.choice((0.1, 1.5, 20))
        n = draw.choice((1, 2, 3, 4))
        answer = library.solve("x", t=f"{low}..{high}", n=str(n))
        assert answer.base == pytest.approx(unknown((low + high) / 2, n), rel=1e-9)
        assert answer.bounds == pytest.approx(sorted((unknown(low, n), unknown(high, n))), rel=1e-6)


@every("seed", range(40), ordinary=15, thorough=16)
def test_a_second_case_that_comes_to_hold_is_not_overlooked(seed):
    """One arm rises with x and one falls: far up only the first leads to a positive x, further down both do."""
    draw = random.Random(f"second case {seed}")
    a, c = draw.randint(1, 40) / 10, draw.randint(30, 90) / 10
    meeting = c * a / (a + 1)
    library = derive.load(TWO_ARMS % (f"{a}*x", "0", f"{c} - x", "0"))
    for t in (c + 1, c + 2, c + 3, c + 4):
        assert library.solve("x", t=str(t), n="1").base == pytest.approx(t / a)
    for share in (0.1, 0.5, 0.9):
        t = meeting + share * (c - meeting)
        with pytest.raises(AmbiguousError) as several:
            library.solve("x", t=str(t), n="1")
        assert sorted(answer.base for answer in several.value.answers) == pytest.approx(sorted((t / a, c - t)))
    with pytest.raises(DeriveError):
        library.solve("x", t=str(meeting / 2), n="1")


@every("seed", range(30), ordinary=5)
def test_what_is_linear_in_each_of_two_ranges_is_bounded_at_their_corners(seed):
    """`y = p*q - p` moves one way with q and, with p, one way or the other: as plain Python finds it on a grid."""
    draw = random.Random(f"corners {seed}")
    product = derive.load(of("y = p*q - p"))
    for _ in range(6):
        spans = {}
        for name in "pq":
            low = draw.randint(-40, 40) / 10
            spans[name] = (low, low + draw.randint(1, 30) / 10)
        answer = product.solve("y", **{name: f"{low}..{high}" for name, (low, high) in spans.items()})
        grid = [[low + (high - low) * step / 40 for step in range(41)] for low, high in (spans["p"], spans["q"])]
        values = [p * q - p for p in grid[0] for q in grid[1]]
        assert answer.bounds == pytest.approx((min(values), max(values)), rel=1e-6, abs=1e-9)


RANGED_PROFILE = """
[profiles.stated]
{name} = {{ value = "{middle}", range = "{low}..{high}", source = "a test", kind = "assumed" }}
"""


def test_bounds_over_the_range_of_a_profile_are_those_of_the_trace():
    ohm = derive.load(OHM + RANGED_PROFILE.format(name="R", middle="5 ohm", low=4, high="6 ohm"))
    asked_often(ohm, "P", "stated", I="1 A")
    for current in (2, 3, 0.1):
        answer = ohm.solve("P", "stated", I=f"{current} A")
        assert answer.base == pytest.approx(5 * current**2)
        assert answer.bounds == pytest.approx((4 * current**2, 6 * current**2))
        assert not is_explained(answer)
    ranged = ohm.solve("P", "stated", I="1..2 A")
    assert ranged.bounds == pytest.approx((4, 24))


@pytest.mark.thorough
@every("seed", range(60), ordinary=8, thorough=20)
@pytest.mark.parametrize(
    "equations",
    [
        ("y = x*z", "z = a - x"),  # the range stands in two places, and may turn
        ("z = max(x, a)", "y = a*z"),  # which arm it is may change within the range
        ("y = x*x - a*x",),
        ("x = y + a",),
        ("z = a/(x*x + 1)", "y = z - x"),
        ("z = floor(x)", "y = z + a"),
    ],
)
def test_a_trace_bounds_what_a_profile_states_as_the_solver_does(seed, equations):
    """Both are asked at the same numbers, with the range of the profile about them."""
    draw = random.Random(f"profile {seed}")
    low, width = draw.randint(-20, 20) / 10, draw.randint(1, 30) / 10
    middle = low + draw.randint(1, 9) / 10 * width
    stated = RANGED_PROFILE.format(name="x", middle=f"{middle:.2f}", low=f"{low:.2f}", high=f"{low + width:.2f}")
    library = derive.load(of(*equations) + stated)
    for _ in range(TIMES):
        a = draw.randint(-40, 60) / 10
        quick = library.solve("y", "stated", a=str(a))
        slow = the_one(library.solve_all("y", "stated", a=str(a)))
        assert quick.base == pytest.approx(slow.base, rel=1e-12, abs=1e-12)
        assert quick.bounds == pytest.approx(slow.bounds, rel=1e-9, abs=1e-9)


def test_a_range_typed_is_bounded_by_the_trace_also_with_profiles_that_yield():
    """What conditions compare is found for the solver's own bounds; it is no second way to decide."""
    price = {"chips": "8 chip", "batch": "32 sequence", "context": "8 ktoken/sequence"}
    chip = ("h100-sxm:fp8", "llama3-70b")
    asked_often(derive.llm, "cost_per_token", *chip, **price, chip_price="2..3 USD/h/chip")
    answer = derive.llm.solve("cost_per_token", *chip, **price, chip_price="2.5..4 USD/h/chip")
    assert not is_explained(answer)
    solved = the_one(derive.llm.solve_all("cost_per_token", *chip, **price, chip_price="2.5..4 USD/h/chip"))
    assert answer.bounds == pytest.approx(solved.bounds, rel=1e-12)
    assert not is_explained(answer)


@every("seed", range(20), ordinary=6)
def test_the_range_of_a_profile_that_turns_and_changes_a_condition_is_bounded_as_a_grid_says(seed):
    draw = random.Random(f"grid {seed}")
    low, width = draw.randint(-20, 0) / 10, draw.randint(10, 30) / 10
    stated = RANGED_PROFILE.format(name="x", middle=f"{low + width / 2:.2f}", low=low, high=f"{low + width:.1f}")
    library = derive.load(of("z = x*x + a", "y = z - x if a > x else z + x") + stated)
    grid = [low + width * step / 3000 for step in range(3001)]
    for _ in range(TIMES):
        a = draw.randint(-10, 40) / 10
        values = [x * x + a - x if a > x else x * x + a + x for x in grid]
        answer = library.solve("y", "stated", a=str(a))
        assert answer.bounds == pytest.approx((min(values), max(values)), abs=0.02)  # a step of the grid, at a jump
