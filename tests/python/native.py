"""A thin ctypes view of libtilewright for tests: compile text, run numpy arrays."""

import ctypes
import os
from pathlib import Path

import numpy as np

BUILD = Path(os.environ.get("TW_BUILD", Path(__file__).resolve().parents[2] / "build"))

# Order of tw_dtype (include/tilewright/dtype.h); bf16 travels as uint16.
DTYPES = [np.float32, np.float16, np.uint16, None, None, None, None, None, None, np.uint32, np.uint16, np.uint8,
          np.int32, np.bool_, np.float64, np.int8, np.int16, np.int64, np.uint64]


class Desc(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("rank", ctypes.c_int), ("dims", ctypes.POINTER(ctypes.c_int64)),
                ("bytes", ctypes.c_size_t)]


class Options(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("entry", ctypes.c_char_p), ("dump_dir", ctypes.c_char_p), ("dtype", ctypes.c_char_p),
                ("threads", ctypes.c_int), ("dram_fallback", ctypes.c_bool),
                ("cache_dir", ctypes.c_char_p), ("cancel", ctypes.c_void_p), ("host", ctypes.c_bool),
                ("observer", ctypes.c_void_p)]


def _load():
    lib = ctypes.CDLL(str(BUILD / "libtilewright.so"))
    p, s = ctypes.c_void_p, ctypes.c_size_t
    for name, result, args in [
        ("tw_status_message", ctypes.c_char_p, [p]), ("tw_status_code", ctypes.c_int, [p]),
        ("tw_status_free", None, [p]), ("tw_program_destroy", None, [p]),
        ("tw_program_compile", p, [ctypes.c_char_p, s, ctypes.POINTER(Options), ctypes.POINTER(p)]),
        ("tw_program_run", p, [p, p, p]), ("tw_program_set_constant", p, [p, s, p]),
        ("tw_program_input_count", s, [p]), ("tw_program_output_count", s, [p]),
        ("tw_program_input", ctypes.POINTER(Desc), [p, s]), ("tw_program_output", ctypes.POINTER(Desc), [p, s]),
        ("tw_program_step_count", s, [p]), ("tw_program_step_name", ctypes.c_char_p, [p, s]),
    ]:
        fn = getattr(lib, name)
        fn.restype, fn.argtypes = result, args
    return lib


class Error(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


lib = _load()


def _check(status):
    if status:
        error = Error(lib.tw_status_code(status), lib.tw_status_message(status).decode())
        lib.tw_status_free(status)
        raise error


class Program:
    def __init__(self, text, **options):
        self.handle = ctypes.c_void_p()
        data = text if isinstance(text, bytes) else text.encode()
        o = Options(**{k: v.encode() if isinstance(v, str) else v for k, v in options.items()})
        _check(lib.tw_program_compile(data, len(data), ctypes.byref(o), ctypes.byref(self.handle)))
        self.n_in = lib.tw_program_input_count(self.handle)
        self.n_out = lib.tw_program_output_count(self.handle)

    def __del__(self):
        if getattr(self, "handle", None):
            lib.tw_program_destroy(self.handle)

    def shape(self, i):
        d = lib.tw_program_input(self.handle, i).contents
        return tuple(d.dims[k] for k in range(d.rank))

    def steps(self):
        n = lib.tw_program_step_count(self.handle)
        return [lib.tw_program_step_name(self.handle, i).decode() for i in range(n)]

    def set_constant(self, i, array):
        array = np.ascontiguousarray(array)
        _check(lib.tw_program_set_constant(self.handle, i, array.ctypes.data))

    def __call__(self, *arrays):
        held = [None if a is None else np.ascontiguousarray(a) for a in arrays]
        for i, a in enumerate(held):
            d = lib.tw_program_input(self.handle, i).contents
            assert a is None or (a.nbytes == d.bytes and a.dtype == DTYPES[d.dtype]), (i, a.dtype, a.shape)
        outs = []
        for i in range(self.n_out):
            d = lib.tw_program_output(self.handle, i).contents
            outs.append(np.empty([d.dims[k] for k in range(d.rank)], DTYPES[d.dtype]))
        ins = (ctypes.c_void_p * max(1, len(held)))(*[None if a is None else a.ctypes.data for a in held])
        outp = (ctypes.c_void_p * max(1, len(outs)))(*[o.ctypes.data for o in outs])
        _check(lib.tw_program_run(self.handle, ins, outp))
        return outs
