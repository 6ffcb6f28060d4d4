"""What programs ask about the machine: clusters, dispatch cores, chips. There is one embedded chip, which dispatches nothing."""

import enum
import math
import os
import sys
import types

from . import _host as hosts
from ._tensor import default_device


class DispatchCoreType(enum.Enum):
    WORKER = 0
    ETH = 1


class DispatchCoreAxis(enum.Enum):
    ROW = 0
    COL = 1


class DispatchCoreConfig:
    """The cores that dispatch programs. The embedded device reserves none, so that all its cores compute."""

    def __init__(self, type=None, axis=None, fabric_tensix_config=None):
        self.type, self.axis, self.fabric_tensix_config = type, axis, fabric_tensix_config


class FabricReliabilityMode(enum.Enum):
    STRICT_INIT = 0
    RELAXED_INIT = 1
    DYNAMIC_RECONFIGURATION_SETUP_INIT_MODE = 2


class FabricTensixConfig(enum.Enum):
    DISABLED = 0
    MUX = 1


class ClusterType(enum.Enum):
    """Boards; the embedded one is an N150 or a P150."""

    INVALID = 0
    N150 = 1
    N300 = 2
    T3K = 3
    GALAXY = 4
    TG = 5
    P100 = 6
    P150 = 7
    P150_X2 = 8
    P150_X4 = 9


def get_cluster_type():
    """The board: that of TTLANG_CHIP, an N150 by default."""
    return ClusterType[os.environ.get("TTLANG_CHIP", "n150").upper()]


def get_num_devices():
    """The chips that there are: one."""
    return 1


def get_pcie_device_ids():
    """The chips' numbers."""
    return [0]


def using_distributed_env():
    """False: no program runs on several hosts."""
    return False


def get_device_tensors(tensor):
    """The tensor's parts, one for each chip."""
    return [tensor]


def from_host_shards(tensors, mesh_shape):
    """A tensor of its parts, one for each chip of the mesh."""
    tensors, chips = list(tensors), math.prod(mesh_shape)
    if chips != 1 or len(tensors) != 1:
        raise ValueError(f"ttnn.from_host_shards: expected one tensor and a mesh of one chip, found {len(tensors)} and {tuple(mesh_shape)}; "
                         "the embedded device is one chip")
    return tensors[0]


def pearson_correlation_coefficient(expected, actual):
    """The correlation of two torch tensors' values: 1.0 for equal ones, also where all are one value; NaN and infinities are equal
    to themselves."""
    torch = hosts.torch()
    expected, actual = (t.flatten().to(torch.float64) for t in (expected, actual))
    if expected.shape != actual.shape:
        raise ValueError(f"ttnn.pearson_correlation_coefficient: expected tensors of as many values, found {len(expected)} and {len(actual)}")
    if torch.equal(torch.isfinite(expected), torch.isfinite(actual)):
        finite = torch.isfinite(expected)
        if not torch.equal(torch.nan_to_num(expected[~finite]), torch.nan_to_num(actual[~finite])):
            return 0.0
        expected, actual = expected[finite], actual[finite]
    else:
        return 0.0
    if torch.equal(expected, actual):
        return 1.0
    expected, actual = expected - expected.mean(), actual - actual.mean()
    scale = float(expected.norm() * actual.norm())
    return float(expected @ actual) / scale if scale else 0.0


def _module(name, doc, **members):
    made = types.ModuleType(f"ttnn.{name}", doc)
    made.__dict__.update(members)
    sys.modules[made.__name__] = made
    return made


def is_blackhole():
    """True if the default device is a Blackhole chip."""
    return default_device().arch() == "blackhole"


def is_wormhole_b0():
    """True if the default device is a Wormhole chip."""
    return default_device().arch() == "wormhole_b0"


cluster = _module("cluster", "The board.", ClusterType=ClusterType, get_cluster_type=get_cluster_type)
device = _module("device", "The chip.", is_blackhole=is_blackhole, is_wormhole_b0=is_wormhole_b0)
