"""Pipelines over modules, and modules as binaries and sources.

Each pipeline is `name(module, options="", print_ir=False)` and changes the module in place.
"""

import enum
import os

from ttmlir import ir as _ir
from ttmlir._native import native as _native
from ttmlir.passmanager import PassManager


def _manager(module, print_ir):
    manager = PassManager("builtin.module", module.context)
    if print_ir:
        manager.enable_ir_printing(tree_printing_dir_path=print_ir if isinstance(print_ir, str) else None)
    return manager


def _run(module, print_ir, *steps):
    """Runs each (name, options) in order."""
    manager = _manager(module, print_ir)
    for name, options in steps:
        try:
            manager._add_named(name, options)
        except ValueError as error:
            raise RuntimeError(f"Failed to add pipeline to pass manager: {error}") from None
    try:
        manager.run(module.operation)
    except _ir.MLIRError as error:
        raise RuntimeError(f"Failed to run pass manager: {error}") from error


def _pipeline(name, *pipelines, before=(), after=()):
    """A function that runs a pipeline, by the first of its names that is registered."""

    def run(module, options="", print_ir=False):
        steps = [(step, "") for step in before] + [(_registered(pipelines), options)]
        _run(module, print_ir, *steps, *((step, "") for step in after))

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"Runs {pipelines[0]} on the module."
    return run


def _registered(names):
    with _ir.Context() as context:
        for name in names:
            try:
                PassManager("builtin.module", context)._add_named(name, "")
            except ValueError:
                continue
            return name
    return names[0]


stablehlo_pipeline = _pipeline("stablehlo_pipeline", "stablehlo-pipeline")
stablehlo_to_ttir_pipeline = _pipeline("stablehlo_to_ttir_pipeline", "stablehlo-to-ttir-pipeline")
ttir_to_ttnn_runtime_pipeline = _pipeline(
    "ttir_to_ttnn_runtime_pipeline", "ttir-to-ttnn-runtime-pipeline", "ttir-to-ttnn-backend-pipeline")
ttir_to_ttnn_backend_pipeline = _pipeline(
    "ttir_to_ttnn_backend_pipeline", "ttir-to-ttnn-backend-pipeline", "ttir-to-ttnn-runtime-pipeline")
ttir_to_ttmetal_backend_pipeline = _pipeline("ttir_to_ttmetal_backend_pipeline", "ttir-to-ttmetal-pipeline")
ttir_to_emitpy_pipeline = _pipeline("ttir_to_emitpy_pipeline", "ttir-to-emitpy-pipeline")
ttir_to_emitc_pipeline = _pipeline("ttir_to_emitc_pipeline", "ttir-to-emitc-pipeline")
pykernel_compile_pipeline = _pipeline("pykernel_compile_pipeline", "pykernel-compile-pipeline")
ttnn_to_ttmetal_pipeline = _pipeline("ttnn_to_ttmetal_pipeline", "ttir-to-ttmetal-pipeline",
                                     before=["convert-ttnn-to-ttir"], after=["ttnn-deallocate"])


def tt_populate_argument_types(module, argument_types_string=""):
    """Marks functions' arguments: "forward=input,parameter,constant"."""
    _run(module, False, ("tt-populate-argument-types", f"argument-types={argument_types_string}"))


# ---- binaries -----------------------------------------------------------------------------------------


def _binary(module, metal, golden_map=None, module_cache=()):
    """The file, with `golden_map` {location: {device: GoldenTensor}} and `module_cache` [(pass, text)]."""
    goldens = [(str(loc), tensor.name, device, tensor.dtype.value, tensor.shape, tensor.data)
               for loc, devices in (golden_map or {}).items() for device, tensor in devices.items()]
    try:
        return _native._binary(module.operation, metal, goldens, [(name, text) for name, text in module_cache])
    except _ir.MLIRError as error:
        raise RuntimeError(f"Failed to write the binary: {error}") from error


def _to_file(data, filepath):
    try:
        with open(filepath, "wb") as file:
            file.write(data)
    except OSError as error:
        raise RuntimeError(f"Failed to open file: {filepath}: {error.strerror}") from None


def ttnn_to_flatbuffer_bin(module):
    """The program's binary, as a capsule for the runtime."""
    return _native._capsule(_binary(module, False))


def ttnn_to_flatbuffer_file(module, filepath, golden_map=None, module_cache=()):
    """Writes the program's binary, with goldens and with the module's text after each pass if given."""
    _to_file(_binary(module, False, golden_map, module_cache), filepath)


def ttmetal_to_flatbuffer_bin(module):
    """The same for a program of ttmetal, whose kernels must be emitc operations."""
    return _native._capsule(_binary(module, True))


def ttmetal_to_flatbuffer_file(module, filepath, golden_map=None, module_cache=()):
    """The same for a program of ttmetal."""
    _to_file(_binary(module, True, golden_map, module_cache), filepath)


# ---- sources --------------------------------------------------------------------------------------------


def _source(module, direction, failure):
    try:
        return _native._translate(module.operation, direction).decode()
    except _ir.MLIRError as error:
        raise RuntimeError(f"{failure}: {error}") from error


def translate_to_cpp(module):
    """The module of emitc operations as C++."""
    return _source(module, "mlir-to-cpp", "Failed to generate cpp")


def translate_to_python(module):
    """The module of emitpy operations as Python."""
    return _source(module, "mlir-to-python", "Failed to generate python")


def _kernels(module):
    return [op for op in _ir.get_ops_of_type(module) if "ttkernel.thread" in op.attributes]


def get_ttkernel_names(module):
    """[(name, thread)] of all kernels."""
    return [(op.attributes["sym_name"].value, str(op.attributes["ttkernel.thread"]).split("<")[-1].rstrip(">"))
            for op in _kernels(module)]


def get_ttkernel_arg_spec(module, kernel_name):
    """The kernel's argument specification, or None."""
    for op in _kernels(module):
        if op.attributes["sym_name"].value == kernel_name:
            return op.attributes.get("ttkernel.arg_spec")
    raise ValueError(f"no kernel '{kernel_name}'")


def _as_emitc(module):
    """The module with its kernels as emitc operations: a copy."""
    copy = module.operation.clone(ip=False)
    PassManager.parse("builtin.module(func.func(convert-ttkernel-to-emitc))", context=module.context).run(copy)
    return copy


def ttkernel_to_cpp(module):
    """All kernels as C++ sources in one text."""
    return _source(_as_emitc(module), "ttkernel-to-cpp", "Failed to translate kernels to C++")


def ttkernel_to_cpp_by_name(module, symbol_name):
    """One kernel as a C++ source."""
    return _one(_as_emitc(module), symbol_name)


def _one(module, symbol_name):
    for op in _ir.get_ops_of_type(module):
        name = op.attributes.get("sym_name")
        if name is not None and name.value == symbol_name:
            return _source(op, "ttkernel-to-cpp-one", "Failed to translate the kernel to C++")
    raise ValueError(f"no kernel '{symbol_name}'")


def ttkernel_to_cpp_file(module, filepath):
    """One file `<kernel>.cpp` for each kernel, in the given directory."""
    emitted = _as_emitc(module)
    for name, _ in get_ttkernel_names(module):
        with open(os.path.join(filepath, f"{name}.cpp"), "w") as file:
            file.write(_one(emitted, name))


# ---- goldens and logs --------------------------------------------------------------------------------------


class DataType(enum.Enum):
    Float32 = 0
    Float16 = 1
    BFloat16 = 2
    UInt32 = 9
    UInt16 = 10
    UInt8 = 11
    Int32 = 12


def lookup_dtype(name):
    """The data type of that name; Float32 if there is none."""
    return DataType.__members__.get(name, DataType.Float32)


class GoldenTensor:
    """The expected contents of a tensor: a copy of `nbytes` at address `ptr`."""

    def __init__(self, name, shape, strides, dtype, ptr, nbytes):
        import ctypes

        self.name, self.shape, self.strides, self.dtype = name, list(shape), list(strides), dtype
        self.data = ctypes.string_at(ptr, nbytes)


class GoldenMap(dict):
    """{name: {device: GoldenTensor}}"""


class InnerGoldenMap(dict):
    """{device: GoldenTensor}"""


class ModuleLog(list):
    """[(pass, module's text)]"""


class MLIRModuleLogger:
    """The module after each pass."""

    def __init__(self):
        self.module_log = ModuleLog()

    def attach_context(self, ctx, passnames_to_cache=()):
        """Records the runs on the context's modules from now on: all steps of pipelines, or those named, and the
        module before the first."""
        names, log = list(passnames_to_cache), self.module_log

        def note(steps):
            log.extend(steps[:1] if not log else [])
            log.extend(step for step in steps[1:] if not names or step[0] in names)

        ctx._log_steps(note)
