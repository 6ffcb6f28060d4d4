"""Queries on Python's syntax tree."""

import ast

from tilewright.source import assigned  # noqa: F401: used from here

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
