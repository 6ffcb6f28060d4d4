"""MLIR's own parser accepts every dump in generic form, as unregistered operations."""

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
    assert set(stages) - {"host.mlir"} == STAGES and stages.count("ttnn.mlir") >= 10


def test_models(tmp_path):
    cases = {"bert": (BertLayer, (torch.randn(2, 12, 128), torch.ones(2, 12, dtype=torch.int64))),
             "lenet": (LeNet, (torch.zeros(4, 1, 28, 28, dtype=torch.uint8),))}
    for name, (make, inputs) in cases.items():
        with torch.no_grad():
            torch.compile(make().eval(), backend="tt", fullgraph=True, options={"dump_dir": str(tmp_path / name)})(*inputs)
        for stage in STAGES:
            peer_reads(tmp_path / name / stage)


PRINTING = [[], ["--mlir-print-op-generic"], ["--mlir-print-local-scope"], ["--mlir-print-unique-ssa-ids"],
            ["--mlir-print-value-users"], ["--mlir-print-op-generic", "--mlir-print-value-users"],
            ["--mlir-print-assume-verified"], ["--mlir-print-skip-regions"], ["--mlir-elide-elementsattrs-if-larger=1"],
            ["--mlir-elide-resource-strings-if-larger=4"], ["--mlir-print-elementsattrs-with-hex-if-larger=1"],
            ["--verify-each=0"], ["--no-implicit-module"], ["--output-split-marker=// other"]]
LOCATED = [["--mlir-print-debuginfo"], ["--mlir-print-debuginfo", "--mlir-pretty-debuginfo"],
           ["--mlir-print-debuginfo", "--mlir-print-local-scope"], ["--mlir-print-op-generic", "--mlir-print-debuginfo"]]


def random_modules(count):
    """Modules of the dialects and operations that MLIR 19 has in the same form."""
    without = "memref.assume_alignment,memref.distinct_objects,tensor.splat,arith.scaling_extf,arith.scaling_truncf,arith.trunci"
    without += "".join(f",math.{n}" for n in ("clampf", "erfc", "isfinite", "isinf", "isnan", "isnormal", "sincos"))
    without += "".join(f",memref.{n}.alignment" for n in ("load", "store", "alloc", "alloca"))
    without += "".join(f",arith.{n}.isExact" for n in ("shrsi", "shrui", "divsi", "divui"))
    irgen = os.path.join(os.path.dirname(BIN), "tests/irgen/irgen")
    command = [irgen, "--ops=5", "--core", "--dialects=arith,math,cf,memref,tensor", "--without=" + without]
    made = [subprocess.run([*command, f"--seed={n}"], capture_output=True, text=True).stdout for n in range(count)]
    return [m for m in made if not re.search(r"arith[^\n]*tensor<\*x|generic_atomic_rmw|atomic_rmw", m)]


@pytest.mark.skipif("version 19" not in subprocess.run([PEER or "true", "--version"], capture_output=True, text=True).stdout,
                    reason="another mlir-opt than 19")
def test_printing_options():
    modules = random_modules(40)
    assert len(modules) > 20
    inputs = [("// -----\n".join(modules), flags + ["--split-input-file"]) for flags in PRINTING]
    inputs += [(m, flags) for m in modules[:4] for flags in LOCATED]
    for text, flags in inputs:
        theirs, ours = (subprocess.run([tool, "-", *flags], input=text, capture_output=True, text=True)
                        for tool in (PEER, f"{BIN}/ttmlir-opt"))
        assert theirs.returncode == 0, theirs.stderr
        assert ours.stdout == theirs.stdout, flags
