"""Remarks: what a report says of an answer does not depend on how its sources and reasons are worded."""

import pickle

import pytest

from derive.relation_files.loading import load
from derive.reports.formulas import failures, remarks

WORDS = [
    "the board bends",
    "the board bends (oak, but not pine), and then it breaks (slowly)",
    "x = 3 is assumed: y leaves out z: 4 of what it counts (w)",
    "so it is, but comes out as something else",
]


def shelf(because: str) -> object:
    """A shelf that bears 5 kg, for this reason, by a source with the same words."""
    return load(
        f"""[quantities]
        book = {{ unit = "kg" }}
        books_held = {{ unit = "kg" }}
        dust_share = {{ unit = "", meaning = "dust, over the books", domain = "real" }}
        shelf_bears = {{ unit = "kg" }}
        [relations]
        held = {{ equation = "books_held = 3*book", neglects = "dust_share", because = "{because}" }}
        dust_share = {{ equation = "dust_share = -0.02*books_held/shelf_bears" }}
        shelf = {{ equation = "books_held <= shelf_bears", because = "{because}" }}
        [profiles.oak]
        shelf_bears = {{ value = "5 kg", source = "{because}", kind = "assumed", date = "2020" }}
        """
    )


@pytest.mark.parametrize("because", WORDS)
def test_a_failed_limit_is_told_with_both_numbers_and_without_its_reason(because):
    assert failures(shelf(because).solve("books_held", "oak", book="2 kg")) == (
        "books held is 6 kg, more than shelf bears, which is 5 kg",
    )


@pytest.mark.parametrize("because", WORDS)
def test_a_displaced_value_is_told_without_its_source(because):
    library = load(
        f"""[quantities]
        mass = {{ unit = "kg" }}
        force = {{ unit = "N" }}
        gravity = {{ unit = "m/s**2" }}
        [relations]
        weight = {{ equation = "force = mass*gravity" }}
        [profiles.moon]
        gravity = {{ value = "1.62 m/s**2", source = "{because}", kind = "published", date = "2020" }}
        """
    )
    answer = library.solve("gravity", "moon", mass="2 kg", force="20 N")
    assert failures(answer) == ("gravity is 1.62 m/s**2, but comes out as 10 m/s**2 here",)
    assert because in answer.failed[0].verdict


@pytest.mark.parametrize("because", WORDS)
def test_what_is_left_out_is_told_as_a_share_of_what_is_counted_whatever_its_sign(because):
    answer = shelf(because).solve("books_held", "oak", book="1 kg")
    assert "the held leaves out dust: -1.2 % of what it counts" in remarks(answer)
    assert "held leaves out dust: -0.012 of what it counts (dust_share)" in answer.assumptions


def test_a_pickled_answer_has_the_same_remarks():
    answer = shelf("oak bends").solve("books_held", "oak", book="2 kg")
    again = pickle.loads(pickle.dumps(answer))
    assert (remarks(again), failures(again), again.assumptions) == (
        remarks(answer),
        failures(answer),
        answer.assumptions,
    )
