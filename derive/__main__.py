"""`python -m derive` is `derive`."""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys
from errno import EBADF
from types import FrameType
from typing import NoReturn, TextIO


class _Terminated(BaseException):
    """The process is asked to end by this signal: what is unfinished is put away, as after an interrupt."""

    def __init__(self, number: int) -> None:
        self.number = number


class _ClosedStream(io.StringIO):
    """A standard stream that was closed before the program began, as by `>&-`: Python has None in its place."""

    def write(self, _: str) -> int:
        raise OSError(EBADF, "it is closed")


def main() -> NoReturn:
    """Run the command line, or print its cached answer."""
    sys.stdout = sys.stdout or _ClosedStream()
    sys.stderr = sys.stderr or io.StringIO()  # nobody could read what is said
    _escape_what_has_no_code(sys.stdout)
    try:
        _heed_termination()
        from derive.cache_folder import answered

        sys.exit(answered(sys.argv[1:], _answer))
    except KeyboardInterrupt:  # before the command line handles it
        sys.stderr.write("derive: interrupted.\n")
        sys.exit(130)
    except _Terminated as asked:
        sys.exit(128 + asked.number)
    except OSError as error:  # of a cached answer
        sys.stderr.write(f"derive: the output cannot be written: {str(error.strerror).lower()}.\n")
        sys.exit(2)


def _escape_what_has_no_code(stream: TextIO) -> None:
    """As the program starts, have a stream escape letters that its encoding lacks, as the standard error does.

    Where it can only write ASCII, it writes UTF-8, as click would have it do.
    """
    if isinstance(stream, io.TextIOWrapper):
        is_ascii = codecs.lookup(stream.encoding).name == "ascii"
        stream.reconfigure(encoding="utf-8" if is_ascii else None, errors="backslashreplace")


def _heed_termination() -> None:
    """End the command line by an exception when a signal tells it to, so that no unfinished file is left behind.

    The signals are those of `kill` and of a terminal that is closed. The latter stays ignored where the command was
    started to outlast its terminal, as by `nohup`. A child process, which inherits this, ends at once.
    """
    own = os.getpid()

    def end(number: int, _: FrameType | None) -> None:
        if os.getpid() == own:
            raise _Terminated(number)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, end)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, end)


def _answer() -> int:
    from derive.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    main()
