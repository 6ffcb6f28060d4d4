"""examples/broken: a kernel for each class of mistake, in TTKernel's IR, in C++ and in Python. Each file's head lists
the expected reports, all of them and no others; <1> is the line that ends in a comment <1>. After each of them the
same device runs a correct kernel."""

import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
from tilewright import sim  # noqa: E402

TILEWRIGHT = Path(os.environ.get("TW_BUILD", Path(__file__).parents[2] / "build")) / "bin/tilewright"
BROKEN = Path(__file__).parents[2] / "examples/broken"
PLACED = re.compile(r"(?m)^(\S[^:\n]*):(\d+):\d+: (error|warning|note): (.*)$")
PYTHON = re.compile(r"(?m)^(?:(?:\w+: )*(error|warning|\w+Error): )?(.*)\n  --> (.*):(\d+):\d+$|^ *= note: (.*)$")


def head(file):
    """The comment at the beginning."""
    text = file.read_text()
    if file.suffix == ".py":
        return text[3:text.index('"""', 3)].splitlines()
    return [line.removeprefix("//")[1:] for line in text.splitlines() if line.startswith("//")]


def expected(file):
    """(level, location, text) of each line under "Report:"; locations are markers in the file, or another file's
    lines."""
    lines, found = head(file), []
    for line in lines[lines.index("Report:") + 1:] if "Report:" in lines else []:
        start = re.match(r"  (error|warning|note)(?: <(\d+)>| ([\w.-]+:\d+))?: (.*)", line)
        if start:
            found.append([start[1], marked(file, start[2]) if start[2] else start[3], start[4]])
        elif line.startswith("    "):
            found[-1][2] += " " + line.strip()
    for line in found:
        line[2] = re.sub(r"line <(\d+)>", lambda m: "line " + marked(file, m[1]).partition(":")[2], line[2])
    return found


def marked(file, number):
    """"file:line" of the marker."""
    lines = file.read_text().splitlines()
    at = [i for i, line in enumerate(lines, 1) if re.search(rf"(//|#) (<\d+> )*<{number}>( |$)", line)]
    assert len(at) == 1, (file.name, number, at)
    return f"{file.name}:{at[0]}"


def reported(text):
    """The same for an actual report."""
    found = [(m.start(), m[3], f"{Path(m[1]).name}:{m[2]}", m[4]) for m in PLACED.finditer(text)]
    for m in PYTHON.finditer(text):
        found.append((m.start(), "note", None, m[5]) if m[5] else
                     (m.start(), "warning" if m[1] == "warning" else "error", f"{Path(m[3]).name}:{m[4]}", m[2]))
    return [list(f[1:]) for f in sorted(found)] or [["error", None, text.splitlines()[0]]]


def simulate(file):
    out = subprocess.run([TILEWRIGHT, "sim", str(file), "--budget", "10000"], capture_output=True, text=True)
    return out.stderr


def call(file):
    """The exceptions and warnings of the Python file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            runpy.run_path(str(file), run_name="__main__")
        except Exception as error:
            return f"{error}"
    return "\n".join(str(w.message) for w in caught)


@pytest.fixture(scope="module")
def programs():
    """examples/broken/cpp/run.py."""
    if not any(map(shutil.which, ("c++", "g++", "clang++"))):
        pytest.skip("no C++ compiler")
    spec = importlib.util.spec_from_file_location("broken_cpp", BROKEN / "cpp/run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.shared = sim.Grid("n150", budget=100000)  # shared by all programs
    return module


ROWS = 3


@ttl.kernel(grid=(2, 1))
def right(x, out):
    if ROWS < 0:
        raise KeyError("no rows")
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        for _ in range(ROWS):
            with x_cb.wait() as block, out_cb.reserve() as result:
                result.store(block * 2 + ROWS)

    @ttl.datamovement()
    def read():
        column, _ = ttl.core(dims=2)
        for row in range(ROWS):
            with x_cb.reserve() as block:
                ttl.copy(x[row, column], block).wait()

    @ttl.datamovement()
    def write():
        column, _ = ttl.core(dims=2)
        for row in range(ROWS):
            with out_cb.wait() as block:
                ttl.copy(block, out[row, column]).wait()


def check_right():
    x, out = torch.randn(96, 64), torch.zeros(96, 64)
    right(x, out)
    torch.testing.assert_close(out, x * 2 + 3, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("rows, messages", [(4, "row 3 is not in the tensor, which has 3 rows of tiles"), (10**7, "row 3 is not in the tensor"), (-1, "no rows"),
                                        ("many", "'<' not supported between instances of 'str'"), (None, "'<' not supported"), (2.5, "range() needs integers")])
def test_a_kernel_that_changes_between_calls(monkeypatch, rows, messages):
    for _ in range(2):
        check_right()
        with monkeypatch.context() as patch:
            patch.setattr(sys.modules[__name__], "ROWS", rows)
            with pytest.raises(Exception) as caught:
                right(torch.ones(96, 64), torch.zeros(96, 64))
            assert messages in str(caught.value)
    check_right()


def agree(file, text):
    want, got = expected(file), reported(text)
    assert want, f"{file.name} does not say what is reported"
    assert [w[:2] for w in want] == [g[:2] for g in got], text
    for (_, _, a), (_, _, b) in zip(want, got):
        assert re.fullmatch(re.escape(a).replace(r"\*", "[0-9a-f]+"), b), (a, b)
    if any("(kernel @" in g[2] for g in got):  # the device's: core range and time, and advice
        for level, _, line in got:
            assert level == "note" or re.search(r" \(kernel @\S+, cores? \d+,\d+[-\d, and]*, cycle \d+\)$", line), line
        assert any(level == "note" for level, *_ in got) or ";" in got[0][2]


@pytest.mark.parametrize("file", sorted(BROKEN.glob("*.mlir")), ids=lambda f: f.stem)
def test_in_ir(file):
    agree(file, simulate(file))


@pytest.mark.parametrize("file", sorted(BROKEN.glob("ttl/*.py")), ids=lambda f: f.stem)
def test_in_python(file):
    agree(file, call(file))
    check_right()


HELPERS = {"reader", "compute", "writer"}


@pytest.mark.parametrize("file", sorted(f for f in BROKEN.glob("cpp/*.cpp") if f.stem not in HELPERS), ids=lambda f: f.stem)
def test_in_cpp(programs, file):
    agree(file, programs.report(file.stem))
    try:
        programs.launch(file.stem, programs.shared).run()
    except RuntimeError:
        pass
    x = programs.shared.tensor((32, 64), "bf16", data=torch.randn(32, 64).bfloat16())
    out = programs.shared.tensor((32, 64), "bf16")
    runs = [sim.Run(BROKEN / f"cpp/{name}.cpp", common_args=common, noc=int(name == "writer"))
            for name, common in (("reader", [sim.address(0), 0]), ("compute", []), ("writer", [0, sim.address(1)]))]
    programs.shared.load().launch(runs, [sim.Buffer(0, "bf16", 2), sim.Buffer(16, "bf16", 2)], [x, out]).run()
    got, given = (t.read(torch.zeros(32, 64).bfloat16()).float() for t in (out, x))
    torch.testing.assert_close(got, given.exp(), rtol=1e-2, atol=1e-2)


def test_every_file_is_listed(programs):
    assert {f.stem for f in BROKEN.glob("cpp/*.cpp")} == {*programs.PROGRAMS, *HELPERS}


if __name__ == "__main__":  # python3 test_sim_broken.py FILE ...: prints their reports
    for name in sys.argv[1:]:
        path = Path(name)
        print(*reported(simulate(path) if path.suffix == ".mlir" else call(path)), sep=os.linesep)
