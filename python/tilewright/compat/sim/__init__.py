"""`sim` under the names that kernels for tt-lang's Python simulator import: `from sim import ttl, ttnn`,
`sim.testing`, `sim.typedefs`, `python -m sim.ttlang_sim FILE`. Kernels run on the embedded device with this package,
too."""

_NAMES = ("Pipe", "PipeNet", "Program", "TILE_SHAPE", "compute", "copy", "core", "datamovement", "kernel")
__all__ = ["ttl", "ttnn", *_NAMES]


def __getattr__(name):
    import importlib

    if name in ("ttl", "ttnn"):
        return importlib.import_module(name)
    if name in _NAMES:
        return getattr(importlib.import_module("ttl"), name)
    raise AttributeError(f"module 'sim' has no attribute '{name}'", name=name, obj=None)
