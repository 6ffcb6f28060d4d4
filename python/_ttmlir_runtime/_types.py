"""Enumerations of the runtime, with tt-mlir's names and values."""

import enum


class DataType(enum.Enum):
    """Element types; from Float64 on they exist on the host only."""

    Float32 = 0
    Float16 = 1
    BFloat16 = 2
    BFP_Float8 = 3
    BFP_BFloat8 = 4
    BFP_Float4 = 5
    BFP_BFloat4 = 6
    BFP_Float2 = 7
    BFP_BFloat2 = 8
    UInt32 = 9
    UInt16 = 10
    UInt8 = 11
    Int32 = 12
    Bool = 13
    Float64 = 14
    Int8 = 15
    Int16 = 16
    Int64 = 17
    UInt64 = 18

    @property
    def held(self):
        """The type of its elements in memory: block floats are held as bf16 values."""
        return DataType.BFloat16 if self.name.startswith("BFP") else self

    @property
    def size(self):
        """Bytes of one element in memory."""
        digits = "".join(c for c in self.held.name if c.isdigit())
        return int(digits) // 8 if digits else 1


class DeviceRuntime(enum.Enum):
    Disabled = 0
    TTNN = 1
    TTMetal = 2


class HostRuntime(enum.Enum):
    Local = 0
    Distributed = 1


class DistributedMode(enum.Enum):
    LocalSubprocess = 0
    MultiProcess = 1


class DispatchCoreType(enum.Enum):
    WORKER = 0
    ETH = 1


class FabricConfig(enum.Enum):
    DISABLED = 0
    FABRIC_1D = 1
    FABRIC_1D_RING = 2
    FABRIC_2D = 3
    FABRIC_2D_TORUS_X = 4
    FABRIC_2D_TORUS_Y = 5
    FABRIC_2D_TORUS_XY = 6
    CUSTOM = 7


class Arch(enum.Enum):
    WORMHOLE_B0 = 1
    BLACKHOLE = 2
    QUASAR = 3


class MemoryBufferType(enum.Enum):
    DRAM = 0
    L1 = 1
    L1_SMALL = 2
    TRACE = 3


class MemoryLogLevel(enum.Flag):
    NONE = 0
    PROGRAM = 1
    OPERATION = 2
    ANY = 3
