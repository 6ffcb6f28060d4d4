"""stablehlo: its operations, attributes and types, under the names of StableHLO's own bindings."""

from ttmlir._native import native as _native
from ttmlir.dialects import _artifacts, _tables

_tables.fill_all(globals(), "stablehlo")

for _name in ("ConvDimensionNumbers", "DotDimensionNumbers", "GatherDimensionNumbers", "ScatterDimensionNumbers",
              "DotAlgorithm", "OutputOperandAlias", "TypeExtensions", "ChannelHandle"):
    globals().setdefault(_name, globals().get(f"{_name}Attr"))


def _text(enum):
    def value(self):
        return str(enum(_native._param(self, 0)))

    return property(value)


# These enums are texts here: ComparisonDirectionAttr.get("LT").value == "LT".
for _name, _enum in _ENUMS.items():  # noqa: F821
    if f"{_name}Attr" in _ITEMS:  # noqa: F821
        _ITEMS[f"{_name}Attr"].value = _text(_enum)  # noqa: F821

_scatter_get = ScatterDimensionNumbersAttr.get  # noqa: F821


def _get_scatter(*args, scattered_dims_to_operand_dims=None, **kwargs):
    if scattered_dims_to_operand_dims is not None:
        kwargs["scatter_dims_to_operand_dims"] = scattered_dims_to_operand_dims
    return _scatter_get(*args, **kwargs)


ScatterDimensionNumbersAttr.get = staticmethod(_get_scatter)  # noqa: F821
_tables.rename(ScatterDimensionNumbersAttr, scattered_dims_to_operand_dims="scatter_dims_to_operand_dims")  # noqa: F821
_tables.rename(ChannelHandle, channel_type="type_")  # noqa: F821

for _name in ("get_current_version", "get_minimum_version", "get_smaller_version", "serialize_portable_artifact",
              "deserialize_portable_artifact"):
    globals()[_name] = getattr(_artifacts, _name)
