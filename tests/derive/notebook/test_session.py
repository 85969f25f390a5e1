"""A session of IPython: the cell of relations, the completion of names."""

from __future__ import annotations

import pytest

import derive

pytest.importorskip("IPython", reason="IPython comes with the extra notebook")

from derive.notebook import Report, begun, read_cell

PENDULUM = """[quantities]
length = { unit = "m" }
gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
period = { unit = "s" }
[relations.swing]
equation = "period = 2*pi*sqrt(length/gravity)"
[profiles.clock]
length = "0.994 m"
"""


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        made = InteractiveShell(config=config)
        made.run_line_magic("load_ext", "derive.notebook")
        made.push({"derive": derive, "pendulum": derive.load(PENDULUM)})
        yield made
        InteractiveShell.clear_instance()


def completed(shell, text):
    """The texts that the completions of a text make of it, as a notebook asks for them."""
    from IPython.core.completer import provisionalcompleter

    with provisionalcompleter():
        found = list(shell.Completer.completions(text, len(text)))
    return {text[: one.start] + one.text + text[one.end :] for one in found}


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ('pendulum.solve("per', 'pendulum.solve("period'),
        ("pendulum.solve('per", "pendulum.solve('period"),
        ('x = pendulum.sweep("', 'x = pendulum.sweep("length'),
        ('pendulum.solve("period", len', 'pendulum.solve("period", length='),
        ('pendulum.solve("period", "cl', 'pendulum.solve("period", "clock'),
        ('print(pendulum.solve("period", x=1, gra', 'print(pendulum.solve("period", x=1, gravity='),
        ('pendulum.formula("period", given=["len', 'pendulum.formula("period", given=["length'),
        ('derive.solve("kv_bytes_per_t', 'derive.solve("kv_bytes_per_token'),
        ('derive.solve("batch", "h100-sxm:f', 'derive.solve("batch", "h100-sxm:fp8'),
        ('derive.solve("batch",\n    active_par', 'derive.solve("batch",\n    active_parameters='),
        ('pendulum.profile("', 'pendulum.profile("clock'),
    ],
)
def test_names_are_completed(shell, text, whole) -> None:
    assert whole in completed(shell, text)


ELSEWHERE = ['nobody.solve("per', 'pendulum.solve("period") + per', 'pendulum.title.solve("per', 'pendulum["per']


@pytest.mark.parametrize("text", ELSEWHERE)
def test_elsewhere_nothing_is(shell, text) -> None:
    assert f"{text[:-3]}period" not in completed(shell, text)


def test_a_question_is_found_in_what_is_typed() -> None:
    found = begun('f(1, lib.solve("a, b", "c", [1, 2], x')
    assert (found.owner, found.verb, found.place, found.word, found.is_text) == ("lib", "solve", 3, "x", False)
    assert begun("x = 3 + (4") is None


def test_a_cell_binds_a_library(shell) -> None:
    shell.run_cell_magic("derive", "swing", PENDULUM)
    assert list(shell.user_ns["swing"].relations) == ["swing"]
    shell.run_cell_magic("derive", "more --add", '[relations.twice]\nequation = "batch = 2*chips*1"')
    assert "more" not in shell.user_ns  # it does not fit
    shell.run_cell_magic("derive", "more --add", '[quantities]\nhalls = { unit = "" }')
    assert "step_time" in shell.user_ns["more"].relations


@pytest.mark.parametrize(
    ("line", "cell", "said"),
    [
        ("1x", PENDULUM, "this names no variable"),
        ("if", PENDULUM, "this names no variable"),
        ("two names", PENDULUM, "this names no variable"),
        ("x --add", '[quantities]\nbatch = { unit = "m" }', "declared twice with two meanings"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_without_a_traceback(shell, capsys, line, cell, said) -> None:
    shell.run_cell(f"%%derive {line}\n{cell}")
    shown = "".join(capsys.readouterr())
    assert said in shown
    assert "Traceback" not in shown


def test_a_cell_that_does_not_fit_shows_its_problems_below_its_lines() -> None:
    name, report = read_cell("x", PENDULUM.replace("sqrt", ""))
    assert (name, type(report)) == ("", Report)
    shown = report._repr_html_()
    assert (
        shown.index("equation = &quot;period")
        < shown.index("left is s, right is s**2")
        < shown.index("Take the square root")
    )
    assert "   6  equation" in shown
    assert repr(report) == "\n".join(map(str, derive.check(PENDULUM.replace("sqrt", ""))))
    with pytest.raises(derive.ExpressionError, match="names no variable"):
        read_cell("", PENDULUM)
