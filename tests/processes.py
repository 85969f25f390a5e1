"""Other processes, for what would hang this one or must not have been imported yet."""

from __future__ import annotations

import subprocess
import sys

LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_CPU, ({0}, {0}))\n"


def ended(program: str, *words: str, seconds: int = 60) -> subprocess.CompletedProcess[str]:
    """A program of another interpreter, which is killed after so much CPU time, however busy the machine is.

    >>> ended("import sys; print(sys.argv[1])", "word").stdout
    'word\\n'
    """
    limited = program if sys.platform == "win32" else LIMITED.format(seconds) + program
    return subprocess.run([sys.executable, "-c", limited, *words], capture_output=True, text=True, check=False)
