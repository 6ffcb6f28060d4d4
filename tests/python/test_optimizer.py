"""The optimizer keeps activations in L1: they fit the device's accounting, the modelled time falls, and results have the same bytes."""

import subprocess

import native
import numpy as np
import pytest

torch = pytest.importorskip("torch")
from optimizer_models import BUILD, SHARDS, lowered, ttir  # noqa: E402


def t(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


def op(name, operands, result, attributes="", kinds=None):
    return f'"ttir.{name}"({", ".join(operands)}) {attributes} : ({", ".join(kinds or [result] * len(operands))}) -> {result}'


X, W = t(256, 512), t(512, 512)
MLP = f"""func.func @main(%x: {X}, %w: {W}, %v: {W}) -> {X} {{
  %0 = {op("matmul", ["%x", "%w"], X, kinds=[X, W])}
  %1 = {op("gelu", ["%0"], X)}
  %2 = {op("matmul", ["%1", "%v"], X, kinds=[X, W])}
  %3 = {op("add", ["%2", "%x"], X)}
  %4 = {op("softmax", ["%3"], X, "<{dimension = 1 : si32}>")}
  %5 = {op("sum", ["%4"], t(256, 1), "<{dim_arg = [1 : i32], keep_dim = true}>", [X])}
  %6 = {op("subtract", ["%3", "%5"], X, kinds=[X, t(256, 1)])}
  return %6 : {X}
}}"""
CHAIN = f"""func.func @main(%x: {X}, %w: {W}) -> {X} {{
  %0 = {op("exp", ["%x"], X)}
  %1 = {op("matmul", ["%0", "%w"], X, kinds=[X, W])}
  %2 = {op("softmax", ["%1"], X, "<{dimension = 1 : si32}>")}
  %3 = {op("multiply", ["%2", "%0"], X)}
  %4 = {op("max", ["%3"], t(256, 1), "<{dim_arg = [1 : i32], keep_dim = true}>", [X])}
  %5 = {op("subtract", ["%3", "%4"], X, kinds=[X, t(256, 1)])}
  return %5 : {X}
}}"""
I, K = t(1, 32, 32, 64), t(64, 64, 3, 3)
CONV = "<{stride = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>, dilation = array<i32: 1, 1>, groups = 1 : i32}>"
POOL = "<{kernel = array<i32: 2, 2>, stride = array<i32: 2, 2>, dilation = array<i32: 1, 1>, padding = array<i32: 0, 0, 0, 0>, ceil_mode = false}>"
IMAGE = f"""func.func @main(%x: {I}, %w: {K}) -> {t(1, 16, 16, 64)} {{
  %0 = {op("conv2d", ["%x", "%w"], I, CONV, [I, K])}
  %1 = {op("relu", ["%0"], I)}
  %2 = {op("conv2d", ["%1", "%w"], I, CONV, [I, K])}
  %3 = {op("add", ["%2", "%1"], I)}
  %4 = {op("max_pool2d", ["%3"], t(1, 16, 16, 64), POOL, [I])}
  %5 = {op("exp", ["%4"], t(1, 16, 16, 64))}
  return %5 : {t(1, 16, 16, 64)}
}}"""
Q = t(1, 8, 64, 64)
HEADS = f"""func.func @main(%x: {t(1, 64, 512)}, %w: {W}) -> {t(1, 64, 512)} {{
  %0 = {op("reshape", ["%x"], t(1, 64, 8, 64), "<{shape = [1 : i32, 64 : i32, 8 : i32, 64 : i32]}>", [t(1, 64, 512)])}
  %1 = {op("permute", ["%0"], Q, "<{permutation = array<i64: 0, 2, 1, 3>}>", [t(1, 64, 8, 64)])}
  %2 = {op("exp", ["%1"], Q)}
  %3 = {op("concat", ["%2", "%1"], t(1, 16, 64, 64), "<{dim = 1 : si32}>", [Q, Q])}
  %4 = {op("slice_static", ["%3"], Q, "<{begins = [0 : i32, 4 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 12 : i32, 64 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}>", [t(1, 16, 64, 64)])}
  %5 = {op("permute", ["%4"], t(1, 64, 8, 64), "<{permutation = array<i64: 0, 2, 1, 3>}>", [Q])}
  %6 = {op("reshape", ["%5"], t(1, 64, 512), "<{shape = [1 : i32, 64 : i32, 512 : i32]}>", [t(1, 64, 8, 64)])}
  %7 = {op("matmul", ["%6", "%w"], t(1, 64, 512), kinds=[t(1, 64, 512), W])}
  %8 = {op("add", ["%7", "%x"], t(1, 64, 512))}
  return %8 : {t(1, 64, 512)}
}}"""


def wide(n, shape):
    """n values that all live until they are added, last to first."""
    lines = [f"  %{i} = " + op("multiply", ["%x" if i == 0 else f"%{i - 1}", "%x"], shape) for i in range(n)]
    lines += [f"  %{n + i} = " + op("add", [f"%{n + i - 1}", f"%{n - 2 - i}"], shape) for i in range(n - 1)]
    return f"func.func @main(%x: {shape}) -> {shape} {{\n" + "\n".join(lines) + f"\n  return %{2 * n - 2} : {shape}\n}}"


PROGRAMS = {"mlp": MLP, "image": IMAGE, "heads": HEADS, "wide": wide(24, t(1024, 2048))}


def results(ttnn):
    done = subprocess.run([BUILD / "bin/ttmlir-translate", "--ttnn-to-flatbuffer"], input=ttnn, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    program = native.Program(done.stdout, entry="main")
    draw = np.random.default_rng(5)
    return program(*(draw.uniform(-1, 1, program.shape(i)).astype(np.float32) for i in range(program.n_in)))


def named(text):
    """The program with a name for each operation: n0, n1, ..."""
    lines = text.split("\n")
    return "\n".join(line + f' loc("{line.split()[0].replace("%", "n")}")' if line.startswith("  %") else line for line in lines)


@pytest.mark.parametrize("name, pins, in_l1", [
    ("mlp", "n4=dram", {"softmax": [False]}), ("mlp", "n4=l1:interleaved:tile,n5=dram", {"softmax": [True], "sum": [False]}),
    ("image", "n3=dram", {"add": [False]}), ("image", "n3=l1", {"add": [True]}), ("heads", "n2=dram,n3=dram", {"exp": [False], "concat": [False]})])
def test_overrides_keep_bytes(name, pins, in_l1):
    """The user's choices hold, and results have the same bytes."""
    text = named(PROGRAMS[name]).encode()
    plain = subprocess.run([BUILD / "bin/ttmlir-opt", "--ttir-to-ttnn-backend-pipeline"], input=text, capture_output=True, check=True).stdout
    chosen, about = lowered(text, f"override-output-layout={pins}")
    for operation, wanted in in_l1.items():
        found = [row["memory"] == "l1" for row in about["main"]["operations"] if row["operation"] == f"ttnn.{operation}"]
        assert found[:len(wanted)] == wanted, about["main"]["operations"]
    for a, b in zip(results(plain), results(chosen), strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("options", ["", SHARDS])
@pytest.mark.parametrize("cap", ["0.95", "0.2", "0.05"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_bytes(name, cap, options):
    text = PROGRAMS[name].encode()
    plain = subprocess.run([BUILD / "bin/ttmlir-opt", "--ttir-to-ttnn-backend-pipeline"], input=text, capture_output=True, check=True).stdout
    chosen, about = lowered(text, f"tensor-l1-usage-cap={cap} {options}")
    sharded = [row for row in about["main"]["operations"] if row["layout"].endswith("sharded")]
    assert bool(sharded) == (bool(options) and name != "image" and cap != "0.05") or (name, cap) == ("mlp", "0.05")
    assert b"#l1" not in plain and (b"#l1" in chosen or cap == "0.05")
    assert about["main"]["cycles"] <= about["main"]["cycles_in_dram"]
    if name == "wide" and cap != "0.05":  # 24 tensors of 8 MiB: 1.4 MiB of 64 cores hold ten; no core has room for one at 0.05
        assert about["main"]["demoted"] + about["main"]["spilled"] >= 12
    for a, b in zip(results(plain), results(chosen), strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("kind", ["height_sharded", "width_sharded", "block_sharded"])
def test_each_kind_of_shards_keeps_bytes(kind):
    """Shards that the user asks for, of each kind, between matrix products, element-wise operations and reductions."""
    text = named(CHAIN).encode()
    plain = subprocess.run([BUILD / "bin/ttmlir-opt", "--ttir-to-ttnn-backend-pipeline"], input=text, capture_output=True, check=True).stdout
    chosen, about = lowered(text, "override-output-layout=" + ",".join(f"n{i}=l1:{kind}" for i in range(5)))
    assert [row["layout"] for row in about["main"]["operations"]] == [kind] * 5 + ["interleaved"]
    for a, b in zip(results(plain), results(chosen), strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("options", ["", SHARDS])
def test_what_is_in_l1_fits(options):
    """At each operation, the tensors that live take no more than L1 has: the device allocates every one of them there."""
    chosen, about = lowered(PROGRAMS["wide"].encode(), f"tensor-l1-usage-cap=1 {options}")
    assert about["main"]["activation_bytes_in_l1"] > 0.3 * about["main"]["activation_bytes"]
    results(chosen)  # an allocation that fails is an error


@pytest.mark.parametrize("name", ["resnet18", "vit", "bert", "llama-decode", "lstm"])
def test_models(name):
    """Small copies of the models of the speed page; optimizer_models.py prints the same of the whole ones."""
    text = ttir(name, True)
    interleaved, sharded = (lowered(text, options)[1]["main"] for options in ("", SHARDS))
    for about in interleaved, sharded:
        assert about["activation_bytes_in_l1"] > 0.5 * about["activation_bytes"]
        assert about["cycles"] < about["cycles_in_dram"]
    assert sharded["cycles"] <= interleaved["cycles"]


def test_unreadable_folder(tmp_path):
    (tmp_path / "file").write_text("")
    done = subprocess.run([BUILD / "bin/ttmlir-opt", f"--ttir-to-ttnn-backend-pipeline=enable-optimizer=true enable-decision-trace=true decision-trace-dir={tmp_path}/file"],
                          input=MLP, capture_output=True, text=True)
    assert done.returncode != 0 and "main.json" in done.stderr
