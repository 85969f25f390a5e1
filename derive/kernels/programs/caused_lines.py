"""Lines of a program in which each number has a cause beside it: 0, or the number of the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, isfinite

from derive.kernels.backends.shared_lines import Scope, Sheet
from derive.kernels.blocks.decisions import Decisions
from derive.kernels.case_dispatch import Cases
from derive.kernels.lowering import Draft
from derive.kernels.programs.layout import Layout
from derive.kernels.programs.reasons import Reasons
from derive.model.relation_set import RelationSet
from derive.planning.plan import Block
from quantities.tolerances import UNIT_ROUNDING

__all__ = ["SOUND", "CausedLines"]

SOUND = "0"  # the cause of what has a number


class CausedLines(Draft):
    """What the lines of one alternative are written with: the givens, and the causes that their quantities hand on."""

    def __init__(
        self,
        library: RelationSet,
        found: Cases,
        inputs: Sequence[str],
        sheet: Sheet,
        layout: Layout,
        reasons: Reasons,
    ) -> None:
        super().__init__(
            library, found, {name: sheet.line(f"x[{i}]") for i, name in enumerate(inputs)}, sheet, Decisions()
        )
        self.inputs = inputs
        self.layout = layout
        self.reasons = reasons
        self.causes: dict[str, str] = {}  # of each line that may lack a number
        self.open: dict[str, str] = {}  # of causes beside the target: the same where its relations apply
        self.handed: dict[str, list[str]] = {}  # the causes in each check
        self.unsaid: set[Block] = set()  # blocks without lines
        self.tried: list[str] = []  # the candidates of the block at hand
        self.forms: dict[Block, str] = {}  # the index of the form in use
        self.raw: dict[str, str] = {}  # of each unknown, before it is asked whether it lies in its domain
        self.barred: dict[str, str] = {}  # whether a quantity beside the target has no admissible value

    def given(self, name: str, scope: Scope) -> None:
        """A given in base units, with the cause where it is no number of its domain."""
        argument, quantity = self.arguments[name], self.library.declared[name]
        domain = quantity.domain
        based = self._based(argument, name)
        value = based if based == argument else self.sheet.line(based)
        tests = [self.sheet.between(value, -inf, inf)]
        for end, sign in ((domain.low, "<" if domain.open_low else "<="), (domain.high, ">=")):
            if isfinite(end):
                slack = (
                    "" if sign == "<" or not end else f" {'-' if sign == '<=' else '+'} {UNIT_ROUNDING!r}*abs({value})"
                )
                tests.append(f"({end!r}{slack} {sign} {value})")
        tests += [f"isWhole({argument})"] if domain.whole else []
        wrong = self.reasons.misgiven(quantity)
        self.causes[value] = self.sheet.line(f"0 if {' and '.join(tests)} else {wrong}")
        scope.variables[name] = value
        self.decisions.given(value, argument, quantity)

    def cause(self, names: Iterable[str], scope: Scope) -> list[str]:
        """The causes that quantities may hand on."""
        found = (self.causes.get(scope.variables[name], SOUND) for name in names)
        return [one for one in dict.fromkeys(found) if one != SOUND]

    def first(self, *causes: str) -> str:
        """The first cause of several."""
        held = [one for one in causes if one != SOUND]
        if not held:
            return SOUND
        return held[0] if len(held) == 1 and held[0].isidentifier() else self.sheet.line(" or ".join(held))
