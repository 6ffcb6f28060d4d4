"""The table of ATen operations: one row each.

A row is a function `row(b, out, *args, **kwargs)`: `b` is the builder, `out` the operation's fake
result (its shape and element type are what torch would return), and tensor arguments arrive as
`Value`.  It returns a Value, or a tuple of them for operations with several results.
"""

import torch

from .build import Unsupported, mlir_type

aten = torch.ops.aten
ROWS = {}


def row(*names):
    """Registers a function for operators given as 'add.Tensor' or 'relu' (its default overload). Names that this
    torch version lacks are skipped."""

    def register(function):
        for name in names:
            overload = find(name)
            if overload is not None:
                ROWS[overload] = function
        return function

    return register


def find(name):
    """The operator of a name; `prims.` begins those of torch's primitives, `library::` those of a library."""
    library, _, name = name.rpartition("::")
    space = getattr(torch.ops, library) if library else aten
    if name.startswith("prims."):
        space, name = torch.ops.prims, name[6:]
    packet, _, overload = name.partition(".")
    packet = getattr(space, packet, None)
    return getattr(packet, overload or "default", None) if packet is not None else None


def element_of(out):
    return mlir_type(out.dtype)


def shape_of(out):
    return tuple(int(n) for n in out.shape)


def dim_of(dim, rank):
    return dim % rank if rank else 0


def dims_of(dims, rank):
    """A dimension list argument: None and [] mean all of them. A rank-0 tensor has no dimension to name."""
    if not rank or dims is None or (isinstance(dims, (list, tuple)) and not dims):
        return list(range(rank))
    if isinstance(dims, int):
        dims = [dims]
    return sorted(dim_of(d, rank) for d in dims)


def per_dimension(value, count):
    """Expands a number, or a list of one, to every spatial dimension, as torch does."""
    if isinstance(value, int):
        return [value] * count
    value = [int(v) for v in value]
    return value * count if len(value) == 1 else value


__all__ = [
    "ROWS",
    "Unsupported",
    "aten",
    "dim_of",
    "dims_of",
    "element_of",
    "find",
    "row",
    "shape_of",
    "per_dimension",
]
