#!/usr/bin/env python3
"""Prints docs/one-operation.md: examples/one_operation.py with its comments as text and its code as blocks."""

from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "examples" / "one_operation.py"


def page(source):
    """The page of a file: runs of lines that begin with # at the margin are text."""
    out, code = [], []

    def flush():
        text = "\n".join(code).strip("\n")
        if text:
            out.extend(["```python", text.replace("  # noqa: E402", ""), "```"])
        code.clear()

    for line in source.splitlines():
        if line.startswith("#"):
            flush()
            out.append(line[2:] if line.startswith("# ") else line[1:])
        else:
            code.append(line)
    flush()
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    print(page(SOURCE.read_text()), end="")
