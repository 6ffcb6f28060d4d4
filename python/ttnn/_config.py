"""Properties of tensors: data types, layouts, memory, cores."""

import dataclasses
import enum
import functools
import math

from tilewright.sim import _core


class DataType(enum.Enum):
    BFLOAT16 = "bfloat16"
    FLOAT32 = "float32"
    UINT32 = "uint32"
    BFLOAT8_B = "bfloat8_b"
    BFLOAT4_B = "bfloat4_b"
    UINT8 = "uint8"
    UINT16 = "uint16"
    INT32 = "int32"
    FLOAT16 = "float16"  # ttnn has no name for it; the device supports it

    def __repr__(self):
        return f"DataType.{self.name}"

    __str__ = __repr__


class Layout(enum.Enum):
    ROW_MAJOR = 0
    TILE = 1

    def __repr__(self):
        return f"Layout.{self.name}"

    __str__ = __repr__


class BufferType(enum.Enum):
    DRAM = 0
    L1 = 1


class TensorMemoryLayout(enum.Enum):
    INTERLEAVED = 0
    HEIGHT_SHARDED = 2
    WIDTH_SHARDED = 3
    BLOCK_SHARDED = 4


class ShardOrientation(enum.Enum):
    ROW_MAJOR = 0
    COL_MAJOR = 1


class ShardStrategy(enum.Enum):
    HEIGHT = 0
    WIDTH = 1
    BLOCK = 2


class MathFidelity(enum.Enum):
    LoFi = 0
    HiFi2 = 2
    HiFi3 = 3
    HiFi4 = 4


@dataclasses.dataclass(frozen=True)
class CoreCoord:
    """A core's column and row."""

    x: int
    y: int

    @property
    def _ttnn_parts(self):
        return self.x, self.y


@dataclasses.dataclass(frozen=True)
class CoreRange:
    """A rectangle of cores, both corners included."""

    start: CoreCoord
    end: CoreCoord

    def __post_init__(self):
        if self.end.x < self.start.x or self.end.y < self.start.y:
            raise ValueError(f"the range's end {self.end} lies before its start {self.start}")

    @property
    def _ttnn_parts(self):
        return self.start, self.end

    def grid_size(self):
        return CoreCoord(self.end.x - self.start.x + 1, self.end.y - self.start.y + 1)

    def num_cores(self):
        size = self.grid_size()
        return size.x * size.y


class CoreRangeSet:
    def __init__(self, ranges):
        self._ranges = list(ranges)

    def ranges(self):
        return self._ranges

    @property
    def _ttnn_parts(self):
        return self._ranges

    def num_cores(self):
        return sum(r.num_cores() for r in self._ranges)

    def bounding_box(self):
        if not self._ranges:
            raise ValueError("an empty set of cores has no bounding box")
        return CoreRange(CoreCoord(min(r.start.x for r in self._ranges), min(r.start.y for r in self._ranges)),
                         CoreCoord(max(r.end.x for r in self._ranges), max(r.end.y for r in self._ranges)))

    def __eq__(self, other):
        return isinstance(other, CoreRangeSet) and self._ranges == other._ranges

    def __hash__(self):
        return hash(tuple(self._ranges))

    def __repr__(self):
        return f"CoreRangeSet({self._ranges})"


@dataclasses.dataclass(frozen=True, init=False)
class ShardSpec:
    """The cores that have shards, a shard's shape, and whether shards follow rows or columns of cores."""

    grid: CoreRangeSet
    shape: tuple
    orientation: ShardOrientation = ShardOrientation.ROW_MAJOR

    def __init__(self, grid, shape=None, orientation=None, *, shard_shape=None, shard_orientation=None):
        shape = shard_shape if shape is None else shape
        if shape is None:
            raise TypeError("ShardSpec: argument 'shard_shape': expected the rows and columns of a shard, found nothing")
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "shape", tuple(shape))
        object.__setattr__(self, "orientation", orientation or shard_orientation or ShardOrientation.ROW_MAJOR)


@dataclasses.dataclass(frozen=True)
class MemoryConfig:
    memory_layout: TensorMemoryLayout = TensorMemoryLayout.INTERLEAVED
    buffer_type: BufferType = BufferType.DRAM
    shard_spec: ShardSpec = None

    @functools.cached_property
    def _packed(self):
        """Numbers for the library: core_placement of core_ttnn_tensor.c reads them."""
        spec = self.shard_spec
        head = (1 + self.buffer_type.value, max(self.memory_layout.value - 1, 0))
        if spec is None:
            return head + (0, 0, 0)
        cores = (n for r in spec.grid.ranges() for n in (r.start.x, r.start.y, r.end.x, r.end.y))
        return (*head, spec.orientation.value, *spec.shape, *cores)

    def is_sharded(self):
        return self.memory_layout != TensorMemoryLayout.INTERLEAVED


@dataclasses.dataclass(frozen=True)
class CoreGrid:
    """A number of rows and columns of cores, from the first core on."""

    y: int
    x: int

    @property
    def num_cores(self):
        return self.y * self.x


def create_sharded_memory_config(shape, core_grid, strategy, orientation=None, use_height_and_width_as_shard_shape=False):
    """Shards in L1 for tensors of a shape, on a CoreGrid or a CoreRangeSet: whole rows (HEIGHT), whole columns
    (WIDTH) or rectangles (BLOCK). With the last argument true, the shape is a shard's."""
    orientation = orientation or ShardOrientation.ROW_MAJOR
    if isinstance(core_grid, CoreGrid):
        core_grid = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(core_grid.x - 1, core_grid.y - 1))])
    shape = tuple(shape)
    height, width = math.prod(shape[:-1]), shape[-1]
    if use_height_and_width_as_shard_shape:
        height, width = shape[-2:]
    elif strategy is ShardStrategy.BLOCK:
        cores = core_grid.bounding_box().grid_size()
        down, across = cores.y, cores.x
        if orientation is ShardOrientation.COL_MAJOR:
            down, across = across, down
        height, width = -(-height // down), -(-width // across)
    elif strategy is ShardStrategy.HEIGHT:
        height = -(-height // core_grid.num_cores())
    else:
        width = -(-width // core_grid.num_cores())
    layout = {ShardStrategy.HEIGHT: TensorMemoryLayout.HEIGHT_SHARDED, ShardStrategy.WIDTH: TensorMemoryLayout.WIDTH_SHARDED,
              ShardStrategy.BLOCK: TensorMemoryLayout.BLOCK_SHARDED}[strategy]
    return MemoryConfig(layout, BufferType.L1, ShardSpec(core_grid, (height, width), orientation))


def memory_of(space, sharding, shard, by_columns, cores):
    """The sharded memory config of a placement of the library."""
    layout = [TensorMemoryLayout.INTERLEAVED, TensorMemoryLayout.HEIGHT_SHARDED, TensorMemoryLayout.WIDTH_SHARDED,
              TensorMemoryLayout.BLOCK_SHARDED][sharding]
    grid = CoreRangeSet([CoreRange(CoreCoord(*c[:2]), CoreCoord(*c[2:])) for c in cores])
    return MemoryConfig(layout, BufferType(space - 1), ShardSpec(grid, shard, ShardOrientation(int(by_columns))))


class Record:
    """A configuration of ttnn: fields by name, unset ones left to the device."""

    _type, _names = "", ()

    def __init__(self, **fields):
        for name in fields:
            if name not in self._names:
                raise TypeError(f"{type(self).__name__}: there is no field '{name}'; there are {', '.join(self._names)}")
        self._fields = fields

    def __getattr__(self, name):
        if name in type(self)._names:
            return self._fields.get(name)
        raise AttributeError(f"{type(self).__name__} has no field '{name}'")

    def __eq__(self, other):
        return type(self) is type(other) and self._fields == other._fields

    def __hash__(self):
        return hash((self._type, tuple(sorted(self._fields))))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._fields.items())})"


# Configurations as the library's rows have them.
RECORDS = {name: type(name, (Record,), {"_type": kind, "_names": tuple(fields), "__doc__": f"{name}({', '.join(fields)})", "__module__": "ttnn"})
           for name, kind, fields in _core().ttnn_records()}


UnaryOpType = enum.Enum("UnaryOpType", _core().ttnn_activations(), module="ttnn")


class UnaryWithParam(Record):
    """An activation that an operation applies to its result: UnaryWithParam(ttnn.UnaryOpType.RELU)."""

    _type, _names = "ttnn.unary_with_param", ("op_type", "params")

    def __init__(self, op_type, params=()):
        super().__init__(op_type=op_type, params=list(params))


class Conv2dSliceType(enum.Enum):
    DramHeight = 0
    DramWidth = 1
    L1Full = 2


Conv2dDRAMSliceHeight, Conv2dDRAMSliceWidth, Conv2dL1Full = Conv2dSliceType


class Topology(enum.Enum):
    Ring = 0
    Linear = 1


class FabricConfig(enum.Enum):
    DISABLED = 0
    FABRIC_1D = 1
    FABRIC_1D_RING = 2
    FABRIC_2D = 3


class SigmoidMode(enum.Enum):
    FAST_APPROXIMATE = 0
    Accurate = 1


class MeshShape(tuple):
    """Rows and columns of a mesh: MeshShape(1, 1) or MeshShape((1, 1))."""

    def __new__(cls, *sizes):
        return super().__new__(cls, sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes)


DRAM_MEMORY_CONFIG = MemoryConfig()
L1_MEMORY_CONFIG = MemoryConfig(buffer_type=BufferType.L1)

bfloat16, float32, uint32 = DataType.BFLOAT16, DataType.FLOAT32, DataType.UINT32
bfloat8_b, bfloat4_b = DataType.BFLOAT8_B, DataType.BFLOAT4_B
uint8, uint16, int32 = DataType.UINT8, DataType.UINT16, DataType.INT32
TILE_LAYOUT, ROW_MAJOR_LAYOUT = Layout.TILE, Layout.ROW_MAJOR
TILE_SIZE = 32


def _numbered_cores(grid, first, count, row_wise):
    """Cores `first` to `first + count` of a grid, counted along rows (or columns), as rectangles."""
    along = grid.x if row_wise else grid.y
    ranges = []
    while count:
        line, at = divmod(first, along)
        if at == 0 and count >= along:
            lines = count // along
            start, end, taken = (0, line), (along - 1, line + lines - 1), lines * along
        else:
            taken = min(count, along - at)
            start, end = (at, line), (at + taken - 1, line)
        if not row_wise:
            start, end = start[::-1], end[::-1]
        ranges.append(CoreRange(CoreCoord(*start), CoreCoord(*end)))
        first, count = first + taken, count - taken
    return CoreRangeSet(ranges)


def split_work_to_cores(grid, units, row_wise=False):
    """Distributes `units` of work among the cores of a grid (a CoreCoord, or a CoreRangeSet of one rectangle).

    Returns (cores used, all of them, those with one unit more, the others, units of the first group, units of the
    second).
    """
    if isinstance(grid, CoreRangeSet):
        grid = grid.bounding_box().grid_size()
    if units < 0:
        raise ValueError(f"units of work cannot be {units}")
    cores = min(grid.x * grid.y, units)
    if cores == 0:
        empty = CoreRangeSet([])
        return 0, empty, empty, empty, 0, 0
    each, more = divmod(units, cores)
    all_cores = _numbered_cores(grid, 0, cores, row_wise)
    if not more:
        return cores, all_cores, all_cores, CoreRangeSet([]), each, 0
    return (cores, all_cores, _numbered_cores(grid, 0, more, row_wise),
            _numbered_cores(grid, more, cores - more, row_wise), each + 1, each)
