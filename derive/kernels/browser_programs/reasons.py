"""The reasons why a browser program has no number of a quantity: the root cause of each, as a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from derive.expressions.tree import Node, render
from derive.planning.plan import Block

if TYPE_CHECKING:
    from quantities.declaration import Declaration

Kind = Literal["given", "domain", "undecided", "uncompiled", "case", "contradiction"]
_OPEN = ("undecided", "uncompiled")


@dataclass(frozen=True)
class Reason:
    """The reason why a quantity has no number in a browser program; of a relation, `quantity` is its name."""

    kind: Kind
    quantity: str
    text: str

    def __post_init__(self) -> None:
        assert self.kind in get_args(Kind)

    @property
    def is_open(self) -> bool:
        """Whether the solver may have a number where this reason says that a browser program has none."""
        return self.kind in _OPEN


class Reasons:
    """The reasons of a browser program, numbered from 1; programs that share `numbers` number them alike.

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
        unknowns, relations = (_listed(names) for names in (block.unknowns, block.relations))
        text = f"{unknowns} can only be searched for, in {relations}: derive solve does, this page cannot"
        return self.place(Reason("uncompiled", block.unknowns[0], text))

    def unasked(self, target: str) -> int:
        text = f"which relations determine {target} depends on its numbers: derive solve finds out, this page cannot"
        return self.place(Reason("uncompiled", target, text))

    def no_case(self, target: str) -> int:
        return self.place(Reason("case", target, f"no relation for {target} applies here"))

    def failing(self, target: str, conditions: tuple[Node, ...]) -> int:
        all_conditions = " and ".join(dict.fromkeys(map(render, conditions)))
        return self.place(Reason("case", target, f"{all_conditions} does not hold at these numbers"))

    def contradicted(self, relation: str) -> int:
        return self.place(Reason("contradiction", relation, f"the givens contradict {relation}"))

    def yielding(self, relation: str) -> int:
        text = f"{relation} does not hold here, and which default would have to yield cannot be told"
        return self.place(Reason("undecided", relation, text))

    def several(self, target: str) -> int:
        return self.place(Reason("undecided", target, f"several cases apply here, which differ in {target}"))


def _listed(names: tuple[str, ...]) -> str:
    """The names in a reason's sentence, with an "and" before the last."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
