"""Models explain pictures, tables and equations. Imported as lrdoc.analyzers."""
