"""The host API for launching kernels on the simulated grid: tilewright.sim."""

import gc

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import Built, cb_type, op, to_host  # noqa: E402
from tilewright import sim  # noqa: E402


@pytest.fixture(scope="module")
def grid():
    return sim.Grid("n150")


def copy_body(tiles, dtype, init="copy_tile_init", extra=""):
    """Every tile through DST, eight at a time."""
    c = cb_type(tiles, dtype)
    text = "    " + op("init_sfpu", ["in0", "out"], [c, c]) + "\n"
    for i in range(tiles):
        text += f"""
    {op("tile_regs_acquire")}
    {op(init, ["in0"], [c])}
    {op("copy_tile", ["in0", f"c{i}", "c0"], [c, "index", "index"])}
    {extra}
    {op("tile_regs_commit")}
    {op("tile_regs_wait")}
    {op("pack_tile", ["c0", "out", f"c{i}"], ["index", c, "index"], "<{out_of_order = true}>")}
    {op("tile_regs_release")}
"""
    return text


def ramp(shape, dtype=np.float32):
    return (np.arange(np.prod(shape)) % 251 - 100).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["bf16", "f32", "f16"])
@pytest.mark.parametrize("shape", [(32, 32), (64, 32), (40, 70)])
def test_there_through_and_back(grid, dtype, shape):
    x = ramp(shape)
    tiles = -(-shape[0] // 32) * -(-shape[1] // 32)
    built = Built(grid, [x], [dtype], shape, dtype, copy_body(tiles, dtype), wide_dst=dtype == "f32")
    assert np.array_equal(built.run(), x)
    assert np.array_equal(built.run(), x)  # the launch can run again
    y = x[::-1].copy()
    built.inputs[0].write(to_host(y, dtype))
    assert np.array_equal(built.run(), y)
    assert built.launch.cycles > 100 and "@compute" in built.launch.profile and built.launch.reports == []


@pytest.mark.parametrize("memory,shards,cores", [
    (sim.DRAM, (), ()), (sim.L1, (), ()), (sim.L1_SHARDED, (2, 4), ()), (sim.L1_SHARDED, (8, 1), (1, 2, 4)),
    (sim.DRAM_SHARDED, (2, 2), ())])
@pytest.mark.parametrize("dims,dtype", [((64, 128), "f32"), ((3, 50, 70), "si32"), ((2, 2, 33, 31), "bf16"),
                                        ((5,), "u16"), ((32, 64), "bfp_bf8"), ((64, 64), "bfp_bf4")])
def test_layouts_keep_data(grid, memory, shards, cores, dims, dtype):
    rng = np.random.default_rng(1)
    host = {"bf16": np.uint16, "bfp_bf8": np.float32, "bfp_bf4": np.float32, "si32": np.int32, "u16": np.uint16,
            "f32": np.float32}[dtype]
    x = rng.integers(0, 3, dims).astype(host)
    t = grid.tensor(dims, dtype, data=x, memory=memory, shards=shards, cores=cores)
    assert np.array_equal(t.read(np.zeros(dims, host)), x)
    if not dtype.startswith("bfp"):
        rows = grid.tensor(dims, dtype, data=x, memory=memory, tiled=False, shards=shards, cores=cores)
        assert np.array_equal(rows.read(np.zeros(dims, host)), x)


def test_memory_is_found_and_given_back(grid):
    addresses = set()
    gc.collect()
    for _ in range(4):  # each is freed before the next needs its memory
        t = grid.tensor((4096, 4096), "f32")
        addresses.add(t.address)
        del t
        gc.collect()
    assert len(addresses) == 1
    with pytest.raises(RuntimeError, match="do not fit into the L1 of 1499136 bytes of each core"):
        grid.tensor((32 * 64, 32 * 400), "f32", memory=sim.L1_SHARDED, shards=(8, 8))
    with pytest.raises(RuntimeError, match="a grid of 9x1 shards, but the n150 has 8x8 workers"):
        grid.tensor((288, 32), "f32", memory=sim.L1_SHARDED, shards=(9, 1))


def test_uninitialised_tensor_is_reported(grid):
    with pytest.raises(RuntimeError, match="no kernel has written page 0"):
        grid.tensor((32, 32), "f32").read(np.zeros((32, 32), np.float32))


def test_reports_have_locations(grid):
    x = ramp((32, 32))
    body = copy_body(1, "bf16").replace(op("tile_regs_acquire"), "")
    body = body.replace('"index", "index")', '"index", "index")')
    built = Built(grid, [x], ["bf16"], (32, 32), "bf16", body)
    with pytest.raises(sim.KernelError, match="DST use: computes in DST, but DST belongs to no unit") as error:
        built.run()
    report = error.value.reports[0]
    line = built.text.splitlines()[report["line"] - 1]
    assert report["kind"] == "DST use" and report["kernel"] == "compute" and report["file"] == "kernels"
    assert "copy_tile" in line and report["core"] == (0, 0) and report["cycle"] > 0
    # the grid and the launch are usable again
    good = Built(grid, [x], ["bf16"], (32, 32), "bf16", copy_body(1, "bf16"))
    assert np.array_equal(good.run(), x)


def test_locations_of_the_source_are_reported(grid):
    x = ramp((32, 32))
    body = copy_body(1, "bf16").replace(op("tile_regs_commit"), "").replace(
        op("tile_regs_wait"), op("tile_regs_wait") + ' loc("model.py":12:8)')
    built = Built(grid, [x], ["bf16"], (32, 32), "bf16", body)
    with pytest.raises(sim.KernelError) as error:
        built.run()
    report = error.value.reports[0]
    assert (report["file"], report["line"], report["column"]) == ("model.py", 12, 8)


def test_seeds_replay(grid):
    x = ramp((64, 64))
    built = Built(grid, [x], ["bf16"], (64, 64), "bf16", copy_body(4, "bf16"))
    cycles = {}
    for seed in (1, 2, 3, 1, 2, 3):
        grid.set_seed(seed)
        assert np.array_equal(built.run(), x)
        assert cycles.setdefault(seed, built.launch.cycles) == built.launch.cycles
    grid.set_seed(0)


def test_mistakes_of_the_host(grid):
    x = ramp((32, 32))
    built = Built(grid, [x], ["bf16"], (32, 32), "bf16", copy_body(1, "bf16"))
    kernels, tensors = built.kernels, [built.inputs[0], built.output]

    def launch(run, **other):
        return kernels.launch([run], **{"cbs": [sim.Buffer(0, "bf16", 1)], "tensors": tensors, **other})

    with pytest.raises(LookupError, match="has no kernel @nobody"):
        launch(sim.Run("nobody"))
    with pytest.raises(RuntimeError, match="on 9x1 cores from 0,0: the n150 has 8x8 workers"):
        launch(sim.Run("write", cores=(0, 0, 9, 1)))
    with pytest.raises(RuntimeError, match="names tensor 2; the launch has 2"):
        launch(sim.Run("write", common_args=[sim.address(2)]))
    with pytest.raises(RuntimeError, match="circular buffer 32 is out of range"):
        launch(sim.Run("write"), cbs=[sim.Buffer(32, "bf16", 1)])
    with pytest.raises(RuntimeError, match="given twice"):
        launch(sim.Run("write"), cbs=[sim.Buffer(1, "bf16", 1), sim.Buffer(1, "bf16", 1)])
    with pytest.raises(RuntimeError, match="core 0,0 would run 2 compute kernels"):
        kernels.launch([sim.Run("compute"), sim.Run("compute")], tensors=tensors)
    with pytest.raises(RuntimeError, match="L1 is over-subscribed(.|\n)*circular buffer 3, 700 pages of 2048"):
        launch(sim.Run("write"), cbs=[sim.Buffer(3, "bf16", 700), sim.Buffer(4, "bf16", 100)]).run()
    with pytest.raises(ValueError, match="every core needs as many arguments"):
        launch(sim.Run("write", cores=(0, 0, 1, 2), args=[[1], [1, 2]]))
    with pytest.raises(RuntimeError, match="has no function with ttkernel.thread"):
        grid.load("module {}")
    with pytest.raises(RuntimeError, match="expected"):
        grid.load("module {")
    with pytest.raises(ValueError, match="an array of shape"):
        built.inputs[0].write(np.zeros((32, 33), np.float32))
    with pytest.raises(RuntimeError, match="an array of f32 and a tensor of bf16"):
        built.inputs[0].write(np.zeros((32, 32), np.float32))
    with pytest.raises(LookupError, match="no chip 'n151'"):
        sim.Grid("n151")
    with pytest.raises(ValueError, match="no numerics 'exact'; there are value, fidelity, bit"):
        sim.Grid(numerics="exact")
    with pytest.raises(ValueError, match="seed is a number from 0 to 2.64 - 1, not -1"):
        sim.Grid(seed=-1)
    with pytest.raises(ValueError, match="no element type 'bf17'; there are f32, f16, bf16"):
        grid.tensor((32, 32), "bf17")


def test_ends_in_any_order():
    grid = sim.Grid("p150")
    built = Built(grid, [ramp((32, 32))], ["bf16"], (32, 32), "bf16", copy_body(1, "bf16"))
    launch = built.launch
    del grid, built
    gc.collect()
    launch.run()
