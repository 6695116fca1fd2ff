"""lrdoc: documents become structured, cited knowledge without losing anything."""

from pathlib import Path as _Path

__version__ = "0.1.0"

# The families parsers/, chunkers/, analyzers/ and routing/ stand at the top of the repository but are imported as
# lrdoc.parsers and so on. A wheel maps them at build time; in a checkout the repository root joins the search path.
_root = _Path(__file__).resolve().parent.parent
if (_root / "pyproject.toml").is_file() and (_root / "parsers").is_dir():
    __path__.append(str(_root))
