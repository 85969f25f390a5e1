"""Notebooks: typeset answers, completion of names, a cell for relation files.

`%load_ext derive.notebook` completes targets, givens and profiles, draws figures, and adds the cell magic `%%derive`.
Answers and the other results are shown typeset without it.
"""

from __future__ import annotations

from typing import Any

__all__ = ["load_ipython_extension"]


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext derive.notebook` calls."""
    from derive.notebook.session import add_cell, add_completion, add_pictures

    add_pictures(shell)
    add_cell(shell)
    add_completion(shell)
