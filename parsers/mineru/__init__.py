"""MinerU engine."""
