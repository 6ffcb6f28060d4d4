"""Decorators that make an operation and fill its region from a Python function."""

import inspect
from functools import wraps

from ttmlir.dialects._ods_common import get_op_result_or_op_results
from ttmlir.ir import InsertionPoint, Type


def _entry_types(body):
    """The types of the block's arguments, from annotations of the function's parameters."""
    signature = inspect.signature(body)
    types = [parameter.annotation for parameter in signature.parameters.values()]
    if not all(isinstance(one, Type) for one in types):
        raise ValueError(f"every parameter of {body.__name__}{signature} needs an annotation that is a type of the IR")
    return types


def op_region_builder(op, op_region, terminator=None):
    """A decorator for the function that fills `op_region`; returns the operation's result."""

    def fill(body):
        if len(op_region.blocks) == 0:
            op_region.blocks.append(*_entry_types(body))
        entry = op_region.blocks[0]
        with InsertionPoint(entry):
            returned = body(*entry.arguments)
        if terminator is not None:
            with InsertionPoint(op_region.blocks[-1]):
                values = list(returned) if isinstance(returned, (tuple, list)) else [returned]
                terminator([value for value in values if value is not None])
        return get_op_result_or_op_results(op)

    return fill


def region_op(op_constructor, terminator=None):
    """Turns an operation's class (or function) into a decorator: `@f(arguments)`, or `@f` alone.

    The decorated function becomes the body of the operation's first region: annotations of its parameters are the
    types of the entry block. Its return value goes to `terminator`, as a list.
    """

    def decorator(*args, **kwargs):
        op = op_constructor(*args, **kwargs)
        return op_region_builder(op, op.regions[0], terminator)

    @wraps(decorator)
    def with_or_without_arguments(*args, **kwargs):
        if len(args) == 1 and not kwargs and callable(args[0]):
            return decorator()(args[0])
        return decorator(*args, **kwargs)

    return with_or_without_arguments
