"""ttl.math: operations on blocks, for compute threads."""

from .composites import COMPOSITES
from .functions import ELEMENTWISE, broadcast, clamp, matmul, reduce_max, reduce_sum, transpose, typecast

globals().update(ELEMENTWISE)
globals().update(COMPOSITES)
__all__ = ["broadcast", "clamp", "matmul", "reduce_max", "reduce_sum", "transpose", "typecast", *ELEMENTWISE, *COMPOSITES]
