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


def python(*arguments, platforms="tt,cpu", **settings):
    environment = {**os.environ, "PYTHONPATH": f"{PACKAGES}:{TESTS}", "JAX_PLATFORMS": platforms, **settings}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_programs_and_arrays():
    wrong = {name: why for name, why in json.loads(python(str(TESTS / "jax_on_tt.py"))).items() if why}
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
    assert "expected n150, n300 or p150" in python("-c", text, platforms="tt", TTLANG_CHIP="n999")


def test_entry_point():
    assert importlib.metadata.distribution("tilewright").entry_points.select(group="jax_plugins")["tt"].value == "tilewright.jax_plugin"
