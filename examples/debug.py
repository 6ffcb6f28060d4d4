"""breakpoint() in a thread stops it on its core when the kernel runs, with a prompt.

    ttlang-sim examples/debug.py
    ttlang-sim --break 0,1:read:29 examples/debug.py
"""

import torch
import ttl


@ttl.kernel(grid=(2, 1))
def scale(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 2))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 2))
    ready = ttl.Semaphore()

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            breakpoint()
            result.store(block * 2 + 1)

    @ttl.datamovement()
    def read():
        column, _ = ttl.core(dims=2)
        ready.get_remote((1 - column, 0)).inc(1)
        ready.wait_ge(1)
        with x_cb.reserve() as block:
            ttl.copy(x[0, 2 * column:2 * column + 2], block).wait()

    @ttl.datamovement()
    def write():
        column, _ = ttl.core(dims=2)
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 2 * column:2 * column + 2]).wait()


if __name__ == "__main__":
    x, out = torch.arange(32 * 128).reshape(32, 128).float(), torch.zeros(32, 128)
    scale(x, out)
    assert torch.allclose(out, 2 * x + 1, rtol=0.01)
