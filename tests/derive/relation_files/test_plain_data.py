"""What was packed and put together again is the library that was read, to the last word."""

from __future__ import annotations

import json

import pytest

from derive import load
from derive.relation_files.writing import packed, unpacked
from derive.tokens.relations import SOURCE
from quantities.rational import exact_of

SWING = """title = "Pendulum"
[quantities]
length = { unit = "mm", meaning = "length", latex = "L", aliases = ["string"] }
gravity = { unit = "m/s**2", value = "9.81 m/s**2", range = "9.78..9.83 m/s**2", source = "survey", kind = "measured" }
period = { unit = "s", domain = "0..20 s" }
swing = { unit = "radian", domain = "real", otherwise = "0.1 radian" }
[relations.small_swing]
equation = "period =  2*pi*sqrt(length/gravity) * (1 + .25e0*sin(swing/2)**2) if swing < 1 or not swing > 3 else period"
because = "small-angle limit"
source = "a book"
when = ["swing < 0.30", "-1 <= swing <= 1e0 and length > 1.*period*gravity*period"]
approximate = "3 %"
neglects = "swing"
[relations.short]
equation = "length <= max(gravity*period**2/10, gravity*period**2*1e-3)"
"""


def told(library):
    """All that a library says, the words that two equal ones may differ in among them."""
    relations = [
        (
            str(r),
            r.when,
            r.written.lhs,
            r.written.rhs,
            r.because,
            r.source,
            r.conditions,
            r.approximate,
            r.neglects,
            [*r.declared],
        )
        for r in library.relations.values()
    ]
    quantities = [(repr(q.words), q.default and q.default.rounding) for q in library.declared.values()]
    defaults = [quantity.default for quantity in library.declared.values() if quantity.default]
    exact = [exact_of(number) for value in defaults for number in (value.number, *value.base)]
    return library.title, list(library.relations), relations, quantities, exact


@pytest.mark.parametrize("source", [SWING, SOURCE], ids=["pendulum", "built in"])
def test_a_library_arrives_as_it_left(source):
    read = load(source)
    arrived = unpacked(packed(read))
    assert arrived == read
    assert told(arrived) == told(read)
    assert packed(arrived) == packed(read)


DATA = json.loads(packed(load(SWING)))


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"\xff",
        b"{}",
        b"3",
        b"[1, 2, 3]",
        packed(load(SWING))[:-1],
        json.dumps([*DATA, "more"]).encode(),
        json.dumps([DATA[0], DATA[1][:1], DATA[2]]).encode(),
        json.dumps([DATA[0], [DATA[1][0] | {"unit": "metr"}, *DATA[1][1:]], DATA[2]]).encode(),
        json.dumps([DATA[0], [DATA[1][0] | {"colour": "red"}, *DATA[1][1:]], DATA[2]]).encode(),
        json.dumps([DATA[0], DATA[1], [DATA[2][0][:-1]]]).encode(),
    ],
)
def test_what_is_no_library_is_none(data):
    assert unpacked(data) is None
