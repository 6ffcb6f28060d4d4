"""Offers tilewright's torch_xla API in an installed environment that has no torch_xla.

A .pth file imports this at start-up. The finder is the last one, so an installed torch_xla wins.
"""

import importlib.util
import os
import sys


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch_xla":
            return None
        package = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tilewright", "_torch_xla")
        return importlib.util.spec_from_file_location(
            name, os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )


sys.meta_path.append(Finder)
