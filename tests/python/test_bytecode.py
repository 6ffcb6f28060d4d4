"""Bytecode against its other readers and writers: jax.export, jaxlib's MLIR and mlir-opt."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax import export, lax  # noqa: E402

TOOL = Path(__file__).resolve().parents[2] / "build" / "bin" / "ttmlir-opt"
PEER = shutil.which("mlir-opt-19")


def shape(*dims, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(dims, dtype)


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(jnp.tri(5, dtype=bool), scores, -1e9)), v)


def sharded(x, w):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("x", "y"))

    def shard(a, *axes):
        return lax.with_sharding_constraint(a, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes)))

    return shard(shard(x, "x", None) @ shard(w, None, ("x", "y")), "x", "y")


INT, BOOL = jnp.int32, jnp.bool_
PROGRAMS = {
    "mlp": (lambda x, w: jax.nn.softmax(jnp.tanh(x @ w)), shape(4, 8), shape(8, 3)),
    "conv": (lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
             shape(1, 8, 8, 3), shape(3, 3, 3, 4)),
    "pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
             shape(1, 8, 8, 3)),
    "sort": (lambda x: lax.sort((x, x), num_keys=1), shape(9)),
    "while": (lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * x), (0, x)), shape(3)),
    "scan": (lambda x: lax.scan(lambda c, a: (c + a * c, c), x[0], x), shape(5, 3)),
    "cond": (lambda p, x: lax.cond(p, lambda y: y + 1, lambda y: y * 2, x), shape(dtype=BOOL), shape(3)),
    "gather": (lambda x, i: x[i] + jnp.take(x, i, axis=0), shape(5, 3), shape(2, dtype=INT)),
    "scatter": (lambda x, i: x.at[i].add(1.0), shape(5, 3), shape(2, dtype=INT)),
    "slices": (lambda x, i: lax.dynamic_update_slice(x, lax.dynamic_slice(x, (i, i), (2, 3)), (i, i)),
               shape(5, 3), shape(dtype=INT)),
    "random": (lambda k: jax.random.normal(jax.random.wrap_key_data(k), (4,)), shape(2, dtype=jnp.uint32)),
    "gradient": (jax.grad(lambda x: jnp.sum(jnp.sin(x) ** 2)), shape(4)),
    "fft": (lambda x: jnp.fft.rfft(x).real, shape(8)),
    "formats": (lambda x: (x.astype(jnp.bfloat16) * 2).astype(jnp.int8) + x.astype(jnp.float8_e4m3fn).astype(jnp.int8),
                shape(4)),
    "constants": (lambda x: x + np.arange(12, dtype=np.float32).reshape(3, 4) + np.array([True, False, True, True]),
                  shape(3, 4)),
    "cholesky": (jnp.linalg.cholesky, shape(4, 4)),
    "attention": (attention, *[shape(2, 5, 2, 4)] * 3),
    "sharded": (sharded, shape(4, 8), shape(8, 4)),
    "sizes to come": (lambda x: jax.nn.relu(x.reshape(-1, 2)).sum(0), shape(*export.symbolic_shape("b, 4"))),
    "custom calls": (lambda x: jnp.linalg.qr(x), shape(4, 3)),
    "indices": (lambda x: (jnp.argmax(x, 1), jnp.cumsum(x, 0), jnp.pad(x, 1), x[::-1]), shape(3, 4)),
}


def tool(data, *options):
    done = subprocess.run([TOOL, *options], input=data, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()[:2000]
    return done.stdout


@pytest.fixture(scope="module", params=PROGRAMS)
def exported(request):
    if not TOOL.is_file():
        pytest.skip("needs the command-line tools: run make")
    fn, *inputs = PROGRAMS[request.param]
    return export.export(jax.jit(fn))(*inputs)


def test_a_portable_artifact_is_the_program(exported):
    artifact = exported.mlir_module_serialized
    assert tool(artifact, "--vhlo-legalize-to-stablehlo") == tool(exported.mlir_module().encode())


def test_writing_is_stable(exported):
    first = tool(exported.mlir_module_serialized, "--emit-bytecode")
    assert tool(first, "--emit-bytecode") == first
    assert tool(first) == tool(exported.mlir_module_serialized)


def test_jaxlib_reads_what_is_written_and_the_other_way(exported):
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    def parse(data):
        return ir.Module.parse(data)

    text = exported.mlir_module()
    with mlir.make_ir_context() as context:
        context.allow_unregistered_dialects = True
        want = str(parse(text))
        assert str(parse(tool(text.encode(), "--emit-bytecode"))) == want
        import io

        theirs = io.BytesIO()
        parse(text).operation.write_bytecode(theirs)
    assert tool(theirs.getvalue()) == tool(text.encode())


def test_the_library_runs_an_artifact():
    from native import Program

    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    fn = jax.jit(lambda v: jnp.tanh(v) * 2 + 1)
    program = Program(export.export(fn)(x).mlir_module_serialized)
    np.testing.assert_allclose(program(x)[0], fn(x), rtol=1e-5)


SOURCE = Path(__file__).resolve().parents[1] / "lit" / "ir" / "bytecode.mlir"


@pytest.mark.skipif(PEER is None, reason="needs mlir-opt-19")
@pytest.mark.parametrize("version", range(7))
def test_mlir_opt_agrees(version):
    source = SOURCE.read_bytes()
    form = ["--emit-bytecode", f"--emit-bytecode-version={version}"]

    def peer(data, *options):
        done = subprocess.run([PEER, *options], input=data, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr.decode()[:2000]
        return done.stdout

    assert tool(peer(source, *form)) == tool(source)
    if version < 5:  # later, properties of func.func are those of MLIR after 19
        generic = "--mlir-print-op-generic"
        assert peer(tool(source, *form), generic) == peer(source, generic)
