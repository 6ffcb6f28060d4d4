"""Tensors of the embedded device, and the devices."""

import functools
import math
import os
import weakref

from tilewright import forks, sim

from . import _config as config, _host as hosts
from ._config import BufferType, DataType, Layout, TensorMemoryLayout

ELEMENTS = {DataType.BFLOAT16: "bf16", DataType.FLOAT16: "f16", DataType.FLOAT32: "f32", DataType.INT32: "si32", DataType.UINT8: "u8",
            DataType.UINT16: "u16", DataType.UINT32: "u32", DataType.BFLOAT8_B: "bfp_bf8", DataType.BFLOAT4_B: "bfp_bf4"}
CHIPS = ("n150", "p150")  # from small to large


# ---- devices -------------------------------------------------------------------------------


def _seed():
    """TTLANG_SIM_SEED: shuffles the order in which threads run; 0 is the order as written."""
    text = os.environ.get("TTLANG_SIM_SEED", "0")
    if not text.isdigit():
        raise ValueError(f"TTLANG_SIM_SEED must be a number, not '{text}'")
    return int(text)


def _profiled():
    """True if launches record a timeline, for the profile or a file of it."""
    return any(os.environ.get(name, "0") not in ("", "0") for name in ("TTLANG_SIM_PROFILE", "TTLANG_SIM_TRACE", "TTLANG_AUTO_PROFILE", "TTLANG_PROFILE_CSV"))


class Device:
    """An embedded device: a chip with a grid of cores."""

    def __init__(self, chip="n150", device_id=0):
        self.chip, self.device_id = chip, device_id
        self.grid = sim.Grid(chip, seed=_seed(), profile=_profiled())
        self.rows, self.columns = self.grid.rows, self.grid.columns
        self.open = True
        self.lock = forks.rlock()  # one launch at a time
        self.programs = weakref.WeakSet()  # of compiled functions, while they keep them

    def compute_with_storage_grid_size(self):
        return config.CoreCoord(self.columns, self.rows)

    core_grid = property(compute_with_storage_grid_size)

    def id(self):
        return self.device_id

    def clear_program_cache(self):
        """Drops what is kept for further calls of functions with the same shapes."""
        sim._core().ttnn_forget()
        self.programs.clear()

    disable_and_clear_program_cache = clear_program_cache

    def enable_program_cache(self):
        """No-op: plans of calls are always kept."""

    def num_program_cache_entries(self):
        """The number of plans and compiled functions that are kept."""
        return sim._core().ttnn_counts()[2] + len(self.programs)

    def get_num_devices(self):
        return 1

    def arch(self):
        return "blackhole" if self.chip.startswith("p") else "wormhole_b0"

    def __repr__(self):
        return f"Device({self.device_id}: {self.chip}, {self.columns}x{self.rows} cores)"


@functools.lru_cache(maxsize=None)
def _shared_device(chip):
    return Device(chip)


def default_device():
    """The default device of tensors: TTLANG_CHIP's, else an n150."""
    chip = os.environ.get("TTLANG_CHIP", CHIPS[0])
    return _shared_device(chip)


def device_for(grid):
    """The first device that has enough cores for a grid of (columns, rows) or of any rank."""
    count = 1
    for size in grid:
        count *= size
    chips = (os.environ["TTLANG_CHIP"],) if "TTLANG_CHIP" in os.environ else CHIPS
    for chip in chips:
        device = _shared_device(chip)
        fits = grid[0] <= device.columns and grid[1] <= device.rows if len(grid) == 2 else count <= device.rows * device.columns
        if fits:
            return device
    return default_device()  # too small: the launch reports it


def open_device(device_id=0, **_):
    """Opens the embedded device. There is one, with id 0."""
    if device_id != 0:
        raise RuntimeError(f"no device {device_id}: the embedded device is number 0")
    return Device(os.environ.get("TTLANG_CHIP", CHIPS[0]), device_id)


def close_device(device):
    device.open = False


def GetNumAvailableDevices():
    return 1


# ---- tensors -----------------------------------------------------------------------------------


_KINDS = {}  # (shape, type, layout, memory, device) -> index
_CODES = {DataType.FLOAT32: 0, DataType.FLOAT16: 1, DataType.BFLOAT16: 2, DataType.BFLOAT8_B: 4, DataType.BFLOAT4_B: 6,
          DataType.UINT32: 9, DataType.UINT16: 10, DataType.UINT8: 11, DataType.INT32: 12}  # tw_dtype


def _listed(values, shape, data_type, layout=Layout.ROW_MAJOR, device=None, memory_config=None):
    """Arguments for a tensor of a list of values."""
    kind = getattr(hosts.torch(), hosts.NAMES[data_type])
    return hosts.torch().tensor(values).to(kind).reshape(tuple(shape)), data_type, layout, device, memory_config


class Tensor(sim._core().TensorBase):
    """A tensor on the host, on a device, or both: the one written last is valid.

    `shape`, `dtype` and `layout` as in ttnn. Operators are functions of ttnn, computed by the library.
    """

    device_tensor = None  # the grid's copy, made when a kernel or an address is wanted
    empty = False  # uninitialized: reads by kernels are reported
    _on = None

    def __init__(self, host, *args, **options):
        """Tensor(torch's or NumPy's, dtype, layout, device, memory_config), or ttnn's Tensor(list of values, shape, data type, layout,
        device, memory_config)."""
        if isinstance(host, (list, tuple)):
            self._fill(*_listed(host, *args, **options))
        else:
            self._fill(host, *args, **options)

    def _fill(self, host, dtype=None, layout=Layout.TILE, device=None, memory_config=None, empty=False):
        dtype = dtype if isinstance(dtype, DataType) else hosts.dtype_of(dtype or host.dtype)
        hosts.check(host)
        self._set(_CODES[dtype], layout == Layout.TILE, tuple(host.shape), memory_config or config.DRAM_MEMORY_CONFIG, device)
        host = hosts.cast(host, dtype)
        if dtype in (DataType.BFLOAT8_B, DataType.BFLOAT4_B):
            host = sim.round_blocks(host, ELEMENTS[dtype])
        self._lend(host, hosts.address_of(host))
        if empty:
            self.empty = True
        if device is not None:
            self.move(device)

    @functools.cached_property
    def cache_key(self):
        """An integer: hashed at every call of a kernel."""
        key = (self.shape, self.dtype, self.layout, self._memory, id(self._device) if self._device else None)
        return _KINDS.setdefault(key, len(_KINDS))

    def move(self, device):
        """Ensures that `device` has the tensor's values."""
        if not device.open:
            raise RuntimeError(f"{device} has been closed")
        if 0 in self.shape:
            raise ValueError(f"a tensor of shape {self.shape} has no elements, and none can be kept on a device")
        if self.device_tensor is None or self._on is not device:
            memory = {BufferType.DRAM: sim.DRAM, BufferType.L1: sim.L1}[self._memory.buffer_type]
            shards = ()
            if self._memory.memory_layout != TensorMemoryLayout.INTERLEAVED:
                memory += sim.DRAM_SHARDED - sim.DRAM
                shards = self._shards()
            host = self.values()
            self.device_tensor = device.grid.tensor(self.shape, ELEMENTS[self.dtype], memory=memory,
                                                    tiled=self._device is None or self.layout == Layout.TILE,
                                                    shards=shards, cores=self._cores(shards), shard_shape=self._shard_shape())
            self._on = device
            self.device_tensor.write(host)
            if self.empty:
                self.device_tensor.empty()
        return self

    def _shards(self):
        """Rows and columns of shards of the folded tensor."""
        spec = self._memory.shard_spec
        if spec is None:
            raise ValueError(f"a {self._memory.memory_layout} memory config needs a shard_spec")
        rows = 1
        for d in self.shape[:-1]:
            rows *= d
        return -(-rows // spec.shape[0]), -(-self.shape[-1] // spec.shape[1])

    def _cores(self, shards):
        """Row and column of the first core with a shard, and how many shards a row of cores has: shards go along rows of cores."""
        spec = self._memory.shard_spec
        if not shards or spec.orientation is not config.ShardOrientation.ROW_MAJOR or self._memory.buffer_type is not BufferType.L1:
            return ()
        if len(spec.grid.ranges()) != 1 or self._memory.memory_layout is TensorMemoryLayout.BLOCK_SHARDED:
            return ()
        box = spec.grid.bounding_box()
        return box.start.y, box.start.x, min(box.grid_size().x, math.prod(shards))

    def _shard_shape(self):
        """The elements of a shard of a tensor in rows; tiles are distributed evenly."""
        spec = self._memory.shard_spec
        return spec.shape if spec is not None and self._device is not None and self.layout == Layout.ROW_MAJOR else ()

    def values(self):
        """The values on the host, as a torch tensor or NumPy array; read-only."""
        if self._host is None:
            owner, address, size = self._take()
            if owner is None and address == 0:
                raise RuntimeError("the tensor's values on the host were dropped")
            self._view(hosts.over(owner, address, size, self.shape, self.dtype))
        if self._stale:
            self.device_tensor.read(self._host)
            self._stale = False
        return self._host

    def replace(self, values):
        """Replaces the values, keeping the layout."""
        self._lend(values, hosts.address_of(values))
        self._stale = self.empty = False
        if self.device_tensor is not None:
            self.device_tensor.write(values)

    def written_on_host(self):
        """Called when an operation modified the values in place."""
        self.empty = False
        if self.device_tensor is not None:
            self.device_tensor.write(self.values())

    def emptied(self):
        """The same tensor, marked as uninitialized."""
        self.empty = True
        if self.device_tensor is not None:
            self.device_tensor.empty()
        return self

    def written_on_device(self):
        self._stale, self.empty = True, False

    def forget_host(self):
        """Drops the host's array until replace(), so that its owner may free it."""
        self._lend(None, 0)

    def to_torch(self):
        return hosts.as_torch(self.values()).clone()

    def device(self):
        return self._device

    def buffer_address(self):
        """The address of its first page on the device."""
        if self.device_tensor is None and self._device is not None:
            self.move(self._device)
        if self.device_tensor is None:
            raise RuntimeError("a tensor on the host has no address on a device")
        return self.device_tensor.address

    def memory_config(self):
        return self._memory

    def cpu(self):
        """The tensor on the host."""
        return Tensor(self.to_torch(), self.dtype, self.layout, None, self._memory, self.empty) if self._device is not None else self

    def get_dtype(self):
        return self.dtype

    def get_layout(self):
        return self.layout

    def logical_volume(self):
        return math.prod(self.shape)

    volume = logical_volume

    def item(self):
        return self.to_torch().item()

    def is_allocated(self):
        return not self.given_back

    def storage_type(self):
        return "DEVICE" if self._device is not None else "HOST"

    def __repr__(self):
        return f"ttnn.Tensor({self.values()}, shape={self.shape}, dtype={self.dtype}, layout={self.layout})"

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        return self.like(self.values()[index])

    def like(self, host):
        """A tensor of other values with this one's type, layout and memory."""
        return Tensor(host, self.dtype, self.layout, self._device, self._memory)


# ---- for kernels -------------------------------------------------------------------------------------


def is_tensor(value):
    """True for tensors that kernels accept: ttnn's, torch's or NumPy's."""
    return isinstance(value, Tensor) or hosts.is_torch(value) or hosts.is_numpy(value)


def on_device(value, device, rows=False):
    """The tensor, on the device as tiles; host arrays are lent to it, and so are the values of row-major tensors
    unless `rows` are wanted."""
    if getattr(value, "given_back", False):
        raise ValueError(f"a tensor of shape {tuple(value.shape)} that ttnn.deallocate gave back; keep it until the kernel "
                         "has run, or make a new one")
    if not rows and isinstance(value, Tensor) and value.device() is not None and value.layout != Layout.TILE:
        memory = config.MemoryConfig(buffer_type=value.memory_config().buffer_type)
        value = Tensor(value.to_torch(), value.dtype, Layout.TILE, None, memory, value.empty)
    if not isinstance(value, Tensor):
        value = Tensor(value)
    return value.move(device)


def lend_again(lent, value):
    """Replaces the values of a tensor lent to the device for a host array of the same shape and type."""
    if not lent._on.open:
        raise RuntimeError(f"{lent._on} has been closed")
    hosts.check(value)
    lent.replace(hosts.cast(value, lent.dtype))


unwritable = hosts.unwritable


def written(value, lent):
    """Called when a kernel wrote the tensor: the host's copy is stale; host arrays get the values at once."""
    lent.written_on_device()
    if value is lent:
        return
    values = lent.values()
    if isinstance(value, Tensor):
        value.replace(values)
    elif values is value:  # the host's array they were copied from
        return
    elif hosts.is_torch(value):
        value.copy_(hosts.as_torch(values))
    else:
        value[...] = hosts.as_numpy(values)
