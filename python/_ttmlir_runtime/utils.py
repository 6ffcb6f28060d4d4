"""Conversions between the runtime's tensors and those of the ttnn package."""

import torch
import ttnn

from ._tensor import create_owned_host_tensor
from ._types import DataType

# ttnn's names of element types -> ours, torch's
_TYPES = {
    "BFLOAT16": (DataType.BFloat16, torch.bfloat16),
    "FLOAT32": (DataType.Float32, torch.float32),
    "UINT32": (DataType.UInt32, torch.uint32),
    "UINT16": (DataType.UInt16, torch.uint16),
    "UINT8": (DataType.UInt8, torch.uint8),
    "INT32": (DataType.Int32, torch.int32),
    "BFLOAT8_B": (DataType.BFP_BFloat8, torch.bfloat16),
    "BFLOAT4_B": (DataType.BFP_BFloat4, torch.bfloat16),
}


def create_runtime_tensor_from_ttnn(tensor, retain=False):
    """The values of a ttnn tensor as a tensor of the runtime."""
    dtype, held = _TYPES[tensor.dtype.name]
    host = ttnn.to_torch(tensor).to(held).contiguous()
    made = create_owned_host_tensor(host.data_ptr(), list(host.shape), list(host.stride()), host.element_size(), dtype)
    made.set_retain(retain)
    return made


def get_ttnn_tensor_from_runtime_tensor(tensor):
    """The inverse: a ttnn tensor on the host."""
    kind, held = next((k, h) for k, (d, h) in _TYPES.items() if d == tensor.get_dtype())
    data = tensor.get_data_buffer()
    host = torch.frombuffer(data, dtype=held) if data else torch.empty(0, dtype=held)
    return ttnn.from_torch(host.reshape(tensor.get_shape()), dtype=ttnn.DataType[kind])
