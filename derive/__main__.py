"""`python -m derive` is `derive`."""

from derive.cli import main

if __name__ == "__main__":
    main()
