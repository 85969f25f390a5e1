"""Weak values that decide which case of a question holds, and yield where what is typed fits another case alone.

With `y = 20*x` where s <= 2 and `y = 10*x + 1` where s > 2, a profile's s = 1 makes the first hold. Typed numbers that
only the second allows are no contradiction: they say that s is not 1. So the question is asked without that value; it
yields if the givens leave its quantity others, and the answer says so in a failed check.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from derive.errors import InconsistentError
from derive.expressions.tree import names_in
from derive.model.relation_set import RelationSet
from derive.presentation.cautions import stated_value
from derive.presentation.text import headline
from derive.solving.execution.answer import Answer, Check
from derive.solving.execution.case_claims import conditions_of
from derive.solving.execution.conditional_relations import decisions_of
from derive.solving.execution.question import Question
from quantities.value import Value


def deciding_weak_values(library: RelationSet, question: Question, error: InconsistentError) -> list[str]:
    """The weak values on which it rests that the relations of a conflict apply.

    A definition never yields here. Nor does a fallback: that nothing was said of it is an assumption about the case,
    which the error names.
    """
    relations = [library.relations[name] for name in error.conflicts if name in library.relations]
    names = [name for name in names_in(*conditions_of(relations)) if _may_rest_on_weak_value(library, question, name)]
    behind = frozenset[str]().union(*map(decisions_of(library, question).weak_behind, names))
    sources = {name: value.source for name, value in question.weak.items() if name in behind}
    return [name for name, source in sources.items() if source.kind != "exact" and not source.stands_in]


def _may_rest_on_weak_value(library: RelationSet, question: Question, name: str) -> bool:
    """Whether a condition's quantity may have its number from a weak value, as its plan tells before it is executed."""
    if name in question.strong or name in question.weak:
        return name not in question.strong
    plan = question.for_target(name).plan(library)
    is_conditional = any(library.relations[relation].conditions for relation in plan.relations)
    return is_conditional or bool(plan.weak_behind_target(library))


def check_of_displaced(library: RelationSet, name: str, weak: Value, answers: Sequence[Answer]) -> Check:
    """The failed check of a weak value that decided on a case, beside what the givens leave of its quantity."""
    left = " or ".join(map(headline, answers)) or "they leave it open"
    fits = f"but the givens fit only another case: {left}"
    return Check(
        name=name,
        statement=f"{stated_value(name, weak)}; here {left}",
        gap=math.inf,
        passed=False,
        verdict=f"{stated_value(name, weak)}, {fits}",
        brief=f"{name} is {weak}, {fits}",
        tested=library.declared[name],
    )


def with_displaced(answer: Answer, displaced: Sequence[Check]) -> Answer:
    """An answer with the failed checks of the weak values that yielded, unless it tests these itself."""
    tested = {check.name for check in answer.checks}
    further = [check for check in displaced if check.name not in tested]
    return replace(answer, checks=(*answer.checks, *further))
