"""The table of verbs: what derive does, a row for each.

Every door reads it: the command line and its help, the completion of a shell, the tools of an assistant, and the
reference of the manual. A further verb is a row here, and a function that is called with what its parameters say and
whose docstring is the verb's help. Its module is imported when it is needed, so that a row costs nothing.

A verb that asks a question takes its parameters in common with the others (`TARGET`, `NAME=VALUE`, `--with`, `--each`,
`--library`, `--add`, `--in`, `-o`, `--digits`, `--strict`, `--json`). They reach the function as one `Request`, and its
own parameters by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import click

PICTURES = (".svg", ".png", ".pdf")

GROUPS = (
    "Ask a question",
    "Ask along ranges",
    "Find the best choice",
    "See why",
    "Look things up",
    "Write and check relation files",
    "Take it elsewhere",
)
"""What one wants to do, as the overview of all verbs names it."""

_ASK, _RANGES, _BEST, _WHY, _LOOK_UP, _FILES, _ELSEWHERE = GROUPS


@dataclass(frozen=True)
class Verb:
    """One thing that derive does, as every door reads it."""

    name: str
    group: str
    brief: str  # a line of the overview
    examples: Sequence[str]
    parameters: Sequence[click.Parameter]
    place: str  # the module and the name of its function
    tool: str = ""  # what an assistant is told of it; empty if it is no tool
    endings: Sequence[str] = PICTURES  # of the file that it writes
    hint: str = ""  # said of any other ending
    settings: Mapping[str, str] = field(default_factory=dict)  # no givens here, each with what to write instead
    is_timed: bool = True  # whether `--seconds` limits it
    has_second_scenario: bool = False  # whether `--against` divides its words

    @property
    def function(self) -> Callable[..., int]:
        """The function that the verb calls, whose docstring is what `derive VERB -h` says."""
        module, _, name = self.place.partition(":")
        function: Callable[..., int] = getattr(import_module(module), name)
        return function

    def shows(self, name: str) -> str:
        """How the verb's help writes a parameter; empty if it has none of that name."""
        return next((str(parameter.metavar) for parameter in self.parameters if parameter.name == name), "")

    @property
    def is_question(self) -> bool:
        """Whether the verb asks for something from givens."""
        return bool(self.shows("given"))


# Completion: what a shell offers for the beginning of a name

Completion = Callable[[click.Context, click.Parameter, str], list[str]]


def _completion_of(kind: str) -> Completion:
    """A verb's completion of names in a shell: of the built-in library's entries of this kind."""

    def completions(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
        from derive.tokens.relations import library

        return [name for name in getattr(library(), kind) if name.startswith(incomplete)]

    return completions


_QUANTITIES, _PROFILES = _completion_of("declared"), _completion_of("profiles")


# Parameters

_PATH = click.Path(readable=False)
"""A path that a shell completes; whether the file can be read is for the verb to say."""


def _target(metavar: str = "TARGET") -> click.Argument:
    """A verb's parameter for the target, or several after a comma; it may be left out where it stands in brackets."""
    return click.Argument(["target"], metavar=metavar, shell_complete=_QUANTITIES, required=not metavar.startswith("["))


def _given(metavar: str = "[NAME=VALUE ...]") -> click.Argument:
    return click.Argument(["given"], metavar=metavar, shell_complete=_QUANTITIES, nargs=-1)


def _words(name: str, metavar: str, **options: Any) -> click.Argument:
    return click.Argument([name], metavar=metavar, nargs=-1, required=False, **options)


def _flag(name: str, help_text: str, *parameter_name: str) -> click.Option:
    """A verb's switch; `parameter_name` is that of its function's parameter where the switch is called otherwise."""
    return click.Option([name, *parameter_name], is_flag=True, help=help_text)


def _number(name: str, kind: click.IntRange, help_text: str, **options: Any) -> click.Option:
    return click.Option([name], type=kind, metavar="N", help=help_text, **options)


def _profiles(name: str, parameter_name: str, metavar: str, help_text: str) -> click.Option:
    names = [name, parameter_name] if parameter_name else [name]
    return click.Option(names, shell_complete=_PROFILES, metavar=metavar, multiple=True, help=help_text)


def _writes(help_text: str, metavar: str = "FILE", is_required: bool = False) -> tuple[click.Option, click.Option]:
    """A verb's options for the file that it writes: the one that names it, and the one that lets any be replaced."""
    return click.Option(["-o", "output"], type=_PATH, metavar=metavar, required=is_required, help=help_text), _FORCE


def _folder(default: str, help_text: str) -> click.Option:
    return click.Option(["--out"], default=default, metavar="DIR", help=help_text)


_FORCE = _flag("--force", "Replace a file even if derive did not write it, or it was changed since.")
_JSON = _flag("--json", "Print data for programs.", "as_json")
_LATEX = "Print {} in LaTeX."
_DIGITS = _number("--digits", click.IntRange(1, 17), "Significant digits of results (at most 17).")
_WITH = _profiles("--with", "profiles", "PROFILE", "A profile of weak values.")
_EACH = _profiles(
    "--each",
    "",
    "PROFILE,PROFILE|NAME=VALUE,VALUE",
    "Profiles, or the values of a given, to take in turn: one row, column or curve each.",
)
_AMONG = _profiles("--among", "", "PROFILE,PROFILE", "Profiles of which any one may be taken.")
_AGAINST = _profiles(
    "--against",
    "others",
    "PROFILE|NAME=VALUE ...",
    "Begins the second scenario: all profiles and givens that follow are its own.",
)
_LIBRARY = click.Option(
    ["--library", "replaced"],
    type=_PATH,
    metavar="FILE|NAME",
    help="A relation file or library instead of the built-in one; - for standard input.",
)
_ADD = click.Option(
    ["--add", "added"],
    type=_PATH,
    metavar="FILE|NAME",
    multiple=True,
    help="A relation file or library added to the library; - for standard input.",
)
_OF = (_LIBRARY, _ADD)
_IN = click.Option(["--in", "unit"], metavar="UNIT", help="The unit of the answer.")
_INS = click.Option(
    ["--in", "unit"], metavar="UNIT[,UNIT]", help="The unit of the answers: one for all targets, or one for each."
)
_PICTURE = _writes("Where to draw: a file that ends in .svg, .png or .pdf; - for standard output.")
_STRICT = _flag("--strict", "Exit with 1 if a check fails, a given plays no part, or there is a remark.")
_PROVED = _flag("--strict", "Exit with 1 if the choice is not proved, or as solve does at the choice.")
_SUCH_THAT = click.Option(["--such-that", "limits"], metavar="TEXT", multiple=True, help="A limit, with <= or >=.")

_CHOICES = "NAME=LOW..HIGH [NAME=VALUE,VALUE ...] [NAME=VALUE ...]"
_LIMITED = {"such_that": "write --such-that TEXT"}
_BEST_PARAMETERS = (
    *(_target(), _given(_CHOICES), _SUCH_THAT, _AMONG, _WITH, _EACH, *_OF, _IN, *_PICTURE, _DIGITS, _PROVED, _JSON),
    _flag("--steps", "Show the derivation of the answer at the best choice."),
    _flag("--ranges", "Show how the choices fare where ranges turn out otherwise."),
)


def _best_example(verb: str, target: str) -> str:
    return (
        f'derive {verb} {target} batch="1..4096 sequence" chips="8 chip, 16 chip" context="8 ktoken/sequence" '
        '--with llama3-70b --among h100-sxm:fp8,b200-sxm:fp8 --such-that "user_speed >= 20 token/s/sequence"'
    )


# The table

VERBS = (
    Verb(
        "solve",
        _ASK,
        brief="Any quantity, or several, from what is given.",
        examples=[
            'derive solve period length="0.994 m" gravity="9.81 m/s**2" --library pendulum.toml',
            'derive solve "step_time, weight_bytes/chips in GB/chip" batch="64 sequence" chips="8 chip" '
            'context="8 ktoken/sequence" --with llama3-70b --each h100-sxm:fp8,b200-sxm:fp8',
        ],
        parameters=(
            *(_target("TARGET[,TARGET]"), _given(), _WITH, _EACH, *_OF, _INS),
            _flag("--all", "Every admissible answer: roots, regimes, bounds.", "is_all"),
            _flag("--steps", "Show the derivation (the default on a terminal)."),
            _flag("--latex", _LATEX.format("the derivation"), "as_latex"),
            *(_DIGITS, _STRICT, _JSON),
        ),
        place="derive.cli.solving:solve",
        tool="Solve for a quantity: its value with unit, steps, sources, assumptions, failed checks.",
    ),
    Verb(
        "sweep",
        _RANGES,
        brief="A table or a picture along axes.",
        examples=[
            'derive sweep cost_per_token,step_time batch="1..4096 sequence" context="8 ktoken/sequence" '
            'chips="8 chip" chip_price="2 USD/h/chip" --with h100-sxm:fp8 --with llama3-70b -o cost.svg',
            'derive sweep step_time batch="16,64,256 sequence" context="8 ktoken/sequence" chips="8 chip" '
            "--with llama3-70b --each h100-sxm:fp8,b200-sxm:fp8",
        ],
        parameters=(
            _target("TARGET[,TARGET]"),
            _given("NAME=LOW..HIGH [NAME=VALUE,VALUE] [NAME=VALUE ...]"),
            *(_WITH, _EACH, *_OF, _INS),
            _number("--points", click.IntRange(min=2), "Points on each axis (50).", default=50),
            *_writes("A .csv with every point, or a picture as .svg, .png or .pdf; - for CSV here."),
            *(_DIGITS, _STRICT, _JSON),
        ),
        place="derive.cli.ranges:sweep",
        endings=(".csv", *PICTURES),
    ),
    Verb(
        "sample",
        _RANGES,
        brief="Where a quantity mostly lies, by points drawn from ranges.",
        examples=[
            'derive sample cost_per_token batch="16..64 sequence" context="1..100 ktoken/sequence" '
            'chips="8 chip" bandwidth_efficiency="0.7 +/- 0.1" --with h100-sxm:fp8 --with llama3-70b'
        ],
        parameters=(
            *(_target(), _given("NAME=LOW..HIGH [NAME=VALUE ...]"), _WITH, *_OF, _IN),
            _number("--points", click.IntRange(min=1), "Points to draw (100000).", default=100_000),
            _number("--seed", click.IntRange(min=0), "Seed of the random numbers (0).", default=0),
            *(*_PICTURE, _DIGITS, _STRICT, _JSON),
        ),
        place="derive.cli.ranges:sample",
        settings={"points": "write --points N", "seed": "write --seed N"},
    ),
    Verb(
        "least",
        _BEST,
        brief="The choice that makes a quantity least, proved.",
        examples=[_best_example("least", "cost_per_token")],
        parameters=_BEST_PARAMETERS,
        place="derive.cli.solving:least",
        tool="The choice that makes a quantity least (or most), proved: ranges and lists among the givens are free.",
        settings=_LIMITED,
    ),
    Verb(
        "most",
        _BEST,
        brief="The choice that makes a quantity most, proved.",
        examples=[_best_example("most", "user_speed")],
        parameters=_BEST_PARAMETERS,
        place="derive.cli.solving:most",
        settings=_LIMITED,
    ),
    Verb(
        "front",
        _BEST,
        brief="The choices of which none is better in two targets.",
        examples=[_best_example("front", "cost_per_token,user_speed")],
        parameters=(
            *(_target("TARGET,TARGET"), _given(_CHOICES), _SUCH_THAT, _AMONG, _WITH, *_OF, _INS),
            *(*_PICTURE, _DIGITS, _PROVED, _JSON),
            _number("--points", click.IntRange(min=2), "Points of the front (12).", default=12),
        ),
        place="derive.cli.solving:front",
        settings={**_LIMITED, "points": "write --points N"},
    ),
    Verb(
        "border",
        _RANGES,
        brief="Where another arm binds, or a check ceases to hold.",
        examples=[
            'derive border step_time batch="1..4096 sequence" context="0.1..100 ktoken/sequence" '
            'chips="8 chip" --with h100-sxm:fp8 --with llama3-70b -o map.svg'
        ],
        parameters=(
            *(_target(), _given("NAME=LOW..HIGH [NAME=LOW..HIGH] [NAME=VALUE ...]")),
            *(_WITH, *_OF, _IN, *_PICTURE, _DIGITS, _JSON),
        ),
        place="derive.cli.ranges:border",
        settings={"over": "a border is drawn over the givens that are ranges"},
    ),
    Verb(
        "compare",
        _WHY,
        brief="Why the answers of two scenarios differ.",
        examples=[
            'derive compare cost_per_token batch="64 sequence" chips="8 chip" context="8 ktoken/sequence" '
            '--with llama3-70b --with h100-sxm:fp8 --against b200-sxm:fp8 chips="4 chip"'
        ],
        parameters=(_target(), _given(), _WITH, _AGAINST, _EACH, *_OF, _IN, *_PICTURE, _DIGITS, _STRICT, _JSON),
        place="derive.cli.explaining:compare",
        has_second_scenario=True,
    ),
    Verb(
        "formula",
        _ASK,
        brief="The closed form of a quantity, without numbers.",
        examples=[
            "derive formula drain_time hbm_capacity hbm_bandwidth",
            "derive formula step_time batch context chips --with h100-sxm:fp8 --with llama3-70b",
        ],
        parameters=(
            _target(),
            _given("[NAME ...]"),
            _WITH,
            *_OF,
            _flag("--latex", _LATEX.format("it"), "as_latex"),
            _JSON,
        ),
        place="derive.cli.solving:formula",
        tool="The closed form of a quantity in terms of the quantities that are given by name.",
    ),
    Verb(
        "reach",
        _ASK,
        brief="Everything that some names determine.",
        examples=["derive reach batch context chips --with h100-sxm:fp8 --with llama3-70b"],
        parameters=(_given("[NAME ...]"), _WITH, *_OF, _JSON),
        place="derive.cli.solving:reach",
    ),
    Verb(
        "graph",
        _WHY,
        brief="What leads to a quantity, as a picture.",
        examples=["derive graph step_time batch context chips --with h100:fp8 --with llama3-8b -o plan.svg"],
        parameters=(
            *(_target("[TARGET]"), _given("[GIVEN ...]"), _WITH, *_OF),
            *_writes(
                "Where to write: a file that ends in .svg, .graphml or .json; without it, a picture on standard output."
            ),
        ),
        place="derive.cli.explaining:graph",
        endings=(".svg", ".graphml", ".json"),
    ),
    Verb(
        "compile",
        _ELSEWHERE,
        brief="A question as a Python module that needs nothing else.",
        examples=["derive compile step_time batch context --with h100-sxm:fp8 --with llama3-70b -o step_time.py"],
        parameters=(
            *(_target(), _given("[NAME ...]"), _WITH, *_OF, _IN),
            *_writes("Where to write it: a file that ends in .py; - for standard output.", is_required=True),
        ),
        place="derive.cli.artifacts:compile_",
        endings=(".py",),
        hint="derive page writes JavaScript, inside a page.",
    ),
    Verb(
        "page",
        _ELSEWHERE,
        brief="A question as a page with sliders.",
        examples=[
            'derive page cost_per_token step_time batch="1..4096 sequence" context="8 ktoken/sequence" '
            'chips="8 chip" --with h100-sxm:fp8 --with llama3-70b -o page.html'
        ],
        parameters=(
            *(_words("words", "TARGET [TARGET ...] [NAME=VALUE ...]"), _WITH, *_OF),
            click.Option(["--title"], default="", metavar="TEXT", help="The page's title."),
            *_writes("Where to write the page.", "FILE.html", is_required=True),
        ),
        place="derive.cli.artifacts:page",
    ),
    Verb(
        "check",
        _FILES,
        brief="Units, repetitions and examples of relation files.",
        examples=["derive check pendulum.toml"],
        parameters=(
            _words("files", "[FILE ...]", type=_PATH),
            _flag("--only-relations", "Pass over TOML files that are no relation files."),
            _JSON,
        ),
        place="derive.cli.catalogue:check",
        tool="Check a relation file: units, names, repetitions and worked examples, each problem with its mend.",
    ),
    Verb(
        "find",
        _LOOK_UP,
        brief="Names by what one calls them, or by their unit.",
        examples=['derive find "time between tokens";  derive find USD/Mtoken'],
        parameters=(click.Argument(["words"], nargs=-1, required=True, metavar="WORDS"), *_OF, _JSON),
        place="derive.cli.catalogue:find",
        tool="Find quantities, relations and profiles by name, alias and meaning, the nearest first.",
    ),
    Verb(
        "list",
        _LOOK_UP,
        brief="All quantities, relations, profiles, reports or libraries.",
        examples=["derive list quantities cache price"],
        parameters=(
            click.Argument(
                ["kind"],
                default="quantities",
                required=False,
                metavar="[quantities|relations|profiles|reports|libraries|WORD]",
            ),
            *(_words("words", "[WORD ...]"), *_OF, _JSON),
        ),
        place="derive.cli.catalogue:list_",
        tool="List quantities, relations or profiles, or those that mention all of some words.",
    ),
    Verb(
        "show",
        _LOOK_UP,
        brief="Unit, meaning, equation, source of what bears a name.",
        examples=["derive show kv_time"],
        parameters=(
            click.Argument(["name"], shell_complete=_QUANTITIES),
            *(*_OF, _JSON, _flag("--toml", "Print it as an entry of a relation file.", "as_toml")),
        ),
        place="derive.cli.catalogue:show",
        tool="Show all that bear a name: unit, meaning, equation, reason, source, values.",
    ),
    Verb(
        "report",
        _ELSEWHERE,
        brief="The reports, or one of a template of your own.",
        examples=["derive report roofline prices --pdf;  derive report mine.md --out pages --html"],
        parameters=(
            _words("names", "[NAME|FILE.md ...]"),
            _flag("--check", "Write nothing; fail if a report is out of date."),
            _flag("--pdf", "Make PDFs too (needs TeX)."),
            _flag("--html", "Write self-contained HTML pages too."),
            *(_folder("reports", "The folder of the reports (reports)."), _FORCE),
        ),
        place="derive.cli.artifacts:report",
    ),
    Verb(
        "audit",
        _WHY,
        brief="The claims of the source lectures, each recomputed.",
        examples=["derive audit C22"],
        parameters=(
            _words("names", "[ID ...]"),
            click.Option(
                ["--claims", "own"], type=_PATH, metavar="FILE", help="A file of claims instead of the built-in ones."
            ),
            *(*_OF, _JSON),
        ),
        place="derive.cli.explaining:audit",
    ),
    Verb(
        "infer",
        _WHY,
        brief="What the prices of a price sheet imply.",
        examples=["derive infer gemini-2-5-pro-prices --with h200-sxm:fp8 --with deepseek-v3"],
        parameters=(
            *(_words("words", "[SHEET] [NAME=VALUE ...]", shell_complete=_PROFILES), _WITH),
            _flag("--steps", "Show each derivation, what it assumes and what would refute it."),
            *(_DIGITS, _JSON),
        ),
        place="derive.cli.explaining:infer",
    ),
    Verb(
        "manual",
        _ELSEWHERE,
        brief="The manual as HTML that needs no network.",
        examples=["derive manual --out pages"],
        parameters=(
            _flag("--check", "Write nothing; fail if the manual is out of date. Needs no Sphinx."),
            *(_folder("reports/manual", "The folder of the manual (reports/manual)."), _FORCE),
        ),
        place="derive.cli.artifacts:manual",
        is_timed=False,
    ),
    Verb(
        "schema",
        _FILES,
        brief="The JSON schema of relation files.",
        examples=["derive schema > relation-file.schema.json"],
        parameters=(),
        place="derive.cli.catalogue:schema",
        is_timed=False,
    ),
    Verb(
        "serve",
        _ELSEWHERE,
        brief="A server of tools for an assistant (MCP).",
        examples=["derive serve   (an assistant's program starts it, and speaks to it over stdio)"],
        parameters=_OF,
        place="derive.cli.artifacts:serve",
        is_timed=False,
    ),
    Verb(
        "serve-editor",
        _FILES,
        brief="A language server for relation files.",
        examples=["derive serve-editor   (an editor starts it, and speaks to it over stdio)"],
        parameters=(),
        place="derive.cli.artifacts:serve_editor",
        is_timed=False,
    ),
)
