"""chlo-legalize-to-stablehlo against SciPy in double precision: its formulas, evaluated element by element by the
StableHLO reference interpreter's semantics (stablehlo-translate --interpret), over ranges and at edges."""

import subprocess

import ml_dtypes
import numpy as np
import pytest
from native import BUILD
from scipy import special

EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1.1754944e-38, 3e38, -3e38, 1.0, -1.0]
LINE = list(np.linspace(-9.3, 9.4, 188)) + EDGES
UNIT = list(np.linspace(-0.998, 0.997, 150)) + [1.5, -1.5, 1e-7, *EDGES]
SMALL = list(np.linspace(-4, 4, 101)) + [0.0, -0.0, 1e-37, 10.0, -10.0, 27.3, np.inf, -np.inf, np.nan]
POSITIVE = list(np.linspace(0.6, 34.3, 120)) + [1e5, 1e30, np.inf, np.nan]
GAMMA = list(np.linspace(-6.4, -0.13, 57)) + POSITIVE + [-3.0, 0.0, -np.inf]


def numbers(values, element):
    kind = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}[element]
    return np.asarray(values).astype(kind)


def literal(array):
    """A constant of the array's own bits."""
    return f'dense<"0x{np.ascontiguousarray(array).tobytes().hex().upper()}">'


def judge(operation, inputs, want, element, check="check.expect_close", limits="max_ulp_difference = 3"):
    """True if the operation gives `want` (computed in double precision) within limits, as reported by the tools."""
    kind = f"tensor<{len(want)}x{element}>"
    with np.errstate(over="ignore"):
        want = numbers(want, element)
    names = ", ".join(f"%i{k}" for k in range(len(inputs)))
    constants = "\n".join(f"  %i{k} = stablehlo.constant {literal(x)} : {kind}" for k, x in enumerate(inputs))
    types = ", ".join([kind] * len(inputs))
    text = f"""func.func @main() {{
{constants}
  %e = stablehlo.constant {literal(want)} : {kind}
  %r = "chlo.{operation}"({names}) : ({types}) -> {kind}
  {check} %r, %e, {limits} : {kind}{"" if "almost" in check else f", {kind}"}
  return
}}"""
    lowered = subprocess.run([BUILD / "bin/stablehlo-opt", "--chlo-legalize-to-stablehlo"], input=text, text=True,
                             capture_output=True, check=True).stdout
    assert "chlo." not in lowered
    done = subprocess.run([BUILD / "bin/stablehlo-translate", "--interpret"], input=lowered, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr


# name, inputs, reference, units in the last place for f32 and f64
FUNCTIONS = [
    ("acos", UNIT, np.arccos, 3, 3),
    ("acosh", [*np.linspace(1, 40, 150), 1e10, *EDGES], np.arccosh, 3, 3),
    ("asin", UNIT, np.arcsin, 3, 3),
    ("asinh", LINE, np.arcsinh, 3, 3),
    ("atan", LINE, np.arctan, 3, 3),
    ("atanh", UNIT, np.arctanh, 3, 3),
    ("bessel_i1e", LINE, special.i1e, 20, 40),
    ("cosh", LINE, np.cosh, 12, 12),
    ("erf", SMALL, special.erf, 8, 4),
    ("erf_inv", UNIT, special.erfinv, 12, 12),
    ("sinh", LINE, np.sinh, 12, 12),
    ("square", LINE, np.square, 1, 1),
    ("tan", list(np.linspace(-3, 3, 100)) + EDGES[:7], np.tan, 3, 3),
]


@pytest.mark.parametrize("name,values,reference,narrow,wide", FUNCTIONS, ids=[f[0] for f in FUNCTIONS])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_function(name, values, reference, narrow, wide, element):
    x = numbers(values, element)
    with np.errstate(all="ignore"):
        want = reference(x.astype(np.float64))
    if element == "f64":
        wild = np.abs(x) > 1e37  # the formulas have the limits of the type
        x, want = x[~wild | ~np.isfinite(x)], want[~wild | ~np.isfinite(x)]
    if element == "f32" and name == "cosh":  # e^(x + log 1/2) rounds its argument
        narrow = 32
    judge(name, [x], want, element, limits=f"max_ulp_difference = {narrow if element == 'f32' else wide}")


# where results pass through zero or the formula is no more accurate: absolute limits
ABSOLUTE = [
    ("erfc", SMALL, special.erfc, 1e-6, 1e-14),
    ("lgamma", GAMMA[:-14], special.gammaln, 1e-4, 1e-11),
    ("digamma", GAMMA, special.digamma, 3e-3, 1e-10),
]


@pytest.mark.parametrize("name,values,reference,narrow,wide", ABSOLUTE, ids=[f[0] for f in ABSOLUTE])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_near_zeros(name, values, reference, narrow, wide, element):
    x = numbers(values, element)
    want = reference(x.astype(np.float64))
    if name == "digamma":  # scipy has -inf at zero and at infinity's left; there is no limit there
        want[(x <= 0) & (x == np.floor(x))] = np.nan
    judge(name, [x], want, element, "check.expect_almost_eq", f"tolerance = {narrow if element == 'f32' else wide:.1e}")


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("name,reference", [("erf", special.erf), ("sinh", np.sinh), ("square", np.square)])
def test_narrow(name, reference, element):
    """Approximations of narrow floats are computed in f32, so they are correctly rounded."""
    x = numbers(np.linspace(0.55, 5, 80), element)
    judge(name, [x], reference(x.astype(np.float64)), element, limits="max_ulp_difference = 1")


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_zeta_and_polygamma(element):
    x, q = (v.ravel() for v in np.meshgrid([1.5, 2.0, 3.25, 7.0], [0.3, 1.0, 2.5, 10.0]))
    x, q = numbers(x, element), numbers(q, element)
    ulps = "max_ulp_difference = 64"
    judge("zeta", [x, q], special.zeta(x.astype(np.float64), q.astype(np.float64)), element, limits=ulps)
    n, y = (v.ravel() for v in np.meshgrid([0.0, 1.0, 2.0, 5.0], [0.3, 1.0, 2.5, 10.0]))
    n, y = numbers(n, element), numbers(y, element)
    want = [special.polygamma(int(a), float(b)) for a, b in zip(n, y, strict=True)]
    relative = "max_ulp_difference = 512"
    judge("polygamma", [n, y], want, element, limits=relative)
    judge("polygamma", [numbers([0.5, -1.0], element), numbers([1, 1], element)], [np.nan] * 2, element)


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_next_after(element):
    values = numbers([0.0, -0.0, 1.0, -1.0, 1.5, np.inf, -np.inf, np.nan, 6e-8], element)
    x, y = (v.ravel() for v in np.meshgrid(values, values))
    want = np.nextafter(x, y)
    judge("next_after", [x, y], want.astype(np.float64), element, limits="max_ulp_difference = 0")
