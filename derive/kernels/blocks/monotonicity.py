"""Where a form is monotone in one unknown, for all values of its parameters within their bounds.

On such a piece the form has at most one zero at every point: `root_boxes` proves this for the numbers of one point,
this module for a box of them. A piece that cannot hold a zero is dropped, and one that is undecided is bisected.
Sizes beyond the reach of a search are not searched; there only a change of sign shows a root.
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

__all__ = ["Pieces", "pieces", "reach"]

_PATIENCE = 100  # limit on pieces that are examined
_OPERATIONS = 20_000  # limit on operations of a form over all pieces: a long form is proved at once or hardly ever

Pieces = tuple[tuple[Span, ...], tuple[Span, ...]]
"""Pieces with at most one zero each; and beyond them those of which nothing is proved."""


def pieces(form: Node, name: str, box: Mapping[str, Span], domain: Domain) -> Pieces | None:
    """The parts of a domain that may hold zeros of a form, each at most one; None if that is not proved.

    >>> from derive.expressions.grammar import parse_expression
    >>> positive = Domain("positive", 0.0, float("inf"), open_low=True)
    >>> pieces(parse_expression("x*exp(x) - a"), "x", {"a": (1.0, 100.0)}, positive)
    (((1e-60, 1e+60),), ())
    >>> pieces(parse_expression("sin(x) - a"), "x", {"a": (0.0, 0.5)}, positive)
    """
    return _pieces(form, name, tuple(box.items()), domain)


@lru_cache(maxsize=1024)
def _pieces(form: Node, name: str, spans: tuple[tuple[str, Span], ...], domain: Domain) -> Pieces | None:
    """The same, cached: many programs of a page hold the same block."""
    whole, box = reach(domain), dict(spans)
    forms = tuple(dict.fromkeys((form, without_quotients(form, name, {**box, name: whole}))))
    kept: list[tuple[Span, bool]] = []
    pending = [whole]
    operations = max(1, sum(1 for _ in walk(*forms)))
    for _ in range(min(_PATIENCE, 1 + _OPERATIONS // operations)):
        if not pending:
            break
        tick()
        piece = pending.pop()
        seen = _seen(forms, name, box, piece)
        if seen is None:
            continue
        if not seen.is_monotone:
            pending.extend(_halves(piece))
            continue
        rises = seen.slopes[0] > 0
        if kept and kept[-1][1] == rises and kept[-1][0][1] == piece[0]:
            piece = kept.pop()[0][0], piece[1]
        kept.append((piece, rises))
    if pending:
        return None
    return tuple(piece for piece, _ in kept), tuple(one for one in _tails(domain) if _seen(forms, name, box, one))


def reach(domain: Domain) -> Span:
    """The part of a domain in which an unknown is sought."""
    low = domain.low if domain.low < 0 else max(domain.low, SMALLEST)
    return max(low, -LARGEST), min(domain.high, LARGEST)


def _tails(domain: Domain) -> Iterator[Span]:
    """The parts of a domain beyond that."""
    if 0 <= domain.low < SMALLEST:
        yield (LEAST if domain.open_low else domain.low), SMALLEST
    if domain.low < -LARGEST:
        yield max(domain.low, -MOST), -LARGEST
    if domain.high > LARGEST:
        yield LARGEST, min(domain.high, MOST)


def _seen(forms: Sequence[Node], name: str, box: Mapping[str, Span], piece: Span) -> Enclosure | None:
    """The enclosure of the first monotone form of several with one sign; None if they certainly miss zero."""
    found: Enclosure | None = None
    for form in forms:
        at = _enclosed(form, {**box, name: piece}, name)
        if at is None or at.is_monotone:
            return at
        found = found or at
    return found


def _enclosed(form: Node, spans: Mapping[str, Span], name: str) -> Enclosure | None:
    """The enclosure of a form; None if it certainly misses zero, or is nowhere defined."""
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
    """The two parts of a piece, the lower one last."""
    at = middle(piece)
    return (at, piece[1]), (piece[0], at)
