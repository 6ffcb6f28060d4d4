"""A kernel of TTL as a library, built as in the language's specification: TTKernel, EmitC with a host, C++, a shared
object that the embedded device runs over ttnn tensors."""

import os
import re
import shutil
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
import ttnn  # noqa: E402
from test_ttl_plan import NAMED, SEMAPHORE  # noqa: E402
from ttrt.runtime import Device, compile_dylib, create_inputs, load_dylib, run_dylib_function  # noqa: E402

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
BIN = os.path.join(os.path.dirname(__file__), "../../build/bin")


@pytest.fixture(scope="module")
def device():
    device = Device()
    yield device
    ttnn.close_device(device)


def tool(name, *args):
    done = subprocess.run([os.path.join(BIN, name), *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def generate(text, folder, name="kernel"):
    """The specification's four steps up to the C++."""
    source = folder / f"{name}.mlir"
    source.write_text(text)
    tool("ttlang-opt", "--ttl-lower-to-ttkernel", source, "-o", folder / "ttkernel.mlir")
    tool("ttlang-opt", "--ttkernel-to-emitc-pipeline=target-dylib=true", folder / "ttkernel.mlir", "-o", folder / "emitc.mlir")
    generated = folder / f"{name}.cpp"
    generated.write_text(tool("ttlang-translate", "--mlir-to-cpp", folder / "emitc.mlir"))
    return generated


def on_the_grid(folder, tensors, numbers=(), buffers=(), kernel=r"\w+"):
    """Runs the TTKernel functions that generate() left in a folder for a kernel on a grid of their own, as the
    reference: `tensors` (a ttnn tensor, or a shape and an element type to be written) and `numbers` by the kernel's
    arguments; returns the values of the tensors afterwards."""
    from tilewright import sim

    text = (folder / "ttkernel.mlir").read_text()
    grid = sim.Grid("n150")
    numbers, made = dict(numbers), []
    for t in tensors:
        host = t.to_torch()
        sharded = t.memory_config().shard_spec is not None
        memory = {(0, 0): sim.DRAM, (1, 0): sim.L1, (0, 1): sim.DRAM_SHARDED, (1, 1): sim.L1_SHARDED}[
            t.memory_config().buffer_type.value, sharded]
        made.append(grid.tensor(tuple(host.shape), ttnn._tensor.ELEMENTS[t.dtype], data=host.contiguous(), memory=memory,
                                tiled=t.layout == ttnn.TILE_LAYOUT, shards=t._shards() if sharded else (),
                                shard_shape=t._shard_shape()))
    indices = [k for k in range(len(tensors) + len(numbers)) if k not in numbers]
    runs, movers = [], 0
    for found in re.finditer(rf"func\.func @({kernel}_(?:datamovement|compute)\d)\(.*grid = #ttl\.grid<\[(\d+), (\d+)\]>.*#ttkernel\.thread<(\w+)>.*ttl\.base_cta_index = "
                             r"(\d+).*ttl\.crta_indices = \[(.*?)\]", text):
        name, columns, rows, kind, base, arguments = found.groups()
        arguments = [int(a.split()[0]) for a in arguments.split(",") if a]
        common = [numbers[a] if a in numbers else sim.address(indices.index(a)) for a in arguments]
        compiled = [sim.cb(i) for i in range(int(base))] + [
            0 if a in numbers else sim.accessor(indices.index(a)) for a in range(len(tensors) + len(numbers))]
        runs.append(sim.Run(name, (0, 0, int(rows), int(columns)), compiled, common, noc=movers % 2, wide_dst=kind == "compute",
                            unpack_to_dst=tuple(range(32)) if kind == "compute" else ()))
        movers += kind != "compute"
    grid.load(text, "kernel.mlir").launch(runs, list(buffers), made).run()
    return [m.read(torch.empty_like(t.to_torch())) for m, t in zip(made, tensors)]


def block_sharded(buffer, shape, cores=(1, 1), kind="BLOCK_SHARDED"):
    corners = ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(*cores))
    return ttnn.MemoryConfig(ttnn.TensorMemoryLayout[kind], ttnn.BufferType[buffer], ttnn.ShardSpec(ttnn.CoreRangeSet([corners]), shape))


@pytest.mark.parametrize("kind", ["sharded", "blocks", "interleaved"])
def test_from_ir_to_results(kind, device, tmp_path):
    """Shards in L1, the specification's own blocks in DRAM, and pages."""
    from tilewright import sim

    sharded = kind != "interleaved"
    layout = "#ttl.layout<sharded, grid=[2,2], tiles_per_shard=[2,1]>" if sharded else "#ttl.layout<interleaved>"
    text = NAMED.replace("LAYOUT", layout).replace("PLACE", "%shard_id" if sharded else "%two, %column")
    indices = "%two_ = arith.constant 2 : index\n    %row = arith.divui %shard_id, %two_ : index\n" \
        "    %column = arith.remui %shard_id, %two_ : index\n    %two = arith.muli %row, %two_ : index"
    text = text.replace("%zero = arith.constant 0 : index", "" if sharded else indices)
    text = text.replace("memory_space = DRAM", "memory_space = L1") if kind == "sharded" else text
    generated = generate(text, tmp_path)
    done = subprocess.run([sys.executable, "-m", "ttrt.runtime", "--file", generated, "--mode", "dylib"], capture_output=True,
                          text=True, check=True)
    library = load_dylib(done.stdout.strip())
    config = {"memory_config": block_sharded("L1" if kind == "sharded" else "DRAM", (64, 32))} if sharded else {}
    x, y = torch.randn(128, 64), torch.randn(128, 64)
    a, b = (ttnn.from_torch(t, dtype=ttnn.float32, device=device, **config) for t in (x, y))
    result = run_dylib_function(library, "sharded_elementwise_add", [a, b], device)
    assert torch.equal(result.to_torch(), x + y)
    assert result.memory_config().memory_layout == a.memory_config().memory_layout
    assert result.memory_config().buffer_type == a.memory_config().buffer_type
    assert torch.equal(on_the_grid(tmp_path, [a, b, result], buffers=[sim.Buffer(i, "f32", 4) for i in range(3)])[2], x + y)
    out = ttnn.from_torch(torch.zeros(128, 64), dtype=ttnn.float32, device=device, **config)
    same = run_dylib_function(library, "sharded_elementwise_add", [b, b, out], device)
    assert same is out and torch.equal(out.to_torch(), y + y)
    ones = create_inputs(library, "sharded_elementwise_add", device)
    assert len(ones) == 2 and ones[0].to_torch().shape == (128, 64)
    assert (run_dylib_function(library, "sharded_elementwise_add", ones, device).to_torch() == 2).all()
    with pytest.raises(RuntimeError, match="sharded_elementwise_add takes 2 tensors, or 3 with those it writes, got 1"):
        run_dylib_function(library, "sharded_elementwise_add", [a], device)
    with pytest.raises(AttributeError, match="the library has no function 'add' over tensors [(]_Z3add"):
        run_dylib_function(library, "add", [a], device)
    with pytest.raises(RuntimeError, match="sharded_elementwise_add takes no integers, got 1"):
        run_dylib_function(library, "sharded_elementwise_add", [a, b, 3], device)
    with pytest.raises(TypeError, match="sharded_elementwise_add: input 1 is of type str; a library takes ttnn tensors and integers"):
        run_dylib_function(library, "sharded_elementwise_add", [a, "b"], device)


ROWS = """
ttl.kernel @window(%a: TYPE, %out: TYPE) attributes {grid = #ttl.grid<[1, 1]>} {
  %cb = ttl.create_cb shape=[SHAPE], element_type=ELEMENT, buffer_factor=2, memory_space=L1
  %from = ttl.tensor_accessor %a {layout = #ttl.layout<interleaved>, memory_space = DRAM}
  %to = ttl.tensor_accessor %out {layout = #ttl.layout<interleaved>, memory_space = DRAM}
  ttl.datamovement_thread {
    %row = arith.constant 64 : index
    %column = arith.constant 32 : index
    %blk = ttl.cb_reserve %cb
    %tx = ttl.copy %from[%row, %column], %blk : !ttl.mem_tx
    ttl.wait %tx
    ttl.cb_push %blk
  }
  ttl.datamovement_thread {
    %row = arith.constant 3 : index
    %column = arith.constant 16 : index
    %blk = ttl.cb_wait %cb
    %tx = ttl.copy %blk, %to[%row, %column] : !ttl.mem_tx
    ttl.wait %tx
    ttl.cb_pop %blk
  }
}
"""


def test_rows_of_numbers(device, tmp_path):
    """A window of a tensor in rows, through a buffer of elements, to another position of another tensor."""
    from tilewright import sim

    cases = [("f32", "float32", (3, 16), (1, 192)), ("bf16", "bfloat16", (64, 32), (2, 2048)), ("i32", "int32", (5, 64), (1, 1280)),
             ("ui16", "uint16", (1, 16), (1, 32)), ("ui8", "uint8", (2, 32), (1, 64))]
    text = "".join(ROWS.replace("TYPE", f"tensor<130x96x{element}>").replace("SHAPE", "{}, {}".format(*shape)).replace("ELEMENT", element)
                   .replace("@window", f"@window_{element}") for element, _, shape, _ in cases)
    library = load_dylib(compile_dylib(generate(text, tmp_path)))
    for element, dtype, shape, pages in cases:
        name = f"window_{element}"
        form = {"dtype": ttnn.DataType[dtype.upper()], "layout": ttnn.ROW_MAJOR_LAYOUT, "device": device}
        x = torch.randint(0, 200, (130, 96)).to(getattr(torch, "int32" if dtype == "uint16" else dtype))
        a = ttnn.from_torch(x, **form)
        result = run_dylib_function(library, name, [a], device)
        expected = torch.zeros_like(result.to_torch())
        expected[3:3 + shape[0], 16:16 + shape[1]] = a.to_torch()[64:64 + shape[0], 32:32 + shape[1]]
        assert result.layout == ttnn.ROW_MAJOR_LAYOUT and torch.equal(result.to_torch(), expected)
        buffer = sim.Buffer(0, ttnn._tensor.ELEMENTS[a.dtype], 2 * pages[0], pages[1])
        beside = on_the_grid(tmp_path, [a, ttnn.from_torch(torch.zeros_like(x), **form)], buffers=[buffer], kernel=name)
        assert torch.equal(beside[1], expected)
        kind = dtype.upper()
        with pytest.raises(RuntimeError, match=f"{name}: tensor 0 is 130x96 {kind} TILE, the kernel takes 130x96 {kind} ROW_MAJOR"):
            run_dylib_function(library, name, [ttnn.from_torch(x, dtype=form["dtype"], device=device)], device)


def test_rows_in_shards(device, tmp_path):
    """Rows are distributed by the tensors' own layout; results get it, too."""
    cases = [("l1", "height_sharded", "2x1", (64, 96), (0, 1)), ("l1", "block_sharded", "2x2", (64, 48), (1, 1)),
             ("dram", "width_sharded", "1x2", (128, 48), (1, 0)), ("dram", "height_sharded", "4x1", (32, 96), (3, 0))]
    text = ""
    for i, (buffer, kind, grid, shard, cores) in enumerate(cases):
        layout = (f"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <{grid}>, memref<{shard[0]}x{shard[1]}xf32, #ttnn.buffer_type<{buffer}>>, "
                  f"<{kind}>, core_ranges = <[#ttnn.core_range<(0,0), ({cores[0]},{cores[1]})>]>>")
        one = ROWS.replace("TYPE", f"tensor<128x96xf32, {layout}>").replace("SHAPE", "4, 64").replace("ELEMENT", "f32")
        one = one.replace("#ttl.layout<interleaved>", "#ttl.layout<sharded, grid=[{}]>".format(grid.replace("x", ",")))
        text += one.replace("memory_space = DRAM", f"memory_space = {buffer.upper()}").replace("@window", f"@window{i}")
    library = load_dylib(compile_dylib(generate(text, tmp_path)))
    x = torch.randn(128, 96)
    expected = torch.zeros_like(x)
    expected[3:7, 16:80] = x[64:68, 32:96]
    for i, (buffer, kind, grid, shard, cores) in enumerate(cases):
        config = block_sharded(buffer.upper(), shard, cores, kind.upper())
        a = ttnn.from_torch(x, dtype=ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device, memory_config=config)
        result = run_dylib_function(library, f"window{i}", [a], device)
        assert result.memory_config() == config and torch.equal(result.to_torch(), expected)


SHIFTED = """
ttl.kernel @shifted(%a: tensor<128x30xf32>, %n: index, %out: tensor<128x30xf32>, %m: i32) attributes {grid = #ttl.grid<[1, 1]>} {
  %cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
  %from = ttl.tensor_accessor %a {layout = #ttl.layout<interleaved>, memory_space = DRAM}
  %to = ttl.tensor_accessor %out {layout = #ttl.layout<interleaved>, memory_space = DRAM}
  ttl.datamovement_thread {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %blk = ttl.cb_reserve %cb
      %tx = ttl.copy %from[%i, %c0], %blk : !ttl.mem_tx
      ttl.wait %tx
      ttl.cb_push %blk
    }
  }
  ttl.datamovement_thread {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m_ = arith.index_cast %m : i32 to index
    scf.for %i = %c0 to %n step %c1 {
      %blk = ttl.cb_wait %cb
      %row = arith.addi %i, %m_ : index
      %tx = ttl.copy %blk, %to[%row, %c0] : !ttl.mem_tx
      ttl.wait %tx
      ttl.cb_pop %blk
    }
  }
}
"""


def test_integers_known_when_the_kernel_runs(device, tmp_path):
    """Index and i32 arguments, among the tensors and in the kernel's order."""
    from tilewright import sim

    library = load_dylib(compile_dylib(generate(SHIFTED, tmp_path)))
    x = torch.randn(128, 30)
    a = ttnn.from_torch(x, dtype=ttnn.float32, device=device)
    for n, m in ((2, 1), (1, 3), (0, 0), (4, 0)):
        out = ttnn.from_torch(torch.zeros(128, 30), dtype=ttnn.float32, device=device)
        result = run_dylib_function(library, "shifted", [a, n, out, m], device)
        expected = torch.zeros_like(x)
        expected[32 * m:32 * (m + n)] = x[:32 * n]
        assert result is out and torch.equal(out.to_torch(), expected)
        empty = ttnn.from_torch(torch.zeros(128, 30), dtype=ttnn.float32, device=device)
        assert torch.equal(on_the_grid(tmp_path, [a, empty], {1: n, 3: m}, [sim.Buffer(0, "f32", 2)])[1], expected)
    made = run_dylib_function(library, "shifted", [a, 4, 0], device)
    assert made.shape == (128, 30) and torch.equal(made.to_torch(), x)
    for wrong in ([a], [a, 1], [a, 1, 2, 3]):
        with pytest.raises(RuntimeError, match=f"shifted takes 2 integers, got {len(wrong) - 1}"):
            run_dylib_function(library, "shifted", wrong, device)
    with pytest.raises(ValueError, match="shifted: input 2 is 4294967296; an integer for a kernel has 32 bits"):
        run_dylib_function(library, "shifted", [a, 1, 1 << 32], device)
    with pytest.raises(sim.KernelError, match="page 4 of a tensor of 4 pages"):
        run_dylib_function(library, "shifted", [a, 5, 0], device)
    with pytest.raises(sim.KernelError):  # -1 is no row
        run_dylib_function(library, "shifted", [a, 1, -1], device)


def test_what_is_not_the_kernels(device, tmp_path):
    """Tensors of another shape, type or layout; kernels with arguments that libraries do not support."""
    library = load_dylib(compile_dylib(generate(SHIFTED, tmp_path)))
    for shape, dtype, found in (((128, 96), "float32", "128x96 FLOAT32 TILE"), ((30, 128), "float32", "30x128 FLOAT32 TILE"),
                                ((128, 30), "bfloat16", "128x30 BFLOAT16 TILE"), ((2, 64, 30), "float32", "2x64x30 FLOAT32 TILE"),
                                ((128,), "float32", "128 FLOAT32 TILE")):
        bad = ttnn.from_torch(torch.zeros(shape), dtype=ttnn.DataType[dtype.upper()], device=device)
        with pytest.raises(RuntimeError, match=f"shifted: tensor 0 is {found}, the kernel takes 128x30 FLOAT32 TILE"):
            run_dylib_function(library, "shifted", [bad, 1, 0], device)
        good = ttnn.from_torch(torch.zeros(128, 30), dtype=ttnn.float32, device=device)
        with pytest.raises(RuntimeError, match=f"shifted: tensor 1 is {found}, the kernel takes"):
            run_dylib_function(library, "shifted", [good, bad, 1, 0], device)
    folded = ttnn.from_torch(torch.ones(1, 1, 128, 30), dtype=ttnn.float32, device=device)
    assert (run_dylib_function(library, "shifted", [folded, 4, 0], device).to_torch() == 1).all()


def test_semaphores_and_several_kernels(device, tmp_path):
    """Two kernels of one file; one waits for a semaphore with the initial value of its IR."""
    again = SEMAPHORE.partition("func.func")[2].replace("@gate", "@gate_again")
    library = load_dylib(compile_dylib(generate(SEMAPHORE + "func.func" + again, tmp_path), tmp_path / "gates.so"))
    x = torch.randn(32, 32)
    for name in ("gate", "gate_again"):
        result = run_dylib_function(library, name, [ttnn.from_torch(x, dtype=ttnn.float32, device=device)], device)
        assert torch.equal(result.to_torch(), x)


def test_mistakes_come_out_as_the_devices_reports(device, tmp_path):
    """A kernel that reads beyond its tensor; files that are no libraries, and no C++."""
    from tilewright import sim

    text = NAMED.replace("LAYOUT", "#ttl.layout<interleaved>").replace("PLACE", "%zero, %zero")
    text = text.replace("%zero = arith.constant 0", "%zero = arith.constant 3")
    library = load_dylib(compile_dylib(generate(text, tmp_path)))
    a = ttnn.from_torch(torch.randn(128, 64), dtype=ttnn.float32, device=device)
    with pytest.raises(sim.KernelError, match="page 9 of a tensor of 8 pages"):
        run_dylib_function(library, "sharded_elementwise_add", [a, a], device)
    with pytest.raises(ValueError, match="is no library of kernels"):
        load_dylib(next(p for p in map(os.path.realpath, ("/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6",
                                                          "/lib/aarch64-linux-gnu/libm.so.6")) if os.path.exists(p)))
    bad = tmp_path / "bad.cpp"
    bad.write_text("int main( {")
    with pytest.raises(RuntimeError, match="bad.cpp does not compile"):
        compile_dylib(bad)
