"""Queries of locations, operations and types."""

from ttmlir import ir as _ir
from ttmlir._native import native as _native
from ttmlir.dialects import ttcore as _ttcore

__all__ = ["debug_print_module", "element_type_to_data_type", "get_fused_locations", "get_loc_full", "get_loc_name",
           "get_write_effect_operand_indices", "is_dps", "is_file_line_col_loc", "is_fused_loc", "is_name_loc"]


def debug_print_module(module):
    """The module's text with locations."""
    return module.operation.get_asm(enable_debug_info=True)


def is_name_loc(loc):
    return isinstance(loc, _ir.NameLoc)


def get_loc_name(loc):
    """The name of a name location, or None."""
    return loc.name_str if is_name_loc(loc) else None


def get_loc_full(loc):
    """The location's text, or None."""
    return str(loc) or None


def is_file_line_col_loc(loc):
    return isinstance(loc, _ir.FileLineColLoc)


def is_fused_loc(loc):
    return isinstance(loc, _ir.FusedLoc)


def get_fused_locations(loc):
    return loc.locations if is_fused_loc(loc) else []


def is_dps(op):
    """True if the operation is destination-passing: its results are written into operands."""
    return _native._has_interface(op.operation.name, "DestinationStyleOpInterface")


def get_write_effect_operand_indices(op):
    """Indices of the operands that the operation declares to write to."""
    return _native._write_operands(op.operation)


_FLOATS = {_ir.F32Type: "Float32", _ir.F16Type: "Float16", _ir.BF16Type: "BFloat16", _ir.F64Type: "Float32"}


def element_type_to_data_type(type):
    """The ttcore data type's enum value of an element type (of a tile: its element's)."""
    if isinstance(type, _ttcore.ir.TileType):
        return int(type.data_type)
    for kind, name in _FLOATS.items():
        if isinstance(type, kind):
            return int(_ttcore.DataType[name])
    if isinstance(type, _ir.IndexType):
        return int(_ttcore.DataType.UInt32)
    if not isinstance(type, _ir.IntegerType):
        raise ValueError(f"no data type for {type}")
    if type.width == 1:
        return int(_ttcore.DataType.BFloat16)
    if type.width in (32, 64):
        return int(_ttcore.DataType.Int32 if type.is_signed or type.is_signless else _ttcore.DataType.UInt32)
    return int(_ttcore.DataType[f"UInt{type.width}"])
