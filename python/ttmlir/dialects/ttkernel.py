"""ttkernel: its operations and enums, and in `ir` its attributes and types, from the library's rows."""

from ttmlir.dialects import _tables

ir = _tables.Namespace(f"{__name__}.ir", _tables.fill(globals(), "ttkernel"))

ir.ArgSpecAttr.name = ir.ArgSpecAttr.attr_name
ir.ThreadTypeAttr.name = ir.ThreadTypeAttr.attr_name
ir.CBType.cast = _tables.cast_to(ir.CBType)
_tables.rename(ir.ArgAttr, arg_type_as_value="arg_type_as_int")
