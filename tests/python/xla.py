"""StableHLO text on NumPy arrays through jaxlib's CPU compiler: the reference for tests of single operations."""

import jax
import numpy as np
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jax._src.lib.mlir import ir


def run(text, *arrays):
    """The results of the module's `main`; 64-bit elements stay what they are."""
    device = jax.devices("cpu")[0]
    with jax_mlir.make_ir_context() as context, ir.Location.unknown(context):
        module = ir.Module.parse(text)
        program = device.client.compile_and_load(module, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    with jax.enable_x64(True):
        results = program.execute_sharded([jax.device_put(a, device) for a in arrays])
        return [np.asarray(array) for array, in results.disassemble_into_single_device_arrays()]
