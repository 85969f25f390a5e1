"""Why a point is the best: what binds there, what that is worth, and what was chosen in closed form.

A limit binds if the target would be better without it. Its price is what the target gains if the limit alone is moved
outwards by 1 % of its right side (where that is zero, of half of the terms on the left); the question is then asked
again, so that the price counts whole numbers and regimes.
The end of a range binds in the same way, with the forms that the wider range allows; one at zero is moved by 1 % of the
width of the range, and the end of a range of a count to the next whole number where 1 % is less than that.

Where the two sides of a limit are equal, a free quantity has a closed form: each maximum and each choice in the limit
is replaced by the arm that binds at a point, and what is left is isolated. A form counts only if it has the point's
own number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from derive.errors import DeriveError, LimitError
from derive.expressions.tree import Apply, Equation, Node, names_in, rebuilt, render
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import binding_arm, residual, terms, value
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.products import positive_first
from derive.optimization.choice_question import ChoiceQuestion
from derive.optimization.discrete_choice import SearchedChoice, remade
from derive.optimization.optimum import Binding
from derive.optimization.program import Limit, Program, limits_of
from derive.optimization.reduction import in_free_names
from derive.optimization.search import SearchResult, least_of, tolerated
from derive.presentation.numbers import shown_choice, shown_number
from derive.time_limits import sharing, tick
from derive.tolerances import AGREEMENT, SAME_ROOT
from quantities.declaration import Declaration

_SHARE = 0.01  # by which a limit is moved
_BOXES = 2000  # for one question that is asked again


def bindings(choice: SearchedChoice) -> Iterator[Binding]:
    """The limits and the ends of ranges that bind at the best point, one by one; none where only points are known."""
    if not choice.programs[0].is_sampled:
        perturbed = _PerturbedQuestion(choice)
        yield from perturbed.limits()
        yield from perturbed.ends()


def _cases_at(programs: Sequence[Program], best: SearchResult) -> Iterator[tuple[Program, dict[str, float]]]:
    """The programs in which the best point has its value, where limits may bind, with the numbers there."""
    for program in programs:
        numbers = program.numbers(best.at)
        if numbers is not None and program.at(best.at) <= best.value + tolerated(best.value, best.blur, AGREEMENT):
            yield program, numbers


@dataclass(frozen=True)
class _PerturbedQuestion:
    """The question at its best point, to be asked again with one limit or one end of a range moved."""

    choice: SearchedChoice

    @property
    def programs(self) -> Sequence[Program]:
        return self.choice.programs

    @property
    def best(self) -> SearchResult:
        return self.choice.best

    def gain(self, programs: Sequence[Program]) -> float:
        """What the goal gains if binding limits are moved, as a share of the best value; zero if only rounding."""
        tick()
        with sharing(0.2):
            moved_best = least_of(programs, _BOXES)
        gained = self.best.value - moved_best.value
        size = self.best.size
        return gained / size if gained > SAME_ROOT * size else 0.0

    def limits(self) -> Iterator[Binding]:
        """The limits that bind: the target is better without them, or they hold with equality and are no ties."""
        limits = limits_of(self.programs)
        stated = [limit for limit in limits if limit.relation is not None and not limit.is_domain]
        named = [limit.name for limit in stated if names_in(limit.gap)]  # one of numbers alone stops nothing
        for name in dict.fromkeys(named):
            without = [self._with(program, name, None) for program in self.programs]
            if self.gain(without) > 0 or (self._is_tight(name) and not self._is_tie(name)):
                by = self._step(name)
                yield Binding(name, self.gain([self._with(program, name, by) for program in self.programs]))

    def _is_tie(self, name: str) -> bool:
        """Whether a limit binds at every point because it is a tie, whose sides have to be equal."""
        return len({limit.written.op for limit in limits_of(self.programs) if limit.name == name}) > 1

    def _with(self, program: Program, name: str, by: float | None) -> Program:
        """The program with a limit left out or moved outwards, to tell whether it binds and what it is worth."""
        kept = [limit if limit.name != name else limit.moved(by or 0.0) for limit in program.limits]
        return program.under([limit for limit in kept if by is not None or limit.name != name])

    def _at_best(self, name: str) -> list[tuple[Limit, dict[str, float]]]:
        """The limit of this name, as it binds, in each program that reaches the best value, and the numbers there."""
        limits = []
        for program, numbers in _cases_at(self.programs, self.best):
            limits += [(limit, numbers) for limit in program.limits if limit.name == name]
        return limits

    def _is_tight(self, name: str) -> bool:
        return any(abs(residual(limit.written, numbers)) <= AGREEMENT for limit, numbers in self._at_best(name))

    def _step(self, name: str) -> float:
        """How far a binding limit is moved to find its price: by one hundredth of its right side.

        Where that is zero, it is one hundredth of half of the terms on the left.
        """
        for limit, numbers in self._at_best(name):
            _, right = limit.sides_at(numbers)
            sizes = [abs(value(term, numbers)) for term in terms(limit.written.lhs)]
            return _SHARE * (abs(right) or sum(sizes) / 2)
        return 0.0

    def ends(self) -> Iterator[Binding]:
        """The ends of ranges that bind at the best point: the target gains if one is moved outwards."""
        program = self.programs[0]
        for i in range(program.free):
            low, high = program.box[i]
            for end, outwards in ((low, -1), (high, 1)):
                if low < high and self.best.at[i] == end:
                    binding = self._end(i, end, outwards)
                    if binding is not None:
                        yield binding

    def _end(self, i: int, end: float, outwards: int) -> Binding | None:
        """The end of a range that binds, with its price; None if moving it gains nothing or leaves the domain."""
        program = self.programs[0]
        quantity, step = self.choice.question.library.declared[program.names[i]], program.steps[i]
        sign = ">=" if outwards < 0 else "<="
        name = f"{quantity.name} {sign} {shown_number(end, quantity.unit, 12)}"
        low, high = program.box[i]
        by, step_text = _SHARE * abs(end), "1 %"
        if not end:  # which has no size
            by, step_text = _SHARE * (high - low), "1 % of its range"
        if step and by < step:
            by, step_text = step, shown_number(step, quantity.unit)
        moved = end + outwards * by
        if not quantity.domain.admits(moved) or not by:
            return None
        gain = self.gain(self._stretched(quantity, moved))
        return Binding(name, gain, step_text) if gain > 0 else None

    def _stretched(self, quantity: Declaration, moved: float) -> Sequence[Program]:
        """The programs of the question with one end of a range, which may bind, moved outwards to a number.

        Their forms are made anew: what holds all over the old range need not hold beyond it.
        """
        question = self.choice.question
        old, number = question.ranges[quantity.name], quantity.unit.from_base(moved)
        low, high = (quantity.unit.from_base(old.base[place]) for place in (0, 2))
        low, high = min(low, number), max(high, number)
        stretched = replace(old, number=low / 2 + high / 2, low=low, high=high, unit=quantity.unit)
        wider = replace(question, ranges={**question.ranges, quantity.name: stretched})
        try:
            remade_programs = remade(replace(self.choice, question=wider))
        except LimitError:
            raise
        except DeriveError:  # nothing is asked beyond the old range
            return ()
        return () if any(program.is_sampled for program in remade_programs) else remade_programs


def closed_forms(programs: Sequence[Program], best: SearchResult, binding: Sequence[Binding]) -> dict[str, Node]:
    """The closed forms of the free quantities that one binding limit fixes, by name."""
    names = {limit.name for limit in binding}
    forms: dict[str, Node] = {}
    for program, numbers in _cases_at(programs, best):
        for limit in program.limits:
            for i, name in enumerate(program.names[: program.free]):
                if limit.name in names and name not in forms:
                    form = _chosen_by(program, limit.written, i, numbers)
                    if form is not None and forms.keys().isdisjoint(names_in(form)):
                        forms[name] = form
    return forms


def _chosen_by(program: Program, written: Equation, i: int, numbers: Mapping[str, float]) -> Node | None:
    """The closed form of a free quantity by a binding limit, rounded to a whole number if it is a count."""
    name, step = program.names[i], program.steps[i]
    if step not in (0.0, 1.0):
        return None
    rounded = ("floor", "ceil") if step else ()
    return form_at(program, written, name, numbers, rounded)


def form_at(
    program: Program,
    written: Equation,
    name: str,
    numbers: Mapping[str, float],
    rounded: Sequence[str] = (),
    tolerance: float = AGREEMENT,
) -> Node | None:
    """The closed form of a chosen quantity by a limit that binds at a point, under one of the roundings if any."""
    equal = Equation(_with_binding_arms(written.lhs, numbers), "=", _with_binding_arms(written.rhs, numbers))
    if name not in names_in(equal.lhs, equal.rhs):
        return None
    try:
        candidates = isolate(equal, name) or ()
    except DeriveError:
        return None
    for candidate in candidates:
        spread = in_free_names(candidate.form, {}, program.spans)
        forms = candidate.form, folded(candidate.form, {}), spread
        plain = positive_first(min(forms, key=lambda form: len(render(form))))
        for form in tuple(Apply(rounding, (plain,)) for rounding in rounded) or (plain,):
            if candidate.winds is None and math.isclose(value(form, numbers), numbers[name], rel_tol=tolerance):
                return form
    return None


def _with_binding_arms(node: Node, numbers: Mapping[str, float]) -> Node:
    """A side of a limit with each maximum, minimum and choice replaced by the arm that binds at a point."""

    def change(choice: Node) -> Node | None:
        if not isinstance(choice, Apply) or choice.op not in ("max", "min", "piecewise"):
            return None
        arm = binding_arm(choice, numbers)
        return choice if arm is None else _with_binding_arms(arm, numbers)

    return rebuilt(node, change)


def reasons(
    question: ChoiceQuestion, programs: Sequence[Program], best: SearchResult, binding: Sequence[Binding]
) -> Iterator[str]:
    """Why the best point is the best: what stops each free quantity along which the target only rises or only falls."""
    limits = [limit.name for limit in binding] or list(dict.fromkeys(_domains_that_stop(programs, best)))
    is_counted = any(any(program.steps) for program in programs)
    stops = " and ".join(limits) or ("a whole number" if is_counted else "the edge of a case")
    sides = zip(question.ranges, best.ways, best.at, programs[0].box, strict=False)
    for name, way, number, (low, high) in sides:
        if way not in ("rises", "falls"):
            continue
        place = shown_choice(number, question.library.declared[name])
        stop = f"{stops} stops it at {place}"
        if number in (low, high):
            end = "lower" if number == low else "upper"
            stop = f"{place} is the {end} end of its range"
        if name != question.target:
            stop = f"{question.target} {way} with {name} wherever the limits hold; {stop}"
        yield stop


def _domains_that_stop(programs: Sequence[Program], best: SearchResult) -> Iterator[str]:
    """The names of binding limits that are ends of domains, of quantities that nobody asked for."""
    for program in programs:
        numbers = program.numbers(best.at)
        for limit in program.limits:
            if limit.is_domain and numbers is not None and abs(residual(limit.written, numbers)) <= AGREEMENT:
                yield limit.name
