"""Times of a program's operations, written as JSON after each run."""

import json
import os
import tempfile

from tilewright import env


# File -> measurements of the last run of each of this process's programs.
_measured = {}


class Profiled:
    """A program that measures itself and updates the file."""

    def __init__(self, program, path):
        self.program, self.path, self.runs = program, path, 0
        self.programs = _measured.setdefault(path, [])
        self.index = len(self.programs)
        self.programs.append(None)
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
        self.programs[self.index] = {
            "program": self.index,
            "runs": self.runs,
            "total_us": sum(o["duration_us"] for o in operations),
            "operations": operations,
        }
        text = json.dumps(together([p for p in self.programs if p]), indent=1) + "\n"
        try:
            write_whole(self.path, text)
        except OSError as error:
            env.not_written(self.path, f"cannot write the profile {self.path}: {error.strerror}", "profiles")


def together(programs):
    """All operations in the order of their programs; also each program alone where there are several, as for a model
    with graph breaks."""
    whole = {
        "runs": sum(p["runs"] for p in programs),
        "total_us": sum(p["total_us"] for p in programs),
        "operations": [o for p in programs for o in p["operations"]],
    }
    return whole if len(programs) == 1 else {**whole, "programs": programs}


def write_whole(path, text):
    """Replaces the file atomically: readers see the old file or the new one."""
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
