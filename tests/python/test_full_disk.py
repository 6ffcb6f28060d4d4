"""Folders without space: messages name the file and what to do, no half-written file stays, and a cache that cannot
be written never fails a compilation. Twice: on a full file system, and past a limit of file sizes."""

import os
import shutil
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
from conftest import ROOT  # noqa: E402

BUILD = os.environ.get("TW_BUILD", str(ROOT / "build"))
BIN = os.path.join(BUILD, "bin")
WEIGHTS = ", ".join(str(i / 7) for i in range(1500))
PROGRAM = f"""func.func @main(%a: tensor<1500xf32>) -> tensor<1500xf32> {{
  %0 = stablehlo.constant dense<[{WEIGHTS}]> : tensor<1500xf32>
  %1 = stablehlo.add %a, %0 : tensor<1500xf32>
  return %1 : tensor<1500xf32>
}}"""
COMPILE = """
import sys
from tilewright import _engine
text = open(sys.argv[1]).read()
_engine.native_compile(text, {"cache_dir": sys.argv[2]})
print("not kept:", _engine.cache_info()["not_kept"])
try:
    _engine.native_compile(text, {"dump_dir": sys.argv[2]})
except OSError as error:
    print("OSError:", error)
"""

MODEL = """
import sys, torch, tilewright
model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(60)])
x = torch.randn(4, 64)
options = {"dump_dir": sys.argv[1] + "/dumps", "profile_path": sys.argv[1] + "/profile.json", "cache_dir": sys.argv[1] + "/cache"}
compiled = torch.compile(model, backend="tt", options=options)
with torch.no_grad():
    print("same:", [torch.allclose(compiled(x), model(x), atol=1e-5) for _ in range(2)] == [True, True])
"""


def has_namespaces():
    return shutil.which("unshare") and subprocess.run(
        ["unshare", "-rm", "true"], stderr=subprocess.DEVNULL).returncode == 0


class Full:
    """A folder with room for 4096 bytes. Runs commands; returns the files that they left there."""

    def __init__(self, kind, base):
        self.kind, self.folder, self.program = kind, base / "full", base / "program.mlir"
        self.folder.mkdir()
        self.program.write_text(PROGRAM)

    def run(self, *command):
        env = dict(os.environ, PYTHONPATH=os.path.join(BUILD, "python"))
        if self.kind == "limit":
            done = subprocess.run(["sh", "-c", 'ulimit -f 8; exec "$0" "$@"', *command], capture_output=True, text=True, env=env)
            left = sorted(p.name for p in self.folder.rglob("*"))
        else:
            script = 'mount -t tmpfs -o size=4k none "$0" && { "$@"; status=$?; ls -A "$0" >"$LEFT"; exit $status; }'
            listing = self.program.with_name("left")
            done = subprocess.run(["unshare", "-rm", "sh", "-c", script, self.folder, *command], capture_output=True,
                                  text=True, env=dict(env, LEFT=str(listing)))
            left = listing.read_text().split()
        return done.returncode, done.stdout + done.stderr, left


@pytest.fixture(params=["limit", "space"])
def full(request, tmp_path):
    if request.param == "space" and not has_namespaces():
        pytest.skip("no user namespaces to mount a small file system in")
    return Full(request.param, tmp_path)


def says(full, text, path):
    why, do = (("No space left on device", "free space there or name another path") if full.kind == "space"
               else ("File too large", "raise the limit"))
    return f"cannot write '{path}': {why}; {do}" in text


@pytest.mark.parametrize("name, command", [
    ("stablehlo.mlir", ["tilewright", "run", "PROGRAM", "--dump", "FOLDER"]),
    ("out.npz", ["tilewright", "run", "PROGRAM", "--outputs", "FOLDER/out.npz"]),
    ("x.mlir", ["ttmlir-opt", "PROGRAM", "-o", "FOLDER/x.mlir"]),
    ("x.mlirbc", ["ttmlir-opt", "PROGRAM", "--emit-bytecode", "-o", "FOLDER/x.mlirbc"]),
    ("x.bin", ["stablehlo-translate", "PROGRAM", "--serialize", "--target=current", "-o", "FOLDER/x.bin"]),
])
def test_tools(full, name, command):
    filled = [c.replace("PROGRAM", str(full.program)).replace("FOLDER", str(full.folder)) for c in command]
    status, text, left = full.run(os.path.join(BIN, filled[0]), *filled[1:])
    assert status == 1 and says(full, text, full.folder / name), text
    assert left == []


def test_python(full):
    status, text, left = full.run(sys.executable, "-c", COMPILE, full.program, full.folder)
    assert (status, left) == (0, []), text
    assert text.startswith("not kept: 1\nOSError: ")
    assert says(full, text, full.folder / "stablehlo.mlir")


def test_torch_model(full):
    """Dumps, profile and cache: one warning for each of the first two, and the model runs."""
    status, text, left = full.run(sys.executable, "-c", MODEL, full.folder)
    assert status == 0 and "same: True" in text, text
    assert says(full, text, full.folder / "dumps" / "stablehlo.mlir") and "the model runs without dumps" in text
    assert f"cannot write the profile {full.folder / 'profile.json'}: " in text and text.count("the model runs without") == 2
    assert not [name for name in left if name not in ("dumps", "cache")]


def test_standard_output():
    small = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }"
    for command in (["ttmlir-opt"], ["tilewright", "run", "-"]):
        with open("/dev/full", "w") as out:
            done = subprocess.run([os.path.join(BIN, command[0]), *command[1:]], input=small, stdout=out,
                                  stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and "No space left on device" in done.stderr
