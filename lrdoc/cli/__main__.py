"""`python -m lrdoc.cli`."""

from lrdoc.cli import main

if __name__ == "__main__":
    main()
