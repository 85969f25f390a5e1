"""Pictures: well-formed, with every quantity that takes part and none that does not."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import derive
from derive.graphs import graph_asked_for, picture

LIBRARY = derive.load("""[quantities]
a = { unit = "m", meaning = "a < b & \\"c\\"" }
b = { unit = "m" }
c = { unit = "m" }
d = { unit = "m" }
x = { unit = "m" }
y = { unit = "m" }
[relations]
r = { equation = "b = 2*a" }
s = { equation = "c = b + a" }
sum = { equation = "x + y = c" }
gap = { equation = "x - y = b" }
far = { equation = "d = 3*c" }
""")
SVG = "{http://www.w3.org/2000/svg}"


def shown(picture):
    tree = ElementTree.fromstring(picture)
    names = [text.text.split()[0] for text in tree.iter(f"{SVG}text")]
    edges = [path.find(f"{SVG}title").text for path in tree.iter(f"{SVG}path") if path.find(f"{SVG}title") is not None]
    return tree, names, edges


def test_a_library_shows_each_quantity_once_and_its_relations():
    _, names, edges = shown(picture(LIBRARY.graph()))
    assert sorted(names) == sorted(LIBRARY.quantities)
    assert set(edges) == {"r", "s", "far"}  # the two that are written for a quantity have a direction


@pytest.mark.parametrize(
    ("target", "given", "names", "edges"),
    [
        ("c", ["a"], {"a", "b", "c"}, {"r", "s"}),
        ("a", ["b"], {"a", "b"}, {"r"}),
        ("x", ["a"], {"a", "b", "c", "x", "y"}, {"r", "s", "sum", "gap"}),
    ],
)
def test_a_plan_shows_what_takes_part_in_it(target, given, names, edges):
    _, found, arrows = shown(picture(graph_asked_for(LIBRARY, target, given)))
    assert sorted(found) == sorted(names)
    assert set(arrows) == edges


def test_what_a_block_needs_stands_to_its_left():
    tree, _, _ = shown(picture(graph_asked_for(LIBRARY, "x", ["a"])))
    left = {
        group.find(f"{SVG}text").text.split()[0]: float(group.find(f"{SVG}rect").get("x"))
        for group in tree.iter(f"{SVG}g")
    }
    assert left["a"] < left["b"] < left["c"] < left["x"] == left["y"]


def test_without_givens_what_leads_to_a_quantity_is_shown_and_what_it_serves():
    _, found, arrows = shown(picture(graph_asked_for(LIBRARY, "c", [])))
    assert sorted(found) == ["a", "b", "c", "d"]
    assert set(arrows) == {"r", "s", "far"}


def test_a_plan_that_does_not_exist_is_no_picture():
    with pytest.raises(derive.UnderdeterminedError, match="Give"):
        graph_asked_for(derive.llm, "step_time", ["batch"])


def test_a_profile_gives_a_plan_its_values():
    graph = graph_asked_for(derive.llm, "hardware_ratio", [], ["h100-sxm:fp8"])
    assert set(shown(picture(graph))[1]) == {"hardware_ratio", "peak_compute", "hbm_bandwidth"}


def test_no_quantity_of_a_large_library_is_left_out():
    assert len(shown(picture(derive.llm.graph()))[1]) == len(derive.llm.quantities)
