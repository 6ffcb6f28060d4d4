"""Pipes and semaphores of TTL kernels."""

import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402


def sent(net_of, grid, count=2):
    """Sends the first core's tiles to all cores of the pipes; returns the tiles written by each core."""
    cores = 1
    for g in grid:
        cores *= g
    x, out = torch.randn(32 * count, 32), torch.zeros(32 * count * cores, 32)

    @ttl.kernel(grid=grid)
    def kernel(x, out):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
        net = net_of()

        @ttl.datamovement()
        def share():
            for i in range(count):
                def send(pipe):
                    with cb.reserve() as block:
                        ttl.copy(x[i, 0], block).wait()
                        ttl.copy(block, pipe).wait()

                def receive(pipe):
                    with cb.reserve() as block:
                        ttl.copy(pipe, block).wait()

                net.if_src(send)
                net.if_dst(receive)

        @ttl.datamovement()
        def write():
            core = ttl.core(dims=1)
            for i in range(count):
                with cb.wait() as block:
                    ttl.copy(block, out[core * count + i, 0]).wait()

    kernel(x, out)
    return x, out.reshape(cores, 32 * count, 32)


@pytest.mark.parametrize("grid, pipe", [
    ((4, 1), ((0, 0), (slice(1, 4), 0))), ((1, 4), ((0, 0), (0, slice(1, 4)))), ((2, 1), ((0, 0), (1, 0))),
    ((4,), ((0,), (slice(1, 4),)))])
def test_one_pipe(grid, pipe):
    x, out = sent(lambda: ttl.PipeNet([ttl.Pipe(*pipe)]), grid)
    assert all(torch.equal(part, x) for part in out)


@pytest.mark.parametrize("src, dst, message", [
    ((0, 0), (0, 9), "lies outside the grid"), ((0, 0), (slice(2, 1), 0), "names no cores"), ((0,), (0, 1), "coordinates")])
def test_pipes_that_cannot_be(src, dst, message):
    with pytest.raises(ValueError, match=message):
        sent(lambda: ttl.PipeNet([ttl.Pipe(src, dst)]), (4, 1))


def test_too_many_pipes():
    with pytest.raises(ValueError, match="a core has 32 semaphores"):
        sent(lambda: ttl.PipeNet([ttl.Pipe((0, 0), (1, 0)) for _ in range(11)]), (2, 1))


def test_copy_at_the_wrong_end():
    @ttl.kernel(grid=(2, 1))
    def kernel(x):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
        net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])

        @ttl.datamovement()
        def work():
            net.if_src(lambda pipe: ttl.copy(pipe, cb.reserve()).wait())

    with pytest.raises(ttl.TTLangCompileError, match=r"copy\(\) from a pipe at its begin"):
        kernel(torch.zeros(32, 32))


@pytest.mark.parametrize("shape, dtype", [((1, 2), torch.float32), ((1, 1), torch.bfloat16)])
def test_ends_of_a_pipe_agree(shape, dtype):
    """Otherwise the receiver gets more tiles than it has room for, or bits of another format."""
    @ttl.kernel(grid=(2, 1))
    def kernel(x, out):
        sent, got = ttl.make_circular_buffer_like(x, shape=(1, 1)), ttl.make_circular_buffer_like(out, shape=shape)
        net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])

        @ttl.datamovement()
        def share():
            def send(pipe):
                with sent.reserve() as block:
                    ttl.copy(x[0, 0], block).wait()
                    ttl.copy(block, pipe).wait()

            def receive(pipe):
                with got.reserve() as block:
                    ttl.copy(pipe, block).wait()

            net.if_src(send)
            net.if_dst(receive)

    with pytest.raises(ttl.TTLangCompileError, match="at one end of a pipe, and a block .* at the other, on line"):
        kernel(torch.zeros(32, 32), torch.zeros(32, 64, dtype=dtype))


def test_barrier_of_all_cores():
    """Cores write, synchronise, and read what a neighbour has written."""
    n = 4
    x, y = torch.zeros(32 * n, 32), torch.zeros(32 * n, 32)
    source = torch.randn(32 * n, 32)

    @ttl.kernel(grid=(n, 1))
    def kernel(source, x, y):
        cb = ttl.make_circular_buffer_like(source, shape=(1, 1))
        count, go = ttl.Semaphore(), ttl.Semaphore(3)

        @ttl.datamovement()
        def work():
            core = ttl.core(dims=1)
            with cb.reserve() as block:
                ttl.copy(source[core, 0], block).wait()
            with cb.wait() as block:
                ttl.copy(block, x[core, 0]).wait()
            if core == 0:
                count.wait_eq(n - 1)
                go.get_remote_multicast().set(7)
            else:
                count.get_remote((0, 0)).inc()
            go.wait_eq(7)
            with cb.reserve() as block:
                ttl.copy(x[(core + 1) % n, 0], block).wait()
            with cb.wait() as block:
                ttl.copy(block, y[core, 0]).wait()

    kernel(source, x, y)
    assert torch.equal(x, source) and torch.equal(y, source.roll(-32, 0))


def test_semaphores_are_for_data_movement():
    @ttl.kernel(grid=(1, 1))
    def kernel(x):
        s = ttl.Semaphore()

        @ttl.compute()
        def work():
            s.wait_eq(1)

    with pytest.raises(ttl.TTLangCompileError, match="semaphores belong to data movement threads"):
        kernel(torch.zeros(32, 32))


def test_waiting_without_a_producer_is_a_deadlock():
    @ttl.kernel(grid=(2, 1))
    def kernel(x):
        s = ttl.Semaphore()

        @ttl.datamovement()
        def work():
            s.wait_ge(1)

    with pytest.raises(RuntimeError, match="deadlock"):
        kernel(torch.zeros(32, 32))


def uneven(sends, receives):
    """A core that sends `sends` times into a pipe to two others, which receive `receives` times."""

    @ttl.kernel(grid=(3, 1))
    def kernel(x):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=8)
        row = ttl.PipeNet([
            ttl.Pipe((0, 0), (slice(1, 3), 0)),
        ])

        @ttl.datamovement()
        def share():
            column, _ = ttl.core(dims=2)

            def send(pipe):
                for _ in range(sends):
                    with cb.reserve() as block:
                        ttl.copy(x[0, 0], block).wait()
                        ttl.copy(block, pipe).wait()

            def receive(pipe):
                for _ in range(receives[0] if column == 1 else receives[1]):
                    with cb.reserve() as block:
                        ttl.copy(pipe, block).wait()

            row.if_src(send)
            row.if_dst(receive)

    return kernel


@pytest.mark.parametrize("sends, receives, messages, where", (
    (2, (2, 1), "@share waits for the receivers of pipe 'row' from core 0,0 to cores 0,1-0,2; core 0,2 does not come to receive: all "
     "threads there have ended", "ttl.copy(block, pipe)"),
    (2, (1, 1), "cores 0,1-0,2 do not come to receive", "ttl.copy(block, pipe)"),
    (1, (2, 2), "@share waits for a block of pipe 'row' from core 0,0 to cores 0,1-0,2; core 0,0 does not come to send: all threads there "
     "have ended", "ttl.copy(pipe, block)"),
), ids=str)
def test_a_deadlock_names_the_pipe(sends, receives, messages, where):
    with pytest.raises(RuntimeError) as caught:
        uneven(sends, receives)(torch.ones(32, 32))
    text = str(caught.value)
    first, second = text.splitlines()[:2]
    assert messages in first and where in second and "0x" not in text
    at = next(i for i, line in enumerate(text.splitlines()) if "note: pipe 'row' from core 0,0 to cores 0,1-0,2 is made here" in line)
    assert "ttl.Pipe((0, 0), (slice(1, 3), 0))," in text.splitlines()[at + 1]


def test_a_profile_names_the_pipe():
    code = "import sys, torch; sys.path[:0] = sys.argv[1:]; from test_ttl_connect import uneven; uneven(3, (3, 3))(torch.ones(32, 32))"
    done = subprocess.run([sys.executable, "-c", code, os.path.dirname(__file__)], capture_output=True, text=True,
                          env={**os.environ, "TTLANG_SIM_PROFILE": "1"})
    assert "semaphore_wait (pipe 'row' from core 0,0 to cores 0,1-0,2) of @share" in done.stdout, done.stderr


@pytest.mark.parametrize("sender", [(0, 0), (2, 1), (1, 0)])
@pytest.mark.parametrize("sends_first", [True, False])
def test_a_multicast_to_its_own_core_that_another_thread_receives(sender, sends_first):
    """The sender's core is one of the receivers, which receive where the results are written."""
    columns, rows, steps = 3, 2, 5
    x, out = torch.randn(32 * steps, 32), torch.zeros(32 * rows * steps, 32 * columns)

    @ttl.kernel(grid=(columns, rows))
    def kernel(x, out):
        net = ttl.PipeNet([ttl.Pipe(sender, (slice(0, columns), slice(0, rows)))])
        sent = ttl.make_circular_buffer_like(x, shape=(1, 1))
        got = ttl.make_circular_buffer_like(x, shape=(1, 1))
        result = ttl.make_circular_buffer_like(out, shape=(1, 1))

        def send():
            for step in range(steps):
                def source(pipe):
                    with sent.reserve() as block:
                        ttl.copy(x[step, 0], block).wait()
                    with sent.wait() as block:
                        ttl.copy(block, pipe).wait()

                net.if_src(source)

        def receive():
            column, row = ttl.core(dims=2)
            for step in range(steps):
                def destination(pipe):
                    with got.reserve() as block:
                        ttl.copy(pipe, block).wait()

                net.if_dst(destination)
                with result.wait() as block:
                    ttl.copy(block, out[row * steps + step, column]).wait()

        @ttl.compute()
        def compute():
            for _ in range(steps):
                with got.wait() as block, result.reserve() as to:
                    to.store(block + 1)

        @ttl.datamovement()
        def first():
            send() if sends_first else receive()

        @ttl.datamovement()
        def second():
            receive() if sends_first else send()

    for _ in range(3):
        out.zero_()
        kernel(x, out)
        torch.testing.assert_close(out, (x + 1).repeat(rows, columns))
    assert "noc_semaphore_set_multicast_loopback_src" in kernel.ir(x, out, level="cpp")


def test_a_semaphore_set_on_all_cores_and_the_senders_own():
    """Every core waits in another thread than the one that sets the word on all cores."""
    n, steps = 4, 4
    x, out = torch.randn(32, 32), torch.zeros(32 * steps, 32 * n)

    @ttl.kernel(grid=(n, 1))
    def kernel(x, out):
        go, done = ttl.Semaphore(), ttl.Semaphore()
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def lead():
            column, _ = ttl.core(dims=2)
            if column == 0:
                everywhere = go.get_remote_multicast((slice(0, n), slice(0, 1)))
                for step in range(steps):
                    everywhere.set(step + 1)
                    done.wait_ge((step + 1) * n)

        @ttl.datamovement()
        def follow():
            column, _ = ttl.core(dims=2)
            for step in range(steps):
                go.wait_ge(step + 1)
                with x_cb.reserve() as block:
                    ttl.copy(x[0, 0], block).wait()
                with x_cb.wait() as block:
                    ttl.copy(block, out[step, column]).wait()
                done.get_remote((0, 0)).inc(1)

    kernel(x, out)
    torch.testing.assert_close(out, x.repeat(steps, n))
