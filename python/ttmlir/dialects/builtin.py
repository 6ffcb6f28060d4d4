"""builtin: module and casts."""

from ttmlir import ir as _ir
from ttmlir.dialects import _tables
from ttmlir.extras.meta import region_op

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


@region_op
def module(*, sym_name=None, sym_visibility=None, attrs=None, loc=None, ip=None):
    """A decorator: the function builds the module's contents. `@module` or `@module(attrs={...})`"""
    made = ModuleOp.__base__(sym_name=sym_name, sym_visibility=sym_visibility, loc=loc, ip=ip)
    for name, attribute in (attrs or {}).items():
        made.operation.attributes[name] = attribute
    return made
