"""Random functions of TTIR through D2M, pass by pass: a module that is printed and read again after a pass, and one on which `canonicalize` runs once more
there, give the bytes on the grid that the whole pipeline gives. TILEWRIGHT_RANDOM=1000:1010 runs other functions."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from test_d2m_generated import B, OPTIONS, R, inputs_of, make
from tilewright import sim
from ttmlir import ir, passes, passmanager

OPT = str(Path(sim.__file__).parents[2] / "bin" / "ttmlir-opt")
first, last = map(int, os.environ.get("TILEWRIGHT_RANDOM", "0:3").split(":"))


def parts(text):
    """The passes of a pipeline's text, split at the commas outside of brackets."""
    found, depth, begin = [], 0, 0
    for i, c in enumerate(text + ","):
        depth += (c in "({") - (c in ")}")
        if c == "," and depth == 0:
            found.append(text[begin:i])
            begin = i + 1
    return found


def steps(folder, options):
    """Each pass of ttir-to-ttmetal-pipeline as a pipeline of its own."""
    (folder / "f.mlir").write_text("func.func @f(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {\n  return %a : tensor<32x32xf32>\n}\n")
    shown = subprocess.run([OPT, "f.mlir", f"--ttir-to-ttmetal-pipeline={options}", "--dump-pass-pipeline", "-o", os.devnull], cwd=folder,
                           capture_output=True, text=True, check=True)
    found = []

    def split(text, around):
        for part in parts(text):
            anchor = re.fullmatch(r"([\w.]+)\((.*)\)", part, re.DOTALL)
            if anchor:
                split(anchor[2], around.replace("*", f"{anchor[1]}(*)"))
            else:
                found.append((part, around))

    split(re.search(r"builtin\.module\((.*)\)", shown.stdout + shown.stderr, re.DOTALL)[1], "builtin.module(*)")
    return found


def run(module, listed):
    for name, around in listed:
        passmanager.PassManager.parse(around.replace("*", name)).run(module.operation)


def binary(module, folder):
    passes.ttmetal_to_flatbuffer_file(module, str(folder / "p.ttm"))
    return (folder / "p.ttm").read_bytes()


@pytest.fixture(scope="module")
def device():
    yield R.open_mesh_device()


def results(f, data, device, tmp_path):
    (tmp_path / "p.ttm").write_bytes(data)
    (out,) = R.submit(device, B.load_binary_from_path(str(tmp_path / "p.ttm")), 0, inputs_of(f))
    return bytes(R.to_host(out)[0].get_data_buffer())


@pytest.mark.parametrize("seed", range(first, last))
def test_same_bytes_after_each_pass(seed, device, tmp_path):
    f = make(seed)
    options = f.choose.choice(OPTIONS)
    listed = steps(tmp_path, options)
    with ir.Context():
        whole = ir.Module.parse(f.text())
        run(whole, listed)
        wanted_binary = binary(whole, tmp_path)
        wanted = results(f, wanted_binary, device, tmp_path)
        module = ir.Module.parse(f.text())
        ran = 0
        for k, (name, around) in enumerate(listed):
            run(module, [(name, around)])
            text = str(module)
            for again in ((), (("canonicalize", around),)):
                read = ir.Module.parse(text)
                run(read, [*again, *listed[k + 1:]])
                data = binary(read, tmp_path)
                if data != wanted_binary:
                    ran += 1
                    assert results(f, data, device, tmp_path) == wanted, (name, again, f.text(), options)
        assert np.frombuffer(wanted, np.uint8).any() and len(listed) > 90, ran
