"""ttlang-sim: runs a Python file of kernels on the embedded device.

The file needs no change: `ttl` and `ttnn` are this package's, and what files written for the Python
simulator import from `sim` is there."""

import argparse
import os
import runpy
import sys
import types as python_types


def assert_pcc(a, b, rtol=1e-5, atol=1e-8):
    """Fails where two tensors differ by more than the tolerance, or than what the matrix unit's operands
    of 11 bits explain: 2^-9 of the largest number."""
    import torch

    if tuple(a.shape) != tuple(b.shape):
        raise AssertionError(f"tensors of shapes {tuple(a.shape)} and {tuple(b.shape)}")
    if a.dtype != b.dtype:
        raise AssertionError(f"tensors of {a.dtype} and {b.dtype}")
    x, y = a.to_torch().double(), b.to_torch().double()
    allowed = torch.maximum(atol + rtol * y.abs(), 2.0**-9 * y.abs().max())
    worst = ((x - y).abs() - allowed).max()
    if worst > 0:
        raise AssertionError(f"tensors differ by up to {(x - y).abs().max():.3g}, allowed is {allowed.min():.3g}")


def provide_sim():
    """The modules `sim`, `sim.testing` and `sim.typedefs`, unless they can be found."""
    import ttl
    import ttnn

    sim = python_types.ModuleType("sim", "What kernels for the Python simulator import.")
    sim.ttl, sim.ttnn, sim.__path__ = ttl, ttnn, []
    testing, typedefs = (python_types.ModuleType(f"sim.{name}") for name in ("testing", "typedefs"))
    testing.assert_pcc, typedefs.Pipe = assert_pcc, ttl.Pipe
    sim.testing, sim.typedefs = testing, typedefs
    sys.modules.update({"sim": sim, "sim.testing": testing, "sim.typedefs": typedefs})


def parser():
    from ttl import __version__ as version

    p = argparse.ArgumentParser(prog="ttlang-sim", description="Run TTL kernels on the embedded device.")
    p.add_argument("--version", action="version", version=f"Tilewright (ttlang-sim) version {version}")
    p.add_argument("-m", "--module", action="store_true", help="the target is a module's name")
    p.add_argument("--chip", choices=["n150", "n300", "p150"], help="the chip to simulate (default: the smallest that fits)")
    p.add_argument("--seed", type=int, metavar="N", help="shuffle the order in which threads run; the same number, "
                                                         "the same order")
    p.add_argument("--profile", action="store_true", help="print the cycles of each kernel's threads")
    p.add_argument("target", help="a Python file, or with -m a module")
    p.add_argument("arguments", nargs=argparse.REMAINDER, help="for the file")
    return p


def main(argv=None):
    options = parser().parse_args(argv)
    for variable, value in (("TTLANG_CHIP", options.chip), ("TTLANG_SIM_SEED", options.seed),
                            ("TTLANG_SIM_PROFILE", options.profile or None)):
        if value is not None:
            os.environ[variable] = str(int(value)) if not isinstance(value, str) else value
    provide_sim()
    sys.argv = [options.target, *options.arguments]
    if options.module:
        sys.path.insert(0, "")
        runpy.run_module(options.target, run_name="__main__", alter_sys=True)
        return
    if not os.path.exists(options.target):
        sys.exit(f"ttlang-sim: error: no file '{options.target}'")
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.target)))
    runpy.run_path(options.target, run_name="__main__")


if __name__ == "__main__":
    main()
