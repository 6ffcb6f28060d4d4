"""Single operations of StableHLO that no frontend here exports, against numpy."""

import itertools

import numpy as np
import pytest
from native import Program


@pytest.mark.parametrize("left,lower,transpose,unit", itertools.product([True, False], repeat=4))
def test_triangular_solve(left, lower, transpose, unit):
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, (2, 4, 4)).astype(np.float32) + 3 * np.eye(4, dtype=np.float32)
    b = rng.uniform(-1, 1, (2, 4, 3) if left else (2, 3, 4)).astype(np.float32)
    flags = {"left_side": left, "lower": lower, "unit_diagonal": unit}
    words = ", ".join(f"{k} = {str(v).lower()}" for k, v in flags.items())
    shape = "x".join(map(str, b.shape))
    (got,) = Program(f"""func.func @main(%a: tensor<2x4x4xf32>, %b: tensor<{shape}xf32>) -> tensor<{shape}xf32> {{
      %y = "stablehlo.triangular_solve"(%a, %b) {{{words},
        transpose_a = #stablehlo<transpose {"TRANSPOSE" if transpose else "NO_TRANSPOSE"}>}}
        : (tensor<2x4x4xf32>, tensor<{shape}xf32>) -> tensor<{shape}xf32>
      return %y : tensor<{shape}xf32>
    }}""")(a, b)
    m = np.tril(a) if lower else np.triu(a)
    if unit:
        m = m * (1 - np.eye(4)) + np.eye(4)
    m = m.swapaxes(1, 2) if transpose else m
    product = m @ got if left else got @ m
    np.testing.assert_allclose(product, b, atol=3e-6)
