"""Proofs of a report: what does not hold does not get onto a page."""

from __future__ import annotations

import pytest

from derive.errors import VerificationError
from derive.reports.proofs import Form, closed, identical, lines
from derive.tokens.relations import library


def test_a_quantity_that_does_not_cancel_is_told():
    time = closed(library(), "compute_time", "batch", "active_parameters", "peak_compute", "chips")
    with pytest.raises(VerificationError, match="chips cancels"):
        time.without("chips", "layers")


def test_what_cancels_may_be_said_to():
    held = library().quantities
    time = closed(library(), "compute_time", "batch", "active_parameters", "peak_compute", "chips")
    assert "chips" not in (time * Form(held["chips"])).without("chips").quantities


def test_two_forms_that_differ_by_a_factor_are_not_the_same():
    time = closed(library(), "compute_time", "batch", "active_parameters", "peak_compute", "chips")
    with pytest.raises(VerificationError, match="not"):
        identical(time, time * 2)


def test_constants_and_efficiencies_have_their_defaults_in_a_plain_form():
    held = library().quantities
    time = closed(library(), "compute_time", "batch", "active_parameters", "peak_compute", "chips").plain()
    assert time.expression == 2 * held["batch"] * held["active_parameters"] / (held["peak_compute"] * held["chips"])


def test_lines_name_the_quantities_whose_letters_they_show():
    held = library().quantities
    batch = Form(held["batch"])
    shown = lines((batch, Form(held["chips"] * held["context"])), (r"\Pi", batch))
    assert shown.lines == (("B", "n L"), (r"\Pi", "B"))
    assert [one.name for one in shown.quantities] == ["batch", "chips", "context"]
