"""The platform tt in JAX, found through its entry point: processes of their own, because a platform is chosen once."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="jax is not installed")
import tilewright

TESTS = Path(__file__).parent
PACKAGES = Path(tilewright.__file__).parents[1]


def process(*arguments, platforms="tt,cpu", **settings):
    environment = {**os.environ, "PYTHONPATH": f"{PACKAGES}:{TESTS}", "JAX_PLATFORMS": platforms, **settings}
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300)


def python(*arguments, **settings):
    done = process(*arguments, **settings)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_programs_and_arrays():
    wrong = {name: why for name, why in json.loads(python(str(TESTS / "jax_on_tt.py"))).items() if why}
    assert not wrong, "\n".join(f"{name}: {why}" for name, why in wrong.items())


def test_bad_input():
    wrong = {name: why for name, why in json.loads(python(str(TESTS / "jax_bad_input.py")).splitlines()[-1]).items() if why}
    assert not wrong, "\n".join(f"{name}: {why}" for name, why in wrong.items())


def test_devices():
    """Of an ordinary process, with no setting: as the document has it."""
    output = python("-c", "import jax; print(jax.devices('tt'))", platforms="")
    assert output == "[TtDevice(id=0, process_index=0, coords=(0,), core_on_chip=None)]\n"


def test_page(tmp_path):
    """The code of docs/jax-on-tt.md, block after block, prints what the page says that it prints."""
    page = (TESTS.parents[1] / "docs" / "jax-on-tt.md").read_text()
    file = tmp_path / "page.py"
    file.write_text("\n".join(re.findall(r"```python\n(.*?)```", page, re.S)))
    assert python(str(file), platforms="").splitlines() == re.search(r"```text\n(.*?)```", page, re.S)[1].splitlines()


def test_unknown_board():
    text = "import jax\ntry: jax.devices()\nexcept RuntimeError as e: print(e)"
    assert "expected n150, n300, p150 or none" in python("-c", text, platforms="tt", TTLANG_CHIP="n999")


def test_no_board():
    text = "import jax\ntry: jax.devices('tt')\nexcept RuntimeError as e: print(e)"
    assert "No TT devices found" in python("-c", text, platforms="tt", TTLANG_CHIP="none")


OTHER_JAX = """
import jax
from jax._src.interpreters import mlir
del mlir._platforms_with_donation
jax.__version__ = "9.9.9"
try: print(jax.devices("tt"))
except RuntimeError as e: print(e)
"""


def test_another_jax():
    done = process("-c", OTHER_JAX, platforms="")
    assert done.returncode == 0 and "the platform tt is tested with JAX 0.10.2; JAX 9.9.9 is another one, and lacks: " in done.stderr
    assert "Unknown backend tt" in done.stdout and "TtDevice" not in done.stdout


SMALL = "import jax, jax.numpy as jnp\nf = jax.jit(lambda x, y: jnp.tanh(x @ y))\nx = jnp.ones((4, 4))\nprint(f(x, x)[0, 0], f(x, x)[0, 0])"


def test_variables(tmp_path):
    """Dumps of each stage, profiles, and the document's lines, for each of the process's programs."""
    dumps, times = tmp_path / "dumps", tmp_path / "times.json"
    done = process("-c", SMALL, platforms="tt", TT_MLIR_DUMP_IR="1", TT_MLIR_DUMP_IR_PATH=str(dumps), TT_METAL_PROFILER="1",
                   TT_METAL_PROFILER_OUTPUT=str(times), TT_METAL_LOGGER_LEVEL="INFO")
    assert done.returncode == 0, done.stderr
    folders = [dumps, *dumps.glob("program_*")]
    assert len(folders) > 1 and any('"ttnn.matmul"' in (f / "ttnn.mlir").read_text() for f in folders)
    assert all((f / name).exists() for f in folders for name in ("stablehlo.mlir", "ttir_initial.mlir", "ttir_optimized.mlir", "program.ttnn.fb"))
    profile = json.loads(times.read_text())
    assert "matmul" in [o["name"] for o in profile["operations"]] and len(profile["programs"]) == len(folders)
    lines = [line for line in done.stderr.splitlines() if line.startswith("INFO")]
    assert lines[0] == "INFO tilewright: Found 1 TT devices"
    assert len(lines) == len(folders) + 1 and all(re.fullmatch(r"INFO tilewright: Loaded program with \d+ operations", n) for n in lines[1:])


def test_wrong_variables():
    for name, value, message in (("TT_MLIR_DUMP_IR", "banana", "expected 1 or 0"), ("TILEWRIGHT_THREADS", "0", "expected 1 to 256"),
                                 ("TT_METAL_LOGGER_LEVEL", "LOUD", "expected TRACE, DEBUG, INFO")):
        done = process("-c", SMALL, platforms="tt", **{name: value})
        assert done.returncode == 1 and f"{name}='{value}': {message}" in done.stderr


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    done = process("-c", SMALL, platforms="tt", TT_MLIR_DUMP_IR="1", TT_MLIR_DUMP_IR_PATH=str(tmp_path / "file" / "x"))
    assert done.returncode == 0 and "the program runs without dumps" in done.stderr


def test_compilation_cache(tmp_path):
    settings = {"JAX_COMPILATION_CACHE_DIR": str(tmp_path), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
    first = python("-c", SMALL, platforms="tt", **settings)
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*-cache")}
    assert any("lambda" in name for name in kept)
    assert python("-c", SMALL, platforms="tt", **settings) == first
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*-cache")} == kept


LONG = """
import os, signal, threading, time
import jax, jax.numpy as jnp
from jax import lax
x = jnp.ones(8)
f = jax.jit(lambda v: lax.fori_loop(0, 10**9, lambda i, a: jnp.sin(a) + i, v)).lower(x).compile()
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    f(x).block_until_ready()
except KeyboardInterrupt:
    print("interrupted", float(jax.jit(jnp.sum)(x)))
"""


def test_interrupt():
    assert python("-c", LONG, platforms="tt") == "interrupted 8.0\n"


def test_entry_point():
    assert importlib.metadata.distribution("tilewright").entry_points.select(group="jax_plugins")["tt"].value == "tilewright.jax_plugin"
