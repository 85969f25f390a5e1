"""The steps of a program as data: each relation as stated and rearranged, with places for the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from derive.expressions.tree import Node, names_in, render
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.isolation import isolate
from derive.planning.plan import Block
from derive.presentation import mathematics
from derive.presentation.derivation import letters_for

__all__ = ["letters", "step"]


def letters(library: RelationSet, target: str, blocks: Iterable[Block]) -> dict[str, str]:
    """The letter of each quantity of these steps."""
    met = {target: library.declared[target]}
    for relation in (name for block in blocks for name in block.relations):
        met |= library.relations[relation].declared
    return letters_for(met)


def step(library: RelationSet, block: Block, letters: Mapping[str, str]) -> dict[str, Any]:
    """One step; it has a form for each way to isolate its unknown, and none if there is no closed form."""
    relations = [library.relations[name] for name in block.relations]
    candidates = isolate(relations[0].written, block.unknowns[0]) if len(block.unknowns) == 1 else None
    is_closed = candidates is not None and not any(candidate.winds for candidate in candidates)
    return {
        "relation": ", ".join(block.relations),
        "equation": "; ".join(str(relation.written) for relation in relations),
        "equation_latex": [mathematics.equation(relation.written, letters.__getitem__) for relation in relations],
        "because": "; ".join(dict.fromkeys(relation.because for relation in relations if relation.because)),
        "quantities": list(block.unknowns),
        "forms": [form(candidate.form, letters) for candidate in candidates or ()] if is_closed else [],
    }


def form(node: Node, letters: Mapping[str, str]) -> dict[str, Any]:
    r"""A closed form, and the same with a place for each number.

    >>> from derive.expressions.grammar import parse_expression
    >>> told = form(parse_expression("V/I"), {"V": "V", "I": "I"})
    >>> told["text"], told["latex"], told["numbers"]
    ('V/I', '\\frac{V}{I}', '\\frac{\\mathrm{@0@}\\,}{\\mathrm{@1@}\\,}')
    """
    names = list(names_in(node))
    places = {name: rf"\mathrm{{@{i}@}}\," for i, name in enumerate(names)}
    return {
        "text": render(node),
        "latex": mathematics.mathematics(node, letters.__getitem__),
        "numbers": mathematics.mathematics(node, places.__getitem__),
        "names": names,
    }
