"""ttlang-sim: files of kernels as they are."""

import subprocess
import sys
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
    return subprocess.run([sys.executable, str(tool), *map(str, args)], capture_output=True, text=True, timeout=60)


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
    path.write_text("import sys\nprint(sorted({'ttl', 'ttnn', 'torch', 'numpy', 'argparse'} & set(sys.modules)))\n")
    assert launch(path).stdout == "[]\n"


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
try:
    ttnn.zeros((32, 32))
except ImportError as error:
    print(error)
""")
    done = launch(path)
    assert "pip install torch" in done.stdout, done.stderr


def test_what_a_file_puts_in_front_of_the_path_does_not_matter(tmp_path):
    """Files for the Python simulator put its folder in front: kernels run here all the same."""
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
