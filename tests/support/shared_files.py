"""Where the material shared by all projects stands: recorded cases and corpora. Tests pass without it."""

from __future__ import annotations

import os
from pathlib import Path


def shared_dir() -> Path | None:
    """The folder of shared material, None when it is not there. LRDOC_SHARED names another place."""
    named = os.environ.get("LRDOC_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[3] / "shared"
    return folder if folder.is_dir() else None
