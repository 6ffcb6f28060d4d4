"""Patterns written in Python, applied until nothing changes.

    def to_shift(op, rewriter):
        with rewriter.ip:
            ...
        rewriter.replace_op(op, new)

    patterns = RewritePatternSet()
    patterns.add(arith.MulIOp, to_shift)
    apply_patterns_and_fold_greedily(module, patterns.freeze())

A pattern that does not apply returns something true and must not have changed anything.
Patterns that also change types are conversions: see `_conversion`.
"""

import enum
import operator

from ttmlir import ir as _ir
from ttmlir._conversion import (  # noqa: F401  (part of this module's names)
    ConversionConfig,
    ConversionPatternRewriter,
    ConversionTarget,
    DialectConversionFoldingMode,
    TypeConverter,
    _alive,
    apply_full_conversion,
    apply_partial_conversion,
)
from ttmlir.passmanager import PassManager


class GreedyRewriteStrictness(enum.Enum):
    ANY_OP = 0
    EXISTING_AND_NEW_OPS = 1
    EXISTING_OPS = 2


class GreedySimplifyRegionLevel(enum.Enum):
    DISABLED = 0
    NORMAL = 1
    AGGRESSIVE = 2


class GreedyRewriteConfig:
    """How far `apply_patterns_and_fold_greedily` goes; -1: no limit."""

    def __init__(self):
        self.max_iterations = 10
        self.max_num_rewrites = -1
        self.use_top_down_traversal = True
        self.enable_folding = True
        self.strictness = GreedyRewriteStrictness.ANY_OP
        self.region_simplification_level = GreedySimplifyRegionLevel.AGGRESSIVE
        self.enable_constant_cse = True


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
    def __init__(self, patterns, conversions=()):
        self._by_name, self._conversions = {}, {}
        for name, function, benefit in sorted(patterns, key=operator.itemgetter(2), reverse=True):
            self._by_name.setdefault(name, []).append(function)
        for name, entry, benefit in sorted(conversions, key=operator.itemgetter(2), reverse=True):
            self._conversions.setdefault(name, []).append(entry)

    def _conversions_by_name(self):
        """(function, type converter or None) by the operation's name."""
        found = {name: list(entries) for name, entries in self._conversions.items()}
        for name, functions in self._by_name.items():
            found.setdefault(name, []).extend((function, None) for function in functions)
        return found


class RewritePatternSet:
    def __init__(self, context=None):
        self._patterns, self._conversions = [], []

    def add(self, root, function, benefit=1):
        """`root` is an operation's class or name; of several patterns that of the highest benefit is tried first."""
        self._patterns.append(_pattern(root, function, benefit, "(op, rewriter)"))

    def add_conversion(self, root, fn, type_converter, benefit=1):
        """A pattern of (op, adaptor, type converter, rewriter), for conversions."""
        if not isinstance(type_converter, TypeConverter):
            raise TypeError(f"expected a TypeConverter, not {type_converter!r}")
        name, function, benefit = _pattern(root, fn, benefit, "(op, adaptor, type_converter, rewriter)")
        self._conversions.append((name, (function, type_converter), benefit))

    def freeze(self):
        return FrozenRewritePatternSet(self._patterns, self._conversions)


def _pattern(root, function, benefit, arguments):
    name = root if isinstance(root, str) else getattr(root, "OPERATION_NAME", None)
    if not isinstance(name, str):
        raise TypeError(f"a pattern's root is an operation's class or name, not {root!r}")
    if not callable(function):
        raise TypeError(f"a pattern is a function of {arguments}, not {function!r}")
    if not isinstance(benefit, int) or not 0 <= benefit < 0xFFFF:
        raise ValueError(f"a benefit lies between 0 and 65534, not {benefit!r}")
    return name, function, benefit


def _candidates(root, names):
    found = []

    def visit(op):
        if op.name in names and op != root:
            found.append(op)
        return _ir.WalkResult.ADVANCE

    root.walk(visit, _ir.WalkOrder.PRE_ORDER)
    return found


def _apply_once(root, by_name, ops, most=-1):
    """How many patterns applied, each operation having its turn."""
    changed = 0
    for op in ops:
        for function in by_name.get(op.name, ()) if _alive(op) else ():
            if changed == most:
                return changed
            if not function(op.opview, PatternRewriter(op)):
                changed += 1
                break
    return changed


def _frozen(patterns):
    if isinstance(patterns, RewritePatternSet):
        patterns = patterns.freeze()
    if not isinstance(patterns, FrozenRewritePatternSet):
        raise TypeError(f"expected a set of patterns, not {patterns!r}")
    return patterns


def apply_patterns_and_fold_greedily(module, patterns, config=None):
    """Applies the patterns to everything inside, folds, and drops what is not used, until nothing changes.
    Raises RuntimeError if that has no end."""
    root, by_name, config = module.operation, _frozen(patterns)._by_name, config or GreedyRewriteConfig()
    fold = PassManager.parse("any(canonicalize{enable-patterns=none})", root.context)
    existing = set(_candidates(root, by_name)) if config.strictness is GreedyRewriteStrictness.EXISTING_OPS else None
    rounds = 0
    while rounds != config.max_iterations:
        if config.enable_folding:
            fold.run(root)
        ops = [op for op in _candidates(root, by_name) if existing is None or op in existing]
        if not _apply_once(root, by_name, ops if config.use_top_down_traversal else ops[::-1], config.max_num_rewrites):
            return
        rounds += 1
    raise RuntimeError("pattern application failed to converge")


def walk_and_apply_patterns(op, patterns):
    """Gives each operation inside one turn; what patterns make gets none, and nothing is folded."""
    root, by_name = op.operation, _frozen(patterns)._by_name
    _apply_once(root, by_name, _candidates(root, by_name))
