"""The lineage of an answer as data: the relations that it used, block by block, and the numbers on the way.

It holds what the graph of an answer needs and the answer itself does not tell, without the library, so that a stored
answer keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from derive.numerics.intervals.enclosure import Span
from derive.planning.dependency_graph import RelationBlock
from quantities.declaration import Declaration
from quantities.value import Value

__all__ = ["Lineage"]


@dataclass(frozen=True)
class Lineage:
    """The blocks of relations in order, and what is known of the quantities that they and the checks join."""

    blocks: tuple[RelationBlock, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)  # in base units; over ranges, those of their middle
    spans: Mapping[str, Span] = field(default_factory=dict)  # of quantities that are only bounded
    origins: Mapping[str, str] = field(default_factory=dict)  # "given", "default", or the profile of each value in use
    beside: Mapping[str, tuple[Declaration, Value]] = field(default_factory=dict)  # what is typed and not in use
    assumed: Mapping[str, str] = field(default_factory=dict)  # the conditions that nothing known decides, by relation

    def without_numbers(self) -> Lineage:
        """The same relations, at no numbers: in the middle of the ranges there are none."""
        return replace(self, numbers={}, spans={})
