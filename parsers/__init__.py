"""Engines: a file goes in, a Document comes out. Imported as lrdoc.parsers."""
