#!/usr/bin/env python3
"""Checks that no list of a fixed capacity loses elements silently.

A loop or a condition that stops adding at a capacity (`for (...; i < n && out->n < MAX_X; ...)`, `if (list->n < MAX_X)`) needs a row in
capacities.tsv: file, condition, rule and the reason. The rules:

rows     the tables of this library bound the count (attributes and operands of one operation's row)
caller   the caller, or a check before, bounds the count: the reason names it
error    the error follows: the reason names where
search   what is left out is a candidate: a result is less optimized, never another one
shown    what is left out is not shown, and the text says so or ends there

A new condition without a row, and a row without its condition, fail. capacities.py --list prints the conditions."""

import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
RULES = ("rows", "caller", "error", "search", "shown")
FOLDERS = ("src", "optional", "bindings", "tools", "python")
# A counter below a capacity: `n < MAX_X`, `list->n_items < TW_COUNT(list->items)`.
BELOW = re.compile(r"(?:\*?[\w.>\-]*\b(?:n|count|used)|\bn_\w+|[\w.>\-]*(?:->|\.)n_\w+|\*n) < (?:\(\w+\))?(?:[A-Z][A-Z0-9_]{2,}\b|TW_COUNT\([^()]*\))")
HEAD = re.compile(r"\b(for|while|if) \(")


def heads(text):
    """The conditions of loops and branches, each on one line."""
    text = re.sub(r"'(?:\\.|[^\\'\n])'|\"(?:\\.|[^\\\"\n])*\"", "0", text)
    for found in HEAD.finditer(text):
        depth, at = 1, found.end()
        while depth and at < len(text):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        inside = " ".join(text[found.end():at - 1].split())
        yield (inside.split("; ")[1] if found[1] == "for" and inside.count("; ") == 2 else inside), found[1]


def conditions():
    paths = sorted(str(p.relative_to(root)) for folder in FOLDERS for p in (root / folder).rglob("*.[ch]"))
    for path in paths:
        for condition, kind in heads((root / path).read_text()):
            below = BELOW.search(condition)
            # The bound of an ordinary loop over a table is not a capacity of what it fills.
            if below and not (kind == "for" and below[0] == condition):
                yield path, condition


def main():
    found = sorted(set(conditions()))
    if sys.argv[1:] == ["--list"]:
        print("\n".join("\t".join(each) for each in found))
        return 0
    rows, wrong = {}, []
    for number, line in enumerate((root / "tests/capacities.tsv").read_text().splitlines(), 1):
        path, condition, rule, reason = (line.split("\t") + ["", "", ""])[:4]
        rows[path, condition] = number
        if rule not in RULES or not reason:
            wrong.append(f"tests/capacities.tsv:{number}: the rule is one of {', '.join(RULES)}, and the reason follows")
    wrong += [f"{path}: `{condition}` drops what exceeds the capacity: let the list grow, report an error, or add a row to tests/capacities.tsv"
              for path, condition in found if (path, condition) not in rows]
    wrong += [f"tests/capacities.tsv:{number}: {key[0]} has no such condition" for key, number in rows.items() if key not in found]
    print("\n".join(wrong) or f"{len(rows)} conditions with a capacity, each with its rule")
    return bool(wrong)


sys.exit(main())
