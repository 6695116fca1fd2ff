"""Text helpers that know nothing of documents: tokens, hashing, encodings."""
