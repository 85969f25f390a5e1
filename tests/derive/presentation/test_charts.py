"""Charts as data: the words of one can be put in a reader's own."""

from __future__ import annotations

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.errors import ExpressionError
from derive.presentation.charts import Axis, Caption, Chart, Hatch, Mark, Series, Shade, reworded

WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=3)
AS_LONG = st.text(string.ascii_lowercase, min_size=3, max_size=3)  # none is a part of another


def texts(chart: Chart) -> list[str]:
    labels = [one.label for one in (chart.x, chart.y, *chart.series, *chart.marks, *chart.shades, *chart.hatches)]
    tags = [tag for one in chart.series for tag in one.tags]
    return [*labels, *chart.x.names, *chart.y.names, *tags, *(one.text for one in chart.words), chart.title]


def chart_of(words: list[str]) -> Chart:
    """A chart that says these ten things."""
    first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth = words
    return Chart(
        Axis(first, names=(second,)),
        Axis(third),
        (Series.of([1], [2], fourth, tags=(fifth,)),),
        (Mark(1, sixth),),
        (Shade(1, 2, seventh),),
        (Hatch(((1, 2),), eighth),),
        title=ninth,
        words=(Caption(1, 1, tenth),),
    )


@given(st.lists(AS_LONG, min_size=10, max_size=10, unique=True), st.permutations(range(10)))
def test_every_text_is_replaced_once_and_nothing_else(words, order):
    """A cycle of names: what replaces one word is not replaced again, though another word is called so."""
    called = {words[i]: words[order[i]] for i in range(10)}
    (chart,) = reworded([chart_of(words)], called)
    assert sorted(texts(chart)) == sorted(words)
    assert texts(chart) == [called[text] for text in texts(chart_of(words))]


@given(st.lists(WORDS, min_size=10, max_size=10), WORDS)
def test_a_word_that_the_chart_does_not_say_is_refused(words, other):
    assume(not any(other in word for word in words))
    with pytest.raises(ExpressionError, match=f"No words of the picture are '{other}'"):
        reworded([chart_of(words)], {other: "new"})
