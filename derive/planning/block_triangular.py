"""Block triangular form: strongly connected components in topological order.

Most questions have no cycles, and a depth-first search orders them; for cycles networkx is called, whose import takes
a quarter of the time of a first answer (`networks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from derive.planning.networks import strong_components

__all__ = ["components"]


def components(edges: Mapping[str, Sequence[str]]) -> Iterable[Iterable[str]]:
    """The strongly connected components of a graph, each after those it points to; every node is a key.

    >>> [sorted(part) for part in components({"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": []})]
    [['d'], ['b', 'c'], ['a']]
    """
    chain = _chain(edges)
    if chain is not None:
        return [(name,) for name in chain]
    return strong_components(edges)


def _chain(edges: Mapping[str, Sequence[str]]) -> list[str] | None:
    """All nodes, each after those that it points to; None if there is a cycle."""
    done: dict[str, None] = {}
    begun: set[str] = set()
    for start in edges:
        path = [] if start in done else [(start, iter(edges[start]))]
        begun.update(node for node, _ in path)
        while path:
            node, following = path[-1]
            fresh = next((other for other in following if other not in done), None)
            if fresh is None:
                done[node] = None
                path.pop()
            elif fresh in begun:
                return None
            else:
                begun.add(fresh)
                path.append((fresh, iter(edges[fresh])))
    return list(done)
