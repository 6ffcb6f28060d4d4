"""Decompositions for special functions."""

import math

import torch

aten = torch.ops.aten


def cotangent_derivative(order):
    """The coefficients of P, lowest first, with (d/dt)^order cot(t) = P(cot(t)), as cot' = -1 - cot^2."""
    p = [0, 1]
    for _ in range(order):
        slope = [k * c for k, c in enumerate(p)][1:]
        p = [0] * (len(slope) + 2)
        for k, c in enumerate(slope):
            p[k] -= c
            p[k + 2] -= c
    return p


def polygamma(order, x):
    """By the zeta function for positive x; for negative x by the reflection formula, whose terms supply the part of
    the sum before zero. Poles have torch's signs."""
    if not order:
        return torch.digamma(x)
    dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
    x = x.to(torch.float32)
    sign = 1.0 if order % 2 else -1.0
    negative = x < 0
    value = sign * math.factorial(order) * torch.special.zeta(order + 1.0, torch.where(negative, 1 - x, x))
    angle = math.pi * (x - torch.round(x))
    cotangent, polynomial = torch.cos(angle) / torch.sin(angle), torch.zeros_like(x)
    for c in reversed(cotangent_derivative(order)):
        polynomial = polynomial * cotangent + c
    reflected = -sign * value - math.pi ** (order + 1) * polynomial
    value = torch.where(negative, reflected, value)
    if order == 1:  # at higher orders torch returns NaN there
        value = torch.where(x == math.inf, 0.0, value)
    return torch.where((x <= 0) & (x == torch.round(x)), sign * math.inf, value).to(dtype)


OWN = {
    aten.polygamma.default: polygamma,
    aten.special_polygamma.default: polygamma,
}
