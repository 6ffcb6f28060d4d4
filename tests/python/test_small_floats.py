"""Floats of 8, 6 and 4 bits, which the device lacks: the host rounds to them as ml_dtypes does, and without the host
the error names the type."""

import numpy as np
import pytest
from native import Error, Program

ml_dtypes = pytest.importorskip("ml_dtypes")

EIGHT = {"f8E3M4": ml_dtypes.float8_e3m4, "f8E4M3": ml_dtypes.float8_e4m3, "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
         "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E5M2": ml_dtypes.float8_e5m2,
         "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu}
SMALL = {**EIGHT, "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn, "f4E2M1FN": ml_dtypes.float4_e2m1fn}


def through(element, n):
    return f"""func.func @main(%x: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %0 = stablehlo.convert %x : (tensor<{n}xf32>) -> tensor<{n}x{element}>
  %1 = stablehlo.convert %0 : (tensor<{n}x{element}>) -> tensor<{n}xf32>
  return %1 : tensor<{n}xf32>
}}"""


def values_of(dtype):
    return np.arange(256, dtype=np.uint8)[:1 << ml_dtypes.finfo(dtype).bits].view(dtype).astype(np.float32)


def edges_of(dtype):
    """Every value, the midpoints of neighbours and the values next to them, the ends of f32's range."""
    values = values_of(dtype)
    finite = np.unique(values[np.isfinite(values)])
    last = np.float32(ml_dtypes.finfo(dtype).max)
    middles = np.concatenate([(finite[:-1].astype(np.float64) + finite[1:]) / 2, [-1.03125 * float(last), 1.03125 * float(last)]])
    with np.errstate(over="ignore"):
        middles = middles.astype(np.float32)
    extremes = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 2.0**-149, -2.0**-149, 2.0**-126, 3.4e38, -3.4e38], np.float32)
    with np.errstate(over="ignore"):
        return np.concatenate([values, middles, np.nextafter(middles, np.float32(np.inf)), np.nextafter(middles, np.float32(-np.inf)),
                               [last * 2, -last * 2], extremes]).astype(np.float32)


@pytest.mark.parametrize("element", SMALL)
def test_rounding(element):
    x = edges_of(SMALL[element])
    if element == "f8E8M0FNU":  # ml_dtypes rounds values just below 1.5 * 2^-127 up, to a value further away
        x = x[(np.abs(x) >= 2.0**-126) | (x == 0) | np.isnan(x)]
    with np.errstate(invalid="ignore"):
        want = x.astype(SMALL[element]).astype(np.float32)
    got, = Program(through(element, x.size), host=True)(x)
    np.testing.assert_array_equal(got, want)
    real = ~np.isnan(want) & ~np.isnan(x)  # formats without NaN have a zero for it, of either sign
    np.testing.assert_array_equal(np.signbit(got[real]), np.signbit(want[real]))


@pytest.mark.parametrize("element", EIGHT)
def test_every_encoding(element):
    bits = np.arange(256, dtype=np.uint8)
    text = f"""func.func @main(%x: tensor<256xui8>) -> (tensor<256xf32>, tensor<256xui8>) {{
  %0 = stablehlo.bitcast_convert %x : (tensor<256xui8>) -> tensor<256x{element}>
  %1 = stablehlo.convert %0 : (tensor<256x{element}>) -> tensor<256xf32>
  %2 = stablehlo.convert %1 : (tensor<256xf32>) -> tensor<256x{element}>
  %3 = stablehlo.bitcast_convert %2 : (tensor<256x{element}>) -> tensor<256xui8>
  return %1, %3 : tensor<256xf32>, tensor<256xui8>
}}"""
    reals, back = Program(text, host=True)(bits)
    want = values_of(EIGHT[element])
    np.testing.assert_array_equal(reals, want)
    np.testing.assert_array_equal(back[~np.isnan(want)], bits[~np.isnan(want)])


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "maximum": np.maximum, "minimum": np.minimum}


@pytest.mark.parametrize("element", SMALL)
def test_arithmetic_of_every_pair(element):
    """Rounded once from the exact result, as ml_dtypes rounds f32's (whose bits suffice for that)."""
    dtype = SMALL[element]
    a, b = (grid.ravel().copy() for grid in np.meshgrid(values_of(dtype), values_of(dtype)))
    t, f32 = f"tensor<{a.size}x{element}>", f"tensor<{a.size}xf32>"
    lines = [f"%{n} = stablehlo.convert %{n}_f32 : ({f32}) -> {t}" for n in "ab"]
    for name in BINARY:
        lines += [f"%{name} = stablehlo.{name} %a, %b : {t}", f"%{name}_f32 = stablehlo.convert %{name} : ({t}) -> {f32}"]
    text = f"""func.func @main(%a_f32: {f32}, %b_f32: {f32}) -> ({", ".join([f32] * len(BINARY))}) {{
  {chr(10).join(lines)}
  return {", ".join(f"%{name}_f32" for name in BINARY)} : {", ".join([f32] * len(BINARY))}
}}"""
    for got, compute in zip(Program(text, host=True)(a, b), BINARY.values()):
        with np.errstate(all="ignore"):
            exact = compute(a, b)
            want = exact.astype(dtype).astype(np.float32)
        # f8E8M0FNU has no zero: the exact result rounds to its least value, f32's, which is 0, to NaN
        fits = (exact != 0) | (element != "f8E8M0FNU")
        np.testing.assert_array_equal(got[fits], want[fits])


SOURCES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f64": np.float64, "i32": np.int32, "i8": np.int8, "ui8": np.uint8}


@pytest.mark.parametrize("element", SMALL)
def test_casts_from_other_types(element):
    dtype = SMALL[element]
    for source, kind in SOURCES.items():
        integers = np.issubdtype(kind, np.integer)
        with np.errstate(all="ignore"):
            x = np.arange(-100, 100).astype(kind) if integers else edges_of(dtype).astype(kind)
        if element == "f8E8M0FNU":  # see test_rounding; ml_dtypes casts negative integers by their magnitude
            x = x[x > 0] if integers else x[(np.abs(x.astype(np.float64)) >= 2.0**-126) | (x == 0) | np.isnan(x.astype(np.float64))]
        text = f"""func.func @main(%x: tensor<{x.size}x{source}>) -> tensor<{x.size}xf32> {{
  %0 = stablehlo.convert %x : (tensor<{x.size}x{source}>) -> tensor<{x.size}x{element}>
  %1 = stablehlo.convert %0 : (tensor<{x.size}x{element}>) -> tensor<{x.size}xf32>
  return %1 : tensor<{x.size}xf32>
}}"""
        with np.errstate(all="ignore"):
            want = x.astype(dtype).astype(np.float32)
        got, = Program(text, host=True)(x.view(np.uint16) if source == "bf16" else x)
        np.testing.assert_array_equal(got, want, err_msg=source)


def test_beside_what_the_device_computes():
    rng = np.random.default_rng(5)
    x, w = (rng.standard_normal((96, 96)).astype(np.float32) for _ in range(2))
    t = "tensor<96x96x{}>".format
    text = f"""func.func @main(%x: {t('f32')}, %w: {t('f32')}) -> {t('f32')} {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({t('f32')}, {t('f32')}) -> {t('f32')}
  %1 = stablehlo.convert %0 : ({t('f32')}) -> {t('f8E4M3FN')}
  %2 = stablehlo.convert %1 : ({t('f8E4M3FN')}) -> {t('f32')}
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : ({t('f32')}, {t('f32')}) -> {t('f32')}
  return %3 : {t('f32')}
}}"""
    want = (x @ w).astype(ml_dtypes.float8_e4m3fn).astype(np.float32) @ w
    np.testing.assert_allclose(Program(text, host=True)(x, w)[0], want, atol=2e-3)


@pytest.mark.parametrize("element", SMALL)
def test_the_device_alone_names_the_type(element):
    with pytest.raises(Error, match=f"the device has no '{element}'"):
        Program(through(element, 4))


@pytest.mark.parametrize("source, x", [("f32", np.array([0, 0.3, -0.0, -2.5, np.nan, 1e-30], np.float32)), ("i32", np.array([0, 2, -3, 256, 7, 1], np.int32))])
@pytest.mark.parametrize("host", [True, False])
def test_a_boolean_is_what_is_not_zero(source, x, host):
    out, = Program(f"""func.func @main(%x: tensor<6x{source}>) -> tensor<6xf32> {{
  %0 = stablehlo.convert %x : (tensor<6x{source}>) -> tensor<6xi1>
  %1 = stablehlo.convert %0 : (tensor<6xi1>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}}""", host=host)(x)
    np.testing.assert_array_equal(out, (x != 0).astype(np.float32))
