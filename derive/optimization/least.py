"""The verbs `least` and `most`: every discrete choice is searched over its ranges, and the best is put back.

The answer at the best point is an ordinary one: it is solved again from the chosen values, its checks are tested, and
so is every limit of the question. The bound of the whole is the least bound of the choices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from derive.certificates.attained_points import flaw_of_points
from derive.certificates.proof import ProofOfOptimum
from derive.errors import DeriveError, InconsistentError, LimitError, VerificationError
from derive.expressions.tree import Node, names_in
from derive.model.relation_set import RelationSet
from derive.optimization.binding_limits import bindings, closed_forms, reasons
from derive.optimization.choice_question import Choice, ChoiceQuestion, read_question, values_of
from derive.optimization.choices_under_ranges import under_ranges
from derive.optimization.discrete_choice import SearchedChoice, put_back, searched_choice
from derive.optimization.infeasibility import excluding, none_found
from derive.optimization.optimum import Binding, Optimum
from derive.optimization.optimum_certificate import as_numbers, proof_of_optimum
from derive.optimization.search import SearchResult
from derive.presentation.numbers import ALL_DIGITS, DIGITS
from derive.solving.execution.answer import Answer
from derive.time_limits import query, sharing
from derive.tolerances import WORTH_TELLING

_EXPLAINING = 0.3  # of the time that is left, which telling what binds may take
_OUT_OF_TIME = "the time ran out before every limit and every end was tried: others may bind"


def best_choice(
    library: RelationSet,
    target: str,
    profiles: Sequence[Any],
    such_that: str | Iterable[str],
    given: Mapping[str, Any],
    sense: str,
) -> Optimum:
    """The least or the greatest value of a target: every choice is searched over its ranges, and the best put back.

    >>> from derive.relation_files.loading import load
    >>> fence = load('''[quantities]
    ... width  = { unit = "m" }
    ... length = { unit = "m" }
    ... area   = { unit = "m**2" }
    ... fence  = { unit = "m" }
    ... [relations]
    ... area  = { equation = "area = width*length" }
    ... fence = { equation = "fence = 2*width + 2*length" }''')
    >>> found = best_choice(fence, "area", (), ["fence <= 40 m"], {"width": "1..30 m", "length": "1..30 m"}, "most")
    >>> print(f"{found.value:.6f}", found.proved, [one.name for one in found.binding])
    100.000000 meter ** 2 True ['fence <= 40 m']
    """
    with query():
        question = read_question(library, target, sense, profiles, such_that, given)
        return _optimum(*_put_back_in_turn(question, [searched_choice(question, pick) for pick in question.picks]))


def _put_back_in_turn(
    question: ChoiceQuestion, searched: Sequence[SearchedChoice]
) -> tuple[SearchedChoice, Answer, list[SearchedChoice]]:
    """Put choices back for `least` or `most`, the best first, until one is better than the rest: it, its answer, all.

    A choice whose answer fails bears the error of it. First, it is searched once more for a point at which nothing
    leaves its domain by the relations of some case. One that holds only at a worse point may come after others.
    """
    choices = list(searched)
    pending = [index for index, choice in enumerate(choices) if choice.best.is_found]
    searched_again: set[int] = set()
    least: tuple[SearchedChoice, Answer] | None = None
    while pending:
        index = min(pending, key=lambda i: choices[i].best.value)
        choice = choices[index]
        if least is not None and least[0].best.value <= choice.best.value:
            break
        pending.remove(index)
        try:
            moved, answer = put_back(choice)
            choices[index] = moved
            if least is None or moved.best.value < least[0].best.value:
                least = moved, answer
        except VerificationError:
            raise
        except DeriveError as error:
            choices[index] = replace(choice, best=replace(choice.best, value=math.inf, at=()), error=error)
            is_new = index not in searched_again and question.library.conditional
            if isinstance(error, InconsistentError) and is_new:
                searched_again.add(index)
                searched_anew = searched_choice(question, choice.pick, in_all_cases=True)
                if searched_anew.error is None and searched_anew.best.is_found:
                    choices[index] = searched_anew
                    pending.append(index)
    if least is None:
        raise none_found(choices, is_point=not question.ranges)
    return *least, choices


def _optimum(best: SearchedChoice, answer: Answer, choices: Sequence[SearchedChoice]) -> Optimum:
    """What `least` or `most` returns: the choice put back and its answer, with the bound of all, what binds and why."""
    question, library = best.question, best.question.library
    floor = min(_floor(choice) for choice in choices)
    overall = replace(best.best, floor=min(floor, best.best.value))
    binding, forms, is_in_time = _explained(best)
    why = [*reasons(question, best.programs, best.best, binding)]
    if not is_in_time:
        why.append(_OUT_OF_TIME)
    values, summaries = best.values, tuple(map(_as_choice, choices))
    chosen = {name: values[name].base[1] for name in (*question.ranges, *best.pick.listed)}
    names = (question.target, *chosen, *names_in(*forms.values()))
    return Optimum(
        sense=question.sense,
        answer=answer,
        chosen=chosen,
        profiles=best.pick.names,
        binding=binding,
        is_bounded=overall.is_proved,
        gap=_gap_in_unit(question, overall),
        gap_is_absolute=overall.is_zero,
        choices=summaries,
        reasons=tuple(why),
        boxes=sum(choice.best.boxes for choice in choices),
        ranged=tuple(question.ranges),
        quantities={name: library.declared[name] for name in names if name in library.declared},
        forms=forms,
        values=values_of(question.limits),
        _proof=lambda: _proof_at(choices, summaries, overall, answer, chosen),
        over_ranges=lambda points, seed: under_ranges(question, [*zip(choices, summaries, strict=True)], points, seed),
        digits=_digits_of_choice(best),
    )


def _digits_of_choice(best: SearchedChoice) -> int:
    """How many digits the choice of an optimum is shown with, at least: beside a jump, fewer would lie beyond it."""
    units = [best.question.library.declared[name].unit for name in best.question.ranges]
    if not units:
        return DIGITS

    def is_told(digits: int) -> bool:
        """Whether the choice with so many digits has the best value, or breaks a limit that it only touches."""
        shown = (float(f"{unit.from_base(x):.{digits}g}") for unit, x in zip(units, best.best.at, strict=True))
        point = [unit.to_base(x) for unit, x in zip(units, shown, strict=True)]
        value = min(program.at(point) for program in best.programs)
        return value == math.inf or math.isclose(value, best.best.value, rel_tol=WORTH_TELLING, abs_tol=best.best.blur)

    return next(filter(is_told, range(DIGITS, ALL_DIGITS)), ALL_DIGITS)


def _proof_at(
    choices: Sequence[SearchedChoice],
    told: Sequence[Choice],
    best: SearchResult,
    answer: Answer,
    chosen: Mapping[str, float],
) -> ProofOfOptimum | None:
    """The certificate of what `least` or `most` returns, if its value and those of the choices are as they are told.

    Rounding may decide otherwise beside a jump, or on a limit.
    """
    proof = _proof(choices, best)
    if proof is None or answer.base is None:
        return None
    value = proof.sign * answer.base
    return None if flaw_of_points(proof, value, chosen, told, is_zero=best.is_zero) else proof


def _proof(choices: Sequence[SearchedChoice], best: SearchResult) -> ProofOfOptimum | None:
    """The certificate of what `least` or `most` returns: no choice is better than the one put back.

    A choice in which nothing determines the target has no programs. None where a choice is ruled out for another
    reason: its answer did not hold, or was not found in time.
    """
    failed = [choice for choice in choices if choice.error is not None]
    if best.floor == -math.inf or any(choice.is_unknown or choice.best.boxes for choice in failed):
        return None
    proof = proof_of_optimum([() if choice.error is not None else choice.programs for choice in choices], best)
    return None if proof is None else _with_list_entries(proof, choices)


def _with_list_entries(proof: ProofOfOptimum, choices: Sequence[SearchedChoice]) -> ProofOfOptimum:
    """The certificate of what `least` returns, with the list entries for which the bounds of each choice hold."""
    bounds = []
    for choice, case_bounds in zip(choices, proof.bounds, strict=True):
        entries = tuple(as_numbers({name: entry.base[1] for name, entry in choice.pick.listed.items()}))
        bounds.append(tuple(replace(bound, left_out=(*bound.left_out, *entries)) for bound in case_bounds))
    return replace(proof, bounds=tuple(bounds))


def _explained(best: SearchedChoice) -> tuple[tuple[Binding, ...], Mapping[str, Node], bool]:
    """What binds at the choice that `least` returns, its closed forms, and whether every limit was tried in time."""
    binding: list[Binding] = []  # grows limit by limit, so that it has those found before the time ran out
    try:
        with sharing(_EXPLAINING):  # each limit takes a search of its own, and the best choice is found by now
            binding += bindings(best)
            return tuple(binding), closed_forms(best.programs, best.best, binding), True
    except LimitError:
        return tuple(binding), {}, False


def _gap_in_unit(question: ChoiceQuestion, best: SearchResult) -> float | None:
    """The gap that `least` or `most` reports: a share, or a distance in the declared unit; None without a bound."""
    unit = question.library.declared[question.target].unit
    gap = best.gap / float(unit.size) if best.is_zero else best.gap
    return gap if math.isfinite(gap) else None


def _floor(choice: SearchedChoice) -> float:
    """What one choice adds to the bound of `least` over all: minus infinity if unknown, infinite without an answer."""
    if choice.error is not None and choice.best.boxes == 0:  # it failed before it was searched
        return -math.inf if choice.is_unknown else math.inf
    return choice.best.floor


def _as_choice(choice: SearchedChoice) -> Choice:
    """What `least` or `most` reports of each choice: the best in it, or why there is none."""
    names, listed = choice.pick.names, {name: str(value) for name, value in choice.pick.listed.items()}
    if choice.error is not None:
        return Choice(names, listed, None, {}, choice.error.what, is_proved=not choice.is_unknown)
    if choice.best.is_found:
        point = dict(zip(choice.question.ranges, choice.best.at, strict=True))
        return Choice(names, listed, choice.best.value * choice.question.sign, point, "", choice.best.is_proved)
    if choice.best.floor < math.inf:
        why = "no point was found, and it is not proved that there is none"
        return Choice(names, listed, None, {}, why, is_proved=False)
    limits: tuple[str, ...] = ()
    with suppress(LimitError):
        limits = excluding(choice.programs)
    why = "the target has no value in these ranges"
    if limits:
        why = f"{' and '.join(limits)} {'rules' if len(limits) == 1 else 'rule'} it out"
    return Choice(names, listed, None, {}, why)
