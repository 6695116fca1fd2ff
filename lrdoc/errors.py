"""The error tree. Every message says what failed, where, and what to do.

LrdocError
├── UsageError                 a call that cannot be carried out as written (exit code 2)
├── ConfigurationError         settings or rules are wrong, found before any file is opened (exit code 3)
│   ├── SettingsError          a variable of the environment
│   ├── RoutingSyntaxError     a rule, hint or option string; knows the column
│   └── RegistrationError      a plug-in that does not fit
├── SourceError                the file itself: missing, empty, unreadable, of another kind (exit code 1)
│   ├── UnsupportedFormatError no engine, or not this engine, takes the file
│   ├── EncryptedFileError     a password or rights management stands before the content
│   └── EmptyDocumentError     nothing to extract
├── LimitExceeded              a named limit stopped the work
├── EngineError                an engine or its service failed
│   ├── EngineNotConfigured    the engine needs an endpoint or a package
│   └── TransportError         the service cannot be reached or answers wrongly
├── SidecarError               a .parsed folder that cannot be read or written
├── ModelError                 a language or embedding model failed
├── ChunkingError              text that cannot be cut under the given options
└── Cancelled                  the caller asked to stop
"""

from __future__ import annotations


class LrdocError(Exception):
    """Root of all errors that lrdoc raises on purpose.

    `message` is one clear sentence (or more) for people; `where` names the place inside the document or file,
    "" for the whole file; `hint` says what to do.
    """

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = self.message
        if self.where:
            text += f" (at {self.where})"
        if self.hint:
            text += f". {self.hint}" if not text.endswith((".", "!", "?", "\n")) else f" {self.hint}"
        return text


class UsageError(LrdocError):
    """A call that cannot be carried out as written."""


class ConfigurationError(LrdocError):
    """Settings or rules are wrong; found before any file is opened."""


class SettingsError(ConfigurationError):
    """One or more variables hold values that cannot be used; the message lists them all."""


class RoutingSyntaxError(ConfigurationError):
    """A rule, hint or option string is wrong."""


class RegistrationError(ConfigurationError):
    """A parser, chunker or store that does not fit its contract."""


class SourceError(LrdocError):
    """The source file is missing, empty, unreadable or of another kind than its name says."""


class UnsupportedFormatError(SourceError):
    """The engine does not take files of this kind."""


class EncryptedFileError(SourceError):
    """The file is encrypted or under rights management."""


class EmptyDocumentError(SourceError):
    """The file can be read and holds nothing to extract."""


class LimitExceeded(LrdocError):
    """A limit stopped the work; `limit` is the name of the setting that changes it."""

    def __init__(self, message: str, *, limit: str = "", where: str = "", hint: str = "") -> None:
        super().__init__(message, where=where, hint=hint)
        self.limit = limit


class EngineError(LrdocError):
    """An engine or the service behind it failed."""


class EngineNotConfigured(EngineError):
    """The engine needs an endpoint, a key or a package that is not there."""


class TransportError(EngineError):
    """A service cannot be reached, does not answer in time or answers wrongly."""


class SidecarError(LrdocError):
    """A .parsed folder cannot be read or written."""


class ModelError(LrdocError):
    """A language or embedding model failed or answered in a form that cannot be used."""


class ChunkingError(LrdocError):
    """Text cannot be cut under the given options."""


class Cancelled(LrdocError):
    """The caller asked to stop; nothing half-made is left behind."""

    def __init__(self, message: str = "cancelled", *, where: str = "", hint: str = "") -> None:
        super().__init__(message, where=where, hint=hint)
