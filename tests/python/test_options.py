"""Options of passes: the pass's own source reads each, or its row says why it has no effect; what users see of both."""

import functools
import os
import re
import subprocess
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parent.parent.parent / "src"
OPT = Path(os.environ.get("TW_BUILD", "build")) / "bin" / "ttmlir-opt"
ABS = """func.func @main(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.abs"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}"""


def opt(*arguments, text="module {}"):
    return subprocess.run([OPT, *arguments], input=text, capture_output=True, text=True)


@functools.cache
def owners():
    """{pass or pipeline: {option: its line of the help}}, in two dictionaries."""
    found = [{}, {}]
    section, owner = None, None
    for line in opt("--help").stdout.splitlines():
        if line in ("PASSES:", "PIPELINES:"):
            section = line != "PASSES:"
        elif section is not None and (m := re.match(r"  --([^\s\[]+)", line)):
            owner = found[section].setdefault(m[1], {})
        elif section is not None and (m := re.match(r"      --(\S+)\s+- (.*)", line)):
            owner[m[1]] = m[2]
    return found


def file_of(name):
    """The C file that runs the pass."""
    row = re.compile(r'\.name = "' + re.escape(name) + '"')
    for path in SRC.rglob("*.c"):
        if row.search(path.read_text()):
            return path
    table = (SRC.parent / "optional/mpmd/passes.def").read_text()
    for entry in re.finditer(r"^MPMD_PASS\((\w+),(.*?)(?=^MPMD_PASS|\Z)", table, re.S | re.M):
        if row.search(entry[2]):
            function = re.compile(r"^bool mpmd_" + entry[1] + r"\(", re.M)
            for path in (SRC.parent / "optional/mpmd").glob("*.c"):
                if function.search(path.read_text()):
                    return path
    pytest.fail(f"no file has the row of {name}")


def reads(path, option, shared):
    """Whether the file mentions the option outside of rows; `shared`: or another file of its folder asks for it, for several passes."""
    rows = re.compile(r'\{[\s\\]*"[^"]+",\s*PASS_\w+')
    asks = re.compile(r'pass_option_\w+\([^,()]+,\s*"' + re.escape(option) + '"')
    return f'"{option}"' in rows.sub("", path.read_text()) or shared and any(asks.search(other.read_text()) for other in path.parent.glob("*.c"))


def test_every_pass_reads_its_options():
    passes, _ = owners()
    assert len(passes) > 150 and sum(map(len, passes.values())) > 80
    wrong = []
    for name, options in passes.items():
        path = file_of(name) if options else None
        for option, help_text in options.items():
            no_effect = "(no effect: " in help_text
            if reads(path, option, not no_effect) == no_effect:
                wrong.append(f"{path.name}: {name}: {option}: {help_text}")
    assert not wrong, "options that no line reads need no_effect in their row, and only those:\n" + "\n".join(wrong)


CHOICE = "the optimizer tries DRAM, interleaved L1 and three kinds of shards for each result"


@pytest.mark.parametrize("option, value, warning", [
    ("max-legal-layouts", "8", f"option 'max-legal-layouts' of pipeline 'ttir-to-ttnn-backend-pipeline' has no effect: {CHOICE}"),
    ("optimization-level", "1", None),
    ("row-major-enabled", "true", None),
    ("enable-optimizer", "false", None),
    ("max-legal-layouts", "64", None),
    ("enable-fusing-pass", "false", None),
])
def test_warnings_leave_result_and_status(option, value, warning):
    plain = opt("--ttir-to-ttnn-backend-pipeline", text=ABS)
    done = opt(f"--ttir-to-ttnn-backend-pipeline={option}={value}", text=ABS)
    assert done.returncode == 0 and done.stdout == plain.stdout
    assert done.stderr == (f"<unknown>:0: warning: {warning}\n" if warning else "")


def test_verify_diagnostics_does_not_count_them():
    done = opt("--ttir-to-ttnn-backend-pipeline=max-legal-layouts=8", "--verify-diagnostics", text=ABS)
    assert done.returncode == 0 and "has no effect" in done.stderr


def test_operations_marked_for_the_host_are_calls():
    done = opt("--ttir-to-ttnn-backend-pipeline", text=ABS.replace('"(%a) :', '"(%a) {ttir.should_hoist} :'))
    assert done.returncode == 0 and not done.stderr and "should_hoist" not in done.stdout and "ttnn.abs" not in done.stdout
    assert re.search(r"call @cpu_hoisted_ttir_abs_\w{8}\(", done.stdout)


SLICES = """func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.permute"(%0) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "ttir.slice_static"(%1) <{begins = [0 : i32, 0 : i32], ends = [32 : i32, 64 : i32], step = [1 : i32, 1 : i32]}> : (tensor<64x64xf32>) -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}"""


def test_permute_slice_after_matmul_can_be_left():
    fused, left = (opt(f"--ttir-to-ttnn-backend-pipeline=enable-permute-slice-after-matmul-fusion={value}", text=SLICES) for value in ("true", "false"))
    assert fused.returncode == left.returncode == 0 and fused.stdout != left.stdout and not left.stderr


def test_metrics_are_written(tmp_path):
    path = tmp_path / "metrics.json"
    done = opt(f"--ttir-to-ttnn-backend-pipeline=ttnn-perf-metrics-enabled=true ttnn-perf-metrics-output-file={path}", text=ABS)
    assert done.returncode == 0 and not done.stderr and path.read_text().startswith("{")


def test_python_hears_of_an_option_once_in_each_run():
    from ttmlir.ir import Context, Module
    from ttmlir.passmanager import PassManager
    with Context() as context:
        messages = []
        context.attach_diagnostic_handler(lambda d: (messages.append(d.message), True)[1])
        PassManager.parse("builtin.module(ttir-to-ttnn-backend-pipeline{max-legal-layouts=8})").run(Module.parse(ABS).operation)
        assert messages == [f"option 'max-legal-layouts' of pipeline 'ttir-to-ttnn-backend-pipeline' has no effect: {CHOICE}"]
