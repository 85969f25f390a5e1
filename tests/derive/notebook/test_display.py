"""What a notebook shows of each result: well-formed HTML, LaTeX, and the text that is printed."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser

import pytest

import derive
from derive.notebook import as_html, as_latex, as_text

PENDULUM = """title = "<script>alert(1)</script>"
[quantities]
length = { unit = "m", meaning = "<script>alert(2)</script>", latex = "L" }
gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
period = { unit = "s" }
most = { unit = "m", value = "0.7 m" }
[relations.swing]
equation = "period = 2*pi*sqrt(length/gravity)"
because = "<script>alert(3)</script>"
source = "a & b"
[relations.bound]
equation = "length <= most"
"""
LIBRARY = derive.load(PENDULUM)
RANGE = {"length": "0.5..2 m"}


def results():
    answer = LIBRARY.solve("length", period="2 s")
    axis = derive.span("0.5..2 m", 20)
    other = LIBRARY.solve("length", period="3 s")
    two = {"length": "0.5..2 m", "gravity": "1..10 m/s**2"}
    yield answer
    yield LIBRARY.relations["swing"]
    yield LIBRARY
    yield LIBRARY.quantity("length")
    yield derive.check(PENDULUM.replace("sqrt", ""))[0]
    yield LIBRARY.sweep("period", length=axis)
    yield LIBRARY.stream("period", length=axis)
    yield LIBRARY.sample("period", **RANGE)
    yield LIBRARY.least("period", **RANGE)
    yield derive.compare(LIBRARY.solve("length", period="2 s"), other)
    borders = LIBRARY.border("period", over=("length", "gravity"), **two)
    yield borders
    yield borders[0]


RESULTS = list(results())
NAMES = [type(one).__name__ for one in RESULTS]


class Tags(HTMLParser):
    """The tags that are open; what is closed must be the last one."""

    VOID = ("br", "meta", "path", "use", "rect")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.met: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.met.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_all_types_are_there() -> None:
    wanted = "Answer Relation Quantity Library Table Stream Sample Problem Optimum Comparison Border Borders"
    assert set(NAMES) == set(wanted.split())


@pytest.mark.parametrize("thing", RESULTS, ids=NAMES)
def test_html_is_well_formed_and_nothing_a_user_wrote_acts(thing) -> None:
    shown = thing._repr_html_()
    tags = Tags()
    tags.feed(shown)
    assert tags.open == []
    assert "script" not in tags.met
    assert "<script" not in shown


@pytest.mark.parametrize("thing", RESULTS, ids=NAMES)
def test_the_text_is_what_is_printed(thing) -> None:
    pretty = pytest.importorskip("IPython.lib.pretty", reason="IPython comes with the extra notebook").pretty
    shown = pretty(thing)
    assert "object at 0x" not in shown
    assert not re.match(r"\w+\(\w+=", shown)
    if type(thing).__name__ not in ("Table", "Stream", "Library"):
        assert shown == str(thing)


def test_an_answer_is_typeset_with_its_steps_and_cautions() -> None:
    answer = RESULTS[0]
    shown = as_html(answer)
    assert "<math" in shown
    assert "bound does not hold" in shown
    assert as_latex(answer) == r"$\displaystyle L = 0.994\,\mathrm{m}$"
    assert as_latex(LIBRARY) is None
    assert as_text(answer) == answer.text()


def test_a_table_says_what_fails() -> None:
    table = RESULTS[NAMES.index("Table")]
    count = int(table.failed["bound"].sum())
    assert f"bound fails at {count} of 20 points" in as_html(table)
    assert f"bound fails at {count} of 20 points" in as_text(table)
    assert "8 more points" in as_html(table)


def test_without_the_extras_there_is_text(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "latex2mathml", None)
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert as_html(RESULTS[0]) is None
    assert as_text(RESULTS[0]).startswith("length = 0.993961 m")
    sample = RESULTS[NAMES.index("Sample")]
    assert "<pre>" in as_html(sample)
    assert "<svg" not in as_html(sample)


def test_the_notebook_room_is_not_imported_before_it_is_asked() -> None:
    import subprocess

    code = "import sys, derive; derive.load('[quantities]\\nx.unit = \"m\"'); print('derive.notebook' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
