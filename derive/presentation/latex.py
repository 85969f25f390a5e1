r"""The LaTeX dialect: fragments that need only amsmath, and documents that any TeX distribution can set.

Names, texts and sources come from users: every character of them is escaped, so that none acts as a command. TeX itself
works in a temporary folder, cannot start programs, and uses a fixed date, so that the same report gives the same file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from derive.errors import DeriveError, LimitError, LimitKind
from derive.files import MARK
from derive.presentation.mathematics import Line, break_lines, width

_PREAMBLE = r"""\documentclass[10pt,a4paper,fleqn]{CLASS}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern,textcomp,amsmath,amssymb,graphicx,array,booktabs,longtable}
\usepackage[margin=25mm]{geometry}
\usepackage[hidelinks,pdfcreator={MARK}]{hyperref}
\setcounter{secnumdepth}{-1}
\setcounter{tocdepth}{1}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6em}
\setlength{\emergencystretch}{3em}
\setlength{\mathindent}{1.5em}
\setlength{\LTleft}{0pt}
\setlength{\LTpre}{4pt}
\setlength{\LTpost}{4pt}
\AtBeginDocument{\setlength{\abovedisplayskip}{4pt}\setlength{\belowdisplayskip}{6pt}\setlength{\abovedisplayshortskip}{4pt}}
\allowdisplaybreaks
\makeatletter % a heading that would stand alone at the foot of a page goes to the next
\newcommand{\room}{\if@nobreak\else\par\penalty\z@\ifdim\dimexpr\pagegoal-\pagetotal<11\baselineskip\newpage\fi\fi}
\makeatother
\let\plainsection\section\renewcommand{\section}{\room\plainsection}
\let\plainsubsection\subsection\renewcommand{\subsection}{\room\plainsubsection}
\newsavebox{\widebox}
\newenvironment{fitted}{\begin{lrbox}{\widebox}\small}{\end{lrbox}%
  \ifdim\wd\widebox>\linewidth\resizebox{\linewidth}{!}{\usebox{\widebox}}\else\usebox{\widebox}\fi}
\newcommand{\drawn}[1]{\IfFileExists{figures/#1.pdf}%
  {\includegraphics[width=\linewidth]{figures/#1.pdf}}{\fbox{figures/#1.svg}}}
\title{TITLE}
\author{}
\date{\small FACTS}
\begin{document}
\maketitle
"""
_ESCAPES = str.maketrans(
    {
        **{c: rf"\{c}" for c in "#$%&_{}"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "`": r"\textasciigrave{}",
        "\n": " ",
    }
)
_BREAKS = str.maketrans({c: f"{c}\\allowbreak{{}}" for c in "/:;,"})
_SIGNS = {"°": r"\textdegree{}", "×": r"\texttimes{}", "–": "--", "—": "---", "…": r"\dots{}", "µ": r"\textmu{}"}
_LEVELS = ("part", "section", "subsection", "subsubsection")
_SHOWN = {"text": "{}", "math": "${}$", "stress": r"\emph{{{}}}", "name": r"\texttt{{{}}}"}
_LINE = 74  # characters of mathematics that a line holds
_PAGE = 32  # rows of a table that stay together


def escaped(text: str) -> str:
    r"""A text escaped so that TeX prints it as it is.

    >>> escaped(r"50 % of \input{x}")
    '50 \\% of \\textbackslash{}input\\{x\\}'
    """
    return text.translate(_ESCAPES)


def breakable(text: str) -> str:
    """A text escaped for TeX, with breaks allowed within addresses, paths and units."""
    return escaped(text).translate(_BREAKS)


@dataclass(frozen=True, slots=True)
class Latex:
    """LaTeX for a whole document, with wide formulas and tables scaled to the page, or for a fragment."""

    is_document: bool

    between: ClassVar[str] = "\n\n"
    before_formulas: ClassVar[str] = "\n"  # a blank line would begin an empty paragraph
    before_citations: ClassVar[str] = "~"
    escaped = staticmethod(escaped)
    breakable = staticmethod(breakable)

    def word(self, kind: str, text: str) -> str:
        return _SHOWN[kind].format(text if kind == "math" else _signed(text))

    def linked(self, words: str, target: str) -> str:
        return words

    def leading(self, words: str, address: str) -> str:
        target = address.replace("%", r"\%").replace("#", r"\#")
        return rf"\href{{{target}}}{{{words}}}"

    def target(self, words: str, name: str) -> str:
        return words

    def head(self, title: str, facts: str, lead: Sequence[str], contents: Sequence[tuple[int, str, str]]) -> list[str]:
        abstract = ["\\begin{abstract}\\noindent", *lead, "\\end{abstract}"] if lead else []
        preamble = _PREAMBLE.replace("TITLE", title).replace("FACTS", escaped(facts))
        return [preamble, *abstract, *([r"{\setlength{\parskip}{0pt}\tableofcontents}"] if contents else [])]

    def document(self, text: str, head: Sequence[str], parts: Sequence[str], is_volume: bool) -> str:
        preamble = head[0].replace("CLASS", "report" if is_volume else "article", 1).replace("MARK", MARK, 1)
        body = "\n\n".join([*head[1:], *parts, "\\end{document}"])
        return preamble + "\n" + re.sub(r"(?<=[\d$]) \\%", r"~\\%", body) + "\n"  # no line begins with a percent sign

    def heading(self, words: str, level: int, name: str = "") -> str:
        return rf"\{_LEVELS[level - 1]}{{{words}}}"

    def paragraph(self, words: str) -> str:
        return words

    def items(self, rows: Sequence[str], citations: str) -> str:
        inside = "\n".join(rf"\item {row}" for row in rows)
        return f"\\begin{{itemize}}\n{inside}{citations}\n\\end{{itemize}}"

    def aligned(self, lines: Sequence[Line]) -> str:
        if self.is_document:
            lines = break_lines(lines, _LINE)
            room = _LINE - max((width(left) for left, right in lines if right), default=0)
            lines = [(left, _narrowed(right, room)) for left, right in lines]
        rows = " \\\\\n".join(f"  {left} &= {right}" if right else f"  & {left}" for left, right in lines)
        return f"\\begin{{align*}}\n{rows}\n\\end{{align*}}"

    def grid(self, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, shares: Sequence[float]) -> str:
        """A table in LaTeX with its caption; a long one, or one with wide columns, may break over pages."""
        kinds = [
            rf">{{\raggedright\arraybackslash}}p{{{share:.3g}\linewidth}}" if share else "l"
            for share in shares or (0,) * len(header)
        ]
        columns = "@{}" + "".join(kinds) + "@{}"
        is_long = len(rows) > _PAGE or shares
        below_head = "\\midrule\n\\endhead\n" if is_long else "\\midrule\n"
        inside = f"\\toprule\n{_rows([header])}{below_head}{_rows(rows, bool(is_long))}\\bottomrule\n"
        if is_long:
            table = f"\\begin{{longtable}}{{{columns}}}\n{inside}\\end{{longtable}}"
            return f"{{\\footnotesize\\setlength{{\\tabcolsep}}{{4pt}}{table}}}\n\n{{\\small {caption}}}"
        table = f"\\begin{{fitted}}%\n\\begin{{tabular}}{{{columns}}}\n{inside}\\end{{tabular}}\\end{{fitted}}"
        return f"\\begin{{center}}\n{table}\n\n\\nopagebreak\\smallskip\n{{\\small {caption}}}\n\\end{{center}}"

    def picture(self, name: str, caption: str, text: str) -> str:
        below = rf"\begin{{minipage}}{{0.94\linewidth}}\small {caption}\end{{minipage}}"
        return f"\\begin{{center}}\n\\drawn{{{name}}}\n\n\\nopagebreak\n{below}\n\\end{{center}}"

    def result(self, title: str, level: int, formula: str) -> str:
        if self.is_document:
            return f"{self.heading(title, level)}\n\n\\[{formula}\\]"
        return rf"\{_LEVELS[level - 1]}*{{{title}: ${formula}$}}"

    def caution(self, text: str) -> str:
        return rf"\noindent\textbf{{{breakable(text)}}}"

    def step(self, number: int, name: str, reason: str, lines: Sequence[Line]) -> str:
        return f"\\noindent\\textbf{{{number}.}} \\textit{{{name}}}{reason}\n{self.aligned(lines)}"

    def inputs(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        inside = f"\\hline\n{_rows([header])}\\hline\n{_rows(rows)}\\hline\n"
        table = f"\\noindent\n\\begin{{tabular}}{{@{{}}{'l' * len(header)}@{{}}}}\n{inside}\\end{{tabular}}"
        return f"\\begin{{fitted}}%\n{table}\\end{{fitted}}\\medskip" if self.is_document else table

    def note(self, title: str, body: str) -> str:
        return f"\\paragraph{{{title}}}\n{body}"

    def listed(self, texts: Sequence[str], is_numbered: bool = False) -> str:
        kind = "enumerate" if is_numbered else "itemize"
        rows = "\n".join(rf"\item {breakable(text)}" for text in texts)
        return f"\\begin{{{kind}}}\\raggedright\n{rows}\n\\end{{{kind}}}"

    def small(self, parts: list[str]) -> list[str]:
        return ["{\\small", *parts, "}"] if self.is_document else parts


FRAGMENT = Latex(is_document=False)
DOCUMENT = Latex(is_document=True)


def _rows(rows: Sequence[Sequence[str]], is_long: bool = False) -> str:
    """The rows of a LaTeX table; of a long one, the first and the last row never stand alone on a page."""
    ends = [r" \\"] * len(rows)
    if is_long and rows:
        for place in {0, max(len(rows) - 2, 0)}:
            ends[place] = r" \\*"
    return "".join(f"{' & '.join(row)}{end}\n" for row, end in zip(rows, ends, strict=True))


def _narrowed(shown: str, room: int) -> str:
    """A formula in a LaTeX document, scaled down where it is wider than its room and no line break helps."""
    wide = width(shown)
    return shown if wide <= room else rf"\scalebox{{{room / wide:.2f}}}{{$\displaystyle {shown}$}}"


def _signed(text: str) -> str:
    """A text escaped for TeX, with commands for rare signs; names and units may break between words."""
    signed = "".join(_SIGNS.get(c, c) for c in escaped(text))
    return signed.replace(r"\_", r"\_\allowbreak{}").replace("/", r"/\allowbreak{}")


# TeX run on a document

_SECONDS = 120
_SHOWN_LINES = 12  # limit on lines of a TeX error


def is_installed() -> bool:
    """Whether TeX (pdflatex) is installed."""
    import shutil

    return shutil.which("pdflatex") is not None


def pressed(name: str, tex: str, pictures: Mapping[str, bytes], log: list[str] | None = None) -> bytes:
    """The PDF that TeX makes of a LaTeX document; the lines of its log are added to `log`."""
    if not is_installed():
        hint = "On Debian: apt install texlive-latex-recommended texlive-fonts-recommended lmodern"
        raise DeriveError("PDF needs TeX, and pdflatex is not installed.", hint=hint)
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / f"{name}.tex").write_text(tex, encoding="utf-8")
        for path, picture in pictures.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(picture)
        for _ in range(2):  # the second run has the table of contents
            _run(folder, name)
        if log is not None:
            log += _log(folder, name)
        return (folder / f"{name}.pdf").read_bytes()


def _run(folder: Path, name: str) -> None:
    """Run TeX once on a document in a folder; an error if it takes too long or rejects the document."""
    import subprocess

    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", f"{name}.tex"]
    fixed = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "openin_any": "p", "openout_any": "p"}
    try:
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **fixed}, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise LimitError(f"{name}: TeX did not finish.", limit=f"{_SECONDS} s", kind=LimitKind.TIME) from None
    if done.returncode:
        errors = [line for line in _log(folder, name) if line.startswith(("!", "l."))]
        raise DeriveError(f"{name}: TeX rejected the document: {' '.join(errors[:_SHOWN_LINES])}")


def _log(folder: Path, name: str) -> list[str]:
    path = folder / f"{name}.log"
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
