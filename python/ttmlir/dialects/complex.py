"""complex: its operations and attribute, from the library's rows."""

from ttmlir.dialects import _tables

_tables.fill_all(globals(), "complex")
