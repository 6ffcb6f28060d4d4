#!/usr/bin/env python3
"""Writes the rows of a dialect one by one: families of operations are expanded, and operations are sorted by name, in
which lookup searches them: sort_rows.py ROWS.def OUT CC..., where CC is the compiler's command."""

import re
import subprocess
import sys
from pathlib import Path

KINDS = ("TW_ENUM", "TW_ATTR", "TW_TYPE", "TW_OP")


def expanded(path, compiler):
    """The calls of the row macros in a file, in order, as text."""
    marks = "".join(f"#define {kind}(...) @@{kind}(__VA_ARGS__)@@\n" for kind in KINDS)
    source = Path(path).resolve()
    done = subprocess.run([*compiler, "-E", "-P", "-x", "c", f"-I{source.parents[1]}", "-"], input=f'{marks}#include "{source}"\n',
                          text=True, stdout=subprocess.PIPE, check=True)
    return [row for row in done.stdout.split("@@") if row.startswith(KINDS)]


def main(path, out, *compiler):
    rows = [row.replace("\n", " ") for row in expanded(path, compiler)]
    operations = sorted((row for row in rows if row.startswith("TW_OP")), key=lambda row: re.match(r"TW_OP\((\w+)", row)[1])
    rows = [row for row in rows if not row.startswith("TW_OP")] + operations
    with open(out, "w") as file:
        file.write('#include "ir/rows_begin.h"\n' + "".join(f"{row}\n" for row in rows) + '#include "ir/rows_end.h"\n')


if __name__ == "__main__":
    main(*sys.argv[1:])
