"""ttnn: tensors of the embedded device and functions on them, run eagerly by the library.

Each function of one operation is a row of the library; torch and NumPy are needed only where tensors enter and leave.
"""

from ._config import (
    DRAM_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    ROW_MAJOR_LAYOUT,
    TILE_LAYOUT,
    TILE_SIZE,
    BufferType,
    Conv2dDRAMSliceHeight,
    Conv2dDRAMSliceWidth,
    Conv2dL1Full,
    CoreCoord,
    CoreGrid,
    CoreRange,
    CoreRangeSet,
    DataType,
    FabricConfig,
    Layout,
    MathFidelity,
    MemoryConfig,
    MeshShape,
    ShardOrientation,
    ShardSpec,
    ShardStrategy,
    SigmoidMode,
    TensorMemoryLayout,
    Topology,
    UnaryOpType,
    UnaryWithParam,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    create_sharded_memory_config,
    float32,
    int32,
    split_work_to_cores,
    uint8,
    uint16,
    uint32,
)
from ._device import (
    GetDefaultDevice,
    as_tensor,
    close_mesh_device,
    from_torch,
    get_arch_name,
    get_golden_function,
    get_memory_config,
    is_sharded,
    load_tensor,
    manage_device,
    open_mesh_device,
    set_fabric_config,
    synchronize_device,
    to_torch,
)
from ._functions import EXPORTED as _exported
from ._functions import spaces as _spaces
from ._program import (
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    KernelDescriptor,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    SemaphoreDescriptor,
    TensorAccessorArgs,
    WriterConfigDescriptor,
    generic_op,
)
from ._system import (
    DispatchCoreAxis,
    DispatchCoreConfig,
    DispatchCoreType,
    FabricReliabilityMode,
    FabricTensixConfig,
    MeshComposerConfig,
    MeshCoordinate,
    MeshMapperConfig,
    MeshToTensor,
    PlacementReplicate,
    PlacementShard,
    TensorToMesh,
    aggregate_tensor,
    cluster,
    create_mesh_composer,
    create_mesh_mapper,
    device,
    distribute_tensor,
    from_host_shards,
    get_device_tensors,
    get_num_devices,
    get_pcie_device_ids,
    pearson_correlation_coefficient,
    using_distributed_env,
)
from ._tensor import Device, GetNumAvailableDevices, Tensor, close_device, open_device

Shape = tuple  # a tensor's sizes
globals().update(_exported | _spaces())
from ._traces import begin_trace_capture, end_trace_capture, execute_trace, release_trace  # noqa: E402 - in place of the rows
__all__ = sorted(name for name in globals() if not name.startswith("_"))


def __dir__():
    return [*__all__, "__doc__", "__name__", "__version__"]


__version__ = __import__("tilewright").__version__
