"""The only door to networkx: graphs that a user takes in hand, the files they are kept in, and its algorithms.

networkx takes 130 ms to import, on a machine where the first answer of a process takes 520 ms without it. So it is
imported inside these functions, where a graph is asked for, and two parts of planning keep algorithms of their own:

- the order of a plan (`components`): with networkx the first question would take a quarter longer;
- the matching of relations to unknowns (`matching`), and with it the underdetermined part. networkx finds one of the
  largest matchings, that of the built-in library in 3 ms; a plan needs the one that prefers what was stated first,
  which grows relation by relation and takes 0.3 ms, and a diagnosis tries many.

Both are tested against networkx's own results on random graphs.

Attributes of nodes and edges are text, numbers, and true or false, and one that says nothing is left out. So a graph
reads the same from node-link JSON and from GraphML as it was written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import networkx

    Graph: TypeAlias = networkx.Graph
    DiGraph: TypeAlias = networkx.DiGraph

Attribute = str | float | int | bool
"""What a node or an edge says of itself."""

_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # a carriage return is read as \n
_REPLACEMENT = "\ufffd"


def undirected_graph(**about: Attribute | None) -> Graph:
    """An undirected graph of networkx without nodes; its attributes describe the whole graph."""
    import networkx

    return networkx.Graph(**plain(about))


def directed_graph(**about: Attribute | None) -> DiGraph:
    """A directed graph of networkx without nodes; its attributes describe the whole graph."""
    import networkx

    return networkx.DiGraph(**plain(about))


def plain(attributes: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    """The attributes of a networkx node or edge that say something, in characters that every graph file can hold.

    >>> plain({"unit": "m", "meaning": "", "low": 0.0, "high": float("inf"), "passed": False})
    {'unit': 'm', 'low': 0.0, 'passed': False}
    """
    return {name: _writable(x) for name, x in attributes.items() if x is not None and _says_something(x)}


def _says_something(attribute: Attribute) -> bool:
    if isinstance(attribute, float):
        return math.isfinite(attribute)
    return attribute != ""


def _writable(attribute: Attribute) -> Attribute:
    if isinstance(attribute, str):
        return _NOT_IN_XML.sub(_REPLACEMENT, attribute)
    if isinstance(attribute, float):
        return float(attribute)  # a number of numpy is a float too, and no file keeps that it was one of numpy
    return attribute


def reached(start: Iterable[str], onward: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """Some nodes of a network and all nodes that they lead to, the nearest first.

    >>> "".join(reached("a", {"a": "bc", "b": "d", "c": "b", "d": "a"}.__getitem__))
    'abcd'
    """
    pending = list(dict.fromkeys(start))
    seen = set(pending)
    for node in pending:  # grows as it is walked
        yield node
        for other in onward(node):
            if other not in seen:
                seen.add(other)
                pending.append(other)


def columns(nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The nodes of a graph in columns by networkx, each behind all with an edge to it; those of a cycle share a column.

    >>> columns("abcd", [("a", "b"), ("b", "c"), ("c", "b"), ("a", "d"), ("c", "d")])
    [['a'], ['b', 'c'], ['d']]
    """
    import networkx

    graph = networkx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    places = {node: place for place, node in enumerate(graph)}
    condensed = networkx.condensation(graph)
    columns = []
    for generation in networkx.topological_generations(condensed):
        members = set().union(*(condensed.nodes[component]["members"] for component in generation))
        columns.append(sorted(members, key=places.__getitem__))
    return columns


def node_link(graph: Graph) -> dict[str, Any]:
    """A networkx graph as node-link data, which `networkx.node_link_graph(data, edges="edges")` reads.

    networkx's own writer calls the edges `links` in some of its versions, so it is not used.

    >>> graph = undirected_graph(title="Pendulum")
    >>> graph.add_edge("length", "relation:small_swing", stands="member")
    >>> node_link(graph)["edges"]
    [{'source': 'length', 'target': 'relation:small_swing', 'stands': 'member'}]
    """
    return {
        "directed": graph.is_directed(),
        "multigraph": graph.is_multigraph(),
        "graph": dict(graph.graph),
        "nodes": [{"id": node, **attributes} for node, attributes in graph.nodes(data=True)],
        "edges": [{"source": start, "target": end, **attributes} for start, end, attributes in graph.edges(data=True)],
    }


def graphml(graph: Graph) -> str:
    """A networkx graph in GraphML, which `networkx.read_graphml` and programs that draw graphs read.

    >>> graph = undirected_graph()
    >>> graph.add_node("length", unit="m")
    >>> '<data key="d0">m</data>' in graphml(graph)
    True
    """
    import networkx

    return "\n".join(networkx.generate_graphml(graph)) + "\n"


def components(edges: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """The strongly connected components of a network, each after those it points to (Tarjan 1972); needs no networkx.

    >>> components({"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": []})
    [('d',), ('b', 'c'), ('a',)]
    """
    numbers: dict[str, int] = {}  # the nodes, numbered as they are met
    lowest: dict[str, int] = {}  # the least number that is known to be in a circle with each
    pending: list[str] = []  # those whose component is not complete
    complete: set[str] = set()
    components: list[tuple[str, ...]] = []
    for start in edges:
        path = [] if start in numbers else [(start, iter(edges[start]))]
        while path:
            node, following = path[-1]
            if node not in numbers:
                numbers[node] = lowest[node] = len(numbers)
                pending.append(node)
            fresh = next((follower for follower in following if follower not in numbers), None)
            if fresh is not None:
                path.append((fresh, iter(edges[fresh])))
                continue
            path.pop()
            lowest[node] = min([numbers[node], *(lowest[other] for other in edges[node] if other not in complete)])
            if lowest[node] == numbers[node]:
                component = [pending.pop()]
                while component[-1] != node:
                    component.append(pending.pop())
                components.append(tuple(reversed(component)))
                complete.update(component)
    return components
