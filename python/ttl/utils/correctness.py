"""Comparisons of results with expected values, for tests of kernels. Tensors are torch's."""

import torch


def assert_pcc(golden, actual, threshold=0.99):
    """Fails where the correlation (Pearson) of two tensors is below the threshold or undefined."""
    a, b = (t.flatten().double() for t in (golden, actual))
    a, b = a - a.mean(), b - b.mean()
    pcc = float((a * b).sum() / (a.norm() * b.norm()))
    if not pcc >= threshold:
        raise AssertionError(f"the tensors' correlation is {pcc}, expected {threshold} or more")


def assert_allclose(actual, expected, rtol=1e-5, atol=1e-8, verbose=True):
    """Fails where elements differ by more than atol + rtol * |expected|; `verbose` reports how many do, and the
    largest difference."""
    if actual.shape != expected.shape:
        raise AssertionError(f"tensors of shapes {tuple(actual.shape)} and {tuple(expected.shape)}")
    if torch.allclose(actual, expected, rtol=rtol, atol=atol):
        return
    off = (actual - expected).abs()
    message = f"tensors differ by up to {off.max():.6g}; rtol is {rtol}, atol is {atol}"
    if verbose:
        at = torch.unravel_index((off - rtol * expected.abs()).nan_to_num(torch.inf).argmax(), off.shape)
        wrong = ~torch.isclose(actual, expected, rtol=rtol, atol=atol)
        message += (f"; {int(wrong.sum())} of {wrong.numel()} numbers do, most at {tuple(map(int, at))}: "
                    f"{actual[at]:.6g} instead of {expected[at]:.6g}")
    raise AssertionError(message)


def ulp(x):
    """For each element the distance to the next value away from zero; for the largest, to the one before."""
    kind = torch.finfo(x.dtype)
    x = x.abs().clamp(max=kind.max)
    up = torch.nextafter(x, torch.full_like(x, torch.inf))
    down = torch.nextafter(x, torch.zeros_like(x))
    return torch.where(torch.isfinite(up), up - x, x - down)


def comp_ulp(golden, calculated, ulp_threshold, allow_nonfinite=True):
    """True if no element is further from its golden one than the threshold in units in the last place of
    `calculated`'s type; and a description."""
    if not golden.numel() and not calculated.numel():
        return True, "both tensors are empty"
    finite = torch.isfinite(calculated)
    if not allow_nonfinite and not finite.all():
        return False, "the calculated tensor holds numbers that are not finite"
    if not torch.equal(golden[~finite].double().nan_to_num(0.5), calculated[~finite].double().nan_to_num(0.5)) or \
            not torch.equal(torch.isfinite(golden), finite):
        return False, "the tensors are not finite at different positions, or in different ways"
    unit = ulp(golden.to(calculated.dtype))[finite].double()
    off = ((calculated[finite].double() - golden[finite].double()).abs() / unit).max() if finite.any() else torch.tensor(0.0)
    return bool(off <= ulp_threshold), f"the largest difference is {off:.6g} units in the last place"


def assert_with_ulp(expected_result, actual_result, ulp_threshold=10, allow_nonfinite=False):
    """Fails where elements differ by more than the threshold in units in the last place; returns the result of
    comp_ulp()."""
    if expected_result.shape != actual_result.shape:
        raise AssertionError(f"tensors of shapes {tuple(expected_result.shape)} and {tuple(actual_result.shape)}")
    passed, message = comp_ulp(expected_result, actual_result, ulp_threshold, allow_nonfinite)
    if not passed:
        raise AssertionError(f"{message}; {ulp_threshold} are allowed")
    return passed, message
