"""The language server: what editors ask over stdio, answered by the other modules of this room.

It speaks the Language Server Protocol through pygls, and holds no knowledge of its own: it turns places into positions
and back. A text is checked a moment after the last key was pressed, in a thread of its own, while names, units and keys
go on being offered. Nothing that goes wrong here reaches the editor as a traceback: a question without an answer has
none, and a renaming that is refused says why.
"""

from __future__ import annotations

import asyncio
import io
import logging
import os
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec

from derive.editor.diagnostics import Diagnostic, Fix, OpenFile, diagnostics
from derive.editor.names import Offer, defined_at, hover, named_at, offers, renamed
from derive.errors import DeriveError
from derive.relation_files.toml_text import Span

_T = TypeVar("_T")
_PAUSE = 0.15  # seconds without a key pressed before a text is checked
_LARGE = 50_000  # characters
_REQUEST_FAILED = -32803
_LOG = logging.getLogger("derive.editor")

_KINDS = {
    "quantity": types.CompletionItemKind.Variable,
    "function": types.CompletionItemKind.Function,
    "unit": types.CompletionItemKind.Unit,
    "key": types.CompletionItemKind.Property,
    "section": types.CompletionItemKind.Module,
    "profile": types.CompletionItemKind.Constant,
    "library": types.CompletionItemKind.Module,
    "file": types.CompletionItemKind.File,
    "word": types.CompletionItemKind.EnumMember,
}


class Places:
    """Places in a text as the editor counts them: lines, and units of its encoding within a line.

    >>> places = Places("µ = 1\\nx = 2", PositionCodec())
    >>> places.position(6), places.offset(types.Position(1, 0))
    (1:0, 6)
    """

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.codec = codec
        self.lines = [line + "\n" for line in text.split("\n")]
        self.starts = [0, *accumulate(map(len, self.lines))][:-1]

    def position(self, offset: int) -> types.Position:
        row = bisect_right(self.starts, offset) - 1
        return self.codec.position_to_client_units(self.lines, types.Position(row, offset - self.starts[row]))

    def offset(self, position: types.Position) -> int:
        row = min(position.line, len(self.lines) - 1)
        plain = self.codec.position_from_client_units(self.lines, types.Position(row, position.character))
        return self.starts[row] + min(plain.character, len(self.lines[row].rstrip("\r\n")))

    def range(self, span: Span) -> types.Range:
        return types.Range(self.position(span[0]), self.position(span[1]))


class EditorServer(LanguageServer):
    """The server of one editor: the files that are open, and what was last said of each."""

    def __init__(self) -> None:
        import derive

        super().__init__("derive", str(derive.__version__), types.TextDocumentSyncKind.Full)
        self.files: dict[str, tuple[tuple[Any, ...], OpenFile]] = {}
        self.published: dict[str, tuple[str, list[Diagnostic]]] = {}  # by file: the text checked, and its problems
        self.waiting: set[asyncio.Task[None]] = set()

    @property
    def open_uris(self) -> list[str]:
        """The addresses of the open files as the editor writes them; under which pygls keeps them varies."""
        return [document.uri for document in self.workspace.text_documents.values()]

    def file(self, uri: str) -> OpenFile:
        """The file that an editor asks the server about; read again only if it, or one beside it, has changed."""
        texts = {_path(document.uri): document.source for document in self.workspace.text_documents.values()}
        path = _path(uri)
        state = tuple(sorted((str(open_path), hash(text)) for open_path, text in texts.items()))
        if uri in self.files:
            known_state, file = self.files[uri]
            if known_state == state and not file.is_stale:
                return file
        text = texts.pop(path, None)
        document = self.workspace.get_text_document(uri).source if text is None else text
        file = OpenFile(path, document, texts)
        self.files[uri] = state, file
        return file

    def places(self, text: str) -> Places:
        return Places(text, self.workspace.position_codec)

    def at(self, params: Any) -> tuple[OpenFile, int]:
        """The file and the place in it that an editor's request to the server is about."""
        file = self.file(params.text_document.uri)
        if len(file.text) > _LARGE and not file.is_ours:
            file = OpenFile(file.path, "")  # of another program, and too long to be looked through at each key
        return file, self.places(file.text).offset(params.position)

    # What is wrong

    def look(self, uri: str) -> None:
        """Check a file in a moment on the editor's server, and all open ones that use it."""
        path = _path(uri)
        for open_uri in self.open_uris:
            if _path(open_uri) == path or (self.file(open_uri).is_ours and path in self.file(open_uri).reading.sought):
                task = asyncio.ensure_future(self._checked(open_uri))
                self.waiting.add(task)
                task.add_done_callback(self.waiting.discard)

    async def _checked(self, uri: str) -> None:
        file = self.file(uri)
        await asyncio.sleep(_PAUSE)
        if not self._is_current(uri, file):
            return
        try:
            problems = await asyncio.to_thread(diagnostics, file) if file.is_ours else []
        except Exception as error:  # of the check, not of the file
            _LOG.error("a check failed: %r", error)
            return
        if self._is_current(uri, file):
            self.published[uri] = file.text, problems
            self.publish(uri, file, problems)

    def _is_current(self, uri: str, file: OpenFile) -> bool:
        """Whether a file, and the open ones that it uses, still stand in the editor as the server checked them."""
        if uri not in self.open_uris:
            return False
        now = self.file(uri)
        if now.text != file.text:
            return False
        used = file.reading.files.keys() | now.reading.files.keys() if file.is_ours else ()
        return all(now.others.get(path) == file.others.get(path) for path in used)

    def publish(self, uri: str, file: OpenFile, problems: Iterable[Diagnostic]) -> None:
        places = self.places(file.text)
        version = self.workspace.get_text_document(uri).version
        reported = [_as_lsp(places, problem) for problem in problems]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, reported, version))


def _path(uri: str) -> Path:
    return Path(uris.to_fs_path(uri) or uri)


def _as_lsp(places: Places, problem: Diagnostic) -> types.Diagnostic:
    severe = types.DiagnosticSeverity.Error if problem.severity == "error" else types.DiagnosticSeverity.Warning
    span = places.range(problem.span)
    return types.Diagnostic(span, problem.message, severity=severe, code=problem.kind, source="derive")


_FEATURES: list[tuple[str, Any, Callable[[EditorServer, Any], Any]]] = []
"""What an editor may ask or tell, the options that it is told beforehand, and the answer."""


def _answering(*features: str, options: Any = None) -> Callable[[Callable[[EditorServer, Any], _T]], None]:
    """Register a function as the server's answer to an editor's requests; if it fails, that is logged."""

    def register(answer: Callable[[EditorServer, Any], _T]) -> None:
        def answered(ls: EditorServer, params: Any) -> _T | None:  # pygls gives the server by this name
            try:
                return answer(ls, params)
            except JsonRpcException:
                raise
            except Exception as error:
                _LOG.error("no answer to the editor: %r", error)
                return None

        _FEATURES.extend((feature, options, answered) for feature in features)

    return register


# The features

_TRIGGERS = types.CompletionOptions(trigger_characters=['"', "*", "/", "(", "[", " ", "{"])
_ACTIONS = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])


@_answering(types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_SAVE)
def _changed(server: EditorServer, params: Any) -> None:
    server.look(params.text_document.uri)


@_answering(types.TEXT_DOCUMENT_DID_CLOSE)
def _closed(server: EditorServer, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    server.published.pop(uri, None)
    server.files.pop(uri, None)
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
    server.look(uri)  # those that use it now use what is on the disk


@_answering(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def _changed_on_disk(server: EditorServer, params: types.DidChangeWatchedFilesParams) -> None:
    for change in params.changes:
        server.look(change.uri)


@_answering(types.INITIALIZED)
def _began(server: EditorServer, _: types.InitializedParams) -> None:
    """Ask the editor to tell its server of files that change on the disk, if it can."""
    workspace = server.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    if watching and watching.dynamic_registration:
        files = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*.toml")])
        registration = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, files)
        server.client_register_capability(types.RegistrationParams([registration]))


@_answering(types.TEXT_DOCUMENT_HOVER)
def _hovered(server: EditorServer, params: types.HoverParams) -> types.Hover | None:
    file, offset = server.at(params)
    known = hover(file, offset)
    if known is None:
        return None
    markdown, span = known
    content = types.MarkupContent(types.MarkupKind.Markdown, markdown)
    return types.Hover(content, server.places(file.text).range(span))


@_answering(types.TEXT_DOCUMENT_COMPLETION, options=_TRIGGERS)
def _completed(server: EditorServer, params: types.CompletionParams) -> types.CompletionList | None:
    file, offset = server.at(params)
    places = server.places(file.text)
    return types.CompletionList(is_incomplete=False, items=[_item(places, offer) for offer in offers(file, offset)])


def _item(places: Places, offer: Offer) -> types.CompletionItem:
    meaning = types.MarkupContent(types.MarkupKind.Markdown, offer.meaning) if offer.meaning else None
    return types.CompletionItem(
        label=offer.text.removesuffix(" = "),
        kind=_KINDS[offer.kind],
        detail=offer.detail or None,
        documentation=meaning,
        sort_text=f"{offer.rank}{offer.text}",
        text_edit=types.TextEdit(places.range(offer.span), offer.text),
    )


@_answering(types.TEXT_DOCUMENT_DEFINITION)
def _defined(server: EditorServer, params: types.DefinitionParams) -> types.Location | None:
    file, offset = server.at(params)
    definition = defined_at(file, offset)
    if definition is None:
        return None
    path, span = definition
    text = file.text if path == file.path else _text(file, path)
    return types.Location(uris.from_fs_path(str(path)) or "", server.places(text).range(span))


def _text(file: OpenFile, path: Path) -> str:
    """The text of another file in which the language server counts positions: as the editor has it, or on the disk."""
    return file.others[path] if path in file.others else path.read_text(encoding="utf-8-sig")


@_answering(types.TEXT_DOCUMENT_CODE_ACTION, options=_ACTIONS)
def _acted(server: EditorServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The server's answer to the editor with the edits that mend the problems in a range."""
    uri = params.text_document.uri
    file = server.file(uri)
    text, problems = server.published.get(uri, ("", []))
    if text != file.text:
        return []
    places = server.places(text)
    start, end = places.offset(params.range.start), places.offset(params.range.end)
    actions = []
    for problem in problems:
        first, last = problem.span
        if first <= end and start <= last:
            actions += [_action(uri, places, problem, fix) for fix in problem.fixes]
    return actions


def _action(uri: str, places: Places, problem: Diagnostic, fix: Fix) -> types.CodeAction:
    edit = types.TextEdit(places.range(fix.span), fix.text)
    return types.CodeAction(
        title=fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[_as_lsp(places, problem)],
        edit=types.WorkspaceEdit(changes={uri: [edit]}),
        is_preferred=fix is problem.fixes[0],
    )


@_answering(types.TEXT_DOCUMENT_PREPARE_RENAME)
def _nameable(server: EditorServer, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    file, offset = server.at(params)
    named = named_at(file.toml, offset)
    if named is None or named.kind != "quantity":
        return None
    return types.PrepareRenamePlaceholder(server.places(file.text).range(named.span), named.name)


@_answering(types.TEXT_DOCUMENT_RENAME, options=types.RenameOptions(prepare_provider=True))
def _renamed(server: EditorServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    file, offset = server.at(params)
    try:
        edits = renamed(file, offset, params.new_name)
    except DeriveError as error:
        raise JsonRpcException(str(error), _REQUEST_FAILED) from None
    changes: dict[str, list[types.TextEdit]] = {}
    opened: Mapping[Path, str] = {_path(uri): uri for uri in server.open_uris}
    for path, spans in edits.items():
        places = server.places(file.text if path == file.path else _text(file, path))
        uri = opened.get(path) or uris.from_fs_path(str(path)) or ""
        changes[uri] = [types.TextEdit(places.range(span), params.new_name) for span in spans]
    return types.WorkspaceEdit(changes=changes)


def server() -> EditorServer:
    """A server with all its features."""
    editor_server = EditorServer()
    for feature, options, answer in _FEATURES:
        editor_server.feature(feature, options)(answer)
    return editor_server


def _in_words(record: logging.LogRecord) -> bool:
    """Tell in the server's log what went wrong, such as a message that cannot be read, without a traceback."""
    if record.exc_info and record.exc_info[1] is not None:
        record.msg, record.args = f"{record.getMessage()}: {record.exc_info[1]!r}", ()
        record.exc_info = record.exc_text = None
    return True


def serve() -> None:
    """Serve one editor over stdio until it leaves; what anything else prints goes to the standard error."""
    logging.basicConfig(level=logging.ERROR)  # on the standard error
    for handler in logging.getLogger().handlers:
        handler.addFilter(_in_words)
    wire = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    try:
        error_output = sys.stderr.fileno()
    except io.UnsupportedOperation:  # it was closed before the program began
        error_output = os.open(os.devnull, os.O_WRONLY)
    os.dup2(error_output, sys.stdout.fileno())
    server().start_io(stdout=wire)
