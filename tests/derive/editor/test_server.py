"""The language server, asked by a real client over stdio."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="pygls comes with the extra editor")

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

PENDULUM = """# µ and 𝑥 count otherwise in an editor
[quantities]
length = { unit = "m", meaning = "𝑥: length of the string" }
gravity = { unit = "m/s**2" }
period = { unit = "s" }
[relations]
swing = { because = "𝑥", equation = "period = length/gravity" }
"""
PATIENCE = 60.0


class Editor:
    """A client with the files that it has open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("editor", "1")
        self.said: dict[str, types.PublishDiagnosticsParams] = {}
        self.shown: list[str] = []
        self.came = asyncio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def told(params: types.PublishDiagnosticsParams) -> None:
            self.said[params.uri] = params
            self.came.set()

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def shown(params: types.ShowMessageParams) -> None:
            self.shown.append(params.message)

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def start(self) -> types.InitializeResult:
        await self.client.start_io(sys.executable, "-m", "derive", "serve-editor")
        capabilities = types.ClientCapabilities()
        started = await self.client.initialize_async(types.InitializeParams(capabilities=capabilities))
        self.client.initialized(types.InitializedParams())
        return started

    def open(self, name: str, text: str) -> None:
        item = types.TextDocumentItem(self.uri(name), "toml", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def write(self, name: str, text: str, version: int) -> None:
        document = types.VersionedTextDocumentIdentifier(version, self.uri(name))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def problems(self, name: str, version: int = 1) -> list[types.Diagnostic]:
        """What the server says of a version of a file."""
        uri = self.uri(name)
        while uri not in self.said or self.said[uri].version != version:
            self.came.clear()
            await asyncio.wait_for(self.came.wait(), PATIENCE)
        return list(self.said[uri].diagnostics)

    def at(self, name: str, text: str, word: str) -> dict[str, Any]:
        """The place of a word, as this editor counts: in units of UTF-16."""
        before = text[: text.index(word)]
        row = before.count("\n")
        units = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
        return {"text_document": types.TextDocumentIdentifier(self.uri(name)), "position": types.Position(row, units)}

    async def stop(self) -> int | None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await asyncio.wait_for(self.client._server.wait(), PATIENCE)
        await self.client.stop()
        return self.client._server.returncode


def edited(text: str, edits: list[types.TextEdit]) -> str:
    """A text after edits, whose places count units of UTF-16."""
    lines = [line.encode("utf-16-le") for line in text.split("\n")]
    for edit in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
        start, end = edit.range.start, edit.range.end
        assert start.line == end.line
        line = lines[start.line]
        lines[start.line] = line[: 2 * start.character] + edit.new_text.encode("utf-16-le") + line[2 * end.character :]
    return "\n".join(line.decode("utf-16-le") for line in lines)


def in_an_editor(tmp_path: Path, work: Callable[[Editor], Coroutine[Any, Any, None]]) -> None:
    async def session() -> None:
        editor = Editor(tmp_path)
        await editor.start()
        try:
            await work(editor)
        finally:
            status = await editor.stop()
        assert editor.shown == []
        assert status == 0

    asyncio.run(session())


@pytest.mark.thorough
def test_a_problem_is_underlined_and_its_mend_is_a_quick_fix(tmp_path) -> None:
    async def work(editor: Editor) -> None:
        editor.open("pendulum.toml", PENDULUM)
        (problem,) = await editor.problems("pendulum.toml")
        assert problem.message.startswith("swing: left is s, right is s**2.")
        place = editor.at("pendulum.toml", PENDULUM, "period = length")["position"]
        assert problem.range.start == place
        assert problem.range.end.character - place.character == len("period = length/gravity")
        assert (problem.source, problem.code, problem.severity) == ("derive", "DimensionError", 1)
        document = types.TextDocumentIdentifier(editor.uri("pendulum.toml"))
        context = types.CodeActionContext([problem])
        actions = await editor.client.text_document_code_action_async(
            types.CodeActionParams(document, problem.range, context)
        )
        (action,) = [one for one in actions if one.title == "Take the square root of the right"]
        text = edited(PENDULUM, action.edit.changes[document.uri])
        assert 'equation = "period = sqrt(length/gravity)"' in text
        editor.write("pendulum.toml", text, 2)
        assert await editor.problems("pendulum.toml", 2) == []

    in_an_editor(tmp_path, work)


def as_vs_code(uri: str) -> str:
    """An address as VS Code writes it: a colon is encoded too, as in `file:///c%3A/x.toml`."""
    return uri.replace(":", "%3A").replace("file%3A", "file:", 1)


NAMES = ["a b.toml", "c:x.toml", "a%20b.toml", "日本.toml"]
MORE = ["Ü.toml", "50%.toml", "tune#1+2.toml"]


@pytest.mark.thorough
@pytest.mark.parametrize("names", [NAMES, pytest.param(MORE, marks=pytest.mark.long)], ids=["names", "more"])
@pytest.mark.parametrize("written", [str, as_vs_code])
def test_a_file_is_checked_whatever_its_name_is_made_of(tmp_path, written, names) -> None:
    mended = PENDULUM.replace("length/gravity", "sqrt(length/gravity)")

    async def work(editor: Editor) -> None:
        plain = editor.uri
        editor.uri = lambda name: written(plain(name))  # type: ignore[method-assign]
        for name in names:
            editor.open(name, PENDULUM)
            (problem,) = await editor.problems(name)
            assert problem.source == "derive"
            editor.write(name, mended, 2)
            assert await editor.problems(name, 2) == []
            at = editor.at(name, mended, "gravity =")
            edit = await editor.client.text_document_rename_async(types.RenameParams(new_name="g", **at))
            assert list(edit.changes) == [editor.uri(name)]

    in_an_editor(tmp_path, work)


@pytest.mark.thorough
def test_names_are_offered_told_found_and_renamed(tmp_path) -> None:
    async def work(editor: Editor) -> None:
        half = PENDULUM + 'half = { equation = "period = 2*le'
        editor.open("pendulum.toml", half)
        end = types.Position(half.count("\n"), len(half.rpartition("\n")[2]))
        document = types.TextDocumentIdentifier(editor.uri("pendulum.toml"))
        found = await editor.client.text_document_completion_async(types.CompletionParams(document, end))
        length = next(item for item in found.items if item.label == "length")
        assert length.detail == "[m]"
        assert edited(half, [length.text_edit]).endswith("2*length")
        editor.write("pendulum.toml", PENDULUM, 2)
        place = editor.at("pendulum.toml", PENDULUM, "length/gravity")
        hover = await editor.client.text_document_hover_async(types.HoverParams(**place))
        assert hover.contents.value.startswith("**length** [m]: 𝑥: length of the string")
        assert "`length = gravity*period" not in hover.contents.value  # the relation does not fit, and is none
        defined = await editor.client.text_document_definition_async(types.DefinitionParams(**place))
        assert (defined.uri, defined.range.start) == (document.uri, types.Position(2, 0))
        edit = await editor.client.text_document_rename_async(types.RenameParams(new_name="cord", **place))
        text = edited(PENDULUM, edit.changes[document.uri])
        assert text == PENDULUM.replace("length =", "cord =").replace("length/", "cord/")
        with pytest.raises(JsonRpcException, match="knows a quantity period already") as refused:
            await editor.client.text_document_rename_async(types.RenameParams(new_name="period", **place))
        assert "Traceback" not in str(refused.value)
        ready = await editor.client.text_document_prepare_rename_async(types.PrepareRenameParams(**place))
        assert ready.placeholder == "length"

    in_an_editor(tmp_path, work)


@pytest.mark.thorough
def test_a_file_is_checked_again_when_one_that_it_uses_changes(tmp_path) -> None:
    base = '[quantities]\nx = { unit = "m" }\ny = { unit = "m" }\n'
    (tmp_path / "base.toml").write_text(base, encoding="utf-8")

    async def work(editor: Editor) -> None:
        editor.open("user.toml", 'uses = ["base.toml"]\n[relations.r]\nequation = "x = 2*y"\n')
        assert await editor.problems("user.toml") == []
        del editor.said[editor.uri("user.toml")]
        editor.open("base.toml", base.replace('y = { unit = "m"', 'y = { unit = "s"'))
        assert await editor.problems("base.toml") == []
        (problem,) = await editor.problems("user.toml")
        assert problem.message.startswith("r: left is m, right is s.")

    in_an_editor(tmp_path, work)


USER = 'uses = ["base.toml"]\n[quantities]\nz = { unit = "m" }\n[relations.r]\nequation = "z = 2*y"\n'
BASE = '[quantities]\ny = { unit = "m", meaning = "MEANING" }\n'
CHANGED = (
    "[quantities\n",
    '[quantities]\nx = { unit = "m" }\n',
    BASE.replace('"m"', '"s"'),
    BASE.replace("MEANING", "another meaning"),
    None,
)


@pytest.mark.thorough
@pytest.mark.parametrize("way", ["on the disk", pytest.param("in the editor", marks=pytest.mark.long)])
def test_what_is_said_of_a_file_is_never_older_than_the_files_that_it_uses(tmp_path, way) -> None:
    path = tmp_path / "base.toml"

    def put(text: str | None) -> None:
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text, encoding="utf-8")

    async def said(editor: Editor) -> tuple[str, list[str]]:
        place = editor.at("user.toml", USER, 'y"')
        told = await editor.client.text_document_hover_async(types.HoverParams(**place))
        return str(told and told.contents.value), [one.message for one in await editor.problems("user.toml")]

    async def fresh(editor: Editor) -> tuple[str, list[str]]:
        """What is said where the file is opened anew."""
        document = types.TextDocumentIdentifier(editor.uri("user.toml"))
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
        while editor.uri("user.toml") not in editor.said or editor.said[editor.uri("user.toml")].version == 1:
            editor.came.clear()
            await asyncio.wait_for(editor.came.wait(), PATIENCE)
        editor.open("user.toml", USER)
        return await said(editor)

    async def work(editor: Editor) -> None:
        put(BASE)
        editor.open("user.toml", USER)
        before = await said(editor)
        for text in (one for changed in CHANGED for one in (changed, BASE)):
            editor.said.clear()
            if way == "on the disk":
                put(text)
                kind = types.FileChangeType.Deleted if text is None else types.FileChangeType.Changed
                event = types.FileEvent(editor.uri("base.toml"), kind)
                editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            elif text is BASE:
                document = types.TextDocumentIdentifier(editor.uri("base.toml"))
                editor.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
            else:
                editor.open("base.toml", text or "# empty")
            now = await said(editor)
            assert now == await fresh(editor), text
            assert (now == before) == (text is BASE)

    in_an_editor(tmp_path, work)


def test_what_goes_wrong_is_told_in_the_log_in_words() -> None:
    import logging

    from derive.editor.server import _in_words

    try:
        raise ValueError("no message")
    except ValueError:
        record = logging.LogRecord("pygls", logging.ERROR, "", 1, "cannot read %s", ("it",), sys.exc_info())
    assert _in_words(record)
    assert logging.Formatter().format(record) == "cannot read it: ValueError('no message')"


@pytest.mark.thorough
def test_other_toml_files_are_left_alone(tmp_path) -> None:
    async def work(editor: Editor) -> None:
        editor.open("pyproject.toml", '[project]\nname = "x"\n[tool.ruff]\nline-length = 120\n')
        assert await editor.problems("pyproject.toml") == []
        editor.open("broken.toml", '[quantities]\nx = { unit = "m')
        (problem,) = await editor.problems("broken.toml")
        assert problem.message.startswith("This is not TOML")
        assert problem.range.start.line == 1

    in_an_editor(tmp_path, work)


def test_without_the_extra_the_command_says_what_to_install(monkeypatch) -> None:
    from click.testing import CliRunner

    from derive.cli import cli
    from derive.errors import DeriveError

    monkeypatch.setitem(sys.modules, "pygls", None)
    result = CliRunner().invoke(cli, ["serve-editor"])
    assert isinstance(result.exception, DeriveError)
    assert str(result.exception) == "This needs pygls, which is not installed. pip install 'derive-engine[editor]'"


@pytest.mark.thorough
def test_a_long_file_of_another_program_costs_nothing(tmp_path) -> None:
    async def work(editor: Editor) -> None:
        text = "[[package]]\n" + 'name = "x"\nhash = "0123456789"\n' * 100_000
        editor.open("some.lock.toml", text)
        place = editor.at("some.lock.toml", text, "hash")
        started = time.monotonic()
        assert await editor.client.text_document_hover_async(types.HoverParams(**place)) is None
        assert await editor.problems("some.lock.toml") == []
        assert time.monotonic() - started < PATIENCE / 2

    in_an_editor(tmp_path, work)
