"""d2m: its operations and enums, and in `ir` its attributes and types, from the library's rows."""

from ttmlir.dialects import _maps, _tables

ir = _tables.Namespace(f"{__name__}.ir", _tables.fill(globals(), "d2m"))

ir.calculate_reblock_map = _maps.calculate_reblock_map
ir.ThreadAttr.name = ir.ThreadAttr.attr_name
ir.CBType.cast = _tables.cast_to(ir.CBType)
ir.CBType.get_underlying = lambda self: self.underlying
