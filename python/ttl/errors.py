"""Errors with the source line that caused them."""

import linecache
import os


class TTLangCompileError(Exception):
    """A kernel that cannot be compiled. `source_file`, `line` and `col` (from 1) are its location."""

    def __init__(self, message, source_file=None, line=None, col=None, note=None, label="error"):
        super().__init__(message)
        self.message, self.source_file, self.line, self.col = message, source_file, line, col
        self.note, self.label = note, label

    def format(self):
        """The message with the source line and a caret below it."""
        if self.source_file is None or self.line is None:
            return str(self)
        return snippet(self.label, self.message, self.source_file, self.line, self.col or 1, self.note)

    def shown(self):
        """The same error with format() as its text."""
        error = TTLangCompileError(self.format())
        error.message, error.source_file, error.line = self.message, self.source_file, self.line
        error.col, error.note, error.label = self.col, self.note, self.label
        error.format = lambda: str(error)
        return error


class OnlyInThreads(RuntimeError):
    """A function that is meaningful in threads only was called on the host."""


def snippet(label, message, file, line, col, note=None):
    """
    error: MESSAGE
      --> FILE:LINE:COL
       |
    12 |     the line
       |     ^
       |
    """
    number = str(line)
    gutter = " " * len(number)
    out = [f"{label}: {message}" if label else message, f"  --> {file}:{line}:{col}", f"{gutter} |"]
    text = linecache.getline(file, line).rstrip()
    if text:
        from .source import indentation

        column = max(col - 1 + (indentation(file, line) if label == "error" else 0), len(text) - len(text.lstrip()))
        out += [f"{number} | {text}", f"{gutter} | {' ' * column}^"]
    out.append(f"{gutter} |")
    if note:
        out.append(f"{gutter} = note: {note}")
    return "\n".join(out)


def at_line(file, line):
    """A line as a location: the column where its text begins."""
    text = linecache.getline(file, line)
    return file, line, len(text) - len(text.lstrip()) + 1


def placed(location, label, message):
    """A line about a location, in the device's format."""
    return ":".join(map(str, location)) + f": {label}: {message}"


def quoted(location):
    """The source line of such a location, and a caret."""
    file, line, col = location
    text = linecache.getline(file, line).rstrip("\n")
    return f"\n{text}\n{' ' * (col - 1)}^" if text else ""


# Notes on fixing errors reported by the passes.
NOTES = {"expects transfer handle to be synchronized": "end the copy: ttl.copy(...).wait()",
         "computes with floating-point numbers": "convert the block before: ttl.math.typecast(block, ttnn.float32)",
         "reads integers as signed ones": "convert the block before: ttl.math.typecast(block, ttnn.int32)"}


def from_diagnostics(failure):
    """The exception of the library with its diagnostics as one that shows its first error at the Python line where that is
    known; its `rule` is kept."""
    error = _shown(str(failure))
    error.rule = getattr(failure, "rule", "")
    return error


def _shown(text):
    file, line, col, message = _first_error(text)
    if line is None or not os.path.exists(file):
        return RuntimeError(text)
    message = message.split("' op ", 1)[-1] if message.startswith("'") else message
    note = next((n for part, n in NOTES.items() if part in message), None)
    shown = snippet("error", message, file, line, col, note)
    if os.environ.get("TTLANG_VERBOSE_ERRORS", "0") == "1":
        shown += f"\n\nMLIR diagnostic:\n{text}"
    error = RuntimeError(shown)
    error.diagnostic = file, line, col, message, note
    return error


def _first_error(text):
    for entry in text.splitlines():
        location, found, message = entry.partition(": error: ")
        if not found:
            continue
        parts = location.rsplit(":", 2)
        if len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit():
            return parts[0], int(parts[1]), int(parts[2]), message
    return None, None, None, text
