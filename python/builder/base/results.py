"""Result types of an operation that is about to be made: by the row's inference where it has one, by the shape of a family,
or by its reference on tensors without contents."""

import enum

import torch
from builder.base import signatures
from golden.mapping import GOLDENS, MESH, Attributes
from golden.types import mlir_type_to_torch_dtype, torch_dtype_to_type
from ttmlir import ir
from ttmlir.dialects import _tables


def broadcast(shapes):
    """The shape that all broadcast to, or None."""
    rank = max(map(len, shapes))
    out = []
    for d in range(-rank, 0):
        sizes = {s[d] for s in shapes if len(s) >= -d} - {1}
        if len(sizes) > 1:
            return None
        out.append(sizes.pop() if sizes else 1)
    return out


def _elements(builder, sig, operands, extra, count):
    """The element type of each result; output_type or dtype decides for all that follow the first operand."""
    given = extra.get("output_type")
    given = extra.get("dtype") if given is None else given
    flat = [x for v in operands.values() for x in (v if isinstance(v, list) else [v]) if x is not None]
    first = flat[0].type.element_type if flat and isinstance(flat[0].type, ir.ShapedType) else None
    if given is not None:
        first = given if isinstance(given, ir.Type) and not isinstance(given, ir.ShapedType) else torch_dtype_to_type(given)
    rules = signatures.RESULT_TYPES.get(sig.full, ())
    out = []
    for i in range(count):
        rule = rules[i] if i < len(rules) else None
        if rule is None or (given is not None and i == 0):
            if first is None:
                raise sig.wrong("the element type of the result is not known: give output_type=, such as torch.float32")
            out.append(first)
        elif rule.startswith("operand:"):
            out.append(flat[int(rule[8:])].type.element_type)
        else:
            out.append(ir.Type.parse(rule))
    return out


def _stated(extra):
    """[(shape, dtype)] of results that the caller states: dispatched_shape, dispatched_type, ..."""
    names = [name[:-6] for name in extra if name.endswith("_shape") and name[:-6] + "_type" in extra]
    if not names or extra[names[0] + "_shape"] is None:
        return None
    return [(list(extra[name + "_shape"]), extra[name + "_type"]) for name in names]


def _plain(value):
    if isinstance(value, torch.Size):
        return list(value)
    return value


def _by_reference(sig, operands, attributes, extra, wanted):
    golden = GOLDENS.get(sig.full)
    if golden is None:
        raise sig.wrong("its result types cannot be inferred: " + (
            "build it with output_type=" if sig.row[3] else "it has no reference"))

    def meta(v):
        if isinstance(v, list):
            return [meta(x) for x in v]
        if v is None or not isinstance(v.type, ir.ShapedType):
            return None
        return torch.empty(list(v.type.shape), dtype=mlir_type_to_torch_dtype(v.type), device="meta")

    tensors = [meta(operands.get(name)) for name, _ in sig.operands if name != "device" and name != "mesh_device"]
    while tensors and tensors[-1] is None:
        tensors.pop()
    read = Attributes({k: _plain(v) for k, v in attributes.items()}.get, shapes=wanted, device_of="meta",
                      operands=[v.type for v in operands.values() if isinstance(v, ir.Value)])
    try:
        out = golden.function(read, *[_wide(x) for x in tensors])
    except Exception as error:
        shapes = ", ".join(str(v.type) for value in operands.values() for v in (value if isinstance(value, list) else [value]) if v is not None)
        raise sig.wrong(f"operands ({shapes}) do not fit{_given(attributes)}: {error}") from error
    return [list(t.shape) for t in (out if isinstance(out, (tuple, list)) else (out,))]


def _given(attributes):
    return " with " + ", ".join(f"{k}={v!r:.40}" for k, v in attributes.items()) if attributes else ""


def _wide(x):
    if isinstance(x, list):
        return [_wide(t) for t in x]
    if isinstance(x, torch.Tensor) and x.dtype in (torch.uint16, torch.uint32, torch.uint64):
        return x.to(torch.int64)
    return x


def _over_mesh(builder, sig, operands, attributes):
    """Shapes of collectives: the tensors of a group of empty shards."""
    mesh = builder._mesh_shape
    devices = 1
    for size in mesh:
        devices *= size
    golden = GOLDENS[sig.full]

    def shards(v):
        v = v[0] if isinstance(v, list) else v
        if v is None:
            return None
        t = torch.empty(list(v.type.shape), dtype=mlir_type_to_torch_dtype(v.type), device="meta")
        return {d: t for d in range(devices)}

    tensors = [shards(operands.get(name)) for name, _ in sig.operands if name not in ("mesh_device", "semaphore", "stats")]
    while tensors and tensors[-1] is None:
        tensors.pop()
    plain = {}
    for name, value in attributes.items():
        if isinstance(value, enum.Enum) and not isinstance(value, int):
            value = value.value
        if name in ("replica_groups", "source_target_pairs") and not isinstance(value, ir.Attribute):
            value = torch.as_tensor(value)
        plain[name] = _case(name, value)
    read = Attributes(plain.get, device_of="meta")
    read.__dict__["body"] = "add"
    first = dict(tensors[0])
    if sig.short in ("mesh_shard", "distribute_tensor") and "shard_to_full" not in str(plain.get("shard_direction")):
        first = {0: first[0]}
    if sig.short == "mesh_shard":
        return [_shard_shape(sig, list(first[0].shape), plain)]
    try:
        out = golden.function(read, mesh, first, *tensors[1:])
    except Exception as error:
        raise sig.wrong(f"an operand of type {next(iter(operands.values()))} does not fit the mesh {tuple(mesh)}{_given(attributes)}: {error}") from error
    return [list(out[min(out)].shape)]


def _case(name, value):
    """The text of an enum's case."""
    if isinstance(value, int) and not isinstance(value, bool) and hasattr(value, "name"):
        return _tables.snake(value.name)
    return value


def _shard_shape(sig, shape, a):
    """mesh_shard: shard_shape says by how much each dimension is divided or multiplied."""
    if str(a["shard_type"]) == "replicate":
        return shape
    full = str(a["shard_direction"]) == "full_to_shard"
    out = list(shape)
    for d, n in enumerate(a["shard_shape"]):
        if d >= len(out) or n in (1, -1):
            continue
        if full and out[d] % n:
            raise sig.wrong(f"dimension {d} of size {out[d]} is not divisible into {n} shards (shard_shape {list(a['shard_shape'])})")
        out[d] = out[d] // n if full else out[d] * n
    return out


def result_types(builder, sig, operands, attributes, extra):
    """The types of the results; None where the operation's class infers them."""
    results = sig.row[3]
    if not results:
        return None
    given = extra.get("output_type")
    if isinstance(given, ir.ShapedType):
        return [given]
    if isinstance(extra.get("result_types"), (list, tuple)):
        return list(extra["result_types"])
    if sig.row[6] and given is None:
        return None
    stated = _stated(extra)
    if stated:
        return [builder._tensor_type(shape, dtype) for shape, dtype in stated]
    shapes = _shapes(builder, sig, operands, attributes, extra)
    elements = _elements(builder, sig, operands, extra, len(shapes))
    shapes = shapes[:len(results)] if results[-1][1] < 2 else shapes
    types = [builder._result_type(shape, element, extra) for shape, element in zip(shapes, elements)]
    while len(types) < len(results):  # absent optional results
        types.append(None)
    return types


def _shapes(builder, sig, operands, attributes, extra):
    wanted = extra.get("shape", extra.get("output_shape"))
    if extra.get("output") is not None and sig.full.startswith("stablehlo."):
        out = extra["output"]
        out = out.type if isinstance(out, ir.Value) else out
        if isinstance(out, ir.ShapedType):
            extra["output_type"] = out.element_type
            return [list(out.shape)]
        wanted = out
    like = extra.get("like")
    if isinstance(like, ir.Value):
        return [list(like.type.shape)]
    wanted = None if wanted is None else list(wanted)
    dialect = sig.full.split(".")[0]
    if dialect == "sdy" or dialect == "debug":
        return [list(next(iter(operands.values())).type.shape)]
    if dialect != "stablehlo" and sig.short in signatures.SAME_SHAPE:
        return [list(next(v for v in operands.values() if v is not None).type.shape)]
    if dialect != "stablehlo" and sig.short in signatures.BROADCASTS:
        shapes = [list(v.type.shape) for v in operands.values() if v is not None]
        found = shapes[0] if all(s == shapes[0] for s in shapes) else broadcast(shapes)
        if found is None:
            raise sig.wrong(f"operands of shapes {' and '.join(map(str, shapes))} do not broadcast: from the right, sizes must "
                            f"be equal or 1")
        return [found]
    golden = GOLDENS.get(sig.full)
    if golden is not None and golden.kind == MESH:
        return _over_mesh(builder, sig, operands, attributes)
    if sig.short in ("constant",):
        value = attributes["value"]
        if extra.get("output_type") is None and extra.get("dtype") is None:
            extra["output_type"] = value.type.element_type if isinstance(value, ir.Attribute) else torch_dtype_to_type(
                getattr(value, "dtype", torch.float32))
        return [list(value.type.shape if isinstance(value, ir.Attribute) else value.shape)]
    if sig.short in ("reshape", "dynamic_reshape") and wanted is None:
        wanted = list(attributes["shape"])
    if wanted is not None and -1 in wanted:
        count = 1
        for size in next(iter(operands.values())).type.shape:
            count *= size
        known = 1
        for size in wanted:
            known *= size if size != -1 else 1
        wanted = [count // known if size == -1 else size for size in wanted]
    if wanted is not None:
        if sig.short == "reshape":
            _check_count(sig, next(iter(operands.values())), wanted)
        return [wanted]
    return _by_reference(sig, operands, attributes, extra, None)


def _check_count(sig, operand, wanted):
    have = want = 1
    for size in operand.type.shape:
        have *= size
    for size in wanted:
        want *= size
    if have != want:
        raise sig.wrong(f"an operand of type {operand.type} has {have} elements, the shape {wanted} {want}: they must be equal")


