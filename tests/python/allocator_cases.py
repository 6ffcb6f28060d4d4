"""Run in a process of its own under failing_allocator.c: public functions of the library, with the n-th allocation
failing. allocator_cases.py CASE STEP prints how many failures ended in a status and how many were survived."""

import ctypes
import sys

import numpy as np
from conftest import ROOT
from native import Error, Program, _check, lib

MODEL = """func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
  %3 = stablehlo.reshape %2 : (tensor<32x8xf32>) -> tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}"""
HOST = """func.func @main(%x: tensor<6x6xf64>, %b: tensor<6x2xf64>) -> (tensor<6x2xf64>, tensor<6x6xf64>) {
  %0 = "stablehlo.triangular_solve"(%x, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}>
    : (tensor<6x6xf64>, tensor<6x2xf64>) -> tensor<6x2xf64>
  %1 = "stablehlo.cholesky"(%x) <{lower = true}> : (tensor<6x6xf64>) -> tensor<6x6xf64>
  return %0, %1 : tensor<6x2xf64>, tensor<6x6xf64>
}"""
GRID = (ROOT / "tests/lit/device/eltwise.mlir").read_bytes()
for each in ("tw_sim_load", "tw_sim_run"):
    getattr(lib, each).restype = ctypes.c_void_p

WRONG = MODEL.replace("stablehlo.tanh %0", "stablehlo.tanh %9")


def lapack():
    """What jax.numpy.linalg exports: calls of LAPACK, whose temporaries are the host's."""
    import jax
    jax.config.update("jax_enable_x64", True)
    a = np.eye(5) * 3 + np.random.default_rng(0).random((5, 5))
    a = a + a.T
    text = jax.jit(lambda x: (jax.numpy.linalg.solve(x, x), *jax.numpy.linalg.eigh(x), *jax.numpy.linalg.svd(x), *jax.numpy.linalg.qr(x))).lower(a).as_text()
    return text, [a]


def compiling(text, **options):
    def call():
        Program(text, **options)
    return call


def running(text, arrays, **options):
    program = Program(text, **options)
    program(*arrays)

    def call():
        program(*arrays)
    return call


def first_run(text, arrays, **options):
    """The plan is completed by a program's first run."""
    made = []

    def prepare():
        made.append(Program(text, **options))

    def call():
        made[-1](*arrays)
    call.prepare = prepare
    return call


def loading():
    def call():
        sim = ctypes.c_void_p()
        _check(lib.tw_sim_load(GRID, ctypes.c_size_t(len(GRID)), None, ctypes.byref(sim)))
        lib.tw_sim_destroy(sim)
    return call


def launching():
    """Kernels of the simulated grid allocate on the stacks of their threads."""
    sim = ctypes.c_void_p()
    _check(lib.tw_sim_load(GRID, ctypes.c_size_t(len(GRID)), None, ctypes.byref(sim)))
    a, out = np.full((64, 64), 0x3F80, np.uint16), np.zeros((64, 64), np.uint16)  # ones in bf16
    inputs, outputs = (ctypes.c_void_p * 1)(a.ctypes.data), (ctypes.c_void_p * 1)(out.ctypes.data)

    def call():
        out[0, 0], a[0, 0] = 0, 0x3F80
        _check(lib.tw_sim_run(sim, inputs, outputs))
        assert out[0, 0] == 0x4090  # exp2(1 + 1) + 0.5
    call()
    return call


RNG = np.random.default_rng(1)
X = [RNG.random((8, 64)).astype(np.float32), RNG.random((64, 32)).astype(np.float32)]
Y = [np.tril(RNG.random((6, 6))) + np.eye(6) * 4, RNG.random((6, 2))]
Y[0] = Y[0] @ Y[0].T
CASES = {
    "compile": lambda: compiling(MODEL),
    "compile for two threads": lambda: compiling(MODEL, threads=2),
    "compile for the host": lambda: compiling(HOST, host=True),
    "compile what is wrong": lambda: compiling(WRONG),
    "first run": lambda: first_run(MODEL, X),
    "first run on two threads": lambda: first_run(MODEL, X, threads=2),
    "run": lambda: running(MODEL, X),
    "run on the host": lambda: running(HOST, Y, host=True),
    "run of LAPACK": lambda: running(*lapack(), host=True),
    "load kernels": loading,
    "run kernels": launching,
}


def main(name, step):
    arm, disarm = (getattr(ctypes.CDLL(None), f"failing_{name}") for name in ("arm", "disarm"))
    arm.argtypes, disarm.restype = [ctypes.c_long], ctypes.c_long
    call = CASES[name]()
    prepare = getattr(call, "prepare", lambda: None)
    prepare()
    arm(1 << 40)
    try:
        call()
    except Error:
        pass
    total, failed, survived = disarm(), 0, 0
    for n in range(1, total + 1, max(1, total // step)):
        prepare()
        arm(n)
        try:
            call()
            disarm()
            survived += 1
        except (Error, MemoryError) as e:
            disarm()
            failed += 1
            assert isinstance(e, MemoryError) or name == "compile what is wrong" or "memory" in str(e), (n, str(e))
    prepare()
    try:
        call()  # and afterwards everything works
    except Error:
        assert name == "compile what is wrong"
    print(f"{total} allocations, {failed} errors, {survived} survived")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
