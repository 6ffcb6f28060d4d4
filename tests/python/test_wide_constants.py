"""Integer constants at and beyond the ends of 32 bits, and beyond the 24 bits of single precision, against XLA: the
device uses the nearest integer of 32 bits only where that gives the same results, else the host computes the
operation."""

import numpy as np
import pytest
from native import Error, Program

pytest.importorskip("jax")
import xla

CONSTANTS = {"i32": [2**31 - 1, -2**31, -2**24 - 1], "ui32": [2**31 - 1, 2**32 - 1, 2**32 - 2],
             "i64": [2**31 - 1, 2**24 + 1, 2**31, 2**32, 2**63 - 1, -2**63, -2**31 - 1], "ui64": [2**32 - 1, 2**32, 2**63, 2**64 - 1]}
NUMPY = {"i32": np.int32, "ui32": np.uint32, "i64": np.int64, "ui64": np.uint64}


def folded(operation, combiner, attributes, element, result):
    return f"""%r = "stablehlo.{operation}"(%x, %c) <{{{attributes}}}> ({{
  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
    %d = stablehlo.{combiner} %a, %b : tensor<{element}>
    stablehlo.return %d : tensor<{element}>
  }}) : (tensor<6x{element}>, tensor<{element}>) -> {result}"""


def clamped(low, high, element):
    return (f"%k = stablehlo.constant dense<4> : tensor<{element}>\n"
            f"%r = stablehlo.clamp {low}, %x, {high} : (tensor<{element}>, tensor<6x{element}>, tensor<{element}>) -> tensor<6x{element}>")


def operations(e):
    """name: (lines, the result's shape, whether the constant is a scalar)"""
    window, padded = "window_dimensions = array<i64: 3>", "padding = dense<[[2, 1]]> : tensor<1x2xi64>"
    everything_padded = "window_dimensions = array<i64: 2>, padding = dense<[[2, 0]]> : tensor<1x2xi64>"
    found = {"pad": (f"%r = stablehlo.pad %x, %c, low = [1], high = [0], interior = [1] : (tensor<6x{e}>, tensor<{e}>) -> tensor<12x{e}>", 12, True),
             "clamp_low": (clamped("%c", "%k", e), 6, True), "clamp_high": (clamped("%k", "%c", e), 6, True),
             "select": (f"%p = stablehlo.compare LT, %x, %c : (tensor<6x{e}>, tensor<6x{e}>) -> tensor<6xi1>\n"
                        f"%r = stablehlo.select %p, %x, %c : (tensor<6xi1>, tensor<6x{e}>, tensor<6x{e}>) -> tensor<6x{e}>", 6, False)}
    for c in ("minimum", "maximum"):
        found[c] = f"%r = stablehlo.{c} %x, %c : tensor<6x{e}>", 6, False
        found[f"reduce_{c}"] = folded("reduce", c, "dimensions = array<i64: 0>", e, f"tensor<{e}>"), None, True
        found[f"window_{c}"] = folded("reduce_window", c, window, e, f"tensor<4x{e}>"), 4, True
        found[f"padded_window_{c}"] = folded("reduce_window", c, f"{window}, {padded}", e, f"tensor<7x{e}>"), 7, True
        found[f"window_of_padding_{c}"] = folded("reduce_window", c, everything_padded, e, f"tensor<7x{e}>"), 7, True
    return found


@pytest.mark.parametrize("element, constant", [(e, c) for e, values in CONSTANTS.items() for c in values])
def test_constants(element, constant):
    info = np.iinfo(NUMPY[element])
    x = np.array([3, 1, 2**24 + 1, max(info.min, -2**31), 5, min(info.max, 2**31 - 1)], NUMPY[element])
    for name, (lines, size, scalar) in operations(element).items():
        shape = "" if size is None else f"{size}x"
        text = f"""func.func @main(%x: tensor<6x{element}>) -> tensor<{shape}{element}> {{
  %c = stablehlo.constant dense<{constant}> : tensor<{'' if scalar else '6x'}{element}>
  {lines}
  return %r : tensor<{shape}{element}>
}}"""
        want, = xla.run(text, x)
        np.testing.assert_array_equal(Program(text, host=True)(x)[0], want, f"{name} with {constant}")
        try:
            got, = Program(text)(x)
        except Error as error:  # the device alone does not support the constant, and reports it
            assert "does not fit the device's 32 bits" in str(error), name
        else:
            np.testing.assert_array_equal(got, want, f"{name} with {constant}, on the device alone")


@pytest.mark.parametrize("element", ["i32", "ui32"])
def test_clamp_keeps_integers_that_single_precision_lacks(element):
    x = np.array([0, 2**24 + 1, 2**24 + 3, 2**30 + 1, 2**31 - 1], NUMPY[element])
    out, = Program(f"""func.func @main(%x: tensor<5x{element}>) -> tensor<5x{element}> {{
  %0 = "ttir.clamp_scalar"(%x) <{{min = 5 : i32, max = 1073741825 : i32}}> : (tensor<5x{element}>) -> tensor<5x{element}>
  return %0 : tensor<5x{element}>
}}""")(x)
    np.testing.assert_array_equal(out, np.clip(x, 5, 2**30 + 1))
