"""The verbs for other programs: the schema of relation files, and the servers of editors and assistants."""

from __future__ import annotations

import json
import sys

import click

from derive.cli.shared import Sources

__all__ = ["schema", "serve", "serve_editor"]


def schema() -> int:
    """Print the JSON schema of relation files, by which editors complete and check them."""
    from derive.relation_files.keys import schema as made

    click.echo(json.dumps(made(), indent=2, ensure_ascii=False))
    return 0


def serve_editor() -> int:
    """Serve an editor as a language server for relation files."""
    from derive.tables.exports import package

    _prove_connected()
    package("pygls", "editor")
    from derive.editor.server import serve

    serve()
    return 0


def serve(sources: Sources) -> int:
    """Serve an assistant with tools, by the Model Context Protocol: solve, formula, least, check, find, list, show."""
    from derive.tables.exports import package

    _prove_connected()
    package("mcp", "serve")
    from derive.assistants.server import serve as start

    start(sources.library)
    return 0


def _prove_connected() -> None:
    """Refuse to serve where a standard stream is closed: what asks a server writes to one and reads from the other."""
    for name, stream in (("input", sys.stdin), ("output", sys.stdout)):
        if not hasattr(stream, "buffer"):
            raise click.UsageError(f"The standard {name} is closed, and a server needs it. Leave it open.")
