"""The quantities of a relation at every point of a sweep, and expressions of them, in base units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from derive.compiling.cases import Cases
from derive.compiling.sheet import Scope, Sheet
from derive.compiling.tongues import Arrays
from derive.errors import DeriveError
from derive.language.expression import Equation, Node
from derive.numbers.evaluating import terms
from derive.solving.asking import Outline
from derive.sweeping.keeping import plans

if TYPE_CHECKING:
    from derive.sweeping.working import Recipe, Work

__all__ = ["Source", "Values", "Writer", "apart", "sources", "tested"]

Values = Mapping[str | Outline, Any]
"""Numbers of the axes and the targets in a box, and of what follows beside them, in declared units."""

Writer = Callable[[Node], str]
"""The text of an expression, whose parts are written before it."""


@dataclass(frozen=True)
class Source:
    """A quantity's numbers in base units, read off the values in a box; and what leads to it, if it is no column."""

    read: Callable[[Values], Any]
    found: Cases | None = None


def sources(work: Work, recipe: Recipe, names: Sequence[str]) -> list[Source] | None:
    """Where the numbers of quantities come from; None where one of them does not follow from what is given."""
    found = [_source(work, recipe, name) for name in names]
    return [each for each in found if each is not None] if None not in found else None


def _source(work: Work, recipe: Recipe, name: str) -> Source | None:
    """A quantity is on an axis, asked for, given, or follows by the lines that lead to the target."""
    import numpy

    quantity = work.library.declared[name]
    if name in work.names or name == recipe.target:
        return Source(lambda values: _based(values[name], quantity))
    if name in recipe.numbers:
        base = numpy.float64(quantity.unit.to_base(recipe.numbers[name]))
        return Source(lambda values: base)
    try:
        found = plans(work.library, name, [*work.names, *recipe.numbers])
    except DeriveError:
        return None
    return Source(lambda values: _based(values[found.outline], quantity), found)


def _based(numbers: Any, quantity: Any) -> Any:
    scaled = numbers * float(quantity.unit.size)
    return scaled + float(quantity.unit.offset) if quantity.unit.offset else scaled


def tested(names: Sequence[str], write: Callable[[Writer], str], **calls: Any) -> Callable[..., Any]:
    """A function of quantities in base units, which `write` makes of the texts of expressions."""
    sheet = Sheet(Arrays())
    scope = Scope({name: f"a{i}" for i, name in zip(count(), names, strict=False)})
    sheet.write(f"return {write(lambda node: sheet.expression(node, scope))}")
    sheet.space |= calls
    text = "\n".join([f"def tested({', '.join(scope.variables.values())}):", *sheet.lines, ""])
    exec(compile(text, "<derive>", "exec"), sheet.space)
    made: Callable[..., Any] = sheet.space["tested"]
    return made


def apart(equation: Equation, text: Writer) -> tuple[str, str, str]:
    """Both sides of a relation, and the sum of its absolute terms."""
    whole = " + ".join(f"np.abs({text(term)})" for side in (equation.lhs, equation.rhs) for term in terms(side))
    return text(equation.lhs), text(equation.rhs), f"({whole})"
