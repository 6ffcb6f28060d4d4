"""Queries on Python's syntax tree."""

import ast

UNSUPPORTED = {
    ast.Try: "what a thread does cannot raise; reports come from the device",
    getattr(ast, "TryStar", ast.Try): "what a thread does cannot raise; reports come from the device",
    ast.YieldFrom: "threads run by themselves; they yield at wait() and reserve()",
    ast.Nonlocal: "threads share nothing but circular buffers and semaphores; pass numbers as names of the kernel's body",
    ast.Yield: "threads run by themselves; they yield at wait() and reserve()",
    ast.ClassDef: "define classes outside the kernel",
    ast.AsyncFunctionDef: "helpers are plain functions; leave out 'async'",
    ast.AsyncFor: "leave out 'async'",
    ast.AsyncWith: "leave out 'async'",
    ast.Await: "threads wait by themselves; call wait() without 'await'",
}


def statement_name(node):
    return {"AsyncFunctionDef": "async def", "AsyncFor": "async for", "AsyncWith": "async with",
            "ClassDef": "class", "TryStar": "try"}.get(type(node).__name__, type(node).__name__.lower())


def expression_name(node):
    """An expression's name in messages: "... not supported"."""
    return {"Yield": "'yield' is", "YieldFrom": "'yield' is", "Await": "'await' is"}.get(
        type(node).__name__, f"{type(node).__name__} expressions are")


def leaves(statements):
    """True if statements may return, or continue or break an enclosing loop."""
    for statement in statements:
        if isinstance(statement, (ast.Return, ast.Continue, ast.Break)):
            return True
        if isinstance(statement, (ast.FunctionDef, ast.Lambda)):
            continue
        if isinstance(statement, (ast.For, ast.While)):
            if any(isinstance(n, ast.Return) for n in ast.walk(statement)):
                return True
            continue
        if any(leaves(getattr(statement, field, [])) for field in ("body", "orelse")):
            return True
        if any(leaves(case.body) for case in getattr(statement, "cases", ())):
            return True
    return False


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
