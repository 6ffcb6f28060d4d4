"""The operations of blocks, one row each: Python's name, how many blocks they take, the operation of
the TTL dialect. `ttl.math` and the handlers in threads are made of this table."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str
    operands: int
    op: str
    summary: str


def _rows(operands, **summaries):
    return {name: Operation(name, operands, f"ttl.{name}", summary) for name, summary in summaries.items()}


BINARY = _rows(
    2,
    add="a + b", sub="a - b", mul="a * b", div="a / b", pow="a ** b", max="the larger of a and b, NaN where one is",
    min="the smaller of a and b, NaN where one is", atan2="the angle of (b, a)", eq="1 where a == b, else 0", ne="1 where a != b, else 0",
    lt="1 where a < b, else 0", le="1 where a <= b, else 0", gt="1 where a > b, else 0", ge="1 where a >= b, else 0",
    bitwise_and="a & b, of integers", bitwise_or="a | b, of integers", bitwise_xor="a ^ b, of integers",
    bitwise_left_shift="a << b, of integers", bitwise_right_shift="a >> b, of integers",
)
UNARY = _rows(
    1,
    exp="e ** x", exp2="2 ** x", expm1="e ** x - 1", log="the natural logarithm", log1p="log(1 + x)",
    sqrt="the square root", rsqrt="1 / sqrt(x)", square="x * x", recip="1 / x", abs="the absolute value", neg="-x",
    sign="-1, 0 or 1", signbit="1 where the sign is minus, else 0",
    sin="the sine", cos="the cosine", tan="the tangent", asin="the arcsine", acos="the arccosine", atan="the arctangent",
    tanh="the hyperbolic tangent",
    relu="max(x, 0)", sigmoid="1 / (1 + exp(-x))", silu="x * sigmoid(x)", gelu="x times the normal distribution at x",
    selu="the scaled exponential linear unit", softsign="x / (1 + |x|)", hardsigmoid="x / 6 + 0.5 between 0 and 1",
    erf="the error function", erfc="1 - erf(x)",
    floor="the largest integer not above x", ceil="the smallest integer not below x", trunc="x without its fraction",
    frac="x - trunc(x)",
    eqz="1 where x == 0, else 0", nez="1 where x != 0, else 0", ltz="1 where x < 0, else 0", lez="1 where x <= 0, else 0",
    gtz="1 where x > 0, else 0", gez="1 where x >= 0, else 0", bitwise_not="~x, of integers",
)
TERNARY = _rows(3, where="a where the condition is not 0, else b")
OPERATIONS = {**BINARY, **UNARY, **TERNARY}

# With a number known when the kernel is compiled as the second operand.
WITH_NUMBER = {"add": "ttl.add_scalar", "sub": "ttl.sub_scalar", "mul": "ttl.mul_scalar", "div": "ttl.div_scalar"}
