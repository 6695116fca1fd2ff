"""Prompts of the analysers."""
