"""docling-serve engine."""
