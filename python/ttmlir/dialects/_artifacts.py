"""Portable artifacts of StableHLO, under the names of its own bindings (a separate module, since operations hide
Python's `map` and `tuple` there)."""

import enum
import io

from ttmlir._native import native as _native


class StablehloCompatibilityRequirement(enum.Enum):
    """The minimum age of readers that an artifact must support."""

    NONE = 0
    WEEK_4 = 1
    WEEK_12 = 2
    MAX = 3


def get_current_version():
    return _native._vhlo_version()


def get_minimum_version():
    return "0.9.0"


# Versions of StableHLO 1.18.
_API_VERSION = 9
_OLDER = {StablehloCompatibilityRequirement.WEEK_4: "1.18.0", StablehloCompatibilityRequirement.WEEK_12: "1.16.2",
          StablehloCompatibilityRequirement.MAX: "0.9.0"}


def get_api_version():
    return _API_VERSION


def get_version_from_compatibility_requirement(requirement):
    requirement = StablehloCompatibilityRequirement(requirement)
    return get_smaller_version(get_current_version(), _OLDER.get(requirement, get_current_version()))


def _numbers(version):
    parts = version.split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise ValueError("failed to convert version to stablehlo version")
    return tuple(map(int, parts))


def get_smaller_version(version1, version2):
    return min(version1, version2, key=_numbers)


def serialize_portable_artifact(module, target, allow_other_dialects=False):
    """The program as bytes readable by StableHLO of version `target` and newer."""
    from ttmlir import ir  # not at the top: `ir` imports this module
    from ttmlir.passmanager import PassManager

    try:
        version = ".".join(map(str, _numbers(target)))
        with module.context:
            copy = ir.Module.parse(module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True))
            other = "true" if allow_other_dialects else "false"
            PassManager.parse(f"builtin.module(stablehlo-legalize-to-vhlo{{allow-other-dialects={other}}},"
                              f"vhlo-to-version{{target={version}}})").run(copy.operation)
            return _native._artifact(copy.operation, version)
    except (ValueError, ir.MLIRError) as error:
        raise ValueError(f"failed to serialize module: {error}") from error


def deserialize_portable_artifact(context, artifact):
    """The StableHLO program of an artifact written by any implementation."""
    from ttmlir import ir  # not at the top: `ir` imports this module
    from ttmlir.passmanager import PassManager

    try:
        with context:
            module = ir.Module.parse(artifact)
            PassManager.parse("builtin.module(stablehlo-deserialize)").run(module.operation)
            return module
    except (ValueError, ir.MLIRError) as error:
        raise ValueError(f"failed to deserialize module: {error}") from error


def serialize_portable_artifact_str(module_str, target_version):
    """The same from a program's text or bytecode."""
    from ttmlir import ir  # not at the top: `ir` imports this module

    with ir.Context():
        try:
            module = ir.Module.parse(module_str)
        except ir.MLIRError as error:
            raise ValueError(f"failed to parse module: {error}") from error
        return serialize_portable_artifact(module, target_version)


def deserialize_portable_artifact_str(artifact_str):
    """The program in an artifact, as bytecode."""
    from ttmlir import ir  # not at the top: `ir` imports this module

    out = io.BytesIO()
    deserialize_portable_artifact(ir.Context(), artifact_str).operation.write_bytecode(out)
    return out.getvalue()


def eval_module(module, args, probe_instrumentation_dir=""):
    """The results of the function `main`, or of the only public one, for these constants."""
    if probe_instrumentation_dir:
        raise NotImplementedError("probes write no files here: probe_instrumentation_dir must be empty")
    functions = [op for op in module.body.operations if op.operation.name == "func.func" and len(op.regions[0].blocks)]
    public = [op for op in functions if op.operation.attributes.get("sym_visibility") is None]
    chosen = [op for op in functions if op.operation.attributes["sym_name"].value == "main"] or public
    if len(chosen) != 1:
        raise ValueError(f"a module to evaluate has a function 'main' or one public function, not {len(public)}")
    return _native._eval_function(chosen[0], list(args))
