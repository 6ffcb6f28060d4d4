"""chlo: its operations, attributes and types, under the names of StableHLO's own bindings."""

from ttmlir._dialects import accept_registration as register_dialect
from ttmlir.dialects import _tables

_tables.fill_all(globals(), "chlo")
_tables.enums_as_texts(globals())

RaggedDotDimensionNumbers = RaggedDotDimensionNumbersAttr  # noqa: F821
register_chlo_dialect = register_dialect
