"""Every function of tiles in DST, over its types and values of every kind: C++ kernels against the IR's bits, and
both against torch or NumPy. `make check` runs a sample, `make check-cpp` all (TILEWRIGHT_CPP_FUNCTIONS=all)."""

import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import cpp_functions as table  # noqa: E402
import test_cpp_units  # noqa: E402
from cpp_kernels import compute  # noqa: E402
from grid_kernels import INT, cb_type, op  # noqa: E402

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
ALL = os.environ.get("TILEWRIGHT_CPP_FUNCTIONS") == "all"
IDX = "index"
# of a buffer, of the result, the kernel's configuration; in `make check` the first of each
FLOATS = {"f32": ("f32", "f32", dict(wide_dst=True, unpack_to_dst=(0, 1, 2))), "bf16": ("bf16", "bf16", {}),
          "bf16-to-f32": ("bf16", "f32", dict(wide_dst=True)), "f16": ("f16", "f16", {}), "bfp8": ("bfp_bf8", "bfp_bf8", {})}
INTEGERS = {"si32": np.int32, "u32": np.uint32, "u16": np.uint16, "u8": np.uint8}
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754942e-38, -1.1754942e-38, 2 ** -126, -2.0 ** -126, 3.4028235e38,
         -3.4028235e38, 1, -1, 0.5, -0.5, 1.5, -1.5, 2, -2, 2.5, -2.5, 3, 1 - 2 ** -24, 1 + 2 ** -23, 0.1, -0.1, 88.7, -88.7, 100, 1e5]
WHOLE = [0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 30, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 1000, 32767, 32768, 65535, 65536, 1 << 30,
         (1 << 31) - 1, -1 << 31, -1, -2, -17]


def some(which):
    return list(which) if ALL else list(which)[:1]


def few(cases):
    return cases if ALL else cases[::11]


def inputs(edges, draw):
    """Tile 0: every edge paired with every other; tile 1: random values."""
    rows = [np.repeat(edges[:, None], 32, 1), np.repeat(edges[None], 32, 0), np.roll(np.repeat(edges[:, None], 32, 1), 7, 0)]
    return [np.concatenate([tile, draw()], 1) for tile in rows]


def float_inputs(dtype):
    rng = np.random.default_rng(4)
    edges = np.array(EDGES, np.float32)
    if dtype == "f16":
        edges = np.where(np.isfinite(edges), np.clip(edges, -65504, 65504), edges)
    if dtype.startswith("bfp"):
        edges = np.linspace(-3, 3, 32, dtype=np.float32)
    return inputs(edges, lambda: (rng.standard_normal((32, 32)) * np.exp2(rng.integers(-12, 8, (32, 32)))).astype(np.float32))


def integer_inputs(dtype):
    rng, kind = np.random.default_rng(5), INTEGERS[dtype]
    info = np.iinfo(kind)
    edges = np.array([e if info.min <= e <= info.max else e % (int(info.max) + 1) for e in WHOLE], np.int64).astype(kind)
    return inputs(edges, lambda: rng.integers(info.min, info.max, (32, 32), dtype=np.int64, endpoint=True).astype(kind))


# ---- tolerances
# -------------------------------------------------------------------------------------------------------

def room(within, want, x):
    """The tolerance of f32: units in the last place, or what cancellation near 1 or x leaves; subnormal intermediates
    count as zero."""
    smallest = 2.0 ** -126
    if within == "gelu":  # host/strips/strip.h
        return np.abs(x) * 2 ** -22 + smallest
    if within == "unit":
        return 2.0 ** -22 * np.maximum(np.abs(x), np.maximum(np.abs(want), 1))
    if within == "small":
        return np.abs(x) * 2 ** -22 + smallest
    if within == "sums":
        return 1e-5 * np.maximum(np.abs(want), 1e-30)
    if not within:
        return 0 * want
    return within * np.spacing(np.minimum(np.abs(want), 3.4e38).astype(np.float32)).astype(np.float64) + (smallest if within >= 1 else 0)


def wrong(case, out, xs, got):
    """The positions where a tile of floats differs by more than the tolerance."""
    with np.errstate(all="ignore"):
        want = np.broadcast_to(case.want(*map(torch.from_numpy, xs[:max(case.tiles, 1)])).double().numpy(), (32, 32))
        off = room(case.within, want, xs[0])
        single = want.astype(np.float32)
        if out == "bf16":  # DST truncates; a value within tolerance may be on the other side of the cut
            cut = (single.view(np.uint32) & 0xFFFF0000).view(np.float32)
            off = np.where(off > 0, np.abs(want) * 2 ** -7 + off, 0)
            over = np.abs(want) > 3.3e38
            ok = (cut == got) | (np.abs(want) < 2.0 ** -126) & (got == 0) | (over & (np.abs(got) >= 3.3e38) & (np.sign(got) == np.sign(want)))
        elif out == "f16":  # DST saturates, and flushes subnormal values
            held = np.where(np.isinf(single), single, np.clip(want, -65504, 65504))
            ok = (held == got) | (np.abs(held - got) <= np.abs(held) * 2 ** -10 + 2.0 ** -14 + np.minimum(off, 1))
            ok |= (np.abs(want) > 3.3e38) & (np.abs(got) >= 65504) & (np.sign(got) == np.sign(want))
        else:
            ok = (single == got) | (np.abs(want) < 2.0 ** -126) & (got == 0) & (case.within != 0)
            if not case.within:  # exact: zeros have their signs
                ok &= (single != 0) | (np.signbit(single) == np.signbit(got))
        return ~(ok | (np.abs(got - want) <= off) | np.isnan(want) & np.isnan(got))


def reports(case, tile, bad, xs, got):
    positions = np.argwhere(bad)
    shown = [([float(x[tuple(p)]) for x in xs[:case.tiles]], float(got[tuple(p)])) for p in positions[::max(1, len(positions) // 4)]]
    return f"{case.name}, tile {tile}, {len(positions)} numbers, as {shown[:4]}"


def compare_floats(cases, out, held, results):
    message = []
    for k, case in enumerate(cases):
        for tile in range(2):
            xs = [np.ascontiguousarray(h[:, 32 * tile:32 * tile + 32], np.float64) for h in held]
            got = results[tile, k].astype(np.float64)
            bad = wrong(case, out, xs, got)
            message += [reports(case, tile, bad, xs, got)] if bad.any() else []
    assert not message, "\n".join(message)


def compare_integers(cases, dtype, held, results):
    message = []
    for k, case in enumerate(cases):
        for tile in range(2):
            xs = [h[:, 32 * tile:32 * tile + 32].astype(np.int64) for h in held]
            signed = [np.ascontiguousarray(x).astype(np.int32).astype(np.int64) for x in xs] if "right_shift" in case.name and \
                "logical" not in case.name and dtype == "u32" else xs  # the unit's shift supports signed values only
            bad = np.broadcast_to(case.want(*signed[:max(case.tiles, 1)]), (32, 32)).astype(np.int64).astype(INTEGERS[dtype]) != results[tile, k]
            message += [reports(case, tile, bad, xs, results[tile, k])] if bad.any() else []
    assert not message, "\n".join(message)


# ---- functions of DST -------------------------------------------------------------------------------------------------

def both(cases, arrays, dtype, out, **config):
    """The result of the IR's kernel, checked to equal that of the emitted C++, bit for bit."""
    held, results = table.run(cases, arrays, dtype, out, **config)
    _, again = table.run(cases, arrays, dtype, out, emitted=True, **config)
    for k, case in enumerate(cases):
        assert results[:, k].tobytes() == again[:, k].tobytes(), case.name
    return held, results


@pytest.mark.parametrize("kind", some(FLOATS))
def test_rows_of_floats(kind):
    dtype, out, config = FLOATS[kind]
    cases = table.cases(dtype)
    # those whose C++ has the type are kernels of their own: the others' is compiled once for all types
    for group in ([c for c in cases if c.typed], few([c for c in cases if not c.typed])):
        held, results = both(group, float_inputs(dtype), dtype, out, **config)
        if not out.startswith("bfp"):
            compare_floats(group, out, held, results)


@pytest.mark.parametrize("dtype", some(INTEGERS))
def test_rows_of_integers(dtype):
    cases = few(table.cases(dtype))
    compare_integers(cases, dtype, *both(cases, integer_inputs(dtype), dtype, dtype, wide_dst=True))


@pytest.mark.parametrize("kind", [k for k in some(FLOATS) if k != "bfp8"])
def test_functions_of_the_api(kind):
    dtype, out, config = FLOATS[kind]
    cases = few(table.api_cases(dtype))
    compare_floats(cases, out, *table.run(cases, float_inputs(dtype), dtype, out, **config))


@pytest.mark.parametrize("dtype", some(table.API_INTEGER))
def test_integers_of_the_api(dtype):
    cases = few(table.api_cases(dtype))
    compare_integers(cases, dtype, *table.run(cases, integer_inputs(dtype), dtype, dtype, wide_dst=True))


def converted(x, source, target):
    """Integers saturate, NaN is 0, fractions are truncated."""
    if target not in INT:
        return x
    low, high = (int(getattr(np.iinfo(INTEGERS[target]), m)) for m in ("min", "max"))
    if source in INT:
        return x.astype(np.int64).astype(INTEGERS[target])
    with np.errstate(all="ignore"):
        return np.where(np.isnan(x), 0, np.clip(np.trunc(x), low, high)).astype(np.int64)


TYPES = ["f32", "bf16", "si32", "u32", "u16"]


@pytest.mark.parametrize("source,target", [(s, t) for s in TYPES for t in TYPES if s != t][::1 if ALL else 19])
def test_typecasts(source, target):
    arrays = integer_inputs(source) if source in INT else float_inputs(source)
    attrs = f"<{{in_dtype = #ttcore.supportedDataTypes<{source}>, out_dtype = #ttcore.supportedDataTypes<{target}>}}>"
    case = table.Case(f"typecast {source} {target}", [op("typecast_tile_init", attrs=attrs), op("typecast_tile", ["c0"], [IDX], attrs)],
                      None, 1, None, 0)
    config = dict(wide_dst=True, unpack_to_dst=(0, 1, 2) if source == "f32" else ())
    held, results = both([case], arrays, source, target, **config)
    want = converted(np.asarray(held[0], np.float64), source, target)
    for tile in range(2):
        w, got = want[:, 32 * tile:32 * tile + 32], results[tile, 0]
        if target in INT:
            assert np.array_equal(w.astype(INTEGERS[target]), got), case.name
        else:
            with np.errstate(all="ignore"):
                near = np.abs(got - w) <= np.abs(w) * (2 ** -8 if target == "bf16" else 2 ** -24) + 2.0 ** -126
                assert (near | (got == w) | (np.isnan(w) & ~np.isfinite(got)) | (np.abs(w) > 3.38e38)).all(), case.name


# ---- functions of circular buffers ------------------------------------------------------------------------------------

def matrix_cases(dtype, out):
    """The matrix unit's and the unpacker's: their inits, and their results for finite values."""
    c, o = cb_type(2, dtype), cb_type(1, out)
    three = ["in0", "in1", "t", "t", "c0"], [c, c, IDX, IDX, IDX]
    made = [("matmul", [op("mm_init", ["in0", "in1", "out", "w0"], [c, c, o, "i32"]), op("matmul_tiles", *three)], lambda x, y: x @ y)]
    for name, f in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply)):
        made.append((name, [op(f"{name}_tiles_init", ["in0", "in1"], [c, c]), op(f"{name}_tiles", *three)], f))
        for reuse in ("dest_to_srca", "dest_to_srcb"):
            attrs = f"<{{eltwise_binary_type = #ttkernel.eltwise_binary_type<{name}>, reuse_type = #ttkernel.reuse_type<{reuse}>}}>"
            made.append((f"{name} {reuse}", [op("copy_tile_init", ["in0"], [c]), op("copy_tile", ["in0", "t", "c0"], [c, IDX, IDX]),
                         op("binary_dest_reuse_tiles_init", ["in1"], [c], attrs),
                         op("binary_dest_reuse_tiles", ["in1", "t", "c0"], [c, IDX, IDX], attrs)],
                         f if reuse == "dest_to_srca" else lambda x, y, f=f: f(y, x)))
    for kind, attr in (("row", lambda x, y: np.tile(x[:1], (32, 1))), ("col", lambda x, y: np.tile(x[:, :1], (1, 32))),
                       ("scalar", lambda x, y: np.full((32, 32), x[0, 0]))):
        attrs = f"<{{bcast_type = #ttkernel.bcast_type<{kind}>}}>"
        made.append((f"broadcast {kind}", [op("unary_bcast_init", ["in0", "out"], [c, o], attrs),
                                           op("unary_bcast", ["in0", "t", "c0"], [c, IDX, IDX], attrs)], attr))
    for kind in ("sum", "max"):
        for dim in ("row", "col", "scalar"):
            attrs = (f"<{{reduce_type = #ttkernel.reduce_type<reduce_{kind}>, reduce_dim = #ttkernel.reduce_dim<reduce_dim_{dim}>, "
                     "full_fp32 = false}>")
            made.append((f"reduce {kind} {dim}", [op("reduce_init", ["in0", "in2", "out"], [c, c, o], attrs),
                         op("reduce_tile", ["in0", "in2", "t", "t", "c0"], [c, c, IDX, IDX, IDX], attrs)], (kind, dim)))
    made.append(("transpose", [op("transpose_wh_init", ["in0", "out"], [c, o]), op("transpose_wh_tile", ["in0", "t", "c0"], [c, IDX, IDX])],
                 lambda x, y: x.T))
    return [table.Case(name, ir, None, 0, want, 0) for name, ir, want in made]


def reduced(kind, dim, x):
    f = {"sum": np.sum, "max": np.max}[kind]
    return f(x) if dim == "scalar" else f(x, axis={"row": 1, "col": 0}[dim])


@pytest.mark.parametrize("kind", some(FLOATS))
def test_functions_of_buffers(kind):
    """Bits against the IR over all values; against NumPy over those that a matrix unit represents (its operands have
    ten bits of mantissa, tf32's)."""
    dtype, out, config = FLOATS[kind]
    config = {k: v for k, v in config.items() if k != "unpack_to_dst"}
    x, y, ones = float_inputs(dtype)
    ones[:] = 1
    cases = matrix_cases(dtype, out)
    held, results = both(cases, [x, y, ones], dtype, out, **config)
    x, y = (np.asarray(h[:, 32:], np.float64) for h in held[:2])
    for k, case in enumerate(cases):
        got = results[1, k].astype(np.float64)
        if isinstance(case.want, tuple):
            want = reduced(*case.want, x)
            got = {"row": got[:, 0], "col": got[0], "scalar": got[0, 0]}[case.want[1]]
            scale = np.abs(x).max() * (32 if case.want[0] == "sum" else 1)
        else:
            want = case.want(x, y)
            scale = np.abs(x).max() * np.abs(y).max() * 32 if case.name == "matmul" else np.maximum(np.abs(x), np.abs(y))
        step = {"f32": 2 ** -9, "bf16": 2 ** -7, "f16": 2 ** -9}.get(out, 2 ** -3)
        loss = 0 if out != "bfp_bf8" else np.abs(want).max() * 2 ** -5
        limit = np.abs(want) * step + scale * 2 ** -10 * np.ones_like(want) + loss + 2.0 ** -14
        if out == "f16":
            want = np.clip(want, -65504, 65504)
        assert (np.abs(got - want) <= limit).all(), (case.name, np.abs(got - want).max())


# ---- approximate modes ------------------------------------------------------------------------------------------------

def test_approximate_modes_compute_what_exact_ones_do():
    """As template arguments, as operands of older releases, and by the host's configuration."""
    forms = ["{0}(); {1}(0)", "{0}<true>(); {1}<true>(0)", "{0}(true); {1}(0, true)", "{0}(); {1}(0, (int)VectorMode::RC)"]
    rows = few([r for r in table.rows() if r.tiles == 1 and not r.numbers and not r.attrs and "int32" not in r.name and "bitwise" not in r.name])
    cases = [table.Case(r.name, None, form.format(r.init, r.name), 1, None, 0) for r in rows for form in forms]
    dtype, out, config = FLOATS["f32"]
    _, results = table.run(cases, float_inputs(dtype), dtype, out, approximate=True, **config)
    for k, case in enumerate(cases):
        assert results[:, k].tobytes() == results[:, k - k % len(forms)].tobytes(), case.cpp


SCALE = 1 / np.sqrt(np.float32(3))  # no bf16
WHOLE_SCALE, HALF_SCALE = table.bits(SCALE), table.bits(SCALE) >> 16
EXP = [("exp_tile_init<false, true>(); exp_tile<false, true>(0)", 1), ("exp_tile_init<true, {0}u>(); exp_tile<true, true>(0)", SCALE),
       ("exp_tile_init<true, {0}u, InputClamping::None>(); exp_tile<true, true, InputClamping::None, 8>(0, VectorMode::RC, {1})", SCALE),
       ("exp_tile_init<true, true, {0}u>(); exp_tile<true, true, true, true>(0, (int)VectorMode::RC, {1})", SCALE),
       ("exp_tile_init<false, true, {0}u>(); exp_tile<false, false, true, true>(0, (int)VectorMode::RC, {1})", None),
       ("exp_tile_init(); exp_tile<false, true>(0, (int)VectorMode::RC, {1})", None),
       ("exp_tile_init<false, true>(); exp_tile<false, true, false, false, InputClamping::ClampToNegative, 8>(0)", 1),
       ("exp_packthread_tile_init<true>(); exp_packthread_tile<true>(0)", 1)]


def test_forms_of_exp():
    """Forms of every release; a scale of the init's applies to approximation, else it is the call's, a bf16."""
    x = np.random.default_rng(0).uniform(-3, 3, (32, 32)).astype(np.float32)
    got = compute(np.concatenate([x] * len(EXP), 1), [f"{form.format(WHOLE_SCALE, HALF_SCALE)};" for form, _ in EXP])
    for i, (form, scale) in enumerate(EXP):
        by = np.uint32(HALF_SCALE << 16).view(np.float32) if scale is None else scale
        np.testing.assert_allclose(got[:, 32 * i:32 * i + 32], np.exp(x.astype(np.float64) * by), rtol=3e-7, err_msg=form)


# ---- completeness
# -----------------------------------------------------------------------------------------------------

def texts_of_kernels():
    """The texts of tests and examples outside this table."""
    here = Path(__file__).parent
    files = [*here.glob("test_cpp_*.py"), *here.glob("test_sim_cpp*.py"), *here.glob("../../examples/cpp/**/*.cpp")]
    return "".join(f.read_text() for f in files if f.name != Path(__file__).name)


NOT_CALLED = {
    "mailbox_read": "mailboxes are not simulated: reported when it is called", "mailbox_write": "likewise",
    "invoke_sfpi": "is not executed, and says so", "unreachable": "what abort and its kin become, which tests run",
    # the IR's tests run them as C++ under make check-cpp
    "max_reduce_with_indices": "test_sim_ops", "max_reduce_with_indices_init": "test_sim_ops", "write_row_mask_tile": "test_sim_ops", "write_col_mask_tile": "test_sim_ops",
    "fill_arange_tile": "test_sim_ops", "get_my_logical_mesh_position": "takes the fabric's manager", "get_device_id_from_logical_mesh_position": "takes an array of the IR's",
}


def test_every_function_is_called():
    names = set(re.findall(r"`(\w+)`", table.names_page()))
    made = {name for row in table.rows() for name in (row.name, row.init)} | set(re.findall(r"\w+", " ".join(c for c, _ in test_cpp_units.UNITS)))
    made |= {word for case in matrix_cases("f32", "f32") for word in re.findall(r"\w+", "".join(case.ir))}
    for dtype in ("f32", "si32", "u32", "u16"):
        made |= {word for case in table.api_cases(dtype) for word in re.findall(r"\w+", case.cpp)}
    assert names - made - set(re.findall(r"\w+", texts_of_kernels() + "".join(form for form, _ in EXP))) == set(NOT_CALLED)
    rows = {row.name for row in table.rows()}
    assert {c.name.partition("(")[0] for d in ("f32", "si32") for c in table.cases(d)} >= rows - {"typecast_tile", "rand_tile"}
