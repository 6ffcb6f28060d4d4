"""Bodies and groups of operations that the compiler recognises, and others that differ from them in one point
(operands exchanged, another comparison, constant, initial value or dimension): each gives XLA's results, whether the
device runs it as one operation or the host interprets it."""

import itertools

import numpy as np
import pytest
import xla
from native import Error, Program

RNG = np.random.default_rng(11)


def check(text, *arrays, on_device=None):
    """on_device: whether the program must run without the host's help; None: either."""
    want, got = xla.run(text, *arrays), Program(text, host=True)(*arrays)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=2e-6, atol=2e-6)
    if on_device is True:
        for g, w in zip(Program(text)(*arrays), want, strict=True):
            np.testing.assert_allclose(g, w, rtol=2e-6, atol=2e-6)
    elif on_device is False:
        with pytest.raises(Error):
            Program(text)


def compare(name, direction, a, b, element="f32", kind=""):
    return f"%{name} = stablehlo.compare {direction}, %{a}, %{b}{kind} : (tensor<{element}>, tensor<{element}>) -> tensor<i1>\n"


# ---- reductions that keep an index ----------------------------------------------------------------------------------------------

COUNT = "%i = stablehlo.iota dim = 1 : tensor<3x4xi32>"
ROWS = np.array([[1, 3, 3, 2], [-4, -2, -7, -2], [-np.inf, -np.inf, -np.inf, -np.inf]], np.float32)
LOW, HIGH = "0xFF800000", "0x7F800000"


def index_reduction(body, value=LOW, index="0", count=COUNT):
    return f"""func.func @main(%x: tensor<3x4xf32>) -> tensor<3xi32> {{
  {count}
  %v = stablehlo.constant dense<{value}> : tensor<f32>
  %z = stablehlo.constant dense<{index}> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %v), (%i init: %z) across dimensions = [1]
    : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {{
      {body}
    }}
  return %r#1 : tensor<3xi32>
}}"""


def of_jax(direction="GT", tie="LT", values="ac", indices="bd", nan="NE"):
    """As jax writes argmax and argmin: NaN first, then the first of equal values."""
    return (compare("0", direction, *values) + compare("1", nan, values[0], values[0]) + "%2 = stablehlo.or %0, %1 : tensor<i1>\n"
            + compare("3", "EQ", "a", "c") + compare("4", tie, "b", "d", "i32")
            + f"""%5 = stablehlo.and %3, %4 : tensor<i1>
      %6 = stablehlo.or %2, %5 : tensor<i1>
      %7 = stablehlo.select %2, %{values[0]}, %{values[1]} : tensor<i1>, tensor<f32>
      %8 = stablehlo.select %6, %{indices[0]}, %{indices[1]} : tensor<i1>, tensor<i32>
      stablehlo.return %7, %8 : tensor<f32>, tensor<i32>""")


def of_xla(direction="GE", tie="minimum", values="ac", indices="bd"):
    """As XLA's own builder writes them."""
    return (compare("0", direction, *values) + compare("2", "EQ", "a", "c")
            + f"""%1 = stablehlo.select %0, %{values[0]}, %{values[1]} : tensor<i1>, tensor<f32>
      %3 = stablehlo.{tie} %b, %d : tensor<i32>
      %4 = stablehlo.select %0, %{indices[0]}, %{indices[1]} : tensor<i1>, tensor<i32>
      %5 = stablehlo.select %2, %3, %4 : tensor<i1>, tensor<i32>
      stablehlo.return %1, %5 : tensor<f32>, tensor<i32>""")


BROADCAST = "%q = stablehlo.iota dim = 0 : tensor<{n}xi32>\n%i = stablehlo.broadcast_in_dim %q, dims = [{d}] : (tensor<{n}xi32>) -> tensor<3x4xi32>"
INDEX_REDUCTIONS = {
    "argmax": (index_reduction(of_jax()), True),
    "argmin": (index_reduction(of_jax("LT"), HIGH), True),
    "argmin, operands exchanged": (index_reduction(of_jax("GT", values="ca", indices="bd"), HIGH), None),
    "argmax without NaN": (index_reduction(of_xla()), True),
    "argmin without NaN": (index_reduction(of_xla("LE"), HIGH), True),
    "argmin without NaN, written the other way": (index_reduction(of_xla("LT", tie="minimum"), HIGH), True),
    "index of a broadcast count": (index_reduction(of_jax(), count=BROADCAST.format(n=4, d=1)), True),
    "last maximum": (index_reduction(of_jax(tie="GT")), False),
    "last maximum without NaN": (index_reduction(of_xla(tie="maximum")), False),
    "last minimum": (index_reduction(of_xla("LE", tie="maximum"), HIGH), None),
    "minimum from the lowest value": (index_reduction(of_jax("LT")), False),
    "index of the other value": (index_reduction(of_jax(indices="db")), False),
    "index of the other value without NaN": (index_reduction(of_xla(indices="db")), False),
    "value of the other index": (index_reduction(of_xla("LE", indices="db")), False),
    "maximum from 0": (index_reduction(of_jax(), value="0.0"), False),
    "maximum from a finite value": (index_reduction(of_jax(), value="-3.0"), False),
    "maximum from the index 3": (index_reduction(of_jax(), index="3"), None),
    "maximum from the index -1": (index_reduction(of_jax(), index="-1"), False),
    "index along the other dimension": (index_reduction(of_jax(), count=BROADCAST.format(n=3, d=0)), False),
    "index of all elements": (index_reduction(
        of_jax(), count="%q = stablehlo.iota dim = 0 : tensor<12xi32>\n%i = stablehlo.reshape %q : (tensor<12xi32>) -> tensor<3x4xi32>"), False),
    "index that counts down": (index_reduction(
        of_jax(), count="%q = stablehlo.iota dim = 1 : tensor<3x4xi32>\n%i = stablehlo.reverse %q, dims = [1] : tensor<3x4xi32>"), False),
}


@pytest.mark.parametrize("text, on_device", INDEX_REDUCTIONS.values(), ids=INDEX_REDUCTIONS)
def test_reductions_that_keep_an_index(text, on_device):
    check(text, ROWS, on_device=on_device)


def test_argmax_takes_the_first_nan():
    check(index_reduction(of_jax()), np.array([[1, np.nan, 3, np.nan], [np.nan, 2, 1, 0], [0, 1, 2, 1]], np.float32), on_device=True)


# ---- bodies of one operation ----------------------------------------------------------------------------------------------------

ONE_OPERATION = {
    "reduce": """func.func @main(%x: tensor<4x6xf32>) -> tensor<4xf32> {{
  %v = stablehlo.constant dense<{init}> : tensor<f32>
  %r = "stablehlo.reduce"(%x, %v) <{{dimensions = array<i64: 1>}}> ({{
{body}
  }}) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}}""",
    "reduce_window": """func.func @main(%x: tensor<4x6xf32>) -> tensor<3x4xf32> {{
  %v = stablehlo.constant dense<{init}> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %v) <{{window_dimensions = array<i64: 2, 3>}}> ({{
{body}
  }}) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}}""",
    "scatter": """func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {{
  %v = stablehlo.constant dense<{init}> : tensor<2x6xf32>
  %i = stablehlo.constant dense<[[2], [0]]> : tensor<2x1xi32>
  %r = "stablehlo.scatter"(%x, %i, %v) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
{body}
  }}) : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}}""",
}
OPERANDS = ["%a, %c", "%c, %a", "%a, %a", "%c, %c", "%a, %k"]


@pytest.mark.parametrize("form, operation", list(itertools.product(ONE_OPERATION, ["add", "maximum", "minimum", "multiply"])))
def test_bodies_of_one_operation(form, operation):
    x = RNG.integers(-4, 5, (4, 6)).astype(np.float32)
    for operands, returned, init in itertools.product(OPERANDS, ["%s", "%a", "%c"], ["0.0", "1.0", "5.0"]):
        if returned != "%s" and operands != "%a, %c":
            continue
        check(ONE_OPERATION[form].format(init=init, body=f"""  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    %k = stablehlo.constant dense<2.0> : tensor<f32>
    %s = stablehlo.{operation} {operands} : tensor<f32>
    stablehlo.return {returned} : tensor<f32>"""), x)


@pytest.mark.parametrize("init", ["0xFF800000", "-3.40282347E+38", "-3.1E+38"])
def test_maximum_of_windows_starts_from_the_initial_value(init):
    check(f"""func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {{
  %v = stablehlo.constant dense<{init}> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %v) <{{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}}> ({{
  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    %s = stablehlo.maximum %a, %c : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) : (tensor<1x4x4x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  return %r : tensor<1x2x2x2xf32>
}}""", np.where(np.arange(32).reshape(1, 4, 4, 2) < 20, -np.inf, 1).astype(np.float32), on_device=True)


# ---- sorting --------------------------------------------------------------------------------------------------------------------

TOTAL = ", TOTALORDER"


def sort(body):
    return f"""func.func @main(%x: tensor<3x7xf32>, %y: tensor<3x7xi32>) -> (tensor<3x7xf32>, tensor<3x7xi32>) {{
  %0:2 = "stablehlo.sort"(%x, %y) <{{dimension = 1 : i64, is_stable = true}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    {body}
    stablehlo.return %p : tensor<i1>
  }}) : (tensor<3x7xf32>, tensor<3x7xi32>) -> (tensor<3x7xf32>, tensor<3x7xi32>)
  return %0#0, %0#1 : tensor<3x7xf32>, tensor<3x7xi32>
}}"""


def tidy(zero_test="EQ", zero="zero", tested="zero", nan="nan", other=None):
    """Both keys with one zero and one NaN, as jax writes it: %as, %bs with one zero, %at, %bt with one NaN, too."""
    return "".join(compare(v + "0", zero_test, v, tested) + f"%{v}s = stablehlo.select %{v}0, %{zero}, %{v} : tensor<i1>, tensor<f32>\n"
                   + compare(v + "1", "NE", v, other or v) + f"%{v}t = stablehlo.select %{v}1, %{nan}, %{v}s : tensor<i1>, tensor<f32>\n"
                   for v in "ab")


COMPARATORS = {
    "as it is": lambda d, a, b: compare("p", d, a, b),
    "the second operand": lambda d, a, b: compare("p", d, {"a": "c", "b": "d"}[a], {"a": "c", "b": "d"}[b], "i32"),
    "total order": lambda d, a, b: compare("p", d, a, b, kind=TOTAL),
    "tidied": lambda d, a, b: tidy() + compare("p", d, a + "t", b + "t", kind=TOTAL),
    "zeros tidied only": lambda d, a, b: tidy() + compare("p", d, a + "s", b + "s", kind=TOTAL),
    "zeros become one": lambda d, a, b: tidy(zero="one") + compare("p", d, a + "t", b + "t", kind=TOTAL),
    "ones become zero": lambda d, a, b: tidy(tested="one") + compare("p", d, a + "t", b + "t", kind=TOTAL),
    "negative values become zero": lambda d, a, b: tidy("LT") + compare("p", d, a + "t", b + "t", kind=TOTAL),
    "NaN becomes one": lambda d, a, b: tidy(nan="one") + compare("p", d, a + "t", b + "t", kind=TOTAL),
    "NaN for all but one": lambda d, a, b: tidy(other="one") + compare("p", d, a + "t", b + "t", kind=TOTAL),
}


@pytest.mark.parametrize("name, direction, keys", list(itertools.product(COMPARATORS, ["LT", "GT"], ["ab", "ba"])))
def test_comparators(name, direction, keys):
    x = RNG.integers(-3, 4, (3, 7)).astype(np.float32)
    if name not in ("as it is", "the second operand"):
        x[0, :3], x[1, 3], x[2, 2], x[2, 5] = [-0.0, 0.0, -0.0], np.nan, -np.nan, np.nan
    check(sort(COMPARATORS[name](direction, *keys)), x, RNG.integers(-2, 3, (3, 7)).astype(np.int32))


@pytest.mark.parametrize("direction", ["EQ", "NE", "LT", "LE", "GT", "GE"])
@pytest.mark.parametrize("host", [True, False])
def test_total_order_of_elements(direction, host):
    values = np.array([0.0, -0.0, np.nan, -np.nan, 1, -np.inf, np.inf], np.float32)
    text = f"""func.func @main(%x: tensor<49xf32>, %y: tensor<49xf32>) -> tensor<49xi1> {{
  %0 = stablehlo.compare {direction}, %x, %y, TOTALORDER : (tensor<49xf32>, tensor<49xf32>) -> tensor<49xi1>
  return %0 : tensor<49xi1>
}}"""
    arrays = np.repeat(values, 7), np.tile(values, 7)
    np.testing.assert_array_equal(Program(text, host=host)(*arrays)[0], xla.run(text, *arrays)[0])


# ---- norms, softmax and activations in decomposed form
# --------------------------------------------------------------------------

SQUARE = "tensor<4x4xf32>"
X, W = RNG.standard_normal((4, 4)).astype(np.float32), RNG.standard_normal(4).astype(np.float32) + 2


def program(*lines, result="%r"):
    body = "\n  ".join(lines)
    return f"func.func @main(%x: {SQUARE}, %w: tensor<4xf32>) -> {SQUARE} {{\n  {body}\n  return {result} : {SQUARE}\n}}"


def constant(name, value):
    return f"%{name} = stablehlo.constant dense<{value}> : {SQUARE}"


def op(name, kind, *operands):
    return f"%{name} = stablehlo.{kind} {', '.join('%' + o for o in operands)} : {SQUARE}"


def reduce(name, kind, operand, init, dim):
    return (f"%{name}0 = stablehlo.constant dense<{init}> : tensor<f32>\n  %{name} = stablehlo.reduce(%{operand} init: %{name}0) "
            f"applies stablehlo.{kind} across dimensions = [{dim}] : ({SQUARE}, tensor<f32>) -> tensor<4xf32>")


def broadcast(name, operand, dim):
    return f"%{name} = stablehlo.broadcast_in_dim %{operand}, dims = [{dim}] : (tensor<4xf32>) -> {SQUARE}"


def softmax(sum_dim=1, sum_spread=0, max_dim=1, max_spread=0, init="0.0", difference="xm", ratio="es", extreme="maximum"):
    return program(reduce("m0", extreme, "x", LOW if extreme == "maximum" else HIGH, max_dim), broadcast("m", "m0", max_spread),
                   op("d", "subtract", *difference), op("e", "exponential", "d"), reduce("s0", "add", "e", init, sum_dim),
                   broadcast("s", "s0", sum_spread), op("r", "divide", *ratio))


@pytest.mark.parametrize("changes", [
    {}, {"sum_dim": 0}, {"sum_spread": 1}, {"max_dim": 0}, {"max_spread": 1}, {"sum_dim": 0, "sum_spread": 1}, {"init": "1.0"},
    {"difference": "mx"}, {"ratio": "se"}, {"extreme": "minimum"}, {"max_dim": 0, "max_spread": 1, "sum_dim": 0, "sum_spread": 1}],
    ids=str)
def test_softmax_on_a_square(changes):
    check(softmax(**changes), X, W, on_device=True)


def norm(layer=True, dim=1, at=0, weight_at=1, count="4.0", epsilon="1.0e-05", divides=False, squared="dd", scaled="d"):
    """Normalises along a dimension, `at` being the dimension of the statistics; then y * w + w."""
    centre = [reduce("m0", "add", "x", "0.0", dim), broadcast("m1", "m0", at), constant("n", count), op("m", "divide", "m1", "n"),
              op("d", "subtract", "x", "m")] if layer else [constant("n", count), op("d", "abs", "x")]
    return program(*centre, op("q", "multiply", *squared), reduce("v0", "add", "q", "0.0", dim), broadcast("v1", "v0", at),
                   op("v2", "divide", "v1", "n"), constant("eps", epsilon), op("v", "add", "v2", "eps"),
                   op("k", "sqrt" if divides else "rsqrt", "v"), op("y", "divide" if divides else "multiply", scaled, "k"),
                   broadcast("wide", "w", weight_at), op("z", "multiply", "y", "wide"), op("r", "add", "z", "wide"))


@pytest.mark.parametrize("layer, divides", list(itertools.product([True, False], repeat=2)))
@pytest.mark.parametrize("changes", [
    {}, {"weight_at": 0}, {"at": 1}, {"dim": 0}, {"dim": 0, "at": 1}, {"at": 1, "weight_at": 0}, {"count": "3.0"}, {"epsilon": "0.5"},
    {"squared": "dx"}, {"scaled": "x"}], ids=str)
def test_norms_on_a_square(layer, divides, changes):
    check(norm(layer, divides=divides, **changes), X, W, on_device=True)


@pytest.mark.parametrize("shape, weight, mean", list(itertools.product(["4x1", "1x4"], ["4x1", "1x4"], ["0.25", "0.3"])))
def test_root_mean_square_norm_on_a_square(shape, weight, mean):
    """The statistics and the weight are along rows or along columns."""
    kept, wide = f"tensor<{shape}xf32>", f"tensor<{weight}xf32>"
    check(program(op("q", "multiply", "x", "x"), reduce("v0", "add", "q", "0.0", 1),
                  f"%v1 = stablehlo.reshape %v0 : (tensor<4xf32>) -> {kept}", f"%n = stablehlo.constant dense<{mean}> : {kept}",
                  f"%v2 = stablehlo.multiply %v1, %n : {kept}", f"%e = stablehlo.constant dense<1.0e-5> : {kept}",
                  f"%v3 = stablehlo.add %v2, %e : {kept}", f"%k = stablehlo.rsqrt %v3 : {kept}",
                  f"%kb = stablehlo.broadcast_in_dim %k, dims = [0, 1] : ({kept}) -> {SQUARE}", op("y", "multiply", "x", "kb"),
                  f"%w1 = stablehlo.reshape %w : (tensor<4xf32>) -> {wide}",
                  f"%wb = stablehlo.broadcast_in_dim %w1, dims = [0, 1] : ({wide}) -> {SQUARE}", op("r", "multiply", "wb", "y")),
          X, W, on_device=True)


def gelu(half="0.5", scale="0.707106769", one="1.0", added="add", function="erf", last="multiply"):
    inner = f"%f = chlo.erf %u : {SQUARE} -> {SQUARE}" if function == "erf" else op("f", function, "u")
    return program(constant("h", half), constant("i", scale), constant("o", one), op("u", "multiply", "x", "i"), inner,
                   op("g", added, "f", "o"), op("t", "multiply", "x", "h"), op("r", last, "t", "g"))


@pytest.mark.parametrize("changes", [
    {}, {"half": "0.51"}, {"half": "-0.5"}, {"scale": "0.70711"}, {"scale": "1.41421354"}, {"one": "1.00001"}, {"one": "-1.0"},
    {"added": "subtract"}, {"function": "tanh"}, {"last": "add"}, {"last": "divide"}], ids=str)
def test_gelu(changes):
    check(gelu(**changes), X, W, on_device=True)


def mish(threshold="20.0", direction="GT", order="xt", chosen="xl"):
    return program(constant("t", threshold),
                   f"%p = stablehlo.compare {direction}, %{order[0]}, %{order[1]} : ({SQUARE}, {SQUARE}) -> tensor<4x4xi1>",
                   op("e", "exponential", "x"), op("l", "log_plus_one", "e"),
                   f"%s = stablehlo.select %p, %{chosen[0]}, %{chosen[1]} : tensor<4x4xi1>, {SQUARE}", op("h", "tanh", "s"),
                   op("r", "multiply", "x", "h"))


@pytest.mark.parametrize("changes", [
    {}, {"threshold": "10.0"}, {"threshold": "0.0"}, {"threshold": "-1.0"}, {"threshold": HIGH}, {"threshold": LOW},
    {"threshold": "0x7FC00000"}, {"direction": "LT"}, {"order": "tx"}, {"chosen": "lx"}], ids=str)
def test_mish(changes):
    check(mish(**changes), X * 5, W, on_device=True)


@pytest.mark.parametrize("low, high, added, divisor", list(itertools.product(["0.0", "1.0"], ["6.0", "5.0"], ["3.0", "2.0"], ["6.0", "5.0"])))
def test_hard_sigmoid(low, high, added, divisor):
    check(program(constant("t", added), constant("n", divisor), constant("l", low), constant("h", high), op("q", "add", "x", "t"),
                  op("a", "maximum", "q", "l"), op("m", "minimum", "a", "h"), op("r", "divide", "m", "n")), X * 5, W, on_device=True)
