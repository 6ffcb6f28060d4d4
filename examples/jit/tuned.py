"""Functions of ttnn whose cores, buffers and multicasts are chosen by the cycle model, at the first call with tensors of a shape."""

import os

os.environ["TILEWRIGHT_ENGINE"] = "grid"

import torch
import ttnn
import ttnn_jit

tune = ttnn_jit.autotune(
    max_grid=[(0, 0), (1, 0), (1, 1), (3, 1), (3, 3), (7, 3), (7, 7)],  # the last core: column, row
    num_stream_buffers=[1, 2, 4],
    enable_multicast_inference=[False, True],
    stream_insert_policy=["infer", "always"],
)


@tune
@ttnn_jit.jit(enable_cache=True)
def matmul(x, y):
    return ttnn.matmul(x, y)


@tune
@ttnn_jit.jit(enable_cache=True)
def cosh(x):
    return ttnn.multiply(ttnn.add(ttnn.exp(x), ttnn.exp(ttnn.neg(x))), 0.5)


@tune
@ttnn_jit.jit(enable_cache=True)
def row_sums(x):
    return ttnn.sum(x, dim=-1, keepdim=True)


def main():
    device = ttnn.open_device(device_id=0)
    a, b = torch.randn(128, 64), torch.randn(64, 128)
    x, y = (ttnn.from_torch(t, layout=ttnn.TILE_LAYOUT, device=device) for t in (a, b))
    torch.testing.assert_close(matmul(x, y).to_torch(), a @ b, rtol=2e-2, atol=2e-2)
    torch.testing.assert_close(cosh(x).to_torch(), torch.cosh(a), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(row_sums(x).to_torch(), a.sum(-1, keepdim=True), rtol=2e-2, atol=5e-2)
    print("matmul, cosh and sums of rows, tuned: as torch")
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
