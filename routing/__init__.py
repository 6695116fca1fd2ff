"""Routing: one grammar decides what happens to each file. Start at `resolve.py`."""
