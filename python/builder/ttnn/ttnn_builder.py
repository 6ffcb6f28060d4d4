"""Programs of TTNN, whose tensors have layouts."""

from builder.base.builder import Builder
from builder.base.builder_utils import *  # noqa: F401,F403
from builder.base.methods import BuilderError, add_methods
from golden.types import torch_dtype_to_type
from ttmlir import ir
from ttmlir.dialects import ttcore, ttnn

# Element types as data types; those that tiles do not have become near ones.
_DATA_TYPES = {"f32": "f32", "bf16": "bf16", "f16": "f16", "i32": "si32", "si32": "si32", "ui32": "u32", "ui16": "u16", "ui8": "u8"}
_TILES = {**_DATA_TYPES, "i1": "bf16", "i64": "si32"}


WORKERS = 8, 8  # rows and columns of cores of the embedded board


def cores(builder, buffer_type, tensor_memory_layout, grid_shape):
    """The cores that hold the shards of a grid, in their usual order: blocks in place, others row by row; banks of DRAM in a row."""
    rows, columns = grid_shape
    if buffer_type == ttnn.BufferType.DRAM:
        rectangles = [(0, 0, rows * columns - 1, 0)]
    elif tensor_memory_layout == ttnn.TensorMemoryLayout.BlockSharded:
        rectangles = [(0, 0, columns - 1, rows - 1)]
    else:
        count, width = rows * columns, WORKERS[1]
        rectangles = [(0, 0, width - 1, count // width - 1)] if count >= width else []
        if count % width:
            rectangles.append((0, count // width, count % width - 1, count // width))
    limit = WORKERS[0] * WORKERS[1]
    if rows * columns > limit:
        raise BuilderError(f"a grid of {rows}x{columns} shards needs {rows * columns} cores; the board has {limit}")
    ranges = ", ".join(f"#ttnn.core_range<({x0},{y0}), ({x1},{y1})>" for x0, y0, x1, y1 in rectangles)
    return ir.Attribute.parse(f"#ttnn.core_range_set<[{ranges}]>", builder._ctx)


def encoding(builder, shape, element_type, layout=ttnn.Layout.Tile, buffer_type=ttnn.BufferType.DRAM,
             tensor_memory_layout=ttnn.TensorMemoryLayout.Interleaved, grid_shape=None, core_range_set=None):
    """The layout of a tensor: in tiles or rows, its memory, interleaved or on a grid of cores."""
    element = element_type if isinstance(element_type, ir.Type) else torch_dtype_to_type(element_type, builder._ctx)
    if layout == ttnn.Layout.Tile and not isinstance(element, ttcore.ir.TileType):
        text = str(element)
        element = ir.Type.parse(f"!ttcore.tile<32x32, {_TILES.get(text, text)}>", builder._ctx)
    if buffer_type == ttnn.BufferType.SystemMemory:
        tensor_memory_layout = None
    plain = (None, ttnn.TensorMemoryLayout.Interleaved)
    if tensor_memory_layout not in plain and core_range_set is None:
        core_range_set = cores(builder, buffer_type, tensor_memory_layout, grid_shape or [1, 1])
    return ttnn.ir.TTNNLayoutAttr.get(builder._ctx, list(shape), element, buffer_type, list(grid_shape or [1, 1]), core_range_set,
                                      tensor_memory_layout, None)


class TTNNBuilder(Builder):
    """A method for each operation of TTNN."""

    dialect = "ttnn"

    def create_tensor_encoding(self, shape, element_type, layout=ttnn.Layout.Tile, buffer_type=ttnn.BufferType.DRAM,
                               tensor_memory_layout=ttnn.TensorMemoryLayout.Interleaved, grid_shape=None, core_range_set=None):
        """The layout of a tensor; by default in tiles, in DRAM, interleaved."""
        return encoding(self, shape, element_type, layout, buffer_type, tensor_memory_layout, grid_shape, core_range_set)

    _create_ttnn_tensor_encoding = create_tensor_encoding

    def create_ttnn_tensor(self, shape, element_type, *args, **kwargs):
        """The type of a tensor with such a layout."""
        element = self._element(element_type)
        return ir.RankedTensorType.get(list(shape), element, encoding(self, shape, element, *args, **kwargs))

    def _result_type(self, shape, element, extra):
        names = {name: extra[name] for name in ("layout", "buffer_type", "tensor_memory_layout", "grid_shape", "core_range_set")
                 if extra.get(name) is not None}
        if extra.get("mesh_device") is not None:
            names["buffer_type"] = ttnn.BufferType.DRAM
        return ir.RankedTensorType.get(shape, element, encoding(self, shape, element, **names))

    def _complete(self, sig, attributes, types):
        if "dtype" in sig.attributes and "dtype" not in attributes and types:
            name = _DATA_TYPES.get(str(types[0].element_type))
            if name:
                attributes["dtype"] = ir.Attribute.parse(f"#ttcore.supportedDataTypes<{name}>", self._ctx)

    def to_device(self, input, device, **common):
        """ttnn.to_device: the tensor in DRAM, its layout kept."""
        return self._make("ttnn.to_device", input, device, output_type=self._moved(input, ttnn.BufferType.DRAM, common), **common)

    def from_device(self, input, **common):
        """ttnn.from_device: the tensor in the host's memory, its layout kept."""
        return self._make("ttnn.from_device", input, output_type=self._moved(input, ttnn.BufferType.SystemMemory, common), **common)

    def _moved(self, input, memory, common):
        type, given = self._value(input).type, common.pop("output_type", None)
        element = type.element_type if given is None else self._element(given)
        tiled = "ttcore.tile" in str(type.encoding)
        layout = ttnn.Layout.Tile if tiled else ttnn.Layout.RowMajor
        return ir.RankedTensorType.get(list(type.shape), element, encoding(self, type.shape, element, layout, memory))

    def _empty(self, type):
        return None

    def topk_indices(self, topk_values):
        """The second result of the topk that made these values."""
        return self._value(topk_values).owner.operation.results[1]


add_methods(TTNNBuilder, "ttnn")
