#!/usr/bin/env python3
"""Checks that nothing of a fixed capacity loses elements silently.

Four kinds of places need a row in capacities.tsv, each with a rule and its reason:

condition   a loop or branch that stops adding at a capacity: `for (...; i < n && out->n < MAX_X; ...)`, `if (list->n < MAX_X)`
constant    an enum constant or macro that bounds an array, or whose name says MAX, CAPACITY, LIMIT, MOST or FEW
array       a member or variable of at least 8 elements with a literal bound: `ir_value *parts[64]`
text        a string that snprintf or vsnprintf writes into an array: `snprintf(name)`

The rules:

error    more is an error that names the capacity, or that something exceeds it: the reason says where
rows     the tables of this library bound it: attributes, operands or parameters of one row, names in them
caller   the caller, or a check before, bounds it: the reason names it
fixed    hardware, a format, the language or the algorithm fixes it: tiles of 32x32, bits of an integer, lanes of a vector
grows    up to the capacity nothing is allocated, more is
search   what is left out is a candidate or a kept result: a result is less optimized or computed again, never another one
shown    what is left out is not shown, and the text says so or ends there

A place without a row, and a row without its place, fail. capacities.py --list prints the places, --totals their number by kind and rule."""

import re
import sys
from collections import Counter
from pathlib import Path

root = Path(__file__).resolve().parent.parent
RULES = ("error", "rows", "caller", "fixed", "grows", "search", "shown")
FOLDERS = ("src", "optional", "bindings", "tools", "python")
# A counter below a capacity: `n < MAX_X`, `list->n_items < TW_COUNT(list->items)`.
BELOW = re.compile(r"(?:\*?[\w.>\-]*\b(?:n|count|used)|\bn_\w+|[\w.>\-]*(?:->|\.)n_\w+|\*n) < (?:\(\w+\))?(?:[A-Z][A-Z0-9_]{2,}\b|TW_COUNT\([^()]*\))")
HEAD = re.compile(r"\b(for|while|if) \(")
NAMED = re.compile(r"(^|_)(MAX|CAPACITY|LIMIT|MOST|FEW)(_|$)")
DECLARATION = re.compile(r"^[ \t]*((?:static |const |extern |_Thread_local |_Atomic |struct |enum |union |unsigned )*[A-Za-z_]\w*)[ \t*]+(?:const )?"
                         r"([^;={}()]*\[[^;={}]*\][^;={}()]*)(;| = )", re.M)
LEAST = 8  # elements of an array with a literal bound; fewer are the pair, triple or quadruple that the code names one by one


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)


def closing(text, at):
    """The index behind the parenthesis that closes the one before `at`."""
    depth = 1
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def heads(text):
    """The conditions of loops and branches, each on one line."""
    text = re.sub(r"'(?:\\.|[^\\'\n])'|\"(?:\\.|[^\\\"\n])*\"", "0", text)
    for found in HEAD.finditer(text):
        inside = " ".join(text[found.end():closing(text, found.end()) - 1].split())
        yield (inside.split("; ")[1] if found[1] == "for" and inside.count("; ") == 2 else inside), found[1]


def conditions(files):
    for path, text in files:
        for condition, kind in heads(text):
            below = BELOW.search(condition)
            # The bound of an ordinary loop over a table is not a capacity of what it fills.
            if below and not (kind == "for" and below[0] == condition):
                yield path, condition


def declared(text):
    """Type, name and bounds of declared arrays, and whether they are initialized."""
    for found in DECLARATION.finditer(text):
        if not found[0].strip().startswith(("return", "else", "case", "goto")):
            for one in re.finditer(r"([A-Za-z_]\w*)((?:\[[^\]]*\])+)", found[2]):
                yield found[1], one[1], one[2], found[3] != ";"


def constants_and_arrays(files):
    defined, bounds, arrays = [], set(), []
    for path, raw in files:
        text = without_comments(raw)
        for block in re.finditer(r"\benum(?: \w+)? \{([^}]*)\}", text):
            defined += [(path, name) for name in re.findall(r"\b([A-Z][A-Z0-9_]+)\s*=", block[1])]
        defined += [(path, name) for name in re.findall(r"^#\s*define\s+([A-Z][A-Z0-9_]+)[ \t]+\(?[0-9(A-Z\\]", text, re.M)]
        for kind, name, bound, initialized in declared(text):
            bounds |= set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", bound))
            sizes = [int(size) for size in re.findall(r"\[(\d+)", bound)]
            if sizes and max(sizes) >= LEAST and not initialized and "char" not in kind:
                arrays.append((path, name + bound))
    return [each for each in defined if each[1] in bounds or NAMED.search(each[1])] + arrays


def texts(files):
    for path, raw in files:
        text = without_comments(raw)
        for found in re.finditer(r"\b(v?snprintf)\(", text):
            call = " ".join(text[found.end():closing(text, found.end()) - 1].split())
            target = call.split(",")[0]
            formats = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', call))
            if target != "NULL" and (found[1] == "vsnprintf" or re.search(r"%[-0-9.*]*s", formats)):
                yield path, f"{found[1]}({target})"


def places():
    files = [(str(p.relative_to(root)), p.read_text()) for folder in FOLDERS for p in sorted((root / folder).rglob("*.[ch]"))]
    found = {}
    for kind, some in (("condition", conditions(files)), ("constant or array", constants_and_arrays(files)), ("text", texts(files))):
        for each in some:
            found.setdefault(each, kind)
    return found


def main():
    found = places()
    if sys.argv[1:] == ["--list"]:
        print("\n".join("\t".join((*each, found[each])) for each in sorted(found)))
        return 0
    rows, wrong = {}, []
    for number, line in enumerate((root / "tests/capacities.tsv").read_text().splitlines(), 1):
        path, place, rule, reason = (line.split("\t") + ["", "", ""])[:4]
        if (path, place) in rows:
            wrong.append(f"tests/capacities.tsv:{number}: a second row for `{place}` of {path}")
        rows[path, place] = number, rule
        if rule not in RULES or not reason:
            wrong.append(f"tests/capacities.tsv:{number}: the rule is one of {', '.join(RULES)}, and the reason follows")
    wrong += [f"{path}: `{place}` ({kind}): what exceeds it must not be lost: let it grow, report an error, or add a row to tests/capacities.tsv"
              for (path, place), kind in found.items() if (path, place) not in rows]
    wrong += [f"tests/capacities.tsv:{number}: {key[0]} has no `{key[1]}`" for key, (number, _) in rows.items() if key not in found]
    if sys.argv[1:] == ["--totals"]:
        for (kind, rule), count in sorted(Counter((found[key], rows[key][1]) for key in found if key in rows).items()):
            print(f"{count:5} {kind:18} {rule}")
    print("\n".join(wrong) or f"{len(rows)} places with a fixed capacity, each with its rule")
    return bool(wrong)


sys.exit(main())
