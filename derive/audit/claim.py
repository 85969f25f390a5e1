"""A claim as data: what is claimed, in which readings, and what each reading asks of the library.

A claim holds if all its clauses hold. A clause has readings, each a question to the library and a criterion for the
answer. The first is the natural one: the clause as stated, as the speaker's listeners would take it, with the numbers
that the claim or its talk names and the published chip or model that it speaks of. It alone decides. All others stand
beside it, with verdicts of their own. Inputs that the claim leaves open have a range; other
inputs that might have to change, because the claim or the catalogue states them, are named. No verdict is stored: it
follows from the answers.

What an answer must meet is a number, a range or a bound; or it must be impossible, independent of something, or sound.
A spoken number is reproduced if the computed one rounds to its digits (at least two). It is rounded if the two differ
by no more than a factor of 1.25, whichever is the larger, and wrong beyond. A range or a bound states its own
tolerance: the answer is in or out, at the digits of its ends, with nothing between.

A scene is what several claims say about one thing, stated all at once.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from derive.tolerances import AGREEMENT
from quantities.value import Value, read_value

BEARING = 1.25
"""The tolerance of a spoken number: the factor by which it may be larger or smaller than the computed one."""

SIDES = ("at least", "at most", "more than", "less than")
"""The side of a bound on which the answer must lie, and whether its end is included."""

_PRINTED = re.compile(r"[-+]?(?P<whole>\d*)(?P<point>\.?)(?P<behind>\d*)")
_DIGITS = 2  # least digits of a spoken number: "300" means nearer to 300 than to 290 or 310


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """One question to the library; a given may itself be a question, whose answer is then given."""

    target: str
    profiles: tuple[str, ...] = ()
    given: tuple[tuple[str, str | WrittenQuestion], ...] = ()

    def having(self, path: str, value: str) -> WrittenQuestion:
        """The same question of a claim with another given; the path leads into inner questions.

        >>> bytes_asked = WrittenQuestion("weight_bytes", (), (("total_parameters", "1 Tparameter"),))
        >>> time_asked = WrittenQuestion("weight_time", (), (("weight_bytes", bytes_asked),))
        >>> print(time_asked.having("weight_bytes/total_parameters", "2 Tparameter"))
        weight_time, weight_bytes = (weight_bytes, total_parameters = 2 Tparameter)
        """
        name, _, inner_path = path.partition("/")
        inner = dict(self.given).get(name)
        new = inner.having(inner_path, value) if inner_path and isinstance(inner, WrittenQuestion) else value
        return WrittenQuestion(self.target, self.profiles, tuple({**dict(self.given), name: new}.items()))

    def __str__(self) -> str:
        given = [
            f"{name} = ({value})" if isinstance(value, WrittenQuestion) else f"{name} = {value}"
            for name, value in self.given
        ]
        return ", ".join([self.target, *self.profiles, *given])


@dataclass(frozen=True, slots=True)
class Statement:
    """An equation whose units are to fit; quantities that the library does not know come with their units."""

    equation: str
    units: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return ", ".join([self.equation, *(f"{name} in {unit or '1'}" for name, unit in self.units)])


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, a range such as 15..20 ms, or a bound on one side, which may be the answer to another question."""

    stated: str | WrittenQuestion
    side: str = ""

    def __str__(self) -> str:
        return f"{self.side} {self.stated}".lstrip()


@dataclass(frozen=True, slots=True)
class Impossibility:
    """The claim of impossibility: the question has no solution, or contradicts itself."""

    def __str__(self) -> str:
        return "impossible"


@dataclass(frozen=True, slots=True)
class Independence:
    """The claim of independence: the closed form of the target does not contain these quantities."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"no {' and no '.join(self.names)} in it"


@dataclass(frozen=True, slots=True)
class UnitAgreement:
    """The claim that the two sides of a statement have one unit."""

    def __str__(self) -> str:
        return "units that fit"


Criterion = Amount | Impossibility | Independence | UnitAgreement


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A computed number against a criterion; `ratio` is the claim, or its nearer end, over the computed number."""

    holds: bool
    exactly: bool
    ratio: float

    @property
    def off(self) -> float:
        """The factor between the claimed and the computed number, at least 1; infinite if there is none."""
        return max(self.ratio, 1 / self.ratio) if self.ratio > 0 else math.inf


def read_expected(text: str) -> Amount | Impossibility:
    """Read the criterion of a claim from a text: a number, a range, a bound, or impossibility.

    >>> read_expected("15..20 ms"), read_expected("at least 1 Mtoken")
    (Amount(stated='15..20 ms', side=''), Amount(stated='1 Mtoken', side='at least'))
    """
    if text == "impossible":
        return Impossibility()
    side = next((side for side in SIDES if text.startswith(f"{side} ")), "")
    stated = text.removeprefix(side).strip() if side else text
    read_value(stated)
    return Amount(stated, side)


def compared(criterion: Amount, claimed: Value, computed: float) -> CriterionResult:
    """Compare a computed number with what a claim's criterion demands, both in the claim's unit.

    >>> from quantities.value import read_value
    >>> [compared(Amount("15 ms"), read_value("15 ms"), x).holds for x in (14.96, 14.4, 23.9)]
    [True, True, False]
    >>> [compared(Amount("300"), read_value("300"), x).holds for x in (239, 240, 375, 376)]
    [False, True, True, False]
    >>> compared(Amount("15..20 ms"), read_value("15..20 ms"), 20.4)
    CriterionResult(holds=True, exactly=True, ratio=1.0)
    """
    if criterion.side:
        holds = _is_beyond(criterion.side, claimed.number, computed)
    elif claimed.is_range:
        holds = _rounded(computed, claimed.low) >= claimed.low and _rounded(computed, claimed.high) <= claimed.high
    else:
        ratio = _ratio(claimed.number, computed)
        exactly = _rounded(computed, claimed.number) == claimed.number or ratio == 1
        off = CriterionResult(exactly, exactly, ratio).off
        return CriterionResult(holds=exactly or off <= BEARING * (1 + AGREEMENT), exactly=exactly, ratio=ratio)
    ratio = 1.0 if holds else _ratio(_nearest(criterion, claimed, computed), computed)
    return CriterionResult(holds, exactly=holds, ratio=ratio)


def _is_beyond(side: str, end: float, computed: float) -> bool:
    """Whether a computed number lies on the claimed side of a bound."""
    beyond, slack = computed - end, AGREEMENT * abs(end)
    return {
        "at least": beyond >= -slack,
        "at most": beyond <= slack,
        "more than": beyond > slack,
        "less than": beyond < -slack,
    }[side]


def _nearest(criterion: Amount, claimed: Value, computed: float) -> float:
    """The number that a claim's criterion states, or the end of its range that is nearest to the computed one."""
    if criterion.side or not claimed.is_range:
        return claimed.number
    return claimed.low if computed < claimed.low else claimed.high


def goals(criterion: Amount, claimed: Value, computed: float) -> tuple[float, ...]:
    """The numbers that would meet the criterion of a claim: its own or the nearest end, then that of its tolerance."""
    nearest = _nearest(criterion, claimed, computed)
    if criterion.side or claimed.is_range:
        return (nearest,)
    return nearest, min((nearest / BEARING, nearest * BEARING), key=lambda end: abs(end - computed))


def _ratio(claimed: float, computed: float) -> float:
    if abs(claimed - computed) <= AGREEMENT * (abs(computed) if claimed else 1.0):
        return 1.0
    return claimed / computed if computed else math.inf


def as_printed(computed: float, stated: str) -> bool:
    """Whether a computed number meets a printed one as a criterion: it rounds to all its digits, also trailing zeros.

    >>> as_printed(2.0007, "2.00 s"), as_printed(2.0071, "2.00 s"), as_printed(295.5, "300 token")
    (True, False, True)
    """
    printed = _PRINTED.match(stated.strip())
    claimed = read_value(stated).number
    if printed is None or not claimed:
        return abs(computed - claimed) <= AGREEMENT
    before_point, has_point, after_point = printed["whole"], printed["point"], printed["behind"] or ""
    digits = len((before_point + after_point).lstrip("0")) if has_point else len(before_point.strip("0"))
    return math.isclose(_to_digits(computed, digits), claimed, rel_tol=AGREEMENT)


def _rounded(computed: float, claimed: float) -> float:
    """The computed number with as many digits as the claim states."""
    return _to_digits(computed, len(f"{abs(claimed):.12g}".partition("e")[0].replace(".", "").strip("0")))


def _to_digits(number: float, digits: int) -> float:
    return float(f"{number:.{max(digits, _DIGITS) - 1}e}")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a clause.

    `response_to` names quantities: what is judged is then by how many percent the answer moves if they all move by
    one. `leaves_open` names the inputs that the claim leaves open, each with its range; `may_change` other inputs that
    could differ. `each` names quantities: the reading is asked with every profile of the library that states them all,
    and `share` is how many of these must hold: 0.5 where the claim speaks of what is usual.
    """

    words: str
    question: WrittenQuestion | Statement
    criterion: Criterion
    response_to: tuple[str, ...] = ()
    leaves_open: tuple[tuple[str, str], ...] = ()
    may_change: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a claim that can be true by itself; the first of its readings is the natural one."""

    words: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A paraphrased claim and its name; who made it, where and at which place in it, and the words.

    `brief` is the claim in a few words, for tables; the statement if there are none. `plainly` says what it comes to,
    with the computed and the claimed number of the part that decides in the place of {computed} and {claimed}.
    """

    name: str
    statement: str
    clauses: tuple[Clause, ...]
    speaker: str = ""
    place: str = ""
    at: str = ""
    words: str = ""
    brief: str = ""
    plainly: str = ""

    @property
    def said(self) -> str:
        """Who said the claim, where, and in which words.

        >>> Claim("C", "it is late", (), "A. Speaker", "a talk", "minute 3", "it is late").said
        'A. Speaker, a talk, minute 3: "it is late"'
        """
        speaker_and_place = ", ".join(filter(None, (self.speaker, self.place, self.at)))
        return f'{speaker_and_place}: "{self.words}"' if self.words else speaker_and_place


@dataclass(frozen=True, slots=True)
class Assertion:
    """A claim's value of one quantity."""

    claim: str
    quantity: str
    value: str
    printed: bool = False  # an exact number, without tolerance

    @property
    def name(self) -> str:
        return f"{self.quantity}_by_{self.claim}"

    @property
    def room(self) -> str:
        """The range of the claim's value within its tolerance."""
        value = read_value(self.value)
        if self.printed or value.is_range:
            return self.value
        return f"{value.number / BEARING!r}..{value.number * BEARING!r} {value.unit.text}".rstrip()

    def __str__(self) -> str:
        return f"{self.claim}: {self.quantity} = {self.value}"


@dataclass(frozen=True, slots=True)
class Scene:
    """One thing about which several claims are made, and what is assumed of it."""

    words: str
    premises: tuple[tuple[str, str], ...]
    assertions: tuple[Assertion, ...]
