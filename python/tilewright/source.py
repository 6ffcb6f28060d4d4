"""Finding the syntax tree of a Python function, and queries on it. What compiles functions (ttl, d2m_jit, pykernel) shares it."""

import ast
import functools
import linecache
import types


TEXTS = {}  # per file: its texts when kernels were made or compiled, the newest first


def remember(file, names):
    """Reads the file's current text; returns all its known texts. After editing and reloading a file there are
    functions of both texts, and after editing only, functions of the old one."""
    linecache.checkcache(file)
    text, known = "".join(linecache.getlines(file, names)), TEXTS.setdefault(file, [])
    if text and text not in known[:1]:
        known[:] = [text, *(k for k in known if k != text)][:8]
    return known


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


def tree_of(function):
    """(the text of its file, its syntax tree, which has the file's lines and columns), or None if no text defines it."""
    code = function.__code__
    texts = remember(code.co_filename, function.__globals__)
    found = [(text, n) for text in texts for n in functions_of(code.co_filename, text) if is_of(n, code)]
    if len(texts) > 1:  # functions rewritten by import hooks match none of them
        found.sort(key=lambda f: code not in codes_of(code.co_filename, f[0]))
    return found[0] if found else None


def captures(function):
    """The names that a function captures from enclosing functions."""
    out = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            out[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            pass
    return out


def assigned(statements, augmented=True):
    """Names that statements assign, in order; not those of functions defined in them, and `x += ...` only on request."""
    found = (entry for statement in statements for entry in stored(statement))
    return list(dict.fromkeys(name for name, by_sum in found if augmented or not by_sum))


def stored(node):
    """(name, whether `x += ...` assigns it) of a node, in order. A statement keeps its own: loops around it ask again."""
    known = getattr(node, "stored_names", None)
    if known is None:
        known = find_stored(node)
        if isinstance(node, ast.stmt):
            node.stored_names = known
    return known


def find_stored(node):
    kind = type(node)
    if kind is ast.Name:
        return [(node.id, False)] if isinstance(node.ctx, ast.Store) else []
    if kind in (ast.Constant, ast.FunctionDef, ast.Lambda):
        return []
    if kind in (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp):  # their targets are local
        return [entry for n in ast.walk(node) if isinstance(n, ast.NamedExpr) for entry in stored(n.target)]
    out = [(node.name, False)] if kind is ast.MatchAs and node.name else []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, ast.AST):
            out += stored(value) if field != "ctx" else ()
        elif isinstance(value, list):
            for child in value:
                out += stored(child) if isinstance(child, ast.AST) else ()
    return [(name, True) for name, _ in out] if kind is ast.AugAssign else out


def similar(name, names):
    """The public name that was probably meant, or None."""
    import difflib

    found = difflib.get_close_matches(name, [n for n in names if not n.startswith("_")], 1)
    return found[0] if found else None
