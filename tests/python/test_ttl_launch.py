"""ttlang-sim: runs files of kernels unchanged."""

import json
import os
import re
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[2]
KERNEL = """

@ttl.kernel(grid=(10, 1))
def double(a, out):
    a_cb, out_cb = ttl.make_circular_buffer_like(a, shape=(1, 1)), ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with a_cb.wait() as x, out_cb.reserve() as o:
            o.store(x + x)

    @ttl.datamovement()
    def read():
        with a_cb.reserve() as b:
            ttl.copy(a[ttl.core(dims=1), 0], b).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as b:
            ttl.copy(b, out[ttl.core(dims=1), 0]).wait()


"""
FILE = f"""
import sys
import ttl
import ttnn
from sim.testing import assert_pcc
{KERNEL}
a, out = ttnn.rand((320, 32), dtype=ttnn.float32), ttnn.empty((320, 32), dtype=ttnn.float32)
double(a, out)
assert_pcc(a + a, out)
print("arguments", sys.argv[1:], __name__)
"""


@pytest.fixture()
def file(tmp_path):
    path = tmp_path / "double.py"
    path.write_text(FILE)
    return path


def launch(*args):
    tool = ROOT / "build" / "bin" / "ttlang-sim"
    return subprocess.run([sys.executable, str(tool), *map(str, args)], capture_output=True, text=True, timeout=300)


def test_file_with_arguments_on_the_chip_that_fits(file):
    done = launch(file, "one", "--two")
    assert done.returncode == 0, done.stderr
    assert "arguments ['one', '--two'] __main__" in done.stdout


def test_profile_and_seed(file):
    done = launch("--profile", "--seed", "3", file)
    assert done.returncode == 0 and "double: " in done.stdout and "cycles" in done.stdout and "compute" in done.stdout


def test_chip_too_small(file):
    done = launch("--chip", "n150", file)
    assert done.returncode != 0 and "Kernel grid (10, 1) exceeds device compute grid (8, 8)" in done.stderr


def test_no_such_file():
    done = launch("nothing.py")
    assert done.returncode == 1 and done.stderr == "ttlang-sim: error: no file 'nothing.py'\n"


def test_an_empty_file_loads_nothing(tmp_path):
    path = tmp_path / "empty.py"
    path.write_text("import sys\nprint(sorted({'ttl', 'ttnn', 'torch', 'numpy', 'argparse', 'runpy', 'typing', 'importlib.util'}"
                    " & set(sys.modules)))\n")
    own = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert launch(path).stdout == own.stdout


def test_a_file_is_the_main_module(tmp_path):
    """As Python runs it: its definitions can be pickled, and found in its source when something fails."""
    path = tmp_path / "whole.py"
    path.write_text("# coding: latin-1\nimport inspect, pickle, sys\nclass A:\n    pass\n"
                    "assert type(pickle.loads(pickle.dumps(A()))) is A and sys.modules['__main__'].A is A\n"
                    "print(inspect.getsource(A), __file__, __name__, __doc__, __package__, __spec__, '\xe4')\n"
                    "import beside\nbeside.fail()\n", encoding="latin-1")
    (tmp_path / "beside.py").write_text("def fail():\n    raise ValueError('here')\n")
    done = launch(path)
    assert done.stdout == f"class A:\n    pass\n {path} __main__ None None None \xe4\n"
    assert f'File "{path}", line 8, in <module>\n    beside.fail()' in done.stderr and done.stderr.endswith("ValueError: here\n")


def test_folders_and_archives(tmp_path):
    (tmp_path / "__main__.py").write_text("print(__name__, 'of a folder')\n")
    assert launch(tmp_path).stdout == "__main__ of a folder\n"
    with zipfile.ZipFile(tmp_path / "a.pyz", "w") as archive:
        archive.write(tmp_path / "__main__.py", "__main__.py")
    assert launch(tmp_path / "a.pyz").stdout == "__main__ of a folder\n"


def test_kernels_on_numpy_need_no_torch(tmp_path):
    path = tmp_path / "on_numpy.py"
    path.write_text(f"""
import sys
sys.modules["torch"] = None
import numpy as np
import ttl
import ttnn
{KERNEL}
a = np.arange(10 * 32 * 32).reshape(320, 32)
for dtype in (np.float32, np.int32, np.uint16):
    x, out = a.astype(dtype), np.zeros_like(a, dtype)
    double(x, out)
    assert out.dtype == dtype and (out == 2 * a).all(), dtype
assert (ttnn.add(ttnn.Tensor(x, ttnn.int32), 1).values() == x + 1).all()
try:
    ttnn.to_torch(ttnn.zeros((32, 32)))
except ImportError as error:
    print(error)
""")
    done = launch(path)
    assert "pip install torch" in done.stdout, done.stderr


def test_what_a_file_puts_in_front_of_the_path_does_not_matter(tmp_path):
    """Files for the Python simulator insert its folder at the front: kernels run here all the same."""
    (tmp_path / "python" / "ttl").mkdir(parents=True)
    (tmp_path / "python" / "ttl" / "__init__.py").write_text("raise ImportError('another ttl')\n")
    path = tmp_path / "front.py"
    path.write_text(f"""
import sys
sys.path.insert(0, {str(tmp_path / "python")!r})
import torch
from sim import ttl
import ttl as same
{KERNEL}
assert ttl is same
a, out = torch.ones(320, 32), torch.zeros(320, 32)
double(a, out)
print(out.sum().item())
""")
    done = launch(path)
    assert done.stdout == f"{2.0 * 320 * 32}\n", done.stderr


def environment(folder, python, *packages):
    """A folder like an environment's, whose interpreter is a script."""
    for package in packages:
        (folder / f"lib/python3.11/site-packages/{package}").mkdir(parents=True)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python3").write_text(f"#!/bin/sh\n{python}\n")
    (folder / "bin/python3").chmod(0o755)
    return folder / "bin/python3"


@pytest.fixture()
def tree(tmp_path):
    """A build folder with the launcher, whose environment has torch and reports it."""
    (tmp_path / "build/tools").mkdir(parents=True)
    (tmp_path / "build/python").symlink_to(ROOT / "build/python")
    tool = tmp_path / "build/tools/ttlang-sim"
    tool.write_bytes((ROOT / "tools/ttlang-sim").read_bytes())
    environment(tmp_path / "build/venv", 'echo "build: $*"', "torch")
    return tool


@pytest.mark.parametrize("has_torch, variables, runs", [
    (False, {}, "build"), (True, {}, "own"), (False, {"VIRTUAL_ENV": "/here"}, "own"), (False, {"CONDA_PREFIX": "/here"}, "own"),
    (True, {"TTLANG_PYTHON": "{other}"}, "other"), (False, {"TTLANG_PYTHON": "{other}"}, "other")])
def test_whose_python(tree, tmp_path, has_torch, variables, runs):
    other = environment(tmp_path / "other", 'echo "other: $*"')
    (tmp_path / "path").mkdir()
    if has_torch:
        (tmp_path / "path/torch").mkdir()
    (tmp_path / "file.py").write_text("print('own:')\n")
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path / "path"), **{k: v.format(other=other) for k, v in variables.items()}}
    base = next(p for p in (sys.base_prefix + "/bin/python3", sys.executable) if Path(p).exists())
    done = subprocess.run([base, "-S", str(tree), "file.py", "--x"], capture_output=True, text=True, env=env, cwd=tmp_path)
    want = "own:" if runs == "own" else f"{runs}: -X ttlang_sim {tree} file.py --x"
    assert done.stdout.strip() == want, done.stderr


def test_a_python_that_is_not_there(tree, monkeypatch):
    monkeypatch.setenv("TTLANG_PYTHON", "/nowhere/python3")
    done = subprocess.run([sys.executable, str(tree), "file.py"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr == ("ttlang-sim: error: cannot run /nowhere/python3: No such file or directory; "
                                                    "TTLANG_PYTHON names a Python interpreter\n")


@pytest.mark.parametrize("package", ["torch", "numpy"])
def test_packages_that_are_missing(tmp_path, package):
    path = tmp_path / "file.py"
    path.write_text(f"import {package}\n")
    code = "import sys; sys.modules[sys.argv[1]] = None; from tilewright.ttlang_sim import main; main(sys.argv[2:])"
    done = subprocess.run([sys.executable, "-c", code, package, path], capture_output=True, text=True)
    message = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and message.startswith("ModuleNotFoundError: ") and f"in {sys.executable}; install it there" in message
    assert f"-m pip install {package})" in message and message.endswith("TTLANG_PYTHON=PATH ttlang-sim ...")


def test_a_profile_has_waits_at_python_lines(file):
    done = launch("--profile", file)
    waits = re.findall(r"waited +(\d+) cycles in \w+ \(\w+\) of @(\w+), cores 0,0-0,9\n +at (.*):(\d+)\n", done.stdout)
    lines = FILE.splitlines()
    assert waits and {name for _, name, *_ in waits} <= {"compute", "read", "write"}
    for cycles, _, path, line in waits:
        assert path == str(file) and re.search(r"wait\(|reserve\(", lines[int(line) - 1]) and int(cycles) > 0
    assert "10 cores: math busy" in done.stdout and "NoC, bytes of a core" in done.stdout


@pytest.mark.parametrize("suffix", [".html", ".json"])
def test_traces(file, tmp_path, suffix):
    """A file for each launch, the page one that parses and refers to nothing; its values are the profile's."""
    file.write_text(FILE + "\ndouble(a, out)\n")
    done = launch("--profile", "--trace", tmp_path / f"trace{suffix}", file)
    cycles = [int(n) for n in re.findall(r"double: (\d+) cycles", done.stdout)]
    assert done.returncode == 0 and len(cycles) == 2 and not (tmp_path / f"trace-3{suffix}").exists()
    for name, cycle in zip((f"trace{suffix}", f"trace-2{suffix}"), cycles):
        text = (tmp_path / name).read_text()
        if suffix == ".html":
            page = Page()
            page.feed(text)
            assert page.ids >= {"threads", "waits", "noc", "dram", "roof", "c"} and not page.references and not page.open
            report = json.loads(text.partition("const report=")[2].partition("</script>")[0])
            assert report["cycles"] == cycle and len(report["threads"]) == 30 and "double.py" in text
            trace = json.loads(text.partition("const trace=")[2].partition("</script>")[0])
            assert max(a + b for a, b in zip(trace["spans"][2::4], trace["spans"][3::4])) / 10 == pytest.approx(cycle, rel=0.01)
            assert {k[3] for k in trace["kinds"]} == {"double.py"}
            continue
        spans = [e for e in json.loads(text)["traceEvents"] if e["ph"] == "X"]
        assert max(e["ts"] + e["dur"] for e in spans) * 1350 == pytest.approx(cycle, rel=0.01)  # MHz of the p150
        assert {e["args"].get("file") for e in spans} == {"double.py"}


class Page(HTMLParser):
    """The names, references, and unclosed elements of a page."""

    def __init__(self):
        super().__init__()
        self.ids, self.references, self.open = set(), [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.add(attrs.get("id"))
        self.references += [attrs[name] for name in ("src", "href") if name in attrs]
        if tag in ("table", "div", "canvas", "script", "details", "pre", "svg", "style"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            assert self.open.pop() == tag


def test_a_trace_of_another_kind(file):
    done = launch("--trace", "trace.txt", file)
    assert done.returncode == 1 and "--trace trace.txt: the file's name ends in .html (a page) or .json" in done.stderr


def test_cycles_of_each_line(file, tmp_path):
    """TTLANG_AUTO_PROFILE: cycles between the signposts around lines and buffers' operations, as in the timeline."""
    env = {**os.environ, "TTLANG_AUTO_PROFILE": "1", "TTLANG_SIM_TRACE": str(tmp_path / "trace.json")}
    done = subprocess.run([sys.executable, str(ROOT / "build/bin/ttlang-sim"), str(file)], capture_output=True, text=True, env=env)
    table = re.findall(r"(?m)^  @(\w+) line_(\d+)(\w*) +(\d+) +(\S+)$", done.stdout.partition("between signposts")[2])
    lines = FILE.splitlines()
    assert {name for name, *_ in table} == {"compute", "read", "write"} and [t[0] for t in table] == sorted(t[0] for t in table)
    for _, line, what, _, times in table:
        assert float(times) == 1 and ("with " in lines[int(line) - 1]) == ("_cb_" in what)
    spans = [e for e in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if e["ph"] == "X"]
    for name, line, what, cycles, _ in table:
        ends = [[e["args"]["cycle"] for e in spans if e["name"] == f"line_{line}{what}_{end}"] for end in ("before", "after")]
        assert len(ends[0]) == len(ends[1]) == 10
        assert abs((sum(ends[1]) - sum(ends[0])) / 10 - int(cycles)) <= 1


def run_python(*args, **environment):
    return subprocess.run([sys.executable, *map(str, args)], capture_output=True, text=True, timeout=300, env=os.environ | environment)


def test_sim_is_a_package(file):
    """On request the imports of files for the Python simulator work without ttlang-sim, too, and its launcher is a module."""
    assert run_python("-c", "import sim").returncode == 1
    folder = run_python("-m", "tilewright.compat").stdout.strip()
    search = {"PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])}
    for command in ((file, "one"), ("-m", "sim.ttlang_sim", file, "one")):
        done = run_python(*command, **search)
        assert done.returncode == 0 and "arguments ['one'] __main__" in done.stdout, done.stderr
    done = run_python("-c", "from tilewright import compat; compat.enable(); from sim import ttl, ttnn, kernel, Pipe; from sim.typedefs import CoreRange, Pipe as P; import ttl as t\n"
                            "print(ttl is t, kernel is t.kernel, P is Pipe, CoreRange is t.CoreRange, ttnn.__name__)\nimport sim\nsim.nothing")
    assert done.stdout == "True True True True ttnn\n" and "module 'sim' has no attribute 'nothing'" in done.stderr


def test_names_of_the_specification_annotate(tmp_path):
    path = tmp_path / "annotated.py"
    path.write_text(KERNEL.replace("def compute():", "def compute() -> None:") + """
def place(pipe: ttl.SrcPipeIdentity[ttl.CoreRange], at: ttl.CoreCoord, size: ttl.Shape, count: ttl.Count) -> ttl.Pipe[ttl.CoreCoord]:
    block: ttl.Block | ttl.BlockExpr
    slice: ttl.TensorSlice | ttl.TransferHandle
    both: ttl.PipeNet[ttl.DstT] | ttl.UnicastRemoteSemaphore | ttl.MulticastRemoteSemaphore | ttl.PositiveInt
print(place.__annotations__["count"])
""")
    path.write_text("import ttl\n" + path.read_text())
    assert run_python(path).stdout == "<class 'int'>\n", run_python(path).stderr


def test_options_and_targets_that_are_missing():
    done = launch("--profil3", "file.py")
    assert done.returncode == 2 and done.stderr.endswith("unrecognized arguments: --profil3 (did you mean '--profile'?)\n")
    done = launch()
    assert done.returncode == 1 and done.stdout.startswith("usage: ttlang-sim ") and "--trace FILE" in done.stdout


def test_main_of_a_module(tmp_path):
    """Called once, whether by the module itself or by the launcher."""
    (tmp_path / "left.py").write_text("import sys\ndef main():\n    print('main', sys.argv[1:])\nprint('body')\n")
    (tmp_path / "own.py").write_text("def main():\n    print('main')\nif __name__ == '__main__':\n    main()\n")
    tool = ROOT / "build" / "bin" / "ttlang-sim"
    for name, message in (("left", "body\nmain ['--one']\n"), ("own", "main\n")):
        done = subprocess.run([sys.executable, tool, "-m", name, "--one"], capture_output=True, text=True, timeout=60, cwd=tmp_path)
        assert done.stdout == message, done.stderr


def test_names_of_the_former_language(tmp_path):
    """The kernel's body gets its block factors; removed names of threads have a note with their replacement."""
    path = tmp_path / "former.py"
    path.write_text("""
import torch
from ttl.ttl_api import *

@pykernel_gen(grid=(1, 1), block_factors=[(1, 2), (1, 2)])
def kernel(x, out, block_factors=None, grid=None):
    assert block_factors == [(1, 2), (1, 2)] and grid == (1, 1) and TensorAccessor(x) is x and Semaphore
    cb = make_circular_buffer_like(x)

    @datamovement()
    def read():
        dma(x[0, 0:2], cb.reserve()).wait()

kernel(torch.zeros(32, 64), torch.zeros(32, 64))
""")
    assert "name 'dma' is not defined" in (message := run_python(path).stderr) and "note: use ttl.copy(source, destination)" in message, message


def test_a_reader_of_the_output_that_has_enough(tmp_path):
    path = tmp_path / "talks.py"
    path.write_text("import ttl\nfor i in range(100000):\n    print('a line of output', i)\n")
    tool = ROOT / "build" / "bin" / "ttlang-sim"
    done = subprocess.run(f"{sys.executable} {tool} {path} | head -1", shell=True, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("a line of output 0\n", "")


@pytest.mark.parametrize("text, status, message", (
    (FILE, 0, b"of @compute, cores 0,0-0,9\n       at "),
    (FILE.replace("dtype=ttnn.float32", "dtype=ttnn.int32").replace("x + x", "ttl.math.exp(x)"), 1, b"computes with floating-point numbers"),
    (FILE.replace("with out_cb.wait() as b:", "out_cb.wait()\n        out_cb.pop()\n        with out_cb.wait() as b:"), 1, b"deadlock: "),
), ids=("profile", "mistake", "deadlock"))
def test_names_that_are_no_utf8(tmp_path, text, status, message):
    """The report for a file whose name has a byte that is invalid UTF-8."""
    path = os.path.join(os.fsencode(tmp_path), b"d\xe9.py")
    with open(path, "w") as file:
        file.write(text)
    done = subprocess.run([ROOT / "build" / "bin" / "ttlang-sim", "--profile", path], capture_output=True)
    assert done.returncode == status and message in done.stdout + done.stderr and b"Unicode" not in done.stderr, done.stderr
