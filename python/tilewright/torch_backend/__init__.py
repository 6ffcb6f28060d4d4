"""torch.compile(model, backend="tt")."""

from .backend import tt

__all__ = ["tt"]
