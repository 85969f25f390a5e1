"""One period of a periodic equation: the part of an unbounded domain that is searched."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from derive.expressions.functions import PERIODIC
from derive.expressions.tree import Apply, Equation, Node, names_in, rebuilt, walk
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import ZERO, occurrences
from derive.numerics.intervals.arithmetic import Span
from derive.numerics.root_finding.root_boxes import last_holding
from derive.tolerances import AGREEMENT, LARGEST, SAME_ROOT, SMALLEST
from quantities.domain import Domain

_MULTIPLE = 24  # limit on turns of the slowest angle in a common period


def turn_in_words(low: float, high: float, domain: Domain) -> str:
    """The words for the turn, in base units, in which an unknown of this domain was sought.

    >>> from quantities.domain import read_domain
    >>> from quantities.spelling import parse_unit
    >>> turn_in_words(0.0, math.pi, read_domain("real", parse_unit("degree")))
    'sought in one turn, from 0 degree to 180 degree'
    """
    return f"sought in one turn, from {domain.told(low)} to {domain.told(high)}"


def one_turn(equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> Domain | None:
    """One turn of the angles that contain the unknown: the part of an unbounded domain that is searched."""
    if math.isfinite(domain.low) and math.isfinite(domain.high):
        return None
    angles = angles_of(equation, name)
    spans = [span for angle in angles if (span := _turn_of(angle, name, known, domain))]
    if not spans:
        return None
    low, high = max(spans, key=lambda span: span[1] - span[0])
    common = _common_period([span[1] - span[0] for span in spans]) if len(spans) == len(angles) else None
    if common and low < 0 < high:
        low, high = -common / 2, common / 2
    elif common:
        high = low + common
    return Domain(f"{low:.6g}..{high:.6g}", low, high, domain.open_low and low == 0, domain.unit)


def recurs(equation: Equation, name: str, known: Mapping[str, float]) -> bool:
    """Whether one period shows all solutions: all angles that contain the unknown have a common period.

    >>> from derive.expressions.grammar import parse_equation
    >>> [recurs(parse_equation(text), "x", {"a": 0.3}) for text in ("sin(2*x) = cos(3*x)", "sin(x) = a*sin(x**2)")]
    [True, False]
    """
    angles = set(angles_of(equation, name))
    outside = any(occurs_outside_angles(side, name) for side in (equation.lhs, equation.rhs))
    rates = [_rate_of(angle, name, known) for angle in angles]
    linear = [math.tau / abs(rate) for rate in rates if rate]
    return not outside and (len(angles) == 1 or (len(linear) == len(angles) and _common_period(linear) is not None))


def angles_of(equation: Equation, name: str) -> list[Node]:
    """The angles of an equation that contain a name, once for each sine, cosine and tangent."""
    return [
        part.args[0]
        for part in walk(equation.lhs, equation.rhs)
        if isinstance(part, Apply) and part.op in PERIODIC and occurrences(part, name)
    ]


def _common_period(turns: Sequence[float]) -> float | None:
    """The common period of several turns: their least common multiple; None if there is no small one."""
    longest = max(turns)
    for count in range(1, _MULTIPLE + 1):
        shares = [count * longest / turn for turn in turns]
        if all(abs(share - round(share)) <= SAME_ROOT * share for share in shares):
            return count * longest
    return None


def _rate_of(angle: Node, name: str, known: Mapping[str, float]) -> float | None:
    """The rate at which an angle turns with the unknown; None if it is not constant."""

    def angle_at(x: float) -> float:
        return value(angle, {**known, name: x})

    rate = angle_at(1.0) - angle_at(0.0)
    steady = rate == rate and rate != 0 and abs(angle_at(3.0) - angle_at(0.0) - 3 * rate) <= AGREEMENT * abs(rate)
    return rate if steady else None


def _turn_of(angle: Node, name: str, known: Mapping[str, float], domain: Domain) -> Span | None:
    """The span of one turn of an angle: half a turn to each side of zero, or a turn from the domain's end."""

    def angle_at(x: float) -> float:
        return value(angle, {**known, name: x})

    rate = _rate_of(angle, name, known)
    if rate:
        turn = math.tau / abs(rate)
        low = -turn / 2 if domain.low < 0 else max(domain.low, 0.0)
        return low, (turn / 2 if domain.low < 0 else low + turn)
    start, end = max(domain.low, SMALLEST), min(domain.high, LARGEST)
    if not abs(angle_at(start)) < math.tau:
        start, end = end, start
    first = angle_at(start)
    if not abs(first) < math.tau:
        return None
    last = last_holding(lambda x: abs(angle_at(x) - first) <= math.tau, start, end)
    return min(start, last), max(start, last)


def occurs_outside_angles(form: Node, name: str) -> bool:
    """Whether a name occurs outside of sines, cosines and tangents, so that an equation has no period."""
    outside = rebuilt(form, lambda part: ZERO if isinstance(part, Apply) and part.op in PERIODIC else None)
    return name in names_in(outside)
