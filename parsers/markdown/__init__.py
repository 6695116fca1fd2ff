"""Native markdown engine."""
