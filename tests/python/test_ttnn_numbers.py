"""Values at the edges of TTNN's element-wise operations, against torch."""

import numpy as np
import pytest

from one_op import brain, real, run, unbrain, whole

torch = pytest.importorskip("torch")

EDGES = np.array([0.0, -0.0, 1, -1, 0.5, -2.5, 3, -3, 7.25, 1e9, -33554431, 1e-40, -1e-40, np.inf, -np.inf, np.nan],
                 np.float32)


def pairs(values):
    return np.repeat(values, len(values)), np.tile(values, len(values))


def test_remainder_has_the_divisors_sign():
    a, b = pairs(EDGES)
    out, = run("remainder", [a, b], [(a.shape, "f32")])
    with np.errstate(all="ignore"):  # numpy's, since torch's is NaN for subnormal divisors
        np.testing.assert_array_equal(out, np.remainder(a, b))
    a, b = pairs(np.array([-9, -8, -1, 0, 1, 8, 9, 2**31 - 1, -2**31], np.int64).astype(np.int32))
    a, b = a[b != 0], b[b != 0]
    out, = run("remainder", [a, b], [(a.shape, "si32")])
    np.testing.assert_array_equal(out, np.remainder(a.astype(np.int64), b).astype(np.int32))


def test_remainder_of_bf16():
    a, b = brain(real(40, 40) * 10), brain(real(40, 40))
    out, = run("remainder", [a, b], [(a.shape, "bf16")])
    want = torch.remainder(*(torch.from_numpy(unbrain(x)) for x in (a, b))).bfloat16().float()
    np.testing.assert_array_equal(unbrain(out), want.numpy())


@pytest.mark.parametrize("element,dtype", [("si32", torch.int32), ("ui8", torch.uint8), ("ui16", torch.uint16),
                                           ("ui32", torch.uint32)])
@pytest.mark.parametrize("source", ["f32", "bf16"])
def test_casts_truncate_and_wrap(element, dtype, source):
    x = np.array([0.5, -0.5, -0.0, 1.999, -1.999, -1, 300, 255.9, 256, -256, 65535, 65536, 70000, -70000, 1e9], np.float32)
    if element == "si32":  # torch leaves the other values to the processor
        x = np.append(x, [2.0**31, -2.0**31, -2.0**31 * 3, 1e20, -1e20, np.inf, -np.inf, np.nan]).astype(np.float32)
    if source == "bf16":
        x = brain(x)
    real_x = unbrain(x) if source == "bf16" else x
    out, = run("typecast", [x], [(x.shape, element)], f"dtype = #ttcore.supportedDataTypes<{element.replace('ui', 'u')}>")
    want = torch.from_numpy(real_x).to(torch.int64).numpy().astype(out.dtype)
    if element == "si32":
        want = np.where(np.abs(real_x) < 2.0**31, want, -2**31)
    np.testing.assert_array_equal(out, want)


def test_casts_between_integers_wrap():
    x = np.array([0, 1, -1, 255, 256, 300, 65535, 65536, -70000, 2**31 - 1, -2**31], np.int64).astype(np.int32)
    for element, dtype in [("ui8", np.uint8), ("ui16", np.uint16), ("ui32", np.uint32)]:
        out, = run("typecast", [x], [(x.shape, element)], f"dtype = #ttcore.supportedDataTypes<{element.replace('ui', 'u')}>")
        np.testing.assert_array_equal(out, x.astype(dtype))


@pytest.mark.parametrize("kind", ["sum", "prod", "max", "min", "invalid"])
@pytest.mark.parametrize("dim", [0, 1])
def test_scatter_leaves_out_what_is_outside(kind, dim):
    x, source = real(5, 6), real(4, 5)
    index = whole(x.shape[dim], 4, 5)
    inside = index.copy()
    index[1, 2], index[0, 0], index[3, 4] = x.shape[dim], -1, 10**6
    attrs = f"dim = {dim} : si32, scatter_reduce_type = #ttcore.reduce_type<{kind}>"
    out, = run("scatter", [x, index, source], [(x.shape, "f32")], attrs)
    want = x.copy()
    combine = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "invalid": lambda a, b: b}[kind]
    for at in np.ndindex(index.shape):
        if index[at] == inside[at]:
            to = (inside[at], at[1]) if dim == 0 else (at[0], inside[at])
            want[to] = combine(want[to], source[at])
    np.testing.assert_array_equal(out, want)
