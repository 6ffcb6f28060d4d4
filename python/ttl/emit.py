"""Writes IR text: one line an operation, each with its place in the Python source."""

OUTER = 2  # the depth of a function's own operations


class Writer:
    """The body of one function. Lines go to `lines`; nested regions are written first and put in
    place by whoever opened them."""

    def __init__(self):
        self.head = []  # constants and buffers, ahead of everything
        self.lines = []
        self.depth = OUTER
        self._count = 0
        self._constants = {}

    def fresh(self):
        self._count += 1
        return f"%{self._count - 1}"

    def line(self, text, place):
        self.lines.append(f"{'  ' * self.depth}{text} {location(place)}")

    def op(self, text, place):
        """An operation with one result, whose name it gives."""
        name = self.fresh()
        self.line(f"{name} = {text}", place)
        return name

    def at_head(self, text, place):
        name = self.fresh()
        self.head.append(f"    {name} = {text} {location(place)}")
        return name

    def constant(self, value, type, place):
        key = (int(value), type)
        if key not in self._constants:
            literal = ("true" if value else "false") if type == "i1" else f"{value} : {type}"
            make = self.op if self.depth == OUTER else self.at_head  # there it may be used anywhere below
            self._constants[key] = make(f"arith.constant {literal}", place)
        return self._constants[key]

    def nested(self):
        """The lines written inside the `with` go to the list that it gives."""
        return _Nested(self)


class _Nested:
    def __init__(self, writer):
        self.writer = writer

    def __enter__(self):
        self.outer, self.writer.lines = self.writer.lines, []
        self.writer.depth += 1
        return self.writer.lines

    def __exit__(self, *_):
        self.writer.lines = self.outer
        self.writer.depth -= 1


def string(text):
    """A text as the IR writes it: whatever is not ASCII by its bytes, also those of file names that are no UTF-8."""
    plain = set(range(32, 127)) - set(b'"\\')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:02X}" for byte in text.encode("utf-8", "surrogateescape")) + '"'


def location(place):
    if place is None:
        return "loc(unknown)"
    file, line, column = place
    return f"loc({string(file)}:{line}:{column})"
