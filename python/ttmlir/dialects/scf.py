"""scf: its operations, attributes and types, from the library's rows."""

from ttmlir import ir as _ir
from ttmlir.dialects import _tables

_tables.fill_all(globals(), "scf")


@_tables.register_operation()
class ForOp(ForOp):  # noqa: F821
    """scf.for(lower_bound, upper_bound, step, iter_args=None): its body's block is there, empty."""

    __slots__ = ()

    def __init__(self, lower_bound, upper_bound, step, iter_args=None, *, loc=None, ip=None):
        iter_args = list(iter_args or [])
        kinds = [_ir.Value(v).type if not isinstance(v, _ir.Value) else v.type for v in iter_args]
        super().__init__(kinds, lower_bound, upper_bound, step, iter_args, loc=loc, ip=ip)
        _ir.Block.create_at_start(self.regions[0], [self.operands[0].type, *kinds])

    @property
    def body(self):
        return self.regions[0].blocks[0]

    @property
    def induction_variable(self):
        return self.body.arguments[0]

    @property
    def inner_iter_args(self):
        return self.body.arguments[1:]


@_tables.register_operation()
class IfOp(IfOp):  # noqa: F821
    """scf.if(cond, results_=None, hasElse=False): its blocks are there, empty."""

    __slots__ = ()

    def __init__(self, cond, results_=None, *, hasElse=False, loc=None, ip=None):
        super().__init__(list(results_ or []), cond, loc=loc, ip=ip)
        for region in list(self.regions)[:2 if hasElse else 1]:
            _ir.Block.create_at_start(region, [])

    @property
    def then_block(self):
        return self.regions[0].blocks[0]

    @property
    def else_block(self):
        blocks = self.regions[1].blocks
        return blocks[0] if len(blocks) else None
