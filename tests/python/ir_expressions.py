"""ir_expressions.py MODULE FILE: prints the outcome of each line of FILE with the bindings of MODULE, one line each.

test_ir_against_jaxlib.py compares MLIR's own bindings (jaxlib.mlir) with ttmlir's. Another process evaluates, since
jaxlib's may crash.
"""

import ast
import os
import sys

import numpy as np

TEXT = """
module @top attributes {a.b = 3 : i32} {
  func.func @f(%x: tensor<4xf32>, %y: i32 {a.z}) -> (tensor<4xf32>, i32) {
    %c = arith.constant 7 : i32
    %0 = arith.addi %y, %c : i32
    %1:2 = call @g(%x, %0) : (tensor<4xf32>, i32) -> (tensor<4xf32>, i32)
    return %1#0, %1#1 : tensor<4xf32>, i32
  }
  func.func private @g(tensor<4xf32>, i32) -> (tensor<4xf32>, i32)
}
"""


def plain(x):
    if isinstance(x, (list, tuple)):
        return [plain(i) for i in x]
    if isinstance(x, dict):
        return {str(k): plain(v) for k, v in x.items()}
    if isinstance(x, (int, float, bool, bytes, str, type(None))):
        return x
    if isinstance(x, np.ndarray):
        return str(x.dtype), x.tolist()
    return x.__name__ if isinstance(x, type) else repr(x)


def bindings(package):
    if package == "ttmlir":
        from ttmlir import ir
        from ttmlir.dialects import arith, func
        return ir, arith, func, ir.Context()
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import arith, func
    context, registry = ir.Context(), ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    return ir, arith, func, context


def outcome(expression, ir, arith, func, ctx):
    with ctx, ir.Location.unknown():
        m = ir.Module.parse(TEXT)
        f, g = m.body.operations[0], m.body.operations[1]
        names = dict(ir=ir, arith=arith, func=func, ctx=ctx, m=m, f=f, g=g, ops=list(f.entry_block.operations), np=np)
        try:
            return "gives", plain(eval(expression, names))
        except Exception as error:
            return "raises", type(error).__name__, str(error)


def outcomes(package, expressions):
    """One outcome per expression; "crashes" where the process died."""
    found = []
    while len(found) < len(expressions):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            made = bindings(package)
            for expression in expressions[len(found):]:
                os.write(writing, (ascii(outcome(expression, *made)) + "\n").encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as lines:
            found += [ast.literal_eval(line.replace("nan", "None").replace("inf", "None")) for line in lines]
        if os.waitpid(child, 0)[1]:
            found.append(("crashes",))
    return found


if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        print(ascii(outcomes(sys.argv[1], file.read().splitlines())))
