"""`python -m derive` is `derive`."""

from __future__ import annotations

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line, or print its cached answer."""
    try:
        from derive.answer_cache import answered

        sys.exit(answered(sys.argv[1:], _answer))
    except KeyboardInterrupt:  # before the command line handles it
        sys.stderr.write("derive: interrupted.\n")
        sys.exit(130)


def _answer() -> int:
    from derive.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    main()
