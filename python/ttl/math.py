"""ttl.math: operations on blocks, for compute threads."""

from .functions import ELEMENTWISE, broadcast

globals().update(ELEMENTWISE)
__all__ = ["broadcast", *ELEMENTWISE]
