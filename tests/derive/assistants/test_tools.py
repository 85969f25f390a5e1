"""The tools of an assistant say what the engine says, and keep what a question brings out of everything else."""

from __future__ import annotations

import json

import pytest

import derive
from derive import DeriveError
from derive.assistants.tools import Tools, refusal
from quantities.definitions import entry

TOOLS = Tools(derive.llm)
CLIFF = {
    "peak_compute": "1978.9 TFLOP/s/chip",
    "hbm_bandwidth": "3.35 TB/s/chip",
    "active_parameters": "100 Gparameter",
    "crossover_context": "200 ktoken/sequence",
}
CONTRADICTION = {"halls": 2, "chips": "1 chip", "hall_chips": "4 chip", "chip_price": "3 USD/h/chip"}
HALL = """[units]
florin = "2 USD"
[quantities]
halls = { unit = "" }
rent = { unit = "florin/h" }
hall_chips = { unit = "chip", value = "4608 chip" }
[relations]
halls = { equation = "halls = chips/hall_chips" }
rent = { equation = "rent = chips*chip_price" }
"""


def test_an_answer_carries_all_that_it_stands_on() -> None:
    reply = TOOLS.solve("kv_bytes_per_token", CLIFF)
    answer = derive.solve("kv_bytes_per_token", **CLIFF)
    assert reply.text == answer.text()
    assert reply.data["value"] == answer.value.magnitude
    assert reply.data["unit"] == "byte/token"
    assert reply.data["steps"]
    assert reply.data["assumptions"] == list(answer.assumptions)
    assert reply.data["sources"] == [str(source) for source in answer.sources]
    assert json.loads(json.dumps(reply.data)) == reply.data


def test_failed_checks_and_idle_givens_are_told() -> None:
    given = {"batch": "240 sequence", "weight_bytes": "26 GB", "chips": "8 chip", "layers": 80}
    given |= {
        "kv_bytes_per_sequence": "6.7 GB/sequence",
        "hbm_bandwidth": "820 GB/s/chip",
        "hbm_capacity": "16 GB/chip",
    }
    reply = TOOLS.solve("memory_throughput", given)
    assert [one["name"] for one in reply.data["failed"]] == ["fits_in_memory"]
    assert reply.data["unused"] == ["layers"]
    assert "fits_in_memory does not hold" in reply.text


def test_relations_come_with_a_question_and_go_with_it() -> None:
    reply = TOOLS.solve("halls", {"chips": "9216 chip"}, relations=HALL)
    assert reply.data["value"] == 2
    rent = TOOLS.solve("rent", {"chips": "2 chip", "chip_price": "3 USD/h/chip"}, relations=HALL)
    assert (rent.data["value"], rent.data["unit"]) == (3.0, "florin/h")
    dearer = TOOLS.solve(
        "rent", {"chips": "2 chip", "chip_price": "3 USD/h/chip"}, relations=HALL.replace("2 USD", "3 USD")
    )
    assert dearer.data["value"] == pytest.approx(2, rel=1e-15)
    assert entry("florin") is None
    with pytest.raises(DeriveError, match="no quantity 'halls'"):
        TOOLS.solve("halls", {"chips": "9216 chip"})


@pytest.mark.parametrize("uses", ["/etc/secret.toml", "secret.toml", "../x.toml"])
def test_a_text_uses_no_files(tmp_path, monkeypatch, uses) -> None:
    (tmp_path / "secret.toml").write_text("password = 'x'", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for ask in (TOOLS.check, lambda text: TOOLS.solve("batch", {}, relations=text)):
        with pytest.raises(DeriveError, match="uses no files"):
            ask(f'uses = ["{uses}"]\n[quantities]\nx = {{ unit = "" }}')


def test_a_check_names_each_problem_with_its_mend() -> None:
    reply = TOOLS.check(HALL.replace("chips/hall_chips", "chips*hall_chips"))
    (problem,) = reply.data["problems"]
    assert (problem["line"], reply.data["consistent"]) == (8, False)
    assert "divide by hall_chips instead." in problem["hint"]
    assert TOOLS.check(HALL).data == {"consistent": True, "problems": [], "relations": 2, "quantities": 3}


def test_a_formula_comes_with_its_units() -> None:
    reply = TOOLS.formula("halls", ["chips"], relations=HALL)
    assert reply.data["formula"] == "chips/hall_chips"
    assert reply.data["units"] == {"halls": "1", "chips": "chip", "hall_chips": "chip"}
    assert reply.data["latex"]


def test_a_formula_of_an_expression_is_that_of_the_library() -> None:
    reply = Tools(derive.load("circuits")).formula("voltage/resistance in mA", ["current"])
    assert (reply.data["formula"], reply.data["units"]["current"]) == ("current", "A")


def test_the_units_of_a_formula_are_those_in_which_it_holds() -> None:
    way = derive.load("""[quantities]
    way = { unit = "km" }
    speed = { unit = "km/h" }
    time = { unit = "min" }
    [relations.way]
    equation = "way = speed*time"
    """)
    reply = Tools(way).formula("way in mile", ["speed", "time"])
    assert reply.data["formula"] == "speed*time"
    assert [*reply.data["units"].values()] == ["m", "m/s", "s"]


@pytest.mark.thorough
def test_the_best_choice_is_proved() -> None:
    given = {"context": "8 ktoken/sequence", "batch": "1..4096 sequence", "chips": ["8 chip", "32 chip"]}
    reply = TOOLS.least(
        "cost_per_token",
        given,
        [["h100-sxm:fp8", "b200-sxm:fp8"], "llama3-70b"],
        ["user_speed >= 200 token/s/sequence"],
    )
    assert reply.data["proved"] is True
    assert reply.text.startswith("least cost_per_token = 1.16632 USD/Mtoken at batch = 68 sequence")
    most = TOOLS.least("user_speed", {**given, "chips": "8 chip"}, ["h100-sxm:fp8", "llama3-70b"], sense="most")
    assert most.text.startswith("most user_speed = ")


def test_lists_are_cut_and_say_so() -> None:
    whole = TOOLS.list("quantities")
    assert len(whole.data["found"]) == 50
    assert whole.data["total"] == len(derive.llm.declared)
    assert whole.text.endswith(f"... {whole.data['total'] - 50} more: ask with words, or for more.")
    assert TOOLS.list("relations", "kv cache").data["total"] < 100
    assert TOOLS.list("quantities", "zzzz").text == "No quantity mentions zzzz."
    assert TOOLS.find("TPOT").data["found"][0]["name"] == "time_per_output_token"
    assert "because" in TOOLS.show("kv_time").text


@pytest.mark.parametrize(
    ("ask", "error", "fact"),
    [
        (lambda: TOOLS.solve("kv_byte_per_token", {}), "UnknownNameError", "suggestions"),
        (lambda: TOOLS.solve("step_time", {}), "UnderdeterminedError", "missing"),
        (lambda: TOOLS.solve("batch", {"batch": "3 m"}), "UnitError", "hint"),
        (lambda: TOOLS.solve("batch", {"batch": "-3 sequence"}), "DomainError", "hint"),
        (
            lambda: TOOLS.solve("rent", CONTRADICTION, relations=HALL),
            "InconsistentError",
            "conflicts",
        ),
        (lambda: TOOLS.show("nobody"), "UnknownNameError", "hint"),
    ],
)
def test_a_refusal_is_in_the_words_of_the_engine(ask, error, fact) -> None:
    with pytest.raises(DeriveError) as raised:
        ask()
    reply = refusal(raised.value)
    assert reply.text == str(raised.value)
    assert reply.data["error"] == error
    assert reply.data[fact]
    assert json.loads(json.dumps(reply.data)) == reply.data


def test_a_text_that_is_no_toml_is_a_problem() -> None:
    (problem,) = TOOLS.check("[quantities").data["problems"]
    assert "not TOML" in problem["message"]


def test_a_question_is_limited_in_time() -> None:
    hard = "\n".join(
        ["[quantities]", *(f"x{i} = {{ unit = '', domain = 'real' }}" for i in range(12)), "[relations]"]
        + [
            f"r{i} = {{ equation = 'x{i}**3 + sin(x{(i + 1) % 12})*x{(i + 5) % 12} = exp(x{(i + 7) % 12}) - {i}' }}"
            for i in range(12)
        ]
    )
    with pytest.raises(DeriveError) as refused:
        TOOLS.solve("x0", {}, relations=hard, seconds=0.01)
    assert type(refused.value).__name__ in ("LimitError", "NoSolutionError", "AmbiguousError")
