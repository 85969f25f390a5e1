"""Piecewise rational equations solved exactly, against a plain evaluation of the same text in fractions."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import chain, pairwise

import pytest

import derive
from derive.expressions.grammar import parse_equation, parse_expression
from derive.numerics.algebra.piecewise_rationals import exact_preimage, exact_solutions
from derive.solving.blocks.one_unknown import values_of
from quantities.domain import Domain
from quantities.rational import exact_of, written
from tests.ordinary import every

DOMAINS = (
    Domain("real", -math.inf, math.inf),
    Domain("positive", 0.0, math.inf, open_low=True),
    Domain("nonnegative", 0.0, math.inf),
    Domain("-3.5..4.2", -3.5, 4.2),
)
VERY_FAR = Fraction(10**6)


def _decimal(rng: random.Random, most: int, places: int = 1) -> Fraction:
    return Fraction(rng.randint(-most * 10**places, most * 10**places), 10**places)


class Line:
    """A text that is linear piece by piece, and all lines that its choices may take."""

    def __init__(self, text: str, slopes: list[tuple[Fraction, Fraction]]) -> None:
        self.text = text
        self.slopes = slopes

    def at(self, x: Fraction) -> Fraction:
        numbers = "".join(f"Fraction({part!r})" if _is_number(part) else part for part in _parts(self.text))
        found: Fraction = eval(numbers, {"Fraction": Fraction, "x": x, "max": max, "min": min, "abs": abs})
        return found


def _parts(text: str) -> list[str]:
    for sign in "()*/+-,":
        text = text.replace(sign, f" {sign} ")
    text = text.replace("*  *", "**")
    return [f" {part} " if part in ("if", "else", "<") else part for part in text.split()]


def _is_number(part: str) -> bool:
    return part[0].isdigit()


def _line(rng: random.Random, depth: int) -> Line:
    """A random expression; the pairs of slope and offset of everything that it may be on a stretch."""
    if depth == 0:
        if rng.random() < 0.6:
            return Line("x", [(Fraction(1), Fraction(0))])
        offset = abs(_decimal(rng, 9, 2))
        return Line(str(float(offset)), [(Fraction(0), offset)])
    one = _line(rng, depth - 1)
    other = _line(rng, depth - 1)
    match rng.choice(("+", "-", "*", "max", "min", "abs", "max", "min")):
        case "*":
            factor = abs(_decimal(rng, 4)) or Fraction(1)
            return Line(f"{float(factor)}*({one.text})", [(factor * m, factor * c) for m, c in one.slopes])
        case "abs":
            return Line(f"abs({one.text})", [*one.slopes, *((-m, -c) for m, c in one.slopes)])
        case "+":
            return Line(
                f"({one.text} + {other.text})", [(m + p, c + q) for m, c in one.slopes for p, q in other.slopes]
            )
        case "-":
            lines = [(m - p, c - q) for m, c in one.slopes for p, q in other.slopes]
            return Line(f"({one.text} - ({other.text}))", lines)
        case choice:
            return Line(f"{choice}({one.text}, {other.text})", [*one.slopes, *other.slopes])


def _inner_breaks(line: Line, parts: list[Line]) -> list[Fraction]:
    """Every place at which two lines cross, or one is zero: a superset of the places at which the slope changes."""
    every_line = list(dict.fromkeys([(Fraction(0), Fraction(0)), *(pair for part in parts for pair in part.slopes)]))
    breaks = {
        (d - b) / (a - c) for place, (a, b) in enumerate(every_line) for c, d in every_line[place + 1 :] if a != c
    }
    return sorted(breaks)


def _expected(
    line: Line, parts: list[Line], y: Fraction, domain: Domain
) -> tuple[list[Fraction], list[tuple[float, float]]]:
    """The solutions, from the values at two points of each stretch between breaks."""
    low = -VERY_FAR if math.isinf(domain.low) else Fraction(str(domain.low))
    high = VERY_FAR if math.isinf(domain.high) else Fraction(str(domain.high))
    places = sorted({low, high, *(x for x in _inner_breaks(line, parts) if low < x < high)})
    points = {x for x in places if line.at(x) == y and float(x) in domain and abs(x) < VERY_FAR}
    spans: list[tuple[Fraction, Fraction]] = []
    for a, b in pairwise(places):
        at = [line.at(a + (b - a) * share) - y for share in (Fraction(1, 3), Fraction(2, 3))]
        if at == [0, 0]:
            spans = [*spans[:-1], (spans[-1][0], b)] if spans and spans[-1][1] == a else [*spans, (a, b)]
        elif at[0] != at[1]:
            x = a + (b - a) * (Fraction(1, 3) + at[0] / (at[0] - at[1]) / 3)
            points |= {x} if a < x < b else set()
    alone = [x for x in sorted(points) if not any(a <= x <= b for a, b in spans)]
    return alone, [(_far(a), _far(b)) for a, b in spans]


def _far(end: Fraction) -> float:
    return math.copysign(math.inf, end) if abs(end) == VERY_FAR else float(end)


@every("seed", range(1500), ordinary=20)
def test_choices_among_lines(seed: int) -> None:
    rng = random.Random(seed)
    parts = [_line(rng, rng.randint(0, 2)) for _ in range(2)]
    kind = rng.choice(("max", "min", "-"))
    if kind == "-":
        whole = Line(f"({parts[0].text} - ({parts[1].text}))", [])
    else:
        whole = Line(f"{kind}({parts[0].text}, {parts[1].text})", [])
    # the slopes inside absolute values and inner choices are among these, since each keeps those of its arguments
    breaks = _inner_breaks(whole, parts)
    y = whole.at(rng.choice(breaks)) if breaks and rng.random() < 0.6 else _decimal(rng, 20, 2)
    domain = rng.choice(DOMAINS)
    number = written(float(y))
    if "x" not in whole.text or exact_of(number) != y:
        return
    solutions = exact_solutions(parse_equation(f"y = {whole.text}"), "x", {"y": number}, domain)
    assert solutions is not None
    points, spans = _expected(whole, parts, y, domain)
    assert [exact_of(x) for x in solutions.points] == points, (whole.text, y)
    assert list(solutions.spans) == spans, (whole.text, y)


def _expected_between(
    line: Line, parts: list[Line], ends: tuple[Fraction, Fraction], domain: Domain
) -> list[tuple[float, float]]:
    """The intervals in which a line lies between two numbers, from the values at and between all places it may turn."""
    low = -VERY_FAR if math.isinf(domain.low) else Fraction(str(domain.low))
    high = VERY_FAR if math.isinf(domain.high) else Fraction(str(domain.high))
    levels = [Line("", [(Fraction(0), end)]) for end in ends]
    sums = [(m + s * p, c + s * q) for m, c in parts[0].slopes for p, q in parts[1].slopes for s in (1, -1)]
    turns = _inner_breaks(line, [*parts, *levels, Line("", sums)])
    places = sorted({low, high, *(x for x in turns if low < x < high)})
    spans: list[tuple[Fraction, Fraction]] = []
    for a, b in pairwise(places):
        for start, end, x in ((a, a, a), (a, b, (a + b) / 2), (b, b, b)):
            is_in_domain = float(x) in domain and abs(x) < VERY_FAR
            if not (is_in_domain and ends[0] <= line.at(x) <= ends[1]):
                continue
            if spans and spans[-1][1] == start and (start == end or _is_inside(line, a, ends, domain)):
                spans[-1] = spans[-1][0], end
            else:
                spans.append((start, end))
    return [(_far(a), _far(b)) for a, b in spans]


def _is_inside(line: Line, x: Fraction, ends: tuple[Fraction, Fraction], domain: Domain) -> bool:
    return float(x) in domain and ends[0] <= line.at(x) <= ends[1]


def _two_lines(rng: random.Random) -> tuple[Line, list[Line]]:
    parts = [_line(rng, rng.randint(0, 2)) for _ in range(2)]
    one, other = (part.text for part in parts)
    text = rng.choice(("max({}, {})", "({} - ({}))", "({1} if {0} < 3.2 else {1} + 2.5)", "({1} if x < 1.5 else {0})"))
    return Line(text.format(one, other), []), parts


@every("seed", range(1500), ordinary=40, thorough=12)
def test_where_choices_among_lines_lie_in_a_range(seed: int) -> None:
    rng = random.Random(seed)
    line, parts = _two_lines(rng)
    parts = [*parts, Line("", [(Fraction(0), Fraction(16, 5)), (Fraction(1), Fraction(-3, 2))])]
    parts.append(Line("", [(m, c + Fraction(5, 2)) for m, c in parts[1].slopes]))
    turns = _inner_breaks(line, parts)
    start = line.at(rng.choice(turns)) if turns and rng.random() < 0.4 else _decimal(rng, 12)
    ends = start, start + abs(_decimal(rng, 8))
    given = written(float(ends[0])), written(float(ends[1]))
    if "x" not in line.text or tuple(map(exact_of, given)) != ends:
        return
    domain = rng.choice(DOMAINS)
    spans = exact_preimage(parse_expression(line.text), "x", {}, given, domain)
    assert spans is not None
    assert list(spans) == _expected_between(line, parts, ends, domain), (line.text, ends)


RATIOS = (
    "{a}/x",
    "x/(x - {a})",
    "x**2 - {a}*x",
    "(x**2 - {b})/(x + {a})",
    "x**3 - {b}*x",
    "max(x**2, {a}/x)",
    "{b}/(x**2 - 2)",
)


@pytest.mark.thorough
@every("seed", range(400), ordinary=20, thorough=44)
def test_where_ratios_lie_in_a_range(seed: int) -> None:
    """Every number of a fine grid lies in an interval that was found just if its value lies in the range."""
    rng = random.Random(seed)
    one, other = (
        rng.choice(RATIOS).format(a=float(abs(_decimal(rng, 5))), b=float(abs(_decimal(rng, 5)))) for _ in range(2)
    )
    text = rng.choice(("{}", "{}", "max({}, {})", "{} + {}", "({} if x < 0.7 else {})")).format(one, other)
    low = _decimal(rng, 9)
    high = low + abs(_decimal(rng, 9))
    line = Line(text, [])
    domain = rng.choice(DOMAINS)
    spans = exact_preimage(parse_expression(text), "x", {}, (written(float(low)), written(float(high))), domain)
    if spans is None:  # a break is irrational
        return
    for step in range(-1200, 1201):
        x = Fraction(step, 97)
        try:
            is_met = float(x) in domain and low <= line.at(x) <= high
        except ZeroDivisionError:
            continue
        holding = [span for span in spans if span[0] <= x <= span[1]]
        at_end = any(math.isclose(x, end, abs_tol=1e-12) for span in holding for end in span)
        assert at_end or is_met == bool(holding), (text, low, high, spans, x)


@every("seed", range(600), ordinary=20, thorough=28)
def test_planted_roots(seed: int) -> None:
    """A polynomial whose leading coefficient is a sum that vanishes, with roots that are simple, multiple or zero."""
    rng = random.Random(seed)
    roots = [rng.choice((Fraction(0), _decimal(rng, 9), _decimal(rng, 9))) for _ in range(rng.randint(1, 3))]
    coefficients = [Fraction(1)]
    for root in (*roots, *rng.sample(roots, rng.randint(0, 1))):
        coefficients = [b - root * a for a, b in zip([*coefficients, 0], [0, *coefficients], strict=True)]
    a, b = abs(_decimal(rng, 9, 2)), abs(_decimal(rng, 9, 2))
    y = _decimal(rng, 9, 2)
    coefficients[0] += y
    names = {f"c{power}": number for power, number in enumerate(coefficients)}
    known = {"a": a, "b": b, "c": a + b, "y": y, **names}
    degree = len(coefficients)
    terms = " + ".join(f"c{power}*x**{power}" for power in range(1, degree))
    declared = "".join(f'{name} = {{ unit = "1", domain = "real" }}\n' for name in ("x", *known))
    library = derive.load(
        f'[quantities]\n{declared}[relations.r]\nequation = "y = (a + b - c)*x**{degree} + c0 + {terms}"\n'
    )
    given = {name: str(float(number)) for name, number in known.items()}
    if any(Fraction(text) != known[name] for name, text in given.items()):
        return
    solutions = [answer.value.magnitude for answer in library.solve_all("x", **given)]
    assert solutions == sorted({float(root) for root in roots}), (library.relations["r"].equation, given)


@pytest.mark.parametrize("seed", range(20))
def test_what_has_no_value_at_a_pole_is_no_solution_there(seed: int) -> None:
    """An equation that holds on both sides of a pole holds not at the pole, where its sides are undefined."""
    rng = random.Random(seed)
    pole, factor = _decimal(rng, 3), _decimal(rng, 5) or Fraction(1)
    text = f"{float(factor)}*(x - ({float(pole)}))**2/(x - ({float(pole)})) = {float(factor)}*(x - ({float(pole)}))"
    domain = DOMAINS[0]
    solutions = exact_solutions(parse_equation(text), "x", {}, domain)
    assert solutions is not None
    assert solutions.points == ()
    assert [(low, exact_of(high)) for low, high in solutions.spans[:1]] == [(-math.inf, pole)]
    assert [(exact_of(low), high) for low, high in solutions.spans[1:]] == [(pole, math.inf)]


@pytest.mark.parametrize(
    ("text", "poles"),
    [
        ("w/x = c/x", [0]),
        ("w/x + 1/(x - 2) = 1/(x - 2) + c/x", [0, 2]),
        ("1/(x + w) = 1/(x + c)", [-8.4]),
        ("w + max(1/x, 3) = max(1/x, 3) + c", [0]),
        ("exp(x/w) = exp(x/c)", []),
        ("w*tanh(x) = c*tanh(x)", []),
        ("exp(w*x) + max(x, 1) = exp(c*x) + max(x, 1)", []),
    ],
)
def test_what_cancels_leaves_every_number_at_which_it_has_a_value(text, poles):
    """A part that cancels may have no value at a trial point, or none that is rational; that refutes nothing."""
    known = {"w": written(8.4), "c": written(8.4)}
    outcome = values_of(parse_equation(text), "x", known, DOMAINS[0])
    ends = sorted(chain.from_iterable(solution.spans["x"] for solution in outcome.solutions))
    assert ends == [-math.inf, *sorted(2 * poles), math.inf]
    apart = values_of(parse_equation(text), "x", {**known, "w": written(8.5)}, DOMAINS[0])
    assert not any(solution.spans for solution in apart.solutions)
