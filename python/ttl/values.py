"""What names in a thread stand for while it is compiled, besides plain Python objects.

A Python object (an int, a tensor, a buffer, a function) is static: it is known now. What is known
only when the kernel runs is one of these."""

import dataclasses
import types


class Value:
    """Known when the kernel runs."""


@dataclasses.dataclass(frozen=True)
class Scalar(Value):
    """An integer ("index") or a truth value ("i1")."""

    name: str
    type: str = "index"
    natural: bool = False  # never negative
    most: int = None  # never more, where that is known

    def describe(self):
        return "an integer" if self.type == "index" else "a truth value"


class Tiles(Value):
    """A block, or an expression of blocks. `shape` in (rows, columns) of tiles; None: that of whatever it meets.
    `rank` is what its dimensions are counted by."""

    shape = element = place = None
    rank = 2
    rows = None  # the shape in numbers of what lies in rows

    def describe(self):
        if self.rows:
            return f"a block of {self.rows} numbers {self.element}"
        shape = "of any shape" if self.shape is None else f"{self.shape} {self.element}"
        return f"a block {shape}"


class Block(Tiles):
    """What wait() or reserve() gave, until it is popped or pushed."""

    def __init__(self, buffer, name, taken, place, kind=None):
        self.buffer, self.name, self.taken, self.place = buffer, name, taken, place
        self.shape, self.element, self.rank = buffer.seen_by(kind)[0], buffer.element, len(buffer.shape)
        self.rows = buffer.shape if buffer.rows else None
        self.ended = None  # the place of its pop or push
        self.ended_at = 0  # how many expressions there were then
        self.filled = taken == "wait"  # whether anything was stored or copied into it
        self.stored = None  # the place of a store that did not add
        self.stores = []  # the regions around each store so far
        self.region = ()  # and around itself
        self.lines = []  # of the region in which it is written
        self.renamed = None  # the place where its name was given to something else, and the name
        self.arriving = None  # the place of a copy into it that nobody has waited for
        self.ways = [self]  # with the blocks that other ways of an 'if' have begun in its place
        self.maybe = False  # begun in an 'if' that is over, and not in all of its ways

    @property
    def release(self):
        """The name of what gives it back."""
        return "pop" if self.taken == "wait" else "push"


class Expression(Tiles):
    """An operation on blocks, done when it is stored."""

    def __init__(self, op, operands, shape, element, place, attribute=None):
        self.op, self.operands, self.shape, self.element = op, operands, shape, element
        self.place, self.attribute = place, attribute
        self.number = None  # in the order of evaluation
        self.rank = max((o.rank for o in operands), default=2)
        self.rows = next((o.rows for o in operands if o.rows), None)

    def of(self, operands):
        """The same operation of others."""
        return Expression(self.op, operands, self.shape, self.element, self.place, self.attribute)


class Slice(Value):
    """tensor[rows, columns]: the first tile of each dimension, and the extent where it is known. `shard`: its rows and
    columns of tiles and how many stand side by side, if that is what it is."""

    def __init__(self, tensor, starts, extents, ranged, place, shard=None):
        self.tensor, self.starts, self.extents, self.ranged, self.place = tensor, starts, extents, ranged, place
        self.shard = shard

    def describe(self):
        return "a part of a tensor"


class Handle(Value):
    """What copy() gave."""

    def __init__(self, name, kind, place, into=None):
        self.name, self.kind, self.place = name, kind, place
        self.into = into  # the block that the copy writes
        if into:
            into.arriving, into.filled = place, True

    def describe(self):
        return "a transfer handle"


class Text(Value):
    """An f-string: pieces of text and Scalars."""

    def __init__(self, parts):
        self.parts = parts

    def describe(self):
        return "a text"


class Lost(Value):
    """A name whose value depends on the way the program took to get here."""

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
    """A function defined inside a thread. Python's own functions may call it, as sorted() does its key."""

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
    """Whether something holds what is known only when the kernel runs, itself or in what it consists of."""
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
