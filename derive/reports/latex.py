"""A report as LaTeX: one document that loads only what every TeX distribution has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from derive.presentation.bibliography import Bibliography
from derive.presentation.derivation import Line
from derive.presentation.latex import aligned, cautions, escaped, inputs, notes, sources, step
from derive.presentation.mathematics import width
from derive.reports.document import Block, Formulas, Grid, Heading, Items, Picture, Report, Text, Worked, spans
from quantities.source import Source

__all__ = ["as_latex", "bound"]

_PREAMBLE = r"""\documentclass[10pt,a4paper,fleqn]{CLASS}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern,textcomp,amsmath,amssymb,graphicx,array,booktabs,longtable}
\usepackage[margin=25mm]{geometry}
\usepackage[hidelinks]{hyperref}
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
\newsavebox{\widebox}
\newenvironment{fitted}{\begin{lrbox}{\widebox}\small}{\end{lrbox}%
  \ifdim\wd\widebox>\linewidth\resizebox{\linewidth}{!}{\usebox{\widebox}}\else\usebox{\widebox}\fi}
\newcommand{\drawn}[1]{\IfFileExists{figures/#1.pdf}%
  {\includegraphics[width=\linewidth]{figures/#1.pdf}}{\fbox{figures/#1.svg}}}
\title{TITLE}
\author{}
\date{}
\begin{document}
\maketitle
"""
_SIGNS = {"°": r"\textdegree{}", "×": r"\texttimes{}", "–": "--", "—": "---", "…": r"\dots{}", "µ": r"\textmu{}"}
_LEVELS = ("part", "section", "subsection", "subsubsection")
_LINE = 74  # characters of mathematics that a line holds
_PAGE = 32  # rows of a table that stay together


def as_latex(report: Report) -> str:
    """The report as a document of its own."""
    cited = Bibliography()
    return _document("article", report.title, _body(report, cited), cited)


def bound(title: str, reports: Sequence[Report]) -> str:
    """Several reports as one volume, with the contents before them and one list of sources behind."""
    cited = Bibliography()
    parts = [[rf"\part{{{_words(report.title)}}}", *_body(report, cited)] for report in reports]
    return _document("report", title, [r"\tableofcontents", *chain.from_iterable(parts)], cited)


def _document(kind: str, title: str, body: Sequence[str], cited: Bibliography) -> str:
    preamble = _PREAMBLE.replace("CLASS", kind).replace("TITLE", _words(title))
    listed = ["\\section{Sources}", sources(cited)] if cited.sources else []
    return preamble + "\n" + "\n\n".join([*body, *listed, "\\end{document}"]) + "\n"


def _body(report: Report, cited: Bibliography) -> list[str]:
    """The blocks; mathematics goes on with the paragraph before it, lest an empty one stand between."""
    parts: list[str] = []
    for before, block in zip((None, *report.blocks), report.blocks, strict=False):
        if isinstance(before, Text) and isinstance(block, Formulas):
            parts[-1] += "\n" + _block(block, cited)
        else:
            parts.append(_block(block, cited))
    return parts


def _block(block: Block, cited: Bibliography) -> str:
    match block:
        case Heading():
            return rf"\{_LEVELS[block.level - 1]}{{{_words(block.words)}}}"
        case Text():
            return _words(block.words) + _citations(block.sources, cited)
        case Items():
            rows = "\n".join(rf"\item {_words(row)}" for row in block.rows)
            return f"\\begin{{itemize}}\n{rows}{_citations(block.sources, cited)}\n\\end{{itemize}}"
        case Formulas():
            return _displayed(block.lines)
        case Worked():
            return _worked(block, cited)
        case Grid():
            return _grid(block, cited)
        case Picture():
            caption = rf"\begin{{minipage}}{{0.94\linewidth}}\small {_words(block.caption)}\end{{minipage}}"
            return f"\\begin{{center}}\n\\drawn{{{block.name}}}\n\n\\nopagebreak\n{caption}\n\\end{{center}}"


def _worked(block: Worked, cited: Bibliography) -> str:
    """A derivation: its result above, its steps, and in small print what went in and what was noted."""
    page = block.page
    steps = [step(number, one, _displayed) for number, one in enumerate(page.steps, 1)]
    table = [f"\\begin{{fitted}}%\n{one}\\end{{fitted}}\\medskip" for one in inputs(page, cited)]
    small = ["{\\small", *notes(page), "}"] if notes(page) else []
    head = [rf"\subsubsection{{{_words(block.title)}}}", rf"\[{page.headline}\]", *cautions(page)]
    return "\n\n".join([*head, *steps, *table, *small])


def _displayed(lines: tuple[Line, ...]) -> str:
    """Lines of mathematics, those made smaller that would be wider than the page."""
    room = _LINE - max(width(left) for left, right in lines if right or len(lines) == 1)
    return aligned(tuple((left, _narrowed(right, room)) for left, right in lines))


def _narrowed(shown: str, room: int) -> str:
    wide = width(shown)
    return shown if wide <= room else rf"\scalebox{{{room / wide:.2f}}}{{$\displaystyle {shown}$}}"


def _grid(block: Grid, cited: Bibliography) -> str:
    head = " & ".join(_words(cell) for cell in block.header)
    rows = " \\\\\n".join(" & ".join(_words(cell) for cell in row) for row in block.rows)
    shares = block.shares or (0,) * len(block.header)
    kinds = [rf">{{\raggedright\arraybackslash}}p{{{share:.3g}\linewidth}}" if share else "l" for share in shares]
    columns = "@{}" + "".join(kinds) + "@{}"
    inside = f"\\toprule\n{head} \\\\\n\\midrule\n{rows} \\\\\n\\bottomrule\n"
    caption = _words(block.caption) + _citations(block.sources, cited)
    if len(block.rows) > _PAGE or block.shares:
        inside = inside.replace("\\midrule\n", "\\midrule\n\\endhead\n", 1)
        inside = f"\\begin{{longtable}}{{{columns}}}\n{inside}\\end{{longtable}}"
        return f"{{\\footnotesize\\setlength{{\\tabcolsep}}{{4pt}}{inside}}}\n\n{{\\small {caption}}}"
    table = f"\\begin{{fitted}}%\n\\begin{{tabular}}{{{columns}}}\n{inside}\\end{{tabular}}\\end{{fitted}}"
    return f"\\begin{{center}}\n{table}\n\n\\nopagebreak\\smallskip\n{{\\small {caption}}}\n\\end{{center}}"


def _citations(given: tuple[Source, ...], cited: Bibliography) -> str:
    marks = [cited.cite(source) for source in given]
    told = " ".join(f"[{mark}]" if isinstance(mark, int) else f"({escaped(mark)})" for mark in marks)
    return f"~{told}" if told else ""


def _words(words: str) -> str:
    shown = {"text": "{}", "math": "${}$", "stress": r"\emph{{{}}}", "name": r"\texttt{{{}}}"}
    return "".join(shown[kind].format(text if kind == "math" else _signed(text)) for kind, text in spans(words))


def _signed(text: str) -> str:
    """Escaped text, the signs that a small font lacks spelled out; names and units may break where their words end."""
    told = "".join(_SIGNS.get(c, c) for c in escaped(text))
    return told.replace(r"\_", r"\_\allowbreak{}").replace("/", r"/\allowbreak{}")
