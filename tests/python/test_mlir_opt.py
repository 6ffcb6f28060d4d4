"""MLIR's own reader takes every dump in generic form, as unregistered operations."""

import os
import re
import shutil
import subprocess

import pytest

torch = pytest.importorskip("torch")
from conftest import ROOT  # noqa: E402
from models import BertLayer, LeNet  # noqa: E402

BIN = os.path.join(os.environ.get("TW_BUILD", ROOT / "build"), "bin")
PEER = shutil.which("mlir-opt") or next(filter(None, (shutil.which(f"mlir-opt-{n}") for n in range(25, 13, -1))), None)
pytestmark = pytest.mark.skipif(not PEER, reason="mlir-opt is not installed")
STAGES = {"stablehlo.mlir", "ttir_initial.mlir", "ttir_optimized.mlir", "ttnn.mlir"}


def peer_reads(path):
    generic = subprocess.run([f"{BIN}/ttmlir-opt", "--mlir-print-op-generic", "--mlir-print-debuginfo", path],
                             capture_output=True, check=True).stdout
    done = subprocess.run([PEER, "--allow-unregistered-dialect", "--mlir-print-op-generic"], input=generic,
                          capture_output=True)
    assert done.returncode == 0, f"{path}: {done.stderr.decode()}"


def test_programs(tmp_path):
    stages = []
    for source in [ROOT / "examples/mlp.mlir", *sorted((ROOT / "tests/lit/run").glob("*.mlir"))]:
        entries = re.findall(r"func\.func @(\w+)", source.read_text())
        for entry in entries[:3]:
            folder = tmp_path / f"{source.stem}-{entry}"
            subprocess.run([f"{BIN}/tilewright", "run", source, "--entry", entry, "--dump", folder], capture_output=True)
            stages += [p.name for p in folder.glob("*.mlir")]
            for path in folder.glob("*.mlir"):
                peer_reads(path)
    assert set(stages) == STAGES and stages.count("ttnn.mlir") >= 10


def test_models(tmp_path):
    cases = {"bert": (BertLayer, (torch.randn(2, 12, 128), torch.ones(2, 12, dtype=torch.int64))),
             "lenet": (LeNet, (torch.zeros(4, 1, 28, 28, dtype=torch.uint8),))}
    for name, (make, inputs) in cases.items():
        with torch.no_grad():
            torch.compile(make().eval(), backend="tt", fullgraph=True, options={"dump_dir": str(tmp_path / name)})(*inputs)
        for stage in STAGES:
            peer_reads(tmp_path / name / stage)
