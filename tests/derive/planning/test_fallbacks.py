"""Which fallbacks stand, by their definitions: over random questions to the built-in library."""

from __future__ import annotations

import random

from derive.planning.directions import forwards
from derive.planning.fallbacks import Leads, decide_fallbacks
from derive.planning.incidence import structure_of
from tests.derive.states import LIBRARY
from tests.ordinary import every

STRUCTURE = structure_of(LIBRARY)
NAMES = sorted(STRUCTURE.holders)
FALLBACKS = sorted(STRUCTURE.otherwise)


def question(seed):
    """A target, some given names, and the weak ones."""
    draw = random.Random(f"fallbacks {seed}")
    target, *given = draw.sample(NAMES, draw.choice((3, 10, 40)))
    weak = [name for name in LIBRARY.defaults if name not in given and name != target]
    return target, frozenset(given), weak


@every("seed", range(60), ordinary=20)
def test_a_fallback_is_led_to_where_some_relation_for_it_misses_only_what_the_target_yields(seed):
    target, given, weak = question(seed)
    leads = Leads.of(STRUCTURE, given, weak)
    known = given.union(weak)
    ahead = known | forwards(STRUCTURE, list(STRUCTURE.members), known).keys()
    led = frozenset(random.Random(seed).sample(NAMES, 60)) - ahead | {target} - ahead
    expected = [
        name
        for name in weak
        if name in STRUCTURE.otherwise
        if any(set() < STRUCTURE.inputs[row] - ahead <= led for row in STRUCTURE.writers.get(name, ()))
    ]
    assert leads.led_to(STRUCTURE, led) == expected


@every("seed", range(60), ordinary=20)
def test_a_fallback_that_no_relation_in_reach_contains_stands_and_no_relation_is_written_for_it(seed):
    target, given, weak = question(seed)
    fixed = given.union((target,), weak, *STRUCTURE.limits)
    bearing = STRUCTURE.bearing(target, given, fixed)
    bare, usable = decide_fallbacks(STRUCTURE, bearing, target, given, weak)
    beyond = STRUCTURE.around(target, given) - STRUCTURE.quantities_of(bearing)
    for name in beyond.intersection(FALLBACKS, weak):
        assert name in usable
        assert name not in bare.writers
    assert {*weak} - STRUCTURE.otherwise <= {*usable}
