"""Emitted programs: Python of ttmlir-translate --mlir-to-python and C++ of --mlir-to-cpp, loaded and called.

    from ttrt import emitted
    outputs = emitted.execute_py(source)["main"]                # with the inputs that the source makes
    outputs = emitted.execute_py(source, {"main": [x, y]})["main"]  # with these tensors of torch
    outputs = emitted.execute_cpp(source)["main"]               # C++: compiled by the machine's compiler, loaded, called

Both compute what a run of the same program's .ttnn file computes, bit for bit.
"""

import collections
import contextlib
import ctypes
import itertools
import os
import re
import subprocess
import sys
import tempfile
import types

import ttnn
from tilewright import _core

__all__ = ["load_py", "programs", "inputs", "call", "execute_py", "compile_cpp", "load_cpp", "execute_cpp"]

_INPUTS = "create_inputs_for_"
_number = itertools.count()


@contextlib.contextmanager
def _support():
    """Lets `import utils` find what emitted Python means by it."""
    from ttnn import _emitted

    former = sys.modules.get("utils")
    sys.modules["utils"] = _emitted
    try:
        yield
    finally:
        if former is None:
            del sys.modules["utils"]
        else:
            sys.modules["utils"] = former


def _files(source):
    """{name: text} of a source in several files, which lines like `# File: "main"` begin; {"main": source} of any other."""
    parts = re.split(r'^# File: "(\w+)"$', source, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2])) or {"main": source}


def load_py(source, name=None):
    """The module of an emitted source, its main file where it has several; `name` is the file in its tracebacks."""
    name = name or f"<emitted {next(_number)}>"
    files = _files(source)
    if "main" not in files:
        raise ValueError(f"the source has no file 'main'; there are {', '.join(files)}")
    former = {file: sys.modules.get(file) for file in files if file != "main"}
    try:
        for file in (*former, "main"):  # the main file imports the others
            module = types.ModuleType(f"ttrt.emitted.{name}" if file == "main" else file)
            # Lines keep the numbers that they have in the source.
            text = files[file] if len(files) == 1 else "\n" * source[:source.index(f'# File: "{file}"')].count("\n") + files[file]
            with _support():
                exec(compile(text, name, "exec"), module.__dict__)
            if file != "main":
                sys.modules[file] = module
    finally:
        for file, known in former.items():
            if known is not None:
                sys.modules[file] = known
            else:
                sys.modules.pop(file, None)
    module.__dict__["_takes"] = {f: kinds.split(", ") for f, kinds in re.findall(r"^# (\w+) takes: (.*)$", source, re.M)}
    return module


def programs(module):
    """The names of an emitted module's programs, in the order of the source."""
    return [name for name, value in vars(module).items()
            if callable(value) and any(f"create_{what}_for_{name}" in vars(module) for what in ("inputs", "activations", "weights"))]


def _made(module, program):
    """([activations, weights] as the program takes them, where each tensor goes: (part, key), in the order of the model's arguments).
    A program whose arguments have no kinds takes one list."""
    if hasattr(module, _INPUTS + program):
        made = getattr(module, _INPUTS + program)()
        return [made], [(0, i) for i in range(len(made))]
    parts = [getattr(module, f"create_{what}_for_{program}")() for what in ("activations", "weights") if hasattr(module, f"create_{what}_for_{program}")]
    keys = {part: iter(made if isinstance(made, dict) else range(len(made))) for part, made in enumerate(parts)}
    kinds = module.__dict__.get("_takes", {}).get(program)
    weight = len(parts) - 1
    if kinds is None:
        return parts, [(part, key) for part in keys for key in keys[part]]
    return parts, [(part, next(keys[part])) for part in (0 if kind == "input" else weight for kind in kinds)]


def inputs(module, program):
    """The inputs that the source makes, in the order of the model's arguments."""
    parts, order = _made(module, program)
    return [parts[part][key] for part, key in order]


def call(module, program, tensors):
    """The program's results for tensors of ttnn, given in the order of the model's arguments."""
    parts, order = _made(module, program)
    for (part, key), tensor in zip(order, tensors):
        parts[part][key] = tensor
    cache = module.__dict__.get(f"ce_cache_{program}")
    if cache:  # what an earlier call computed of other weights
        cache.clear()
    results = getattr(module, program)(*parts)
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _as(template, value, what):
    """A tensor of torch with the type, layout and memory of the one that the source makes."""
    if isinstance(value, ttnn.Tensor):
        return value
    if tuple(value.shape) != template.shape:
        raise ValueError(f"{what}: expected a tensor of shape {template.shape}, found {tuple(value.shape)}")
    return ttnn.from_torch(value, dtype=template.dtype, layout=template.layout, device=template.device(),
                           memory_config=template.memory_config())


def _arguments(made, given, program):
    if given is None:
        return made
    if len(given) != len(made):
        raise ValueError(f"program '{program}': expected {len(made)} inputs, found {len(given)}")
    return [_as(template, value, f"program '{program}', input {i}") for i, (template, value) in enumerate(zip(made, given))]


def _run(names, inputs, create, call):
    """{program: outputs as tensors of torch}"""
    inputs = inputs or {}
    unknown = [name for name in inputs if name not in names]
    if unknown:
        raise ValueError(f"there is no program '{unknown[0]}'; there are {', '.join(names) or 'none'}")
    if not names:
        raise ValueError(f"the source has no program: a function NAME with a function {_INPUTS}NAME")
    out = {}
    for name in names:
        results = call(name, _arguments(create(name), inputs.get(name), name))
        out[name] = [ttnn.to_torch(result) for result in results]
    return out


def execute_py(source, inputs=None, name=None):
    """Runs each program of an emitted Python source. `inputs`: {program: tensors of torch or ttnn}; a program that it
    does not name runs with the inputs that the source makes. Returns {program: outputs as tensors of torch}."""
    module = load_py(source, name)
    return _run(programs(module), inputs, lambda program: _inputs(module, program), lambda program, tensors: call(module, program, tensors))


_inputs = inputs  # execute_py() has an argument of that name


# ---- C++ ---------------------------------------------------------------------------------------------

_TENSORS = "::std::vector<::ttnn::Tensor>"
_HERE = os.path.dirname(os.path.abspath(__file__))


def _rows():
    """ttnn-rows.hpp: a function for each row that C++ can call, a structure for each configuration."""
    functions, records = _core.ttnn_cpp()
    spaces = collections.defaultdict(list)
    for name, kind, fields in records:
        space, _, name = name.removeprefix("::").rpartition("::")
        values = ", ".join(f'{{"{f}", &{f}}}' for f in fields)
        fields = fields[:-1] + (fields[-1] + (";\n    using SliceType = ::tw::SliceType" if name == "Conv2dSliceConfig" else ""),)
        spaces[space].append(f'struct {name} {{\n    ::tw::any {", ".join(fields)};\n    tw_value box(::tw::arena &a) const {{ '
                             f'return ::tw::record(a, "{kind}", {{{values}}}); }}\n}};')
    for name, returned, n in functions:
        space, _, short = name.rpartition("::")
        taken = ", ".join(f"::tw::any a{i} = {{}}" for i in range(n))
        passed = ", ".join(f"&a{i}" for i in range(n))
        spaces[space].append(f'inline auto {short}({taken}) {{ return ::tw::returned<::tw::gives::{returned}>(::tw::call("{name}", {{{passed}}})); }}')
    return "// Written by ttrt/emitted.py from the library's rows.\n" + "\n".join(
        f"namespace {space} {{\n" + "\n".join(texts) + "\n}" for space, texts in spaces.items()) + "\n"


def _cases():
    """ttnn-cases.hpp: activations by name."""
    names = _core.ttnn_activations()
    return ("namespace ttnn::operations::unary {\nstruct activation;\nstruct UnaryOpType : tw::named<activation> {\n    static const UnaryOpType "
            + ", ".join(names) + ";\n};\ninline const UnaryOpType " + ", ".join(f'UnaryOpType::{n}{{"{n}"}}' for n in names) + ";\n}\n")


def _cpp_programs(source):
    """The programs of an emitted C++ source, in its order."""
    defined = re.findall(rf"^{re.escape(_TENSORS)} (\w+)\([^)]*\) {{$", source, re.M)
    return [name for name in defined if _INPUTS + name in defined]


def _compiled(command):
    try:
        return subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise RuntimeError(f"no C++ compiler: {command[0]} cannot be started ({error.strerror}); install one, or name it in TILEWRIGHT_CXX") from error


def compile_cpp(source, library):
    """Compiles an emitted C++ source (its text) with TILEWRIGHT_CXX, else c++, g++ or clang++; the library's path."""
    from .runtime import compiler

    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("ttnn-rows.hpp", _rows()), ("ttnn-cases.hpp", _cases())):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        path = os.path.join(folder, "emitted.cpp")
        with open(path, "w") as file:
            file.write("#define main emitted_main\n#line 1 \"emitted.cpp\"\n" + source + "\n"
                       + "".join(f"TTNN_PROGRAM({name})\n" for name in _cpp_programs(source)))
        done = _compiled([compiler(), "-std=c++20", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", "-w", "-I", folder, "-I", _HERE, path,
                               "-o", os.fspath(library)])
    if done.returncode:
        raise RuntimeError(f"the emitted C++ does not compile:\n{done.stderr}")
    return library


class Library:
    """A compiled source: its `programs`, their `inputs` and `call`."""

    def __init__(self, path):
        self._library = ctypes.CDLL(os.path.abspath(os.fspath(path)))
        if not hasattr(self._library, "tw_emitted_call"):
            raise ValueError(f"{path} is no library of emitted programs: compile_cpp() makes them")
        self._library.tw_emitted_program.restype = ctypes.c_char_p
        names = (self._library.tw_emitted_program(ctypes.c_size_t(i)) for i in itertools.count())
        self.programs = [name.decode() for name in itertools.takewhile(bool, names)]
        self._call = ctypes.cast(self._library.tw_emitted_call, ctypes.c_void_p).value
        self.device = ttnn.open_mesh_device(ttnn.MeshShape(1, 1))

    def inputs(self, program):
        """The inputs that the source makes."""
        return _core.ttnn_call_emitted(self._call, program, None, self.device)

    def call(self, program, tensors):
        """The program's results for tensors of ttnn."""
        return _core.ttnn_call_emitted(self._call, program, list(tensors), self.device)


def load_cpp(path):
    """A library of compile_cpp()."""
    from .runtime import refuse_native

    refuse_native()
    return Library(path)


def execute_cpp(source, inputs=None):
    """Runs each program of an emitted C++ source (its text); inputs and results as those of execute_py()."""
    with tempfile.TemporaryDirectory() as folder:
        library = load_cpp(compile_cpp(source, os.path.join(folder, "emitted.so")))
    return _run(library.programs, inputs, library.inputs, library.call)
