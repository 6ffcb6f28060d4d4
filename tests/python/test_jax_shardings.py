"""Programs that JAX exports with shardings for a mesh of one device: as text and as portable artifacts, on the device
and with loops on the host, against JAX element by element."""

import os
import subprocess

import numpy as np
import pytest
from conftest import ROOT

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax import export  # noqa: E402
from jax.experimental.shard_alike import shard_alike  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

BIN = os.path.join(os.environ.get("TW_BUILD", ROOT / "build"), "bin")
MESH = Mesh(np.array(jax.devices()[:1]), ("x",))
ROWS, COLUMNS = NamedSharding(MESH, PartitionSpec("x", None)), NamedSharding(MESH, PartitionSpec(None, "x"))


def on_the_mesh(body, n=2):
    return jax.shard_map(body, mesh=MESH, in_specs=(PartitionSpec(None, None),) * n, out_specs=PartitionSpec(), check_vma=False)


def constraints(a, b):
    return jax.lax.with_sharding_constraint(jnp.tanh(jax.lax.with_sharding_constraint(a, ROWS) @ b), COLUMNS)


def constraint_in_a_loop(a, b):
    return jax.lax.while_loop(lambda c: jnp.sum(c) < 100, lambda c: jax.lax.with_sharding_constraint(c * 1.5 + 1, ROWS), a) @ b


def same_sharding(a, b):
    x, y = shard_alike(a * 2, jnp.tanh(a))
    return (x + y) @ b


def permute_in_a_scan(a, b):
    def step(c, x):
        c = jax.lax.ppermute(c, "x", [(0, 0)]) + x
        return c, c
    return on_the_mesh(lambda a, b: jax.lax.scan(step, jnp.zeros(8, a.dtype), a)[1] @ b)(a, b)


def exchanges_in_a_loop(a, b):
    def step(_, c):
        c = jax.lax.ppermute(c, "x", [(0, 0)]) * 0.9 + jax.lax.psum(c, "x") * 0.01
        c = jax.lax.all_gather(c, "x", tiled=True) + jax.lax.axis_index("x")
        return jax.lax.all_to_all(jax.lax.psum_scatter(c, "x", tiled=True), "x", 0, 0, tiled=True)
    return on_the_mesh(lambda a, b: jax.lax.fori_loop(0, jnp.int32(jnp.sum(jnp.abs(a))), step, a @ b))(a, b)


@pytest.mark.parametrize("form", ["text", "artifact"])
@pytest.mark.parametrize("function", [constraints, constraint_in_a_loop, same_sharding, permute_in_a_scan, exchanges_in_a_loop])
def test_one_device(tmp_path, function, form):
    shardings = {"in_shardings": (ROWS, None), "out_shardings": ROWS} if function is constraints else {}
    jitted = jax.jit(function, **shardings)
    rng = np.random.default_rng(0)
    arguments = [rng.uniform(-1, 1, shape).astype(np.float32) for shape in ((4, 8), (8, 3))]
    exported = export.export(jitted)(*arguments)
    text = str(exported.mlir_module())
    assert ("sdy." in text or "collective_permute" in text) and "uses_shape_polymorphism" in text
    (tmp_path / "p").write_bytes(text.encode() if form == "text" else exported.mlir_module_serialized)
    np.savez(tmp_path / "x.npz", in0=arguments[0], in1=arguments[1], out0=np.asarray(jitted(*arguments)))
    done = subprocess.run([os.path.join(BIN, "tilewright"), "run", "p", "--inputs", "x.npz", "--expect", "x.npz", "--atol", "1e-5",
                           "--rtol", "1e-5"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
