"""@ttl.autotune: within 5 % of an exhaustive search in a tenth of its runs; what is not allowed is left out; choices are kept."""

import itertools
import json
import math
import os
import re
import signal
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
from ttl.autotune import Candidate  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "examples/ttl"))
from tuned_matmul import matmul  # noqa: E402

SHAPES = [(4, 4, 4), (8, 4, 2), (8, 8, 8), (2, 2, 2), (4, 16, 4), (16, 4, 16), (8, 8, 2), (1, 8, 8), (12, 4, 8), (16, 16, 4)]
if not os.environ.get("TILEWRIGHT_LONG"):
    SHAPES = SHAPES[:2]


def tensors(m, k, n):
    return torch.randn(32 * m, 32 * k), torch.randn(32 * k, 32 * n), torch.zeros(32 * m, 32 * n)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_within_5_percent_in_a_tenth_of_the_runs(shape, capsys):
    a, b, c = tensors(*shape)
    matmul.choices.clear()
    matmul(a, b, c)
    torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=2e-1)
    table = capsys.readouterr().out
    count = math.prod(map(len, matmul.lists.values()))
    (written, tried, total), = [t for key, t in matmul.tables.items() if key in matmul.choices]
    assert total == count
    ran = 1 + sum(math.isfinite(candidate.cycles) for candidate in tried)
    assert ran <= count / 10
    assert f"{ran - 1} of {count} candidates measured" in table
    chosen = min([written, *tried], key=lambda candidate: candidate.cycles)
    assert matmul.choices == {next(iter(matmul.choices)): chosen.values}
    best = math.inf
    for values in itertools.product(*matmul.lists.values()):
        candidate = Candidate(dict(zip(matmul.lists, values)))
        matmul.measure(candidate, (a, b, c), {}, None)
        best = min(best, candidate.cycles)
    print(f"FIGURE {shape}: {chosen.cycles:.0f}, exhaustive {best:.0f}, {ran} of {count} runs")
    assert chosen.cycles <= 1.05 * best


def scale(**options):
    @ttl.autotune(block=[1, 2, 3, 4], depth=[1, 2, 40], share=1, **options)
    @ttl.kernel(grid=(1, 1))
    def kernel(x, out, block=1, depth=2):
        if block == 2:
            raise ValueError("no blocks of 2")
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, block), buffer_factor=depth)
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, block))
        n = x.shape[1] // 32 // block  # 3 does not divide it: results are missing

        @ttl.compute()
        def compute():
            for _ in range(n + (1 if block == 4 and depth == 1 else 0)):  # one too many: it hangs
                with x_cb.wait() as b, out_cb.reserve() as o:
                    o.store(b * 2)

        @ttl.datamovement()
        def read():
            for i in range(n):
                with x_cb.reserve() as b:
                    ttl.copy(x[0, i * block:(i + 1) * block], b).wait()

        @ttl.datamovement()
        def write():
            for i in range(n):
                with out_cb.wait() as b:
                    ttl.copy(b, out[0, i * block:(i + 1) * block]).wait()

    return kernel


def test_what_is_not_allowed_is_left_out(capsys):
    kernel = scale()
    x, out = torch.rand(32, 256), torch.zeros(32, 256)
    kernel(x, out)
    assert torch.equal(out, 2 * x)
    (_, tried, count), = kernel.tables.values()
    assert len(tried) == count == 12
    why = {(c.values["block"], c.values["depth"]): c.why for c in tried}
    assert why[2, 1] == why[2, 2] == "no blocks of 2"
    assert why[3, 2] == "other results than the kernel as it is written"
    assert why[4, 1].startswith("deadlock: no thread can go on")
    assert why[1, 40] == "buffer_factor must be in range [1, 32], got 40"
    assert {key for key, text in why.items() if not text} == {(1, 1), (1, 2), (4, 2)}
    assert list(kernel.choices.values()) == [{"block": 4, "depth": 2}]
    text = capsys.readouterr().out
    assert "3 of 12 candidates measured, 9 left out" in text
    assert re.search(r"cycles  block=4, depth=2  <- chosen", text)


def test_tuning_leaves_the_tensors_alone(capsys):
    """The kernel adds in place: measured on the caller's tensors, it would add often."""

    @ttl.autotune(depth=[1, 2, 3])
    @ttl.kernel(grid=(1, 1))
    def add_one(x, depth=2):
        x_cb, out_cb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=depth), ttl.make_circular_buffer_like(x, shape=(1, 1))

        @ttl.compute()
        def compute():
            with x_cb.wait() as b, out_cb.reserve() as o:
                o.store(b + 1)

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as b:
                ttl.copy(x[0, 0], b).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as b:
                ttl.copy(b, x[0, 0]).wait()

    x = torch.zeros(32, 32)
    add_one(x)
    assert (x == 1).all()
    add_one(x)
    assert (x == 2).all()
    assert capsys.readouterr().out.count("candidates measured") == 1


def test_choices_are_kept_in_a_file(tmp_path, capsys):
    path = tmp_path / "choices.json"
    x, out = torch.rand(32, 256), torch.zeros(32, 256)
    scale(cache=str(path))(x, out)
    assert "candidates measured" in capsys.readouterr().out
    assert list(json.loads(path.read_text()).values()) == [{"block": "4", "depth": "2"}]
    again = scale(cache=str(path))
    out.zero_()
    again(x, out)
    assert torch.equal(out, 2 * x)
    assert capsys.readouterr().out == ""
    assert list(again.choices.values()) == [{"block": 4, "depth": 2}]
    again(torch.rand(32, 128), torch.zeros(32, 128))  # another shape
    assert "candidates measured" in capsys.readouterr().out
    assert len(json.loads(path.read_text())) == 2


@pytest.mark.parametrize("text", ["{", "[1]", '{"kernel": 5}'])
def test_a_file_that_holds_no_choices(text, tmp_path, recwarn):
    path = tmp_path / "choices.json"
    path.write_text(text)
    x, out = torch.rand(32, 256), torch.zeros(32, 256)
    scale(cache=str(path), verbose=False)(x, out)
    assert torch.equal(out, 2 * x)
    assert any("choices.json" in str(w.message) and "kernels are tuned again" in str(w.message) for w in recwarn) == (text != '{"kernel": 5}')


def test_a_caller_may_choose():
    kernel = scale(verbose=False)
    x, out = torch.rand(32, 256), torch.zeros(32, 256)
    kernel(x, out, block=1)
    assert torch.equal(out, 2 * x)
    assert not kernel.tables


def test_nothing_runs():
    @ttl.autotune(depth=[1, 2])
    @ttl.kernel(grid=(1, 1))
    def kernel(x, depth=1):
        raise ValueError("not today")

    with pytest.raises(RuntimeError, match=r"kernel\(\): none of the 2 candidates of ttl.autotune runs:\n  depth=\d: not today"):
        kernel(torch.zeros(32, 32))


@pytest.mark.parametrize("make, message", [
    (lambda k: ttl.autotune()(k), "ttl.autotune needs lists of candidates"),
    (lambda k: ttl.autotune(depth=2)(k), "depth is a list of candidates, not 2"),
    (lambda k: ttl.autotune(depth=[])(k), r"depth is a list of candidates, not \[\]"),
    (lambda k: ttl.autotune(width=[1])(k), r"kernel\(\) has no parameter 'width'; it has x, depth, and cores is its grid"),
    (lambda k: ttl.autotune(x=[1])(k), r"the parameter 'x' of kernel\(\) needs a default"),
    (lambda k: ttl.autotune(depth=[1])(k.function), r"@ttl.autotune\(...\) is written above @ttl.kernel"),
    (lambda k: ttl.autotune(depth=[1], share=0)(k), "share is more than 0 and at most 1, not 0"),
])
def test_decorators_that_do_not_fit(make, message):
    @ttl.kernel(grid=(1, 1))
    def kernel(x, depth=1):
        pass

    with pytest.raises((TypeError, ValueError), match=message):
        make(kernel)


def test_an_interrupted_search_shows_what_was_measured(capsys):
    @ttl.autotune(block=[1, 2, 3, 4, 5, 6], share=1)
    @ttl.kernel(grid=(1, 1))
    def kernel(x, out, block=1):
        if block == 5:
            signal.raise_signal(signal.SIGINT)
        x_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, out))

        @ttl.compute()
        def compute():
            with x_cb.wait() as b, out_cb.reserve() as o:
                o.store(b * 2)

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as b:
                ttl.copy(x[0, 0], b).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as b:
                ttl.copy(b, out[0, 0]).wait()

    x, out = torch.ones(32, 32), torch.zeros(32, 32)
    with pytest.raises(KeyboardInterrupt, match=r"ttl.autotune: interrupted after [1-5] of 6 candidates; no choice is made"):
        kernel(x, out)
    shown = capsys.readouterr().out
    measured = int(re.match(r"kernel: (\d) of 6 candidates measured, 0 left out\n", shown)[1])
    assert 1 <= measured <= 5 and len(re.findall(r"\d+ cycles  block=", shown)) == measured and "chosen" not in shown
    assert not kernel.choices and torch.equal(out, torch.zeros(32, 32))
    kernel(x, out, block=2)
    assert torch.equal(out, 2 * x)
