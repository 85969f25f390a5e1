"""`holds`, `failed` and `unused` of tables, streams and samples: at every point what the solver says there."""

from __future__ import annotations

import math
import random
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import derive
from derive import DeriveError, Library
from derive.tables import sweep_function
from derive.tables.axes import span
from derive.tables.sweep_function import PointAnswer
from derive.tables.table import Table
from derive.tables.table_charts import charts
from derive.tables.table_checks import Cautions
from quantities.profiles import Facts
from tests.derive.operations import ticks
from tests.derive.random_libraries import hidden
from tests.ordinary import every

SHELF = derive.load("""[quantities]
book = { unit = "kg" }
count = { unit = "" }
books = { unit = "kg" }
bears = { unit = "kg", value = "12 kg" }
depth = { unit = "" }
price = { unit = "" }
hinge = { unit = "", value = "3" }
[relations]
books = { equation = "books = count*book" }
shelf = { equation = "books <= bears" }
price = { equation = "price = 3*count if count < 20 else 2*count", when = ["depth < 1"] }
sold = { equation = "price = 2.8*count", approximate = "10 %" }
[profiles.thin]
bears = "6..8 kg"
""")


def told(library: Library, target: str, *profiles: str, **given: object) -> tuple[set[str], set[str]] | None:
    """What fails and what is unused, by the solver; None where there is no answer."""
    try:
        answer = library.solve(target, *profiles, **given)
    except DeriveError:
        return None
    return {check.name for check in answer.failed}, set(answer.unused)


def is_as_solved(table: Table, library: Library, target: str, profiles: tuple[str, ...], fixed: dict) -> int:
    """At how many points a table was held against the solver, where it is the only axis."""
    (axis,) = table.axes
    unit, unused, count = library.declared[axis].unit.text, None, 0
    for i, number in enumerate(table.axes[axis].tolist()):
        found = told(library, target, *profiles, **fixed, **{axis: f"{number!r} {unit}"})
        if found is None:
            assert not table.holds[i]
            continue
        unused = found[1] if unused is None else unused & found[1]
        if math.isnan(table.columns[target][i]):
            continue
        assert {name for name, column in table.failed.items() if column[i]} == found[0]
        assert table.holds[i] == (not found[0])
        assert table["fails"][i] == "; ".join(sorted(found[0]))
        count += 1
    assert unused is None or set(table.unused) == unused
    return count


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("profiles", [(), ("thin",)])
@pytest.mark.parametrize("points", [5, 200])
@pytest.mark.parametrize("target", ["books", "price"])
def test_a_table_says_at_every_point_what_the_solver_says(profiles, points, target):
    fixed = {"book": "0.4 kg", "depth": "0.3", "hinge": "4"}
    table = SHELF.sweep(target, *profiles, count=span("1..60", points), **fixed)
    assert is_as_solved(table, SHELF, target, profiles, fixed) == points
    assert "hinge" in table.unused
    assert not table.holds.all()
    assert table.holds.any()


def varied(seed: int) -> tuple[Library, dict[str, float], random.Random]:
    """A random library with a hidden solution, with limits, rough estimates, conditions and a profile beside."""
    case, draw = hidden(seed), random.Random(f"holding {seed}")
    names = list(case.numbers)
    lines = ["[quantities]"]
    for name in names:
        default = f', value = "{case.numbers[name] * draw.choice([1, 1.2])!r}"' if draw.random() < 0.3 else ""
        lines.append(f'{name} = {{ unit = ""{default} }}')
    lines.append("[relations]")
    for relation in case.library.relations.values():
        when = f', when = ["{draw.choice(names)} < {draw.choice([1, 2, 4])}"]' if draw.random() < 0.2 else ""
        lines.append(f'{relation.name} = {{ equation = "{relation.written}"{when} }}')
    a, b, c = draw.sample(names, 3)
    lines.append(f'limit = {{ equation = "{a} <= {draw.choice([0.5, 1, 2])}*{b}" }}')
    ratio = case.numbers[b] / case.numbers[c]
    lines.append(f'rough = {{ equation = "{b} = {ratio!r}*{c}", approximate = "5 %" }}')
    one, other = draw.sample(names, 2)
    lines += ["[profiles.p]", f'{one} = "{case.numbers[one]!r}"', f'{other} = "{1.5 * case.numbers[other]!r}"']
    return derive.load("\n".join(lines)), case.numbers, draw


def of_a_random_library(seed: int) -> int:
    library, numbers, draw = varied(seed)
    names = list(numbers)
    target, *others = draw.sample(names, len(names))
    given = others[: draw.randint(len(others) // 2, len(others))]
    axis, *rest = given
    fixed = {name: numbers[name] * draw.choice([1, 1, 1, 1.1]) for name in rest}
    profiles = ("p",) if draw.random() < 0.5 else ()
    along = [numbers[axis] * 10 ** (i / 10 - 1) for i in range(21)]
    try:
        with ticks(2000):
            table = library.sweep(target, *profiles, **fixed, **{axis: along})
            return is_as_solved(table, library, target, profiles, fixed)
    except (derive.InconsistentError, derive.LimitError, derive.UnderdeterminedError):
        return 0


@pytest.mark.long
@pytest.mark.parametrize("start", range(0, 6, 6))
def test_a_table_of_a_random_library_says_what_the_solver_says_of_its_checks(start):
    assert sum(of_a_random_library(seed) for seed in range(start, start + 6)) > 0


@pytest.mark.long
@pytest.mark.parametrize("start", range(1000, 1400, 20))
def test_many_random_libraries_say_what_the_solver_says_of_their_checks(start):
    assert sum(of_a_random_library(seed) for seed in range(start, start + 20)) > 0


SERVED = {"chips": "8 chip", "chip_price": "2 USD/h/chip", "context": "8 ktoken/sequence"}


@pytest.mark.thorough
def test_batches_that_do_not_fit_in_memory_are_named():
    library, profiles = derive.llm, ("h100-sxm:fp8", "llama3-70b")
    table = library.sweep("cost_per_token", *profiles, **SERVED, batch=span("1..4096 sequence", 20, log=True))
    assert set(table.failed) == {"fits_in_memory"}
    assert is_as_solved(table, library, "cost_per_token", profiles, SERVED) == 20


READING = derive.load("""[quantities]
size = { unit = "" }
width = { unit = "", value = "4" }
reach = { unit = "" }
hidden = { unit = "", domain = "nonnegative", otherwise = "0" }
seen = { unit = "" }
work = { unit = "", domain = "nonnegative", otherwise = "0" }
time = { unit = "" }
places = { unit = "" }
[relations]
hidden = { equation = "hidden = max(0, places - 3)**2/places" }
seen = { equation = "seen = reach - hidden" }
reach = { equation = "reach = 2*places" }
work = { equation = "work = width*seen" }
time = { equation = "time = size*(1 + work) + hidden" }
limit = { equation = "time <= 30" }
""")


@pytest.mark.thorough
def test_a_fallback_is_never_run_backwards_to_judge_a_table():
    table = READING.sweep("time", size=span("1..60", 200))
    assert is_as_solved(table, READING, "time", (), {}) == 200
    (judge,) = table.survey.function.judges.values()
    assert {sign.name for sign in judge.signs}.isdisjoint({"seen", "reach"})


@every("model", Facts("models"), ordinary=12)
def test_the_cache_of_every_model_is_swept_without_asking_for_each_point(model):
    table = derive.llm.sweep("kv_bytes", model, batch=span("1..4096 sequence", 300), context="500 token/sequence")
    (recipe,) = table.survey.function.recipes
    assert not recipe.lines.is_asked
    alone = derive.solve("kv_bytes", model, batch="1 sequence", context="500 token/sequence")
    assert table.columns["kv_bytes"][0] == pytest.approx(alone.base)


def test_a_stream_counts_what_fails_and_agrees_with_the_table():
    given = {"count": span("1..60", 300), "book": span("0.1..1 kg", 900), "hinge": "4"}
    table, stream = SHELF.sweep("books", **given), SHELF.stream("books", **given)
    summary = stream.summary()["books"]
    assert summary.failed == {"shelf": int(table.failed["shelf"].sum())}
    assert summary.holds == int(table.holds.sum()) == summary.points - summary.failed["shelf"]
    assert f"shelf fails at {summary.failed['shelf']} of 270000 points" in str(summary)
    assert numpy.concatenate([piece.holds.ravel() for piece in stream]).tolist() == table.holds.ravel().tolist()
    assert stream.unused == table.unused == ("hinge",)
    assert table.holds.tolist() == (table.columns["books"] <= 12 * (1 + 2e-9)).tolist()


def test_a_sample_counts_what_fails():
    found = SHELF.sample("books", points=4000, book="0.2..0.6 kg", count="10..40", depth="0.3")
    expected = (found.draws["book"] * found.draws["count"] <= 12) & (found.draws["count"] < 20)
    assert found.holds.tolist() == expected.tolist()
    assert found.sound == pytest.approx(expected.mean())
    assert set(found.failed) == {"shelf", "sold"}
    assert "shelf fails at" in str(found)
    if "depth" in told(SHELF, "books", book="0.2 kg", count="10", depth="0.3")[1]:
        assert found.unused == ("depth",)


def test_a_given_range_is_judged_at_every_point():
    table = SHELF.sweep("books", book="0.4 +/- 0.1 kg", count=span("10..60", 20))
    assert is_as_solved(table, SHELF, "books", (), {"book": "0.4 +/- 0.1 kg"}) == 20
    assert 0 < table.holds.sum() < 20


def test_the_picture_hatches_what_fails_from_where_it_begins_to():
    (chart,) = charts(SHELF.sweep("books", book="0.5 kg", count=span("1..60", 30)))
    (hatch,) = chart.hatches
    assert hatch.label == "shelf fails"
    ((low, high),) = hatch.stretches
    assert (low, high) == (pytest.approx(24, abs=0.02), 60)
    (chart,) = charts(SHELF.sweep("books", count=span("1..60", 30), book=["0.5 kg", "0.1 kg", "1 kg"]))
    assert not chart.hatches
    (crossed,) = [one for one in chart.series if one.style == "crosses"]
    assert min(crossed.y) > 12
    assert crossed.label == "shelf fails"


def test_a_quantity_may_be_called_holds():
    text = '[quantities]\nholds = { unit = "" }\nx = { unit = "" }\n[relations]\nr = { equation = "holds = 2*x" }'
    table = derive.load(text).sweep("holds", x=[1, 2])
    assert table["holds"].tolist() == [2, 4]
    assert table["table.holds"].tolist() == [True, True]


def test_dask_says_which_points_hold():
    pytest.importorskip("dask")
    given = {"count": span("1..60", 300), "book": span("0.1..1 kg", 90)}
    lazy = SHELF.stream("books", **given).to_dask(5000)
    assert numpy.asarray(lazy.holds).tolist() == SHELF.sweep("books", **given).holds.tolist()
    assert lazy.compute().failed["shelf"].sum() == SHELF.sweep("books", **given).failed["shelf"].sum()


@pytest.mark.long
def test_threads_that_sweep_and_solve_one_library_agree_with_one_alone():
    given = {"book": "0.4 kg", "depth": "0.3"}
    alone = SHELF.sweep("price", count=span("1..60", 70), **given)

    def once(i: int) -> tuple[list[float], list[bool], float]:
        table = SHELF.sweep("price", count=span("1..60", 70), **given)
        return table.columns["price"].tolist(), table.holds.tolist(), SHELF.solve("price", count=i, **given).base

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(once, range(1, 33)))
    assert all(column == alone.columns["price"].tolist() for column, _, _ in found)
    assert all(holds == alone.holds.tolist() for _, holds, _ in found)
    assert [base for _, _, base in found] == [3 * i if i < 20 else 2 * i for i in range(1, 33)]


def test_a_number_that_the_solver_has_no_answer_to_is_not_said_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_function.SweepFunction, "point_answer", lambda *_: PointAnswer())
    axes = {"count": span("1..30", 30), "book": "1 kg"}
    table = SHELF.sweep("books", **axes)
    assert numpy.isfinite(table["books"]).all()
    assert not table.holds.any()
    assert {*table.fails} == {"not tested"}
    told = Cautions()
    told.add(table)
    assert [*told] == ["the checks could not be tested at 30 of 30 points; solve at one says why"]
    summary = SHELF.stream("books", **axes).summary()["books"]
    assert (summary.holds, summary.untested) == (0, 30)
