"""The source text of functions, and the bindings of their names."""

import builtins
import linecache

from tilewright.source import captures, functions_of, similar, tree_of  # noqa: F401: used from here

from . import compat
from .errors import TTLangCompileError


class Source:
    """The syntax tree of a function, found in that of its file: lines and columns are the file's."""

    def __init__(self, function):
        self.file = function.__code__.co_filename
        found = tree_of(function)
        if not found:
            raise TTLangCompileError(
                f"the source of '{function.__name__}' cannot be found in '{self.file}'; kernels must be defined in a "
                "file or a notebook's cell: write the text to a file and import that")
        self.tree = found[1]
        self.shown_at = None  # functions of this package are shown at their call
        self.first_column = self.tree.col_offset if compat.enabled() else 0  # tt-lang counts from the function's first column

    def location(self, node):
        if self.shown_at:
            return self.shown_at
        return self.file, node.lineno, node.col_offset + 1 - self.first_column


def indentation(file, line):
    """The indentation of the thread around a line, which columns exclude."""
    if not compat.enabled():
        return 0
    threads = [n for n in functions_of(file, "".join(linecache.getlines(file)))
               if getattr(n, "decorator_list", None) and n.lineno <= line <= n.end_lineno]
    return max((n.col_offset for n in threads), default=0)


class Scope:
    """Names of one function: its own, then those of enclosing functions."""

    def __init__(self, names, outer=None):
        self.names, self.outer = names, outer
        self.of_host = set()  # declared `global`

    def find(self, name):
        scope = self
        while scope:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        raise KeyError(name)


def outer_scope(function, captured):
    return Scope(captured, Scope(function.__globals__, Scope(vars(builtins))))


def nearest(name, scope, more=()):
    names = list(more)
    while scope:
        names += scope.names
        scope = scope.outer
    return similar(name, names)
