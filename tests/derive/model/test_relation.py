"""A relation that exists fits: it is born from text, from two sides, or from a sympy equation, or not at all."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError

import pytest
import sympy
from sympy import Eq, Ge, Le, Max, Piecewise, exp, pi, sqrt

from derive import DeriveError, DimensionError, ExpressionError, Library, Quantity, Relation, UnknownNameError, relate
from derive.model.relation import read_tolerance
from quantities import Profile, read_value
from tests.derive.corpus import declared

LENGTH = Quantity("length", "m", "length of the string")
GRAVITY = Quantity("gravity", "m/s**2", default="9.80665 m/s**2")
PERIOD = Quantity("period", "s")
SWING = Quantity("swing", "radian", domain="real")
SHARE = Quantity("share", "")
PENDULUM = [LENGTH, GRAVITY, PERIOD, SWING, SHARE]
TEXT = "period = 2*pi*sqrt(length/gravity)"


def test_a_quantity_takes_one_line_and_a_relation_at_most_five():
    program = """
    voltage, current, resistance = Quantity("V", "V"), Quantity("I", "A"), Quantity("R", "ohm")
    ohm = relate(
        "ohm", voltage, current * resistance,
        because="its definition", source="Ohm 1827",
    )
    """
    found: dict = {"Quantity": Quantity, "relate": relate}
    exec("\n".join(line.removeprefix("    ") for line in program.splitlines()), found)
    assert str(found["ohm"]) == "ohm: V = I*R"
    assert (found["ohm"].because, found["ohm"].source) == ("its definition", "Ohm 1827")


SAME = {
    "text": (TEXT,),
    "two sides in sympy": (PERIOD, 2 * pi * sqrt(LENGTH / GRAVITY)),
    "two sides in text": ("period", "2*pi*sqrt(length/gravity)"),
    "a side of each": (PERIOD, "2*pi*sqrt(length/gravity)"),
    "the other way round": ("period", 2 * pi * sqrt(LENGTH / GRAVITY)),
    "an equation of sympy": (Eq(PERIOD, 2 * pi * sqrt(LENGTH / GRAVITY)),),
}


@pytest.mark.parametrize("way", SAME)
def test_however_it_is_stated_it_is_the_same_relation(way):
    relation = relate("small_swing", *SAME[way], quantities=PENDULUM)
    assert relation.quantities == {"period": PERIOD, "length": LENGTH, "gravity": GRAVITY}
    assert relation.lhs == PERIOD
    assert sympy.simplify(relation.rhs - 2 * pi * sqrt(LENGTH / GRAVITY)) == 0
    assert isinstance(relation.equation, Eq)
    assert relation.is_equation


def test_text_is_told_as_it_was_stated():
    assert str(relate("small_swing", "period  =  2*pi*sqrt( length/gravity )", quantities=PENDULUM)) == (
        "small_swing: period = 2*pi*sqrt( length/gravity )"
    )


def test_what_was_not_said_is_empty():
    relation = relate("small_swing", TEXT, quantities=PENDULUM)
    assert (relation.because, relation.source, relation.when, relation.approximate) == ("", "", (), None)


def test_conditions_tolerance_reason_and_source_are_kept():
    relation = relate(
        "small_swing",
        TEXT,
        because="small angles",
        source="Huygens 1673",
        when=["swing<0.3", sympy.Lt(LENGTH, GRAVITY * PERIOD**2), Ge(SWING, 0)],
        approximate="3 %",
        quantities=PENDULUM,
    )
    assert relation.when == ("swing < 0.3", "length < gravity*period**2", "swing >= 0")
    assert (relation.approximate, relation.because, relation.source) == (0.03, "small angles", "Huygens 1673")
    assert relation.quantities["swing"] is SWING


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        (("length <= 10*length",), Le),
        (("length >= gravity*period**2/40",), Ge),
        ((Le(LENGTH, GRAVITY * PERIOD**2),), Le),
        ((Ge(LENGTH, GRAVITY * PERIOD**2),), Ge),
    ],
)
def test_an_inequality_only_bounds(stated, kind):
    relation = relate("bound", *stated, quantities=PENDULUM)
    assert isinstance(relation.equation, kind)
    assert not relation.is_equation


def test_a_choice_in_sympy_is_a_choice_in_text():
    x = declared("x", "m")
    relation = relate("r", x, Piecewise((LENGTH, SWING < 1), (Max(LENGTH, x), True)))
    assert str(relation) == "r: x = length if swing < 1 else max(length, x)"


def test_an_equation_that_sympy_could_decide_is_kept():
    relation = relate("r", "length = length", quantities=PENDULUM)
    assert relation.equation == Eq(LENGTH, LENGTH, evaluate=False)


# What is not born


@pytest.mark.parametrize(
    ("stated", "error", "said"),
    [
        (("length = mass",), UnknownNameError, "There is no quantity 'mass'."),
        (("lenght = 2*length",), UnknownNameError, "Did you mean length?"),
        (("length = 2*length", None, ["mass > 1"]), UnknownNameError, "There is no quantity 'mass'."),
        (("2 = 1 + 1",), ExpressionError, "contains no quantity"),
        (("2*pi = 6.28",), ExpressionError, "contains no quantity"),
        (("length",), ExpressionError, "it is not an equation"),
        ((LENGTH,), ExpressionError, "is not a relation"),
        ((Eq(LENGTH, LENGTH),), ExpressionError, "is not a relation"),
        ((sympy.Ne(LENGTH, 2 * LENGTH),), ExpressionError, "is not a relation"),
        ((LENGTH < 2 * PERIOD,), ExpressionError, "is not a relation"),
        ((3,), ExpressionError, "is not a relation"),
        ((None,), ExpressionError, "is not a relation"),
        ((LENGTH, "2*length ="), ExpressionError, "does not belong here"),
        ((LENGTH, "period > 1"), ExpressionError, "expected a value, not a condition"),
        ((SHARE, PERIOD < 2 * PERIOD + 1), ExpressionError, "condition"),
        ((SHARE, sympy.true), ExpressionError, "condition"),
        ((SHARE, sympy.And(SHARE < 1, SWING < 1)), ExpressionError, "condition"),
        ((sympy.Symbol("x"), LENGTH), ExpressionError, 'Quantity("x", "unit")'),
        ((LENGTH, 2 * sympy.Symbol("width")), ExpressionError, 'Quantity("width", "unit")'),
        ((LENGTH, [PERIOD]), ExpressionError, "a list is not an expression"),
        ((LENGTH, Quantity("length", "km")), ExpressionError, "The quantity length is declared twice"),
        ((LENGTH + Quantity("length", "km"), PERIOD), ExpressionError, "The quantity length is declared twice"),
        ((LENGTH, 2 * LENGTH, ["length"]), ExpressionError, "is not a comparison"),
        ((LENGTH, 2 * LENGTH, [LENGTH]), ExpressionError, "is not a comparison"),
        ((LENGTH, 2 * LENGTH, ["length = 2*length"]), ExpressionError, "does not belong here"),
    ],
)
def test_what_is_no_relation_is_refused_in_words(stated, error, said):
    lhs, rhs, when = (*stated, *(None, ())[len(stated) - 1 :])
    with pytest.raises(error) as caught:
        relate("r", lhs, rhs, when=when, quantities=PENDULUM)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["", "two words", "pi", "if", "a-b", "1st", "__class__", "x" * 200, "é"])
def test_a_relation_bears_a_proper_name(name):
    with pytest.raises(ExpressionError, match="cannot be a name"):
        relate(name, TEXT, quantities=PENDULUM)


def test_every_name_that_nobody_declared_is_told():
    with pytest.raises(DeriveError) as caught:
        relate("r", "length = width + height", quantities=PENDULUM)
    assert "width" in str(caught.value)
    assert "height" in str(caught.value)


@pytest.mark.parametrize(
    "sides", [(PERIOD, LENGTH / GRAVITY), (LENGTH, LENGTH + PERIOD), (SHARE, exp(LENGTH)), (SHARE, SHARE**LENGTH)]
)
def test_sympy_expressions_are_checked_too(sides):
    with pytest.raises(DimensionError):
        relate("r", *sides)


def test_a_misfit_carries_its_facts():
    with pytest.raises(DimensionError) as caught:
        relate("r", "period = length/gravity + 1 + swing*length", quantities=PENDULUM)
    (problem,) = caught.value.problems
    assert (problem.relation, problem.line) == ("r", 0)
    assert problem.message.startswith(
        "r: in length/gravity + 1 + swing*length, length/gravity is s**2 and 1 is a number"
    )
    assert "length [m] / gravity [m/s**2]" in problem.message
    assert problem.hint
    assert str(caught.value) == str(problem)


def test_every_misfit_of_a_relation_is_told():
    with pytest.raises(DimensionError) as caught:
        relate("r", "share = exp(length) + sin(period)", when=["length < period"], quantities=PENDULUM)
    assert [problem.relation for problem in caught.value.problems] == ["r", "r", "r"]
    assert all(problem.hint for problem in caught.value.problems)
    assert "when" in caught.value.problems[2].message


def test_what_sympy_hides_is_seen_in_text():
    assert str(relate("r", PERIOD, PERIOD + LENGTH - LENGTH)) == "r: period = period"
    for text in ("period = period + length - length", "period = period + 0*length", "period = period + 1"):
        with pytest.raises(DimensionError):
            relate("r", text, quantities=PENDULUM)


@pytest.mark.thorough
def test_a_misfit_in_a_long_relation_is_told_in_short():
    factors = "*".join(["length", "period"] * 700)
    with pytest.raises(DimensionError) as caught:
        relate("r", f"length = {factors}", quantities=PENDULUM)
    assert len(str(caught.value)) < 4000


# A relation is a value


def relation(**changes) -> Relation:
    stated = {"because": "small angles", "when": ["swing < 0.3"], "approximate": "3 %", **changes}
    return relate(stated.pop("name", "small_swing"), stated.pop("text", TEXT), quantities=PENDULUM, **stated)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "other"},
        {"text": "period = 6.28*sqrt(length/gravity)"},
        {"because": "else"},
        {"source": "a book"},
        {"when": []},
        {"when": ["swing < 0.4"]},
        {"approximate": "4 %"},
        {"approximate": None},
    ],
)
def test_two_relations_are_one_when_all_that_they_say_is(changes):
    assert relation() == relation(text="period = 2 * pi * sqrt(length / gravity)")
    assert hash(relation()) == hash(relation(text="period = 2 * pi * sqrt(length / gravity)"))
    assert relation() != relation(**changes)


def test_a_relation_is_no_other_thing():
    assert relation() != str(relation())


@pytest.mark.parametrize("carried", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_relation_travels(carried):
    before = relation()
    after = carried(before)
    assert after == before
    assert after.equation == before.equation
    assert after.quantities["gravity"].default == GRAVITY.default
    assert after.when == before.when


def test_a_relation_does_not_change():
    fixed = relation()
    for field in ("name", "written", "quantities", "because", "approximate"):
        with pytest.raises(FrozenInstanceError):
            setattr(fixed, field, "")
    with pytest.raises(TypeError):
        fixed.quantities["length"] = SHARE


def test_a_relation_made_by_hand_is_checked_as_well():
    with pytest.raises(DimensionError):
        Relation("r", relation().written, {"length": LENGTH, "gravity": GRAVITY, "period": LENGTH})


# Tolerances


@pytest.mark.parametrize(
    ("text", "share"), [("3 %", 0.03), ("3 percent", 0.03), ("0.03", 0.03), ("5 permille", 0.005), ("100 ppm", 1e-4)]
)
def test_a_tolerance_is_a_share(text, share):
    assert read_tolerance(text) == pytest.approx(share, rel=1e-12)


@pytest.mark.parametrize("text", ["0", "-3 %", "100 %", "3", "3 m", "2..3 %", "3 +/- 1 %", "abc", "", "nan"])
def test_what_is_no_share_is_refused_in_words(text):
    with pytest.raises(DeriveError) as caught:
        read_tolerance(text)
    assert text in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"when": "x > 2"}, "r: 'when' is not a list of conditions"),
        ({"quantities": [Quantity("x"), 3]}, "a int is not a quantity"),
        ({"approximate": 3}, "approximate: a int is not a share"),
    ],
)
def test_what_is_no_part_of_a_relation_is_refused(more, said):
    with pytest.raises(ExpressionError, match=said):
        relate("r", "x = y", **{"quantities": [Quantity("x"), Quantity("y")], **more})


@pytest.mark.parametrize(
    ("constant", "said"),
    [
        ("1.0000000001**500*1.0000000003**900", "a constant has too many digits"),
        ("sin(1e20)", r"sin of 1e\+20 is beyond the precision of a double"),
        ("0.0000000000000000000000000000000000000000000000001e-260", "is too small"),
        ("erfinv(2)", r"erfinv\(2\) is not a real number"),
    ],
)
def test_a_constant_without_a_sound_value_is_refused(constant, said):
    with pytest.raises(DeriveError, match=said):
        relate("r", f"x = y + {constant}", quantities=[Quantity("x"), Quantity("y")])


def test_a_library_is_made_of_its_parts_alone():
    r = relate("r", "x = y", quantities=[Quantity("x"), Quantity("y")])
    with pytest.raises(ExpressionError, match="a int is not a relation"):
        Library([3])
    with pytest.raises(DeriveError, match="p, x: 3 m does not fit its unit"):
        Library([r], [Quantity("x"), Quantity("y")], [Profile("p", {"x": read_value("3 m")})])
