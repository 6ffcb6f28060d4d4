"""torch_xla.core.xla_model: the device and its synchronisation."""

from tilewright.torch_backend.device import open_device


def xla_device(n=None, devkind=None):
    """The embedded device; prints as xla:0."""
    return open_device(n)


def get_xla_supported_devices(devkind=None):
    return ["xla:0"]


def xla_device_hw(device):
    return "TT"


def mark_step(wait=False, reset_scope=True):
    """No-op: programs have run when their call returns."""


def wait_device_ops(devices=()):
    """See mark_step."""


def master_print(*args, **kwargs):
    print(*args, **kwargs)


def get_ordinal():
    return 0


def is_master_ordinal(local=True):
    return True


def save(data, path):
    """Values are saved as host tensors."""
    import torch
    from torch.utils._pytree import tree_map_only

    torch.save(tree_map_only(torch.Tensor, lambda t: t.cpu(), data), path)
