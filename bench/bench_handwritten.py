#!/usr/bin/env python3
"""Cycles of hand-written kernels of tt-metal on the modelled chip, beside kernels of ours for the same work.

bench_handwritten.py CHECKOUT [--build DIR]

CHECKOUT is a checkout of tt-metal, or the folder `ttnn` of PyPI's wheel ttnn (pip download ttnn; unzip), whose kernels of ttnn's operations are
compiled and run unmodified; their hosts are here. Numbers are compared with torch first."""

import argparse
import struct
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
NOC_ORIGIN = 18  # of cores' coordinates on the NoC


def bits(x):
    """bf16 tensors as the grid's 16-bit words."""
    import torch

    return x.to(torch.bfloat16).contiguous().view(torch.int16).numpy().view("uint16")


def values(tensor, shape):
    import numpy
    import torch

    return torch.from_numpy(tensor.read(numpy.empty(shape, numpy.uint16)).view("int16")).view(torch.bfloat16).float()


def check(name, got, want, bound):
    error = float((got - want).abs().max() / want.abs().max())
    if error > bound:
        sys.exit(f"{name}: off by {error:.3g} of the largest value")


def matmul_theirs(kernels, side, mt, kt, nt, block, subblock):
    """C = A @ B of mt x kt and kt x nt tiles on side x side cores: cores of the first column read and multicast A along their rows, those of the
    first row B down their columns. `block` tiles of the inner dimension at a time, subblocks of DST of `subblock` rows and columns."""
    import torch
    from tilewright.sim import Buffer, Grid, Run, accessor, address

    folder = kernels / "ttnn/cpp/ttnn/operations/matmul/device/kernels"
    m, n, steps = mt // side, nt // side, kt // block
    h, w = subblock
    grid = Grid("n150")
    a, b = torch.randn(32 * mt, 32 * kt).bfloat16(), torch.randn(32 * kt, 32 * nt).bfloat16()
    tensors = [grid.tensor(a.shape, "bf16", data=bits(a)), grid.tensor(b.shape, "bf16", data=bits(b)), grid.tensor((32 * mt, 32 * nt), "bf16")]
    named = {"cb_in0": 0, "cb_in1": 1, "cb_out": 4, "cb_intermed0": 5, "cb_in0_transposed": 8, "cb_sparsity": 6, "cb_in0_sharded": 2, "cb_bias": 3,
             "num_active": 0, "bias_ntiles": n}
    at = [NOC_ORIGIN + i for i in range(side)]
    ready_a, sent_a, ready_b, sent_b = range(4)
    padding = [m // h, m // h, h, 0, n // w, n // w, w, 0, 0]  # blocks and subblocks of the last core, none of which is cut

    def in0_sender(rows):
        return Run(folder / "dataflow/reader_bmm_tile_layout_in0_sender_padding.cpp", (rows[0], 0, len(rows), 1), named_args=named, noc=1, compile_args=[
            1, kt, block, m * kt, block, m, block * m, 0, 0, 0, 0, 0, steps, 1, 1, ready_a, sent_a, side - 1, side - 1, mt * kt, 1, 1, 0, 0, 0, 1, 0, 0,
            accessor(0), accessor(0), 1],
            args=[[address(0), r * m * kt, at[side - 1], at[r], at[1], at[r], m, 0] for r in rows])

    def in0_receiver():
        return Run(folder / "dataflow/reader_bmm_tile_layout_in0_receiver.cpp", (0, 1, side, side - 1), named_args=named, noc=1, compile_args=[
            block * m, steps, 1, 1, ready_a, sent_a, 1, 0], args=[[at[0], at[r]] for r in range(side) for _ in range(1, side)])

    def in1_sender():
        return Run(folder / "dataflow/reader_bmm_tile_layout_in1_sender_writer_padding.cpp", (0, 0, 1, side), named_args=named, compile_args=[
            1, nt, block * nt, n, n, block, n * block, steps, 1, 1, ready_b, sent_b, side - 1, side - 1, kt * nt, 1, 1, 0, 0,
            1, nt, w, h * nt, n, m * nt, w, h, w * h, mt * nt, 0, 0, 0, 0, accessor(1), accessor(1), accessor(2)],
            args=[[address(1), c * n, at[c], at[1], at[c], at[side - 1], 0, address(2), c * n, n, m // h, h, 0, n // w, n // w, w, 0, 0, 0, 0, 1]
                  for c in range(side)])

    def in1_receiver():
        return Run(folder / "dataflow/reader_bmm_tile_layout_in1_receiver_writer_padding.cpp", (1, 0, side - 1, side), named_args=named, compile_args=[
            block * n, steps, 1, 1, ready_b, sent_b, 1, 1, nt, w, h * nt, n, m * nt, w, h, w * h, mt * nt, 0, 0, accessor(2)],
            args=[[at[c], at[0], address(2), r * m * nt + c * n, *padding, 1, 1] for r in range(1, side) for c in range(side)])

    compute = Run(folder / "compute/bmm_large_block_zm_fused_bias_activation.cpp", (0, 0, side, side), named_args=named,
                  defines={"PACKER_L1_ACC": 1}, compile_args=[
                      block, m // h, block * m, h * block, n // w, block * n, n, steps, 1, 1, h, w, h * w, 1, m * n, 0, 0, 0])
    launch = grid.load().launch(
        [in0_sender(range(side)), in0_receiver(), in1_sender(), in1_receiver(), compute],
        cbs=[Buffer(0, "bf16", 2 * m * block), Buffer(1, "bf16", 2 * n * block), Buffer(4, "bf16", m * n), Buffer(5, "bf16", m * n)],
        tensors=tensors, semaphores=[0, 0, 0, 0]).run()
    check("matmul", values(tensors[2], (32 * mt, 32 * nt)), a.float() @ b.float(), 2**-6)
    return launch.cycles


def layer_norm_theirs(kernels, cores, rows, width, block):
    """Layer norm with weight and bias of rows x width tiles on each core, each in blocks of `block` tiles."""
    import torch
    from tilewright.sim import Buffer, Grid, Run

    folder = kernels / "ttnn/cpp/ttnn/operations/normalization/layernorm/device/kernels"
    x, weight, bias = layer_norm_operands(rows * cores, width)
    grid = Grid("n150")

    def row(v):  # the first of a tile's rows
        return grid.tensor((32, 32 * width), "bf16", data=bits(torch.cat([v, torch.zeros(31, v.numel(), dtype=v.dtype)])))

    tensors = [grid.tensor(x.shape, "bf16", data=bits(x)), row(weight), row(bias), grid.tensor(x.shape, "bf16")]
    fused, where = {"FUSE_GAMMA": 1, "FUSE_BETA": 1}, (0, 0, 1, cores)
    ports = {"in": 0, "scaler": 1, "eps": 2, "gamma": 3, "beta": 4, "ex": 5, "xmm": 6, "xmm2": 7, "ex2": 8, "ex2pe": 9, "fusion": 10, "out": 16}
    whole = -(-width // block) * block
    sizes = {"in": 2 * whole, "gamma": whole, "beta": whole, "xmm": whole, "xmm2": whole, "fusion": 2 * block, "out": 2 * block}
    epsilon, = struct.unpack("I", struct.pack("f", 1e-5))
    runs = [Run(folder / "dataflow/reader_unary_interleaved_ln.cpp", where, defines=fused, dfb=ports, compile_args={"block_size": block, "W": 32 * width},
                tensor={"src": 0, "gamma": 1, "beta": 2}, args=[{"NCHt": rows, "Wt": width, "reader_start": c * rows, "eps": epsilon} for c in range(cores)]),
            Run(folder / "dataflow/writer_unary_interleaved_start_id_blocked.cpp", where, noc=1, dfb=ports, compile_args={"block_size": block},
                tensor={"dst": 3}, args=[{"Wt": width, "num_tile_rows": rows, "writer_start": c * rows * width} for c in range(cores)]),
            Run(folder / "compute/layernorm.cpp", where, defines=fused, dfb=ports, args={"NCHt": rows},
                compile_args={"Wt": width, "block_size": block, "do_gamma": 1, "do_beta": 1, "fp32_dest_acc_en": 0, "float32_reduction": 0, "W": 32 * width,
                              "tile_width": 32})]
    launch = grid.load().launch(runs, cbs=[Buffer(port, "bf16", sizes.get(name, 1)) for name, port in ports.items()], tensors=tensors).run()
    check("layer norm", values(tensors[3], tuple(x.shape)), layer_norm_reference(x, weight, bias), 2**-5)
    return launch.cycles


def layer_norm_operands(height, width):
    import torch

    return tuple(torch.randn(n, 32 * width).bfloat16() for n in (32 * height, 1, 1))


def layer_norm_reference(x, weight, bias):
    import torch

    return torch.nn.functional.layer_norm(x.float(), x.shape[1:], weight[0].float(), bias[0].float(), 1e-5)


def cycles_of(kernel):
    launch = next(iter(kernel.cache.values())).launch
    return launch[0].cycles if isinstance(launch, tuple) else launch.cycles


def layer_norm_ours(cores, rows, width):
    import torch
    from handwritten_ours import layer_norm

    x, weight, bias = layer_norm_operands(rows * cores, width)
    out = torch.zeros_like(x)
    kernel = layer_norm(cores, rows, width)
    kernel(x, torch.full((32, 32), 1 / (32 * width)).bfloat16(), weight, bias, out)
    check("layer norm in TTL", out.float(), layer_norm_reference(x, weight, bias), 2**-5)
    return cycles_of(kernel)


def matmul_ours(side, mt, kt, nt, block):
    """The same in TTL (handwritten_ours.py), with the same blocks."""
    import torch
    from handwritten_ours import matmul

    a, b = torch.randn(32 * mt, 32 * kt).bfloat16(), torch.randn(32 * kt, 32 * nt).bfloat16()
    c = torch.zeros(32 * mt, 32 * nt, dtype=torch.bfloat16)
    kernel = matmul(side, mt // side, nt // side, kt, block)
    kernel(a, b, c)
    check("matmul in TTL", c.float(), a.float() @ b.float(), 2**-5)
    return cycles_of(kernel)


# cores a side; tiles of M, K, N; tiles of K at a time; subblock of DST
MATMULS = [(4, 16, 16, 16, 4, (2, 4)), (4, 16, 32, 16, 4, (2, 4)), (8, 32, 32, 32, 4, (2, 4)), (2, 8, 8, 8, 2, (2, 4))]
# cores; rows of tiles of each, tiles of a row; tiles at a time
LAYER_NORMS = [(1, 1, 4, 4), (4, 2, 8, 4), (8, 4, 32, 4)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--build", default=root / "build", type=Path)
    o = parser.parse_args()
    sys.path.insert(0, str(o.build.resolve() / "python"))
    kernels = o.checkout.resolve()
    print("| kernel | hand-written | TTL | ratio |\n|---|---|---|---|")
    for side, mt, kt, nt, block, subblock in MATMULS:
        theirs, ours = matmul_theirs(kernels, side, mt, kt, nt, block, subblock), matmul_ours(side, mt, kt, nt, block)
        print(f"| {32 * mt}x{32 * kt} @ {32 * kt}x{32 * nt} bf16 on {side}x{side} cores, multicast | {theirs:,.0f} | {ours:,.0f} | {ours / theirs:.2f} |", flush=True)
    for cores, rows, width, block in LAYER_NORMS:
        theirs, ours = layer_norm_theirs(kernels, cores, rows, width, block), layer_norm_ours(cores, rows, width)
        print(f"| layer norm of {32 * rows * cores}x{32 * width} bf16 on {cores} cores | {theirs:,.0f} | {ours:,.0f} | {ours / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
