"""d2m_jit: kernels of blocks in Python, compiled through the dialect d2m.

    import d2m_jit as d2m

    layout = d2m.Layout(shape=(64, 64), dtype=d2m.float32, block_shape=[1, 1], grid_shape=[2, 2])

    @d2m.kernel
    def add(lhs, rhs, out):
        at = [core_index(0), core_index(1)]
        remote_store(out, at, remote_load(lhs, at) + remote_load(rhs, at))

    out = d2m.empty(layout)
    add(d2m.to_layout(x, layout), d2m.to_layout(y, layout), out, grid=(2, 2))
    out.to_host()

Names are those of d2m_jit.api, which is imported when the first one is used, since `d2m_jit.sim` runs without a compiler.
"""

import importlib


def _public():
    return [name for name in vars(importlib.import_module("d2m_jit.api")) if not name.startswith("_")]


def __getattr__(name):
    if name == "__all__":
        return _public()
    if name.startswith("__"):
        raise AttributeError(f"module 'd2m_jit' has no attribute '{name}'")
    try:
        return getattr(importlib.import_module("d2m_jit.api"), name)
    except AttributeError:
        raise AttributeError(f"module 'd2m_jit' has no attribute '{name}'") from None


def __dir__():
    return sorted({*globals(), *_public()})
