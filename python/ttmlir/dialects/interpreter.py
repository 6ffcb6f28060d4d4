"""interpreter: its operations, attributes and types, from the library's rows."""

from ttmlir._dialects import accept_registration as register_dialect  # noqa: F401
from ttmlir.dialects import _tables

_tables.fill_all(globals(), "interpreter")
