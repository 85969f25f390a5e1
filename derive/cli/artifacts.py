"""The verbs that take answers elsewhere: into modules, pages, reports and the manual, to editors and assistants."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from shlex import quote

import click

from derive.cli.output import prove_writable, put, put_files, writable
from derive.cli.request import Request, Sources, as_targets, givens, prove_single


def compile_(asked: Request) -> int:
    """Write a Python module that computes TARGET from the names given, and needs nothing else.

    Its `value` takes numbers in declared units; `answer` says besides which checks fail. Profiles' values are
    constants in it.
    """
    from derive.kernels.standalone_modules import module_text
    from derive.model.target_expressions import asking as asked_of

    asked.refuse_values("a file takes its numbers when it is called")
    library, target = asked_of(asked.library, asked.target)
    output = str(asked.output)
    put(output, module_text(library, target, asked.words, asked.profiles))
    if output != "-":
        click.echo(f"{output}: {target} from {', '.join(asked.words) or 'nothing'}")
    return 0


def page(words: tuple[str, ...], profiles: tuple[str, ...], sources: Sources, title: str, output: str) -> int:
    """Write a page in which every given of TARGET is a slider, and the answer moves with it.

    It is one file that needs no network. The first TARGET is solved for, further ones are shown beside it; on the
    page any given can be solved for instead. NAME=LOW..HIGH sets the range of a slider, and each profile becomes a
    choice among those of its kind.
    """
    targets = tuple(chain.from_iterable(as_targets(word) for word in words if "=" not in word))
    if not targets:
        raise click.UsageError("There is no target. Name a quantity, as in  derive page step_time ... -o page.html")
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"{output!r}: unknown file format. Name a file that ends in .html.")
    prove_writable(output)
    from derive.pages.page import page as written

    read = givens([word for word in words if "=" in word])
    prove_single(read)
    uses = ["llm" if sources.replaced is None else sources.replaced, *sources.added]
    flags = "".join(f" --{flag} {quote(file)}" for flag, file in _flags(sources))
    text = written(sources.library, targets, profiles, read, title=title, uses=uses, flags=flags)
    put(output, text)
    click.echo(f"{output}: {', '.join(targets)}")
    return 0


def _flags(sources: Sources) -> Iterable[tuple[str, str]]:
    """The files of the library that `derive page` was called with, each with its flag."""
    if sources.replaced is not None:
        yield "library", sources.replaced
    for file in sources.added:
        yield "add", file


def report(names: tuple[str, ...], check: bool, out: str, **options: bool) -> int:
    """Regenerate the reports, or make one from a template of your own (FILE.md): LaTeX, Markdown and pictures.

    The pages with sliders (pages/roofline and others) are written into the folder pages.
    """
    from derive.tokens.reports import report_files

    wanted = report_files.checked_names(names)
    folder = Path(out)
    for name in wanted:
        written = folder / f"{report_files.file_stem(name)}.md"
        if report_files.is_own(name) and written.resolve() == Path(name).resolve():
            raise click.UsageError(f"the report would be written over its template {name}. Give --out with a folder.")
    if check:
        return _checked(folder, wanted, is_of_all=not names)
    writable(folder)
    for name in _watched(wanted):
        files: dict[str, str | bytes] = {**report_files.texts(name)}
        for ending, write in report_files.FORMS.items():
            if options[ending] and not report_files.is_page(name):
                files[f"{report_files.file_stem(name)}.{ending}"] = write(name)
        put_files(folder, files)
    click.echo(f"{folder}: {', '.join(map(report_files.file_stem, wanted))}")
    return 0


def _checked(folder: Path, wanted: Sequence[str], is_of_all: bool) -> int:
    """Answer `derive report --check`: say which of these reports are out of date in a folder; the exit status."""
    from derive.tokens.reports import report_files

    wrong = list(chain.from_iterable(report_files.stale(folder, name) for name in _watched(wanted)))
    mend = f"Regenerate: derive report {' '.join(wanted)}"
    if is_of_all:
        wrong += report_files.orphans(folder)
        mend = "Regenerate: derive report"
    return _judged(folder, [f"{folder}/{line}" for line in dict.fromkeys(wrong)], mend, ", ".join(wanted))


def _judged(folder: Path, wrong: Sequence[str], mend: str, what: str) -> int:
    """Answer the `--check` of a verb that writes a folder: say what is out of date and what mends it; the status."""
    for line in wrong:
        click.echo(f"derive: {line}", err=True)
    if wrong:
        click.echo(f"  {mend}", err=True)
        return 1
    click.echo(f"{folder}: up to date ({what})")
    return 0


def _watched(names: Sequence[str]) -> Iterator[str]:
    """The names of the reports that the verb `report` goes through, with a progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not Console(stderr=True).is_terminal) as bar:
        task = bar.add_task("", total=len(names))
        for name in names:
            bar.update(task, description=name)
            yield name
            bar.advance(task)


def manual(check: bool, out: str) -> int:
    """Make the manual as HTML that needs no network: open index.html (needs the extra `manual`)."""
    from derive.manual import built, pages, stale, unchanged

    program = click.get_current_context().find_root().command
    assert isinstance(program, click.Group)
    folder, markdown = Path(out), pages(program)
    if check:
        wrong = [f"{folder}: {line}" for line in stale(folder, markdown)]
        return _judged(folder, wrong, "Make it anew: derive manual", f"{len(markdown)} pages")
    writable(folder)
    files = built(markdown)
    earlier = unchanged(folder)
    put_files(folder, files, own=earlier)
    for path in earlier:  # what an earlier manual had, and this one has not
        if path not in files:
            (folder / path).unlink()
    click.echo(f"{folder}: {len(markdown)} pages")
    return 0


def serve_editor() -> int:
    """Serve an editor as a language server for relation files."""
    _prove_servable("pygls", "editor")
    from derive.editor.server import serve

    serve()
    return 0


def serve(sources: Sources) -> int:
    """Serve an assistant with tools, by the Model Context Protocol: solve, formula, least, check, find, list, show."""
    _prove_servable("mcp", "serve")
    from derive.assistants.server import serve as start

    start(sources.library)
    return 0


def _prove_servable(package: str, extra: str) -> None:
    """Refuse the verbs that serve without their package, or with a closed standard stream, which a client needs."""
    from derive.errors import optional_package

    for name, stream in (("input", sys.stdin), ("output", sys.stdout)):
        if not hasattr(stream, "buffer"):
            raise click.UsageError(f"The standard {name} is closed, and a server needs it. Leave it open.")
    optional_package(package, extra)
