"""Types and helpers of builders: operands, shapes, artifact folders, pipelines, layouts on the grid."""

import inspect
import json  # noqa: F401  (star imports of this module expect these)
import operator  # noqa: F401
import os
from collections import OrderedDict
from dataclasses import dataclass
from functools import reduce  # noqa: F401
from typing import Callable, Dict, List, Literal, Optional, Tuple, Union  # noqa: F401

import torch
from ttmlir import ir
from ttmlir.dialects import func, ttcore, ttir, ttnn  # noqa: F401
from ttmlir.ir import *  # noqa: F401,F403
from ttmlir.passes import tt_populate_argument_types
from ttmlir.passmanager import PassManager

Operand = Union[ir.BlockArgument, ir.OpResult]
Shape = Union[List[int], Tuple[int, ...]]


@dataclass
class TypeInfo:
    """A quantised dtype with its scale and zero point."""

    dtype: torch.dtype
    scale: Optional[float] = None
    zero_point: Optional[int] = None


def get_artifact_dir(output_root, builder_type, test_base, make_dir=True):
    """<root>/builder-artifacts/<builder>/<test>."""
    path = os.path.join(output_root, "builder-artifacts", builder_type, test_base)
    if make_dir:
        os.makedirs(path, exist_ok=True)
    return path


def get_target_path(output_path, builder_dir, filename, target):
    """<root>/<folder>/<target>/<file>, whose folder exists then."""
    folder = os.path.join(output_path, builder_dir, target)
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, filename)


_OF_DEVICE = ("system-desc-path=", "mesh-shape=", "mock-system-desc-arch=", "mesh-topology=")


def create_custom_ttir_pipeline_fn(pipeline, verify=True, print_ir=False):
    """A function of (module, options) that registers the device and runs a pipeline's text."""

    def with_options(name, options):
        return f"{name}{{{' '.join(options)}}}" if options else name

    def run(module, options=""):
        options = options.split() if options else []
        of_device = [o for o in options if o.startswith(_OF_DEVICE)]
        rest = [o for o in options if not o.startswith(_OF_DEVICE)]
        text = f"builtin.module({with_options('ttcore-register-device', of_device)},{with_options(pipeline, rest)})"
        with module.context:
            manager = PassManager.parse(text)
            manager.enable_verifier(verify)
            if print_ir:
                manager.enable_ir_printing(tree_printing_dir_path=print_ir if isinstance(print_ir, str) else None)
            manager.run(module.operation)

    return run


DEFAULT_SYSTEM_DESC = "ttrt-artifacts/system_desc.ttsys"  # of compile_*; without the file it is the embedded board


def run_ttir_pipeline(module, pipeline_fn, pipeline_options=None, save_artifacts=False, output_file_name="test.mlir", system_desc_path=None,
                      mesh_dict=OrderedDict([("x", 1), ("y", 1)]), argument_types_string=None):
    """Runs the pipeline on the module, with the descriptor's file where there is one (without: the embedded board)."""
    options = list(pipeline_options or [])
    if argument_types_string:
        tt_populate_argument_types(module, argument_types_string)
        options.append("enable-const-eval=true")
    there = bool(system_desc_path) and os.path.exists(system_desc_path)
    if system_desc_path and not there and system_desc_path != DEFAULT_SYSTEM_DESC:
        raise FileNotFoundError(f"no system descriptor {system_desc_path}: give a .ttsys file, or no system_desc_path for the embedded board")
    path = system_desc_path if there else os.environ.get("SYSTEM_DESC_PATH", "")
    if path:
        options.append(f"system-desc-path={path}")
    mesh = tuple(mesh_dict.values())
    if len(mesh) != 2:
        raise ValueError(f"Mesh shape must be a tuple of length 2, got: {mesh}")
    options.append(f"mesh-shape={mesh[0]},{mesh[1]}")
    pipeline_fn(module, " ".join(options))
    if save_artifacts:
        os.makedirs(os.path.dirname(output_file_name) or ".", exist_ok=True)
        with open(output_file_name, "w") as file:
            file.write(str(module))
    return module


_TILES = {torch.float32: ("f32", "Float32"), torch.int32: ("si32", "Int32"), torch.uint16: ("ui16", "UInt16"),
          torch.uint32: ("ui32", "UInt32"), torch.bfloat16: ("bf16", "BFloat16")}


def get_metal_tensor_layout(ctx, logical_shape, tiled=False, element_dtype=torch.float32, memorySpace=ttcore.MemorySpace.DeviceL1, grid=None,
                            index_map=None, memory_layout=ttcore.TensorMemoryLayout.Sharded, dim_alignments=None):
    """The type of a tensor on the grid: shards of the logical shape, in tiles or elements."""
    if element_dtype not in _TILES:
        raise ValueError(f"Unsupported dtype for metal layout: {element_dtype}; there are {', '.join(map(str, _TILES))}")
    grid_shape = [1] * len(logical_shape) if grid is None else list(grid)
    with ctx:
        if dim_alignments is not None:
            intervals = ir.Attribute.parse(f"dense<[[0, {len(logical_shape) - 1}]]> : tensor<1x2xi64>")
            layout = ttcore.ir.MetalLayoutAttr.get(ctx, logical_shape, memorySpace, memory_layout, intervals, list(dim_alignments))
        else:
            layout = ttcore.ir.MetalLayoutAttr.get(ctx, logical_shape, memorySpace, memory_layout)
        for size, count in zip(logical_shape, grid_shape):
            if size % count:
                raise ValueError(f"Logical shape {size} must be divisible by grid shape {count}")
        shape = layout.getDeviceShape(grid_shape, [32, 32] if tiled else [1, 1])
        name, tile = _TILES[element_dtype]
        element = ir.Type.parse(name)
        if tiled:
            element = ttcore.ir.TileType.get(ctx, 32, 32, ttcore.DataType[tile])
            whole = grid is None or tuple(grid) == (1, 1)
            sizes = (dim_alignments if whole and dim_alignments is not None else
                     [n // (1 if whole else g) for n, g in zip(logical_shape, grid_shape)])
            shape[-2], shape[-1] = (sizes[-2] + 31) // 32, (sizes[-1] + 31) // 32
        return ir.RankedTensorType.get(shape, element, layout, ir.Location.unknown(ctx))


def affine_map_from_lambda(function):
    """`lambda m, n: (m, 0)` as a map; results are dimensions or 0."""
    names = list(inspect.signature(function).parameters)
    dims = [ir.AffineDimExpr.get(i) for i in range(len(names))]
    results = function(*dims)
    results = results if isinstance(results, (tuple, list)) else (results,)
    out = []
    for result in results:
        if isinstance(result, int):
            if result != 0:
                raise ValueError(f"a result of an indexing map is a dimension or 0, got {result}")
            result = ir.AffineConstantExpr.get(0)
        if not isinstance(result, ir.AffineExpr):
            raise TypeError(f"Unsupported indexing_map result type `{type(result)}` for result `{result}`")
        out.append(result)
    return ir.AffineMap.get(len(names), 0, out)


class DeferredDevice:
    """A device that a pytest fixture opens after the program is compiled."""

    def __init__(self, request):
        self._request = request

    def prepare(self):
        """Closes the device that an earlier test left open."""
        import _ttmlir_runtime as tt_runtime
        import conftest

        if conftest._current_device is not None:
            tt_runtime.runtime.close_mesh_device(conftest._current_device)
            conftest.clear_device_cache()

    def open(self):
        return self._request.getfixturevalue("device")

    def close(self, device):
        import _ttmlir_runtime as tt_runtime
        import conftest

        tt_runtime.runtime.close_mesh_device(device)
        conftest.clear_device_cache()
