"""Monotone pieces of an unknown's domain for a kernel: a block has at most one root on each, for a box of inputs.

A form is monotone on a piece for all values of its parameters within their bounds: `root_boxes` proves this for the
numbers of one point, this module for a box of them. A piece that cannot hold a zero is dropped, and one that is
undecided is bisected. Sizes beyond the reach of a search are not searched; there only a change of sign shows a root.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from derive.expressions.tree import Apply, Node, walk
from derive.numerics.algebra.constant_folding import without_quotients
from derive.numerics.intervals.enclosure import Enclosure, Span, enclose, sum_of
from derive.numerics.root_finding.root_boxes import middle
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, LARGEST, LEAST, MOST, SMALLEST
from quantities.domain import Domain

_PATIENCE = 100  # limit on pieces that are examined
_OPERATIONS = 20_000  # limit on operations of a form over all pieces: a long form is proved at once or hardly ever

Pieces = tuple[tuple[Span, ...], tuple[Span, ...]]
"""Pieces with at most one zero each, and pieces beyond the reach of a search, of which nothing is proved."""


def monotone_pieces(form: Node, name: str, box: Mapping[str, Span], domain: Domain) -> Pieces | None:
    """The monotone pieces of an unknown's domain that a block's kernel searches; None if that is not proved.

    >>> from derive.expressions.grammar import parse_expression
    >>> positive = Domain("positive", 0.0, float("inf"), open_low=True)
    >>> monotone_pieces(parse_expression("x*exp(x) - a"), "x", {"a": (1.0, 100.0)}, positive)
    (((1e-60, 1e+60),), ())
    >>> monotone_pieces(parse_expression("sin(x) - a"), "x", {"a": (0.0, 0.5)}, positive)
    """
    return _cached_pieces(form, name, tuple(box.items()), domain)


@lru_cache(maxsize=1024)
def _cached_pieces(form: Node, name: str, spans: tuple[tuple[str, Span], ...], domain: Domain) -> Pieces | None:
    """The monotone pieces for a block's kernel, cached: many programs of a page contain the same block."""
    sought, box = reach(domain), dict(spans)
    forms = tuple(dict.fromkeys((form, without_quotients(form, name, {**box, name: sought}))))
    monotone: list[tuple[Span, bool]] = []  # pieces, and whether a form rises on them
    pending = [sought]
    operations = max(1, sum(1 for _ in walk(*forms)))
    for _ in range(min(_PATIENCE, 1 + _OPERATIONS // operations)):
        if not pending:
            break
        tick()
        piece = pending.pop()
        enclosure = _enclosure_of(forms, name, box, piece)
        if enclosure is None:
            continue
        if not enclosure.is_monotone:
            pending.extend(_halves(piece))
            continue
        rises = enclosure.slopes[0] > 0
        if monotone:  # one that continues the last piece, and rises or falls as that does, is joined to it
            (low, high), last_rises = monotone[-1]
            if last_rises == rises and high == piece[0]:
                monotone.pop()
                piece = low, piece[1]
        monotone.append((piece, rises))
    if pending:
        return None
    tails = tuple(tail for tail in _tails(domain) if _enclosure_of(forms, name, box, tail))
    return tuple(piece for piece, _ in monotone), tails


def reach(domain: Domain) -> Span:
    """The reach of a kernel's search: the part of the unknown's domain that is cut into monotone pieces."""
    low = domain.low if domain.low < 0 else max(domain.low, SMALLEST)
    return max(low, -LARGEST), min(domain.high, LARGEST)


def _tails(domain: Domain) -> Iterator[Span]:
    """The tails of an unknown's domain, which a block's kernel neither searches nor cuts into monotone pieces."""
    if 0 <= domain.low < SMALLEST:
        yield (LEAST if domain.open_low else domain.low), SMALLEST
    if domain.low < -LARGEST:
        yield max(domain.low, -MOST), -LARGEST
    if domain.high > LARGEST:
        yield LARGEST, min(domain.high, MOST)


def _enclosure_of(forms: Sequence[Node], name: str, box: Mapping[str, Span], piece: Span) -> Enclosure | None:
    """The enclosure of a block's residual on a kernel's piece, by its first monotone form; None without a root."""
    first: Enclosure | None = None
    for form in forms:
        enclosure = _enclosure_of_form(form, {**box, name: piece}, name)
        if enclosure is None or enclosure.is_monotone:
            return enclosure
        first = first or enclosure
    return first


def _enclosure_of_form(form: Node, spans: Mapping[str, Span], name: str) -> Enclosure | None:
    """The enclosure of a form of a block's residual on a kernel's piece; None if it misses zero or is undefined."""
    parts: list[Enclosure] = []
    for term in form.args if isinstance(form, Apply) and form.op == "add" else (form,):
        part = enclose(term, spans, name)
        if part is None:
            return None
        parts.append(part)
    low = sum(part.values[0] - AGREEMENT * abs(part.values[0]) for part in parts)
    high = sum(part.values[1] + AGREEMENT * abs(part.values[1]) for part in parts)
    return None if low > 0 or high < 0 else sum_of(*parts)


def _halves(piece: Span) -> tuple[Span, Span]:
    """The two halves of a kernel's piece that is not proved monotone, the lower one last."""
    cut = middle(piece)
    return (cut, piece[1]), (piece[0], cut)
