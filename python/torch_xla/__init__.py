"""torch_xla's API on the embedded device, for programs written for torch_xla.

Used only where torch_xla itself is not installed: this package searches the rest of the path for the real one first
and, if found, replaces itself by it. Both in one folder share this file's name: installed over the real one, it says so.
"""

import importlib.machinery
import importlib.metadata
import importlib.util
import os
import sys


def real_one():
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = [p for p in sys.path if os.path.abspath(p or ".") != here]
    return importlib.machinery.PathFinder.find_spec("torch_xla", path)


def overwritten():
    """Whether torch_xla's distribution is installed although its package is not found: this file replaced it."""
    try:
        importlib.metadata.distribution("torch_xla")
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


spec = real_one()
if spec is not None and spec.loader is not None:
    module = importlib.util.module_from_spec(spec)
    sys.modules["torch_xla"] = module
    spec.loader.exec_module(module)
elif overwritten():
    raise ImportError("torch_xla is installed, but tilewright, which was installed after it, replaced its __init__.py; "
                      "run: python3 -m pip install --force-reinstall --no-deps torch_xla")
else:
    from tilewright.torch_backend.device import open_device as device

    __version__ = "0.0.0+tilewright"

    def devices():
        return [device()]

    def device_count():
        return 1

    def sync(wait=False, reset_scope=True):
        """No-op: programs have run when their call returns."""
