"""`from ttlang import ttl`: the same package under another name."""

import ttl

__all__ = ["ttl"]
