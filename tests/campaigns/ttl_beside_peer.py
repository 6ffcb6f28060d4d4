"""A child process of ttl_beside.py: runs kernels on tt-lang's simulator. Reads (text, arrays in f32, the name of the tensors' type,
the result's shape) and answers with the result as an array in f32, or with the error's text, pickled."""

import linecache
import os
import pickle
import sys

sys.path.insert(0, sys.argv[1])
import torch  # noqa: E402
from ttl.sim import ttl, ttnn  # noqa: E402

torch.set_num_threads(1)


def run(text, arrays, dtype, shape):
    device = ttnn.open_device(device_id=0)
    on_device = [ttnn.from_torch(t.to(getattr(torch, dtype)), dtype=getattr(ttnn, dtype), layout=ttnn.TILE_LAYOUT, device=device,
                                 memory_config=ttnn.DRAM_MEMORY_CONFIG) for t in (*map(torch.from_numpy, arrays), torch.zeros(shape))]
    file = f"<kernel {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"ttl": ttl, "ttnn": ttnn}
    exec(compile(text, file, "exec"), names)  # noqa: S102
    names["made"](*on_device)
    return ttnn.to_torch(on_device[-1]).float().numpy()


def main():
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)  # noqa: S301 our own parent's
        except EOFError:
            return
        try:
            answer = run(*request)
        except (Exception, SystemExit) as e:  # noqa: BLE001 whatever the simulator reports
            answer = f"{type(e).__name__}: {str(e)[:300]}"
        pickle.dump(answer, out)
        out.flush()


main()
