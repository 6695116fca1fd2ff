"""The grammar that picks an engine and its options for a file. Imported as lrdoc.routing."""
