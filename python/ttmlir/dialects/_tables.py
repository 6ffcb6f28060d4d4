"""Classes of operations, types, attributes and enums, made from the library's rows."""

import enum
import keyword
import sys

from ttmlir import _adaptors, _dialects, ir
from ttmlir._native import native as _ir
from ttmlir.dialects import _names

RESULT, OPERAND, ATTRIBUTE, SUCCESSOR, REGION_COUNT, REGION = range(6)
ONE, OPTIONAL, VARIADIC, NESTED = range(4)
# Names reserved by MLIR's generator.
_TAKEN = {"attributes", "create", "context", "ip", "operands", "print", "get_asm", "loc", "verify", "regions",
          "results", "self", "operation", "DIALECT_NAMESPACE", "OPERATION_NAME", "callable", "issubclass", "type"}


def safe(name):
    """A name that is neither a keyword nor taken by every operation."""
    return name + "_" if keyword.iskeyword(name) or name in _TAKEN else name


def camel(text):
    return "".join(part[:1].upper() + part[1:] for part in text.replace(".", "_").split("_"))


def class_name(full):
    dialect, name = full.split(".", 1)
    rule = _names.RULES.get(dialect, str)
    return _names.CLASSES.get(full) or rule(camel(name)) + "Op"


def function_name(full):
    name = full.split(".", 1)[1].replace(".", "_").replace("-", "_")
    return name + "_" if keyword.iskeyword(name) or name in ("globals", "locals") else name


def result_name(name, index, count):
    return safe(name) if name else "result" if count == 1 else f"_gen_res_{index}"


def _arguments(full, operands, attributes, results, regions, successors, infers):
    """(name, kind, index, keyword only, required) in the order of calls."""
    rows = []
    if not infers:
        rows += [(result_name(name, i, len(results)), RESULT, i, False, arity != OPTIONAL)
                 for i, (name, arity) in enumerate(results)]
    inputs = [(name or f"_gen_arg_{i}", OPERAND, i, arity == OPTIONAL) for i, (name, arity) in enumerate(operands)]
    inputs += [(name, ATTRIBUTE, i, optional) for i, (name, _, optional, _) in enumerate(attributes)]
    order = _names.ORDER.get(full)
    if order:
        order = order.split()
        inputs.sort(key=lambda row: order.index(row[0]) if row[0] in order else len(order))
    rows += [(safe(name), kind, i, optional, not optional) for name, kind, i, optional in inputs]
    rows += [(safe(name or f"_gen_successor_{i}"), SUCCESSOR, i, False, True)
             for i, (name, _) in enumerate(successors)]
    rows += [(f"num_{name}", REGION_COUNT, i, False, True)
             for i, (name, variadic) in enumerate(regions) if variadic]
    return rows


def _op_class(module, row):
    full, operands, attributes, results, regions, successors, infers = row
    arguments = _arguments(full, operands, attributes, results, regions, successors, infers)
    body = {
        "__slots__": (), "__module__": module, "OPERATION_NAME": full,
        "__doc__": f"{full}\n\n({', '.join(a[0] for a in arguments)}, *, "
                   f"{'results=None, ' if infers else ''}loc=None, ip=None)",
        "OPERAND_NAMES": tuple(name for name, _ in operands),
        "ATTRIBUTE_NAMES": tuple(a[0] for a in attributes),
        "RESULT_NAMES": tuple(name for name, _ in results),
        "_ARGUMENTS": tuple(arguments),
        "_ODS_REGIONS": (len(regions), not any(variadic for _, variadic in regions)),
        "_SPEC": _ir._OpSpec(full, [(name, snake(name), *rest) for name, *rest in arguments], infers),
    }
    for kind, names in ((RESULT, [r[0] for r in results]), (OPERAND, [o[0] for o in operands]),
                        (ATTRIBUTE, [a[0] for a in attributes]), (REGION, [r[0] for r in regions]),
                        (SUCCESSOR, [s[0] for s in successors])):
        for index, name in enumerate(names):
            if name:
                accessor = _ir._Accessor(kind, index, f"{full}: {name}")
                body.setdefault(safe(name), accessor)
                body.setdefault(snake(safe(name)), accessor)
    _adaptors.declare(row, safe)
    cls = type(class_name(full), (_ir.OpView,), body)
    _ir._register("op", full, cls)
    return cls


def results_of(op):
    """The return value of an operation's function: its result, its results, or the operation."""
    results = op.operation.results
    count = len(results)
    return results[0] if count == 1 else results if count else op


def _function(full, cls):
    def make(*args, **kwargs):
        return results_of(getattr(sys.modules.get(cls.__module__), cls.__name__, cls)(*args, **kwargs))

    make.__name__ = make.__qualname__ = function_name(full)
    make.__doc__ = cls.__doc__
    make.__module__ = cls.__module__
    return make


# ---- enums -----------------------------------------------------------------------------------------


def _flags(value, texts):
    """The names of the single bits that are set, as in MLIR's classes."""
    set_bits = [text for bit, text in texts.items() if bit and not bit & (bit - 1) and value & bit]
    return ",".join(set_bits) or texts.get(value, str(value))


def _enum_class(module, row, plain=False):
    """Prints its cases as the IR does, or, plain, as Python does: "DataType.Float32"."""
    name, bits, cases, _ = row
    members = [(symbol + "_" if keyword.iskeyword(symbol) else symbol, value) for symbol, value, _ in cases]
    cls = (enum.IntFlag if bits else enum.IntEnum)(name, members, module=module)
    texts = {value: text for _, value, text in cases}
    if plain:
        cls.__str__ = lambda self: f"{name}.{self.name}"
    else:
        cls.__str__ = lambda self: _flags(self.value, texts) if bits else texts.get(self.value, str(self.value))
    return cls


def alias(cls, **names):
    """Adds names to an enum: aliases of the members that exist."""
    for name, member in names.items():
        if member in cls.__members__ and name not in cls.__members__:
            type.__setattr__(cls, name, cls[member])


def rename(cls, **names):
    """Adds names to properties."""
    for name, known in names.items():
        setattr(cls, name, cls.__dict__[known])


def cast_to(cls):
    """Casts a type or attribute to the class; raises for any other."""

    def cast(item):
        if not isinstance(item, cls):
            raise ValueError(f"{item} is no {cls.__name__}")
        return item

    return staticmethod(cast)


# ---- attributes and types ---------------------------------------------------------------------------


def snake(name):
    out = []
    for i, c in enumerate(name):
        if c.isupper() and i and (not name[i - 1].isupper() or (i + 1 < len(name) and name[i + 1].islower())):
            out.append("_")
        out.append(c.lower())
    return "".join(out)


def _getter(index):
    return property(lambda self: _ir._param(self, index))


def _make_get(kind, mnemonic, params):
    """get(context, *parameters), with the context first, last, or left out."""
    names = [snake(p[0]) for p in params]

    def get(*args, context=None, **kwargs):
        args = list(args)
        if args and isinstance(args[0], _ir.Context):
            context = args.pop(0)
        elif kwargs.get("ctx") is not None:
            context = kwargs.pop("ctx")
        elif len(args) == len(names) + 1 and isinstance(args[-1], _ir.Context):
            context = args.pop()
        if len(args) > len(names):
            raise TypeError(f"{mnemonic} takes {len(names)} parameters, {len(args)} were given")
        values = args + [None] * (len(names) - len(args))
        for name, value in kwargs.items():
            if snake(name) not in names[len(args):]:
                raise TypeError(f"{mnemonic} has no parameter '{name}' left")
            values[names.index(snake(name))] = value
        return _ir._make(context, kind, mnemonic, values)

    return staticmethod(get)


def _item_class(module, kind, row, enums):
    mnemonic, cls_name, params, enumeration = row
    base = _ir.Attribute if kind == "attr" else _ir.Type
    body = {"__slots__": (), "__module__": module, "mnemonic": mnemonic,
            ("attr_name" if kind == "attr" else "type_name"): mnemonic,
            "get": _make_get(kind, mnemonic, params), "maybe_downcast": _downcast}
    for i, (name, _, _, _, of) in enumerate(params):
        cls = enums.get(of)
        prop = property(lambda self, i=i, cls=cls: _as_enum(_ir._param(self, i), cls)) if cls else _getter(i)
        body.setdefault(snake(name) if not hasattr(base, snake(name)) else snake(name) + "_", prop)
        if of:
            body.setdefault(snake(name) + "_as_int", _getter(i))
    if enumeration and len(params) == 1:
        body.setdefault(snake(cls_name.removesuffix("Attr")) + "_as_int", _getter(0))
    cls = type(cls_name, (base,), body)
    _ir._register(kind, mnemonic, cls)
    return cls


def _as_enum(value, cls):
    if isinstance(value, list):
        return [_as_enum(item, cls) for item in value]
    return cls(value) if isinstance(value, int) else value


class _Downcast:
    """X.maybe_downcast(attribute): as an X, or None if it is none; x.maybe_downcast(): itself."""

    def __get__(self, instance, owner):
        if instance is not None:
            return lambda: instance
        return lambda attribute: attribute if isinstance(attribute, owner) else None


_downcast = _Downcast()


# ---- modules -------------------------------------------------------------------------------------------


class Namespace:
    """The typed attributes and types of a dialect: `ttnn.ir.LayoutAttr`."""

    def __init__(self, name, members):
        self.__name__ = name
        self.__dict__.update(members)


def _adaptor_finder(space):
    """The `__getattr__` of a module: XOpAdaptor is XOp.Adaptor."""

    def find(name):
        cls = space.get(name.removesuffix("Adaptor")) if name.endswith("OpAdaptor") else None
        if cls is None:
            raise AttributeError(f"module '{space['__name__']}' has no attribute '{name}'")
        return cls.Adaptor

    return find


def fill(space, dialect, enums_from=()):
    """Puts a dialect's classes, functions and enums into a module's namespace."""
    module = space["__name__"]
    space["_Dialect"] = _dialects.make_dialect_class(module, dialect)
    space["__getattr__"] = _adaptor_finder(space)
    enums = {row[0]: _enum_class(module, row) for row in _ir._enums(dialect)}
    plain = {row[0]: _enum_class(module, row, plain=True) for row in _ir._enums(dialect)}
    known = {}
    for other in enums_from:
        known.update(vars(other).get("_PLAIN", {}))
    known.update(plain)
    attrs, types = _ir._params(dialect)
    items = {row[1]: _item_class(module, "attr", row, known) for row in attrs}
    items.update({row[1]: _item_class(module, "type", row, known) for row in types})
    _names.STORAGE.update({row[1]: row[0] for row in attrs if row[3]})
    space["_ENUMS"] = enums
    space["_PLAIN"] = plain
    space["_ITEMS"] = items
    space.update(enums)
    for row in _ir._ops(dialect):
        cls = _op_class(module, row)
        space[cls.__name__] = cls
        space.setdefault(function_name(row[0]), _function(row[0], cls))
    return items


def fill_all(space, dialect, types=True):
    """The same, with attributes and types in the module itself, as in MLIR's own dialects."""
    items = fill(space, dialect)
    if types:
        for name, item in items.items():
            space.setdefault(name, item)


def _text(cls):
    return property(lambda self: str(cls(_ir._param(self, 0))))


def enums_as_texts(space):
    """Values of attributes that wrap enums are texts: ComparisonDirectionAttr.get("LT").value == "LT"."""
    for name, cls in space["_ENUMS"].items():
        if f"{name}Attr" in space["_ITEMS"]:
            space["_ITEMS"][f"{name}Attr"].value = _text(cls)


def register_operation(dialect=None, replace=False):
    """A class decorator: makes the class that of operations named OPERATION_NAME."""

    def decorate(cls):
        _ir._register("op", cls.OPERATION_NAME, cls)
        return cls

    return decorate


_ir._enum_attribute = lambda storage: _names.STORAGE.get(storage)
ir._tables = sys.modules[__name__]
