"""Monotone pieces of an unknown's domain for a kernel: a block has at most one root on each, which is bracketed.

A form is monotone on a piece for all values of its parameters within their bounds: `univariate_branch_and_prune` proves
this for the numbers of one point, this module for a box of them. A piece that cannot hold a zero is dropped, and one
that is undecided is bisected. Sizes beyond the reach of a search are not searched; there only a change of sign shows a
root.

The root on a piece is bracketed at many points at once as `crossing` of `python_runtime` does it at one point. The
bracket is bisected geometrically while its ends are far apart, and then cut by inverse quadratic interpolation where
that is safe, else bisected (Chandrupatla 1997), down to the last digits. The result is NaN where the ends certainly
have the same sign, and an infinity where their signs are uncertain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf, nan
from typing import Any

import numpy

from derive.expressions.tree import Apply, Node, walk
from derive.numerics.algebra.like_terms import without_quotients
from derive.numerics.intervals.enclosure import Enclosure, Span, enclose, sum_of
from derive.numerics.root_finding.univariate_branch_and_prune import middle
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, LARGEST, LAST_DIGIT, LEAST, MOST, SMALLEST
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
            cut = middle(piece)
            pending += (cut, piece[1]), (piece[0], cut)  # the lower half last, which is examined next
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
    """The part of an unknown's domain that lies within reach of a search, to be cut into monotone pieces."""
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
    """The enclosure of a form by which a piece is tested for being monotone; None if it misses zero or is undefined."""
    parts: list[Enclosure] = []
    for term in form.args if isinstance(form, Apply) and form.op == "add" else (form,):
        part = enclose(term, spans, name)
        if part is None:
            return None
        parts.append(part)
    low = sum(part.values[0] - AGREEMENT * abs(part.values[0]) for part in parts)
    high = sum(part.values[1] + AGREEMENT * abs(part.values[1]) for part in parts)
    return None if low > 0 or high < 0 else sum_of(*parts)


_STEPS = 200
_CROWD = 0.75  # share of open points below which the finished ones are dropped


def crossings(
    gap: Callable[..., Any], least: Callable[..., Any], low: float, high: float, inputs: Sequence[Any]
) -> Any:
    """The bracketed root on a monotone piece at each point; the residual's sign is certain above the size `least`."""
    ends = [numpy.full(inputs[0].shape, end) for end in (high, low)]
    gaps = [gap(end, *inputs) for end in ends]
    sizes = [numpy.abs(gap_at_end) for gap_at_end in gaps]
    is_certain = [(size > least(end, *inputs)) | (size == inf) for size, end in zip(sizes, ends, strict=True)]
    roots = numpy.where(is_certain[0] & is_certain[1], nan, inf)
    places = numpy.flatnonzero(is_certain[0] & is_certain[1] & ((gaps[0] < 0) != (gaps[1] < 0)))
    if places.size:
        bracket = [array[places] for array in (ends[0], gaps[0], ends[1], gaps[1])]
        roots[places] = _narrow_brackets(gap, bracket, [array[places] for array in inputs])
    return roots


def _narrow_brackets(gap: Callable[..., Any], bracket: Sequence[Any], inputs: Sequence[Any]) -> Any:
    """The roots of a kernel's block on its monotone pieces, by Chandrupatla's bracketing; infinite where undefined."""
    x1, f1, x2, f2 = bracket  # x1 was tried last, and x2 has the other sign
    roots, places = numpy.full(x1.shape, inf), numpy.arange(x1.size)
    share, pending = numpy.full(x1.shape, 0.5), numpy.full(x1.shape, True)
    for _ in range(_STEPS):
        x = numpy.where(pending, _cuts(x1, x2, share), x1)
        f = gap(x, *inputs)
        same = (f < 0) == (f1 < 0)  # then the root lies between the new point and x2; x3 is the point that is left out
        x3, f3 = numpy.where(same, x1, x2), numpy.where(same, f1, f2)
        x2, f2 = numpy.where(same, x2, x1), numpy.where(same, f2, f1)
        x1, f1 = x, f
        best = numpy.where(numpy.abs(f1) < numpy.abs(f2), x1, x2)
        narrow = LAST_DIGIT * numpy.abs(best) / numpy.abs(x2 - x1)
        is_undefined, is_zero = numpy.isnan(f), f == 0
        is_done = pending & (is_zero | is_undefined | (narrow >= 0.5))
        roots[places[is_done]] = numpy.where(is_zero, x1, numpy.where(is_undefined, inf, best))[is_done]
        pending &= ~is_done
        if not pending.any():
            break
        # where inverse quadratic interpolation through the three points is safe, it gives the next cut
        across, along = (f1 - f2) / (f3 - f2), (x1 - x2) / (x3 - x2)
        trusted = (across * across < along) & ((1 - across) * (1 - across) < 1 - along)
        curved = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        share = numpy.clip(numpy.where(trusted, curved, 0.5), narrow, 1 - narrow)
        if pending.sum() < _CROWD * pending.size:
            x1, f1, x2, f2, share, places = (array[pending] for array in (x1, f1, x2, f2, share, places))
            inputs = [array[pending] for array in inputs]
            pending = numpy.full(x1.shape, True)
    return roots


def _cuts(x1: Any, x2: Any, share: Any) -> Any:
    """The numbers at which the brackets on monotone pieces are cut: zero, by ratio, or interpolated."""
    a, b = numpy.minimum(x1, x2), numpy.maximum(x1, x2)
    x = x1 + share * (x2 - x1)
    above, below = (a >= 0) & (4 * a < b), (b <= 0) & (4 * b > a)
    if above.any():
        x = numpy.where(above, numpy.sqrt(numpy.maximum(a, SMALLEST)) * numpy.sqrt(numpy.abs(b)), x)
    if below.any():
        x = numpy.where(below, -numpy.sqrt(numpy.maximum(-b, SMALLEST)) * numpy.sqrt(numpy.abs(a)), x)
    return numpy.where((a < 0) & (b > 0), 0.0, x)
