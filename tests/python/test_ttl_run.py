"""TTL kernels from Python to results on the embedded device, against torch.

Tolerance: the expression is computed in f32 and compared within 2^-8 of bf16 per operation (each result is rounded to
DST and to the buffer), 2^-11 for f32, whose SFPU functions are approximations.
"""

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
import ttnn  # noqa: E402

EPS = {torch.bfloat16: 2.0**-8, torch.float32: 2.0**-11}
DTYPES = [torch.bfloat16, torch.float32]


@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


def blocks(function, inputs, block=(1, 1), grid=(1, 1), out=None, **options):
    """Runs a function of blocks over tensors of one shape, block after block, distributed by rows."""
    out = torch.zeros_like(inputs[0]) if out is None else out

    @ttl.kernel(grid=grid, **options)
    def kernel(*tensors):
        *sources, target = tensors
        source_cbs = [ttl.make_circular_buffer_like(t, shape=block) for t in sources]
        out_cb = ttl.make_circular_buffer_like(target, shape=block)
        across, down = ttl.grid_size(dims=2)
        rows, columns = target.shape[0] // 32 // block[0] // down, target.shape[1] // 32 // block[1] // across

        @ttl.compute()
        def compute():
            for _ in range(rows * columns):
                taken = [cb.wait() for cb in source_cbs]
                with out_cb.reserve() as o:
                    o.store(function(*taken))
                for cb in source_cbs:
                    cb.pop()

        def index(i):
            x, y = ttl.core(dims=2)
            row, column = (y * rows + i // columns) * block[0], (x * columns + i % columns) * block[1]
            return slice(row, row + block[0]), slice(column, column + block[1])

        @ttl.datamovement()
        def read():
            for i in range(rows * columns):
                for tensor, cb in zip(sources, source_cbs):
                    with cb.reserve() as b:
                        ttl.copy(tensor[index(i)], b).wait()

        @ttl.datamovement()
        def write():
            for i in range(rows * columns):
                with out_cb.wait() as b:
                    ttl.copy(b, target[index(i)]).wait()

    kernel(*inputs, out)
    return out


def close(got, want, dtype, operations=1):
    want = want.float()
    error = (got.float() - want).abs() / want.abs().clamp(min=1)
    assert error.max() <= (operations + 1) * EPS[dtype], float(error.max())


UNARY = {
    "exp": torch.exp, "log": torch.log, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "tanh": torch.tanh, "abs": torch.abs,
    "neg": torch.neg, "relu": torch.relu, "sigmoid": torch.sigmoid,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    x = torch.linspace(-4, 4, 1024).reshape(32, 32).to(dtype)
    if name in ("log", "sqrt", "rsqrt"):
        x = x.abs() + 0.0625
    function = getattr(ttl.math, name)
    close(blocks(lambda b: function(b), [x]), UNARY[name](x.float()), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "max"])
def test_binary(name, dtype):
    torch.manual_seed(1)
    x, y = torch.randn(64, 64).to(dtype), torch.randn(64, 64).to(dtype)
    want = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "max": torch.maximum}[name](x.float(), y.float())
    function = getattr(ttl.math, name)
    close(blocks(lambda a, b: function(a, b), [x, y], block=(2, 1)), want, dtype)


COMPOSITE = {
    "sinh": torch.sinh, "cosh": torch.cosh, "asinh": torch.asinh, "acosh": torch.acosh, "atanh": torch.atanh,
    "leaky_relu": torch.nn.functional.leaky_relu, "elu": torch.nn.functional.elu, "celu": torch.celu,
    "softplus": torch.nn.functional.softplus, "logp1": torch.log1p,
}


@pytest.mark.parametrize("name", COMPOSITE)
def test_composite(name):
    x = torch.linspace(-0.9, 0.9, 1024).reshape(32, 32)
    x = x + 2 if name == "acosh" else x
    function = getattr(ttl.math, name)
    close(blocks(lambda b: function(b), [x]), COMPOSITE[name](x), torch.float32, 4)


def test_numbers_in_expressions():
    x = torch.rand(32, 32) + 0.5
    got = blocks(lambda b: (2 - b) * 0.5 + 1 / b - b / 4 + b ** 2 - b ** 3 + (b + 1.5), [x])
    close(got, (2 - x) * 0.5 + 1 / x - x / 4 + x**2 - x**3 + (x + 1.5), torch.float32, 8)


def test_store_of_a_block_copies():
    x = torch.randn(64, 64).bfloat16()
    assert torch.equal(blocks(lambda b: b, [x], block=(2, 2)), x)


def product(m, k, n, block, dtype, function):
    """C = function(A @ B) summed over blocks of k, each of `block` tiles (rows, inner, columns)."""
    torch.manual_seed(4)
    a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
    out = torch.zeros(m, n, dtype=dtype)
    rows, inner, columns = block

    @ttl.kernel(grid=(1, 1))
    def matmul(a, b, c):
        a_cb = ttl.make_circular_buffer_like(a, shape=(rows, inner))
        b_cb = ttl.make_circular_buffer_like(b, shape=(inner, columns))
        c_cb = ttl.make_circular_buffer_like(c, shape=(rows, columns))
        ms, ks, ns = m // 32 // rows, k // 32 // inner, n // 32 // columns

        @ttl.compute()
        def compute():
            for _ in range(ms * ns):
                with c_cb.reserve() as o:
                    for _ in range(ks):
                        with a_cb.wait() as x, b_cb.wait() as y:
                            function(o, x, y)

        @ttl.datamovement()
        def read():
            for i in range(ms):
                for j in range(ns):
                    for p in range(ks):
                        with a_cb.reserve() as x, b_cb.reserve() as y:
                            tx = ttl.copy(a[i * rows:(i + 1) * rows, p * inner:(p + 1) * inner], x)
                            ty = ttl.copy(b[p * inner:(p + 1) * inner, j * columns:(j + 1) * columns], y)
                            tx.wait()
                            ty.wait()

        @ttl.datamovement()
        def write():
            for i in range(ms):
                for j in range(ns):
                    with c_cb.wait() as o:
                        ttl.copy(o, c[i * rows:(i + 1) * rows, j * columns:(j + 1) * columns]).wait()

    matmul(a, b, out)
    return out.float(), a.float() @ b.float(), (a.float().abs() @ b.float().abs()).max()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape, block", [((32, 32, 32), (1, 1, 1)), ((64, 128, 96), (2, 2, 3)), ((64, 256, 32), (1, 8, 1))])
def test_matmul(shape, block, dtype):
    """The products are exact in f32 (of operands of 8 or, for f32, 11 bits); a block's sum is rounded each time
    that it is packed: within 2^-8 (2^-9 for f32's operands) of the sum of magnitudes."""
    got, want, scale = product(*shape, block, dtype, lambda o, x, y: o.store(x @ y, acc=True))
    assert (got - want).abs().max() <= scale * 2.0**-8


def test_augmented_assignment_accumulates():
    def add(o, x, y):
        o += x @ y

    got, want, scale = product(32, 128, 32, (1, 1, 1), torch.float32, add)
    assert (got - want).abs().max() <= scale * 2.0**-9


@pytest.mark.parametrize("name, dims", [("sum", [0]), ("sum", [1]), ("sum", [0, 1]), ("max", [1]), ("max", [-1])])
def test_reductions(name, dims):
    torch.manual_seed(5)
    x = torch.randn(64, 96)
    ones = torch.ones(32, 32)
    axes = [d % 2 for d in dims]
    tiles = (1 if 0 in axes else 2, 1 if 1 in axes else 3)
    out = torch.zeros(tiles[0] * 32, tiles[1] * 32)
    function = ttl.math.reduce_sum if name == "sum" else ttl.math.reduce_max

    @ttl.kernel(grid=(1, 1))
    def reduce(a, ones, c):
        a_cb = ttl.make_circular_buffer_like(a, shape=(2, 3))
        s_cb = ttl.make_circular_buffer_like(ones, shape=(1, 1))
        c_cb = ttl.make_circular_buffer_like(c, shape=tiles)

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, s_cb.wait() as s, c_cb.reserve() as o:
                o.store(function(x, s, dims=dims))

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as x, s_cb.reserve() as s:
                ttl.copy(a[0:2, 0:3], x).wait()
                ttl.copy(ones, s).wait()

        @ttl.datamovement()
        def write():
            with c_cb.wait() as o:
                ttl.copy(o, c).wait()

    reduce(x, ones, out)
    want = x.sum(axes, keepdim=True) if name == "sum" else x.amax(axes, keepdim=True)
    got = out[:want.shape[0], :want.shape[1]]
    assert (got - want).abs().max() <= 2.0**-9 * x.abs().sum(axes, keepdim=True).max()


def test_transpose():
    x, out = torch.randn(32, 64).bfloat16(), torch.zeros(64, 32).bfloat16()

    @ttl.kernel(grid=(1, 1))
    def turn(a, c):
        a_cb, c_cb = ttl.make_circular_buffer_like(a, shape=(1, 2)), ttl.make_circular_buffer_like(c, shape=(2, 1))

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, c_cb.reserve() as o:
                o.store(ttl.transpose(x))

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as x:
                ttl.copy(a, x).wait()

        @ttl.datamovement()
        def write():
            with c_cb.wait() as o:
                ttl.copy(o, c).wait()

    turn(x, out)
    assert torch.equal(out, x.T)


def test_print_shows_what_the_kernel_knows(capsys):
    @ttl.kernel(grid=(2, 1))
    def speaking(a):
        @ttl.datamovement()
        def work():
            x, _ = ttl.core(dims=2)
            print("core", x, f"of {ttl.grid_size(dims=1)}: {x + 40}")

    speaking(torch.zeros(32, 32))
    out = capsys.readouterr().out
    assert "core 0 of 2: 40" in out and "core 1 of 2: 41" in out and f"{__file__}:" in out


@pytest.mark.parametrize("grid, block", [((1, 1), (1, 1)), ((2, 2), (2, 2)), ((4, 1), (1, 1)), ((8, 8), (1, 1))])
def test_grids_and_blocks(grid, block, device):
    torch.manual_seed(2)
    x, y = (torch.rand(256, 256).bfloat16() for _ in range(2))
    tensors = [ttnn.from_torch(t, device=device) for t in (x, y)]
    out = ttnn.from_torch(torch.zeros(256, 256), dtype=ttnn.bfloat16, device=device)
    blocks(lambda a, b: a * b + a, tensors, block, grid, out)
    close(ttnn.to_torch(out), x.float() * y.float() + x.float(), torch.bfloat16, 2)


def test_many_operations_share_dst():
    x = torch.linspace(-1, 1, 1024).reshape(32, 32)
    close(blocks(lambda b: ttl.exp(b) * ttl.sigmoid(b) - ttl.tanh(b) * b, [x]),
          torch.exp(x) * torch.sigmoid(x) - torch.tanh(x) * x, torch.float32, 6)


@pytest.mark.parametrize("dims", [[0], [1], [0, 1]])
def test_broadcast(dims):
    torch.manual_seed(3)
    x, y = torch.randn(32, 32).bfloat16(), torch.randn(32, 32).bfloat16()
    row = y.float()[:1] if dims == [0] else y.float()[:, :1] if dims == [1] else y.float()[:1, :1]
    got = blocks(lambda a, b: ttl.math.broadcast(b, dims=dims) * a, [x, y])
    close(got, x.float() * row, torch.bfloat16)


def test_broadcast_of_an_expression():
    x, y = torch.rand(32, 32), torch.rand(32, 32)
    got = blocks(lambda a, b: ttl.math.sqrt(a**2 + ttl.math.broadcast(b**2 + b, dims=[0, 1])), [x, y])
    close(got, (x**2 + y[0, 0]**2 + y[0, 0]).sqrt(), torch.float32, 4)


def test_integers_move_whole():
    x = torch.arange(-2**30, 2**30, 2**21, dtype=torch.int32)[:1024].reshape(32, 32)
    out = torch.zeros_like(x)

    @ttl.kernel(grid=(1, 1))
    def passing(a, b):
        cb = ttl.make_circular_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def read():
            with cb.reserve() as block:
                ttl.copy(a[0, 0], block).wait()

        @ttl.datamovement()
        def write():
            with cb.wait() as block:
                ttl.copy(block, b[0, 0]).wait()

    passing(x, out)
    assert torch.equal(x, out)


def test_edge_values_pass_through():
    x = torch.zeros(32, 32)
    x.view(-1)[:6] = torch.tensor([float("inf"), -float("inf"), 0.0, -0.0, 3e38, 1e-30])
    got = blocks(lambda b: ttl.abs(b), [x])
    assert torch.equal(got, x.abs())


def test_numpy_arrays_are_written_back():
    np = pytest.importorskip("numpy")
    x, out = np.ones((32, 64), np.float32), np.zeros((32, 64), np.float32)
    blocks(lambda b: b + b, [x], out=out)
    assert (out == 2).all()


def test_second_call_runs_the_same_kernel_on_other_tensors(device):
    calls = []

    @ttl.kernel(grid=(1, 1))
    def double(a, out):
        calls.append(1)
        a_cb, out_cb = ttl.make_circular_buffer_like(a, shape=(1, 1)), ttl.make_circular_buffer_like(out, shape=(1, 1))

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, out_cb.reserve() as o:
                o.store(x + x)

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as b:
                ttl.copy(a[0, 0], b).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as b:
                ttl.copy(b, out[0, 0]).wait()

    for value in (1.0, 2.0, 3.0):
        a = ttnn.from_torch(torch.full((32, 32), value), dtype=ttnn.bfloat16, device=device)
        out = ttnn.from_torch(torch.zeros(32, 32), dtype=ttnn.bfloat16, device=device)
        double(a, out)
        assert (ttnn.to_torch(out) == 2 * value).all()
    assert len(calls) == 1
    double(torch.ones(64, 32), torch.zeros(64, 32))
    assert len(calls) == 2


# ---- mistakes -----------------------------------------------------------------------------------


def line_of(text):
    with open(__file__) as file:
        found = [i for i, line in enumerate(file, 1) if line.rstrip().endswith(f"# {text}")]
    assert len(found) == 1, text
    return found[0]


def test_copy_without_wait_is_found_when_compiled():
    @ttl.kernel(grid=(1, 1))
    def kernel(a, out):
        cb = ttl.make_circular_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def read():
            with cb.reserve() as block:
                ttl.copy(a[0, 0], block)  # without a wait

    with pytest.raises(ttl.TTLangCompileError, match="expects transfer handle to be synchronized with ttl.wait") as caught:
        kernel(torch.zeros(32, 32), torch.zeros(32, 32))
    assert f"test_ttl_run.py:{line_of('without a wait')}:" in str(caught.value)


def test_deadlock_names_the_line_and_the_device_lives_on(device):
    @ttl.kernel(grid=(1, 1))
    def stuck(a, out):
        cb = ttl.make_circular_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def write():
            with cb.wait() as block:  # for ever
                ttl.copy(block, out[0, 0]).wait()

    a, out = (ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.float32, device=device) for _ in range(2))
    with pytest.raises(RuntimeError, match="deadlock") as caught:
        stuck(a, out)
    assert f"test_ttl_run.py:{line_of('for ever')}" in str(caught.value)
    blocks(lambda b: b + b, [a], out=out)
    assert (ttnn.to_torch(out) == 2).all()


def test_index_outside_the_tensor_is_found_when_it_runs(device):
    @ttl.kernel(grid=(1, 1))
    def outside(a, out):
        cb = ttl.make_circular_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def read():
            for i in range(3):
                with cb.reserve() as block:
                    ttl.copy(a[i, 0], block).wait()  # the third tile does not exist

        @ttl.datamovement()
        def write():
            for i in range(3):
                with cb.wait() as block:
                    ttl.copy(block, out[0, 0]).wait()

    with pytest.raises(RuntimeError) as caught:
        outside(torch.zeros(64, 32), torch.zeros(64, 32))
    assert f"test_ttl_run.py:{line_of('the third tile does not exist')}" in str(caught.value)


def test_what_dst_cannot_hold_is_spilled():
    """Twelve shared values live at once need more than the eight registers of DST."""
    def function(a, b):
        shared = [a * float(i + 1) + b for i in range(12)]
        forward = shared[0]
        for value in shared[1:]:
            forward = ttl.math.max(forward, value)
        backward = shared[-1]
        for value in reversed(shared[:-1]):
            backward = backward + value
        return forward * 0.5 + backward * 0.125

    def want(a, b):
        shared = torch.stack([a * float(i + 1) + b for i in range(12)])
        return shared.amax(0) * 0.5 + shared.sum(0) * 0.125

    torch.manual_seed(3)
    for dtype in DTYPES:
        a, b = (torch.randn(64, 64).to(dtype) for _ in range(2))
        got = blocks(function, [a, b], block=(2, 1))
        expected = want(a.float(), b.float())
        assert (got.float() - expected).abs().max() <= 16 * EPS[dtype] * expected.abs().max()


def test_a_long_expression_is_cut():
    def function(a):
        for i in list(range(100)):
            a = a * 0.5 + float(i % 3)
        return a

    x = torch.randn(32, 32)
    assert torch.allclose(blocks(function, [x]), function(x), rtol=1e-6)
