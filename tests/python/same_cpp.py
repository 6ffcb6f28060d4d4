"""A pytest plugin: every launch of TTKernel runs again as the C++ that is emitted for it, which must leave the same
bits and the same reports (but for locations and cycles). Slow, since every kernel is compiled: `make check-cpp`."""

import collections
import os
import re
import zlib

import numpy as np
from tilewright import sim

HOST = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16, "si32": np.int32, "u32": np.uint32, "u16": np.uint16,
        "u8": np.uint8}
ONLY_IR = ("of a dimension of", "the accessor is '")  # C++ has no bounds to check, and does not declare tensor layouts
counts = collections.Counter()
compared = set()  # operations of kernels compared in both forms
refused = collections.Counter()


def contents(tensors):
    """The bytes of tensors; None for uninitialized ones."""
    out = []
    for t in tensors:
        array = np.zeros(t.shape, HOST.get(t.dtype, np.float32))
        try:
            out.append(t.read(array).copy())
        except RuntimeError:
            out.append(None)
    return out


def restore(tensors, arrays):
    for t, array in zip(tensors, arrays):
        if array is not None:
            t.write(array)


def reported(launch):
    """The reports, without locations and without parts that depend on time: other schedules may report other waits."""
    return sorted((r["kind"], r["kernel"], re.sub(r"\(kernel .*|\d+ bytes|cycle \d+|0x[0-9a-f]+", "", r["text"]))
                  for r in launch.reports if r["kind"] not in ("deadlock", "budget")) \
        + sorted({r["kind"] for r in launch.reports if r["kind"] in ("deadlock", "budget")})


def count(text, failed):
    """Counts kernels, as text of their IR, that were run in both forms and agree."""
    counts["reports" if failed else "results"] += 1
    compared.update(re.findall(r"ttkernel\.([\w.]+)", text))


class Both(sim.Launch):
    def __init__(self, kernels, runs, cbs, tensors, semaphores):
        super().__init__(kernels, runs, cbs, tensors, semaphores)
        self.twin, self.tensors, self.text = None, list(tensors), getattr(kernels, "source", None)
        if not self.text or kernels.grid.cpp:
            return
        try:
            other = sim.Kernels(kernels.grid, self.text[0], self.text[1])
            # one half in the API's functions as a person reads them, the other in its objects
            readable = zlib.crc32(self.text[0].encode()) & 1
            other._add_emitted(sim.emitted(*self.text, "{functions=true readable=true}" if readable else ""))
            self.twin = sim.Launch(other, runs, cbs, tensors, semaphores)
        except RuntimeError as error:
            refused[str(error).splitlines()[0].split("error: ")[-1][:90]] += 1

    def set_tensor(self, i, tensor):
        super().set_tensor(i, tensor)
        self.tensors[i] = tensor
        if self.twin:
            self.twin.set_tensor(i, tensor)

    def set_arg(self, *args, **named):
        super().set_arg(*args, **named)
        if self.twin:
            self.twin.set_arg(*args, **named)

    def run(self):
        if not self.twin:
            return super().run()
        before, failed = contents(self.tensors), None
        try:
            super().run()
        except sim.KernelError as error:
            failed = error
        mine, after = reported(self), contents(self.tensors)
        if any(message in r["text"] for r in self.reports for message in ONLY_IR):
            raise failed
        restore(self.tensors, before)
        try:
            self.twin.run()
        except sim.KernelError:
            pass
        assert reported(self.twin) == mine, self.twin.log
        for i, (a, b) in enumerate(zip(after, contents(self.tensors))):
            same = a is None or b is None or np.array_equal(a.view(np.uint8), b.view(np.uint8))
            assert same or failed, f"tensor {i} differs"
        count(self.text[0], failed)
        restore(self.tensors, after if failed else before)  # kernels may change what they read
        super().run() if not failed else None  # its log and profile are read afterwards
        if failed:
            raise failed
        return self


def pytest_configure():
    load = sim.Grid.load

    def remember(self, text="", name="<kernels>"):
        kernels = load(self, text, name)
        kernels.source = (text, name) if text else None
        return kernels

    sim.Grid.load = remember

    def launch(self, runs, cbs=(), tensors=(), semaphores=()):
        return (Both if getattr(self, "source", None) else plain)(self, runs, cbs, tensors, semaphores)

    plain, kernels_launch = sim.Launch, sim.Kernels.launch

    def choose(self, runs, *rest, **named):
        if any(sim._is_cpp(r.function) for r in runs):
            return kernels_launch(self, runs, *rest, **named)
        return launch(self, runs, *rest, **named)

    sim.Kernels.launch = choose


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"emitted C++ gave the same in {counts['results']} launches with results and "
                                f"{counts['reports']} with reports")
    with open(os.path.join(os.path.dirname(__file__), "../../docs/sim-operations.md")) as page:
        runs = set(re.findall(r"`ttkernel\.([\w.]+)`", page.read().partition("## Executed")[2]))
    missing = sorted(runs - compared)
    terminalreporter.write_line(f"{len(runs & compared)} of {len(runs)} operations that run were in them; not: {', '.join(missing)}")
    for reason, n in refused.most_common():
        terminalreporter.write_line(f"  not emitted, {n} times: {reason}")
