"""The element-wise operations of blocks: the rows of src/ttkernel/elementwise.def. `ttl.math`, the handlers in threads and
the reference are made of this table."""

import dataclasses

from tilewright import _core


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str
    operands: int
    summary: str  # None: what other operations become, no function of its own
    padding: str  # what is known of a result where its operands hold padding (see elementwise.h)

    @property
    def op(self):
        return f"ttl.{self.name}"


ROWS = {name: Operation(name, operands, summary, padding) for name, operands, summary, padding in _core.elementwise()}
OPERATIONS = {name: row for name, row in ROWS.items() if row.summary}

# With a number known when the kernel is compiled as the second operand.
WITH_NUMBER = {name: f"ttl.{name}_scalar" for name in ("add", "sub", "mul", "div")}
