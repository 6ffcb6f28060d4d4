"""Tensors so large that results are written with non-temporal stores."""

import numpy as np
import pytest
import torch
from tilewright import _engine

SOFTMAX = """
func.func @main(%x: tensor<{0}x{1}x{2}>) -> tensor<{0}x{1}x{2}> {{
  %0 = "ttir.softmax"(%x) <{{dimension = 1 : si32}}> : (tensor<{0}x{1}x{2}>) -> tensor<{0}x{1}x{2}>
  return %0 : tensor<{0}x{1}x{2}>
}}
"""


def run(text, x):
    out = torch.empty_like(x)
    _engine.native_compile(text).run([x], [out])
    return out


@pytest.mark.parametrize("rows,length", [(300, 8192), (1200, 2048), (2500, 1000), (2, 1 << 20)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_softmax(rows, length, dtype):
    g = torch.Generator().manual_seed(rows)
    x = (torch.randn(rows, length, generator=g) * 4).to(dtype)
    x[0, 5] = float("-inf")
    x[1, 7] = float("nan")
    want = torch.softmax(x.double(), dim=1)
    got = run(SOFTMAX.format(rows, length, "f32" if dtype == torch.float32 else "bf16"), x).double()
    assert got[1].isnan().all() and want[1].isnan().all()
    keep = [r for r in range(rows) if r != 1]
    # x - max is rounded at up to 64 (2^-18 / 2), exp is within 5 ulp; bf16 rounds once more
    rtol = 2**-19 + 5 * 2**-23 if dtype == torch.float32 else 2**-8
    np.testing.assert_allclose(got[keep], want[keep], rtol=rtol, atol=1e-38)


@pytest.mark.parametrize("rows,length", [(1200, 1984), (500, 5184), (70, 40000)])
def test_softmax_of_uneven_rows(rows, length):
    """Parts of a row differ widely, or are all -inf; and the last part is shorter."""
    x = torch.randn(rows, length, generator=torch.Generator().manual_seed(length))
    x += (torch.arange(length) // 512 * 29 % 101 - 50.0)
    x[0, :1024] = float("-inf")
    x[1, -960:] = float("-inf")
    x[2] = float("-inf")
    x[3, 1500] = float("inf")
    x[4, -1] = 200
    x[5, 0] = 200
    want = torch.softmax(x.double(), dim=1)
    got = run(SOFTMAX.format(rows, length, "f32"), x).double()
    assert got[2:4].isnan().all() and want[2:4].isnan().all()
    keep = [r for r in range(rows) if r not in (2, 3)]
    np.testing.assert_allclose(got[keep], want[keep], rtol=2**-16 + 5 * 2**-23, atol=1e-38)


@pytest.mark.parametrize("offset", [0, 1, 16])
def test_one_operation(offset):
    """At every alignment of the result to a cache line."""
    text = """func.func @main(%x: tensor<2053x2048xf32>) -> tensor<2053x2048xf32> {
      %0 = "ttir.gelu"(%x) : (tensor<2053x2048xf32>) -> tensor<2053x2048xf32>
      return %0 : tensor<2053x2048xf32>
    }"""
    x = torch.randn(2053, 2048, generator=torch.Generator().manual_seed(offset)) * 3
    room = torch.full((2053 * 2048 + 32,), 7.0)
    out = room[offset:offset + 2053 * 2048].view(2053, 2048)
    _engine.native_compile(text).run([x], [out])
    error = (out.double() - torch.nn.functional.gelu(x.double())).abs()
    assert (error <= x.double().abs() * 2**-22).all()
    assert (room[:offset] == 7).all() and (room[offset + 2053 * 2048:] == 7).all()
