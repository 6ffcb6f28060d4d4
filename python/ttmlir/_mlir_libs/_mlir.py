"""`ttmlir._mlir_libs._mlir`: the IR, passes and patterns as one module, and the functions that register classes."""

import sys

from ttmlir import ir, passmanager, rewrite
from ttmlir.dialects._ods_common import _cext

__path__ = []  # it has modules of its own
for _part in (ir, passmanager, rewrite):
    sys.modules[f"{__name__}.{_part.__name__.rpartition('.')[2]}"] = _part

globals = _cext.globals
register_dialect = _cext.register_dialect
register_operation = _cext.register_operation
register_op_adaptor = _cext.register_op_adaptor
register_type_caster = _cext.register_type_caster
register_value_caster = _cext.register_value_caster
