"""Many equations as one tape: their residuals, and the Jacobian by automatic differentiation.

The trees of a system become one acyclic graph in which each common subexpression occurs once. The graph is cut into
levels, so that the arguments of a node lie on lower levels (Griewank and Walther, *Evaluating Derivatives*, 2008,
chapters 2 and 6). Nodes of one level with the same operation form a run: one call of NumPy computes their values, and
one their slopes in their own arguments. Forward accumulation over the runs multiplies these slopes into the Jacobian,
in dense rows for a few unknowns and in sparse ones for many. A thousand equations of a few terms each take some
milliseconds.

An undefined value is NaN, as in `evaluation`, which checks every solution in the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Equation, Name, Node, Number
from derive.numerics.algebra.evaluation import chosen_arm, value
from derive.numerics.algebra.like_terms import ZERO, difference_of

Array = Any
"""A NumPy array of floats."""

_DENSE = 500_000  # limit on the numbers in the dense rows of all nodes


@cache
def _function(op: str) -> tuple[Callable[..., Array], Callable[..., Array]]:
    """NumPy's functions for automatic differentiation of an operation on one number: its value, and its slope."""
    if op == "neg":
        return np.negative, lambda x, y: -np.ones_like(x)
    if op == "inv":
        return np.reciprocal, lambda x, y: -y * y
    return TABLE[op].over(), TABLE[op].slope_over()


_PAIRED: dict[str, tuple[Callable[..., Array], Callable[..., tuple[Array, Array]]]] = {
    "mul": (np.multiply, lambda a, b, y: (b, a)),
    "max": (np.maximum, lambda a, b, y: (1.0 * (a >= b), 1.0 * (a < b))),
    "min": (np.minimum, lambda a, b, y: (1.0 * (a <= b), 1.0 * (a > b))),
    "raised": (np.power, lambda a, b, y: (b * np.power(a, b - 1.0), np.zeros_like(b))),  # to a constant power
    "pow": (np.power, lambda a, b, y: (b * np.power(a, b - 1.0), y * np.log(a))),
}
"""The same for operations on two numbers; more arguments are combined in pairs."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Nodes of one level with one operation: their places, and the places of their arguments in sequence."""

    op: str
    start: int
    args: Array
    ends: Array  # where the arguments of each node begin, and where the last ones end
    nodes: tuple[Apply, ...]  # the choices themselves, whose conditions are evaluated on the tree

    @property
    def stop(self) -> int:
        return self.start + len(self.ends) - 1


class Tape:
    """The gaps of equations in some unknowns, all else being known.

    >>> from derive.expressions.grammar import parse_equation
    >>> tape = Tape([parse_equation("x*y = a"), parse_equation("exp(x) = y")], ["x", "y"], {"a": 2.0})
    >>> tape.gaps(np.array([0.0, 3.0])).tolist()
    [-2.0, -2.0]
    >>> tape.jacobian(np.array([0.0, 3.0])).tolist()
    [[3.0, 0.0], [1.0, -1.0]]
    """

    def __init__(self, equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, float]) -> None:
        """Lay out equations as a tape for automatic differentiation, in runs of one operation each."""
        self.unknowns = tuple(unknowns)
        self.known = known
        layout = _Layout(self.unknowns, known)
        gaps = [difference_of(equation) if equation.rhs != ZERO else equation.lhs for equation in equations]
        ends = [*map(layout.index, gaps)]
        self._fixed, self._runs, places = layout.runs()
        self._rows = np.array([places[end] for end in ends])
        self.work = len(places)  # the number of nodes evaluated in a pass
        self.is_sparse = self.work * len(self.unknowns) > _DENSE

    def gaps(self, point: Array) -> Array:
        """The residuals of the equations on the tape of automatic differentiation, at a point."""
        return self._values(point)[self._rows]

    def jacobian(self, point: Array) -> Array:
        """The Jacobian by automatic differentiation, a row for each equation; a sparse matrix for many unknowns."""
        values = self._values(point)
        with np.errstate(all="ignore"):
            return self._sparse(values) if self.is_sparse else self._dense(values)

    def _values(self, point: Array) -> Array:
        """The values of all nodes of the tape of automatic differentiation at a point."""
        values = np.empty(self.work)
        count = len(self.unknowns)
        values[:count] = point
        values[count : count + len(self._fixed)] = self._fixed
        with np.errstate(all="ignore"):
            for run in self._runs:
                numbers = self._evaluated(run, values)
                values[run.start : run.stop] = np.where(np.isfinite(numbers), numbers, np.nan)
        return values

    def _evaluated(self, run: _Run, values: Array) -> Array:
        """The values of one run on the tape of automatic differentiation, from those of its arguments."""
        if run.op == "add":
            return np.add.reduceat(values[run.args], run.ends[:-1])
        if run.op == "piecewise":
            return values[run.args[run.ends[:-1] + self._chosen(run, values)]]
        if run.op in _PAIRED:
            return _PAIRED[run.op][0](values[run.args[::2]], values[run.args[1::2]])
        return _function(run.op)[0](values[run.args])

    def _chosen(self, run: _Run, values: Array) -> Array:
        """The index of the arm of each choice in a run of the tape; without an arm, that of a last argument, NaN."""
        numbers = dict(zip(self.unknowns, values[: len(self.unknowns)].tolist(), strict=True))
        chosen = [chosen_arm(node, {**self.known, **numbers}) for node in run.nodes]
        pairs = zip((node.args[::2] for node in run.nodes), chosen, strict=True)
        return np.array([len(arms) if arm is None else arms.index(arm) for arms, arm in pairs])

    def _slopes(self, run: _Run, values: Array) -> Array:
        """The slopes of each node of a run on the differentiated tape in each of its arguments."""
        if run.op == "add":
            return np.ones(len(run.args))
        if run.op == "piecewise":
            slopes = np.zeros(len(run.args))
            slopes[run.ends[:-1] + self._chosen(run, values)] = 1.0
            return slopes
        results = values[run.start : run.stop]
        if run.op not in _PAIRED:
            return _function(run.op)[1](values[run.args], results)
        slopes = np.empty(len(run.args))
        slopes[::2], slopes[1::2] = _PAIRED[run.op][1](values[run.args[::2]], values[run.args[1::2]], results)
        return slopes

    def _dense(self, values: Array) -> Array:
        rows = np.zeros((self.work, len(self.unknowns)))
        np.fill_diagonal(rows, 1.0)
        for run in self._runs:
            moved = self._slopes(run, values)[:, None] * rows[run.args]
            rows[run.start : run.stop] = np.add.reduceat(moved, run.ends[:-1], axis=0)
        return rows[self._rows]

    def _sparse(self, values: Array) -> Array:
        """The Jacobian by forward accumulation (automatic differentiation in sparse rows over the tape's runs)."""
        from scipy import sparse

        count = len(self.unknowns)
        rows = sparse.eye_array(count + len(self._fixed), count, format="csr")
        for run in self._runs:
            entries = self._slopes(run, values), run.args, run.ends
            slopes = sparse.csr_array(entries, (run.stop - run.start, run.start))
            rows = sparse.vstack([rows, slopes @ rows], format="csr")
        return rows[self._rows]


class _Node(NamedTuple):
    """A node of the graph: its operation, and the indices of its arguments."""

    op: str
    args: tuple[int, ...]
    extra: Any  # the name, the fixed number or the choice itself


class _Layout:
    """The graph under construction: each node once, with its level."""

    def __init__(self, unknowns: Sequence[str], known: Mapping[str, float]) -> None:
        self.known = known
        self.indices: dict[tuple[Any, ...], int] = {("name", name): i for i, name in enumerate(unknowns)}
        self.nodes = [_Node("name", (), name) for name in unknowns]
        self.levels = [0] * len(unknowns)
        self.seen: dict[Node, int] = {}  # indices of trees seen before

    def index(self, node: Node) -> int:
        """The index of an expression among the nodes of the tape for automatic differentiation."""
        if node not in self.seen:
            self.seen[node] = self._new_index(node)
        return self.seen[node]

    def _new_index(self, node: Node) -> int:
        """The index of an expression new to the tape for automatic differentiation, its constants evaluated."""
        if isinstance(node, Number):
            return self._fixed(node.real)
        if isinstance(node, Name):
            index = self.indices.get(("name", node.name))
            return self._fixed(self.known[node.name]) if index is None else index
        if node.op == "piecewise":
            if self.known.keys() >= {*node.names}:
                return self._fixed(value(node, self.known))
            arms = [*map(self.index, node.args[::2]), self._fixed(math.nan)]
            return self._node_index("piecewise", arms, node)
        args = [self.index(arg) for arg in node.args]
        if all(self.nodes[arg].op == "fixed" for arg in args):
            return self._fixed(value(node, self.known))
        if node.op in ("mul", "max", "min"):
            return self._in_pairs(node.op, args)
        if node.op == "pow" and self.nodes[args[1]].op == "fixed":
            return self._node_index("raised", args)
        return self._node_index(node.op, args)

    def _in_pairs(self, op: str, args: list[int]) -> int:
        """The index of a node on the tape to be differentiated for an operation on many others, in pairs."""
        while len(args) > 1:
            pairs = [self._node_index(op, args[i : i + 2]) for i in range(0, len(args) - 1, 2)]
            args = pairs + args[len(args) - len(args) % 2 :]
        return args[0]

    def _fixed(self, number: float) -> int:
        return self._node_index("fixed", (), number)

    def _node_index(self, op: str, args: Sequence[int], extra: Any = None) -> int:
        key = (op, *args, extra)
        if key not in self.indices:
            self.indices[key] = len(self.nodes)
            self.nodes.append(_Node(op, tuple(args), extra))
            self.levels.append(1 + max((self.levels[arg] for arg in args), default=-1))
        return self.indices[key]

    def runs(self) -> tuple[Array, list[_Run], dict[int, int]]:
        """The tape for automatic differentiation: its fixed numbers, its runs in order, each node's place by index."""
        ranks = {"name": 0, "fixed": 1}  # operations come last, as a pass fills them in
        ops = [node.op for node in self.nodes]
        order = sorted(range(len(ops)), key=lambda i: (self.levels[i], ranks.get(ops[i], 2), ops[i]))
        places = {index: place for place, index in enumerate(order)}
        fixed = [self.nodes[index].extra for index in order if ops[index] == "fixed"]
        groups: dict[tuple[int, str], list[int]] = {}
        for index in order:
            if ops[index] not in ranks:
                groups.setdefault((self.levels[index], ops[index]), []).append(index)
        runs = []
        for (_, op), group in groups.items():
            args = [places[arg] for arg in chain.from_iterable(self.nodes[index].args for index in group)]
            ends = np.cumsum([0, *(len(self.nodes[index].args) for index in group)])
            nodes = tuple(self.nodes[index].extra for index in group) if op == "piecewise" else ()
            runs.append(_Run(op, places[group[0]], np.array(args), ends, nodes))
        return np.array(fixed, dtype=float), runs, places
