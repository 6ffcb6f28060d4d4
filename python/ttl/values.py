"""Compile-time values of names in a thread, besides plain Python objects.

A Python object (an int, a tensor, a buffer, a function) is static: it is known at compile time. Runtime values are
instances of the classes here.
"""

import dataclasses
import types


class Value:
    """A value known only at run time."""


@dataclasses.dataclass(frozen=True)
class Scalar(Value):
    """An integer ("index") or a boolean ("i1")."""

    name: str
    type: str = "index"
    natural: bool = False  # never negative
    upper: int = None  # upper bound, if known

    def describe(self):
        return "an integer" if self.type == "index" else "a boolean"


class Tiles(Value):
    """A block, or an expression of blocks. `shape` in (rows, columns) of tiles; None: that of the other operand or of
    the destination. `rank` is the number of dimensions for indexing."""

    shape = element = location = None
    rank = 2
    rows = None  # the shape in elements where blocks are stored in rows

    def describe(self):
        if self.rows:
            return f"a block of {self.rows} numbers {self.element}"
        shape = "of any shape" if self.shape is None else f"{self.shape} {self.element}"
        return f"a block {shape}"


class Block(Tiles):
    """The result of wait() or reserve(), until it is popped or pushed."""

    def __init__(self, buffer, name, taken, location, kind=None):
        self.buffer, self.written, self.taken, self.location = buffer, name, taken, location
        self.shape, self.element, self.rank = buffer.seen_by(kind)[0], buffer.element, len(buffer.shape)
        self.rows = buffer.shape if buffer.rows else None
        self.ended = None  # location of its pop or push
        self.ended_at = 0  # number of expressions at that point
        self.filled = taken == "wait"  # true once anything was stored or copied into it
        self.stored = None  # location of a store that did not add
        self.stores = []  # enclosing regions of each store so far
        self.region = ()  # enclosing region of the block itself
        self.renamed = None  # location where its name was rebound, and the name
        self.arriving = None  # location of a copy into it that was not waited for
        self.ways = [self]  # with the blocks that other branches of an `if` have begun instead
        self.maybe = False  # begun in an `if` that is over, and not in all of its branches

    @property
    def name(self):
        """The SSA value. That of a block which both branches of an `if` have begun is written where it is used."""
        if not callable(self.written):
            return self.written
        return self.written()

    @property
    def release(self):
        """The name of the method that releases it."""
        return "pop" if self.taken == "wait" else "push"


class Expression(Tiles):
    """An operation on blocks, emitted when it is stored."""

    def __init__(self, op, operands, shape, element, location, attribute=None):
        self.op, self.operands, self.shape, self.element = op, operands, shape, element
        self.location, self.attribute = location, attribute
        self.number = None  # in the order of evaluation
        self.rank = max((o.rank for o in operands), default=2)
        self.rows = next((o.rows for o in operands if o.rows), None)

    def of(self, operands):
        """The same operation on other operands."""
        return Expression(self.op, operands, self.shape, self.element, self.location, self.attribute)


class Slice(Value):
    """tensor[rows, columns]: the first tile of each dimension, and the extent where it is known. `shard`: for a
    shard, its rows and columns of tiles and the number of shards per row."""

    def __init__(self, tensor, starts, extents, ranged, location, shard=None):
        self.tensor, self.starts, self.extents, self.ranged, self.location = tensor, starts, extents, ranged, location
        self.shard = shard

    def describe(self):
        return "a part of a tensor"


class Handle(Value):
    """The result of copy()."""

    def __init__(self, name, kind, location, into=None):
        self.name, self.kind, self.location = name, kind, location
        self.into = into  # destination block of the copy
        if into:
            into.arriving, into.filled = location, True

    def describe(self):
        return "a transfer handle"


class Text(Value):
    """An f-string: pieces of text and Scalars."""

    def __init__(self, parts):
        self.parts = parts

    def describe(self):
        return "a text"


class Lost(Value):
    """A name whose value depends on the path that the program took."""

    def __init__(self, why):
        self.why = why

    def describe(self):
        return "no value"


class Method(Value):
    """value.name, about to be called."""

    def __init__(self, value, name):
        self.value, self.name = value, name

    def describe(self):
        return f"the method {self.name}"


class Local(Value):
    """A function defined inside a thread. Python's own functions may call it, as sorted() does with its key."""

    def __init__(self, compiler, node, scope, source):
        self.compiler, self.node, self.scope, self.source = compiler, node, scope, source

    def __call__(self, *args, **kwargs):
        return self.compiler.call(self.node, self, list(args), kwargs)

    def describe(self):
        return "a function"


def describe(value):
    if isinstance(value, Value):
        return value.describe()
    if isinstance(value, (int, float, str, bool, type(None))):
        return repr(value)
    return a_kind(value)


def a_kind(value):
    """"a list", "an int" """
    name = type(value).__name__
    return f"a{'n' * (name[0] in 'aeiouAEIOU')} {name}"


_PLAIN = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def has_value(x, depth=4):
    """True if an object is a runtime value or contains one."""
    if isinstance(x, Value):
        return True
    if depth == 0 or isinstance(x, _PLAIN):
        return False
    if isinstance(x, slice):
        x = x.start, x.stop, x.step
    elif isinstance(x, dict):
        x = x.values()
    elif not isinstance(x, (list, tuple, set, frozenset)):
        x = getattr(x, "__dict__", {}).values()
    return any(has_value(part, depth - 1) for part in x)


def same(a, b):
    if a is b:
        return True
    simple = (int, float, str, bool, type(None), Scalar)
    return isinstance(a, simple) and type(a) is type(b) and a == b
