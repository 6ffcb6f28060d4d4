"""Sharded programs, run by the interpreter with one process per device, give the results of the whole program."""

import itertools
import os
import random
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

MESH = {"x": 2, "y": 3}
DEVICES = [dict(zip(MESH, at)) for at in itertools.product(*(range(n) for n in MESH.values()))]

# Name, types of arguments, type of the result, body.
PROGRAMS = [
    ("add", [(6, 12), (6, 12)], (6, 12), "%r = stablehlo.add %0, %1 : tensor<6x12xi32>"),
    (
        "transpose",
        [(6, 12)],
        (12, 6),
        "%r = stablehlo.transpose %0, dims = [1, 0] : (tensor<6x12xi32>) -> tensor<12x6xi32>",
    ),
    (
        "dot",
        [(6, 12), (12, 18)],
        (6, 18),
        "%r = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<6x12xi32>, tensor<12x18xi32>) -> tensor<6x18xi32>",
    ),
    (
        "sum",
        [(6, 12)],
        (12,),
        """%z = stablehlo.constant dense<0> : tensor<i32>
    %r = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<6x12xi32>, tensor<i32>) -> tensor<12xi32>""",
    ),
    (
        "largest",
        [(6, 12)],
        (6,),
        """%z = stablehlo.constant dense<-2147483648> : tensor<i32>
    %r = stablehlo.reduce(%0 init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<6x12xi32>, tensor<i32>) -> tensor<6xi32>""",
    ),
    (
        "iota",
        [(6, 12)],
        (6, 12),
        """%i = stablehlo.iota dim = 1 : tensor<6x12xi32>
    %r = stablehlo.multiply %0, %i : tensor<6x12xi32>""",
    ),
    (
        "broadcast",
        [(12,), (6, 12)],
        (6, 12),
        """%b = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<12xi32>) -> tensor<6x12xi32>
    %r = stablehlo.subtract %1, %b : tensor<6x12xi32>""",
    ),
    ("reshape", [(6, 12)], (72,), "%r = stablehlo.reshape %0 : (tensor<6x12xi32>) -> tensor<72xi32>"),
    ("split", [(72,)], (6, 12), "%r = stablehlo.reshape %0 : (tensor<72xi32>) -> tensor<6x12xi32>"),
    (
        "two products",
        [(6, 12), (12, 6), (6, 6)],
        (6, 6),
        """%a = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<6x12xi32>, tensor<12x6xi32>) -> tensor<6x6xi32>
    %m = stablehlo.maximum %a, %2 : tensor<6x6xi32>
    %r = stablehlo.dot_general %m, %a, contracting_dims = [0] x [1] : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi32>""",
    ),
    (
        "rows",
        [(6, 12), (6, 1)],
        (6, 12),
        """%r = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 12>}> : (tensor<6x12xi32>, tensor<6x1xi32>) -> tensor<6x12xi32>""",
    ),
    (
        "joined",
        [(6, 12), (6, 12)],
        (12, 12),
        "%r = stablehlo.concatenate %0, %1, dim = 0 : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<12x12xi32>",
    ),
]

PASSES = [
    "--sdy-user-priority-propagate=conservative-propagation=true",
    "--sdy-insert-explicit-reshards=enable-full-version=true",
    "--sdy-reshard-to-collectives",
    "--sdy-convert-global-to-local",
    "--sdy-drop-sharding-and-mesh",
]


def tensor(dims):
    return "tensor<" + "".join(f"{d}x" for d in dims) + "i32>"


def random_sharding(rng, dims):
    """Axes of each dimension, major first; none twice, and only where they divide."""
    axes = list(MESH)
    rng.shuffle(axes)
    out = [[] for _ in dims]
    for axis in axes:
        d = rng.randrange(len(dims) + 1)
        parts = MESH[axis]
        if d < len(dims):
            for other in out[d]:
                parts *= MESH[other]
            if dims[d] % parts == 0:
                out[d].append(axis)
    return out


def attribute(sharding):
    dims = ", ".join("{" + ", ".join(f'"{a}"' for a in axes) + "}" for axes in sharding)
    return f"{{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}"


def part(dims, sharding, device):
    """The bounds of a device's part."""
    ranges = []
    for size, axes in zip(dims, sharding):
        at, parts = 0, 1
        for axis in axes:
            at, parts = at * MESH[axis] + device[axis], parts * MESH[axis]
        ranges.append((at * size // parts, (at + 1) * size // parts))
    return ranges


def cut(name, value, dims, sharding, device):
    ranges = part(dims, sharding, device)
    local = tensor([hi - lo for lo, hi in ranges])
    where = ", ".join(f"{lo}:{hi}" for lo, hi in ranges)
    return f"    {name} = stablehlo.slice {value} [{where}] : ({tensor(dims)}) -> {local}\n", local


def functions(text):
    """The contents of a module."""
    lines = text.splitlines()
    return "\n".join(lines[1 : len(lines) - lines[::-1].index("}") - 1])


def tool(name, *args, text):
    return subprocess.run(
        [str(Path(os.environ.get("TW_BUILD", ROOT / "build")) / "bin" / name), *args],
        check=False,
        input=text,
        capture_output=True,
        text=True,
        timeout=300,
    )


def local_function(program, ins, out):
    _, args, result, body = program
    mesh = ", ".join(f'"{a}"={n}' for a, n in MESH.items())
    names = ", ".join(f"%{i}: {tensor(a)} {attribute(s)}" for i, (a, s) in enumerate(zip(args, ins)))
    for i in range(len(args)):
        names, body = names.replace(f"%{i}:", f"%arg{i}:"), body.replace(f"%{i}", f"%arg{i}")
    source = (
        f"module {{\n  sdy.mesh @mesh = <[{mesh}]>\n  func.func @local({names}) -> ({tensor(result)} {attribute(out)}) {{\n"
        f"    {body}\n    return %r : {tensor(result)}\n  }}\n}}\n"
    )
    return source, tool("sdy_opt", *PASSES, text=source)


def whole_program(rng, program, ins, out, local):
    _, args, result, body = program
    text = ""
    for i, dims in enumerate(args):
        body = body.replace(f"%{i}", f"%arg{i}")
        count = 1
        for d in dims:
            count *= d
        bound = 6 if dims[-1] == 1 else 100
        flat = ", ".join(str(rng.randrange(bound)) for _ in range(count))
        shape = tensor(dims)
        text += f"    %flat{i} = stablehlo.constant dense<[{flat}]> : tensor<{count}xi32>\n"
        text += f"    %arg{i} = stablehlo.reshape %flat{i} : (tensor<{count}xi32>) -> {shape}\n"
    text += f"    {body}\n"
    operands, types, results = [], [], []
    for n, device in enumerate(DEVICES):
        for i, (dims, s) in enumerate(zip(args, ins)):
            line, local_type = cut(f"%p{n}_{i}", f"%arg{i}", dims, s, device)
            text, operands, types = text + line, operands + [f"%p{n}_{i}"], types + [local_type]
        line, local_type = cut(f"%e{n}", "%r", result, out, device)
        text, results = text + line, results + [local_type]
    programs = ", ".join(["@local"] * len(DEVICES))
    text += f'    %o:{len(DEVICES)} = "interpreter.run_parallel"({", ".join(operands)}) <{{programs = [[{programs}]]}}> : '
    text += f"({', '.join(types)}) -> ({', '.join(results)})\n"
    for n, local_type in enumerate(results):
        text += f"    check.expect_eq %o#{n}, %e{n} : {local_type}\n"
    return f"module {{\n{functions(local)}\n  func.func @main() {{\n{text}    return\n  }}\n}}\n"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0])
def test_parts_make_the_whole(program):
    rng = random.Random(program[0])
    _, args, result, _ = program
    ran = 0
    for _ in range(12):
        ins = [random_sharding(rng, a) for a in args]
        out = random_sharding(rng, result)
        source, local = local_function(program, ins, out)
        if local.returncode:
            assert "error: " in local.stderr, source
            continue
        whole = whole_program(rng, program, ins, out, local.stdout)
        done = tool("stablehlo-translate", "--interpret", "-", text=whole)
        assert done.returncode == 0 and "passed" in done.stdout, (
            f"{source}\n{local.stdout}\n{done.stdout}{done.stderr}"
        )
        ran += 1
    assert ran >= 3
