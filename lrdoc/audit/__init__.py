"""Completeness counting: is every visible character of the source in the output, once, and where it belongs?

Shares no code with the engines (the import levels forbid `lrdoc.parsers`): a mistake of a parser cannot hide here.
"""

from lrdoc.audit.count import count, supported
from lrdoc.audit.result import AuditResult, Characters, KindCount, Problem

__all__ = ["AuditResult", "Characters", "KindCount", "Problem", "count", "supported"]
