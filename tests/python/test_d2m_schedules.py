"""Trees of operations in one nest: with the order of d2m-op-scheduler and without, the grid gives the same bytes, and tiles of DST that no later
operation reads are used again."""

import os
import re
import subprocess

import numpy as np
import pytest
from test_d2m_run import BUILD

OPT = str(BUILD / "bin/ttmlir-opt")
TILE = "!ttcore.tile<32x32, bf16>"
BLOCK, DEVICE = f"tensor<2x2x{TILE}>", f"tensor<1x1x2x2x{TILE}, #layout>"


def tool(folder, *args, ok=True):
    ran = subprocess.run(list(map(str, args)), cwd=folder, capture_output=True, text=True, env=os.environ)
    assert (ran.returncode == 0) == ok, ran.stderr
    return ran.stdout + ran.stderr


def level_by_level(n):
    """The pairs that are added, all of a level before those of the next; values are numbered, inputs first."""
    last, pairs = list(range(n)), []
    while len(last) > 1:
        made = []
        for a, b in zip(last[::2], last[1::2]):
            made.append(n + len(pairs))
            pairs.append((a, b))
        last = made
    return pairs


def module(n, pairs, op="add"):
    """One d2m.generic whose only nest computes `pairs` of n inputs."""
    same = ", ".join(["#map"] * (n + 1))
    lines = [f"func.func @f({', '.join(f'%a{i}: tensor<64x64xbf16>' for i in range(n))}) -> tensor<64x64xbf16> {{",
             f"%e = d2m.empty() : {DEVICE}"]
    for i in range(n):
        lines += [f"%e{i} = d2m.empty() : {DEVICE}", f"%d{i} = d2m.to_layout %a{i}, %e{i} : tensor<64x64xbf16> into {DEVICE} -> {DEVICE}"]
    devices, blocks = ", ".join(f"%d{i}" for i in range(n)), ", ".join(f"%b{i}" for i in range(n))
    lines += [f"%r = d2m.generic {{block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [{same}], iterator_types = [#parallel, #parallel], "
              "threads = [#d2m.thread<unified>]}", f"ins({devices} : {', '.join([DEVICE] * n)}) outs(%e : {DEVICE}) {{",
              "%i = d2m.block_index(0) : index", "%j = d2m.block_index(1) : index"]
    for i in range(n):
        lines += [f"%t{i} = tensor.empty() : {BLOCK}", f"%b{i} = d2m.remote_load %t{i} %d{i}[%i, %j] : {BLOCK}, {DEVICE} -> {BLOCK}"]
    lines += [f"%o = tensor.empty() : {BLOCK}",
              f"%m = linalg.generic {{indexing_maps = [{same}], iterator_types = [\"parallel\", \"parallel\"]}} "
              f"ins({blocks} : {', '.join([BLOCK] * n)}) outs(%o : {BLOCK}) {{",
              f"^bb0({', '.join(f'%v{i}: {TILE}' for i in range(n))}, %out: {TILE}):"]
    lines += [f'%v{n + k} = "d2m.tile_{op}"(%v{a}, %v{b}) : ({TILE}, {TILE}) -> {TILE}' for k, (a, b) in enumerate(pairs)]
    lines += [f"linalg.yield %v{n + len(pairs) - 1} : {TILE}", f"}} -> {BLOCK}",
              f"%s = d2m.remote_store %e[%i, %j] %m : {DEVICE}, {BLOCK} -> {DEVICE}", f"d2m.yield %s : ({DEVICE})", f"}} : {DEVICE}",
              "%h = d2m.empty() : tensor<64x64xbf16>", f"%w = d2m.to_layout %r, %h : {DEVICE} into tensor<64x64xbf16> -> tensor<64x64xbf16>",
              "return %w : tensor<64x64xbf16>", "}"]
    return ("#layout = #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : "
            "tensor<2x2xi64>, l1, sharded>\n#map = affine_map<(d0, d1) -> (d0, d1)>\n#parallel = #ttcore.iterator_type<parallel>\n" + "\n".join(lines))


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    """What follows ttir-to-d2m on the way to TTMetal, but the device module around it."""
    folder = tmp_path_factory.mktemp("pipeline")
    (folder / "f.mlir").write_text("func.func @f(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {\n  return %a : tensor<32x32xf32>\n}\n")
    text = ""
    for part in ("d2m-fe-pipeline", "d2m-be-pipeline", "d2m-to-ttkernel-pre-emitc-pipeline", "d2m-to-ttmetal-pipeline"):
        shown = tool(folder, OPT, "f.mlir", f"--{part}", "--dump-pass-pipeline", "--mlir-disable-threading", "-o", os.devnull)
        text += "," + re.search(r"builtin\.module\((.*)\)", shown, re.DOTALL)[1]
    text = re.sub(r"^.*?ttir-to-d2m\{[^}]*\}", "ttcore-register-device", text, flags=re.DOTALL)
    assert "d2m-op-scheduler{enable-op-scheduler=true}" in text
    return text


@pytest.mark.parametrize("n, alive", [(4, 3), (8, 4), (16, 5)])
def test_both_orders_give_the_same_bytes(n, alive, pipeline, tmp_path):
    """DST holds eight tiles: one of sixteen inputs needs a schedule, which keeps a path of the tree alive instead of a level."""
    (tmp_path / "f.mlir").write_text(module(n, level_by_level(n)))
    rng = np.random.default_rng(n)
    inputs = [rng.integers(-8, 8, (64, 64)).astype(np.float32) for _ in range(n)]
    np.savez(tmp_path / "in.npz", **{f"in{i}": (x.view(np.uint32) >> 16).astype(np.uint16) for i, x in enumerate(inputs)})
    made, slots = [], []
    for on in ("true", "false"):
        text = pipeline.replace("enable-op-scheduler=true", f"enable-op-scheduler={on}")
        lower = (OPT, f"--pass-pipeline=builtin.module({text})", "--mlir-print-ir-after=d2m-insert-dst-register-access-scheduled", "f.mlir", "-o", "p.mlir")
        if n == 16 and on == "false":
            assert "Insufficient DST capacity" in tool(tmp_path, *lower, ok=False)
            continue
        slots.append(re.findall(r"affine\.store %\d+, %dst\w*\[([^\]]*)\]", tool(tmp_path, *lower)))
        tool(tmp_path, BUILD / "bin/tilewright", "sim", "p.mlir", "--inputs=in.npz", "--outputs=out.npz")
        made.append(np.load(tmp_path / "out.npz")["out0"])
    assert all(m.tobytes() == made[0].tobytes() for m in made)
    got = (made[0].astype(np.uint32) << 16).view(np.float32) if made[0].dtype == np.uint16 else made[0].astype(np.float32)
    np.testing.assert_array_equal(got, sum(inputs))
    assert len(slots[0]) == n - 1 and len(set(slots[0])) == alive


def operations(text, op):
    """Pairs of operands of the nest's operations, in their order: results are numbered, inputs are the memrefs' names; and the tiles of DST."""
    values, slots, made = {}, {}, []
    for line in text.splitlines():
        if m := re.match(r" *(%\w+) = affine\.load (%\w+)\[(.*?)\] :", line):
            values[m[1]] = slots[m[3]] if m[2].startswith("%dst") else m[2]
        elif m := re.match(rf' *(%\w+) = "d2m\.tile_{op}"\((%\w+), (%\w+)\)', line):
            values[m[1]] = len(made)
            made.append((values[m[2]], values[m[3]]))
        elif m := re.match(r" *affine\.store (%\w+), %dst\w*\[(.*?)\] :", line):
            slots[m[2]] = values[m[1]]
    return made, len(slots)


@pytest.mark.parametrize("op, dtype", [("add", "bf16"), ("maximum", "bf16"), ("add", "f32")])
def test_documents_tree_of_eight(op, dtype, pipeline, tmp_path):
    """The order of ttnn.jit's document, which counts five tiles of DST: two results, two inputs and a third result. Four are enough: the matrix unit
    reads two inputs of `add` from circular buffers, and `maximum` leaves its result in a tile of its inputs. DST has no more of f32."""
    (tmp_path / "f.mlir").write_text(module(8, level_by_level(8), op).replace("bf16", dtype))
    shown = tool(tmp_path, OPT, f"--pass-pipeline=builtin.module({pipeline})", "--mlir-print-ir-after=d2m-insert-dst-register-access-scheduled", "f.mlir",
                 "-o", "p.mlir")
    lowered, tiles = operations(shown, op)
    names = [x for pair in lowered for x in pair if isinstance(x, str)]
    assert names == [v for v in re.findall(r"(%\w+) = memref\.subview", shown) if v in names]  # in0 to in7, in their order
    i0, i1, i2, i3, i4, i5, i6, i7 = names
    assert lowered == [(i0, i1), (i2, i3), (0, 1), (i4, i5), (i6, i7), (3, 4), (2, 5)]
    assert tiles == 4
    inputs = [np.random.default_rng(k).integers(-8, 8, (64, 64)).astype(np.float32) for k in range(8)]
    np.savez(tmp_path / "in.npz", **{f"in{i}": (x.view(np.uint32) >> 16).astype(np.uint16) if dtype == "bf16" else x for i, x in enumerate(inputs)})
    tool(tmp_path, BUILD / "bin/tilewright", "sim", "p.mlir", "--inputs=in.npz", "--outputs=out.npz")
    got = np.load(tmp_path / "out.npz")["out0"]
    got = (got.astype(np.uint32) << 16).view(np.float32) if got.dtype == np.uint16 else got
    np.testing.assert_array_equal(got, sum(inputs) if op == "add" else np.maximum.reduce(inputs))
