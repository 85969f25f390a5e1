"""What a shell completes: verbs, options, files, and the names of quantities and profiles."""

from __future__ import annotations

import pytest

import derive
from tests.derive.terminal import ask


def completed(monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
    """The kind and the text of what click tells bash about the last word of a line."""
    words = line.split(" ")
    monkeypatch.setenv("_DERIVE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    said = ask()
    assert (said.status, said.err) == (0, "")
    return said.out.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("derive sol", ["plain,solve"]),
        ("derive solve --ste", ["plain,--steps"]),
        ("derive solve step_ti", ["plain,step_time"]),
        ("derive solve step_time hbm_b", ["plain,hbm_bandwidth"]),
        ("derive least cost_per_token --among llama3-7", ["plain,llama3-70b"]),
        ("derive solve nothing_of_the_kind", []),
        ("derive check pend", ["file,pend"]),
        ("derive solve step_time --library pend", ["file,pend"]),
        ("derive page step_time -o pend", ["file,pend"]),
    ],
)
def test_a_shell_is_offered_what_fits(monkeypatch: pytest.MonkeyPatch, line: str, offered: list[str]) -> None:
    assert completed(monkeypatch, line) == offered


def test_every_quantity_and_profile_of_the_library_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert completed(monkeypatch, "derive solve ") == [f"plain,{name}" for name in derive.llm.declared]
    assert completed(monkeypatch, "derive solve x --with ") == [f"plain,{name}" for name in derive.llm.profiles]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setenv("_DERIVE_COMPLETE", f"{shell}_source")
    said = ask()
    assert said.status == 0
    assert f"_DERIVE_COMPLETE={shell}_complete" in said.out
