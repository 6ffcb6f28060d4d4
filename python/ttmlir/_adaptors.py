"""Adaptors: operands and attributes of an operation under the names of its row.

Conversions pass them to patterns, with converted operands."""

from ttmlir._native import native as _native


class OpAdaptor:
    """OpAdaptor(operands, attributes or operation)"""

    def __init__(self, operands, attributes):
        self._operands = list(operands)
        if not all(isinstance(value, _native.Value) for value in self._operands):
            raise TypeError("an adaptor's operands are values")
        if not isinstance(attributes, _native.OpAttributeMap):
            attributes = attributes.operation.attributes
        self._attributes = attributes

    @property
    def operands(self):
        return self._operands

    @property
    def attributes(self):
        return self._attributes


ONE, OPTIONAL = 0, 1


def _group(adaptor, index, arities):
    """The operands of a group: by the operation's segment sizes, else all variadic groups have the same size."""
    operands, arity = adaptor.operands, arities[index]
    if "operandSegmentSizes" in adaptor.attributes:
        sizes = list(adaptor.attributes["operandSegmentSizes"])
        start, count = sum(sizes[:index]), sizes[index]
    else:
        plain = sum(a == ONE for a in arities)
        each = (len(operands) - plain) // max(len(arities) - plain, 1)
        start = sum(1 if a == ONE else each for a in arities[:index])
        count = 1 if arity == ONE else each
    found = operands[start:start + count]
    if arity == OPTIONAL:
        return found[0] if found else None
    return found if arity != ONE else found[0]


def _attribute(name, storage):
    if storage == "UnitAttr":
        return property(lambda self: name in self.attributes)
    return property(lambda self: self.attributes[name] if name in self.attributes else None)


def make(cls, row, safe):
    """The adaptor's class of an operation's class, from its row."""
    full, operands, attributes = row[:3]
    body = {"OPERATION_NAME": full, "__module__": cls.__module__}
    arities = [arity for _, arity in operands]
    for index, (name, _) in enumerate(operands):
        if name:
            body[safe(name)] = property(lambda self, index=index: _group(self, index, arities))
    for name, _, _, storage in attributes:
        body.setdefault(safe(name), _attribute(name, storage))
    return type(f"{cls.__name__}Adaptor", (OpAdaptor,), body)


_rows = {}  # operation: (row, how names become members)
_made = {}  # class of an operation: its adaptor's class


def declare(row, safe):
    """Makes the row's adaptor available as `XOp.Adaptor`."""
    _rows[row[0]] = row, safe


class _AdaptorOf:
    """`XOp.Adaptor`: created on first access; a member of the common base class, so that dir() of a class shows its row only."""

    def __get__(self, instance, owner):
        made = _made.get(owner)
        if made is None:
            row = _rows.get(getattr(owner, "OPERATION_NAME", None))
            if row is None:
                raise AttributeError(f"'{owner.__name__}' has no adaptor")
            made = _made[owner] = make(owner, *row)
        return made


_native.OpView.Adaptor = _AdaptorOf()


def register_op_adaptor(op_class, *, replace=False):
    """A class decorator: makes the class the adaptor of that operation's class."""

    def decorate(cls):
        if hasattr(op_class, "Adaptor") and not replace:
            raise RuntimeError(f"Operation adaptor of '{op_class.OPERATION_NAME}' is already registered.")
        op_class.Adaptor = cls
        return cls

    return decorate
