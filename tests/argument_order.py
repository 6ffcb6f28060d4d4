#!/usr/bin/env python3
"""Finds calls in C with two arguments that both build an operation.

C does not say which argument is evaluated first, so the order of the operations, and with it the printed module, would depend on the compiler.
A function builds if it returns a value or an operation and takes a builder, or calls such a function. Elements of a list
(`IR_VALUES(...)`) are not counted: compilers evaluate initializers in the order of the list."""

import collections
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "optional", "python", "bindings", "tools")
RESULT = re.compile(r"\bir_(value|op) \*$")
HEAD = re.compile(r"^((?:static |inline |const )*\w+ \*?)(\w+)\(([^;{}]*?)\)(;|\s*\{)", re.M)
CALL = re.compile(r"\b(\w+)\(")


def blanked(text):
    """The text with its comments, strings and characters as blanks."""
    return re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def builders(sources):
    """The names of functions that build: those with external linkage, and file -> its static ones."""
    shared, own, bodies = set(), collections.defaultdict(set), []
    for file, text in sources.items():
        for m in HEAD.finditer(text):
            if RESULT.search(m[1]):
                names = own[file] if "static" in m[1] and file.endswith(".c") else shared
                if "ir_builder *" in m[3]:
                    names.add(m[2])
                elif m[4] != ";":
                    bodies.append((names, m[2], set(CALL.findall(text, m.end(), text.find("\n}", m.end()))), own[file]))
    size = -1
    while size != (size := len(shared) + sum(map(len, own.values()))):
        for names, name, called, nearby in bodies:
            if not called.isdisjoint(shared) or not called.isdisjoint(nearby):
                names.add(name)
    return shared, own


def arguments(text, at):
    """The arguments of a call whose first one begins at `at`."""
    depth, first, found = 0, at, []
    for at in range(at, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}" and depth == 0:
            break
        elif text[at] in ")]}":
            depth -= 1
        elif text[at] == "," and depth == 0:
            found.append(text[first:at])
            first = at + 1
    return found + [text[first:at]]


def main():
    files = [p for folder in FOLDERS for p in sorted((root / folder).rglob("*.[ch]"))]
    sources = {str(p.relative_to(root)): blanked(p.read_text()) for p in files}
    shared, own = builders(sources)
    wrong = []
    for file, text in sources.items():
        names = shared | own[file]
        for m in CALL.finditer(text):
            if not m[1].isupper() and m[1] not in ("if", "while", "for", "switch"):
                building = [a for a in arguments(text, m.end()) if not names.isdisjoint(CALL.findall(a))]
                if len(building) > 1:
                    wrong.append(f"{file}:{text.count(chr(10), 0, m.start()) + 1}: {m[1]}: expected at most one argument that builds an operation, found "
                                 + " and ".join(" ".join(a.split()) for a in building) + "; build the others before the call")
    print("\n".join(wrong) or f"{len(shared) + sum(map(len, own.values()))} functions build; no call has two of them in its arguments")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
