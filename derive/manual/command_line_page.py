"""The page on the command line, made of the verbs themselves: what `derive VERB -h` prints."""

from __future__ import annotations

import click

__all__ = ["command_line_page"]

_WIDTH = 100
_OPENING = """# The command line

`derive` and `python -m derive` are the same. What a verb answers goes to standard output; cautions and errors go to
standard error. The exit status is 0 for done; 1 where the answer is no (units that do not fit, an undetermined or
contradictory question, no solution or several, a limit, a stale report); 2 where the command or its text was
wrong. `--json` prints data, in which null stands for what is infinite or not known.
"""


def command_line_page(program: click.Group) -> str:
    """The page as Markdown: each verb under a heading of its own, in the order in which they are declared."""
    return "\n".join([_OPENING, *(_section(verb, program.commands[verb]) for verb in program.commands)])


def _section(verb: str, command: click.Command) -> str:
    context = click.Context(
        command,
        info_name=f"derive {verb}",
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        help_option_names=["-h", "--help"],
    )
    lines = (line.rstrip() for line in command.get_help(context).split("\n"))
    return f"## derive {verb}\n\n```text\n{chr(10).join(lines)}\n```\n"
