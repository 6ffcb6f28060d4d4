"""Runs kernels written as C++ files: passes arguments by TTL's conventions, then calls ttnn.generic_op.

Compile-time arguments are the indices of the circular buffers, for data movement followed by the accessors of all
tensors; common runtime arguments are the addresses of the tensors that a kernel uses.
"""

import dataclasses

from . import types


@dataclasses.dataclass
class KernelSpec:
    """A kernel: its file, "compute", "noc" or "ethernet", the indices of its tensors, and its ttnn configuration."""

    path: str
    thread_type: str
    tensor_indices: list
    config: object


def build_tensor_accessor_args(tensors):
    import ttnn

    return [arg for tensor in tensors for arg in ttnn.TensorAccessorArgs(tensor).get_compile_time_args()]


def build_kernel_descriptors(kernel_specs, tensors, tensor_accessor_args, core_ranges, grid_cols, grid_rows, num_cbs):
    import ttnn

    def descriptor(spec):
        accessors = [] if spec.thread_type == "compute" else list(tensor_accessor_args)
        return ttnn.KernelDescriptor(
            kernel_source=spec.path, core_ranges=core_ranges, compile_time_args=[*range(num_cbs), *accessors],
            runtime_args=[[[] for _ in range(grid_rows)] for _ in range(grid_cols)],
            common_runtime_args=[tensors[i].buffer_address() for i in spec.tensor_indices], config=spec.config)

    return [descriptor(spec) for spec in kernel_specs]


def build_cb_descriptors(tensors, cb_configs, core_ranges):
    import ttnn
    from ttnn._program import TILE_BYTES
    from ttnn._tensor import ELEMENTS

    out = []
    for i, cb in enumerate(cb_configs):
        if cb is None:
            raise ValueError(f"Missing CB config for index {i}. All CB indices must have associated CircularBuffer "
                             "configurations.")
        element = types.element(cb.dtype)
        data_format = next(d for d, e in ELEMENTS.items() if e == element)
        page = TILE_BYTES[element]
        form = ttnn.CBFormatDescriptor(buffer_index=i, data_format=data_format, page_size=page)
        out.append(ttnn.CBDescriptor(total_size=cb.tiles[0] * cb.tiles[1] * cb.buffer_factor * page, core_ranges=core_ranges,
                                     format_descriptors=[form]))
    return out


def run_kernel_on_device(kernel_specs, tensors, cb_configs, core_ranges, program_hash=None):
    """Runs the kernels on cores; returns the result of ttnn.generic_op(). Kernels that were compiled for another
    element type compute in that of the buffers, with a RuntimeWarning: hardware would move pages of the wrong size."""
    import ttnn
    from ttnn._program import launch

    size = core_ranges.bounding_box().grid_size()
    kernels = build_kernel_descriptors(kernel_specs, tensors, build_tensor_accessor_args(tensors), core_ranges, size.x,
                                       size.y, len(cb_configs))
    program = ttnn.ProgramDescriptor(kernels=kernels, cbs=build_cb_descriptors(tensors, cb_configs, core_ranges),
                                     semaphores=[])
    return launch(tensors, program, tensor_pages=True)


__all__ = ["KernelSpec", "build_cb_descriptors", "build_kernel_descriptors", "build_tensor_accessor_args",
           "run_kernel_on_device"]
