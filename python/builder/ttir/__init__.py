"""A part of builder."""
