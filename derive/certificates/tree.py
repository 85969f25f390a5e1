"""A box and the tree that cuts it into parts: a certificate says of each part why nothing is missing in it.

A tree lists what is done with each box in the order in which a reader meets them who always turns to the part below
first: it is cut in two, or narrowed, or it is a leaf. That the leaves cover the box needs no proof: they are made of
it, but for what a narrowing takes off, which is computed again. A search writes a tree, and the checker reads it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from derive.numerics.intervals.boxes import Box
from derive.time_limits import tick

T = TypeVar("T")


def middle(box: Box) -> tuple[float, ...] | None:
    """The centre of a box in a certificate; None of one that has no end."""
    centre = tuple(low / 2 + high / 2 for low, high in box)
    return centre if all(map(math.isfinite, centre)) else None


@dataclass(frozen=True, slots=True)
class Cut:
    """A box cut in two along one of the unknowns: the part below comes first, then the part above."""

    unknown: int
    at: float

    def halves(self, box: Box) -> tuple[Box, Box]:
        """The parts of a cut box, above and below: pushed on a stack in this order, the part below is met first."""
        low, high = box[self.unknown]
        before, after = box[: self.unknown], box[self.unknown + 1 :]
        return (*before, (self.at, high), *after), (*before, (low, self.at), *after)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """A step that takes empty parts off a box: of Newton's method, or by slopes for a bound."""


class FlawError(Exception):
    """A tree does not cover its box; the message says why."""


def pieces(
    box: Box, tree: Sequence[Cut | Narrowing | T], narrowed: Callable[[Box], Box | None]
) -> Iterator[tuple[Box, T]]:
    """The boxes into which a certificate's tree cuts a box, each with its leaf; a FlawError where they do not cover it.

    Together they cover the box, but for what `narrowed` takes off a part as empty.
    """
    pending = [box]
    for node in tree:
        if not pending:
            raise FlawError("there are more boxes than the cuts make")
        part = pending.pop()
        if isinstance(node, Cut):
            low, high = part[node.unknown]
            if not low <= node.at <= high:
                raise FlawError("a cut is outside its box")
            pending += node.halves(part)
        elif isinstance(node, Narrowing):
            remaining = narrowed(part)
            pending += [] if remaining is None else [remaining]
        else:
            yield part, node
    if pending:
        raise FlawError("the boxes do not cover the whole")


def recorded(
    box: Box, step: Callable[[Box], tuple[Cut | Narrowing | T, Iterable[Box]] | None], most: int
) -> tuple[Cut | Narrowing | T, ...] | None:
    """Record the tree of a certificate that cuts a box into parts, each settled by a step.

    `step` gives the node of a part, and the parts that remain of it, the next one last. None where nothing can be done
    with a part, or there are too many.
    """
    tree: list[Cut | Narrowing | T] = []
    pending = [box]
    while pending:
        tick()
        outcome = step(pending.pop()) if len(tree) <= most else None
        if outcome is None:
            return None
        node, remaining = outcome
        tree.append(node)
        pending += remaining
    return tuple(tree)


def cut_off(box: Box, remaining: Box, share: float, is_settled: Callable[[Box], bool]) -> Cut | None:
    """A cut of a certificate's box that leaves a settled part outside `remaining`, if it is a large share of a side."""
    for i, ((low, high), (least, most)) in enumerate(zip(box, remaining, strict=True)):
        for at, side in ((least, (low, least)), (most, (most, high))):
            is_large = high - low == math.inf or side[1] - side[0] > share * (high - low)
            if low < at < high and is_large and is_settled((*box[:i], side, *box[i + 1 :])):
                return Cut(i, at)
    return None
