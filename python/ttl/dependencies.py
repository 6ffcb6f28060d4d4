"""Records the Python objects that a kernel read when it was compiled, to detect later changes.

Functions are followed through their closures and the globals that they name, including helpers of the user's; modules
are not, nor packages that came with Python or were installed.
"""

import builtins
import sys
import sysconfig
import types

_INSTALLED = tuple({p for key, p in sysconfig.get_paths().items() if key in ("stdlib", "platstdlib", "purelib", "platlib")})
_OURS = ("ttl", "ttlang", "ttnn", "tilewright", "ttmlir")
_SIMPLE = (int, float, complex, str, bytes, bool, type(None))
_MISSING = object()


def _is_users(function):
    package = (function.__module__ or "").partition(".")[0]
    return package not in _OURS and not function.__code__.co_filename.startswith(_INSTALLED)


def _snapshot(value, depth=0):
    """A copy of containers of simple values, which may change in place, for comparison; None for other values."""
    if depth > 3:
        return None
    items = value
    if not isinstance(value, (list, tuple, set, dict)):
        items = vars(value) if _is_users_object(value) else None
    if items is None or len(items) > 1024:
        return None
    items = list(items.items()) if isinstance(items, dict) else list(items)
    return type(value), [(x, _snapshot(x, depth + 1)) for x in items]


def _is_users_object(value):
    """True if an object has attributes defined by a user's class."""
    kind = type(value)
    if not hasattr(value, "__dict__") or isinstance(value, (type, types.ModuleType, types.FunctionType)):
        return False
    if kind.__module__.partition(".")[0] in _OURS:
        return False
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is None or not file.startswith(_INSTALLED)


def _same(old, snapshot, new):
    if old is not new:
        return isinstance(old, _SIMPLE) and type(old) is type(new) and old == new
    if snapshot is None:
        return True
    fresh = _snapshot(new)
    return (fresh is not None and len(fresh[1]) == len(snapshot[1]) and
            all(_same(a, s, b) for (a, s), (b, _) in zip(snapshot[1], fresh[1])))


class Dependencies:
    """The values that functions read from closure cells and globals."""

    def __init__(self, function, arguments=()):
        self.cells, self.globals, self.functions = [], [], []
        self.objects = [(a, _snapshot(a)) for a in arguments if not hasattr(a, "dtype")]
        self._seen = set()
        self._follow(function)
        del self._seen

    def _follow(self, function):
        if id(function) in self._seen or len(self._seen) > 256:
            return
        self._seen.add(id(function))
        self.functions.append((function, function.__code__, function.__defaults__))
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:  # not assigned yet
                value = _MISSING
            self.cells.append((cell, value, _snapshot(value)))
            self._look(value)
        for name in sorted(_names(function.__code__)):
            value = function.__globals__.get(name, _MISSING)
            if value is _MISSING and hasattr(builtins, name) or isinstance(value, types.ModuleType):
                continue
            if value is not _MISSING:
                self.globals.append((function.__globals__, name, value, _snapshot(value)))
                self._look(value)

    def _look(self, value):
        if isinstance(value, types.FunctionType) and _is_users(value):
            self._follow(value)

    def unchanged(self):
        for value, snapshot in self.objects:
            if snapshot is not None and not _same(value, snapshot, value):
                return False
        for function, code, defaults in self.functions:
            if function.__code__ is not code or function.__defaults__ is not defaults:
                return False
        for cell, value, snapshot in self.cells:
            try:
                now = cell.cell_contents
            except ValueError:
                now = _MISSING
            if now is not value or snapshot is not None:
                if not _same(value, snapshot, now):
                    return False
        for scope, name, value, snapshot in self.globals:
            now = scope.get(name, _MISSING)
            if now is not value or snapshot is not None:
                if not _same(value, snapshot, now):
                    return False
        return True


def _names(code):
    """Every global name that code reads, including nested functions."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names
