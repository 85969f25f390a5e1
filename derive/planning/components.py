"""Strongly connected components: what hangs on each other stands together, and after what it hangs on.

Tarjan's algorithm with a stack of its own, so that a chain of any length is no deeper than a short one. A component is
complete when the search leaves the first of its members that it met; what it points to has been completed by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

__all__ = ["components"]


def components(edges: Mapping[str, Sequence[str]]) -> list[frozenset[str]]:
    """The components of a graph, those first that others point to; every node is a key.

    >>> [sorted(part) for part in components({"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": []})]
    [['d'], ['b', 'c'], ['a']]
    """
    met: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_ones: list[str] = []
    found: list[frozenset[str]] = []
    done: set[str] = set()
    for start in edges:
        way: list[tuple[str, Iterator[str]]] = [] if start in met else [(start, iter(edges[start]))]
        while way:
            node, following = way[-1]
            if node not in met:
                met[node] = lowest[node] = len(met)
                open_ones.append(node)
            fresh = _next(following, node, met, lowest, done)
            if fresh is not None:
                way.append((fresh, iter(edges[fresh])))
                continue
            way.pop()
            if way:
                before = way[-1][0]
                lowest[before] = min(lowest[before], lowest[node])
            if lowest[node] == met[node]:
                first = next(i for i in reversed(range(len(open_ones))) if open_ones[i] == node)
                found.append(frozenset(open_ones[first:]))
                done.update(open_ones[first:])
                del open_ones[first:]
    return found


def _next(
    following: Iterator[str], node: str, met: dict[str, int], lowest: dict[str, int], done: set[str]
) -> str | None:
    """The next node that was not met before; those still open on the way to it lower what the node reaches."""
    for other in following:
        if other not in met:
            return other
        if other not in done:
            lowest[node] = min(lowest[node], met[other])
    return None
