"""The built-in library is data: to add to it is to edit one file, and no Python."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import derive
import quantities
from derive.presentation.document import Document, Heading, Text
from derive.reports.template_words import vocabulary
from derive.reports.templating import rendered
from derive.tokens.relations import subjects
from derive.tokens.reports import report_files, titles
from derive.tokens.reports.titles import TEMPLATES
from quantities import definitions
from quantities.profiles import Facts
from tests.derive.terminal import ask


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The data of both packages in a folder where it may be edited."""
    for package, folder in ((derive, "tokens/relations"), (quantities, "vocabulary"), (quantities, "values")):
        home = Path(package.__file__).parent
        shutil.copytree(home / folder, tmp_path / package.__name__ / folder)
    monkeypatch.setattr(definitions, "_HOME", str(tmp_path / "quantities"))
    return tmp_path


def edit(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_a_relation_is_one_entry_of_one_file(copied):
    edit(
        copied / "derive" / "tokens" / "relations" / "cache.toml",
        '\n[relations.twice]\nequation = "kv_saving = 1 - query_group"\nbecause = "a trial"\n',
    )
    library = derive.load(copied / "derive" / "tokens" / "relations" / "llm.toml")
    assert library.relations.keys() - derive.llm.relations.keys() == {"twice"}
    assert library.relations["twice"].source == "by definition"


def test_a_quantity_is_one_entry_of_one_file(copied):
    edit(
        copied / "quantities" / "vocabulary" / "cache.toml",
        '\n[quantities.trial]\nunit = "byte"\nmeaning = "a trial"\n',
    )
    library = derive.load(copied / "derive" / "tokens" / "relations" / "llm.toml")
    assert library.declared.keys() - derive.llm.declared.keys() == {"trial"}


@pytest.mark.parametrize(
    ("file", "entry", "name"),
    [
        ("accelerators", 'hbm_bandwidth = "2 TB/s/chip"\npeak_compute.fp8 = "1 PFLOP/s/chip"', "trial:fp8"),
        ("models", 'layers = "4"', "trial"),
        ("tiers", 'tier_capacity = "1 TB"', "trial"),
        ("prices", 'output_price = "3 USD/Mtoken"', "trial"),
    ],
)
def test_a_profile_is_one_entry_of_one_file(copied, file, entry, name):
    said = 'title = "A trial"\nsource = "a test"\nkind = "assumed"\nas_of = "2026-11"'
    edit(copied / "quantities" / "values" / f"{file}.toml", f"\n[trial]\n{said}\n{entry}\n")
    assert Facts(file)[name].values


def test_a_claim_is_one_entry_of_one_file(tmp_path):
    home = Path(derive.__file__).parent / "tokens" / "claims"
    copied = shutil.copy(home / "walls.toml", tmp_path)
    edit(
        tmp_path / "walls.toml",
        '\n[claims.T1]\nsays = "a trial"\n[[claims.T1.clauses]]\nsays = "a trial"\n'
        '[[claims.T1.clauses.readings]]\nasked = "drain_time"\nprofiles = ["h100-sxm"]\nexpected = "24 ms"\n',
    )
    said = ask("audit", "T1", "--claims", copied)
    assert (said.status, said.out.splitlines()[0]) == (0, "T1: reproduced")


@pytest.mark.thorough
def test_a_section_is_some_lines_of_one_template(tmp_path):
    shutil.copytree(TEMPLATES, tmp_path / "templates")
    edit(
        tmp_path / "templates" / "roofline.md", '\n## A trial\n\nIt drains in {{ solve("drain_time", "h100-sxm") }}.\n'
    )
    made = rendered("roofline", tmp_path / "templates" / "roofline.md", vocabulary(derive.llm))
    assert made.blocks[-2:] == (Heading("A trial"), Text("It drains in $23.88\\,\\mathrm{ms}$."))


def test_a_report_is_one_template(tmp_path, monkeypatch):
    (tmp_path / "trial.md").write_text("# Z. A trial\n\nWords.")
    shutil.copy(TEMPLATES / "volume.md", tmp_path)
    built_in = titles.volume_names()
    with monkeypatch.context() as patched:
        patched.setattr(titles, "TEMPLATES", tmp_path)
        titles.titles.cache_clear()
        assert titles.titles() == {"trial": "Z. A trial", "volume": "The economics of a token, derived"}
        assert report_files.bound_reports("volume")[0].blocks == (Text("Words."),)
    titles.titles.cache_clear()
    # the volume that other tests of this process bind is of the built-in reports again
    monkeypatch.setattr(report_files, "report", lambda name: Document(name, name, (Text("Words."),)))
    bound = report_files.bound_reports("volume")
    assert [part.name for part in bound] == [*built_in, "symbols"]


@pytest.mark.thorough
def test_the_files_stand_alone_each_with_what_it_uses():
    home = Path(derive.__file__).parent / "tokens" / "relations"
    for subject, said in subjects().items():
        library = derive.load(home / f"{subject}.toml")
        assert (library.title, tuple(library.relations)) == (said.title, said.relations)


def test_every_quantity_says_what_it_is():
    assert [name for name, quantity in derive.llm.declared.items() if not quantity.meaning] == []
