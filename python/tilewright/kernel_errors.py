"""Errors of kernels that are compiled from Python functions, with the source line that caused them."""


class SourceError(Exception):
    """A function that cannot be compiled, or a call of it. `file`, `line` and `col` (from 1) are where, `cause` is the
    exception that Python would raise, `hint` says what to do. `source_lines[snippet_line - 1]` is the line."""

    product = "tilewright"

    def __init__(self, msg, *, file=None, line=None, col=None, source_lines=None, snippet_line=None, hint=None, cause=None):
        self.msg, self.file, self.line, self.col, self.hint, self.cause = msg, file, line, col, hint, cause
        self.source_lines = list(source_lines or ())
        self.snippet_line = snippet_line
        super().__init__(self._format())
        self.__cause__ = cause

    def _format(self):
        where = ":".join(str(part) for part in (self.file or "<unknown>", self.line, self.col) if part is not None)
        cause = type(self.cause).__name__ if self.cause is not None else "Error"
        out = [f"{self.product} error at {where}", *self._excerpt(), f"{cause}: {self.msg}"]
        return "\n".join(out + ([f"hint: {self.hint}"] if self.hint else []))

    def _excerpt(self):
        """The line between its neighbours, with a caret below it."""
        at = self.snippet_line
        if at is None or not 0 < at <= len(self.source_lines):
            return
        above = (self.line or at) - at  # lines of the file before the text
        last = min(at + 1, len(self.source_lines))
        width = len(str(last + above))
        for number in range(max(at - 1, 1), last + 1):
            gutter = f"  {'-->' if number == at else '   '} {number + above:>{width}} | "
            yield gutter + self.source_lines[number - 1].rstrip()
            if number == at and self.col is not None:
                yield " " * (len(gutter) + self.col - 1) + "^"


def reason(error):
    """An exception's own text. A KeyError's is its key in quotes."""
    return str(error) or type(error).__name__
