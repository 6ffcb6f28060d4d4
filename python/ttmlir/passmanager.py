"""Pass managers: `PassManager.parse("builtin.module(cse)").run(module.operation)`."""

import os

from ttmlir import ir as _ir  # noqa: F401  (registers the classes)
from ttmlir._native import native as _native

PassManager = _native.PassManager


def _write_dumps(directory, text):
    """Each dump of a run into a file of its own, numbered, named after its pass."""
    os.makedirs(directory, exist_ok=True)
    number = len(os.listdir(directory))
    for part in text.split("// -----// IR Dump ")[1:]:
        title, _, _ = part.partition("//----- //")
        inside = title[title.find("(") + 1:title.rfind(")")] if "(" in title else title.strip()
        name = f"{number}_{inside.replace('/', '_').strip()}.mlir"
        with open(os.path.join(directory, name), "w") as file:
            file.write("// -----// IR Dump " + part)
        number += 1
