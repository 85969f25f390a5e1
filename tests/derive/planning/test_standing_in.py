"""A value that only stands in: used where its own relations lead nowhere, and never run backwards through them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import derive
from derive import Library, Quantity, relate
from derive.planning.basis import basis_of, determined, is_determined
from derive.planning.directions import forwards
from derive.planning.matching import Matching
from derive.planning.plan import plan
from derive.relation_files.loading import load
from quantities.profiles import Profile
from quantities.value import otherwise, read_value
from tests.derive.planning.graphs import GRAPHS, NAMES, SOME, structure, texts
from tests.derive.statements import bare, number
from tests.ordinary import every

items, size, bytes_read, time, speed = (Quantity(name, "") for name in ("items", "size", "bytes_read", "time", "speed"))


def reading(stated: Iterable[str] = ()) -> Library:
    """What a step reads, with fallbacks for two of its quantities unless they are stated."""
    fallbacks = {"share": otherwise("1"), "part": otherwise("0.5")}
    share, part = (
        Quantity(name, "", domain="0..1", default=None if name in stated else default)
        for name, default in fallbacks.items()
    )
    return Library(
        [
            relate("share", share, 1 - 0.5**items),
            relate("part", part, speed / 10),
            relate("bytes_read", bytes_read, share * size),
            relate("time", time, bytes_read + part * items),
        ]
    )


READING = reading()
share = Quantity("share", "", domain="0..1", default=otherwise("1"))


def test_it_stands_in_where_its_relations_lead_nowhere():
    assert number(READING.solve("bytes_read", size=8)) == 8


def test_what_its_relations_lead_to_takes_its_place_without_a_word():
    answer = READING.solve("bytes_read", size=8, items=1)
    assert number(answer) == 4
    assert not answer.checks


def test_it_is_never_run_backwards_through_them():
    with pytest.raises(derive.UnderdeterminedError, match="items"):
        READING.solve("time", size=8)


def test_what_is_solved_together_with_its_relations_counts_as_led_to():
    time_of_three = 8 * (1 - 0.5**3) + 0.5 * 3
    assert number(READING.solve("items", size=8, time=time_of_three)) == pytest.approx(3)
    assert number(READING.solve("share", size=8, time=time_of_three)) == pytest.approx(1 - 0.5**3)


def test_what_only_its_own_relations_ask_for_leads_to_it():
    chosen, whole = Quantity("chosen", "", default="2"), Quantity("whole", "")
    reading = Library([relate("share", share, chosen / whole), relate("bytes_read", bytes_read, share * whole * size)])
    assert number(reading.solve("bytes_read", size=8, whole=10)) == 16
    assert number(reading.solve("bytes_read", size=8, whole=10, chosen=5)) == 40


def test_two_that_are_only_led_to_by_way_of_each_other_both_stand_in():
    first, second, total, rate = (Quantity(n, "", default=d) for n, d in (
        ("first", otherwise("1")), ("second", otherwise("1")), ("total", None), ("rate", "1")))  # fmt: skip
    reading = Library([relate("total", total, (3 * first + 5 * second) / rate)])
    assert number(reading.solve("total")) == 8
    answer = reading.solve("rate", total=16)
    assert number(answer) == pytest.approx(0.5)
    weights = derive.solve("weight_time", "h100-sxm:fp8", "llama3-70b", memory_time="40 ms", chips="8 chip",
                           batch="64 sequence", context="8 ktoken/sequence")  # fmt: skip
    assert [check.name for check in weights.checks if not check.passed] == ["bandwidth_efficiency"]


def test_a_rest_that_nothing_is_written_for_yields_to_what_is_stated_without_a_word():
    rest = Quantity("rest", "", domain="real", default=otherwise("0"))
    whole, layers, each = (Quantity(name, "") for name in ("whole", "layers", "each"))
    model = Library([relate("whole", whole, layers * each + rest)])
    card = Profile("card", {name: read_value(text) for name, text in (("whole", "70"), ("layers", "8"), ("each", "8"))})
    assert number(model.solve("whole", layers=8, each=8)) == 64
    assert number(model.solve("rest", card)) == 6
    kept = model.solve("whole", card)
    assert (number(kept), [check.name for check in kept.failed]) == (64, ["whole"])
    moved = model.solve("whole", card, layers=4)
    assert (number(moved), [check.name for check in moved.failed]) == (32, ["whole"])
    twice = Library([*model.relations.values(), relate("double", Quantity("double", ""), 2 * whole)])
    kept = twice.solve("double", card)
    assert (number(kept), kept.checks) == (140, ())


STEP = """
[quantities]
arithmetic = { unit = "s" }
sent = { unit = "byte", domain = "nonnegative" }
bandwidth = { unit = "byte/s" }
overlap = { unit = "", domain = "0..1" }
exchange = { unit = "s", domain = "nonnegative", otherwise = "0 s" }
step = { unit = "s" }
exposed = { unit = "s", domain = "nonnegative", otherwise = "0 s" }
rest = { unit = "s", domain = "nonnegative", otherwise = "0 s" }
measured = { unit = "s" }
rest_share = { unit = "", domain = "nonnegative" }
[relations]
exchange = { equation = "exchange = sent/bandwidth" }
step = { equation = "step = max(arithmetic, exchange)" }
exposed = { equation = "exposed = (1 - overlap)*(arithmetic + exchange - step)" }
measured = { equation = "measured = step + exposed + rest" }
rest_share = { equation = "rest_share = rest/measured" }
"""


def test_of_fallbacks_that_determine_each_other_a_rest_yields_or_else_the_one_that_stands_on_the_other():
    step = load(STEP)
    timed = {"arithmetic": "8 s", "measured": "10 s"}
    assert number(step.solve("step", **timed)) == 8
    assert number(step.solve("rest", **timed)) == 2
    assert number(step.solve("rest_share", **timed)) == pytest.approx(0.2)
    timed["rest"] = "0 s"
    assert number(step.solve("step", **timed)) == 8
    assert number(step.solve("exposed", **timed)) == 2
    with pytest.raises(derive.UnderdeterminedError):
        step.solve("sent", **timed, bandwidth="1 byte/s")
    exposing = {"arithmetic": "8 s", "exchange": "4 s", "measured": "10 s", "rest": "0 s"}
    assert number(step.solve("overlap", **exposing)) == pytest.approx(0.5)


IDLE = """
[quantities]
idle = { unit = "", domain = "nonnegative", otherwise = "0" }
passed = { unit = "" }
total = { unit = "" }
experts = { unit = "" }
active = { unit = "" }
racks = { unit = "" }
[relations]
idle = { equation = "idle = 2*(experts - active)" }
passed = { equation = "passed = 2*active" }
total = { equation = "total = passed + idle" }
split_total = { equation = "total = passed + idle*racks" }
racks = { equation = "racks = experts - 7" }
racks_again = { equation = "racks = total - 15" }
"""


@pytest.mark.parametrize("target", ["active", "passed", "idle"])
def test_it_does_not_stand_where_only_the_dependence_of_relations_on_each_other_removed_its_own(target: str) -> None:
    with pytest.raises(derive.UnderdeterminedError, match="dependent"):
        load(IDLE).solve(target, total=16, experts=8)


WAITING = """
[quantities]
chips = { unit = "" }
base = { unit = "" }
cost = { unit = "" }
wait = { unit = "", domain = "nonnegative", otherwise = "0" }
least = { unit = "", domain = "nonnegative", otherwise = "0" }
[relations]
cost = { equation = "cost = max(base, wait)" }
wait = { equation = "wait = chips*least" }
least = { equation = "least = 3 if chips > 1 else 0" }
"""


@pytest.mark.parametrize("base", [2, 5, 14])
def test_it_yields_where_the_relation_of_another_that_yields_leads_to_it(base: float) -> None:
    """The cost determines what is waited, so that `wait` is as any relation, and leads back from the least wait."""
    for chips in (0.5, 1, 1.5, 4, 9):
        cost = max(base, chips * (3 if chips > 1 else 0))
        found = load(WAITING).solve_all("chips", cost=cost, base=base)
        spans = [one.bounds or (one.base, one.base) for one in found]
        assert any(low <= chips <= high for low, high in spans if low is not None and high is not None)


NUMBERS = {"share": 0.5, "part": 0.25, "items": 3.0, "size": 8.0, "bytes_read": 6.0, "time": 5.0, "speed": 4.0}
SUBSETS = tuple(chain.from_iterable(combinations(NUMBERS, count) for count in range(4)))


def outcome(library: Library, target: str, names: tuple[str, ...]) -> object:
    """What a library says of a target from what one profile states."""
    try:
        answer = library.solve(target, Profile("sheet", {name: read_value(str(NUMBERS[name])) for name in names}))
    except derive.DeriveError as error:
        return type(error)
    return float(f"{number(answer):.9g}"), sorted(check.name for check in answer.failed)


@pytest.mark.thorough
@every("target", NUMBERS, ordinary=3)
def test_what_a_profile_states_is_no_fallback_even_where_its_quantity_has_one(target):
    for names in SUBSETS:
        assert outcome(READING, target, names) == outcome(reading(names), target, names), names


OWN = ("s = 1 - n", "b = s*z", "t = b + n")


@pytest.mark.parametrize(
    ("target", "known", "weak", "left", "rest"),
    [
        ("b", "z", "s", ["r1", "r2"], ["s"]),
        ("b", "zn", "s", ["r0", "r1", "r2"], []),
        ("n", "bz", "s", ["r0", "r1", "r2"], []),
        ("b", "z", "sn", ["r0", "r1", "r2"], ["n"]),
        ("b", "z", "sbt", ["r0", "r1", "r2"], ["t"]),
        ("b", "z", "t", ["r0", "r1", "r2"], ["t"]),
        ("s", "z", "s", ["r0", "r1", "r2"], []),
        ("t", "bn", "sz", ["r0", "r1", "r2"], ["s", "z"]),
        ("n", "tz", "s", ["r0", "r1", "r2"], []),
    ],
)
def test_what_stands_in_takes_the_place_of_its_relations_or_is_forgotten(target, known, weak, left, rest):
    graph = structure(*OWN, otherwise=frozenset("s"))
    base = basis_of(graph, target, known, weak)
    assert (list(base.structure.members), [*base.weak]) == (left, rest)


@pytest.mark.parametrize("weak", [("a", "b", "c"), ("c", "b", "a")])
@pytest.mark.parametrize(("tied", "standing"), [("a", "c"), ("c", "a")])
def test_of_two_rests_that_determine_each_other_the_one_beside_the_target_yields(weak, tied, standing):
    """The target's own relation says nothing else, and yet says which of the two it is asked beside."""
    graph = structure(f"target = {tied} + d", "b = 2*a", "a + b + c = 1", otherwise=frozenset("abc"))
    assert {*plan(graph, "target", ["d"], weak).weak} == {standing}


def test_the_later_of_two_estimates_leads_to_what_would_stand_in_where_the_first_does_not():
    graph = structure("s = n", "s = m", "b = s*z", estimates=(0, 1), otherwise=frozenset("s"))
    led, left = basis_of(graph, "b", "zm", "s"), basis_of(graph, "b", "z", "s")
    assert (led.structure, led.weak, left.weak) == (graph, (), ("s",))


def led_to(graph, names, given, weak) -> set[str]:
    """Of these fallbacks those that their own relations determine, worked out from nothing: all relations are matched
    in order, those of the fallbacks after the others, and last the values that are known if these are not."""
    own = [relation for name in names for relation in graph.writers.get(name, ())]
    ahead = forwards(graph, list(graph.members), {*given, *weak} - {*names})
    bare = graph.not_written_for(name for name in weak if name in graph.otherwise)
    stated, matching = Matching(frozenset(given)), Matching(frozenset(given))
    for relation in bare.members:
        stated.add(relation, bare.members[relation])
        matching.add(relation, bare.members[relation])
    for relation in own:
        matching.add(relation, graph.members[relation])
    firm = [name for name in weak if name not in graph.otherwise]
    for name in firm:
        stated.add(f"={name}", (name,))
    for name in [*(one for one in weak if one not in firm and one not in names), *firm]:
        matching.add(f"={name}", (name,))
    return {
        name
        for name in names
        if name in ahead
        or (name in stated.unknowns and stated.settles(name))
        or (name in matching.unknowns and matching.settles(name) and matching.relations_for(name) & {*own})
    }


WEAK = st.lists(st.sampled_from(NAMES), max_size=6, unique=True)


@given(GRAPHS, SOME, WEAK, st.sets(st.sampled_from(NAMES)), st.sampled_from(NAMES))
def test_a_fallback_stands_in_unless_its_own_relations_lead_to_it(rows, known, weak, otherwise, target):
    graph = structure(*texts(rows), otherwise=frozenset(otherwise))
    rest = [name for name in weak if name not in {*known, target}]
    reached = graph.reached(target, frozenset(known))
    near = {name for relation in reached for name in graph.members[relation]}
    part = structure(*(texts(rows)[int(one[1:])] for one in reached), otherwise=frozenset(otherwise))
    dropped = [name for name in rest if name in otherwise and led_to(part, [name], known, rest)]
    while dropped != (found := [name for name in dropped if name in led_to(part, dropped, known, rest)]):
        dropped = found
    used = basis_of(graph, target, known, rest).weak
    left = [name for name in rest if name in otherwise and name not in dropped]
    expected = sorted(left, key=lambda name: name not in graph.writers)  # those that replace relations come first
    assert [name for name in used if name in otherwise and name in near] == [n for n in expected if n in near]


@example(
    rows=[(["a", "d", "f"], True), (["d", "e"], True), (["d", "e"], True)],
    known={"a"},
    weak=["d", "f"],
    otherwise={"d", "f"},
)
@given(rows=GRAPHS, known=SOME, weak=WEAK, otherwise=st.sets(st.sampled_from(NAMES)))
def test_no_plan_determines_what_is_not_determined_whatever_the_target(rows, known, weak, otherwise):
    graph = structure(*texts(rows), otherwise=frozenset(otherwise))
    rest = [name for name in weak if name not in known]
    whole = determined(graph, known, rest)
    for target in {*NAMES} - known - {*rest}:
        assert target in whole or not plan(graph, target, sorted(known), rest).is_determined
    assert {name for name in graph.holders if is_determined(graph, name, known, rest)} == whole & graph.holders.keys()


def test_a_condition_is_decided_by_what_is_determined_only_when_asked_for():
    """The fallback of `d` does not stand where `e` is asked for, from which `d` follows: two relations then fix `e`."""
    asked = load("""
    [quantities]
    a = { unit = "" }
    b = { unit = "" }
    d = { unit = "", domain = "real", otherwise = "0" }
    e = { unit = "", domain = "real" }
    f = { unit = "", domain = "real", otherwise = "0" }
    y = { unit = "" }
    [relations]
    whole = { equation = "a = d + f" }
    first = { equation = "d = 3*e" }
    second = { equation = "d = 2*e + 4" }
    large = { equation = "y = b", when = ["e > 10"] }
    small = { equation = "y = 2*b", when = ["e <= 10"] }
    """)
    assert number(asked.solve("e", a=12)) == pytest.approx(4)
    answer = asked.solve("y", a=12, b=5)
    assert number(answer) == 10
    assert answer.assumptions == ("large is left out: e > 10 is false",)


@given(st.permutations(["bytes_read", "heat", "both"]))
def test_which_fallbacks_stand_does_not_depend_on_what_was_asked_before(order):
    """Each of two chains has a fallback of its own, and a question may reach one of them or both."""
    part = Quantity("part", "", default=otherwise("0.5"))
    energy, heat, both = (Quantity(name, "") for name in ("energy", "heat", "both"))
    held = Library(
        [
            relate("share", share, 1 - 0.5**items),
            relate("part", part, speed / 10),
            relate("bytes_read", bytes_read, share * size),
            relate("heat", heat, part * energy),
            relate("both", both, share * part * size * energy),
        ]
    )
    expected = {"bytes_read": 8.0, "heat": 2.0, "both": 16.0}
    assert {name: number(held.solve(name, size=8, energy=4)) for name in order} == expected


@pytest.mark.parametrize("further", [{}, {"u": 1}])
def test_of_two_fallbacks_the_one_that_a_relation_is_written_for_stays_whatever_else_that_relation_holds(further):
    """Nothing else holds v, so that the relation for f is no part of any plan; g yields to the sum of both."""
    both = bare("f g u v w x y", "y = x*f*g", "f = u*v", "w = g + f", fallbacks={"f": "2", "g": "5"})
    assert number(both.solve("y", x=3, w=40, **further)) == pytest.approx(3 * 2 * 38)
    assert number(both.solve("y", x=3, w=40, u=7, v=5)) == pytest.approx(3 * 35 * 5)
