"""What `import d2m_jit` gives. Functions of the host run on the device or in the simulator, as `config.backend` is when they are
called; in kernels their language has names of its own (_src/blocks.py)."""

import functools
import importlib

from ttmlir.dialects.d2m import TileBcastType

from ._src import builder as _builder, calls as _calls, shapes as _shapes, tensors as _tensors
from ._src.builder import LazyTensor, mesh, mesh_shard
from ._src.calls import CompiledKernel, GlobalSemaphore, global_semaphore
from ._src.config import config
from ._src.errors import D2mJitError
from ._src.rewrite import apply_patterns, from_device, from_value, infer_layout, pattern
from ._src.shapes import MeshShard
from ._src.table import broadcast_of as _broadcast_of
from ._src.tensor_layout import Layout, bfloat16, float16, float32, uint32


def _simulates():
    if config.backend not in ("device", "sim"):
        raise ValueError(f"config.backend must be 'device' or 'sim', got {config.backend!r}")
    return config.backend == "sim"


def _simulator():
    return importlib.import_module("d2m_jit._src.sim")


def _dispatch(function):
    """A function of the host in both backends."""
    @functools.wraps(function)
    def choose(*args, **kwargs):
        return (getattr(_simulator(), function.__name__) if _simulates() else function)(*args, **kwargs)

    choose._d2m_dispatch_name = function.__name__
    return choose


to_layout, empty, to_host = map(_dispatch, (_builder.to_layout, _builder.empty, _builder.to_host))
tilize, untilize, zeros, full, arange, reshape = map(_dispatch, (
    _tensors.tilize, _tensors.untilize, _tensors.zeros, _tensors.full, _tensors.arange, _tensors.reshape))
view, view_layout, permute, mesh_gather = map(_dispatch, (_tensors.view, _tensors.view_layout, _tensors.permute, _tensors.mesh_gather))
reduction_layout, spatial = _dispatch(_shapes.reduction_layout), _dispatch(_calls.spatial)


class _Kernel:
    """A kernel in both backends; each is made when it is first called. Attributes are those of the current one."""

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn, self._made = fn, {}

    def _current(self):
        key = _simulates()
        if key not in self._made:
            self._made[key] = (_simulator() if key else _calls).kernel(self.fn)
        return self._made[key]

    def __call__(self, *args, **kwargs):
        return self._current()(*args, **kwargs)

    def __getattr__(self, name):
        if name in ("fn", "_made"):
            raise AttributeError(name)
        return getattr(self._current(), name)


def kernel(fn):
    """Makes a function of tensors and integers a kernel.

        @d2m.kernel
        def add(lhs, rhs, out):
            at = [core_index(0), core_index(1)]
            remote_store(out, at, remote_load(lhs, at) + remote_load(rhs, at))

        add(x, y, out, grid=(2, 2))

    Errors: D2mJitError, with the kernel's line, where a kernel or a call of it is not supported.
    """
    return _Kernel(fn)


def _parse_tile_bcast_type(value):
    """The attribute of a kind of broadcast, in the current context."""
    from ttmlir.ir import Attribute

    return value if isinstance(value, Attribute) else Attribute.parse(f"#d2m<tile_bcast_type {_broadcast_of(value)}>")
