"""Every relation of the built-in library: stated with reason and source, and solvable for every quantity in it."""

from __future__ import annotations

import math
import random

import pytest

import derive
from derive import Library
from derive.expressions.tree import Name, names_in
from derive.numerics.algebra.evaluation import holds, residual, value
from tests.ordinary import every

RELATIONS = list(derive.llm.relations.values())
EQUATIONS = [relation for relation in RELATIONS if relation.is_equation]


def named(relation):
    return relation.name


def drawn(quantity, draw):
    """A number in the quantity's declared unit, in its domain; a whole one, if it is a count."""
    unit, domain = quantity.unit, quantity.domain
    if 0.0 in domain and draw.random() < 0.2:  # a case is often that there is none of something
        return 0.0
    if math.isfinite(domain.low) and math.isfinite(domain.high):
        return unit.from_base(domain.low + (domain.high - domain.low) * draw.uniform(0.05, 0.95))
    number = math.exp(draw.uniform(-2, 2))
    return math.ceil(number) if domain.whole else number


def consistent(relation):
    """Numbers in base units, drawn until the left side and what it is to come to agree within every domain."""
    draw = random.Random(relation.name)
    left, right = relation.written.lhs, relation.written.rhs
    first = names_in(left)[0]
    for _ in range(2000):
        values = {name: quantity.unit.to_base(drawn(quantity, draw)) for name, quantity in relation.quantities.items()}
        for condition in relation.conditions:
            if condition.op == "eq" and isinstance(condition.args[0], Name):
                values[condition.args[0].name] = value(condition.args[1], values)
        if isinstance(left, Name):
            values[first] = value(right, values)
        else:  # a product, which the first of its factors brings to the right size
            values[first] *= value(right, values) / value(left, values)
        lies_inside = values[first] in relation.quantities[first].domain
        if lies_inside and all(holds(condition, values) for condition in relation.conditions):
            return values
    raise AssertionError(f"{relation.name}: no numbers satisfy it")


def spoken(name, number):
    unit = derive.llm.quantities[name].unit
    return f"{unit.from_base(number)!r} {unit.text}"


@every("relation", RELATIONS, ids=named)
def test_it_gives_its_reason_its_source_and_a_meaning_to_each_quantity(relation):
    assert relation.because
    assert relation.source
    assert all(quantity.meaning for quantity in relation.quantities.values())


@pytest.mark.thorough
@every("relation", EQUATIONS, ids=named, ordinary=8, thorough=12)
def test_each_of_its_quantities_comes_back_from_the_others(relation):
    values = consistent(relation)
    alone = Library([relation], profiles=())
    for target in names_in(relation.written.lhs, relation.written.rhs):
        given = {name: spoken(name, number) for name, number in values.items() if name != target}
        answers = alone.solve_all(target, **given)
        hidden = values[target]
        assert any(
            math.isclose(answer.base, hidden, rel_tol=1e-6, abs_tol=1e-9)
            if answer.base is not None
            else answer.bounds[0] <= hidden * (1 + 1e-9) and hidden <= answer.bounds[1] * (1 + 1e-9)
            for answer in answers
        ), (target, hidden, [str(answer).split("\n")[0] for answer in answers])
        for answer in answers:
            if answer.base is not None:
                assert abs(residual(relation.written, {**values, target: answer.base})) <= 1e-9


def test_one_name_stands_for_one_thing_and_every_letter_is_told_apart_by_its_meaning():
    meanings = [quantity.meaning for quantity in derive.llm.quantities.values()]
    doubled = {meaning for meaning in meanings if meanings.count(meaning) > 1}
    assert not doubled
