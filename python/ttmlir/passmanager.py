"""Pass managers: `PassManager.parse("builtin.module(cse)").run(module.operation)`.

`add` also accepts functions of (operation, pass), which run in order with the other passes.
"""

import enum
import os

from ttmlir import ir as _ir
from ttmlir._native import native as _native

PassManager = _native.PassManager


class PassDisplayMode(enum.Enum):
    LIST = 0
    PIPELINE = 1


class ExternalPass:
    """Passed to a pass written in Python with each operation."""

    def __init__(self):
        self._failed = False

    def signal_pass_failure(self):
        self._failed = True


def _run_function(op, entry):
    """Calls a pass for the operation, or for the nested ones that it is anchored on; False if it failed."""
    function, _, anchor = entry
    passed = ExternalPass()
    if not anchor or anchor in ("any", op.name):
        function(op, passed)
        return not passed._failed
    inside = []
    op.walk(lambda one: inside.append(one) if one.name == anchor else None, _ir.WalkOrder.PRE_ORDER)
    for one in inside:
        if one.attached:
            function(one, passed)
        if passed._failed:
            return False
    return True


def _joined(anchor, parts):
    """The pipeline text of a manager from its elements' texts, each of which may be in the anchor's brackets."""
    inside = []
    for part in parts:
        outer = "builtin.module(" if anchor == "any" else f"{anchor}("
        if part.startswith(outer) and part.endswith(")"):
            part = part[len(outer):-1]
        inside.append(part)
    return f"{anchor}({','.join(part for part in inside if part)})"


def _write_dumps(directory, text):
    """Writes each dump of a run to a file of its own, numbered and named after its pass."""
    os.makedirs(directory, exist_ok=True)
    number = len(os.listdir(directory))
    for part in text.split("// -----// IR Dump ")[1:]:
        title, _, _ = part.partition("//----- //")
        inside = title[title.find("(") + 1:title.rfind(")")] if "(" in title else title.strip()
        name = f"{number}_{inside.replace('/', '_').strip()}.mlir"
        with open(os.path.join(directory, name), "w") as file:
            file.write("// -----// IR Dump " + part)
        number += 1
