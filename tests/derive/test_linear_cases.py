"""Relations in cases mean what their conditions say: every number and every interval is that of exact elimination.

The long run asks as many questions as one wants, in batches:

    DERIVE_CASES=20000 pytest -m long -n 0 tests/derive/test_linear_cases.py
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction

import pytest

import derive
from derive import LimitError, UnderdeterminedError
from tests.derive.linear_cases import Cases, Piece, Span, decimal, questions, random_cases
from tests.ordinary import every

BATCH = 5
MANY = int(os.environ.get("DERIVE_CASES", "20000"))
NEAR = 1e-6

Interval = tuple[float, float]


def said(span: Span) -> str:
    low, high = span
    return decimal(low) if low == high else f"{decimal(low)}..{decimal(high)}"


def as_floats(span: Span) -> Interval:
    return float(span[0]), float(span[1])


def interval(piece: Piece) -> Interval:
    low = -math.inf if piece.low is None else float(piece.low)
    return low, math.inf if piece.high is None else float(piece.high)


def interval_of(answer: derive.Answer) -> Interval:
    if answer.bounds is not None:
        return answer.bounds
    assert answer.base is not None
    return answer.base, answer.base


def lies_in(inner: Interval, outer: Interval) -> bool:
    def room(x: float) -> float:
        return NEAR * max(1.0, abs(x)) if math.isfinite(x) else 0.0

    return outer[0] - room(outer[0]) <= inner[0] and inner[1] <= outer[1] + room(outer[1])


def is_covered(piece: Interval, spans: Sequence[Interval]) -> bool:
    """Whether a piece lies in some intervals together."""
    low = piece[0]
    for span in sorted(spans):
        if lies_in((low, low), span):
            if lies_in((low, piece[1]), span):
                return True
            low = span[1]
    return False


def is_open(answers: Sequence[derive.Answer]) -> bool:
    open_ones = ("nothing determines", "is not proved", "are not proved", "is assumed to apply", "elsewhere in")
    return any(told in note for one in answers for note in one.assumptions for told in open_ones)


def wrong(cases: Cases, target: str, given: dict[str, Span], *, by_defaults: bool = False) -> str:
    """What is wrong with the reply to a question, in words; nothing, if nothing is."""
    ranged = [name for name, (low, high) in given.items() if low < high]
    if any(
        not is_covered(as_floats(given[name]), [interval(one) for one in cases.values(name, given)]) for name in ranged
    ):
        return ""  # the other givens allow a part of the range only
    library = derive.load(cases.text_with_defaults if by_defaults else cases.text)
    pieces = cases.values(target, given)
    spans = [interval(piece) for piece in pieces]
    is_ranged = bool(ranged)
    try:
        with derive.limits(seconds=10):
            answers = library.solve_all(target, **{name: said(span) for name, span in given.items()})
    except (UnderdeterminedError, LimitError):
        is_fixed = spans and not is_ranged and all(piece.is_point for piece in pieces)
        return f"refused, though it is {sorted(set(spans))}" if is_fixed and len(set(spans)) == 1 else ""
    except derive.DeriveError as error:
        return f"{type(error).__name__}: {error}; but {sorted(set(spans))}" if spans else ""
    found = [interval_of(answer) for answer in answers]
    beside = [one for one in answers if one.base is not None and not is_covered((one.base,) * 2, spans)]
    if beside:
        return f"{[one.base for one in beside]} is not among {sorted(set(spans))}"
    missed = [span for span in spans if not is_covered(span, found)]
    if missed and not is_open(answers):
        return f"{missed} is missing from {found}"
    wide = [span for span in missed if span[0] < span[1]]  # of which it is said that they are open, with their ends
    if any(low == high and not is_covered((low, high), wide) for low, high in missed):
        return f"{missed} is missing from {found}, and only the rest is said to be open"
    loose = ("not proved", "too wide", "contain every value", "are an enclosure", "into account")
    if is_ranged and not any(told in note for answer in answers for note in answer.assumptions for told in loose):
        ends = [end for span in found if span[0] < span[1] for end in span]
        far = [end for end in ends if not any(lies_in((x, x), (end, end)) for span in spans for x in span)]
        if far:
            return f"{far} is no end of {sorted(set(spans))}"
    return ""


def failures(seeds: Iterable[int], *, is_ranged: bool, by_defaults: bool = False) -> list[str]:
    found = []
    for seed in seeds:
        draw = random.Random(f"cases {seed} {is_ranged}")
        cases = random_cases(draw, gapless=is_ranged)
        for target, given in questions(draw, cases, is_ranged=is_ranged):
            what = wrong(cases, target, given, by_defaults=by_defaults)
            if what:
                asked = ", ".join(f"{name} = {said(span)}" for name, span in given.items())
                found.append(f"{seed}: {target} from {asked}: {what}\n{cases.text}\n")
    return found


@every("start", range(0, 25, BATCH), ordinary=10)
@pytest.mark.parametrize("is_ranged", [False, True])
def test_every_case_is_taken_and_no_other(start: int, is_ranged: bool) -> None:
    assert not failures(range(start, start + BATCH), is_ranged=is_ranged)


@every("seed", [21011851])  # an arm that does not bind holds a quantity that is open
def test_ranges_are_followed_beside_arms_that_hold_what_is_open(seed: int) -> None:
    assert not failures([seed], is_ranged=True)


AT_DEFAULTS = (90, 102, 194, 252, 398)  # where a case could not be excluded, since a default is its edge
NEGATIVE_EDGES = (524, 20090, 20278, 20282, 20347, 20598)  # where several are, or the negative of one


@pytest.mark.thorough
@every("seed", (*AT_DEFAULTS, *NEGATIVE_EDGES, *range(6)))
def test_a_default_bounds_a_case_as_the_number_does(seed: int) -> None:
    assert not failures([seed], is_ranged=False, by_defaults=True)


TIES = (102, 417, 777)  # where a bound is a number that a strict condition excludes
ARMS = (14, 150, 438)  # where the arms of a choice lead to several values, and nothing decides between them
DENIED = (141,)  # where a relation does not hold at the givens, so that its condition fails


HOLLOW = (524, 20287, 20563, 22714, 22761, 22831, 22896)  # where a number leaves another quantity no value in any case
ASSUMED = (25, 72, 1592)  # where one answer assumes a case, and the relations leave an interval in the other
SAME_NAMES = (861, 20675, 21770)  # where arms of the same names leave one value, whichever is taken
POINTS = (22431, 30472)  # where a single point is on an edge of a case, or what two conditions leave of a line
GAPS = (20084,)  # where a relation leaves one value in a case that nothing else speaks of
LEFT = (
    62061,
    62471,
    62505,
    62568,
    62572,
    62961,
    63002,
    72332,
    71017,
    71060,
    61914,
    75862,
    76531,
    77814,
    80125,
    76951,
)  # where nothing but all relations together leave a value
EXTREMES = (70640,)  # where a minimum of quantities that stay open excludes one of two values
ROUNDED = (20032, 22797)  # where a sum in a choice cancels to a rounding error, or an arm is a number up to one


@pytest.mark.thorough
@every(
    "seed",
    (*TIES, *ARMS, *DENIED, *HOLLOW, *SAME_NAMES, *POINTS, *GAPS, *LEFT, *EXTREMES, *ROUNDED),
    ordinary=2,
    thorough=8,
)
def test_cases_that_only_a_bound_decides_are_taken_or_excluded(seed: int) -> None:
    assert not failures(range(seed, seed + 1), is_ranged=False)


def bounded_cases(draw: random.Random) -> Cases:
    """A small library most of whose quantities have bounds, which leave few values to the others."""
    cases = random_cases(draw, most=3)
    for name in cases.names:
        below, above = Fraction(draw.randint(0, 20), 10), Fraction(draw.randint(1, 20), 10)
        if draw.random() < 0.7:
            cases.domains[name] = cases.numbers[name] - below, cases.numbers[name] + above
    return cases


UNTOLD = (25, 173)  # refused: where the only value is a zero of rounded numbers, or the end of a bound and of a case


@pytest.mark.thorough
@every("seed", [seed for seed in range(200) if seed not in UNTOLD], ordinary=4, thorough=36)
def test_what_bounds_leave_is_found_and_nothing_else(seed: int) -> None:
    draw = random.Random(f"bounded {seed}")
    cases = bounded_cases(draw)
    assert not any(wrong(cases, target, given) for target, given in questions(draw, cases, is_ranged=False))


@every("seed", ASSUMED)
def test_what_the_relations_leave_in_a_case_that_is_assumed_away_is_among_the_answers(seed: int) -> None:
    assert not failures(range(seed, seed + 1), is_ranged=False)


OPEN = (25, 34, 43, 91, 165, 180, 205, 243, 261, 311, 339, 417, 433)  # where nothing fixes the target in some case


@pytest.mark.thorough
@every("seed", OPEN, ordinary=6, thorough=8)
def test_what_is_left_open_over_ranges_holds_all_of_them(seed: int) -> None:
    assert not failures(range(seed, seed + 1), is_ranged=True)


TURNING = (
    687,
    776,
    20248,
    20942,
    61453,
)  # where a case does not hold throughout the ranges: not all bounds are reached
EXCLUDED = (20270, 20527, 20621, 40031)  # where the case of an answer, or its arm, holds nowhere in the ranges


ISOLATED = (74, 253, 290, 90077, 90124)  # where a case leaves single values beside the intervals of others


@pytest.mark.thorough
@every("seed", ISOLATED)
def test_single_values_beside_intervals_are_among_the_answers_over_ranges(seed: int) -> None:
    assert not failures(range(seed, seed + 1), is_ranged=True)


@pytest.mark.thorough
@every("seed", EXCLUDED)
def test_no_case_is_assumed_that_the_relations_exclude_over_the_ranges(seed: int) -> None:
    assert not failures(range(seed, seed + 1), is_ranged=True)


@pytest.mark.thorough
@every("seed", TURNING)
def test_bounds_beyond_the_edge_of_a_case_are_not_said_to_be_reached(seed: int) -> None:
    assert not failures(range(seed, seed + 1), is_ranged=True)


@pytest.mark.long
@pytest.mark.parametrize("is_ranged", [False, True])
@pytest.mark.parametrize("start", range(25, 25 + MANY // 4, BATCH))  # each library is asked two questions
def test_every_case_is_taken_and_no_other_in_the_long_run(start: int, is_ranged: bool) -> None:
    assert not failures(range(start, start + BATCH), is_ranged=is_ranged)


def with_weak_values(draw: random.Random, cases: Cases, names: Sequence[str], most: int = 0) -> str:
    """The library with defaults or fallbacks for some quantities: their numbers, or up to so many tenths beside."""
    key = draw.choice(["value", "otherwise"])
    lines = []
    for line in cases.text.splitlines():
        name = line.split(" = ")[0]
        if name not in names or "unit" not in line:
            lines.append(line)
            continue
        number = cases.numbers[name] + Fraction(draw.randint(-most, most), 10)
        low, high = cases.domains.get(name, (number, number))
        lines.append(line.replace(" }", f', {key} = "{decimal(min(max(number, low), high))}" }}'))
    return "\n".join(lines)


def asked_with_weak_values(seed: int, most: int = 0) -> tuple[str, Cases, str, dict[str, str]]:
    """A library with weak values, its cases, and a question to it, which the numbers of the cases answer."""
    draw = random.Random(f"weak {seed} {most}")
    cases = random_cases(draw)
    target = draw.choice(cases.names)
    others = [name for name in cases.names if name != target]
    given = {name: decimal(cases.numbers[name]) for name in draw.sample(others, draw.randint(0, len(others)))}
    rest = [name for name in others if name not in given]
    weak = draw.sample(rest, draw.randint(0, len(rest)))
    return with_weak_values(draw, cases, weak, most), cases, target, given


WHERE_THEY_STAND = (3996,)  # seen by all relations together, where all of them stand


@every("seed", (*WHERE_THEY_STAND, *range(80)), ordinary=4)
def test_weak_values_at_a_solution_lose_it_not(seed: int) -> None:
    text, cases, target, given = asked_with_weak_values(seed)
    try:
        answers = derive.load(text).solve_all(target, **given)
    except (UnderdeterminedError, LimitError):
        return
    number = float(cases.numbers[target])
    assert is_covered((number, number), list(map(interval_of, answers))) or is_open(answers)


UNNAMED = (37, 38, 92, 168)  # where no name was told


@pytest.mark.thorough
@every("seed", (*UNNAMED, *range(80)), ordinary=8, thorough=12)
def test_a_denial_that_rests_on_weak_values_names_them(seed: int) -> None:
    """The numbers of the cases answer the question, so that nothing but the weak values denies it."""
    text, _, target, given = asked_with_weak_values(seed, most=30)
    told = ""
    try:
        derive.load(text).solve_all(target, **given)
    except derive.NoSolutionError as error:
        told = str(error)
    except derive.DeriveError:
        pass
    assert not told or "the weak values of" in told or "is not given, and counts as" in told


ARM = """[quantities]
q = { unit = "1", domain = "real"%s }
a = { unit = "1", domain = "real" }
b = { unit = "1", domain = "real" }
c = { unit = "1", domain = "real" }
[relations]
r0 = { equation = "a = 3*q if q < -4.1 else b" }
r1 = { equation = "c = q" }
"""


@pytest.mark.parametrize("weak", ["", ', otherwise = "-5.2"', ', value = "-5.2"'])
def test_a_weak_value_excludes_no_arm_that_would_have_it_yield(weak: str) -> None:
    """With a and b at -0.5, q may be anything from -4.1 on: the default -5.2 leads to another a."""
    library = derive.load(ARM % weak)
    for target in ("q", "c"):
        (answer,) = library.solve_all(target, a="-0.5", b="-0.5")
        assert answer.bounds == (-4.1, math.inf)


BETWEEN = """[quantities]
q0 = { unit = "1", domain = "real" }
q1 = { unit = "1", domain = "real" }
q2 = { unit = "1", domain = "real" }
q3 = { unit = "1", domain = "real" }
q4 = { unit = "1", domain = "real" }
q5 = { unit = "1", domain = "real" }
q6 = { unit = "1", domain = "real" }
[relations]
r0 = { equation = "q2 = (-2*q0) + 3*q1 + (-2.1)", when = ["q0 < -2.1"] }
r1 = { equation = "q3 = ((-0.5*q1) + (-2.8)) if q1 <= -4 else ((-1*q0))" }
r2 = { equation = "q4 = max(0.3*q3 + 1*q0, (-1*q3))" }
r3 = { equation = "q5 = min((-1*q2) + 1.9, 0.3*q0 + 0.3*q3, 0.1*q2 + 1*q1)" }
r4 = { equation = "q6 = 1*q4", when = ["q0 <= -2.1"] }
r5 = { equation = "q6 = 1*q2 + 0.1*q5", when = ["q0 > -2.1"] }
"""


def test_a_value_between_two_strict_cases_is_one() -> None:
    """At q0 = -2.1 neither r0 nor r5 holds, and r4 does: q1 is -4, and all others are as given."""
    given = {"q2": "2.2", "q3": "-0.8", "q5": "-3.78", "q6": "0.8"}
    found = [answer.base for answer in derive.load(BETWEEN).solve_all("q0", **given)]
    assert found == pytest.approx([-8.15, -2.1])
