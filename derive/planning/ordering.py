"""What hangs on each other, together, and after all that it hangs on: the only door to networkx.

Most questions run one way only. Their order is a walk, and networkx, whose import takes as long as such an answer, is
called where something hangs on itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["components"]


def components(edges: Mapping[str, Sequence[str]]) -> Iterable[Iterable[str]]:
    """The strongly connected components of a graph, those first that others point to; every node is a key.

    >>> [sorted(part) for part in components({"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": []})]
    [['d'], ['b', 'c'], ['a']]
    """
    chain = _chain(edges)
    if chain is not None:
        return [(name,) for name in chain]
    import networkx

    found: Iterable[Iterable[str]] = networkx.strongly_connected_components(networkx.DiGraph(edges))
    return found


def _chain(edges: Mapping[str, Sequence[str]]) -> list[str] | None:
    """All nodes, each after those that it points to; None where one hangs on itself."""
    done: dict[str, None] = {}
    for start in edges:
        way = {} if start in done else {start: iter(edges[start])}
        while way:
            node = next(reversed(way))
            fresh = next((other for other in way[node] if other not in done), None)
            if fresh is None:
                done[node] = None
                del way[node]
            elif fresh in way:
                return None
            else:
                way[fresh] = iter(edges[fresh])
    return list(done)
