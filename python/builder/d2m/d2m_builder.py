"""Programs of D2M: layouts on the grid, and its operations that take tensors."""

from builder.base.builder import Builder
from builder.base.builder_utils import *  # noqa: F401,F403
from builder.base.methods import BuilderError, add_methods
from ttmlir import ir
from ttmlir.dialects import ttnn


class D2MBuilder(Builder):
    """A method for each operation of D2M."""

    dialect = "d2m"

    def _create_ttnn_tensor_encoding(self, shape, element_type, layout=ttnn.Layout.Tile, buffer_type=ttnn.BufferType.DRAM,
                                     tensor_memory_layout=ttnn.TensorMemoryLayout.Interleaved, grid_shape=None, core_range_set=None):
        from builder.ttnn.ttnn_builder import encoding

        return encoding(self, shape, element_type, layout, buffer_type, tensor_memory_layout, grid_shape, core_range_set)

    def empty(self, output_type, virtual_grid_inverse_mapping=None, virtual_grid_forward_mapping=None, **common):
        """d2m.empty of a type."""
        given = {"virtualGridInverseMapping": virtual_grid_inverse_mapping, "virtualGridForwardMapping": virtual_grid_forward_mapping}
        attributes = {k: ir.AffineMapAttr.get(v) for k, v in given.items() if v is not None}
        return ir.Operation.create("d2m.empty", [output_type], [], attributes, loc=self._location(common.get("loc"))).result

    def _empty(self, type):
        return self.empty(type)

    def to_layout(self, input, output=None, output_type=None, **common):
        """d2m.to_layout into a tensor, or into a new one of output_type."""
        if output is None:
            if output_type is None:
                raise BuilderError("d2m.to_layout needs output=, a tensor to write, or output_type=, its type")
            output = self.empty(output_type)
        made = ir.Operation.create("d2m.to_layout", [self._value(output).type], [self._value(input), self._value(output)], {},
                                   loc=self._location(common.get("loc")))
        return made.result

    def tilize(self, input, output=None, output_type=None, **common):
        """A layout in tiles."""
        return self.to_layout(input, output, output_type, **common)

    def untilize(self, input, output=None, output_type=None, **common):
        """A layout in rows."""
        return self.to_layout(input, output, output_type, **common)

    def mesh_shard(self, input, shard_type, shard_direction, shard_shape, shard_dims, **common):
        """ttir.mesh_shard, which D2M's programs keep."""
        return self._make("ttir.mesh_shard", input, shard_type, shard_direction, shard_shape, shard_dims, **common)


add_methods(D2MBuilder, "d2m")
