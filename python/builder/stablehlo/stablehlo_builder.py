"""Programs of StableHLO, with Shardy's annotations and operations."""

import math

import torch
from builder.base.builder import Builder
from builder.base.builder_utils import *  # noqa: F401,F403
from builder.base.methods import OUTSIDE, add_methods, dense, finish, signature
from builder.stablehlo import regions
from builder.stablehlo.shardy import Shardy
from ttmlir import ir
from ttmlir.dialects import stablehlo


class StableHLOBuilder(Shardy, Builder):
    """A method for each operation of StableHLO, and those of Shardy."""

    dialect = "stablehlo"

    def constant(self, value, **common):
        """stablehlo.constant of a torch tensor."""
        if self._block is None:
            raise signature("stablehlo.constant").wrong(OUTSIDE)
        return self._finished(stablehlo.ConstantOp(dense(value), loc=self._location(common.get("loc"))), common)

    def _finished(self, op, common):
        finish(op.operation, common)
        results = list(op.operation.results)
        return results[0] if len(results) == 1 else tuple(results)

    # ---- with structures as attributes

    def dot_general(self, in0, in1, batch_dims_lhs=(), contract_dims_lhs=(), batch_dims_rhs=(), contract_dims_rhs=(), output_type=None,
                    precision_config=None, **common):
        """stablehlo.dot_general."""
        numbers = stablehlo.DotDimensionNumbers.get(list(batch_dims_lhs), list(batch_dims_rhs), list(contract_dims_lhs), list(contract_dims_rhs))
        return self._make("stablehlo.dot_general", in0, in1, numbers, output_type=output_type, precision_config=precision_config, **common)

    def convolution(self, in0, weight, window_strides, padding, lhs_dilation, rhs_dilation, input_batch_dimension, input_feature_dimension,
                    input_spatial_dimensions, kernel_output_feature_dimension, kernel_input_feature_dimension, kernel_spatial_dimensions,
                    output_batch_dimension, output_feature_dimension, output_spatial_dimensions, feature_group_count=1, batch_group_count=1,
                    window_reversal=None, **common):
        """stablehlo.convolution."""
        numbers = stablehlo.ConvDimensionNumbers.get(
            input_batch_dimension, input_feature_dimension, list(input_spatial_dimensions), kernel_input_feature_dimension,
            kernel_output_feature_dimension, list(kernel_spatial_dimensions), output_batch_dimension, output_feature_dimension,
            list(output_spatial_dimensions))
        padding = torch.as_tensor(padding, dtype=torch.int64).reshape(-1, 2)
        return self._make("stablehlo.convolution", in0, weight, window_strides=list(window_strides), padding=padding,
                          lhs_dilation=list(lhs_dilation), rhs_dilation=list(rhs_dilation), window_reversal=window_reversal,
                          dimension_numbers=numbers, feature_group_count=feature_group_count, batch_group_count=batch_group_count, **common)

    def gather(self, operand, start_indices, offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims,
               start_index_map, index_vector_dim, slice_sizes, indices_are_sorted=False, **common):
        """stablehlo.gather."""
        numbers = stablehlo.GatherDimensionNumbers.get(
            list(offset_dims), list(collapsed_slice_dims), list(operand_batching_dims), list(start_indices_batching_dims),
            list(start_index_map), index_vector_dim)
        return self._make("stablehlo.gather", operand, start_indices, numbers, list(slice_sizes), indices_are_sorted=indices_are_sorted, **common)

    def _scalar(self, value, dtype):
        """A value of rank 0: the given one, or a constant of a number."""
        return self.constant(torch.tensor(value, dtype=dtype)) if isinstance(value, (bool, int, float)) else value

    def _starts(self, given, operands):
        """Initial values of the element types of the operands."""
        many = list(given) if isinstance(given, (list, tuple)) else [given]
        return [self._scalar(x, self._get_torch_dtype_from_type(self.get_type(operand))) for x, operand in zip(many, operands)]

    def dynamic_slice(self, operand, start_indices, slice_sizes, **common):
        """stablehlo.dynamic_slice; start indices are values of rank 0, or integers."""
        return self._make("stablehlo.dynamic_slice", operand, [self._scalar(x, torch.int64) for x in start_indices], list(slice_sizes), **common)

    def composite(self, composite_name, operands, decomposition, composite_attributes=None, **common):
        """stablehlo.composite: a Python function of (operands..., builder) is its decomposition, or a function of the module."""
        inputs = [self._value(x) for x in operands]
        loc, point = self._location(common.get("loc")), self._block
        if isinstance(decomposition, ir.OpView):
            op = decomposition
            results = list(op.attributes["function_type"].value.results)
        else:
            with self._code_location(decomposition):
                op = self._make_func(decomposition.__name__, [x.type for x in inputs], visibility="private")
                results = [o.type for o in self._fill(op, decomposition, list(op.regions[0].blocks[0].arguments))]
        name = op.attributes["sym_name"].value
        self._nested_funcs.append(name)
        attributes = None
        if composite_attributes:
            from ttmlir._attr_builders import guess

            attributes = ir.DictAttr.get({k: v if isinstance(v, ir.Attribute) else guess(v, self._ctx) for k, v in composite_attributes.items()})
        with ir.InsertionPoint(point):
            made = stablehlo.CompositeOp(results, inputs, composite_name, name, composite_attributes=attributes, loc=loc)
        return self._finished(made, common)

    def custom_call(self, inputs, call_target_name, result_types, loc=None, unit_attrs=None, sharding_attr=None, **attributes):
        """stablehlo.custom_call; result_types are [(shape, dtype)] or types."""
        types = [t if isinstance(t, ir.Type) else self._tensor_type(list(t[0]), t[1]) for t in result_types]
        made = self._operation("stablehlo.custom_call", inputs, call_target_name, types, loc=loc, unit_attrs=unit_attrs,
                               sharding_attr=sharding_attr, **attributes)
        results = list(made.results)
        return results[0] if len(results) == 1 else tuple(results)

    def _custom(self, target, inputs, like, attributes, shape=None, **common):
        type = self._value(like).type
        result = ir.RankedTensorType.get(list(shape if shape is not None else type.shape), type.element_type)
        config = ir.DictAttr.get({k: ir.StringAttr.get(str(v)) for k, v in attributes.items()})
        made = self._operation("stablehlo.custom_call", inputs, target, [result], api_version=ir.IntegerAttr.get(
            ir.IntegerType.get_signless(32), 0), **common)
        made.attributes["mhlo.frontend_attributes"] = config
        return made.results[0]

    def flash_mla_prefill(self, query, key, head_dim_v, value=None, attention_mask=None, is_causal=True, scale=None, **common):
        """A custom call of ttnn's flash_mla_prefill."""
        inputs = [x for x in (query, key, value, attention_mask) if x is not None]
        attributes = {"head_dim_v": head_dim_v, "is_causal": is_causal, "has_value": value is not None, "has_attention_mask": attention_mask is not None}
        if scale is not None:
            attributes["scale"] = scale
        shape = [*self.get_shape(query)[:-1], head_dim_v]
        return self._custom("tt.flash_mla_prefill", inputs, query, attributes, shape, **common)

    def indexer_score_dsa(self, query, key, weights, chunk_start_idx=0, **common):
        """A custom call of ttnn's indexer_score_dsa."""
        shape = [self.get_shape(query)[0], 1, self.get_shape(query)[2], self.get_shape(key)[2]]
        return self._custom("tt.indexer_score_dsa", [query, key, weights], query, {"chunk_start_idx": chunk_start_idx}, shape, **common)

    # ---- with regions

    def _combined(self, full, sum_of, args, common, body="add", **kwargs):
        """An operation whose region joins two elements."""
        element = self._value(sum_of[0] if isinstance(sum_of, (list, tuple)) else sum_of).type.element_type
        made = self._operation(full, *args, loc=common.get("loc"), unit_attrs=common.get("unit_attrs"),
                               sharding_attr=common.get("sharding_attr"), output_type=common.get("output_type"), **kwargs)
        regions.fill(self, made, 0, [ir.RankedTensorType.get([], element)] * 2, body)
        results = list(made.results)
        return results[0] if len(results) == 1 else tuple(results)

    def all_reduce(self, input, replica_groups, body="add", **common):
        """stablehlo.all_reduce; body is the name of an operation of two operands, or a Python function of them."""
        return self._combined("stablehlo.all_reduce", input, (input, replica_groups), common, body)

    def reduce_scatter(self, input, scatter_dimension=None, replica_groups=None, body="add", scatter_dimensions=None, **common):
        """stablehlo.reduce_scatter."""
        d = scatter_dimension if scatter_dimension is not None else scatter_dimensions
        d = d[0] if isinstance(d, (list, tuple)) else d
        return self._combined("stablehlo.reduce_scatter", input, (input, d, replica_groups), common, body)

    def reduce(self, inputs, init_values, dimensions, body="add", result_types=None, **common):
        """stablehlo.reduce of one or several operands."""
        many = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        starts = self._starts(init_values, many)
        return regions.reduce(self, many, starts, list(dimensions), body, common)

    def reduce_window(self, in0, init_value, window_dimensions, window_strides=None, base_dilations=None, window_dilations=None,
                      padding=None, body="add", **common):
        """stablehlo.reduce_window."""
        many = list(in0) if isinstance(in0, (list, tuple)) else [in0]
        starts = self._starts(init_value, many)
        return regions.reduce_window(self, many, starts, window_dimensions, window_strides, base_dilations, window_dilations, padding, body, common)

    def pool_2d(self, in0, kernel_size, stride=None, padding=None, pool_type="max", **common):
        """Pooling by reduce_window, "max", "sum" or "avg": sizes for each dimension, or for the two in the middle of N H W C."""
        rank = len(self.get_shape(in0))

        def whole(value):  # of the two spatial dimensions of N H W C, or of all dimensions
            value = [value] * 2 if isinstance(value, int) else list(value)
            return value if len(value) == rank else [1, *value, 1]

        kernel, padded = whole(kernel_size), regions.pairs(padding if padding is not None else [0] * (2 * rank), rank)
        stride = kernel if stride is None else whole(stride)
        element = self.get_type(in0)
        dtype = self._get_torch_dtype_from_type(element)
        low = -float("inf") if dtype.is_floating_point else torch.iinfo(dtype).min
        start = self.constant(torch.tensor(low if pool_type == "max" else 0, dtype=dtype))
        out = self.reduce_window(in0, start, kernel, stride, padding=padded, body="max" if pool_type == "max" else "add", **common)
        if pool_type == "avg":
            count = self.constant(torch.full(self.get_shape(out), math.prod(kernel), dtype=dtype))
            out = self.divide(out, count)
        return out

    def sort(self, in0, dimension=-1, is_stable=False, descending=False, value_inputs=None, **common):
        """stablehlo.sort by the first operand; the others are reordered with it."""
        inputs = [self._value(x) for x in [in0, *(value_inputs or [])]]
        made = stablehlo.SortOp([x.type for x in inputs], inputs, dimension=dimension, is_stable=is_stable, loc=self._location(common.get("loc")))
        types = [ir.RankedTensorType.get([], x.type.element_type) for x in inputs for _ in range(2)]
        regions.fill(self, made.operation, 0, types, lambda *xs: xs[-1].compare(xs[0], xs[1], "GT" if descending else "LT"))
        return self._finished(made, common)

    def scatter(self, inputs, scatter_indices, updates, update_window_dims, inserted_window_dims, scattered_dims_to_operand_dims,
                index_vector_dim, update_computation="update", input_batching_dims=None, scatter_indices_batching_dims=None,
                indices_are_sorted=False, unique_indices=False, **common):
        """stablehlo.scatter; update_computation is "update", the name of an operation, or a Python function."""
        many = [self._value(x) for x in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
        news = [self._value(x) for x in (updates if isinstance(updates, (list, tuple)) else [updates])]
        numbers = stablehlo.ScatterDimensionNumbers.get(
            list(update_window_dims), list(inserted_window_dims), list(input_batching_dims or []), list(scatter_indices_batching_dims or []),
            list(scattered_dims_to_operand_dims), index_vector_dim)
        made = stablehlo.ScatterOp([x.type for x in many], many, self._value(scatter_indices), news, numbers,
                                   indices_are_sorted=indices_are_sorted, unique_indices=unique_indices, loc=self._location(common.get("loc")))
        types = [ir.RankedTensorType.get([], x.type.element_type) for x in many] * 2
        regions.fill(self, made.operation, 0, types, update_computation)
        return self._finished(made, common)

    def select_and_scatter(self, operand, source, init_value, window_dimensions, window_strides=None, padding=None, select="GE", body="add", **common):
        """stablehlo.select_and_scatter; select is a direction of comparison."""
        x = self._value(operand)
        made = stablehlo.SelectAndScatterOp(x.type, x, self._value(source), self._value(init_value), window_dimensions=list(window_dimensions),
                                            window_strides=None if window_strides is None else list(window_strides),
                                            padding=None if padding is None else dense(torch.as_tensor(padding)), loc=self._location(common.get("loc")))
        scalar = [ir.RankedTensorType.get([], x.type.element_type)] * 2
        regions.fill(self, made.operation, 0, scalar, lambda a, b, builder: builder.compare(a, b, select))
        regions.fill(self, made.operation, 1, scalar, body)
        return self._finished(made, common)

    def map(self, inputs, dimensions, body, **common):
        """stablehlo.map: a Python function of elements."""
        many = [self._value(x) for x in inputs]
        made = stablehlo.MapOp(many[0].type, many, list(dimensions), loc=self._location(common.get("loc")))
        regions.fill(self, made.operation, 0, [ir.RankedTensorType.get([], x.type.element_type) for x in many], body)
        return self._finished(made, common)

    def if_(self, pred, true_branch, false_branch, **common):
        """stablehlo.if: Python functions of the builder."""
        return regions.branch(self, stablehlo.IfOp, pred, [true_branch, false_branch], common)

    def case(self, index, branches, **common):
        """stablehlo.case: a list of Python functions of the builder."""
        return regions.branch(self, stablehlo.CaseOp, index, list(branches), common)

    def while_(self, initial, condition, body, **common):
        """stablehlo.while: Python functions of (state..., builder)."""
        state = [self._value(x) for x in (initial if isinstance(initial, (list, tuple)) else [initial])]
        made = stablehlo.WhileOp([x.type for x in state], state, loc=self._location(common.get("loc")))
        for i, function in enumerate((condition, body)):
            regions.fill(self, made.operation, i, [x.type for x in state], function)
        return self._finished(made, common)

    def collective_reduce(self, operands, replica_groups, body="add", **common):
        """stablehlo.collective_reduce."""
        x = operands if not isinstance(operands, (list, tuple)) else operands[0]
        element = ir.RankedTensorType.get([], self.get_type(x))
        made = stablehlo.CollectiveReduceOp([self._value(x).type], [self._value(x)], dense(torch.as_tensor(replica_groups)),
                                            loc=self._location(common.get("loc")))
        regions.fill(self, made.operation, 0, [element] * 2, body)
        return self._finished(made, common)

    def rng_bit_generator(self, initial_state, shape, dtype, rng_algorithm="DEFAULT", **common):
        """stablehlo.rng_bit_generator: (new state, bits)."""
        state = self._value(initial_state)
        made = stablehlo.RngBitGeneratorOp(state.type, self._tensor_type(list(shape), dtype),
                                           ir.Attribute.parse(f"#stablehlo<rng_algorithm {rng_algorithm}>"), state, loc=self._location(common.get("loc")))
        return self._finished(made, common)

    def all_to_all(self, input, split_dim, concat_dim, split_count, replica_groups, **common):
        """stablehlo.all_to_all."""
        return self._make("stablehlo.all_to_all", [input], split_dim, concat_dim, split_count, replica_groups, **common)


add_methods(StableHLOBuilder, "stablehlo")
