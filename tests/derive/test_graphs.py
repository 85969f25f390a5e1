"""Pictures: well-formed, with every quantity that takes part and none that does not. Files: read as written."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.graphs import graph_asked_for, picture, written
from derive.model.relation import relate
from tests.derive.random_libraries import hidden
from tests.derive.terminal import ask, settle

TEXT = """[quantities]
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
"""
LIBRARY = derive.load(TEXT)
ON_FIVE = ("--library", "five.toml")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    settle(tmp_path, {"five.toml": TEXT}, monkeypatch)


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


@pytest.mark.parametrize("target", ["compute_time", "kv_bytes_per_token", "cost_per_token"])
def test_what_is_around_a_quantity_stands_in_the_order_of_the_library(target):
    whole, part = graph_asked_for(derive.llm, None), graph_asked_for(derive.llm, target)
    assert 2 < len(part) < len(whole) / 2
    assert [*part] == [node for node in whole if node in part]


def test_a_plan_that_does_not_exist_is_no_picture():
    with pytest.raises(derive.UnderdeterminedError, match="Give"):
        graph_asked_for(derive.llm, "step_time", ["batch"])


def test_a_profile_gives_a_plan_its_values():
    graph = graph_asked_for(derive.llm, "hardware_ratio", [], ["h100-sxm:fp8"])
    assert set(shown(picture(graph))[1]) == {"hardware_ratio", "peak_compute", "hbm_bandwidth"}


def test_no_quantity_of_a_large_library_is_left_out():
    assert len(shown(picture(derive.llm.graph()))[1]) == len(derive.llm.quantities)


def read_back(text, ending):
    """A graph as networkx reads it from a file."""
    if ending == ".json":
        return networkx.node_link_graph(json.loads(text), edges="edges")
    graph = networkx.parse_graphml(text)
    del graph.graph["node_default"], graph.graph["edge_default"]  # what the reader notes: there are none
    return graph


FILES = pytest.mark.parametrize("ending", [".json", ".graphml"])


@FILES
def test_the_file_of_the_built_in_library_reads_as_its_graph(ending):
    graph = derive.llm.graph()
    assert networkx.utils.graphs_equal(read_back(written(graph, ending), ending), graph)


@FILES
@given(seed=st.integers(0, 10_000), words=st.text(), target=st.sampled_from(["q0", "q1", "q2"]))
def test_files_of_random_libraries_and_plans_read_as_their_graphs(ending, seed, words, target):
    aside = derive.Quantity("aside", "m", words)
    said = relate("said", aside, 2 * aside - derive.Quantity("other", "m"), because=words, source=words)
    library = hidden(seed).library | derive.Library([said], title="Drawn")
    whole = library.graph()
    assert networkx.utils.graphs_equal(read_back(written(whole, ending), ending), whole)
    around = graph_asked_for(library, target)
    assert networkx.utils.graphs_equal(read_back(written(around, ending), ending), around)


@FILES
def test_the_file_of_an_answer_reads_as_its_graph(ending):
    graph = LIBRARY.solve("x", a="2..3 m").graph()
    assert graph.is_directed()
    assert networkx.utils.graphs_equal(read_back(written(graph, ending), ending), graph)


def test_a_file_is_written_in_the_format_that_its_ending_says():
    for ending in (".svg", ".graphml", ".json"):
        assert ask("graph", "c", "a", *ON_FIVE, "-o", f"plan{ending}").status == 0
    ElementTree.parse("plan.svg")
    for graph in (networkx.read_graphml("plan.graphml"), read_back(Path("plan.json").read_text("utf-8"), ".json")):
        assert set(graph.predecessors("relation:s")) == {"a", "b"}
        assert graph.nodes["a"]["role"] == "given"


def test_a_file_that_derive_did_not_write_is_kept():
    for ending in (".graphml", ".json"):
        path = Path(f"plan{ending}")
        assert ask("graph", *ON_FIVE, "-o", str(path)).status == 0
        assert ask("graph", "c", *ON_FIVE, "-o", str(path)).status == 0
        path.write_text(path.read_text("utf-8").replace("relation:s", "relation:z"), "utf-8")
        said = ask("graph", "c", *ON_FIVE, "-o", str(path))
        assert (said.status, "--force" in said.err) == (2, True)
        assert ask("graph", "c", *ON_FIVE, "-o", str(path), "--force").status == 0


def test_an_unknown_ending_is_refused_with_those_that_there_are():
    said = ask("graph", *ON_FIVE, "-o", "plan.dot")
    assert said.status == 2
    assert "Name a file that ends in .svg, .graphml or .json." in said.err
