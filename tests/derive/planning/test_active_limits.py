"""An inequality that could determine a target, were it an equation, is not overlooked: all plans with it are tried."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from derive.errors import DeriveError
from derive.planning.active_limits import ActiveLimits
from derive.planning.incidence import structure_of
from derive.planning.plan import plan
from derive.relation_files.loading import load
from derive.solving.execution.question import outlined
from tests.derive.planning.graphs import GRAPHS, NAMES, SOME, texts

PLACES = st.sets(st.integers(0, 6), max_size=2)


def library_of(rows, defaults, otherwise, estimates):
    """The library of drawn relations, of which some are estimates, with defaults and fallbacks of some quantities."""
    values = dict.fromkeys(defaults, ', value = "1"') | dict.fromkeys(otherwise, ', otherwise = "0"')
    quantities = "".join(f'{name} = {{ unit = "1", domain = "real"{values.get(name, "")} }}\n' for name in NAMES)
    kinds = ["approximate = 0.1, " * (place in estimates) for place in range(len(rows))]
    relations = "".join(f'r{i} = {{ {kinds[i]}equation = "{text}" }}\n' for i, text in enumerate(rows))
    return load(f"[quantities]\n{quantities}[relations]\n{relations}")


@given(rows=GRAPHS, target=st.sampled_from(NAMES), typed=SOME, defaults=SOME, otherwise=SOME, estimates=PLACES)
def test_what_an_active_limit_determines_is_not_overlooked(rows, target, typed, defaults, otherwise, estimates):
    written = list(dict.fromkeys(texts(rows)))
    try:
        library = library_of(written, defaults - otherwise, otherwise, estimates - {len(written) - 1})
    except DeriveError:  # a relation that says nothing, or another again
        return
    asked = outlined(library, target, sorted(typed - {target}))
    names = target, asked.strong, asked.weak
    limit = next(reversed(library.relations))
    beside = plan(structure_of(library, frozenset(), asked.stated), *names)
    without = structure_of(library, frozenset({limit}), asked.stated)
    if limit in beside.relations and not plan(without, *names).is_determined:
        assert ActiveLimits(without, *names).could_determine(limit, library.members[limit])
