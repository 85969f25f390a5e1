"""What a section says of an answer."""

from __future__ import annotations

from derive.presentation.document import Formulas
from derive.reports.formulas import briefly, chain, forms, stated, worked
from tests.derive.reports.pages import falling


def test_a_chain_goes_from_what_is_stated_to_the_result():
    said, turned = chain(falling()).lines
    assert said == ("h", r"\frac{g t^{2}}{2}")
    assert turned[0] == "t"
    form, numbers, result = turned[1].split(" = ")
    assert "20" in numbers
    assert "20" not in form
    assert result.startswith("2.02\\,")  # sqrt(2*20/9.80665), with four digits


def test_forms_are_letters_alone():
    lines = forms(falling()).lines
    assert [left for left, _ in lines] == ["h", "t"]
    assert "20" not in str(lines)


def test_a_brief_derivation_keeps_its_inputs_and_leaves_out_steps_that_are_too_many():
    full = worked("Falling", falling())
    assert len(briefly(full, 1).page.steps) == 1
    assert briefly(full, 0).page.steps == ()
    assert briefly(full, 0).page.symbols == full.page.symbols


def test_relations_without_a_reason_make_no_empty_list():
    import derive

    library = derive.load('[quantities]\na = { unit = "m" }\nb = { unit = "m" }\n[relations.same]\nequation = "a = b"')
    (alone,) = stated(library, "same")
    assert isinstance(alone, Formulas)
