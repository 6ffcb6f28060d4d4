"""How a result differs from its reference: correlation, absolute and relative error, the worst element."""

import torch


def _wide(t):
    return t.detach().to(torch.float64) if not t.is_complex() else torch.view_as_real(t.detach().to(torch.complex128))


def _finite(t):
    return torch.nan_to_num(t, nan=0.0, posinf=0.0, neginf=0.0)


def _errors(golden, calculated):
    """|difference|, where equal infinities and two NaNs agree and anything else beside them is infinitely off."""
    difference = (golden - calculated).abs()
    agree = (golden == calculated) | (golden.isnan() & calculated.isnan())
    difference = torch.where(agree, torch.zeros_like(difference), difference)
    return torch.where(difference.isnan(), torch.full_like(difference, float("inf")), difference)


def get_atol_rtol(golden, calculated):
    """(largest absolute error, largest error relative to the calculated element); 0 for empty tensors."""
    if golden.numel() == 0 or calculated.numel() == 0:
        return 0.0, 0.0
    golden, calculated = torch.broadcast_tensors(_wide(golden), _wide(calculated))
    errors = _errors(golden, calculated)
    relative = torch.where(errors == 0, errors, errors / calculated.abs())
    return errors.max().item(), torch.nan_to_num(relative, nan=float("inf"), posinf=float("inf")).max().item()


def ruled_pcc(golden, calculated, atol=1e-8, rtol=1e-5):
    """(correlation of the finite elements, the rule that decides where it is undefined or None)"""
    if golden.numel() == 0 or calculated.numel() == 0:
        return float(golden.shape == calculated.shape), "no elements: the shapes decide"
    if golden.numel() != calculated.numel():
        return 0.0, "other numbers of elements disagree"
    a, b = _wide(golden).flatten(), _wide(calculated).flatten()
    nans = bool(a.isnan().all()), bool(b.isnan().all())
    if any(nans):
        return float(all(nans)), "all elements are NaN: both tensors must be"
    special = ~(a.isfinite() & b.isfinite())
    if special.any() and _errors(a[special], b[special]).max() > 0:
        return 0.0, "infinities and NaN agree with equal ones only"
    a, b = _finite(a), _finite(b)
    if torch.equal(a, b):
        return 1.0, None
    if bool(a.any()) != bool(b.any()):
        return 0.0, "one tensor is zero: the other must be"
    if a.numel() == 1:
        atol, rtol = max(atol, 0.0), max(rtol, 0.05)
        return float(torch.isclose(a, b, atol=atol, rtol=rtol).item()), f"one element: it is close within atol={atol}, rtol={rtol} or not"
    flat = a.max() == a.min(), b.max() == b.min()
    if all(flat):
        return float(torch.isclose(a[0], b[0], atol=atol, rtol=rtol).item()), f"constant tensors: close within atol={atol}, rtol={rtol} or not"
    if any(flat):
        atol, rtol = max(atol, 1e-3), max(rtol, 1e-2)
        return float(torch.allclose(a, b, atol=atol, rtol=rtol)), f"one tensor is constant: all are close within atol={atol}, rtol={rtol} or not"
    a, b = a - a.mean(), b - b.mean()
    return float(((a * b).sum() / (a.norm() * b.norm())).clamp(-1, 1).item()), None


def get_pcc(golden, calculated, atol=1e-8, rtol=1e-5):
    """Pearson's correlation of the finite elements. Where it is undefined: 1 for equal tensors and for empty ones of the
    same shape; constant tensors and single elements are compared by atol and rtol; 0 otherwise."""
    return ruled_pcc(golden, calculated, atol, rtol)[0]


def get_atol_rtol_pcc(golden, calculated, atol, rtol):
    """(absolute error, relative error, correlation)."""
    return (*get_atol_rtol(golden, calculated), get_pcc(golden, calculated, atol, rtol))


def worst(golden, calculated):
    """(index, expected, found) of the element with the largest absolute error; None for empty tensors."""
    if golden.numel() == 0 or golden.shape != calculated.shape:
        return None
    errors = _errors(_wide(golden), _wide(calculated))
    if golden.is_complex():
        errors = errors.amax(-1)
    at = int(errors.flatten().argmax())
    index = []
    for size in reversed(golden.shape):
        index.append(at % size)
        at //= size
    index = tuple(reversed(index))
    return index, golden[index].item(), calculated[index].item()
