"""Writes IR text: one line per operation, each with its location in the Python source."""

OUTER = 2  # the depth of a function's own operations


class Writer:
    """The body of one function. Lines go to `lines`; nested regions are written first and inserted by the code that
    opened them."""

    def __init__(self):
        self.head = []  # constants and buffers, before everything else
        self.lines = []
        self.depth = OUTER
        self._count = 0
        self._constants = {}

    def fresh(self):
        self._count += 1
        return f"%{self._count - 1}"

    def line(self, text, location):
        self.lines.append(f"{'  ' * self.depth}{text} {loc(location)}")

    def op(self, text, location):
        """Writes an operation with one result; returns the result's name."""
        name = self.fresh()
        self.line(f"{name} = {text}", location)
        return name

    def at_head(self, text, location):
        name = self.fresh()
        self.head.append(f"    {name} = {text} {loc(location)}")
        return name

    def constant(self, value, type, location):
        key = (int(value), type)
        if key not in self._constants:
            literal = ("true" if value else "false") if type == "i1" else f"{value} : {type}"
            make = self.op if self.depth == OUTER else self.at_head  # there it may be used anywhere below
            self._constants[key] = make(f"arith.constant {literal}", location)
        return self._constants[key]

    def nested(self):
        """Redirects the lines written inside the `with` to the list that it yields."""
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
    """A text as an IR string literal: non-ASCII as bytes, including file names that are not UTF-8."""
    plain = set(range(32, 127)) - set(b'"\\')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:02X}" for byte in text.encode("utf-8", "surrogateescape")) + '"'


def loc(location):
    if location is None:
        return "loc(unknown)"
    file, line, column = location
    return f"loc({string(file)}:{line}:{column})"
