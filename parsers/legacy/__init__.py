"""Plain text out of every format."""
