"""A question with ranges: which givens are drawn, which are fixed, and the compiled function of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from derive.errors import ExpressionError, UnderdeterminedError
from derive.kernels.functions import compiled
from derive.kernels.profile_values import used_values
from derive.model.relation_set import RelationSet
from derive.planning.incidence import structure_of
from derive.planning.plan import plan
from derive.solving.answering.solver import solve
from derive.solving.execution.question import ask
from derive.tables.point_values import Recipe
from derive.tables.sampling.distributions import Spread, spread_of
from derive.tables.sweep_question import tested_in
from derive.tables.sweep_work import Work

__all__ = ["Venture", "ventured"]


@dataclass(frozen=True)
class Venture:
    """The drawn and the fixed givens, in declared units, and the target as a function of both."""

    spreads: Mapping[str, Spread]
    fixed: Mapping[str, float]
    function: Callable[..., Any]
    work: Work  # by which the checks are judged


def ventured(library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]) -> Venture:
    """Read a question of ranges."""
    question = ask(library, target, profiles, given)
    weak = used_values(library, question)
    values = {**question.strong, **weak}
    try:
        function = compiled(library, target, list(values), tested=False, weak=weak)  # which may disagree
    except UnderdeterminedError:
        solve(library, target, profiles, given)  # the solver knows the profiles, and says what they lack
        raise
    spreads = {name: spread_of(v, library.declared[name]) for name, v in values.items() if v.is_range}
    if not spreads:
        raise ExpressionError(
            f"{target} does not depend on any range.",
            hint='Give a range for one of them, such as "2..6" or "300 +/- 20 FLOP/byte".',
            text=target,
        )
    fixed = {
        name: library.declared[name].unit.from_base(v.base[1]) for name, v in values.items() if name not in spreads
    }
    made = plan(structure_of(library, stated=question.stated), target, list(question.strong), list(question.weak))
    stated, beside, fallbacks, ranged = tested_in(question, made)
    stated = {name: ends for name, ends in stated.items() if name not in spreads}
    recipe = Recipe(library, tuple(spreads), target, fixed, (), stated, beside, fallbacks, ranged)
    held = {name: value for name, value in given.items() if name not in spreads}
    work = Work(library, tuple(spreads), (recipe,), profiles, held, False, frozenset(set(spreads) - given.keys()))
    return Venture(spreads, fixed, function, work)
