"""The levels of the matrix unit and the block floats, against models written here with NumPy."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import Built, cb_type, op  # noqa: E402
from test_sim_ops import regs, to_bf16  # noqa: E402
from tilewright import sim  # noqa: E402

IDX = "index"
GRIDS = {}


def grid(level, chip="n150"):
    if (level, chip) not in GRIDS:
        GRIDS[level, chip] = sim.Grid(chip, numerics=level)
    return GRIDS[level, chip]


def normal(seed, shape=(32, 32)):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def product(level, a, b, dtype, fidelity, wide=True, chip="n150"):
    tiles = a.shape[1] // 32
    c, out = cb_type(tiles, dtype), ("f32" if wide else "bf16")
    steps = [op("mm_init", ["in0", "in1", "out", "w0"], [c, c, cb_type(1, out), "i32"])]
    steps += [op("matmul_tiles", ["in0", "in1", f"c{k}", f"c{k}", "c0"], [c, c, IDX, IDX, IDX]) for k in range(tiles)]
    built = Built(grid(level, chip), [a, b], [dtype, dtype], (32, 32), out, regs(*steps, out=(out, 1)), wide_dst=wide,
                  fidelity=fidelity)
    return built.run()


def eltwise(level, name, a, b, dtype, fidelity=4, wide=True):
    c, out = cb_type(1, dtype), ("f32" if wide else "bf16")
    steps = [op(f"{name}_tiles_init", ["in0", "in1"], [c, c]),
             op(f"{name}_tiles", ["in0", "in1", "c0", "c0", "c0"], [c, c, IDX, IDX, IDX])]
    return Built(grid(level), [a, b], [dtype, dtype], (32, 32), out, regs(*steps, out=(out, 1)), wide_dst=wide,
                 fidelity=fidelity).run()


def keep(x, mantissa):
    """Truncates to `mantissa` bits of mantissa."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return (bits & np.uint32(0xFFFFFFFF << (23 - mantissa) & 0xFFFFFFFF)).view(np.float32)


# ---- fidelity --------------------------------------------------------------------------------

def phases_of(a, b, fidelity):
    """in0 is SrcB (7 bits a phase), in1 SrcA (5 bits): the sum of the phases' products, exactly."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    a_high, b_high = keep(a, 6).astype(np.float64), keep(b, 4).astype(np.float64)
    a_low, b_low = keep(a, 10) - a_high, keep(b, 9) - b_high
    parts = [(a_high, b_high), (a_high, b_low), (a_low, b_high), (a_low, b_low)]
    return parts[:fidelity]


@pytest.mark.parametrize("fidelity", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["bf16", "f32"])
def test_phases_cut_operands(fidelity, dtype):
    a, b = normal(1), normal(2)
    if dtype == "bf16":
        a, b = to_bf16(a), to_bf16(b)
    want = sum(x @ y for x, y in phases_of(keep(a, 10), keep(b, 10), fidelity))
    got = product("fidelity", a, b, dtype, fidelity)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-5)
    want = sum(x * y for x, y in phases_of(keep(b, 10), keep(a, 10), fidelity))  # in0 is SrcA here
    np.testing.assert_allclose(eltwise("fidelity", "mul", a, b, dtype, fidelity), want, rtol=1e-6)


def test_where_fewer_phases_are_exact():
    a, b = to_bf16(normal(3)), to_bf16(normal(4))
    assert np.array_equal(product("fidelity", a, b, "bf16", 4), product("value", a, b, "bf16", 4))
    assert not np.array_equal(product("fidelity", a, b, "bf16", 1), product("value", a, b, "bf16", 4))
    for dtype, phases in (("bfp_bf8", 2), ("bfp_bf4", 1), ("bfp_bf2", 1)):
        assert np.array_equal(product("fidelity", a, b, dtype, phases), product("value", a, b, dtype, 4)), dtype


def test_value_level_ignores_fidelity():
    a, b = to_bf16(normal(5)), to_bf16(normal(6))
    assert np.array_equal(product("value", a, b, "bf16", 1), product("value", a, b, "bf16", 4))


# ---- bits: the unit's integer arithmetic, reimplemented with NumPy ----------------------------

def fields(x):
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.int64)
    return bits >> 31, bits >> 23 & 255, bits & 0x7FFFFF


def shifted(m, by, down):
    """m / 2^by to nearest, ties up; `down`: these ties go down."""
    by = np.maximum(by, 0)
    half = np.where(by > 0, (1 << np.maximum(np.minimum(by, 40) - 1, 0)) - down, 0)
    return np.where(by >= 31, 0, (m + half) >> np.minimum(by, 40))


def add_to_dst(terms, dst, wide, wormhole):
    """terms: (sign, exponent, magnitude with its one at bit 23)."""
    sign, exp, man = fields(dst)
    man = np.where(exp > 0, man | 0x800000, 0)
    top = np.maximum.reduce([exp, *(t[1] for t in terms)])
    total = shifted(man, top - exp, 0)
    total = total if wide else (total + 4096) >> 13 << 13
    total = np.where(sign == 1, -total, total)
    for s, e, m in terms:
        m = shifted(m, top - e, s)
        m = m if wide else (m + 4096 - s) >> 13 << 13
        total = total + np.where(s == 1, -m, m)
    man = np.abs(total)
    # an empty sum is +0; else its top bit goes to bit 23
    width = np.where(man > 0, np.floor(np.log2(np.maximum(man, 1))).astype(np.int64) + 1, 24)
    up = 24 - width
    if wormhole:
        up = np.where((total < 0) & (man == 1), up - 27, up)
    exp = top - up
    drop = 0 if wide else 16
    up = up - drop
    left = man << np.maximum(up, 0)
    right = (man + (1 << np.maximum(-up - 1, 0))) >> np.maximum(-up, 0)
    man2 = np.where(up < 0, right, left) << drop
    exp = exp + (man2 >> 24 & 1)
    bits = np.where(total < 0, 1 << 31, 0) | np.where(exp >= 255, 255 << 23, (exp << 23) | (man2 & 0x7FFFFF))
    bits = np.where((man == 0) | (exp <= 0) | (top <= 0), 0, bits)
    return bits.astype(np.uint32).view(np.float32)


def part(x, source_a, phase):
    sign, exp, man = fields(x)
    man = man >> 13 | 0x400
    low = phase & 1 if source_a else phase & 2
    man = (man >> 1 & 31 if low else man >> 6) if source_a else ((man & 15) << 3 if low else man >> 4)
    return sign, exp, man


def model_product(a, b, fidelity, wide, wormhole=True):
    dst = np.zeros((32, 32), np.float32)
    for phase in range(fidelity):
        bias = -127 - (5 if phase & 1 else 0) - (7 if phase & 2 else 0)
        for half in (0, 16):
            x, y = a[:, half:half + 16], b[half:half + 16]
            sx, ex, mx = (v[:, :, None] for v in part(x, False, phase))
            sy, ey, my = (v[None] for v in part(y, True, phase))
            zero = (ex == 0) | (ey == 0)
            exp = np.where(zero, max(bias, 0), ex + ey + bias)
            man = np.where(zero, 0, mx * my)
            sign = np.where(zero, 0, sx ^ sy)
            terms = []
            for k in (0, 8):
                e, m, s = exp[:, k:k + 8], man[:, k:k + 8], sign[:, k:k + 8]
                top = e.max(axis=1)
                by = np.minimum(top[:, None] - e, 30)
                m = (2 * m + (1 << by)) >> (by + 1)
                total = np.where(s == 1, -m, m).sum(axis=1)
                total = np.where(top > 0, total, 0)
                terms.append(((total < 0).astype(np.int64), np.where(top > 0, top, 0), np.abs(total) << 13))
            dst = add_to_dst(terms, dst, wide, wormhole)
    return dst


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("fidelity", [1, 2, 3, 4])
def test_bits_of_a_product(fidelity, wide):
    a, b = to_bf16(normal(7) * np.exp2(np.random.default_rng(8).integers(-20, 20, (32, 32)))), to_bf16(normal(9))
    a.flat[::7] = 0
    got = product("bit", a, b, "bf16", fidelity, wide)
    assert np.array_equal(got, model_product(a, b, fidelity, wide))


def test_bits_of_tf32_and_of_blackhole():
    a, b = keep(normal(10), 10), keep(normal(11), 10)
    assert np.array_equal(product("bit", a, b, "f32", 4), model_product(a, b, 4, True))
    b[0] = -b[0]
    got = product("bit", a, b, "f32", 4, chip="p150")
    assert np.array_equal(got, model_product(a, b, 4, True, wormhole=False))
    # the levels agree but for rounding
    np.testing.assert_allclose(got, product("value", a, b, "f32", 4), rtol=2e-2, atol=2e-2)


def test_bits_of_sums():
    a, b = to_bf16(normal(12)), to_bf16(normal(13) * np.exp2(np.random.default_rng(14).integers(-14, 14, (32, 32))))
    for name, other in (("add", b), ("sub", -b)):
        big, small = np.where(np.abs(a) >= np.abs(other), a, other), np.where(np.abs(a) >= np.abs(other), other, a)
        (sx, ex, mx), (sy, ey, my) = fields(big), fields(small)
        mx, my = (np.where(e > 0, m >> 13 | 0x400, 0) for m, e in ((mx, ex), (my, ey)))
        by = ex - ey
        my = np.where(by > 11, 0, (my + np.where(by > 0, 1 << np.maximum(np.minimum(by, 20) - 1, 0), 0)) >> np.minimum(by, 20))
        man = np.where(sx == sy, mx + my, mx - my) << 13
        for wide in (True, False):
            want = add_to_dst([(sx, ex, man)], np.zeros((32, 32), np.float32), wide, True)
            assert np.array_equal(eltwise("bit", name, a, b, "bf16", wide=wide), want), (name, wide)


# ---- block floats ----------------------------------------------------------------------------

BITS = {"bfp_bf8": 7, "bfp_bf4": 3, "bfp_bf2": 1}


def host_block(x, width):
    """Groups of 16 in a row share the largest exponent; significands are truncated to it, then rounded to nearest
    even."""
    groups = x.reshape(-1, 16)
    sign, exp, man = fields(groups)
    man = np.where(exp > 0, man | 0x800000, 0)
    top = exp.max(axis=1, keepdims=True)
    kept = np.where(top - exp < 24, man >> np.minimum(top - exp, 24), 0)
    drop = 24 - width
    code, rest, half = kept >> drop, kept & ((1 << drop) - 1), 1 << (drop - 1)
    code = np.minimum(code + ((rest > half) | ((rest == half) & (code & 1 == 1))), (1 << width) - 1)
    value = np.ldexp(code.astype(np.float64), top - 127 - (width - 1))
    return np.where(sign == 1, -value, value).reshape(x.shape).astype(np.float32)


@pytest.mark.parametrize("dtype", BITS)
def test_host_blocks(dtype):
    x = normal(15, (64, 96)) * np.exp2(np.random.default_rng(16).integers(-30, 30, (64, 96))).astype(np.float32)
    x.flat[::11] = 0
    t = grid("value").tensor(x.shape, dtype, data=x)
    assert np.array_equal(t.read(np.zeros(x.shape, np.float32)), host_block(x, BITS[dtype]))


@pytest.mark.parametrize("dtype", BITS)
def test_packed_blocks(dtype):
    """A 16-bit DST: the packer sees 8 significant bits, rounds ties away, truncates narrower codes."""
    x = to_bf16(normal(17))
    c, o = cb_type(1, "bf16"), cb_type(1, dtype)
    steps = [op("init_sfpu", ["in0", "out"], [c, o]), op("copy_tile_init", ["in0"], [c]),
             op("copy_tile", ["in0", "c0", "c0"], [c, IDX, IDX])]
    got = Built(grid("value"), [x], ["bf16"], (32, 32), dtype, regs(*steps, out=(dtype, 1))).run()
    sign, exp, man = fields(x.reshape(-1, 16))
    man = np.where(exp > 0, man >> 16 | 128, 0)
    by = exp.max(axis=1, keepdims=True) - exp
    code = np.where(by >= 8, 0, np.minimum((man + (1 << np.minimum(by, 8))) >> (np.minimum(by, 8) + 1), 127))
    code = code >> (7 - BITS[dtype]) << (7 - BITS[dtype])
    value = np.ldexp(code.astype(np.float64), exp.max(axis=1, keepdims=True) - 127 - 6)
    assert np.array_equal(got, np.where(sign == 1, -value, value).reshape(32, 32).astype(np.float32))
