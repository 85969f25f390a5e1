"""The verb `page`: a question as a page with sliders."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from derive.cli.asked import as_targets, givens, prove_single
from derive.cli.shared import ADD, LIBRARY, WITH, opened, prove_writable, put, writes

__all__ = ["page"]


@click.command(
    epilog='Example:  derive page cost_per_token step_time batch="1..4096 sequence" context="8 ktoken/sequence" '
    'chips="8 chip" --with h100-sxm:fp8 --with llama3-70b -o page.html'
)
@click.argument("words", nargs=-1, metavar="TARGET [TARGET ...] [NAME=VALUE ...]")
@WITH
@LIBRARY
@ADD
@click.option("--title", default="", metavar="TEXT", help="The page's title.")
@writes("-o", "output", metavar="FILE.html", required=True, help="Where to write the page.")
def page(
    words: tuple[str, ...],
    profiles: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    title: str,
    output: str,
) -> int:
    """Write a page in which every given of TARGET is a slider, and the answer moves with it.

    It is one file that needs no network. The first TARGET is solved for, further ones are shown beside it; on the page
    any given can be solved for instead. NAME=LOW..HIGH sets the range of a slider, and each profile becomes a choice
    among those of its kind.
    """

    targets = tuple(target for word in words if "=" not in word for target in as_targets(word))
    if not targets:
        raise click.UsageError("There is no target. Name a quantity, as in  derive page step_time ... -o page.html")
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"{output!r}: unknown file format. Name a file that ends in .html.")
    prove_writable(output)
    from derive.pages.page import page as written

    read = givens([word for word in words if "=" in word])
    prove_single(read)
    uses = ["llm" if replaced is None else replaced, *added]
    flags = "".join(f" --{flag} {quote(file)}" for flag, file in _files(replaced, added))
    text = written(opened(replaced, added), targets, profiles, read, title=title, uses=uses, flags=flags)
    put(output, text)
    click.echo(f"{output}: {', '.join(targets)}")
    return 0


def _files(replaced: str | None, added: tuple[str, ...]) -> list[tuple[str, str]]:
    """The files of the library, each with its flag."""
    own = [] if replaced is None else [("library", replaced)]
    return [*own, *(("add", file) for file in added)]
