"""What lies behind a tensor's edge. Rows and columns up to the next multiple of 32 are zeros on the device, and what a
kernel computes makes other numbers of them; a reduction or product that adds them up gives wrong results. They are
followed through buffers and expressions once all threads are compiled, and reported where they count.

The padding of a dimension is None (there is none), the number that it holds, DATA (made of the tensors' numbers), or
MAYBE (unknown, as after a mask)."""

import warnings

from tilewright import _core

from . import operations
from .errors import snippet
from .values import Block, Expression

DATA, MAYBE = "data", "maybe"
ROWS, COLUMNS = 0, 1
LEAST = -1e30  # maxima do not see what is below


def joined(a, b):
    """What two sources of one buffer leave."""
    return b if a is None or a == b else a if b is None else MAYBE


def number(held):
    return "numbers computed from data" if held == DATA else f"{held:g}"


def computed(name, number, values):
    """The padding of an element-wise operation's result."""
    if all(v is None for v in values):
        return None
    if name == "fill_int":
        return float(number)
    row, values = operations.ROWS[name], values + ([] if number is None else [number])
    if row.padding == "product" and 0.0 in values:
        return 0.0
    if all(isinstance(v, (int, float)) for v in values):
        result = values[0] if name == "typecast" else _core.elementwise_value(name, *values) if len(values) < 3 else None
        return MAYBE if result is None else result
    if MAYBE in values or row.padding in ("mask", "extreme") or row.padding == "product" and None in values:
        return MAYBE
    return DATA


class Flows:
    """What flows into buffers, and where padding would count."""

    def __init__(self):
        self.sources = {}  # buffer: functions that give what (rows, columns) hold
        self.uses = []  # (location, what, operation, operands)
        self.pipes = {}  # pipe: buffers that are sent
        self.state = {}

    def arrives(self, buffer, shape, starts, extents):
        """A part of a tensor is copied into a buffer."""
        shape = (1, *shape) if len(shape) == 1 else shape
        starts, extents = [0, *starts][-2:], [1, *extents][-2:]
        tiles = [-(-d // 32) for d in shape[-2:]]
        edge = tuple(0.0 if d % 32 and not (isinstance(s, int) and e is not None and s + e < n) else None
                     for d, s, e, n in zip(shape[-2:], starts, extents, tiles))
        if edge != (None, None):
            self.sources.setdefault(buffer, []).append(lambda: edge)

    def stored(self, buffer, expression):
        self.sources.setdefault(buffer, []).append(lambda: self.of(expression))

    def piped(self, pipe, buffer, sends):
        if sends:
            self.pipes.setdefault(pipe, []).append(buffer)
        else:
            self.sources.setdefault(buffer, []).extend([lambda: self.all_of(self.pipes.get(pipe, ()))])

    def used(self, location, what, expression, dims=()):
        self.uses.append((location, what, expression.operands[:2], dims))

    def all_of(self, buffers):
        state = (None, None)
        for buffer in buffers:
            state = tuple(map(joined, state, self.state.get(buffer, (None, None))))
        return state

    def of(self, value, done=None):
        """What the padding of a value's rows and columns holds."""
        done = {} if done is None else done  # an expression may read another one many times over
        if value not in done:
            done[value] = self.made_of(value, done)
        return done[value]

    def made_of(self, value, done):
        if isinstance(value, Block):
            return self.state.get(value.buffer, (None, None))
        if not isinstance(value, Expression):
            return None, None
        parts, name = [self.of(o, done) for o in value.operands], value.op.removeprefix("ttl.")
        rows, columns = parts[0] if parts else (None, None)
        if name == "bcast":
            return None if value.attribute in (2, 3) else rows, None if value.attribute in (1, 3) else columns
        if name == "transpose":
            return columns, rows
        if name in ("reduce_sum", "reduce_max"):
            return tuple(None if d is None or i in value.attribute else 0.0 if d == 0 else MAYBE
                         for i, d in enumerate((rows, columns)))
        if name == "matmul":
            return tuple(None if d is None else 0.0 if d == 0 else MAYBE for d in (rows, parts[1][COLUMNS]))
        text = value.attribute if isinstance(value.attribute, str) else ""
        try:
            number = float(text) if text else None
        except ValueError:
            return tuple(None if all(p[i] is None for p in parts) else MAYBE for i in (ROWS, COLUMNS))
        return tuple(computed(name, number, [p[i] for p in parts]) for i in (ROWS, COLUMNS))

    def settle(self):
        for _ in range(2 * len(self.sources) + 1):
            before = dict(self.state)
            for buffer, sources in self.sources.items():
                for source in sources:
                    self.state[buffer] = tuple(map(joined, self.state.get(buffer, (None, None)), source()))
            if before == self.state:
                return

    def tell(self):
        """Warns of each use of padding that changes a result, at its line."""
        if not self.sources or not self.uses:
            return
        self.settle()
        reported = set()
        for location, what, operands, dims in self.uses:
            found = self.counts(what, [self.of(o) for o in operands], dims)
            if found and location not in reported:
                reported.add(location)
                warnings.warn("\n" + snippet("warning", *found[:1], *location, found[1]), RuntimeWarning, stacklevel=6)

    @staticmethod
    def counts(what, states, dims):
        """(message, note) where padding changes what an operation gives."""
        fill = ("give the kernel tensors of whole tiles (multiples of 32), filled with what the operation does not see: {}; "
                "or mask the padding before")
        if what == "matmul":
            a, b = states[0][COLUMNS], states[1][ROWS]
            if MAYBE in (a, b) or a is None and b is None or 0 in (a, b):
                return None
            sides = [f"{number(held)} in the {side}" for held, side in ((a, "left one's columns"), (b, "right one's rows"))
                     if held is not None]
            return (f"this product adds what lies behind its operands' edges, which is {' and '.join(sides)}, not 0",
                    fill.format("0 in one of them"))
        for dim in dims:
            held = states[0][dim]
            if held is None or held == MAYBE:
                continue
            name = ("rows", "columns")[dim]
            if what == "reduce_sum" and held != 0:
                return f"reduce_sum adds {name} behind the tensor's edge, which hold {number(held)}", fill.format("0")
            if what == "reduce_max" and (held == DATA or held > LEAST):
                return (f"reduce_max looks at {name} behind the tensor's edge, which hold {number(held)}",
                        fill.format("-inf, or any number below all others"))
        return None
