"""Runs TeX on a report.

TeX works in a temporary folder, cannot start programs, and uses a fixed date, so that the same report gives the same
file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from derive.errors import DeriveError, LimitError

__all__ = ["is_installed", "pressed"]

_SECONDS = 120
_SHOWN = 12  # limit on lines of a TeX error


def is_installed() -> bool:
    """Whether TeX is installed."""
    return shutil.which("pdflatex") is not None


def pressed(name: str, tex: str, pictures: Mapping[str, bytes], log: list[str] | None = None) -> bytes:
    """The PDF of a document; the lines of TeX's log are added to `log`."""
    if not is_installed():
        hint = "On Debian: apt install texlive-latex-recommended texlive-fonts-recommended lmodern"
        raise DeriveError("PDF needs TeX, and pdflatex is not installed.", hint=hint)
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / f"{name}.tex").write_text(tex, encoding="utf-8")
        for path, picture in pictures.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(picture)
        for _ in range(2):  # the second run has the table of contents
            _run(folder, name)
        if log is not None:
            log += _log(folder, name)
        return (folder / f"{name}.pdf").read_bytes()


def _run(folder: Path, name: str) -> None:
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", f"{name}.tex"]
    fixed = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "openin_any": "p", "openout_any": "p"}
    try:
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **fixed}, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise LimitError(f"{name}: TeX did not finish.", limit=f"{_SECONDS} s") from None
    if done.returncode:
        said = [line for line in _log(folder, name) if line.startswith(("!", "l."))]
        raise DeriveError(f"{name}: TeX rejected the document: {' '.join(said[:_SHOWN])}")


def _log(folder: Path, name: str) -> list[str]:
    path = folder / f"{name}.log"
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
