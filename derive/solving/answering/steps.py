"""The steps of an answer: each relation as stated, rearranged, with numbers put in, and evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from derive.expressions.tree import Equation, Name, Node, names_in, render
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.products import positive_first
from derive.presentation.numbers import filled, shown_result
from derive.solving.execution.answer import Step

if TYPE_CHECKING:
    from derive.planning.plan import Block
    from derive.solving.execution.block_execution import State
    from derive.solving.execution.question import Question
    from quantities.units import Unit

__all__ = ["steps_of"]


def steps_of(library: RelationSet, question: Question, block: Block, state: State) -> list[Step]:
    """The steps of one block: a single one if several relations fix their unknowns only together."""
    parts = _parts(library, question, block, state)
    return [Step.joint(tuple(parts))] if len(parts) > 1 else parts


def _parts(library: RelationSet, question: Question, block: Block, state: State) -> list[Step]:
    """One step of a block for each unknown that it fixes."""
    written = [str(library.relations[relation].written) for relation in block.relations]
    found = []
    for i, name in enumerate(block.unknowns):
        form = _readable(name, state.forms.get(name), [library.relations[one].written for one in block.relations])
        result = state.spans[name] if name in state.spans else (state.values[name],) * 2
        rearranged = name if form is None else f"{name} = {render(form)}"
        if len(block.unknowns) == 1:
            relation, equation = ", ".join(block.relations), "; ".join(written)
        else:
            relation, equation = block.relations[i], written[i]
        stated = library.relations[block.relations[min(i, len(block.relations) - 1)]]
        worth = {} if form is None else _worth(form, library, question, state)
        exact = frozenset(other for other in worth if _is_stated(other, question, state))
        unit = library.declared[name].unit
        found.append(
            Step(
                relation=relation,
                equation=equation,
                rearranged=rearranged,
                numbers="" if form is None else filled(form, worth, exact),
                value=shown_result(result, unit),
                quantity=name,
                because=stated.because,
                stated=stated.written,
                form=form,
                worth=worth,
                exact=exact,
                result=(result, unit),
            )
        )
    return found


def _readable(name: str, form: Node | None, stated: Sequence[Equation]) -> Node | None:
    """A form as it is to be read: as it was stated, or else without needless minus signs."""
    if form is None or any(one.lhs == Name(name) and one.rhs == form for one in stated):
        return form
    return positive_first(form)


def _worth(form: Node, library: RelationSet, question: Question, state: State) -> dict[str, tuple[float, Unit]]:
    """The number and unit of each name in a form, as given or as computed."""
    found = {}
    for name in names_in(form):
        if name in state.spans:
            continue
        stated = question.strong.get(name) or question.weak.get(name)
        if stated is not None and _is_stated(name, question, state):
            found[name] = stated.number, stated.unit
        elif name in state.values:
            unit = library.declared[name].unit
            found[name] = unit.from_base(state.values[name]), unit
    return found


def _is_stated(name: str, question: Question, state: State) -> bool:
    """Whether a number was stated and not computed in a step."""
    return name in question.strong or (name in question.weak and name not in state.forms)
