"""d2m: its operations and enums, and in `ir` its attributes and types, from the library's rows."""

from ttmlir.dialects import _tables

ir = _tables.Namespace(f"{__name__}.ir", _tables.fill(globals(), "d2m"))
