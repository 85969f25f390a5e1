"""The package's face: light to import, and every public name where it says."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib import metadata
from importlib.resources import files

import pytest

import quantities

HEAVY = "('pint', 'sympy', 'numpy', 'networkx')"


def loaded_by(program: str) -> str:
    """Which heavy packages are in memory after a program has run by itself."""
    program += f"\nimport sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.ordinary(3)
@pytest.mark.parametrize(
    ("program", "heavy"),
    [
        ("import quantities; dir(quantities)", "[]"),
        ("from quantities import parse_unit, convert; convert(60, parse_unit('rpm'), parse_unit('Hz'))", "[]"),
        ("from quantities import read_value; read_value('2..6 TB/s').base", "[]"),
        ("from quantities import Profile, Source, Unit, Value", "[]"),
        ("import contextlib, quantities\nwith contextlib.suppress(Exception): quantities.parse_unit('Nm')", "[]"),
        ("from quantities import Quantity; Quantity('t', 's', default='3 min')", "['sympy']"),
    ],
)
def test_what_is_not_needed_is_not_imported(program, heavy):
    assert loaded_by(program) == heavy


@pytest.mark.parametrize("name", [name for name in quantities.__all__ if name != "DISTRIBUTION"])
def test_every_public_name_is_the_one_of_its_own_module(name):
    found = getattr(quantities, name)
    home = importlib.import_module(found.__module__)
    assert found.__module__.startswith("quantities.")
    assert getattr(home, name) is found
    assert name in home.__all__


@pytest.mark.parametrize(
    "module",
    [
        "declaration",
        "definitions",
        "dimension",
        "domain",
        "errors",
        "profiles",
        "quantity",
        "registry",
        "symbolic",
        "units",
        "value",
    ],
)
def test_every_module_has_what_it_offers(module):
    home = importlib.import_module(f"quantities.{module}")
    assert home.__all__
    assert [name for name in home.__all__ if not hasattr(home, name)] == []
    assert home.__doc__


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Quantitty'"):
        quantities.Quantitty  # noqa: B018
    with pytest.raises(ImportError):
        importlib.import_module("quantities.nothing")
    assert set(dir(quantities)) == set(quantities.__all__)


def test_the_package_says_which_distribution_it_belongs_to():
    assert metadata.metadata(quantities.DISTRIBUTION)["Name"] == quantities.DISTRIBUTION
    assert files("quantities").joinpath("py.typed").is_file()
