"""Native textpack and textbundle engine."""
