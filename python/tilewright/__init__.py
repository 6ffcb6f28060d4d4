"""Tilewright: models in, programs for a grid of tile processors out."""

__version__ = "0.1.0"
