"""Types of ttnn's names for editors. Written by scripts/ttnn_stubs.py."""

import contextlib
import enum
from collections.abc import Sequence
from typing import Any

Conv2dDRAMSliceHeight: Any
Conv2dDRAMSliceWidth: Any
Conv2dL1Full: Any
DRAM_MEMORY_CONFIG: MemoryConfig
L1_MEMORY_CONFIG: MemoryConfig
ROW_MAJOR_LAYOUT: Layout
TILE_LAYOUT: Layout
TILE_SIZE: int
bfloat16: DataType
bfloat4_b: DataType
bfloat8_b: DataType
float32: DataType
int32: DataType
uint16: DataType
uint32: DataType
uint8: DataType

class BufferType(enum.Enum):
    DRAM = ...
    L1 = ...

class CBDescriptor:
    total_size: Any
    core_ranges: Any
    format_descriptors: Any
    def __init__(self, total_size, core_ranges, format_descriptors) -> None: ...

class CBFormatDescriptor:
    buffer_index: Any
    data_format: Any
    page_size: Any
    def __init__(self, buffer_index, data_format, page_size) -> None: ...

class ComputeConfigDescriptor:
    math_fidelity: Any
    fp32_dest_acc_en: Any
    dst_full_sync_en: Any
    math_approx_mode: Any
    def __init__(self, math_fidelity=..., fp32_dest_acc_en=..., dst_full_sync_en=..., math_approx_mode=...) -> None: ...

class Conv2dConfig:
    def __init__(self, *, weights_dtype: Any = ..., activation: Any = ..., deallocate_activation: Any = ..., reallocate_halo_output: Any = ..., act_block_h_override: Any = ..., act_block_w_div: Any = ..., reshard_if_not_optimal: Any = ..., override_sharding_config: Any = ..., shard_layout: Any = ..., core_grid: Any = ..., transpose_shards: Any = ..., output_layout: Any = ..., enable_act_double_buffer: Any = ..., enable_weights_double_buffer: Any = ..., enable_kernel_stride_folding: Any = ..., config_tensors_in_dram: Any = ...) -> None: ...
    weights_dtype: Any
    activation: Any
    deallocate_activation: Any
    reallocate_halo_output: Any
    act_block_h_override: Any
    act_block_w_div: Any
    reshard_if_not_optimal: Any
    override_sharding_config: Any
    shard_layout: Any
    core_grid: Any
    transpose_shards: Any
    output_layout: Any
    enable_act_double_buffer: Any
    enable_weights_double_buffer: Any
    enable_kernel_stride_folding: Any
    config_tensors_in_dram: Any

class Conv2dSliceConfig:
    def __init__(self, *, slice_type: Any = ..., num_slices: Any = ...) -> None: ...
    slice_type: Any
    num_slices: Any

class Conv3dConfig:
    def __init__(self, *, weights_dtype: Any = ..., t_out_block: Any = ..., w_out_block: Any = ..., h_out_block: Any = ..., c_out_block: Any = ..., c_in_block: Any = ..., compute_with_storage_grid_size: Any = ...) -> None: ...
    weights_dtype: Any
    t_out_block: Any
    w_out_block: Any
    h_out_block: Any
    c_out_block: Any
    c_in_block: Any
    compute_with_storage_grid_size: Any

class CoreCoord:
    x: Any
    y: Any
    def __init__(self, x, y) -> None: ...

class CoreGrid:
    y: Any
    x: Any
    def __init__(self, y, x) -> None: ...
    @property
    def num_cores(self) -> Any: ...

class CoreRange:
    start: Any
    end: Any
    def __init__(self, start, end) -> None: ...
    def grid_size(self) -> Any: ...
    def num_cores(self) -> Any: ...

class CoreRangeSet:
    def __init__(self, ranges) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""
    def ranges(self) -> Any: ...
    def num_cores(self) -> Any: ...
    def bounding_box(self) -> Any: ...

class DataType(enum.Enum):
    BFLOAT16 = ...
    FLOAT32 = ...
    UINT32 = ...
    BFLOAT8_B = ...
    BFLOAT4_B = ...
    UINT8 = ...
    UINT16 = ...
    INT32 = ...
    FLOAT16 = ...

class Device:
    def __init__(self, chip=..., device_id=0) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""
    def compute_with_storage_grid_size(self) -> Any: ...
    @property
    def core_grid(self) -> Any: ...
    def id(self) -> Any: ...
    def clear_program_cache(self) -> Any:
        """Drops what is kept for further calls of functions with the same shapes."""
    def disable_and_clear_program_cache(self) -> Any:
        """Drops what is kept for further calls of functions with the same shapes."""
    def enable_program_cache(self) -> Any:
        """No-op: plans of calls are always kept."""
    def num_program_cache_entries(self) -> Any:
        """The number of plans and compiled functions that are kept."""
    def get_num_devices(self) -> Any: ...
    def arch(self) -> Any: ...

class DispatchCoreAxis(enum.Enum):
    ROW = ...
    COL = ...

class DispatchCoreConfig:
    def __init__(self, type=None, axis=None, fabric_tensix_config=None) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""

class DispatchCoreType(enum.Enum):
    WORKER = ...
    ETH = ...

class FabricConfig(enum.Enum):
    DISABLED = ...
    FABRIC_1D = ...
    FABRIC_1D_RING = ...
    FABRIC_2D = ...

class FabricReliabilityMode(enum.Enum):
    STRICT_INIT = ...
    RELAXED_INIT = ...
    DYNAMIC_RECONFIGURATION_SETUP_INIT_MODE = ...

class FabricTensixConfig(enum.Enum):
    DISABLED = ...
    MUX = ...

class KernelDescriptor:
    kernel_source: Any
    core_ranges: Any
    compile_time_args: Any
    runtime_args: Any
    common_runtime_args: Any
    config: Any
    defines: Any
    source_type: Any
    def __init__(self, kernel_source, core_ranges, compile_time_args=..., runtime_args=..., common_runtime_args=..., config=..., defines=..., source_type=...) -> None: ...

class LayerNormShardedMultiCoreProgramConfig:
    def __init__(self, *, compute_with_storage_grid_size: Any = ..., subblock_w: Any = ..., block_h: Any = ..., block_w: Any = ..., inplace: Any = ...) -> None: ...
    compute_with_storage_grid_size: Any
    subblock_w: Any
    block_h: Any
    block_w: Any
    inplace: Any

class Layout(enum.Enum):
    ROW_MAJOR = ...
    TILE = ...

class MathFidelity(enum.Enum):
    LoFi = ...
    HiFi2 = ...
    HiFi3 = ...
    HiFi4 = ...

class MatmulMultiCoreReuseMultiCast1DProgramConfig:
    def __init__(self, *, compute_with_storage_grid_size: Any = ..., in0_block_w: Any = ..., out_subblock_h: Any = ..., out_subblock_w: Any = ..., out_block_h: Any = ..., out_block_w: Any = ..., per_core_M: Any = ..., per_core_N: Any = ..., fuse_batch: Any = ..., fused_activation: Any = ..., mcast_in0: Any = ..., gather_in0: Any = ..., hop_cores: Any = ..., num_global_cb_receivers: Any = ..., untilize_out: Any = ...) -> None: ...
    compute_with_storage_grid_size: Any
    in0_block_w: Any
    out_subblock_h: Any
    out_subblock_w: Any
    out_block_h: Any
    out_block_w: Any
    per_core_M: Any
    per_core_N: Any
    fuse_batch: Any
    fused_activation: Any
    mcast_in0: Any
    gather_in0: Any
    hop_cores: Any
    num_global_cb_receivers: Any
    untilize_out: Any

class MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig:
    def __init__(self, *, in0_block_w: Any = ..., per_core_M: Any = ..., per_core_N: Any = ..., fused_activation: Any = ...) -> None: ...
    in0_block_w: Any
    per_core_M: Any
    per_core_N: Any
    fused_activation: Any

class MatmulMultiCoreReuseMultiCastProgramConfig:
    def __init__(self, *, compute_with_storage_grid_size: Any = ..., in0_block_w: Any = ..., out_subblock_h: Any = ..., out_subblock_w: Any = ..., out_block_h: Any = ..., out_block_w: Any = ..., per_core_M: Any = ..., per_core_N: Any = ..., transpose_mcast: Any = ..., fused_activation: Any = ..., fuse_batch: Any = ...) -> None: ...
    compute_with_storage_grid_size: Any
    in0_block_w: Any
    out_subblock_h: Any
    out_subblock_w: Any
    out_block_h: Any
    out_block_w: Any
    per_core_M: Any
    per_core_N: Any
    transpose_mcast: Any
    fused_activation: Any
    fuse_batch: Any

class MatmulMultiCoreReuseProgramConfig:
    def __init__(self, *, compute_with_storage_grid_size: Any = ..., in0_block_w: Any = ..., out_subblock_h: Any = ..., out_subblock_w: Any = ..., per_core_M: Any = ..., per_core_N: Any = ...) -> None: ...
    compute_with_storage_grid_size: Any
    in0_block_w: Any
    out_subblock_h: Any
    out_subblock_w: Any
    per_core_M: Any
    per_core_N: Any

class MemoryConfig:
    memory_layout: Any
    buffer_type: Any
    shard_spec: Any
    def __init__(self, memory_layout=..., buffer_type=..., shard_spec=...) -> None: ...
    def is_sharded(self) -> Any: ...

class MeshComposerConfig:
    def __init__(self, dims, mesh_shape_override=None) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""

class MeshCoordinate(tuple):
    ...

class MeshMapperConfig:
    def __init__(self, placements, mesh_shape_override=None) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""

class MeshShape(tuple):
    ...

class MeshToTensor:
    def __init__(self, config) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""

class PlacementReplicate:
    ...

class PlacementShard:
    def __init__(self, dim) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""

class ProgramDescriptor:
    kernels: Any
    cbs: Any
    semaphores: Any
    custom_program_hash: Any
    def __init__(self, kernels, cbs=..., semaphores=..., custom_program_hash=...) -> None: ...

class ReaderConfigDescriptor:
    noc: Any
    def __init__(self, noc=...) -> None: ...

class SDPAProgramConfig:
    def __init__(self, *, compute_with_storage_grid_size: Any = ..., sub_core_grids: Any = ..., q_chunk_size: Any = ..., k_chunk_size: Any = ..., exp_approx_mode: Any = ..., max_cores_per_head_batch: Any = ...) -> None: ...
    compute_with_storage_grid_size: Any
    sub_core_grids: Any
    q_chunk_size: Any
    k_chunk_size: Any
    exp_approx_mode: Any
    max_cores_per_head_batch: Any

class SemaphoreDescriptor:
    initial_value: Any
    core_ranges: Any
    def __init__(self, initial_value=..., core_ranges=...) -> None: ...

Shape = tuple

class ShardOrientation(enum.Enum):
    ROW_MAJOR = ...
    COL_MAJOR = ...

class ShardSpec:
    grid: Any
    shape: Any
    orientation: Any
    def __init__(self, grid, shape, orientation=...) -> None: ...

class ShardStrategy(enum.Enum):
    HEIGHT = ...
    WIDTH = ...
    BLOCK = ...

class SigmoidMode(enum.Enum):
    FAST_APPROXIMATE = ...
    Accurate = ...

class Tensor:
    def __init__(self, host, *args, **options) -> Any:
        """Tensor(torch's or NumPy's, dtype, layout, device, memory_config), or ttnn's Tensor(list of values, shape, data type, layout,"""
    @property
    def cache_key(self) -> Any: ...
    def move(self, device) -> Any:
        """Ensures that `device` has the tensor's values."""
    def values(self) -> Any:
        """The values on the host, as a torch tensor or NumPy array; read-only."""
    def replace(self, values) -> Any:
        """Replaces the values, keeping the layout."""
    def written_on_host(self) -> Any:
        """Called when an operation modified the values in place."""
    def emptied(self) -> Any:
        """The same tensor, marked as uninitialized."""
    def written_on_device(self) -> Any: ...
    def forget_host(self) -> Any:
        """Drops the host's array until replace(), so that its owner may free it."""
    def to_torch(self) -> Any: ...
    def device(self) -> Any: ...
    def buffer_address(self) -> Any:
        """The address of its first page on the device."""
    def memory_config(self) -> Any: ...
    def cpu(self) -> Any:
        """The tensor on the host."""
    def get_dtype(self) -> Any: ...
    def get_layout(self) -> Any: ...
    def logical_volume(self) -> Any: ...
    def volume(self) -> Any: ...
    def item(self) -> Any: ...
    def is_allocated(self) -> Any: ...
    def storage_type(self) -> Any: ...
    def __len__(self) -> Any: ...
    def __getitem__(self, index) -> Any: ...
    def like(self, host) -> Any:
        """A tensor of other values with this one's type, layout and memory."""
    def __add__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __sub__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def reshape(self, *shape) -> Any: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> DataType: ...
    @property
    def layout(self) -> Layout: ...

class TensorAccessorArgs:
    def __init__(self, tensor) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""
    def get_compile_time_args(self) -> Any: ...

class TensorMemoryLayout(enum.Enum):
    INTERLEAVED = ...
    HEIGHT_SHARDED = ...
    WIDTH_SHARDED = ...
    BLOCK_SHARDED = ...

class TensorToMesh:
    def __init__(self, config) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""

class Topology(enum.Enum):
    Ring = ...
    Linear = ...

class UnaryOpType(enum.Enum):
    EXP = ...
    RECIP = ...
    GELU = ...
    RELU = ...
    SQRT = ...
    SIGMOID = ...
    LOG = ...
    TANH = ...
    LOG2 = ...
    LOG10 = ...
    SIN = ...
    COS = ...
    ABS = ...
    ABS_INT32 = ...
    SIGN = ...
    SQUARE = ...
    EQZ = ...
    NEZ = ...
    GTZ = ...
    LTZ = ...
    GEZ = ...
    LEZ = ...
    RELU_MAX = ...
    RELU_MIN = ...
    POWER = ...
    LEAKY_RELU = ...
    ELU = ...
    EXP2 = ...
    HEAVISIDE = ...
    EXPM1 = ...
    SIGNBIT = ...
    ASIN = ...
    ACOS = ...
    RSQRT = ...
    RELU6 = ...
    ATAN = ...
    ERF = ...
    ERFC = ...
    ISINF = ...
    ISPOSINF = ...
    ISNEGINF = ...
    ISNAN = ...
    LOGICAL_NOT_UNARY = ...
    ISFINITE = ...
    ERFINV = ...
    I0 = ...
    I1 = ...
    TAN = ...
    RSUB = ...
    RDIV = ...
    SILU = ...
    SOFTPLUS = ...
    IDENTITY = ...
    NEG = ...
    ADD_UNARY_SFPU = ...
    SUB_UNARY_SFPU = ...
    MUL_UNARY_SFPU = ...
    DIV_UNARY_SFPU = ...
    IDENTITY_UINT32 = ...
    UNARY_NE = ...
    UNARY_GT = ...
    UNARY_LT = ...
    TILED_PROD = ...
    TYPECAST = ...
    BITWISE_XOR = ...
    BITWISE_NOT = ...
    BITWISE_AND = ...
    BITWISE_OR = ...
    RIGHT_SHIFT = ...
    FLOOR = ...
    CEIL = ...
    ROUND = ...
    LEFT_SHIFT = ...
    REMAINDER = ...
    FMOD = ...
    DROPOUT = ...
    FILL = ...
    PRELU_SFPU = ...
    ZERO_POINT = ...
    HARDSIGMOID = ...

class UnaryWithParam:
    def __init__(self, op_type, params=...) -> Any:
        """Initialize self.  See help(type(self)) for accurate signature."""

class WormholeComputeKernelConfig:
    def __init__(self, *, math_fidelity: Any = ..., math_approx_mode: Any = ..., fp32_dest_acc_en: Any = ..., packer_l1_acc: Any = ..., dst_full_sync_en: Any = ...) -> None: ...
    math_fidelity: Any
    math_approx_mode: Any
    fp32_dest_acc_en: Any
    packer_l1_acc: Any
    dst_full_sync_en: Any

class WriterConfigDescriptor:
    noc: Any
    def __init__(self, noc=...) -> None: ...

def GetDefaultDevice() -> Device:
    """The default device of tensors."""

def GetNumAvailableDevices() -> Any: ...

def abs(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.abs of the embedded device."""

def acos(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.acos of the embedded device."""

def add(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.add of the embedded device."""

def aggregate_tensor(tensor, composer) -> Any:
    """The tensor that the parts on the chips of a mesh are of: a copy, since there is one chip."""

def all_gather(input_tensor: Tensor, dim: int, cluster_axis: int | None = None, *, memory_config: MemoryConfig | None = None, num_links: int | None = None, topology: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.all_gather of the embedded device."""

def all_reduce(input_tensor: Tensor, cluster_axis: int | None = None, *, memory_config: MemoryConfig | None = None, num_links: int | None = None, topology: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.all_reduce of the embedded device."""

def all_to_all_combine(input_tensor: Tensor, expert_metadata_tensor: Tensor, expert_mapping_tensor: Tensor, cluster_axis: int | None = None, output_shard_dim: int | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.all_to_all_combine of the embedded device."""

def all_to_all_dispatch(input_tensor: Tensor, expert_indices_tensor: Tensor, expert_mapping_tensor: Tensor, cluster_axis: int | None = None, *, memory_config: MemoryConfig | None = None) -> tuple[Tensor, Tensor]:
    """The operation ttnn.all_to_all_dispatch of the embedded device."""

def allocate_tensor_on_device(shape, dtype, layout, device, memory_config=None) -> Any:
    """A tensor for a kernel to write, as empty() gives it."""

def arange(start, end=None, step=1, dtype=None, layout=None, device=None, memory_config=None) -> Tensor:
    """Whole numbers from start to end."""

def argmax(input_tensor: Tensor, dim: int | None = None, keepdim: bool | None = None, *, sub_core_grids: Any = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.argmax of the embedded device."""

def as_tensor(tensor, dtype=None, *, layout=None, device=None, memory_config=None, **_) -> Tensor:
    """A tensor with a copy of the torch tensor's values, rounded to `dtype`. Default layout: tiles on a device and"""

def asin(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.asin of the embedded device."""

def asinh(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.asinh of the embedded device."""

def assign(input_tensor: Tensor, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.assign of the embedded device."""

def atan(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.atan of the embedded device."""

def atan2(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.atan2 of the embedded device."""

def avg_pool2d(input_tensor: Tensor, batch_size: int, input_height: int, input_width: int, channels: int, kernel_size: Sequence[int], stride: Sequence[int] | None = None, padding: Sequence[int] | None = None, ceil_mode: bool | None = None, count_include_pad: bool | None = None, *, memory_config: MemoryConfig | None = None, applied_shard_scheme: Any = None, compute_kernel_config: Any = None, reallocate_halo_output: bool | None = None, config_tensor_in_dram: bool | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.avg_pool2d of the embedded device."""

def batch_norm(input_tensor: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, *, training: Any = False, eps: float | None = None, momentum: Any = 0.1, weight: Tensor | None = None, bias: Tensor | None = None, memory_config: MemoryConfig | None = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.batch_norm_inference of the embedded device."""

def begin_trace_capture(device, cq_id=0) -> Any:
    """Begins to record calls; returns the trace's number. The calls are also made, once."""

def bitwise_and(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.bitwise_and of the embedded device."""

def bitwise_not(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.bitwise_not of the embedded device."""

def bitwise_or(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.bitwise_or of the embedded device."""

def bitwise_xor(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.bitwise_xor of the embedded device."""

def cbrt(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.cbrt of the embedded device."""

def ceil(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.ceil of the embedded device."""

def clamp(input_tensor: Tensor | float, min: int | None = None, max: int | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.clamp_scalar of the embedded device."""

def clone(tensor, *, dtype=None, memory_config=None, compute_kernel_config=None) -> Tensor:
    """The same values in new memory."""

def close_device(device) -> Any: ...

def close_mesh_device(device) -> Any: ...

def concat(tensors: Sequence[Tensor], dim: int | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.concat of the embedded device."""

def conv1d(input_tensor: Tensor, weight_tensor: Tensor, *, device: Device | None = None, in_channels: int, out_channels: int, batch_size: int, input_length: int, kernel_size: int, stride: int | None = None, padding: Sequence[int] | None = None, dilation: int | None = None, groups: int | None = None, dtype: DataType | None = None, bias_tensor: Tensor | None = None, conv_config: Any = None, compute_config: Any = None, memory_config: MemoryConfig | None = None, slice_config: Any = None, return_output_dim: Any = False, return_weights_and_bias: Any = False, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.conv1d of the embedded device."""

def conv2d(input_tensor: Tensor, weight_tensor: Tensor, *, device: Device | None = None, in_channels: int, out_channels: int, batch_size: int, input_height: int, input_width: int, kernel_size: Sequence[int], stride: Sequence[int] | None = None, padding: Sequence[int] | None = None, dilation: Sequence[int] | None = None, groups: int | None = None, dtype: DataType | None = None, bias_tensor: Tensor | None = None, conv_config: Any = None, compute_config: Any = None, slice_config: Any = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.conv2d of the embedded device."""

def conv_transpose2d(input_tensor: Tensor, weight_tensor: Tensor, *, device: Device | None = None, in_channels: int, out_channels: int, batch_size: int, input_height: int, input_width: int, kernel_size: Sequence[int], stride: Sequence[int] | None = None, padding: Sequence[int] | None = None, output_padding: Sequence[int] | None = None, dilation: Sequence[int] | None = None, groups: int | None = None, dtype: DataType | None = None, bias_tensor: Tensor | None = None, conv_config: Any = None, compute_config: Any = None, memory_config: MemoryConfig | None = None, dram_slice_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.conv_transpose2d of the embedded device."""

def copy(src: Tensor, dst: Tensor) -> None:
    """The operation ttnn.copy of the embedded device."""

def copy_host_to_device_tensor(host_tensor: Tensor, device_tensor: Tensor, cq_id: int | None = None) -> None:
    """The operation ttnn.write_tensor of the embedded device."""

def cos(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.cos of the embedded device."""

def create_mesh_composer(device, config) -> Any:
    """What joins the parts of tensors on the chips of a device."""

def create_mesh_mapper(device, config) -> Any:
    """What distributes tensors over the chips of a device."""

def create_sharded_memory_config(shape, core_grid, strategy, orientation=None, use_height_and_width_as_shard_shape=False) -> Any:
    """Shards in L1 for tensors of a shape, on a CoreGrid or a CoreRangeSet: whole rows (HEIGHT), whole columns"""

def cumprod(input_tensor: Tensor, dim: int, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.cumprod of the embedded device."""

def cumsum(input_tensor: Tensor, dim: int, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.cumsum of the embedded device."""

def deallocate(tensor, force=True) -> Any:
    """Frees the tensor's device memory."""

def dequantize(input_tensor: Tensor, scale: Tensor, zero_point: Tensor, axis: int | None = None, dtype: Any = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.dequantize of the embedded device."""

def distribute_tensor(tensor, mapper, mesh_device=None) -> Any:
    """The tensor's parts on the chips of a mesh, which is one: a copy; on a device if one is given."""

def div(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.divide of the embedded device."""

def divide(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.divide of the embedded device."""

def dump_tensor(file_name: str, tensor: Tensor) -> None:
    """The operation ttnn.dump_tensor of the embedded device."""

def elu(tensor, alpha=1.0, **options) -> Tensor:
    """x where it is positive, else alpha (e^x - 1)."""

def embedding(input_tensor: Tensor, weight: Tensor, *, padding_idx: Any = None, layout: Layout | None = None, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.embedding of the embedded device."""

def embedding_bw(input_tensor: Tensor, weight: Tensor, in_gradient: Tensor, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.embedding_bw of the embedded device."""

def empty(shape, dtype=None, layout=None, device=None, memory_config=None) -> Tensor:
    """A tensor for a kernel to write: reading it before is reported. The host reads zeros."""

def empty_like(shape, dtype=None, layout=None, device=None, memory_config=None) -> Tensor:
    """A tensor for a kernel to write: reading it before is reported. The host reads zeros."""

def end_trace_capture(device, trace_id, cq_id=0) -> Any:
    """Ends the recording."""

def eq(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.eq of the embedded device."""

def erf(input_tensor: Tensor | float, *, fast_and_approximate_mode: Any = False, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.erf of the embedded device."""

def erfc(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.erfc of the embedded device."""

def execute_trace(device, trace_id, cq_id=0, blocking=True) -> Any:
    """Makes the recorded calls again: results of the capture that were not deallocated get the new values."""

def exp(input_tensor: Tensor | float, *, fast_and_approximate_mode: Any = False, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.exp of the embedded device."""

def exp2(tensor, **options) -> Tensor:
    """2^x"""

def expm1(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.expm1 of the embedded device."""

def fill_cache(cache: Tensor, input_tensor: Tensor, batch_idx: int | None = None) -> None:
    """The operation ttnn.fill_cache of the embedded device."""

def floor(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.floor of the embedded device."""

def floor_div(a, b, **options) -> Tensor:
    """The greatest integer not above a / b."""

def from_device(input_tensor) -> Tensor:
    """The operation ttnn.from_device of the embedded device."""

def from_host_shards(tensors, mesh_shape) -> Any:
    """A tensor of its parts, one for each chip of the mesh."""

def from_torch(tensor, dtype=None, *, layout=None, device=None, memory_config=None, **_) -> Tensor:
    """A tensor with a copy of the torch tensor's values, rounded to `dtype`. Default layout: tiles on a device and"""

def full(shape, fill_value, dtype=None, layout=None, device=None, memory_config=None) -> Tensor:
    """A tensor of one value."""

def full_like(shape, fill_value, dtype=None, layout=None, device=None, memory_config=None) -> Tensor:
    """A tensor of one value."""

def fused_rms_minimal(input_tensor: Tensor, program_config: Any = None, cluster_axis: int | None = None, device: Device | None = None, semaphore: Tensor | None = None, *, stats: Tensor | None = None, compute_kernel_config: Any = None, memory_config: MemoryConfig | None = None, residual_input_tensor: Tensor | None = None, epsilon: float | None = None, weight: Tensor | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.distributed_rms_norm of the embedded device."""

def gather(input_tensor: Tensor, dim: int, index: Tensor, *, sparse_grad: Any = False, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.gather of the embedded device."""

def ge(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.ge of the embedded device."""

def gelu(input_tensor: Tensor | float, *, fast_and_approximate_mode: Any = False, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.gelu of the embedded device."""

def generic_op(io_tensors, program) -> Tensor:
    """Runs a program's kernels on tensors of the device; returns the last tensor, which they write."""

def get_arch_name() -> Any:
    """The default device's architecture."""

def get_device_tensors(tensor) -> Any:
    """The tensor's parts, one for each chip."""

def get_golden_function(operation) -> Any:
    """The torch function that gives the expected result of an operation."""

def get_memory_config(tensor) -> Any:
    """Where the tensor lies."""

def get_num_devices() -> Any:
    """The chips that there are: one."""

def get_pcie_device_ids() -> Any:
    """The chips' numbers."""

def global_avg_pool2d(input_tensor: Tensor, *, memory_config: MemoryConfig | None = None, dtype: DataType | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.global_avg_pool2d of the embedded device."""

def group_norm(input_tensor: Tensor, input_mask: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, num_groups: int | None = None, epsilon: float | None = None, *, memory_config: MemoryConfig | None = None, core_grid: Any = None, inplace: Any = False, num_out_blocks: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.group_norm of the embedded device."""

def gt(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.gt of the embedded device."""

def hardsigmoid(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.hardsigmoid of the embedded device."""

def hardtanh(tensor, min_val=-1.0, max_val=1.0, **options) -> Tensor:
    """x, not below min_val, not above max_val."""

def interleaved_to_sharded(tensor, memory_config, dtype=None) -> Tensor:
    """The same values in shards."""

def is_sharded(tensor) -> Any:
    """True if the tensor is distributed over cores in shards."""

def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False, **options) -> Tensor:
    """1 where |a - b| <= atol + rtol |b|."""

def isfinite(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.isfinite of the embedded device."""

def layer_norm(input_tensor: Tensor, epsilon: float | None = None, weight: Tensor | None = None, bias: Tensor | None = None, *, residual_input_tensor: Any = None, memory_config: MemoryConfig | None = None, program_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.layer_norm of the embedded device."""

def layer_norm_post_all_gather(input_tensor: Tensor, stats: Tensor, epsilon: float | None = None, weight: Tensor | None = None, bias: Tensor | None = None, *, memory_config: MemoryConfig | None = None, compute_kernel_config: Any = None, program_config: Any = None, dtype: DataType | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.layer_norm_post_all_gather of the embedded device."""

def layer_norm_pre_all_gather(input_tensor: Tensor, *, dtype: DataType | None = None, residual_input_tensor: Tensor | None = None, compute_kernel_config: Any = None, program_config: Any = None, memory_config: MemoryConfig | None = None, recip_tensor: Tensor | None = None, fast_and_approximate_mode: Any = False, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.layer_norm_pre_all_gather of the embedded device."""

def le(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.le of the embedded device."""

def leaky_relu(input_tensor: Tensor | float, negative_slope: float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.leaky_relu of the embedded device."""

def linear(input_tensor_a: Tensor, input_tensor_b: Tensor, bias: Tensor | None = None, transpose_a: bool | None = None, transpose_b: bool | None = None, *, memory_config: MemoryConfig | None = None, dtype: DataType | None = None, program_config: Any = None, activation: str | None = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.linear of the embedded device."""

def load_tensor(file_name, *, device=None) -> Any:
    """The tensor of a file that dump_tensor() or numpy.save() wrote."""

def log(input_tensor: Tensor | float, *, fast_and_approximate_mode: Any = False, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.log of the embedded device."""

def log1p(input_tensor: Tensor | float, *, fast_and_approximate_mode: Any = False, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.log1p of the embedded device."""

def logical_and(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.logical_and of the embedded device."""

def logical_left_shift(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.logical_left_shift of the embedded device."""

def logical_not(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.logical_not of the embedded device."""

def logical_or(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.logical_or of the embedded device."""

def logical_right_shift(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.logical_right_shift of the embedded device."""

def logical_xor(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.logical_xor of the embedded device."""

def lt(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.lt of the embedded device."""

@contextlib.contextmanager
def manage_device(device_id=0, **options) -> Any:
    """A device that is closed at the end: with ttnn.manage_device(device_id=0) as device."""

def matmul(input_tensor_a: Tensor, input_tensor_b: Tensor, transpose_a: bool | None = None, transpose_b: bool | None = None, *, memory_config: MemoryConfig | None = None, dtype: DataType | None = None, program_config: Any = None, activation: str | None = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.matmul of the embedded device."""

def max(input_tensor: Tensor, dim: Sequence[int] | None = None, keepdim: bool | None = None, *, memory_config: MemoryConfig | None = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.max of the embedded device."""

def max_pool2d(input_tensor: Tensor, batch_size: int, input_height: int, input_width: int, channels: int, kernel_size: Sequence[int], stride: Sequence[int] | None = None, padding: Sequence[int] | None = None, dilation: Sequence[int] | None = None, ceil_mode: bool | None = None, *, memory_config: MemoryConfig | None = None, applied_shard_scheme: Any = None, reallocate_halo_output: bool | None = None, config_tensor_in_dram: bool | None = None, return_indices: Any = True) -> tuple[Tensor, Tensor]:
    """The operation ttnn.max_pool2d of the embedded device."""

def maximum(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: Any = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.maximum of the embedded device."""

def mean(input_tensor: Tensor, dim: Sequence[int] | None = None, keepdim: bool | None = None, *, memory_config: MemoryConfig | None = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.mean of the embedded device."""

def mesh_partition(input_tensor: Tensor, dim: int, cluster_axis: int | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.mesh_partition of the embedded device."""

def min(input_tensor: Tensor, dim: Sequence[int] | None = None, keepdim: bool | None = None, *, memory_config: MemoryConfig | None = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.min of the embedded device."""

def minimum(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: Any = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.minimum of the embedded device."""

def mish(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.mish of the embedded device."""

def moe_expert_token_remap(topk_tensor: Tensor, expert_mapping_tensor: Tensor, expert_metadata_tensor: Tensor, reduction_size: int, *, memory_config: MemoryConfig | None = None) -> tuple[Tensor, Tensor]:
    """The operation ttnn.moe_expert_token_remap of the embedded device."""

def mul(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.multiply of the embedded device."""

def multiply(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.multiply of the embedded device."""

def ne(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.ne of the embedded device."""

def neg(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.neg of the embedded device."""

def ones(shape, *, dtype=None, layout=None, device=None, memory_config=None) -> Tensor:
    """The operation ttnn.ones of the embedded device."""

def open_device(device_id=0, **_) -> Device:
    """Opens the embedded device. There is one, with id 0."""

def open_mesh_device(mesh_shape=..., **options) -> Device:
    """Opens the embedded device as a mesh of one."""

def pad(input_tensor: Tensor, padding: Sequence[int] | None = None, value: float | None = None, use_multicore: bool | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.pad of the embedded device."""

def pearson_correlation_coefficient(expected, actual) -> Any:
    """The correlation of two torch tensors' values: 1.0 for equal ones, also where all are one value; NaN and infinities are equal"""

def permute(input_tensor: Tensor, dims: Sequence[int], *, memory_config: MemoryConfig | None = None, pad_value: float | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.permute of the embedded device."""

def pow(input_tensor_a: Tensor | float, exponent: int, *, memory_config: MemoryConfig | None = None, dtype: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.pow_scalar of the embedded device."""

def prepare_conv_bias(bias_tensor: Tensor, input_memory_config: Any, input_layout: Any, in_channels: int, out_channels: int, batch_size: int, input_height: int, input_width: int, kernel_size: Sequence[int], stride: Sequence[int] | None = None, padding: Sequence[int] | None = None, dilation: Sequence[int] | None = None, groups: int | None = None, *, device: Device | None = None, input_dtype: Any, output_dtype: Any = None, conv_config: Any = None, compute_config: Any = None, slice_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.prepare_conv2d_bias of the embedded device."""

def prepare_conv_transpose2d_bias(bias_tensor: Tensor, input_memory_config: Any, input_layout: Any, in_channels: int, out_channels: int, batch_size: int, input_height: int, input_width: int, kernel_size: Sequence[int], stride: Sequence[int] | None = None, padding: Sequence[int] | None = None, dilation: Sequence[int] | None = None, groups: int | None = None, *, device: Device | None = None, input_dtype: Any, output_dtype: Any = None, conv_config: Any = None, compute_config: Any = None, slice_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.prepare_conv_transpose2d_bias of the embedded device."""

def prepare_conv_transpose2d_weights(weight_tensor: Tensor, input_memory_config: Any, input_layout: Any, weights_format: str, in_channels: int, out_channels: int, batch_size: int, input_height: int, input_width: int, kernel_size: Sequence[int], stride: Sequence[int] | None = None, padding: Sequence[int] | None = None, output_padding: Sequence[int] | None = None, dilation: Sequence[int] | None = None, has_bias: bool | None = None, groups: int | None = None, *, device: Device | None = None, input_dtype: Any, output_dtype: Any = None, conv_config: Any = None, compute_config: Any = None, mirror_kernel: bool | None = None, slice_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.prepare_conv_transpose2d_weights of the embedded device."""

def prepare_conv_weights(weight_tensor: Tensor, input_memory_config: Any, input_layout: Any, weights_format: str, in_channels: int, out_channels: int, batch_size: int, input_height: int, input_width: int, kernel_size: Sequence[int], stride: Sequence[int] | None = None, padding: Sequence[int] | None = None, dilation: Sequence[int] | None = None, has_bias: bool | None = None, groups: int | None = None, *, device: Device | None = None, input_dtype: Any, output_dtype: Any = None, conv_config: Any = None, compute_config: Any = None, slice_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.prepare_conv2d_weights of the embedded device."""

def prod(input_tensor: Tensor, dim: int | None = None, keepdim: bool | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.prod of the embedded device."""

def quantize(input_tensor: Tensor, scale: Tensor, zero_point: Tensor, axis: int | None = None, dtype: Any = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.quantize of the embedded device."""

def rand(size, device=None, *, dtype=None, layout=None, memory_config=None, low=0.0, high=1.0, seed=None) -> Tensor:
    """Random numbers from low to high; the same for the same seed."""

def reciprocal(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.reciprocal of the embedded device."""

def reduce_scatter(input_tensor: Tensor, dim: int, cluster_axis: int | None = None, *, memory_config: MemoryConfig | None = None, num_links: int | None = None, topology: Any = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.reduce_scatter of the embedded device."""

def release_trace(device, trace_id) -> Any:
    """Forgets the trace."""

def relu(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.relu of the embedded device."""

def relu6(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.relu6 of the embedded device."""

def remainder(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: Any = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.remainder of the embedded device."""

def repeat(input_tensor: Tensor, repeat_dims: Sequence[int], *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.repeat of the embedded device."""

def repeat_interleave(input_tensor: Tensor, repeats: int, dim: int, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.repeat_interleave of the embedded device."""

def requantize(input_tensor: Tensor, in_scale: Tensor, in_zero_point: Tensor, out_scale: Tensor, out_zero_point: Tensor, axis: int | None = None, dtype: Any = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.requantize of the embedded device."""

def reshape(input_tensor: Tensor, shape: Sequence[int], *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.reshape of the embedded device."""

def rms_norm(input_tensor: Tensor, epsilon: float | None = None, weight: Tensor | None = None, bias: Tensor | None = None, *, residual_input_tensor: Any = None, memory_config: MemoryConfig | None = None, program_config: Any = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.rms_norm of the embedded device."""

def rms_norm_pre_all_gather(input_tensor: Tensor, *, dtype: DataType | None = None, residual_input_tensor: Tensor | None = None, compute_kernel_config: Any = None, program_config: Any = None, memory_config: MemoryConfig | None = None, use_2d_core_grid: bool | None = None, fast_and_approximate_mode: Any = False, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.rms_norm_pre_all_gather of the embedded device."""

def rsqrt(input_tensor: Tensor | float, *, fast_and_approximate_mode: Any = False, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.rsqrt of the embedded device."""

def sampling(input_values: Tensor, input_indices: Tensor, k: Tensor, p: Tensor, temp: Tensor, seed: int | None = None, *, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.sampling of the embedded device."""

def scatter(input: Tensor, dim: int, index: Tensor, src: Tensor, *, memory_config: MemoryConfig | None = None, reduce: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.scatter of the embedded device."""

def set_fabric_config(config=..., *_, **__) -> Any:
    """Accepted: one chip has no links to configure."""

def sharded_to_interleaved(tensor, memory_config=..., dtype=None) -> Tensor:
    """The same values, interleaved."""

def sigmoid(input_tensor: Tensor | float, *, vector_mode: Any = 4, mode: Any = ..., memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.sigmoid of the embedded device."""

def sign(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.sign of the embedded device."""

def silu(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.silu of the embedded device."""

def sin(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.sin of the embedded device."""

def slice(input_tensor: Tensor, slice_start: Sequence[int] | None = None, slice_end: Sequence[int] | None = None, slice_step: Sequence[int] | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.slice_static of the embedded device."""

def softmax(input_tensor: Tensor, dim: int | None = None, *, memory_config: MemoryConfig | None = None, compute_kernel_config: Any = None, numeric_stable: bool | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.softmax of the embedded device."""

def softplus(tensor, beta=1.0, threshold=20.0, **options) -> Tensor:
    """ln(1 + e^(beta x)) / beta; x where beta x exceeds the threshold."""

def sort(input_tensor: Tensor, dim: int | None = None, descending: bool | None = None, stable: bool | None = None, *, memory_config: MemoryConfig | None = None) -> tuple[Tensor, Tensor]:
    """The operation ttnn.sort of the embedded device."""

def sparse_matmul(input_tensor_a: Tensor, input_tensor_b: Tensor, sparsity: Tensor, program_config: Any = None, nnz: int | None = None, is_input_a_sparse: bool | None = None, is_input_b_sparse: bool | None = None, *, memory_config: MemoryConfig | None = None, dtype: DataType | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.sparse_matmul of the embedded device."""

def split_work_to_cores(grid, units, row_wise=False) -> Any:
    """Distributes `units` of work among the cores of a grid (a CoreCoord, or a CoreRangeSet of one rectangle)."""

def sqrt(input_tensor: Tensor | float, *, fast_and_approximate_mode: Any = False, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.sqrt of the embedded device."""

def square(tensor, **options) -> Tensor:
    """x * x"""

def squeeze(tensor, dim=None) -> Tensor:
    """Without dimensions of 1, or without that one."""

def sub(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.subtract of the embedded device."""

def subtract(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, *, dtype: DataType | None = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.subtract of the embedded device."""

def sum(input_tensor: Tensor, dim: Sequence[int] | None = None, keepdim: bool | None = None, *, memory_config: MemoryConfig | None = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.sum of the embedded device."""

def synchronize_device(device) -> Any:
    """No-op: operations and kernels have run when their call returns."""

def tan(input_tensor: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.tan of the embedded device."""

def tanh(input_tensor: Tensor | float, *, fast_and_approximate_mode: Any = False, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.tanh of the embedded device."""

def to_device(tensor, device, memory_config=None) -> Tensor:
    """The same values on a device, in DRAM or the tensor's own memory config."""

def to_dtype(tensor, dtype) -> Tensor:
    """The same values in another data type."""

def to_layout(input_tensor, layout=None, dtype=None, *, memory_config=None) -> Tensor:
    """The operation ttnn.to_layout of the embedded device."""

def to_memory_config(input_tensor, memory_config=None) -> Tensor:
    """The operation ttnn.to_memory_config of the embedded device."""

def to_torch(tensor, dtype=None, **_) -> Any:
    """The values as a torch tensor."""

def topk(input_tensor: Tensor, k: int, dim: int | None = None, largest: bool | None = None, sorted: bool | None = None, *, memory_config: MemoryConfig | None = None) -> tuple[Tensor, Tensor]:
    """The operation ttnn.topk of the embedded device."""

def transpose(input_tensor: Tensor, dim1: int, dim2: int, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.transpose of the embedded device."""

def typecast(input_tensor: Tensor, dtype: DataType | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.typecast of the embedded device."""

def unsqueeze(tensor, dim) -> Tensor:
    """A dimension of 1 before the one given."""

def update_cache(cache: Tensor, input_tensor: Tensor, update_index: Tensor | float, batch_offset: int | None = None) -> None:
    """The operation ttnn.update_cache of the embedded device."""

def upsample(input_tensor: Tensor, scale_factor: Sequence[int], mode: str | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.upsample of the embedded device."""

def using_distributed_env() -> Any:
    """False: no program runs on several hosts."""

def where(predicate: Tensor | float, value_if_true: Tensor | float, value_if_false: Tensor | float, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
    """The operation ttnn.where of the embedded device."""

def zeros(shape, *, dtype=None, layout=None, device=None, memory_config=None) -> Tensor:
    """The operation ttnn.zeros of the embedded device."""

class cluster:

class device:

class experimental:
    @staticmethod
    def all_reduce_async(input_tensor: Tensor, cluster_axis: int | None = None, math_op: Any = None, *, memory_config: MemoryConfig | None = None, num_links: int | None = None, topology: Any = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.all_reduce_async of the embedded device."""
    @staticmethod
    def all_to_all_dispatch_metadata(input_tensor: Tensor, expert_indices_tensor: Tensor, expert_scores_tensor: Tensor, expert_mapping_tensor: Tensor, cluster_axis: int | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """The operation ttnn.all_to_all_dispatch_metadata of the embedded device."""
    @staticmethod
    def conv3d(input_tensor: Tensor, weight_tensor: Tensor, *, device: Device | None = None, bias_tensor: Tensor | None = None, config: Any = None, dtype: DataType | None = None, output_channels: int, kernel_size: Sequence[int], stride: Sequence[int] | None = None, padding: Sequence[int] | None = None, dilation: Any = ..., padding_mode: str | None = None, groups: int | None = None, memory_config: MemoryConfig | None = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.conv3d of the embedded device."""
    @staticmethod
    def dit_rms_norm_unary_fused(input_tensor: Tensor, epsilon: float | None = None, weight: Tensor | None = None, bias: Tensor | None = None, residual_input_tensor: Tensor | None = None, *, memory_config: MemoryConfig | None = None, program_config: Any = None, compute_kernel_config: Any = None, activation: str | None = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.dit_rms_norm_unary_fused of the embedded device."""
    @staticmethod
    def dropout(input_tensor: Tensor, probability: float | None = None, scale: float | None = None, seed: int | None = None, *, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.dropout of the embedded device."""
    @staticmethod
    def gelu_bw(input_tensor_a: Tensor | float, input_tensor_b: Tensor | float, approximate: str | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.gelu_bw of the embedded device."""
    @staticmethod
    def indexer_score_dsa(query: Tensor, key: Tensor, weights: Tensor, chunk_start_idx: int | None = None, seq_shard_axes: int | None = None, *, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.indexer_score_dsa of the embedded device."""
    @staticmethod
    def nlp_concat_heads(input_tensor: Tensor, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.nlp_concat_heads of the embedded device."""
    @staticmethod
    def nlp_concat_heads_decode(input_tensor: Tensor, num_heads: int, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.nlp_concat_heads_decode of the embedded device."""
    @staticmethod
    def nlp_create_qkv_heads_decode(input_tensor: Tensor, num_heads: int, num_kv_heads: int | None = None, overlap_qk_coregrid: bool | None = None, batch_offset: Tensor | None = None, slice_size: int | None = None, *, memory_config: MemoryConfig | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """The operation ttnn.nlp_create_qkv_heads_decode of the embedded device."""
    @staticmethod
    def paged_fill_cache(cache: Tensor, input_tensor: Tensor, page_table: Tensor, batch_idx_tensor: Tensor | None = None) -> None:
        """The operation ttnn.paged_fill_cache of the embedded device."""
    @staticmethod
    def paged_update_cache(cache: Tensor, input_tensor: Tensor, update_idxs_tensor: Tensor, share_cache: bool | None = None, page_table: Tensor | None = None) -> None:
        """The operation ttnn.paged_update_cache of the embedded device."""
    @staticmethod
    def prepare_conv3d_weights(weight_tensor: Tensor, groups: int | None = None, C_in_block: int | None = None, alignment: int | None = None, *, device: Device | None = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.prepare_conv3d_weights of the embedded device."""
    @staticmethod
    def rotary_embedding(input_tensor: Tensor, cos_cache: Tensor, sin_cache: Tensor, token_index: int | None = None, *, memory_config: MemoryConfig | None = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.rotary_embedding of the embedded device."""
    @staticmethod
    def rotary_embedding_llama(input_tensor: Tensor, cos_cache: Tensor, sin_cache: Tensor, trans_mat: Tensor, is_decode_mode: bool | None = None, *, memory_config: MemoryConfig | None = None, compute_kernel_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.rotary_embedding_llama of the embedded device."""
    @staticmethod
    def topk_router_gpt(input_tensor: Tensor, weight_tensor: Tensor, bias_tensor: Tensor, k: int, num_experts: int) -> tuple[Tensor, Tensor]:
        """The operation ttnn.topk_router_gpt of the embedded device."""

class transformer:
    @staticmethod
    def chunked_scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, page_table_tensor: Tensor, chunk_start_idx_tensor: Tensor, scale: float | None = None, *, memory_config: MemoryConfig | None = None, program_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.chunked_scaled_dot_product_attention of the embedded device."""
    @staticmethod
    def concatenate_heads(input_tensor: Tensor, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.concatenate_heads of the embedded device."""
    @staticmethod
    def flash_mla_prefill(query: Tensor, key: Tensor, value: Tensor | int, attn_mask: Tensor | None = None, is_causal: bool | None = None, scale: float | None = None, *, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.flash_mla_prefill of the embedded device."""
    @staticmethod
    def paged_flash_multi_latent_attention_decode(query: Tensor, key: Tensor, value: Tensor | None = None, head_dim_v: int | None = None, page_table_tensor: Tensor | None = None, is_causal: bool | None = None, attn_mask: Tensor | None = None, cur_pos_tensor: Tensor | None = None, attention_sink: Tensor | None = None, scale: float | None = None, *, sliding_window_size: Any = None, memory_config: MemoryConfig | None = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.paged_flash_multi_latent_attention_decode of the embedded device."""
    @staticmethod
    def paged_scaled_dot_product_attention_decode(query: Tensor, key: Tensor, value: Tensor, page_table_tensor: Tensor, is_causal: bool | None = None, attn_mask: Tensor | None = None, cur_pos_tensor: Tensor | None = None, attention_sink: Tensor | None = None, scale: float | None = None, sliding_window_size: int | None = None, *, memory_config: MemoryConfig | None = None, program_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.paged_scaled_dot_product_attention_decode of the embedded device."""
    @staticmethod
    def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, is_causal: bool | None = None, scale: float | None = None, sliding_window_size: int | None = None, *, memory_config: MemoryConfig | None = None, program_config: Any = None, compute_kernel_config: Any = None, attention_sink: Tensor | None = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.scaled_dot_product_attention of the embedded device."""
    @staticmethod
    def scaled_dot_product_attention_decode(query: Tensor, key: Tensor, value: Tensor, is_causal: bool | None = None, attn_mask: Tensor | None = None, cur_pos_tensor: Tensor | None = None, attention_sink: Tensor | None = None, scale: float | None = None, sliding_window_size: int | None = None, *, memory_config: MemoryConfig | None = None, program_config: Any = None, output_tensor: Tensor | None = None) -> Tensor:
        """The operation ttnn.scaled_dot_product_attention_decode of the embedded device."""
    @staticmethod
    def split_query_key_value_and_split_heads(input_tensor: Tensor, kv_input_tensor: Tensor | None = None, num_heads: int | None = None, num_kv_heads: int | None = None, transpose_key: bool | None = None, *, memory_config: MemoryConfig | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """The operation ttnn.split_query_key_value_and_split_heads of the embedded device."""
