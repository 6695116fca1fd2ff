"""The one error that pictures raise among themselves."""

from __future__ import annotations


class PictureError(Exception):
    """A picture that cannot be had; the document goes on without it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        """Code of the warning."""
        self.message = message
