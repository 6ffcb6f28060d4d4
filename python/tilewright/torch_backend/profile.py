"""Times of a program's operations, written as JSON after each run."""

import json
import os
import tempfile


class Profiled:
    """A program that measures itself and keeps the file up to date."""

    def __init__(self, program, path):
        self.program, self.path, self.runs = program, path, 0
        program.set_profiling(True)

    def set_constant(self, index, tensor):
        self.program.set_constant(index, tensor)

    def run(self, inputs, outputs):
        self.program.run(inputs, outputs)
        self.runs += 1
        operations = [
            {"name": name.rpartition(".")[2], "operation": name, "duration_us": time / 1000}
            for name, time in self.program.steps()
        ]
        total = sum(o["duration_us"] for o in operations)
        write_whole(
            self.path, json.dumps({"runs": self.runs, "total_us": total, "operations": operations}, indent=1) + "\n"
        )


def write_whole(path, text):
    """Readers see the old file or the new one, never a part."""
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".profile")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
