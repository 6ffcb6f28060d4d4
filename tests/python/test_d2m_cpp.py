"""Kernels that D2M makes of random functions of TTIR, as the C++ that is emitted for them: the same bytes and the same reports as their IR.

`make check` runs a few, `make check-cpp` 300, drawn by a seed (TILEWRIGHT_DRAW=SEED draws others)."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_d2m_generated import OPTIONS, make
from tilewright import sim
from ttmlir import ir, passes

TOOL = str(Path(sim.__file__).parents[2] / "bin" / "tilewright")
COUNT = 300 if os.environ.get("TILEWRIGHT_CPP_FUNCTIONS") == "all" else 3
SEEDS = random.Random(int(os.environ.get("TILEWRIGHT_DRAW", 18))).sample(range(2000), COUNT)
SEEDS = sorted({552, *SEEDS})  # 552: a kernel that packs to scratch memory and unpacks from it


def reports(text):
    """What the grid reports, without locations and times, which are those of the other language."""
    found = re.findall(r"^.*?((?:error|warning): .*?)(?: \(kernel .*)?$", text, re.MULTILINE)
    return sorted(re.sub(r"\d+ bytes|cycle \d+|0x[0-9a-f]+", "", line) for line in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_bytes_and_reports(seed, tmp_path):
    f = make(seed)
    options = f.choose.choice(OPTIONS)
    with ir.Context():
        module = ir.Module.parse(f.text())
        try:
            passes.ttir_to_ttmetal_backend_pipeline(module, options)
        except Exception as error:  # L1 is too small for the cores that an option leaves
            assert "exceeds memory capacity" in str(error) or "is no multiple of" in str(error), (f.text(), options)
            return
        passes.ttmetal_to_flatbuffer_file(module, str(tmp_path / "p.ttm"))
    np.savez(tmp_path / "in.npz", **{f"in{i}": x for i, x in enumerate(f.args)})
    made = []
    for more in ((), ("--cpp",)):
        ran = subprocess.run([TOOL, "sim", "p.ttm", "--inputs=in.npz", "--outputs=out.npz", *more], cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode in (0, 1), ran.stderr
        if "has no function with ttmetal.enqueue_program" in ran.stderr:
            pytest.skip("the function is folded to its argument")
        results = np.load(tmp_path / "out.npz") if ran.returncode == 0 else {}
        made.append((reports(ran.stdout + ran.stderr), {name: results[name].tobytes() for name in results}))
        (tmp_path / "out.npz").unlink(missing_ok=True)
    assert made[0] == made[1], f.text() + options
    assert made[0][1], "no results: " + str(made[0][0])
    if "same_cpp" in sys.modules:  # the plugin of make check-cpp, whose summary counts programs, too: a .ttm has the text of its kernels
        sys.modules["same_cpp"].count((tmp_path / "p.ttm").read_bytes().decode("latin1"), failed=False)
