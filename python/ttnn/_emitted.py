"""What emitted Python imports as `utils`: the device, scalars and files."""

import ttnn


class DeviceGetter:
    """The one device of emitted programs."""

    l1_small_size = 1 << 16
    _device = None

    @classmethod
    def get_device(cls, mesh_shape=(1, 1), fabric_config=None):
        """The embedded device as a mesh; opened at the first call."""
        if tuple(mesh_shape or (1, 1)) != (1, 1):
            raise NotImplementedError(f"utils.DeviceGetter.get_device: argument 'mesh_shape': expected (1, 1), found {tuple(mesh_shape)}; "
                                      "the embedded device is one chip: compile with mesh-shape=1,1")
        if cls._device is None or not cls._device.open:
            cls._device = ttnn.open_mesh_device(mesh_shape=ttnn.MeshShape(1, 1), l1_small_size=cls.l1_small_size)
        return cls._device


def get_scalar_from_tensor(tensor):
    """The only element of a tensor of integers."""
    if tensor.logical_volume() != 1 or tensor.dtype not in (ttnn.uint32, ttnn.int32):
        raise ValueError(f"utils.get_scalar_from_tensor: expected one integer of 32 bits, found a tensor of shape {tensor.shape} of {tensor.dtype}")
    return tensor.item()


def load_tensor(file_path, layout, dtype, device, memory_config):
    """A tensor of a file, as the program wants it."""
    tensor = ttnn.load_tensor(file_path)
    tensor = ttnn.typecast(tensor, dtype) if tensor.dtype != dtype else tensor
    tensor = ttnn.to_layout(tensor, layout) if tensor.layout != layout else tensor
    return tensor if device is None else ttnn.to_device(tensor, device, memory_config)


def execute_cpu_hoisted_function(inputs, function, mesh_shape=None):
    """Computes a function of torch tensors on the host: one tensor, or a tuple of them."""
    results = function(*(ttnn.to_torch(tensor) for tensor in inputs))
    made = tuple(ttnn.from_torch(result) for result in (results if isinstance(results, tuple) else (results,)))
    return made if isinstance(results, tuple) else made[0]
