"""A value that does not fit is answered with values that do: all that a hint proposes can be typed as it stands.

The slips are made mechanically on a good value of every quantity of the built-in library, so the good value is known,
and a proposal is held against it: for a slip of one kind, the value that was spoilt has to be among the proposals.
"""

from __future__ import annotations

import re

import pytest

import derive
from quantities.declaration import Declaration, read_given
from quantities.definitions import definition, entry, unprefixed
from quantities.errors import DeriveError
from quantities.proposals import proposals
from quantities.spelling import alternatives
from tests.derive.operations import calls
from tests.ordinary import every

QUANTITIES = list(derive.llm.declared.values())
QUOTED = re.compile(r'[Ww]rite "([^"]+)"(?:, or "([^"]+)")?')


def proposed(text, quantity):
    """What the hint for a value says may be written; None, where the value is accepted."""
    try:
        read_given(text, quantity)
    except DeriveError as error:
        return [one for found in QUOTED.findall(error.hint) for one in found if one]
    return None


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("1 ppt", ""),
        ("1d5 m", "m"),
        ("1j m", "m"),
        ("20 deg", "delta_degC"),
        ("1 mdegC", "delta_degC"),
        ("1 rad/s", "Hz"),
        ("1 Hz", "rad/s"),
        ("1 1/s", "rpm"),
        ("6 rad", "s"),
        ("3 rev", ""),
        ("30 grad", "radian"),
        ("5 %", "m"),
        ("90 °", "m"),
    ],
)
def test_another_number_or_another_thing_is_not_proposed(text, unit):
    assert proposed(text, Declaration("x", unit)) == []


@pytest.mark.parametrize(
    ("text", "unit"), [("60 rpm", "%"), ("2..6 m", "%"), ("5 token", "%"), ("5 USD/8to^n", "USD/h"), ("5 8to^n", "m")]
)
def test_a_value_without_its_unit_is_proposed_for_a_plain_number_alone(text, unit):
    quantity = Declaration("x", unit)
    for mend in proposed(text, quantity):
        read_given(mend, quantity)


def test_a_mil_is_no_mile():
    assert proposed("3 mil", Declaration("gap", "mm")) == ["3 thou", "3 mile"]


def number_of(quantity):
    """A number that the domain admits, in the declared unit."""
    return next((n for n in ("3", "0.7", "0.2", "1", "40") if _admits(quantity, n)), None)


def _admits(quantity, number):
    return quantity.domain.admits(quantity.unit.to_base(float(number)))


def slips(quantity):
    """Misspelt, miscounted and incomplete values."""
    unit = quantity.unit.text
    yield from (
        "3",
        "0.7",
        "3 m3",
        "5 kg",
        "3 users",
        "$3",
        "$2.5/h",
        "3 km",
        "3 EUR",
        "3 KB",
        "3 TFLOPS",
        "-3 s/token",
    )
    yield from (f"3{letter}{rest}" for letter in "kKMBTGPmbt" for rest in ("", f" {unit}", " tokens", "parameters"))
    yield from (f"3 {word} {unit}" for word in ("thousand", "million", "billion", "trillion"))
    yield from (f"3 {unit}{more}" for more in ("/chip", "/s", "*chip", "/token", "/user", "ps", "s", "2"))
    yield from (f"3 {unit[:cut]}{unit[cut + 1 :]}" for cut in range(len(unit)))
    yield from (f"{low}..{high} {other}" for low, high in ((1, 2),) for other in ("W", "B", "token", ""))
    yield from (f"3 {part}" for part in re.split("[*/]", unit))
    yield f"3 1/({unit})" if unit else "3 %"


@pytest.mark.thorough
@every("quantity", QUANTITIES[::21], ids=str, ordinary=3, thorough=8)
def test_all_that_a_hint_proposes_is_accepted(quantity):
    for text in slips(quantity):
        for mend in proposed(text, quantity) or ():
            read_given(mend, quantity)


@pytest.mark.long
@pytest.mark.parametrize("quantity", QUANTITIES, ids=str)
def test_all_that_a_hint_proposes_for_any_quantity_is_accepted(quantity):
    test_all_that_a_hint_proposes_is_accepted(quantity)


@pytest.mark.thorough
@every("quantity", QUANTITIES[::3], ids=str, ordinary=3, thorough=12)
def test_a_letter_for_a_power_of_ten_is_read_as_one(quantity):
    unit = quantity.unit.text
    for letter, power in (("k", 3), ("M", 6), ("B", 9), ("T", 12)):
        if not unit or not _admits(quantity, f"3e{power}"):
            continue
        meant = read_given(
            f"3e{power} {unprefixed(unit.partition('/')[0]) or unit.partition('/')[0]}",
            Declaration("x", unit.partition("/")[0]),
        )
        for text in (f"3{letter}", f"3{letter} {unit}"):
            mends = proposed(text, quantity)
            if mends is None:  # 3B of something in bytes is three bytes
                continue
            if text.endswith(unit) and unprefixed(unit.partition("/")[0]):
                continue
            assert mends, text
            assert read_given(mends[0], quantity).base[1] == pytest.approx(meant.base[1] * _rest(unit), rel=1e-12)


def _rest(unit):
    """The size of what follows the first name of a unit."""
    from quantities.spelling import parse_unit

    first = unit.partition("/")[0]
    return float(parse_unit(unit).size / parse_unit(first).size)


@every("quantity", [q for q in QUANTITIES if "/" in q.unit.text and "*" not in q.unit.text][::3], ids=str)
def test_a_factor_that_is_forgotten_is_put_back_and_the_number_kept(quantity):
    number = number_of(quantity)
    first, *rest = quantity.unit.text.split("/")
    for i in range(len(rest)):
        forgotten = "/".join([first, *rest[:i], *rest[i + 1 :]])
        mends = proposed(f"{number} {forgotten}", quantity)
        if mends is not None:
            values = [read_given(mend, quantity) for mend in mends]
            assert [float(number)] * len(values) == [value.number for value in values]
            assert any(value.base[1] == pytest.approx(quantity.unit.to_base(float(number))) for value in values)


@pytest.mark.parametrize(
    ("text", "unit", "mends"),
    [
        ("405B", "parameter", ["405 Gparameter"]),
        ("15.6T token", "token", ["15.6 Ttoken"]),
        ("5.3 GB/token", "byte/sequence", ["5.3 GB/sequence"]),
        ("400 W", "W/chip", ["400 W/chip"]),
        ("128k", "token/sequence", ["128 ktoken/sequence"]),
        ("1.2345678901234k", "", ["1234.5678901234"]),
        ("8k tokens", "token/sequence", ["8 ktokens/sequence"]),
        ("50 tok/s/user", "token/s/sequence", ["50 tok/s/sequence"]),
        ("20 ms/token", "token/s/sequence", ["50 token/s/sequence"]),
        ("0.7", "%", ["70 %", "0.7 %"]),
        ("70", "%", ["70 %"]),
        ("0.6..0.8", "%", ["60..80 %", "0.6..0.8 %"]),
        ("16k", "chip", ["16e3 chip"]),
        ("3k", "", ["3000"]),
        ("7 billion", "parameter", ["7 Gparameter"]),
        ("2.5B", "USD", ["2.5 GUSD"]),
        ("989 TFLOPS", "FLOP/s/chip", ["989 TFLOP/s/chip"]),
        ("989T", "TFLOP/s/chip", ["989 TFLOP/s/chip"]),
        ("80 KB", "byte/chip", ["80 kB/chip", "80 KiB/chip"]),
        ("5 m3", "m**3", ["5 m**3"]),
        ("5 m3/h", "m**3/s", ["5 m**3/h"]),
        ("9 Nm", "J", ["9 N*m"]),
        ("2.5 USD", "USD/h/chip", ["2.5 USD/h/chip"]),
        ("2.5 USD per million tokens", "USD/Mtoken", ["2.5 USD/Mtokens"]),
        ("2.5 USD/1M tokens", "USD/token", ["2.5 USD/Mtokens"]),
        ("3 USD per thousand tokens", "USD/Mtoken", ["3 USD/ktokens"]),
        ("5 kg", "m", []),
        ("405B parameters", "byte", []),
        ("no number", "m", []),
        ("1e400 parameter", "parameter", []),
    ],
)
def test_typical_slips_and_what_was_meant(text, unit, mends):
    quantity = Declaration("x", unit)
    assert proposals(text, quantity.unit, quantity.domain) == mends


def test_a_price_with_its_sign_in_front_is_written_out():
    assert proposed("$2.5/h", Declaration("x", "USD/h")) == ["2.5 USD/h"]
    assert proposed("$3", Declaration("x", "USD/Mtoken")) == ["3 USD/Mtoken"]
    assert proposed("$3 per million tokens", Declaration("x", "USD/Mtoken")) == ["3 USD/Mtokens"]


@pytest.mark.parametrize(
    "name", ["TFLOPS", "KB", "ton", "user", "requests", "GPus", "m3", "Nm", "kwh", "Gbps2", "sec2"]
)
def test_every_alternative_of_a_name_is_a_unit(name):
    from quantities.spelling import parse_unit

    for other in alternatives(name):
        parse_unit(other)


def test_a_name_is_parted_from_its_prefix_only_where_it_has_one():
    assert [unprefixed(name) for name in ("TFLOP", "ktok", "min", "kilometer", "chip", "GiB", "kg", "xyz")] == [
        "FLOP", "tok", "", "meter", "", "B", "", ""
    ]  # fmt: skip
    assert definition("kg")
    assert entry("ktok")


@pytest.mark.parametrize(
    "text",
    ["3 foo bar baz qux quux corge", "3 kilo megs/secs/hrs*foo", "3 " + "a*" * 140 + "a", "3" * 350 + " Gb/user"],
)
def test_what_nobody_can_mean_is_refused_at_once(text):
    declaration = Declaration("x", "byte/s/chip")
    proposed("3 foo", declaration)  # the first proposal of a process reads the names of all units
    assert calls(lambda: proposed(text, declaration)) < 200_000
    assert proposed(text, declaration) in ([], ["3" * 350 + " Gb/s/chip"])


def test_bad_givens_are_told_all_at_once():
    with pytest.raises(derive.UnitError) as caught:
        derive.solve("step_time", batch=240, context="8k", chip_power="400 W")
    assert [problem.message.partition(":")[0] for problem in caught.value.problems] == [
        "batch",
        "context",
        "chip_power",
    ]
    assert [problem.hint.partition(".")[0] for problem in caught.value.problems] == [
        'Write "240 sequence"', 'Write "8 ktoken/sequence"', 'Write "400 W/chip"'
    ]  # fmt: skip


def test_bad_givens_of_different_kinds_are_one_error_too():
    with pytest.raises(derive.ExpressionError) as caught:
        derive.solve("step_time", batch="1,5 sequence", context="8k", compute_efficiency="-1")
    assert len(caught.value.problems) == 3
    with pytest.raises(derive.UnitError) as caught:
        derive.sweep("step_time", batch=derive.span("1..240", 3), context="8k")
    assert len(caught.value.problems) == 2
