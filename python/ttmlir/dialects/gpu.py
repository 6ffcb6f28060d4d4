"""gpu: its operations, attributes and types, from the library's rows."""

from ttmlir.dialects import _tables

_tables.fill_all(globals(), "gpu")
