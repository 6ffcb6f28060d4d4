"""d2m_jit without a compiler: `import d2m_jit.sim as d2m` runs kernels as Python over torch."""

from ._src import sim as _sim
from ._src.config import config
from ._src.sim import *  # noqa: F403: the functions of the host
from ._src.tensor_layout import Layout, bfloat16, float16, float32, uint32

__all__ = [*_sim.__all__, "Layout", "bfloat16", "config", "float16", "float32", "uint32"]
