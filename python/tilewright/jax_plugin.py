"""The platform "tt" in JAX. JAX finds this module through the entry point group jax_plugins and calls initialize()."""

import math
import os
import tempfile

from . import _core, jax_quick

NAME = "tt"
TESTED = "0.10.2"
# The extension module exports GetPjrtApi, so that the library is loaded once.
LIBRARY = _core.__file__
# Primitives that JAX lowers to LAPACK's routines on the CPU: the host has these.
LINEAR_ALGEBRA = ("cholesky", "eigh", "householder_product", "lu", "geqrf", "geqp3", "svd", "triangular_solve", "tridiagonal_solve")
# Of the widest type, complex128, as many elements have 2^63 bytes.
MAX_ELEMENTS = 1 << 59
CALLBACKS = ("pure_callback", "io_callback", "debug_callback", "debug_print")


def _reject(primitive):
    def rule(ctx, *operands, **parameters):
        raise NotImplementedError(
            f"'{primitive.name}': the platform tt runs no callbacks; compute outside of the jitted function, and pass "
            "the results as arguments")

    return rule


def _add_rules(mlir):
    """Linear algebra is lowered as on the CPU; callbacks are errors that name the primitive."""
    rules = mlir._platform_specific_lowerings
    for primitive, entry in list(rules["cpu"].items()):
        if primitive.name in LINEAR_ALGEBRA and primitive not in rules[NAME]:
            mlir.register_lowering(primitive, entry.rule, platform=NAME, inline=entry.inline)
    for primitive in {*mlir._lowerings, *rules["cpu"]}:
        if primitive.name in CALLBACKS:
            mlir.register_lowering(primitive, _reject(primitive), platform=NAME)


# The text of a stage -> its file among the dumps of a compilation.
STAGES = {"stablehlo": "stablehlo.mlir", "ttir": "ttir_optimized.mlir", "ttnn": "ttnn.mlir"}


def stage(program, dialect):
    """The program (StableHLO, text or portable artifact) as the compiler has it after this stage."""
    with tempfile.TemporaryDirectory() as folder:
        _core.compile(program, {"dump_dir": folder, "host": True, "dram_fallback": True, "entry": "main"}, None)
        path = os.path.join(folder, STAGES[dialect])
        if not os.path.exists(path):
            raise NotImplementedError(f"no text in {dialect}: the host runs the whole program")
        with open(path) as file:
            return file.read()


def program_of(compiled):
    """The program, bytecode or a portable artifact, in a serialized executable: after a mark of 16 bytes, a digest of 32 and two sizes."""
    executable = compiled.runtime_executable()
    data = executable.client.serialize_executable(executable)
    begin = data.index(b"tilewright tt 1")
    size = int.from_bytes(data[begin + 48 : begin + 56], "little")
    return data[begin + 64 : begin + 64 + size]


def xla_text(compiled):
    """The program in XLA's text."""
    from jax._src.interpreters import mlir
    from jax._src.lib import _jax

    with mlir.make_ir_context():
        program = program_of(compiled)
        portable = b"StableHLO_v" in program[:32]
        program = _jax.mlir.deserialize_portable_artifact(program) if portable else mlir.ir.Module.parse(program)
        code = program if isinstance(program, str) else mlir.module_to_bytecode(program)  # text before JAX 0.10
        return _jax.mlir.mlir_module_to_xla_computation(code).as_hlo_text()


def _add_stages(stages):
    """as_text("ttir") and as_text("ttnn") of lowered and of compiled functions."""
    lowered, compiled = stages.Lowered.as_text, stages.Compiled.as_text

    def lowered_text(self, dialect=None, **options):
        if dialect in STAGES and dialect != "stablehlo":
            return stage(lowered(self, "stablehlo", **options), dialect)
        return lowered(self, dialect, **options)

    def compiled_text(self, dialect=None):
        if dialect is not None and dialect not in STAGES:
            raise ValueError(f"unknown dialect: {dialect}; expected {', '.join(STAGES)}, or none for XLA's text")
        if self.runtime_executable().client.platform != NAME:
            return compiled(self)
        return xla_text(self) if dialect is None else stage(program_of(self), dialect)

    lowered_text.__doc__, compiled_text.__doc__ = lowered.__doc__, compiled.__doc__
    stages.Lowered.as_text, stages.Compiled.as_text = lowered_text, compiled_text


def _add_cache(compilation_cache):
    """JAX's compilation cache takes platforms that it lists by name; this adds ours."""
    used = compilation_cache.is_cache_used

    def is_cache_used(backend):
        if backend.platform != NAME:
            return used(backend)
        return compilation_cache._is_cache_enabled() and bool(compilation_cache.config.compilation_cache_dir.value)

    compilation_cache.is_cache_used = is_cache_used


def _add_dlpack(array, dlpack, xla_bridge):
    """An array on tt goes to other libraries as a copy in the CPU's memory."""
    kept_device, kept = array.ArrayImpl.__dlpack_device__, array.ArrayImpl.__dlpack__

    def is_ours(x):
        return len(x.sharding.device_set) == 1 and x.platform() == NAME

    def device(self):
        return (dlpack.DLDeviceType.kDLCPU, 0) if is_ours(self) else kept_device(self)

    def exported(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if not is_ours(self):
            return kept(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
        if copy is False:
            raise BufferError("an array on the platform tt is copied for DLPack; copy=False cannot be had")
        if dl_device is not None and dl_device[0] != dlpack.DLDeviceType.kDLCPU:
            raise BufferError(f"an array on the platform tt is exported to the CPU's memory, not to device {dl_device}")
        if "cpu" in xla_bridge.backends():
            import jax

            return jax.device_put(self, jax.devices("cpu")[0]).__dlpack__(max_version=max_version)
        import numpy

        return numpy.array(self).__dlpack__(max_version=max_version)

    device.__doc__, exported.__doc__ = kept_device.__doc__, kept.__doc__
    array.ArrayImpl.__dlpack_device__, array.ArrayImpl.__dlpack__ = device, exported


def _main_type(module):
    """The type of the main function. XLA's client ends the process where it computes the size of an array of 2^63 bytes or more; this is an error instead."""
    main = next(o for o in module.body.operations if o.operation.name == "func.func" and o.attributes["sym_name"].value == "main")
    for i, tensor in enumerate(main.type.results):
        count = math.prod(getattr(tensor, "shape", ()))
        if count >= MAX_ELEMENTS:
            name = module.operation.attributes["sym_name"].value
            raise ValueError(f"{name}: result {i} is '{tensor}', which has {count} elements: no device has memory for them")
    return main.type


def _add_compile(compiler, mlir, quick):
    """JAX compiles on threads of its own, which a child of fork lacks: compiling there is an error instead of waiting forever."""
    children, compile_and_load = [], compiler.backend_compile_and_load
    os.register_at_fork(after_in_child=lambda: children.append(True))

    def checked(backend, module, devices, options, callbacks):
        if children and backend.platform == NAME:
            name = module.operation.attributes["sym_name"]
            raise RuntimeError(f"{name}: a child of fork calls what is compiled and compiles no more, because JAX's threads do not exist in it; "
                               "compile before the fork, or start the process with spawn")
        if backend.platform != NAME:
            return compile_and_load(backend, module, devices, options, callbacks)
        function = _main_type(module)
        loaded = None if callbacks or not quick else jax_quick.compiled(backend, module, function, devices, options, mlir.module_to_bytecode)
        return loaded or compile_and_load(backend, module, devices, options, callbacks)

    compiler.backend_compile_and_load = checked


def _add_profiler_error(profiler, jax):
    """Before 0.10.1 JAX's profiler ends the process where a plugin has no profiler of its own; this is an error instead."""
    if jax.__version_info__ >= (0, 10, 1):
        return

    def session(*arguments, **options):
        raise NotImplementedError(f"the profiler of JAX {jax.__version__} needs one of each platform's, and tt has none; JAX 0.10.1 does not need it. "
                                  "TT_METAL_PROFILER=1 profiles programs on tt")

    profiler.ProfilerSession = session


def initialize():
    """Registers the platform; JAX calls it. A JAX that lacks what it needs is an error that names both versions."""
    try:
        _register()
    except (ImportError, AttributeError, KeyError, TypeError) as lacking:
        import jax

        raise ImportError(f"the platform tt is tested with JAX {TESTED}; JAX {jax.__version__} is another one, and lacks: {lacking}") from lacking


def _register():
    import jax
    import jaxlib
    from jax._src import (
        array,
        callback,  # noqa: F401 (its primitives get rules below)
        compilation_cache,
        compiler,
        dlpack,
        stages,
        xla_bridge,
    )
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg  # noqa: F401
    from jax._src.lib import _profiler

    if NAME in xla_bridge._backend_factories:
        return
    donating = mlir._platforms_with_donation
    needed = (mlir._platform_specific_lowerings, mlir._lowerings, compilation_cache.is_cache_used, compiler.backend_compile_and_load)  # noqa: F841
    xla_bridge.register_plugin(NAME, priority=500, library_path=LIBRARY, options=None)
    if NAME not in donating:
        donating.append(NAME)
    _add_rules(mlir)
    _add_stages(stages)
    _add_cache(compilation_cache)
    _add_dlpack(array, dlpack, xla_bridge)
    _add_compile(compiler, mlir, jaxlib.__version__ == jax_quick.JAXLIB)
    _add_profiler_error(_profiler, jax)
