"""StableHLO text compiled by jaxlib for this machine and run on NumPy arrays: the reference of tests on the project's
own compiler."""

import jax
import numpy as np
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jax._src.lib.mlir import ir

DEVICE = jax.devices("cpu")[0]


def run(text, *arrays):
    """The results of the program's main function; bool, integer and float arrays keep their types (bf16 as ml_dtypes
    has it)."""
    with jax_mlir.make_ir_context() as context, ir.Location.unknown(context):
        executable = DEVICE.client.compile_and_load(
            ir.Module.parse(text), xla_client.DeviceList((DEVICE,)), xla_client.CompileOptions())
    with jax.enable_x64(True):
        results = executable.execute_sharded([jax.device_put(a, DEVICE) for a in arrays]).disassemble_into_single_device_arrays()
    return [np.array(array) for array, in results]
