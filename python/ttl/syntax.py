"""Questions about Python's syntax tree."""

import ast

UNSUPPORTED = {
    ast.While: "use 'for' with range()",
    ast.Break: "give range() the right end, or put an 'if' around the rest of the body",
    ast.Try: "what a thread does cannot raise; reports come from the device",
    ast.Delete: None,
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.ClassDef: "define classes outside the kernel",
    ast.Await: "threads wait by themselves; call wait() without 'await'",
}


def statement_name(node):
    return {"AsyncFor": "async for", "AsyncWith": "async with", "ImportFrom": "import", "ClassDef": "class",
            "Delete": "del", "TryStar": "try"}.get(type(node).__name__, type(node).__name__.lower())


def leaves(statements):
    """Whether statements may return or continue a loop around them."""
    for statement in statements:
        if isinstance(statement, (ast.Return, ast.Continue)):
            return True
        if isinstance(statement, (ast.FunctionDef, ast.Lambda)):
            continue
        if isinstance(statement, ast.For):
            if any(isinstance(n, ast.Return) for n in ast.walk(statement)):
                return True
            continue
        for field in ("body", "orelse"):
            if leaves(getattr(statement, field, [])):
                return True
    return False


def assigned(statements):
    """Names that statements give a value, in order; not those of functions defined in them."""
    out = {}

    def visit(node):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            out[node.id] = True
        for child in ast.iter_child_nodes(node):
            visit(child)

    for statement in statements:
        visit(statement)
    return list(out)
