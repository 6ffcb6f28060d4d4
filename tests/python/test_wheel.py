"""What an installation holds: one program, packages under names of their own, nothing that runs at every start of Python."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["TW_BUILD"])
TOOLS = ("tilewright", "ttmlir-opt", "ttmlir-translate", "stablehlo-opt", "stablehlo-translate", "sdy_opt", "mpmd_opt", "ttlang-opt",
         "ttlang-translate", "ttrt", "tt-smi", "ttmlir-lsp-server")


def test_install_plan():
    plan = json.loads((BUILD / "meson-info" / "intro-install_plan.json").read_text())
    programs = [Path(name).name for name, entry in plan["targets"].items() if entry["tag"] == "runtime"]
    assert programs == ["tilewright"]
    top = {Path(entry["destination"].partition("}/")[2]).parts[0] for group in plan.values() for entry in group.values()
           if entry["tag"] == "python-runtime"}
    assert top == {"_ttmlir_runtime", "builder", "d2m_jit", "golden", "profiler", "pykernel", "tilewright", "torch_xla", "ttir_cpu", "ttl", "ttlang", "ttmlir", "ttnn", "ttnn_jit", "ttrt"}


def test_names_of_the_program_are_entry_points():
    import tomllib

    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert {*scripts, "tilewright"} == {*TOOLS, "ttlang-sim"}


@pytest.mark.skipif(not os.environ.get("TILEWRIGHT_LONG"), reason="TILEWRIGHT_LONG=1: builds the distributions and installs the wheel")
def test_the_wheel_in_an_empty_environment(tmp_path):
    subprocess.run([ROOT / "scripts" / "wheel", tmp_path / "dist"], check=True, cwd=ROOT)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    assert wheel.stat().st_size < 6 << 20 and wheel.name.endswith(f"manylinux_2_34_{os.uname().machine}.whl")
    venv.create(tmp_path / "env", with_pip=True)
    binaries = tmp_path / "env" / "bin"
    # A package that PYTHONPATH shows would count as installed.
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([binaries / "pip", "install", "-q", wheel], check=True, env=outside)
    assert not [p for p in (tmp_path / "env").rglob("*.pth") if "tilewright" in p.read_text()]
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    for tool in TOOLS:
        subprocess.run([binaries / tool, "--help"], check=True, env=clean, stdout=subprocess.DEVNULL)
    for command in ([binaries / "tilewright", "run", ROOT / "examples" / "mlp.mlir"], [binaries / "tilewright", "doctor"]):
        done = subprocess.run(command, env=clean, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run([binaries / "python3", "-c", "import tilewright, ttmlir.ir, sim"], env=clean, capture_output=True, text=True)
    assert "No module named 'sim'" in done.stderr


def test_the_program_under_any_name(tmp_path):
    """The name selects the command; one that it does not know is the command tilewright."""
    for name, first in (("ttmlir-opt", "OVERVIEW: read IR"), ("renamed", "OVERVIEW: compile and run"), ("ttrt", "OVERVIEW: look at")):
        (tmp_path / name).symlink_to((BUILD / "tools" / "tilewright").resolve())
        assert subprocess.run([tmp_path / name, "--help"], capture_output=True, text=True).stdout.startswith(first), sys.executable


def test_a_missing_libzip_is_named_with_its_package(tmp_path):
    """Only archives need it: its name is hidden by files that no loader takes."""
    for name in ("libzip.so.4", "libzip.so.5"):
        (tmp_path / name).write_text("no library")
    command = [BUILD / "bin" / "tilewright", "run", ROOT / "examples" / "mlp.mlir"]
    environment = os.environ | {"LD_LIBRARY_PATH": str(tmp_path)}
    assert subprocess.run(command, env=environment, capture_output=True).returncode == 0
    done = subprocess.run([*command, "--outputs", tmp_path / "out.npz"], env=environment, capture_output=True, text=True)
    assert done.returncode == 77 and "out.npz" in done.stderr and "install the package libzip4" in done.stderr, done.stderr
