"""stablehlo: its operations, attributes and types, under the names of StableHLO's own bindings."""

from ttmlir import ir as _ir
from ttmlir._dialects import accept_registration as register_dialect  # noqa: F401
from ttmlir._native import native as _native
from ttmlir.dialects import _artifacts, _tables

_tables.fill_all(globals(), "stablehlo")

for _name in ("ConvDimensionNumbers", "DotDimensionNumbers", "GatherDimensionNumbers", "ScatterDimensionNumbers",
              "DotAlgorithm", "OutputOperandAlias", "TypeExtensions", "ChannelHandle"):
    globals().setdefault(_name, globals().get(f"{_name}Attr"))


_tables.enums_as_texts(globals())

_scatter_get = ScatterDimensionNumbersAttr.get  # noqa: F821


def _get_scatter(*args, scattered_dims_to_operand_dims=None, **kwargs):
    if scattered_dims_to_operand_dims is not None:
        kwargs["scatter_dims_to_operand_dims"] = scattered_dims_to_operand_dims
    return _scatter_get(*args, **kwargs)


ScatterDimensionNumbersAttr.get = staticmethod(_get_scatter)  # noqa: F821
_tables.rename(ScatterDimensionNumbersAttr, scattered_dims_to_operand_dims="scatter_dims_to_operand_dims")  # noqa: F821
_tables.rename(ChannelHandle, channel_type="type_")  # noqa: F821

for _name in ("get_current_version", "get_minimum_version", "get_smaller_version", "serialize_portable_artifact",
              "deserialize_portable_artifact", "get_api_version", "StablehloCompatibilityRequirement",
              "get_version_from_compatibility_requirement", "serialize_portable_artifact_str",
              "deserialize_portable_artifact_str", "eval_module"):
    globals()[_name] = getattr(_artifacts, _name)


register_interpreter_dialect = register_dialect  # noqa: F401


def register_stablehlo_passes():
    """No-op: the passes are built in."""


_accuracy_get = ResultAccuracyAttr.get  # noqa: F821


def _get_accuracy(atol, rtol, ulps, mode, context=None):
    """Tolerances are numbers, the mode is passed by name."""
    def number(value):
        return value if isinstance(value, _ir.Attribute) else _ir.FloatAttr.get_f64(value, context)

    mode = mode if isinstance(mode, _ir.Attribute) else ResultAccuracyModeAttr.get(mode, context=context)  # noqa: F821
    return _accuracy_get(number(atol), number(rtol), ulps, mode, context=context)


ResultAccuracyAttr.get = staticmethod(_get_accuracy)  # noqa: F821
for _index, _name in enumerate(("atol", "rtol", "ulps", "mode")):
    setattr(ResultAccuracyAttr, _name, property(  # noqa: F821
        lambda self, index=_index: getattr(_native._param(self, index), "value", _native._param(self, index))))


@_tables.register_operation()
class CompositeOp(CompositeOp):  # noqa: F821
    """stablehlo.composite, without regions unless num_composite_regions is given."""

    __slots__ = ()

    def __init__(self, *args, num_composite_regions=0, **kwargs):
        super().__init__(*args, num_composite_regions=num_composite_regions, **kwargs)
