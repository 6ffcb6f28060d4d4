"""Two threads of the host give the results of one: values, cycles, profiles, reports."""

import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import op  # noqa: E402
from test_sim_generated import Case  # noqa: E402
from test_sim_grid import Built, copy_body, ramp  # noqa: E402
from tilewright import sim  # noqa: E402


@pytest.mark.parametrize("number", range(100, 110))
def test_generated(number):
    results = [Case(number).run(sim.Grid(threads=n, seed=number % 3)) for n in (1, 2)]
    (one, launch), (two, other) = results
    assert np.array_equal(one, two)
    assert (launch.cycles, launch.profile) == (other.cycles, other.profile)


def test_reports():
    x, reported = ramp((32, 32)), []
    body = copy_body(1, "bf16").replace(op("tile_regs_commit"), "")
    for n in (1, 2):
        grid = sim.Grid(threads=n)
        with pytest.raises(sim.KernelError) as error:
            Built(grid, [x], ["bf16"], (32, 32), "bf16", body).run()
        reported.append((str(error.value), error.value.reports))
        good = Built(grid, [x], ["bf16"], (32, 32), "bf16", copy_body(1, "bf16"))
        assert np.array_equal(good.run(), x)
    assert reported[0] == reported[1]


def test_number_of_threads_is_checked():
    with pytest.raises(Exception, match="1 or 2 threads of the host, not 3"):
        sim.Grid(threads=3)


FORKED = """
import os, sys
import numpy as np
from test_sim_grid import Built, copy_body, ramp
from tilewright import sim
x = ramp((32, 32))
built = Built(sim.Grid(threads=2), [x], ["bf16"], (32, 32), "bf16", copy_body(1, "bf16"))
good = np.array_equal(built.run(), x)
child = os.fork()
good = good and np.array_equal(built.run(), x) and np.array_equal(built.run(), x)
if child == 0:
    del built
    os._exit(0 if good else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or not good)
"""


def test_a_forked_process_has_a_second_thread_of_its_own():
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
