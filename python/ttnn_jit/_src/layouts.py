"""Layouts of tensors as #ttnn.ttnn_layout, and the layouts that results get."""

import math

import ttnn

TILE = 32
ELEMENTS = {ttnn.DataType.BFLOAT16: "bf16", ttnn.DataType.FLOAT16: "f16", ttnn.DataType.FLOAT32: "f32",
            ttnn.DataType.INT32: "si32", ttnn.DataType.UINT32: "ui32",
            ttnn.DataType.UINT16: "ui16", ttnn.DataType.UINT8: "ui8",
            ttnn.DataType.BFLOAT8_B: "!ttcore.tile<32x32, bfp_bf8>", ttnn.DataType.BFLOAT4_B: "!ttcore.tile<32x32, bfp_bf4>"}
FORMATS = {ttnn.DataType.BFLOAT16: "bf16", ttnn.DataType.FLOAT16: "f16", ttnn.DataType.FLOAT32: "f32",
           ttnn.DataType.INT32: "si32", ttnn.DataType.UINT32: "u32",
           ttnn.DataType.UINT16: "u16", ttnn.DataType.UINT8: "u8", ttnn.DataType.BFLOAT8_B: "bfp_bf8", ttnn.DataType.BFLOAT4_B: "bfp_bf4"}
KINDS = {ttnn.TensorMemoryLayout.INTERLEAVED: "interleaved", ttnn.TensorMemoryLayout.HEIGHT_SHARDED: "height_sharded",
         ttnn.TensorMemoryLayout.WIDTH_SHARDED: "width_sharded", ttnn.TensorMemoryLayout.BLOCK_SHARDED: "block_sharded"}


def tiles(shape):
    """Rows and columns of tiles of a shape, its matrices below each other."""
    shape = (1, 1, *shape)
    return math.prod(shape[:-2]) * -(-shape[-2] // TILE), -(-shape[-1] // TILE)


def grid_of(memory):
    """Rows and columns of a sharded tensor's cores."""
    size = memory.shard_spec.grid.bounding_box().grid_size()
    return size.y, size.x


def check(name, tensor, limits=False):
    """Raises for a tensor whose layout no program can have; limits: whole tiles only."""
    if limits and any(size % TILE for size in (1, 1, *tensor.shape)[-2:]):
        raise ValueError(f"argument '{name}': Padding is not supported under TTNN_JIT_LIMITS: expected whole tiles of 32x32, found shape {tensor.shape}")
    memory = tensor.memory_config()
    if tensor.layout != ttnn.Layout.TILE:
        raise ValueError(f"argument '{name}': Only Layout.Tile tensors are supported. Found layout: {tensor.layout}; use "
                         "ttnn.to_layout(tensor, ttnn.TILE_LAYOUT)")
    if tensor.dtype not in ELEMENTS:
        raise ValueError(f"argument '{name}': no program computes on {tensor.dtype}; expected one of {', '.join(map(str, ELEMENTS))}")
    if not memory.is_sharded():
        if memory.buffer_type is ttnn.BufferType.L1:
            raise ValueError(f"argument '{name}': Interleaved L1 tensors are not supported. Keep it in DRAM, or in shards")
        return
    if memory.buffer_type is ttnn.BufferType.DRAM:
        raise ValueError(f"argument '{name}': Sharded DRAM tensors are not supported. Keep its shards in L1")
    if memory.shard_spec is None:
        raise ValueError(f"argument '{name}': a sharded memory config needs a shard_spec")
    if memory.shard_spec.orientation is ttnn.ShardOrientation.COL_MAJOR:
        raise ValueError(f"argument '{name}': Column major sharding is not supported.")
    if len(memory.shard_spec.grid.ranges()) != 1:
        raise ValueError(f"argument '{name}': Tensor grids with more than one CoreRange are not supported. Tensor grids must be rectangular.")


def text(shape, dtype, memory):
    """The #ttnn.ttnn_layout of a tensor."""
    rank = max(len(shape), 1)
    names = [f"d{i}" for i in range(rank)]
    strides = [math.prod(shape[i + 1:-1]) for i in range(rank - 1)]
    rows = " + ".join(f"{n} * {s}" if s != 1 else n for n, s in zip(names, strides)) or "0"
    grid, space, cores = (1, 1), "dram", ""
    shard = tiles(shape)
    if memory.is_sharded():
        grid, space = grid_of(memory), "l1"
        shard = tuple(-(-size // TILE) for size in memory.shard_spec.shape)
        box = memory.shard_spec.grid.bounding_box()
        cores = f", core_ranges = #ttnn.core_range_set<[#ttnn.core_range<({box.start.x}, {box.start.y}), ({box.end.x}, {box.end.y})>]>"
    return (f"#ttnn.ttnn_layout<({', '.join(names)}) -> ({rows}, {names[-1]}), <{grid[0]}x{grid[1]}>, memref<{shard[0]}x{shard[1]}"
            f"x!ttcore.tile<32x32, {FORMATS[dtype]}>, #ttnn.buffer_type<{space}>>, <{KINDS[memory.memory_layout]}>{cores}>")


def _divisors_within(count, limit):
    return next(n for n in range(min(count, limit), 0, -1) if count % n == 0)


def blocks(shape, most):
    """A tensor of this shape in blocks in L1: on as many rows and columns of cores as divide its tiles; most: (rows, columns)."""
    rows, columns = tiles(shape)
    down, across = _divisors_within(rows, most[0]), _divisors_within(columns, most[1])
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(across - 1, down - 1))])
    return ttnn.MemoryConfig(ttnn.TensorMemoryLayout.BLOCK_SHARDED, ttnn.BufferType.L1,
                             ttnn.ShardSpec(cores, (rows // down * TILE, columns // across * TILE)))


def like(memory, old, shape):
    """The memory config of a result of another shape than the tensor that had `memory`: the same kind of shards on the same
    cores if its tiles divide, else interleaved in DRAM."""
    if old == shape or not memory.is_sharded() or tiles(old) == tiles(shape):
        return memory
    rows, columns = tiles(shape)
    down, across = grid_of(memory)
    if memory.memory_layout is ttnn.TensorMemoryLayout.HEIGHT_SHARDED:
        down, across = down * across, 1
    elif memory.memory_layout is ttnn.TensorMemoryLayout.WIDTH_SHARDED:
        down, across = 1, down * across
    if rows % down or columns % across:
        return ttnn.DRAM_MEMORY_CONFIG
    return ttnn.MemoryConfig(memory.memory_layout, ttnn.BufferType.L1,
                             ttnn.ShardSpec(memory.shard_spec.grid, (rows // down * TILE, columns // across * TILE)))
