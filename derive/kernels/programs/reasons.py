"""Why a quantity has no number at a point: the root cause, as a finished sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from derive.expressions.tree import Node, render
from derive.planning.plan import Block

if TYPE_CHECKING:
    from quantities.declaration import Declaration

__all__ = ["Kind", "Reason", "Reasons"]

Kind = Literal["given", "domain", "undecided", "uncompiled", "case", "contradiction"]
_OPEN = ("undecided", "uncompiled")


@dataclass(frozen=True)
class Reason:
    """A reason; the quantity is that of which it is said, or a relation's name."""

    kind: Kind
    quantity: str
    text: str

    def __post_init__(self) -> None:
        assert self.kind in get_args(Kind)

    @property
    def is_open(self) -> bool:
        """Whether the solver may have a number nevertheless."""
        return self.kind in _OPEN


class Reasons:
    """The reasons of a program; each is told by its number, from 1.

    Programs that share `numbers` tell the same reason by the same number.

    >>> from quantities.declaration import Declaration
    >>> listed = Reasons({})
    >>> listed.outside(Declaration("length", "m")), listed.held[2].text
    (2, 'length has no admissible value here: its domain is positive')
    """

    def __init__(self, numbers: dict[Reason, int]) -> None:
        self.numbers = numbers
        self.held: dict[int, Reason] = {}
        self.place(Reason("case", "", "it is not worked out in the case that applies here"))

    def place(self, reason: Reason) -> int:
        number = self.numbers.setdefault(reason, len(self.numbers) + 1)
        self.held[number] = reason
        return number

    def misgiven(self, quantity: Declaration) -> int:
        text = f"{quantity.name} is outside its domain, which is {quantity.domain.text}"
        return self.place(Reason("given", quantity.name, text))

    def outside(self, quantity: Declaration) -> int:
        text = f"{quantity.name} has no admissible value here: its domain is {quantity.domain.text}"
        return self.place(Reason("domain", quantity.name, text))

    def undecided(self, name: str) -> int:
        text = f"{name} cannot be told here: it may have several values or bounds only, or lie beyond what is proved"
        return self.place(Reason("undecided", name, text))

    def unclear(self, condition: Node) -> int:
        return self.place(Reason("undecided", "", f"whether {render(condition)} cannot be told here"))

    def uncompiled(self, block: Block) -> int:
        named, relations = (_listed(names) for names in (block.unknowns, block.relations))
        text = f"{named} can only be searched for, in {relations}: derive solve does, this page cannot"
        return self.place(Reason("uncompiled", block.unknowns[0], text))

    def unasked(self, target: str) -> int:
        text = f"which relations determine {target} depends on its numbers: derive solve finds out, this page cannot"
        return self.place(Reason("uncompiled", target, text))

    def no_case(self, target: str) -> int:
        return self.place(Reason("case", target, f"no relation for {target} applies here"))

    def failing(self, target: str, conditions: tuple[Node, ...]) -> int:
        said = " and ".join(dict.fromkeys(map(render, conditions)))
        return self.place(Reason("case", target, f"{said} does not hold at these numbers"))

    def contradicted(self, relation: str) -> int:
        return self.place(Reason("contradiction", relation, f"the givens contradict {relation}"))

    def yielding(self, relation: str) -> int:
        text = f"{relation} does not hold here, and which default would have to yield cannot be told"
        return self.place(Reason("undecided", relation, text))

    def several(self, target: str) -> int:
        return self.place(Reason("undecided", target, f"several cases apply here, which differ in {target}"))


def _listed(names: tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
