"""Circular buffers, under another module name."""

from .buffer import CircularBuffer, make_circular_buffer_like

__all__ = ["CircularBuffer", "make_circular_buffer_like"]
