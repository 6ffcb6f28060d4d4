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


class MeshCoordinate(tuple):
    """The position of a chip in a mesh: MeshCoordinate(0, 1) or MeshCoordinate((0, 1))."""

    def __new__(cls, *sizes):
        return super().__new__(cls, sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes)


class PlacementReplicate:
    """All chips along an axis of the mesh have the whole tensor."""

    def __repr__(self):
        return "PlacementReplicate()"


class PlacementShard:
    """Chips along an axis of the mesh have parts of the tensor along one of its dimensions."""

    def __init__(self, dim):
        self.dim = dim

    def __repr__(self):
        return f"PlacementShard({self.dim})"


class MeshMapperConfig:
    """How a tensor is distributed: a placement for each axis of the mesh, whose shape may be another than the device's."""

    def __init__(self, placements, mesh_shape_override=None):
        self.placements, self.mesh_shape_override = list(placements), mesh_shape_override


class MeshComposerConfig:
    """How a tensor's parts are joined: its dimension for each axis of the mesh, of which the override may take a part."""

    def __init__(self, dims, mesh_shape_override=None):
        self.dims, self.mesh_shape_override = list(dims), mesh_shape_override


class TensorToMesh:
    """Distributes tensors; create_mesh_mapper() makes it."""

    def __init__(self, config):
        self.config = config


class MeshToTensor:
    """Joins the parts of tensors; create_mesh_composer() makes it."""

    def __init__(self, config):
        self.config = config


def _axes(name, config, count, what):
    """Checks a configuration's axes against its mesh, which is one chip."""
    shape = tuple(config.mesh_shape_override or (1, 1))
    if math.prod(shape) != 1:
        raise NotImplementedError(f"ttnn.{name}: expected a mesh of one chip, found {shape}; the embedded device is one chip: "
                                  "compile with mesh-shape=1,1")
    if count != len(shape):
        raise ValueError(f"ttnn.{name}: expected {what} for each of the {len(shape)} axes of the mesh, found {count}")


def create_mesh_mapper(device, config):
    """What distributes tensors over the chips of a device."""
    _axes("create_mesh_mapper", config, len(config.placements), "a placement")
    for placement in config.placements:
        if not isinstance(placement, (PlacementReplicate, PlacementShard)):
            raise TypeError(f"ttnn.create_mesh_mapper: expected PlacementReplicate() or PlacementShard(dim), found {placement!r}")
    return TensorToMesh(config)


def create_mesh_composer(device, config):
    """What joins the parts of tensors on the chips of a device."""
    _axes("create_mesh_composer", config, len(config.dims), "a dimension")
    return MeshToTensor(config)


def _check_dims(name, tensor, dims):
    for dim in dims:
        if not -len(tensor.shape) <= dim < len(tensor.shape):
            raise ValueError(f"ttnn.{name}: dimension {dim} is none of a tensor of shape {tuple(tensor.shape)}")


def distribute_tensor(tensor, mapper, mesh_device=None):
    """The tensor's parts on the chips of a mesh, which is one: a copy; on a device if one is given."""
    from ._functions import clone, to_device

    if not isinstance(mapper, TensorToMesh):
        raise TypeError(f"ttnn.distribute_tensor: argument 'mapper': expected what create_mesh_mapper() makes, found {mapper!r}")
    _check_dims("distribute_tensor", tensor, (p.dim for p in mapper.config.placements if isinstance(p, PlacementShard)))
    return clone(tensor) if mesh_device is None else to_device(tensor, mesh_device)


def aggregate_tensor(tensor, composer):
    """The tensor that the parts on the chips of a mesh are of: a copy, since there is one chip."""
    from ._functions import clone

    if not isinstance(composer, MeshToTensor):
        raise TypeError(f"ttnn.aggregate_tensor: argument 'composer': expected what create_mesh_composer() makes, found {composer!r}")
    _check_dims("aggregate_tensor", tensor, composer.config.dims)
    return clone(tensor)


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
