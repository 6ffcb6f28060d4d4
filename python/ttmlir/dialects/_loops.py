"""Parts shared by the loops of several dialects."""

from ttmlir import ir as _ir


class Loop:
    """An operation whose only block takes the induction variable, then the carried values."""

    __slots__ = ()

    @property
    def body(self):
        return self.regions[0].blocks[0]

    @property
    def induction_variable(self):
        return self.body.arguments[0]

    @property
    def inner_iter_args(self):
        return self.body.arguments[1:]


def build_body(loop):
    """Yields once for a loop's body: the induction variable; or that with the carried values and the results, which
    are sequences where there are several."""
    carried = tuple(loop.inner_iter_args)
    with _ir.InsertionPoint(loop.body):
        if not carried:
            yield loop.induction_variable
        elif len(carried) == 1:
            yield loop.induction_variable, carried[0], loop.results[0]
        else:
            yield loop.induction_variable, carried, loop.results
