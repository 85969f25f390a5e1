"""Pictures of libraries and plans: SVG, drawn from the graph itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from derive.planning import Plan, plan

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["library_graph", "plan_graph"]

_ROW, _COLUMN, _BOX = 44, 250, 210
_MOST = 400  # quantities and relations that one picture shows


def plan_graph(library: Library, target: str, given: Sequence[str]) -> str:
    """One question's plan: what is given, then each block below what it needs."""
    defaults = [n for n, q in library.quantities.items() if q.default is not None and n not in given and n != target]
    made = plan(library.structure(), library.quantity(target).name, list(given), defaults)
    layers = _layers(library, made)
    return _svg(library, made, layers)


def library_graph(library: Library) -> str:
    """The whole library: relations in the middle, the quantities they are written for and from on either side."""
    forward = library.structure().forward
    depth: dict[str, int] = {}
    for _ in range(len(library.relations)):
        before = dict(depth)
        for name, relation in library.relations.items():
            target = forward.get(name)
            inputs = [depth.get(other, 0) for other in relation.quantities if other != target]
            if target is not None and len(depth) < _MOST:
                depth[target] = min(max([depth.get(target, 0), *(one + 1 for one in inputs)]), 30)
        if depth == before:
            break
    names = list(library.quantities)[:_MOST]
    width = max([depth.get(name, 0) for name in names], default=0) + 1
    layers = [[name for name in names if depth.get(name, 0) == i] for i in range(width)]
    edges = [
        (other, target, name)
        for name, target in forward.items()
        for other in library.relations[name].quantities
        if other != target
    ]
    return _drawn(layers, edges, {}, library)


def _layers(library: Library, made: Plan) -> list[list[str]]:
    """The givens first, then the unknowns of each block, one layer below the deepest that it needs."""
    depth: dict[str, int] = {}
    for block in made.blocks:
        needed = {name for relation in block.relations for name in library.relations[relation].quantities}
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
        for other in library.relations[relation].quantities
        if other not in block.unknowns
    ]
    blocks = {name: i for i, block in enumerate(made.blocks) if len(block.unknowns) > 1 for name in block.unknowns}
    return _drawn(layers, edges, blocks, library)


def _drawn(
    layers: Sequence[Sequence[str]], edges: Sequence[tuple[str, str, str]], blocks: Mapping[str, int], library: Library
) -> str:
    places = {
        name: (24 + column * _COLUMN, 24 + row * _ROW)
        for column, layer in enumerate(layers)
        for row, name in enumerate(layer)
    }
    height = 48 + _ROW * max((len(layer) for layer in layers), default=1)
    width = 24 + _COLUMN * max(len(layers), 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#777"/></marker></defs>',
    ]
    for start, end, relation in edges:
        if start in places and end in places:
            (x, y), (u, v) = places[start], places[end]
            path = f"M{x + _BOX} {y + 13}C{x + _BOX + 24} {y + 13} {u - 24} {v + 13} {u} {v + 13}"
            title = f"<title>{escape(relation)}</title>"
            parts.append(f'<path d="{path}" fill="none" stroke="#999" marker-end="url(#tip)">{title}</path>')
    for name, (x, y) in places.items():
        fill = "#fde7c7" if name in blocks else "#e8eef7" if y or x > 24 else "#eef5ea"
        unit = f'<tspan fill="#777">[{escape((library.quantities[name].unit.text or "1")[:12])}]</tspan>'
        parts.append(
            f'<g><rect x="{x}" y="{y}" width="{_BOX}" height="26" rx="5" fill="{fill}" stroke="#557"/>'
            f'<text x="{x + 8}" y="{y + 17}">{escape(name[:24])} {unit}</text>'
            f"<title>{escape(library.quantities[name].meaning or name)}</title></g>"
        )
    return "\n".join([*parts, "</svg>", ""])
