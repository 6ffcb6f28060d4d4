"""sdy: shardings, under the names of Shardy's own bindings."""

import enum as _enum

from ttmlir import ir as _ir
from ttmlir._dialects import accept_registration as register_dialect  # noqa: F401
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


# Rules for an operation's sharding, under the bindings' names.
_rule_get = OpShardingRuleAttr.get  # noqa: F821
OpShardingRuleAttr.get = staticmethod(  # noqa: F821
    lambda *args, is_custom=False, **kwargs: _rule_get(*args, is_custom_rule=is_custom, **kwargs))
OpShardingRuleAttr.is_custom = property(lambda self: bool(_native._param(self, 7)))  # noqa: F821
TensorMappingAttr.rank = property(lambda self: len(_native._param(self, 0)))  # noqa: F821


class CompatibilityRequirement(_enum.Enum):
    """The minimum age of readers that a program must support."""

    NONE = 0
    WEEK_4 = 1
    WEEK_12 = 2
    MAX = 3


def get_version_from_compatibility_requirement(requirement):
    """Shardy has had one version so far."""
    CompatibilityRequirement(requirement)
    return "0.0.1"
