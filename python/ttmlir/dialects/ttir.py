"""ttir: its operations and enums, and in `ir` its attributes and types, from the library's rows."""

from ttmlir.dialects import _maps, _tables

ir = _tables.Namespace(f"{__name__}.ir", _tables.fill(globals(), "ttir"))

ir.affine_map_compose = _maps.affine_map_compose
