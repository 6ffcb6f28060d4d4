"""One model and many threads: calls, captures and forks while others run."""

import os
import subprocess
import sys
import threading

import pytest
import torch

from tilewright import _engine
from tilewright.torch_backend import tt

HERE = os.path.dirname(__file__)


def script(text, timeout=300):
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", text], env=env, timeout=timeout, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


FORK = """
import conftest, os, signal, threading, time
import torch
from tilewright.torch_backend import tt
torch.set_num_threads(1)  # a child of fork cannot use the threads of OpenMP that its parent has used
torch.manual_seed(0)
calls = []

def keep(graph, inputs):
    # What torch does around a call has locks of its own: the thread calls what the backend made.
    runner = tt(graph, inputs, options={{"threads": {threads}}})
    return lambda *args: calls.append((runner, args)) or runner(*args)

model = torch.compile(torch.nn.Sequential(*[{layer} for _ in range({count})]).eval(), backend=keep)
x = torch.randn(256, 512)
with torch.no_grad():
    want = model(x)
runner, args = calls[0]
over = threading.Event()

def run():
    with torch.no_grad():
        while not over.is_set():
            runner(*args)

thread = threading.Thread(target=run)
thread.start()
codes = []
for _ in range(8):
    time.sleep(0.02)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        with torch.no_grad():
            good = all(torch.equal(model(x), want) for _ in range(2))
        os._exit(0 if good else 1)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if codes[-1]:
        break
over.set()
thread.join()
assert not any(codes), codes
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("layer", ["torch.nn.Linear(512, 512)", "OddLinear(512, 512)"])
def test_a_child_forked_during_a_run_runs_the_same_model(threads, layer):
    """In one program without Python in between, and in programs between torch's operations."""
    odd = "\nclass OddLinear(torch.nn.Linear):\n    def forward(self, x):\n        return super().forward(torch.special.i0e(x))\n"
    script(FORK.replace("torch.manual_seed(0)", "torch.manual_seed(0)" + odd).format(threads=threads, layer=layer, count=6))


def in_threads(count, function):
    """Calls function(k) in `count` threads at once."""
    failed = []

    def run(k):
        try:
            function(k)
        except BaseException as error:
            failed.append(f"{k}: {error}")

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("dynamic", [None, True])
def test_threads_that_bring_other_shapes_to_one_function(dynamic):
    torch._dynamo.reset()

    def model(x, weight, bias):
        return torch.relu(torch.nn.functional.linear(x, weight, bias)) + 1

    def use(k):
        for i in range(3):
            x, weight, bias = torch.randn(2 + i, 8 + k), torch.randn(4 + k + i, 8 + k), torch.randn(4 + k + i)
            got = torch.compile(model, backend=tt, dynamic=dynamic)(x, weight, bias)
            torch.testing.assert_close(got, model(x, weight, bias), atol=1e-5, rtol=1e-5)

    in_threads(8, use)


class Odd(torch.nn.Module):
    """Programs between torch's operations."""

    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)

    def forward(self, x):
        return self.last(torch.special.i0e(self.first(x)))


@pytest.mark.parametrize("make", [Odd, lambda: torch.nn.Linear(64, 64)], ids=["steps", "program"])
def test_threads_that_bring_other_parameters_to_one_program(make):
    torch._dynamo.reset()
    models = [make().eval() for _ in range(4)]
    fast = [torch.compile(m, backend=tt) for m in models]
    x = torch.randn(16, 64)

    def use(k):
        with torch.no_grad():
            want = models[k](x)
            for _ in range(100):
                torch.testing.assert_close(fast[k](x), want, atol=1e-5, rtol=1e-5)

    in_threads(4, use)


def test_programs_run_on_the_threads_of_torch():
    """Its OpenMP library is found, results have the same bytes for any number of threads, and a child of fork still runs."""
    assert _engine.share_threads()
    x, w = torch.randn(3, 8, 31, 29), torch.randn(24, 8, 3, 3)
    found = []
    for threads in (1, 2, 3):
        torch._dynamo.reset()
        call = torch.compile(lambda x, w: torch.conv2d(x, w, padding=1).relu(), backend="tt", options={"threads": threads})
        found.append(call(x, w))
    assert torch.equal(found[0], found[1]) and torch.equal(found[0], found[2])
    torch.testing.assert_close(found[0], torch.conv2d(x, w, padding=1).relu(), rtol=1e-5, atol=1e-5)
    child = os.fork()
    if child == 0:
        os._exit(call(x, w).numpy().tobytes() != found[0].numpy().tobytes())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
