"""Model and embedder contracts and their clients."""
