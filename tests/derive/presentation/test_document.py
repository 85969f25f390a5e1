"""Words and what is marked in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from derive.presentation.document import spans, verbatim
from tests.derive.reports.pages import report


@given(st.text())
def test_somebody_else_s_text_is_shown_as_it_stands(text):
    assert "".join(piece for _, piece in spans(verbatim(text))) == text
    assert {kind for kind, _ in spans(verbatim(text))} <= {"text"}


@given(st.lists(st.sampled_from(["a b", "$", "*", "`", "\\", "$x$", "*y*", "`z`"])))
def test_every_character_is_in_some_piece(parts):
    words = "".join(parts)
    shown = {"text": "{}", "math": "${}$", "stress": "*{}*", "name": "`{}`"}
    back = "".join(shown[kind].format(piece) for kind, piece in spans(words))
    assert back == words or "\\" in words


def test_a_dollar_in_mathematics_does_not_end_it():
    assert list(spans(r"$\kappa_\$$ of $L_\$$")) == [("math", r"\kappa_\$"), ("text", " of "), ("math", r"L_\$")]


def test_a_report_knows_its_pictures():
    assert [picture.name for picture in report().pictures] == ["toy"]
