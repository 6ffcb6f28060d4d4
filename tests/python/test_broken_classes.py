"""examples/broken/classes.py: every class has kernels in every language, every kernel a class; and the behaviour of
Python's compiler where a mistake cannot be made in Python."""

import importlib.util
import re
import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
import ttnn  # noqa: E402

ROOT = Path(__file__).parents[2]
BROKEN = ROOT / "examples/broken"


def load():
    spec = importlib.util.spec_from_file_location("broken_classes", BROKEN / "classes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


classes = load()
LANGUAGES = list(classes.LANGUAGES)
HELPERS = {"cpp/reader.cpp", "cpp/compute.cpp", "cpp/writer.cpp"}  # kernels used by the other programs


@pytest.mark.parametrize("row", classes.CLASSES, ids=[c[0] for c in classes.CLASSES])
def test_a_class_is_shown_in_every_language(row):
    name, hardware, *cells = row
    assert name and hardware and len(cells) == len(LANGUAGES)
    for language, kernels in zip(LANGUAGES, cells):
        if isinstance(kernels, str):
            reason, test = classes.NEVER[kernels]
            assert language == "Python" and reason and callable(globals()[test])
            continue
        assert kernels
        for kernel in kernels:
            text = (BROKEN / classes.path(language, kernel)).read_text()
            assert re.search(r"(?m)^(// )?Report:\n(// )?  (error|warning)", text), kernel


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kernel_has_a_class(language):
    folder, suffix = classes.LANGUAGES[language]
    there = {f.relative_to(BROKEN).as_posix() for f in (BROKEN / folder).glob(f"*{suffix}")}
    at = 2 + LANGUAGES.index(language)
    listed = {classes.path(language, k) for row in classes.CLASSES if not isinstance(row[at], str) for k in row[at]}
    assert there - HELPERS - {"cpp/run.py", "classes.py"} == listed


def test_reasons_are_used_and_the_page_is_the_tables():
    assert {c for row in classes.CLASSES for c in row[2:] if isinstance(c, str)} == set(classes.NEVER)
    assert (ROOT / "docs/kernel-errors.md").read_text() == classes.page()


# ---- behaviour instead -----------------------------------------------------------------------------------


def run(kernel, *tensors, seeds=(None,)):
    """Runs without a report; warnings count as reports, too."""
    for seed in seeds:
        with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
            warnings.simplefilter("error")
            if seed is not None:
                patch.setenv("TTLANG_SIM_SEED", str(seed))
            kernel(*tensors)


def elementwise(inputs, compute, shape=(1, 1)):
    """A kernel of one core: blocks of the input tensors arrive, `compute(out, *blocks)` computes the last tensor's."""
    rows, columns = shape

    @ttl.kernel(grid=(1, 1))
    def kernel(*tensors):
        buffers = [ttl.make_circular_buffer_like(t, shape=shape) for t in tensors[:inputs]]
        result = ttl.make_circular_buffer_like(tensors[-1], shape=shape)

        @ttl.compute()
        def work():
            with result.reserve() as out:
                compute(out, *[b.wait() for b in buffers])
            for b in buffers:
                b.pop()

        @ttl.datamovement()
        def read():
            for t, b in zip(tensors, buffers):
                with b.reserve() as block:
                    ttl.copy(t[0:rows, 0:columns], block).wait()

        @ttl.datamovement()
        def write():
            with result.wait() as block:
                ttl.copy(block, tensors[-1][0:rows, 0:columns]).wait()

    return kernel


def numbers(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


def steps(kernel, *tensors, of):
    """The calls of the compute kernel's C++ whose names match `of`, in order."""
    text = kernel.ir(*tensors, level="cpp")
    return re.findall(rf"\b({of})\(", text)


def test_dst_is_taken_and_given_back():
    def many(out, x, y):
        out.store(ttl.math.exp(x) * y + (x @ y))

    kernel, tensors = elementwise(2, many), [numbers(32, 32), numbers(32, 32), torch.zeros(32, 32)]
    order = steps(kernel, *tensors, of="tile_regs_acquire|tile_regs_commit|tile_regs_wait|pack_tile(?:<[^>]*>)?|tile_regs_release")
    text = " ".join(re.sub("<.*", "", s).removeprefix("tile_regs_") for s in order)
    assert re.fullmatch(r"(acquire commit wait (pack_tile ?)+release ?)+", text), text
    run(kernel, *tensors)


def test_expressions_larger_than_dst():
    """A balanced tree of 16 blocks needs five tiles at once; DST has four of f32."""
    def tree(out, *blocks):
        while len(blocks) > 1:
            blocks = [ttl.math.exp(a) * b for a, b in zip(blocks[::2], blocks[1::2])]
        out.store(blocks[0])

    x = [numbers(32, 32) * 0.1 + i * 0.01 for i in range(16)]
    out = torch.zeros(32, 32)
    kernel = elementwise(16, tree)
    run(kernel, *x, out)
    want = [t.double() for t in x]
    while len(want) > 1:
        want = [a.exp() * b for a, b in zip(want[::2], want[1::2])]
    assert torch.allclose(out.double(), want[0], rtol=2**-20, atol=1e-9)
    indices = [int(i) for i in re.findall(r"exp_tile\((\d+)\)", kernel.ir(*x, out, level="cpp"))]
    assert all(i < 4 for i in indices)


def test_each_operation_has_its_init():
    """The device reports an operation whose unit is set up for another one (class "A missing init"): none here, where
    operations of every unit alternate."""
    def turns(out, x, y):
        out.store(ttl.math.exp(x) + (x @ y) * ttl.math.recip(y) + ttl.math.transpose(x) - ttl.math.broadcast(
            ttl.math.reduce_max(y, dims=[1]), dims=[1]))

    x, y, out = numbers(32, 32) * 0.1, numbers(32, 32).abs() + 1, torch.zeros(32, 32)
    run(elementwise(2, turns), x, y, out)
    want = x.exp() + (x @ y) / y + x.T - y.amax(1, keepdim=True)
    assert torch.allclose(out, want, rtol=2**-7, atol=2**-6)


def test_copies_of_many_packets():
    """A block of 64 tiles of f32 is 32 packets of the NoC."""
    x, out = numbers(256, 256), torch.zeros(256, 256)
    run(elementwise(1, lambda out, b: out.store(b * 2), shape=(8, 8)), x, out)
    assert torch.equal(out, x * 2)


@ttl.kernel(grid=(1, 1))
def two_at_once(x, out):
    cb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=4)
    other = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=4)

    @ttl.datamovement()
    def read():
        with cb.reserve() as a, other.reserve() as b:
            first, second = ttl.copy(x[0, 0], a), ttl.copy(x[0, 1], b)
            second.wait()
            first.wait()

    @ttl.datamovement()
    def write():
        with other.wait() as b, cb.wait() as a:
            first, second = ttl.copy(a, out[0, 1]), ttl.copy(b, out[0, 0])
            second.wait()
            first.wait()


def test_waits_are_for_their_copies():
    x, out = numbers(32, 64), torch.zeros(32, 64)
    run(two_at_once, x, out, seeds=range(5))
    assert torch.equal(out, torch.cat([x[:, 32:], x[:, :32]], 1))


@ttl.kernel(grid=(2, 1))
def through_dram(x, between, out):
    cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    ready = ttl.Semaphore()

    @ttl.datamovement()
    def move():
        if ttl.core(dims=1) == 0:
            with cb.reserve() as block:
                ttl.copy(x[0, 0], block).wait()
            with cb.wait() as block:
                ttl.copy(block, between[0, 0]).wait()
            ready.get_remote((1, 0)).inc(1)
        else:
            ready.wait_ge(1)
            with cb.reserve() as block:
                ttl.copy(between[0, 0], block).wait()
            with cb.wait() as block:
                ttl.copy(block, out[0, 0]).wait()


def test_data_comes_before_its_signal():
    x, between, out = numbers(32, 32), torch.zeros(32, 32), torch.zeros(32, 32)
    run(through_dram, x, between, out, seeds=range(5))
    assert torch.equal(out, x)


@ttl.kernel(grid=(4, 1))
def again(x, out):
    cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe((0, 0), (slice(1, 4), 0))])

    @ttl.datamovement()
    def send():
        for i in range(10):
            with cb.reserve() as block:
                def out_of(pipe):
                    ttl.copy(x[i, 0], block).wait()
                    ttl.copy(block, pipe).wait()

                net.if_src(out_of)
                net.if_dst(lambda pipe: ttl.copy(pipe, block).wait())

    @ttl.datamovement()
    def write():
        for i in range(10):
            with cb.wait() as block:
                ttl.copy(block, out[i, ttl.core(dims=1)]).wait()


def test_pipes_one_after_the_other():
    """Ten multicasts of the same words, under five orders."""
    x, out = numbers(320, 32), torch.zeros(320, 128)
    run(again, x, out, seeds=range(5))
    assert torch.equal(out, x.repeat(1, 4))
