"""Completion in bash, zsh and fish: verbs, options, quantities, profiles, and units after a number.

Click knows the verbs and options; the functions here complete what they are about. A shell splits a line in its own
way: bash breaks words at `=` and `:`, which stand in givens and in the names of chips, so its line is split here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

from derive.cli.known_names import Names, built_in, of_files

__all__ = [
    "completion",
    "entries",
    "files",
    "given",
    "kinds",
    "names",
    "profiles",
    "profiles_or_givens",
    "reports",
    "targets",
    "units",
]

_VARIABLE = "_DERIVE_COMPLETE"
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:\s*(?:\.\.|\+/-|,)\s*[+-]?[\d.]+)*)\s*(\D*)")
_MULTIPLES = {
    **dict.fromkeys(("FLOP", "token", "parameter", "W"), ("k", "M", "G", "T", "P")),
    "byte": ("kB", "MB", "GB", "TB"),
    "s": ("ms", "µs"),
}


@click.command(epilog='Example:  derive completion bash >> ~/.bashrc;  eval "$(derive completion zsh)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the script with which SHELL completes verbs, options, quantities, profiles and units."""
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(click.get_current_context().find_root().command, {}, "derive", _VARIABLE).source())
    return 0


# What completes each argument


def targets(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The quantity behind the last comma or operator."""
    before, last = _parted(incomplete, r"[,*/+(]|\s-\s")
    held = _names(ctx)["quantities"]
    return [CompletionItem(before + name, help=unit) for name, unit in _beginning(held, last)]


def given(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """A quantity up to its `=`; behind that, the units of a number."""
    held = _names(ctx)["quantities"]
    name, equals, value = incomplete.partition("=")
    if not equals:
        return [CompletionItem(f"{one}=", help=unit) for one, unit in _beginning(held, name)]
    number = _NUMBER.fullmatch(value.strip())
    if name.strip() not in held or number is None:
        return []
    units = (unit for unit in _multiples(held[name.strip()]) if unit.startswith(number[2]))
    return [CompletionItem(f"{name}={number[1]} {unit}") for unit in units]


def units(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The units of the targets: of the one behind as many commas as stand here."""
    before, last = _parted(incomplete, ",")
    stated = ctx.params.get("target") or next(iter(ctx.args), "")  # not yet read while an option lacks its value
    targets = re.split(r"\s*,\s*", stated)
    held = _names(ctx)["quantities"].get(targets[min(before.count(","), len(targets) - 1)].rpartition(" ")[2])
    return [CompletionItem(before + unit) for unit in _multiples(held or "") if held and unit.startswith(last)]


def names(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """A quantity."""
    return [CompletionItem(one, help=unit) for one, unit in _beginning(_names(ctx)["quantities"], incomplete)]


def profiles(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The profile behind the last comma."""
    before, last = _parted(incomplete, ",")
    return [CompletionItem(before + one) for one, _ in _beginning(_names(ctx)["profiles"], last)]


def profiles_or_givens(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """A profile, or a given."""
    return [*profiles(ctx, param, incomplete), *given(ctx, param, incomplete)]


def entries(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Any entry of the library."""
    held = {name: "" for kind in _names(ctx).values() for name in kind}
    return [CompletionItem(one) for one, _ in _beginning(held, incomplete)]


def reports(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """A report of the library."""
    return [CompletionItem(one) for one, _ in _beginning(_names(ctx)["reports"], incomplete)]


def files(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """A file, which the shell finds itself."""
    return [CompletionItem(incomplete, type="file")]


def kinds(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What can be listed."""
    return [CompletionItem(one) for one, _ in _beginning(dict.fromkeys(_names(ctx), ""), incomplete)]


def _names(ctx: click.Context) -> Names:
    """The names of the library that the command line opens."""
    replaced, added = ctx.params.get("replaced"), ctx.params.get("added") or ()
    paths = [*([replaced] if replaced else []), *added]
    if not paths:
        return built_in()
    files = of_files(paths)
    whole = files if replaced else built_in()
    return {kind: {**whole[kind], **files[kind]} for kind in whole}


def _beginning(held: dict[str, str], start: str) -> Iterable[tuple[str, str]]:
    return ((name, text) for name, text in held.items() if name.startswith(start))


def _parted(incomplete: str, mark: str) -> tuple[str, str]:
    """What precedes the last name, and the last name."""
    ends = [found.end() for found in re.finditer(rf"(?:{mark})\s*", incomplete)]
    at = ends[-1] if ends else 0
    return incomplete[:at], incomplete[at:]


def _multiples(unit: str) -> list[str]:
    """A unit and the multiples in which its numbers are typed.

    >>> _multiples("byte/s/chip")
    ['byte/s/chip', 'kB/s/chip', 'MB/s/chip', 'GB/s/chip', 'TB/s/chip']
    """
    head = re.match(r"[A-Za-z]+", unit)
    if head is None:
        return []
    rest = unit[head.end() :]
    if rest.startswith("**"):
        return [unit]
    prefixes = _MULTIPLES.get(head[0], ())
    whole = prefixes if head[0] in ("byte", "s") else [f"{prefix}{head[0]}" for prefix in prefixes]
    return [unit, *(f"{one}{rest}" for one in whole)]


# How bash splits a line


@add_completion_class
class Bash(BashComplete):
    """Bash, which breaks words at `=` and `:`. The line is split here; a reply leaves out what precedes the break."""

    name = "bash"
    source_template = """\
%(complete_func)s() {
    local IFS=$'\\n' completion
    COMPREPLY=()
    for completion in $(env COMP_LINE="$COMP_LINE" COMP_POINT="$COMP_POINT" COMP_BREAKS="$COMP_WORDBREAKS" \\
            %(complete_var)s=bash_complete "$1"); do
        case "$completion" in
            dir,*) compopt -o dirnames ;;
            file,*) compopt -o default ;;
            *) COMPREPLY+=("${completion#*,}")
               [[ $completion == *= ]] && compopt -o nospace ;;
        esac
    done
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"].encode()[: int(os.environ["COMP_POINT"])].decode(errors="ignore")
        words = split(line, os.environ.get("COMP_BREAKS", "=:"))
        self.last = words[-1]
        return [word.text for word in words[1:-1]], self.last.text

    def format_completion(self, item: CompletionItem) -> str:
        reply = item.value[self.last.cut :]
        return f"{item.type},{reply if self.last.is_quoted else reply.replace(' ', chr(92) + ' ')}"


class _Word:
    """A word of a line as the program gets it: how much of it stands before what bash completes."""

    def __init__(self) -> None:
        self.text, self.cut, self.is_quoted = "", 0, False


def split(line: str, breaks: str) -> list[_Word]:
    """The words of a line; the last one may be unfinished, or empty.

    >>> [(word.text, word.cut, word.is_quoted) for word in split('derive solve x batch="5 se', '=:')][2:]
    [('x', 0, False), ('batch=5 se', 6, True)]
    """
    words, quote, is_escaped = [_Word()], "", False
    for letter in line:
        word = words[-1]
        if is_escaped:
            word.text, is_escaped = word.text + letter, False
        elif letter == "\\" and quote != "'":
            is_escaped = True
        elif quote:
            quote = "" if letter == quote else quote
            word.is_quoted = bool(quote)
            word.text += letter if quote else ""
        elif letter in "\"'":
            quote, word.cut, word.is_quoted = letter, len(word.text), True
        elif letter.isspace():
            if word.text:
                words.append(_Word())
        else:
            word.text += letter
            word.cut = len(word.text) if letter in breaks else word.cut
    return words


@add_completion_class
class Fish(FishComplete):
    """Fish, in whose replies a name may hold commas: only the first one ends the kind."""

    name = "fish"
    source_template = FishComplete.source_template.replace('string split "," ', 'string split -m 1 "," ')


@add_completion_class
class Zsh(ZshComplete):
    """Zsh, which puts no space behind a name that ends in `=`."""

    name = "zsh"
    source_template = ZshComplete.source_template.replace(
        "compadd -U -V unsorted -a completions",
        "compadd -S '' -U -V givens -- ${(M)completions:#*=}\n        compadd -U -V unsorted -- ${completions:#*=}",
    ).replace('completions_with_descriptions+=("$key":"$descr")', 'completions+=("$key")')

    def format_completion(self, item: CompletionItem) -> str:
        return super().format_completion(CompletionItem(item.value, item.type))
