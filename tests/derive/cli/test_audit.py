"""`derive audit` as it is met in a terminal, and in a pipe."""

from __future__ import annotations

import re
import sys

import pytest

from derive.audit.text import rows
from derive.cli import main

pytestmark = pytest.mark.thorough


@pytest.fixture
def audited(findings, conflicts, monkeypatch, capsys):
    """What is printed to a terminal so wide, or to a pipe."""
    import derive.tokens.audit

    found = tuple(findings.values())  # each of which asks the function that is replaced here
    monkeypatch.setattr(derive.tokens.audit, "audit", lambda *asked: found)
    monkeypatch.setattr(derive.tokens.audit, "clashes", lambda *asked: conflicts)

    def printed(columns=None):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: columns is not None, raising=False)
        monkeypatch.setenv("COLUMNS", str(columns or 80))
        with pytest.raises(SystemExit):
            main(["audit"])
        return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()

    return printed


def test_a_pipe_gets_one_line_for_each_claim(audited, findings):
    header, *lines = audited()
    assert header.split() == ["id", "claim", "verdict", "computed", "claimed"]
    for line, row in zip(lines, rows(list(findings.values()))[1:], strict=False):
        assert tuple(re.split(r"  +", line.strip())) == row
        assert len(line) <= 160
    assert lines[len(findings)] == ""


@pytest.mark.parametrize("columns", [80, 200])
def test_a_terminal_is_kept_to_and_no_word_is_cut_or_lost(audited, findings, conflicts, columns):
    lines = audited(columns)
    assert max(map(len, lines)) <= columns
    assert "…" not in "".join(lines)
    words = set(" ".join(lines).split())
    for finding in findings.values():
        spoken = f"{finding.claim.brief} {' '.join(finding.decides.weighed.brief)}".split()
        assert {word for word in spoken if len(word) < 24} <= words
    assert all(word in words for conflict in conflicts for word in str(conflict).split() if len(word) < 24)
