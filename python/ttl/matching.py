"""Lowers `match` to the equivalent `if` and `elif`: patterns of values, `|`, names and `_`, with guards."""

import ast
import functools

SUBJECT = ".subject"  # an invalid Python name: the subject


class Unsupported(Exception):
    """An unsupported pattern; `node` is it."""

    def __init__(self, node):
        super().__init__("patterns in threads are values, '|' of them, names and '_'")
        self.node = node


def as_branches(node):
    """The ast.If for an ast.Match whose subject is named SUBJECT; statements alone where the first case matches
    everything."""
    statements = []
    for case in reversed(node.cases):
        test = _test(case.pattern)
        if case.guard is not None:
            test = _at(case.guard, ast.BoolOp(ast.And(), [test, case.guard]))
        statements = [_at(case.pattern, ast.If(test, case.body, statements))]
    return statements[0]


def _at(node, made):
    return ast.fix_missing_locations(ast.copy_location(made, node))


def _subject():
    return ast.Name(SUBJECT, ast.Load())


def _test(pattern):
    """The expression that tests whether the subject matches; names are assigned in it."""
    make = functools.partial(_at, pattern)
    if isinstance(pattern, ast.MatchValue):
        return make(ast.Compare(_subject(), [ast.Eq()], [pattern.value]))
    if isinstance(pattern, ast.MatchSingleton):
        return make(ast.Compare(_subject(), [ast.Is()], [ast.Constant(pattern.value)]))
    if isinstance(pattern, ast.MatchOr):
        return make(ast.BoolOp(ast.Or(), [_test(p) for p in pattern.patterns]))
    if isinstance(pattern, ast.MatchAs):
        parts = [_test(pattern.pattern)] if pattern.pattern else []
        if pattern.name:  # `is` gives True, whatever the value
            named = ast.NamedExpr(ast.Name(pattern.name, ast.Store()), _subject())
            parts.append(ast.Compare(named, [ast.Is()], [_subject()]))
        parts = parts or [ast.Constant(True)]
        return make(ast.BoolOp(ast.And(), parts) if len(parts) > 1 else parts[0])
    raise Unsupported(pattern)
