"""Verdicts on claims, and claims that cannot hold together: they follow from the numbers by rule.

A reading is reproduced or rounded if its answer meets the claim. If not, the library is asked backwards: for each input
that may change, it solves for its value with the answer as claimed. A change counts only if the claim holds when it is
asked again with it. The smallest has the smallest ratio of new to old, in either direction. A change within what the
claim leaves open, or within the disagreement of its sources, is a condition: the reading is contradicted as stated but
holds conditionally. Any other change contradicts a stated value, and so does a reading that none would mend.

A reading that is asked with many profiles has the verdict that its share of them reaches. A clause has the verdict of
its natural reading, whatever the readings beside it say. A claim has that of its worst clause: of equal verdicts, the
one that is off by the larger factor.

In a scene, what several claims say about one rack, model or fleet is stated at once, each as a relation with the
claim's name. The library is asked, and its error names a smallest conflicting set and its gap. Further sets are found
by leaving out, in turn, each claim of the known sets. A set counts only if its claims still conflict when every
spoken number is given its full tolerance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import chain

from derive.audit.claim import Amount, Assertion, Claim, Clause, Reading, Scene, WrittenQuestion, goals
from derive.audit.weighed_reading import QuestionResult, WeighedReading, formatted, spoken, weigh
from derive.errors import AmbiguousError, DeriveError, InconsistentError, UnderdeterminedError
from derive.library import Library
from derive.model.relation import relate
from derive.presentation.numbers import rounded_text
from derive.solving.execution.answer import Answer
from derive.tolerances import AGREEMENT, TOLD
from quantities.declaration import Declaration
from quantities.value import ASKER, BY_DEFINITION, DEFAULT, Value, read_value

_SIMPLE = 20  # limit on the denominator of a change that is written as a fraction


class Verdict(IntEnum):
    """The verdicts, the best first."""

    REPRODUCED = 0
    ROUNDED = 1
    HOLDS_IF = 2
    CONTRADICTED = 3

    def __str__(self) -> str:
        return "contradicted as stated" if self is Verdict.HOLDS_IF else self.name.lower()


@dataclass(frozen=True)
class Change:
    """One input, its old value, and the answer that has the value it would need."""

    path: str
    old: Value
    answer: Answer
    admissible: bool

    @property
    def ratio(self) -> float:
        """The new value of an input, at which a verdict would change, over the old one."""
        assert self.answer.base is not None
        return self.answer.base / self.old.base[1]

    @property
    def size(self) -> float:
        """How far the changed input's new value is from the old one, either way, by the logarithm of their ratio."""
        return round(abs(math.log(self.ratio)), 9)  # so that equal changes keep the order of the claim

    @property
    def shown(self) -> str:
        """The value that an input would need for another verdict on a claim, in the unit of its old value."""
        assert self.answer.base is not None
        return formatted(self.old.unit.from_base(self.answer.base), self.old.unit)

    def __str__(self) -> str:
        return f"{self.path.replace('/', ', ')} = {self.shown}, {_times(self.ratio)} {_whose(self.old)}"


@dataclass(frozen=True)
class Judgement:
    """A reading, the library's answer, and the changes that would make it hold, the smallest first."""

    weighed: WeighedReading
    changes: tuple[Change, ...]

    @property
    def verdict(self) -> Verdict:
        if self.weighed.result.holds:
            return Verdict.REPRODUCED if self.weighed.result.exactly else Verdict.ROUNDED
        is_open = any(change.admissible for change in self.changes)
        return Verdict.HOLDS_IF if is_open else Verdict.CONTRADICTED

    @property
    def words(self) -> str:
        return self.weighed.reading.words

    @property
    def change(self) -> Change | None:
        """The change that the verdict names: the smallest admissible one, or else the smallest."""
        admissible = [change for change in self.changes if change.admissible]
        return next(iter(admissible or self.changes), None)

    @property
    def why(self) -> str:
        """The reason of the verdict in one line: what was computed, what is claimed, and by how much they differ."""
        finds, claims = self.weighed.finds, self.weighed.claims
        match self.verdict:
            case Verdict.REPRODUCED:
                return f"{finds}, {claims}" if self.weighed.has_room else finds
            case Verdict.ROUNDED:
                return f"{finds}, so that {claims} is {_off(self.weighed.result.ratio)}"
            case Verdict.HOLDS_IF:
                return f"{finds}, not {claims}; holds if {self.change}"
        return f"{finds}, not {claims}{f'; would hold if {self.change}' if self.change else ''}"


@dataclass(frozen=True)
class Ruling:
    """A reading with one judgement, or with one for each profile with which it is asked."""

    reading: Reading
    judgements: tuple[Judgement, ...]

    @cached_property
    def ranked(self) -> list[Judgement]:
        """The judgements on the reading, the best verdict first."""
        return sorted(self.judgements, key=lambda judgement: (judgement.verdict, judgement.weighed.result.off))

    @property
    def decides(self) -> Judgement:
        """The judgement that decides the verdict: of many, from the best on, the last of the share that has to hold."""
        return self.ranked[math.ceil(self.reading.share * len(self.ranked)) - 1]

    @property
    def holding(self) -> str:
        """How many of a ruling's judgements find that the claim holds, in words: `2 of 3 hold`."""
        number_holding = sum(judgement.weighed.result.holds for judgement in self.judgements)
        return f"{number_holding} of {len(self.judgements)} hold"

    @property
    def verdict(self) -> Verdict:
        return self.decides.verdict

    @property
    def words(self) -> str:
        return self.reading.words

    @property
    def off(self) -> float:
        """The factor between the claim and what was computed; 1 if the verdict is that the reading is reproduced."""
        return self.decides.weighed.result.off if self.verdict > Verdict.REPRODUCED else 1.0

    @property
    def why(self) -> str:
        """The reason of a ruling's verdict in one line: that of the judgement that decides."""
        why = self.decides.why
        return f"{self.holding}; {self.decides.words}: {why}" if self.reading.each else why


@dataclass(frozen=True)
class ClauseFinding:
    """A clause and the rulings on its readings; the first, on the natural one, decides."""

    clause: Clause
    rulings: tuple[Ruling, ...]

    @property
    def natural(self) -> Ruling:
        return self.rulings[0]

    @property
    def beside(self) -> tuple[Ruling, ...]:
        return self.rulings[1:]

    @property
    def verdict(self) -> Verdict:
        return self.natural.verdict


@dataclass(frozen=True)
class Finding:
    """A claim and the findings on its clauses, of which the worst decides."""

    claim: Claim
    clauses: tuple[ClauseFinding, ...]

    @property
    def worst(self) -> ClauseFinding:
        return max(self.clauses, key=lambda clause: (clause.verdict, clause.natural.off))

    @property
    def verdict(self) -> Verdict:
        return self.worst.verdict

    @property
    def off(self) -> float:
        """The factor by which the claim fails, for the verdict; infinite if it fails in kind."""
        return self.worst.natural.off

    @property
    def decides(self) -> Judgement:
        """The judgement from which the verdict on the claim follows."""
        return self.worst.natural.decides

    @property
    def why(self) -> str:
        """The reason of the verdict on the claim: that of its worst clause, and how many clauses hold."""
        why = self.worst.natural.why
        if len(self.clauses) == 1:
            return why
        holding = sum(clause.verdict <= Verdict.ROUNDED for clause in self.clauses)
        count = f" ({holding} of {len(self.clauses)} parts hold)" if holding < len(self.clauses) else ""
        return f"{self.worst.clause.words}: {why}{count}"

    @property
    def reading(self) -> str:
        """How the clause that decides the verdict was read."""
        clause_words = self.worst.clause.words if len(self.clauses) > 1 else ""
        return ": ".join(filter(None, (clause_words, self.decides.words))) or self.worst.clause.words

    @property
    def rulings(self) -> list[Ruling]:
        """The rulings on all readings of the claim's clauses, from which the verdict follows."""
        return list(chain.from_iterable(clause.rulings for clause in self.clauses))

    @property
    def judgements(self) -> list[Judgement]:
        return list(chain.from_iterable(ruling.judgements for ruling in self.rulings))


def judge(library: Library, claim: Claim) -> Finding:
    """The finding on a claim, with its verdicts: readings are weighed, and changes sought that would mend them."""

    def ruling(reading: Reading) -> Ruling:
        weighings = [weigh(library, single) for single in _expanded(library, reading)]
        return Ruling(reading, tuple(Judgement(weighed, changes(library, weighed)) for weighed in weighings))

    try:
        clauses = [ClauseFinding(clause, tuple(map(ruling, clause.readings))) for clause in claim.clauses]
        return Finding(claim, tuple(clauses))
    except DeriveError as error:
        error.what = f"claim {claim.name}: {error.what}"
        raise


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by how badly the claims fail: by verdict, then by the factor that they are off."""
    return sorted(findings, key=lambda finding: (-finding.verdict, -finding.off))


def _expanded(library: Library, reading: Reading) -> Sequence[Reading]:
    """The readings with a verdict in one ruling: the reading as it is, or one for each profile with what it names."""
    question = reading.question
    if not reading.each:
        return [reading]
    assert isinstance(question, WrittenQuestion)

    def states_all(name: str) -> bool:
        return library.profiles[name].values.keys() >= set(reading.each)

    readings = []
    for name in library.profiles:
        base, choice, _ = name.partition(":")
        if states_all(name) and not (choice and states_all(base)):
            asked = replace(question, profiles=(*question.profiles, name))
            readings.append(replace(reading, words=f"{reading.words} {name}".strip(), question=asked, each=()))
    if not readings:
        raise UnderdeterminedError(f"no profile states {' and '.join(reading.each)}.")
    return readings


def changes(library: Library, weighed: WeighedReading) -> tuple[Change, ...]:
    """All single changes of inputs that would mend the verdict on a reading, the smallest first; none if it holds."""
    reading, criterion = weighed.reading, weighed.reading.criterion
    if weighed.result.holds or weighed.base is None or weighed.claimed is None or reading.response_to:
        return ()
    assert isinstance(criterion, Amount)
    unit = weighed.claimed.unit
    paths = dict.fromkeys([*dict(reading.leaves_open), *reading.may_change])
    kept: list[Change] = []
    for goal in goals(criterion, weighed.claimed, unit.from_base(weighed.base)):
        wanted = f"{goal!r} {unit.text}".strip()
        goal_changes = chain.from_iterable(_changes_of(library, weighed, path, wanted) for path in paths)
        # A change that the second goal needs counts beside those of the first only if it is open.
        kept += [change for change in goal_changes if change.admissible or not kept]
        if any(change.admissible for change in kept):
            break  # the number itself can be met: the end of its tolerance need not be tried
    return tuple(sorted(kept, key=lambda change: change.size))


def _changes_of(library: Library, weighed: WeighedReading, path: str, wanted: str) -> list[Change]:
    """The changes of one input that give the wanted target and the verdict that the claim holds."""
    reading, asked = weighed.reading, weighed.asked
    assert asked is not None
    assert isinstance(reading.question, WrittenQuestion)
    old = _value_at(asked, path)
    if old is None or old.base[1] <= 0:
        return []
    stated = dict(reading.leaves_open).get(path)
    low, _, high = (old if stated is None else read_value(stated)).base
    is_open = stated is not None or old.is_range  # the claim, or the disagreement of its sources, admits other values
    kept = []
    for answer in _needed(library, asked, path, wanted):
        if answer.base is None or answer.base <= 0:
            continue
        again = replace(reading, question=reading.question.having(path, spoken(answer)))
        if weigh(library, again).result.holds:
            is_inside = low * (1 - AGREEMENT) <= answer.base <= high * (1 + AGREEMENT)
            kept.append(Change(path, old, answer, is_open and is_inside))
    return kept


def _needed(library: Library, asked: QuestionResult, path: str, wanted: str) -> tuple[Answer, ...]:
    """The values of an input at which the verdict would be that a claim holds: its question asked backwards."""
    name, _, inner_path = path.partition("/")
    question = asked.question
    given = {key: value for key, value in asked.given.items() if key != name}
    try:
        answers: tuple[Answer, ...] = (library.solve(name, *question.profiles, **{**given, question.target: wanted}),)
    except AmbiguousError as error:
        answers = error.answers
    except DeriveError:
        return ()
    if not inner_path:
        return answers
    values = [spoken(answer) for answer in answers if answer.base is not None]
    inner = asked.inner[name]
    return tuple(chain.from_iterable(_needed(library, inner, inner_path, value) for value in values))


def _value_at(asked: QuestionResult, path: str) -> Value | None:
    """The old value of an input whose change might mend a verdict: as given, or from the catalogue."""
    name, _, inner_path = path.partition("/")
    if inner_path:
        return _value_at(asked.inner[name], inner_path)
    return None if asked.answer is None else asked.answer.given.get(name)


def _times(ratio: float) -> str:
    """The ratio, in words, of an input that would mend a verdict to its old value.

    >>> _times(0.5), _times(3.0), _times(1.31)
    ('1/2 of', '3 times', '1.31 times')
    """
    for denominator in range(2, _SIMPLE + 1):
        if math.isclose(ratio, 1 / denominator, rel_tol=TOLD):
            return f"1/{denominator} of"
    return f"{ratio:.3g} times" if ratio > 1 else f"{ratio:.3g} of"


def _whose(old: Value) -> str:
    if old.source == ASKER:
        return "the stated"
    return "the default" if old.source in (DEFAULT, BY_DEFINITION) or old.source.stands_in else "the catalogue's"


def _off(ratio: float) -> str:
    """The words in the reason of a verdict for how much a claim is off what was computed.

    >>> _off(1.2), _off(0.956)
    ('20 % more', '4.4 % less')
    """
    return f"{abs(ratio - 1) * 100:.2g} % {'more' if ratio > 1 else 'less'}"


_LONG = 1e7  # from which a factor is written with an exponent


@dataclass(frozen=True)
class Conflict:
    """A smallest set of claims that cannot hold together, and the library's error."""

    scene: Scene
    assertions: tuple[Assertion, ...]
    error: InconsistentError

    @property
    def claims(self) -> tuple[str, ...]:
        return tuple(sorted({assertion.claim for assertion in self.assertions}))

    @cached_property
    def factor(self) -> float:
        """How far the claims of a conflict are apart: the ratio of its larger side to the smaller one."""
        return (1 + self.error.gap) / (1 - self.error.gap)

    def __str__(self) -> str:
        parts = "; ".join(str(assertion) for assertion in self.assertions)
        return f"{self.scene.words}: {parts} differ by a factor of {rounded_text(self.factor, 3, _LONG)}"


def conflicts(library: Library, scenes: Sequence[Scene]) -> tuple[Conflict, ...]:
    """All smallest sets of claims that cannot hold together, scene by scene."""
    return tuple(chain.from_iterable(_in_scene(library, scene) for scene in scenes))


def _in_scene(library: Library, scene: Scene) -> Iterator[Conflict]:
    """The smallest conflicting sets of a scene's claims, found by leaving out each claim of a known set in turn."""
    pending, seen = [scene.assertions], set()
    known: set[frozenset[Assertion]] = set()
    while pending:
        assertions = pending.pop(0)
        if frozenset(assertions) in seen:
            continue
        seen.add(frozenset(assertions))
        error = _refusal(library, scene, assertions)
        if error is None:
            continue
        named = set(re.findall(r"\w+", " ".join(error.conflicts)))
        clashing = tuple(assertion for assertion in assertions if assertion.name in named)
        if frozenset(clashing) not in known and _are_apart(library, scene, clashing):
            yield Conflict(scene, clashing, error)
        known.add(frozenset(clashing))
        # A further conflicting set lacks at least one claim of this one.
        pending += [tuple(other for other in assertions if other != left_out) for left_out in clashing]


def _refusal(library: Library, scene: Scene, assertions: Sequence[Assertion]) -> InconsistentError | None:
    """The library's error where several claims of a scene are stated at once; None if they do not conflict."""
    if len(assertions) < 2:
        return None
    relations, given = [], dict(scene.premises)
    for assertion in assertions:
        quantity = library.declaration(assertion.quantity)
        claimed = Declaration(assertion.name, quantity.unit.text, domain=quantity.domain.text)
        relations.append(relate(assertion.name, quantity, claimed, because=f"so {assertion.claim} says"))
        given[assertion.name] = assertion.value
    try:
        (library | Library(relations)).solve(assertions[0].quantity, **given)
    except InconsistentError as error:
        return error
    except DeriveError:
        return None
    return None


def _are_apart(library: Library, scene: Scene, clashing: Sequence[Assertion]) -> bool:
    """Whether claims conflict even with the full tolerance of each.

    They do if the consequence of all but one claim misses that one.
    """
    *others, last = clashing
    low, _, high = read_value(last.room).base
    if any(other.quantity == last.quantity for other in others):
        spans = [read_value(other.room).base for other in others if other.quantity == last.quantity]
        return any(high < other_low or other_high < low for other_low, _, other_high in spans)
    given = {**dict(scene.premises), **{other.quantity: other.room for other in others}}
    try:
        answer = library.solve(last.quantity, **given)
    except DeriveError:
        return False
    if answer.bounds is not None:
        least, most = answer.bounds
        return most < low or least > high
    return answer.base is None or not low <= answer.base <= high
