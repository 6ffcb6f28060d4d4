"""Helpers that scripts over MLIR's bindings import."""

from types import SimpleNamespace

from ttmlir import ir
from ttmlir.dialects import _tables

__all__ = ["get_default_loc_context", "get_op_result_or_op_results", "get_op_result_or_value",
           "get_op_results_or_values"]

_cext = SimpleNamespace(ir=ir, register_operation=_tables.register_operation)


def get_default_loc_context(location=None):
    """The context of the location, or of the current one; None without either."""
    location = location if location is not None else ir.Location.current
    return location.context if location is not None else None


def get_op_result_or_value(arg):
    if isinstance(arg, (ir.OpView, ir.Operation)):
        return arg.operation.result
    return arg[0] if isinstance(arg, ir.OpResultList) else arg


def get_op_results_or_values(arg):
    return arg.operation.results if isinstance(arg, (ir.OpView, ir.Operation)) else arg


def get_op_result_or_op_results(op):
    return _tables.results_of(op)
