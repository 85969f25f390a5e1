"""The graph of an answer: its numbers, its case and its checks, in the direction of the derivation."""

from __future__ import annotations

import pickle
from random import Random

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from tests.derive.random_libraries import hidden
from tests.derive.random_questions import scene, text
from tests.ordinary import examples

ROOM = derive.load("""[quantities]
width = { unit = "m" }
length = { unit = "m" }
area = { unit = "m**2" }
height = { unit = "m", value = "2.5 m" }
volume = { unit = "m**3" }
people = { unit = "" }
air = { unit = "m**3" }
least_air = { unit = "m**3" }
colour = { unit = "" }
rate = { unit = "1/s" }
slow = { unit = "1/s" }
fast = { unit = "1/s" }
[relations]
area = { equation = "area = width*length", because = "a rectangle" }
volume = { equation = "volume = area*height" }
air = { equation = "air = volume/people" }
enough = { equation = "air >= least_air" }
rate = { equation = "rate = max(slow, fast)" }
[profiles.hall]
height = "6 m"
length = "20 m"
volume = "700 m**3"
""")
SIDES = {"width": "4 m", "length": "5 m"}


def quantities(graph):
    return {name: attributes for name, attributes in graph.nodes(data=True) if attributes["kind"] == "quantity"}


def prove_sound(answer):
    """What holds of the graph of any answer."""
    graph = answer.graph()
    target = answer.quantity.name
    assert graph.graph == {"target": target}
    assert networkx.is_bipartite(graph)
    is_simultaneous = any("block" in attributes for attributes in quantities(graph).values())
    assert is_simultaneous or networkx.is_directed_acyclic_graph(graph)
    leading = networkx.ancestors(graph, target) | {target}
    assert leading.issuperset(set(answer.given) - set(answer.unused))
    assert all("role" in attributes for attributes in quantities(graph).values())
    assert all(graph.nodes[name]["unused"] for name in answer.unused)
    tests = [key for key, attributes in graph.nodes(data=True) if key.startswith("check:")]
    assert len(tests) == len(answer.checks)
    assert not any(graph.out_degree(key) for key in tests)
    used = {part.relation for step in answer.steps for part in (step.together or (step,))}
    shown = {key.removeprefix("relation:") for key in graph if key.startswith("relation:")}
    stepped = {name for names in used for name in names.split(", ")}
    assert shown >= stepped
    assert shown == stepped or answer.base is None  # what leads to a limit is drawn, and is no step
    assert networkx.utils.graphs_equal(pickle.loads(pickle.dumps(answer)).graph(), graph)


@pytest.mark.long
@examples(40, ordinary=5)
@given(st.integers(0, 10_000))
def test_graphs_of_random_questions_are_sound(seed):
    draw = Random(seed)
    case = hidden(seed)
    target = draw.choice(list(case.numbers))
    known = {
        name: number
        for name, number in case.numbers.items()
        if name != target and (name in case.factors or draw.random() < 0.5)
    }
    if draw.random() < 0.3:
        name = draw.choice(list(known))
        known[name] = f"{known[name] * 0.9}..{known[name] * 1.1}"
    try:
        answers = case.library.solve_all(target, **known)
    except derive.DeriveError:
        return
    for answer in answers:
        prove_sound(answer)


@pytest.mark.thorough
@given(st.integers(0, 10_000))
def test_graphs_of_questions_to_the_built_in_library_are_sound(seed):
    asked = scene(derive.llm, Random(seed))
    known = {name: text(derive.llm, name, number) for name, number in asked.given.items()}
    try:
        answers = derive.llm.solve_all(asked.target, **known)
    except derive.DeriveError:
        return
    for answer in answers:
        prove_sound(answer)


def test_it_runs_from_the_givens_through_the_relations_to_the_target():
    answer = ROOM.solve("volume", **SIDES)
    graph = answer.graph()
    assert set(graph.edges) == {
        ("width", "relation:area"),
        ("length", "relation:area"),
        ("relation:area", "area"),
        ("area", "relation:volume"),
        ("height", "relation:volume"),
        ("relation:volume", "volume"),
    }
    roles = {name: attributes["role"] for name, attributes in quantities(graph).items()}
    assert roles == {
        "width": "given",
        "length": "given",
        "area": "intermediate",
        "height": "default",
        "volume": "result",
    }
    assert [graph.nodes[key]["step"] for key in ("relation:area", "relation:volume")] == [1, 2]
    assert graph.nodes["relation:area"]["because"] == "a rectangle"


def test_a_number_stands_as_it_was_stated_and_in_the_unit_of_its_quantity():
    graph = ROOM.solve("volume", width="400 cm", length="5 m").graph()
    shown = {
        name: (attributes["text"], attributes["magnitude"], attributes["unit"])
        for name, attributes in quantities(graph).items()
    }
    assert shown == {
        "width": ("400 cm", 4.0, "m"),
        "length": ("5 m", 5.0, "m"),
        "area": ("20 m**2", 20.0, "m**2"),
        "height": ("2.5 m", 2.5, "m"),
        "volume": ("50 m**3", 50.0, "m**3"),
    }


def test_a_value_of_a_profile_names_it_and_one_that_yields_is_a_check():
    graph = ROOM.solve("air", "hall", width="4 m", people=10).graph()
    assert (graph.nodes["height"]["role"], graph.nodes["height"]["profile"]) == ("profile", "hall")
    failed = graph.nodes["check:=volume"]
    assert (failed["role"], failed["passed"]) == ("check", False)
    assert "700" in failed["verdict"]
    assert list(graph.predecessors("check:=volume")) == ["volume"]


def test_a_limit_is_a_check_that_only_consumes():
    graph = ROOM.solve("air", **SIDES, people=10, least_air="4 m**3").graph()
    check = graph.nodes["check:enough"]
    assert (check["equation"], check["passed"]) == ("air >= least_air", True)
    assert set(graph.predecessors("check:enough")) == {"air", "least_air"}
    assert list(graph.successors("check:enough")) == []
    assert (graph.nodes["least_air"]["role"], graph.nodes["least_air"]["text"]) == ("check", "4 m**3")


def test_what_plays_no_part_stands_apart():
    graph = ROOM.solve("area", **SIDES, colour=3).graph()
    colour = graph.nodes["colour"]
    assert (colour["role"], colour["unused"], colour["text"]) == ("unused", True, "3")
    assert graph.degree("colour") == 0


def test_the_arm_that_binds_stands_in_the_relation():
    graph = ROOM.solve("rate", slow="2 1/s", fast="3..9 1/s").graph()
    assert graph.nodes["relation:rate"]["regime"] == "fast"


def test_ranges_have_both_ends():
    graph = ROOM.solve("volume", width="3..5 m", length="5 m").graph()
    assert (graph.nodes["width"]["text"], graph.nodes["width"]["low"], graph.nodes["width"]["high"]) == ("3..5 m", 3, 5)
    volume = graph.nodes["volume"]
    assert [volume[end] for end in ("low", "magnitude", "high")] == pytest.approx([37.5, 50, 62.5])


def test_a_bounded_answer_has_a_graph_with_the_ends_that_there_are():
    (answer,) = ROOM.solve_all("slow", rate="3 1/s", fast="3 1/s")
    graph = answer.graph()
    assert answer.value is None
    assert (graph.nodes["slow"]["role"], graph.nodes["slow"]["high"]) == ("result", 3.0)
    assert "magnitude" not in graph.nodes["slow"]
    prove_sound(answer)


PAIR = derive.load("""[quantities]
x = { unit = "m", domain = "real" }
y = { unit = "m", domain = "real" }
total = { unit = "m" }
gap = { unit = "m", domain = "real" }
twice = { unit = "m", domain = "real" }
[relations]
total = { equation = "x + y = total" }
gap = { equation = "x - y = gap" }
twice = { equation = "twice = 2*x" }
""")


def test_relations_that_are_solved_together_are_marked_and_joined_both_ways():
    answer = PAIR.solve("twice", total="5 m", gap="1 m")
    graph = answer.graph()
    blocks = {name: attributes.get("block") for name, attributes in graph.nodes(data=True)}
    assert blocks == {
        "x": 1,
        "y": 1,
        "relation:total": 1,
        "relation:gap": 1,
        "total": None,
        "gap": None,
        "relation:twice": None,
        "twice": None,
    }
    assert max(networkx.strongly_connected_components(graph), key=len) == {"x", "y", "relation:total", "relation:gap"}
    prove_sound(answer)


GAS = derive.load("""[quantities]
p = { unit = "Pa" }
V = { unit = "m**3" }
n = { unit = "mol" }
R = { unit = "J/mol/K", value = "8.314 J/mol/K" }
T = { unit = "K" }
m = { unit = "kg" }
M = { unit = "kg/mol" }
rho = { unit = "kg/m**3" }
[relations]
gas = { equation = "p*V = n*R*T" }
mass = { equation = "m = n*M" }
density = { equation = "rho = m/V" }
""")


def test_what_cancels_is_open_and_still_leads_to_the_target():
    answer = GAS.solve("rho", p="1e5 Pa", T="300 K", M="0.029 kg/mol")
    graph = answer.graph()
    assert {name for name, attributes in quantities(graph).items() if attributes["role"] == "open"} == {"V", "n", "m"}
    assert not any("magnitude" in graph.nodes[name] for name in ("V", "n", "m"))
    prove_sound(answer)


FLOW = derive.load("""[quantities]
speed = { unit = "m/s" }
edge = { unit = "m/s" }
drag = { unit = "N" }
slope = { unit = "N*s/m" }
[relations]
slow = { equation = "drag = slope*speed", when = ["speed < edge"] }
""")


def test_a_condition_that_nothing_decides_is_assumed():
    graph = FLOW.solve("drag", speed="2 m/s", slope="3 N*s/m").graph()
    assert graph.nodes["relation:slow"]["assumed"] == "speed < edge"
    assert graph.nodes["edge"]["role"] == "condition"
    assert graph.edges["edge", "relation:slow"]["stands"] == "condition"
    graph = FLOW.solve("drag", speed="2 m/s", slope="3 N*s/m", edge="9 m/s").graph()
    assert "assumed" not in graph.nodes["relation:slow"]
    assert (graph.nodes["edge"]["role"], graph.nodes["edge"]["magnitude"]) == ("given", 9.0)


def test_a_target_that_is_given_is_its_own_graph():
    answer = ROOM.solve("width", width="4 m")
    assert answer.graph().nodes["width"]["role"] == "given"
    prove_sound(answer)


def test_a_question_that_is_asked_again_has_the_graph_of_its_own_numbers():
    first = ROOM.solve("volume", **SIDES)
    again = ROOM.solve("volume", width="8 m", length="5 m")
    assert again.graph().nodes["volume"]["magnitude"] == 100.0
    assert set(again.graph().edges) == set(first.graph().edges)
    prove_sound(ROOM.solve("volume", width="9 m", length="5 m"))


def test_what_a_best_choice_was_asked_to_keep_is_a_check_of_its_quantities():
    best = ROOM.most("area", length="5 m", width="1..9 m", such_that=["volume <= 60 m**3"])
    graph = best.answer.graph()
    (key,) = [name for name in graph if name.startswith("check:volume")]
    assert graph.nodes[key]["passed"]
    assert "volume" in graph.pred[key]
    assert graph.nodes["volume"]["magnitude"] == pytest.approx(60)


def test_a_limit_leads_to_the_target_that_it_bounds_through_another_quantity():
    (answer,) = ROOM.solve_all("people", volume="50 m**3", least_air="4 m**3")
    graph = answer.graph()
    assert set(graph.edges) >= {
        ("volume", "relation:air"),
        ("relation:air", "people"),
        ("air", "relation:enough"),
        ("least_air", "relation:enough"),
        ("relation:enough", "air"),
    }
    assert graph.nodes["people"]["block"] == graph.nodes["air"]["block"]
    assert (graph.nodes["people"]["high"], graph.nodes["air"]["role"]) == (12.5, "intermediate")
    prove_sound(answer)
