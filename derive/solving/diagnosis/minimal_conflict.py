"""Minimal conflicts: without the relations and givens beside which the others still contradict each other.

Of `c = max(a, b)` with a = 5 and c = 3, b is no part: whatever it is, c is at least 5. A part is spare if intervals
show it: with every quantity that is not given anywhere in its domain, the relations that are left have no solution. An
interval is too wide where a quantity stands in several places. Of `d = a*x` and `e = d*a/(d + x)`, x is no part either:
elimination leaves `e = a**2/(a + 1)`, which a and e contradict. Some spare parts stay, but none is taken for spare that
the conflict needs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from derive.caches import Memo, numbers_as_key
from derive.errors import LimitError
from derive.expressions.tree import Equation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.like_terms import ZERO, difference_of
from derive.solving.blocks.propagation import narrowed
from derive.solving.blocks.system import agrees
from derive.solving.cancellation.elimination import required_of_givens
from derive.time_limits import sharing
from derive.tolerances import AGREEMENT
from quantities.value import Value

_CONFLICTS = Memo[tuple[list[str], list[str]]](most=32)
_MOST = 8  # limit on relations, and on givens, of a conflict that is searched for spare parts
_LOOSE_ENDS = 0.05  # relative width to which ends of intervals are sought: it is only asked whether anything is left
_SHARE = 0.1  # of the time that is left


def minimal_conflict(
    library: RelationSet,
    typed: Mapping[str, Value],
    relations: Sequence[str],
    givens: Sequence[str],
    *,
    needed_relations: Collection[str] = (),
    needed_givens: Collection[str] = (),
) -> tuple[list[str], list[str]]:
    """The relations and givens of a conflict that it needs, and those that are needed for another reason.

    Several cases of a question, and what is asked in its course, meet the same conflict.
    """
    if max(len(relations), len(givens)) > _MOST or not all(_is_number(typed.get(name)) for name in givens):
        return list(relations), list(givens)
    numbers = numbers_as_key({name: typed[name].base[1] for name in givens})
    key = numbers, tuple(relations), tuple(givens), frozenset(needed_relations), frozenset(needed_givens)
    kept, stated = _CONFLICTS.of(
        library.session,
        key,
        lambda: _without_spare_parts(library, typed, relations, givens, needed_relations, needed_givens),
    )
    return [*kept], [*stated]


def _without_spare_parts(
    library: RelationSet,
    typed: Mapping[str, Value],
    relations: Sequence[str],
    givens: Sequence[str],
    needed_relations: Collection[str],
    needed_givens: Collection[str],
) -> tuple[list[str], list[str]]:
    """The relations and givens without which intervals no longer show a conflict."""
    kept, stated = list(relations), list(givens)
    try:
        with sharing(_SHARE):
            for name in [name for name in reversed(givens) if name not in needed_givens]:
                others = [other for other in stated if other != name]
                if _exclude_each_other(library, kept, {other: typed[other] for other in others}):
                    stated = others
            for name in [name for name in reversed(relations) if name not in needed_relations]:
                rest = [other for other in kept if other != name]
                if _exclude_each_other(library, rest, {other: typed[other] for other in stated}):
                    kept = rest
    except LimitError:  # what is found spare so far is
        pass
    return kept, stated


def _is_number(given: Value | None) -> bool:
    """Whether a given of a conflict is typed, and no range."""
    return given is not None and not given.is_range


def _without_what_cancels(equation: Equation) -> Equation:
    """An equation of a conflict; if some quantity cancels in its difference, then that, in which it is a spare part."""
    difference = difference_of(equation)
    rest = Equation(difference, equation.op, ZERO)
    return rest if len({*rest.names}) < len({*equation.names}) else equation


def _exclude_each_other(library: RelationSet, relations: Sequence[str], typed: Mapping[str, Value]) -> bool:
    """Whether a conflict remains of these parts: no values in the domains meet all relations, as is easily shown."""
    equations = [_without_what_cancels(library.relations[name].written) for name in relations]
    if _leave_nothing(library, equations, typed):
        return True
    known = {name: given.base[1] for name, given in typed.items()}
    required = required_of_givens(library, relations, known) if len(relations) > 1 else ()
    return not all(agrees(equation, known) for equation in required)


def _leave_nothing(library: RelationSet, equations: Collection[Equation], typed: Mapping[str, Value]) -> bool:
    """Whether intervals show that no values in the domains meet all equations of a conflict."""
    names = dict.fromkeys(chain.from_iterable(equation.names for equation in equations))
    domains = {name: library.declared[name].domain for name in names}
    spans = {name: domain.ends for name, domain in domains.items()}
    for name in typed.keys() & names.keys():
        number = typed[name].base[1]
        slack = AGREEMENT * abs(number)
        spans[name] = number - slack, number + slack
    above = {name: domain.low for name, domain in domains.items() if domain.open_low and name not in typed}
    unknowns = [*names] if len(equations) > 1 else sorted(names, key=lambda name: name not in typed)[:1]
    return narrowed([*equations], unknowns, spans, above, width=_LOOSE_ENDS) is None
