"""Every error says in words what is wrong, where, and what would mend it.

The folder `derive/manual/specimens` is the manual page on errors: each file has a title, what somebody typed (a
relation file, a line of Python, or a command after `$`), the error's class (or the exit status) and its sentence, word
for word. To add one, write its title and what was typed; to accept new wording, run

    DERIVE_REWRITE=1 pytest tests/derive/test_errors.py

and read the difference before it is committed.
"""

from __future__ import annotations

import gc
import os
import pickle
import shlex
import weakref
from pathlib import Path

import pytest
import sympy
from click.testing import CliRunner

import derive
from derive import DeriveError, Problem, manual
from derive.cli import main
from derive.errors import excerpt, listed, read_all, suggest, unknown
from tests.derive.operations import calls
from tests.ordinary import every

FILES = sorted(manual.SPECIMENS.glob("*.txt"))
REWRITE = bool(os.environ.get("DERIVE_REWRITE"))


class Specimen(manual.Specimen):
    def met(self) -> Specimen:
        """The specimen with what is told now."""
        if self.typed.startswith("$ derive"):
            status, told = _commanded(shlex.split(self.typed)[2:])
            return Specimen(self.title, self.typed, f"exit status {status}", told)
        error = self.error()
        return Specimen(self.title, self.typed, type(error).__name__, str(error))

    def error(self) -> DeriveError:
        """The error that what was typed comes to."""
        names = {name: getattr(derive, name) for name in ("Quantity", "relate", "Library")}
        program = f"derive.load({self.typed!r} + chr(10))" if self.typed.startswith("[") else self.typed
        with pytest.raises(DeriveError) as caught:
            exec(program, {"derive": derive, "sympy": sympy, **names})
        return caught.value


def _commanded(arguments: list[str]) -> tuple[int, str]:
    with CliRunner().isolation() as streams:
        with pytest.raises(SystemExit) as left:
            main(arguments)
        return int(left.value.code or 0), streams[1].getvalue().decode().strip("\n")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.thorough
@every("path", FILES, ids=[path.stem for path in FILES])
def test_the_sentence_is_the_one_in_the_specimen(path):
    specimen = Specimen.read(path)
    met = specimen.met()
    if REWRITE:
        path.write_text(str(met), encoding="utf-8")
    assert str(met) == path.read_text(encoding="utf-8")


RAISED = [path for path in FILES if not Specimen.read(path).typed.startswith("$")]


@pytest.mark.thorough
@every("path", RAISED, ids=[path.stem for path in RAISED])
def test_the_error_keeps_its_facts_when_it_travels(path):
    error = Specimen.read(path).error()
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert (again.what, again.hint) == (error.what, error.hint)
    assert vars(again).keys() == vars(error).keys()
    assert getattr(again, "problems", ()) == getattr(error, "problems", ())


def test_the_specimens_are_many_and_each_has_a_title_of_its_own():
    titles = [Specimen.read(path).title for path in FILES]
    assert len(titles) >= 30
    assert len(set(titles)) == len(titles)


# The fields that the contract names, for every error that text, a unit, a value or a name can come to

OF_TEXT = {"DimensionError", "ExpressionError", "UnitError", "DomainError", "UnknownNameError", "LimitError"}
FIELDS = {
    "DimensionError": {"problems"},
    "ExpressionError": {"text", "position", "problems"},
    "UnitError": {"quantity", "unit"},
    "DomainError": {"quantity", "domain"},
    "UnknownNameError": {"name", "kind", "suggestions"},
    "LimitError": {"limit"},
    "InconsistentError": {"conflicts", "gap"},
    "UnderdeterminedError": {"missing"},
    "AmbiguousError": {"answers"},
}


@pytest.mark.parametrize("name", FIELDS)
def test_every_error_has_specimens(name):
    assert [Specimen.read(path).kind for path in FILES].count(name) >= (3 if name in OF_TEXT else 1)


MACHINERY = ("object at 0x", "Traceback", "Fraction(", "Dimension(", "<class", "Apply(", "mappingproxy")


@pytest.mark.thorough
@every("path", RAISED, ids=[path.stem for path in RAISED])
def test_an_error_carries_its_facts_and_tells_nothing_of_the_machinery(path):
    error = Specimen.read(path).error()
    for field in FIELDS[type(error).__name__]:
        assert getattr(error, field) is not None or field == "position"
    assert not [word for word in MACHINERY if word in str(error)]
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__ or isinstance(error.__context__, DeriveError)


@pytest.mark.parametrize(("name", "fields"), FIELDS.items())
def test_an_error_can_be_made_with_its_facts_and_without(name, fields):
    kind = getattr(derive, name)
    bare = kind("It is wrong.")
    assert str(bare) == "It is wrong."
    assert set(vars(bare)) >= fields
    assert str(kind("It is wrong.", hint="Mend it.")) == "It is wrong. Mend it."


def test_what_an_error_learns_later_arrives_with_it():
    with pytest.raises(derive.UnknownNameError) as caught:
        derive.relate("sum", "a = b + c")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.name, again.others) == ("a", ("b", "c"))
    assert vars(again) == vars(caught.value)


# The parts that sentences are made of


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("r", 3, "it is wrong.", "Mend it."), "line 3: it is wrong.\n  Mend it."),
        (Problem("", 0, "it is wrong."), "it is wrong."),
        (Problem("r", 0, "it is wrong.", "Mend it."), "it is wrong.\n  Mend it."),
    ],
)
def test_a_problem_reads_as_a_paragraph(problem, text):
    assert str(problem) == text
    assert listed([problem, problem]) == f"{text}\n{text}"


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("lenght", ["length", "width"], "Did you mean length?"),
        ("Length", ["length", "lengths"], "Did you mean length or lengths?"),
        ("omega", ["alpha", "beta"], "There are alpha, beta."),
        ("zeta", [f"x{n}" for n in range(9)], "There are 9 others."),
        ("zeta", [], "None is declared."),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_or_with_all(name, known, hint):
    error = unknown("quantity", name, known)
    assert (error.what, error.hint) == (f"There is no quantity {name!r}.", hint)
    assert (error.name, error.kind) == (name, "quantity")
    assert set(error.suggestions) <= set(known)


@pytest.mark.parametrize("text", ["a\nb", "\x00", "\u202e", "x" * 1000, "\ud800", "'", '"', "\x1b[31m"])
def test_a_text_is_repeated_on_one_printable_line(text):
    assert excerpt(text).isprintable()
    assert len(excerpt(text)) < 100


def test_a_name_among_ten_thousand_is_looked_for_at_once():
    known = [f"quantity_{n}" for n in range(10_000)]
    assert calls(lambda: suggest("quantty_71", known)) < 30 * len(known)
    assert "quantity_71" in suggest("quantty_71", known)


@pytest.mark.thorough
def test_an_error_of_what_is_given_is_gone_with_its_last_reference():
    """A circle of references would keep it, and all that its frames hold, until garbage is collected."""

    def read(name, value):
        if name == "a":
            raise DeriveError(f"{name} is not {value}.")
        return value

    gc.disable()
    try:
        with pytest.raises(DeriveError) as caught:
            read_all(read, {"a": 1, "b": 2, "c": 3})
        held = weakref.ref(caught.value)
        del caught
        assert held() is None
    finally:
        gc.enable()
