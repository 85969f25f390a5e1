"""What lines for one point call, in plain Python: the functions of `javascript_runtime.js`, one by one.

Lines that Python itself runs call these functions, numba translates them, and `derive compile` writes their text into
files. So they need nothing but `math` and the tolerances, and are kept to what numba understands, up to the functions
that only programs call. An undefined number is NaN and stays so; nothing raises.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import inf, nan

from derive.tolerances import LAST_DIGIT, SAME_ROOT, SMALLEST
from quantities.tolerances import SAME_COUNT

Gap = Callable[..., float]


def over(x: float, y: float) -> float:
    """The runtime's quotient, infinite or NaN at a divisor of zero, where Python's own raises."""
    if y:
        return x / y
    return nan if not x or x != x or y != y else math.copysign(inf, x) * math.copysign(1.0, y)


def called(function: Callable[..., float], *numbers: float) -> float:
    """Call a function of `math` at runtime without raising: undefined or infinite where it would."""
    try:
        return float(function(*numbers))
    except OverflowError:
        return inf if function in (math.exp, math.cosh) or numbers[0] > 0 else nan
    except ValueError:
        return nan


def sound(x: float) -> float:
    return x + (x - x)


def larger(x: float, y: float) -> float:
    return x if (x >= y) | (x != x) else y  # without a branch, which a processor could not vectorise


def smaller(x: float, y: float) -> float:
    return x if (x <= y) | (x != x) else y


def power(x: float, y: float) -> float:
    return nan if x != x or y != y else called(math.pow, x, y)


def only(*numbers: float) -> float:
    """The one value that lines find at runtime, ignoring NaN; an infinity if they find more or an infinity."""
    found = nan
    for x in numbers:
        if found != found:
            found = x
        elif x == x and not abs(x - found) <= SAME_ROOT * min(abs(x), abs(found)):
            found = inf
    return found


def is_whole(x: float) -> bool:
    return abs(x) < inf and abs(x - round(x)) <= SAME_COUNT * max(1.0, abs(x))


def largest(numbers: Sequence[float]) -> int:
    """The runtime's place of the largest of several numbers, the first of equal ones; -1 if one is undefined."""
    if any(x != x for x in numbers):
        return -1
    return max(range(len(numbers)), key=lambda i: (numbers[i], -i))


def smallest(numbers: Sequence[float]) -> int:
    return largest([-x for x in numbers])


def first(tests: Sequence[bool], has_last: bool) -> int:
    """The runtime's place of the first test that is true; if none is, that of the last arm, or -1."""
    place = next((i for i, test in enumerate(tests) if test is True), -1)
    return place if place >= 0 else len(tests) if has_last else -1


def held(gap: float, excess: float, size: float, tolerance: float) -> int:
    """The runtime's test of a relation: 1 if its sides differ little for their `size`, 2 if not, 3 if undefined."""
    if gap == 0:
        return 1
    if not 0 < size < inf or gap != gap:
        return 3
    return 1 if over(excess, size) <= tolerance else 2


def crossing(gap: Gap, least: Gap, low: float, high: float, inputs: Sequence[float]) -> float:
    """The root of a residual between two ends that the runtime finds by Chandrupatla's method.

    `least` is the size above which a sign is certain. The root is NaN where the ends certainly have the same sign, and
    infinite where that is uncertain.
    """
    x1, f1, x2, f2 = high, gap(high, *inputs), low, gap(low, *inputs)
    if f1 != f1 and f2 == f2:
        x1, f1 = inwards(gap, x1, x2, f2, inputs)
    if f2 != f2 and f1 == f1:
        x2, f2 = inwards(gap, x2, x1, f1, inputs)
    is_sure1 = abs(f1) > least(x1, *inputs) or abs(f1) == inf
    is_sure2 = abs(f2) > least(x2, *inputs) or abs(f2) == inf
    if not (is_sure1 and is_sure2):
        return inf
    if (f1 < 0) == (f2 < 0):
        return nan
    share = 0.5
    for _ in range(200):
        x = cut(x1, x2, share)
        f = gap(x, *inputs)
        if f != f:
            return inf
        if f == 0:
            return x
        if (f < 0) == (f1 < 0):
            x3, f3 = x1, f1
        else:
            x3, f3, x2, f2 = x2, f2, x1, f1
        x1, f1 = x, f
        best = x1 if abs(f1) < abs(f2) else x2
        narrow = over(LAST_DIGIT * abs(best), abs(x2 - x1))
        if narrow >= 0.5:
            return best
        share = min(1 - narrow, max(narrow, curved(x1, f1, x2, f2, x3, f3)))
    return inf


def curved(x1: float, f1: float, x2: float, f2: float, x3: float, f3: float) -> float:
    """The share at which the runtime cuts a bracket by inverse quadratic interpolation, where safe; else a half."""
    across, along = (f1 - f2) / (f3 - f2), (x1 - x2) / (x3 - x2)  # f2 has another sign than f1 and f3
    if not (across * across < along and (1 - across) * (1 - across) < 1 - along):
        return 0.5
    return f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * over(f1, f3 - f1) * f2 / (f3 - f2)


def inwards(gap: Gap, end: float, other: float, at_other: float, inputs: Sequence[float]) -> tuple[float, float]:
    """The end of a bracket that the runtime moves in from an overflow to a sign unlike the other end's."""
    lost, x, f = end, other, at_other
    for _ in range(80):
        if (f < 0) != (at_other < 0):
            return x, f
        near = cut(max(lost, x), min(lost, x), 0.5)
        value = gap(near, *inputs)
        if value != value:
            lost = near
        else:
            x, f = near, value
    return (x, f) if (f < 0) != (at_other < 0) else (end, nan)


def cut(x1: float, x2: float, share: float) -> float:
    """The number at which the runtime cuts a bracket: zero, by ratio, or interpolated."""
    a, b = min(x1, x2), max(x1, x2)
    if a < 0 < b:
        return 0.0
    if 4 * a < b and a >= 0:
        return math.sqrt(max(a, SMALLEST)) * math.sqrt(b)
    if 4 * b > a and b <= 0:
        return -(math.sqrt(max(-b, SMALLEST)) * math.sqrt(-a))
    return x1 + share * (x2 - x1)


def erfinv(y: float) -> float:
    """The runtime's inverse error function, by Halley's steps on `math.erf`, or `math.erfc` near one."""
    if not -1 < y < 1:
        return nan
    if y <= 0:
        return -erfinv(-y) if y else y
    rest = 1 - y
    size = math.log(rest * (1 + y))
    half = 2 / (math.pi * 0.147) + size / 2
    x = math.sqrt(math.sqrt(half * half - size / 0.147) - half)
    for _ in range(6):
        gap = math.erf(x) - y if y < 0.9 or x < 1 else rest - math.erfc(x)
        step = gap * math.sqrt(math.pi) / 2 * math.exp(x * x)
        x -= step / (1 + x * step)
        if abs(step) <= LAST_DIGIT * x:
            break
    return x


def blank(y: list[float], why: int, outputs: int, checks: int) -> None:
    """Fill the list that lines write to at runtime with none yet: outputs, causes, sides, states, arms and forms."""
    states = 2 * outputs + 2 * checks
    y[:outputs] = [nan] * outputs
    y[outputs : 2 * outputs] = [float(why)] * outputs
    y[2 * outputs : states] = [nan] * (states - 2 * outputs)
    y[states:] = [0.0] * checks + [-1.0] * (len(y) - states - checks)


def program(
    alternatives: Sequence[Callable[..., None]], outputs: int, checks: int, unsure: Sequence[int], size: int
) -> Callable[[Sequence[float]], list[float]]:
    """The runtime's function that runs a program at one point, and returns the numbers of the alternative that answers.

    `unsure` says of each reason whether it leaves the question open, and the last reason is that several alternatives
    have an answer.
    """

    def alone(alternative: Callable[..., None], x: Sequence[float]) -> list[float]:
        y = [nan] * size
        blank(y, 1, outputs, checks)
        alternative(x, y)
        return y

    def of_all(x: Sequence[float]) -> list[float]:
        """Run the lines of each alternative at runtime, and return the numbers of the one that has an answer."""
        chosen: list[float] = []
        for alternative in alternatives:
            own = alone(alternative, x)
            if len(alternatives) > 1 and unsure[int(own[outputs]) - 1] and own[outputs]:
                return own
            if chosen and own[0] == own[0] and chosen[0] == chosen[0] and only(chosen[0], own[0]) == inf:
                blank(own, len(unsure), outputs, checks)
                return own
            if not chosen or (own[0] == own[0] and chosen[0] != chosen[0]):
                chosen = own
        return chosen

    return of_all
