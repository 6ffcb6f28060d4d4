"""The element-wise operations of blocks, one row each: Python name, operands, operation of the TTL
dialect. `ttl.math` and the handlers in threads are made of this table."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str
    operands: int
    op: str
    summary: str


OPERATIONS = {row.name: row for row in [
    Operation("add", 2, "ttl.add", "a + b"),
    Operation("sub", 2, "ttl.sub", "a - b"),
    Operation("mul", 2, "ttl.mul", "a * b"),
    Operation("max", 2, "ttl.max", "the larger of a and b"),
    Operation("exp", 1, "ttl.exp", "e ** x"),
    Operation("log", 1, "ttl.log", "the natural logarithm"),
    Operation("sqrt", 1, "ttl.sqrt", "the square root"),
    Operation("rsqrt", 1, "ttl.rsqrt", "1 / sqrt(x)"),
    Operation("tanh", 1, "ttl.tanh", "the hyperbolic tangent"),
    Operation("abs", 1, "ttl.abs", "the absolute value"),
    Operation("neg", 1, "ttl.neg", "-x"),
    Operation("relu", 1, "ttl.relu", "max(x, 0)"),
    Operation("sigmoid", 1, "ttl.sigmoid", "1 / (1 + exp(-x))"),
]}
