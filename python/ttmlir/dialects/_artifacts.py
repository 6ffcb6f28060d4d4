"""Portable artifacts of StableHLO, under the names of its own bindings (where operations hide
Python's `map` and `tuple`: therefore a module apart)."""

from ttmlir._native import native as _native


def get_current_version():
    return _native._vhlo_version()


def get_minimum_version():
    return "0.9.0"


def _numbers(version):
    parts = version.split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise ValueError("failed to convert version to stablehlo version")
    return tuple(map(int, parts))


def get_smaller_version(version1, version2):
    return min(version1, version2, key=_numbers)


def serialize_portable_artifact(module, target, allow_other_dialects=False):
    """The program as bytes that StableHLO of the version `target` and newer ones read."""
    from ttmlir import ir  # which makes this module
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
    """The StableHLO program in what `serialize_portable_artifact` gave, here or elsewhere."""
    from ttmlir import ir  # which makes this module
    from ttmlir.passmanager import PassManager

    try:
        with context:
            module = ir.Module.parse(artifact)
            PassManager.parse("builtin.module(stablehlo-deserialize)").run(module.operation)
            return module
    except (ValueError, ir.MLIRError) as error:
        raise ValueError(f"failed to deserialize module: {error}") from error
