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
    apply_full_conversion,
    apply_partial_conversion,
)
from ttmlir._native import native as _native


class GreedyRewriteStrictness(enum.Enum):
    ANY_OP = 0
    EXISTING_AND_NEW_OPS = 1
    EXISTING_OPS = 2


class GreedySimplifyRegionLevel(enum.Enum):
    DISABLED = 0
    NORMAL = 1
    AGGRESSIVE = 2


class GreedyRewriteConfig:
    """Limits of `apply_patterns_and_fold_greedily`; -1: no limit."""

    def __init__(self):
        self.max_iterations = 10
        self.max_num_rewrites = -1
        self.use_top_down_traversal = False
        self.enable_folding = True
        self.strictness = GreedyRewriteStrictness.ANY_OP
        self.region_simplification_level = GreedySimplifyRegionLevel.AGGRESSIVE
        self.enable_constant_cse = True


class PatternRewriter:
    """The rewriter passed to patterns; `ip` is before the matched operation."""

    def __init__(self, op):
        self.ip = _ir.InsertionPoint(op)

    def replace_op(self, op, new):
        """`new` is an operation, or the values that replace the results."""
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


class PDLResultList:
    """The results of a function called by a pattern: a value, operation, type or attribute for each result; for a
    range a list of them."""

    def __init__(self):
        self._items = []

    def append(self, arg):
        if not isinstance(arg, (_ir.Value, _ir._OperationBase, _ir.Type, _ir.Attribute, list, tuple)):
            raise TypeError(f"expected a Value, an Operation, a Type or an Attribute, not {arg!r}")
        self._items.append(arg)

    def __len__(self):
        return len(self._items)


class PDLModule:
    """Patterns of the pdl dialect, `pdl.pattern` operations of a module, and the functions that they call.

    A function is called as function(rewriter, results, arguments); it fails if it returns something true."""

    def __init__(self, module):
        if not isinstance(module, _ir.Module):
            raise TypeError(f"expected a Module, not {module!r}")
        self._patterns, self._constraints, self._rewrites = _native._compile_pdl(module.operation), {}, {}

    def register_constraint_function(self, name, fn):
        """Constraints must not change the program."""
        self._constraints[_function_name(name, fn)] = fn

    def register_rewrite_function(self, name, fn):
        self._rewrites[_function_name(name, fn)] = fn

    def freeze(self):
        patterns, calls = _native._pdl_contents(self._patterns)
        constraints, rewrites = dict(self._constraints), dict(self._rewrites)
        for name, is_constraint, location in calls:
            if name not in (constraints if is_constraint else rewrites):
                kind = "constraint" if is_constraint else "rewrite"
                raise ValueError(f"{location}: no {kind} function '{name}' is registered: register_{kind}_function()")
        return FrozenRewritePatternSet(
            [(benefit, (root, None, self._patterns, i, constraints, rewrites)) for i, (root, benefit) in enumerate(patterns)])


def _function_name(name, fn):
    if not isinstance(name, str):
        raise TypeError(f"a function's name is a string, not {name!r}")
    if not callable(fn):
        raise TypeError(f"expected a function of (rewriter, results, arguments), not {fn!r}")
    return name


class FrozenRewritePatternSet:
    def __init__(self, patterns, conversions=()):
        """Lists of (benefit, entry for `_apply_patterns`), and (root, entry, benefit)."""
        self._entries = [entry for _, entry in sorted(patterns, key=operator.itemgetter(0), reverse=True)]
        self._conversions = {}
        for name, entry, benefit in sorted(conversions, key=operator.itemgetter(2), reverse=True):
            self._conversions.setdefault(name, []).append(entry)

    def _conversions_by_name(self):
        """(function, type converter or None) by the operation's name."""
        found = {name: list(entries) for name, entries in self._conversions.items()}
        for root, function, *_ in self._entries:
            if function is None:
                raise NotImplementedError("patterns of pdl cannot be part of a dialect conversion")
            found.setdefault(root, []).append((function, None))
        return found


class RewritePatternSet:
    def __init__(self, context=None):
        self._patterns, self._conversions = [], []

    def add(self, root, function, benefit=1):
        """`root` is an operation's class or name; of several patterns the one with the highest benefit is tried
        first."""
        name, function, benefit = _pattern(root, function, benefit, "(op, rewriter)")
        self._patterns.append((benefit, (name, function, None, 0, None, None)))

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


def _frozen(patterns):
    if isinstance(patterns, RewritePatternSet):
        patterns = patterns.freeze()
    if not isinstance(patterns, FrozenRewritePatternSet):
        raise TypeError(f"expected a set of patterns, not {patterns!r}")
    return patterns


def _apply(op, patterns, iterations, rewrites, top_down, fold, existing, regions, cse, dce):
    """True if the last iteration changed nothing."""
    if not isinstance(op, (_ir.Module, _ir._OperationBase)):
        raise TypeError(f"expected a Module or an operation, not {op!r}")
    return _native._apply_patterns(
        op.operation, _frozen(patterns)._entries, PatternRewriter, PDLResultList, iterations, rewrites,
        top_down, fold, existing, regions, cse, dce)  # fmt: skip


def apply_patterns_and_fold_greedily(module, set, config=None):
    """Applies the patterns to all nested operations, folds, and drops unused ones, until nothing changes. Raises
    RuntimeError if that does not converge: after `max_iterations` iterations, each of which may (unless
    `max_num_rewrites` is set) do ten times as many rewrites as there are operations, and 10000 more."""
    config = config or GreedyRewriteConfig()
    existing = config.strictness is GreedyRewriteStrictness.EXISTING_OPS
    regions = config.region_simplification_level is not GreedySimplifyRegionLevel.DISABLED
    if not _apply(module, set, config.max_iterations, config.max_num_rewrites, config.use_top_down_traversal,
                  config.enable_folding, existing, regions, config.enable_constant_cse, True):  # fmt: skip
        raise RuntimeError("pattern application failed to converge")


def walk_and_apply_patterns(op, set):
    """Visits each nested operation once; operations created by patterns are not visited, and nothing is folded."""
    _apply(op, set, 1, -1, True, False, True, False, False, False)
