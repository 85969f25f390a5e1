"""The Model Context Protocol, asked by the SDK's own client over stdio."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="mcp comes with the extra serve")

from click.testing import CliRunner
from mcp import Client, StdioServerParameters, stdio_client

import derive
from derive.assistants.server import server
from derive.cli import cli
from derive.errors import DeriveError

FALL = """[quantities]
height = { unit = "m" }
time = { unit = "s" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
[relations.fall]
equation = "height = gravity*time**2/2"
"""


def with_a_client(work):
    """Run some work with a client of the server in this process."""

    async def session():
        async with Client(server(derive.llm)) as client:
            return await work(client)

    return asyncio.run(session())


def over_stdio(work, *words):
    """Run some work with a client of `derive serve`."""

    async def session():
        environment = {**os.environ, "PYTHONPATH": str(Path(derive.__file__).parents[1])}
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "derive", "serve", *words], env=environment
        )
        async with Client(stdio_client(parameters)) as client:
            return await work(client)

    return asyncio.run(session())


def test_the_tools_have_schemas_and_descriptions() -> None:
    async def work(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in with_a_client(work)}
    assert tools.keys() == {"solve", "formula", "least", "check", "find", "list", "show"}
    assert all(tool.description and tool.annotations.read_only_hint for tool in tools.values())
    assert tools["solve"].input_schema["required"] == ["target"]


@pytest.mark.thorough
def test_questions_are_answered_with_text_and_data(tmp_path) -> None:
    async def work(client):
        answer = await client.call_tool("solve", {"target": "time", "given": {"height": "10 m"}})
        assert not answer.is_error
        assert answer.content[0].text.startswith("time = 1.42809 s")
        data = answer.structured_content
        assert (data["unit"], data["failed"], data["unused"]) == ("s", [], [])
        assert abs(data["value"] - (20 / 9.80665) ** 0.5) < 1e-12
        assert data["given"]["gravity"]["value"] == "9.80665 m/s**2"
        form = await client.call_tool("formula", {"target": "time", "given": ["height", "gravity"]})
        assert form.structured_content["formula"] == "sqrt(2)*sqrt(height)/sqrt(gravity)"
        best = await client.call_tool("least", {"target": "time", "given": {"height": "1..10 m"}})
        assert best.structured_content["proved"] is True
        wrong = await client.call_tool("check", {"relations": FALL.replace("time**2", "time")})
        assert "line" in wrong.structured_content["problems"][0]
        found = await client.call_tool("find", {"words": "height"})
        assert found.structured_content["found"][0]["name"] == "height"
        listed = await client.call_tool("list", {"kind": "relations"})
        assert listed.structured_content["found"] == [{"relation": "fall", "equation": "height = gravity*time**2/2"}]
        refused = await client.call_tool("solve", {"target": "heigth"})
        assert refused.is_error
        assert "Did you mean height?" in refused.content[0].text
        shown = await client.call_tool("show", {"name": "gravity"})
        assert "9.80665" in shown.content[0].text

    path = tmp_path / "fall.toml"
    path.write_text(FALL, encoding="utf-8")
    over_stdio(work, "--library", str(path))


def test_a_refusal_is_a_tools_error_in_derives_words() -> None:
    async def work(client):
        refused = await client.call_tool("solve", {"target": "kv_byte_per_token"})
        with pytest.raises(DeriveError) as raised:
            derive.solve("kv_byte_per_token")
        assert refused.is_error
        assert refused.content[0].text == str(raised.value)
        assert refused.structured_content["error"] == "UnknownNameError"
        open_one = await client.call_tool("solve", {"target": "step_time"})
        assert open_one.is_error
        assert "Give" in open_one.content[0].text
        for arguments in ({"target": 3}, {}, {"target": "x", "given": {"x": [1]}}, {"target": "x", "seconds": 1e9}):
            refused = await client.call_tool("solve", arguments)
            assert refused.is_error
            assert "Traceback" not in refused.content[0].text
        bound = await client.call_tool("solve", {"target": "batch", "given": {"batch": "inf sequence"}})
        assert bound.is_error
        json.dumps(bound.structured_content, allow_nan=False)

    with_a_client(work)


def test_what_a_tool_does_not_know_is_refused_and_not_passed_over() -> None:
    async def work(client):
        for tool in (await client.list_tools()).tools:
            assert tool.input_schema["additionalProperties"] is False
            needed = dict.fromkeys(tool.input_schema.get("required", ()), "batch")
            refused = await client.call_tool(tool.name, {**needed, "profile": "h100-sxm:fp8"})
            assert refused.is_error, tool.name
            assert "profile" in refused.content[0].text

    with_a_client(work)


def test_a_number_is_no_truth_value_and_keeps_its_digits() -> None:
    relations = """[quantities]
    one = { unit = "", domain = "real" }
    rest = { unit = "", domain = "real" }
    [relations.rest]
    equation = "rest = one - 2**53"
    """

    async def work(client):
        said = {"target": "rest", "relations": relations}
        return [await client.call_tool("solve", {**said, "given": {"one": one}}) for one in (2**53 + 1, True, 10**400)]

    exact, truth, large = with_a_client(work)
    assert exact.structured_content["value"] == 1.0
    assert truth.is_error
    assert large.is_error
    assert "exceeds the range of double precision" in large.content[0].text


def test_several_questions_at_once_have_each_their_answer() -> None:
    async def work(client):
        asked = [f"{height} m" for height in (1, 4, 9, 16)]
        asking = [
            client.call_tool("solve", {"target": "time", "given": {"height": height}, "relations": FALL})
            for height in asked
        ]
        return [answer.structured_content["value"] for answer in await asyncio.gather(*asking)]

    found = with_a_client(work)
    assert [round(value / found[0], 9) for value in found] == [1, 2, 3, 4]


def test_without_the_extra_the_command_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    result = CliRunner().invoke(cli, ["serve"])
    assert isinstance(result.exception, DeriveError)
    assert str(result.exception) == "This needs mcp, which is not installed. pip install 'derive-engine[serve]'"
