"""torch_xla.runtime: the type and count of devices."""


def set_device_type(name):
    if name != "TT":
        raise ValueError(f"device type {name!r} is not available; there is 'TT'")


def device_type():
    return "TT"


def global_runtime_device_count():
    return 1


def addressable_device_count():
    return 1


def world_size():
    return 1
