"""A kernel of TTL as a library, as the plan of the language builds it: TTKernel, EmitC with a host, C++, a shared object
that the embedded device runs over ttnn tensors."""

import os
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
    """The plan's four steps up to the C++."""
    source = folder / f"{name}.mlir"
    source.write_text(text)
    tool("ttlang-opt", "--ttl-lower-to-ttkernel", source, "-o", folder / "ttkernel.mlir")
    tool("ttlang-opt", "--ttkernel-to-emitc-pipeline=target-dylib=true", folder / "ttkernel.mlir", "-o", folder / "emitc.mlir")
    generated = folder / f"{name}.cpp"
    generated.write_text(tool("ttlang-translate", "--mlir-to-cpp", folder / "emitc.mlir"))
    return generated


L1_SHARDED = ttnn.MemoryConfig(
    ttnn.TensorMemoryLayout.BLOCK_SHARDED, ttnn.BufferType.L1,
    ttnn.ShardSpec(ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))]), (64, 32)))


@pytest.mark.parametrize("kind", ["sharded", "interleaved"])
def test_from_ir_to_results(kind, device, tmp_path):
    sharded = kind == "sharded"
    layout = "#ttl.layout<sharded, grid=[2,2], tiles_per_shard=[2,1]>" if sharded else "#ttl.layout<interleaved>"
    text = NAMED.replace("LAYOUT", layout).replace("PLACE", "%shard_id" if sharded else "%two, %column")
    places = "%two_ = arith.constant 2 : index\n    %row = arith.divui %shard_id, %two_ : index\n" \
        "    %column = arith.remui %shard_id, %two_ : index\n    %two = arith.muli %row, %two_ : index"
    text = text.replace("%zero = arith.constant 0 : index", "" if sharded else places)
    text = text.replace("memory_space = DRAM", "memory_space = L1") if sharded else text
    generated = generate(text, tmp_path)
    done = subprocess.run([sys.executable, "-m", "ttrt.runtime", "--file", generated, "--mode", "dylib"], capture_output=True,
                          text=True, check=True)
    library = load_dylib(done.stdout.strip())
    config = {"memory_config": L1_SHARDED} if sharded else {}
    x, y = torch.randn(128, 64), torch.randn(128, 64)
    a, b = (ttnn.from_torch(t, dtype=ttnn.float32, device=device, **config) for t in (x, y))
    result = run_dylib_function(library, "sharded_elementwise_add", [a, b], device)
    assert torch.equal(result.to_torch(), x + y)
    out = ttnn.from_torch(torch.zeros(128, 64), dtype=ttnn.float32, device=device, **config)
    same = run_dylib_function(library, "sharded_elementwise_add", [b, b, out], device)
    assert same is out and torch.equal(out.to_torch(), y + y)
    ones = create_inputs(library, "sharded_elementwise_add", device)
    assert len(ones) == 2 and ones[0].to_torch().shape == (128, 64)
    assert (run_dylib_function(library, "sharded_elementwise_add", ones, device).to_torch() == 2).all()
    with pytest.raises(RuntimeError, match="sharded_elementwise_add takes 2 tensors, or 3 with those it writes, got 1"):
        run_dylib_function(library, "sharded_elementwise_add", [a], device)
    with pytest.raises(AttributeError, match="the library has no function '_Z3add"):
        run_dylib_function(library, "add", [a], device)


def test_semaphores_and_several_kernels(device, tmp_path):
    """Two kernels of one file; one waits for a semaphore that begins with what its IR says."""
    again = SEMAPHORE.partition("func.func")[2].replace("@gate", "@gate_again")
    library = load_dylib(compile_dylib(generate(SEMAPHORE + "func.func" + again, tmp_path), tmp_path / "gates.so"))
    x = torch.randn(32, 32)
    for name in ("gate", "gate_again"):
        result = run_dylib_function(library, name, [ttnn.from_torch(x, dtype=ttnn.float32, device=device)], device)
        assert torch.equal(result.to_torch(), x)


def test_mistakes_come_out_as_the_devices_reports(device, tmp_path):
    """A tensor of fewer pages than the kernel reads."""
    from tilewright import sim

    text = NAMED.replace("LAYOUT", "#ttl.layout<interleaved>").replace("PLACE", "%zero, %zero")
    library = load_dylib(compile_dylib(generate(text, tmp_path)))
    small = ttnn.from_torch(torch.randn(32, 32), dtype=ttnn.float32, device=device)
    with pytest.raises(sim.KernelError, match="page 2 of a tensor of 1 page"):
        run_dylib_function(library, "sharded_elementwise_add", [small, small], device)
    with pytest.raises(ValueError, match="is no library of kernels"):
        load_dylib(next(p for p in map(os.path.realpath, ("/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6",
                                                          "/lib/aarch64-linux-gnu/libm.so.6")) if os.path.exists(p)))
    bad = tmp_path / "bad.cpp"
    bad.write_text("int main( {")
    with pytest.raises(RuntimeError, match="bad.cpp does not compile"):
        compile_dylib(bad)
