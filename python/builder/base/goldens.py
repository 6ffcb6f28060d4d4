"""The references of a builder's values: those that are given, and those computed from them when they are asked for."""

import torch
from builder.base.methods import BuilderError
from builder.base.ranges import infer_arg_ranges
from golden.evaluate import Evaluator, random_tensor
from golden.shards import GoldenMapTensor, map_shards, split_over
from golden.types import mlir_type_to_torch_dtype
from ttmlir import ir

def _count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def _named(operand):
    return f"argument {operand.arg_number}" if isinstance(operand, ir.BlockArgument) else f"{operand.owner.operation.name} at {operand.owner.operation.location}"


class Goldens:
    """Methods that give and compute references."""

    def set_goldens(self, inputs, outputs=None, set_all_outputs=True):
        """The values of arguments, and of results if given: tensors, functions of a shape, or {device: tensor}."""
        self._set(inputs)
        if outputs:
            self._set(outputs)
            if set_all_outputs:
                self.set_goldens_to_check(list(outputs))

    def set_goldens_from_builder_tensor(self, inputs, outputs=None):
        """The same with GoldenMapTensors."""
        self.set_goldens(inputs, outputs)

    def set_operand_goldens(self, operands):
        """The expected values of any values."""
        self._set(operands)
        self.set_goldens_to_check(list(operands))

    def set_goldens_to_check(self, operands, override=False):
        """With override, only these values are compared."""
        if override:
            self._to_check = [self._value(x) for x in operands]
        elif self._to_check is not None:
            self._to_check.extend(self._value(x) for x in operands)

    def set_graph_level_check(self, check):
        """True: only the arguments and results of functions are compared."""
        self._graph_level = bool(check)

    def bypass(self, operand):
        """The operation's result is replaced by its reference when the program runs."""
        if isinstance(operand, ir.BlockArgument):
            raise TypeError("Cannot bypass BlockArgument: bypass takes the result of an operation")
        self._bypass_ops.append(str(operand.owner.operation.location))

    def _set(self, values):
        for operand, given in values.items():
            operand = self._value(operand)
            made = self._golden_from(operand, given)
            (self._given if isinstance(operand, ir.BlockArgument) else self._overrides)[operand] = made
        self._values = None

    def _golden_from(self, operand, given):
        if isinstance(given, GoldenMapTensor):
            if given.is_single and operand not in self._presharded and operand.type.has_static_shape:
                whole = list(operand.type.shape)
                return map_shards((given,), lambda t: t.reshape(whole) if list(t.shape) != whole and t.numel() == _count(whole) else t)
            return given
        shape = list(self._presharded[operand][1]) if operand in self._presharded and operand.type.shape else list(operand.type.shape)
        if callable(given) and not isinstance(given, torch.Tensor):
            try:
                given = given(shape, dtype=mlir_type_to_torch_dtype(operand.type))
            except TypeError:
                given = given(shape)
        shards = given if isinstance(given, dict) else {0: given}
        wanted = mlir_type_to_torch_dtype(operand.type)
        out = {}
        for device, t in shards.items():
            if not isinstance(t, torch.Tensor):
                raise BuilderError(f"golden of {operand}: expected a torch tensor, a function of a shape, or {{device: tensor}}, "
                                   f"got {type(t).__name__}")
            if list(t.shape) != shape and list(t.shape) != list(operand.type.shape) and t.numel() != _count(shape):
                raise BuilderError(f"golden of {_named(operand)}: its type is {operand.type}, the tensor has shape {list(t.shape)}: "
                                   f"give a tensor of shape {shape}")
            if t.dtype.is_floating_point != wanted.is_floating_point and not t.is_quantized and wanted is not torch.bool \
                    and t.dtype is not torch.bool:
                raise BuilderError(f"golden of {_named(operand)}: its type is {operand.type}, the tensor's dtype {t.dtype}: "
                                   f"give one of dtype {wanted}")
            t = t.int_repr() if t.is_quantized else t
            t = t if list(t.shape) in (shape, list(operand.type.shape)) else t.reshape(shape)
            out[device] = t if t.dtype is wanted else t.to(wanted)
        return GoldenMapTensor(out, self._mesh_shape)

    def _set_golden_tensor(self, operand, golden):
        """A value's reference, given as a tensor or over the mesh."""
        self._set({operand: golden})

    def _get_golden_tensor(self, operand):
        """The reference of a value, computed with all that it depends on."""
        return self._golden_of(self._value(operand))

    def _golden_of(self, value):
        if value in self._given:
            return self._argument(value)
        if value in self._overrides:
            return self._overrides[value]
        if isinstance(value, ir.BlockArgument) and value.owner == (self._block or None):
            return self._argument(value)
        if self._block is not None:  # while the function is built
            evaluator = self._evaluator()
            for argument in self._func.regions[0].blocks[0].arguments:
                evaluator.values[argument] = self._argument(argument)
            for op in self._func.regions[0].blocks[0].operations:
                evaluator.operation(op.operation)
            return evaluator.values[value]
        self._evaluate()
        return self._values[value]

    def _argument(self, argument):
        """An argument's values: those given, or random ones."""
        found = self._given.get(argument)
        if found is None:
            shape = self._presharded[argument][1] if argument in self._presharded else argument.type.shape
            low, high = self._ranges.get(argument, (None, None))
            found = GoldenMapTensor({0: random_tensor(shape, argument.type, self._random, low, high)}, self._mesh_shape)
            self._given[argument] = found
        dims, whole = self._presharded.get(argument, (None, None))
        if dims and found.is_single and list(found.shard_at(0).shape) == list(whole) and tuple(argument.type.shape) != tuple(whole):
            found = GoldenMapTensor(split_over(found.shard_at(0), self._mesh_shape, dims), self._mesh_shape)
        return found

    @property
    def _ranges(self):
        """{argument: (low, high)} of those that index."""
        if not hasattr(self, "_index_ranges"):
            self._index_ranges = {}
            if getattr(self, "_parsed", False):
                for op, arguments, _ in self._programs:
                    self._index_ranges |= infer_arg_ranges(op, arguments)
        return self._index_ranges

    def _evaluator(self):
        overrides = {v: g for v, g in self._overrides.items() if not isinstance(v, ir.BlockArgument)}
        return Evaluator(self._mesh_shape, overrides, self.golden_notes)

    def _evaluate(self):
        """Computes the references of all values, once."""
        if self._values is not None:
            return
        self._values, self._before, self._results = {}, {}, {}
        for i, (op, arguments, outputs) in enumerate(self._programs):
            evaluator = self._evaluator()
            self._results[i] = evaluator.function(op.operation, [self._argument(a) for a in arguments])
            self._values.update(evaluator.values)
            self._before.update(evaluator.before)

    @property
    def golden_map(self):
        """({program: {"input_0": tensor, ..., "output_0": ...}}, {location: tensor}) of the references."""
        with self._ctx, self._loc:
            self._evaluate()
        ends, inner = {}, {}
        for program, (op, arguments, outputs) in enumerate(self._programs):
            ends[program] = {f"input_{i}": self._before.get(a, self._argument(a)) for i, a in enumerate(arguments)}
            for i, output in enumerate(outputs):
                golden = self._values.get(output)
                if golden is None or (self._to_check is not None and output not in self._to_check):
                    continue
                dims = self._presharded_results.get(output)
                if dims and golden.is_single:
                    golden = GoldenMapTensor(split_over(golden.shard_at(0), self._mesh_shape, dims), self._mesh_shape)
                ends[program][f"output_{i}"] = golden
        if not self._graph_level:
            for value, golden in self._values.items():
                if isinstance(value, ir.OpResult) and isinstance(golden, GoldenMapTensor) and (
                        self._to_check is None or value in self._to_check):
                    inner.setdefault(str(value.owner.operation.location), golden)
        return ends, inner
