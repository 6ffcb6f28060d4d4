"""Dialect conversion: patterns that rewrite a program to operations (and types) that a target declares legal.

A pattern is a function of (op, adaptor, type converter, rewriter); the adaptor's operands have converted types. Where
types differ, a cast is inserted until both sides are converted. A conversion that fails leaves the program's text
unchanged; handles into it are empty then.
"""

import enum

from ttmlir import ir as _ir

_CAST = "builtin.unrealized_conversion_cast"


class DialectConversionFoldingMode(enum.Enum):
    NEVER = 0
    BEFORE_PATTERNS = 1
    AFTER_PATTERNS = 2


class ConversionConfig:
    """`build_materializations` false: remaining casts are kept."""

    def __init__(self):
        self.folding_mode = DialectConversionFoldingMode.BEFORE_PATTERNS
        self.build_materializations = True


class TypeConverter:
    """Functions from a type to its converted type, or None where they do not apply; the last one is tried first."""

    def __init__(self):
        self._conversions = []

    def add_conversion(self, convert):
        if not callable(convert):
            raise TypeError(f"a conversion is a function of a type, not {convert!r}")
        self._conversions.append(convert)

    def convert_type(self, type):
        for convert in reversed(self._conversions):
            found = convert(type)
            if found is not None:
                if not isinstance(found, _ir.Type):
                    raise TypeError(f"a conversion of types gave {found!r}")
                return found
        return None


def _name_of(op):
    name = op if isinstance(op, str) else getattr(op, "OPERATION_NAME", None)
    if not isinstance(name, str):
        raise TypeError(f"expected an operation's class or name, not {op!r}")
    return name


class ConversionTarget:
    """The legality of operations: by operation first, then by dialect; unknown for all others."""

    def __init__(self, context=None):
        self._operations, self._dialects = {}, {}

    def add_legal_op(self, *ops):
        self._operations.update({_name_of(op): True for op in ops})

    def add_illegal_op(self, *ops):
        self._operations.update({_name_of(op): False for op in ops})

    def add_legal_dialect(self, *dialects):
        self._dialects.update({getattr(d, "DIALECT_NAMESPACE", d): True for d in dialects})

    def add_illegal_dialect(self, *dialects):
        self._dialects.update({getattr(d, "DIALECT_NAMESPACE", d): False for d in dialects})

    def _legality(self, name):
        """True, False, or None if unknown."""
        return self._operations.get(name, self._dialects.get(name.split(".")[0]))


class Casts:
    """The casts of one conversion."""

    def __init__(self):
        self._made = []

    def make(self, value, type, ip):
        op = _ir.Operation.create(_CAST, results=[type], operands=[value], loc=value.location, ip=ip)
        self._made.append(op)
        return op.result

    def source(self, value):
        """The value before its cast, or None."""
        op = value.owner if isinstance(value, _ir.OpResult) else None
        return op.operands[0] if op is not None and any(op.operation == cast for cast in self._made) else None

    def resolve(self):
        """Drops casts that cancel out or are unused; returns the remaining ones."""
        changed = True
        while changed:
            changed = False
            for op in list(self._made):
                value = op.operands[0]
                while value is not None and value.type != op.result.type:
                    value = self.source(value)
                if value is not None:
                    op.result.replace_all_uses_with(value)
                if not list(op.result.uses):
                    self._made.remove(op)
                    op.erase()
                    changed = True
        return self._made


class ConversionPatternRewriter:
    """The rewriter passed to patterns; `ip` is before the matched operation."""

    def __init__(self, op, casts):
        self.ip = _ir.InsertionPoint(op)
        self._casts = casts

    def replace_op(self, op, new):
        """`new` is an operation, or the values that replace the results; their types may differ."""
        op = op.operation
        if isinstance(new, (_ir.Operation, _ir.OpView)):
            new = new.operation.results
        values = [new] if isinstance(new, _ir.Value) else list(new)
        if len(values) != len(op.results):
            raise ValueError(f"'{op.name}' has {len(op.results)} results, {len(values)} values are to replace them")
        for result, value in zip(op.results, values):
            if value.type != result.type:
                value = self._casts.make(value, result.type, _ir.InsertionPoint(op))
            result.replace_all_uses_with(value)
        op.erase()

    def erase_op(self, op):
        op.operation.erase()

    def convert_region_types(self, region, type_converter):
        """Converts the types of the arguments of the region's blocks."""
        for block in region.blocks:
            for argument in block.arguments:
                old, new = argument.type, type_converter.convert_type(argument.type)
                if new is None or new == old:
                    continue
                argument.set_type(new)
                cast = self._casts.make(argument, old, _ir.InsertionPoint.at_block_begin(block))
                argument.replace_all_uses_except(cast, cast.owner.operation)


def _converted(op, converter, casts):
    """The operands as their converted types, or None if one has no such type."""
    found = []
    for value in op.operands:
        wanted = converter.convert_type(value.type)
        if wanted is None:
            return None
        source = casts.source(value)
        if source is not None and source.type == wanted:
            value = source
        elif value.type != wanted:
            value = casts.make(value, wanted, _ir.InsertionPoint(op))
        found.append(value)
    return found


def _alive(op):
    try:
        return op.name is not None
    except (RuntimeError, ReferenceError):
        return False


def _convert_one(op, patterns, casts):
    for function, converter in patterns:
        view = op.opview
        if converter is None:
            failed = function(view, ConversionPatternRewriter(op, casts))
        else:
            operands = _converted(op, converter, casts)
            if operands is None:
                continue
            adaptor = getattr(type(view), "Adaptor", _ir.OpAdaptor)(operands, view)
            failed = function(view, adaptor, converter, ConversionPatternRewriter(op, casts))
        if not failed:
            return True
    return False


def _error(what, op, message):
    class Diagnostic:
        severity, location, notes = _ir.DiagnosticSeverity.ERROR, op.location, ()

    Diagnostic.message = message
    return _ir.MLIRError(what, [_ir.DiagnosticInfo(Diagnostic)])


MAX_ROUNDS = 100


def _convert_all(root, target, by_name, casts, full, what):
    done = set()
    for _ in range(MAX_ROUNDS):
        ops = []
        root.walk(lambda op: ops.append(op) or _ir.WalkResult.ADVANCE, _ir.WalkOrder.PRE_ORDER)
        changed = False
        for op in ops:
            if not _alive(op) or op in done or op.name == _CAST:
                continue
            name, legal = op.name, target._legality(op.name)
            if legal or (legal is None and not full and name not in by_name):
                continue
            if op != root and _convert_one(op, by_name.get(name, ()), casts):
                changed = True
            elif legal is False or full:
                marked = " that was explicitly marked illegal" if legal is False else ""
                raise _error(what, op, f"failed to legalize operation '{name}'{marked}: {op}")
            elif _alive(op):
                done.add(op)
        if not changed:
            return
    raise _error(what, root, f"operations are still made that are not legal after {MAX_ROUNDS} iterations")


def _apply(op, target, patterns, config, full):
    root = op.operation
    what = f"{'full' if full else 'partial'} conversion failed"
    config, casts, kept = config or ConversionConfig(), Casts(), root.clone(ip=False)
    try:
        with root.context, root.location:
            _convert_all(root, target, patterns._conversions_by_name(), casts, full, what)
            for cast in casts.resolve() if config.build_materializations else ():
                raise _error(what, cast, f"failed to legalize unresolved materialization from ('{cast.operands[0].type}') "
                                         f"to ('{cast.result.type}') that remained live after conversion")
    except BaseException:
        _restore(root, kept)
        raise
    kept.erase()


def _restore(root, kept):
    """Restores the contents of the copy."""
    for name in list(root.attributes.keys()):
        del root.attributes[name]
    for name, attribute in kept.attributes.items():
        root.attributes[name] = attribute
    for mine, other in zip(root.regions, kept.regions):
        spoilt, good = list(mine.blocks), list(other.blocks)
        for block in spoilt:
            block.append_to(other)
        for block in good:
            block.append_to(mine)
    kept.erase()


def apply_partial_conversion(op, target, set, config=None):
    """Converts operations that have patterns; fails if an illegal one remains."""
    _apply(op, target, set, config, full=False)


def apply_full_conversion(op, target, set, config=None):
    """The same; in addition every remaining operation must be declared legal."""
    _apply(op, target, set, config, full=True)
