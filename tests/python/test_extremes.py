"""Programs of absurd sizes: an error with its location or a result, in time proportional to the text."""

import resource
import subprocess
from pathlib import Path

import pytest

BIN = Path(__file__).resolve().parents[2] / "build" / "bin"
PIPELINES = ["--stablehlo-to-ttir-pipeline", "--ttir-to-ttnn-backend-pipeline"]


def ended(command, text, seconds=20):
    """The output of a tool, limited to this many seconds of processor time, independent of the machine's load."""
    done = subprocess.run([BIN / command[0], *command[1:]], input=text, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    assert done.returncode in (0, 1, 77), done
    return done


def shape(rank, extent=1):
    return "tensor<" + f"{extent}x" * rank + "f32>"


@pytest.mark.parametrize("rank", [9, 16, 17, 24, 25, 33, 65, 1000])
def test_many_dimensions(rank):
    t, last = shape(rank), rank - 1
    text = f"""func.func @f(%a: {t}) -> {t} {{
      %0 = "ttir.transpose"(%a) <{{dim0 = 0 : si32, dim1 = {last} : si32}}> : ({t}) -> {t}
      %1 = "ttir.add"(%0, %a) : ({t}, {t}) -> {t}
      return %1 : {t} }}"""
    same = ended(["ttmlir-opt"], text)
    assert same.returncode == 0 and t in same.stdout
    lowered = ended(["ttmlir-opt", PIPELINES[1]], text)
    if rank > 24:
        assert "error: 'func.func' op has a tensor of more than 24 dimensions" in lowered.stderr, lowered.stderr[:500]


@pytest.mark.parametrize("extent", [2**63 - 1, 2**40, 2**32])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_large_tensors(tmp_path, extent, rank):
    t = shape(rank, extent)
    text = f"func.func @main(%a: {t}) -> {t} {{ %0 = stablehlo.add %a, %a : {t} return %0 : {t} }}"
    ended(["ttmlir-opt", *PIPELINES], text)
    (tmp_path / "p.mlir").write_text(text)
    done = ended(["tilewright", "run", tmp_path / "p.mlir"], "")
    assert done.returncode == 1 and ("no device has memory" in done.stderr or "Failed to allocate DRAM" in done.stderr)


def test_a_program_on_one_line():
    body = " ".join(f"%{i} = stablehlo.add %a, %a : tensor<4xf32>" for i in range(150000))
    text = f"func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{ {body} return %a : tensor<4xf32> }}"
    # a second; searching the beginning of the line for each operation would take a quarter of a minute
    assert ended(["ttmlir-opt", "-o", "/dev/null"], text, 10).returncode == 0


def test_types_in_types():
    n = 200000
    done = ended(["ttmlir-opt"], "func.func private @f(%a: " + "tuple<" * n + ">" * n + ")")
    assert "types nest deeper than 512 levels" in done.stderr
