"""The graphs that `derive graph` writes, as pictures, GraphML and JSON.

A picture shows the quantities of a dependency graph in columns. A relation is the lines from the quantities that it
contains to the one that it is written for in a library, or that it fixes in a plan.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from derive.files import MARK
from derive.planning.dependency_graph import RelationBlock, derivation_graph, graph_of_library, relation_key
from derive.planning.incidence import structure_of
from derive.planning.networks import Attribute, columns, graphml, node_link
from derive.planning.plan import plan
from derive.solving.diagnosis.missing_givens import shortage
from derive.solving.execution.question import outlined

if TYPE_CHECKING:
    from derive.library import Library
    from derive.planning.networks import Graph

_ROW, _GAP, _LETTER = 40, 70, 7.4  # height of a row, space between columns, width of a letter
_GIVEN, _DERIVED, _BLOCK = "#eef5ea", "#e8eef7", "#fde7c7"  # colours of givens, of results, of simultaneous unknowns
_SWEEPS = 12  # sweeps that order the columns


def graph_asked_for(
    library: Library, target: str | None, given: Sequence[str] = (), profiles: Sequence[str] = ()
) -> Graph:
    """The graph to be written: of a library, of one question's plan, or without givens of what is around its target.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> list(graph_asked_for(circuits, "resistance", ["voltage", "current"]).edges)
    [('voltage', 'relation:ohm'), ('current', 'relation:ohm'), ('relation:ohm', 'resistance')]
    """
    if target is None:
        return graph_of_library(library)
    stated = [name for profile in profiles for name in library.profile(profile).values if name in library.declared]
    outline = outlined(library, target, given)
    outline = replace(outline, weak=tuple(name for name in (*stated, *outline.weak) if name not in given))
    steps = plan(structure_of(library), outline.target, outline.strong, outline.weak)
    if steps.is_determined:
        blocks = [
            RelationBlock(tuple(library.relations[name] for name in block.relations), block.unknowns)
            for block in steps.blocks
        ]
        origins = _origins(library, steps.weak, given, profiles)
        return derivation_graph(library.declared[outline.target], blocks, origins)
    if given or profiles:
        raise shortage(library, outline, {})
    return _around(library, outline.target)


def _origins(library: Library, weak: Sequence[str], given: Sequence[str], profiles: Sequence[str]) -> dict[str, str]:
    """Where each value in a plan's graph comes from: among profiles the last one that states it."""
    origins = dict.fromkeys(weak, "default")
    for profile in profiles:
        stated = library.profile(profile)
        origins.update({name: stated.name for name in weak if name in stated.values})
    return {**origins, **dict.fromkeys(given, "given")}


def _around(library: Library, target: str) -> Graph:
    """The part of a library's graph to draw around a target: what it is computed from, and what uses it."""
    written: dict[str, str] = {}
    for relation, name in structure_of(library).forward.items():
        written.setdefault(name, relation)
    taken: dict[str, str] = {}
    pending = [target]
    for name in pending:  # grows as it is walked
        if name in written and name not in taken:
            taken[name] = written[name]
            pending.extend(library.relations[written[name]].declared)
    using = {
        name: relation
        for name, relation in written.items()
        if target in library.relations[relation].declared and name != target
    }
    taken |= using
    shown = {*pending, *taken, *map(relation_key, taken.values())}
    graph = graph_of_library(library)
    graph.remove_nodes_from([node for node in graph if node not in shown])  # `subgraph` has the order of a set
    return graph


def written(graph: Graph, ending: str) -> str:
    """The text of a file of a graph, whose format its ending says."""
    if ending == ".json":
        return json.dumps({"generator": MARK, **node_link(graph)}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if ending == ".graphml":
        return f"<!-- {MARK} -->\n{graphml(graph)}"
    return picture(graph)


class _Line(NamedTuple):
    """A line of a picture: from a quantity to the one that a relation gives."""

    start: str
    end: str
    relation: str


def _lines(graph: Graph) -> Iterator[_Line]:
    """The lines between quantities in the picture of a graph."""
    for key, attributes in graph.nodes(data=True):
        if attributes["kind"] == "quantity":
            continue
        around = graph.pred[key] if graph.is_directed() else graph[key]
        for end in [name for name, edge in graph[key].items() if edge["stands"] == "result"]:
            for start in around:
                if start != end:
                    yield _Line(start, end, key.partition(":")[2])


def picture(graph: Graph) -> str:
    """A graph as SVG: each quantity in the column after the last one that it is computed from."""
    quantities = {name: attributes for name, attributes in graph.nodes(data=True) if attributes["kind"] == "quantity"}
    lines = list(_lines(graph))
    layers = columns(quantities, [(line.start, line.end) for line in lines])
    return _drawn(_untangled(layers, lines), lines, quantities)


def _untangled(layers: Sequence[Sequence[str]], lines: Sequence[_Line]) -> list[list[str]]:
    """The layers of a graph, each ordered by the barycentres of its neighbours, so that fewer lines cross."""
    near: dict[str, list[str]] = {}
    for line in lines:
        near.setdefault(line.start, []).append(line.end)
        near.setdefault(line.end, []).append(line.start)
    ordered = [list(layer) for layer in layers]
    for _ in range(_SWEEPS):
        height = {}
        for layer in ordered:
            height.update({name: row / max(len(layer) - 1, 1) for row, name in enumerate(layer)})

        def barycentre(name: str, height: Mapping[str, float] = height) -> float:
            around = [height[other] for other in near.get(name, ()) if other in height]
            return sum(around) / len(around) if around else height[name]

        ordered = [sorted(layer, key=barycentre) for layer in ordered]
    return ordered


def _drawn(
    layers: Sequence[Sequence[str]], lines: Sequence[_Line], quantities: Mapping[str, Mapping[str, Attribute]]
) -> str:
    """The SVG of a graph in layers, a box for each quantity and a curve for each line between them."""
    labels = {name: (_cut(name, 36), _cut(str(attributes["unit"]), 24)) for name, attributes in quantities.items()}
    width = 24 + max((_LETTER * len(f"{name} [{unit}]") for name, unit in labels.values()), default=80)
    column = width + _GAP
    tallest = max((len(layer) for layer in layers), default=1)
    places = {}
    for i, layer in enumerate(layers):
        top = 24 + _ROW * (tallest - len(layer)) // 2
        places.update({name: (24 + i * column, top + _ROW * row) for row, name in enumerate(layer)})
    height = 24 + _ROW * tallest
    span = 48 + column * max(len(layers), 1) - _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {span} {height}" width="{span}" height="{height}" '
        'font-family="DejaVu Sans, sans-serif" font-size="12">',
        f"<metadata>{MARK}</metadata>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#777"/></marker></defs>',
    ]
    for line in lines:
        if _are_simultaneous(quantities[line.start], quantities[line.end]):
            continue
        (x, y), (u, v) = places[line.start], places[line.end]
        path = f"M{x + width} {y + 13}C{x + width + _GAP} {y + 13} {u - _GAP} {v + 13} {u} {v + 13}"
        title = f"<title>{escape(line.relation)}</title>"
        parts.append(f'<path d="{path}" fill="none" stroke="#999" marker-end="url(#tip)">{title}</path>')
    derived = {line.end for line in lines}
    for name, (x, y) in places.items():
        fill = _GIVEN
        if "block" in quantities[name]:
            fill = _BLOCK
        elif name in derived:
            fill = _DERIVED
        shown, unit = labels[name]
        meaning = str(quantities[name].get("meaning", name))
        parts.append(
            f'<g><rect x="{x}" y="{y}" width="{width}" height="26" rx="5" fill="{fill}" stroke="#557"/>'
            f'<text x="{x + 10}" y="{y + 17}">{escape(shown)} <tspan fill="#666">[{escape(unit)}]</tspan></text>'
            f"<title>{escape(meaning)}</title></g>"
        )
    return "\n".join([*parts, "</svg>", ""])


def _are_simultaneous(first: Mapping[str, Attribute], second: Mapping[str, Attribute]) -> bool:
    """Whether two quantities of a graph are unknowns of one block, which stand in one column of its picture."""
    return "block" in first and first["block"] == second.get("block")


def _cut(text: str, most: int) -> str:
    """A text, cut if it is too long for a box."""
    return text if len(text) <= most else text[: most - 1] + "…"
