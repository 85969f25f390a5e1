"""What inequalities leave to a quantity that nothing else fixes: by typed values and by defaults alike."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.errors import DeriveError, InconsistentError
from derive.planning.incidence import structure_of
from derive.planning.plan import plan
from derive.relation_files.loading import load
from derive.solving.execution.question import outlined
from derive.solving.ranges.inequalities import ActiveLimits
from tests.derive.planning.graphs import GRAPHS, NAMES, SOME, texts
from tests.derive.statements import bare
from tests.ordinary import every

FLEET = {
    "weights": "1150 GB",
    "memory": "80 GB/chip",
    "share": "0.9",
    "cache": "2 GB/sequence",
    "batch": "64 sequence",
}
UNITS = {"weights": "GB", "memory": "GB/chip", "share": "1", "cache": "GB", "batch": "sequence", "chips": "chip"}
UNITS |= {"cache": "GB/sequence", "held": "GB", "room": "GB/chip"}
RELATIONS = """
held = { equation = "held = weights + cache*batch" }
room = { equation = "room = share*memory" }
fit = { equation = "held <= chips*room" }
"""
SUBSETS = [
    [name for name, is_typed in zip(FLEET, chosen, strict=True) if is_typed]
    for chosen in product((False, True), repeat=len(FLEET))
]


def library(defaults):
    values = {name: f', value = "{FLEET[name]}"' for name in defaults}
    rows = [f'{name} = {{ unit = "{unit}"{values.get(name, "")} }}' for name, unit in UNITS.items()]
    return derive.load("[quantities]\n" + "\n".join(rows) + f"\n[relations]\n{RELATIONS}")


@pytest.mark.parametrize("typed", SUBSETS, ids="-".join)
def test_defaults_bound_what_the_same_values_bound_when_they_are_typed(typed):
    given = {name: FLEET[name] for name in typed}
    (answer,) = library([name for name in FLEET if name not in typed]).solve_all("chips", **given)
    assert (answer.low.magnitude, answer.high.magnitude) == (pytest.approx(1278 / 72, rel=1e-12), math.inf)
    assert answer.value is None


@pytest.mark.parametrize("other", ["5 GB/chip", "300 GB/chip"])
def test_a_typed_value_displaces_the_default(other):
    (answer,) = library(FLEET).solve_all("chips", memory=other)
    assert answer.low.magnitude == pytest.approx(1278 / (0.9 * float(other.split()[0])), rel=1e-12)


def test_a_default_that_the_typed_values_displace_through_relations_does_not_bound():
    (answer,) = library(FLEET).solve_all("chips", room="10 GB/chip")
    assert answer.low.magnitude == pytest.approx(127.8, rel=1e-12)


@pytest.mark.thorough
@every("relation", [one for one in derive.llm.relations.values() if not one.is_equation], ids=str, ordinary=6)
def test_each_inequality_of_the_library_bounds_as_it_does_with_typed_defaults(relation):
    weak = {name: str(q.default) for name, q in relation.declared.items() if q.default is not None}
    typed = {
        name: f"{10 if q.domain.high > 10 else q.domain.high / 2} {q.unit}"
        for name, q in relation.declared.items()
        if q.default is None
    }
    for target in typed:
        others = {name: value for name, value in typed.items() if name != target}
        if others:
            assert bounds(target, others) == bounds(target, {**others, **weak})
        else:  # what no number typed leads to is not determined
            assert bounds(target, others) is derive.UnderdeterminedError


def bounds(target, given):
    try:
        return [(answer.base, answer.bounds) for answer in derive.llm.solve_all(target, **given)]
    except DeriveError as error:
        return type(error)


def test_a_default_that_bounds_is_named_among_the_givens():
    (answer,) = derive.load("""[quantities]
weights = { unit = "GB" }
memory = { unit = "GB/chip", value = "80 GB/chip" }
chips = { unit = "chip" }
[relations.fit]
equation = "weights <= chips*memory"
""").solve_all("chips", weights="1150 GB")
    assert [*answer.given] == ["weights", "memory"]


CASES = """[quantities]
load = { unit = "W" }
voltage = { unit = "V" }
current = { unit = "A" }
spare = { unit = "W" }
ripple = { unit = "V" }
[relations.most]
equation = "load <= voltage*current"
when = ["ripple < voltage"]
[relations.least]
equation = "load >= spare"
when = ["ripple < voltage"]
"""
POWERS = {"voltage": "12 V", "current": "5 A", "spare": "7 W"}


def test_inequalities_of_one_undecided_case_bound_together_and_say_what_they_assume():
    (answer,) = derive.load(CASES).solve_all("load", **POWERS)
    assert answer.bounds == (pytest.approx(7), pytest.approx(60))
    assert {f"{name} is assumed to apply: ripple < voltage" for name in ("most", "least")} <= {*answer.assumptions}


def test_inequalities_of_a_case_that_does_not_apply_bound_nothing():
    assert bounds_of(CASES, ripple="3 V") == (pytest.approx(7), pytest.approx(60))
    with pytest.raises(derive.UnderdeterminedError, match="ripple < voltage is false"):
        derive.load(CASES).solve("load", **POWERS, ripple="13 V")


def bounds_of(text, **given):
    (answer,) = derive.load(text).solve_all("load", **POWERS, **given)
    return answer.bounds


@pytest.mark.parametrize("size", [3, 72, 1e6])
def test_an_edge_at_which_a_case_ends_bounds_that_case(size):
    fleet = derive.load(f"""[quantities]
    chips = {{ unit = "chip" }}
    domain = {{ unit = "chip" }}
    racks = {{ unit = "" }}
    [relations]
    racks = {{ equation = "racks = chips/domain", when = ["chips >= domain"] }}
    inside = {{ equation = "chips <= domain" }}
    [profiles.rack]
    domain = "{size} chip"
    """)
    answers = fleet.solve_all("chips", "rack", racks=2)
    intervals = [(one.low.magnitude, one.high.magnitude) for one in answers if one.base is None]
    assert intervals == [(0, size)]


STEP = """
[quantities]
chips = { unit = "" }
most_chips = { unit = ""MOST }
step = { unit = "" }
peak = { unit = "" }
work = { unit = "" }
memory = { unit = "" }
[relations]
step = { equation = "step = work/peak + memory" }
most = { equation = "chips*step <= most_chips*step" }
"""


@pytest.mark.parametrize("chips", [16, 8, 4])
def test_a_limit_in_which_all_that_is_open_cancels_is_a_check(chips: int) -> None:
    step = derive.load(STEP.replace("MOST", ', value = "8"'))
    with pytest.raises(derive.UnderdeterminedError):
        step.solve("peak", chips=chips, work=3, memory=1)


def test_what_is_typed_and_breaks_a_limit_whatever_is_open_is_a_contradiction() -> None:
    step = derive.load(STEP.replace("MOST", ""))
    with pytest.raises(derive.InconsistentError, match="most"):
        step.solve("peak", chips=16, most_chips=8, work=3, memory=1)


@pytest.mark.parametrize(("limit", "given", "bounds"), [
    ("2*x <= 3*x", {}, (0, math.inf)),
    ("2*x*y <= 3*x*y", {"y": 2}, (0, math.inf)),
    ("2*x*y <= 3*x*y", {"y": -2}, (-math.inf, 0)),
    ("2*x <= y*x", {"y": 1}, (-math.inf, 0)),
])  # fmt: skip
def test_a_factor_of_either_sign_does_not_cancel_from_a_limit(
    limit: str, given: dict[str, float], bounds: tuple[float, float]
) -> None:
    (found,) = bare("x y", limit, domains={"x": "real", "y": "real"}).solve_all("x", **given)
    assert found.bounds == bounds


CURVES = [  # a function of one unknown, its inverse in plain Python, and whether it rises
    ("exp(x)", math.log, True),
    ("exp(-x)", lambda y: -math.log(y), False),
    ("sinh(x)", math.asinh, True),
    ("x**3", lambda y: y ** (1 / 3), True),
    ("2 - 3*x", lambda y: (2 - y) / 3, False),
    ("exp(exp(x/9))", lambda y: 9 * math.log(math.log(y)), True),
]


@pytest.mark.parametrize("curve", CURVES, ids=[curve[0] for curve in CURVES])
@pytest.mark.parametrize("op", ["<=", ">="])
@pytest.mark.parametrize("bound", [3, 40, 1e6])
def test_a_limit_of_a_steep_function_bounds_its_argument(curve, op, bound):
    text, inverse, rises = curve
    (answer,) = bare("x other", f"{text} {op} {bound}", domains={"x": "real"}).solve_all("x")
    low, high = answer.low.magnitude, answer.high.magnitude
    edge, end = (low, high) if rises == (op == ">=") else (high, low)
    assert edge == pytest.approx(inverse(bound), rel=1e-12)
    assert math.isinf(end)


@pytest.mark.thorough
def test_no_bound_rests_on_a_search_that_proves_nothing(monkeypatch):
    def searched(system):
        raise AssertionError(f"searched from many starts: {system}")

    monkeypatch.setattr("derive.solving.blocks.block.solved_from_starts", searched)
    pair = ["u*x**1.7 + v**0.4 = 3.7*u**1.1", "v**0.7*u + x**1.3 = 2.1 + u**0.3*x**0.2"]
    with pytest.raises(derive.UnderdeterminedError, match=r"Give u, or v\."):
        bare("x u v k", *pair, "u*v <= k").solve("x", k=1)


PLACES = st.sets(st.integers(0, 6), max_size=2)


def library_of(rows, defaults, otherwise, estimates):
    """The library of drawn relations, of which some are estimates, with defaults and fallbacks of some quantities."""
    values = dict.fromkeys(defaults, ', value = "1"') | dict.fromkeys(otherwise, ', otherwise = "0"')
    quantities = "".join(f'{name} = {{ unit = "1", domain = "real"{values.get(name, "")} }}\n' for name in NAMES)
    kinds = ["approximate = 0.1, " * (place in estimates) for place in range(len(rows))]
    relations = "".join(f'r{i} = {{ {kinds[i]}equation = "{text}" }}\n' for i, text in enumerate(rows))
    return load(f"[quantities]\n{quantities}[relations]\n{relations}")


@given(rows=GRAPHS, target=st.sampled_from(NAMES), typed=SOME, defaults=SOME, otherwise=SOME, estimates=PLACES)
def test_what_an_active_limit_determines_is_not_overlooked(rows, target, typed, defaults, otherwise, estimates):
    written = list(dict.fromkeys(texts(rows)))
    try:
        library = library_of(written, defaults - otherwise, otherwise, estimates - {len(written) - 1})
    except DeriveError:  # a relation that says nothing, or another again
        return
    asked = outlined(library, target, sorted(typed - {target}))
    names = target, asked.strong, asked.weak
    limit = next(reversed(library.relations))
    beside = plan(structure_of(library, frozenset(), asked.stated), *names)
    without = structure_of(library, frozenset({limit}), asked.stated)
    if limit in beside.relations and not plan(without, *names).is_determined:
        assert ActiveLimits(without, *names).could_determine(limit, library.members[limit])


@every("seed", range(40), ordinary=10)
def test_limits_that_exclude_each_other_in_the_middle_of_a_range_leave_what_they_do_elsewhere(seed):
    draw = random.Random(f"limits {seed}")
    least, most = draw.randint(1, 9), draw.randint(10, 40)
    low = draw.randint(1, 8)
    high = low + draw.randint(1, 8)
    linear = bare("a c", f"c >= {least}", f"3*a + c <= {most}", domains=dict.fromkeys("ac", "real"))
    square = bare("b d", f"d <= {most}", "d >= b*b", domains=dict.fromkeys("bd", "real"))
    ends_or_conflict(linear, "c", {"a": f"{low}..{high}"}, least, most - 3 * low)
    ends_or_conflict(square, "d", {"b": f"{low}..{high}"}, low * low, most)


def ends_or_conflict(limited, target, given, low, high):
    if low > high:
        with pytest.raises(derive.InconsistentError):
            limited.solve_all(target, **given)
    elif low < high:
        (answer,) = limited.solve_all(target, **given)
        assert (answer.low.magnitude, answer.high.magnitude) == pytest.approx((low, high), rel=1e-6)


@pytest.mark.parametrize(
    ("names", "relations", "low", "high"),
    [
        ("y p q", ["4 = max(p, q)", "y = p + 0.5", "q <= y + 5"], 0.5, 4.5),
        ("d b", ["d = max(0.3 - b, 0.5)", "d <= 4 + b"], 0.5, 0.5),
    ],
)
def test_a_limit_denies_no_value_where_the_points_at_which_it_was_tried_have_no_solution(names, relations, low, high):
    target = names.split()[0]
    (answer,) = bare(names, *relations).solve_all(target)
    if low == high:
        assert answer.value.magnitude == low
    else:
        assert (answer.low.magnitude, answer.high.magnitude) == pytest.approx((low, high))


def test_a_domain_leaves_an_inner_quantity_of_a_limit_its_part():
    limited = bare("c b", "b + c <= 10", "2*b + c = 13", domains={"b": "4..6", "c": "real"})
    (answer,) = limited.solve_all("c")
    assert (answer.low.magnitude, answer.high.magnitude) == (1, 5)


@pytest.mark.parametrize(
    ("target", "relations", "isolated"),
    [("x", ["x**2 <= x**3"], 0), ("y", ["x <= 10*x*x", "y = x*x"], 0), ("x", ["(x - 1)**2*(x - 3) >= 0"], 1)],
)
def test_bounds_leave_no_single_point_out_at_which_the_sides_of_a_limit_are_equal(target, relations, isolated):
    limited = bare("x y", *relations, domains={"x": "nonnegative", "y": "real"})
    try:
        bounds = [(answer.low.magnitude, answer.high.magnitude) for answer in limited.solve_all(target)]
    except derive.UnderdeterminedError:
        return
    assert any(low <= isolated <= high for low, high in bounds)


def test_what_two_limits_leave_is_put_into_what_follows_from_it():
    limited = bare("x y z k", "y = x**2", "z = y + 2", "z <= k", "z >= k")
    assert limited.solve("z", k=3).value.magnitude == 3
    with pytest.raises(derive.InconsistentError):
        limited.solve("z", k=0.75)  # y would be negative


def test_a_rough_limit_neither_bounds_over_ranges_nor_excludes_another() -> None:
    """A limit that holds within 10 % allows somewhat more than it says."""
    rough = {"equation": "x <= a", "approximate": "10 %"}
    (answer,) = bare("x a b", rough, "x >= b").solve_all("x", a="1..3", b="2..2.5")
    assert answer.bounds == (2, math.inf)
    (answer,) = bare("x a b", rough, "x >= b").solve_all("x", a="1..3", b="3.1..3.2")
    assert answer.bounds == (3.1, math.inf)


@pytest.mark.parametrize("limits", [("c = 2*a", "x <= c", "x >= d"), ("x >= d", "x <= 2*a")])
def test_ranges_behind_other_relations_move_the_edges_of_a_limit(limits: tuple[str, ...]) -> None:
    (answer,) = bare("x a c d", *limits).solve_all("x", a="1..5", d=9)
    assert answer.bounds == pytest.approx((9, 10))


def test_a_limit_that_leaves_two_intervals_cuts_what_another_bounds() -> None:
    answers = bare("x a", "x <= a", "(x - 1)*(x - 2) >= 0").solve_all("x", a=3)
    assert [answer.bounds for answer in answers] == [(0, 1), (2, 3)]
    for answer in answers:
        assert "bounded by r1; nothing else determines it" in answer.assumptions
        assert "its interval is cut to where r2 holds" in answer.assumptions


@pytest.mark.parametrize(("b", "bounds"), [(2, (2, 5)), (5, None)])
def test_a_default_that_bounds_beside_another_limit_is_named_among_the_givens(b: float, bounds) -> None:
    (answer,) = bare("x a b", "x <= a", "x >= b", values={"a": "5"}).solve_all("x", b=b)
    assert answer.bounds == bounds
    assert [*answer.given] == ["b", "a"]


@pytest.mark.parametrize("k", [2, "1.5..3"])
def test_limits_exclude_each_other_over_ranges_where_their_conditions_hold(k: object) -> None:
    conditional = {"equation": "x <= a", "when": ["k > 1"]}
    with pytest.raises(InconsistentError, match="exclude each other"):
        bare("x a b k", conditional, "x >= b").solve_all("x", a="1..3", b="4..5", k=k)
    (answer,) = bare("x a b k", conditional, "x >= b").solve_all("x", a="1..3", b="4..5", k="0.5")
    assert answer.bounds == (4, math.inf)


@pytest.mark.thorough
def test_limits_behind_much_of_the_library_bound_what_a_server_without_chips_leaves_open():
    """Its memory holds the model on the fewest chips, and a step takes longest there."""
    served = {"batch": "256 sequence", "context": "6 ktoken/sequence"}
    is_told = pytest.raises(derive.AmbiguousError, match="Give chips")
    with derive.limits(seconds=60), is_told as raised:
        derive.solve("step_time", "h100-sxm:bf16", "deepseek-v3", **served)
    (bounded,) = raised.value.answers
    assert bounded.low.magnitude == 0
    filled = derive.solve("weight_bytes", "h100-sxm:bf16", "deepseek-v3").value
    filled += derive.solve("kv_bytes", "h100-sxm:bf16", "deepseek-v3", **served).value
    chips = filled / derive.units("80 GB/chip")
    slowest = derive.solve("step_time", "h100-sxm:bf16", "deepseek-v3", chips=chips, **served)
    assert bounded.high.magnitude == pytest.approx(slowest.value.to(bounded.high.units).magnitude, rel=1e-6)
