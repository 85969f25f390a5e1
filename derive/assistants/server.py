"""The Model Context Protocol over stdio: the verbs that are tools, as an assistant's program calls them.

The protocol is spoken by its maintained SDK. A refusal is the error of a tool, in derive's words and as data; anything
else that goes wrong is said without a traceback. What a tool computes is limited in time as every question is, and
lies in a thread of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from inspect import Parameter, signature
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import ConfigDict, Field, Strict

from derive.assistants.tools import LONGEST, Reply, Tools, refusal
from derive.errors import DeriveError
from derive.library import Library
from derive.presentation.plain_data import finite_data
from derive.verbs import VERBS, Verb

_INSTRUCTIONS = """
Relations between quantities with units, asked in any direction: give what is known, with units, and ask for any
quantity. Every answer is put back into the relations that it used. Look up the names of quantities with `find`
first. Values are texts with their units ("3.35 TB/s/chip", "2..6 s" for a range), and bare numbers only where the
unit is 1. `profiles` are named sets of values (chips, models, price sheets), which yield to what is given. Read
`failed`, `unused` and `assumptions` of an answer before you repeat its number. With `relations` a question brings
relations of its own, as the TOML text of a relation file.
"""

_Word = Annotated[str, Field(max_length=300)]
_Given = str | Annotated[int, Strict()] | Annotated[float, Strict()]  # true is no number, and a whole one stays whole
_TYPES: dict[str, Any] = {
    "target": Annotated[str, Field(description="The name of the quantity that is asked for.", max_length=300)],
    "given": Annotated[
        dict[str, _Given],
        Field(description="A value with its unit for each quantity that is known.", max_length=300),
    ],
    "profiles": Annotated[list[str], Field(description="Profiles of values, such as 'h100-sxm:fp8'.", max_length=100)],
    "such_that": Annotated[list[str], Field(description="Limits, with <= or >=.", max_length=50)],
    "sense": Literal["least", "most"],
    "relations": Annotated[
        str, Field(description="The text of a relation file (TOML) that the question brings.", max_length=400_000)
    ],
    "seconds": Annotated[float, Field(description="The time that the question may take.", gt=0, le=LONGEST)],
    "kind": Literal["quantities", "relations", "profiles"],
    "words": _Word,
    "most": Annotated[int, Field(gt=0, le=2000)],
    "name": _Word,
    "formula given": Annotated[
        list[str], Field(description="The names of the quantities that are given.", max_length=300)
    ],
    "least given": Annotated[
        dict[str, _Given | list[_Given]],
        Field(
            description="A value; or what is free to choose: a range such as '1..4096 sequence', or a list.",
            max_length=300,
        ),
    ],
    "least profiles": Annotated[
        list[str | list[str]],
        Field(description="Profiles; of a list of profiles any one may be taken.", max_length=100),
    ],
}
"""The type of each parameter with its limits, by its name, and where a verb means something else by both names."""

_HARMLESS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def server(library: Library) -> MCPServer:
    """The assistant's server of one library, with a tool for each verb that is one."""
    import derive

    tools, version = Tools(library), str(derive.__version__)
    mcp_tools = [_tool(verb, getattr(tools, verb.name)) for verb in VERBS if verb.tool]
    return MCPServer("derive", instructions=_INSTRUCTIONS.strip(), version=version, log_level="ERROR", tools=mcp_tools)


def _tool(verb: Verb, method: Callable[..., Reply]) -> Tool:
    """A verb as a tool that the protocol marks as one that only reads; it refuses arguments that it does not know."""

    def ask(**stated: Any) -> CallToolResult:
        return _result_of(lambda: method(**stated))

    stated = signature(method)
    typed = [_typed(verb, parameter) for parameter in stated.parameters.values()]
    ask.__name__ = verb.place.rpartition(":")[2]
    ask.__signature__ = stated.replace(  # type: ignore[attr-defined]  # of which the SDK makes the schema
        parameters=typed, return_annotation=Annotated[CallToolResult, dict[str, Any]]
    )
    tool = Tool.from_function(ask, name=verb.name, description=verb.tool, annotations=_HARMLESS)
    loose = tool.fn_metadata.arg_model
    strict = type(loose.__name__, (loose,), {"model_config": ConfigDict(extra="forbid"), "__module__": __name__})
    metadata = tool.fn_metadata.model_copy(update={"arg_model": strict})
    parameters = {**tool.parameters, "additionalProperties": False}
    return tool.model_copy(update={"fn_metadata": metadata, "parameters": parameters})


def _typed(verb: Verb, parameter: Parameter) -> Parameter:
    """A verb's parameter with its type in the protocol; a default of None or () is an empty object or list there."""
    kind = _TYPES.get(f"{verb.name} {parameter.name}") or _TYPES[parameter.name]
    empty: dict[Any, Any] = {None: {}, (): []}
    has_default = parameter.default is not Parameter.empty
    default = empty.get(parameter.default, parameter.default) if has_default else parameter.default
    return parameter.replace(annotation=kind, default=default)


def _result_of(ask: Callable[[], Reply]) -> CallToolResult:
    """The reply of a tool to an assistant; a refusal is its error."""
    try:
        reply = ask()
    except DeriveError as error:
        reply = refusal(error)
    except RecursionError:
        reply = Reply("The question is nested too deep.", {"error": "LimitError"}, is_refusal=True)
    content = TextContent(type="text", text=reply.text)
    return CallToolResult(content=[content], structured_content=finite_data(reply.data), is_error=reply.is_refusal)


def serve(library: Library) -> None:
    """Serve one assistant over stdio until it leaves."""
    logging.basicConfig(level=logging.ERROR)  # on the standard error
    server(library).run("stdio")
