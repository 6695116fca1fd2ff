"""The LightRAG Document on disk: write, read and check a .parsed folder."""
