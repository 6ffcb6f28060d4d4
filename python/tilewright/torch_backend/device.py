"""The embedded device as a torch device, which prints as xla:0.

torch reserves one device type for extensions (PrivateUse1), which gets that name here. A tensor on the device is a
wrapper around its values on the host: operations outside torch.compile run on the host and their results are wrapped
again; compiled programs use the host tensor's memory.
"""

import functools

import torch
from torch.utils._pytree import tree_map, tree_map_only

aten = torch.ops.aten


class DeviceTensor(torch.Tensor):
    """A tensor on the embedded device."""

    @staticmethod
    def __new__(cls, host, device):
        return torch.Tensor._make_wrapper_subclass(
            cls,
            host.shape,
            strides=host.stride(),
            storage_offset=host.storage_offset(),
            dtype=host.dtype,
            device=device,
            requires_grad=False,
        )

    def __init__(self, host, device):
        self._host = host

    def __tensor_flatten__(self):
        return ["_host"], self.device

    @classmethod
    def __tensor_unflatten__(cls, inner, device, size, stride):
        return cls(inner["_host"], device)

    def __repr__(self, *, tensor_contents=None):
        return torch._tensor_str._str(self, tensor_contents=tensor_contents)

    def tolist(self):
        return self._host.tolist()

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return run_on_host(func, args, kwargs or {})


# The printed form begins with the class's name, and users expect "tensor".
DeviceTensor.__name__ = "tensor"

# Operations that move values between devices take tensors of both.
MOVES = {aten._to_copy.default, aten.copy_.default, aten.copy.default, aten.set_.source_Tensor}


def is_device(value):
    return isinstance(value, DeviceTensor)


def host(value):
    """The host tensor of a device tensor; anything else unchanged."""
    return value._host if isinstance(value, DeviceTensor) else value


def run_on_host(func, args, kwargs):
    tensors = []

    def unwrap(value):
        if isinstance(value, torch.Tensor):
            tensors.append(value)
            if not is_device(value) and value.device.type != "cpu":
                return value.cpu()  # while torch.compile traces: a fake tensor on the device
        return host(value)

    host_args, host_kwargs = tree_map(unwrap, (args, kwargs))
    target = kwargs.get("device")
    if target is not None:
        host_kwargs["device"] = torch.device("cpu")
    if func not in MOVES:
        check_devices(tensors)
    check_product(func, args)
    result = func(*host_args, **host_kwargs)
    written = args[0] if args and returns_written(func._schema) else None
    if is_device(written):
        if written.shape != written._host.shape:
            raise NotImplementedError(
                f"Operation '{func._schema.name}' not supported: it changes the shape in place"
            )
        return written
    if written is not None and func in MOVES:
        return written
    where = torch.device(target) if target is not None else None
    if where is None:
        where = next((t.device for t in tensors if is_device(t)), None)
    if where is None or where.type == "cpu":
        return result
    return tree_map_only(torch.Tensor, functools.partial(wrap, device=where), result)


def returns_written(schema):
    """True if an operator returns the operand that it writes; batch norms write statistics and return other tensors."""
    first = schema.returns[0].alias_info if schema.returns else None
    return first is not None and first.is_write


def wrap(value, device=None):
    return value if isinstance(value, DeviceTensor) else DeviceTensor(value, numbered(device))


def numbered(device):
    return torch.device("privateuseone", 0 if device is None or device.index is None else device.index)


def check_devices(tensors):
    away = [t for t in tensors if t.device.type == "cpu" and t.dim()]
    if away:
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"xla:0 and {away[0].device}!"
        )


# Operator -> positions of the two matrices.
PRODUCTS = {aten.mm.default: (0, 1), aten.addmm.default: (1, 2), aten.bmm.default: (0, 1)}


def check_product(func, args):
    if func in PRODUCTS:
        x, y = (args[i] for i in PRODUCTS[func])
        if x.shape[-1] != y.shape[-2]:
            raise RuntimeError(f"Shape mismatch in matmul: {list(x.shape)} @ {list(y.shape)}")


def on_device(runner):
    """A compiled graph's callable for device tensors."""

    def call(*args):
        results = runner(*[host(a) for a in args])
        return [wrap(r) if isinstance(r, torch.Tensor) else r for r in results]

    return call


# -- registration with torch ----------------------------------------------------------------


class DeviceModule:
    """`torch.xla`: the module that torch requires of a device type."""

    def get_amp_supported_dtype(self):
        return [torch.bfloat16, torch.float16]

    def is_initialized(self):
        return True

    def is_available(self):
        return True

    def device_count(self):
        return 1

    def current_device(self):
        return 0

    def _is_in_bad_fork(self):
        return False

    def manual_seed_all(self, seed):
        """Random numbers come from the host's generator."""

    def synchronize(self, device=None):
        """No-op: programs have run when their call returns."""


def make_empty(size, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    memory_format = memory_format or torch.contiguous_format
    return wrap(torch.empty(size, dtype=dtype, device="cpu", memory_format=memory_format), device)


def make_empty_strided(size, stride, *, dtype=None, layout=None, device=None, pin_memory=None):
    return wrap(torch.empty_strided(size, stride, dtype=dtype, device="cpu"), device)


def copy_from(source, target, non_blocking=False):
    """Called by torch below its Python dispatch, as when it makes a tensor from a list."""
    host(target).copy_(host(source))
    return target


@functools.cache
def install():
    """Registers the device type with torch, once per process."""
    taken = torch._C._get_privateuse1_backend_name()
    if taken not in ("privateuseone", "xla"):
        raise RuntimeError(f"No TT devices found: torch's free device type is taken by '{taken}'")
    acc = torch._C._acc

    class Hooks(acc.PrivateUse1Hooks):
        def is_available(self):
            return True

        def has_primary_context(self, index):
            return True

        def is_built(self):
            return True

    class Guard(acc.DeviceGuard):
        def type_(self):
            return torch._C._autograd.DeviceType.PrivateUse1

    torch.utils.rename_privateuse1_backend("xla")
    torch._register_device_module("xla", DeviceModule())
    hooks, guard = Hooks(), Guard()
    acc.register_python_privateuseone_hook(hooks)
    acc.register_python_privateuseone_device_guard(guard)
    library = torch.library.Library("aten", "IMPL")
    # A device named in text ("xla:0") is torch's own XLA type; its tensors are handled here as well.
    for key in ("PrivateUse1", "XLA"):
        library.impl("empty.memory_format", make_empty, key)
        library.impl("empty_strided", make_empty_strided, key)
        library.impl("_copy_from", copy_from, key)
    return library, hooks, guard


def open_device(index=0):
    if index not in (0, None):
        raise RuntimeError(f"No TT devices found with index {index}; there is one, xla:0")
    install()
    return torch.device("privateuseone", 0)
