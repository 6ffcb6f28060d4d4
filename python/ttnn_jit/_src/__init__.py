from .cache import JitCache

__all__ = ["JitCache"]
