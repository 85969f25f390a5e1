"""The best of listed numbers, zeros among them, is the best of what the solver answers at each of them."""

from __future__ import annotations

import math
import random

import pytest

import derive
from derive import InconsistentError, LimitError, NoSolutionError, UnderdeterminedError, VerificationError
from tests.derive import random_zeros
from tests.derive.statements import bare
from tests.ordinary import every


def apart(seed: int) -> str:
    """Which best choice is none, or another than among the solver's answers; nothing where these leave it open."""
    asked = random_zeros.asked(seed)
    if asked is None:
        return ""
    library, target, given = asked
    along = random.Random(seed).choice(list(given))
    answers = []
    try:
        for number in (0, 1, 2):
            try:
                with derive.limits(seconds=0.3):
                    answer = library.solve(target, **{**given, along: number})
                if answer.failed:
                    return ""
                answers.append(answer.base)
            except LimitError:
                return ""
            except (InconsistentError, NoSolutionError):
                continue
    except derive.DeriveError:
        return ""
    if not answers or None in answers:
        return ""
    for verb, expected in (("least", min(answers)), ("most", max(answers))):
        try:
            with derive.limits(seconds=0.5):
                best = getattr(library, verb)(target, **{**given, along: [0, 1, 2]})
        except (LimitError, UnderdeterminedError):  # what is open by the names of the givens is refused
            continue
        except VerificationError:  # a point that is no answer when it is put back is not told
            continue
        except derive.DeriveError as error:
            return f"{seed}: {verb} over {along} says {error}, not {expected}"
        found = best.answer.base
        if best.proved and not math.isclose(found, expected, rel_tol=1e-7, abs_tol=1e-9):
            return f"{seed}: {verb} over {along} is {found}, not {expected}"
    return ""


@pytest.mark.thorough
@every("start", range(0, 400, 10), ordinary=40, thorough=40)
def test_the_best_of_listed_numbers_is_the_best_of_the_answers_at_them(start: int) -> None:
    assert not [wrong for seed in range(start, start + 10) if (wrong := apart(seed))]


@pytest.mark.parametrize("seed", [1, 350, 417, 430, 448, 490])
def test_the_best_of_listed_numbers_is_found_where_expressions_divide_by_zero(seed: int) -> None:
    assert not apart(seed)


@pytest.mark.parametrize("relation", ["c*y = a/a", "3*y = c*a/a", "y/c = a/a", "c = y/a"])
def test_a_choice_at_which_only_the_closed_form_has_a_value_is_none(relation: str) -> None:
    library = bare("a c y z", relation, "z = y - c", domains=dict.fromkeys("acyz", "real"))
    best = library.least("z", a=["0", "1"], c=["1", "4"])
    assert best.proved
    assert [choice.best is None for choice in best.choices] == [True, True, False, False]
    front = library.front(["least z", "most y"], a=["0", "1"], c=["1", "4"])
    assert all(point.chosen["a"] == 1 for point in front.points)
    with pytest.raises(InconsistentError, match="z has no admissible value in any of 2 choices; the first: "):
        library.least("z", a="0", c=["1", "4"])


@pytest.mark.parametrize("relation", ["y = x**0.5", "y = log(x)", "y**2 = x", "y = 2*x", "x**2 + y**2 = x"])
@pytest.mark.parametrize("sense", ["least", "most"])
@pytest.mark.parametrize("x", [["-1", "-2"], ["-2"], "-2..-1"])
def test_choices_without_a_value_are_infeasible_in_lists_as_in_ranges(relation: str, sense: str, x: object) -> None:
    library = bare("x y", relation, domains={"x": "real"})
    with pytest.raises(InconsistentError):
        getattr(library, sense)("y", x=x)
    with pytest.raises(InconsistentError):
        library.front([f"{sense} y", "least x"], x=x)
