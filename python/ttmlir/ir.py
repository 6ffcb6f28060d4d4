"""MLIR-compatible IR: contexts, modules, operations, types, attributes.

The classes are those of the extension module; this module has the parts that need no speed: enums, current context
and location, locations' classes, attributes from plain values.
"""

import enum
import importlib
from types import SimpleNamespace

try:
    import numpy as np  # star imports of this module expect it
except ImportError:  # constants then use other buffers
    pass

from ttmlir import _attr_builders, _casters, _dialects, _inference, _interfaces, _surface, _tracebacks
from ttmlir._adaptors import OpAdaptor
from ttmlir._native import native as _native

globals().update({name: value for name, value in vars(_native).items() if isinstance(value, type)
                  and not (name.startswith("_") and name != "_OperationBase")})


class MLIRError(Exception):
    """A failed call; `error_diagnostics` are the errors that the compiler reported."""

    def __init__(self, message, error_diagnostics=()):
        self.message = message
        self.error_diagnostics = list(error_diagnostics)
        super().__init__(message, self.error_diagnostics)

    def __str__(self):
        lines = [f"{self.message}:" if self.error_diagnostics else self.message]
        for error in self.error_diagnostics:
            lines.append(f"error: {_place(error.location)}: {error.message}")
            lines += [f" note: {_place(note.location)}: {note.message}" for note in error.notes]
        return "\n".join(lines)


def _place(location):
    text = str(location)
    return text[4:-1] if text.startswith("loc(") else text


class DiagnosticInfo:
    """The contents of a diagnostic, valid after its handler has returned."""

    __slots__ = ("severity", "location", "message", "notes")

    def __init__(self, diagnostic):
        self.severity, self.location = diagnostic.severity, diagnostic.location
        self.message = diagnostic.message
        self.notes = [DiagnosticInfo(note) for note in diagnostic.notes]

    def __str__(self):
        return self.message


class DiagnosticSeverity(enum.Enum):
    ERROR = 0
    WARNING = 1
    NOTE = 2
    REMARK = 3


class WalkOrder(enum.Enum):
    PRE_ORDER = 0
    POST_ORDER = 1


class WalkResult(enum.Enum):
    ADVANCE = 0
    INTERRUPT = 1
    SKIP = 2


class NamedAttribute:
    """An attribute with its name."""

    __slots__ = ("name", "attr")

    def __init__(self, name, attr):
        self.name = name
        self.attr = attr

    def __iter__(self):
        return iter((self.name, self.attr))

    def __eq__(self, other):
        return isinstance(other, NamedAttribute) and tuple(self) == tuple(other)

    def __hash__(self):
        return hash((self.name, self.attr))

    def __repr__(self):
        return f"NamedAttribute({self.name}={self.attr})"


_resolved = set()


def _resolve(dialect):
    """Called for a row without a class: imports the dialect's module, which makes them."""
    if dialect in _resolved:
        return
    _resolved.add(dialect)
    name = f"ttmlir.dialects.{dialect}"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in (name, "ttmlir.dialects"):
            raise


_native._hooks(resolve=_resolve, attr_builders=_attr_builders.BUILDERS, error=MLIRError,
               severities=DiagnosticSeverity, walk_results=WalkResult, walk_orders=WalkOrder, named=NamedAttribute,
               inferrers=_inference.FUNCTIONS,
               type_casters=_casters.TYPES, value_casters=_casters.VALUES)


class _Current:
    """`Context.current`: the innermost context of the thread's `with` blocks, or None."""

    def __init__(self, number):
        self.number = number

    def __get__(self, instance, owner):
        return _native._current(self.number)


class _CurrentOrRaise(_Current):
    def __get__(self, instance, owner):
        found = super().__get__(instance, owner)
        if found is None:
            raise ValueError("No current InsertionPoint")
        return found


Context.current = _Current(0)  # noqa: F821
Location.current = _Current(1)  # noqa: F821
InsertionPoint.current = _CurrentOrRaise(2)  # noqa: F821


# ---- locations: one class in C implements all; these are for isinstance and get -----------------


class _LocationClass(type):
    def __getattr__(cls, name):
        return getattr(Location, name)  # noqa: F821

    @property
    def static_typeid(cls):
        return _surface.TypeID(cls._check)

    def __instancecheck__(cls, instance):
        return isinstance(instance, Location) and getattr(instance, cls._check)  # noqa: F821

    def __call__(cls, location):
        if not isinstance(location, cls):
            raise ValueError(f"Cannot cast location to {cls.__name__} (from {location!r})")
        return location


class UnknownLoc(metaclass=_LocationClass):
    _check = "_is_unknown"
    get = staticmethod(Location.unknown)  # noqa: F821


class FileLineColLoc(metaclass=_LocationClass):
    _check = "_is_file"
    get = staticmethod(Location.file)  # noqa: F821


class NameLoc(metaclass=_LocationClass):
    _check = "_is_name"
    get = staticmethod(Location.name)  # noqa: F821


class CallSiteLoc(metaclass=_LocationClass):
    _check = "_is_callsite"
    get = staticmethod(Location.callsite)  # noqa: F821


class FusedLoc(metaclass=_LocationClass):
    _check = "_is_fused"
    get = staticmethod(Location.fused)  # noqa: F821


# ---- small members of the classes of C ------------------------------------------------------------


class _Signedness(enum.Enum):
    SIGNLESS = 0
    SIGNED = 1
    UNSIGNED = 2


def _integer_type_get(width, signedness=_Signedness.SIGNLESS, context=None):
    return getattr(IntegerType, f"get_{signedness.name.lower()}")(width, context)  # noqa: F821


IntegerType.Signedness = _Signedness  # noqa: F821
IntegerType.SIGNLESS, IntegerType.SIGNED, IntegerType.UNSIGNED = _Signedness  # noqa: F821
IntegerType.get = staticmethod(_integer_type_get)  # noqa: F821
IntegerType.signedness = property(  # noqa: F821
    lambda self: _Signedness.SIGNLESS if self.is_signless else
    _Signedness.SIGNED if self.is_signed else _Signedness.UNSIGNED)


class AttrBuilder:
    """The functions that make attributes from plain values, by the name of the declared constraint."""

    @staticmethod
    def contains(attribute_kind):
        return attribute_kind in _attr_builders.BUILDERS

    @staticmethod
    def get(attribute_kind):
        return _attr_builders.BUILDERS[attribute_kind]

    @staticmethod
    def insert(attribute_kind, attr_builder, replace=False, allow_existing=False):
        if attribute_kind in _attr_builders.BUILDERS and not replace:
            if allow_existing:
                return
            raise RuntimeError(f"Attribute builder for '{attribute_kind}' is already registered")
        _attr_builders.BUILDERS[attribute_kind] = lambda value, context=None: attr_builder(value, context=context)


def register_attribute_builder(kind, replace=False, allow_existing=False):
    def decorate(function):
        AttrBuilder.insert(kind, function, replace=replace, allow_existing=allow_existing)
        return function

    return decorate


class SymbolTable:
    """The symbols of an operation that is a symbol table."""

    def __init__(self, operation):
        self._operation = operation.operation
        if not self._operation._is_symbol_table:
            raise TypeError("Operation is not a Symbol Table.")

    def _find(self, name):
        for block in self._operation.regions[0].blocks:
            for op in block.operations:
                symbol = op.attributes.get("sym_name")
                if symbol is not None and symbol.value == name:
                    return op
        return None

    def __getitem__(self, name):
        found = self._find(name)
        if found is None:
            raise KeyError(f"Symbol '{name}' not in the symbol table.")
        return found

    def __contains__(self, name):
        return self._find(name) is not None

    def insert(self, operation):
        """Inserts the operation at the end, renamed if its name is taken; returns the name."""
        name = SymbolTable.get_symbol_name(operation).value
        taken = self._find(name)
        if taken is not None and taken.operation is not operation.operation:
            number = 0
            while self._find(f"{name}_{number}") is not None:
                number += 1
            name = f"{name}_{number}"
            SymbolTable.set_symbol_name(operation, name)
        if not operation.operation.attached:
            block = self._operation.regions[0].blocks[0]
            last = block.operations[-1] if len(block.operations) else None
            terminated = last is not None and last.name in ("func.return", "module.end")
            InsertionPoint(last if terminated else block).insert(operation)  # noqa: F821
        return SymbolTable.get_symbol_name(operation)

    def erase(self, operation):
        operation.operation.erase()

    def __delitem__(self, name):
        self.erase(self[name])

    @staticmethod
    def get_symbol_name(symbol):
        name = symbol.operation.attributes.get("sym_name")
        if name is None:
            raise ValueError("Expected operation to have a symbol name.")
        return name

    @staticmethod
    def set_symbol_name(symbol, name):
        symbol.operation.attributes["sym_name"] = StringAttr.get(name, symbol.operation.context)  # noqa: F821

    @staticmethod
    def get_visibility(symbol):
        found = symbol.operation.attributes.get("sym_visibility")
        if found is None:
            raise ValueError("Expected operation to have a symbol visibility.")
        return found

    @staticmethod
    def set_visibility(symbol, visibility):
        if visibility not in ("public", "private", "nested"):
            raise ValueError("Expected visibility to be 'public', 'private' or 'nested'")
        symbol.operation.attributes["sym_visibility"] = StringAttr.get(  # noqa: F821
            visibility, symbol.operation.context)

    @staticmethod
    def walk_symbol_tables(from_op, all_sym_uses_visible, callback):
        def visit(op):
            if op.opview.operation.regions and op.name in ("builtin.module", "ttcore.device_module",
                                                           "ttcore.cpu_module"):
                callback(op, all_sym_uses_visible)
            return WalkResult.ADVANCE

        from_op.operation.walk(visit)

    @staticmethod
    def replace_all_symbol_uses(old_symbol, new_symbol, from_op):
        def renamed(attribute):
            if isinstance(attribute, FlatSymbolRefAttr) and attribute.value == old_symbol:  # noqa: F821
                return FlatSymbolRefAttr.get(new_symbol, attribute.context)  # noqa: F821
            if isinstance(attribute, SymbolRefAttr) and attribute.value[0] == old_symbol:  # noqa: F821
                return SymbolRefAttr.get([new_symbol, *attribute.value[1:]], attribute.context)  # noqa: F821
            if isinstance(attribute, ArrayAttr):  # noqa: F821
                items = [renamed(item) for item in attribute]
                return ArrayAttr.get(items, attribute.context) if items != list(attribute) else attribute  # noqa: F821
            return attribute

        def visit(op):
            for name, attribute in op.attributes.items():
                new = renamed(attribute)
                if new != attribute:
                    op.attributes[name] = new
            return WalkResult.ADVANCE

        from_op.operation.walk(visit)


def get_ops_of_type(root, op_class=None):
    """All operations in `root` that are of a class."""
    found = []

    def visit(op):
        found.append(op.opview)
        return WalkResult.ADVANCE

    root.operation.walk(visit, op_class=op_class)
    return found


def get_parent_of_type(op, op_class):
    """The nearest parent of `op` that is of a class, or None."""
    parent = op.parent
    while parent is not None and not isinstance(parent.opview, op_class):
        parent = parent.parent
    return parent.opview if parent is not None else None


globals().update(_dialects.complete(SimpleNamespace(**globals()), _resolve))
for _part in (_surface, _casters, _interfaces, _tracebacks):
    globals().update(_part.complete(SimpleNamespace(**globals())))
for _value in list(globals().values()):
    if isinstance(_value, type) and _value.__module__.startswith("ttmlir._"):
        _value.__module__ = "ttmlir.ir"  # the public name of its module
