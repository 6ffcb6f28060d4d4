"""scf: loops and branches; they are created with their blocks."""

from ttmlir import ir as _ir
from ttmlir.dialects import _tables
from ttmlir.dialects._loops import Loop, build_body
from ttmlir.dialects._ods_common import get_op_result_or_op_results as _results
from ttmlir.dialects._ods_common import get_op_results_or_values as _values
from ttmlir.dialects.arith import constant

_tables.fill_all(globals(), "scf")


def _types(values):
    return [value.type if isinstance(value, _ir.Value) else value.result.type for value in values]


@_tables.register_operation()
class ForOp(Loop, ForOp):  # noqa: F821
    """scf.for(lower_bound, upper_bound, step, iter_args=None): created with an empty body block."""

    __slots__ = ()

    def __init__(self, lower_bound, upper_bound, step, iter_args=None, *, loc=None, ip=None):
        iter_args = list(_values(iter_args if iter_args is not None else []))
        kinds = _types(iter_args)
        super().__init__(kinds, lower_bound, upper_bound, step, iter_args, loc=loc, ip=ip)
        _ir.Block.create_at_start(self.regions[0], [self.operands[0].type, *kinds])


def for_(start, stop=None, step=None, iter_args=None, *, loc=None, ip=None):
    """`for i in for_(n)`, `for i, carried, result in for_(0, n, 1, [a])`: the body is built once, inside.

    With several carried values, `carried` and the results are sequences. The body ends with `yield_`."""
    start, stop = (0, start) if stop is None else (start, stop)
    bounds = [start, stop, 1 if step is None else step]
    for i, bound in enumerate(bounds):
        if isinstance(bound, float):
            raise ValueError(f"a bound of a loop is an integer or a value, not {bound}")
        if isinstance(bound, int):
            bounds[i] = constant(_ir.IndexType.get(), bound)
    loop = ForOp(*bounds, iter_args, loc=loc, ip=ip)
    yield from build_body(loop)


def _split(bounds):
    """(values, integers) of bounds that are either."""
    dynamic = [bound for bound in bounds if not isinstance(bound, int)]
    unknown = _ir.ShapedType.get_dynamic_size()
    return dynamic, [bound if isinstance(bound, int) else unknown for bound in bounds]


@_tables.register_operation()
class InParallelOp(InParallelOp):  # noqa: F821
    """The terminator of a forall."""

    __slots__ = ()

    def __init__(self, loc=None, ip=None):
        super().__init__(loc=loc, ip=ip)
        self.regions[0].blocks.append()

    @property
    def block(self):
        return self.regions[0].blocks[0]


@_tables.register_operation()
class ForallOp(ForallOp):  # noqa: F821
    """scf.forall(lower bounds, upper bounds, steps, shared_outs=None): bounds are integers or values."""

    __slots__ = ()

    def __init__(self, lower_bounds, upper_bounds, steps, shared_outs=None, *, mapping=None, loc=None, ip=None):
        assert len(lower_bounds) == len(upper_bounds) == len(steps), \
            "Mismatch in length of lower bounds, upper bounds, and steps"
        shared_outs = list(_values(shared_outs if shared_outs is not None else []))
        parts = [_split(bounds) for bounds in (lower_bounds, upper_bounds, steps)]
        kinds = _types(shared_outs)
        super().__init__(kinds, *(dynamic for dynamic, _ in parts), *(static for _, static in parts), shared_outs,
                         mapping=mapping, loc=loc, ip=ip)
        index = _ir.IndexType.get(self.context)
        _ir.Block.create_at_start(self.regions[0], [*[index] * len(lower_bounds), *kinds])

    @property
    def body(self):
        return self.regions[0].blocks[0]

    @property
    def rank(self):
        return len(self.staticLowerBound)

    @property
    def induction_variables(self):
        return self.body.arguments[:self.rank]

    @property
    def inner_iter_args(self):
        return self.body.arguments[self.rank:]

    def terminator(self):
        """The loop's terminator, which is created if it does not exist."""
        ops = self.body.operations
        if len(ops) and isinstance(ops[-1], InParallelOp):
            return ops[-1]
        with _ir.InsertionPoint(self.body):
            return InParallelOp()


@_tables.register_operation()
class IfOp(IfOp):  # noqa: F821
    """scf.if(cond, results_=None, has_else=False): created with empty blocks."""

    __slots__ = ()

    def __init__(self, cond, results_=None, *, has_else=False, hasElse=False, loc=None, ip=None):
        super().__init__(list(results_ or []), cond, loc=loc, ip=ip)
        for region in list(self.regions)[:2 if has_else or hasElse else 1]:
            _ir.Block.create_at_start(region, [])

    @property
    def then_block(self):
        return self.regions[0].blocks[0]

    @property
    def else_block(self):
        blocks = self.regions[1].blocks
        return blocks[0] if len(blocks) else None


@_tables.register_operation()
class IndexSwitchOp(IndexSwitchOp):  # noqa: F821
    """scf.index_switch(results, arg, cases): a block for each case and one for all others.

    The builders are functions of (op, index, value) for cases and of (op) for the rest."""

    __slots__ = ()

    def __init__(self, results, arg, cases, case_body_builder=None, default_body_builder=None, loc=None, ip=None):
        cases = _ir.DenseI64ArrayAttr.get(list(cases))
        super().__init__(results, arg, cases, num_caseRegions=len(cases), loc=loc, ip=ip)
        for region in self.regions:
            region.blocks.append()
        if default_body_builder is not None:
            with _ir.InsertionPoint(self.default_block):
                default_body_builder(self)
        for index in range(len(cases) if case_body_builder is not None else 0):
            with _ir.InsertionPoint(self.case_block(index)):
                case_body_builder(self, index, self.cases[index])

    @property
    def default_region(self):
        return self.regions[0]

    @property
    def default_block(self):
        return self.default_region.blocks[0]

    @property
    def case_regions(self):
        return self.regions[1:]

    def case_region(self, i):
        return self.case_regions[i]

    @property
    def case_blocks(self):
        return [region.blocks[0] for region in self.case_regions]

    def case_block(self, i):
        return self.case_regions[i].blocks[0]


def index_switch(results, arg, cases, case_body_builder=None, default_body_builder=None, loc=None, ip=None):
    return _results(IndexSwitchOp(results, arg, cases, case_body_builder, default_body_builder, loc, ip))
