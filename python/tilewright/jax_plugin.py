"""The platform "tt" in JAX. JAX finds this module through the entry point group jax_plugins and calls initialize()."""

from . import _core

NAME = "tt"
# The extension module exports GetPjrtApi, so that the library is loaded once.
LIBRARY = _core.__file__
# Primitives that JAX lowers to LAPACK's routines on the CPU: the host has these.
LINEAR_ALGEBRA = ("cholesky", "eigh", "householder_product", "lu", "geqrf", "geqp3", "svd", "triangular_solve", "tridiagonal_solve")
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


def initialize():
    from jax._src import (
        callback,  # noqa: F401 (its primitives get rules below)
        xla_bridge,
    )
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg  # noqa: F401

    if NAME in xla_bridge._backend_factories:
        return
    xla_bridge.register_plugin(NAME, priority=500, library_path=LIBRARY, options=None)
    if NAME not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(NAME)
    _add_rules(mlir)
