# # Test one operation in five minutes
#
# Build a program of one operation in Python, compile it, run it on the embedded device and compare it with torch: no IR to write,
# no device to have. After `make`, set `PYTHONPATH=build/python`, or `pip install ".[torch]"`. This page is `examples/one_operation.py`.
#
# ## A program
# A function that takes a builder makes a module; a function decorated with `@builder.func` becomes one of its programs. It gets
# its arguments as values and the builder last. `builder` has a method for each operation of the dialect ("ttir", "stablehlo" or
# "ttnn"), with the operands and attributes of the operation's row.
import torch
from builder.base.builder_apis import build_module, compile_and_execute_ttir


def module(builder):
    @builder.func([(64, 96), (96,), (96,)], [torch.float32] * 3)
    def normalized(x, weight, bias, builder):
        return builder.layer_norm(x, [96], weight=weight, bias=bias)


program, builder = build_module(module, "ttir")
print(program)

# Mistakes are reported at the line that makes them, with what was expected and found:
# `ttir.add at model.py:12: operands of shapes [4, 5] and [3, 5] do not broadcast: from the right, sizes must be equal or 1`.
#
# ## Run it and compare
# The results are compared with a reference in torch, computed from the same random arguments. `print` of the report shows each
# operation with its correlation, its largest error and where it is; `report.save("report.json")` keeps it.
report = compile_and_execute_ttir(module, enable_intermediate_verification=True)
print(report)

# If a result is off, `TTBuilderGoldenException` says by how much and where; its `report` has the operations, and
# `report.first_failure()` is the first that is off. `pcc`, `atol` and `rtol` are the bounds; `check_atol=True` applies a bound.
#
# ## Arguments of your own
# `set_goldens` sets the values of arguments: tensors, or functions of a shape. `set_operand_goldens` sets what a result must be.


def with_values(builder):
    @builder.func([(32, 32), (32, 32)], [torch.bfloat16] * 2)
    def attention_scores(q, k, builder):
        builder.set_goldens({q: torch.ones, k: torch.linspace(-1, 1, 1024).reshape(32, 32)})
        return builder.softmax(builder.matmul(q, k, transpose_b=True), dimension=1)


assert not compile_and_execute_ttir(with_values).failures

# ## A program from text
# `load_mlir_file` takes IR, `split_mlir_file` makes a program of each operation of it, with the values that it had: so the
# operation behind a wrong result is found.
from builder.base.builder_apis import compile_ttir_module_to_flatbuffer, execute_fb, load_mlir_file, split_mlir_file  # noqa: E402

TEXT = """
func.func @model(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.add"(%a, %b) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = "ttir.tanh"(%0) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}"""
for part, own_builder in split_mlir_file(*load_mlir_file(TEXT)):
    binary, ends, inner = compile_ttir_module_to_flatbuffer(part, own_builder)
    report, tensors = execute_fb(binary, ends, inner)
    print(report)

# ## Other targets, other dialects
# `target="emitpy"` runs the emitted Python instead of the binary, `target="emitc"` writes C++; `compile_and_execute_shlo` and
# `compile_and_execute_ttnn` take functions of builders of StableHLO and TTNN. `python -m builder.coverage` prints for each
# operation whether it has a method, a reference, a run, Python and C++. `from profiler import trace` and
# `with trace("profile"):` record the operations of runs with their times.
