"""Runs TeX on a report; the only door to it.

TeX works in a folder of its own that is thrown away, may not start programs, and is told one date for ever, so that
the same report makes the same file.
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
_TOLD = 12  # lines of TeX's complaint


def is_installed() -> bool:
    """Whether TeX is there."""
    return shutil.which("pdflatex") is not None


def pressed(name: str, tex: str, pictures: Mapping[str, bytes], log: list[str] | None = None) -> bytes:
    """The PDF of a document; what TeX said of it goes to `log`."""
    if not is_installed():
        hint = "On Debian: apt install texlive-latex-recommended texlive-fonts-recommended lmodern"
        raise DeriveError("PDF needs TeX, and pdflatex is not installed.", hint=hint)
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / f"{name}.tex").write_text(tex, encoding="utf-8")
        for path, picture in pictures.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(picture)
        for _ in range(2):  # the second run knows the contents
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
        raise DeriveError(f"{name}: TeX rejected the document: {' '.join(said[:_TOLD])}")


def _log(folder: Path, name: str) -> list[str]:
    path = folder / f"{name}.log"
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
