"""The reports as they lie in the project: there in both forms, and taken by TeX without a line that runs over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from derive.presentation.latex import is_installed, pressed
from derive.tokens.reports.titles import titles

PRESSED = [pytest.param(name, marks=() if name == "menu" else pytest.mark.thorough) for name in titles()]
SHELF = Path(__file__).parents[3] / "reports"


@pytest.mark.parametrize("name", titles())
def test_a_report_lies_there_with_the_pictures_that_it_shows(name):
    told = (SHELF / f"{name}.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\]\((figures/[^)]+)\)", told)
    assert all((SHELF / picture).is_file() for picture in pictures)
    assert pictures


@pytest.mark.thorough
@pytest.mark.skipif(not is_installed(), reason="no TeX is installed")
@pytest.mark.parametrize("name", PRESSED)
def test_tex_takes_a_report_and_no_line_runs_over(name):
    log: list[str] = []
    pressed(name, (SHELF / f"{name}.tex").read_text(encoding="utf-8"), {}, log)
    wide = [line for line in log if (found := re.match(r"Overfull \\hbox \(([\d.]+)pt", line)) and float(found[1]) > 5]
    assert not wide
