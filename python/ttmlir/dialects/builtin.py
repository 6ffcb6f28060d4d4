"""builtin: module and casts."""

from ttmlir import ir as _ir
from ttmlir.dialects import _tables

_tables.fill_all(globals(), "builtin", types=False)


@_tables.register_operation()
class ModuleOp(ModuleOp):  # noqa: F821
    """builtin.module"""

    __slots__ = ()

    def __init__(self, *, loc=None, ip=None):
        super().__init__(loc=loc, ip=ip)
        _ir.Block.create_at_start(self.regions[0])

    @property
    def body(self):
        return self.regions[0].blocks[0]
