"""Builds IR: one operation at a time, each with its location in the Python source.

Values and blocks are numbers of the kernel's module (tilewright._core.Module), types are texts that the module parses
once, and so are attributes that are neither numbers nor names of units."""

OUTER = 2  # the depth of a function's own operations


class Writer:
    """The body of one function. Nested regions are filled first, and put into the operation that has them by the code that
    began them."""

    def __init__(self, module):
        self.module = module
        self.head = module.block()  # constants and buffers, before everything else
        self.block = module.block()  # where operations go
        self.depth = OUTER
        self._constants = {}

    def fresh(self):
        """A value that an operation will define."""
        return self.module.reserve()

    def op(self, name, operands, result, location, attributes=None):
        """Appends an operation; returns the value of its result, whose type is a text, or () if it has none; None for
        a type that follows from the operands."""
        return self.module.op(self.block, name, operands, result, attributes, location)

    def regions(self, name, operands, results, location, blocks, values=None):
        """Appends an operation with a block in each of its regions; None is an empty region. `values` are those that
        its results define. Returns the first result."""
        return self.module.op(self.block, name, operands, results, None, location, blocks, values)

    def at_head(self, name, operands, result, location, attributes=None):
        return self.module.op(self.head, name, operands, result, attributes, location)

    def behind(self, value, name, operands, location, attributes=None):
        """Adds an operation without results behind the one that defines a value."""
        self.module.op(self.block, name, operands, (), attributes, location, None, None, value)

    def constant(self, value, type, location):
        key = (int(value), type)
        if key not in self._constants:
            make = self.op if self.depth == OUTER else self.at_head  # there it may be used anywhere below
            attribute = bool(value) if type == "i1" else f"{value} : {type}"
            self._constants[key] = make("arith.constant", (), type, location, {"value": attribute})
        return self._constants[key]

    def nested(self):
        """Redirects the operations made inside the `with` to a block of their own, which it yields."""
        return _Nested(self)

    def finish(self, location):
        """The whole body, with its end."""
        self.op("func.return", (), (), location)
        self.module.append(self.head, self.block)
        return self.head


class _Nested:
    def __init__(self, writer):
        self.writer = writer

    def __enter__(self):
        self.outer, self.writer.block = self.writer.block, self.writer.module.block()
        self.writer.depth += 1
        return self.writer.block

    def __exit__(self, *_):
        self.writer.block = self.outer
        self.writer.depth -= 1


def string(text):
    """A text as a string attribute; parts of file names may be no UTF-8."""
    return text.encode("utf-8", "surrogateescape")
