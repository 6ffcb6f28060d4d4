"""`ttmlir._mlir_libs._ttmlir`: registration, which is built into every Context, and the dialects' typed attributes."""

import importlib

from ttmlir import optimizer_overrides, passes, util  # noqa: F401  (scripts import them from here)
from ttmlir._dialects import accept_registration as register_dialect  # noqa: F401

_ITEMS = {"tt_ir": "ttcore", "ttcore_ir": "ttcore", "ttnn_ir": "ttnn", "ttir_ir": "ttir", "d2m_ir": "d2m",
          "ttkernel_ir": "ttkernel"}


def register_dialects(registry):
    """No-op: a Context has all dialects from its creation."""


def enable_pretty_stack_traces(pass_manager):
    """No-op: the library does not stop the process."""


def __getattr__(name):
    if name not in _ITEMS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return importlib.import_module(f"ttmlir.dialects.{_ITEMS[name]}").ir
