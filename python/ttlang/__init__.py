"""`from ttlang import ttl`: the same package under its other name."""

import ttl

__all__ = ["ttl"]
