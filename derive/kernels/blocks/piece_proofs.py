"""Proofs for a kernel that pieces of a tear's domain hold at most one root of a block each, for boxes of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import product
from math import floor, frexp, ldexp

from derive.kernels.blocks.block_lines import Attempt
from derive.kernels.blocks.monotone_pieces import Pieces
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.root_boxes import middle
from derive.tolerances import LEAST_FACTOR, MOST_FACTOR

_GRAIN = 32  # boxes around single points, to a factor of two
_CELLS = 4096  # limit on cached boxes
_CUTS = 16  # in search of the longest span with a proof
_FAILURES = 24  # failed proofs without a success after which no other is tried


class PieceProofs:
    """The proofs for a block's kernel, by boxes of inputs, of pieces of the tear's domain with one root at most."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.inputs = attempt.system.inputs
        self.cell = lru_cache(maxsize=_CELLS)(self._of_cell)
        self._failed = 0
        self._is_of_use = False

    @property
    def _box(self) -> tuple[Span, ...]:
        """The box of all inputs of a kernel, each in its domain, for which pieces are to be proved."""
        spans = []
        for domain in (self.attempt.system.domains[name] for name in self.inputs):
            is_positive = domain.low == 0 and domain.open_low
            low = LEAST_FACTOR if is_positive else max(domain.low, -MOST_FACTOR)
            spans.append((low, min(domain.high, MOST_FACTOR)))
        return tuple(spans)

    @cached_property
    def whole(self) -> tuple[tuple[Span, ...], Pieces] | None:
        """The one proof of pieces for all inputs of a kernel: their box, and the pieces of the tear's domain."""
        pieces = self.of(self._box)
        return None if pieces is None else (self._box, pieces)

    @cached_property
    def widest(self) -> tuple[tuple[Span, ...], Pieces] | None:
        """The proof of pieces for as many inputs of a kernel as possible: all, or with one limited on a side."""
        if self.whole is not None:
            return self.whole
        proofs = (self._longest_part(self._box, *cut) for cut in product(range(len(self._box)), (0, 1)))
        return next((proof for proof in proofs if proof), None)

    def _longest_part(self, box: tuple[Span, ...], place: int, side: int) -> tuple[tuple[Span, ...], Pieces] | None:
        """The proof of pieces for a kernel's box, one side of which is cut to its longest part with a proof."""
        before, span, after = box[:place], box[place], box[place + 1 :]
        start, good, bad = span[side], span[side], span[1 - side]
        if self.of((*before, (start, start), *after)) is None:
            return None
        best = None
        for _ in range(_CUTS):
            between = middle((min(good, bad), max(good, bad)))
            spans = (*before, (min(start, between), max(start, between)), *after)
            pieces = self.of(spans)
            if pieces is None:
                bad = between
            else:
                good, best = between, (spans, pieces)
        return best

    def of(self, spans: Sequence[Span]) -> Pieces | None:
        """The proved pieces of a tear's domain for a kernel's inputs in a box; None without a proof."""
        if self._failed >= _FAILURES and not self._is_of_use:
            return None
        pieces = self.attempt.proved(dict(zip(self.inputs, spans, strict=True)))
        self._failed += pieces is None
        self._is_of_use |= pieces is not None
        return pieces

    def _of_cell(self, cell: tuple[tuple[int, int], ...]) -> Pieces | None:
        """The proved pieces of a tear's domain for a kernel's inputs in a small cell; None without a proof.

        The cell has, for each input, the number of a step in its mantissa, and its exponent.
        """
        ends = [(ldexp(share / _GRAIN, power), ldexp((share + 1) / _GRAIN, power)) for share, power in cell]
        return self.of([(x, x) if x == 0 else (x, y) for x, y in ends])

    def around(self, numbers: Sequence[float]) -> Pieces | None:
        """The proved pieces of a tear's domain for a kernel's inputs at a point; None without a proof."""
        if self.widest is not None:
            spans, pieces = self.widest
            if all(low <= x <= high for x, (low, high) in zip(numbers, spans, strict=True)):
                return pieces
        mantissas = [frexp(x) for x in numbers]
        return self.cell(tuple((floor(share * _GRAIN), power) for share, power in mantissas))
