"""The scripts of a page write numbers and units as the package writes them."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

from derive.pages import page
from derive.presentation import mathematics
from derive.presentation.cautions import sides_apart
from derive.presentation.numbers import with_prefix, with_unit
from quantities.spelling import parse_unit
from tests.derive.browser import needed, value_of
from tests.derive.presentation.test_cautions import FITS

SHELL = Path(page.__file__).parent / "shell"
UNITS = ("byte", "s", "J/FLOP", "W", "", "token/s", "m", "USD/token", "byte^2", "s **2", "FLOP²", "parameter")
DRAW = random.Random(5)
NUMBERS = (
    *(DRAW.uniform(-10, 10) * 10.0 ** DRAW.randint(-320, 300) for _ in range(300)),
    *(10.0 ** DRAW.randint(-12, 20) * (1 - 10.0 ** -DRAW.randint(3, 16)) for _ in range(300)),
    *(DRAW.randint(1, 10**7) / DRAW.choice([2, 4, 8, 16, 10, 100]) for _ in range(300)),  # halfway between two
    *(0.0, 2.5, -2.5, 503774.5, 9.5, 78045e6),
)
SPELLED = ("m/s**2", "m**(1/2)", "m**1.852", "byte^2", "J/kg*K", "m²/s", "W·h", "kg m/s", "µs ** -1", "USD_x/h", "")


def _told(script: str, *names: str) -> list[list[str]]:
    """What a script says with some of the shell's files."""
    sources = [(SHELL / f"{name}.js").read_text(encoding="utf-8") for name in names]
    said: list[list[str]] = value_of("\n".join([*sources, script]))
    return said


@needed
def test_a_page_writes_a_number_as_the_package_does():
    cases = [(number, DRAW.choice(UNITS), DRAW.choice([1, 3, 4, 6])) for number in NUMBERS]
    told = _told(
        f"const cases = {json.dumps(cases)};"
        "const said = cases.map(([x, text, n]) => [digitsOf(x, n), customary(x, {size: 1, text}, n)]);",
        "numbers",
    )
    for (number, unit, digits), shown in zip(cases, told, strict=True):
        multiple, text = with_prefix(number, unit)
        assert shown == [f"{number:.{digits}g}", with_unit(f"{multiple:.{digits}g}", text)]


@needed
def test_a_page_typesets_a_unit_as_the_package_does():
    told = _told(f"const said = [{json.dumps(SPELLED)}.map(unitLatex)];", "mathml")
    assert told == [[mathematics.unit(text) for text in SPELLED]]


@needed
def test_a_page_tells_the_sides_of_a_failed_check_as_the_package_does():
    rooms = [10.0 ** DRAW.randint(0, 20) * (1 - 10.0 ** -DRAW.randint(2, 9)) for _ in range(200)]
    cases = [(room * (1 + 10.0 ** -DRAW.randint(1, 9)), room) for room in rooms]
    check = {
        "left_text": "need",
        "right_text": "room",
        "op": "<=",
        "left_unit": {"size": 1e9, "text": "GB"},
        "right_unit": {"size": 1, "text": "byte"},
    }
    source = (SHELL / "answers.js").read_text(encoding="utf-8")
    told = _told(
        source[source.index("function sidesApart") :].partition("\n}\n")[0] + "\n}\n"
        f"const cases = {json.dumps(cases)}, check = {json.dumps(check)};"
        "const said = [cases.map(([need, room]) => sidesApart(check, need, room))];",
        "numbers",
    )
    assert told == [[sides_apart(FITS, {"need": need, "room": room}) for need, room in cases]]


@needed
def test_what_is_typed_with_a_prefix_is_that_multiple_or_no_unit():
    own = ("m**2", "m²", "byte**2/s", "byte/s", "J", "s**-1")
    typed = ("Mm**2", "Mm²", "GB**2/s", "GB/s", "GJ", "ks**-1", "mJ")
    told = _told(
        f"const cases = {json.dumps([(one, text) for one in own for text in typed])};"
        "let page; const sizes = cases.map(([own, text]) => {"
        "page = {quantities: {x: {units: [[own, 1, 0]]}}}; return unitMeant('x', text)?.size;"
        "}); const said = [sizes.map((size) => size ?? 0)];",
        "numbers",
        "units",
    )
    pairs = ((parse_unit(text), parse_unit(one)) for one in own for text in typed)
    for (unit, whole), size in zip(pairs, told[0], strict=True):
        assert size == 0 or (unit.dimension == whole.dimension and math.isclose(size, unit.size / whole.size))
    assert sum(map(bool, told[0])) == 3  # GB/s, GJ and mJ
