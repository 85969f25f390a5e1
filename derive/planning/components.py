"""Strongly connected components: what hangs on each other stands together, and after what it hangs on.

Tarjan's algorithm with a stack of its own, so that a chain of any length is no deeper than a short one. A component is
complete when the search leaves the first of its members that it met; what it points to has been completed by then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["components"]


def components(edges: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """The components of a graph, those first that others point to; every node is a key.

    >>> components({"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": []})
    [('d',), ('b', 'c'), ('a',)]
    """
    met: dict[str, int] = {}
    lowest: dict[str, int] = {}  # the earliest node that is known to be reached, of those that are still open
    open_ones: dict[str, None] = {}
    found: list[tuple[str, ...]] = []
    for start in edges:
        way = [] if start in met else [(start, iter(edges[start]))]
        while way:
            node, following = way[-1]
            if node not in met:
                met[node] = lowest[node] = len(met)
                open_ones[node] = None
            for other in following:
                if other not in met:
                    way.append((other, iter(edges[other])))
                    break
                if other in open_ones and met[other] < lowest[node]:
                    lowest[node] = met[other]
            else:
                way.pop()
                if way and lowest[node] < lowest[way[-1][0]]:
                    lowest[way[-1][0]] = lowest[node]
                if lowest[node] == met[node]:
                    found.append(_closed(open_ones, node))
    return found


def _closed(open_ones: dict[str, None], first: str) -> tuple[str, ...]:
    """The nodes that were opened from this one on, which are open no longer."""
    held: list[str] = []
    while not held or held[-1] != first:
        held.append(open_ones.popitem()[0])
    return tuple(reversed(held))
