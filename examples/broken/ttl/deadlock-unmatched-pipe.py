"""The sender sends two blocks, the receiver receives one.

Report:
  error <2>: deadlock: no thread can go on: @read waits for the receiver of pipe 'net' from core 0,0 to core 0,1;
      core 0,1 does not come to receive: all threads there have ended (kernel @read, core 0,0, cycle *)
  note <2>: each block that is sent into a pipe is received by every core at its end: copy as often, and in the
      same order, on both sides
  note <3>: pipe 'net' from core 0,0 to core 0,1 is made here
  note <1>: @compute on core 0,0 waits for 1 filled page of circular buffer 0 ('x_cb') (none is there); no thread
      ever pushed to it: @read, which would, waits, too
  note <4>: @write on core 0,0 waits for 1 filled page of circular buffer 1 ('out_cb') (none is there); no thread
      ever pushed to it: @compute, which would, waits, too
"""

import torch
import ttl


@ttl.kernel(grid=(2, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])  # <3>

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:  # <1>
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

            def send(pipe):
                ttl.copy(block, pipe).wait()
                ttl.copy(block, pipe).wait()  # <2>

            def receive(pipe):
                ttl.copy(pipe, block).wait()

            net.if_src(send)
            net.if_dst(receive)

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:  # <4>
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32))
