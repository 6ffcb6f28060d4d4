"""Programs run live through jax.jit on the platform tt, and on the CPU; run by test_jax_plugin.py in a process of its own.

Writes one line of JSON: {name: None or what was wrong}."""

import json
import os
import sys
import tempfile
import threading
import traceback

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
from export_jax import PROGRAMS as EXPORTED
from jax import lax
from jax.experimental import serialize_executable

CPU, TT = jax.devices("cpu")[0], jax.devices("tt")[0]
RNG = np.random.default_rng(0)
KEY = np.asarray(jax.random.PRNGKey(3))
wrong = {}


def real(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def compare(want, got, tolerance):
    assert got.devices() == {TT} and got.dtype == want.dtype and got.shape == want.shape, (got, want)
    want, got = np.asarray(want), np.asarray(got)
    if want.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want)
        return
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    error = np.abs(got.astype(wide) - want.astype(wide)).max(initial=0)
    assert error <= tolerance * np.abs(want.astype(wide)).max(initial=0), f"off by {error}"


def record(name, work):
    try:
        work()
        wrong[name] = None
    except Exception:
        wrong[name] = traceback.format_exc()[-1500:]


def program(name, function, *arguments, tolerance=1e-5):
    def work():
        want = jax.tree.leaves(jax.jit(function)(*jax.device_put(arguments, CPU)))
        got = jax.tree.leaves(jax.jit(function)(*jax.device_put(arguments, TT)))
        for w, g in zip(want, got, strict=True):
            compare(w, g, tolerance)

    record(name, work)


def raises(text, function, *arguments):
    try:
        jax.block_until_ready(function(*arguments))
    except Exception as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no error; expected {text!r}")


def mlp(p, x):
    for w, b in p:
        x = jnp.tanh(x @ w + b)
    return x


def loss(p, x, y):
    return jnp.mean((mlp(p, x) - y) ** 2)


@jax.custom_vjp
def square(x):
    return x * x


square.defvjp(lambda x: (x * x, x), lambda x, g: (3 * x * g,))


def networks():
    layers = [(real(8, 16), real(16)), (real(16, 4), real(4))]
    for name, (function, arguments) in EXPORTED.items():
        program(name, function, *arguments)
    program("affine", lambda x: x * 2 + 1, real(3, 4))
    program("layers", mlp, layers, real(32, 8))
    program("gradients", jax.value_and_grad(loss), layers, real(32, 8), real(32, 4))
    program("convolution", lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME"), real(2, 3, 8, 8), real(4, 3, 3, 3))
    program("gradient of convolution", jax.grad(lambda w, x: (lax.conv_general_dilated(x, w, (2, 2), "SAME") ** 2).sum()),
            real(4, 3, 3, 3), real(2, 3, 8, 8))
    program("gradient of pooling", jax.grad(
        lambda x: (lax.reduce_window(x, -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") ** 2).sum()), real(2, 3, 8, 8))
    program("gradient of embedding", jax.grad(lambda e, i: (e[i] ** 2).sum()), real(10, 4), np.array([[1, 5], [1, 2]]))
    program("checkpoint", jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.cos(x)).sum())), real(5))
    program("custom_vjp", jax.grad(lambda x: square(x).sum()), real(4))
    program("hessian", jax.hessian(lambda x: (x**3).sum()), real(4))
    program("jvp", lambda x: jax.jvp(jnp.tanh, (x,), (x,)), real(4))
    program("vmap", lambda a, b: jax.vmap(jnp.dot)(a, b), real(5, 6), real(5, 6))


def control():
    program("scan", lambda x: lax.scan(lambda c, y: (c * 0.9 + y, c.sum()), x[0], x), real(7, 5))
    program("while_loop", lambda x: lax.while_loop(lambda v: v.sum() < 100, lambda v: v * 1.5 + 1, x), real(4))
    program("cond", lambda x: lax.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, x), real(4))
    program("switch", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.exp], x), np.int32(1), real(4))
    program("fori_loop", lambda x: lax.fori_loop(0, 10, lambda i, v: v * 0.5 + i, x), real(4))
    program("associative_scan", lambda x: lax.associative_scan(jnp.add, x), real(9))


def arrays():
    program("several results", lambda x: (x, x + 1, {"a": x.sum(), "b": x > 0}), real(3, 3))
    program("no elements", lambda x: (x * 2, x.sum(axis=0)), np.zeros((0, 3), np.float32))
    program("result without elements", lambda x: x[:0], real(3, 3))
    program("scalar", lambda x: x + 1, np.float32(3))
    program("strided", lambda x: x + 1, real(6, 8)[::2, ::-1].T)
    program("broadcast in memory", lambda x: x + 1, np.broadcast_to(real(3, 1), (3, 4)))
    program("sort", lambda x: (jnp.sort(x), jnp.argsort(x), lax.top_k(x, 3)), real(4, 10))
    program("scatter", lambda x, i, u: x.at[i].add(u), real(10, 4), np.array([1, 5, 1]), real(3, 4))
    program("fft", lambda x: jnp.fft.rfft(x), real(4, 16), tolerance=1e-4)
    for name in "bool int8 int16 int32 uint8 uint16 uint32 float16 float32 bfloat16 complex64".split():
        x = np.asarray(RNG.integers(0, 5, (4, 5)), dtype=jnp.dtype(name))
        program(name, (lambda x: (~x, x.T)) if name == "bool" else (lambda x: (x + x, x * x, x.T)), x)
    for name in ("int4 uint4 int2 uint2 float8_e5m2 float8_e4m3fn float8_e4m3b11fnuz float8_e5m2fnuz float8_e4m3fnuz float8_e3m4 "
                 "float8_e4m3 float4_e2m1fn").split():
        x = RNG.uniform(0.4, 3, (4, 5)).astype(np.float32).astype(jnp.dtype(name))
        program(name, lambda x: (x, x * x, x.T, x.astype(jnp.float32), (x.astype(jnp.float32) * 1.3).astype(x.dtype)), x, tolerance=0)
    with jax.enable_x64(True):
        for name in "int64 uint64 float64 complex128".split():
            program(name, lambda x: (x + x, x * x, x.T), np.asarray(RNG.integers(0, 1 << 40, (4, 5)), dtype=name))


def random_bits():
    for name in "normal uniform bits".split():
        program(f"random {name}", lambda k, draw=getattr(jax.random, name): draw(k, (50,)), KEY)
    program("random gamma", lambda k: jax.random.gamma(k, 2.0, (20,)), KEY)
    program("random permutation", lambda k: jax.random.permutation(k, 20), KEY)
    program("random split", lambda s: jax.random.normal(jax.random.split(jax.random.key(s))[0], (10,)), np.int32(3))


def linear_algebra():
    a = real(6, 6)
    s = a @ a.T + 6 * np.eye(6, dtype=np.float32)
    program("cholesky", jnp.linalg.cholesky, s)
    program("gradient of cholesky", jax.grad(lambda a: jnp.linalg.cholesky(a @ a.T + 6 * jnp.eye(6)).sum()), a, tolerance=1e-4)
    program("solve", jnp.linalg.solve, a, real(6, 2), tolerance=1e-4)
    program("det", jnp.linalg.det, a, tolerance=1e-4)
    program("eigvalsh", jnp.linalg.eigvalsh, s, tolerance=1e-4)
    program("svd", lambda a: jnp.linalg.svd(a, compute_uv=False), a, tolerance=1e-4)
    program("qr", lambda a: jnp.abs(jnp.linalg.qr(a)[1]), real(8, 5), tolerance=1e-4)
    program("triangular_solve", lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True), np.linalg.cholesky(s), real(6, 2),
            tolerance=1e-4)


def donation():
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jnp.arange(4.0)
    assert list(f(x)) == [1, 2, 3, 4] and x.is_deleted()
    raises("deleted", np.asarray, x)
    raises("argument 0 of 'jit__lambda' has been deleted or donated", f, x)
    kept = jnp.arange(4.0)
    jax.jit(lambda x: x + 1)(kept)
    assert not kept.is_deleted()
    add = jax.jit(lambda x, y: x + y, donate_argnums=0)
    raises("argument 0 of 'jit__lambda' is donated, and the same array is argument 1", add, kept, kept)
    assert not kept.is_deleted() and list(add(kept, jnp.ones(4))) == [1, 2, 3, 4]


def deletion():
    x = jnp.arange(4.0)
    x.delete()
    raises("deleted", lambda: x + 1)


def memory():
    before = TT.memory_stats()["bytes_in_use"]
    x = jax.device_put(np.zeros(1000, np.float32), TT)
    assert TT.memory_stats()["bytes_in_use"] - before == 4000 and TT.memory_stats()["peak_bytes_in_use"] >= before + 4000
    x.delete()
    assert TT.memory_stats()["bytes_in_use"] == before


def statistics():
    compiled = jax.jit(lambda x: x @ x).lower(np.zeros((8, 8), np.float32)).compile()
    use = compiled.memory_analysis()
    assert use.argument_size_in_bytes == use.output_size_in_bytes == 256
    assert compiled.cost_analysis()["bytes of arguments and results"] == 512
    assert "jit__lambda" in compiled.as_text()
    for program in (compiled, jax.jit(lambda x: x @ x).lower(np.zeros((8, 8), np.float32))):
        assert "stablehlo.dot_general" in program.as_text("stablehlo")
        assert "ttir." in program.as_text("ttir") and '"ttnn.matmul"' in program.as_text("ttnn")
        raises("unknown dialect: ttx", program.as_text, "ttx")


def kept_values():
    """A value that nothing uses, and that the program's text keeps."""

    def f(x):
        lax.dce_sink(x + 1, prevent_mlir_dce=True)
        return x * 2

    text = jax.jit(f).lower(jnp.arange(3.0)).compile().as_text()
    assert "dce_sink" in text and "add" in text and list(jax.jit(f)(jnp.arange(3.0))) == [0, 2, 4]


def infinities():
    """Of complex functions, where one part is infinite times zero."""
    x = np.array([1e30 + 0j, 0j, 1 + 2j, -np.inf + 0j, np.inf + 0j, -3 + 0.5j], np.complex64)
    for function, values in ((jnp.expm1, x[[0, 1, 2, 5]]), (jnp.tan, x)):
        got, want = (np.asarray(jax.jit(function)(jax.device_put(values, d))) for d in (TT, CPU))
        for part in (np.real, np.imag):
            np.testing.assert_allclose(part(got), part(want), rtol=1e-5)


def callbacks():
    shape = jax.ShapeDtypeStruct((4,), np.float32)
    x = jnp.arange(4.0)
    raises("'pure_callback': the platform tt runs no callbacks", jax.jit(lambda x: jax.pure_callback(np.sin, shape, x)), x)
    raises("'io_callback': the platform tt", jax.jit(lambda x: jax.experimental.io_callback(np.sin, shape, x)), x)
    raises("'debug_print': the platform tt", jax.jit(lambda x: (jax.debug.print("{}", x), x)[1]), x)


def unsupported():
    raises("primitive 'eig' not found for platform tt", jnp.linalg.eig, np.eye(3, dtype=np.float32))
    raises("jax_on_tt.py:", lambda: jnp.zeros((1 << 40,), jnp.uint8))
    raises("incompatible devices", jax.jit(jnp.add), jax.device_put(real(2), CPU), jax.device_put(real(2), TT))
    raises("Number of devices 1 must be", jax.make_mesh, (2,), ("a",))


def mesh_of_one():
    one = jax.NamedSharding(jax.make_mesh((1,), ("a",)), jax.P("a"))
    x = jax.device_put(real(4), one)
    y = jax.jit(lambda x: x * 2)(x)
    assert y.sharding == one
    np.testing.assert_array_equal(y, np.asarray(x) * 2)


def serialized():
    x = jnp.arange(4.0)
    compiled = jax.jit(lambda x: x + 1).lower(x).compile()
    assert list(serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))(x)) == [1, 2, 3, 4]
    data = TT.client.serialize_executable(compiled.runtime_executable())
    devices = jax._src.lib._jax.DeviceList((TT,))
    at = data.index(b"tilewright tt")
    changed = bytearray(data)
    changed[-4] ^= 255
    foreign = data[:at] + b"t1lewright tt" + data[at + 13:]
    raises("damaged; compile the program again", TT.client.deserialize_executable, bytes(changed), devices, None)
    raises("no executable of the platform 'tt'", TT.client.deserialize_executable, foreign, devices, None)


def meshes():
    mesh = jax.make_mesh((1,), ("a",), axis_types=(jax.sharding.AxisType.Auto,))
    one = jax.NamedSharding(mesh, jax.P("a"))
    x = jax.device_put(jnp.arange(8.0), one)
    total = jax.jit(jax.shard_map(lambda v: lax.psum(v * 2, "a"), mesh=mesh, in_specs=jax.P("a"), out_specs=jax.P()))
    assert list(total(x)) == list(np.arange(8.0) * 2)

    def exchange(v):
        return lax.all_gather(v, "a"), lax.ppermute(v, "a", [(0, 0)]), lax.psum_scatter(v, "a", tiled=True), lax.axis_index("a")

    specs = (jax.P(None, "a"), jax.P("a"), jax.P("a"), jax.P())
    for y in jax.jit(jax.shard_map(exchange, mesh=mesh, in_specs=jax.P("a"), out_specs=specs, check_vma=False))(x)[:3]:
        np.testing.assert_array_equal(np.ravel(y), np.arange(8.0))
    assert jax.jit(lambda v: v + 1, in_shardings=one, out_shardings=one)(x).sharding == one
    y = jax.jit(lambda v: lax.with_sharding_constraint(v * 2, one))(x)
    assert list(y) == list(np.arange(8.0) * 2)


def exported():
    x = jnp.arange(4.0)
    for platforms in (["tt"], ["cpu", "tt"]):
        data = jax.export.export(jax.jit(jnp.sin), platforms=platforms)(x).serialize()
        np.testing.assert_allclose(jax.export.deserialize(data).call(x), np.sin(np.arange(4.0)), rtol=1e-6)


def compile_options():
    def compiled(**options):
        return jax.jit(lambda v: v * 2, compiler_options=options)(jnp.arange(3.0))[2]

    assert compiled(threads=2) == compiled(threads="1") == compiled(dram_fallback=True) == compiled(xla_embed_ir_in_executable=True) == 4
    raises("No such compile option: 'thread'; did you mean threads", lambda: compiled(thread=2))
    raises("'maybe' is not a valid bool value.", lambda: compiled(dram_fallback="maybe"))
    raises("compile option 'threads' takes 1 to 256", lambda: compiled(threads=0))
    raises("compile option 'dump_dir' takes a path", lambda: compiled(dump_dir=3))


def more(v):
    return v.sum() * 3


def tokens():
    token = lax.create_token()
    y, passed = jax.jit(lambda x, t: (x * 2, t))(jnp.arange(3.0), token)
    assert list(y) == [0, 2, 4] and type(passed) is type(token) is type(jax.jit(lambda t: lax.after_all(t))(passed))
    raises("Cannot convert a token-shape buffer", lambda: token._buf._value)


def shared():
    """DLPack: to NumPy and torch, and from them."""
    import torch

    x = jax.device_put(np.arange(6, dtype=np.float32).reshape(2, 3).T, TT)
    for dtype in (jnp.float32, jnp.bfloat16, jnp.int32, jnp.bool_, jnp.complex64):
        y = x.astype(dtype)
        t = torch.from_dlpack(y)
        assert t.shape == (3, 2) and str(t.dtype).split(".")[-1] == ("bool" if dtype == jnp.bool_ else y.dtype.name)
        np.testing.assert_array_equal(t.to(torch.complex64).numpy(), np.asarray(y).astype(np.complex64))
        back = jax.dlpack.from_dlpack(t, device=TT)
        assert back.devices() == {TT} and back.dtype == dtype
        np.testing.assert_array_equal(np.asarray(back), np.asarray(y))
    n = np.from_dlpack(x)
    t = torch.from_dlpack(x)
    t += 1
    np.testing.assert_array_equal(n, np.asarray(x))
    raises("copy=False cannot be had", lambda: x.__dlpack__(copy=False))
    raises("to device (2, 0)", lambda: x.__dlpack__(dl_device=(2, 0)))


def quick():
    """Programs whose executables the plugin writes itself: their heads are those that jaxlib writes, and unusual ones take jaxlib's way."""
    from tilewright import jax_quick

    heads, kept = [], jax_quick.compiled

    def own(backend, module, function, devices, options, bytecode):
        data = jax_quick.executable(module.operation.attributes["sym_name"].value, function, bytecode(module), options.SerializeAsString())
        heads.append(data and data[: data.index(b"tilewright tt")])

    every = [np.ones((2, 3), t) for t in "bool int8 int16 int32 uint8 uint16 uint32 float16 float32 complex64".split()] + [jnp.ones(2, jnp.bfloat16)]
    cases = [(lambda *a: a, every), (lambda x: (x.T, x[:0], x.sum()), [real(3, 200)]), (lambda: jnp.ones(7), []), (lambda x: (), [real(3)]),
             (lambda x, y: x + y.sum(), [np.float32(2), real(2, 3, 4, 5)])]
    jax_quick.compiled = own
    try:
        for function, arguments in cases:
            compiled = jax.jit(function).lower(*arguments).compile()
            data = TT.client.serialize_executable(compiled.runtime_executable())
            assert data[: data.index(b"tilewright tt")] == heads.pop(), function
        jax.jit(lambda x: x).lower(jnp.ones(2, jnp.int4)).compile()
        assert heads.pop() is None
    finally:
        jax_quick.compiled = kept
    taken = []
    jax_quick.compiled = lambda *a: taken.append(kept(*a)) or taken[-1]
    try:
        assert list(jax.jit(lambda x: x * 7)(jnp.arange(3.0))) == [0, 7, 14]
        assert jax.jit(lambda x: jax.scipy.special.digamma(x))(jnp.ones(1)) < 0
    finally:
        jax_quick.compiled = kept
    if jax.lib.__version__ == jax_quick.JAXLIB:
        assert None in taken and any(taken), taken


def forked():
    """A child of fork calls what is compiled. JAX's own threads are not there to compile more: an error, which names the function."""
    f, x = jax.jit(lambda v: v.sum() * 2), jnp.arange(4.0)
    f(x)
    child = os.fork()
    if not child:
        try:
            raises("jit_more\": a child of fork calls what is compiled and compiles no more", jax.jit(more), x)
            os._exit(0 if float(f(x)) == 12 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def profiled():
    with tempfile.TemporaryDirectory() as folder, jax.profiler.trace(folder):
        jax.jit(lambda v: v @ v)(jnp.arange(4.0)).block_until_ready()
    assert len(jax.profiler.device_memory_profile()) > 100


def several_threads():
    results, x = [None] * 8, jnp.arange(4.0)

    def work(i):
        results[i] = float(jax.jit(lambda v: v * i + i)(x).sum())

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [10.0 * i for i in range(8)]


for group in (networks, control, arrays, random_bits, linear_algebra):
    group()
for check in (donation, deletion, memory, statistics, kept_values, infinities, callbacks, unsupported, mesh_of_one, meshes, exported, compile_options, tokens, shared, quick, forked, profiled,
              serialized, several_threads):
    record(check.__name__, check)
json.dump(wrong, sys.stdout)
