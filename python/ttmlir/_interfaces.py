"""Traits and interfaces of operations: has_trait, inference of result types from operands."""

from ttmlir import _speculation
from ttmlir._native import native as _native


_ATTACHED = {}  # (trait or interface, operation without a row): the class that was attached


def _operation_name(op_name):
    return op_name if isinstance(op_name, str) else op_name.OPERATION_NAME


def _attach(trait, op_name, target):
    """Only operations without a row can have traits attached."""
    name = _operation_name(op_name)
    if _native._has_row(name):
        raise ValueError(f"Cannot attach {target.__name__} to '{name}': its row says what it has")
    if "." not in name:
        raise ValueError(f"'{name}' is no name of an operation: it lacks its dialect")
    _ATTACHED[trait, name] = target
    return True


class DynamicOpTrait:
    """The base of users' own traits, which may have verify_invariants(op)."""

    _trait = None

    @classmethod
    def attach(cls, op_name, target=None, context=None):
        return _attach(cls._trait or cls, op_name, target or cls)


class IsTerminatorTrait(DynamicOpTrait):
    _trait = "IsTerminator"


class NoTerminatorTrait(DynamicOpTrait):
    _trait = "NoTerminator"


class MemoryEffectInstancesList(list):
    """Filled by getEffects of an attached interface."""


class ShapedTypeComponents:
    """The known parts of a shaped type: its element, its shape if it has a rank, its encoding."""

    __slots__ = ("shape", "element_type", "attribute")

    def __init__(self, shape, element_type, attribute=None):
        self.shape = shape
        self.element_type = element_type
        self.attribute = attribute

    @staticmethod
    def get(*components):
        if len(components) == 1:
            return ShapedTypeComponents(None, *components)
        shape, *rest = components
        return ShapedTypeComponents(list(shape), *rest)

    @property
    def has_rank(self):
        return self.shape is not None

    @property
    def rank(self):
        return len(self.shape) if self.has_rank else None


def _has_trait(cls, trait):
    name = getattr(cls, "OPERATION_NAME", None)
    kind = trait._trait or trait
    return (kind, name) in _ATTACHED or (isinstance(kind, str) and name is not None and _native._has_interface(name, kind))


class _Asked:
    """`x.has_trait(trait)` of an operation, of its view or of a view's class."""

    def __get__(self, instance, owner):
        return lambda trait: _has_trait(owner if instance is None else type(instance.operation.opview), trait)


def _interface(ir, name):
    """The class of an interface; constructed with an operation, or with the class of its views."""

    def init(self, object, context=None):
        known = getattr(object, "operation", None) if not isinstance(object, type) else None
        cls = object if known is None else type(known.opview)
        operation_name = known.name if known is not None else cls.OPERATION_NAME
        if (name, operation_name) not in _ATTACHED and not _native._has_interface(operation_name, name):
            raise ValueError(f"the operation does not implement {name}")
        self._operation, self._name = known, operation_name

    def operation(self):
        if self._operation is None:
            raise TypeError("Cannot get an operation from a static interface")
        return self._operation

    def opview(self):
        if self._operation is None:
            raise TypeError("Cannot get an opview from a static interface")
        return self._operation.opview

    def attach(cls, op_name, *, target=None, context=None):
        _attach(name, op_name, target or cls)

    return type(name, (), {"__module__": "ttmlir.ir", "__init__": init, "operation": property(operation),
                           "opview": property(opview), "attach": classmethod(attach)})


def _inferred(ir, name, operands, attributes, regions, loc):
    """The result types, from a temporary operation."""
    if regions:
        raise ValueError("Failed to infer result types: not known for operations with regions")
    given = {entry.name: entry.attr for entry in attributes} if attributes is not None else {}
    try:
        made = ir.Operation.create(name, operands=list(operands or ()), attributes=given, loc=loc, ip=False, infer_type=True)
    except (ValueError, IndexError, ir.MLIRError) as error:
        raise ValueError("Failed to infer result types") from error
    types = [result.type for result in made.results]
    made.erase()
    return types


def complete(ir):
    """Adds the classes to the module `ir`, and has_trait to its operations."""
    types = _interface(ir, "InferTypeOpInterface")
    shaped = _interface(ir, "InferShapedTypeOpInterface")

    def infer_types(self, operands=None, attributes=None, properties=None, regions=None, context=None, loc=None):
        return _inferred(ir, self._name, operands, attributes, regions, loc)

    def infer_components(self, operands=None, attributes=None, regions=None, properties=None, context=None, loc=None):
        found = []
        for type in _inferred(ir, self._name, operands, attributes, regions, loc):
            ranked = isinstance(type, ir.ShapedType) and type.has_rank
            found.append(ShapedTypeComponents(list(type.shape) if ranked else None, getattr(type, "element_type", type),
                                              getattr(type, "encoding", None)))
        return found

    effects = _interface(ir, "MemoryEffectsOpInterface")
    conditional = _interface(ir, "ConditionallySpeculatable")

    def speculatability(self):
        if self._operation is None:
            raise TypeError("Cannot query speculatability on a static interface")
        attached = _ATTACHED.get(("ConditionallySpeculatable", self._name))
        return attached.getSpeculatability(self.opview) if attached else _speculation.of(ir, self.opview)

    conditional.getSpeculatability = speculatability
    types.inferReturnTypes = infer_types
    shaped.inferReturnTypeComponents = infer_components
    ir._OperationBase.has_trait = _Asked()
    new = (types, shaped, effects, conditional, _speculation.Speculatability, MemoryEffectInstancesList,
           ShapedTypeComponents, DynamicOpTrait, IsTerminatorTrait, NoTerminatorTrait)
    return {cls.__name__: cls for cls in new}
