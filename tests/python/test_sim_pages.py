"""Pages and shards: noc_async_read_page, noc_async_read_shard and their writes, in IR and as the C++ that is emitted
for it. A reader copies a tensor by parts into a circular buffer, a writer copies them to another."""

import itertools

import numpy as np
import pytest
from cpp_kernels import CPP, also_in_cpp
from tilewright import sim

both = pytest.mark.parametrize("cpp", [False, CPP])

KERNEL = """
func.func private @{name}() attributes {{ttkernel.thread = #ttkernel.thread<noc>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {parts} : index
  %w0 = arith.constant 0 : i32
  %w1 = arith.constant 1 : i32
  %own = arith.constant {noc} : i8
  %pages = arith.constant {pages} : i32
  %bytes = arith.constant {bytes} : i32
  %page = arith.constant {page} : i32
  %cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 0 : i32}}> : () -> {cb}
  %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
  %args = ttkernel.TensorAccessorArgs(%w1, %w0)
  %acc = ttkernel.TensorAccessor(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
  "ttkernel.{begin}"(%cb, %pages) : ({cb}, i32) -> ()
  %ptr = "ttkernel.{pointer}"(%cb) : ({cb}) -> i32
  scf.for %i = %c0 to %n step %c1 {{
    %i32 = arith.index_cast %i : index to i32
    %offset = arith.muli %i32, %bytes : i32
    %at = arith.addi %ptr, %offset : i32
    {move}
  }}
  {barrier}
  "ttkernel.{end}"(%cb, %pages) : ({cb}, i32) -> ()
  return
}}
"""


def kernel(read, what, parts, pages, bytes, page, dtype, noc=None, attrs="", barrier=True, number="%i32"):
    way = "read" if read else "write"
    own = "" if noc is None else ", %own"
    types = "(i32, !ttkernel.TensorAccessor, i32" + (")" if noc is None else ", i8)") + " -> ()"
    return KERNEL.format(
        name="reader" if read else "writer", parts=parts, pages=pages, bytes=bytes, page=page, noc=noc or 0,
        cb=f"!ttkernel.cb<{pages}, !ttcore.tile<32x32, {dtype}>>",
        begin="cb_reserve_back" if read else "cb_wait_front", pointer="get_write_ptr" if read else "get_read_ptr",
        move=f"ttkernel.noc_async_{way}_{what}({number}, %acc, %at{own}) {attrs} : {types}",
        barrier="" if not barrier else f"ttkernel.noc_async_{way}_barrier({'' if noc is None else '%own'}) : "
                + ("() -> ()" if noc is None else "(i8) -> ()"),
        end="cb_push_back" if read else "cb_pop_front")


def moved(text, x, dtype, page, pages, cpp, from_memory=sim.DRAM, to_memory=sim.DRAM, shards=(), cores=(), tiled=True):
    grid = sim.Grid("n150", cpp=cpp)
    lies = [{"memory": m, "tiled": tiled, **({"shards": shards, "cores": cores} if m in (sim.DRAM_SHARDED, sim.L1_SHARDED) else {})}
            for m in (from_memory, to_memory)]
    a, out = grid.tensor(x.shape, dtype, data=x, **lies[0]), grid.tensor(x.shape, dtype, **lies[1])
    launch = grid.load(text, "pages.mlir").launch(
        [sim.Run("reader", compile_args=[sim.cb(0), sim.accessor(0)], common_args=[sim.address(0)], noc=0),
         sim.Run("writer", compile_args=[sim.cb(0), sim.accessor(1)], common_args=[sim.address(1)], noc=1)],
        cbs=[sim.Buffer(0, dtype, pages, page_bytes=page)], tensors=[a, out])
    return launch, out


@also_in_cpp("memory, noc", list(itertools.product([sim.DRAM, sim.L1], [None, 0, 1])),
             lambda memory, noc: (noc is None) == (memory == sim.L1))
def test_pages(memory, noc, cpp):
    """Fourteen tiles: more than there are banks."""
    x = np.random.default_rng(1).integers(0, 65536, (64, 224)).astype(np.uint16)
    text = kernel(True, "page", 14, 14, 2048, 2048, "u16", noc) + kernel(False, "page", 14, 14, 2048, 2048, "u16", noc)
    launch, out = moved(text, x, "u16", 2048, 14, cpp, memory, memory)
    launch.run()
    assert np.array_equal(out.read(np.zeros_like(x)), x)


@both
def test_pages_from_an_offset(cpp):
    """As many bytes as a page has: the end of one, and the beginning of the next in its bank."""
    x = np.random.default_rng(2).integers(0, 65536, (32, 32 * 24)).astype(np.uint16)  # two pages in each of 12 banks
    text = kernel(True, "page", 12, 12, 2048, 2048, "u16", attrs="{offset = 512 : i32}") \
        + kernel(False, "page", 12, 12, 2048, 2048, "u16")
    launch, out = moved(text, x, "u16", 2048, 12, cpp)
    out.write(np.zeros_like(x))
    launch.run()
    tiles = x.reshape(32, 24, 32).transpose(1, 0, 2).reshape(24, 2, 16, 2, 16).transpose(0, 1, 3, 2, 4).reshape(24, 1024)
    got = out.read(np.zeros_like(x))[:, :32 * 12]
    got = got.reshape(32, 12, 32).transpose(1, 0, 2).reshape(12, 2, 16, 2, 16).transpose(0, 1, 3, 2, 4).reshape(12, 1024)
    assert np.array_equal(got, np.concatenate([tiles[:12, 256:], tiles[12:, :256]], 1))


@also_in_cpp("lies, held, noc", list(itertools.product(
    [(sim.L1_SHARDED, (2, 2), (1, 0, 2)), (sim.L1_SHARDED, (4, 1), (0, 3, 1)), (sim.DRAM_SHARDED, (2, 2), ()), (sim.DRAM_SHARDED, (1, 4), ())],
    [("u16", np.uint16, 2048), ("f32", np.float32, 4096), ("u8", np.uint8, 1024)], [None, 1])),
    lambda lies, held, noc: held[0] == "u16" and noc is not None and lies[1][0] == 2)
def test_shards(lies, held, noc, cpp):
    """Four shards of eight tiles each, written in reverse order."""
    (memory, shards, cores), (dtype, numbers, page) = lies, held
    x = np.random.default_rng(3).integers(0, 100, (128, 256)).astype(numbers)
    n = 8 * page
    back = "%three = arith.constant 3 : i32\n    %last = arith.subi %three, %i32 : i32\n    "
    text = kernel(True, "shard", 4, 32, n, page, dtype, noc) + \
        kernel(False, "shard", 4, 32, n, page, dtype, noc, number="%last").replace("ttkernel.noc_async_write_shard",
                                                                                   back + "ttkernel.noc_async_write_shard")
    launch, out = moved(text, x, dtype, page, 32, cpp, memory, memory, shards, cores)
    launch.run()
    rows, columns = 128 // shards[0], 256 // shards[1]
    cut = [x[r * rows:(r + 1) * rows, c * columns:(c + 1) * columns] for r in range(shards[0]) for c in range(shards[1])]
    cut = cut[::-1]
    want = np.block([[cut[r * shards[1] + c] for c in range(shards[1])] for r in range(shards[0])])
    assert np.array_equal(out.read(np.zeros_like(x)), want)


@both
def test_shards_of_rows(cpp):
    """A tensor in rows: those of a shard are contiguous."""
    x = np.random.default_rng(4).standard_normal((64, 64)).astype(np.float32)
    text = kernel(True, "shard", 4, 4, 4096, 128, "f32") + kernel(False, "shard", 4, 4, 4096, 128, "f32")
    launch, out = moved(text, x, "f32", 4096, 4, cpp, sim.L1_SHARDED, sim.L1_SHARDED, (2, 2), (2, 2, 2), tiled=False)
    launch.run()
    assert np.array_equal(out.read(np.zeros_like(x)), x)


MISTAKES = [
    ("page", sim.DRAM, 5, {}, "page 4 of a tensor of 4 pages"),
    ("shard", sim.L1_SHARDED, 5, {}, "shard 4 of a tensor of 4 shards"),
    ("shard", sim.DRAM_SHARDED, 5, {}, "shard 4 of a tensor of 4 shards"),
    ("shard", sim.DRAM, 4, {}, "the tensor is interleaved: it has pages, and no shards"),
    ("shard", sim.L1, 4, {}, "the tensor is interleaved: it has pages, and no shards"),
    ("page", sim.DRAM, 4, {"bytes": 2056}, "differ modulo"),
    ("shard", sim.L1_SHARDED, 4, {"bytes": 2056}, "differ modulo"),
    ("page", sim.DRAM, 4, {"bytes": 1 << 20}, "is not within this core's L1"),
    ("shard", sim.L1_SHARDED, 4, {"bytes": 1 << 20}, "is not within this core's L1"),
    ("page", sim.DRAM, 4, {"barrier": False}, "barrier"),
    ("shard", sim.L1_SHARDED, 4, {"barrier": False}, "barrier"),
    ("page", sim.DRAM, 4, {"attrs": "{offset = 1024 : i32}"}, "no tensor has 2048 bytes in DRAM bank"),
]


@also_in_cpp("mistake, read", list(itertools.product(MISTAKES, [True, False])),
             lambda mistake, read: read == (mistake[1] == sim.DRAM) and mistake[1] in (sim.DRAM, sim.L1_SHARDED))
def test_mistakes(mistake, read, cpp):
    what, memory, parts, change, says = mistake
    x = np.zeros((64, 64), np.uint16)
    made = dict(parts=parts, bytes=2048, pages=4, page=2048, dtype="u16") | change
    good = dict(parts=4, bytes=2048, pages=4, page=2048, dtype="u16")
    other = "page" if memory in (sim.DRAM, sim.L1) else "shard"
    text = kernel(True, what if read else other, **(made if read else good)) \
        + kernel(False, other if read else what, **(good if read else made))
    launch, _ = moved(text, x, "u16", 2048, 4, cpp, memory, memory, (2, 2), (0, 0, 2))
    with pytest.raises(sim.KernelError, match=says) as error:
        launch.run()
    assert f"noc_async_{'read' if read else 'write'}_{what}" in str(error.value) or cpp
