#!/usr/bin/env python3
"""Matmuls of Tilewright, OpenBLAS, oneDNN and torch, paired in one process.

Every iteration times every contender once, in rotating order; the ratio of a pair is the median over iterations
of (the other's time / our time), so that a slow stretch of the machine hits both.  "packed": B is
constant and was packed ahead (only we and oneDNN offer that).  With one thread its processor time is
measured, with more the wall time: then nothing else should run.  With more threads a turn starts when
those of the previous contender are asleep: libraries keep theirs running for a while, and two of them on
one processor would measure the scheduler.

A contender that would need more than some seconds for its iterations of a case gets fewer, at least one, which its
row shows: torch without bf16 instructions takes a hundred times as long as the others.

    bench_gemm.py [--build build] [--threads 1 2] [--iterations N] [--json FILE] [--quick]
"""
import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

KINDS = {"ours": 0, "ours packed": 1, "openblas": 2, "onednn": 3, "onednn packed": 4}
CASES = [
    (256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048),
    (32, 4096, 4096), (32, 256, 128), (1, 4096, 4096),
]  # m, n, k
SECONDS_A_TURN = 0.02
SECONDS_A_CASE = 1.0  # of one contender, if its first matmul does not take longer
SECONDS_OF_REST = 0.003  # see `run` for how long idle threads keep running


def load(build):
    lib = ctypes.CDLL(str(pathlib.Path(build, "bench", "libgemm_peers.so")), os.RTLD_DEEPBIND)
    p, i64 = ctypes.c_void_p, ctypes.c_int64
    lib.peers_open.restype = p
    lib.peers_open.argtypes = [ctypes.c_int, i64, i64, i64, ctypes.c_int, ctypes.c_int, p, p, p]
    lib.peers_time.restype = ctypes.c_double
    lib.peers_time.argtypes = [p, ctypes.c_int]
    lib.peers_close.argtypes = [p]
    lib.peers_kernel.restype = ctypes.c_char_p
    lib.peers_kernel.argtypes = [p]
    lib.peers_peak.restype = ctypes.c_double
    return lib


def torch_time(torch, a, b, out, times, threads):
    clock = time.thread_time if threads == 1 else time.perf_counter
    start = clock()
    for _ in range(times):
        torch.mm(a, b, out=out)
    return (clock() - start) / times


def measure(lib, torch, m, n, k, bf16, threads, iterations):
    """One case: contender -> list of seconds, one for each iteration."""
    dtype = torch.bfloat16 if bf16 else torch.float32
    a = (torch.rand(m, k) - 0.5).to(dtype)
    b = (torch.rand(k, n) - 0.5).to(dtype)
    want = a.double() @ b.double()
    runners, handles, kernel, first = {}, [], "", {}
    for name, kind in KINDS.items():
        out = torch.zeros(m, n, dtype=dtype)
        handle = lib.peers_open(kind, m, n, k, bf16, threads, a.data_ptr(), b.data_ptr(), out.data_ptr())
        if not handle:
            continue
        handles.append((handle, out))
        first[name] = lib.peers_time(handle, 1)
        worst = float((out.double() - want).abs().max() / want.abs().max())
        if worst > (0.01 if bf16 else 1e-5):
            sys.exit(f"{name} {m}x{n}x{k}: wrong by {worst:g}")
        if kind == 0:
            kernel = lib.peers_kernel(handle).decode()
        runners[name] = lambda times, h=handle: lib.peers_time(h, times)
    out = torch.zeros(m, n, dtype=dtype)
    runners["torch"] = lambda times: torch_time(torch, a, b, out, times, threads)
    first["torch"] = runners["torch"](1)

    times = {name: [] for name in runners}
    turns, most = {}, {}
    for name, run in runners.items():
        slow = first[name] > SECONDS_A_CASE
        once = max(first[name] if slow else run(1), 1e-7)
        turns[name] = max(1, int(SECONDS_A_TURN / once))
        most[name] = max(1, min(iterations, int(SECONDS_A_CASE / (turns[name] * once))))
        if slow:
            times[name].append(once)
    order = list(runners)
    for r in range(iterations):
        for name in order[r % len(order):] + order[: r % len(order)]:
            if len(times[name]) == most[name]:
                continue
            if threads > 1:
                time.sleep(SECONDS_OF_REST)
                runners[name](2)
            times[name].append(runners[name](turns[name]))
    for handle, _ in handles:
        lib.peers_close(handle)
    return times, kernel


def summarise(case, times, kernel, peak, threads):
    m, n, k = case[:3]
    work = 2.0 * m * n * k
    row = {
        "m": m, "n": n, "k": k, "dtype": "bf16" if case[3] else "f32", "threads": threads, "kernel": kernel,
        "peak_gflops": peak * threads / 1e9, "contenders": {},
    }
    for name, seconds in times.items():
        row["contenders"][name] = {
            "min_us": min(seconds) * 1e6, "median_us": statistics.median(seconds) * 1e6,
            "gflops": work / min(seconds) / 1e9, "iterations": len(seconds),
            "share_of_peak": work / min(seconds) / (peak * threads) if peak else None,
        }

    def ratio(ours, peers):
        """Median over iterations of the best of `peers` against ours."""
        present = [p for p in peers if p in times]
        best = min(present, key=lambda p: statistics.median(times[p]))
        return best, statistics.median(p / o for p, o in zip(times[best], times[ours])), \
            min(times[best]) / min(times[ours])

    row["plain_vs"], row["plain_ratio"], row["plain_ratio_min"] = ratio("ours", ["openblas", "onednn", "torch"])
    row["packed_vs"], row["packed_ratio"], row["packed_ratio_min"] = ratio(
        "ours packed", ["openblas", "onednn", "onednn packed", "torch"])
    return row


def show(rows):
    names = list(KINDS) + ["torch"]
    print(f"{'case':24} {'thr':>3} " + " ".join(f"{n:>14}" for n in names) +
          "   plain/best other     packed/best other")
    for row in rows:
        case = f"{row['dtype']:4} {row['m']}x{row['n']}x{row['k']}"
        cells = []
        for name in names:
            c = row["contenders"].get(name)
            share = f" {100 * c['share_of_peak']:3.0f}%" if c and c["share_of_peak"] else ""
            cells.append(f"{c['gflops']:9.1f}{share:>5}" if c else f"{'-':>14}")
        most = max(c["iterations"] for c in row["contenders"].values())
        fewer = [f"{name} {c['iterations']}" for name, c in row["contenders"].items() if c["iterations"] < most]
        print(f"{case:24} {row['threads']:3} " + " ".join(cells) +
              f"   {row['plain_ratio']:.3f} ({row['plain_vs']})  {row['packed_ratio']:.3f} ({row['packed_vs']})" +
              (f"  of {most} iterations: {', '.join(fewer)}" if fewer else ""))
    print("GFLOP/s of the fastest iteration, share of the peak of that many threads;"
          " ratios above 1: we are faster (median of pairs)")


def run_here(args):
    import torch

    threads = args.threads[0]
    torch.set_num_threads(threads)
    lib = load(args.build)
    rows = []
    for bf16 in (0, 1):
        peak = lib.peers_peak(bf16)
        for m, n, k in CASES[:3] if args.quick else CASES:
            case = (m, n, k, bf16)
            with torch.inference_mode():
                times, kernel = measure(lib, torch, m, n, k, bf16, threads, args.iterations)
            rows.append(summarise(case, times, kernel, peak, threads))
    return rows


def run(build, threads=(1,), iterations=9, quick=False):
    """All rows; each thread count in its own process, since the libraries read it once."""
    rows = []
    for n in threads:
        env = dict(os.environ, OMP_NUM_THREADS=str(n), OPENBLAS_NUM_THREADS=str(n))
        env |= {"GOMP_SPINCOUNT": "20000", "OPENBLAS_THREAD_TIMEOUT": "20"}  # half a millisecond both
        if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text():
            env.setdefault("OPENBLAS_CORETYPE", "SkylakeX")  # old versions do not know newer machines
        command = [sys.executable, __file__, "--here", "--build", str(build), "--threads", str(n),
                   "--iterations", str(iterations)] + (["--quick"] if quick else [])
        rows += json.loads(subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE).stdout)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--iterations", type=int, default=9)
    parser.add_argument("--json", help="write the rows here")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        json.dump(run_here(args), sys.stdout)
        return
    rows = run(args.build, args.threads, args.iterations, args.quick)
    show(rows)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
