"""A small report that holds every kind of block, and words that mean harm."""

from __future__ import annotations

import derive
from derive.presentation import latex, markdown
from derive.presentation.charts import Axis, Chart, Series
from derive.presentation.document import Document, Formulas, Grid, Heading, Items, Picture, Text, bound, verbatim
from derive.presentation.html import Html
from derive.reports.formulas import worked
from quantities.value import Source

HOSTILE = r"\input{x} \write18{y} ^^5cz % & # _ $a$ <script>alert(1)</script> *b* [l](u) `c` | ~ µ° – \`d"
SURVEY = Source("a survey", "published", url="https://example.org/a_b", date="2026-01")


def falling():
    """An answer about something that falls."""
    library = derive.load(
        '[quantities]\nheight = { unit = "m", latex = "h" }\nfall = { unit = "s", latex = "t" }\n'
        'gravity = { unit = "m/s**2", value = "9.80665 m/s**2", latex = "g" }\n'
        '[relations.fall]\nequation = "height = gravity*fall**2/2"\nbecause = "it speeds up evenly"'
    )
    return library.solve("fall", height="20 m")


def report(words: str = "A *stressed* word, a `name` and $t^2$.") -> Document:
    """Every kind of block, with these words wherever words may stand."""
    chart = Chart(Axis("x"), Axis("y"), (Series.of([1, 2], [3, 4]),), title="a picture")
    blocks = (
        Heading("A heading"),
        Text(words, (SURVEY,)),
        Items((words, "two"), (SURVEY,)),
        Formulas((("t", r"\sqrt{\frac{2 h}{g}}"), ("", "1"))),
        worked("Falling", falling()),
        Grid(("height", "fall"), (("20 m", words), ("a", "b")), words, (SURVEY,)),
        Grid(("letter", "meaning"), (("$t$", words),), shares=(0, 0.45)),
        Picture("toy", (chart,), words),
    )
    return Document("toy", "A toy", blocks)


def as_latex(made: Document) -> str:
    return bound(made.title, [made], latex.DOCUMENT)


def as_markdown(made: Document) -> str:
    return bound(made.title, [made], markdown.HOST)


def as_html(made: Document, drawn: dict[str, str]) -> str:
    return bound(made.title, [made], Html(drawn))


def hostile() -> Document:
    """The report with words that mean harm, shown as they stand."""
    return report(verbatim(HOSTILE))
