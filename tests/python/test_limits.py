"""Inputs beyond the fixed capacities of passes, checks and runs: what is larger than a capacity works all the same, or is an error that
says so; no program, no check of it and no result is cut short."""

import os
import subprocess
from pathlib import Path

import pytest

UNSUPPORTED = 77  # the status of a program that cannot run
bin_folder = Path(os.environ["TW_BUILD"]) / "bin"


def tool(command, text):
    run = subprocess.run([str(bin_folder / command[0]), *command[1:]], input=text, capture_output=True, text=True, timeout=120)
    assert run.returncode in (0, 1, UNSUPPORTED), (command, run.returncode, run.stderr[-300:])
    assert run.returncode == 0 or run.stderr, (command, "failed without an error")
    return run


def names(prefix, n, of=""):
    return ", ".join(f"%{prefix}{i}{of}" for i in range(n))


def row(item, n):
    return ", ".join([item] * n)


# ---- tensors of many dimensions ------------------------------------------------------------------------------------------------------

def of_rank(r):
    """Programs on tensors of 2 elements and rank r."""
    t = f"tensor<2{'x1' * (r - 1)}xf32>"
    turned = f"tensor<{'1x' * (r - 1)}2xf32>"
    less = f"tensor<{'1x' * (r - 1)}f32>"
    up, down = (", ".join(map(str, order)) for order in (range(r), reversed(range(r))))
    sizes = ", ".join(["2"] + ["1"] * (r - 1))
    zeros = row("0", r)
    return {
        "ttir": [
            f'func.func @f(%a: {t}) -> {turned} {{ %0 = "ttir.permute"(%a) <{{permutation = array<i64: {down}>}}> : ({t}) -> {turned}\n return %0 : {turned} }}',
            f'func.func @f(%a: {t}) -> {less} {{ %0 = "ttir.sum"(%a) <{{dim_arg = [0 : i32], keep_dim = false}}> : ({t}) -> {less}\n return %0 : {less} }}',
            f'func.func @f(%a: {t}) -> {t} {{ %0 = "ttir.softmax"(%a) <{{dimension = {r - 1} : si32}}> : ({t}) -> {t}\n return %0 : {t} }}',
        ],
        "stablehlo": [
            f"func.func @f(%a: {t}) -> {turned} {{ %0 = stablehlo.transpose %a, dims = [{down}] : ({t}) -> {turned}\n return %0 : {turned} }}",
            f"func.func @f(%a: {t}) -> {t} {{ %0 = stablehlo.reverse %a, dims = [{up}] : {t}\n %1 = chlo.erf_inv %0 : {t} -> {t}\n return %1 : {t} }}",
            f"func.func @f(%a: {less}) -> {t} {{ %0 = stablehlo.broadcast_in_dim %a, dims = [{', '.join(map(str, range(1, r)))}] : ({less}) -> {t}\n return %0 : {t} }}",
            f"func.func @f(%a: {t}, %p: tensor<f32>) -> {t} {{ %0 = stablehlo.pad %a, %p, low = [{zeros}], high = [{zeros}], interior = [{zeros}] : ({t}, tensor<f32>) -> {t}\n"
            f" return %0 : {t} }}",
            f'func.func @f(%a: {t}, %i: tensor<{r}xi32>) -> {t} {{ %0 = "stablehlo.gather"(%a, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [{up}], '
            f"start_index_map = [{up}]>, slice_sizes = array<i64: {sizes}>}}> : ({t}, tensor<{r}xi32>) -> {t}\n return %0 : {t} }}",
            f'func.func @f(%a: {t}, %p: tensor<f32>) -> {t} {{ %0 = "stablehlo.reduce_window"(%a, %p) <{{window_dimensions = array<i64: {row("1", r)}>}}> '
            f"({{ ^bb0(%x: tensor<f32>, %y: tensor<f32>): stablehlo.return %x : tensor<f32> }}) : ({t}, tensor<f32>) -> {t}\n return %0 : {t} }}",
        ],
    }


RUN = ("tilewright", "run", "/dev/stdin")
PASSES = {
    "ttir": ["", "--ttir-to-ttnn-backend-pipeline", "--canonicalize", "--ttir-to-ttmetal-pipeline", "--ttir-explicate-tms --ttir-erase-inverse-ops"],
    "stablehlo": ["", "--stablehlo-to-ttir-pipeline", "--stablehlo-aggressive-simplification", "--stablehlo-aggressive-folder", "--stablehlo-pipeline",
                  "--stablehlo-refine-shapes", "--stablehlo-legalize-to-vhlo", "--stablehlo-compatibility-expander=target=1.0.0", "--chlo-legalize-to-stablehlo"],
}


@pytest.mark.parametrize("rank", [9, 17, 33, 65, 130])
@pytest.mark.parametrize("dialect", PASSES)
def test_ranks(dialect, rank):
    ran = 0
    for program in of_rank(rank)[dialect]:
        for options in PASSES[dialect]:
            tool(("ttmlir-opt", *options.split()), program)
        ran += tool(RUN, program).returncode == 0
    assert ran or rank > 8


# ---- operations with many values -----------------------------------------------------------------------------------------------------

def loop(n, wrong):
    types = row("tensor<f32>", n)
    returned = row("tensor<f32>", n - 1) + (", tensor<i32>" if wrong else ", tensor<f32>")
    body = names("y", n - 1, ": tensor<f32>") + f", %y{n - 1}: tensor<{'i32' if wrong else 'f32'}>"
    return f"""func.func @f({names("a", n, ": tensor<f32>")}) {{
      %r:{n} = "stablehlo.while"({names("a", n)}) ({{ ^bb0({names("x", n, ": tensor<f32>")}):
        %c = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %c : tensor<i1>
      }}, {{ ^bb0({body}): stablehlo.return {names("y", n)} : {returned} }}) : ({types}) -> ({types})
      return }}"""


def reduction(n, wrong):
    results = row("tensor<f32>", n - 1) + (", tensor<2xf32>" if wrong else ", tensor<f32>")
    return f"""func.func @f({names("a", n, ": tensor<4xf32>")}, %z: tensor<f32>) {{
      %r:{n} = "stablehlo.reduce"({names("a", n)}, {row("%z", n)}) <{{dimensions = array<i64: 0>}}> ({{
        ^bb0({names("x", n, ": tensor<f32>")}, {names("y", n, ": tensor<f32>")}): stablehlo.return {names("x", n)} : {row("tensor<f32>", n)}
      }}) : ({row("tensor<4xf32>", n)}, {row("tensor<f32>", n)}) -> ({results})
      return }}"""


def branch(n, wrong):
    block = f'{{ stablehlo.return {names("a", n)} : {row("tensor<f32>", n)} }}'
    results = row("tensor<f32>", n - 1) + (", tensor<i32>" if wrong else ", tensor<f32>")
    return f"""func.func @f(%p: tensor<i32>, {names("a", n, ": tensor<f32>")}) {{
      %r:{n} = "stablehlo.case"(%p) ({block}, {block}) : (tensor<i32>) -> ({results})
      return }}"""


def sorting(n, wrong):
    arguments = names("x", 2 * n - 1, ": tensor<f32>") + f", %x{2 * n - 1}: tensor<{'i32' if wrong else 'f32'}>"
    return f"""func.func @f({names("a", n, ": tensor<4xf32>")}) {{
      %r:{n} = "stablehlo.sort"({names("a", n)}) <{{dimension = 0 : i64}}> ({{ ^bb0({arguments}):
        %c = stablehlo.compare LT, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }}) : ({row("tensor<4xf32>", n)}) -> ({row("tensor<4xf32>", n)})
      return }}"""


def exchange(n, wrong):
    results = row("tensor<4xf32>", n - 1) + (", tensor<5xf32>" if wrong else ", tensor<4xf32>")
    return f"""func.func @f({names("a", n, ": tensor<4xf32>")}) {{
      %r:{n} = "stablehlo.all_reduce"({names("a", n)}) <{{replica_groups = dense<0> : tensor<1x1xi64>}}> ({{
        ^bb0(%x: tensor<f32>, %y: tensor<f32>): stablehlo.return %x : tensor<f32>
      }}) : ({row("tensor<4xf32>", n)}) -> ({results})
      return }}"""


@pytest.mark.parametrize("n", [64, 65, 300])
@pytest.mark.parametrize("program", [loop, reduction, branch, sorting, exchange])
def test_values(program, n):
    """The last value of many is checked like the first."""
    assert tool(("ttmlir-opt",), program(n, False)).returncode == 0
    assert tool(("ttmlir-opt",), program(n, True)).returncode == 1


@pytest.mark.parametrize("program", [loop, reduction])
def test_many_values_are_printed_and_read(program):
    text = tool(("ttmlir-opt",), program(1000, False)).stdout
    assert text.count("tensor<") >= 1000 and tool(("ttmlir-opt",), text).stdout == text


def test_too_many_values():
    run = tool(("ttmlir-opt",), loop(4097, False))
    assert run.returncode == 1 and "has 4097 values; at most 4096 are supported" in run.stderr


def test_a_loop_carries_many_values():
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    def step(values):
        return [values[i] + values[i - 1] * 0.5 for i in range(len(values))]

    def run(x):
        return jnp.stack(jax.lax.fori_loop(0, 3, lambda _, v: step(v), [x + i for i in range(100)]))

    text = jax.jit(run).lower(jnp.float32(1)).as_text()
    assert tool(RUN, text).returncode == 0


# ---- attributes, meshes, calls, arguments --------------------------------------------------------------------------------------------

def test_attributes_of_a_copied_operation_are_kept():
    attributes = ", ".join(f"a{i} = {i} : i32" for i in range(100))
    program = f"""func.func @f(%x: tensor<1x32x32xbf16>, %y: tensor<1x32x32xbf16>) -> tensor<1x32x32xf32> {{
      %0 = "ttir.typecast"(%x) : (tensor<1x32x32xbf16>) -> tensor<1x32x32xf32>
      %1 = "ttir.typecast"(%y) : (tensor<1x32x32xbf16>) -> tensor<1x32x32xf32>
      %2 = "ttir.add"(%0, %1) {{{attributes}}} : (tensor<1x32x32xf32>, tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
      return %2 : tensor<1x32x32xf32> }}"""
    out = tool(("ttmlir-opt", "--canonicalize", "--ttir-fusing", "--ttir-to-ttir-decomposition"), program).stdout
    assert all(f"a{i} = {i} : i32" in out for i in range(100))


def test_every_mesh_is_recorded():
    meshes = "\n".join(f'sdy.mesh @m{i} = <["x"=2]>' for i in range(40))
    out = tool(("ttmlir-opt", "--stablehlo-to-ttir-pipeline"),
               f"module {{ {meshes}\n func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{ return %a : tensor<4xf32> }} }}").stdout
    assert out.count('"m') >= 40 or out.count("<name") >= 40 or all(f'"m{i}"' in out for i in range(40))


def test_functions_of_the_host_have_a_rank_for_each_argument():
    n = 100
    program = f"""func.func @f({names("a", n, ": tensor<4xf32>")}) -> tensor<{4 * n}xf32> {{
      %0 = "ttir.concat"({names("a", n)}) <{{dim = 0 : si32}}> {{ttir.should_hoist}} : ({row("tensor<4xf32>", n)}) -> tensor<{4 * n}xf32>
      return %0 : tensor<{4 * n}xf32> }}"""
    out = tool(("ttmlir-opt", "--ttcore-wrap-device-module", "--cpu-hoist-manually-tagged"), program).stdout
    assert f"arg_ranks = [{row('1', n)}]" in out


def test_shardings_go_through_every_call():
    n = 300
    calls = "\n".join(f"%r{i} = func.call @g(%a{i}) : (tensor<8xf32>) -> tensor<8xf32>" for i in range(n))
    shard = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'
    arguments = names("a", n - 1, ": tensor<8xf32>") + f", %a{n - 1}: tensor<8xf32> {shard}"
    program = f"""sdy.mesh @mesh = <["x"=2]>
    func.func @main({arguments}) -> ({row("tensor<8xf32>", n)}) {{ {calls}
      return {names("r", n)} : {row("tensor<8xf32>", n)} }}
    func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {{ %0 = stablehlo.sine %a : tensor<8xf32>
      return %0 : tensor<8xf32> }}"""
    out = tool(("sdy_opt", "--sdy-add-func-data-flow-edges", "--sdy-basic-propagate"), program).stdout
    assert out.count('[{"x"') > 3 * n  # each argument, result and edge


def test_manual_computations_of_many_operands():
    n = 600
    sharding = '<@mesh, [{"x"}]>'
    program = f"""sdy.mesh @mesh = <["x"=2, "y"=2]>
    func.func @f({names("a", n, ": tensor<8xf32>")}) -> ({row("tensor<8xf32>", n)}) {{
      %r:{n} = sdy.manual_computation({names("a", n)}) in_shardings=[{row(sharding, n)}] out_shardings=[{row(sharding, n)}] manual_axes={{"x"}} ({names("b", n, ": tensor<4xf32>")}) {{
        sdy.return {names("b", n)} : {row("tensor<4xf32>", n)}
      }} : ({row("tensor<8xf32>", n)}) -> ({row("tensor<8xf32>", n)})
      return {", ".join(f"%r#{i}" for i in range(n))} : {row("tensor<8xf32>", n)} }}"""
    assert tool(("sdy_opt", "--sdy-import-pipeline"), program).returncode == 0


def test_affine_expressions_of_many_dimensions():
    from ttmlir.ir import AffineExpr, Context

    with Context():
        total = AffineExpr.get_dim(0)
        for i in range(1, 200):
            total = total + AffineExpr.get_dim(i)
        assert str(total) == " + ".join(f"d{i}" for i in range(200))


def test_signs_of_many_arguments_are_dropped():
    n = 300
    program = f"""func.func @f({names("a", n, ": tensor<4xui32>")}) -> tensor<4xui32> {{ return %a299 : tensor<4xui32> }}"""
    out = tool(("stablehlo-opt", "--stablehlo-convert-to-signless"), program)
    assert out.returncode == 0 and out.stdout.count("tensor<4xi32>") == n + 2 and "ui32" not in out.stdout


# ---- names ---------------------------------------------------------------------------------------------------------------------------

LONG = "n" * 300


def test_long_names_are_whole_in_cpp():
    program = f"""emitc.global @{LONG} : i32
    func.func @f() -> i32 {{ %0 = emitc.get_global @{LONG} : !emitc.lvalue<i32>
      %1 = emitc.load %0 : <i32>
      return %1 : i32 }}"""
    assert f"int32_t {LONG};" in tool(("ttmlir-translate", "--mlir-to-cpp"), program).stdout
    program = f"""func.func @{LONG}(%a: tensor<32x32xbf16>) -> tensor<32x32xbf16> {{
      %0 = "ttir.exp"(%a) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
      return %0 : tensor<32x32xbf16> }}"""
    traced = tool(("ttmlir-opt", "--ttir-to-ttnn-common-pipeline=enable-trace=true"), program).stdout
    code = tool(("ttmlir-translate", "--mlir-to-cpp"), tool(("ttmlir-opt", "--ttnn-common-to-emitc-pipeline"), traced).stdout).stdout
    assert f"capture_or_execute_trace_0_{LONG}(" in code and f"run_and_capture_trace_0_{LONG}(" in code


def test_functions_with_long_names_are_checked():
    program = f"""func.func @{LONG}() {{ %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
      check.expect_eq_const %0, dense<1.0> : tensor<2xf32>
      return }}"""
    for command in (RUN, ("stablehlo-translate", "--interpret", "/dev/stdin")):
        assert tool(command, program).returncode == 0


def test_a_target_triple_is_not_cut():
    from ttmlir import ir

    with ir.Context() as context:
        text = tool(("ttmlir-opt", "--ttcore-register-device"), "module {}").stdout
        module = ir.Module.parse(text.replace("x86_64-pc-linux-gnu", LONG), context)
    run = tool(("ttmlir-opt", "--ttir-to-ttnn-backend-pipeline"), str(module))
    assert run.returncode == 0 and LONG in run.stdout
    run = tool(("ttmlir-translate", "--ttnn-to-flatbuffer", "-o", "/dev/null"), run.stdout)
    assert run.returncode == 1 and "target triple" in run.stderr


# ---- devices, buffers, semaphores ----------------------------------------------------------------------------------------------------

def test_a_permutation_reaches_every_chip():
    pairs = ", ".join(f"[{i}, {i + 1}]" for i in range(64))
    program = f"""func.func @f(%a: tensor<32x32xbf16>) -> tensor<32x32xbf16> {{
      %0 = "ttir.collective_permute"(%a) <{{source_target_pairs = dense<[{pairs}]> : tensor<64x2xi64>}}> : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
      return %0 : tensor<32x32xbf16> }}"""
    out = tool(("ttmlir-opt", "--ttir-to-ttnn-backend-pipeline=mesh-shape=8,12"), program).stdout
    assert all(f"receiver_coord = array<i64: {y}, {x}>" in out for y in range(8) for x in range(12))
    run = tool(("ttmlir-opt", "--ttir-to-ttnn-backend-pipeline=mesh-shape=1,8"), program)
    assert run.returncode == 1 and "names chip 8 of a mesh of 8" in run.stderr


def test_a_mesh_of_many_axes_is_reported():
    run = tool(("ttmlir-opt", "--ttcore-register-device"), f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"m" = {"x".join("1" * 9)}>]>}} {{}}')
    assert run.returncode == 1 and "a mesh has at most 8 axes, found 9" in run.stderr


def test_semaphores_of_a_program_are_different():
    program = (Path(__file__).parent.parent / "lit/device/multicast.mlir").read_text()
    more = "".join(f'%more{i} = "ttmetal.create_local_semaphore"() : () -> !ttmetal.local_semaphore\n' for i in range(31))
    assert tool(("tilewright", "sim", "/dev/stdin"), program).returncode == 0
    run = tool(("tilewright", "sim", "/dev/stdin"), program.replace("%come = ", more + "%come = ", 1))
    assert run.returncode == 1 and "a core has 32" in run.stderr


def test_registers_of_dst_are_at_most_64():
    run = tool(("ttlang-opt", "--ttl-assign-dst=dst-capacity=65"), "func.func @f() { return }")
    assert run.returncode == 1 and "dst-capacity is at most 64, found 65" in run.stderr


# ---- dimensions ----------------------------------------------------------------------------------------------------------------------

def test_loops_of_linalg():
    t = f"tensor<{'1x' * 40}f32>"
    turned = f"""func.func @f(%a: {t}, %b: {t}) -> {t} {{
      %0 = linalg.transpose ins(%a : {t}) outs(%b : {t}) permutation = [{", ".join(map(str, range(40)))}]
      return %0 : {t} }}"""
    run = tool(("ttmlir-opt",), turned)
    assert run.returncode == 1 and "at most 32" in run.stderr
    n, t = 12, "tensor<4xf32>"
    mapped = f"""func.func @f({names("a", n, ": " + t)}, %b: {t}) -> {t} {{
      %0 = linalg.map ins({names("a", n)} : {row(t, n)}) outs(%b : {t}) ({names("x", n, ": f32")}, %y: f32) {{ linalg.yield %x11 : f32 }}
      return %0 : {t} }}"""
    assert tool(("ttmlir-opt",), mapped).returncode == 0
    run = tool(("ttmlir-opt",), mapped.replace(f"tensor<4xf32>) outs", "tensor<5xf32>) outs").replace("%a11: tensor<4xf32>", "%a11: tensor<5xf32>"))
    assert run.returncode == 1


def test_broadcasts_of_many_dimensions_are_checked():
    def add(result):
        a, b, t = (f"tensor<{'1x' * 39}{n}xf32>" for n in (1, 5, result))
        return tool(("ttmlir-opt",), f'func.func @f(%a: {a}, %b: {b}) -> {t} {{ %0 = "ttir.add"(%a, %b) : ({a}, {b}) -> {t}\n return %0 : {t} }}')

    assert add(5).returncode == 0
    wrong = add(1)
    assert wrong.returncode == 1 and "doesn't match expected shape after broadcasting" in wrong.stderr


@pytest.mark.parametrize("n", [8, 9, 20])
def test_convolutions_of_many_dimensions_are_reported(n):
    t, out, places = f"tensor<1x1{'x3' * n}xf32>", f"tensor<1x1{'x1' * n}xf32>", ", ".join(map(str, range(n)))
    program = f"""func.func @f(%a: {t}, %w: {t}) -> {out} {{
      %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, f, {places}]x[i, o, {places}]->[b, f, {places}], window = {{reverse = [{row("true", n)}]}}
        {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({t}, {t}) -> {out}
      return %0 : {out} }}"""
    run = tool(("ttmlir-opt", "--stablehlo-to-ttir-pipeline"), program)
    assert run.returncode == 1 and "convolution" in run.stderr


def test_every_shape_operand_is_checked():
    n = 100

    def program(last):
        shapes = "\n".join(f"%a{i} = stablehlo.constant dense<4> : tensor<1xi64>" for i in range(n))
        return f"""func.func @f() -> ({row("tensor<?xf32>", n)}) {{ {shapes}
          %0:{n} = stablehlo.custom_call @x({names("a", n)}) {{indices_of_shape_operands = dense<[{", ".join(map(str, [*range(n - 1), last]))}]> : tensor<{n}xi64>}}
            : ({row("tensor<1xi64>", n)}) -> ({row("tensor<?xf32>", n)})
          return {", ".join(f"%0#{i}" for i in range(n))} : {row("tensor<?xf32>", n)} }}"""
    assert tool(("stablehlo-opt", "--stablehlo-canonicalize-dynamism"), program(n - 1)).returncode == 0
    run = tool(("stablehlo-opt", "--stablehlo-canonicalize-dynamism"), program(n))
    assert run.returncode == 1 and f"index #{n - 1} ({n})" in run.stderr


def test_tuples_of_buffers_nest():
    def program(depth, t):
        for _ in range(depth):
            t = f"tuple<{t}>"
        return f"""func.func @f(%a: tensor<2xf32>) -> {t} {{ %0 = "stablehlo.custom_call"(%a) <{{call_target_name = "x", output_operand_aliases = []}}> : (tensor<2xf32>) -> {t}
          return %0 : {t} }}"""
    assert tool(("stablehlo-opt",), program(40, "tensor<2xf32>")).returncode == 0
    for depth, error in ((16, "is not used in output_operand_alias"), (17, "tuples of buffers nest at most 16 levels")):
        assert error in tool(("stablehlo-opt",), program(depth, "memref<2xf32>")).stderr


def test_calls_within_calls():
    layout = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>"
    t = f"tensor<32x32xf32, {layout}>"

    def program(depth):
        calls = [f"func.func private @f{i}(%a: {t}) -> {t} {{ %0 = call @f{i + 1}(%a) : ({t}) -> {t}\n return %0 : {t} }}" for i in range(1, depth)]
        return f"""func.func @f0(%a: {t}) -> {t} {{ %0 = call @f1(%a) : ({t}) -> {t}\n return %0 : {t} }}
          func.func private @f{depth}(%a: {t}) -> {t} {{ %0 = "ttnn.abs"(%a) : ({t}) -> {t}\n return %0 : {t} }}\n""" + "\n".join(calls)
    assert tool(RUN, program(999)).returncode == 0
    for depth in (1000, 5000):
        assert "is within 1000 calls" in tool(RUN, program(depth)).stderr


def test_calls_of_long_chains():
    """What a callee writes is looked for through all that may be views of its argument."""
    n, t = 100000, "tensor<32x32xf32>"
    chain = "\n".join(f'%v{i + 1} = "ttir.abs"(%v{i}) : ({t}) -> {t}' for i in range(n))
    run = tool(("ttmlir-opt", "--cse"), f"""func.func @f(%a: {t}) -> ({t}, {t}) {{ %0 = call @g(%a) : ({t}) -> {t}
      %1 = call @g(%a) : ({t}) -> {t}
      return %0, %1 : {t}, {t} }}
      func.func private @g(%v0: {t}) -> {t} {{ {chain}
      return %v{n} : {t} }}""")
    assert run.returncode == 0 and run.stdout.count("ttir.abs") == n
