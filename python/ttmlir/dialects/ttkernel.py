"""ttkernel: its operations and enums, and in `ir` its attributes and types, from the library's rows."""

import math as _math

from ttmlir.dialects import _tables

ir = _tables.Namespace(f"{__name__}.ir", _tables.fill(globals(), "ttkernel"))

ir.ArgSpecAttr.name = ir.ArgSpecAttr.attr_name
ir.ThreadTypeAttr.name = ir.ThreadTypeAttr.attr_name
_plain_cb = ir.CBType.get


def _cb(context, *parts):
    """The type of a circular buffer of a number of elements and their type, or of as many as a memref has."""
    return _plain_cb(context, *(parts if len(parts) > 1 else (_math.prod(parts[0].shape), parts[0].element_type)))


ir.CBType.get = staticmethod(_cb)
ir.CBType.cast = _tables.cast_to(ir.CBType)
_tables.rename(ir.ArgAttr, arg_type_as_value="arg_type_as_int")
