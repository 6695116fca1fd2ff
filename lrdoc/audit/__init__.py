"""Completeness counting, kept apart from the parsers whose work it counts."""
