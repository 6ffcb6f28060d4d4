"""Rules on lists of integers hold for lists of any length."""

import os
import subprocess
from pathlib import Path

import pytest

OPT = Path(os.environ.get("TW_BUILD", "build")) / "bin" / "ttmlir-opt"
COUNTS = [4, 300, 2000, 20000]
MORE = (1 << 20) + 2


def errors(text):
    return subprocess.run([OPT, "-"], input=text, capture_output=True, text=True).stderr


def permute(targets):
    pairs = ", ".join(f"[{i}, {target}]" for i, target in enumerate(targets))
    return f"""func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = "stablehlo.collective_permute"(%a) <{{source_target_pairs = dense<[{pairs}]> : tensor<{len(targets)}x2xi64>}}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}"""


def reduced(groups):
    return f"""func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = "stablehlo.all_reduce"(%a) <{{replica_groups = dense<{groups}> : tensor<1x{len(groups[0])}xi64>}}> ({{
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}"""


@pytest.mark.parametrize("n", COUNTS)
def test_targets_are_distinct(n):
    targets = [(i + 1) % n for i in range(n)]
    assert errors(permute(targets)) == ""
    targets[-1] = targets[0]
    assert "duplicate targets" in errors(permute(targets))


@pytest.mark.parametrize("n", COUNTS)
def test_groups_hold_each_device_once(n):
    assert errors(reduced([list(range(n))])) == ""
    twice = [*range(n - 1), 0]
    assert "replica id #0 seen more than once" in errors(reduced([twice]))
    assert f"replica id #{n - 1} not seen" in errors(reduced([[*range(n - 1), n]]))


def test_long_groups_are_checked():
    assert "replica id #0 seen more than once" in errors(reduced([[*range(MORE - 1), 0]]))
    pairs = permute([(i + 1) % MORE for i in range(MORE)])
    assert errors(pairs) == "" and "duplicate targets" in errors(pairs.replace("[0, 1]", "[0, 2]", 1))
