"""Report templates: what stands in one becomes the report, and nothing else that it might want."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import time_limits
from derive.errors import DeriveError, ExpressionError, LimitError, UnknownNameError, VerificationError
from derive.presentation.document import Formulas, Grid, Heading, Items, Picture, Text, WorkedDerivation, spans
from derive.reports.template_words import vocabulary
from derive.reports.templating import rendered
from derive.tokens.reports import report_files
from quantities.value import Source
from tests.derive.terminal import ask, settle

PENDULUM = """
title = "Pendulum"
[quantities]
length = { unit = "m", meaning = "length of the string", latex = "L" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2", source = "CGPM 1901", kind = "exact", latex = "g" }
period = { unit = "s", latex = "T" }
[relations.small_swing]
equation = "period = 2*pi*sqrt(length/gravity)"
because = "small angles"
[profiles.clock]
length = { value = "0.994 m", source = "a clock", url = "https://example.org", kind = "measured" }
"""
LIBRARY = derive.load(PENDULUM)
WORDS = vocabulary(LIBRARY)


def made(text: str, folder: Path, words=WORDS):
    """The blocks below the title."""
    path = folder / "mine.md"
    path.write_text(f"# Mine\n\n{text}", encoding="utf-8")
    return rendered("mine", path, words).blocks


def refused(text: str, folder: Path) -> DeriveError:
    with pytest.raises(DeriveError) as caught:
        made(text, folder)
    return caught.value


def test_an_answer_stands_in_the_text_with_its_unit(tmp_path):
    (text,) = made(
        'It swings in {{ solve("period", length="1 m") }}, or {{ say(solve("period", "clock"), 2) }}.', tmp_path
    )
    assert text == Text(r"It swings in $2.006\,\mathrm{s}$, or $2\,\mathrm{s}$.")


def test_money_is_no_mathematics_and_bold_words_are_stressed(tmp_path):
    (text,) = made("It costs $5, or $6 with **all** of $x^2$.", tmp_path)
    assert list(spans(text.words)) == [
        ("text", "It costs $5, or $6 with "),
        ("stress", "all"),
        ("text", " of "),
        ("math", "x^2"),
        ("text", "."),
    ]


def test_each_kind_of_block_stands_in_a_paragraph_of_its_own(tmp_path):
    told = """
## Heading
A paragraph
of two lines. {{ cite("a book") }}

- one
  point
- another {{ cite("a list") }}

{{ stated("small_swing") }}

{{ worked("A metre", solve("period", length="1 m")) }}

| what | it takes |
| --- | --- |
| clock | {{ solve("period", "clock") }} |
| a \\| b | |
Table: Two
rows.

{% set t = sweep("period", length=span("1..4 m", 3)) %}
{{ picture("mine", chart(axis("length"), axis("period"), [line(t["length"], t["period"])]), caption="What
takes {{ 2 }} times.") }}
"""
    blocks = made(told, tmp_path)
    kinds = [Heading, Text, Items, Formulas, Items, WorkedDerivation, Grid, Picture]
    assert [type(block) for block in blocks] == kinds
    heading, text, items, formulas, _, worked, grid, picture = blocks
    assert heading == Heading("Heading", 2)
    assert text == Text("A paragraph of two lines.", (Source("a book"),))
    assert items == Items(("one point", "another"), (Source("a list"),))
    assert formulas.lines == (("T", r"2 \pi \sqrt{\frac{L}{g}}"),)
    assert worked.title == "A metre"
    assert grid.rows == (("clock", r"$2\,\mathrm{s}$"), ("a | b", ""))
    assert (grid.caption, [one.text for one in grid.sources]) == ("Two rows.", ["a clock"])
    assert picture.charts[0].series[0].y == pytest.approx([2.00641, 3.172426, 4.01282], rel=1e-5)


def test_an_answer_may_be_given_on_and_a_library_written_on_the_spot(tmp_path):
    (text,) = made('{{ solve("length", period=solve("period", length="3 m")) }}', tmp_path)
    assert text == Text(r"$3\,\mathrm{m}$")
    twice = '[relations.twice]\nequation = "period = 2*length/gravity"'  # m/(m/s**2) is no time
    told = f"{{% set text %}}\n{twice}\n{{% endset %}}\n{{{{ relations(text).solve('period', length='1 m') }}}}"
    assert "twice" in str(refused(told, tmp_path))
    assert made(told.replace("2*length/gravity", "2*sqrt(length/gravity)"), tmp_path)


def test_parts_lie_in_the_folder_and_see_what_the_template_has_set(tmp_path):
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "one.md").write_text("## Part\n\nOf {{ size }}.")
    told = '{% set size = solve("length", period="2 s") %}\n{% include "part/one.md" %}'
    assert made(told, tmp_path) == (Heading("Part"), Text(r"Of $0.9936\,\mathrm{m}$."))


WRONG = {
    "unknown quantity": ('\n\n{{ solve("perod", length="1 m") }}', 5, "There is no quantity 'perod'"),
    "unit": ('{{ solve("period", length="1 s") }}', 3, "length"),
    "word": ("{{ slove() }}", 3, "'slove' is undefined"),
    "syntax": ("{% if %}", 3, "Expected an expression"),
    "argument": ("{{ solve() }}", 3, "missing 1 required positional argument"),
    "profile's value": ('{{ held("clock", "gravity") }}', 3, "no value of clock 'gravity'"),
    "no text": ("{{ 1.5 }}", 3, "float cannot be put on a page"),
    "division": ("{{ number(1/0) }}", 3, "division by zero"),
    "size": ("{{ number(9.0**999) }}", 3, "A number is too large"),
    "picture": ('{{ picture("../mine", caption="") }}', 3, "cannot name a picture"),
    "form": ('{{ lines(("x", form("period", "length").without("length"))) }}', 3, "length cancels"),
    "unproved": ('{% do identical(quantity("length"), quantity("period")) %}', 3, "are not"),
}


@pytest.mark.parametrize(("text", "line", "words"), WRONG.values(), ids=WRONG)
def test_what_fails_is_told_with_its_line(text, line, words, tmp_path):
    error = refused(text, tmp_path)
    assert str(error).startswith(f"mine.md, line {line}: ")
    assert words in str(error)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("named.md", "# A\n\n{{ nope }}", "named.md, line 3: 'nope' is undefined. Set it, or mend its name."),
        ("listed.md", "# A\n\n{% set a = [1] %}{{ a[5] }}", "listed.md, line 3: "),
        ("raw.md", "# A\n\n{% raw %}\nx\n", "raw.md, line 3: Missing end of raw directive."),
    ],
)
def test_what_is_undefined_or_without_end_is_named_with_its_file(name, text, said, tmp_path, monkeypatch):
    settle(tmp_path, {name: text}, monkeypatch)
    told = ask("report", name, "--out", "out")
    assert told.status == 2
    assert said in told.err
    assert "StrictUndefined" not in told.err


def test_a_template_may_begin_with_the_mark_of_utf_8(tmp_path, monkeypatch):
    settle(tmp_path, {"marked.md": "\ufeff# A\n\n{% include 'part.md' %}\n", "part.md": "\ufeffParted.\n"}, monkeypatch)
    assert ask("report", "marked.md", "--out", "out").status == 0
    page = (tmp_path / "out" / "marked.md").read_text(encoding="utf-8")
    assert page.startswith("# A\n")
    assert "\nParted.\n" in page


def test_a_template_adds_a_file_to_a_library_of_its_own(tmp_path, monkeypatch):
    files = {"one.toml": '[quantities]\na = { unit = "", value = "2" }\n'}
    files["two.toml"] = '[quantities]\nb = { unit = "" }\n[relations.b]\nequation = "b = 3*a"\n'
    files["both.md"] = '+++\nlibrary = "one.toml"\nadd = "two.toml"\n+++\n# A\n\nIt is {{ solve("b") }}.\n'
    settle(tmp_path, files, monkeypatch)
    told = ask("report", "both.md", "--out", "out")
    assert told.status == 0, told.err
    assert "It is $`6`$." in (tmp_path / "out" / "both.md").read_text(encoding="utf-8")


def test_an_error_keeps_its_kind_and_names_the_part_in_which_it_stands(tmp_path):
    (tmp_path / "part.md").write_text('\n\n{{ solve("perod") }}')
    error = refused('{% include "part.md" %}', tmp_path)
    assert isinstance(error, UnknownNameError)
    assert str(error).startswith("part.md, line 3: ")
    assert isinstance(
        refused('{% do positive(quantity("period") - quantity("period")*2) %}', tmp_path), VerificationError
    )


@pytest.mark.parametrize(
    "text",
    [
        "words {{ stated('small_swing') }}",
        "| a | b |\n| --- | --- |\n| 1 |",
        "| a |\n| --- |\n| 1 |\nwords",
        "```\ncode\n```",
        "> quoted",
        "1. numbered",
        "* starred",
        "![a picture](a.png)",
        "<b>HTML</b>",
    ],
)
def test_what_cannot_be_laid_out_is_refused(text, tmp_path):
    error = refused(text, tmp_path)
    assert isinstance(error, ExpressionError)
    assert str(error).startswith("mine.md: ")


HARM = [
    "{{ solve.__globals__ }}",
    '{{ solve("period", length="1 m").__class__.__mro__ }}',
    '{{ solve("period", length="1 m").formula.subs("x", "__import__(\'os\').getcwd()") }}',
    "{{ (quantity('length') + \"__import__('os').getcwd()\") }}",
    "{{ quantity('length').at(length=\"__import__('os').getcwd()\") }}",
    "{{ quantity('length').expression }}",
    "{{ sweep('period', length=span('1..2 m', 2))['period'].tofile('x') }}",
    "{{ ''.__class__ }}",
    "{{ cycler.__init__.__globals__ }}",
    "{{ lipsum.__globals__ }}",
    "{{ self._TemplateReference__context }}",
    "{% include '../secret.md' %}",
    "{% include '/etc/passwd' %}",
    "{{ 'a'*10**9 }}",
    "{{ '%999999999d' % 1 }}",
    "{{ 'a'|center(10**9) }}",
    "{{ '{:>999999999}'.format('a') }}",
    "{{ range(10**9) }}",
    "{{ 9**9**9 }}",
    "{{ unknown_symbol('__import__(1)') }}",
    "{{ letter('batch; import os') }}",
]


@pytest.mark.parametrize("text", HARM)
def test_a_template_reaches_nothing_but_its_words(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path.parent / "secret.md").write_text("secret")
    refused(text, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.md"]


@given(st.text(alphabet="{}%#|-*$`\\\n a1\"'()[]+", max_size=40))
def test_any_text_is_a_report_or_is_refused_in_words(tmp_path_factory, text):
    with suppress(DeriveError):
        made(text, tmp_path_factory.mktemp("any"))


def own(folder: Path, text: str) -> str:
    (folder / "pendulum.toml").write_text(PENDULUM)
    (folder / "mine.md").write_text(f'+++\nlibrary = "pendulum.toml"\n+++\n# Mine\n\n{text}')
    return str(folder / "mine.md")


def test_one_s_own_report_is_written_and_checked_for_staleness(tmp_path, monkeypatch):
    path = own(tmp_path, 'It takes {{ solve("period", "clock") }}.\n\n{{ stated("small_swing") }}\n')
    out = str(tmp_path / "out")
    assert ask("report", path, "--out", out, "--html").status == 0
    assert sorted(entry.name for entry in Path(out).iterdir()) == ["mine.html", "mine.md", "mine.tex"]
    assert ask("report", path, "--out", out, "--check").status == 0
    (tmp_path / "pendulum.toml").write_text(PENDULUM.replace("0.994 m", "0.5 m"))
    for kept in ("report", "texts"):  # of another process nothing is kept
        monkeypatch.setattr(report_files, kept, cache(getattr(report_files, kept).__wrapped__))
    stale = ask("report", path, "--out", out, "--check")
    assert (stale.status, "mine.md is out of date" in stale.err) == (1, True)


def test_a_report_is_not_written_over_its_template(tmp_path):
    path = own(tmp_path, "Words.")
    before = Path(path).read_text()
    said = ask("report", path, "--out", str(tmp_path))
    assert (said.status, "over its template" in said.err) == (2, True)
    assert Path(path).read_text() == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Mine\n\n{{ solve('perod') }}", "mine.md, line 3: There is no quantity 'perod'"),
        ("no title", "mine.md: It has no title"),
        ('+++\nlibary = "x"\n+++\n# Mine', "libary"),
        ("+++\nlibrary = \n+++\n# Mine", "This is not TOML"),
        ('+++\nlibrary = "nowhere.toml"\n+++\n# Mine', "nowhere.toml"),
    ],
)
def test_the_command_says_what_is_wrong_with_a_template(text, words, tmp_path):
    path = tmp_path / "mine.md"
    path.write_text(text)
    said = ask("report", str(path), "--out", str(tmp_path / "out"))
    assert said.status == 2
    assert words in said.err
    assert "Traceback" not in said.err


def test_a_report_that_is_not_there_is_told(tmp_path):
    assert "There is no file" in ask("report", str(tmp_path / "none.md")).err


def nested(inner: str) -> str:
    """A template that puts a value into itself a hundred times."""
    return f"{{% set ns = namespace(x=[1], s='abc', n=7) %}}{{% for i in range(100) %}}{inner}{{% endfor %}}"


ENDLESS = {
    "loops": "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
    "a macro": "{% macro m() %}"
    + "{% for i in range(99999) %}" * 2
    + "x{% endfor %}{% endfor %}{% endmacro %}{{ m() }}",
    "doubled": nested("{% set ns.s = ns.s ~ ns.s %}"),
    "added": nested("{% set ns.s = ns.s + ns.s %}"),
    "captured": nested("{% set ns.s %}{{ ns.s }}{{ ns.s }}{% endset %}"),
    "written": nested("{% set ns.x = [ns.x, ns.x] %}") + "{{ ns.x|string }}",
    "joined": nested("{% set ns.x = [ns.x, ns.x] %}") + "{{ ns.x ~ 1 }}",
    "asked": nested("{% set ns.x = [ns.x, ns.x] %}") + "{{ solve(ns.x) }}",
    "compared": nested("{% set ns.x = [ns.x, ns.x] %}") + "{{ ns.x == [ns.x] }}",
    "keys": nested("{% set ns.x = (ns.x, ns.x) %}"),
    "lists": nested("{% set ns.x = ns.x + ns.x %}"),
    "squared": nested("{% set ns.n = ns.n * ns.n %}"),
    "replaced": nested("{% set ns.s = ns.s.replace('a', ns.s ~ ns.s) %}"),
    "filtered": nested("{% set ns.s = ns.s|replace('a', ns.s ~ ns.s) %}"),
    "separated": nested("{% set ns.s = range(9999)|join(ns.s) %}"),
    "calls": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "itself": "{% include 'mine.md' %}",
    "itself twice": "{% include 'mine.md' %}{% include 'mine.md' %}",
    "questions": "{% for i in range(99999) %}{{ solve('period', length=(i + 1) ~ ' m') }}{% endfor %}",
    "parentheses": "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
}


@pytest.mark.thorough
@pytest.mark.ordinary(3)
@pytest.mark.parametrize("what", ENDLESS)
def test_a_template_without_end_is_refused_with_its_line(tmp_path, monkeypatch, what):
    monkeypatch.setattr(time_limits, "_WALL", 5)
    with derive.limits(seconds=0.1):
        error = refused(ENDLESS[what], tmp_path)
    assert isinstance(error, LimitError)
    if what not in ("itself", "itself twice", "parentheses"):  # jinja may be telling where it was as the time runs out
        assert str(error).startswith("mine.md, line ")
    assert error.hint


@pytest.mark.parametrize("part", ["out.md", "folder/secret.md", "../secret.md", "{0}/secret.md"])
def test_a_part_lies_in_the_folder_of_its_template(tmp_path, part):
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    for folder in (inner, outer):
        folder.mkdir()
        (folder / "secret.md").write_text("a secret")
    (inner / "out.md").symlink_to(outer / "secret.md")
    (inner / "folder").symlink_to(outer)
    error = refused(f"{{% include '{part.format(outer)}' %}}", inner)
    assert str(error).startswith("mine.md, line 3: The part ")
    assert "a secret" not in str(error)


@pytest.mark.parametrize("part", ["missing.md", "folder/missing.md", "../inner/part.md", "part.md/missing.md"])
def test_a_part_that_is_not_there_is_told_in_words(tmp_path, part):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "part.md").write_text("said")
    error = refused(f"\n{{% include '{part}' %}}", inner)
    assert str(error).startswith(f"mine.md, line 4: There is no part {part} in the folder of the template.")
    assert made(f"{{% include '{part}' ignore missing %}}words", inner) == (Text("words"),)


def test_a_link_within_the_folder_is_followed_and_a_pipe_is_not(tmp_path):
    (tmp_path / "part.md").write_text("said")
    (tmp_path / "other.md").symlink_to("part.md")
    assert made("{% include 'other.md' %}", tmp_path) == (Text("said"),)
    os.mkfifo(tmp_path / "pipe.md")
    assert "is not a file" in str(refused("{% include 'pipe.md' %}", tmp_path))


def test_what_marks_answers_is_not_taken_from_a_template(tmp_path):
    assert isinstance(refused("\ue0005\ue001", tmp_path), ExpressionError)


def test_a_given_may_have_the_name_of_an_argument_of_jinja(tmp_path):
    (text,) = made("{{ dict(context=1, obj=2, args=3)['obj'] }}", tmp_path)
    assert text == Text("2")
