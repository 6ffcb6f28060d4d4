"""The types used in annotations of kernels, and pipes."""

from ttl import Pipe
from ttl.annotations import *  # noqa: F401,F403
from ttl.annotations import __all__ as _types

__all__ = ["Pipe", *_types]
