"""Chunking strategies that cut along the structure of a document. Imported as lrdoc.chunkers."""
