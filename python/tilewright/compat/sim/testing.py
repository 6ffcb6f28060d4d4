"""Checks of results for kernels."""


def assert_pcc(a, b, rtol=1e-5, atol=1e-8):
    """Fails where two tensors differ by more than the tolerance, and by more than the rounding of the matrix unit's
    operands to 11 bits explains: 2^-9 of the largest value."""
    import torch

    if tuple(a.shape) != tuple(b.shape):
        raise AssertionError(f"tensors of shapes {tuple(a.shape)} and {tuple(b.shape)}")
    if a.dtype != b.dtype:
        raise AssertionError(f"tensors of {a.dtype} and {b.dtype}")
    x, y = a.to_torch().double(), b.to_torch().double()
    allowed = torch.maximum(atol + rtol * y.abs(), 2.0**-9 * y.abs().max())
    worst = ((x - y).abs() - allowed).max()
    if worst > 0:
        raise AssertionError(f"tensors differ by up to {(x - y).abs().max():.3g}, allowed is {allowed.min():.3g}")
