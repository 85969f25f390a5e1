"""The audit as it is read: all of it is there, and its numbers are those of a pencil."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

import derive
from derive.audit.verdicts import Verdict, worst_first
from derive.presentation import latex as tex
from derive.presentation.document import Document, Formulas, Grid, Heading, Items, Text
from derive.presentation.plotting import as_pdf, as_svg
from derive.reports.template_words import number, vocabulary
from derive.reports.templating import rendered
from derive.tokens.audit import audit, clashes
from derive.tokens.reports.audit_report import audit_words, is_told_whole, plain_sentences, title_writer
from derive.tokens.reports.titles import TEMPLATES
from tests.derive.audit.catalogues import changed
from tests.derive.reports.pages import as_html, as_latex, as_markdown

pytestmark = pytest.mark.thorough

NAMED = title_writer(derive.llm)
SOME = """
from derive.tokens.audit import audit, clashes
from tests.derive.reports.pages import as_latex, as_markdown
from tests.derive.tokens.reports.test_audit import report
made = report(audit(["C02", "C04", "C30"]), clashes(["C05"]))
print(as_markdown(made), as_latex(made))
"""


def report(findings, conflicts, library=derive.llm):
    words = {**vocabulary(library), "audit": lambda: audit_words(findings, conflicts, library)}
    made = rendered("audit", TEMPLATES / "audit.md", words)
    return Document(made.name, "The audit", made.blocks)


@pytest.fixture(scope="module")
def made(findings, conflicts):
    return report(tuple(findings.values()), conflicts)


@pytest.fixture(scope="module")
def forms(made):
    drawn = {picture.name: as_svg(picture.name, *picture.charts) for picture in made.pictures}
    page = unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", "", as_html(made, drawn), flags=re.DOTALL))
    return {"latex": as_latex(made), "markdown": as_markdown(made), "html": page}


def bare(text):
    """Letters and digits alone: what is left of a text in every form."""
    return re.sub(r"\\allowbreak|\\[a-z]+(?=\{\})|[^A-Za-z0-9]", "", text)


def below(made, title):
    """The blocks below the heading that begins so, up to the next."""
    starts = [i for i, block in enumerate(made.blocks) if isinstance(block, Heading) and block.level <= 3]
    start = next(i for i in starts if made.blocks[i].words.startswith(title))
    return made.blocks[start : next(i for i in starts if i > start)]


def shown(blocks):
    """All mathematics of these blocks, in one text."""
    return " ; ".join(" = ".join(line) for block in blocks if isinstance(block, Formulas) for line in block.lines)


def told(blocks):
    """All words of these blocks, without markup."""
    words = [block.words for block in blocks if isinstance(block, Text)]
    rows = [" | ".join(row) for block in blocks if isinstance(block, Grid) for row in block.rows]
    return re.sub(r"[\\$`]", "", " ".join((*words, *rows)))


@pytest.mark.parametrize("form", ["latex", "markdown", "html"])
def test_every_claim_every_clause_and_every_verdict_are_in_every_form(form, forms, findings):
    text = bare(forms[form])
    for name, finding in findings.items():
        head = f"{bare(name)}{bare(str(finding.verdict))}{bare(finding.claim.said)}"
        assert head + "Claimed" + bare(NAMED(finding.claim.statement)) in text
        assert finding.verdict is Verdict.REPRODUCED or "Found" + bare(NAMED(finding.why)) in text
        computed, claimed = finding.decides.weighed.on_page
        assert bare(name + finding.claim.brief + NAMED(finding.reading) + computed + claimed) in text
        assert finding.verdict <= Verdict.ROUNDED or bare(plain_sentences(finding)) in text
        for clause in finding.clauses:
            decides = clause.natural.decides
            brief = "".join(decides.weighed.on_page)
            words = decides.words if clause.natural.reading.each else clause.natural.words
            assert bare(NAMED(f"{clause.clause.words} {words} {brief}{clause.verdict}")) in text


def test_the_worst_claims_are_told_first(made, findings):
    glance = [
        row[0] for block in made.blocks if isinstance(block, Grid) and block.header[1] == "claim" for row in block.rows
    ]
    pages = [block.words[:3] for block in made.blocks if isinstance(block, Heading) and block.words[:3] in findings]
    assert glance == pages == [one.claim.name for one in worst_first(findings.values())]


def test_every_reading_is_told_with_what_it_computes(made, findings):
    for name, finding in findings.items():
        page = told(below(made, f"{name}: "))
        whole = page if is_told_whole(finding) else told(below(made, f"All readings of {name}"))
        for clause in finding.clauses:
            for ruling in clause.rulings:
                computed, claimed = ruling.decides.weighed.on_page
                beside = NAMED(f"{ruling.decides.words}, {computed}: {ruling.verdict}")
                assert beside in whole or f"{computed} | {claimed} | {ruling.verdict}" in whole, (name, ruling.words)
                for one in ruling.judgements if ruling.reading.each else ():
                    profile = re.escape(NAMED(one.words.removeprefix(ruling.words).strip()))
                    assert re.search(rf"{re.escape(one.weighed.on_page[0])} by [^;]*\b{profile}(?!\w)", whole), (
                        one.words
                    )


def test_the_reading_that_decides_is_derived_and_asked_backwards(made):
    blocks = below(made, "C04: ")  # a B100 drains 192 GB at 8 TB/s, and would need 20 ms
    assert f"{192 / 8:.4g}\\,\\mathrm{{ms}}" in shown(blocks)
    assert f"would hold if hbm_bandwidth = {192 / 20:.4g} TB/s/chip" in told(blocks)


def test_a_table_holds_what_came_out_and_what_it_would_take(made):
    flash = told(below(made, "All readings of C26"))
    minutes = f"{30.72e12 / 28e9 / 60:.3g} min | 1 min | contradicted"
    assert f"{NAMED('nvme-gen6-30tb')} | {minutes} | tier_bandwidth = {30.72e12 / 60e9:.4g} GB/s" in flash


def test_claims_that_clash_are_shown_with_what_follows_from_the_others(made, conflicts):
    start = next(
        i for i, one in enumerate(made.blocks) if isinstance(one, Heading) and one.words.endswith("hold together")
    )
    heads = [i for i, one in enumerate(made.blocks) if isinstance(one, Heading) and one.level == 3 and i > start]
    assert len(heads) == len(conflicts)
    ends = [*heads[1:], len(made.blocks)]
    for start, end, conflict in zip(heads, ends, conflicts, strict=True):
        blocks = made.blocks[start:end]
        assert any(isinstance(block, Formulas) for block in blocks), conflict
        assert blocks[0].words.endswith(" and ".join(conflict.claims))
        assert f"apart by a factor of {number(conflict.factor)}".replace("$", "") in told(blocks)
    first = made.blocks[heads[0] : heads[1]]
    assert f"{300 * 700 / 37:.4g}" in shown(first)
    assert f"factor of {300 * 700 / 37 / 2400:.3g}" in told(first)


def test_the_picture_has_a_point_for_every_natural_reading_with_a_number(made, findings):
    (chart,) = made.pictures[0].charts
    failing = next(series for series in chart.series if series.label == "contradicted")
    row = [one.claim.name for one in worst_first(findings.values())].index("C20")
    points = dict(zip(failing.y, failing.x, strict=True))
    assert points[row] == pytest.approx(200e12 / (50e6 * 60 * 86400))
    for series in chart.series:
        inside = [0.8 - 1e-9 <= ratio <= 1.25 + 1e-9 for ratio in series.x]
        assert all(inside) or series.label not in ("reproduced", "rounded")
        assert not all(inside) or series.label != "contradicted"


def test_another_catalogue_makes_another_report():
    library = changed("h100-sxm", hbm_bandwidth="5 TB/s/chip")
    text, other = (
        re.sub(r"[\\$`]", "", as_markdown(report(audit(["C04"], given), (), given))) for given in (derive.llm, library)
    )
    assert f"H100 SXM5 80GB | {80 / 3.35:.3g} ms | 15..20 ms | contradicted |" in text
    assert f"H100 SXM5 80GB | {80 / 5:.3g} ms | 15..20 ms | reproduced |" in other
    assert f"{80 / 3.35:.3g} ms" not in other


@pytest.mark.long
def test_the_report_does_not_hang_on_the_order_of_sets():
    said = []
    for seed in ("1", "2"):
        place = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(derive.__file__).parents[1])}
        done = subprocess.run([sys.executable, "-c", SOME], capture_output=True, text=True, env=place, check=True)
        said.append(done.stdout)
    assert said[0] == said[1]
    assert "Said: C05 " in said[0]


@pytest.mark.skipif(not tex.is_installed(), reason="no TeX is installed")
def test_no_line_runs_over_the_page(made):
    log: list[str] = []
    pictures = {f"figures/{picture.name}.pdf": as_pdf(*picture.charts) for picture in made.pictures}
    assert tex.pressed("audit", as_latex(made), pictures, log).startswith(b"%PDF")
    wide = [float(found[1]) for line in log if (found := re.match(r"Overfull \\hbox \(([\d.]+)pt", line))]
    assert max(wide, default=0.0) <= 5.0


def test_conflicts_of_one_claim_alone_are_told_alone():
    text = as_markdown(report(audit(["C05"]), clashes(["C05"])))
    assert "1.28" in text  # 64 steps of 20 ms


def test_no_table_names_a_profile_by_its_key(made):
    cells = " ".join(cell for block in made.blocks if isinstance(block, Grid) for row in block.rows for cell in row)
    assert {key for key in derive.llm.profiles if re.search(rf"(?<![\w-]){re.escape(key)}(?![\w:-])", cells)} == set()


def test_what_fails_is_told_in_a_plain_sentence_with_its_numbers(made, findings):
    told = [row for block in made.blocks if isinstance(block, Items) for row in block.rows]
    failing = [one for one in worst_first(findings.values()) if one.verdict > Verdict.ROUNDED]
    assert [row.partition("* ")[0][1:] for row in told] == [one.claim.name for one in failing]
    assert all(re.search(r" (The )?(lecture|flashcards) (say|take)s? ", row) and "{" not in row for row in told)


def test_a_conflict_says_which_number_stands_against_which(made, conflicts):
    (shown,) = [
        block
        for block in made.blocks
        if isinstance(block, Grid) and block.header[-1] == "apart by" and block.header[0] == "claims"
    ]
    assert len(shown.rows) == len(conflicts)
    assert all(all(row) for row in shown.rows)
    rows = {row[0]: row for row in shown.rows}
    assert "64/s" in rows["C05, C06"][2]
    assert f"{1 / 0.02:.0f}" in rows["C05, C06"][3]
