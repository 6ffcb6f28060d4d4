"""Inputs and programs at the edges: views, empty and single elements, aliases, writes in place,
state, threads, processes that share a cache."""

import subprocess
import sys
import threading

import pytest
import torch
from torch import nn

from tilewright.torch_backend import tt

pytestmark = pytest.mark.parametrize("programs", ["own"], indirect=True)


def written(a):
    a.add_(1)
    return a * 2


def written_through_view(a):
    a[1].mul_(3)
    a[0, :2] = 7.0
    return a.sum()


def several_names(a):
    b = a + 1
    return b, b, b.view(-1), a, a.t()


CASES = {
    "transposed": (lambda a: a * 2 + 1, torch.randn(6, 4).t()),
    "strided": (lambda a: a.sum(0), torch.randn(8, 6)[::2, 1:5]),
    "expanded": (lambda a: a + 1, torch.randn(1, 6).expand(4, 6)),
    "empty": (lambda a: (a * 2, a.sum(), torch.cat([a, torch.ones(2, 4)])), torch.empty(0, 4)),
    "no inner": (lambda a: a @ a.t(), torch.empty(3, 0)),
    "one": (lambda a: (a * 3, torch.where(a > 2, 1.0, 2.0)), torch.tensor(2.5)),
    "whole": (lambda a: (a * 2 // 3, a % 5, a << 1, ~a), torch.arange(-6, 6)),
    "flags": (lambda a: (a & ~a, a | a, a ^ a, a.any()), torch.tensor([True, False])),
    "written": (written, torch.randn(3, 4)),
    "view": (written_through_view, torch.randn(3, 4)),
    "names": (several_names, torch.randn(3, 4)),
}


@pytest.mark.parametrize("name", CASES)
def test_like_torch(programs, name):
    function, value = CASES[name]
    mine, theirs = value.clone(), value.clone()
    if not value.is_contiguous():  # clone might change its layout
        mine = theirs = value
    got, want = torch.compile(function, backend=tt, fullgraph=True)(mine), function(theirs)
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(mine, theirs)
    assert len(programs) == 1


class Window(nn.Module):
    """A counter and the last three inputs."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("last", torch.zeros(3, 4))

    def forward(self, x):
        self.count += 1
        self.last = torch.roll(self.last, 1, 0)
        self.last[0] = x
        return self.last.sum(0) * self.count


def test_buffers_are_written_back(programs):
    mine, theirs = Window(), Window()
    compiled = torch.compile(mine, backend=tt)
    for _ in range(4):
        x = torch.randn(4)
        torch.testing.assert_close(compiled(x), theirs(x))
    torch.testing.assert_close(mine.state_dict(), theirs.state_dict())


def test_threads_share_a_program(programs):
    model = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 8)).eval()
    compiled, wrong = torch.compile(model, backend=tt), []
    compiled(torch.randn(4, 32))

    def work(seed):
        generator = torch.Generator().manual_seed(seed)
        for _ in range(30):
            x = torch.randn(4, 32, generator=generator)
            if not torch.allclose(compiled(x), model(x), atol=1e-5):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(programs) == 1


SHARED = """
import sys, torch
sys.path.insert(0, sys.argv[1])
from tilewright import _engine
text = "func.func @main(%%a: tensor<2xf32>) -> tensor<2xf32> { %%0 = stablehlo.abs %%a : tensor<2xf32> return %%0 : tensor<2xf32> }"
for i in range(20):
    program = _engine.native_compile(text.replace("@main", "@f%d" % i), {"cache_dir": sys.argv[2]})
    out = torch.empty(2)
    program.run([torch.tensor([-1.0, 2.0])], [out])
    assert out.tolist() == [1.0, 2.0]
print(_engine.cache_info())
""".replace("%%", "%")


def test_processes_share_a_cache(programs, tmp_path):
    import tilewright

    root = tilewright.__path__[0].rpartition("/")[0]
    workers = [
        subprocess.Popen([sys.executable, "-c", SHARED, root, tmp_path], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    infos = [worker.communicate(timeout=300)[0] for worker in workers]
    assert all(worker.returncode == 0 for worker in workers)
    assert all("'discarded': 0, 'not_kept': 0" in info for info in infos)
    assert len(list(tmp_path.iterdir())) == 20
