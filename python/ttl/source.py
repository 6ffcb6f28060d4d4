"""The source text of functions, and the bindings of their names."""

import ast
import builtins
import functools
import linecache
import types

from . import compat
from .errors import TTLangCompileError


TEXTS = {}  # per file: its texts when kernels were made or compiled, the newest first


def remember(file, names):
    """Reads the file's current text; returns all its known texts. After editing and reloading a file there are
    functions of both texts, and after editing only, functions of the old one."""
    linecache.checkcache(file)
    text, known = "".join(linecache.getlines(file, names)), TEXTS.setdefault(file, [])
    if text and text not in known[:1]:
        known[:] = [text, *(k for k in known if k != text)][:8]
    return known


class Source:
    """The syntax tree of a function, found in that of its file: lines and columns are the file's."""

    def __init__(self, function):
        code = function.__code__
        self.file = code.co_filename
        texts = remember(self.file, function.__globals__)
        found = [(text, n) for text in texts for n in functions_of(self.file, text) if is_of(n, code)]
        if not found:
            raise TTLangCompileError(
                f"the source of '{function.__name__}' cannot be found in '{self.file}'; kernels must be defined in a "
                "file or a notebook's cell: write the text to a file and import that")
        if len(texts) > 1:  # functions rewritten by import hooks match none of them
            found.sort(key=lambda f: code not in codes_of(self.file, f[0]))
        self.tree = found[0][1]
        self.shown_at = None  # functions of this package are shown at their call

    def location(self, node):
        if self.shown_at:
            return self.shown_at
        # tt-lang counts columns from the function's first column
        return self.file, node.lineno, node.col_offset + 1 - (self.tree.col_offset if compat.enabled() else 0)


def indentation(file, line):
    """The indentation of the thread around a line, which columns exclude."""
    if not compat.enabled():
        return 0
    threads = [n for n in functions_of(file, "".join(linecache.getlines(file)))
               if getattr(n, "decorator_list", None) and n.lineno <= line <= n.end_lineno]
    return max((n.col_offset for n in threads), default=0)


@functools.lru_cache(maxsize=64)
def functions_of(file, text):
    """Every function of a file."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    try:
        return [n for n in ast.walk(ast.parse(text, file)) if isinstance(n, kinds)]
    except SyntaxError:  # it is being edited
        return []


@functools.lru_cache(maxsize=16)
def codes_of(file, text):
    """The code objects that Python compiles from every function of a file."""
    out, work = set(), [compile(text, file, "exec", dont_inherit=True)]
    while work:
        code = work.pop()
        out.add(code)
        work += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return out


def is_of(node, code):
    """True if a code object was compiled from a node. Lambdas that begin in one line are distinguished by their code."""
    if not isinstance(node, ast.Lambda):
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        return node.name == code.co_name and first == code.co_firstlineno
    if code.co_name != "<lambda>" or node.lineno != code.co_firstlineno:
        return False
    arguments = [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]
    if list(code.co_varnames[:len(arguments)]) != arguments:
        return False
    if hasattr(code, "co_positions"):
        columns = [p[2] for p in code.co_positions() if p[0] is not None and p[2] is not None and p[3] != 0]
        return not columns or node.col_offset <= min(columns) and max(
            p[3] for p in code.co_positions() if p[3] is not None) <= node.end_col_offset or node.end_lineno != node.lineno
    return True


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


def captures(function):
    """The names that a function captures from enclosing functions."""
    out = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            out[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            pass
    return out


def outer_scope(function, captured):
    return Scope(captured, Scope(function.__globals__, Scope(vars(builtins))))


def nearest(name, scope, more=()):
    names = list(more)
    while scope:
        names += scope.names
        scope = scope.outer
    return similar(name, names)


def similar(name, names):
    """The public name that was probably meant, or None."""
    import difflib

    found = difflib.get_close_matches(name, [n for n in names if not n.startswith("_")], 1)
    return found[0] if found else None
