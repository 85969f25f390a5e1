"""An answer on paper: every step with its reason, its lines and its units, and no user's word obeyed."""

from __future__ import annotations

import re

import pytest

import derive
from derive.presentation.latex import escaped
from derive.presentation.markdown import plain
from tests.derive.statements import bare

CLIFF = derive.solve(
    "kv_bytes_per_token", "h100-sxm:fp8", active_parameters="100 Gparameter", crossover_context="200 ktoken/sequence"
)
HOSTILE = r"\input{x} \write18{y} ^^5cz % & # _ $ <script> *b* [l](u) `c` | ~"


def test_the_cliff_is_stated_rearranged_filled_in_and_worked_out():
    tex = CLIFF.latex()
    lines = [
        r"L^* &= \frac{q k N_a W \eta_m}{F \eta_c \kappa}",
        r"\kappa &= \frac{q k N_a W \eta_m}{L^* F \eta_c}",
        r"100\,\mathrm{Gparameter} \cdot 3.35\,\mathrm{TB/s/chip}",
        r"1978.9\,\mathrm{TFLOP/s/chip}",
        r"&= 1693\,\mathrm{byte/token}",
    ]
    places = [tex.index(line) for line in lines]
    assert places == sorted(places)


def test_markdown_tells_the_same_mathematics():
    markdown = CLIFF.markdown()
    for block in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end", CLIFF.latex(), re.DOTALL):
        assert re.sub(r"\s+", " ", block.strip()) in re.sub(r"\s+", " ", markdown)


def test_a_source_is_numbered_once_and_listed():
    tex = CLIFF.latex()
    assert tex.count("[1]") == 2
    assert tex.count(r"\item") == len(
        {value.source for value in CLIFF.given.values() if value.source.kind == "published"}
    )


def test_two_quantities_never_share_a_letter():
    library = bare("T_1 T1 t", "t = T_1*T1")
    tex = library.solve("t", T_1=2, T1=3).latex()
    assert "T_{1} \\cdot \\mathrm{T1}" in tex


@pytest.mark.parametrize("form", ["latex", "markdown"])
def test_results_carry_the_digits_that_their_inputs_bear(form):
    library = bare("y a b", "y = a/b")
    assert "= 0.6912" in getattr(library.solve("y", a="1.23", b="1.7795"), form)()
    assert "0.69120" not in getattr(library.solve("y", a="1.23", b="1.7795"), form)()


def hostile_answer():
    library = derive.load(
        "[quantities]\n"
        f"good = {{ unit = 'm', meaning = '{HOSTILE}', latex = '\\input{{x}}' }}\n"
        "bad_one = { unit = 'm' }\n"
        "[relations.half]\n"
        "equation = 'good = 2*bad_one'\n"
        f"because = '{HOSTILE}'\n"
        f"source = '{HOSTILE}'\n"
        "[profiles.p]\n"
        f"good = {{ value = '3 m', source = '{HOSTILE}', kind = 'published' }}\n"
    )
    return library.solve("bad_one", "p")


def test_nothing_that_a_user_wrote_reaches_tex_as_a_command():
    tex = hostile_answer().latex()
    assert r"\input" not in tex.replace(r"\textbackslash{}input", "")
    assert r"\write" not in tex.replace(r"\textbackslash{}write", "")
    assert "^^" not in tex
    assert not re.search(r"(?<!\\)[%#]", tex)


def test_nothing_that_a_user_wrote_reaches_markdown_as_markup():
    markdown = hostile_answer().markdown()
    assert "<script>" not in markdown
    assert not re.search(r"(?<!\\)[<`]", markdown)
    assert "](u)" not in markdown


@pytest.mark.parametrize("write", [escaped, plain])
def test_escaped_text_keeps_every_letter(write):
    assert re.sub(r"[^a-z]", "", write(HOSTILE).replace("textbackslash", "").replace("textasciicircum", "")
                  .replace("textasciitilde", "").replace("textless", "").replace("textgreater", "")
                  .replace("textasciigrave", "").replace("textbar", "")) == re.sub(r"[^a-z]", "", HOSTILE)  # fmt: skip
