"""Every use of the builders that their document shows, one test each: what is built prints as shown, what is compiled runs."""

import json
import os
import re
from collections import OrderedDict

import pytest

torch = pytest.importorskip("torch")
import _ttmlir_runtime as tt_runtime  # noqa: E402
from builder.base.builder_apis import *  # noqa: E402,F403
from builder.base.builder_enums import *  # noqa: E402,F403
from builder.base.builder_runtime import *  # noqa: E402,F403
from builder.stablehlo.shardy_parallelization_utils import count_collectives  # noqa: E402
from builder.stablehlo.stablehlo_builder import StableHLOBuilder  # noqa: E402
from builder.ttir.ttir_builder import TTIRBuilder  # noqa: E402
from builder.ttnn.ttnn_builder import TTNNBuilder  # noqa: E402
from ttmlir.passes import stablehlo_pipeline, stablehlo_to_ttir_pipeline  # noqa: E402

T, V, W = "tensor<32x32xf32>", "tensor<2x16x32x32xf32>", "tensor<16xf32>"
TWO_BY_FOUR = OrderedDict([("x", 2), ("y", 4)])
TEXT = """module {
  func.func @modela(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %0 = "ttir.add"(%a, %b) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %1 = "ttir.sigmoid"(%0) : (tensor<32x32xf32>) -> tensor<32x32xf32>
    return %1 : tensor<32x32xf32>
  }
  func.func @modelb(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %0 = "ttir.multiply"(%a, %b) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    return %0 : tensor<32x32xf32>
  }
}
"""


def plain(text):
    """The text without locations and aliases, its values numbered in their order."""
    text = re.sub(r'loc\((?:[^()"]|"[^"]*"|\([^()]*\))*\)', "", text)
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", text, re.M))
    text = re.sub(r"^#\w+ =.*$", "", text, flags=re.M)
    for _ in range(4):
        for name, meaning in aliases.items():
            text = re.sub(re.escape(name) + r"\b", lambda _: meaning, text)
    names = {}
    text = re.sub(r"%[\w$.]+(?::\d+)?", lambda m: names.setdefault(m[0].split(":")[0], f"%v{len(names)}"), text)
    return re.sub(r"\s+", " ", text).strip()


def shows(module, text):
    assert plain(str(module)) == plain(text)


def sigmoid(name="modela", **options):
    """A module of one sigmoid."""
    def root(builder):
        def body(x, builder):
            return builder.sigmoid(x, **options)

        body.__name__ = name
        builder.func([(32, 32)], [torch.float32])(body)

    return root


def two(builder):
    sigmoid("modela")(builder)
    sigmoid("modelb")(builder)


def function(name, indent="  ", private="", result=T, attributes=""):
    return (f"{indent}func.func {private}@{name}(%a: {T}) -> {result} {{ %0 = \"ttir.sigmoid\"(%a) {attributes}: ({T}) -> {result} "
            f"return %0 : {result} }}\n")


@pytest.fixture
def device():
    options = tt_runtime.runtime.MeshDeviceOptions()
    options.dispatch_core_type = tt_runtime.runtime.DispatchCoreType.ETH
    options.mesh_shape = (1, 1)
    tt_runtime.runtime.set_current_device_runtime(tt_runtime.runtime.DeviceRuntime.TTNN)
    opened = tt_runtime.runtime.open_mesh_device(options)
    yield opened
    tt_runtime.runtime.close_mesh_device(opened)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---- building ---------------------------------------------------------------------------------------------


def test_build_ttir():
    module, builder = build_module(sigmoid(), "ttir")
    assert isinstance(builder, TTIRBuilder)
    shows(module, f"module {{ {function('modela')} }}")
    shown = module.operation.get_asm(enable_debug_info=True)
    assert re.search(r'loc\(".*test_builder_document\.py:\d+"\)', shown), shown
    assert re.search(r'test_builder_document\.py":\d+:0\)', shown), shown


def test_location():
    module, _ = build_module(sigmoid(loc="tenstorrent://custom_location/sigmoid_op"), "ttir")
    assert 'loc("tenstorrent://custom_location/sigmoid_op")' in module.operation.get_asm(enable_debug_info=True)


def test_unit_attributes():
    module, _ = build_module(sigmoid(unit_attrs=["ttir.should_hoist"]), "ttir")
    shows(module, f"module {{ {function('modela', attributes='{ttir.should_hoist} ')} }}")


def test_several_results():
    def root(builder: TTIRBuilder):
        @builder.func([(2, 16, 32, 32)] + [(16,)] * 4, [torch.float32] * 5)
        def batch_norm_training(x, scale, offset, mean, variance, builder, unit_attrs=None):
            normal, batch_mean, batch_variance = builder.batch_norm_training(
                x, scale, offset, mean, variance, epsilon=1e-5, dimension=1, momentum=0.1)
            return normal, batch_mean, batch_variance

    module, _ = build_module(root, "ttir")
    inputs, results = f"{V}, {W}, {W}, {W}, {W}", f"{V}, {W}, {W}"
    shows(module, f"""module {{
      func.func @batch_norm_training(%a: {V}, %b: {W}, %c: {W}, %d: {W}, %e: {W}) -> ({results}) {{
        %r, %m, %v = "ttir.batch_norm_training"(%a, %b, %c, %d, %e) <{{dimension = 1 : i32, epsilon = 9.99999974E-6 : f32, momentum = 1.000000e-01 : f32}}> : ({inputs}) -> ({results})
        return %r, %m, %v : {results}
      }} }}""")


def added(values):
    """The goldens of a sum whose arguments `values` sets."""
    def root(builder):
        @builder.func([(32, 32), (32, 32)], [torch.float32, torch.float32])
        def sums(a, b, builder: TTIRBuilder, unit_attrs=None):
            return values(builder, a, b)

    module, builder = build_module(root, "ttir")
    assert '"ttir.add"' in str(module)
    ends, inner = builder.golden_map
    return [ends[0][name].shard_at(0) for name in ("input_0", "input_1", "output_0")], inner


def test_goldens_by_functions():
    def values(builder, a, b):
        builder.set_goldens({a: torch.zeros, b: torch.ones})
        return builder.add(a, b)

    (x, y, total), inner = added(values)
    assert not x.any() and (y == 1).all() and (total == 1).all() and len(inner) == 1


def test_goldens_by_tensors():
    x, y = torch.randn(32, 32), torch.randn(32, 32)

    def values(builder, a, b):
        builder.set_goldens({a: x, b: y})
        return builder.add(a, b)

    assert all(map(torch.equal, added(values)[0], (x, y, x + y)))


def test_goldens_of_results():
    x, y, other = torch.randn(32, 32), torch.randn(32, 32), torch.randn(32, 32)

    def values(builder, a, b):
        builder.set_goldens({a: x, b: y})
        total = builder.add(a, b)
        builder.set_operand_goldens({total: other})
        return total

    (_, _, total), inner = added(values)
    assert torch.equal(total, other) and torch.equal(*(g.shard_at(0) for g in inner.values()), ) if len(inner) == 2 else torch.equal(
        next(iter(inner.values())).shard_at(0), other)


def test_output_type():
    module, _ = build_module(sigmoid(output_type=torch.bfloat16), "ttir")
    shows(module, f"module {{ {function('modela', result='tensor<32x32xbf16>')} }}")


def adds(builder):
    @builder.func([(32, 32), (32, 32)], [torch.float32, torch.float32])
    def modela(a, b, builder):
        return builder.add(a, b)


def test_build_stablehlo():
    module, builder = build_module(adds, "stablehlo")
    assert isinstance(builder, StableHLOBuilder)
    shows(module, f"""module {{ sdy.mesh @mesh = <["x"=1, "y"=1]>
      func.func @modela(%a: {T}, %b: {T}) -> {T} {{ %0 = stablehlo.add %a, %b : {T} return %0 : {T} }} }}""")


def test_build_ttnn():
    module, builder = build_module(adds, "ttnn")
    assert isinstance(builder, TTNNBuilder)
    shows(module, """
#dram = #ttnn.buffer_type<dram>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
module {
  func.func @modela(%a: tensor<32x32xf32, #layout>, %b: tensor<32x32xf32, #layout>) -> tensor<32x32xf32, #layout> {
    %0 = "ttnn.add"(%a, %b) <{dtype = #ttcore.supportedDataTypes<f32>}> : (tensor<32x32xf32, #layout>, tensor<32x32xf32, #layout>) -> tensor<32x32xf32, #layout>
    return %0 : tensor<32x32xf32, #layout>
  }
}""")


def test_several_functions():
    module, _ = build_module(two, "ttir")
    shows(module, f"module {{ {function('modela')} {function('modelb')} }}")


def nested(builder):
    @builder.func([(32, 32)], [torch.float32])
    def my_modela(x, builder):
        def nested_func(x, builder):
            return builder.sigmoid(x)

        return builder.call(nested_func, [builder.sigmoid(x)])

    sigmoid("my_modelb")(builder)


NESTED = (f"func.func @my_modela(%a: {T}) -> {T} {{ %0 = \"ttir.sigmoid\"(%a) : ({T}) -> {T} %1 = call @nested_func(%0) : ({T}) -> {T} "
          f"return %1 : {T} }} {function('nested_func', private='private ')} {function('my_modelb')}")


def test_nested_functions():
    shows(build_module(nested, "ttir")[0], f"module {{ {NESTED} }}")


def test_device_module():
    def root(builder):
        builder.device_module(nested)

    shows(build_module(root, "ttir")[0], f"module {{ ttcore.device_module {{ builtin.module {{ {NESTED} }} }} }}")


def test_any_pass():
    module, _ = build_module(adds, "stablehlo")
    stablehlo_to_ttir_pipeline(module)
    meshes = 'attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>}'
    shows(module, f"""module {meshes} {{ ttcore.device_module {{ builtin.module {meshes} {{
      func.func @modela(%a: {T}, %b: {T}) -> {T} {{ %0 = "ttir.add"(%a, %b) : ({T}, {T}) -> {T} return %0 : {T} }} }} }} }}""")


# ---- compiling --------------------------------------------------------------------------------------------


def test_compile_to_flatbuffer(folder):
    builder, compiled, ends, inner = compile_ttir_to_flatbuffer(two)
    assert isinstance(builder, TTIRBuilder) and compiled.get_num_programs() == 2
    assert set(ends) == {0, 1} and set(ends[0]) == {"input_0", "output_0"} and len(inner) == 2
    assert os.path.getsize(compiled) and os.fspath(compiled).endswith("ttir-builder-artifacts/ttnn/test_ttnn.mlir.ttnn")


def test_compile_to_ttmetal(folder):
    _, compiled, ends, _ = compile_ttir_to_flatbuffer(sigmoid(), target="ttmetal")
    path = folder / "ttir-builder-artifacts/ttmetal/test_ttm.mlir.ttm"
    assert compiled.file_identifier == "TTM0" and os.fspath(compiled).endswith(str(path.relative_to(folder))) and path.stat().st_size
    assert set(ends[0]) == {"input_0", "output_0"}


def test_compile_to_emitc(folder):
    _, compiled, _, _ = compile_ttir_to_flatbuffer(sigmoid(), target="emitc")
    assert "ttnn::sigmoid" in compiled and (folder / "ttir-builder-artifacts/emitc/test_ttnn.mlir.cpp").read_text() == compiled


def test_compile_to_emitpy(folder):
    _, compiled, _, _ = compile_ttir_to_flatbuffer(sigmoid(), target="emitpy")
    assert "ttnn.sigmoid" in compiled and (folder / "ttir-builder-artifacts/emitpy/test_ttnn.mlir.py").read_text() == compiled


# ---- running ----------------------------------------------------------------------------------------------


def test_runtime(device):
    assert device.get_mesh_shape() == [1, 1]


def test_execute_flatbuffer(device):
    report = compile_and_execute_ttir(two, device=device)
    assert list(report) == ["program_0", "program_1"]
    assert all(row[4]["actual_pcc"] > 0.999999 for row in report.rows())


def test_report_of_operations(device):
    def root(builder):
        @builder.func([(32, 32)], [torch.float32])
        def model(x, builder):
            return builder.exp(builder.sigmoid(x))

    report = compile_and_execute_ttir(root, device=device, enable_intermediate_verification=True)
    names = [row[1] for row in report.rows()]
    assert names == ["result", "ttnn.sigmoid", "ttnn.exp"] and "worst element" in str(report) and "ttnn.exp" in str(report)
    figures = json.loads(report.to_json())["program_0"]
    assert any("test_builder_document.py" in location and f["0"]["worst"]["index"] for location, f in figures.items())


def test_execute_emitc(folder, device):
    _, _, ends, _ = compile_ttir_to_flatbuffer(sigmoid(), target="emitc")
    report, _ = execute_cpp("./ttir-builder-artifacts/emitc/test_ttnn.mlir.cpp", ends, pcc=0.98, device=device)
    assert report["program_0"]["output_0"][0]["actual_pcc"] > 0.98


def test_execute_emitpy(folder):
    _, _, ends, _ = compile_ttir_to_flatbuffer(sigmoid(), target="emitpy")
    report, _ = execute_py("./ttir-builder-artifacts/emitpy/test_ttnn.mlir.py", ends, pcc=0.98)
    assert report["program_0"]["output_0"][0]["actual_pcc"] > 0.999


def test_execute_by_hand(device):
    module, builder = build_module(two, "ttir")
    compiled, ends, inner = compile_ttir_module_to_flatbuffer(module, builder)
    report, tensors = execute_fb(compiled, ends, inner, device=device)
    for program in ("program_0", "program_1"):
        assert torch.allclose(tensors[program]["device_output_0"][0], tensors[program]["golden_output_0"][0], atol=1e-6)


def test_bypass(device):
    wrong = torch.full((32, 32), 3.0)

    def root(builder):
        @builder.func([(32, 32)], [torch.float32])
        def model(x, builder):
            middle = builder.sigmoid(x)
            builder.bypass(middle)
            builder.set_operand_goldens({middle: wrong})
            return builder.neg(middle)

    _, compiled, ends, inner = compile_ttir_to_flatbuffer(root, output_root=str(os.environ.get("TMPDIR", "/tmp")))
    _, tensors = execute_fb(compiled, ends, inner, device=device)
    assert (tensors["program_0"]["device_output_0"][0] == -3).all()


# ---- programs from text -----------------------------------------------------------------------------------


def test_load_text():
    module, builder = load_mlir_file(TEXT, target="ttir")
    shows(module, TEXT)
    ends, inner = builder.golden_map
    assert torch.equal(ends[0]["output_0"].shard_at(0), (ends[0]["input_0"].shard_at(0) + ends[0]["input_1"].shard_at(0)).sigmoid())
    assert len(inner) == 3


def test_load_text_with_inputs():
    given = {name: [torch.randn(32, 32), torch.randn(32, 32)] for name in ("modela", "modelb")}
    _, builder = load_mlir_file(TEXT, target="ttir", golden_inputs=given)
    ends, _ = builder.golden_map
    assert torch.equal(ends[1]["output_0"].shard_at(0), given["modelb"][0] * given["modelb"][1])


def test_execute_loaded_text(device):
    module, builder = load_mlir_file(TEXT, target="ttir")
    compiled, ends, inner = compile_ttir_module_to_flatbuffer(module, builder)
    report, _ = execute_fb(compiled, ends, inner, device=device)
    assert len(list(report.rows())) == 2 and not report.failures


def test_split_text():
    module, builder = load_mlir_file(TEXT, target="ttir")
    parts = split_mlir_file(module, builder)
    names = [re.search(r'"(ttir\.\w+)"', str(part))[1] for part, _ in parts]
    assert names == ["ttir.add", "ttir.sigmoid", "ttir.multiply"]
    whole, one = builder.golden_map[0], parts[1][1].golden_map[0]
    assert torch.equal(one[0]["output_0"].shard_at(0), whole[0]["output_0"].shard_at(0))


def test_execute_parts(device):
    module, builder = load_mlir_file(TEXT, target="ttir")
    for part, own in split_mlir_file(module, builder):
        compiled, ends, inner = compile_ttir_module_to_flatbuffer(part, own)
        report, _ = execute_fb(compiled, ends, inner, device=device)
        assert not report.failures and "output_0" in report["program_0"]


def test_profiler(tmp_path, device):
    from urllib.request import urlopen

    from profiler import trace

    def root(builder):
        @builder.device_module
        def inner(builder):
            @builder.func([(32, 32)] * 3, [torch.float32] * 3)
            def model(a, b, c, builder):
                return builder.multiply(builder.add(a, b), builder.exp(c))

    module, builder = build_module(root, "ttir")
    with socket_port() as port, trace(tmp_path / "profile", port):
        compiled, ends, inner = compile_ttir_module_to_flatbuffer(module, builder)
        execute_fb(compiled, ends, inner, device=device)
        page = urlopen(f"http://127.0.0.1:{port}/", timeout=20).read().decode()
    names = [op["name"] for op in json.loads((tmp_path / "profile/operations.json").read_text())]
    assert {"ttnn.add", "ttnn.exp", "ttnn.multiply"} <= set(names) and "ttnn.multiply" in page
    assert json.loads((tmp_path / "profile/timeline.json").read_text())["traceEvents"]


def socket_port():
    """A port that was free a moment ago."""
    import contextlib
    import socket

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return contextlib.nullcontext(s.getsockname()[1])


# ---- several devices --------------------------------------------------------------------------------------


def shards(builder, x, direction, kind, shape, dims):
    return builder.mesh_shard(x, shard_direction=direction.value, shard_type=kind.value, shard_shape=shape, shard_dims=dims)


def shard_text(kind, direction, shape, dims):
    return (f'<{{shard_dims = array<i64: {dims}>, shard_direction = #ttcore.shard_direction<{direction}>, shard_shape = array<i64: {shape}>, '
            f'shard_type = #ttcore.shard_type<{kind}>}}>')


def test_several_devices():
    def root(builder):
        @builder.func([(1, 1, 256, 512)], [torch.float32])
        def all_gather(x, builder):
            part = shards(builder, x, MeshShardDirection.FullToShard, MeshShardType.Devices, (1, 1, 8, 4), (2, 3))
            whole = builder.all_gather(part, all_gather_dim=3, cluster_axis=1)
            return shards(builder, whole, MeshShardDirection.ShardToFull, MeshShardType.Devices, (1, 1, 8, 1), (2, -1))

    module, builder = build_module(root, "ttir", mesh_dict=OrderedDict([("x", 8), ("y", 4)]))
    full, part, row = "tensor<1x1x256x512xf32>", "tensor<1x1x32x128xf32>", "tensor<1x1x32x512xf32>"
    shows(module, f"""module {{ func.func @all_gather(%a: {full}) -> {full} {{
      %0 = "ttir.mesh_shard"(%a) {shard_text('devices', 'full_to_shard', '1, 1, 8, 4', '2, 3')} : ({full}) -> {part}
      %1 = "ttir.all_gather"(%0) <{{all_gather_dim = 3 : si32, cluster_axis = 1 : ui32}}> : ({part}) -> {row}
      %2 = "ttir.mesh_shard"(%1) {shard_text('devices', 'shard_to_full', '1, 1, 8, 1', '2, -1')} : ({row}) -> {full}
      return %2 : {full} }} }}""")
    ends, inner = builder.golden_map
    assert torch.equal(ends[0]["output_0"].shard_at(0), ends[0]["input_0"].shard_at(0))
    assert sorted(len(g.shard_map) for g in inner.values()) == [1, 32, 32]


def test_presharded_arguments():
    def root(builder):
        @builder.func([(1, 1, 256, 512)], [torch.float32])
        def model(x, builder):
            builder.preshard_arg(x, shard_dims=(-1, 3))
            part = shards(builder, x, MeshShardDirection.FullToShard, MeshShardType.Identity, (1, 1, 1, 2), (-1, 3))
            return shards(builder, builder.exp(part), MeshShardDirection.ShardToFull, MeshShardType.Devices, (1, 1, 1, 2), (-1, 3))

    module, builder = build_module(root, "ttir", mesh_dict=OrderedDict([("x", 1), ("y", 2)]))
    full, part = "tensor<1x1x256x512xf32>", "tensor<1x1x256x256xf32>"
    shows(module, f"""module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>}} {{
      func.func @model(%a: {full} {{ttcore.runtime_tensor_sharding = #ttcore<runtime_tensor_sharding shard_status = <presharded>, local_shape = {part}>}}) -> {full} {{
        %0 = "ttir.mesh_shard"(%a) {shard_text('identity', 'full_to_shard', '1, 1, 1, 2', '-1, 3')} : ({full}) -> {part}
        %1 = "ttir.exp"(%0) : ({part}) -> {part}
        %2 = "ttir.mesh_shard"(%1) {shard_text('devices', 'shard_to_full', '1, 1, 1, 2', '-1, 3')} : ({part}) -> {full}
        return %2 : {full} }} }}""")
    ends, _ = builder.golden_map
    assert torch.equal(ends[0]["output_0"].shard_at(0), ends[0]["input_0"].shard_at(0).exp())


def sharding(builder, *dims):
    """A sharding; each dimension is (axes, closed, priority)."""
    return builder.tensor_sharding_attr(mesh_name="mesh", dimension_shardings=[
        builder.dimension_sharding_attr(axes=[builder.axis_ref_attr(name=a) for a in axes], is_closed=closed,
                                        **({"priority": priority[0]} if priority else {})) for axes, closed, *priority in dims])


def annotated(builder):
    @builder.func([(2, 4, 8, 16), (2, 4, 8, 16)], [torch.float32, torch.float32])
    def op_sharding_annotation(a, b, builder, unit_attrs=None):
        builder.set_graph_level_check(True)
        wanted = sharding(builder, ("x", True, 10), ("y", False), ("", False), ("", False))
        return builder.add(a, b, sharding_attr=builder.tensor_sharding_per_value_attr([wanted]))


def test_shardings_of_operations():
    module, builder = build_module(annotated, "stablehlo", mesh_dict=TWO_BY_FOUR)
    t = "tensor<2x4x8x16xf32>"
    shows(module, f"""module {{ sdy.mesh @mesh = <["x"=2, "y"=4]>
      func.func @op_sharding_annotation(%a: {t}, %b: {t}) -> {t} {{
        %0 = stablehlo.add %a, %b {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}p10, {{"y", ?}}, {{?}}, {{?}}]>]>}} : {t}
        return %0 : {t} }} }}""")
    assert builder.golden_map[1] == {}


def of_arguments(builder):
    @builder.func([(128, 128), (128, 128)], [torch.float32, torch.float32])
    def input_annotation(a, b, builder, unit_attrs=None):
        builder.set_graph_level_check(True)
        builder.set_arg_attribute(a, "sdy.sharding", sharding(builder, ("x", True), ("y", True)))
        return builder.add(a, b)


def test_shardings_of_arguments():
    module, _ = build_module(of_arguments, "stablehlo", mesh_dict=TWO_BY_FOUR)
    t = "tensor<128x128xf32>"
    shows(module, f"""module {{ sdy.mesh @mesh = <["x"=2, "y"=4]>
      func.func @input_annotation(%a: {t} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}]>}}, %b: {t}) -> {t} {{
        %0 = stablehlo.add %a, %b : {t} return %0 : {t} }} }}""")


def test_pipeline_over_shardings():
    module, _ = build_module(of_arguments, "stablehlo", mesh_dict=TWO_BY_FOUR)
    stablehlo_pipeline(module)
    assert "sdy.manual_computation" in str(module) and "tensor<64x32xf32>" in str(module)


SPLIT = ("", True), ("", True), ("x", True), ("y", True)


def manual(body, count, shape=(1, 1, 32, 32)):
    def root(builder):
        def my_modela(*operands):
            *values, builder = operands
            wanted = sharding(builder, *SPLIT)
            return builder.manual_computation(body, values, in_shardings=[wanted] * count, out_shardings=[wanted] * body.results,
                                              manual_axes=["x", "y"])

        builder.func([shape] * count, [torch.float32] * count)(my_modela)

    return root


def test_manual_computation():
    def single_device(a, b, builder):
        total = builder.add(builder.add(a, b), b)
        return builder.cosine(total), builder.sine(total)

    single_device.results = 2
    module, builder = build_module(manual(single_device, 2), "stablehlo", mesh_dict=TWO_BY_FOUR)
    ends, _ = builder.golden_map
    a, b, c, s = (ends[0][name].shard_at(0) for name in ("input_0", "input_1", "output_0", "output_1"))
    assert torch.allclose(c, (a + b + b).cos()) and torch.allclose(s, (a + b + b).sin())
    stablehlo_pipeline(module)
    full, part = "tensor<1x1x32x32xf32>", "tensor<1x1x16x8xf32>"
    free = "ttcore.shard_status = #ttcore.shard_status<unsharded>"
    split = '<@mesh, [{}, {}, {"x"}, {"y"}]>'
    shows(module, f"""module {{ sdy.mesh @mesh = <["x"=2, "y"=4]>
      func.func @my_modela(%a: {full} {{{free}}}, %b: {full} {{{free}}}) -> ({full} {{{free}}}, {full} {{{free}}}) {{
        %0:2 = sdy.manual_computation(%a, %b) in_shardings=[{split}, {split}] out_shardings=[{split}, {split}] manual_axes={{"x", "y"}} (%c: {part}, %d: {part}) {{
          %1 = stablehlo.add %c, %d : {part} %2 = stablehlo.add %1, %d : {part}
          %3 = stablehlo.cosine %2 : {part} %4 = stablehlo.sine %2 : {part}
          sdy.return %3, %4 : {part}, {part}
        }} : ({full}, {full}) -> ({full}, {full})
        return %0#0, %0#1 : {full}, {full} }} }}""")


def gathered(x, builder):
    return builder.all_gather(x, 3, [[0]])


gathered.results = 1
ONE_BY_ONE = """module { sdy.mesh @mesh = <["x"=1, "y"=1]>
  func.func @my_modela(%a: tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {}, {"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {}, {"x"}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<1x1x32x32xf32>) {
      %1 = "stablehlo.all_gather"(%b) <{all_gather_dim = 3 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
      sdy.return %1 : tensor<1x1x32x32xf32>
    } : (tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
    return %0 : tensor<1x1x32x32xf32>
  } }"""


def test_manual_computation_with_collective():
    module, _ = build_module(manual(gathered, 1), "stablehlo", mesh_dict=OrderedDict([("x", 1), ("y", 1)]))
    shows(module, ONE_BY_ONE)


def test_sdy_all_gather():
    def root(builder):
        @builder.func([(1, 1, 32, 32), (1, 1, 32, 32)], [torch.float32, torch.float32])
        def my_modela(a, b, builder):
            total = builder.add(a, b, sharding_attr=builder.tensor_sharding_per_value_attr([sharding(builder, *SPLIT)]))
            lists = [builder.axes_ref_list_attr(axis_ref_list=[builder.axis_ref_attr(name=n) for n in axes]) for axes in ("", "", "x", "y")]
            return builder.sdy_all_gather(total, builder.list_of_axis_ref_lists_attr(lists), sharding(builder, *[("", True)] * 4))

    module, builder = build_module(root, "stablehlo", mesh_dict=TWO_BY_FOUR)
    t = "tensor<1x1x32x32xf32>"
    shows(module, f"""module {{ sdy.mesh @mesh = <["x"=2, "y"=4]>
      func.func @my_modela(%a: {t}, %b: {t}) -> {t} {{
        %0 = stablehlo.add %a, %b {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{}}, {{}}, {{"x"}}, {{"y"}}]>]>}} : {t}
        %1 = sdy.all_gather [{{}}, {{}}, {{"x"}}, {{"y"}}] %0 out_sharding=<@mesh, [{{}}, {{}}, {{}}, {{}}]> : {t}
        return %1 : {t} }} }}""")
    ends, _ = builder.golden_map
    assert torch.equal(ends[0]["output_0"].shard_at(0), ends[0]["input_0"].shard_at(0) + ends[0]["input_1"].shard_at(0))


def test_load_manual_computation(folder):
    (folder / "multidevice.mlir").write_text(ONE_BY_ONE)
    module, builder = load_mlir_file((folder / "multidevice.mlir").read_text(), target="stablehlo")
    shows(module, ONE_BY_ONE)
    ends, _ = builder.golden_map
    assert torch.equal(ends[0]["output_0"].shard_at(0), ends[0]["input_0"].shard_at(0))


def test_automatic_parallelization(folder):
    text = """module { func.func @main(%a: tensor<32x64xf32>, %b: tensor<64x32xf32>) -> tensor<32x32xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
      return %0 : tensor<32x32xf32> } }"""
    ways = generate_all_module_permutations(text, num_devices=2)
    assert len(ways) == 2 * 6 * 6 and all("sdy.sharding" in str(way) for way in ways)
    before = str(ways[0])
    best = get_optimal_module_least_num_collectives(ways)
    assert 0 < len(best) < len(ways) and str(ways[0]) == before
    assert [count_collectives(module) for module in best] == [0] * len(best)
    split = next(way for way in ways if '[{?}, {"y", ?}]' in str(way) and '[{"y", ?}, {?}]' in str(way) and '"y"=2' in str(way))
    with split.context:
        stablehlo_pipeline(split)
    assert count_collectives(split) == 1  # products of parts are added


# ---- debug operations -------------------------------------------------------------------------------------


@pytest.fixture
def two_devices():
    options = tt_runtime.runtime.MeshDeviceOptions()
    options.mesh_shape = (1, 2)
    opened = tt_runtime.runtime.open_mesh_device(options)
    yield opened
    tt_runtime.runtime.close_mesh_device(opened)


def test_breakpoint(two_devices):
    def root(builder):
        @builder.func([(32, 32)], [torch.float32])
        def modela(x, builder):
            return builder.breakpoint(builder.sigmoid(x))

    assert "debug.breakpoint" in str(build_module(root, "ttir")[0])
    assert not compile_and_execute_ttir(root, device=two_devices).failures


def test_memory_snapshot(folder, two_devices):
    def root(builder):
        @builder.func([(32, 32)], [torch.float32])
        def modela(x, builder):
            return builder.memory_snapshot(builder.sigmoid(x), "sigmoid_memory_snapshot.json")

    assert not compile_and_execute_ttir(root, device=two_devices).failures
    found = json.loads((folder / "sigmoid_memory_snapshot.json").read_text())
    assert found["dram"]["total_bytes_per_bank"] > 0 and "ttnn.sigmoid" in found["after"]
