"""References of operations in torch, and measures of how far a result is from them."""

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as e:
    raise ImportError("golden (and builder, which checks with it) computes with torch: pip install torch") from e

from golden.mapping import (CHISEL_GOLDEN_MAPPINGS, GOLDEN_MAPPINGS, GOLDENS, GoldenMapTensor, get_chisel_golden_function,
                            get_golden_function, register_golden, unpack_mlir_attr)
from golden.metrics import get_atol_rtol, get_atol_rtol_pcc, get_pcc

__all__ = ["GoldenMapTensor", "unpack_mlir_attr", "get_golden_function", "GOLDEN_MAPPINGS", "GOLDENS", "CHISEL_GOLDEN_MAPPINGS",
           "get_chisel_golden_function", "get_pcc", "get_atol_rtol", "get_atol_rtol_pcc", "register_golden"]
