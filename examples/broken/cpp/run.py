"""Kernels in C++ with a mistake each. The comment at a file's head has the mistake and the device's report.

python3 examples/broken/cpp/run.py NAME ...    prints what is reported about these; without a name, lists them."""

import sys
from pathlib import Path

import numpy as np
from tilewright.sim import L1, Buffer, Grid, Run, accessor, address

HERE = Path(__file__).parent
ROLES = ("reader", "compute", "writer")
ONE, TWO = (0, 0, 1, 1), (0, 0, 1, 2)  # a core, two beside each other
READS, COMPUTES, WRITES = ROLES
ALONE, BOTH, FOUR = {"cores": ONE}, {"cores": TWO}, {"cores": (0, 0, 1, 4)}
# A file's role in its program: one of three kernels, whose others are reader.cpp, compute.cpp and writer.cpp, or the
# only one, on these cores.
PROGRAMS = {
    "cb-overflow": READS, "cb-push-without-reserve": READS, "cb-pop-without-wait": WRITES, "cb-never-pushed": READS,
    "cb-never-popped": WRITES, "cb-window": COMPUTES, "cb-write-window": {"compute": ["reader"]}, "cb-landing": READS,
    "cb-wrap": ALONE, "page-size": READS, "dst-without-acquire": COMPUTES, "dst-pack-before-wait": COMPUTES,
    "dst-not-released": COMPUTES, "dst-not-committed": COMPUTES, "dst-range": COMPUTES, "dst-never-written": COMPUTES, "dst-lost-tile": COMPUTES,
    "format-not-reconfigured": COMPUTES, "init-missing": COMPUTES, "startup-missing": COMPUTES,
    "dst-integers-in-16-bits": {"compute": ["integers"]}, "l1-stray-store": ALONE, "l1-full": {"pages": 2000},
    "l1-tensors": {"pages": 725}, "init-wrong": COMPUTES, "l1-race-two-threads": {"twice": True},
    "l1-accumulate-not-reset": {"compute": ["reader"]}, "barrier-wrong-id": WRITES, "multicast-no-workers": FOUR,
    "noc-alignment": ALONE, "noc-packet-too-long": ALONE, "barrier-missing-read": READS,
    "barrier-missing-write": WRITES, "barrier-wrong-noc": READS, "noc-order": BOTH, "l1-race": BOTH,
    "dram-race": BOTH, "deadlock-mutual": BOTH, "semaphore-overshoot": BOTH, "semaphore-reset": BOTH,
    "semaphore-overwritten": BOTH, "multicast-sender": BOTH, "multicast-count": FOUR,
    "multicast-corners": FOUR, "deadlock-unmatched-pipe": BOTH, "uninitialised-read": READS,
    "padding": {"compute": ["narrow", "ones"]}, "padded-operand": {"compute": ["narrow and ones", "writer"]}, "l1-accumulate-block-float": {"compute": ["reader"]}, "coordinates-logical": ALONE,
    "argument-missing": READS, "noc-page-range": READS, "tensor-freed": READS, "endless-loop": ALONE,
}
FILL = """
    {
    const InterleavedAddrGenFast<true> from = {.bank_base_address = get_common_arg_val<uint32_t>(TENSOR),
                                               .page_size = PAGE, .data_format = DataFormat::FORMAT};
    cb_reserve_back(PORT, 1);
    noc_async_read_tile(0, from, get_write_ptr(PORT));
    noc_async_read_barrier();
    cb_push_back(PORT, 1);
    }"""


def fill(name):
    steps = "".join(FILL.replace("PORT", str(port)).replace("TENSOR", str(tensor)).replace("PAGE", str(page))
                    .replace("FORMAT", dtype) for port, tensor, page, dtype in map(FILLS.get, name.split(" and ")))
    return f'#include "dataflow_api.h"\nvoid kernel_main() {{{steps}\n}}\n'


# circular buffers of compute kernels: index, the tensor's index, the size of its tile, its format
FILLS = {"integers": (2, 4, 4096, "Int32"), "narrow": (4, 5, 2048, "Float16_b"), "ones": (6, 6, 2048, "Float16_b")}


def launch(name, grid=None):
    """The program with this mistake, ready to run."""
    how, grid = PROGRAMS[name], grid or Grid("n150", budget=100000)
    bits = lambda *shape: (np.full(shape, 1.5, np.float32).view(np.uint32) >> 16).astype(np.uint16)  # noqa: E731
    gone = grid.tensor((32, 64), "bf16", data=bits(32, 64))
    tensors = [grid.tensor((32, 64), "bf16", data=bits(32, 64)), grid.tensor((32, 64), "bf16"),
               grid.tensor((32, 32 * 64 * 8), "bf16", memory=L1), grid.tensor((32, 32), "f32"),
               grid.tensor((32, 32), "si32", data=np.ones((32, 32), np.int32)),
               grid.tensor((32, 20), "bf16", data=bits(32, 20)), grid.tensor((32, 32), "bf16", data=bits(32, 32))]
    common = [address(0), address(1), address(2), gone.address, address(4), address(5), address(6)]
    del gone
    mine, fills = HERE / f"{name}.cpp", []
    if isinstance(how, str):
        files = {role: mine if role == how else HERE / f"{role}.cpp" for role in ROLES}
        cores = ONE
    elif "compute" in how:
        fills = [HERE / f"{f}.cpp" if f in ROLES else fill(f) for f in how["compute"]]
        files, cores = {"compute": mine}, ONE
    else:
        files, cores = {"reader": mine}, how.get("cores", ONE)
    moves = dict(compile_args=[accessor(0)], common_args=common, args=[[i] for i in range(cores[3])])
    runs = [Run(file, cores, **({} if role == "compute" else moves), noc=int(role == "writer"))
            for role, file in files.items()]
    if "twice" in how:
        runs.append(Run(mine, cores, **moves, noc=1))
    runs += [Run(text, cores, **moves, noc=i) for i, text in enumerate(fills)]
    buffers = [Buffer(0, "bf16", 2, name="input"), Buffer(16, "bf16", 2, name="output"), Buffer(1, "bf16", 3),
               Buffer(2, "si32", 1), Buffer(3, "f32", 1), Buffer(4, "bf16", 1), Buffer(5, "bf16", 1),
               Buffer(6, "bf16", 1), Buffer(7, "bfp_bf8", 1)]
    if isinstance(how, dict) and "pages" in how:
        buffers.append(Buffer(20, "bf16", how["pages"], name="too large"))
    return grid.load().launch(runs, buffers, tensors, semaphores=[0, 0])


def report(name):
    """The report of the launch."""
    try:
        made = launch(name)
        made.run()
        return made.log
    except RuntimeError as error:
        return str(error)


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        print(report(wanted))
    if not sys.argv[1:]:
        print(*PROGRAMS, sep="\n")
