"""Programs of D2M: layouts on the grid, and its operations that take tensors."""

import functools
import inspect

from builder.base.builder import Builder
from builder.base.builder_utils import *  # noqa: F401,F403
from builder.base.methods import BuilderError, add_methods, finish
from ttmlir import ir
from ttmlir.dialects import d2m, tensor, ttcore, ttnn


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
        attributes = {k: v if isinstance(v, ir.AffineMapAttr) else ir.AffineMapAttr.get(v) for k, v in given.items() if v is not None}
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

    def mask(self, input, logical_shape, fill_value, output=None, output_type=None, **common):
        """d2m.mask: elements outside of logical_shape become fill_value (ttcore.OOBVal, or its attribute), into a tensor or a new one
        of output_type, the input's type if neither is given."""
        if output is None:
            output = self.empty(output_type or self._value(input).type)
        fill = fill_value if isinstance(fill_value, ir.Attribute) else ttcore.ir.OOBValAttr.get(self._ctx, int(fill_value))
        return self._make("d2m.mask", input, list(logical_shape), fill, output=output, output_type=self._value(output).type, **common)

    def mesh_shard(self, input, shard_type, shard_direction, shard_shape, shard_dims, **common):
        """ttir.mesh_shard, which D2M's programs keep."""
        return self._make("ttir.mesh_shard", input, shard_type, shard_direction, shard_shape, shard_dims, **common)

    # ---- views and blocks

    def view_layout(self, input, output_type, remapping=None, reinterpret_layout=False, **common):
        """d2m.view_layout: the tensor under another type, element for element without a remapping."""
        if remapping is None:
            remapping = ir.AffineMap.get_identity(len(output_type.shape), self._ctx)
        return self._make("d2m.view_layout", input, output_type, remapping, reinterpret_layout, **common)

    def reblock(self, input, new_grid, **common):
        """A view of a tensor on the grid, of the shape grid x shard, with the same elements over another grid."""
        shape = list(self._value(input).type.shape)
        rank = len(shape) // 2
        whole = [g * s for g, s in zip(shape[:rank], shape[rank:])]
        if len(shape) % 2 or len(new_grid) != rank:
            raise BuilderError(f"d2m.reblock: a grid of {len(new_grid)} dimensions does not fit a tensor of shape {shape}, which is a grid and its shards")
        uneven = [d for d, (size, n) in enumerate(zip(whole, new_grid)) if n < 1 or size % n]
        if uneven:
            raise BuilderError(f"d2m.reblock: dimension {uneven[0]} has {whole[uneven[0]]} elements, which {new_grid[uneven[0]]} does not divide")
        to = [*new_grid, *(size // n for size, n in zip(whole, new_grid))]
        type = self._value(input).type
        return self.view_layout(input, ir.RankedTensorType.get(to, type.element_type, type.encoding),
                                d2m.ir.calculate_reblock_map(shape, to, self._ctx), **common)

    def remote_load(self, src, indices, mcast_start_index=None, mcast_shape=None, mcast_dims=None):
        """Inside a generic: the shard at these indices, in a new local buffer."""
        type = self._value(src).type
        local = tensor.empty(type.shape[len(indices):], type.element_type)
        return d2m.remote_load(local.type, src, indices, mcast_start_index=mcast_start_index, mcast_shape=mcast_shape, mcast_dims=mcast_dims,
                               local_buffer=local)

    # ---- regions

    def generic(self, grid=None, block_factors=None, indexing_maps=None, iterator_types=None, skip_grid_selection=False,
                fabric_connection_config=None):
        """A decorator: a call of the function with (inputs..., output) is a d2m.generic whose region the function builds; `additional_args=`
        are further operands. With block_factors the form is blocked: indexing_maps are Python functions of the loop's indices, one for each
        operand, and iterator_types are "parallel" or "reduction". Without, the function writes its loops itself, over `grid`."""
        grid, factors = self._blocks(grid, block_factors, indexing_maps, iterator_types, skip_grid_selection)

        def decorate(function):
            @functools.wraps(function)
            def call(*operands, additional_args=(), **kwargs):
                if len(operands) < 1:
                    raise BuilderError(f"d2m.generic '{function.__name__}': the last operand is the output; none was given")
                made = self._generic([self._value(x) for x in operands], [self._value(x) for x in additional_args or ()], grid, factors,
                                     indexing_maps or [], iterator_types or [], fabric_connection_config)
                if skip_grid_selection:
                    made.operation.attributes["d2m.skip_grid_selection"] = ir.UnitAttr.get(self._ctx)
                self._inside(made.operation.regions[0], function, *operands, *(additional_args or ()), **kwargs)
                return made.operation.results[0]

            return call

        return decorate

    @staticmethod
    def _blocks(grid, factors, maps, iterators, skip):
        """(grid, factors as a flat list), checked."""
        if factors is None:
            if maps is not None or iterators is not None or grid is None:
                raise BuilderError("d2m.generic without block_factors writes its own loops: give grid=, no indexing_maps and no iterator_types")
            return list(grid), factors
        if maps is None or iterators is None:
            raise BuilderError("d2m.generic with block_factors needs indexing_maps and iterator_types")
        if skip and grid is None:
            raise BuilderError("d2m.generic with skip_grid_selection needs grid=")
        for function in maps:
            count = len(inspect.signature(function).parameters)
            results = function(*range(count))
            if count != len(iterators) or count != len(factors):
                raise BuilderError(f"d2m.generic: an indexing map of {count} indices beside {len(iterators)} iterator_types and {len(factors)} block_factors")
            grid = [1] * len(results) if grid is None else list(grid)
            if len(results) != len(grid):
                raise BuilderError(f"d2m.generic: an indexing map gives {len(results)} positions on a grid of {len(grid)} dimensions")
        return grid, [f for item in factors for f in (item if isinstance(item, tuple) else (item,))]

    def _generic(self, operands, additional, grid, factors, maps, iterators, fabric):
        kinds = [ttcore.ir.IteratorTypeAttr.get(self._ctx, ttcore.IteratorType[name.title()].value) for name in iterators]
        threads = ir.ArrayAttr.get([d2m.ir.ThreadAttr.get(self._ctx, "unified")])
        return d2m.GenericOp([operands[-1].type], operands[:-1], operands[-1:], additional, ttcore.ir.GridAttr.get(self._ctx, grid), factors,
                             [affine_map_from_lambda(f) for f in maps], ir.ArrayAttr.get(kinds), threads, 1,  # noqa: F405
                             fabricConnectionConfig=fabric, loc=self._location(None))

    def spatial(self, inputs, outputs, grid_ranges, region_builders, result_types=None, unit_attrs=None, loc=None):
        """d2m.spatial: a region for each ((y, x), (y, x)) of grid_ranges, its first and last core, built by a function without arguments."""
        if len(region_builders) != len(grid_ranges):
            raise BuilderError(f"d2m.spatial: {len(grid_ranges)} grid_ranges and {len(region_builders)} region_builders: each range has one")
        ranges = [ir.Attribute.parse(f"#ttcore.core_range<({y0}, {x0}), ({y1}, {x1})>", self._ctx) for (y0, x0), (y1, x1) in grid_ranges]
        outputs = [self._value(x) for x in outputs]
        made = d2m.SpatialOp(list(result_types) if result_types is not None else [x.type for x in outputs], [self._value(x) for x in inputs], outputs,
                             ir.ArrayAttr.get(ranges), len(ranges), loc=self._location(loc))
        finish(made.operation, {"unit_attrs": unit_attrs})
        for region, function in zip(made.operation.regions, region_builders):
            self._inside(region, function)
        return made.operation.results

    def _inside(self, region, function, *args, **kwargs):
        """Builds a region's only block with the function."""
        before, self._block = self._block, ir.Block.create_at_start(region, [])
        try:
            with ir.InsertionPoint(self._block):
                function(*args, **kwargs)
        finally:
            self._block = before


add_methods(D2MBuilder, "d2m")
