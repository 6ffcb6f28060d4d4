"""sdy: shardings, under the names of Shardy's own bindings."""

from ttmlir import ir as _ir
from ttmlir._native import native as _native
from ttmlir.dialects import _tables

_tables.fill_all(globals(), "sdy")


def _sharding_get(mesh_or_ref, dimension_shardings, replicated_axes=(), unreduced_axes=(), context=None):
    """The mesh is given by name or in full."""
    if isinstance(mesh_or_ref, str):
        mesh_or_ref = _ir.FlatSymbolRefAttr.get(mesh_or_ref, context)
    return _native._make(context or mesh_or_ref.context, "attr", "sdy.sharding", [
        mesh_or_ref, list(dimension_shardings), list(replicated_axes), list(unreduced_axes), 0])


TensorShardingAttr.get = staticmethod(_sharding_get)  # noqa: F821
_tables.rename(TensorShardingAttr, dimension_shardings="dim_shardings")  # noqa: F821

# Attributes that are lists are sequences.
for _cls in (AxisRefListAttr, ListOfAxisRefListsAttr, ManualAxesAttr, TensorShardingPerValueAttr):  # noqa: F821
    _cls.__len__ = lambda self: len(_native._param(self, 0))
    _cls.__getitem__ = lambda self, i: _native._param(self, 0)[i]
    _cls.__iter__ = lambda self: iter(_native._param(self, 0))


def _manual_axes_get(manual_axes, context=None):
    names = [axis if isinstance(axis, _ir.Attribute) else _ir.StringAttr.get(axis, context) for axis in manual_axes]
    return _native._make(context, "attr", "sdy.manual_axes", [names])


ManualAxesAttr.get = staticmethod(_manual_axes_get)  # noqa: F821
