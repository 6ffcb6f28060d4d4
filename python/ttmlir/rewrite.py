"""Patterns written in Python, applied until nothing changes.

    def to_shift(op, rewriter):
        with rewriter.ip:
            ...
        rewriter.replace_op(op, new)

    patterns = RewritePatternSet()
    patterns.add(arith.MulIOp, to_shift)
    apply_patterns_and_fold_greedily(module, patterns.freeze())

A pattern that does not apply returns something true and must not have changed anything.
"""

import operator

from ttmlir import ir as _ir
from ttmlir.passmanager import PassManager

MOST_ROUNDS = 10  # as MLIR's driver


class PatternRewriter:
    """What a pattern changes the program through; `ip` is in front of the operation that it matched."""

    def __init__(self, op):
        self.ip = _ir.InsertionPoint(op)

    def replace_op(self, op, new):
        """`new` is an operation, or the values that stand for the results."""
        op = op.operation
        if isinstance(new, (_ir.Operation, _ir.OpView)):
            new = new.operation.results
        values = [new] if isinstance(new, _ir.Value) else list(new)
        if len(values) != len(op.results):
            raise ValueError(f"'{op.name}' has {len(op.results)} results, {len(values)} values are to replace them")
        for result, value in zip(op.results, values):
            if result.type != value.type:
                raise ValueError(f"a result of '{op.name}' is '{result.type}' and would be replaced by '{value.type}'")
        for result, value in zip(op.results, values):
            result.replace_all_uses_with(value)
        op.erase()

    def erase_op(self, op):
        op.operation.erase()


class FrozenRewritePatternSet:
    def __init__(self, patterns):
        self._by_name = {}
        for name, function, benefit in sorted(patterns, key=operator.itemgetter(2), reverse=True):
            self._by_name.setdefault(name, []).append(function)


class RewritePatternSet:
    def __init__(self, context=None):
        self._patterns = []

    def add(self, root, function, benefit=1):
        """`root` is an operation's class or name; of several patterns that of the highest benefit is tried first."""
        name = root if isinstance(root, str) else getattr(root, "OPERATION_NAME", None)
        if not isinstance(name, str):
            raise TypeError(f"a pattern's root is an operation's class or name, not {root!r}")
        if not callable(function):
            raise TypeError(f"a pattern is a function of (op, rewriter), not {function!r}")
        if not isinstance(benefit, int) or not 0 <= benefit < 0xFFFF:
            raise ValueError(f"a benefit lies between 0 and 65534, not {benefit!r}")
        self._patterns.append((name, function, benefit))

    def freeze(self):
        return FrozenRewritePatternSet(self._patterns)


def _candidates(root, names):
    found = []

    def visit(op):
        if op.name in names and op != root:
            found.append(op)
        return _ir.WalkResult.ADVANCE

    root.walk(visit, _ir.WalkOrder.PRE_ORDER)
    return found


def _alive(op):
    try:
        return op.name is not None
    except (RuntimeError, ReferenceError):
        return False


def _apply_once(root, by_name):
    changed = False
    for op in _candidates(root, by_name):
        for function in by_name.get(op.name, ()) if _alive(op) else ():
            if not function(op.opview, PatternRewriter(op)):
                changed = True
                break
    return changed


def apply_patterns_and_fold_greedily(module, patterns):
    """Applies the patterns to everything inside, folds, and drops what is not used, until nothing changes.
    Raises RuntimeError if that has no end."""
    root = module.operation
    if isinstance(patterns, RewritePatternSet):
        patterns = patterns.freeze()
    if not isinstance(patterns, FrozenRewritePatternSet):
        raise TypeError(f"expected a set of patterns, not {patterns!r}")
    fold = PassManager.parse("any(canonicalize{enable-patterns=none})", root.context)
    fold.run(root)
    for _ in range(MOST_ROUNDS):
        if not _apply_once(root, patterns._by_name):
            return
        fold.run(root)
    raise RuntimeError("pattern application failed to converge")
