"""Conformance kits and fakes for those who extend lrdoc."""
