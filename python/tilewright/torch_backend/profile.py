"""Times of a program's operations, written as JSON after each run: those measured on this machine, and those predicted for the
modelled chip (docs/device-time.md). A path that ends in .html gets a page with the graph instead."""

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
        self.device = None
        program.set_profiling(True)

    def set_constant(self, index, tensor):
        self.program.set_constant(index, tensor)

    def run(self, inputs, outputs):
        self.program.run(inputs, outputs)
        self.runs += 1
        if self.path.endswith(".html"):
            self.write_page()
            return
        if self.device is None and hasattr(self.program, "device_time"):
            self.device = self.program.device_time()
        operations = [
            {"name": name.rpartition(".")[2], "operation": name, "duration_us": time / 1000}
            for name, time in self.program.steps()
        ]
        self.programs[self.index] = {
            "program": self.index,
            "runs": self.runs,
            "total_us": sum(o["duration_us"] for o in operations),
            "operations": operations,
            "device": self.device,
        }
        text = json.dumps(together([p for p in self.programs if p]), indent=1) + "\n"
        try:
            write_whole(self.path, text)
        except OSError as error:
            env.not_written(self.path, f"cannot write the profile {self.path}: {error.strerror}", "profiles")

    def write_page(self):
        """The page of a process's first program has the path itself, those of later ones get a number."""
        path = self.path if self.index == 0 else f"{self.path[:-5]}_{self.index + 1}.html"
        try:
            self.program.write_page(path)
        except (OSError, RuntimeError, NotImplementedError, ValueError) as error:
            env.not_written(path, f"cannot write the page {path}: {error}", "profiles")


def together(programs):
    """All operations in the order of their programs; also each program alone where there are several, as for a model
    with graph breaks."""
    whole = {
        "runs": sum(p["runs"] for p in programs),
        "total_us": sum(p["total_us"] for p in programs),
        "operations": [o for p in programs for o in p["operations"]],
        "device": device_of([p["device"] for p in programs if p["device"]]),
    }
    return whole if len(programs) == 1 else {**whole, "programs": programs}


def device_of(times):
    """What the chip would take for all programs: the sums, and operations in the order of their programs."""
    if not times:
        return None
    summed = {key: sum(t[key] for t in times) for key in ("total_us", "cycles", "launches")}
    return {**times[0], **summed, "operations": [o for t in times for o in t["operations"]]}


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
