"""Indices outside the operand: scatter drops the window, gather and dynamic slices clamp it. Each program runs alone,
and with an operation that only the host computes, so that the host runs the whole of a program this small."""

import subprocess

import numpy as np
import pytest
from native import BUILD, NUMPY, Program

pytest.importorskip("jax")
import xla

INDICES = {"i8": "I8", "i16": "I16", "i32": "I32", "i64": "I64", "ui8": "U8", "ui16": "U16", "ui32": "U32", "ui64": "U64"}
ELEMENTS = {"f32": "F32", "i1": "BOOL", **INDICES}
COMBINERS = {"set": "", "add": "%s = stablehlo.add %p, %q", "multiply": "%s = stablehlo.multiply %p, %q",
             "maximum": "%s = stablehlo.maximum %q, %p", "minimum": "%s = stablehlo.minimum %p, %q",
             "twice": "%s = stablehlo.add %q, %q", "or": "%s = stablehlo.or %p, %q"}
PATHS = ["device", "host"]
ON_HOST = """  %hz = stablehlo.constant dense<-1> : tensor<i32>
  %hr = "stablehlo.reduce"(%h, %hz) <{dimensions = array<i64: 0>}> ({
  ^bb0(%ha: tensor<i32>, %hb: tensor<i32>):
    %hc = stablehlo.and %ha, %hb : tensor<i32>
    stablehlo.return %hc : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
"""


def tensor(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


class Case:
    """One operation `%r = ...` on named arguments."""

    def __init__(self, operation, arguments, result):
        self.operation, self.result = operation, result
        self.types = ", ".join(f"%{name}: {t}" for name, t, _ in arguments)
        self.arrays = [a for *_, a in arguments]

    def text(self, path="device"):
        if path == "device":
            return f"func.func @main({self.types}) -> {self.result} {{\n  {self.operation}\n  return %r : {self.result}\n}}\n"
        return (f"func.func @main({self.types}, %h: tensor<4xi32>) -> ({self.result}, tensor<i32>) {{\n{ON_HOST}"
                f"  {self.operation}\n  return %r, %hr : {self.result}, tensor<i32>\n}}\n")

    def run(self, path):
        unrelated = [np.arange(4, dtype=np.int32)] if path == "host" else []
        return Program(self.text(path), host=True)(*self.arrays, *unrelated)[0]

    def xla(self):
        return xla.run(self.text(), *self.arrays)[0]


def lists(**named):
    return "".join(f"{name} = {[int(v) for v in value]}, " for name, value in named.items() if len(value))


def scatter(x, i, u, elements, combiner, dimensions):
    element, index = elements
    scalar = f"tensor<{element}>"
    line = COMBINERS[combiner] and f"{COMBINERS[combiner]} : {scalar}\n    "
    types = tensor(x.shape, element), tensor(i.shape, index), tensor(u.shape, element)
    operation = f"""%r = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<{dimensions}>}}> ({{
  ^bb0(%p: {scalar}, %q: {scalar}):
    {line}stablehlo.return {'%s' if line else '%q'} : {scalar}
  }}) : ({', '.join(types)}) -> {types[0]}"""
    return Case(operation, list(zip("xiu", types, (x, i, u), strict=True)), types[0])


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("combiner", ["set", "add", "multiply", "maximum", "minimum"])
def test_an_element_that_leaves_one_dimension_is_dropped(combiner, index, path):
    x = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    bad = -1 if index[0] == "i" else int(np.iinfo(NUMPY[INDICES[index]]).max)
    i = np.array([[1, bad], [0, 4], [bad, 2], [2, 1], [3, 0]], NUMPY[INDICES[index]])
    u = np.array([50, 60, 70, 80, 90], np.float32)
    case = scatter(x, i, u, ("f32", index), combiner,
                   "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1")
    want = case.xla()
    assert (want != x).sum() <= 1
    np.testing.assert_array_equal(case.run(path), want)


@pytest.mark.parametrize("path", PATHS)
def test_a_window_that_is_partly_outside_is_dropped(path):
    x, u = np.zeros(5, np.float32), np.arange(1, 6, dtype=np.float32)
    case = scatter(x, np.array([2], np.int32), u, ("f32", "i32"), "maximum",
                   "update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0")
    np.testing.assert_array_equal(case.xla(), x)
    np.testing.assert_array_equal(case.run(path), x)


def test_the_interpreter_drops_element_by_element(tmp_path):
    (tmp_path / "p.mlir").write_text("""func.func @main() {
  %x = stablehlo.constant dense<0.0> : tensor<5xf32>
  %i = stablehlo.constant dense<[2]> : tensor<1xi32>
  %u = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<5xf32>, tensor<1xi32>, tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %r, dense<[0.0, 0.0, 1.0, 2.0, 3.0]> : tensor<5xf32>
  func.return
}
""")
    done = subprocess.run([BUILD / "bin" / "stablehlo-translate", "--interpret", tmp_path / "p.mlir"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_one_window_under_a_batch_dimension_is_moved_inside():
    x = np.array([2, -3, -9], np.int32)
    case = Case('%r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], '
                'index_vector_dim = 1>, slice_sizes = array<i64: 3>}> : (tensor<3xi32>, tensor<1xi32>) -> tensor<1x3xi32>',
                [("x", "tensor<3xi32>", x), ("i", "tensor<1xi32>", np.array([1], np.int32))], "tensor<1x3xi32>")
    np.testing.assert_array_equal(case.run("device"), x[None])


# ---- at random


def draw(rng, shape, element):
    if element == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    return rng.integers(0 if element[0] == "u" else -9, 10, shape).astype(NUMPY[ELEMENTS[element]])


def draw_indices(rng, shape, element, extent):
    """Some inside, some outside, some at the ends of the type's range or of 32 bits."""
    info = np.iinfo(NUMPY[INDICES[element]])
    values = rng.integers(-3 if info.min else 0, extent + 3, shape).astype(info.dtype).reshape(-1)
    ends = [v for v in (info.min, info.max, info.max // 2 + 1, 2**31 - 1, 2**31, 2**32, 2**32 + 1, -2**31, -2**32)
            if info.min <= v <= info.max]
    if rng.random() < 0.5:
        for k in range(values.size):
            if rng.random() < 0.25:
                values[k] = ends[rng.integers(len(ends))]
    return values.reshape(shape)


def draw_windows(rng):
    """Dimension numbers shared by gather and scatter: the operand's shape, the windows' size in it, the indices'
    shape, the shape of windows (updates, results), and the lists."""
    rank = int(rng.integers(1, 4))
    dims = [int(d) for d in rng.integers(1, 6, rank)]
    axes = [int(a) for a in rng.permutation(rank)]
    batching = axes[:rank > 1 and rng.random() < 0.5]
    others = [a for a in axes if a not in batching]
    mapped = others[:int(rng.integers(1, len(others) + 1))]
    dropped = sorted(a for a in others if rng.random() < 0.6)
    size = [1 if a in batching or a in dropped else d if rng.random() < 0.3 else int(rng.integers(1, d + 1)) for a, d in enumerate(dims)]
    window = [size[a] for a in range(rank) if a not in batching and a not in dropped]
    batches = [int(d) for d in rng.integers(1, 4, int(rng.integers(0, 3)))]
    index_batching = [len(batches)] * len(batching)
    batches += [dims[a] for a in batching]
    vector = int(rng.integers(0, len(batches) + 1))
    index_shape = [*batches[:vector], len(mapped), *batches[vector:]]
    index_batching = [a + (a >= vector) for a in index_batching]
    if len(mapped) == 1 and rng.random() < 0.4:
        vector, index_shape, index_batching = len(batches), batches, [len(batches) - 1] * len(batching)
    shown = sorted(int(a) for a in rng.choice(len(batches) + len(window), len(window), replace=False))
    window_sizes, batch_sizes = iter(window), iter(batches)
    shape = [next(window_sizes if a in shown else batch_sizes) for a in range(len(batches) + len(window))]
    return dims, size, index_shape, shape, batching, index_batching, mapped, dropped, vector, shown


def draw_scatter(rng, index, element):
    dims, _, index_shape, shape, batching, index_batching, mapped, dropped, vector, shown = draw_windows(rng)
    combiner = str(rng.choice([c for c in COMBINERS if element != "f32" or c != "or"]))
    updates = draw(rng, shape, element)
    if combiner in ("set", "twice"):
        updates[...] = draw(rng, (), element)  # the order of several updates of an element is undefined
    numbers = lists(update_window_dims=shown, inserted_window_dims=dropped, input_batching_dims=batching,
                    scatter_indices_batching_dims=index_batching, scatter_dims_to_operand_dims=mapped)
    case = scatter(draw(rng, dims, element), draw_indices(rng, index_shape, index, max(dims)), updates, (element, index), combiner,
                   f"{numbers}index_vector_dim = {vector}")
    return case, case.xla()


def draw_gather(rng, index, element):
    dims, size, index_shape, shape, batching, index_batching, mapped, dropped, vector, shown = draw_windows(rng)
    numbers = lists(offset_dims=shown, collapsed_slice_dims=dropped, operand_batching_dims=batching,
                    start_indices_batching_dims=index_batching, start_index_map=mapped)
    x, i, out = tensor(dims, element), tensor(index_shape, index), tensor(shape, element)
    case = Case(f'%r = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<{numbers}index_vector_dim = {vector}>, '
                f'slice_sizes = array<i64: {", ".join(map(str, size))}>}}> : ({x}, {i}) -> {out}',
                [("x", x, draw(rng, dims, element)), ("i", i, draw_indices(rng, index_shape, index, max(dims)))], out)
    return case, case.xla()


def draw_slice(rng, index, element, update):
    """NumPy is the reference: XLA computes bounds in the index's type, which wraps in 8 bits."""
    dims = [int(d) for d in rng.integers(1, 7, int(rng.integers(1, 4)))]
    if rng.random() < 0.2:
        dims[0] = int(rng.integers(120, 300))
    size = [int(rng.integers(1, d + 1)) for d in dims]
    x, u = draw(rng, dims, element), draw(rng, size, element)
    starts = [draw_indices(rng, (), index, max(dims)) for _ in dims]
    inside = tuple(slice(at := min(max(int(s), 0), d - n), at + n) for s, d, n in zip(starts, dims, size, strict=True))
    arguments = [("x", tensor(dims, element), x), *[("u", tensor(size, element), u)] * update,
                 *((f"s{k}", tensor((), index), s) for k, s in enumerate(starts))]
    names, types = (", ".join(part) for part in ((f"%{n}" for n, *_ in arguments), (t for _, t, _ in arguments)))
    if update:
        want = x.copy()
        want[inside] = u
        return Case(f'%r = "stablehlo.dynamic_update_slice"({names}) : ({types}) -> {arguments[0][1]}', arguments, arguments[0][1]), want
    sizes, result = ", ".join(map(str, size)), tensor(size, element)
    return Case(f'%r = "stablehlo.dynamic_slice"({names}) <{{slice_sizes = array<i64: {sizes}>}}> : ({types}) -> {result}', arguments,
                result), x[inside]


KINDS = {"scatter": draw_scatter, "gather": draw_gather, "dynamic_slice": lambda *a: draw_slice(*a, False),
         "dynamic_update_slice": lambda *a: draw_slice(*a, True)}


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("kind", KINDS)
def test_random_indices(kind, index):
    for seed in range(16):
        rng = np.random.default_rng([seed, list(KINDS).index(kind), list(INDICES).index(index)])
        case, want = KINDS[kind](rng, index, str(rng.choice(["f32", "i1", "i8", "i16", "i32", "i64", "ui8", "ui32"])))
        for path in PATHS:
            np.testing.assert_array_equal(case.run(path), want, f"{path}, seed {seed}:\n{case.text(path)}{case.arrays}")
