"""Drawings of libraries and plans as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from derive.output_files import MARK
from derive.planning.incidence import structure_of
from derive.planning.plan import Plan, plan
from derive.solving.diagnosis.diagnosis import shortage
from derive.solving.execution.question import outlined

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["library_graph", "plan_graph"]

_ROW, _GAP, _LETTER = 40, 70, 7.4  # height of a row, space between columns, width of a letter
_GIVEN, _DERIVED, _BLOCK = "#eef5ea", "#e8eef7", "#fde7c7"  # colours of givens, of results, of simultaneous unknowns
_DEEPEST = 30  # limit on columns of a library's picture
_SWEEPS = 12  # sweeps that order the columns


def plan_graph(library: Library, target: str, given: Sequence[str], profiles: Sequence[str] = ()) -> str:
    """The plan of one question: the givens, then each block after what it needs; without givens, its origins."""
    stated = [name for profile in profiles for name in library.profile(profile).values if name in library.declared]
    outline = outlined(library, target, given)
    outline = replace(outline, weak=tuple(name for name in (*stated, *outline.weak) if name not in given))
    made = plan(structure_of(library), outline.target, outline.strong, outline.weak)
    if made.is_determined:
        return _svg(library, made, _layers(library, made))
    if given or profiles:
        raise shortage(library, outline, {})
    return _origins(library, outline.target)


def _origins(library: Library, target: str) -> str:
    """The quantities that one is computed from, each by the first relation written for it, and those that use it."""
    written: dict[str, str] = {}
    for relation, name in structure_of(library).forward.items():
        written.setdefault(name, relation)
    taken: dict[str, str] = {}
    pending = [target]
    for name in pending:
        if name in written and name not in taken:
            taken[name] = written[name]
            pending.extend(library.relations[written[name]].declared)
    taken |= {name: r for name, r in written.items() if target in library.relations[r].declared and name != target}
    shown = dict.fromkeys([*pending, *taken])
    edges = [
        (other, name, relation)
        for name, relation in taken.items()
        for other in library.relations[relation].declared
        if other != name and other in shown
    ]
    return _drawn(_columns(shown, edges), edges, {}, library)


def library_graph(library: Library) -> str:
    """The whole library: each quantity in the column after the last one that it is written in terms of."""
    edges = [
        (other, target, name)
        for name, target in structure_of(library).forward.items()
        for other in library.relations[name].declared
        if other != target
    ]
    return _drawn(_columns(library.declared, edges), edges, {}, library)


def _columns(names: Iterable[str], edges: Sequence[tuple[str, str, str]]) -> list[list[str]]:
    """The names, each in a column after all that lines come from; where lines run in circles, after most."""
    depth = dict.fromkeys(names, 0)
    for _ in range(_DEEPEST):
        before = dict(depth)
        for start, end, _ in edges:
            depth[end] = min(max(depth[end], depth[start] + 1), _DEEPEST)
        if depth == before:
            break
    return [[name for name, at in depth.items() if at == i] for i in sorted(set(depth.values()))]


def _untangled(layers: Sequence[Sequence[str]], edges: Sequence[tuple[str, str, str]]) -> list[list[str]]:
    """The layers, each ordered by the barycentres of its neighbours, so that fewer lines cross."""
    near: dict[str, list[str]] = {}
    for start, end, _ in edges:
        near.setdefault(start, []).append(end)
        near.setdefault(end, []).append(start)
    found = [list(layer) for layer in layers]
    for _ in range(_SWEEPS):
        height = {name: row / max(len(layer) - 1, 1) for layer in found for row, name in enumerate(layer)}

        def barycentre(name: str, height: Mapping[str, float] = height) -> float:
            around = [height[other] for other in near.get(name, ()) if other in height]
            return sum(around) / len(around) if around else height[name]

        found = [sorted(layer, key=barycentre) for layer in found]
    return found


def _layers(library: Library, made: Plan) -> list[list[str]]:
    """The givens first, then the unknowns of each block, one layer after the last that it needs."""
    depth: dict[str, int] = {}
    for block in made.blocks:
        needed = dict.fromkeys(n for r in block.relations for n in library.relations[r].declared)
        deepest = max((depth.get(name, 0) for name in needed if name not in block.unknowns), default=0)
        for name in needed:
            depth.setdefault(name, 0)
        for name in block.unknowns:
            depth[name] = deepest + 1
    width = max(depth.values(), default=0) + 1
    return [[name for name, at in depth.items() if at == i] for i in range(width)]


def _svg(library: Library, made: Plan, layers: list[list[str]]) -> str:
    edges = [
        (other, name, relation)
        for block in made.blocks
        for name, relation in zip(block.unknowns, block.relations, strict=True)
        for other in library.relations[relation].declared
        if other not in block.unknowns
    ]
    blocks = {name: i for i, block in enumerate(made.blocks) if len(block.unknowns) > 1 for name in block.unknowns}
    return _drawn(layers, edges, blocks, library)


def _drawn(
    layers: Sequence[Sequence[str]], edges: Sequence[tuple[str, str, str]], blocks: Mapping[str, int], library: Library
) -> str:
    layers = _untangled(layers, edges)
    labels = {name: _label(name, library) for layer in layers for name in layer}
    width = 24 + max((_LETTER * len(f"{name} [{unit}]") for name, unit in labels.values()), default=80)
    column, derived = width + _GAP, {end for _, end, _ in edges}
    tallest = max((len(layer) for layer in layers), default=1)
    places = {
        name: (24 + i * column, 24 + _ROW * row + _ROW * (tallest - len(layer)) // 2)
        for i, layer in enumerate(layers)
        for row, name in enumerate(layer)
    }
    height = 24 + _ROW * tallest
    whole = 48 + column * max(len(layers), 1) - _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {height}" width="{whole}" height="{height}" '
        'font-family="DejaVu Sans, sans-serif" font-size="12">',
        f"<metadata>{MARK}</metadata>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#777"/></marker></defs>',
    ]
    for start, end, relation in edges:
        if start in places and end in places:
            (x, y), (u, v) = places[start], places[end]
            path = f"M{x + width} {y + 13}C{x + width + _GAP} {y + 13} {u - _GAP} {v + 13} {u} {v + 13}"
            title = f"<title>{escape(relation)}</title>"
            parts.append(f'<path d="{path}" fill="none" stroke="#999" marker-end="url(#tip)">{title}</path>')
    for name, (x, y) in places.items():
        fill = _BLOCK if name in blocks else _DERIVED if name in derived else _GIVEN
        shown, unit = labels[name]
        parts.append(
            f'<g><rect x="{x}" y="{y}" width="{width}" height="26" rx="5" fill="{fill}" stroke="#557"/>'
            f'<text x="{x + 10}" y="{y + 17}">{escape(shown)} <tspan fill="#666">[{escape(unit)}]</tspan></text>'
            f"<title>{escape(library.declared[name].meaning or name)}</title></g>"
        )
    return "\n".join([*parts, "</svg>", ""])


def _label(name: str, library: Library) -> tuple[str, str]:
    """A quantity's name and unit, cut if they are too long for a box."""
    unit = library.declared[name].unit.text or "1"
    return _cut(name, 36), _cut(unit, 24)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
