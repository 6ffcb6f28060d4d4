"""What the device does not notice: places outside a tensor, and integers divided by zero.

The device takes the nearest place there is, and a quotient by zero is some number; torch raises an
error.  Where such integers are a call's own arguments, as the tokens of a text are, they are looked
at before it; a call that has bad ones is left to torch, whose error it is.
"""

import torch

from .. import _engine
from .capture import Place
from .rows import find

aten = torch.ops.aten

# Operator -> positions of the tensor, its dimension (None: the first) and the places in it.
PLACES = {
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
# Those with a list of places, one a dimension; they may be negative.
LISTS = ("index.Tensor", "_unsafe_index.Tensor", "index_put", "_unsafe_index_put")
# Those whose second operand divides the first.
QUOTIENTS = ("div.Tensor_mode", "floor_divide", "remainder.Tensor", "fmod.Tensor")
# What hands all its operand's numbers on, in another shape or integer type.
SHAPES = """view _unsafe_view reshape unsqueeze squeeze.dim squeeze squeeze.dims expand clone permute
transpose.int t alias detach contiguous _to_copy to.dtype to.dtype_layout flatten.using_ints
broadcast_to expand_as view_as reshape_as unflatten.int lift_fresh_copy int long""".split()

PLACES = {find(name): positions for name, positions in PLACES.items()}
LISTS = {find(name) for name in LISTS}
QUOTIENTS = {find(name) for name in QUOTIENTS}
SHAPES = {find(name) for name in SHAPES}
INTEGERS = {torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8}


class Bound:
    """The integers of one argument must lie within limits, or not be zero."""

    def __init__(self, argument, low, high, node):
        self.argument, self.low, self.high, self.place = argument, low, high, Place(node)

    def holds(self, args):
        tensor = args[self.argument]
        if not tensor.numel():
            return True
        if self.low is None:
            return bool((tensor != 0).all())
        low, high = _engine.extremes(tensor)
        return self.low <= low and high < self.high


def bounds_of(body, order):
    """A bound for each such use of an argument; `order` says which nodes are arguments that may
    differ from call to call."""
    found = {}

    def add(node, value, low, high):
        value = source(value)
        if value in order and value.meta["val"].dtype in INTEGERS:
            found.setdefault((order[value], low, high), Bound(order[value], low, high, node))

    for node in body:
        if node.target in PLACES:
            at, dim, places = PLACES[node.target]
            shape = node.args[at].meta["val"].shape
            if shape:
                add(node, node.args[places], 0, shape[0 if dim is None else node.args[dim]])
        elif node.target in LISTS:
            shape = node.args[0].meta["val"].shape
            for n, places in zip(shape, node.args[1]):
                add(node, places, -n, n)
        elif node.target in QUOTIENTS and not node.meta["val"].is_floating_point():
            add(node, node.args[1], None, None)
        elif node.target == aten.one_hot.default and len(node.args) > 1 and node.args[1] > 0:
            add(node, node.args[0], 0, node.args[1])
    return list(found.values())


def source(value):
    """Where a node's numbers come from, all of them, if they only change their shape."""
    while isinstance(value, torch.fx.Node) and value.target in SHAPES:
        before = value.args[0]
        if value.meta["val"].dtype not in INTEGERS:
            break
        value = before
    return value


def guarded(run, bounds, apart):
    """`run`, or a callable that leaves calls with bad integers to torch."""
    if not bounds:
        return run

    def call(*args):
        for bound in bounds:
            if not bound.holds(args):
                return fail(apart, args, bound.place)
        return run(*args)

    return call


def fail(apart, args, place):
    """torch's error, with the line of the model that it belongs to."""
    try:
        return apart(*args)
    except (IndexError, RuntimeError) as error:
        raise type(error)(f"{error}\n    at {place}: {place.code}") from error
