"""Which arm of each maximum binds, point by point.

A relation with a max, a min or a choice takes one of several forms at each point. Its quantities are computed there
and the arms are compared. The form is reported only where the relation applies and holds at these numbers: elsewhere
there is no regime.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from derive.expressions.tree import Apply, names_in
from derive.kernels.agreement import tested
from derive.kernels.backends.emitter import Writer, apart
from derive.kernels.case_dispatch import leaves
from derive.kernels.programs.layout import always_in_use, choice_of, ways
from derive.tables.axes import is_lazy
from derive.tables.point_values import Recipe, Source, Values, sources
from derive.tolerances import AGREEMENT

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.planning.plan import Plan

__all__ = ["Regime", "Switch", "switches"]


@dataclass(frozen=True)
class Regime:
    """The forms that a relation may take, and the index of its form at each point; -1 where there is none.

    >>> import numpy
    >>> Regime(("compute", "memory"), numpy.array([0, 1, -1], dtype="int8")).words.tolist()
    ['compute', 'memory', '']
    """

    arms: tuple[str, ...]
    codes: Any

    @property
    def words(self) -> Any:
        """The form at each point, as text."""
        import numpy

        names = numpy.asarray([*self.arms, ""])
        if is_lazy(self.codes):
            return self.codes.map_blocks(names.__getitem__, dtype=names.dtype)
        return names[self.codes]


@dataclass(frozen=True)
class Switch:
    """A relation's choice: its forms, its quantities, and the function of these that selects the form."""

    arms: tuple[str, ...]
    sources: tuple[Source, ...]
    judge: Callable[..., Any]

    def codes(self, values: Values) -> Any:
        """The index of the form at each point; -1 where there is none."""
        import numpy

        with numpy.errstate(all="ignore"):
            return self.judge(*(source.read(values) for source in self.sources))


def switches(recipes: Iterable[Recipe], ranged: Collection[str]) -> dict[str, Switch]:
    """The choices behind the targets, each once, by the name of its column; some typed values are ranges."""
    choosing: dict[str, list[Recipe]] = {}
    for recipe in recipes:
        for relation in _choosing(recipe):
            choosing.setdefault(relation, []).append(recipe)
    found: dict[str, Switch] = {}
    for name, own in choosing.items():
        fixed = frozenset.intersection(*(_fixed(recipe, name) for recipe in own)) - {*ranged}
        made = (_switch(recipe, recipe.library.relations[name], fixed) for recipe in own)
        switch = next((one for one in made if one is not None), None)
        if switch is not None and switch.arms:
            found[f"{name}.regime"] = switch
    return found


def _plans(recipe: Recipe) -> list[Plan]:
    return [case.plan for tree in recipe.lines.alternatives for case in leaves(tree)]


def _choosing(recipe: Recipe) -> Iterator[str]:
    blocks = [block for made in _plans(recipe) for block in made.blocks]
    for name in dict.fromkeys(name for block in blocks for name in block.relations):
        if recipe.library.relations[name].chooses:
            yield name


def _fixed(recipe: Recipe, relation: str) -> frozenset[str]:
    """The names that have one number throughout a sweep, wherever a relation is solved."""
    return always_in_use(_plans(recipe), relation).union(recipe.numbers).difference(recipe.axes, recipe.ranged)


def _switch(recipe: Recipe, relation: Relation, fixed: Collection[str]) -> Switch | None:
    """The choice of one relation, if its quantities can be computed beside the target."""
    import numpy

    written = relation.written
    choice = choice_of(written, fixed)
    if choice is None:
        return None
    arms = tuple(dict.fromkeys(filter(None, choice.regimes)))
    codes = {"": -1, **{arm: code for code, arm in enumerate(arms)}}
    names = names_in(written.lhs, written.rhs, *relation.conditions)
    held = sources(recipe, names)
    if held is None:
        return None
    places = numpy.array([*(codes[choice.regimes[place]] for place in choice.places), -1], dtype=numpy.int8)
    way = _judge(relation, choice.nodes, names)
    return Switch(arms, tuple(held), lambda *numbers: places[way(*numbers)])


def _judge(relation: Relation, chosen: Sequence[Apply], names: Sequence[str]) -> Callable[..., Any]:
    """A function of base numbers that returns which combination of ways is taken; -1 where none is."""
    import numpy

    def write(text: Writer) -> str:
        left, right, whole = apart(relation.written, text)
        tests = [f"(np.abs({left} - {right}) <= {AGREEMENT!r} * {whole})"]
        tests += [f"sure({text(condition)})" for condition in relation.conditions]
        ways = [_way(node, text) for node in chosen]
        return f"({', '.join(tests)},), ({', '.join(ways)},)"

    judged = tested(names, write, largest=_largest, first=_first)
    sizes = [ways(node) for node in chosen]

    def judge(*numbers: Any) -> Any:
        held, taken = judged(*numbers)
        whole: Any = 0
        sound: Any = True
        for way, size in zip(taken, sizes, strict=True):
            sound = sound & (way >= 0)
            whole = whole * size + way
        for test in held:
            sound = sound & test
        return numpy.where(sound, whole, -1)

    return judge


def _way(choice: Apply, text: Writer) -> str:
    if choice.op != "piecewise":
        sign = "-" if choice.op == "min" else ""
        return f"largest({', '.join(sign + text(arg) for arg in choice.args)})"
    tests = [text(choice.args[i + 1]) for i in range(0, len(choice.args) - 1, 2)]
    sides = [f"(sure({test}), sure(contrary({test})))" for test in tests]
    return f"first({', '.join([*sides, str(bool(len(choice.args) % 2))])})"


def _largest(*arrays: Any) -> Any:
    """The index of the largest array at each point, the first of equal ones; -1 where one is undefined."""
    import numpy

    best, way = arrays[0], numpy.zeros((), dtype=int)
    for i, array in enumerate(arrays[1:], 1):
        way = numpy.where(array > best, i, way)
        best = numpy.maximum(best, array)
    return numpy.where(numpy.isnan(best), -1, way)


def _first(*sides: Any) -> Any:
    """The index of the first condition that holds; -1 if none does, or an undefined one comes before it."""
    import numpy

    *tests, otherwise = sides
    way: Any = len(tests) if otherwise else -1
    for i, (yes, no) in reversed(list(enumerate(tests))):
        way = numpy.where(yes, i, numpy.where(no, way, -1))
    return way
