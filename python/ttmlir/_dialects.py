"""Dialects in Python: `context.dialects["func"]`, classes of dialects, the registry."""

_CLASSES = {}  # namespace: the class of the dialect
_LOAD_ON_CREATE = []


class DialectDescriptor:
    """The name of a dialect that a context has."""

    def __init__(self, namespace):
        self._namespace = namespace

    @property
    def namespace(self):
        return self._namespace

    def __repr__(self):
        return f"<DialectDescriptor {self.namespace}>"


class Dialect:
    """A dialect of a context."""

    def __init__(self, descriptor):
        self._descriptor = descriptor

    @property
    def descriptor(self):
        return self._descriptor

    def __repr__(self):
        cls = type(self)
        return f"<Dialect {self.descriptor.namespace} (class {cls.__module__}.{cls.__qualname__})>"


class Dialects:
    """`context.dialects["func"]`, `context.d.func`."""

    resolve = staticmethod(lambda name: None)  # imports the module that defines the dialect's class

    def __init__(self, context):
        self._context = context

    def __getitem__(self, name):
        if name not in self._context._dialect_names():
            raise IndexError(f"Dialect '{name}' not found")
        if name not in _CLASSES:
            self.resolve(name)
        return _CLASSES.get(name, Dialect)(DialectDescriptor(name))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except IndexError as error:
            raise AttributeError(str(error)) from None


class DialectRegistry:
    """All dialects are registered with every Context; this class exists for scripts that use a registry."""


_REGISTRY = DialectRegistry()


def register_dialect(dialect_class, *, replace=False):
    """A class decorator: makes the class that of the dialect DIALECT_NAMESPACE."""
    name = dialect_class.DIALECT_NAMESPACE
    if name in _CLASSES and not replace:
        raise RuntimeError(f"Dialect namespace '{name}' is already registered.")
    _CLASSES[name] = dialect_class
    return dialect_class


def make_dialect_class(module, name):
    """The class `_Dialect` of a dialect's module."""
    cls = type("_Dialect", (Dialect,), {"DIALECT_NAMESPACE": name, "__module__": module})
    return register_dialect(cls, replace=True)


def accept_registration(context, load=True):
    """No-op: a Context has all dialects from its creation."""
    context.dialects  # raises if it is no Context


def get_dialect_registry():
    return _REGISTRY


def append_load_on_create_dialect(dialect):
    """No-op: a Context has all dialects from its creation."""
    _LOAD_ON_CREATE.append(dialect)


def get_load_on_create_dialects():
    return _LOAD_ON_CREATE


def complete(ir, resolve):
    """The names that the module `ir` exports from here, and the dialect members of its Context."""

    def descriptor(self, dialect_name):
        if dialect_name not in self._dialect_names():
            raise ValueError(f"Dialect '{dialect_name}' not found")
        return DialectDescriptor(dialect_name)

    Dialects.resolve = staticmethod(resolve)
    ir.Context.dialects = property(Dialects)
    ir.Context.d = property(Dialects)
    ir.Context.get_dialect_descriptor = descriptor
    return {"Dialect": Dialect, "DialectDescriptor": DialectDescriptor, "Dialects": Dialects,
            "DialectRegistry": DialectRegistry, "get_dialect_registry": get_dialect_registry,
            "append_load_on_create_dialect": append_load_on_create_dialect,
            "get_load_on_create_dialects": get_load_on_create_dialects}
