"""Circular buffers, under the module's other name."""

from .buffer import CircularBuffer, make_circular_buffer_like

__all__ = ["CircularBuffer", "make_circular_buffer_like"]
