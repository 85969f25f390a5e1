"""The values of profiles in a function or a formula: which of them a question uses.

A profile's value yields to what is given. Which values are used depends on the names of the givens, and on their
numbers only where conditions do. So the question is read at generic numbers, which no profile states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from derive.errors import DeriveError
from derive.kernels.agreement import said_twice
from derive.kernels.case_dispatch import Cases, cases, leaves
from derive.kernels.functions import by_name, compiled
from derive.kernels.reach import eliminates, generic
from derive.model.relation_set import RelationSet
from derive.planning.incidence import structure_of
from derive.planning.plan import plan
from derive.solving.execution.question import Question, ask
from derive.time_limits import query
from quantities.value import Value, read_number

__all__ = ["compiled_with", "generic_question", "named_by", "used_values"]


def compiled_with(
    library: RelationSet, target: str, given: Iterable[str], profiles: tuple[Any, ...], backend: str
) -> Callable[..., Any]:
    """A function of the givens by keyword, in which the profiles' values are constants.

    >>> from derive.relation_files.loading import load
    >>> swing = load('''[quantities]
    ... length = { unit = "m" }
    ... gravity = { unit = "m/s**2" }
    ... period = { unit = "s" }
    ... [relations]
    ... small = { equation = "period = 2*pi*sqrt(length/gravity)" }
    ... [profiles.moon]
    ... gravity = "1.62 m/s**2"''')
    >>> round(compiled_with(swing, "period", ["length"], ("moon",), "auto")(length=1.62), 6)
    6.283185
    """
    names = [library.declaration(name).name for name in dict.fromkeys(given)]
    question = generic_question(library, target, names, profiles)
    stated = used_values(library, question)
    made = plan(structure_of(library, stated=question.stated), target, names, list(question.weak))
    twice = said_twice(library, names, [made])
    if twice:
        raise DeriveError(
            f"What is given may contradict {twice[0]}, which a function with profiles does not test.",
            hint="Leave one of the givens out, or compile without profiles.",
        )
    inner = compiled(library, target, [*names, *stated], backend, tested=False, weak=stated)
    fixed = {name: library.declared[name].unit.from_base(value.base[1]) for name, value in stated.items()}
    call = by_name(names, lambda values: inner(**dict(zip(names, values, strict=True)), **fixed))
    call.__doc__ = f"{target} from {', '.join(names)}, in declared units."
    return call


def named_by(library: RelationSet, target: str, given: Iterable[str], profiles: tuple[Any, ...]) -> list[str]:
    """The givens, and the quantities whose values a question takes from profiles."""
    names = [library.declaration(name).name for name in dict.fromkeys(given)]
    return [*names, *used_values(library, generic_question(library, target, names, profiles))]


def generic_question(library: RelationSet, target: str, names: Sequence[str], profiles: tuple[Any, ...]) -> Question:
    """The question at generic numbers of the givens."""
    given = {}
    for name in names:
        quantity = library.declared[name]
        given[name] = read_number(quantity.unit.from_base(generic(quantity, 0)), quantity.unit)
    with query():
        return ask(library, target, profiles, given)


def used_values(library: RelationSet, question: Question) -> dict[str, Value]:
    """The weak values that some case of the question uses, except the plain defaults, which compiling adds.

    A weak value may be used in one case and yield to relations in another. No function with it as a given covers
    both, and the question is refused.
    """
    found = cases(library, question.outline)
    is_stated = question.target in question.origins and not found.alternatives
    if is_stated and question.own is not None and not eliminates(library, question.outline):
        return {question.target: question.own}  # nothing else leads to it
    used, yielding = _fates(library, found, {*question.strong})
    stated = {
        name: value
        for name, value in question.weak.items()
        if name in used and (value.is_range or value is not library.declared[name].default)
    }
    unsure = sorted(stated.keys() & yielding)
    if unsure:
        raise DeriveError(
            f"Whether {unsure[0]} is taken as stated or follows from the rest depends on conditions.",
            hint=f"Give {unsure[0]}.",
        )
    return stated


def _fates(library: RelationSet, found: Cases, strong: set[str]) -> tuple[set[str], set[str]]:
    """The weak values that are used in a case, and all that follows from relations in one.

    A plan for a quantity of a condition leaves that quantity's own value out. Where it rests on weak values alone, it
    only repeats what they state: the quantity does not yield to what is given.
    """
    trees = (*found.alternatives, *(tree for trees in found.asides.values() for tree in trees))
    plans = [case.plan for tree in trees for case in leaves(tree)]
    used = {name for made in plans for name in made.weak}
    yielding = set()
    for made in plans:
        solved = {name for block in made.blocks for name in block.unknowns}
        members = {name for block in made.blocks for one in block.relations for name in library.members[one]}
        yielding |= solved if members & strong else solved - {made.target}
    return used, yielding
