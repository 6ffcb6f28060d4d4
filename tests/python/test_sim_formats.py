"""Conversions by copy_tile and pack_tile, for every bf16 and f16 and a million f32 (edges among them), against
integer models written here from publications about unpackers and packers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import OUT, cb_type, mover, op, port  # noqa: E402
from tilewright import sim  # noqa: E402

ALL16 = np.arange(1 << 16, dtype=np.uint32)
RNG = np.random.default_rng(5)


def all_f32():
    """2^18 words: random bits, each exponent with mantissas around every rounding boundary."""
    edges = [s << 31 | e << 23 | m for s in (0, 1) for e in range(256) for m in
             (0, 1, 0x0FFF, 0x1000, 0x1001, 0x7FFF, 0x8000, 0x8001, 0x17FFF, 0x18000, 0x1FFFF, 0x20000, 0x3F8000, 0x400000,
              0x7E8000, 0x7EFFFF, 0x7F0000, 0x7F7FFF, 0x7F8000, 0x7FFFFF)]
    bits = RNG.integers(0, 1 << 32, 1 << 18, dtype=np.uint64).astype(np.uint32)
    near = (RNG.integers(110, 140, 1 << 17).astype(np.uint32) << 23) | (bits[: 1 << 17] & np.uint32(0x807FFFFF))
    bits[1 << 17:] = near  # groups of sixteen with similar exponents: the use case of block floats
    bits[: len(edges)] = edges
    return bits


def tile_order(values, tiles):
    """Rows of a (32, 32 * tiles) tensor, for values in the tiles' memory order."""
    faces = values.reshape(tiles, 2, 2, 16, 16)  # tile, face row, face column, row, column
    return np.ascontiguousarray(faces.transpose(1, 3, 0, 2, 4).reshape(32, 32 * tiles))


def back(array, tiles):
    return np.ascontiguousarray(array.reshape(2, 16, tiles, 2, 16).transpose(2, 0, 3, 1, 4).reshape(-1))


BITS = {"f32": np.uint32, "bf16": np.uint16, "f16": np.uint16}
HOST = {"f32": np.float32, "bf16": np.uint16, "f16": np.float16, "bfp_bf8": np.float32, "bfp_bf4": np.float32,
        "bfp_bf2": np.float32}
TEXTS = {}


def kernels(tiles, source, target, sizes):
    """One tile at a time through DST, for all of a tensor."""
    text = "module {\n"
    for name, dtype, page, read in (("read", source, sizes[0], True), ("write", target, sizes[1], False)):
        body = mover(name, 1, dtype, page, read)
        # a page at a time: the loop surrounds the call that takes one
        head, rest = body.split('    "ttkernel.cb_reserve_back"' if read else '    "ttkernel.cb_wait_front"')
        verb = "cb_reserve_back" if read else "cb_wait_front"
        rest = rest.replace("scf.for %i = %c0 to %nx step %c1 {", "").replace("    }\n", "").replace(
            "%offset = arith.muli %i32, %page : i32", "").replace("%at = arith.addi %ptr, %offset : i32", "")
        rest = rest.replace("%acc, %at)", "%acc, %ptr)").replace("    return", "    }\n    return")
        text += f'{head}    %all = arith.constant {tiles} : index\n    scf.for %i = %c0 to %all step %c1 {{\n    "ttkernel.{verb}"{rest}'
    i, o = cb_type(1, source), cb_type(1, target)
    text += f"""  func.func private @compute() attributes {{ttkernel.thread = #ttkernel.thread<compute>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w1 = arith.constant 1 : i32
    %all = arith.constant {tiles} : index
{port(0, 1, source, "in0")}
{port(1, 1, target, "out")}
    {op("init_sfpu", ["in0", "out"], [i, o])}
    {op("copy_tile_init", ["in0"], [i])}
    scf.for %k = %c0 to %all step %c1 {{
      {op("cb_wait_front", ["in0", "w1"], [i, "i32"])}
      {op("cb_reserve_back", ["out", "w1"], [o, "i32"])}
      {op("tile_regs_acquire")}
      {op("copy_tile", ["in0", "c0", "c0"], [i, "index", "index"])}
      {op("tile_regs_commit")}
      {op("tile_regs_wait")}
      {op("pack_tile", ["c0", "out", "c0"], ["index", o, "index"], "<{out_of_order = true}>")}
      {op("tile_regs_release")}
      {op("cb_push_back", ["out", "w1"], [o, "i32"])}
      {op("cb_pop_front", ["in0", "w1"], [i, "i32"])}
    }}
    return
  }}
}}
"""
    return text


def through(words, source, target, wide, to_dst=False):
    """Words of a format through DST into another: its words; for block floats the bf16 values that they unpack to."""
    grid, tiles = sim.Grid("n150"), len(words) // 1024
    data = tile_order(words.astype(BITS[source]), tiles)
    a = grid.tensor(data.shape, source, data=data.view(HOST[source]))
    b = grid.tensor(data.shape, target)
    text = kernels(tiles, source, target, (a.page_bytes, b.page_bytes))
    grid.load(text, "kernels").launch(
        [sim.Run("read", compile_args=[sim.cb(0), sim.accessor(0)], common_args=[sim.address(0)]),
         sim.Run("compute", compile_args=[sim.cb(0), sim.cb(OUT)], wide_dst=wide, unpack_to_dst=(0,) if to_dst else ()),
         sim.Run("write", compile_args=[sim.cb(OUT), sim.accessor(1)], common_args=[sim.address(1)], noc=1)],
        [sim.Buffer(0, source, 1), sim.Buffer(OUT, target, 1)], [a, b]).run()
    out = b.read(np.zeros(data.shape, HOST[target]))
    return back(out.view(BITS.get(target, np.uint32)), tiles).astype(np.uint32)


def flush(w):
    """Subnormal values become zeros of their sign."""
    return np.where(w & 0x7F800000, w, w & 0x80000000).astype(np.uint32)


def cut_bf16(w):
    """Truncates to bf16; NaN is made quiet, so that it does not become infinity."""
    nan = (w & 0x7FFFFFFF) > 0x7F800000
    return (flush(w) >> 16) | np.where(nan, 0x40, 0).astype(np.uint32)


def away_bf16(w):
    """The packer's early stage: nearest, ties away; NaN is infinity, subnormals and -0 are +0."""
    exponent = w & 0x7F800000
    out = np.where(exponent == 0x7F800000, (w & 0xFF800000) >> 16, (w.astype(np.uint64) + 0x8000) >> 16)
    return np.where(exponent == 0, 0, out).astype(np.uint32)


def test_bf16_stays():
    assert np.array_equal(through(ALL16, "bf16", "bf16", False), ALL16)
    assert np.array_equal(through(ALL16, "bf16", "f32", True), ALL16 << 16)


def test_f32_stays_on_its_way_to_a_wide_dst():
    w = all_f32()
    assert np.array_equal(through(w, "f32", "f32", True, to_dst=True), w)


def test_f32_loses_thirteen_bits_in_a_source_register():
    w = all_f32()
    got = through(w, "f32", "f32", True)
    normal = (w & 0x7F800000) != 0
    assert np.array_equal(got[normal], w[normal] & 0xFFFFE000)
    assert not (got[~normal] & 0x7FFFFFFF & ~(w[~normal] & 0x7FFFE000)).any()  # zeros, or the former value


def test_f32_is_cut_to_a_narrow_dst():
    w = all_f32()
    assert np.array_equal(through(w, "f32", "bf16", False), cut_bf16(w))


def test_packing_f32_as_bf16():
    w = all_f32()
    assert np.array_equal(through(w, "f32", "bf16", True, to_dst=True), away_bf16(w))


def block_codes(w, wide):
    """Shared exponent and 7-bit magnitude codes with their sign of groups of sixteen, from the words in DST."""
    half = flush(w) >> 16 if wide else cut_bf16(w)
    exponent = half >> 7 & 0xFF
    if wide:  # to six mantissa bits, ties away
        half = np.where((exponent == 255) | (exponent == 0), half, half + 1 & ~np.uint32(1))
        exponent = half >> 7 & 0xFF
    groups = half.reshape(-1, 16).astype(np.int64)
    e = groups >> 7 & 0xFF
    shared = e.max(axis=1)
    significand = np.where(e == 0, 0, groups & 0x7F | 0x80)
    shift = shared[:, None] - e
    # floor((m + 2^d) / 2^(d + 1)), zero for shifts by eight or more
    code = np.where(shift >= 8, 0, (significand + (1 << np.minimum(shift, 20))) >> np.minimum(shift, 20) + 1)
    code = np.minimum(code, 127)
    return shared, code, groups >> 15 & 1


def unpack_block(shared, code, sign):
    """The bf16 value of 7-bit codes in the unpacker: normalised, the exponent modulo 256."""
    shared = np.broadcast_to(shared[:, None], code.shape)
    out = np.zeros(code.shape, np.int64)
    m, e = code.copy(), shared.copy()
    for _ in range(6):
        low = (m > 0) & (m < 64)
        m, e = np.where(low, m << 1, m), np.where(low, e - 1, e)
    out = sign << 15 | (e & 0xFF) << 7 | (m & 63) << 1
    return np.where(code == 0, np.where(sign == 1, 0xFF80, 0), out).reshape(-1).astype(np.uint32)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("format,drop", [("bfp_bf8", 0), ("bfp_bf4", 4), ("bfp_bf2", 6)])
def test_packing_blocks(format, drop, wide):
    w = all_f32()
    got = through(w, "f32", format, wide, to_dst=wide)
    shared, code, sign = block_codes(w, wide)
    code = code >> drop << drop
    want = unpack_block(shared, code, np.where(code == 0, 0, sign))
    same = got >> 16 == want
    assert not (got & 0xFFFF).any() and same.all(), [(hex(x), hex(g >> 16), hex(k)) for x, g, k in
                                                     zip(w[~same][:5], got[~same][:5], want[~same][:5])]


def test_f16_stays():
    got, finite = through(ALL16, "f16", "f16", False), (ALL16 & 0x7C00) != 0x7C00
    assert np.array_equal(got[finite], ALL16[finite])
    assert ((got[~finite] & 0xFC00) == (ALL16[~finite] & 0xFC00)).all()  # infinities and NaNs stay such
    assert np.array_equal((got & 0x3FF) == 0, (ALL16 & 0x3FF) == 0)


@pytest.mark.parametrize("dtype", ["f32", "bf16", "f16", "si32", "u16", "u8"])
def test_tiles_and_rows_of_any_shape(dtype):
    """Values written to a tensor are read back, whatever part of tiles and faces the shape fills; bits are kept."""
    host = {"si32": np.int32, "u16": np.uint16, "u8": np.uint8}.get(dtype) or HOST[dtype]
    grid, edges = sim.Grid("n150"), (1, 15, 16, 17, 31, 32, 33, 65)
    for rows in edges:
        for columns in edges:
            words = RNG.integers(0, 256, (rows, columns, np.dtype(host).itemsize), np.uint8).view(host)[..., 0].copy()
            tensor = grid.tensor((rows, columns), dtype, data=words)
            out = tensor.read(np.zeros((rows, columns), host))
            assert np.array_equal(out.view(np.uint8), words.view(np.uint8)), (rows, columns)
