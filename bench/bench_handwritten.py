#!/usr/bin/env python3
"""Cycles of hand-written kernels of tt-metal on the modelled chip, beside kernels of ours for the same work.

bench_handwritten.py CHECKOUT [--build DIR]

CHECKOUT is a checkout of tt-metal, or the folder `ttnn` of PyPI's wheel ttnn (pip download ttnn; unzip), whose kernels of ttnn's operations are
compiled and run unmodified; their hosts are here. Numbers are compared with torch first."""

import argparse
import math
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


def most_of(n, limit):
    """The largest divisor of n up to a limit."""
    return max(i for i in range(1, limit + 1) if n % i == 0)


def sdpa_theirs(kernels, cores, queries, keys, depth, q_chunk, k_chunk):
    """Attention of one head, with queries, keys and values of `depth` tiles, by the kernel's standard path (it has another that streams, for which
    its packer's processor computes): each core has queries / cores rows of tiles in chunks of q_chunk, and reads all keys, k_chunk at a time."""
    import torch
    from tilewright.sim import Buffer, Grid, Run, accessor, address

    folder = kernels / "ttnn/cpp/ttnn/operations/transformer/sdpa/device/kernels"
    q, k, v = sdpa_operands(queries, keys, depth)
    grid, where = Grid("n150"), (0, 0, 1, cores)
    tensors = [grid.tensor(x.shape, "bf16", data=bits(x)) for x in (q, k, v, torch.zeros_like(q))]
    q_chunks, k_chunks = queries // q_chunk, keys // k_chunk
    each = q_chunks // cores
    # masks, sinks, pages and windows, which this attention lacks, get buffer 0
    ports = {"q": 0, "k": 1, "v": 2, "one": 5, "column": 7, "out": 16, "scores": 24, "out_a": 25, "out_b": 26, "max_a": 27, "max_b": 28, "sum_a": 29,
             "sum_b": 30, "factor": 31}
    sizes = {"q": 2 * q_chunk * depth, "k": 2 * k_chunk * depth, "v": 2 * k_chunk * depth, "one": 1, "column": 1, "scores": q_chunk * k_chunk,
             **dict.fromkeys(("out", "out_a", "out_b"), q_chunk * depth)}
    scale, = struct.unpack("I", struct.pack("f", 1 / math.sqrt(32 * depth)))
    w = most_of(k_chunk, 8)
    h = most_of(q_chunk, 8 // w)
    out_w = most_of(depth, 8)
    out_h = most_of(q_chunk, 8 // out_w)
    one = 0x3F803F80
    runs = [
        Run(folder / "dataflow/reader_interleaved.cpp", where, noc=1, compile_args=[
            1, 1, 1, 1, keys, queries, keys, depth, depth, q_chunk, q_chunks, k_chunk, k_chunks, cores, *[0] * 11, h, 0, 0, 0, 1, 2, *[0] * 5, 2, 0,
            accessor(0), accessor(1), accessor(2), *[accessor(0)] * 7, ports["q"], ports["k"], ports["v"], *[0] * 9],
            args=[[address(0), address(1), address(2), 0, 0, 0, 0, 1, 0, 0, *[0] * 12, c * each, each] for c in range(cores)]),
        Run(folder / "dataflow/writer_interleaved.cpp", where, compile_args=[
            1, 1, queries, 32 * keys, depth, q_chunk, q_chunks, k_chunk, k_chunks, one, cores, *[0] * 7, out_h, *[0] * 5, 1, 2, 0, 0,
            accessor(3), accessor(3), accessor(3), 0, ports["one"], ports["column"], 0, ports["out"], 0, 0, 0],
            args=[[address(3), 1, 0, 0, 0, 0, 0, c * each, each, 0, 0] for c in range(cores)]),
        Run(folder / "compute/sdpa.cpp", where, approximate=True, defines={
            "STATS_GRANULARITY": most_of(q_chunk, 8), "SUB_EXP_GRANULARITY": most_of(k_chunk, 8), "MUL_BCAST_GRANULARITY": most_of(q_chunk * k_chunk, 8),
            "DHT_GRANULARITY": most_of(depth, 8), "REDUCE_GRANULARITY": most_of(q_chunk, 4), "EXP_APPROX_MODE": 1}, compile_args=[
            keys, depth, depth, q_chunk, q_chunks, k_chunk, k_chunks, depth, w, h, q_chunk // h, k_chunk // w, k_chunk, out_w, out_h, q_chunk // out_h,
            depth // out_w, 0, 0, 0, 0, scale, 0, 0, 0, keys, 0, 0, 0, ports["q"], ports["k"], ports["v"], 0, 0, ports["one"], ports["column"], 0, 0,
            *(ports[name] for name in ("out", "scores", "out_a", "out_b", "max_a", "max_b", "sum_a", "sum_b", "factor")), 0],
            args=[[1, 0, 0, 0, c * each, each] for c in range(cores)])]
    launch = grid.load().launch(runs, cbs=[Buffer(port, "bf16", sizes.get(name, q_chunk)) for name, port in ports.items()], tensors=tensors,
                                semaphores=[0, 0, 0]).run()
    check("attention", values(tensors[3], tuple(q.shape)), sdpa_reference(q, k, v), 2**-4)
    return launch.cycles


def sdpa_operands(queries, keys, depth):
    """Results are means of many values, so that bf16's rounding of weights is larger beside them than in the others."""
    import torch

    return tuple(torch.randn(32 * n, 32 * depth).bfloat16() for n in (queries, keys, keys))


def sdpa_reference(*operands):
    import torch

    return torch.nn.functional.scaled_dot_product_attention(*(x.float()[None, None] for x in operands))[0, 0]


def sdpa_ours(cores, queries, keys, depth):
    import torch
    from handwritten_ours import attention

    q, k, v = sdpa_operands(queries, keys, depth)
    out = torch.zeros_like(q)
    kernel = attention(cores, queries // cores, keys, depth)
    kernel(q, k, v, torch.ones(32, 32).bfloat16(), out)
    check("attention in TTL", out.float(), sdpa_reference(q, k, v), 2**-4)
    return cycles_of(kernel)


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
# cores; tiles of queries, of keys, of a head; queries and keys at a time
ATTENTIONS = [(2, 8, 8, 2, 4, 4), (2, 8, 8, 2, 4, 8), (8, 32, 16, 2, 4, 8), (8, 32, 16, 4, 4, 8)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--build", default=root / "build", type=Path)
    o = parser.parse_args()
    sys.path.insert(0, str(o.build.resolve() / "python"))
    kernels = o.checkout.resolve()
    import torch

    torch.manual_seed(0)
    print("| kernel | hand-written | TTL | ratio |\n|---|---|---|---|")
    for side, mt, kt, nt, block, subblock in MATMULS:
        theirs, ours = matmul_theirs(kernels, side, mt, kt, nt, block, subblock), matmul_ours(side, mt, kt, nt, block)
        print(f"| {32 * mt}x{32 * kt} @ {32 * kt}x{32 * nt} bf16 on {side}x{side} cores, multicast | {theirs:,.0f} | {ours:,.0f} | {ours / theirs:.2f} |", flush=True)
    for cores, rows, width, block in LAYER_NORMS:
        theirs, ours = layer_norm_theirs(kernels, cores, rows, width, block), layer_norm_ours(cores, rows, width)
        print(f"| layer norm of {32 * rows * cores}x{32 * width} bf16 on {cores} cores | {theirs:,.0f} | {ours:,.0f} | {ours / theirs:.2f} |", flush=True)
    for cores, queries, keys, depth, q_chunk, k_chunk in ATTENTIONS:
        theirs, ours = sdpa_theirs(kernels, cores, queries, keys, depth, q_chunk, k_chunk), sdpa_ours(cores, queries, keys, depth)
        print(f"| attention of {32 * queries} queries, {32 * keys} keys of {32 * depth} bf16 on {cores} cores, {32 * k_chunk} keys at a time | {theirs:,.0f} | "
              f"{ours:,.0f} | {ours / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
