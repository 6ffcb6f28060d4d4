"""Element types, and the IR types of a kernel's tensors."""

import math

TILE = 32
TILE_SHAPE = (TILE, TILE)

# torch's, NumPy's and ttnn's names of element types -> a tile's element type.
ELEMENTS = {
    "bfloat16": "bf16", "float32": "f32", "float16": "f16", "int32": "si32", "uint32": "u32", "uint16": "u16",
    "uint8": "u8", "bfloat8_b": "bfp_bf8", "bfloat4_b": "bfp_bf4",
}
ELEMENTS.update({name: name for name in ELEMENTS.values()})  # blocks' own: block.dtype
WIDE = ("f32", "si32", "u32")  # of 32 bits
FLOATS = ("bf16", "f16", "f32", "bfp_bf8", "bfp_bf4")
BRAINS = ("bf16", "bfp_bf8", "bfp_bf4")  # types that a DST of 16 bits can hold together


def needs_wide(elements):
    """True if values of these types together require a DST of 32 bits per element."""
    elements = set(elements)
    return bool(elements & set(WIDE)) or len(elements) > 1 and not elements <= set(BRAINS)


# How to convert torch's and NumPy's other types.
CONVERT = {"float64": "tensor.float(), array.astype('float32')", "int64": "tensor.int(), array.astype('int32')",
           "bool": "tensor.to(torch.uint8), array.astype('uint8')", "complex64": "real and imaginary parts are two tensors",
           "complex128": "real and imaginary parts are two tensors of float32"}


def element(dtype):
    """The tile element type of a torch, NumPy or ttnn dtype: "bf16"."""
    name = getattr(dtype, "name", None) or str(dtype)
    name = name.rsplit(".", 1)[-1].lower()
    if name not in ELEMENTS:
        raise TypeError(f"no tile holds elements of {dtype}; there are "
                        f"{', '.join(sorted(n for n in ELEMENTS if n not in ELEMENTS.values()))}"
                        f"{'; convert: ' + CONVERT[name] if name in CONVERT else ''}")
    return ELEMENTS[name]


NUMBERS = {"si32": "si32", "u32": "ui32", "u16": "ui16", "u8": "ui8"}  # spelling in IR outside of tiles; floats are the same
NUMBER_BYTES = {"f32": 4, "si32": 4, "u32": 4, "bf16": 2, "f16": 2, "u16": 2, "u8": 1}
TILE_NUMBERS = TILE * TILE


def is_rows(tensor):
    """True if a tensor is stored on the device in rows: it is indexed in elements then, not in tiles."""
    layout = getattr(tensor, "layout", None)
    return getattr(layout, "name", None) == "ROW_MAJOR" and tensor.device() is not None


def number(element):
    """The type of a single element."""
    return NUMBERS.get(element, element)


def tile(element):
    return f"!ttcore.tile<{TILE}x{TILE}, {element}>"


def block(shape, element, rows=False):
    """The type of a block of tiles, or of rows of elements: the result of wait() and reserve()."""
    return f"tensor<{'x'.join(map(str, shape))}x{number(element) if rows else tile(element)}>"


def buffer(shape, element, factor, rows=False):
    return f"!ttl.cb<[{', '.join(map(str, shape))}], {number(element) if rows else tile(element)}, {factor}>"


def tiles_of(shape):
    """(rows, columns) of tiles of a tensor of this shape; leading dimensions fold into rows."""
    rows = 1
    for d in shape[:-1]:
        rows *= d
    if len(shape) >= 2:  # each matrix is padded separately
        rows = rows // shape[-2] * -(-shape[-2] // TILE) if shape[-2] else 0
    else:
        rows = 1
    return rows, -(-shape[-1] // TILE) if shape else 1


def folded(shape):
    """(rows, columns) of elements; leading dimensions fold into rows."""
    return math.prod(shape[:-1]), shape[-1]


def tile_grid(shape):
    """The sizes that a tensor is indexed with: tiles of the last two dimensions, matrices of the leading ones."""
    return (*shape[:-2], *(-(-d // TILE) for d in shape[-2:]))


def shard_width(tensor):
    """The elements per row of a shard of a sharded tensor, None for others."""
    spec = tensor.memory_config().shard_spec if hasattr(tensor, "memory_config") else None
    return spec.shape[-1] if spec else None


def layout(shape, element, grid, rows_of_numbers=False, width=None):
    """The encoding of a kernel's tensor: interleaved in L1 whatever its memory, which the accessor's arguments select
    at run time; except for rows of elements whose shards have `width`: those are the pages."""
    rows, columns = folded(shape) if rows_of_numbers else tiles_of(shape)
    if rows_of_numbers and width is not None and width < columns:
        shards = -(-columns // width)
        return (f"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x{shards}>, memref<{rows}x{width}x{number(element)}, "
                f"#ttnn.buffer_type<l1>>, <width_sharded>, core_ranges = <[#ttnn.core_range<(0, 0), ({shards - 1}, 0)>]>>")
    across, down = grid if len(grid) == 2 else (1, 1)
    per_core = -(-rows * columns // (down * across))
    return (f"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <{down}x{across}>, "
            f"memref<1x{per_core}x{number(element) if rows_of_numbers else tile(element)}, #ttnn.buffer_type<l1>>, <interleaved>>")
