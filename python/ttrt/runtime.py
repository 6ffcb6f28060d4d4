"""Libraries of kernels on the embedded device: what `ttkernel-to-emitc-pipeline=target-dylib=true` and
`--mlir-to-cpp` write, compiled to a shared object.

    library = compile_dylib("generated.cpp")                 # or: python -m ttrt.runtime --file generated.cpp
    so = load_dylib(library)
    result = run_dylib_function(so, "add", [a, b], device)   # ttnn tensors on the device

A function takes the tensors that its kernel reads, and gives those that it writes, newly made; or all of them, in the
kernel's order. Integers that are known when the kernel runs (its index and i32 arguments) stand among them:
run_dylib_function(so, "scale", [a, 3], device)."""

import argparse
import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile

import torch
import ttnn
from tilewright import _core, sim

_ERROR = 1 << 16
_FORMATS = {0: "f32", 1: "f16", 5: "bf16", 6: "bfp_bf8", 7: "bfp_bf4", 8: "si32", 9: "u16", 15: "bfp_bf2", 24: "u32", 30: "u8"}
_TYPES = ["BFLOAT16", "FLOAT32", "UINT32", "BFLOAT8_B", "BFLOAT4_B", "UINT8", "UINT16", "INT32"]
_LAYOUTS = ["INTERLEAVED", "SINGLE_BANK", "HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED"]
_MAKE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char), ctypes.c_int64)
_ADDRESS = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
_DESCRIBE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64))
_OVER_TENSORS = "St6vectorIN4ttnn6TensorESaIS1_EE"  # as g++ and clang++ mangle a function's parameters
_AND_INTEGERS = _OVER_TENSORS + "S_IiSaIiEE"


class _Host(ctypes.Structure):
    _fields_ = [("make", _MAKE), ("run", _MAKE), ("address", _ADDRESS), ("describe", _DESCRIBE)]


def Device(device_id=0):
    """Opens the embedded device."""
    return ttnn.open_device(device_id=device_id)


def refuse_native():
    """An error where TILEWRIGHT_NO_NATIVE forbids code in C++ and compiled libraries."""
    if os.environ.get("TILEWRIGHT_NO_NATIVE", "0") not in ("", "0"):
        raise PermissionError("compiled code is refused: TILEWRIGHT_NO_NATIVE is set")


def compiler():
    """The machine's C++ compiler."""
    refuse_native()
    found = os.environ.get("TILEWRIGHT_CXX") or next(filter(shutil.which, ("c++", "g++", "clang++")), None)
    if not found:
        raise RuntimeError("no C++ compiler: install one, or name it in TILEWRIGHT_CXX")
    return found


def compile_dylib(source, library=None):
    """Compiles a generated file with the machine's compiler (TILEWRIGHT_CXX, else c++, g++, clang++); the library's path,
    by default beside the file with the ending .so."""
    library = os.fspath(library or os.path.splitext(os.fspath(source))[0] + ".so")
    with tempfile.TemporaryDirectory() as headers:
        _core.kernel_api_write(headers)
        done = subprocess.run([compiler(), "-std=c++20", "-O1", "-shared", "-fPIC", "-I", headers, os.fspath(source), "-o", library],
                              capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{source} does not compile:\n{done.stderr}")
    return library


def load_dylib(path):
    """A compiled library."""
    library = ctypes.CDLL(os.path.abspath(os.fspath(path)))
    if not hasattr(library, "tw_library_call"):
        raise ValueError(f"{path} is no library of kernels for the embedded device: compile_dylib() makes them")
    library.tw_library_call.restype = ctypes.c_int64
    return library


class _Call:
    """One call of a function: the tensors in use, by index."""

    def __init__(self, device, tensors):
        self.device, self.tensors = device, [t.move(device) for t in tensors]
        self.error = None

    def make(self, text):
        wanted = json.loads(text)
        spec = None
        if "shard" in wanted:
            cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(*c[:2]), ttnn.CoreCoord(*c[2:])) for c in wanted["cores"]])
            spec = ttnn.ShardSpec(cores, wanted["shard"])
        memory = ttnn.MemoryConfig(ttnn.TensorMemoryLayout[_LAYOUTS[wanted["memory"]]],
                                   ttnn.BufferType.L1 if wanted["l1"] else ttnn.BufferType.DRAM, spec)
        dtype = ttnn.DataType[_TYPES[wanted["type"]]]
        fill = torch.ones if wanted["fill"] == "ones" else torch.zeros
        self.tensors.append(ttnn.from_torch(fill(wanted["shape"]), dtype=dtype, device=self.device, memory_config=memory,
                                            layout=ttnn.TILE_LAYOUT if wanted["tiles"] else ttnn.ROW_MAJOR_LAYOUT))
        return len(self.tensors) - 1

    def describe(self, n, out):
        t = self.tensors[n]
        name = t.dtype.name
        tiles = t.layout == ttnn.TILE_LAYOUT
        padded = [-(-d // 32) * 32 if tiles and i + 2 >= len(t.shape) else d for i, d in enumerate(t.shape)]
        out[0], out[1] = _TYPES.index(name) if name in _TYPES else len(_TYPES), tiles
        for i, (d, p) in enumerate(zip(t.shape[:8], padded)):
            out[2 + i], out[10 + i] = d, p
        return min(len(t.shape), 8)

    def run(self, text):
        program = json.loads(text)
        indices = program["tensors"]
        index = {n: i for i, n in enumerate(indices)}
        runs = [self.kernel(k, index) for k in program["kernels"]]
        buffers = [sim.Buffer(port, _FORMATS[dtype], size // page, page) for port, dtype, page, size in program["buffers"]]
        tensors = [self.tensors[n] for n in indices]
        self.device.grid.load().launch(runs, buffers, [t.device_tensor for t in tensors], program["semaphores"]).run()
        for t in tensors:
            t._stale = True
        return 0

    @staticmethod
    def kernel(k, index):
        x, y, x_end, y_end = k["cores"][0]
        source = k["source"]
        if k["file"]:
            with open(source) as file:
                source = file.read()
        compile_args = [sim.accessor(index[a["accessor"]]) if isinstance(a, dict) else a for a in k["compile_args"]]
        compute = k.get("compute")
        config = dict(fidelity=compute[0], wide_dst=bool(compute[1]), full_sync=bool(compute[2]), approximate=bool(compute[3]),
                      unpack_to_dst=tuple(i for i in range(32) if compute[4] >> i & 1)) if compute else dict(noc=k["noc"])
        return sim.Run(source, (y, x, y_end - y + 1, x_end - x + 1), compile_args, k["common_args"], **config)

    def guarded(self, function):
        def call(text, error, size):
            try:
                return function(text.decode())
            except Exception as e:  # a Python exception cannot pass through C++ frames, so it is raised after them
                self.error = e
                message = str(e).encode()[:size - 1] + b"\0"
                ctypes.memmove(error, message, len(message))
                return -1
        return call


def _mangled(name, of):
    return f"_Z{len(name)}{name}{of}"


def _call(library, symbol, device, tensors, integers=None):
    call = _Call(device, tensors or [])
    host = _Host(_MAKE(call.guarded(call.make)), _MAKE(call.guarded(call.run)),
                 _ADDRESS(lambda n: call.tensors[n].device_tensor.address), _DESCRIBE(call.describe))
    function = ctypes.cast(getattr(library, symbol), ctypes.c_void_p)
    indices = None if tensors is None else (ctypes.c_int64 * max(len(tensors), 1))(*range(len(tensors)))
    words = None if integers is None else (ctypes.c_int32 * max(len(integers), 1))(*integers)
    out, error = (ctypes.c_int64 * 64)(), ctypes.create_string_buffer(_ERROR)
    count = library.tw_library_call(ctypes.byref(host), function, indices, ctypes.c_int64(len(tensors or [])), words,
                                    ctypes.c_int64(len(integers or [])), out, ctypes.c_int64(64), error, ctypes.c_int64(_ERROR))
    if count < 0:
        raise call.error or RuntimeError(error.value.decode())
    return [call.tensors[out[i]] for i in range(count)]


def _split_arguments(name, inputs):
    """The tensors and the integers of a call, each in order."""
    tensors, integers = [], []
    for i, value in enumerate(inputs):
        if isinstance(value, ttnn.Tensor):
            tensors.append(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            if not -(1 << 31) <= value < 1 << 31:
                raise ValueError(f"{name}: input {i} is {value}; an integer for a kernel has 32 bits")
            integers.append(value)
        else:
            raise TypeError(f"{name}: input {i} is of type {type(value).__name__}; a library takes ttnn tensors and integers")
    return tensors, integers


def run_dylib_function(library, name, inputs, device):
    """Calls a function of a loaded library; its result, a list where it has several.

    `inputs`: the tensors that the kernel reads (or all of them), in the kernel's order, and the integers that it takes
    when it runs, in theirs. RuntimeError where counts, shapes, types or layouts are not the kernel's."""
    tensors, integers = _split_arguments(name, inputs)
    symbol = _mangled(name, _AND_INTEGERS)
    if not hasattr(library, symbol):
        symbol = _mangled(name, _OVER_TENSORS)
        if not hasattr(library, symbol):
            raise AttributeError(f"the library has no function '{name}' over tensors ({symbol})")
        if integers:
            raise RuntimeError(f"{name} takes no integers, got {len(integers)}")
        integers = None
    results = _call(library, symbol, device, tensors, integers)
    return results[0] if len(results) == 1 else results


def create_inputs(library, name, device):
    """Tensors of ones, as arguments of a function of a loaded library (its integers are up to the caller)."""
    symbol = _mangled("create_inputs_for_" + name, "RN4ttnn10MeshDeviceE")
    if not hasattr(library, symbol):
        raise AttributeError(f"the library has no function 'create_inputs_for_{name}' ({symbol})")
    return _call(library, symbol, device, None)


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m ttrt.runtime", description="Compile a generated library of kernels.")
    parser.add_argument("--file", required=True, help="what --mlir-to-cpp wrote")
    parser.add_argument("--mode", choices=["dylib"], default="dylib", help="what to make of it")
    options = parser.parse_args(argv)
    with contextlib.suppress(BrokenPipeError):
        print(compile_dylib(options.file))


if __name__ == "__main__":
    try:
        main()
    except (OSError, RuntimeError) as error:
        sys.exit(f"error: {error}")
