"""What functions of ttnn become: a row for each, and what a row cannot say.

A handler takes the graph, the function's name and its arguments and adds nodes of TTIR. Shapes follow torch's rules.
"""

import functools
import math
import warnings

import ttnn

from . import layouts

# ttnn's names of functions on elements; TTIR's name where it is another one.
UNARY = dict.fromkeys("""abs acos asin atan cbrt ceil cos erf erfc exp expm1 floor gelu hardsigmoid log log1p logical_not mish neg reciprocal
    relu relu6 rsqrt sigmoid sign silu sin sqrt tan tanh bitwise_not isfinite""".split())
BINARY = {**dict.fromkeys("""add multiply subtract atan2 eq ne gt ge lt le logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor
    maximum minimum pow remainder logical_left_shift logical_right_shift""".split()), "divide": "div", "pow_tensor": "pow"}
REDUCTIONS = ("sum", "mean", "max", "min")
BOOLEAN = ("eq", "ne", "gt", "ge", "lt", "le", "logical_and", "logical_or", "logical_xor", "logical_not", "isfinite")
INTEGERS = (ttnn.DataType.INT32, ttnn.DataType.UINT32, ttnn.DataType.UINT16, ttnn.DataType.UINT8)
IGNORED = ("queue_id", "compute_kernel_config", "fast_and_approximate_mode", "use_legacy", "sub_core_grids")
NEAR = {"mul": "multiply", "sub": "subtract", "div": "divide", "rsub": "subtract", "square": "multiply"}


def refuse(name, why=""):
    """Raises for a function that is not supported in compiled functions."""
    near = f"; did you mean ttnn.{NEAR[name]}?" if name in NEAR else ""
    raise AssertionError(f"Function {name} not supported{why and ': ' + why}{near}")


def real(value):
    """A float as MLIR prints it, where six digits are enough."""
    short = f"{value:.6e}"
    return (short if float(short) == value else repr(float(value))) if math.isfinite(value) else {math.inf: "0x7F800000", -math.inf: "0xFF800000"}.get(value, "0x7FC00000")


def options_of(graph, name, options):
    """What every function takes: (dtype or None, memory config or None); refuses the rest."""
    if not options:
        return None, None
    dtype, memory = options.pop("dtype", None), options.pop("memory_config", None)
    for ignored in IGNORED:
        options.pop(ignored, None)
    for option in ("output_tensor", "optional_output_tensor"):
        if options.pop(option, None) is not None:
            refuse(name, f"with argument '{option}': a compiled function writes new tensors only")
    if options:
        refuse(name, f"with argument '{next(iter(options))}'")
    if graph.limits and memory is not None:
        warnings.warn(f"ttnn.{name}: memory_config is ignored in compiled functions under TTNN_JIT_LIMITS", stacklevel=5)
        memory = None
    return dtype, memory


def finish(graph, value, dtype, memory):
    if dtype is not None and dtype != value.dtype:
        value = graph.add("typecast", [value], value.shape, dtype, value.memory)
    return value if memory is None else graph.move(value, memory)


def tensor_like(graph, value, like):
    """The operand as a value: a number becomes a tensor of the other operand's shape and type."""
    if graph.is_tensor(value):
        return graph.value(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"expected a tensor or a number, found {type(value).__name__}")
    number = str(int(value)) + " : i32" if like.dtype in INTEGERS else real(value) + " : f32"
    return graph.add("full", [], like.shape, like.dtype, like.memory, full_attributes(number, like.shape))


@functools.lru_cache(maxsize=256)
def full_attributes(number, shape):
    return {"fill_value": number, "shape": f"array<i32{': ' if shape else ''}{', '.join(map(str, shape))}>"}


def broadcast(name, *shapes):
    if shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    out = []
    for sizes in zip(*padded):
        wide = {s for s in sizes if s != 1}
        if len(wide) > 1:
            raise ValueError(f"ttnn.{name}: shapes {' and '.join(map(str, map(tuple, shapes)))} do not broadcast: expected equal sizes or 1")
        out.append(wide.pop() if wide else 1)
    return tuple(out)


def unary(graph, name, x, **options):
    if name in ("gelu", "sigmoid", "exp"):
        for only in ("fast_and_approximate_mode", "vector_mode", "mode"):
            options.pop(only, None)
    dtype, memory = options_of(graph, name, options)
    x = graph.value(x)
    return finish(graph, graph.add(UNARY[name] or name, [x], x.shape, x.dtype, x.memory), dtype, memory)


def same_shards(name, x, y):
    if x.memory.is_sharded() and y.memory.is_sharded() and x.shape == y.shape and x.memory != y.memory:
        return False
    return True


def binary(graph, name, a, b, **options):
    dtype, memory = options_of(graph, name, options)
    first = graph.value(a if graph.is_tensor(a) else b)
    a, b = tensor_like(graph, a, first), tensor_like(graph, b, first)
    if a.dtype != b.dtype:
        raise ValueError(f"ttnn.{name}: expected operands of one data type, found {a.dtype} and {b.dtype}; use ttnn.typecast")
    if graph.limits and not same_shards(name, a, b):
        raise ValueError(f"ttnn.{name}: If both operands are sharded, they must have identical shard specs; found {a.memory.shard_spec} "
                         f"and {b.memory.shard_spec}; use ttnn.to_memory_config")
    shape = broadcast(name, a.shape, b.shape)
    if name in ("logical_and", "logical_or") and not (a.op in BOOLEAN and b.op in BOOLEAN):
        # Of equal operands the compiler makes the operand, which need not be 0 or 1.
        a, b = (v if v.op in BOOLEAN else graph.add("ne", [v, tensor_like(graph, 0, v)], v.shape, v.dtype, v.memory) for v in (a, b))
    return finish(graph, graph.add(BINARY[name] or name, [a, b], shape, a.dtype, layouts.like(a.memory, a.shape, shape)), dtype, memory)


def where(graph, name, condition, a, b, **options):
    dtype, memory = options_of(graph, name, options)
    condition = graph.value(condition)
    first = next((graph.value(v) for v in (a, b) if graph.is_tensor(v)), condition)
    a, b = tensor_like(graph, a, first), tensor_like(graph, b, first)
    shape = broadcast(name, condition.shape, a.shape, b.shape)
    made = graph.add("where", [condition, a, b], shape, a.dtype, layouts.like(condition.memory, condition.shape, shape))
    return finish(graph, made, dtype, memory)


def clamp(graph, name, x, min=None, max=None, **options):
    dtype, memory = options_of(graph, name, options)
    x = graph.value(x)
    if graph.is_tensor(min) and graph.is_tensor(max):
        made = graph.add("clamp_tensor", [x, graph.value(min), graph.value(max)], x.shape, x.dtype, x.memory)
    elif graph.is_tensor(min) or graph.is_tensor(max):
        refuse(name, "min and max must both be tensors or both be numbers")
    else:
        low, high = -math.inf if min is None else min, math.inf if max is None else max
        whole = x.dtype in INTEGERS
        limits = (-2**31, 2**31 - 1)
        bounds = [str(limits[i] if math.isinf(v) else int(v)) + " : i32" if whole else real(v) + " : f32" for i, v in enumerate((low, high))]
        made = graph.add("clamp_scalar", [x], x.shape, x.dtype, x.memory, {"max": bounds[1], "min": bounds[0]})
    return finish(graph, made, dtype, memory)


def typecast(graph, name, x, dtype, **options):
    _, memory = options_of(graph, name, options)
    return finish(graph, graph.value(x), dtype, memory)


def i32s(values):
    """An array attribute of i32."""
    return f"[{', '.join(f'{v} : i32' for v in values)}]"


def dims_of(name, dim, rank):
    dims = range(rank) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    for d in dims:
        if not -rank <= d < rank:
            raise ValueError(f"ttnn.{name}: expected a dimension from {-rank} to {rank - 1}, found {d}")
    return sorted({d % rank for d in dims})


def reduction(graph, name, x, dim=None, keepdim=False, **options):
    if options.pop("scalar", 1.0) != 1.0:
        refuse(name, "with argument 'scalar'")
    dtype, memory = options_of(graph, name, options)
    x = graph.value(x)
    dims = dims_of(name, dim, len(x.shape))
    shape = tuple(1 if i in dims else s for i, s in enumerate(x.shape) if keepdim or i not in dims)
    attributes = {"dim_arg": i32s(dims), "keep_dim": bool(keepdim)}
    return finish(graph, graph.add(name, [x], shape, x.dtype, layouts.like(x.memory, x.shape, shape), attributes), dtype, memory)


def matmul(graph, name, a, b, *, transpose_a=False, transpose_b=False, **options):
    for given in ("program_config", "activation", "core_grid"):
        if options.pop(given, None) is not None:
            refuse(name, f"with argument '{given}'")
    dtype, memory = options_of(graph, name, options)
    a, b = graph.value(a), graph.value(b)
    rows, inner = (a.shape[::-1] if len(a.shape) == 2 else (*a.shape[:-2], a.shape[-1], a.shape[-2]))[-2:] if transpose_a else a.shape[-2:]
    deep, columns = b.shape[-2:][::-1] if transpose_b else b.shape[-2:]
    if len(a.shape) < 2 or len(b.shape) < 2 or inner != deep:
        raise ValueError(f"ttnn.matmul: expected inner sizes that are equal, found shapes {a.shape} and {b.shape}")
    shape = (*broadcast(name, a.shape[:-2], b.shape[:-2]), rows, columns) if len(a.shape) > 2 or len(b.shape) > 2 else (rows, columns)
    blocks = layouts.blocks(shape, graph.cores)
    if memory is None and a.memory.is_sharded() and b.memory.is_sharded():
        down, across = layouts.grid_of(a.memory)[0], layouts.grid_of(b.memory)[1]
        if layouts.tiles(shape)[0] % down == 0 and layouts.tiles(shape)[1] % across == 0:
            blocks = layouts.blocks(shape, (down, across))
    attributes = {"transpose_a": bool(transpose_a), "transpose_b": bool(transpose_b)}
    return finish(graph, graph.add("matmul", [a, b], shape, a.dtype, blocks, attributes), dtype, memory)


def permute(graph, name, x, dims=None, *, permutation=None, **options):
    dtype, memory = options_of(graph, name, options)
    x, dims = graph.value(x), dims if dims is not None else permutation
    rank = len(x.shape)
    order = [d % rank for d in dims] if dims is not None and all(-rank <= d < rank for d in dims) else []
    if sorted(order) != list(range(rank)):
        raise ValueError(f"ttnn.permute: expected each of {rank} dimensions once, found {dims}")
    shape = tuple(x.shape[d] for d in order)
    made = graph.add("permute", [x], shape, x.dtype, layouts.like(x.memory, x.shape, shape), {"permutation": order})
    return finish(graph, made, dtype, memory)


def transpose(graph, name, x, dim0, dim1, **options):
    dtype, memory = options_of(graph, name, options)
    x = graph.value(x)
    dims_of(name, (dim0, dim1), len(x.shape))
    shape = list(x.shape)
    shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
    made = graph.add("transpose", [x], tuple(shape), x.dtype, layouts.like(x.memory, x.shape, shape), {"dim0": f"{dim0} : si32", "dim1": f"{dim1} : si32"})
    return finish(graph, made, dtype, memory)


def reshape(graph, name, x, shape, **options):
    dtype, memory = options_of(graph, name, options)
    x, shape = graph.value(x), list(shape)
    count = math.prod(x.shape)
    if shape.count(-1) == 1:
        rest = -math.prod(shape)
        shape[shape.index(-1)] = count // rest if rest and count % rest == 0 else -1
    if math.prod(shape) != count or any(s < 0 for s in shape):
        raise ValueError(f"ttnn.reshape: expected a shape of {count} elements, found {shape}")
    made = graph.add("reshape", [x], tuple(shape), x.dtype, layouts.like(x.memory, x.shape, shape), {"shape": i32s(shape)})
    return finish(graph, made, dtype, memory)


def concat(graph, name, tensors, dim=0, **options):
    dtype, memory = options_of(graph, name, options)
    parts = [graph.value(t) for t in tensors]
    if not parts:
        raise ValueError("ttnn.concat: expected at least one tensor, found none")
    at, = dims_of(name, dim, len(parts[0].shape))
    for other in parts[1:]:
        if len(other.shape) != len(parts[0].shape) or any(i != at and a != b for i, (a, b) in enumerate(zip(parts[0].shape, other.shape))):
            raise ValueError(f"ttnn.concat: expected shapes that are equal but for dimension {at}, found {parts[0].shape} and {other.shape}")
    shape = tuple(sum(p.shape[i] for p in parts) if i == at else s for i, s in enumerate(parts[0].shape))
    made = graph.add("concat", parts, shape, parts[0].dtype, layouts.like(parts[0].memory, parts[0].shape, shape), {"dim": f"{at} : si32"})
    return finish(graph, made, dtype, memory)


def slices(graph, name, x, starts, ends, steps=None, **options):
    dtype, memory = options_of(graph, name, options)
    x = graph.value(x)
    steps = list(steps or [1] * len(x.shape))
    if not len(starts) == len(ends) == len(steps) == len(x.shape) or any(s < 1 for s in steps):
        raise ValueError(f"ttnn.slice: expected {len(x.shape)} starts, ends and positive steps, found {starts}, {ends}, {steps}")
    shape = tuple(max(0, -(-(e - s) // step)) for s, e, step in zip(starts, ends, steps))
    lists = {"begins": i32s(starts), "ends": i32s(ends), "step": i32s(steps)}
    return finish(graph, graph.add("slice_static", [x], shape, x.dtype, layouts.like(x.memory, x.shape, shape), lists), dtype, memory)


def repeat(graph, name, x, dims, **options):
    dtype, memory = options_of(graph, name, options)
    x, dims = graph.value(x), list(dims)
    if len(dims) != len(x.shape):
        raise ValueError(f"ttnn.repeat: expected {len(x.shape)} repetitions, found {dims}")
    shape = tuple(s * n for s, n in zip(x.shape, dims))
    made = graph.add("repeat", [x], shape, x.dtype, layouts.like(x.memory, x.shape, shape), {"repeat_dimensions": dims})
    return finish(graph, made, dtype, memory)


def to_memory_config(graph, name, x, memory_config, dtype=None):
    return finish(graph, graph.value(x), dtype, memory_config)


HANDLERS = {**dict.fromkeys(UNARY, unary), **dict.fromkeys(BINARY, binary), **dict.fromkeys(REDUCTIONS, reduction),
            "where": where, "clamp": clamp, "typecast": typecast, "matmul": matmul, "permute": permute, "transpose": transpose,
            "reshape": reshape, "concat": concat, "slice": slices, "repeat": repeat, "to_memory_config": to_memory_config}
