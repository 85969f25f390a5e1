"""What an editor says of a file is what `derive check` says, at the place, with edits that mend it."""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.editor.diagnostics import OpenFile, diagnostics, mended
from derive.expressions.grammar import parse_equation
from derive.expressions.tree import Apply, Name, walk
from derive.model.repairs import Edit
from derive.numerics.algebra.evaluation import value
from tests.derive.mutants import sampled

HEAD = """[quantities]
length = { unit = "m" }
width = { unit = "m" }
period = { unit = "s" }
gravity = { unit = "m/s**2" }
angle = { unit = "radian", domain = "real" }
"""


def found_in(text, **others):
    path = Path("/nowhere/file.toml")
    return diagnostics(OpenFile(path, text, {path.with_name(f"{name}.toml"): held for name, held in others.items()}))


def shown(text, one):
    return text[slice(*one.span)]


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ('r = { equation = "period = length/gravity" }', "period = length/gravity"),
        ('r = { equation = "length = width + 2*period + width" }', "width + 2*period"),
        ('r = { equation = "period = exp(length)*period" }', "length"),
        ('r = { equation = "length = width*2**period" }', "period"),
        ("r = { equation = '''\n  length = width + period'''}", "width + period"),
        ('r = { equation = "length = width", when = ["angle > 0", "length < 3"] }', "length < 3"),
        ('r = { equation = "length = widht" }', "widht"),
        ('r = { equation = "length = width +* 3" }', "*"),
        ('r = { equation = "length = width²" }', "²"),
        ('r = { equaton = "length = width" }', "equaton"),
        ('r = { equation = "length = width", when = ["angel > 0"] }', "angel"),
        ('r = { equation = "length = width", approximate = "3 metre" }', "metre"),
        ('r = { because = "no reason" }', "r"),
        ('r = { equation = "length = widht" }\n[profiles.p]\nwidht = "3 m"', "widht"),
        ('[profiles.p]\nwidth = "3 s"', "s"),
        ('[profiles.p]\nwidth = { value = "3 m", kind = "rumour" }', "rumour"),
        ('[profiles.p]\nwidth = "-3 m"', "-3 m"),
        ('[quantities.late]\nunit = "metr"', "metr"),
        ('[quantities.late]\nunit = "m"\ndomain = "sometimes"', "sometimes"),
        ('[examples.e]\nasked = "width"\nexpected = "3 m"\ngiven.length = "1 m"', "e"),
        ('r = { equation = "length = width"', 'r = { equation = "length = width"'),
    ],
)
def test_a_problem_stands_where_it_is(entry, place) -> None:
    text = HEAD + "[relations]\n" + entry
    first, *_ = found_in(text)
    assert shown(text, first) == place
    assert 'length = { unit = "m" }' not in text[first.span[0] :]


def test_the_words_are_those_of_the_check() -> None:
    text = HEAD + '[relations]\na = { equation = "length = period" }\nb = { equation = "x = 3" }\n[profiles.p]\nq = "3"'
    assert [one.message for one in found_in(text)] == [f"{p.message}\n{p.hint}".rstrip() for p in derive.check(text)]


def test_a_relation_that_says_nothing_new_is_a_warning() -> None:
    text = HEAD + '[relations]\na = { equation = "length = 2*width" }\nb = { equation = "width = length/2" }'
    (one,) = found_in(text)
    assert (one.severity, shown(text, one)) == ("warning", "width = length/2")


def test_an_example_that_fails_is_an_error_on_its_name() -> None:
    text = HEAD + '[relations]\na = { equation = "length = 2*width" }\n[examples.twice]\n'
    text += 'asked = "length"\ngiven = { width = "1 m" }\nexpected = "3 m"'
    (one,) = found_in(text)
    assert (one.severity, shown(text, one)) == ("error", "twice")
    assert one.message.startswith("twice: length is 2 m; expected 3 m.")


def test_texts_that_are_not_saved_are_read() -> None:
    text = 'uses = ["base.toml"]\n[relations]\na = { equation = "length = 2*x" }'
    assert found_in(text, base='[quantities]\nlength = { unit = "m" }\nx = { unit = "m" }') == []
    (one,) = found_in(text, base='[quantities]\nlength = { unit = "m" }\nx = { unit = "s" }')
    assert one.message.startswith("a: left is m, right is s.")
    (one,) = found_in(text)
    assert shown(text, one) == "uses"


def test_a_unit_of_the_file_may_change_while_it_is_written() -> None:
    text = '[units]\nflorin = "1.08 USD"\n[quantities]\nx = { unit = "florin", value = "3 florin" }'
    assert found_in(text) == []
    assert found_in(text.replace("1.08", "1.09")) == []
    (one,) = found_in(text.replace('florin = "1.08 USD"', ""))
    assert "'florin' is not a unit" in one.message


# Mends


def applied(text, fix):
    return text[: fix.span[0]] + fix.text + text[fix.span[1] :]


def test_a_hint_that_is_an_edit_is_carried_out() -> None:
    text = HEAD + '[relations]\nswing = { equation = "period  =  2*pi*(length/gravity)" }'
    (one,) = found_in(text)
    square = next(fix for fix in one.fixes if "square root" in fix.title)
    assert square.title == "Take the square root of the right"
    assert found_in(applied(text, square)) == []


def test_a_name_that_is_meant_is_offered() -> None:
    text = HEAD + '[relations]\nr = { equation = "length = 2*widht", becuase = "so" }'
    fixes = [fix for one in found_in(text) for fix in one.fixes]
    assert [fix.title for fix in fixes] == ["Write because"]
    text = text.replace("becuase", "because")
    (one,) = found_in(text)
    assert found_in(applied(text, one.fixes[0])) == []


NAMED = ["a", "b", "c", "d"]
EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "b", "c"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda parts: f"{parts[0]} {parts[1]} {parts[2]}"),
        inner.map(lambda one: f"({one})"),
        inner.map(lambda one: f"sqrt({one})"),
        st.tuples(inner, inner).map(lambda parts: f"({parts[0]})**({parts[1]})"),
    ),
    max_leaves=6,
)


@given(EXPRESSIONS, EXPRESSIONS, st.data())
def test_an_edit_in_the_text_is_the_edit_of_the_tree(text, new, data) -> None:
    """The new text means at random numbers what the edited tree means, and keeps what stands around the edit."""
    equation = parse_equation(f"d =  {text}")
    parts = [part for part in walk(equation.rhs) if part.at != (0, 0)]
    old = data.draw(st.sampled_from(parts))
    made = parse_equation(f"d = {new}").rhs
    result = mended(f"d =  {text}", Edit("", old, made))
    if result is None:
        return
    assert result.startswith(f"d =  {text}"[: old.at[0]])
    numbers = {"a": 1.7, "b": 2.3, "c": 0.6, "d": 1.0}
    with suppress(ValueError, OverflowError, ZeroDivisionError):  # a root of what is negative
        agree(equation, old, made, result, numbers)


def agree(equation, old, made, result, numbers):
    wanted = value(swapped(equation.rhs, old, made), numbers)
    assert value(parse_equation(result).rhs, numbers) == pytest.approx(wanted, nan_ok=True)


def swapped(node, old, new):
    if node is old:
        return new
    return Apply(node.op, tuple(swapped(arg, old, new) for arg in node.args)) if isinstance(node, Apply) else node


def test_an_edit_that_cannot_be_written_is_none() -> None:
    assert mended("a = = b", Edit("", Name("b", (6, 7)), Name("c"))) is None


def faults(text, known):
    try:
        derive.relate("spoilt", text, quantities=known)
    except derive.DimensionError as error:
        return error.problems
    return ()


@pytest.mark.parametrize("relation", [*derive.llm.relations.values()][::9], ids=lambda relation: relation.name)
def test_the_edits_of_a_spoilt_relation_leave_less_to_mend(relation) -> None:
    if relation.chooses or not relation.is_equation:
        return
    for _, text in sampled(relation.name, str(relation.written), 2):
        before = faults(text, relation.declared)
        for problem in before:
            for edit in problem.edits:
                result = mended(text, edit)
                assert result is not None, (text, edit)
                assert len(faults(result, relation.declared)) < len(before), (text, result)


def specimens():
    """The relation files among the specimens of errors."""
    folder = Path(__file__).parents[1] / "specimens"
    for path in sorted(folder.glob("*.txt")):
        rows = path.read_text(encoding="utf-8").split("\n")[2:]
        typed = [row.removeprefix("    ") for row in itertools.takewhile(lambda row: not row or row[0] == " ", rows)]
        if any(row.startswith("[") for row in typed):
            yield pytest.param("\n".join(typed).strip("\n"), id=path.stem)


@pytest.mark.parametrize("text", list(specimens()))
def test_every_specimen_is_told_on_its_line_in_the_words_of_the_check(text) -> None:
    problems, told = derive.check(text), found_in(text)
    assert len(told) == len(problems) > 0
    for problem, one in zip(problems, told, strict=True):
        assert one.message == f"{problem.message}\n{problem.hint}".rstrip()
        assert one.span[0] < one.span[1] or not text[one.span[0] :].strip()
        first, last = text[: one.span[0]].count("\n") + 1, text[: one.span[1]].count("\n") + 1
        assert problem.line <= first <= last
        assert all(text[slice(*fix.span)] != fix.text for fix in one.fixes)
