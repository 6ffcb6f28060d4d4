"""Binaries and the embedded device under the names of tt-mlir's runtime extension.

    import _ttmlir_runtime as tt_runtime

    binary = tt_runtime.binary.load_binary_from_path("model.ttnn")
    device = tt_runtime.runtime.open_mesh_device()
    outputs = tt_runtime.runtime.submit(device, binary, 0, inputs)
"""

import importlib

from . import binary, runtime

__all__ = ["binary", "runtime", "utils"]


def __getattr__(name):
    if name == "utils":  # needs torch
        return importlib.import_module(f"{__name__}.utils")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
