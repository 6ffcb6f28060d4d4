"""Shardy's attributes and operations for builders of StableHLO."""

import re

from builder.base.methods import BuilderError, finish
from ttmlir import ir
from ttmlir.dialects import sdy


class Shardy:
    """Methods that make attributes of shardings, and operations of sdy."""

    # ---- attributes

    def mesh_axis_attr(self, name, size):
        """An axis of a mesh."""
        return sdy.MeshAxisAttr.get(name, size, self._ctx)

    def mesh_attr(self, axes):
        """A mesh of axes."""
        return sdy.MeshAttr.get(list(axes), context=self._ctx)

    def axis_ref_attr(self, name, sub_axis_info_attr=None):
        """A reference to an axis, or to a part of one."""
        return sdy.AxisRefAttr.get(name, sub_axis_info_attr, self._ctx)

    def dimension_sharding_attr(self, axes, is_closed, priority=None):
        """The axes along which a dimension is split; an open one may get more."""
        return sdy.DimensionShardingAttr.get(list(axes), is_closed, priority, self._ctx)

    def tensor_sharding_attr(self, mesh_name, dimension_shardings, replicated_axes=(), unreduced_axes=()):
        """The sharding of a tensor."""
        return sdy.TensorShardingAttr.get(mesh_name, list(dimension_shardings), list(replicated_axes), list(unreduced_axes), self._ctx)

    def tensor_sharding_per_value_attr(self, shardings):
        """The shardings of an operation's results."""
        return sdy.TensorShardingPerValueAttr.get(list(shardings), self._ctx)

    def manual_axes_attr(self, manual_axes):
        """Axes along which a computation is written for one device."""
        return sdy.ManualAxesAttr.get([a if isinstance(a, ir.Attribute) else ir.StringAttr.get(a, self._ctx) for a in manual_axes], self._ctx)

    def axes_ref_list_attr(self, axis_ref_list):
        """A list of references to axes."""
        return sdy.AxisRefListAttr.get(list(axis_ref_list), self._ctx)

    def list_of_axis_ref_lists_attr(self, list_of_axis_ref_lists):
        """A list of references for each dimension."""
        return sdy.ListOfAxisRefListsAttr.get(list(list_of_axis_ref_lists), self._ctx)

    def _create_mesh_attr_from_ordered_dict(self, mesh_dict):
        return self.mesh_attr([self.mesh_axis_attr(name, size) for name, size in mesh_dict.items()])

    def experimental_named_mesh_attr(self, name, mesh_attr):
        """A mesh of mpmd's topology."""
        from ttmlir.dialects import mpmd

        return mpmd.NamedMeshAttr.get(name, mesh_attr, context=self._ctx)

    def experimental_topology_attr(self, meshes):
        """mpmd's topology."""
        from ttmlir.dialects import mpmd

        return mpmd.TopologyAttr.get(list(meshes), context=self._ctx)

    def experimental_user_origin_attr(self, user_name, transpose_count=0):
        """Where a computation of mpmd comes from."""
        from ttmlir.dialects import mpmd

        return mpmd.UserOriginAttr.get(user_name=user_name, transpose_count=transpose_count, context=self._ctx)

    def experimental_origin_attr(self, origin_label):
        """The origin of a value of mpmd."""
        from ttmlir.dialects import mpmd

        return mpmd.OriginAttr.get(origin_label, context=self._ctx)

    # ---- operations

    def _make_meshes(self):
        names = self._mesh_name if isinstance(self._mesh_name, (list, tuple)) else [self._mesh_name]
        dicts = self._mesh_dict if isinstance(self._mesh_dict, (list, tuple)) else [self._mesh_dict]
        for name, axes in zip(names, dicts):
            sdy.MeshOp(name, self._create_mesh_attr_from_ordered_dict(axes))

    def mesh(self, mesh_name, mesh_attr):
        """sdy.mesh at the end of the module."""
        with ir.InsertionPoint(self._module_block):
            return sdy.MeshOp(mesh_name, mesh_attr)

    def sharding_constraint(self, in0, tensor_sharding_attr, **common):
        """sdy.sharding_constraint."""
        return self._make("sdy.sharding_constraint", in0, tensor_sharding_attr, **common)

    def reshard(self, in0, tensor_sharding_attr, **common):
        """sdy.reshard."""
        return self._make("sdy.reshard", in0, tensor_sharding_attr, **common)

    def sdy_all_gather(self, in0, gathering_axes, out_sharding, **common):
        """sdy.all_gather."""
        return self._make("sdy.all_gather", in0, gathering_axes, out_sharding, **common)

    def _sdy(self, name, args, common):
        return self._make(f"sdy.{name}", *args, **common)

    def sdy_all_slice(self, in0, slicing_axes, out_sharding, **common):
        """sdy.all_slice."""
        return self._sdy("all_slice", (in0, slicing_axes, out_sharding), common)

    def sdy_all_reduce(self, in0, reduction_axes, out_sharding, **common):
        """sdy.all_reduce."""
        return self._sdy("all_reduce", (in0, reduction_axes, out_sharding), common)

    def sdy_all_to_all(self, in0, params, out_sharding, **common):
        """sdy.all_to_all."""
        return self._sdy("all_to_all", (in0, params, out_sharding), common)

    def sdy_reduce_scatter(self, in0, reduce_scatter_axes, out_sharding, **common):
        """sdy.reduce_scatter."""
        return self._sdy("reduce_scatter", (in0, reduce_scatter_axes, out_sharding), common)

    def sdy_collective_permute(self, in0, out_sharding, **common):
        """sdy.collective_permute."""
        return self._sdy("collective_permute", (in0, out_sharding), common)

    def sdy_propagation_barrier(self, in0, allowed_direction="NONE", **common):
        """sdy.propagation_barrier."""
        return self._sdy("propagation_barrier", (in0, allowed_direction), common)

    def manual_computation(self, nested_func, original_inputs, in_shardings, out_shardings, manual_axes, loc=None, unit_attrs=None):
        """sdy.manual_computation: a Python function of one device's parts; shapes follow from the shardings."""
        inputs, location = [self._value(x) for x in original_inputs], self._location(loc)
        if len(in_shardings) != len(inputs):
            raise BuilderError(f"sdy.manual_computation at {location}: {len(in_shardings)} in_shardings for {len(inputs)} operands")
        axes = [a if isinstance(a, str) else a.value for a in manual_axes]
        local = [ir.RankedTensorType.get(self._scaled(x.type.shape, s, axes, False, location), x.type.element_type)
                 for x, s in zip(inputs, in_shardings)]
        probe = self._body_types(nested_func, local)
        results = [ir.RankedTensorType.get(self._scaled(t.shape, s, axes, True, location), t.element_type) for t, s in zip(probe, out_shardings)]
        made = sdy.ManualComputationOp(results, inputs, self.tensor_sharding_per_value_attr(in_shardings),
                                       self.tensor_sharding_per_value_attr(out_shardings), self.manual_axes_attr(manual_axes), loc=location)
        block = ir.Block.create_at_start(made.operation.regions[0], local, [location] * len(local))
        self._into(block, nested_func)
        finish(made.operation, {"unit_attrs": unit_attrs})
        out = list(made.operation.results)
        return out[0] if len(out) == 1 else tuple(out)

    def _into(self, block, function):
        before, self._block = self._block, block
        try:
            with ir.InsertionPoint(block):
                out = self._outputs(function, function(*block.arguments, self))
                sdy.ReturnOp(out)
        finally:
            self._block = before
        return out

    def _body_types(self, function, local):
        """The types of what a function returns, from a module that is dropped."""
        lines = dict(self._lines)
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            from ttmlir.dialects import func

            op = func.FuncOp("probe", (local, []))
        types = [v.type for v in self._into(op.add_entry_block(), function)]
        self._lines = lines
        return types

    def _scaled(self, shape, sharding, axes, whole, location):
        """The local shape of a whole one, or the whole one of a local shape."""
        sizes = dict(self._mesh_dict)
        text = str(sharding)
        groups = re.findall(r"\{([^{}]*)\}", text[text.index("["):])
        out = list(shape)
        for d, group in enumerate(groups[:len(out)]):
            for axis in re.findall(r'"(\w+)"', group):
                if axis not in axes:
                    continue
                if axis not in sizes:
                    raise BuilderError(f"sdy.manual_computation at {location}: no axis '{axis}' in the mesh {dict(sizes)}")
                if not whole and out[d] % sizes[axis]:
                    raise BuilderError(f"sdy.manual_computation at {location}: dimension {d} of size {out[d]} is not divisible by axis "
                                       f"'{axis}' of size {sizes[axis]}")
                out[d] = out[d] * sizes[axis] if whole else out[d] // sizes[axis]
        return out
