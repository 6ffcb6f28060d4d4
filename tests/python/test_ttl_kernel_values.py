"""Arguments and results of kernels in the specification's IR: results, operands of threads, buffers on some cores
only; run on the grid."""

from pathlib import Path

import numpy as np
import pytest
from cpp_kernels import also_in_cpp
from tilewright import _core, sim

TEXT = (Path(__file__).parents[1] / "lit/ttl/kernel-values.mlir").read_text()
TWICE = TEXT[TEXT.index("\nfunc.func @twice"):TEXT.index("// A kernel that names")].replace("bf16", "f32")
ALL = TWICE.replace("memory_space=L1\n", "memory_space=L1, core_ranges = #ttl.core_mask<[13]>\n")  # both buffers
PASSES = ("builtin.module(ttl-validate,ttl-insert-synchronization,ttl-allocate-cbs,ttl-expand-threads,ttl-assign-dst-registers,"
          "ttl-lower-to-ttkernel)")


def run(text, cpp=False, columns=2):
    grid = sim.Grid(cpp=cpp)
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    tensors = [grid.tensor((64, 64), "f32", data=d) for d in (x, np.zeros_like(x))]
    cores = (0, 0, 4 // columns, columns)
    ports, accessors = [sim.cb(i) for i in range(2)], [sim.accessor(i) for i in range(2)]
    grid.load(_core.transform(text, "plan.mlir", PASSES), "plan.mlir").launch(
        [sim.Run("reader", cores, ports + accessors, [sim.address(0)]),
         sim.Run("twice_compute0", cores, ports, wide_dst=True, unpack_to_dst=(0, 1)),
         sim.Run("twice_datamovement1", cores, ports + accessors, [sim.address(1)], noc=1)],
        [sim.Buffer(i, "f32", 2) for i in range(2)], tensors).run()
    return x, tensors[1].read(np.empty_like(x))


def tile(array, number):
    row, column = divmod(number, 2)
    return array[32 * row:32 * row + 32, 32 * column:32 * column + 32]


@also_in_cpp("mask, columns", [(13, 2), (6, 2), (9, 1), (15, 4)], lambda mask, columns: mask == 13)
def test_threads_run_on_the_cores_of_their_buffers(mask, columns, cpp):
    text = ALL.replace("[13]", f"[{mask}]").replace("<[2, 2]>", f"<[{columns}, {4 // columns}]>")
    x, got = run(text, cpp, columns)
    for core in range(4):
        assert np.array_equal(tile(got, core), tile(2 * x, core) if mask >> core & 1 else np.zeros((32, 32)))


def test_other_cores_have_no_such_buffer():
    """A condition of the author's own, and wrong: core 2 does not have the buffer."""
    branch = ALL.replace("%n = ttl.core_linear() : index\n      %b = ttl.cb_reserve", """%n = ttl.core_linear() : index
      %least = arith.constant 1 : index
      %some = arith.cmpi sgt, %n, %least : index
      scf.if %some {
      %b = ttl.cb_reserve""").replace("ttl.cb_push %b\n", "ttl.cb_push %b\n      }\n", 1)
    with pytest.raises(sim.KernelError, match="circular buffer 0 is not configured on this core") as error:
        run(branch.replace("[13]", "[8]"))
    assert "core_ranges" in str(error.value)


@pytest.mark.parametrize("ranges", ["[1 : i32]", "[array<i32: 0, 1>]", "[array<i64>]"])
def test_invalid_core_ranges_are_rejected(ranges):
    text = f"func.func @k() attributes {{ttkernel.thread = #ttkernel.thread<noc>, ttl.core_ranges = {ranges}}} {{ return }}"
    with pytest.raises(RuntimeError, match="ttl.core_ranges: entry 0 is no array of 64 bits, of a port and its cores"):
        sim.Grid(cpp=False).load(text).launch([sim.Run("k")])


def test_one_kernel_reads_what_another_gave():
    """Each core's tile through two kernels: the second one's input is the first one's result."""
    head, body = TWICE[:TWICE.index("%r = ttl.kernel")], TWICE[TWICE.index("%r = ttl.kernel"):TWICE.rindex("  return")]
    body = body.replace(", core_ranges = #ttl.core_mask<[13]>", "")
    again = body.replace("%r =", "%s =").replace("(%x, %out)", "(%r, %more)").replace('name = "reader"', 'name = "second"')
    head = head.replace("%out: tensor<64x64xf32>)", "%out: tensor<64x64xf32>, %more: tensor<64x64xf32>)")
    text = _core.transform(head + body + again + "return %s : tensor<64x64xf32> }", "plan.mlir", PASSES)
    host = text[text.index("func.func @twice("):]
    assert "return %arg2 " in host[:host.index("}")]
    grid = sim.Grid()
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    tensors = [grid.tensor((64, 64), "f32", data=d) for d in (x, np.zeros_like(x), np.zeros_like(x))]
    kernels = grid.load(text, "plan.mlir")
    cores, ports, accessors = (0, 0, 2, 2), [sim.cb(i) for i in range(2)], [sim.accessor(i) for i in range(2)]
    for (reader, number), pair in zip((("reader", 0), ("second", 1)), (tensors[:2], tensors[1:])):
        writer = f"twice_datamovement{number + 1}"
        kernels.launch([sim.Run(reader, cores, ports + accessors, [sim.address(0)]),
                        sim.Run(f"twice_compute{number}", cores, ports, wide_dst=True, unpack_to_dst=(0, 1)),
                        sim.Run(writer, cores, ports + accessors, [sim.address(1)], noc=1)],
                       [sim.Buffer(i, "f32", 2) for i in range(2)], pair).run()
    assert np.array_equal(tensors[2].read(np.empty_like(x)), 4 * x)
