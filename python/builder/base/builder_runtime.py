"""Runs of compiled programs, compared with their references."""

import json
import os
import re
from collections import OrderedDict  # noqa: F401  (star imports of this module expect these)
from typing import Callable, Dict, List, Literal, Optional, Tuple, Union  # noqa: F401

import _ttmlir_runtime as tt_runtime
import torch
from builder.base.builder_utils import *  # noqa: F401,F403
from builder.base.report import Execution, GoldenReport, compare, more_figures, plain
from golden.metrics import get_atol_rtol_pcc  # noqa: F401
from golden.shards import GoldenMapTensor  # noqa: F401


class TTBuilderCompileException(Exception):
    """A program that could not be built, lowered or written."""


class TTBuilderRuntimeException(Exception):
    """A program that could not run."""


class TTBuilderGoldenException(Exception):
    """A result that is not what its reference says."""


_DTYPES = {"Float32": torch.float32, "Float16": torch.float16, "BFloat16": torch.bfloat16, "UInt32": torch.uint32, "UInt16": torch.uint16,
           "UInt8": torch.uint8, "Int32": torch.int32, "Float64": torch.float64, "Int64": torch.int64, "UInt64": torch.uint64,
           "Int16": torch.int16, "Int8": torch.int8, "Bool": torch.bool}
_BLOCK_FLOATS = {"BFP_BFloat8": torch.bfloat16, "BFP_BFloat4": torch.bfloat16, "BFP_BFloat2": torch.bfloat16}


def runtime_str_dtype_to_torch_dtype(dtype):
    """The torch dtype of a runtime data type's name."""
    found = _DTYPES.get(dtype) or _BLOCK_FLOATS.get(dtype)
    if found is None:
        raise ValueError(f"unsupported dtype: {dtype}")
    return found


def runtime_dtype_to_torch_dtype(dtype):
    """The torch dtype of a runtime data type."""
    return runtime_str_dtype_to_torch_dtype(str(dtype).rsplit(".", 1)[-1])


def torch_dtype_to_runtime_dtype(dtype):
    """The runtime data type of a torch dtype."""
    for name, known in _DTYPES.items():
        if known is dtype:
            return getattr(tt_runtime.runtime.DataType, name)
    raise ValueError(f"Torch dtype: {dtype} has no runtime DataType equivalent")


def create_tensor(tensor_shards, mesh_shape):
    """A host tensor of the runtime over the torch tensors' memory."""
    first = next(iter(tensor_shards.values()))
    about = list(first.shape), list(first.stride()), first.element_size(), torch_dtype_to_runtime_dtype(first.dtype)
    if not all(first.shape):
        return tt_runtime.runtime.create_owned_host_tensor(first.data_ptr(), *about)
    if len(tensor_shards) > 1:
        return tt_runtime.runtime.create_multi_device_borrowed_host_tensor([t.data_ptr() for t in tensor_shards.values()], *about, {}, mesh_shape)
    return tt_runtime.runtime.create_borrowed_host_tensor(first.data_ptr(), *about)


def convert_input_layouts(device, inputs, template_inputs=None, fbb=None, program_index=None):
    """The tensors in the layouts that the program takes."""
    if template_inputs is None and (fbb is None or program_index is None):
        raise ValueError("Either template_inputs or fbb and program_index must be provided")
    out = []
    for i, tensor in enumerate(inputs):
        layout = template_inputs[i].get_layout() if template_inputs else tt_runtime.runtime.get_layout(fbb, program_index, i)
        out.append(tt_runtime.runtime.to_layout(tensor, device, layout, True))
    return out


def json_string_as_dict(json_string):
    """JSON with nan and inf, as binaries show it."""
    text = re.sub(r"\bnan\b", "NaN", json_string)
    return json.loads(re.sub(r"\binf\b", "Infinity", text)) if json_string else {}


def program_inputs_as_dict(bin, index):
    """The program's arguments."""
    return json_string_as_dict(bin.get_program_inputs_as_json(index))


def program_outputs_as_dict(bin, index):
    """The program's results."""
    return json_string_as_dict(bin.get_program_outputs_as_json(index))


def check_outputs(golden_tensor, output_tensor, tensor_name, pcc, atol, rtol, check_pcc, check_atol, check_rtol, raise_exception=True):
    """The figures of a comparison; raises TTBuilderGoldenException where a checked one is off."""
    figures = compare(golden_tensor, output_tensor, pcc, atol, rtol, check_pcc, check_atol, check_rtol)
    if raise_exception and figures["result"] == "fail":
        raise TTBuilderGoldenException(_off(tensor_name, figures, check_pcc, check_atol, check_rtol))
    return figures | (more_figures(golden_tensor, output_tensor, atol, rtol) if golden_tensor.shape == output_tensor.shape else {})


def _off(name, f, check_pcc, check_atol, check_rtol):
    parts = []
    if check_pcc and f["actual_pcc"] < f["expected_pcc"]:
        parts.append(f"golden comparison failed, actual_pcc={f['actual_pcc']} < expected_pcc={f['expected_pcc']}"
                     + (f" ({f['pcc_rule']})" if "pcc_rule" in f else ""))
    if check_atol and f["actual_atol"] > f["expected_atol"]:
        parts.append(f"atol check failed, actual_atol={f['actual_atol']} > expected_atol={f['expected_atol']}")
    if check_rtol and f["actual_rtol"] > f["expected_rtol"]:
        parts.append(f"rtol check failed, actual_rtol={f['actual_rtol']} > expected_rtol={f['expected_rtol']}")
    off = f.get("worst")
    worst = f"; worst at {tuple(off['index'])}: expected {off['expected']}, found {off['found']}" if off else ""
    return f"Failed: program-level output {'; '.join(parts)} ({name}, shape {f['shape']}{worst}). " \
           "Run with enable_intermediate_verification=True to see the first operation that is off"


def get_sanitized_filename(name, replacement="_"):
    """The name without characters that files' names cannot have."""
    return re.sub(r'[:"/\\|?*\x00-\x1F]', replacement, name).strip() or "untitled"


def get_original_op_loc(text):
    """The location inside a location that a pass has wrapped: loc("wrapper"("original"))."""
    found = re.findall(r'"([^"]*)"', text)
    return f'loc("{found[1]}")' if len(found) > 1 else "loc()"


def _as_torch(tensor):
    """A copy of a runtime tensor's contents."""
    dtype, shape = runtime_dtype_to_torch_dtype(tensor.get_dtype()), tensor.get_shape()
    buffer = bytearray(tensor.get_data_buffer())
    return torch.frombuffer(buffer, dtype=dtype).reshape(shape) if buffer else torch.empty(shape, dtype=dtype)


def _torch_goldens(goldens):
    return {key: g.golden_map_tensor_as_torch_tensors() for key, g in goldens.items()}


class _Watch:
    """The hook after each operation: compares its results, replaces those of bypassed ones, notes the memory."""

    def __init__(self, goldens, bypass, checks, compare_all, memory):
        self.goldens, self.bypass, self.checks = goldens, set(bypass or ()), checks
        self.compare_all, self.memory = compare_all, memory
        self.report, self.memory_report, self.error = {}, [], None

    def start(self):
        self.report, self.memory_report = {}, []

    def __call__(self, binary, program, op):
        try:
            if self.goldens:
                self._compare(program, op)
            if self.memory is not None:
                self._note(op)
        except Exception as error:  # noqa: BLE001  (re-raised when the program has ended)
            self.error = self.error or error

    def _compare(self, program, op):
        location = tt_runtime.runtime.get_op_loc_info(op)
        for key in (location, get_original_op_loc(location)):
            if key in self.goldens:
                break
        else:
            return
        if not self.compare_all and key not in self.bypass:
            return
        outputs, devices = tt_runtime.runtime.get_op_output_tensor(op, program), {}
        for device, golden in self.goldens[key].items():
            found = outputs.get(device)
            if found is None:
                continue
            found = _as_torch(found)
            if found.numel() != golden.numel():
                continue  # a step of a decomposed operation
            found = found.reshape(golden.shape)
            text = tt_runtime.runtime.get_op_debug_str(op)
            name = re.search(r'"?([a-z]+\.[\w.]+)"?\(', text)
            figures = compare(golden, found, *self.checks) | {"op": name[1] if name else "?", "debug_info": text}
            if key in self.bypass:
                self._replace(program, op, golden)
                figures["bypassed"] = "True"
            devices[device] = figures
        if devices:
            self.report[key] = devices  # the last operation with that location has its result

    def _replace(self, program, op, golden):
        refs = tt_runtime.runtime.get_op_output_refs(op)
        if not refs:
            return
        there = tt_runtime.runtime.retrieve_tensor_from_pool(program, refs[0])
        if there is None:
            return
        host = tt_runtime.runtime.to_host(there, untilize=True)[0]
        golden = golden.to(runtime_dtype_to_torch_dtype(host.get_dtype())).contiguous()
        tensor = tt_runtime.runtime.create_owned_host_tensor(golden.data_ptr(), host.get_shape(), host.get_stride(), golden.element_size(),
                                                             host.get_dtype())
        tt_runtime.runtime.update_tensor_in_pool(program, refs[0], tensor)

    def _note(self, op):
        views = self.memory.get_memory_view()
        entry = {"loc": tt_runtime.runtime.get_op_loc_info(op), "debug_str": tt_runtime.runtime.get_op_debug_str(op)}
        for kind, view in views.items():
            name = {"DRAM": "dram", "L1": "l1", "L1_SMALL": "l1_small", "TRACE": "trace"}.get(str(kind).rsplit(".", 1)[-1], str(kind))
            entry[name] = {f: getattr(view, f) for f in dir(view) if not f.startswith("_") and isinstance(getattr(view, f), int)}
        self.memory_report.append(entry)


def _binary(compiled_bin):
    if type(compiled_bin).__name__ == "PyCapsule":
        return tt_runtime.binary.load_binary_from_capsule(compiled_bin)
    if isinstance(compiled_bin, tt_runtime.binary.Binary):
        return compiled_bin
    if hasattr(compiled_bin, "binary"):
        return compiled_bin.binary
    if isinstance(compiled_bin, (str, os.PathLike)):
        path = os.fspath(compiled_bin)
        if not os.path.exists(path):
            raise TTBuilderRuntimeException(f"no binary {path}: give the binary that compile_* returned, or the path of a .ttnn file")
        try:
            return tt_runtime.binary.load_binary_from_path(path)
        except RuntimeError as error:
            raise TTBuilderRuntimeException(f"{path}: {error}") from error
    raise ValueError(f"Unsupported compiled_bin type: {type(compiled_bin)}, expected PyCapsule or Binary.")


def _random_input(about, device):
    dtype, shape = runtime_str_dtype_to_torch_dtype(about["desc"]["layout"]["memory_desc"]["data_type"]), about["desc"]["shape"]
    if dtype.is_floating_point:
        t = torch.randn(shape, dtype=torch.float32).to(dtype)
    else:
        t = torch.randint(0, 256, shape).to(dtype)
    return {0: t}


def execute_fb(compiled_bin, input_output_goldens=None, intermediate_goldens=None, pcc=0.99, atol=1e-8, rtol=1e-5, disable_golden=False,
               device=None, check_pcc=True, check_atol=False, check_rtol=False, enable_intermediate_verification=False, bypass_ops=None,
               save_artifacts=False, artifact_dir=".", dump_memory=False):
    """Runs each public program of a binary on the device and compares the results; gives (report, tensors).

    enable_intermediate_verification compares the results of operations, too; bypass_ops are locations whose results are replaced
    by their references."""
    fbb = _binary(compiled_bin)
    if not fbb.check_schema_hash():
        raise TTBuilderRuntimeException(f"the binary was written for another version of the schemas, {fbb.version} with the hash {fbb.schema_hash[:12]}: "
                                        f"compile it again with this one")
    disable_golden = disable_golden or input_output_goldens is None
    ends = {} if disable_golden else {p: _torch_goldens(entries) for p, entries in input_output_goldens.items()}
    bypass_ops = list(bypass_ops or getattr(compiled_bin, "bypass_ops", None) or [])
    watched = enable_intermediate_verification or bypass_ops
    inner = _torch_goldens(intermediate_goldens or {}) if watched else {}
    checks = (pcc, atol, rtol, check_pcc, check_atol, check_rtol)
    opened = None
    if device is None:
        device = opened = _open(fbb)
    watch = _Watch(inner, bypass_ops, checks, enable_intermediate_verification, device if dump_memory else None)
    report, tensors = GoldenReport(), {}
    if watched or dump_memory:
        tt_runtime.runtime.DebugHooks.get(post_op=watch)
    try:
        public = [i for i in range(fbb.get_num_programs()) if not fbb.is_program_private(i)]
        for order, index in enumerate(public):
            watch.start()
            golden = ends.get(index, ends.get(order, {}))
            folder = os.path.join(artifact_dir, f"program_{index}")
            if save_artifacts or dump_memory:
                _folder(folder)
            entries, values = _run_program(fbb, index, golden, device, checks, disable_golden, watch, folder if save_artifacts else None)
            report[f"program_{index}"], tensors[f"program_{index}"] = entries, values
            if save_artifacts:
                with open(os.path.join(folder, "golden_report.json"), "w") as file:
                    json.dump(plain(entries), file, indent=4)
            if dump_memory:
                with open(os.path.join(folder, "memory_report.json"), "w") as file:
                    json.dump(plain(watch.memory_report), file, indent=4)
    finally:
        if watched or dump_memory:
            tt_runtime.runtime.unregister_hooks()
        if opened is not None:
            tt_runtime.runtime.close_mesh_device(opened)
    return Execution(report, tensors)


def _open(fbb):
    tt_runtime.runtime.set_compatible_device_runtime(fbb)
    return tt_runtime.runtime.open_mesh_device(tt_runtime.runtime.MeshDeviceOptions())


def _folder(path):
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise TTBuilderRuntimeException(f"cannot write artifacts to {path}: {error.strerror}; give another artifact_dir or output_root") from error


def _run_program(fbb, index, golden, device, checks, disable_golden, watch, folder):
    arguments, results = program_inputs_as_dict(fbb, index), program_outputs_as_dict(fbb, index)
    shards = []
    for i, about in enumerate(arguments):
        given = None if disable_golden else golden.get(f"input_{i}")
        shards.append(given if given is not None else _random_input(about, device))
    try:
        mesh = device.get_mesh_shape()
        inputs = convert_input_layouts(device, [create_tensor(s, mesh) for s in shards], fbb=fbb, program_index=index)
        outputs = tt_runtime.runtime.submit(device, fbb, index, inputs)
        tt_runtime.runtime.wait(outputs)
    except Exception as error:
        raise TTBuilderRuntimeException(f"program {index} ('{fbb.get_program_name(index)}') did not run: {error}") from error
    if watch.error is not None:
        raise TTBuilderRuntimeException(f"program {index}: {watch.error}") from watch.error
    entries, values, off = {}, {}, None
    for i, output in enumerate(outputs):
        expected = golden.get(f"output_{i}") if not disable_golden else None
        host = tt_runtime.runtime.to_host(output, untilize=True)
        name = f"output_{i}"
        entries[name], values[f"device_{name}"], values[f"golden_{name}"] = {}, {}, {}
        for device_id, shard in enumerate(host):
            found = _copied(shard, results[i])
            values[f"device_{name}"][device_id] = found
            if folder:
                torch.save(found, os.path.join(folder, f"device_{name}_device_{device_id}.pt"))
            if expected is None:
                continue
            reference = expected.get(device_id, expected[0] if len(expected) == 1 and 0 in expected else None)
            if reference is None:
                continue
            if folder:
                torch.save(reference, os.path.join(folder, f"golden_{name}_device_{device_id}.pt"))
            values[f"golden_{name}"][device_id] = reference
            figures = check_outputs(reference, found, f"{name} of program '{fbb.get_program_name(index)}'", *checks, raise_exception=False)
            entries[name][device_id] = figures
            if figures["result"] == "fail" and off is None:
                off = _off(f"{name} of program '{fbb.get_program_name(index)}'", figures, *checks[3:])
        tt_runtime.runtime.deallocate_tensor(output, force=True)
    entries.update(watch.report)
    if off:
        error = TTBuilderGoldenException(off)
        error.report = GoldenReport({f"program_{index}": entries})
        raise error
    return entries, values


def _copied(shard, about):
    """The result in the dtype that the binary declares."""
    dtype = runtime_str_dtype_to_torch_dtype(about["desc"]["layout"]["memory_desc"]["data_type"])
    shape = about["desc"]["shape"]
    shape = shard.get_shape() if list(shard.get_shape()) != list(shape) else shape
    out = torch.zeros(shape, dtype=dtype)
    if out.numel():
        tt_runtime.runtime.memcpy(create_tensor({0: out}, (1, 1)), shard)
    return out


# ---- emitted sources -------------------------------------------------------------------------------------


def _source_text(compiled, suffix):
    """The text of a source, which is given itself or by its path."""
    if isinstance(compiled, str) and "\n" in compiled:
        return compiled
    path = os.fspath(compiled)
    if not os.path.exists(path):
        raise TTBuilderRuntimeException(f"no file {path}: give the path or the text that compile_* returned for target '{suffix}'")
    with open(path) as file:
        return file.read()


def _compared(name, golden, found, checks, report, tensors):
    entries, values = {}, {}
    for i, output in enumerate(found):
        expected = golden.get(f"output_{i}")
        values[f"device_output_{i}"] = {0: output}
        if expected is not None:
            entries[f"output_{i}"] = {0: check_outputs(expected[0], output.to(expected[0].dtype).reshape(expected[0].shape),
                                                       f"output_{i} of '{name}'", *checks)}
            values[f"golden_output_{i}"] = {0: expected[0]}
    report[name], tensors[name] = entries, values


def _run_source(kind, compiled, run, names_of, input_output_goldens, checks, disable_golden, save_artifacts, artifact_dir):
    """Runs each program of an emitted source and compares its results."""
    text, report, tensors = _source_text(compiled, kind), GoldenReport(), {}
    try:
        names = names_of(text)
    except Exception as error:
        raise TTBuilderRuntimeException(f"the source emitted for {kind} does not load: {type(error).__name__}: {error}") from error
    ends = {} if disable_golden or input_output_goldens is None else {
        name: _torch_goldens(input_output_goldens.get(i, {})) for i, name in enumerate(names)}
    inputs = {name: [golden[f"input_{i}"][0] for i in range(sum(key.startswith("input_") for key in golden))]
              for name, golden in ends.items() if golden}
    try:
        found = run(text, inputs)
    except Exception as error:
        raise TTBuilderRuntimeException(f"the source emitted for {kind} did not run: {type(error).__name__}: {error}") from error
    for order, name in enumerate(names):
        _compared(f"program_{order}", ends.get(name, {}), found[name], checks, report, tensors)
    if save_artifacts:
        _folder(artifact_dir)
        report.save(os.path.join(artifact_dir, "golden_report.json"))
    return Execution(report, tensors)


def execute_py(compiled_bin, input_output_goldens=None, pcc=0.99, atol=1e-8, rtol=1e-5, disable_golden=False, check_pcc=True, check_atol=False,
               check_rtol=False, save_artifacts=False, artifact_dir=".", device=None):
    """Runs the functions of emitted Python, given as text or path, and compares their results; gives (report, tensors)."""
    from ttrt import emitted

    return _run_source("emitpy", compiled_bin, emitted.execute_py, lambda text: emitted.programs(emitted.load_py(text)), input_output_goldens,
                       (pcc, atol, rtol, check_pcc, check_atol, check_rtol), disable_golden, save_artifacts, artifact_dir)


def execute_cpp(cpp_path, input_output_goldens=None, pcc=0.99, atol=1e-8, rtol=1e-5, disable_golden=False, device=None, check_pcc=True,
                check_atol=False, check_rtol=False, save_artifacts=False, artifact_dir="."):
    """Compiles emitted C++, given as text or path, loads it, runs its functions and compares their results; gives (report, tensors)."""
    from ttrt import emitted

    return _run_source("emitc", cpp_path, emitted.execute_cpp, lambda text: re.findall(r"create_inputs_for_(\w+)\(\)\s*\{", text), input_output_goldens,
                       (pcc, atol, rtol, check_pcc, check_atol, check_rtol), disable_golden, save_artifacts, artifact_dir)
