"""A thin ctypes view of libtilewright for tests: compile text, run numpy arrays. Structures, functions and the order
of element types are read from the public headers, so they stay in step."""

import ctypes
import os
import re
from pathlib import Path

import numpy as np

BUILD = Path(os.environ.get("TW_BUILD", Path(__file__).resolve().parents[2] / "build"))
INCLUDE = Path(__file__).resolve().parents[2] / "include" / "tilewright"

# NumPy types of element types; block floats have none.
NUMPY = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "U32": np.uint32, "U16": np.uint16, "U8": np.uint8, "I32": np.int32,
         "BOOL": np.bool_, "F64": np.float64, "I8": np.int8, "I16": np.int16, "I64": np.int64, "U64": np.uint64}
SCALARS = {"int": ctypes.c_int, "bool": ctypes.c_bool, "size_t": ctypes.c_size_t, "tw_dtype": ctypes.c_int, "tw_status": ctypes.c_void_p,
           "tw_code": ctypes.c_int, "uint64_t": ctypes.c_uint64, "void": None}
POINTED = {"char": ctypes.c_char_p, "int64_t": ctypes.POINTER(ctypes.c_int64)}  # every other pointer is an address


def header(name):
    """A header's text without comments and directives."""
    text = re.sub(r"/\*.*?\*/", " ", (INCLUDE / name).read_text(), flags=re.S)
    return re.sub(r"^ *#.*$", "", text, flags=re.M)


DTYPES = {int(number): NUMPY.get(name) for name, number in re.findall(r"\bTW_(\w+) = (\d+)", header("dtype.h"))}
DTYPE_NAMES = {int(number): name for name, number in re.findall(r"\bTW_(\w+) = (\d+)", header("dtype.h"))}
DECLARED = header("tilewright.h") + header("status.h")


def ctype(text):
    """The ctypes type of a C type; KeyError for an unknown one."""
    words = re.sub(r"\b(const|volatile)\b", " ", text).replace("*", " * ").split()
    stars = words.count("*")
    return POINTED.get(words[0], ctypes.c_void_p) if stars == 1 else ctypes.c_void_p if stars else SCALARS[words[0]]


def declarations(text, between):
    """(name, type) of each declaration ended by `between`; only of the form "TYPE NAME"."""
    parts = [re.fullmatch(r"\s*([\w *]+?)(\w+)\s*", part) for part in text.split(between) if part.strip()]
    return [(p[2], ctype(p[1])) for p in parts]


def structure(name):
    fields = re.search(rf"typedef struct {name} {{(.*?)}} {name};", DECLARED, re.S)[1]
    made = type(name, (ctypes.Structure,), {"_fields_": declarations(fields, ";")})
    POINTED[name] = ctypes.POINTER(made)
    return made


Desc, Options = structure("tw_tensor_desc"), structure("tw_compile_options")


def _load():
    lib = ctypes.CDLL(str(BUILD / "libtilewright.so"))
    for name in ("tw_status_message", "tw_status_code", "tw_status_free", "tw_program_destroy", "tw_program_compile", "tw_program_run",
                 "tw_program_set_constant", "tw_program_borrow_constant", "tw_program_share_constant", "tw_program_input_count", "tw_program_output_count", "tw_program_input",
                 "tw_program_output", "tw_program_step_count", "tw_program_step_name"):
        result, arguments = re.search(rf"^([\w *]+?)\b{name}\(([^)]*)\);", DECLARED, re.S | re.M).groups()
        fn = getattr(lib, name)
        fn.restype, fn.argtypes = ctype(result), [t for _, t in declarations(arguments, ",")]
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

    def borrow_constant(self, i, array):
        """The array must stay as long as the program."""
        assert array.flags.c_contiguous
        _check(lib.tw_program_borrow_constant(self.handle, i, array.ctypes.data))

    def share_constant(self, i, array, stamp):
        """The array must stay as long as the program."""
        assert array.flags.c_contiguous
        _check(lib.tw_program_share_constant(self.handle, i, array.ctypes.data, stamp))

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
