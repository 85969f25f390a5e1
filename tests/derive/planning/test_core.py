"""The core of a library: a question's plan is the same on the relations that may bear on it as on all of them."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.model.relation_set import RelationSet
from derive.planning.basis import determined, is_determined
from derive.planning.incidence import core_of, structure_of
from derive.planning.plan import plan, plan_for
from derive.relation_files.loading import load
from derive.solving.diagnosis.overdetermined_givens import by_names
from derive.solving.execution.question import outlined
from tests.derive import random_questions
from tests.derive.planning.graphs import GRAPHS, NAMES, SOME, texts
from tests.ordinary import every


def library_of(rows, defaults, otherwise, estimates=frozenset()) -> RelationSet:
    """The library of drawn relations, of which some are estimates, and some quantities have defaults or fallbacks."""
    values = dict.fromkeys(defaults, ', value = "1"') | dict.fromkeys(otherwise, ', otherwise = "0"')
    quantities = "".join(f'{name} = {{ unit = "1", domain = "real"{values.get(name, "")} }}\n' for name in NAMES)
    written = dict.fromkeys(texts(rows))  # the same twice is refused
    rough = dict.fromkeys(estimates, ', approximate = "10 %"')
    relations = "".join(f'r{i} = {{ equation = "{text}"{rough.get(i, "")} }}\n' for i, text in enumerate(written))
    return load(f"[quantities]\n{quantities}[relations]\n{relations}")


def prove_same(library: RelationSet, target: str, typed, left_out=frozenset()) -> None:
    asked = outlined(library, target, typed)
    names = target, list(asked.strong), list(asked.weak)
    whole = plan(structure_of(library, left_out, asked.stated), *names)
    core = core_of(library, (target, *asked.strong, *asked.weak))
    within = plan(core.structure(left_out & core.decisive, asked.stated), *names)
    assert within.is_determined == whole.is_determined
    stated = {*asked.strong, *asked.weak}
    reached = determined(structure_of(library, left_out, asked.stated), asked.strong, asked.weak) & core.names
    assert determined(core.structure(left_out & core.decisive, asked.stated), *names[1:]) - stated == reached - stated
    assert within.blocks == whole.blocks
    assert {*whole.weak} <= {*within.weak}  # what is left out may connect more with the target
    held = {name for relation in within.relations for name in library.members[relation]}
    assert [name for name in within.weak if name in held] == [name for name in whole.weak if name in held]
    if not left_out:
        assert (within.checks, within.extra) == (whole.checks, whole.extra)


@given(rows=GRAPHS, target=st.sampled_from(NAMES), typed=SOME, defaults=SOME, otherwise=SOME)
def test_a_plan_on_the_core_is_the_plan(rows, target, typed, defaults, otherwise):
    try:
        library = library_of(rows, defaults - otherwise, otherwise)
    except derive.DeriveError:  # a relation that says nothing, or another again
        return
    prove_same(library, target, sorted(typed - {target}))
    left_out = frozenset(one for place, one in enumerate(library.relations) if place % 2)
    prove_same(library, target, sorted(typed - {target}), left_out)


@given(st.randoms(use_true_random=False))
def test_the_core_of_a_large_library_is_small(draw):
    scene = random_questions.scene(derive.llm, draw)
    asked = outlined(derive.llm, scene.target, scene.given)
    prove_same(derive.llm, scene.target, list(scene.given))
    assert (
        len(core_of(derive.llm, (scene.target, *asked.strong, *asked.weak)).relations) < len(derive.llm.relations) / 4
    )


def prove_stated_twice(library: RelationSet, target: str, typed) -> None:
    """The tests and the quantities beside a target are those of all relations, whatever the core leaves aside."""
    asked = outlined(library, target, typed)
    names = frozenset(asked.strong)
    core = core_of(library, (target, *asked.strong, *asked.weak))
    within = by_names(library, core, names, {}, frozenset())
    whole = by_names(library, core_of(library, library.declared), names, {}, frozenset())
    assert (within.tests, within.leaving, within.needed) == (whole.tests, whole.leaving, whole.needed)
    assert within.dependent == whole.dependent


@given(rows=GRAPHS, target=st.sampled_from(NAMES), typed=SOME)
def test_what_names_state_twice_is_found_on_the_core(rows, target, typed):
    try:
        library = library_of(rows, set(), set())
    except derive.DeriveError:
        return
    prove_stated_twice(library, target, sorted(typed - {target}))


@given(st.randoms(use_true_random=False))
def test_so_it_is_in_the_built_in_library(draw):
    scene = random_questions.scene(derive.llm, draw)
    prove_stated_twice(derive.llm, scene.target, list(scene.given))


@every("seed", range(32), ordinary=16)
def test_a_plan_does_not_depend_on_those_made_before_without_other_relations(seed):
    """What is decided for one case of a library serves its other cases only where it is the same there."""
    draw = random.Random(seed)
    scene = random_questions.scene(derive.llm, draw)
    asked = outlined(derive.llm, scene.target, [*scene.given])
    conditional = [relation.name for relation in derive.llm.conditional]
    weak = [name for name in asked.weak if draw.random() < 0.9]
    for _ in range(12):
        target = draw.choice([scene.target, *derive.llm.declared])
        if target in asked.strong:
            continue
        names = target, list(asked.strong), [name for name in weak if name != target]
        left_out = frozenset(name for name in conditional if draw.random() < draw.choice([0.05, 0.5]))
        shared = plan_for(derive.llm, *names, left_out, asked.stated)
        alone = core_of(
            RelationSet(derive.llm.relations.values(), derive.llm.declared.values()), {target, *names[1], *names[2]}
        )
        assert shared == plan(alone.structure(left_out & alone.decisive, asked.stated), *names)


@given(rows=GRAPHS, typed=SOME, defaults=SOME, otherwise=SOME)
def test_one_quantity_is_determined_if_it_is_among_all_that_are(rows, typed, defaults, otherwise):
    try:
        library = library_of(rows, defaults - otherwise, otherwise, estimates=frozenset({0, 2}))
    except derive.DeriveError:
        return
    graph, weak = structure_of(library), [name for name in library.defaults if name not in typed]
    every_one = determined(graph, typed, weak)
    assert all(is_determined(graph, name, typed, weak) == (name in every_one) for name in graph.holders)
