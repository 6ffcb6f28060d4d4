"""Result types of operations whose rows declare type inference without a rule.

Each function gets the operands and the attributes (by name) and returns the list of types.
"""

from ttmlir._native import native as _ir

FUNCTIONS = {}


def infers(*names):
    def register(function):
        for name in names:
            FUNCTIONS[name] = function
        return function

    return register


def _like(type, shape=None, element=None):
    """The ranked tensor type with another shape or element type."""
    return _ir.RankedTensorType.get(type.shape if shape is None else shape, element or type.element_type)


def _numbers(attribute):
    return [int(x) for x in attribute]


@infers("stablehlo.abs")
def _abs(operands, attributes):
    type = operands[0].type
    element = type.element_type
    return [_like(type, element=element.element_type) if isinstance(element, _ir.ComplexType) else type]


@infers("stablehlo.add", "stablehlo.dynamic_update_slice", "stablehlo.cholesky", "stablehlo.collective_permute", "stablehlo.collective_broadcast",
        "stablehlo.reverse", "stablehlo.batch_norm_inference", "stablehlo.constant_like")
def _first(operands, attributes):
    return [operands[0].type]


@infers("stablehlo.clamp", "stablehlo.select")
def _second(operands, attributes):
    return [operands[1].type]


@infers("stablehlo.triangular_solve")
def _right_side(operands, attributes):
    return [operands[1].type]


@infers("stablehlo.optimization_barrier")
def _all(operands, attributes):
    return [operand.type for operand in operands]


@infers("stablehlo.compare", "stablehlo.is_finite", "chlo.is_inf", "chlo.is_neg_inf", "chlo.is_pos_inf")
def _boolean(operands, attributes):
    type = operands[0].type
    return [_like(type, element=_ir.IntegerType.get_signless(1, type.context))]


@infers("stablehlo.constant", "chlo.constant", "sdy.constant")
def _constant(operands, attributes):
    return [attributes["value"].type]


@infers("stablehlo.real", "stablehlo.imag")
def _part(operands, attributes):
    type = operands[0].type
    element = type.element_type
    return [_like(type, element=element.element_type if isinstance(element, _ir.ComplexType) else element)]


@infers("stablehlo.complex")
def _complex(operands, attributes):
    type = operands[0].type
    return [_like(type, element=_ir.ComplexType.get(type.element_type))]


@infers("stablehlo.transpose")
def _transpose(operands, attributes):
    type = operands[0].type
    return [_like(type, [type.shape[d] for d in _numbers(attributes["permutation"])])]


@infers("stablehlo.concatenate")
def _concatenate(operands, attributes):
    type, at = operands[0].type, attributes["dimension"].value
    shape = type.shape
    dynamic = _ir.ShapedType.get_dynamic_size()
    sizes = [operand.type.shape[at] for operand in operands]
    shape[at] = dynamic if dynamic in sizes else sum(sizes)
    return [_like(type, shape)]


@infers("stablehlo.slice")
def _slice(operands, attributes):
    begins, ends, steps = (_numbers(attributes[name]) for name in ("start_indices", "limit_indices", "strides"))
    return [_like(operands[0].type, [max(0, -(-(e - b) // s)) for b, e, s in zip(begins, ends, steps)])]


@infers("stablehlo.gather")
def _gather(operands, attributes):
    from .dialects import stablehlo

    numbers, indices = stablehlo.GatherDimensionNumbers(attributes["dimension_numbers"]), operands[1].type.shape
    sizes, offsets = _numbers(attributes["slice_sizes"]), list(numbers.offset_dims)
    dropped = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    kept = iter([n for d, n in enumerate(sizes) if d not in dropped])
    rows = iter([n for d, n in enumerate(indices) if d != numbers.index_vector_dim])
    rank = len(offsets) + len(indices) - (numbers.index_vector_dim < len(indices))
    shape = [next(kept if d in offsets else rows, None) for d in range(rank)]
    if None in shape:
        raise ValueError(f"'stablehlo.gather': {len(offsets)} offset_dims do not fit slice_sizes {sizes} without the dimensions {sorted(dropped)}")
    return [_like(operands[0].type, shape)]


@infers("stablehlo.dynamic_slice")
def _dynamic_slice(operands, attributes):
    return [_like(operands[0].type, _numbers(attributes["slice_sizes"]))]


@infers("stablehlo.pad")
def _pad(operands, attributes):
    low, high, inner = (_numbers(attributes[f"{name}_padding{rest}"]) for name, rest in (
        ("edge", "_low"), ("edge", "_high"), ("interior", "")))
    type = operands[0].type
    dynamic = _ir.ShapedType.get_dynamic_size()
    return [_like(type, [d if d == dynamic else d + lo + hi + max(d - 1, 0) * i
                         for d, lo, hi, i in zip(type.shape, low, high, inner)])]


@infers("stablehlo.broadcast")
def _broadcast(operands, attributes):
    type = operands[0].type
    return [_like(type, _numbers(attributes["broadcast_sizes"]) + type.shape)]


@infers("stablehlo.get_dimension_size")
def _dimension_size(operands, attributes):
    return [_ir.RankedTensorType.get([], _ir.IntegerType.get_signless(32, operands[0].context))]


@infers("stablehlo.replica_id", "stablehlo.partition_id")
def _identity(operands, attributes):
    return [_ir.RankedTensorType.get([], _ir.IntegerType.get_unsigned(32))]


@infers("stablehlo.create_token", "stablehlo.after_all", "stablehlo.outfeed", "stablehlo.send")
def _token(operands, attributes):
    return [_ir.Type.parse("!stablehlo.token", operands[0].context if operands else None)]


@infers("stablehlo.tuple")
def _tuple(operands, attributes):
    return [_ir.TupleType.get_tuple([operand.type for operand in operands])]


@infers("stablehlo.get_tuple_element")
def _tuple_element(operands, attributes):
    return [operands[0].type.get_type(attributes["index"].value)]


@infers("stablehlo.all_to_all")
def _all_to_all(operands, attributes):
    split, concat, count = (attributes[name].value for name in ("split_dimension", "concat_dimension", "split_count"))
    types = []
    for operand in operands:
        shape = operand.type.shape
        shape[split] //= count
        shape[concat] *= count
        types.append(_like(operand.type, shape))
    return types


@infers("stablehlo.batch_norm_training", "stablehlo.batch_norm_grad")
def _batch_norm(operands, attributes):
    single = operands[1].type
    return [operands[0].type, single, single]


@infers("d2m.core_index", "d2m.block_index", "d2m.block_offset", "d2m.get_block_factor", "d2m.iter_index")
def _index(operands, attributes):
    return [_ir.IndexType.get()]
