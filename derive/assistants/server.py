"""The Model Context Protocol over stdio: the tools of this room, as an assistant's program calls them.

The protocol is spoken by its maintained SDK. A refusal is the error of a tool, in derive's words and as data; anything
else that goes wrong is said without a traceback. What a tool computes is limited in time as every question is, and
lies in a thread of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import ConfigDict, Field

from derive.assistants.tools import LONGEST, Reply, Tools, refusal
from derive.errors import DeriveError
from derive.library import Library
from derive.presentation.numbers import finite

__all__ = ["serve", "server"]

_NO_LIST: list[Any] = []  # never changed: a question without them
_NO_TABLE: dict[str, Any] = {}

_Result = Annotated[CallToolResult, dict[str, Any]]

_INSTRUCTIONS = """
Relations between quantities with units, asked in any direction: give what is known, with units, and ask for any
quantity. Every answer is put back into the relations that it used. Look up the names of quantities with `find`
first. Values are texts with their units ("3.35 TB/s/chip", "2..6 s" for a range), and bare numbers only where the
unit is 1. `profiles` are named sets of values (chips, models, price sheets), which yield to what is given. Read
`failed`, `unused` and `assumptions` of an answer before you repeat its number. With `relations` a question brings
relations of its own, as the TOML text of a relation file.
"""

_Target = Annotated[str, Field(description="The name of the quantity that is asked for.", max_length=300)]
_Given = Annotated[
    dict[str, str | float], Field(description="A value with its unit for each quantity that is known.", max_length=300)
]
_Choices = Annotated[
    dict[str, str | float | list[str]],
    Field(
        description="A value; or what is free to choose: a range such as '1..4096 sequence', or a list.", max_length=300
    ),
]
_Profiles = Annotated[list[str], Field(description="Profiles of values, such as 'h100-sxm:fp8'.", max_length=100)]
_Names = Annotated[list[str], Field(description="The names of the quantities that are given.", max_length=300)]
_Alternatives = Annotated[
    list[str | list[str]], Field(description="Profiles; of a list of profiles any one may be taken.", max_length=100)
]
_Relations = Annotated[
    str, Field(description="The text of a relation file (TOML) that the question brings.", max_length=400_000)
]
_Seconds = Annotated[float, Field(description="The time that the question may take.", gt=0, le=LONGEST)]


def server(library: Library) -> MCPServer:
    """A server of one library, with all its tools."""
    import derive

    tools, made = Tools(library), list[Tool]()
    _add_questions(made, tools)
    _add_searches(made, tools)
    version = str(derive.__version__)
    return MCPServer("derive", instructions=_INSTRUCTIONS.strip(), version=version, log_level="ERROR", tools=made)


def _add_questions(made: list[Tool], tools: Tools) -> None:
    @_tool(made, "Solve for a quantity: its value with unit, steps, sources, assumptions, failed checks.")
    def solve(
        target: _Target,
        given: _Given = _NO_TABLE,
        profiles: _Profiles = _NO_LIST,
        relations: _Relations = "",
        seconds: _Seconds = 10.0,
    ) -> _Result:
        return _said(lambda: tools.solve(target, given, profiles, relations, seconds))

    @_tool(made, "The closed form of a quantity in terms of the quantities that are given by name.")
    def formula(
        target: _Target, given: _Names = _NO_LIST, relations: _Relations = "", seconds: _Seconds = 10.0
    ) -> _Result:
        return _said(lambda: tools.formula(target, given, relations, seconds))

    @_tool(
        made, "The choice that makes a quantity least (or most), proved: ranges and lists among the givens are free."
    )
    def least(
        target: _Target,
        given: _Choices = _NO_TABLE,
        profiles: _Alternatives = _NO_LIST,
        such_that: Annotated[list[str], Field(description="Limits, with <= or >=.", max_length=50)] = _NO_LIST,
        sense: Literal["least", "most"] = "least",
        relations: _Relations = "",
        seconds: _Seconds = 30.0,
    ) -> _Result:
        return _said(lambda: tools.best(sense, target, given, profiles, such_that, relations, seconds))

    @_tool(made, "Check a relation file: units, names, repetitions and worked examples, each problem with its mend.")
    def check(relations: _Relations, seconds: _Seconds = 10.0) -> _Result:
        return _said(lambda: tools.check(relations, seconds))


def _add_searches(made: list[Tool], tools: Tools) -> None:
    @_tool(made, "Find quantities, relations and profiles by name, alias and meaning, the nearest first.")
    def find(words: Annotated[str, Field(max_length=300)]) -> _Result:
        return _said(lambda: tools.find(words))

    @_tool(made, "List quantities, relations or profiles, or those that mention all of some words.", name="list")
    def list_(
        kind: Literal["quantities", "relations", "profiles"] = "quantities",
        words: Annotated[str, Field(max_length=300)] = "",
        most: Annotated[int, Field(gt=0, le=2000)] = 50,
    ) -> _Result:
        return _said(lambda: tools.list(kind, words, most))

    @_tool(made, "Show all that bear a name: unit, meaning, equation, reason, source, values.")
    def show(name: Annotated[str, Field(max_length=300)]) -> _Result:
        return _said(lambda: tools.show(name))


def _tool(
    made: list[Tool], description: str, name: str | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A tool that only reads and always answers the same; it refuses arguments that it does not know."""
    harmless = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

    def added(ask: Callable[..., Any]) -> Callable[..., Any]:
        tool = Tool.from_function(ask, name=name, description=description, annotations=harmless)
        loose = tool.fn_metadata.arg_model
        strict = type(loose.__name__, (loose,), {"model_config": ConfigDict(extra="forbid"), "__module__": __name__})
        metadata = tool.fn_metadata.model_copy(update={"arg_model": strict})
        parameters = {**tool.parameters, "additionalProperties": False}
        made.append(tool.model_copy(update={"fn_metadata": metadata, "parameters": parameters}))
        return ask

    return added


def _said(ask: Callable[[], Reply]) -> CallToolResult:
    """The reply of a tool; a refusal is its error."""
    try:
        reply = ask()
    except DeriveError as error:
        reply = refusal(error)
    except RecursionError:
        reply = Reply("The question is nested too deep.", {"error": "LimitError"}, is_refusal=True)
    content = TextContent(type="text", text=reply.text)
    return CallToolResult(content=[content], structured_content=finite(reply.data), is_error=reply.is_refusal)


def serve(library: Library) -> None:
    """Serve one assistant over stdio until it leaves."""
    logging.basicConfig(level=logging.ERROR)  # on the standard error
    server(library).run("stdio")
