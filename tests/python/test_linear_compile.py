"""The time to compile grows with the program, not with its square: eight times the operations take at most twenty times as long."""

import os
import resource
import subprocess
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")
from tilewright import _engine  # noqa: E402

BUILD = Path(os.environ.get("TW_BUILD", Path(__file__).resolve().parents[2] / "build"))
T = "tensor<32x32xf32>"


def users(n):
    """All operations use one argument."""
    return [f"  %{i} = stablehlo.add {'%b' if i == 0 else f'%{i - 1}'}, %a : {T}" for i in range(n)]


def chain(n):
    return [f"  %{i} = stablehlo.{('tanh', 'logistic')[i % 2]} {'%a' if i == 0 else f'%{i - 1}'} : {T}" for i in range(n)]


def products(n):
    """Right operands are computed, so that asking whether they are weights could walk back to the beginning each time."""
    return [f"  %{i} = stablehlo.dot_general %b, {'%a' if i == 0 else f'%{i - 1}'}, contracting_dims = [1] x [0] : ({T}, {T}) -> {T}" for i in range(n)]


def views(n):
    lines = []
    for i in range(n):
        shapes = (T, "tensor<1x32x32xf32>")
        lines.append(f"  %{i} = stablehlo.reshape {'%a' if i == 0 else f'%{i - 1}'} : ({shapes[i % 2]}) -> {shapes[(i + 1) % 2]}" if i % 4 < 2 else
                     f"  %{i} = stablehlo.tanh %{i - 1} : {T}" if i % 4 == 2 else f"  %{i} = stablehlo.add %{i - 1}, %b : {T}")
    return lines


def module(make, n):
    return f"module {{ func.func @main(%a: {T}, %b: {T}) -> {T} {{\n" + "\n".join(make(n)) + f"\n  return %{n - 1} : {T}\n}} }}\n"


def seconds(make, n):
    text, best = module(make, n), float("inf")
    for _ in range(3):
        start = time.process_time()
        _engine.native_compile(text, {})
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("make", [users, chain, products, views])
def test_compile_time_is_linear(make):
    few, many = seconds(make, 2000), seconds(make, 16000)
    print(f"FIGURE {make.__name__}: 2,000 operations {1e3 * few:.0f} ms, 16,000 {1e3 * many:.0f} ms")
    assert many <= 20 * few, (few, many)


@pytest.mark.parametrize("make", [users, products])
def test_pipeline_for_hardware_is_linear(make, tmp_path):
    """The passes that only ttmlir-opt runs, too."""

    def used(n):
        (tmp_path / "x.mlir").write_text(module(make, n))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([BUILD / "bin/ttmlir-opt", "--stablehlo-to-ttir-pipeline", "--ttir-to-ttnn-backend-pipeline", "x.mlir", "-o", "out.mlir"],
                       cwd=tmp_path, check=True, timeout=120)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime

    few, many = min(used(2000) for _ in range(3)), used(16000)
    print(f"FIGURE {make.__name__}: 2,000 operations {1e3 * few:.0f} ms, 16,000 {1e3 * many:.0f} ms")
    assert many <= 20 * few, (few, many)
