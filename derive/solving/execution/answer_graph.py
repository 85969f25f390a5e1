"""The graph of an answer: what it used, in the direction of the derivation, with its numbers, its case and its checks.

Nodes, edges and roles are those of `derivation_graph`. Two more roles are those of quantities beside the derivation:

- `check`: only checks ask for it;
- `unused`: it was typed, and the answer would be the same without it. One that cancels in relations that the answer
  does use keeps its role, and is marked `unused`.

Its number is there as `text`, as it was stated or would be shown, and as `magnitude` in its `unit`, with `low` and
`high` for a range or bounds; `source` is that of a stated number. Over ranges, the numbers of intermediate quantities
are those of their middle.

A node of a relation says in which `step` it is used, which arm binds (`regime`), and which conditions nothing decides
(`assumed`). A check is a node `check:NAME`, or `check:=NAME` for the value of a profile or default that yielded, with
`passed`, its `gap`, and for a failed one the `verdict`. Edges lead to it and none from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from derive.model.relation import Relation
from derive.numerics.intervals.arithmetic import point_box
from derive.planning.dependency_graph import add_quantity, add_tester, derivation_graph, relation_key
from derive.planning.networks import Attribute, plain
from derive.presentation.numbers import shown_result
from derive.solving.execution.answer import Lineage

if TYPE_CHECKING:
    from derive.numerics.intervals.enclosure import Span
    from derive.planning.networks import DiGraph
    from derive.solving.execution.answer import Answer, Check
    from quantities.declaration import Declaration
    from quantities.units import Unit
    from quantities.value import Value


def answer_graph(answer: Answer) -> DiGraph:
    """The directed graph of an answer."""
    lineage = answer.lineage
    graph = derivation_graph(answer.quantity, lineage.blocks, lineage.origins)
    declared = {**_declared_in(lineage), answer.quantity.name: answer.quantity}
    for check in answer.checks:
        _add_check(graph, check)
        declared = {**_quantities_of(check), **declared}
    for name in answer.unused:
        if name not in graph:
            declared[name], _ = lineage.beside[name]
            add_quantity(graph, declared[name])
            graph.nodes[name]["role"] = "unused"
        graph.nodes[name]["unused"] = True
    _add_numbers(graph, answer, lineage, declared)
    _add_case(graph, answer, lineage)
    return graph


def _declared_in(lineage: Lineage) -> dict[str, Declaration]:
    """The quantities in the relations of an answer's graph."""
    declared: dict[str, Declaration] = {}
    for block in lineage.blocks:
        for relation in block.relations:
            declared.update(relation.declared)
    return declared


def _add_check(graph: DiGraph, check: Check) -> None:
    """Add the node of a check to the graph, with edges from the quantities that the check compares."""
    key = _check_key(check)
    because = check.tested.because if isinstance(check.tested, Relation) else None
    add_tester(
        graph,
        key,
        role="check",
        equation=check.statement,
        because=because,
        passed=check.passed,
        gap=check.gap,
        verdict=check.verdict,
    )
    for name, declared in _quantities_of(check).items():
        if name not in graph:
            add_quantity(graph, declared)
            graph.nodes[name]["role"] = "check"
        stands = "member"
        if isinstance(check.tested, Relation) and name not in check.tested.members:
            stands = "condition"
        graph.add_edge(name, key, stands=stands)


def _check_key(check: Check) -> str:
    """The key of a check's node in the graph; a relation may bear the name of a quantity whose value is compared."""
    return f"check:{check.name}" if isinstance(check.tested, Relation) else f"check:={check.name}"


def _quantities_of(check: Check) -> Mapping[str, Declaration]:
    """The quantities that a check in the graph compares."""
    if check.tested is None:
        return {}
    if isinstance(check.tested, Relation):
        return check.tested.declared
    return {check.name: check.tested}


def _add_numbers(graph: DiGraph, answer: Answer, lineage: Lineage, declared: Mapping[str, Declaration]) -> None:
    """Put the number of each quantity into its node of the answer's graph, if it has one."""
    target = answer.quantity.name
    spans: dict[str, Span] = {}
    for check in answer.checks:
        spans.update(point_box(check.numbers))
    spans.update(point_box(lineage.numbers))
    spans.update(lineage.spans)
    for name, span in spans.items():
        if name in graph and name != target:
            graph.nodes[name].update(_attributes_of_span(span, declared[name].unit))
    stated = {name: value for name, (_, value) in lineage.beside.items()}
    for name, value in {**stated, **answer.given}.items():
        if name in graph:
            graph.nodes[name].update(_attributes_of_value(value, declared[name].unit))
    if target not in answer.given:
        graph.nodes[target].update(_attributes_of_target(answer))


def _attributes_of_span(span: Span, unit: Unit) -> dict[str, Attribute]:
    """The attributes of a node in the graph with a computed number, or with bounds, in a unit."""
    low, high = map(unit.from_base, span)
    text = shown_result(span, unit)
    if low == high:
        return plain({"text": text, "magnitude": low})
    return plain({"text": text, "low": low, "high": high})


def _attributes_of_value(value: Value, unit: Unit) -> dict[str, Attribute]:
    """The attributes of a node in the graph with a stated value: its text, and its numbers in the quantity's unit."""
    here = value.within(unit)
    attributes = plain({"text": str(value), "magnitude": here.number, "source": str(value.source)})
    if value.is_range:
        attributes |= plain({"low": here.low, "high": here.high})
    return attributes


def _attributes_of_target(answer: Answer) -> dict[str, Attribute]:
    """The attributes of the target's node in the graph: its number, and its bounds."""
    unit = answer.quantity.unit
    attributes: dict[str, Attribute] = {}
    if answer.bounds is not None:
        attributes |= _attributes_of_span(answer.bounds, unit)
    if answer.base is not None:
        attributes |= _attributes_of_span((answer.base, answer.base), unit)
    return attributes


def _add_case(graph: DiGraph, answer: Answer, lineage: Lineage) -> None:
    """Put into the graph's nodes of relations which arm binds, and what is assumed so that the relations hold."""
    for name, arm in answer.regime.items():
        if relation_key(name) in graph:
            graph.nodes[relation_key(name)].update(plain({"regime": arm}))
    for name, conditions in lineage.assumed.items():
        graph.nodes[relation_key(name)].update(plain({"assumed": conditions}))
