"""The tour is a notebook that runs from its top to its end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import derive

nbformat = pytest.importorskip("nbformat", reason="nbformat comes with the extra dev")
nbclient = pytest.importorskip("nbclient", reason="nbclient comes with the extra dev")
pytest.importorskip("ipykernel", reason="ipykernel comes with the extra dev")

TOUR = Path(derive.__file__).parent / "manual" / "tour.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tour")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(derive.__file__).parents[1]))
        patch.setenv("IPYTHONDIR", str(folder))
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        patch.setitem(os.environ, "PYDEVD_DISABLE_FILE_VALIDATION", "1")
        read = nbformat.read(TOUR, as_version=4)
        client = nbclient.NotebookClient(
            read, timeout=240, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute()
    return [cell for cell in read.cells if cell.cell_type == "code"]


def shown(cells, begin, kind):
    """What the cell that begins so shows in a kind."""
    cell = next(cell for cell in cells if begin in cell.source)
    data = [output.data for output in cell.outputs if output.output_type in ("execute_result", "display_data")]
    return data[0].get(kind, "") if data else "".join(output.get("text", "") for output in cell.outputs)


def test_the_file_holds_no_outputs() -> None:
    read = nbformat.read(TOUR, as_version=4)
    nbformat.validate(read)
    assert all(not cell.outputs and cell.execution_count is None for cell in read.cells if cell.cell_type == "code")


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_every_cell_runs_and_shows_what_it_says(cells) -> None:
    assert all(output.output_type != "error" for cell in cells for output in cell.outputs)
    assert all(cell.outputs for cell in cells[1:])
    assert shown(cells, "answer = derive.solve", "text/plain").startswith("kv_bytes_per_token = 1692.86 byte/token")
    assert "<math" in shown(cells, "answer = derive.solve", "text/html")
    assert shown(cells, 'crossover_context", kv_bytes', "").strip() == "crossover_context = 169286 token/sequence"
    assert "1 relations, 3 quantities" in shown(cells, "%%derive", "text/html")
    assert shown(cells, "pendulum.relations", "text/latex") == r"$\displaystyle T = 2 \pi \sqrt{\frac{L}{g}}$"
    assert "<svg" in shown(cells, "table.plot()", "image/svg+xml")
    assert "<svg" in shown(cells, "derive.compare", "text/html")
    assert "fails at" in shown(cells, "table = derive.sweep", "text/html")
    assert shown(cells, "best = ", "text/plain").startswith("least cost_per_token = ")
