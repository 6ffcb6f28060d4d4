"""An independent executor for StableHLO text: jaxlib's CPU compiler.

It replaces the project's own engine in tests that check the emitted program rather than its execution.
"""

import re

import jax
import numpy as np
import torch
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jax._src.lib.mlir import ir

# Attributes of dialects that jaxlib does not have; they do not affect the values.
FOREIGN = re.compile(r" \{ttcore\.argument_type = #ttcore\.argument_type<\w+>, ttir\.name = \"[^\"]*\"\}")


class OracleProgram:
    def __init__(self, program, options=None):
        self.text = text = program if isinstance(program, str) else program.text(True)
        self.device = jax.devices("cpu")[0]
        with jax_mlir.make_ir_context() as context, ir.Location.unknown(context):
            module = ir.Module.parse(FOREIGN.sub("", text))
            self.executable = self.device.client.compile_and_load(
                module, xla_client.DeviceList((self.device,)), xla_client.CompileOptions()
            )
        self.constants = {}
        self.runs = 0

    def set_constant(self, index, tensor):
        self.constants[index] = self.put(tensor)

    def put(self, tensor):
        tensor = tensor.detach().contiguous()
        if tensor.dtype == torch.bfloat16:
            import ml_dtypes

            array = tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        else:
            array = tensor.numpy()
        with jax.enable_x64(True):
            return jax.device_put(np.array(array), self.device)

    def run(self, inputs, outputs):
        arguments = [self.constants[i] if t is None else self.put(t) for i, t in enumerate(inputs)]
        results = self.executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
        self.runs += 1
        for (array,), out in zip(results, outputs, strict=True):
            value = np.array(array, order="C")
            assert value.shape == tuple(out.shape), (value.shape, out.shape)
            if out.dtype == torch.bfloat16:
                out.view(torch.int16).copy_(torch.from_numpy(value.view(np.int16).copy()))
            else:
                out.copy_(torch.from_numpy(value.copy()))
