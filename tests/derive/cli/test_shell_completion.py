"""What a shell completes: verbs, options, quantities, profiles, units; through click's classes and in one real bash."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

import derive
from derive.cli import cli
from derive.cli.shell_completion import split
from tests.derive.terminal import ask, settle

PENDULUM = """\
[quantities]
length = { unit = "m" }
period = { unit = "s" }
[relations.small_swing]
equation = "period = 2*pi*sqrt(length/(9.81*length/length))"
[profiles.clock]
length = "0.994 m"
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"pendulum.toml": PENDULUM}, monkeypatch)


def completed(line: str, monkeypatch: pytest.MonkeyPatch, shell: str = "bash") -> list[str]:
    """What the shell would put in the place of the last word."""
    words = line.split(" ")
    settings = {
        "bash": {"COMP_LINE": line, "COMP_POINT": str(len(line.encode())), "COMP_BREAKS": " \t\n\"'><=;|&(:"},
        "zsh": {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)},
        "fish": {"COMP_WORDS": line, "COMP_CWORD": words[-1]},
    }[shell]
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    kind = get_completion_class(shell)
    assert kind is not None
    lines = kind(cli, {}, "derive", "_DERIVE_COMPLETE").complete().splitlines()
    if shell == "zsh":
        return lines[1::3]
    return [one.partition(",")[2].partition("\t")[0] for one in lines if one.startswith("plain")]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "among"),
    [
        ("derive sol", "solve"),
        ("derive solve step_ti", "step_time"),
        ("derive solve step_time hbm_band", "hbm_bandwidth="),
        ("derive solve step_time --with h100-", "h100-sxm"),
        ("derive sweep step_time --each b200", "b200-sxm"),
        ("derive most step_time --among h2", "h200-sxm"),
        ("derive formula step_time hbm_band", "hbm_bandwidth"),
        ("derive solve step_time --str", "--strict"),
        ("derive list prof", "profiles"),
        ("derive show kv_t", "kv_time"),
        ("derive report roofl", "roofline"),
        ("derive completion fi", "fish"),
        ("derive solve peri", "period"),
    ],
)
def test_every_shell_completes_what_there_is(shell, line, among, monkeypatch):
    if among == "period":
        line = line.replace("solve", "solve --library pendulum.toml")
        assert completed(line, monkeypatch, shell) == ["period"]
    assert among in completed(line, monkeypatch, shell) or among == "period"


@pytest.mark.parametrize(
    ("line", "replies"),
    [
        ("derive solve x --with h100-sxm:f", ["fp8"]),
        ("derive least x --among h100-sxm:fp8,b200-sxm:fp4", ["fp4"]),
        ('derive solve step_time hbm_bandwidth="3 T', ["3 TB/s/chip"]),
        ("derive solve step_time batch=5", [r"5\ sequence"]),
        (r"derive solve step_time batch=5\ se", [r"5\ sequence"]),
        ("derive solve step_time 'batch=1..5 se", ["batch=1..5 sequence"]),
        ("derive solve step_time,kv_bytes_per_se", ["step_time,kv_bytes_per_sequence"]),
        ('derive solve "weight_bytes/chips_per_n', ["weight_bytes/chips_per_node"]),
        ("derive solve x --library pendulum.toml len", ["length="]),
        ("derive solve x --library pendulum.toml --with ", ["clock"]),
        ("derive solve x --library absent.toml len", []),
        ("derive solve x nothing=5", []),
        ("derive solve step_time --in m", ["ms"]),
        ("derive front 'cost_per_token,most step_time' --in USD/ktoken,m", ["USD/ktoken,ms"]),
        ("derive solve nothing --in m", []),
    ],
)
def test_bash_gets_what_follows_its_word_break(line, replies, monkeypatch):
    assert completed(line, monkeypatch) == replies


def test_a_completed_unit_is_one_that_the_quantity_accepts(monkeypatch):
    """Over every quantity of the library: the multiples that are offered can be read, and fit."""
    from quantities.declaration import read_given

    monkeypatch.setenv("COMP_POINT", "0")
    from derive.cli.shell_completion import _multiples

    for quantity in derive.llm.declared.values():
        units = _multiples(quantity.unit.text)
        assert units[:1] == ([quantity.unit.text] if quantity.unit.text[:1].isalpha() else []), quantity.name
        for unit in units:
            if quantity.domain.text == "positive":
                read_given(f"1 {unit}", quantity)


def test_every_quantity_and_profile_is_completed(monkeypatch):
    assert set(completed("derive solve ", monkeypatch)) == set(derive.llm.declared)
    assert set(completed("derive solve x --with ", monkeypatch)) >= set(derive.llm.profiles)


@settings(max_examples=200, deadline=None)
@drawn(st.lists(st.text("ab =:,\"'\\/", max_size=6), max_size=4))
def test_a_line_is_split_as_the_shell_splits_it(parts):
    """Finished words, quoted for a shell, come back as they were."""
    import shlex

    words = ["derive", *(part or "x" for part in parts)]
    line = " ".join(map(shlex.quote, words)) + " "
    found = split(line, "=:")
    assert [word.text for word in found[:-1]] == words
    assert found[-1].text == ""
    for word in split(line.rstrip() + "z", "=:"):
        assert 0 <= word.cut <= len(word.text)


def environment(tmp_path: Path) -> dict[str, str]:
    program = tmp_path / "derive"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m derive "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    root = str(Path(derive.__file__).parents[1])
    return {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": root}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_real_bash_completes(tmp_path):
    asked = ["derive sol", "derive solve step_ti", "derive solve x --with h100-sxm:f", 'derive solve x batch="5 s']
    script = "eval \"$(derive completion bash)\"\nCOMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'\n"
    for line in asked:
        script += f"COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; _derive_completion derive 2>/dev/null\n"
        script += 'printf "%s|" "${COMPREPLY[@]}"; echo\n'
    done = subprocess.run(
        ["bash", "--norc", "-c", script], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["solve|", "step_time|", "fp8|", "5 sequence|"], done


def test_a_completion_loads_neither_the_library_nor_what_it_computes_with(tmp_path):
    heavy = ("sympy", "pint", "numpy", "networkx", "tomli", "rich", "derive.library")
    program = (
        "import sys\nfrom derive.cli import run\nrun([])\n"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    line = "derive solve step_time hbm_b"
    asking = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_DERIVE_COMPLETE": "bash_complete"}
    held = {**environment(tmp_path), **asking, "DERIVE_CACHE": str(tmp_path / "cache")}
    for _ in range(2):  # the first one fills the cache
        done = subprocess.run([sys.executable, "-c", program], env=held, capture_output=True, text=True, check=True)
    assert done.stdout == "plain,hbm_bandwidth=\n"
    assert done.stderr == "[]\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed(shell):
    said = ask("completion", shell)
    assert (said.status, said.err) == (0, "")
    assert re.search(r"_DERIVE_COMPLETE=\w+_complete", said.out)
    assert ask("completion", "tcsh").status == 2


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("derive solve step_ti", "step_time"),
        ("derive least x --among h100-sxm:fp8,b200-sxm:fp4", "h100-sxm:fp8,b200-sxm:fp4"),
        ("derive solve step_time,kv_bytes_per_se", "step_time,kv_bytes_per_sequence"),
    ],
)
def test_fish_itself_puts_the_reply_in_its_place(tmp_path, line, reply):
    program = tmp_path / "derive"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m derive "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "derive.fish").write_text(ask("completion", "fish").out, encoding="utf-8")
    held = environment(tmp_path)
    held["PATH"] = f"{tmp_path}:{held.get('PATH', os.environ['PATH'])}"
    asked = f"source {tmp_path}/derive.fish; complete -C '{line}'"
    done = subprocess.run(["fish", "-c", asked], env=held, capture_output=True, text=True, check=True)
    assert reply in [one.partition("\t")[0] for one in done.stdout.splitlines()]


def test_the_script_for_fish_keeps_commas():
    assert 'string split -m 1 ","' in ask("completion", "fish").out
