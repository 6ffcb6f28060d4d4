"""What loops of several dialects have in common."""

from ttmlir import ir as _ir


class Loop:
    """An operation whose one block takes the induction variable, then what is carried."""

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
    """What a loop's builder function gives, once: the induction variable; with what is carried and the results, which are
    sequences where there are several."""
    carried = tuple(loop.inner_iter_args)
    with _ir.InsertionPoint(loop.body):
        if not carried:
            yield loop.induction_variable
        elif len(carried) == 1:
            yield loop.induction_variable, carried[0], loop.results[0]
        else:
            yield loop.induction_variable, carried, loop.results
