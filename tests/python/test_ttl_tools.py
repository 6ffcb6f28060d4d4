"""Tools of the language: distribution of work, the dialect's bindings, profiles by lines."""

import csv
import gc
import math
import os
import re
import shutil
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
from ttl.utils.block_allocation import (  # noqa: E402
    get_large_matmul_params,
    get_maximum_block_dim,
    num_cores_to_grid_ranges,
    split_work_to_cores,
)


def cores_between(group, grid, row_wise):
    """The number of cores of a group, from the indices of its first and last core."""
    if not group:
        return 0

    def number(core):
        y, x = ((0,) + tuple(core))[-2:]
        return y * grid[-1] + x if row_wise else x * ((1,) + tuple(grid))[-2] + y

    return number(group[1]) - number(group[0]) + 1


@pytest.mark.parametrize("grid", [(8, 8), (7, 9), (1, 5), (1, 1, 4, 3), (6,)])
@pytest.mark.parametrize("row_wise", [True, False])
def test_work_is_shared_out_evenly(grid, row_wise):
    if len(grid) == 1 and not row_wise:
        return
    for units in [0, 1, 5, 12, 63, 64, 100, 129]:
        cores, one, two, more, less = split_work_to_cores(grid, units, row_wise)
        first, second = (cores_between(g, grid, row_wise) for g in (one, two))
        assert first + second == cores == min(units, math.prod(grid))
        assert first * more + second * less == units
        assert not second or more == less + 1


def test_ranges_cover_the_cores_once():
    for start, count in [((0, 0), 9), ((1, 2), 13), ((0, 3), 1), ((2, 0), 12)]:
        for row_wise in (True, False):
            seen = []
            for (y0, x0), (y1, x1) in num_cores_to_grid_ranges(start, count, (5, 6), row_wise):
                seen += [(y, x) for y in range(y0, y1 + 1) for x in range(x0, x1 + 1)]
            assert len(seen) == len(set(seen)) == count
            assert seen[0] == start
    with pytest.raises(AssertionError, match="Target 31 exceeds available 30"):
        num_cores_to_grid_ranges((0, 0), 31, (5, 6))


@pytest.mark.parametrize("m, n, k", [(16, 16, 8), (7, 7, 8), (21, 42, 8), (64, 64, 2), (40, 65, 4), (13, 26, 1)])
def test_blocks_of_products_fit(m, n, k):
    h, w, sub_h, sub_w = get_large_matmul_params(m, n, 8, 8, k)
    assert m % h == n % w == h % sub_h == w % sub_w == 0
    assert m // h <= 8 and n // w <= 8 and sub_h * sub_w <= 8
    assert w <= get_maximum_block_dim(h, k) or h <= get_maximum_block_dim(w, k)
    assert 2 * k * h + 2 * k * w + h * w <= 400


def test_a_product_too_large_for_the_grid_has_no_blocks():
    assert get_large_matmul_params(256, 256, 8, 8, 1) == (0, 0, 0, 0)


def test_the_dialect_is_there_in_python():
    from ttl.dialects import ttl as dialect
    from ttmlir import ir
    from ttmlir.dialects import arith, func, scf, ttcore

    with ir.Context() as ctx, ir.Location.unknown():
        dialect.ensure_dialects_registered(ctx)
        assert str(dialect.SliceAttr.get(ctx, 15, stop=0, step=-1)) == "#ttl.slice<start = 15, stop = 0, step = -1>"
        tile = ttcore.ir.TileType.get(ctx, 32, 32, 2)
        cb = dialect.CircularBufferType.get(ctx, [1, 2], tile, 2)
        block = ir.RankedTensorType.get([1, 2], tile)
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            function = func.FuncOp("work", ir.FunctionType.get([], []))
            with ir.InsertionPoint(function.add_entry_block()):
                a, b = (dialect.bind_cb(cb, cb_index=i, buffer_factor=2) for i in (0, 1))
                index = ir.IndexType.get(ctx)
                zero, one, four = (arith.ConstantOp(index, n).result for n in (0, 1, 4))
                loop = scf.ForOp(zero, four, one)
                with ir.InsertionPoint(loop.body):
                    x = dialect.attach_cb(block, dialect.cb_wait(block, a), a)
                    dialect.attach_cb(block, dialect.cb_reserve(block, b), b)
                    dialect.attach_cb(block, dialect.exp(block, x), b)
                    branch = scf.IfOp(arith.cmpi(0, loop.induction_variable, zero), hasElse=True)
                    for side, op in ((branch.then_block, dialect.cb_push), (branch.else_block, dialect.cb_push)):
                        with ir.InsertionPoint(side):
                            op(b)
                            scf.YieldOp([])
                    dialect.cb_pop(a)
                    scf.YieldOp([])
                func.ReturnOp([])
        module.operation.verify()
        assert "scf.for" in str(module) and "else" in str(module) and "ttl.exp" in str(module)


PROFILED = """
import torch, ttl

@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as b, out_cb.reserve() as o:
            o.store(-b)

    @ttl.datamovement()
    def read():
        b = x_cb.reserve()
        ttl.copy(x[0, 0], b).wait()
        x_cb.push()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as b:
            ttl.copy(b, out[0, 0]).wait()

x, out = torch.ones(32, 32), torch.zeros(32, 32)
kernel(x, out)
assert out[0, 0] == -1
print(kernel.ir(x, out, level="cpp"))
"""


def test_profiles_by_lines_mark_lines_and_buffers(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(PROFILED)
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=300,
                         env={**os.environ, "TTLANG_AUTO_PROFILE": "1", "PYTHONPATH": os.pathsep.join(sys.path),
                              "TTLANG_PROFILE_CSV": str(tmp_path / "zones.csv")})
    assert run.returncode == 0, run.stderr
    for mark in ("line_11_cb_wait_before", "line_11_implicit_cb_pop_after", "line_12_before", "line_16_cb_reserve_after",
                 "line_18_cb_push_before"):
        assert f'DeviceZoneScopedN("{mark}")' in run.stdout, mark
    assert "cycles" in run.stdout  # the profile
    check_zones((tmp_path / "zones.csv").read_text().splitlines(), run.stdout)


def check_zones(lines, profile):
    """As tt-metal's profiler writes them: each zone begins and ends; a kernel's takes its thread's cycles."""
    assert re.fullmatch(r"ARCH: wormhole_b0, CHIP_FREQ\[MHz\]: 1000, Max Compute Cores: 64", lines[0])
    rows = list(csv.DictReader(lines[1:], skipinitialspace=True))
    starts, took = {}, {}
    for row in rows:
        key = row["RISC processor type"], row["zone name"]
        if row["type"] == "ZONE_START":
            starts[key] = int(row["time[cycles since reset]"])
        else:
            took[key] = int(row["time[cycles since reset]"]) - starts.pop(key)
    assert not starts and {r["run host ID"] for r in rows} == {"1"} and {r["core_x"] for r in rows} == {"18"}
    threads = {name: int(cycles) for name, cycles in re.findall(r"0,0  @(\w+) +(\d+) ", profile)}
    of = {"compute": ("TRISC_1", "TRISC-KERNEL"), "read": ("NCRISC", "NCRISC-KERNEL"), "write": ("BRISC", "BRISC-KERNEL")}
    assert threads and all(took[of[name]] == cycles for name, cycles in threads.items())
    assert took["TRISC_1", "line_11_cb_wait_before"] == 0 and ("NCRISC", "line_18_cb_push_before") in took


def test_older_module_names():
    from ttl.circular_buffer import CircularBuffer
    from ttl.ttl_api import pykernel_gen

    assert CircularBuffer is ttl.CircularBuffer and pykernel_gen is ttl.kernel


# ---- C++ kernels, described as in ttnn ------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("c++") and not shutil.which("g++"), reason="kernels in C++ need a compiler")
def check_launches_of_a_hash(device, specs, a, out, x, cores, buffers):
    """Calls of a program with a hash share a launch while tensors and arguments are the same; it ends with its tensors."""
    import ttnn
    from ttl.kernel_runner import build_cb_descriptors, build_kernel_descriptors, build_tensor_accessor_args
    from ttnn import _program

    def program(out, number):
        kernels = build_kernel_descriptors(specs, [a, out], build_tensor_accessor_args([a, out]), cores, 2, 1, 2)
        return ttnn.ProgramDescriptor(kernels, build_cb_descriptors([a, out], buffers, cores), custom_program_hash=number)

    kept = _program._KEPT[device]
    assert not kept
    for call in range(4):
        ttnn.copy_host_to_device_tensor(ttnn.from_torch(x * (call + 1), dtype=ttnn.bfloat16), a)
        assert ttnn.generic_op([a, out], program(out, 7)) is out
        assert torch.equal(ttnn.to_torch(out), -x * (call + 1)) and len(kept) == 1
        launch = next(iter(kept.values()))[0]
        ran = ran if call else launch
        assert launch is ran
    ttnn.copy_host_to_device_tensor(ttnn.from_torch(x, dtype=ttnn.bfloat16), a)
    ttnn.generic_op([a, out], program(out, None))
    assert len(kept) == 1 and torch.equal(ttnn.to_torch(out), -x)
    ttnn.generic_op([a, out], program(out, 8))
    assert len(kept) == 2
    other = ttnn.from_torch(torch.zeros_like(x), dtype=ttnn.bfloat16, device=device)
    ttnn.generic_op([a, other], program(other, 7))
    assert torch.equal(ttnn.to_torch(other), -x) and len(kept) == 3
    changed = program(out, 7)
    changed.kernels[1].common_runtime_args = [*changed.kernels[1].common_runtime_args, 5]
    ttnn.generic_op([a, out], changed)
    assert len(kept) == 4 and next(reversed(kept.values()))[0] is not ran
    del other
    gc.collect()
    assert len(kept) == 3


def test_kernels_as_files_run_through_generic_op(tmp_path):
    import ttnn
    from ttl.kernel_runner import (KernelSpec, build_cb_descriptors, build_kernel_descriptors, build_tensor_accessor_args,
                                   run_kernel_on_device)

    @ttl.kernel(grid=(2, 1))
    def negate(a, out):
        a_cb = ttl.make_circular_buffer_like(a, shape=(1, 1))
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, out_cb.reserve() as o:
                o.store(-x)

        @ttl.datamovement()
        def read():
            column, _ = ttl.core(dims=2)
            with a_cb.reserve() as b:
                ttl.copy(a[0, column], b).wait()

        @ttl.datamovement()
        def write():
            column, _ = ttl.core(dims=2)
            with out_cb.wait() as b:
                ttl.copy(b, out[0, column]).wait()

    device = ttnn.open_device(device_id=0)
    x = torch.randn(32, 64).bfloat16()
    a, out = (ttnn.from_torch(t, dtype=ttnn.bfloat16, device=device) for t in (x, torch.zeros_like(x)))
    for part in re.split(r"(?m)^(?=// \w+\n)", negate.ir(a, out, level="cpp"))[1:]:
        (tmp_path / f"{part[3:].splitlines()[0]}.cpp").write_text(part)
    specs = [KernelSpec(str(tmp_path / "compute.cpp"), "compute", [], ttnn.ComputeConfigDescriptor()),
             KernelSpec(str(tmp_path / "read.cpp"), "noc", [0], ttnn.ReaderConfigDescriptor()),
             KernelSpec(str(tmp_path / "write.cpp"), "noc", [1], ttnn.WriterConfigDescriptor())]
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))])
    buffers = [ttl.CircularBuffer(t, shape=(1, 1)) for t in (a, out)]
    run_kernel_on_device(specs, [a, out], buffers, cores)
    assert torch.equal(ttnn.to_torch(out), -x)

    check_launches_of_a_hash(device, specs, a, out, x, cores, buffers)

    # compiled for f32: the runner warns and moves the tensors' pages, generic_op refuses
    wide = [ttnn.from_torch(x.float(), dtype=ttnn.float32, device=device) for _ in range(2)]
    for part in re.split(r"(?m)^(?=// \w+\n)", negate.ir(*wide, level="cpp"))[1:]:
        (tmp_path / f"{part[3:].splitlines()[0]}.cpp").write_text(part)
    out = ttnn.from_torch(torch.zeros_like(x), dtype=ttnn.bfloat16, device=device)
    buffers = [ttl.CircularBuffer(t, shape=(1, 1)) for t in (a, out)]
    with pytest.warns(RuntimeWarning, match="the accessor's page size is 4096 bytes, the tensor's pages have 2048"):
        run_kernel_on_device(specs, [a, out], buffers, cores)
    assert torch.equal(ttnn.to_torch(out), -x)
    program = ttnn.ProgramDescriptor(
        kernels=build_kernel_descriptors(specs, [a, out], build_tensor_accessor_args([a, out]), cores, 2, 1, 2),
        cbs=build_cb_descriptors([a, out], buffers, cores))
    with pytest.raises(RuntimeError, match="data format: the accessor's page size is 4096 bytes"):
        ttnn.generic_op([a, out], program)
    with pytest.raises(ValueError, match="Missing CB config for index 1"):
        run_kernel_on_device(specs, [a, out], [buffers[0], None], cores)
    with pytest.raises(ValueError, match="takes tensors of the device"):
        ttnn.generic_op([ttnn.from_torch(x)], ttnn.ProgramDescriptor(kernels=[]))


def test_comparisons():
    from ttl.utils import correctness

    x = torch.tensor([1.0, -1.5, 3.0, torch.finfo(torch.float32).max])
    assert correctness.ulp(x).tolist() == [2.0**-23, 2.0**-23, 2.0**-22, 2.0**104]
    near = torch.nextafter(x, torch.zeros(4))
    assert correctness.assert_with_ulp(x, near, 1)[0] and not correctness.comp_ulp(x, near, 0.4)[0]
    assert correctness.comp_ulp(x.double() + 2.0**-25, x, 0.25)[0], "a golden tensor may have more digits"
    odd = torch.tensor([1.0, torch.nan, torch.inf, 2.0])
    assert correctness.comp_ulp(odd, odd.clone(), 0) and not correctness.comp_ulp(odd, odd.clone(), 0, allow_nonfinite=False)[0]
    for other in (torch.tensor([1.0, torch.nan, -torch.inf, 2.0]), torch.tensor([1.0, torch.inf, torch.nan, 2.0])):
        assert not correctness.comp_ulp(odd, other, 9)[0]
    with pytest.raises(AssertionError, match="2 units in the last place; 1 are allowed"):
        correctness.assert_with_ulp(x[:1], x[:1] * (1 + 2.0**-22), 1)
    correctness.assert_pcc(x[:3], 2 * x[:3] + 5)
    correctness.assert_allclose(x, near)
    with pytest.raises(AssertionError, match=r"1 of 4 numbers do, most at \(1,\): -1.5 instead of -1.25"):
        correctness.assert_allclose(x, torch.tensor([1.0, -1.25, 3.0, x[3]]))
    for golden, actual in ((x[:3], -x[:3]), (x[:3], torch.ones(3)), (x[:3], torch.full((3,), torch.nan))):
        with pytest.raises(AssertionError, match="correlation"):
            correctness.assert_pcc(golden, actual)
