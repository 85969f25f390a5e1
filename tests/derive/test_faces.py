"""`import derive` is light, complete, and tells a stranger from a friend."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import derive
import quantities
from tests.ordinary import every

ROOT = Path(derive.__file__).parent.parent
HEAVY = {"sympy", "pint", "networkx", "numpy", "click", "rich", "scipy", "pandas", "matplotlib", "jinja2", "rapidfuzz"}


def python(program: str, cwd: Path, *first_on_path: Path) -> subprocess.CompletedProcess[str]:
    """Another interpreter, somewhere else, with these folders before all others."""
    path = os.pathsep.join(map(str, (*first_on_path, ROOT)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "error"}
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


CLIFF = (
    'solve("kv_bytes_per_token", peak_compute="1978.9 TFLOP/s/chip", hbm_bandwidth="3.35 TB/s/chip", '
    'active_parameters="100 Gparameter", crossover_context="200 ktoken/sequence")'
)
TWOFOLD = (
    'solve("batch", "h100-sxm:fp8", step_time="20 ms", chips="8 chip", active_parameters="70 Gparameter", '
    'total_parameters="70 Gparameter", bytes_per_parameter="1 byte/parameter", context="1 ktoken/sequence", '
    'kv_bytes_per_token="10 kB/token")'
)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("import derive", set()),
        ("import quantities", set()),
        ("import derive; derive.DeriveError, derive.DimensionError, derive.Problem, derive.base_units", set()),
        ("import derive.expressions.grammar; derive.expressions.grammar.parse_equation('a = b + c')", set()),
        ("import derive.cli", {"click"}),
        ("import derive; derive.Quantity('x', 'm')", {"sympy"}),
        ("import derive; derive.llm; derive.profile('h100-sxm:fp8')", set()),
        (f"import derive\nanswer = derive.{CLIFF}\nassert round(answer.base) == 1693\nanswer.text()", set()),
        (f"import derive\nanswer = derive.{TWOFOLD}\nassert answer.regime == {{'step_time': 'compute_time'}}", set()),
    ],
)
def test_what_is_imported_is_what_is_used(statement, allowed, tmp_path):
    done = python(f"{statement}\nimport sys\nprint(*sys.modules)", tmp_path)
    assert done.returncode == 0, done.stderr
    assert HEAVY.intersection(done.stdout.split()) <= allowed


def test_checking_text_needs_no_pint(tmp_path):
    (tmp_path / "double.toml").write_text(
        '[quantities]\nx = { unit = "m" }\n[relations]\nr = { equation = "x = 2*x" }\n'
    )
    program = "import derive, sys; assert derive.check('double.toml') == []; print('pint' in sys.modules)"
    done = python(program, tmp_path)
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.parametrize("name", sorted(derive.__all__))
def test_every_public_name_stands_for_something(name, tmp_path):
    assert getattr(derive, name) is not None
    assert name in dir(derive)


@every("name", sorted(set(derive.__all__) - {"llm", "units", "base_units"}))
def test_every_public_thing_says_what_it_is(name):
    assert getattr(derive, name).__doc__


@pytest.mark.thorough
def test_every_public_name_can_be_had_first_and_from_a_star(tmp_path):
    done = python(
        "from derive import *\nimport derive\nprint(*[n for n in derive.__all__ if n not in globals()])", tmp_path
    )
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_the_names_are_in_order_and_each_there_once():
    assert list(derive.__all__) == sorted(set(derive.__all__))


def test_what_the_type_checker_sees_is_what_there_is():
    source = ast.parse(Path(derive.__file__).read_text(encoding="utf-8"))
    (guarded,) = [
        node for node in source.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    seen: set[str] = set()
    for node in guarded.body:
        match node:
            case ast.ImportFrom(_, names):
                seen |= {alias.asname or alias.name for alias in names}
            case ast.AnnAssign(ast.Name(name)) | ast.FunctionDef(name):
                seen.add(name)
            case ast.Assign(targets):
                seen |= {ast.unparse(target) for target in targets}
    assert set(derive.__all__) <= seen


def test_a_name_that_there_is_not_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'derive' has no attribute 'sovle'"):
        _ = derive.sovle
    assert not hasattr(derive, "__wrapped__")


def test_the_errors_are_one_family():
    errors = [getattr(derive, name) for name in derive.__all__ if name.endswith("Error")]
    assert len(errors) >= 7
    assert all(issubclass(error, derive.DeriveError) for error in errors)
    assert derive.DeriveError.__bases__ == (Exception,)


def test_there_is_one_registry_and_one_built_in_library():
    assert derive.units is derive.units
    assert derive.llm is derive.llm
    assert derive.units.Quantity(3, "token").check("[token]")


def test_a_stranger_called_quantities_is_told_apart(tmp_path):
    stranger = tmp_path / "elsewhere"
    (stranger / "quantities").mkdir(parents=True)
    (stranger / "quantities" / "__init__.py").write_text('"""Another package of that name."""\n')
    done = python("import derive", tmp_path, stranger)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last == (
        "ImportError: derive needs the package 'quantities' of derive-engine, and another package of that name stands "
        f"before it: {stranger / 'quantities' / '__init__.py'}. Uninstall that one, or use an environment without it."
    )


@pytest.mark.thorough
def test_a_stranger_that_comes_later_does_no_harm(tmp_path):
    (tmp_path / "quantities").mkdir()
    (tmp_path / "quantities" / "__init__.py").write_text("")
    done = python("import sys; sys.path.append(sys.path.pop(0)); import derive; print(derive.Quantity)", tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_friend_says_whose_it_is():
    assert quantities.DISTRIBUTION == "derive-engine"


def test_importing_takes_no_time_to_speak_of(tmp_path):
    """The heavy packages have thousands of modules; without them there is not much left."""
    program = "import sys; before = len(sys.modules); import derive; print(len(sys.modules) - before)"
    assert int(python(program, tmp_path).stdout) < 100


@pytest.mark.parametrize("init", ['DISTRIBUTION = "derive-engine"', '"""Another package of that name."""'])
def test_a_stranger_in_the_same_folder_is_told_how_to_get_rid_of(tmp_path, init):
    """Two distributions have written into one folder, or one of them took files of the other with it."""
    shared = tmp_path / "elsewhere" / "quantities"
    (shared / "units").mkdir(parents=True)
    (shared / "units.txt").write_text("")
    (shared / "__init__.py").write_text(init)
    done = python("import derive", tmp_path, shared.parent)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "`pip uninstall -y quantities`, then `pip install --force-reinstall --no-deps derive-engine`" in last
