"""Table of the functions of tiles in DST: the operations' rows with the reference of each; and the kernel that calls
many of them on the same tiles, as IR and as C++."""

import functools
import os
import re
import subprocess
from dataclasses import dataclass

import numpy as np
import torch
from grid_kernels import INT, NUMPY, OUT, cb_type, constants, new_host, op, port, to_host, to_numpy
from tilewright import sim

IDX, I32 = "index", "i32"
T = torch
F = torch.nn.functional
BUILD = os.environ.get("TW_BUILD") or os.path.join(os.path.dirname(sim.__file__), "../..")


def bits(value):
    return int(np.float32(value).view(np.uint32))


def predicate(f):
    return lambda *x: f(*x).double()


def nought(x):
    return T.zeros_like(x)


def greater(x, y):
    """Maximum; NaN if an operand is, and +0 above -0."""
    zeros = (x == 0) & (y == 0)
    return T.where(zeros, x + y, T.maximum(x, y))


def smaller(x, y):
    return -greater(-x, -y)


# ---- references in float64, and their tolerance in f32 units in the last place (host/strips/strip.h)
# ------------------- gelu of minus infinity is its limit, 0; torch has NaN.

HALF = 0.51  # exact, and rounded once
FLOAT = {
    "abs": (T.abs, 0), "acos": (T.acos, 4), "asin": (T.asin, 4), "atan": (T.atan, 4), "cos": (T.cos, 2), "erf": (T.erf, 8),
    "erfc": (T.erfc, 4), "exp2": (T.exp2, 1), "exp": (T.exp, 2), "expm1": (T.expm1, 2), "gelu": (lambda x: T.where(x == -np.inf, nought(x), F.gelu(x)), "gelu"),
    "hardsigmoid": (F.hardsigmoid, "unit"), "log1p": (T.log1p, 2), "log": (T.log, 2), "negative": (T.neg, 0),
    "recip": (T.reciprocal, HALF), "relu": (lambda x: T.where(x == 0, nought(x), T.relu(x)), 0), "rsqrt": (T.rsqrt, 2), "sigmoid": (T.sigmoid, 4), "sign": (lambda x: T.where(T.isnan(x), x, T.sign(x)), 0),
    "signbit": (predicate(T.signbit), 0), "silu": (F.silu, 5), "sin": (T.sin, 2), "softsign": (F.softsign, 2), "sqrt": (T.sqrt, HALF),
    "square": (T.square, HALF), "tan": (T.tan, 4), "tanh": (T.tanh, 4), "eqz": (predicate(lambda x: x == 0), 0),
    "nez": (predicate(lambda x: x != 0), 0), "gtz": (predicate(lambda x: x > 0), 0), "gez": (predicate(lambda x: x >= 0), 0),
    "ltz": (predicate(lambda x: x < 0), 0), "lez": (predicate(lambda x: x <= 0), 0), "ceil": (T.ceil, 0), "floor": (T.floor, 0),
    "trunc": (T.trunc, 0), "frac": (lambda x: x - T.trunc(x), 0), "logical_not": (predicate(lambda x: x == 0), 0),
    "add_binary": (T.add, HALF), "sub_binary": (T.sub, HALF), "mul_binary": (T.mul, HALF), "div_binary": (T.div, HALF),
    "eq_binary": (predicate(T.eq), 0), "ne_binary": (predicate(T.ne), 0), "gt_binary": (predicate(T.gt), 0), "ge_binary": (predicate(T.ge), 0),
    "lt_binary": (predicate(T.lt), 0), "le_binary": (predicate(T.le), 0), "power_binary": (T.pow, 1), "atan2_binary": (T.atan2, 4),
    "binary_max": (greater, 0), "binary_min": (smaller, 0),
    "where": (lambda c, x, y: T.where(c != 0, x, y), 0),
    "add_unary": (T.add, HALF), "sub_unary": (T.sub, HALF), "mul_unary": (T.mul, HALF), "div_unary": (T.div, HALF),
    "power": (T.pow, 1), "clamp": (lambda x, p, q: smaller(greater(x, p), q), 0), "fill": (lambda x, p: p.expand_as(x), 0),
    "selu": (lambda x, p, q: p * T.where(x > 0, x, q * T.expm1(x)), 4),
}
"""Numbers that a function takes besides tiles."""
NUMBERS = {"clamp": [(-0.5, 0.75), (-np.inf, np.inf)], "selu": [(1.0507009873554805, 1.6732632423543772)],
           "power": [(2,), (3,), (0,)], "fill": [(1.5,), (-0.0,), (np.nan,)]}
SOME = [(1.5,), (-0.0,), (np.inf,), (2.0 ** -126,), (3.0e38,), (np.nan,)]


def wrapped(f):
    return lambda *x: f(*(np.asarray(v, np.int64) for v in x))


INTEGER = {
    "abs": np.abs, "negative": np.negative, "relu": lambda x: np.maximum(x, 0), "bitwise_not": np.invert,
    "eqz": lambda x: x == 0, "nez": lambda x: x != 0, "gtz": lambda x: x > 0, "gez": lambda x: x >= 0, "ltz": lambda x: x < 0,
    "lez": lambda x: x <= 0, "logical_not": lambda x: x == 0, "add_int": np.add, "sub_int": np.subtract, "mul_int": np.multiply,
    "binary_max": np.maximum, "binary_min": np.minimum, "bitwise_and_binary": np.bitwise_and, "bitwise_or_binary": np.bitwise_or,
    "bitwise_xor_binary": np.bitwise_xor,
    "binary_left_shift": lambda x, y: np.where((y >= 0) & (y < 32), x << np.clip(y, 0, 31), 0),
    "binary_right_shift": lambda x, y: x >> np.where((y >= 0) & (y < 32), y, 31),
    "binary_logical_right_shift": lambda x, y: np.where((y >= 0) & (y < 32), (x & 0xFFFFFFFF) >> np.clip(y, 0, 31), 0),
    "add_unary": np.add, "sub_unary": np.subtract, "clamp": lambda x, p, q: np.minimum(np.maximum(x, p), q),
    "fill_tile_int": lambda x, p: p + 0 * x, "where": lambda c, x, y: np.where(c != 0, x, y),
}
INTEGER_NUMBERS = {"clamp": [(-5, 70)], "fill_tile_int": [(7,), (-(1 << 31),)]}
SOME_INTEGERS = [(9,), (-1,), ((1 << 31) - 1,)]


# ---- the rows ---------------------------------------------------------------------------------------------------------

@dataclass
class Row:
    name: str  # of the operation
    tiles: int  # number of tiles read
    numbers: int
    types: list
    attrs: list
    init: str

    @property
    def base(self):
        return self.name.replace("_int32", "").removesuffix("_tile")


@functools.cache
def page():
    return subprocess.run([os.path.join(BUILD, "bin/tilewright"), "operations", "ttkernel"], check=True, capture_output=True,
                          text=True).stdout


INITS = {"ceil": "rounding_op", "floor": "rounding_op", "trunc": "rounding_op", "frac": "rounding_op",
         "fill_tile_int": "fill", "bitwise_and_binary": "binary_bitwise", "bitwise_or_binary": "binary_bitwise",
         "bitwise_xor_binary": "binary_bitwise", "binary_left_shift": "binary_shift", "binary_right_shift": "binary_shift",
         "binary_logical_right_shift": "binary_shift"}


def init_of(name, known):
    base = name.removesuffix("_int32").removesuffix("_tile")
    full = name.removesuffix("_tile_int32") + "_int32" if name.endswith("_tile_int32") else name.removesuffix("_tile")
    if "_unary_tile" in name:
        return "binop_with_scalar_tile_init"
    for stem in (f"{full}_tile", INITS.get(base, base) + "_tile", base):
        if f"{stem}_init" in known:
            return f"{stem}_init"
    raise AssertionError(f"{name} has no init")


def rows():
    """The operations whose operands are tiles in DST and numbers only."""
    sections = re.split(r"\n\*\*ttkernel\.", page())[1:]
    known = {s.partition("**")[0]: s for s in sections}
    for name, text in known.items():
        operands, _, attrs = text.partition("Attributes:")
        found = re.findall(r"- `(\w+)`: (.*)", operands)
        index = [n for n, t in found if t.startswith("index") and "index" in n]
        if not re.search(r"_tile(_int32)?$|_tile_int$", name) or not index or len(index) < len(found) - 2 or \
                any("cb" in t.split() for _, t in found):
            continue
        numbers = len(found) - len(index)
        types = [IDX] * len(index) + ["f32" if "float" in t else I32 for n, t in found[len(index):]]
        yield Row(name, max(1, len(index) - 1), numbers, types, re.findall(r"- `(\w+)`: TT DataTypes", attrs), init_of(name, known))


# ---- cases: one call with its operands
# --------------------------------------------------------------------------------

@dataclass
class Case:
    name: str
    ir: list  # the operations, or None
    cpp: str  # the statements; None: the C++ emitted for the operations
    tiles: int
    want: object  # of tiles (float64 tensors, or int64 arrays)
    within: object  # units in the last place
    out: int = 0  # DST tile of the result
    typed: bool = False  # its C++ has the type as an argument


def constant(names, value, kind):
    name = f"n{len(names)}"
    text = {"f32": f"%{name} = arith.constant 0x{bits(value):08X} : f32",
            I32: f"%{name} = arith.constant {int(np.uint32(value & 0xFFFFFFFF).view(np.int32))} : i32" if isinstance(value, int) else None}[kind]
    names.append(name)
    return name, text


def case_of(row, numbers, dtype):
    integer = dtype in INT
    given = f"#ttcore.supportedDataTypes<{dtype}>"
    attrs = "<{" + ", ".join(f"{a} = {given}" for a in row.attrs) + "}>" if row.attrs else ""
    init_attrs = f"<{{dtype = {given}}}>" if row.init in ("mul_int_tile_init",) else ""
    ir, names, operands = [op(row.init, attrs=init_attrs)], [], [f"c{i}" for i in range(len(row.types) - row.numbers)]
    for value, kind in zip(numbers, row.types[len(operands):]):
        raw = value if kind == "f32" or integer or row.base == "power" else bits(value)
        name, text = constant(names, raw, kind)
        ir.append(text)
        operands.append(name)
    ir.append(op(row.name, operands, row.types, attrs))
    many = len(operands) - row.numbers
    table = INTEGER if integer else FLOAT
    f, within = (table[row.base if row.base in table else row.name], 0) if integer else table[row.base]
    if integer:
        want = functools.partial(lambda f, numbers, *x: f(*x, *numbers), f, numbers)
    else:
        fixed = [T.tensor(float(n) if row.base == "power" else float(np.float32(n)), dtype=T.float64) for n in numbers]
        want = functools.partial(lambda f, fixed, *x: f(*x, *fixed), f, fixed)
    return Case(f"{row.name}{numbers or ''}", ir, None, row.tiles, want, within, many - 1 if many > 1 else 0, bool(row.attrs))


def takes(row, dtype):
    """True if the row supports elements of this type."""
    words = "_int32" in row.name or row.base in INTEGER and row.base not in FLOAT or row.name == "fill_tile_int"
    if row.base in ("where", "logical_not"):
        return True
    if dtype not in INT:
        return not words
    return words and (dtype == "si32" or bool(row.attrs))


def cases(dtype):
    out = []
    for row in rows():
        if row.name in ("typecast_tile", "rand_tile") or not takes(row, dtype):
            continue
        sets = [()]
        if row.numbers:
            sets = (INTEGER_NUMBERS.get(row.base if row.base in INTEGER_NUMBERS else row.name, SOME_INTEGERS) if dtype in INT
                    else NUMBERS.get(row.base, SOME))
        out += [case_of(row, numbers, dtype) for numbers in sets]
    return out


# ---- the kernels ------------------------------------------------------------------------------------------------------

MOVE = """
#include "dataflow_api.h"
void kernel_main() {
    constexpr uint32_t inputs = get_compile_time_arg_val(0), size = get_compile_time_arg_val(1);
    constexpr uint32_t out_size = get_compile_time_arg_val(2);
    uint32_t n = get_arg_val<uint32_t>(0), n_out = get_arg_val<uint32_t>(1);
    for (uint32_t k = 0; k < inputs; k++) {
        InterleavedAddrGen<true> tensor = {.bank_base_address = get_arg_val<uint32_t>(2 + k), .page_size = size};
        cb_reserve_back(k, n);
        for (uint32_t i = 0; i < n; i++)
            noc_async_read_page(i, tensor, get_write_ptr(k) + i * size);
        noc_async_read_barrier();
        cb_push_back(k, n);
    }
    InterleavedAddrGen<true> out = {.bank_base_address = get_arg_val<uint32_t>(2 + inputs), .page_size = out_size};
    for (uint32_t i = 0; i < n_out; i++) {
        cb_wait_front(16, 1);
        noc_async_write_page(i, out, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
"""
INPUTS = 3


def compute_ir(cases, tiles, dtype, out):
    """Applies every case to every tile, with a page for each result."""
    c, o = cb_type(tiles, dtype), cb_type(1, out)
    text = "module {\n  func.func private @compute() attributes {ttkernel.thread = #ttkernel.thread<compute>} {\n"
    text += constants() + "\n" + "".join(port(i, tiles, dtype, f"in{i}") + "\n" for i in range(INPUTS)) + port(INPUTS, 1, out, "out")
    lines = [op("compute_kernel_hw_startup", ["in0", "in1", "out"], [c, c, o]),
             *(op("cb_wait_front", [f"in{i}", f"w{tiles}"], [c, I32]) for i in range(INPUTS)),
             f"scf.for %t = %c0 to %c{tiles} step %c1 {{"]
    for case in cases:
        lines += ["scf.if %true {", op("cb_reserve_back", ["out", "w1"], [o, I32]), op("tile_regs_acquire")]
        for i in range(case.tiles):
            lines += [op("copy_tile_init", [f"in{i}"], [c]), op("copy_tile", [f"in{i}", "t", f"c{i}"], [c, IDX, IDX])]
        lines += [*case.ir, op("tile_regs_commit"), op("tile_regs_wait"),
                  op("pack_tile", [f"c{case.out}", "out", "c0"], [IDX, o, IDX], "<{out_of_order = true}>"),
                  op("tile_regs_release"), op("cb_push_back", ["out", "w1"], [o, I32]), "}"]
    lines += ["}", *(op("cb_pop_front", [f"in{i}", f"w{tiles}"], [c, I32]) for i in range(INPUTS)), "return", "}", "}"]
    return text + "\n    %true = arith.constant true\n" + "\n".join(f"    {line}" for line in lines) + "\n"


def compute_cpp(cases, tiles):
    """The same as a handwritten kernel."""
    calls = ""
    for case in cases:
        copies = "".join(f"copy_tile_init({i}); copy_tile({i}, t, {i}); " for i in range(case.tiles))
        calls += (f"        cb_reserve_back(16, 1); tile_regs_acquire(); {copies}\n        {case.cpp};\n        tile_regs_commit();"
                  f" tile_regs_wait(); pack_tile({case.out}, 16); tile_regs_release(); cb_push_back(16, 1);\n")
    waits, pops = ("".join(f"    cb_{verb}_front({i}, {tiles});\n" for i in range(INPUTS)) for verb in ("wait", "pop"))
    return ('#include "compute_kernel_api/common.h"\nvoid kernel_main() {\n    compute_kernel_hw_startup(0, 1, 16);\n' + waits
            + f"    for (uint32_t t = 0; t < {tiles}; t++) {{\n{calls}    }}\n{pops}}}\n")


def run(cases, arrays, dtype, out, emitted=False, **config):
    """The results of the cases on the arrays, as bits: tile by tile of the input, case by case."""
    tiles = arrays[0].shape[1] // 32
    grid = sim.Grid("n150", cpp=emitted)
    tensors = [grid.tensor(a.shape, dtype, data=to_host(a, dtype)) for a in arrays]
    result = grid.tensor((32, 32 * tiles * len(cases)), out)
    kernels = grid.load(compute_ir(cases, tiles, dtype, out), "functions") if cases[0].ir else grid.load()
    launch = kernels.launch(
        [sim.Run(MOVE, compile_args=[INPUTS, tensors[0].page_bytes, result.page_bytes],
                 args=[tiles, tiles * len(cases), *(sim.address(i) for i in range(INPUTS + 1))]),
         sim.Run("compute" if cases[0].ir else compute_cpp(cases, tiles), compile_args=[*map(sim.cb, range(INPUTS)), sim.cb(OUT)],
                 **config)],
        [*(sim.Buffer(i, dtype, tiles) for i in range(INPUTS)), sim.Buffer(OUT, out, 2)], [*tensors, result])
    launch.run()
    held = [to_numpy(t.read(new_host(a.shape, dtype))) for t, a in zip(tensors, arrays)]
    got = to_numpy(result.read(new_host((32, 32 * tiles * len(cases)), out)))
    return held, got.reshape(32, tiles, len(cases), 32).transpose(1, 2, 0, 3).copy()


# ---- functions that only the kernel API has ---------------------------------------------------------------------------

def only(f):
    """0 and 1."""
    return lambda *x: f(*x).double()


"""Calls of tiles x, y and z (the first gets the result, or out), with numbers that are given by their bits in braces; what they
compute; last places."""
API_FLOAT = [
    ("leaky_relu_tile(x, {0.25})", lambda x: T.where(x < 0, x * 0.25, x), HALF), ("prelu_tile(x, {0.5})", lambda x: T.where(x < 0, x * 0.5, x), HALF),
    ("relu_max_tile(x, {1.5})", lambda x: greater(smaller(x, T.tensor(1.5)), nought(x)), 0),
    ("relu_min_tile(x, {0.5})", lambda x: greater(x, T.tensor(0.5).double()), 0),
    ("elu_tile(x, {0.7})", lambda x: T.where(x < 0, float(np.float32(0.7)) * T.expm1(x), x), 3),
    ("celu_tile(x, {2.0}, {0.5})", lambda x: T.where(x < 0, 2 * T.expm1(x / 2), x), 3),
    ("hardtanh_tile(x, {-1.0}, {2.0})", lambda x: smaller(greater(x, T.tensor(-1.0).double()), T.tensor(2.0).double()), 0),
    ("hardswish_tile(x)", F.hardswish, "unit"), ("hardshrink_tile(x, {0.5})", lambda x: T.where(x.abs() <= 0.5, nought(x), x), 0),
    ("softshrink_tile(x, {0.5})", lambda x: T.where(x > 0.5, x - 0.5, T.where(x < -0.5, x + 0.5, nought(x))), HALF),
    ("threshold_tile(x, {1.0}, {7.0})", lambda x: T.where(x <= 1, T.tensor(7.0).double(), x), 0),
    ("mish_tile(x)", F.mish, 6), ("logsigmoid_tile(x)", F.logsigmoid, 4), ("tanhshrink_tile(x)", lambda x: x - T.tanh(x), "small"),
    ("rsub_unary_tile(x, {3.0})", lambda x: 3 - x, HALF), ("rsub_tile(x, {3.0})", lambda x: 3 - x, HALF),
    ("rdiv_tile(x, {3.0})", lambda x: 3 / x, HALF), ("unary_max_tile(x, {0.5})", lambda x: greater(x, T.tensor(0.5).double()), 0),
    ("unary_min_tile(x, {0.5})", lambda x: smaller(x, T.tensor(0.5).double()), 0), ("unary_eq_tile(x, {0.5})", only(lambda x: x == 0.5), 0),
    ("unary_ne_tile(x, {0.5})", only(lambda x: x != 0.5), 0), ("unary_gt_tile(x, {0.5})", only(lambda x: x > 0.5), 0),
    ("unary_ge_tile(x, {0.5})", only(lambda x: x >= 0.5), 0), ("unary_lt_tile(x, {0.5})", only(lambda x: x < 0.5), 0),
    ("unary_le_tile(x, {0.5})", only(lambda x: x <= 0.5), 0),
    ("heaviside_tile(x, {0.25})", lambda x: T.where(x < 0, 0.0, T.where(x > 0, 1.0, 0.25)).double(), 0),
    ("isinf_tile(x)", only(T.isinf), 0), ("isposinf_tile(x)", only(T.isposinf), 0), ("isneginf_tile(x)", only(T.isneginf), 0),
    ("isnan_tile(x)", only(T.isnan), 0), ("isfinite_tile(x)", only(T.isfinite), 0), ("sinh_tile(x)", T.sinh, 3), ("cosh_tile(x)", T.cosh, 3),
    ("asinh_tile(x)", T.asinh, 4), ("acosh_tile(x)", T.acosh, 4), ("atanh_tile(x)", T.atanh, 4), ("cbrt_tile(x)", lambda x: T.copysign(x.abs() ** (1 / 3), x), 1),
    ("log2_tile(x)", T.log2, 1), ("log10_tile(x)", T.log10, 2), ("lgamma_tile(x)", T.lgamma, "unit"),
    ("fmod_tile(x, {0.75}, {1.3333334})", lambda x: T.fmod(x, T.tensor(0.75).double()), 0),
    ("remainder_tile(x, {0.75}, {1.3333334})", lambda x: T.remainder(x, T.tensor(0.75).double()), HALF),
    ("remainder_tile(x, {-0.75}, {-1.3333334})", lambda x: T.remainder(x, T.tensor(-0.75).double()), HALF),
    ("rpow_tile(x, {2.0})", lambda x: T.pow(2.0, x), 1), ("identity_tile(x)", lambda x: x, 0),
    ("i0_tile(x)", lambda x: T.special.i0(x.clamp(-800, 800)), 2), ("i1_tile(x)", lambda x: T.special.i1(x.clamp(-800, 800)), 2), ("erfinv_tile(x)", T.erfinv, 1),
    ("ceil_tile_float32(x)", T.ceil, 0), ("floor_tile_float32(x)", T.floor, 0), ("logical_not_unary_tile(x)", only(lambda x: x == 0), 0),
    ("round_tile(x, 0)", T.round, 0), ("round_tile(x, 1)", lambda x: T.round(x.float() * 10).double() / 10, 1),
    ("softplus_tile(x, {2.0}, {0.5}, {3.0})", lambda x: T.where(2 * x > 3, x, 0.5 * T.log1p(T.exp(2 * x))), 4),
    ("log_with_base_tile(x, 15813u)", lambda x: T.log(x) * float(np.uint16(15813).view(np.float16)), 2),
    ("cumsum_tile(x)", lambda x: T.cumsum(x.float(), 0), "sums"), ("transpose_wh_dest(x)", lambda x: x.T, 0),
    ("alt_complex_rotate90_tile(x)", lambda x: T.stack([-x[:, 1::2], x[:, ::2]], 2).reshape(32, 32), 0),
    ("max_tile(x, y)", greater, 0), ("rsub_binary_tile(x, y)", lambda x, y: y - x, HALF), ("rsub_binary_tile(x, y, out)", lambda x, y: y - x, HALF),
    ("mask_tile(x, y)", lambda x, m: T.where(m == 0, nought(x), x), 0), ("mask_posinf_tile(x, y)", lambda x, m: T.where(m == 0, np.inf * T.ones_like(x), x), 0),
    ("where_fp32_tile(x, y, z, x)", lambda c, x, y: T.where(c != 0, x, y), 0),
    ("add_binary_tile(x, y)", T.add, HALF), ("sub_binary_tile(x, y)", T.sub, HALF), ("mul_binary_tile(x, y)", T.mul, HALF),
    ("div_binary_tile(x, y)", T.div, HALF), ("power_binary_tile(x, y)", T.pow, 1), ("binary_max_tile(x, y)", greater, 0),
    ("binary_min_tile(x, y)", smaller, 0), ("eq_binary_tile(x, y)", only(T.eq), 0), ("fill_tile_bitcast(x, {-0.0})", lambda x: T.full_like(x, -0.0), 0),
]


def f32(function):
    """The function with each step rounded to f32."""
    return lambda *x: function(*(v.float() for v in x)).double()


def neighbour(x, y):
    near = T.nextafter(x.float(), y.float())
    return T.where((near.abs() < 2.0 ** -126) & ~T.isnan(near), T.copysign(T.zeros_like(near), near), near).double()


def bf16_neighbour(x, y):
    """The neighbours of a bf16 value; for NaN, in steps of the same size, by its position in the order of f32."""
    bits = x.float().numpy().view(np.int32).astype(np.int64)
    order = np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
    moved = order + np.where((x < y).numpy(), 65536, -65536)
    moved = np.where((moved < 0) != (order < 0), 0, moved)
    near = T.from_numpy((np.abs(moved).astype(np.uint32) | (bits < 0).astype(np.uint32) << 31).view(np.float32))
    near = T.where(x == 0, T.where(y < 0, -0.0, 0.0).float(), near)
    near = T.where(x == y, y.float(), near)
    near = T.where((near.abs() < 2.0 ** -126) & ~T.isnan(near), T.copysign(T.zeros_like(near), near), near).double()
    return T.where(T.isnan(x) | T.isnan(y), x + y, near)


def gelu_slope(x):
    slope = T.special.erfc(-x * 0.5 ** 0.5) / 2 + x * T.exp(-x * x / 2) / (2 * np.pi) ** 0.5
    return T.where(T.isinf(x), (x > 0).double(), slope)


def first(values, columns):
    """Results in the first row or column, and zeros elsewhere."""
    out = T.zeros(32, 32, dtype=T.double)
    out[(0, slice(None)) if columns else (slice(None), 0)] = values.double()
    return out


API_FLOAT += [
    ("remainder_binary_tile(x, y, out)", T.remainder, HALF), ("fmod_binary_tile(x, y, out)", T.fmod, 0), ("xlogy_binary_tile(x, y, out)", T.xlogy, HALF),
    ("logaddexp_binary_tile(x, y, out)", T.logaddexp, 1), ("logaddexp2_binary_tile(x, y, out)", lambda x, y: T.where(x == y, x + 1, T.logaddexp2(x, y)), 1),
    ("nextafter_binary_tile(x, y, out)", neighbour, 0), ("nextafter_bf16_binary_tile(x, y, out)", bf16_neighbour, 0),
    ("isclose_binary_tile(x, y, out, {1e-5}, {1e-8})", predicate(lambda x, y: T.isclose(x.float(), y.float(), rtol=1e-5, atol=1e-8)), 0),
    ("isclose_binary_tile<true>(x, y, out, {0.5}, {0.0})", predicate(lambda x, y: T.isclose(x.float(), y.float(), rtol=0.5, atol=0, equal_nan=True)), 0),
    ("situ_glu_tile(x, y, out)", lambda x, y: 100 * T.tanh(x / 4) * T.sigmoid(x) * T.tanh(y / 25), 1),
    ("mac_tile<DataFormat::Float32>(x, y, z, out)", f32(lambda x, y, z: x * y + z), 0), ("lerp_tile<DataFormat::Float32>(x, y, z, out)", f32(lambda x, y, z: x + z * (y - x)), 0),
    ("addcmul_tile<DataFormat::Float32>(x, y, z, out, {1.5})", f32(lambda x, y, z: x + 1.5 * y * z), 0),
    ("addcdiv_tile<DataFormat::Float32>(x, y, z, out, {1.5})", f32(lambda x, y, z: x + 1.5 * y / z), 0),
    ("snake_beta_tile<DataFormat::Float32>(x, y, z, out)", lambda x, y, z: x + T.sin(y * x) ** 2 / z, 1),
    ("digamma_tile(x)", T.digamma, 1), ("gelu_derivative_tile(x)", gelu_slope, 1), ("tanh_derivative_tile(x)", lambda x: 1 / T.cosh(x) ** 2, 1),
    ("hardmish_tile(x)", f32(lambda x: x * (x * 0.5 + 1).clamp(0, 1)), 0), ("power_iterative_tile(x, 3)", f32(lambda x: x * x * x), 0),
    ("sfpu_reduce<PoolType::MAX, DataFormat::Float32>(x)", lambda x: first(T.amax(x, 0), True), 0),
    ("sfpu_reduce<PoolType::MIN, DataFormat::Float32>(x)", lambda x: first(T.amin(x, 0), True), 0),
    ("sfpu_reduce<PoolType::SUM, DataFormat::Float32>(x)", lambda x: first(T.cumsum(x.float(), 0)[-1], True), "sums"),
    ("sfpu_reduce<PoolType::AVG, DataFormat::Float32>(x)", lambda x: first(T.cumsum(x.float(), 0)[-1] / 32, True), "sums"),
    ("sfpu_reduce<PoolType::MAX, DataFormat::Float32, ReduceDim::REDUCE_ROW>(x)", lambda x: first(T.amax(x, 1), False), 0),
    ("sfpu_reduce<PoolType::MIN, DataFormat::Float32, ReduceDim::REDUCE_ROW>(x)", lambda x: first(T.amin(x, 1), False), 0),
    ("sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(x)", lambda x: first(T.cumsum(x.float(), 1)[:, -1], False), "sums"),
    ("sfpu_add_bcast_col(x, y)", lambda x, y: x + y[:, :1], HALF), ("sfpu_sub_bcast_col(x, y)", lambda x, y: x - y[:, :1], HALF),
    ("sfpu_mul_bcast_col(x, y)", lambda x, y: x * y[:, :1], HALF), ("sfpu_add_bcast_row(x, y)", lambda x, y: x + y[:1], HALF),
    ("sfpu_sub_bcast_row(x, y)", lambda x, y: x - y[:1], HALF), ("sfpu_mul_bcast_row(x, y)", lambda x, y: x * y[:1], HALF),
    ("sfpu_normalize_bcast_col(x, y, z)", f32(lambda x, y, z: (x - y[:, :1]) * z[:, :1]), 0),
    ("sfpu_normalize_bcast_scalar(x, y, z)", f32(lambda x, y, z: (x - y[0, 0]) * z[0, 0]), 0),
    ("sfpu_residual_normalize_bcast_col(x, y, y, z)", f32(lambda x, y, z: (x + y - y[:, :1]) * z[:, :1]), 0),
    ("sfpu_normalize_bcast_col_two_tiles(x, y, z, z)", f32(lambda x, y, z: (x - z[:, :1]) * z[:, :1]), 0),
]


def divided(x, y, down):
    """Division by 0 gives -1, as on RISC-V."""
    x, y = np.asarray(x, np.int64), np.asarray(y, np.int64)
    by = np.where(y == 0, 1, y)
    q = x // by if down else np.sign(x) * np.sign(by) * (np.abs(x) // np.abs(by))
    return np.where(y == 0, -1, q)


def rest(x, y, down):
    x, y = np.asarray(x, np.int64), np.asarray(y, np.int64)
    return np.where(y == 0, x, (np.mod if down else np.fmod)(x, np.where(y == 0, 1, y)))


def compared(format):
    return [(f"{name}_int_tile<DataFormat::{format}>(x, y, out)", lambda x, y, f=f: f(x, y)) for name, f in (
        ("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("gt", np.greater), ("le", np.less_equal), ("ge", np.greater_equal))]


API_INTEGER = {
    "si32": [
        ("div_int32_floor_tile(x, y, out)", lambda x, y: divided(x, y, True)), ("div_int32_trunc_tile(x, y, out)", lambda x, y: divided(x, y, False)),
        ("remainder_int32_tile(x, y, out)", lambda x, y: rest(x, y, True)), ("fmod_int32_tile(x, y, out)", lambda x, y: rest(x, y, False)),
        ("rsub_int_tile<DataFormat::Int32>(x, y, out)", lambda x, y: y - x), *compared("Int32"),
        ("sfpu_reduce<PoolType::MIN, DataFormat::Int32>(x)", lambda x: first(T.from_numpy(x.min(0).astype(float)), True).numpy().astype(np.int64)),
        ("add_int32_tile(x, y)", np.add), ("sub_int32_tile(x, y)", np.subtract), ("add_int32_tile(x, y, out)", np.add),
        ("sub_int32_tile(x, y, out)", np.subtract), ("bitwise_and_tile(x, 12)", lambda x: x & 12), ("bitwise_or_tile(x, 3)", lambda x: x | 3),
        ("bitwise_xor_tile(x, 0xFFFFFFFF)", lambda x: ~x), ("left_shift_tile(x, 31)", lambda x: x << 31), ("left_shift_tile(x, 32)", lambda x: 0 * x),
        ("right_shift_tile(x, 1)", lambda x: x >> 1), ("right_shift_tile(x, 40)", lambda x: x >> 31),
        ("unary_eq_tile_int32(x, 7)", lambda x: x == 7), ("unary_ne_tile_int32(x, 0xFFFFFFFF)", lambda x: x != -1),
        ("gcd_tile(x, y)", np.gcd), ("lcm_tile(x, y)", np.lcm), ("gcd_tile(x, y, out)", np.gcd),
        ("lcm_tile(x, y, out)", np.lcm), ("where_int32_tile(x, y, z, x)", lambda c, x, y: np.where(c != 0, x, y)),
        ("mask_tile(x, y, DataFormat::Int32)", lambda x, m: np.where(m != 0, x, 0)), ("binary_max_int32_tile(x, y)", np.maximum),
        ("binary_min_int32_tile(x, y)", np.minimum), ("bitwise_and_binary_tile(x, y)", np.bitwise_and),
        ("bitwise_or_binary_tile(x, y)", np.bitwise_or), ("bitwise_xor_binary_tile(x, y)", np.bitwise_xor),
        ("binary_left_shift_tile<DataFormat::Int32>(x, y)", INTEGER["binary_left_shift"]),
        ("binary_right_shift_tile<DataFormat::Int32>(x, y)", INTEGER["binary_right_shift"]),
        ("binary_logical_right_shift_tile<DataFormat::Int32>(x, y)", INTEGER["binary_logical_right_shift"]),
    ],
    "u32": [("remainder_uint32_tile(x, y, out)", lambda x, y: rest(x, y, False)), ("binary_max_uint32_tile(x, y, out)", np.maximum),
            ("binary_min_uint32_tile(x, y, out)", np.minimum), *compared("UInt32"), ("add_uint32_tile(x, y)", np.add), ("add_uint32_tile(x, y, out)", np.add), ("sub_uint32_tile(x, y, out)", np.subtract), ("identity_tile_uint32(x)", lambda x: x)],
    "u16": [
        *compared("UInt16"),
        ("add_uint16_tile(x, y)", np.add), ("sub_uint16_tile(x, y)", np.subtract), ("add_uint16_tile(x, y, out)", np.add),
        ("sub_uint16_tile(x, y, out)", np.subtract), ("mul_uint16_tile(x, y)", np.multiply), ("eqz_tile_uint16(x)", lambda x: x == 0),
        ("nez_tile_uint16(x)", lambda x: x != 0), ("bitwise_and_uint16_binary_tile(x, y)", np.bitwise_and),
        ("bitwise_or_uint16_binary_tile(x, y)", np.bitwise_or), ("bitwise_xor_uint16_binary_tile(x, y)", np.bitwise_xor),
    ],
}


def api_init(call):
    """The init of the call, if there is one; else that of the row it implements."""
    name = re.match(r"\w+", call)[0]
    if name == "sfpu_reduce":
        return f"sfpu_reduce_init{re.search('<[^,]*, [^,>]*', call)[0]}>(); "
    row = INITS.get(name.removesuffix("_tile").replace("_uint16", ""), re.sub(r"_fp32|_int32", "", name).partition("_tile")[0])
    return next((f"{init}(); " for init in (f"{name}_init", f"{row}_tile_init") if f"`{init}`" in names_page()), "")


@functools.cache
def names_page():
    return subprocess.run([os.path.join(BUILD, "bin/tilewright"), "sim", "--list-functions"], check=True, capture_output=True,
                          text=True).stdout


def api_cases(dtype):
    table = [(call, want, 0) for call, want in API_INTEGER.get(dtype, [])] if dtype in INT else API_FLOAT
    out = []
    for call, want, within in table:
        text = re.sub(r"\{(.*?)\}", lambda m: f"{bits(float(m[1]))}u", call)
        read = set(re.findall(r"\b[xyz]\b", text))
        text = re.sub(r"\b(x|y|z|out)\b", lambda m: str("xyzo".index(m[1][0])), text)
        out.append(Case(call, None, api_init(call) + text, len(read), want, within, 3 if "out" in call else 0))
    return out
