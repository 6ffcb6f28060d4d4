"""What the optimizer makes of bench/models.py's models: share of activations in L1, modelled time.

optimizer_models.py [--small] [NAMES]: for each model in bf16, batch 1, the bytes of all results that the device computes, the part of them in L1,
and the modelled kcycles with everything in DRAM, with interleaved tensors in L1 and with shards."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD", ROOT / "build"))
spec = importlib.util.spec_from_file_location("bench_models", ROOT / "bench/models.py")  # not the models.py beside this file
models = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)


def ttir(name, small):
    """The model in TTIR, as torch.compile hands it to the device's pipelines."""
    module, inputs = models.make(name, 1, torch.bfloat16, small)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        torch.compile(module.eval(), backend="tt", options={"dump_dir": folder})(*inputs)
        return (Path(folder) / "ttir_initial.mlir").read_bytes()


def lowered(text, options=""):
    """(TTNN, {function: what the optimizer chose}) of a module of TTIR."""
    with tempfile.TemporaryDirectory() as folder:
        options = f"enable-optimizer=true enable-decision-trace=true decision-trace-dir={folder} {options}"
        done = subprocess.run([BUILD / "bin/ttmlir-opt", f"--ttir-to-ttnn-backend-pipeline={options}"], input=text, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout, {path.stem: json.loads(path.read_text()) for path in Path(folder).iterdir()}


SHARDS = "memory-layout-analysis-enabled=true"


def main():
    small = "--small" in sys.argv
    print(f"{'model':14s}{'MiB':>8s}{'in L1':>8s}{'in DRAM':>10s}{'interleaved':>12s}{'shards':>10s}{'ratio':>7s}{'demoted':>9s}{'spilled':>9s}")
    for name in [a for a in sys.argv[1:] if a != "--small"] or models.MODELS:
        text = ttir(name, small)
        without = lowered(text)[1]
        for function, d in lowered(text, SHARDS)[1].items():
            print(f"{name:14s}{d['activation_bytes'] / 2**20:8.1f}{100 * d['activation_bytes_in_l1'] / d['activation_bytes']:7.1f}%{d['cycles_in_dram'] / 1e3:10.0f}"
                  f"{without[function]['cycles'] / 1e3:12.0f}{d['cycles'] / 1e3:10.0f}{d['cycles'] / d['cycles_in_dram']:7.2f}{d['demoted']:9d}{d['spilled']:9d}",
                  flush=True)


if __name__ == "__main__":
    main()
