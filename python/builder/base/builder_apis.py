"""Programs from Python functions to modules, binaries and runs."""

import gc  # noqa: F401  (star imports of this module expect these)
import inspect
import json  # noqa: F401
import os
import time  # noqa: F401
from collections import OrderedDict
from functools import partial
from typing import Callable, Dict, List, Literal, Optional, Tuple, Union  # noqa: F401

import torch  # noqa: F401
from builder.base.builder import Builder, BuilderError  # noqa: F401
from builder.base.builder_enums import *  # noqa: F401,F403
from builder.base.builder_runtime import *  # noqa: F401,F403
from builder.base.builder_runtime import (TTBuilderCompileException, TTBuilderRuntimeException, execute_cpp, execute_fb, execute_py, tt_runtime)
from builder.base.builder_utils import *  # noqa: F401,F403
from builder.base.builder_utils import DeferredDevice, create_custom_ttir_pipeline_fn, get_artifact_dir, get_target_path, run_ttir_pipeline
from builder.d2m.d2m_builder import D2MBuilder
from builder.stablehlo.shardy_parallelization_utils import find_module_permutations, optimal_module_least_num_collectives
from builder.stablehlo.stablehlo_builder import StableHLOBuilder
from builder.ttir.ttir_builder import TTIRBuilder
from builder.ttnn.ttnn_builder import TTNNBuilder
from ttmlir import ir
from ttmlir.passes import (stablehlo_pipeline, stablehlo_to_ttir_pipeline, translate_to_cpp, translate_to_python, ttir_to_emitc_pipeline,
                           ttir_to_emitpy_pipeline, ttir_to_ttmetal_backend_pipeline, ttir_to_ttnn_runtime_pipeline, ttmetal_to_flatbuffer_bin,
                           ttnn_to_flatbuffer_bin)

BUILDERS = {"ttir": TTIRBuilder, "stablehlo": StableHLOBuilder, "ttnn": TTNNBuilder, "d2m": D2MBuilder}
ONE = OrderedDict([("x", 1), ("y", 1)])
# target: (pipeline, what it becomes, suffix, suffix of the document's file names, options)
TARGETS = {
    "ttnn": (ttir_to_ttnn_runtime_pipeline, ttnn_to_flatbuffer_bin, "ttnn", "ttnn", []),
    "ttmetal": (ttir_to_ttmetal_backend_pipeline, ttmetal_to_flatbuffer_bin, "ttm", "ttm", []),
    "emitc": (ttir_to_emitc_pipeline, translate_to_cpp, "cpp", "ttnn", []),
    "emitpy": (ttir_to_emitpy_pipeline, translate_to_python, "py", "ttnn", []),
    "ttnn-mode": (ttir_to_ttmetal_backend_pipeline, ttnn_to_flatbuffer_bin, "ttnn", "ttnn", ["ttnn-mode=true"]),
}


class CompiledBinary(tt_runtime.binary.Binary):
    """A binary that is also the path of its file, if one was written."""

    path = None

    def __fspath__(self):
        if self.path is None:
            raise TypeError("this binary was not written to a file: use store(path), or compile with save_artifacts=True")
        return self.path


class CompiledSource(str):
    """Emitted Python or C++: its text, and the path of its file, if one was written."""

    path = None

    def __fspath__(self):
        if self.path is None:
            raise TypeError("this source was not written to a file: compile with save_artifacts=True")
        return self.path


def _kind(name):
    if name not in BUILDERS:
        raise BuilderError(f"no builder '{name}'; there are {', '.join(BUILDERS)}")
    return BUILDERS[name]


def build_module(mod, builder_type, mesh_name="mesh", mesh_dict=ONE, save_artifacts=False, artifact_dir=".", system_desc_path=None):
    """(module, builder) of a Python function of a builder; builder_type is ttir, stablehlo, ttnn or d2m."""
    cls, context = _kind(builder_type), ir.Context()
    code = getattr(inspect.unwrap(mod), "__code__", None)
    location = ir.Location.file(code.co_filename, code.co_firstlineno, 0, context) if code else ir.Location.unknown(context)
    builder = cls(context, location, mesh_name, mesh_dict, system_desc_path=system_desc_path)
    with context, location:
        module = ir.Module.create()
        builder._module, builder._module_block = module, module.body
        if builder_type == "stablehlo":
            with ir.InsertionPoint(module.body):
                builder._make_meshes()
        with ir.InsertionPoint(module.body):
            mod(builder)
        try:
            module.operation.verify()
        except ir.MLIRError as error:
            raise BuilderError(f"'{getattr(mod, '__name__', mod)}' built a program that is not valid: {error}") from error
        if save_artifacts:
            _write(os.path.join(artifact_dir, builder_type + "_module.mlir"), str(module))
    return module, builder


def _write(path, contents):
    """Writes a file and the folders of its path."""
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb" if isinstance(contents, bytes) else "w") as file:
            file.write(contents)
    except OSError as error:
        raise TTBuilderCompileException(f"cannot write {path}: {error.strerror}; give another output_root or artifact_dir") from error
    return path


# ---- compile -----------------------------------------------------------------------------------------------


def _target(target):
    if target not in TARGETS:
        raise ValueError(f"Unsupported target: {target}; there are {', '.join(TARGETS)}")
    return TARGETS[target]


def _pipeline(custom, default, print_ir):
    if isinstance(custom, str):
        return create_custom_ttir_pipeline_fn(custom, print_ir=print_ir)
    return custom or (partial(default, print_ir=print_ir) if print_ir else default)


def compile_ttir_module_to_flatbuffer(module, builder, system_desc_path="ttrt-artifacts/system_desc.ttsys", artifact_dir=".", target="ttnn",
                                      mesh_dict=None, save_artifacts=False, argument_types_string=None, custom_pipeline=None,
                                      pipeline_options=None, print_ir=False, input_output_goldens=None, intermediate_goldens=None):
    """(binary or source, goldens of arguments and results, goldens of operations) of a module of TTIR, which is lowered in location."""
    default, translate, suffix, _, more = _target(target)
    mesh_dict = mesh_dict if mesh_dict is not None else _builder_mesh(builder)
    if input_output_goldens is None or intermediate_goldens is None:
        input_output_goldens, intermediate_goldens = builder.golden_map
    try:
        with module.context:
            run_ttir_pipeline(module, _pipeline(custom_pipeline, default, print_ir), pipeline_options=[*(pipeline_options or []), *more],
                              save_artifacts=save_artifacts, output_file_name=os.path.join(artifact_dir, target + "_compiled.mlir"),
                              system_desc_path=system_desc_path, mesh_dict=mesh_dict, argument_types_string=argument_types_string)
            made = translate(module)
    except Exception as error:
        raise TTBuilderCompileException(f"target '{target}': {error}") from error
    compiled = CompiledSource(made) if isinstance(made, str) else _as_binary(made)
    compiled.bypass_ops = list(builder._bypass_ops)
    if save_artifacts:
        _store(compiled, os.path.join(artifact_dir, f"{target}_compiled.{suffix}"))
    return compiled, input_output_goldens, intermediate_goldens


def _as_binary(capsule):
    binary = tt_runtime.binary.load_binary_from_capsule(capsule)
    binary.__class__ = CompiledBinary
    return binary


def _builder_mesh(builder):
    return builder._mesh_dict if isinstance(builder._mesh_dict, dict) else OrderedDict(zip("xy", builder._mesh_shape))


def _store(compiled, path):
    if isinstance(compiled, str):
        _write(path, str(compiled))
    else:
        _write(path, b"")
        compiled.store(path)
    compiled.path = path


def _documented(compiled, builder_kind, test_base, output_root, target):
    """Writes the file that the document of builders reads: ./ttir-builder-artifacts/emitpy/test_ttnn.mlir.py and similar."""
    _, _, suffix, short, _ = _target(target)
    folder = os.path.join(output_root, f"{builder_kind}-builder-artifacts", target)
    _store(compiled, os.path.join(folder, f"{test_base}_{short}.mlir.{suffix}"))


def _compile(kind, fn, lower=None, system_desc_path="ttrt-artifacts/system_desc.ttsys", test_base="test", output_root=".", target="ttnn",
             mesh_name="mesh", mesh_dict=ONE, save_artifacts=False, artifact_dir=None, argument_types_string=None, custom_pipeline=None,
             pipeline_options=None, print_ir=False, write=True):
    """(builder, binary or source, goldens of arguments and results, goldens of operations)."""
    _target(target)
    folder = artifact_dir or get_artifact_dir(output_root, BUILDERS[kind].__name__, test_base, save_artifacts)
    try:
        module, builder = build_module(fn, kind, mesh_name, mesh_dict, save_artifacts, folder, system_desc_path)
    except TTBuilderCompileException:
        raise
    except Exception as error:
        raise TTBuilderCompileException(f"{type(error).__name__}: {error}") from error
    try:
        goldens = builder.golden_map
    except Exception as error:
        raise TTBuilderCompileException(f"{error}") from error
    if lower:
        lower(module, folder)
    compiled, *goldens = compile_ttir_module_to_flatbuffer(
        module, builder, system_desc_path, folder, target, mesh_dict, save_artifacts, argument_types_string, custom_pipeline, pipeline_options,
        print_ir, *goldens)
    if write:
        _documented(compiled, kind, test_base, output_root, target)
    return builder, compiled, *goldens


def compile_ttir_to_flatbuffer(fn, **options):
    """(builder, binary, goldens of arguments and results, goldens of operations) of a function of a TTIRBuilder. The options are
    those of compile_and_execute_ttir that concern compilation. The second is a Binary, or the text of emitted Python or C++; it is
    also the path of its file."""
    return _compile("ttir", fn, **options)


def compile_ttnn_to_flatbuffer(fn, **options):
    """The same for a TTNNBuilder."""
    return _compile("ttnn", fn, **options)


def compile_d2m_to_flatbuffer(fn, **options):
    """The same for a D2MBuilder."""
    return _compile("d2m", fn, **options)


def compile_stablehlo_to_flatbuffer(fn, ttir_pipeline_options=None, shlo_pipeline_options=None, shlo_to_ttir_pipeline_options=None, **options):
    """The same for a StableHLOBuilder; options of the three pipelines go separately."""
    print_ir, save = options.get("print_ir", False), options.get("save_artifacts", False)

    def lower(module, folder):
        steps = ((stablehlo_pipeline, shlo_pipeline_options, "stablehlo_compiled.mlir"),
                 (stablehlo_to_ttir_pipeline, shlo_to_ttir_pipeline_options, "ttir_compiled.mlir"))
        for pipeline, given, name in steps:
            try:
                with module.context:
                    pipeline(module, " ".join(given or []), print_ir=print_ir)
            except Exception as error:
                raise TTBuilderCompileException(str(error)) from error
            if save:
                _write(os.path.join(folder, name), str(module))

    return _compile("stablehlo", fn, lower, pipeline_options=ttir_pipeline_options, **options)


# ---- compile and run ---------------------------------------------------------------------------------------

_RUN = dict(device=None, pcc=0.99, atol=1e-8, rtol=1e-5, disable_golden=False, skip_exec=False, check_pcc=True, check_atol=False,
            check_rtol=False, enable_intermediate_verification=False, dump_memory=False)


def _compile_and_execute(compiler, kind, fn, options):
    run = {name: options.pop(name, default) for name, default in _RUN.items()}
    target, save = options.get("target", "ttnn"), options.get("save_artifacts", False)
    folder = options.setdefault("artifact_dir", None) or get_artifact_dir(
        options.get("output_root", "."), BUILDERS[kind].__name__, options.get("test_base", "test"), save)
    options["artifact_dir"] = folder
    deferred = run["device"] if isinstance(run["device"], DeferredDevice) else None
    if deferred:
        deferred.prepare()
        run["device"] = None
    options["write"] = False
    builder, compiled, ends, inner = compiler(fn, **options)
    if run.pop("skip_exec"):
        raise TTBuilderRuntimeException("Manually skipped execution")
    try:
        if deferred:
            run["device"] = deferred.open()
        run |= {"input_output_goldens": ends, "save_artifacts": save, "artifact_dir": folder}
        if target in ("emitpy", "emitc"):
            for name in ("enable_intermediate_verification", "dump_memory"):
                run.pop(name)
            out = (execute_py if target == "emitpy" else execute_cpp)(compiled, **run)
        else:
            out = execute_fb(compiled, intermediate_goldens=inner, bypass_ops=builder._bypass_ops, **run)
    finally:
        if deferred and run["device"] is not None:
            deferred.close(run["device"])
    if save:
        out.report.mlir_path = os.path.join(folder, f"{target}_compiled.mlir")
    return out.report


def compile_and_execute_ttir(fn, **options):
    """Builds, compiles, runs and compares a function of a TTIRBuilder; gives the report of the comparison.

    Options and defaults: system_desc_path, test_base="test", output_root=".", target="ttnn", mesh_name="mesh", mesh_dict (one
    device), save_artifacts=False, argument_types_string, custom_pipeline, pipeline_options, print_ir=False, device (None opens
    one), pcc=0.99, atol=1e-8, rtol=1e-5, disable_golden=False, skip_exec=False, check_pcc=True, check_atol=False, check_rtol=False,
    enable_intermediate_verification=False, dump_memory=False."""
    return _compile_and_execute(compile_ttir_to_flatbuffer, "ttir", fn, options)


def compile_and_execute_ttnn(fn, **options):
    """The same for a TTNNBuilder."""
    return _compile_and_execute(compile_ttnn_to_flatbuffer, "ttnn", fn, options)


def compile_and_execute_d2m(fn, **options):
    """The same for a D2MBuilder."""
    return _compile_and_execute(compile_d2m_to_flatbuffer, "d2m", fn, options)


def compile_and_execute_shlo(fn, **options):
    """The same for a StableHLOBuilder; pipeline_options are ttir_pipeline_options, shlo_pipeline_options and
    shlo_to_ttir_pipeline_options."""
    return _compile_and_execute(compile_stablehlo_to_flatbuffer, "stablehlo", fn, options)


compile_and_execute_stablehlo = compile_and_execute_shlo

# ---- modules from text -------------------------------------------------------------------------------------


def load_mlir_file(mlir_text, golden_inputs=None, target="ttir", deallocate_goldens=False, test_base="test", output_root="."):
    """(module, builder) of a program's text, or of the file that a path names; golden_inputs are {function: [tensor, ...]}."""
    if isinstance(mlir_text, os.PathLike) or (mlir_text.endswith(".mlir") and len(mlir_text.split()) == 1):
        with open(mlir_text) as file:
            mlir_text = file.read()
    return _kind(target).from_module(ir.Context(), mlir_text, golden_inputs)


def split_mlir_file(module, builder, target=None):
    """[(module, builder)]: each operation as a module of its own, with the references that it had."""
    return (type(builder) if target is None else _kind(target)).split_module(module, builder)


def generate_all_module_permutations(mlir_text, num_devices):
    """The module with each way to split its arguments over that many devices."""
    context = ir.Context()
    with context, ir.Location.unknown(context):
        return find_module_permutations(ir.Module.parse(mlir_text), num_devices)


def get_optimal_module_least_num_collectives(module_permutations):
    """Those modules, after stablehlo-pipeline, that have the fewest collectives; the given ones stay as they are."""
    copies = []
    for module in module_permutations:
        with module.context, ir.Location.unknown(module.context):
            copies.append(ir.Module.parse(str(module), module.context))
    return optimal_module_least_num_collectives(copies)


def experimental_build_stablehlo_module(fn, inputs_shapes, inputs_types=None, mesh_name=("mesh",), mesh_dict=(ONE,), save_artifacts=False, base=None,
                                        output_root="."):
    """(module, builder) of one function of (operands..., builder) over several named meshes."""
    context = ir.Context()
    builder = StableHLOBuilder(context, ir.Location.unknown(context), list(mesh_name), list(mesh_dict))
    types = inputs_types or [torch.float32] * len(inputs_shapes)
    with context, builder._loc:
        module = ir.Module.create()
        builder._module, builder._module_block = module, module.body
        builder.func(inputs_shapes, types)(fn)
        meshes = [builder.experimental_named_mesh_attr(name, builder._create_mesh_attr_from_ordered_dict(axes))
                  for name, axes in zip(mesh_name, mesh_dict)]
        builder._programs[-1][0].operation.attributes["topology"] = builder.experimental_topology_attr(meshes)
    if save_artifacts:
        _write(get_target_path(output_root, "stablehlo-builder-artifacts", "stablehlo.mlir", base or fn.__name__), str(module))
    return module, builder
