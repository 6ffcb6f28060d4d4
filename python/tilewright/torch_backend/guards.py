"""Errors that the device does not detect: indices outside a tensor, and integers divided by zero.

The device clamps such an index, and a quotient by zero is an unspecified value; torch raises an error. Where such
integers are a call's own arguments, such as the tokens of a text, they are checked before it; a call with bad ones is
left to torch, which raises its error.
"""

import torch

from .. import _engine
from .capture import SourceLine
from .rows import find

aten = torch.ops.aten

# Operator -> positions of the tensor, its dimension (None: the first) and the indices into it.
INDICES = {
    "embedding": (0, None, 1),
    "index_select": (0, 1, 2),
    "gather": (0, 1, 2),
    "scatter.src": (0, 1, 2),
    "scatter.value": (0, 1, 2),
    "scatter_add": (0, 1, 2),
    "scatter_reduce.two": (0, 1, 2),
    "index_copy": (0, 1, 2),
    "index_add": (0, 1, 2),
    "index_fill.int_Scalar": (0, 1, 2),
    "index_reduce": (0, 1, 2),
}
# Those with a list of indices, one per dimension; they may be negative.
LISTS = ("index.Tensor", "_unsafe_index.Tensor", "index_put", "_unsafe_index_put")
# Those whose second operand divides the first.
QUOTIENTS = ("div.Tensor_mode", "floor_divide", "remainder.Tensor", "fmod.Tensor")
# Operators that pass on their operand's values in another shape or integer type.
SHAPES = """view _unsafe_view reshape unsqueeze squeeze.dim squeeze squeeze.dims expand clone permute
transpose.int t alias detach contiguous _to_copy to.dtype to.dtype_layout flatten.using_ints
broadcast_to expand_as view_as reshape_as unflatten.int lift_fresh_copy int long""".split()

INDICES = {find(name): positions for name, positions in INDICES.items()}
LISTS = {find(name) for name in LISTS}
QUOTIENTS = {find(name) for name in QUOTIENTS}
SHAPES = {find(name) for name in SHAPES}
INTEGERS = {torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8}


class Bound:
    """The integers of one argument must lie within limits, or not be zero."""

    def __init__(self, argument, low, high, node):
        self.argument, self.low, self.high, self.line = argument, low, high, SourceLine(node)

    def holds(self, args):
        tensor = args[self.argument]
        if not tensor.numel():
            return True
        if self.low is None:
            return bool((tensor != 0).all())
        low, high = _engine.extremes(tensor)
        return self.low <= low and high < self.high


def bounds_of(body, order):
    """A bound for each such use of an argument; `order` holds the nodes of arguments that may differ between calls."""
    found = {}

    def add(node, value, low, high):
        value = source(value)
        if value in order and value.meta["val"].dtype in INTEGERS:
            found.setdefault((order[value], low, high), Bound(order[value], low, high, node))

    for node in body:
        if node.target in INDICES:
            at, dim, indices = INDICES[node.target]
            shape = node.args[at].meta["val"].shape
            if shape:
                add(node, node.args[indices], 0, shape[0 if dim is None else node.args[dim]])
        elif node.target in LISTS:
            shape = node.args[0].meta["val"].shape
            for n, indices in zip(shape, node.args[1]):
                add(node, indices, -n, n)
        elif node.target in QUOTIENTS and not node.meta["val"].is_floating_point():
            add(node, node.args[1], None, None)
        elif node.target == aten.one_hot.default and len(node.args) > 1 and node.args[1] > 0:
            add(node, node.args[0], 0, node.args[1])
    return list(found.values())


def source(value):
    """The node whose values a node passes on, possibly in another shape."""
    while isinstance(value, torch.fx.Node) and value.target in SHAPES:
        before = value.args[0]
        if value.meta["val"].dtype not in INTEGERS:
            break
        value = before
    return value


def guarded(run, bounds, fallback):
    """`run`, or a callable that leaves calls with bad integers to torch."""
    if not bounds:
        return run

    def call(*args):
        for bound in bounds:
            if not bound.holds(args):
                return fail(fallback, args, bound.line)
        return run(*args)

    return call


def fail(fallback, args, line):
    """Raises torch's error, with the model's line."""
    try:
        return fallback(*args)
    except (IndexError, RuntimeError) as error:
        raise type(error)(f"{error}\n    at {line}: {line.code}") from error
