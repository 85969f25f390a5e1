"""A limit that rests on stated values alone is told when it is broken, though the answer reaches nothing of it."""

from __future__ import annotations

import itertools

import numpy
import pytest

import derive
from tests.derive.statements import bare

TEXT = """
[quantities]
load = {{ unit = "kg" }}
rope = {{ unit = "kg" }}
total = {{ unit = "kg" }}
capacity = {{ unit = "kg"{default} }}
speed = {{ unit = "m/s" }}
path = {{ unit = "m" }}
time = {{ unit = "s" }}
[relations]
total = {{ equation = "total = load + rope" }}
holds = {{ equation = "total <= capacity" }}
path = {{ equation = "path = speed*time" }}
[profiles.stated]
{stated}
"""


def lift(stated: dict[str, float], default: float | None = None) -> derive.Library:
    told = "" if default is None else f', value = "{default} kg"'
    return derive.load(TEXT.format(default=told, stated="\n".join(f'{name} = "{x} kg"' for name, x in stated.items())))


NAMES = ("load", "rope", "capacity")


@pytest.mark.parametrize("typed", [one for size in range(3) for one in itertools.combinations(NAMES, size)])
@pytest.mark.parametrize("capacity", [4, 5, 6])
def test_a_broken_limit_of_typed_and_stated_values_is_told(typed: tuple[str, ...], capacity: float) -> None:
    """Whichever of them the profile states, and whichever are typed: 2 kg and 3 kg may be too much."""
    numbers = {"load": 2.0, "rope": 3.0, "capacity": capacity}
    library = lift({name: x for name, x in numbers.items() if name not in typed})
    given = {name: f"{x} kg" for name, x in numbers.items() if name in typed}
    answer = library.solve("path", "stated", speed="2 m/s", time="3 s", **given)
    assert [check.name for check in answer.failed] == (["holds"] if capacity < 5 else [])
    assert answer.base == 6
    assert not answer.unused


def test_a_limit_that_defaults_alone_break_says_nothing_of_a_question() -> None:
    text = TEXT.format(default=', value = "4 kg"', stated="").replace(
        'load = { unit = "kg" }', 'load = { unit = "kg", value = "9 kg" }'
    )
    library = derive.load(text.replace('rope = { unit = "kg" }', 'rope = { unit = "kg", value = "9 kg" }'))
    assert not library.solve("path", speed="2 m/s", time="3 s").failed
    assert library.solve("path", speed="2 m/s", time="3 s", rope="8 kg").failed


def test_what_is_typed_alone_breaks_no_limit_but_is_a_contradiction() -> None:
    with pytest.raises(derive.InconsistentError, match="holds"):
        lift({}).solve("path", speed="2 m/s", time="3 s", load="2 kg", rope="3 kg", capacity="4 kg")


def test_a_limit_that_needs_what_is_not_known_is_not_tested() -> None:
    answer = lift({"capacity": 4}).solve("path", "stated", speed="2 m/s", time="3 s", load="9 kg")
    assert not answer.failed
    assert answer.unused == ("load",)


def test_a_table_tells_where_it_is_broken() -> None:
    """At five thousand points, of which the solver is asked at a few only."""
    loads = numpy.linspace(0.001, 4, 5001)
    table = lift({"capacity": 4}).sweep(
        "path", "stated", speed="2 m/s", time="3 s", rope="1.5 kg", load=derive.units.Quantity(loads, "kg")
    )
    assert (table.failed["holds"] == (loads + 1.5 > 4)).all()


@pytest.mark.parametrize("steps", range(4))
@pytest.mark.parametrize("capacity", [7, 40])
def test_a_given_plays_a_part_where_a_limit_looks_at_what_follows_from_it(steps: int, capacity: int) -> None:
    """The limit by a default stands among the checks, whether or not it holds; what nothing looks at is idle."""
    chain = [f"u{i + 1} = 2*u{i}" for i in range(steps)]
    names = " ".join(["x y idle capacity", *(f"u{i}" for i in range(steps + 1))])
    limit = {"equation": f"u{steps} <= capacity", "name": "limit"}
    library = bare(names, "y = 2*x", *chain, limit, values={"capacity": str(capacity)})
    answer = library.solve("y", x=1, u0=5, idle=1)
    assert answer.unused == ("idle",)
    assert [(check.name, check.passed) for check in answer.checks] == [("limit", 2**steps * 5 <= capacity)]
