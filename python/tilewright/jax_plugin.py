"""The platform "tt" in JAX. JAX finds this module through the entry point group jax_plugins and calls initialize()."""

from pathlib import Path

NAME = "tt"
LIBRARY = Path(__file__).parent / "_pjrt.so"
# Primitives that JAX lowers to LAPACK's routines on the CPU: the host has these.
LINEAR_ALGEBRA = ("cholesky", "eigh", "householder_product", "lu", "geqrf", "geqp3", "svd", "triangular_solve", "tridiagonal_solve")


def _lower_as_on_cpu(mlir):
    """Primitives without a rule for every platform get the CPU's."""
    rules = mlir._platform_specific_lowerings
    for primitive, entry in list(rules["cpu"].items()):
        if primitive.name in LINEAR_ALGEBRA and primitive not in rules[NAME]:
            mlir.register_lowering(primitive, entry.rule, platform=NAME, inline=entry.inline)


def initialize():
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    if NAME in xla_bridge._backend_factories:
        return
    xla_bridge.register_plugin(NAME, priority=500, library_path=str(LIBRARY), options=None)
    if NAME not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(NAME)
    _lower_as_on_cpu(mlir)
