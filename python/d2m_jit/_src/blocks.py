"""Functions of kernels as IR: a block is a tensor of tiles, and a function of blocks a linalg.generic over them, whose body is one
operation of d2m on tiles. The dialect's verifier checks operands."""

from tilewright.kernel_table import Function, Known, Parameter, of_python
from ttmlir import ir
from ttmlir.dialects import arith, d2m, linalg, ttcore

from . import table, types
from .tensor_layout import TILE, _to_data_type, float32

SCALER, REDUCED = "d2m.reduction_scaler", "d2m.reduced_axes"  # attributes: of a reduction's factors; of its result
FLOATS = ("Float32", "Float16", "BFloat16")


# ---- loops over tiles ---------------------------------------------------------------------------------


def _per_tile(inputs, output, maps, body, iterators=None):
    """A linalg.generic of one operation on tiles; returns its result. `body` gets the inputs' tiles and the output's."""
    rank = output.type.rank
    iterators = iterators or ["parallel"] * rank
    maps = ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps])
    kinds = ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{i}>") for i in iterators])
    generic = linalg.GenericOp([output.type], list(inputs), [output], maps, kinds)
    tiles = [v.type.element_type for v in (*inputs, output)]
    block = ir.Block.create_at_start(generic.regions[0], tiles, [ir.Location.current] * len(tiles))
    with ir.InsertionPoint(block):
        linalg.yield_([body(*block.arguments)])
    return generic.results[0]


def _identity(type):
    return ir.AffineMap.get_identity(type.rank)


def _block(name, value):
    """An operand that must be a block; returns its type."""
    if not isinstance(value, ir.Value) or not isinstance(value.type, ir.RankedTensorType) or value.type.encoding is not None:
        found = value.type if isinstance(value, ir.Value) else f"a {type(value).__name__}"
        raise TypeError(f"{name}() takes blocks, which remote_load() returns, got {found}")
    types.tile_of(value.type)
    return value.type


def _map_of(type, shape):
    """Of an operand of a function whose result has a shape: dimensions of size 1 are broadcast."""
    exprs = [ir.AffineDimExpr.get(i) if n == m else ir.AffineConstantExpr.get(0) for i, (n, m) in enumerate(zip(type.shape, shape))]
    return ir.AffineMap.get(type.rank, 0, exprs)


def _shape(name, kinds):
    """The shape of a result. The operands' shapes are equal, or 1."""
    ranks = {t.rank for t in kinds}
    shape = [max(sizes) for sizes in zip(*(t.shape for t in kinds))]
    if len(ranks) > 1 or any(n not in (1, m) for t in kinds for n, m in zip(t.shape, shape)):
        raise ValueError(f"{name}() takes blocks of one shape, or with 1 where they are broadcast, got "
                         f"{' and '.join('x'.join(map(str, t.shape)) for t in kinds)} tiles")
    if len({str(t.element_type) for t in kinds}) > 1:
        raise ValueError(f"{name}() takes blocks of one element type, got {' and '.join(str(t.element_type) for t in kinds)}: convert "
                         "with typecast(block, dtype)")
    return shape


def _reduced(value):
    """The axes that are reduced inside the tiles of a block: their first row or column counts."""
    attributes = getattr(value.owner, "attributes", ())  # a block, whose arguments are not marked, has none
    return frozenset(ir.IntegerAttr(axis).value for axis in (attributes[REDUCED] if REDUCED in attributes else ()))


def _mark(value, axes):
    if axes:
        i64 = ir.IntegerType.get_signless(64)
        value.owner.attributes[REDUCED] = ir.ArrayAttr.get([ir.IntegerAttr.get(i64, a) for a in sorted(axes)])
    return value


def _broadcast_attribute(case):
    return ir.Attribute.parse(f"#d2m<tile_bcast_type {case}>")


def elementwise(name, blocks, *attributes, keeps_reduced=True):
    """A row of the table. Reduced blocks beside others are broadcast inside their tiles."""
    kinds = [_block(name, b) for b in blocks]
    result = ir.RankedTensorType.get(_shape(name, kinds), kinds[0].element_type)
    axes = [_reduced(b) for b in blocks]
    common = axes[0] if all(a == axes[0] for a in axes) else frozenset()

    def body(*tiles):
        operands = []
        for tile, reduced in zip(tiles[:-1], axes):
            for axis in sorted(reduced - common):
                tile = d2m.tile_bcast(tile.type, tile, _broadcast_attribute(("row", "col")[axis]))
            operands.append(tile)
        return getattr(d2m, table.tile_operation(name))(tiles[-1].type, *operands, *attributes)

    maps = [_map_of(t, result.shape) for t in kinds] + [_identity(result)]
    made = _per_tile(blocks, d2m.empty(result), maps, body)
    return _mark(made, common) if keeps_reduced else made


def _filled(type, value, scaler=False):
    """A block whose tiles have one value."""
    output = d2m.empty(type)
    if scaler:
        output.owner.attributes[SCALER] = ir.UnitAttr.get()
    return _per_tile([], output, [_identity(type)], lambda tile: _fill(tile.type, value))


def _fill(type, value):
    """A tile with one value."""
    dtype = types.data_type_of(ttcore.ir.TileType.maybe_downcast(type))
    if dtype is None or dtype.name not in FLOATS:
        raise TypeError(f"a tile is filled with a number if its elements are f32, f16 or bf16, got {type}")
    scalar = types.scalar(dtype, type.context)
    return d2m.tile_fill(type, arith.ConstantOp(scalar, ir.FloatAttr.get(scalar, value)).result)


# ---- functions with an algorithm of their own ------------------------------------------------------------


def clamp_scalar(input, min: Known, max: Known):
    """Elements between two numbers."""
    dtype = types.data_type_of(types.tile_of(_block("clamp_scalar", input)))
    if dtype is not None and dtype.name in FLOATS:
        bounds = [ir.FloatAttr.get(ir.F32Type.get(), float(n)) for n in (min, max)]
    else:
        bounds = [ir.IntegerAttr.get(ir.IntegerType.get_signless(32), int(n)) for n in (min, max)]
    return elementwise("clamp_scalar", [input], *bounds)


def typecast(input, dtype: Known):
    """The block with another element type."""
    kind = _block("typecast", input)
    target = _to_data_type(dtype)
    if types.data_type_of(types.tile_of(kind)) == target:
        return input
    result = ir.RankedTensorType.get(list(kind.shape), types.tile(target, kind.context))
    made = _per_tile([input], d2m.empty(result), [_identity(kind)] * 2, lambda tile, out: d2m.tile_typecast(out.type, tile))
    return _mark(made, _reduced(input))


def tile_bcast(input, bcast_type: Known):
    """Row 0 ("row"), column 0 ("col") or element 0, 0 ("2d") of each tile in the whole tile."""
    return elementwise("tile_bcast", [input], _broadcast_attribute(table.broadcast_of(bcast_type)), keeps_reduced=False)


def tile_bcast_row(input):
    return tile_bcast(input, "row")


def tile_bcast_col(input):
    return tile_bcast(input, "col")


def tile_bcast_2d(input):
    return tile_bcast(input, "2d")


def zeros(shape: Known):
    """A block of zeros in f32, to which `block += a @ b` adds."""
    if not isinstance(shape, list) or not shape or any(not isinstance(n, int) or n <= 0 for n in shape):
        raise TypeError(f"zeros() takes a block's shape in tiles, as in zeros([1, 2]), got {shape!r}")
    return _filled(ir.RankedTensorType.get(shape, types.tile(float32, ir.Context.current)), 0.0)


def matmul(lhs, rhs, transpose_b: Known = False, acc=None):
    """lhs @ rhs, of two dimensions; with transpose_b the rows of rhs are columns; with acc it is added to that block."""
    if not isinstance(transpose_b, bool):
        raise TypeError(f"transpose_b is True or False, got {transpose_b!r}")
    left, right = _block("matmul", lhs), _block("matmul", rhs)
    if left.rank != 2 or right.rank != 2:
        raise ValueError(f"matmul() takes blocks with two dimensions, got {left.rank} and {right.rank}")
    if left.element_type != right.element_type:
        raise ValueError(f"matmul() takes blocks of one element type, got {left.element_type} and {right.element_type}")
    columns, inner = right.shape if transpose_b else reversed(right.shape)
    if left.shape[1] != inner:
        raise ValueError(f"matmul(): lhs has {left.shape[1]} columns of tiles and rhs {inner} {'columns' if transpose_b else 'rows'}")
    result = ir.RankedTensorType.get([left.shape[0], columns], left.element_type)
    if acc is not None and acc.type != result:
        raise ValueError(f"matmul(): the result is {result}, and what it is added to {acc.type}")
    m, n, k = (ir.AffineDimExpr.get(i) for i in range(3))
    maps = [ir.AffineMap.get(3, 0, e) for e in ([m, k], [n, k] if transpose_b else [k, n], [m, n])]
    return _per_tile([lhs, rhs], _filled(result, 0.0) if acc is None else acc, maps, lambda a, b, c: d2m.tile_matmul(c.type, a, b, c),
                     ["parallel", "parallel", "reduction"])


def _reduce(name, input, dim, scale, start):
    """The block with an axis reduced to one tile, whose first row or column has the results. Each tile is reduced into an
    accumulator: op(tile * scale, accumulator)."""
    kind = _block(name, input)
    axis = table.reduced_axis(dim, kind.rank)
    count = kind.shape[axis]
    result = ir.RankedTensorType.get([1 if i == axis else n for i, n in enumerate(kind.shape)], kind.element_type)
    along = ir.Attribute.parse(f"#d2m<reduce_dim {'CR'[axis]}>")
    output = d2m.empty(result)
    scaler = _filled(result, scale(count), scaler=True)

    def part(at):
        """The tiles at one index of the axis."""
        exprs = [ir.AffineConstantExpr.get(at) if i == axis and count > 1 else ir.AffineDimExpr.get(i) for i in range(kind.rank)]
        return ir.AffineMap.get(kind.rank, 0, exprs)

    def body(*tiles):
        *parts, factor, out = tiles
        accumulator = _fill(out.type, start)
        for tile in parts:
            accumulator = getattr(d2m, f"tile_{name}")(out.type, tile, factor, accumulator, along)
        return accumulator

    maps = [part(i) for i in range(count)] + [_identity(result)] * 2
    return _mark(_per_tile([input] * count + [scaler], output, maps, body), {axis})


def reduce_sum(input, dim: Known):
    return _reduce("reduce_sum", input, dim, lambda tiles: 1.0, 0.0)


def reduce_max(input, dim: Known):
    return _reduce("reduce_max", input, dim, lambda tiles: 1.0, float("-inf"))


def reduce_mean(input, dim: Known):
    return _reduce("reduce_mean", input, dim, lambda tiles: 1.0 / (TILE * tiles), 0.0)


# ---- movement, cores, semaphores ----------------------------------------------------------------------------


def _index(value):
    """A value, or several, as indices."""
    if isinstance(value, (tuple, list)):
        return [_index(v) for v in value]
    if value is None or isinstance(value.type, ir.IndexType):
        return value
    if not isinstance(value.type, ir.IntegerType):
        raise TypeError(f"expected an integer, got {value.type}")
    return arith.index_cast(ir.IndexType.get(), value)


def _tensor(name, value):
    if not isinstance(value, ir.Value) or not isinstance(value.type, ir.RankedTensorType) or value.type.encoding is None:
        found = value.type if isinstance(value, ir.Value) else f"a {type(value).__name__}"
        raise TypeError(f"{name}() takes a tensor of the kernel's arguments, got {found}")
    return value


def _indices(name, tensor, indices):
    if not isinstance(indices, (tuple, list)):
        raise TypeError(f"{name}() takes the indices of a block as a list, as in [row, column]")
    if 2 * len(indices) != tensor.type.rank:
        raise ValueError(f"{name}() takes {tensor.type.rank // 2} indices for this tensor, got {len(indices)}")
    return _index(indices)


def remote_load(src, indices, mcast_start_index=None, mcast_shape=None, mcast_dims=None):
    """The block at indices in units of blocks."""
    indices = _indices("remote_load", _tensor("remote_load", src), indices)
    many = [_index(v if v is None or isinstance(v, (tuple, list)) else [v]) for v in (mcast_start_index, mcast_shape, mcast_dims)]
    block = ir.RankedTensorType.get(list(src.type.shape)[len(indices):], src.type.element_type)
    return d2m.remote_load(block, src, indices, mcast_start_index=many[0], mcast_shape=many[1], mcast_dims=many[2],
                           local_buffer=d2m.empty(block))


def remote_store(dst, indices, src):
    """Writes a block at indices in units of blocks."""
    indices = _indices("remote_store", _tensor("remote_store", dst), indices)
    kind = _block("remote_store", src) if types.ttcore.ir.TileType.maybe_downcast(dst.type.element_type) else src.type
    shape = list(dst.type.shape)[len(indices):]
    if list(kind.shape) != shape or kind.element_type != dst.type.element_type:
        raise ValueError(f"remote_store(): blocks of this tensor are {'x'.join(map(str, shape))} of {dst.type.element_type}, "
                         f"got {'x'.join(map(str, kind.shape))} of {kind.element_type}")
    return d2m.remote_store(dst.type, dst, indices, start_device=[], device_mcast_shape=[], semaphore_indices=[], local_buffer=src)


def core_index(index: Known):
    """The core's row (0) or column (1) in the kernel's grid."""
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        raise TypeError(f"core_index() takes a dimension of the grid: 0 or 1, got {index!r}")
    return d2m.core_index(ir.IntegerAttr.get(ir.IntegerType.get_signless(64), index))


def _semaphore_set(semaphore, value, core=None, mcast=None):
    """Sets the semaphore of this core; of the core at `core`, or of the cores of the shape `mcast` from there."""
    d2m.semaphore_set(semaphore, _index(value), _index(core or ()), _index(mcast or ()), [], [])


def _semaphore_inc(semaphore, value, core=None, mcast=None):
    d2m.semaphore_inc(semaphore, _index(value), _index(core or ()), _index(mcast or ()), [], [])


def _semaphore_wait(semaphore, value, reset=None):
    d2m.semaphore_wait(semaphore, _index(value), reset_value=_index(reset))


# ---- the table ----------------------------------------------------------------------------------------------


def _elementwise_function(name, operands):
    def build(*given, **named):
        numbers = [ir.FloatAttr.get(ir.F32Type.get(), n) for n in table.ATTRIBUTES.get(name, ())]
        return elementwise(name, [*given, *named.values()], *numbers)

    return Function(name, build, [Parameter(o) for o in operands])


def accumulated_matmul(acc, lhs, rhs):
    """acc + lhs @ rhs."""
    return matmul(lhs, rhs, acc=acc)


def functions():
    """{name: Function}; methods are named "!type.name"."""
    of_blocks = {name: _elementwise_function(name, operands) for name, operands in table.OPERANDS.items()}
    of_blocks |= {name: of_python(globals()[name]) for name in table.OTHERS}
    of_blocks["matmul"] = Function("matmul", matmul, of_blocks["matmul"].parameters[:3])  # without acc
    methods = {f"!tensor.{name}": f for name, f in of_blocks.items()}
    methods |= {f"!tensor.{sign}": of_blocks[name] for sign, name in table.SIGNS.items()}
    semaphores = {"set": _semaphore_set, "inc": _semaphore_inc, "wait": _semaphore_wait}
    methods |= {f"!d2m.global_semaphore.{name}": of_python(build, name) for name, build in semaphores.items()}
    plain = {f.__name__: of_python(f) for f in (remote_load, remote_store, core_index, zeros)}
    return of_blocks | methods | plain | {"__matmul_acc__": of_python(accumulated_matmul, "__matmul_acc__")}
