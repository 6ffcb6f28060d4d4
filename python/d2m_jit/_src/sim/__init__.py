"""The simulator: kernels run as Python, once for each core, on blocks that are torch tensors. It needs torch only."""

from ..shapes import reduction_layout
from .host import (arange, empty, full, mesh_gather, permute, reshape, spatial, tilize, to_host, to_layout, untilize, view, view_layout,
                   zeros)
from .run import kernel
from .tensors import SimBlock, SimTensor

__all__ = ["SimBlock", "SimTensor", "arange", "empty", "full", "kernel", "mesh_gather", "permute", "reduction_layout", "reshape", "spatial",
           "tilize", "to_host", "to_layout", "untilize", "view", "view_layout", "zeros"]
