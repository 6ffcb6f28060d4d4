"""What is wrong is an error of Python that names it, never the end of the process; run by test_jax_plugin.py in a process of its own.

Each row of WRONG has a function and a part of the message that it raises. The last line that it writes is JSON: {name: None or what was wrong}."""

import json
import re
import sys
import threading
import time
import traceback

import jax
import jax.export
import jax.extend
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lib import _jax, xla_client
from jax.experimental import serialize_executable

CPU, TT = jax.devices("cpu")[0], jax.devices("tt")[0]
SHAPE = jax.ShapeDtypeStruct((4,), np.float32)
COMPILED = jax.jit(lambda x: x + 1).lower(SHAPE).compile()
CONSUMES = jax.jit(lambda x: x * 2, donate_argnums=0)


def x():
    return jnp.arange(4.0)


def used(consume, use):
    """An array that is used after `consume` has taken it."""
    y = x()
    consume(y)
    return use(y)


def as_argument(y):
    return jax.jit(lambda v: v + 1)(y)


def of_another_client():
    client = xla_client.make_c_api_client("tt", {}, None)
    y = jax.device_put(np.ones(4, np.float32), client.devices()[0])
    return COMPILED.runtime_executable().execute_sharded([y])


def on_two(function):
    """For a mesh that has the one device twice."""
    twice = jax.NamedSharding(jax.sharding.Mesh(np.array([TT, TT]), ("a",)), jax.P("a"))
    return jax.jit(function, in_shardings=twice)(x())


def exported_for_two():
    both = jax.NamedSharding(jax.sharding.AbstractMesh((2,), ("a",)), jax.P("a"))
    return jax.export.export(jax.jit(jnp.sin, in_shardings=both), platforms=["tt"])(SHAPE).call(x())


def loaded(change):
    data = TT.client.serialize_executable(COMPILED.runtime_executable())
    return TT.client.deserialize_executable(change(data, data.index(b"tilewright tt")), _jax.DeviceList((TT,)), None)


def loaded_by_jax(change):
    data, inputs, outputs = serialize_executable.serialize(COMPILED)
    return serialize_executable.deserialize_and_load(change(data), inputs, outputs)


def in_loops(body):
    return jax.jit(lambda v: lax.scan(lambda c, y: (body(c), y), v, v))(x())


def nans():
    with jax.debug_nans(True):
        return jax.jit(lambda v: jnp.log(-1 - v))(x())


NO_CALLBACKS = "the platform tt runs no callbacks; compute outside of the jitted function, and pass the results as arguments"
WRONG = {
    "fetched after donation": (lambda: used(CONSUMES, np.asarray), "Array has been deleted"),
    "passed after donation": (lambda: used(CONSUMES, as_argument), "Array has been deleted"),
    "donated after donation": (lambda: used(CONSUMES, CONSUMES), "argument 0 of 'jit__lambda' has been deleted or donated"),
    "fetched after deletion": (lambda: used(lambda y: y.delete(), np.asarray), "Array has been deleted"),
    "passed after deletion": (lambda: used(lambda y: y.delete(), as_argument), "Array has been deleted"),
    "copied after deletion": (lambda: used(lambda y: y.delete(), lambda y: jax.device_put(y, CPU)), "deleted"),
    "another client's": (of_another_client, "argument 0 of 'jit__lambda' belongs to another client"),
    "large": (lambda: jnp.zeros((1 << 40,), jnp.uint8), r"jax_bad_input.py:\d+.*Failed to allocate DRAM buffer: it needs 2932031007744 bytes"),
    "larger than addresses": (lambda: jax.jit(lambda: jnp.zeros((1 << 30, 1 << 30), jnp.complex64))(), "result 0 is .*which has 1152921504606846976 elements"),
    "large inside": (lambda: jax.jit(lambda v: jnp.broadcast_to(v[:, None], (4, 1 << 40)).sum())(x()),
                     "'stablehlo.broadcast_in_dim'.*no device has memory for 'tensor<4x1099511627776xf32>'"),
    "pure_callback": (lambda: in_loops(lambda c: jax.pure_callback(np.sin, SHAPE, c)), f"'pure_callback': {NO_CALLBACKS}"),
    "io_callback": (lambda: in_loops(lambda c: jax.experimental.io_callback(np.sin, SHAPE, c)), f"'io_callback': {NO_CALLBACKS}"),
    "debug.callback": (lambda: in_loops(lambda c: (jax.debug.callback(print, c), c)[1]), f"'debug_callback': {NO_CALLBACKS}"),
    "debug.print": (lambda: in_loops(lambda c: (jax.debug.print("{}", c), c)[1]), f"'debug_print': {NO_CALLBACKS}"),
    "callback without jit": (lambda: jax.experimental.io_callback(np.sin, SHAPE, x()), f"'io_callback': {NO_CALLBACKS}"),
    "foreign function": (lambda: jax.ffi.ffi_call("no_such", SHAPE)(x()), r"jax_bad_input.py:\d+.*'stablehlo.custom_call' of '@no_such'"),
    "primitive without a rule": (lambda: jax.scipy.linalg.schur(jnp.ones((3, 3))), "primitive 'schur' not found for platform tt"),
    "platforms mixed": (lambda: jax.jit(jnp.add)(jax.device_put(np.ones(2), CPU), jax.device_put(np.ones(2), TT)), "incompatible devices"),
    "compiled for tt, called with the CPU's": (lambda: COMPILED(jax.device_put(np.ones(4, np.float32), CPU)), "TtDevice"),
    "mesh of two": (lambda: jax.make_mesh((2,), ("a",)), "Number of devices 1 must be >="),
    "sharded over two": (lambda: on_two(lambda v: v * 2), "the program is for 2 devices .1 replicas of 2 partitions.; the platform 'tt' has 1"),
    "exported for two": (exported_for_two, "exported for 2 devices and is called in a context with 1"),
    "collective without an axis": (lambda: jax.jit(lambda v: lax.psum(v, "a"))(x()), "unbound axis name"),
    "executable of nothing": (lambda: loaded(lambda data, at: b""), "parse"),
    "executable cut short": (lambda: loaded(lambda data, at: data[:-10]), "parse|damaged|no executable of the platform"),
    "executable changed": (lambda: loaded(lambda data, at: data[:-4] + bytes([data[-4] ^ 255]) + data[-3:]), "damaged; compile the program again"),
    "executable of another platform": (lambda: loaded(lambda data, at: data[:at] + b"T" + data[at + 1:]), "no executable of the platform 'tt'"),
    "kept executable cut short": (lambda: loaded_by_jax(lambda data: data[:100]), "truncated"),
    "gradient of a loop": (lambda: jax.grad(lambda v: lax.while_loop(lambda c: c.sum() < 50, lambda c: c * 2, v).sum())(x()),
                           "Reverse-mode differentiation does not work for lax.while_loop"),
    "gradient of integers": (lambda: jax.grad(lambda v: v.sum())(jnp.arange(4)), "grad requires real- or complex-valued inputs"),
    "gradient of eig": (lambda: jax.grad(lambda v: jnp.linalg.eig(v)[0].real.sum())(jnp.ones((3, 3))), "non-symmetric eigenvectors"),
    "gradient of a primitive without a rule": (lambda: jax.grad(lambda v: lax.reduce_precision(lax.nextafter(v, v), 8, 23).sum())(x()),
                                               "'nextafter'"),
    "not a number": (nans, "invalid value .nan. encountered in log"),
    "another shape": (lambda: COMPILED(jnp.ones(5)), r"compiled with float32\[4\] and called with float32\[5\]"),
}


def check(function, text):
    try:
        jax.block_until_ready(function())
    except Exception as error:
        assert re.search(text, str(error), re.DOTALL), f"expected {text!r}, found {type(error).__name__}: {error}"
    else:
        raise AssertionError(f"no error; expected {text!r}")
    assert list(as_argument(x())) == [1, 2, 3, 4]  # what is right works after it


def threads_compiling():
    """The same function, others, and wrong ones, on several threads."""
    same, found = jax.jit(lambda v: (v * 2).sum()), [None] * 12

    def work(i):
        try:
            found[i] = float(same(x()) if i % 3 == 0 else jax.jit(lambda v: (v * i).sum())(x()) if i % 3 == 1 else jnp.zeros((1 << 40,))[0])
        except Exception as error:
            found[i] = "Failed to allocate DRAM buffer" in str(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [12.0 if i % 3 == 0 else 6.0 * i if i % 3 == 1 else True for i in range(len(found))], found


def client_closed_during_a_run():
    """The run ends with its result; what was made before and a new client work."""
    old, results = x(), []
    run = jax.jit(lambda v: lax.fori_loop(0, 10**6, lambda i, a: jnp.sin(a) + i, v)).lower(old).compile()
    thread = threading.Thread(target=lambda: results.append(np.asarray(run(old))))
    thread.start()
    time.sleep(0.05)
    jax.clear_caches()
    jax.extend.backend.clear_backends()
    assert list(as_argument(x())) == [1, 2, 3, 4]
    thread.join()
    assert results[0].shape == (4,) and np.isfinite(results[0]).all()
    assert list(as_argument(old)) == list(COMPILED(old)) == [1, 2, 3, 4]


def main():
    wrong = {}
    for name, row in {**{name: (check, *row) for name, row in WRONG.items()}, "threads": (threads_compiling,), "closed": (client_closed_during_a_run,)}.items():
        try:
            row[0](*row[1:])
            wrong[name] = None
        except Exception:
            wrong[name] = traceback.format_exc()[-1500:]
    json.dump(wrong, sys.stdout)


main()
