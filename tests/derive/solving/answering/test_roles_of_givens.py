"""What is typed acts, is checked, or is named as unused; what does not hold is said in a sentence with its numbers."""

from __future__ import annotations

import pickle
import random

import pytest

import derive
from derive import Library, Quantity, relate
from tests.derive.statements import bare
from tests.ordinary import every

a, b, c, d, e, t = (Quantity(name, "") for name in "abcdet")


def unused(library, target, **given):
    return library.solve(target, **given).unused


def test_what_no_relation_of_the_plan_holds_is_named():
    library = Library([relate("r", t, a * b), relate("s", d, c * e)])
    assert unused(library, "t", a=1, b=2, c=3, d=4) == ("c", "d")


def test_what_follows_from_it_acts_too():
    library = Library([relate("r", t, a * b), relate("s", b, c + e)])
    assert unused(library, "t", a=1, c=3, e=4) == ()


def test_the_arm_that_does_not_bind_acts_for_another_number_would_bind():
    library = Library([relate("r", "t = max(a, b)", quantities=[t, a, b])])
    answer = library.solve("t", a=1, b=2)
    assert (answer.regime, answer.unused) == ({"r": "b"}, ())


def test_what_a_check_compares_acts_by_way_of_what_it_is_derived_from():
    library = Library([relate("r", t, a), relate("s", t, b * c), relate("u", c, d + e)])
    answer = library.solve("t", a=6, b=2, d=1, e=2)
    assert [check.passed for check in answer.checks] == [True]
    assert answer.unused == ()


@pytest.mark.parametrize(("checked", "expected"), [({}, ("a",)), ({"e": 7}, ())])
def test_what_cancels_in_the_answer_plays_no_part_unless_a_check_compares_it(checked, expected):
    """In `t = b/a` with `b = a*c` the given a cancels; `e = a + c` compares it where e is given too."""
    library = Library([relate("r", b, a * c), relate("s", t, b / a), relate("u", e, a + c)])
    answer = library.solve("t", a=3, c=4, **checked)
    assert (answer.base, answer.unused) == (4, expected)


def test_a_condition_acts_where_the_relation_it_shuts_out_would_have_a_say():
    quantities = [t, a, b, c, d]
    library = Library(
        [
            relate("low", "t = a", when=["c < 5"], quantities=quantities),
            relate("high", "t = b", when=["c >= 5"], quantities=quantities),
            relate("other", "d = e", quantities=[d, e]),
        ]
    )
    assert unused(library, "t", a=1, b=2, c=3) == ("b",)  # c acts: at another c it would be b
    assert unused(library, "t", a=1, c=3, d=1) == ("d",)


def test_a_condition_that_has_no_say_does_not_act():
    library = Library([relate("r", t, a), relate("s", "e = d", when=["c < 5"], quantities=[e, d, c])])
    assert unused(library, "t", a=1, c=7, d=2) == ("c", "d")


def test_what_cancels_is_named():
    library = Library([relate("r", c, a * b), relate("s", d, a * e), relate("u", t, c / d)])
    assert unused(library, "t", a=2, b=3, e=4) == ("a",)
    other = Library([relate("r", c, a * b), relate("s", d, a * e), relate("u", t, c / (1 + d))])
    assert unused(other, "t", a=2, b=3, e=4) == ()


def test_what_cancels_acts_where_another_value_would_not_be_admitted():
    share = Quantity("share", "", domain="0..1")
    library = Library([relate("r", share, a * b), relate("s", d, a * e), relate("u", t, share / d)])
    assert unused(library, "t", a=0.2, b=3, e=4) == ()


def test_an_idle_given_is_put_to_every_test_whose_other_quantities_are_known():
    lamp = derive.load(
        """[quantities]
        power = { unit = "W" }
        hours = { unit = "h" }
        energy = { unit = "kWh" }
        colour = { unit = "K" }
        warm = { unit = "K" }
        [relations]
        energy = { equation = "energy = power*hours" }
        warm = { equation = "colour <= warm" }
        [profiles.lamp]
        warm = "3000 K"
        """
    )
    answer = lamp.solve("energy", "lamp", power="40 W", hours="2 h", colour="4000 K")
    assert answer.unused == ()
    assert [check.name for check in answer.failed] == ["warm"]
    assert answer.failed[0].verdict == "warm does not hold: colour is 4000 K, more than warm, which is 3000 K"
    assert lamp.solve("energy", power="40 W", hours="2 h", colour="4000 K").unused == ("colour",)


def test_a_default_of_the_target_is_no_check_and_one_of_another_quantity_is():
    ratio, part = Quantity("ratio", "", default="4"), Quantity("part", "", default="1")
    library = Library([relate("ratio", ratio, a / b), relate("t", t, ratio * part)])
    assert library.solve("ratio", a=6, b=2).checks == ()
    assert [check.name for check in library.solve("t", a=6, b=2).failed] == ["ratio"]


def test_a_typed_alternative_of_a_definition_replaces_it():
    answer = derive.solve(
        "training_compute",
        active_parameters="11 Gparameter",
        training_tokens="1 Ttoken",
        training_flops_per_parameter="3 FLOP/parameter/token",
    )
    assert answer.checks == ()
    answer = derive.solve(
        "flops_per_pair",
        layer_crossover="30976 token/sequence",
        hidden_size=5120,
        feedforward_size=13824,
        flops_per_parameter="3 FLOP/parameter/token",
    )
    assert answer.checks == ()


@pytest.mark.parametrize(("stated", "passes"), [("174.6 Gparameter", True), ("174.4 Gparameter", False)])
def test_a_published_figure_agrees_within_its_own_rounding(stated, passes):
    model = derive.load(
        """[quantities]
        layers = { unit = "" }
        each = { unit = "parameter" }
        whole = { unit = "parameter" }
        [relations]
        whole = { equation = "whole = layers*each" }
        [profiles.model]
        whole = { value = "175 Gparameter", source = "the report", kind = "published" }
        """
    )
    number = float(stated.split()[0])
    answer = model.solve("whole", "model", layers=10, each=f"{number / 10} Gparameter")
    assert [check.passed for check in answer.checks] == [passes]


def test_a_published_limit_is_taken_at_its_word():
    shelf = derive.load(
        """[quantities]
        load = { unit = "kg" }
        bears = { unit = "kg" }
        [relations]
        shelf = { equation = "load <= bears" }
        [profiles.shelf]
        bears = { value = "80 kg", source = "the label", kind = "published" }
        """
    )
    assert [check.name for check in shelf.solve("load", "shelf", load="80.4 kg").failed] == ["shelf"]


def test_what_a_published_figure_follows_from_is_rounded_too():
    answer = derive.solve("training_compute", "gpt-3")  # 6 times 175 G times 300 G is 3.15e23, and 3.14e23 is published
    assert [(check.name, check.passed) for check in answer.checks] == [("training_compute", True)]
    run = derive.load(
        """[quantities]
        work = { unit = "FLOP" }
        size = { unit = "parameter" }
        each = { unit = "FLOP/parameter" }
        [relations]
        work = { equation = "work = size*each" }
        [profiles.run]
        work = { value = "3.10e23 FLOP", source = "the report", kind = "published" }
        size = { value = "175 Gparameter", source = "the report", kind = "published" }
        """
    )
    assert [check.name for check in run.solve("work", "run", each="1.8e12 FLOP/parameter").failed] == ["work"]


STEP = {"active_parameters": "70 Gparameter", "batch_tokens": "4 Mtoken"}


def test_an_idle_given_names_what_it_and_the_target_make() -> None:
    answer = derive.solve("step_compute", **STEP, recomputed_share=1)
    assert answer.unused == ("recomputed_share",)
    assert answer.acts_on == {"recomputed_share": "hardware_step_compute"}
    assert "hardware_step_compute counts it" in answer.text()
    assert pickle.loads(pickle.dumps(answer)).acts_on == answer.acts_on


@pytest.mark.parametrize("target", ["weight_bytes", "step_compute", "compute_time", "kv_bytes"])
def test_what_an_idle_given_is_said_to_count_in_is_of_the_target_s_kind_and_changes_with_it(target: str) -> None:
    given = {"batch": 3.0, "chips": 8.0, "context": 8000.0, "recomputed_share": 0.5, "batch_tokens": 4e6}
    units = {"batch": "sequence", "chips": "chip", "context": "token/sequence", "batch_tokens": "token"}

    def solved(name: str, **numbers: float) -> derive.Answer:
        typed = {one: f"{number} {units.get(one, '')}".strip() for one, number in numbers.items()}
        return derive.solve(name, "llama3-70b", "h100-sxm:fp8", **typed)

    answer = solved(target, **given)
    for idle, counted in answer.acts_on.items():
        changed = solved(counted, **given)
        assert changed.value.dimensionality == answer.value.dimensionality
        assert changed.value != solved(counted, **given | {idle: given[idle] / 2}).value
    assert answer.acts_on.keys() <= {*answer.unused}


def chain(draw: random.Random) -> tuple[str, dict[str, float]]:
    """A limit on what follows from t step by step, beside a step that has nothing to do with it; and the givens."""
    count = draw.randint(1, 4)
    steps = ["x0 = t"]
    for i in range(count):
        form = draw.choice(("x{0}*g{1}", "x{0} + g{1}", "x{0}/g{1}", "(x{0} + g{1})/2"))
        steps.append(f"x{i + 1} = {form.format(i, i + 1)}")
    steps += [f"x{count} <= most", "idle = 3*aside"]
    names = ["t", "most", "idle", "aside", *(f"x{i}" for i in range(count + 1)), *(f"g{i + 1}" for i in range(count))]
    declared = "\n".join(f'{name} = {{ unit = "1" }}' for name in names)
    stated = "\n".join(f'r{i} = {{ equation = "{equation}" }}' for i, equation in enumerate(steps))
    givens = {f"g{i + 1}": float(draw.randint(1, 9)) for i in range(count)}
    return f"[quantities]\n{declared}\n[relations]\n{stated}", {**givens, "most": 500.0, "aside": 2.0}


@pytest.mark.thorough
@every("seed", range(60), ordinary=15, thorough=16)
def test_a_given_acts_on_a_bound_just_where_the_bound_moves_with_it(seed):
    text, givens = chain(random.Random(f"bound {seed}"))
    library = derive.load(text)
    (answer,) = library.solve_all("t", **givens)
    assert answer.base is None
    for name, number in givens.items():
        (moved,) = library.solve_all("t", **{**givens, name: 1.25 * number})
        acts = moved.bounds != answer.bounds
        assert acts == (name not in answer.unused) == (name in answer.given), name


@pytest.mark.parametrize("seed", range(12))
def test_an_answer_of_a_limit_is_of_every_default_behind_it_whatever_it_is_called(seed: int) -> None:
    draw = random.Random(seed)
    p, q, r, s, room, limit, one, two = ("".join(draw.choices("abcdefghk", k=8)) for _ in range(8))
    values = {p: 2, q: 3, s: 5, room: 100}
    stated = [f'{name} = {{ unit = "1", value = "{number}" }}' for name, number in values.items()]
    free = [f'{name} = {{ unit = "1" }}' for name in (r, "t", one, two)]
    equations = {one: f"{one} = {p}*{q}", two: f"{two} = {r}*{s}*t", limit: f"{one} + {two} <= {room}"}
    relations = [f'{name} = {{ equation = "{equation}" }}' for name, equation in equations.items()]
    library = derive.load("\n".join(["[quantities]", *stated, *free, "[relations]", *relations]))
    (answer,) = library.solve_all("t", **{r: "1"})
    assert answer.bounds == (0, pytest.approx(94 / 5))
    assert {*answer.given} == {p, q, r, s, room}


@pytest.mark.parametrize(("x", "y"), [(1.5, None), (6, None), (1.5, 9), (6, 0.6)])
def test_what_only_the_case_of_a_given_target_could_use_plays_no_part_unless_it_is_checked(x, y):
    cases = {"equation": "y = a*x", "when": ["x >= 5"]}, {"equation": "y = a + x", "when": ["x < 5"]}
    library = bare("x a y", *cases)
    if y is None:
        assert unused(library, "x", a=0.1, x=x) == ("a",)
    elif x >= 5:
        assert unused(library, "x", a=0.1, x=x, y=y) == ()
    else:
        with pytest.raises(derive.InconsistentError):
            library.solve("x", a=0.1, x=x, y=y)


@pytest.mark.parametrize("seed", range(8))
def test_a_given_acts_where_it_decides_the_case_of_an_answer(seed):
    """The case of q = 1 needs p < limit, and p is q - s there; with other relations in other cases s is none of p."""
    draw = random.Random(seed)
    limit, s = round(draw.uniform(0.3, 0.8), 2), round(draw.uniform(0.05, 0.95), 2)
    other = {"equation": "q = p + 4 - q", "when": [f"p >= {limit}"]}
    relations = [{"equation": "q = 1", "when": [f"p < {limit}"]}, other, "s = q - p"]
    draw.shuffle(relations)
    library = bare("p q s", *relations)
    answers = library.solve_all("q", s=s)
    assert (1 in [round(answer.base, 9) for answer in answers]) == (1 - s < limit)
    assert all(answer.unused == () for answer in answers)


@pytest.mark.parametrize(("c", "fails"), [(1, True), (4, False)])
def test_a_given_acts_where_it_decides_by_which_relation_a_limit_is_tested(c, fails):
    double = {"equation": "x = 2*a", "when": ["c > 3"]}
    library = bare("a b c x y", "y <= x", double, "y = 3*b", values={"x": "2"})
    answer = library.solve("y", a=5, b=1, c=c)
    assert [not check.passed for check in answer.checks] == [fails]
    assert fails or answer.unused == ()


def bounded_by_cases(draw: random.Random) -> tuple[Library, str, dict[str, str]]:
    """A quantity that limits alone bound, some under conditions; its name, and givens, some of them ranges."""
    limits = []
    for name, op in (("a", "<="), ("b", ">="), ("c", "<=")):
        condition = draw.choice((None, "k > 1", "k < 2", "m > 3")) if name != "b" else None
        limits.append({"equation": f"x {op} {name}"} | ({"when": [condition]} if condition else {}))
    library = bare("a b c k m x y", *limits, "m = 2*k", f"y = {draw.randint(2, 4)}*x")
    numbers = {"a": draw.randint(6, 9), "b": draw.randint(1, 3), "c": draw.randint(6, 9)}
    are_ranges = draw.random() < 0.4
    given = {name: f"{number}..{number + 1}" if are_ranges else str(number) for name, number in numbers.items()}
    return library, draw.choice("xy"), given | {"k": str(draw.choice((0.5, 1.2, 1.8, 2.5)))}


@pytest.mark.parametrize("seed", range(30))
def test_what_is_given_acts_on_an_interval_if_it_moves_it(seed: int) -> None:
    library, target, given = bounded_by_cases(random.Random(seed))
    answers = library.solve_all(target, **given)
    assert all("assumed" not in remark for answer in answers for remark in answer.assumptions)
    for name in given:
        for other in ("0.25", "1.5", "2.2", "5", "20"):
            try:
                moved = library.solve_all(target, **given | {name: other})
            except derive.DeriveError:
                moved = []
            if [one.bounds for one in moved] != [one.bounds for one in answers]:
                assert all(name not in answer.unused for answer in answers), (name, other)
