"""Programs evaluated by the references: every value of a function, operation by operation."""

import torch
from golden.mapping import (GOLDENS, IN_PLACE, MESH, NO_REFERENCE, SEVERAL, Attributes, apply, convert)
from golden.movement import NoReference
from golden.shards import GoldenMapTensor, join_over, split_over
from golden.types import Quantized, element_name, mlir_type_to_torch_dtype
from ttmlir import ir
from ttmlir._native import native as _native

_ROWS = {}


def row_of(name):
    """The operation's row: (name, operands, attributes, results, ...), or None."""
    if name not in _ROWS:
        for row in _native._ops(name.split(".")[0]):
            _ROWS[row[0]] = row
    return _ROWS.get(name)


class GoldenError(ValueError):
    """A reference that cannot be computed; the message names the operation and its position."""


def _reader(op):
    known = op.attributes
    names = {}
    for attribute in known:
        names["".join("_" + c.lower() if c.isupper() else c for c in attribute.name)] = attribute.attr
    return names.get


def result_dtypes(op):
    """The torch dtype of each result; None where it holds no tensor."""
    out = []
    for result in op.results:
        try:
            out.append(mlir_type_to_torch_dtype(result.type))
        except TypeError:
            out.append(None)
    return out


def attributes_of(op, evaluator=None):
    """The operation's attributes as its reference reads them."""
    op = op.operation
    types = [r.type for r in op.results]
    shapes = [list(t.shape) for t in types if isinstance(t, ir.ShapedType)]
    return Attributes(_reader(op), shapes, result_dtypes(op), "cpu", [o.type for o in op.operands], types, evaluator, op)


def grouped(op, values):
    """The operand values by the row's groups: a list for a variadic one, None for an absent one."""
    row = row_of(op.name)
    if row is None or all(arity == 0 for _, arity in row[1]):
        return list(values)
    by_value, out, at = list(values), [], 0
    sizes = _segments(op, row, len(by_value))
    for (name, arity), size in zip(row[1], sizes):
        part = by_value[at:at + size]
        at += size
        out.append(part if arity >= 2 else part[0] if part else None)
    while out and out[-1] is None:
        out.pop()
    return out


def _segments(op, row, count):
    for attribute in op.attributes:
        if attribute.name in ("operandSegmentSizes", "operand_segment_sizes"):
            return list(attribute.attr)
    singles = sum(1 for _, arity in row[1] if arity == 0)
    loose = [i for i, (_, arity) in enumerate(row[1]) if arity != 0]
    each = (count - singles) // len(loose) if loose else 0
    return [each if arity else 1 for _, arity in row[1]]


class Evaluator:
    """Values of a program: `values[value]` is a GoldenMapTensor."""

    def __init__(self, mesh_shape=(1, 1), overrides=None, notes=None):
        self.mesh, self.values, self.overrides = tuple(mesh_shape), {}, overrides or {}
        self.before = {}  # arguments that an operation overwrites: what they were
        self.notes = notes if notes is not None else {}  # location: why a value has no reference

    # ---- functions, blocks, regions

    def function(self, func_op, arguments):
        """The results of a function (an operation) for these tensors."""
        block = func_op.regions[0].blocks[0]
        self.values.update(zip(block.arguments, arguments))
        return self.block(block)

    def block(self, block):
        """Evaluates the operations; returns what the last one yields."""
        for op in block.operations:
            op = op.operation
            if op.name in ("func.return", "stablehlo.return", "sdy.return"):
                return [self.values.get(v) for v in op.operands]
            self.operation(op)
        return []

    def region(self, block, tensors):
        """The same for plain tensors, such as a reduction's elements."""
        saved = dict(self.values)
        out = self._in(block, [GoldenMapTensor({0: t}, self.mesh) if isinstance(t, torch.Tensor) else t for t in tensors])
        self.values = saved
        return [x.shard_at(0) if isinstance(x, GoldenMapTensor) else x for x in out]

    def _in(self, block, values):
        self.values.update(zip(block.arguments, values))
        return self.block(block)

    # ---- one operation

    def operation(self, op):
        """Sets the values of an operation's results."""
        results = list(op.results)
        if results and all(r in self.overrides for r in results):
            self.values.update((r, self.overrides[r]) for r in results)
            return
        special = _SPECIAL.get(op.name)
        operands = [self.values.get(v) for v in op.operands]
        try:
            if special:
                out = special(self, op, operands)
            elif op.name in GOLDENS:
                out = self._golden(op, operands)
            else:
                self._unknown(op)
                return
        except GoldenError:
            raise
        except NoReference as why:
            self._note(op, str(why))
            return
        except Exception as error:
            if any(x is None for x in operands):
                self._note(op, "an operand has no reference")
                return
            shapes = ", ".join(str(v.type) for v in op.operands)
            raise GoldenError(f"{op.name} at {op.location}: no reference for operands ({shapes}): {error}; "
                              f"set_operand_goldens gives the operation's result by hand") from error
        for result, value in zip(results, out or []):
            self.values[result] = self.overrides.get(result, value)

    def _note(self, op, why):
        self.notes[str(op.location)] = f"{op.name}: {why}"

    def _unknown(self, op):
        self._note(op, NO_REFERENCE.get(op.name, "no reference for this operation"))

    def _golden(self, op, operands):
        golden = GOLDENS[op.name]
        if golden.kind == MESH:
            return self._over_mesh(golden, op, operands)
        if any(v is None and isinstance(o.type, ir.ShapedType) for v, o in zip(operands, op.operands)):
            self._note(op, "an operand has no reference")
            return []
        attributes, types = attributes_of(op, self), result_dtypes(op)
        devices = sorted(set().union(*(x.shard_map for x in operands if x is not None), {0}))
        out = {}
        for device in devices:
            shards = [None if x is None else x.shard_at(device) for x in operands]
            shards = [x for x, o in zip(shards, op.operands) if isinstance(o.type, ir.ShapedType)]
            out[device] = apply(golden, attributes, self._arranged(op, shards), types if golden.kind == "plain" else None)
        if golden.kind in (IN_PLACE, SEVERAL):
            written = golden.written if golden.kind == SEVERAL else (golden.written,)
            for i, position in enumerate(written):
                if position >= len(op.operands) or i >= len(out[devices[0]]):
                    continue
                target = op.operands[position]
                self.before.setdefault(target, self.values[target])
                dtype = mlir_type_to_torch_dtype(target.type)
                self.values[target] = GoldenMapTensor({d: convert(out[d][i], dtype) for d in devices}, self.mesh)
            return []
        self._check_shapes(op, out[devices[0]])
        return [GoldenMapTensor({d: out[d][i] for d in devices}, self.mesh) for i in range(len(out[devices[0]]))]

    def _arranged(self, op, shards):
        if len(shards) != len(op.operands):  # handles such as a device are left out
            return shards
        return grouped(op, shards)

    def _check_shapes(self, op, out):
        for i, (result, x) in enumerate(zip(op.results, out)):
            if not isinstance(result.type, ir.RankedTensorType) or not isinstance(x, torch.Tensor) or not result.type.has_static_shape:
                continue
            if result.type.encoding is not None and str(result.type.encoding).startswith("#ttcore.metal_layout"):
                continue  # its dimensions are a grid and shards; the reference keeps those of the program
            shape = list(result.type.shape)
            if list(x.shape) != shape:
                if x.numel() == _count(shape):
                    out[i] = x.reshape(shape)
                    continue
                raise GoldenError(f"{op.name} at {op.location}: result {i} has shape {shape} in the program; the reference "
                                  f"computes {list(x.shape)}: check the result type or the attributes")

    def _over_mesh(self, golden, op, operands):
        attributes, types = attributes_of(op, self), result_dtypes(op)
        full = op.name.endswith((".mesh_shard", ".distribute_tensor"))
        shards = [None if x is None else (x.shard_map if full and x.is_single else x.spread()) for x in operands]
        shards = [x for x, o in zip(shards, op.operands) if isinstance(o.type, ir.ShapedType)]
        out = golden.function(attributes, self.mesh, *self._arranged_mesh(op, shards))
        return [GoldenMapTensor({d: convert(t, types[0]) for d, t in out.items()}, self.mesh)]

    def _arranged_mesh(self, op, shards):
        arranged = grouped(op, shards) if len(shards) == len(op.operands) else shards
        return [x[0] if isinstance(x, list) else x for x in arranged]


def _count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


# ---- calls, branches, loops, tuples, shardings -----------------------------------------------------------


def _callee(op, name):
    parent = op.parent
    while parent is not None:
        for region in parent.regions:
            for block in region.blocks:
                for other in block.operations:
                    symbol = other.operation.attributes
                    if "sym_name" in symbol and symbol["sym_name"].value == name:
                        return other.operation
        parent = parent.parent
    raise GoldenError(f"{op.name} at {op.location}: no function '{name}' in the module")


def _call(evaluator, op, operands):
    callee = _callee(op, op.attributes["callee"].value)
    if not callee.regions[0].blocks:
        raise NoReference(f"the function '{op.attributes['callee'].value}' has no body")
    return evaluator.function(callee, operands)


def _composite(evaluator, op, operands):
    return evaluator.function(_callee(op, op.attributes["decomposition"].value), operands)


def _if(evaluator, op, operands):
    taken = 0 if bool(operands[0].shard_at(0)) else 1
    return evaluator._in(op.regions[taken].blocks[0], [])


def _case(evaluator, op, operands):
    index, count = int(operands[0].shard_at(0)), len(op.regions)
    return evaluator._in(op.regions[index if 0 <= index < count else count - 1].blocks[0], [])


def _while(evaluator, op, operands):
    condition, body = (region.blocks[0] for region in op.regions)
    state = operands
    while bool(evaluator._in(condition, state)[0].shard_at(0)):
        state = evaluator._in(body, state)
    return state


def sharding_dims(sharding, mesh_axes):
    """The dimension that each axis of the mesh splits, or -1, of a sharding's text."""
    import re

    text = str(sharding)
    body = text[text.index("[") + 1:]
    groups = re.findall(r"\{([^{}]*)\}", body)
    dims = [-1] * len(mesh_axes)
    for d, group in enumerate(groups):
        for axis in re.findall(r'"(\w+)"', group):
            if axis in mesh_axes:
                dims[mesh_axes.index(axis)] = d
    return dims


def _mesh_axes(op):
    import re

    top = op
    while top.parent is not None:
        top = top.parent
    found = re.search(r"sdy\.mesh @\w+ = <\[([^\]]*)\]>", str(top))
    return re.findall(r'"(\w+)"=', found[1]) if found else ["x", "y"]


def _each(attribute):
    """The texts of a list of shardings."""
    import re

    return re.findall(r"<@\w+, \[[^\]]*\][^>]*>", str(attribute))


def _manual(evaluator, op, operands):
    axes = _mesh_axes(op)
    local = []
    for x, sharding in zip(operands, _each(op.attributes["in_shardings"])):
        local.append(GoldenMapTensor(split_over(x.shard_at(0), evaluator.mesh, sharding_dims(sharding, axes)), evaluator.mesh))
    out = evaluator._in(op.regions[0].blocks[0], local)
    return [GoldenMapTensor({0: join_over(x.spread(), evaluator.mesh, sharding_dims(sharding, axes))}, evaluator.mesh)
            for x, sharding in zip(out, _each(op.attributes["out_shardings"]))]


_SPECIAL = {
    "func.call": _call, "stablehlo.composite": _composite, "stablehlo.if": _if, "stablehlo.case": _case, "stablehlo.while": _while,
    "stablehlo.tuple": lambda e, op, xs: [xs], "sdy.manual_computation": _manual, "sdy.mesh": lambda e, op, xs: [],
    "stablehlo.get_tuple_element": lambda e, op, xs: [xs[0][op.attributes["index"].value]],
    "ttcore.load_cached": _call, "sdy.named_computation": lambda e, op, xs: e._in(op.regions[0].blocks[0], xs),
}


def random_tensor(shape, type, generator, low=None, high=None):
    """An argument's values: normal floats, booleans, integers of the whole range or of [low, high)."""
    shape, name = list(shape), element_name(type)
    if name.startswith("!quant"):
        q = Quantized(name)
        scale, zero = q.parameters(len(shape))
        info = torch.iinfo(q.storage)
        return (torch.randn(shape, generator=generator) / scale + zero).round().clamp(info.min, info.max).to(q.storage)
    dtype = mlir_type_to_torch_dtype(type)
    if dtype is torch.bool:
        return torch.randint(0, 2, shape, generator=generator).to(torch.bool)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, generator=generator, dtype=torch.float32 if not dtype.is_complex else dtype).to(dtype)
    info = torch.iinfo(dtype)
    low, high = info.min if low is None else low, info.max if high is None else high
    if dtype is torch.uint64:
        low, high = 0, 2**63 - 1
    return torch.randint(low, max(high, low + 1), shape, generator=generator, dtype=torch.int64).to(dtype)


