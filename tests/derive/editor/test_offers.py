"""What an editor offers and says, also in a file that is half-typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.editor.diagnostics import OpenFile, diagnostics
from derive.editor.names import defined_at, hover, offers
from derive.relation_files import keys

HEAD = """[quantities]
length = { unit = "m", meaning = "length of the string", latex = "L", aliases = ["cord"] }
gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
period = { unit = "s" }
swing = { unit = "", domain = "real" }
"""
SOUND = HEAD + '[relations.small]\nequation = "period = 2*pi*sqrt(length/gravity)"\n[profiles.clock]\nlength = "1 m"\n'


def offered(text, kind=None, name="file.toml", **others):
    """What is offered at the mark |, by kind."""
    offset = text.index("|")
    path = Path("/nowhere") / name
    texts = {path.with_name(f"{name}.toml"): held for name, held in others.items()}
    found = offers(OpenFile(path, text.replace("|", "", 1), texts), offset)
    return [offer.text for offer in found if kind in (None, offer.kind)]


@pytest.mark.parametrize(
    "half",
    [
        '[relations.r]\nequation = "period = le|',
        '[relations]\nr = { equation = "period = le|',
        '[relations]\nr = { equation = "period = le|" }',
        '[relations.r]\nequation = """\nperiod = le|',
        '[relations.r]\nequation = "period = 2"\nwhen = ["le|',
        '[relations.r]\nequation = "period = le|gravity + (3*',
        '[examples.e]\nasked = "|',
        '[broken\n[relations.r]\nequation = "|"',
        'x = {\ny = [\n[relations.r]\nequation = "|"',
    ],
)
def test_quantities_are_offered_in_equations_that_are_half_typed(half) -> None:
    assert {"length", "gravity", "period", "swing"} <= set(offered(HEAD + half, "quantity"))


def test_an_offer_replaces_the_word_that_was_begun() -> None:
    text = HEAD + '[relations.r]\nequation = "period = 2*le'
    offer = next(one for one in offers(OpenFile(Path("a.toml"), text), len(text)) if one.text == "length")
    assert text[slice(*offer.span)] == "le"
    assert (offer.detail, offer.meaning) == ("[m]", "length of the string")


def test_functions_are_offered_in_equations_only() -> None:
    assert {"sqrt", "max", "erf"} <= set(offered(HEAD + '[relations.r]\nequation = "x = |"', "function"))
    assert offered(HEAD + '[examples.e]\nasked = "|"', "function") == []


def test_quantities_of_libraries_and_of_other_files_are_offered() -> None:
    assert "kv_bytes_per_token" in offered('uses = ["llm"]\n[relations.r]\nequation = "|"', "quantity")
    assert offered('uses = ["base.toml"]\n[relations.r]\nequation = "|"', "quantity", base=HEAD)[0] == "length"


def test_units_are_offered_with_their_prefixes() -> None:
    units = offered('[quantities]\nx = { unit = "TFL|"', "unit")
    assert "TFLOP" in units
    assert "kg" in offered('[quantities]\nx = { unit = "m/k|" }', "unit")
    assert "m/s**2" in offered(HEAD + 'more = { unit = "|" }', "unit")
    text = '[units]\nflorin = "2 USD"\n[quantities]\nx = { unit = "|" }'
    assert "florin" in offered(text, "unit")


def test_behind_a_number_stands_its_unit() -> None:
    assert offered(HEAD + '[profiles.p]\ngravity = "9.8 |"', "unit")[0] == "m/s**2"
    assert offered(HEAD + '[examples.e]\ngiven = { period = "2 |" }', "unit")[0] == "s"
    assert offered(HEAD + '[profiles.p]\ngravity = { value = "9.8 |" }', "unit")[0] == "m/s**2"
    assert offered(HEAD + '[profiles.p]\ngravity = "|"', "unit") == []


def test_keys_are_offered_that_the_table_does_not_have() -> None:
    held = offered('[quantities]\nx = { unit = "m", | }', "key")
    assert held == [f"{key} = " for key in keys.QUANTITY if key != "unit"]
    assert offered("[relations.r]\n|", "key") == [f"{key} = " for key in keys.RELATION]
    assert offered("[relations.r]\neq|", "key")[0] == "equation = "
    assert offered('[relations.r]\neq|x = "y = 3"', "key")[0] == "equation"
    assert offered("[examples.e]\n|", "key") == [f"{key} = " for key in keys.EXAMPLE]
    assert offered("|", "key") == [f"{key} = " for key in keys.FILE]
    assert "period = " in offered(HEAD + "[profiles.p]\n|", "quantity")
    assert "period = " in offered(HEAD + "[examples.e]\ngiven = { | }", "quantity")
    assert offered("[|", "section") == [*keys.SECTIONS]
    assert offered("[rel|", "section") == [*keys.SECTIONS]


def test_words_profiles_and_libraries_are_offered() -> None:
    assert "whole" in offered('[quantities]\nx = { unit = "", domain = "|" }')
    assert "published" in offered('[profiles.p]\nx = { value = "3", kind = "|" }')
    assert offered(SOUND + '[examples.e]\nprofiles = ["|"]', "profile") == ["clock"]
    assert "h100-sxm" in offered('uses = ["llm"]\n[examples.e]\nprofiles = ["|"]', "profile")
    assert "llm" in offered('uses = ["|"]', "library")
    assert "base.toml" in offered('uses = ["|"]', "file", base="")
    assert offered('title = "|"') == []


# Hover


def said(text, **others):
    offset = text.index("|")
    found = hover(OpenFile(Path("/nowhere/file.toml"), text.replace("|", "", 1)), offset)
    return None if found is None else found[0]


def test_a_quantity_is_told_with_its_closed_forms() -> None:
    text = said(SOUND.replace("length/gravity", "leng|th/gravity"))
    assert text.startswith("**length** [m]: length of the string")
    assert "letter: L" in text
    assert "also called cord" in text
    assert "`length = gravity*period**2/(4*pi**2)` (small)" in text
    text = said(SOUND.replace("period = { unit", "perio|d = { unit"))
    assert "`period = 2*pi*sqrt(length/gravity)` (small)" in text
    text = said(SOUND.replace("/gravity", "/gr|avity"))
    assert "default: 9.81 m/s**2 (file.toml)" in text


def test_a_relation_is_told_with_its_source_and_its_forms() -> None:
    text = SOUND.replace("[profiles", 'because = "small angles"\nsource = "a book"\nwhen = ["swing < 0.3"]\n[profiles')
    told = said(text.replace("relations.small", "relations.sm|all"))
    assert told.startswith("**small**: `period = 2*pi*sqrt(length/gravity)`")
    for part in (
        "small angles",
        "source: a book",
        "when swing < 0.3",
        "**gravity** [m/s**2]",
        "`gravity = 4*pi**2*length/period**2`",
    ):
        assert part in told


def test_keys_units_and_profiles_are_told() -> None:
    assert said('[relations.r]\nbecau|se = "so"') == "Why it holds."
    assert said('[quantities]\nx = { unit = "TB/|s" }') == "**TB/s**: byte/s, 1e+12 of it"
    assert said('[quantities]\nx = { unit = "deg|C" }') == "**degC**: K, 1 of it, from 273.15 of it on"
    assert said(SOUND + '[examples.e]\nprofiles = ["clo|ck"]').endswith("- length = 1 m")
    assert said('title = "|"') is None
    assert said('[relations.r]\nequation = "nobody| = 3"') is None


@given(st.integers(0, len(SOUND)), st.integers(0, len(SOUND)))
def test_nothing_that_is_half_typed_makes_anything_fail(cut, offset) -> None:
    text = SOUND[:cut]
    file = OpenFile(Path("/nowhere/file.toml"), text)
    offset = min(offset, cut)
    offers(file, offset)
    defined_at(file, offset)
    for one in diagnostics(file):
        assert 0 <= one.span[0] <= one.span[1] <= len(text)


@given(st.integers(0, len(SOUND)), st.integers(0, len(SOUND)))
def test_what_stands_above_is_known_however_the_text_goes_on(cut, length) -> None:
    """Any stretch of the file may be missing: the quantities before it are offered at the end."""
    text = SOUND[:cut] + SOUND[cut + length :] + '\n[relations.last]\nequation = "'
    file = OpenFile(Path("/nowhere/file.toml"), text)
    found = {offer.text for offer in offers(file, len(text))}
    if "'''" not in text and '"""' not in text and cut > len(HEAD):
        assert {"length", "gravity", "period", "swing"} <= found
