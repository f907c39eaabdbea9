"""The notebooks of docs/notebooks run, and print what is committed."""

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

NOTEBOOKS = ROOT / "docs/notebooks"


def printed(notebook):
    """What the cells print, pictures left out."""
    return [
        "".join(part.get("text", "") for part in cell.get("outputs", []))
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["limit", "collapse", "path"])
def test_notebooks_print_what_is_committed(name):
    told = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    again = nbformat.from_dict(told)
    resources = {"metadata": {"path": str(NOTEBOOKS)}}
    NotebookClient(again, timeout=120, resources=resources).execute()
    if name == "collapse":
        # the training of another version of scikit-learn may end elsewhere
        assert all(bool(a) == bool(b) for a, b in zip(printed(again), printed(told), strict=True))
    else:
        assert printed(again) == printed(told)
