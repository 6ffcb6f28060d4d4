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
if not (PACKAGES / "tilewright" / "_pjrt.so").exists():
    pytest.skip("the plugin is not built", allow_module_level=True)


def python(*arguments, platforms="tt,cpu", **settings):
    environment = {**os.environ, "PYTHONPATH": f"{PACKAGES}:{TESTS}", "JAX_PLATFORMS": platforms, **settings}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_programs_and_arrays():
    wrong = {name: why for name, why in json.loads(python(str(TESTS / "jax_on_tt.py"))).items() if why}
    assert not wrong, "\n".join(f"{name}: {why}" for name, why in wrong.items())


def test_devices_and_compile_cache(tmp_path):
    """Of an ordinary process, as the document has it; the second process reads what the first compiled."""
    text = ("import jax; print(jax.devices('tt')); from jax._src import monitoring;"
            "monitoring.register_event_listener(lambda event, **_: print(event));"
            "print(jax.jit(lambda x: x * 2 + 1)(3.0))")
    settings = {"JAX_COMPILATION_CACHE_DIR": str(tmp_path), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}
    first, second = (python("-c", text, platforms="", **settings) for _ in range(2))
    for output in (first, second):
        assert output.startswith("[TtDevice(id=0, process_index=0, coords=(0,), core_on_chip=None)]\n"), output
        assert output.rstrip().endswith("7.0")
    assert "/jax/compilation_cache/cache_hits" in second and "/jax/compilation_cache/cache_hits" not in first


def test_page(tmp_path):
    """The code of docs/jax-on-tt.md, block after block, prints what the page says that it prints."""
    page = (TESTS.parents[1] / "docs" / "jax-on-tt.md").read_text()
    file = tmp_path / "page.py"
    file.write_text("\n".join(re.findall(r"```python\n(.*?)```", page, re.S)))
    assert python(str(file), platforms="").splitlines() == re.search(r"```text\n(.*?)```", page, re.S)[1].splitlines()


def test_unknown_board():
    text = "import jax\ntry: jax.devices()\nexcept RuntimeError as e: print(e)"
    assert "expected n150, n300 or p150" in python("-c", text, platforms="tt", TTLANG_CHIP="n999")


def test_entry_point():
    assert importlib.metadata.distribution("tilewright").entry_points.select(group="jax_plugins")["tt"].value == "tilewright.jax_plugin"
