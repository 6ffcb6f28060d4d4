"""Loads tilewright._ir, which is in the same file as tilewright._core."""

import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import find_spec, module_from_spec

NAME = "tilewright._ir"


def _load():
    core = find_spec("tilewright._core")
    if core is None or not core.origin:
        raise ImportError("tilewright._core is missing: it was built without Python's headers")
    loader = ExtensionFileLoader(NAME, core.origin)
    module = module_from_spec(ModuleSpec(NAME, loader, origin=core.origin))
    loader.exec_module(module)
    sys.modules[NAME] = module
    return module


native = sys.modules.get(NAME) or _load()
