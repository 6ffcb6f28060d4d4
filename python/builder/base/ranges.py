"""Arguments that index: the range in which random values of them must lie."""

from golden.types import unpack_mlir_attr
from ttmlir import ir

# The operand that indexes, and the size that bounds it: (operands' shapes, the dimension attribute) -> size.
_INDEXERS = {
    "embedding": ("input", lambda shapes, dim: shapes["weight"][-2] if len(shapes["weight"]) > 1 else shapes["weight"][0]),
    "embedding_backward": ("input", lambda shapes, dim: shapes["weight"][-2]),
    "gather": ("index", lambda shapes, dim: shapes["input"][dim]), "scatter": ("index", lambda shapes, dim: shapes["input"][dim]),
    "update_cache": ("update_index", lambda shapes, dim: shapes["cache"][2]),
    "paged_update_cache": ("update_index", lambda shapes, dim: shapes["cache"][2]),
    "embedding_bw": ("input", lambda shapes, dim: shapes["weight"][-2]),
}
_KEEPS = {"reshape", "permute", "transpose", "broadcast", "squeeze", "unsqueeze", "slice_static", "typecast", "to_layout",
          "to_memory_config", "to_device", "from_device", "repeat", "broadcast_in_dim", "convert"}


def infer_arg_ranges(func_op, arguments):
    """{argument: (low, high)} of the arguments that reach an index through operations that keep values; all other integers of
    parsed programs are small."""
    out = {a: (0, 256) for a in arguments if isinstance(a.type, ir.ShapedType) and isinstance(a.type.element_type, ir.IntegerType)}
    for block in func_op.operation.regions[0].blocks:
        for op in block.operations:
            op = op.operation
            rule = _INDEXERS.get(op.name.split(".", 1)[-1])
            if rule is None or op.name.startswith("stablehlo."):
                continue
            names = type(op.opview).OPERAND_NAMES
            operands = dict(zip(names, op.operands))
            shapes = {name: list(v.type.shape) for name, v in operands.items()}
            dim = unpack_mlir_attr(op.attributes["dim"]) if "dim" in op.attributes else 0
            value, high = operands[rule[0]], rule[1](shapes, dim)
            while isinstance(value, ir.OpResult) and value.owner.operation.name.split(".", 1)[-1] in _KEEPS:
                value = value.owner.operation.operands[0]
            if value in out:
                out[value] = (0, min(high, out[value][1]))
    return out
