"""One method of a builder for each row of its dialect: arguments by the row and `signatures`, result types by inference."""

import enum
import keyword
import os
import sys

import torch
from builder.base import signatures
from builder.base.results import result_types
from golden.evaluate import row_of
from golden.types import torch_dtype_to_type
from ttmlir import ir
from ttmlir._native import native as _native
from ttmlir.dialects import _tables

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUTSIDE = "builder methods make operations inside a function: call them in one decorated with @builder.func"
OPERAND, ATTRIBUTE, EXTRA = "operand", "attribute", "extra"
REQUIRED = object()
COMMON = ("output_type", "loc", "unit_attrs", "sharding_attr")


class BuilderError(ValueError):
    """A program that cannot be built: the message names the operation, the position, what was expected and found."""


def caller():
    """(file, line) of the nearest frame outside of this package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("?", 0)


# Attributes that repeat what the result's type says; the builder leaves them out, as tt-mlir's does.
SAID_BY_TYPE = {"ttnn.full": ("dtype", "layout")}


class Signature:
    """The arguments of an operation's method."""

    def __init__(self, full):
        row = row_of(full)
        self.full, self.row = full, row
        self.operands = [(name, arity) for name, arity in row[1]]
        self.attributes = {_tables.snake(a[0]): a for a in row[2] if a[0] not in SAID_BY_TYPE.get(full, ())}
        names = {name: OPERAND for name, _ in self.operands} | dict.fromkeys(self.attributes, ATTRIBUTE)
        optional = {name for name, arity in self.operands if arity == 1} | {n for n, a in self.attributes.items() if a[2]}
        self.parameters = []  # (name, the row's name, kind, default)
        text = signatures.SIGNATURES.get(full)
        if text is None:
            for name in sorted(names, key=lambda n: n in optional):  # the required ones first
                self.parameters.append((name, name, names[name], None if name in optional else REQUIRED))
        for token in (text or "").split():
            name, _, default = token.partition("=")
            name, _, known = name.partition(":")
            extra, name = name.startswith("@"), name.lstrip("@")
            known = known or name
            kind = EXTRA if extra else names[known]
            self.parameters.append((name, known, kind, _literal(default) if default else REQUIRED))
        given = {known for _, known, _, _ in self.parameters}
        for name in names:  # what a signature leaves out may be given by name
            if name not in given:
                self.parameters.append((name, name, names[name], None))
        stated = {name for name, _, _, _ in self.parameters}
        self.parameters += [(name, name, EXTRA, None) for name in COMMON if name not in stated]
        self.width = len(self.parameters)
        self.by_name = {name: i for i, (name, _, _, _) in enumerate(self.parameters)}
        for i, (_, known, _, _) in enumerate(self.parameters):
            self.by_name.setdefault(known, i)
        for i, (name, _) in enumerate(self.operands):
            self.by_name.setdefault(f"in{i}", self.by_name[name])
        self.defaults = [default for _, _, _, default in self.parameters]
        self.required = [i for i, default in enumerate(self.defaults) if default is REQUIRED]
        self.arity = dict(self.operands)  # 0: one, 1: one or none, 2: many
        self.variadic = {name for name, arity in self.operands if arity >= 2}
        self.short = full.split(".", 1)[1]
        self.cls, self.result_names = None, None
        # Element-wise operations of TTIR without attributes: their result has the type that all operands have.
        uniform = (self.short in signatures.BROADCASTS or self.short in signatures.SAME_SHAPE) and not self.attributes
        self.plain = len(self.operands) if (uniform and full.startswith("ttir.") and len(row[3]) == 1
                                            and full not in signatures.RESULT_TYPES and full not in signatures.ON_BITS and all(a == 0 for _, a in self.operands)) else -1
        if self.plain > 0:
            self.classes()

    def bind(self, args, kwargs):
        """The values of all parameters, in order."""
        if len(args) > self.width:
            raise self.wrong(f"takes {len(self.required)} to {self.width} arguments, {len(args)} were given")
        values = list(args) + self.defaults[len(args):]
        for name, value in kwargs.items():
            at = self.by_name.get(name)
            if at is None:
                raise self.wrong(f"has no argument '{name}'; there are {self.shown()}")
            if at < len(args):
                raise self.wrong(f"got the argument '{name}' twice")
            values[at] = value
        for i in self.required:
            if values[i] is REQUIRED:
                raise self.wrong(f"needs the argument '{self.parameters[i][0]}'; the arguments are {self.shown()}")
        return values

    def shown(self):
        return ", ".join(name + ("" if default is REQUIRED else f"={default!r}") for name, _, _, default in self.parameters)

    def wrong(self, text, error=BuilderError):
        return error(f"{self.full} at {':'.join(map(str, caller()))}: {text}")

    def classes(self):
        """The operation's class and the names of its result arguments."""
        import importlib

        module = importlib.import_module(f"ttmlir.dialects.{self.full.split('.')[0]}")
        self.cls = getattr(module, _tables.class_name(self.full))
        results = self.row[3]
        self.result_names = [_tables.result_name(name, i, len(results)) for i, (name, _) in enumerate(results)]


def _literal(text):
    import ast

    return ast.literal_eval(text)


_SIGNATURES = {}


def signature(full):
    """The signature of an operation, made once."""
    found = _SIGNATURES.get(full)
    if found is None:
        found = _SIGNATURES[full] = Signature(full)
    return found


# ---- attributes --------------------------------------------------------------------------------------------


def dense(tensor, element=None):
    """A constant's value: a splat where all elements are equal."""
    tensor = tensor if isinstance(tensor, torch.Tensor) else torch.as_tensor(tensor)
    if tensor.is_quantized:
        tensor = tensor.int_repr()
    element = element or torch_dtype_to_type(tensor.dtype)
    type = ir.RankedTensorType.get(list(tensor.shape), element)
    flat = tensor.detach().contiguous().flatten()
    if flat.numel() and bool((flat == flat[0]).all()):
        value = flat[0].item()
        make = ir.FloatAttr if tensor.dtype.is_floating_point else ir.IntegerAttr
        return ir.DenseElementsAttr.get_splat(type, make.get(element, value))
    if tensor.dtype is torch.bool:
        return ir.DenseElementsAttr.get([ir.IntegerAttr.get(element, int(v)) for v in flat.tolist()], type)
    if not flat.numel():
        return ir.Attribute.parse(f"dense<> : {type}")
    return ir.Attribute.parse(f'dense<"0x{flat.view(torch.uint8).numpy().tobytes().hex().upper()}"> : {type}')


def _number(value, element):
    """A number as an attribute: an integer's where the element type is one."""
    if isinstance(value, ir.Attribute):
        return value
    if element is not None and isinstance(element, (ir.IntegerType, ir.IndexType)):
        if isinstance(value, float) and value not in (float("inf"), float("-inf")):
            value = int(value)
        if not isinstance(value, float):
            return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), int(value))
    return ir.FloatAttr.get(ir.F32Type.get(), float(value))


def attribute(sig, name, value, element):
    """The attribute of a plain value where the row's constraint alone does not say it; otherwise the value."""
    if value is None or isinstance(value, ir.Attribute):
        return value
    if isinstance(value, enum.Enum) and not isinstance(value, int):
        value = value.value
    kind = sig.attributes[name][1]
    if kind == "ElementsAttr":
        return dense(value)
    if isinstance(value, torch.Size):
        value = list(value)
    if kind == "AnyAttrOf":
        if name in ("fill_value", "min", "max", "rhs"):
            return _number(value, element)
        if isinstance(value, (list, tuple)):
            return ir.DenseI32ArrayAttr.get([int(v) for v in value])
        if isinstance(value, (int, float)):
            whole = "get_signed" if name == "scale_factor" else "get_signless"
            return ir.IntegerAttr.get(getattr(ir.IntegerType, whole)(32), value) if isinstance(value, int) else _number(value, None)
    if kind == "I32ArrayAttr" and isinstance(value, int):
        return [value]
    if kind in ("DenseI64ArrayAttr", "DenseI32ArrayAttr") and isinstance(value, int):
        return [value]
    if kind in ("TTNN_ShapeAttr", "TTNN_MeshShapeAttr") and isinstance(value, (list, tuple)):
        spelled = "shape" if kind == "TTNN_ShapeAttr" else "mesh_shape"
        text = "x".join(map(str, value))
        return ir.Attribute.parse(f"#ttnn.{spelled}<{text}>" if spelled == "shape" else f"#ttnn<{spelled} {text}>")
    if kind == "TTNN_MeshOffsetAttr" and isinstance(value, (list, tuple)):
        return ir.Attribute.parse(f"#ttnn<mesh_offset {'x'.join(map(str, value))}>")
    if kind in ("StableHLO_ReplicaGroups", "I64ElementsAttr") and isinstance(value, (list, tuple, torch.Tensor)):
        return dense(torch.as_tensor(value, dtype=torch.int64))
    return value


# ---- operands ----------------------------------------------------------------------------------------------


def value_of(sig, name, given, context):
    """The IR value of an operand; names it where it is none or of another program."""
    if isinstance(given, ir.Value):
        found = given
    elif isinstance(given, (ir.OpView, ir.Operation)):
        results = given.operation.results
        if len(results) != 1:
            raise sig.wrong(f"the argument '{name}' is an operation with {len(results)} results: give one of them")
        found = results[0]
    else:
        raise sig.wrong(f"the argument '{name}' must be a value of the program (an argument of the function or what another "
                        f"method returned), got {type(given).__name__} {given!r:.60}", TypeError)
    if found.context is not context:
        raise sig.wrong(f"the argument '{name}' is a value of another builder's program: values can only be used where they were made")
    return found


def check_types(sig, operands):
    """Names operands of ranks and element types that the operation cannot compute with."""
    for name, dimensions in signatures.RANKS.get(sig.full, {}).items():
        type = operands[name].type if operands.get(name) is not None else None
        rank = dimensions.count(",") + 1
        if isinstance(type, ir.ShapedType) and len(type.shape) != rank:
            raise sig.wrong(f"the operand '{name}' is a {type}, but must have {rank} dimensions ({dimensions}): reshape it")
    names = signatures.ONE_TYPE.get(sig.full) or (tuple(operands) if sig.full in signatures.ON_BITS else ())
    known = []  # (name, element type)
    for name in names:
        given = operands.get(name)
        many = given if isinstance(given, list) else [] if given is None else [given]
        known += [(name if len(many) == 1 else f"{name}[{i}]", v.type.element_type) for i, v in enumerate(many)
                  if isinstance(v.type, ir.ShapedType) and isinstance(v.type.element_type, (ir.FloatType, ir.IntegerType))]
    for name, element in known:
        if sig.full in signatures.ON_BITS and isinstance(element, ir.FloatType):
            raise sig.wrong(f"the operand '{name}' is of {element}, but must be of integers: it computes with bits; convert it with typecast")
        if sig.full in signatures.ONE_TYPE and element != known[0][1]:
            raise sig.wrong(f"the operands '{known[0][0]}' of {known[0][1]} and '{name}' of {element} must have one element type: convert one "
                            f"of them with {'convert' if sig.full.startswith('stablehlo.') else 'typecast'}")


AXES = ("dim", "dims", "dimension", "dimensions", "dim_arg", "axis", "dim0", "dim1")


def check_axes(sig, operands, attributes):
    """Names axes that the first operand does not have; StableHLO counts them from the front only."""
    if sig.short == "unsqueeze":
        return
    for name in AXES:
        given = attributes.get(name)
        given = [given] if isinstance(given, int) else given
        if not isinstance(given, (list, tuple)) or not all(isinstance(d, int) for d in given):
            continue
        first = operands.get(sig.operands[0][0])
        first = first[0] if isinstance(first, list) and first else first
        rank = len(first.type.shape) if isinstance(first, ir.Value) and isinstance(first.type, ir.RankedTensorType) else 0
        low = 0 if sig.full.startswith("stablehlo.") else -rank
        for d in given if rank else ():
            if not low <= d < rank:
                raise sig.wrong(f"'{name}' is expected to be in range of [{low}, {rank - 1}], but got {d}: the operand '{sig.operands[0][0]}' has "
                                f"{rank} dimensions")


def build(builder, sig, args, kwargs, regions=None):
    """Makes the operation: (operation, results)."""
    values = sig.bind(args, kwargs)
    context = builder._ctx
    if builder._block is None:
        raise sig.wrong(OUTSIDE)
    operands, attributes, extra = {}, {}, {}
    for (name, known, kind, _), value in zip(sig.parameters, values):
        if kind is OPERAND:
            if value is not None:
                if known in sig.variadic:
                    many = value if isinstance(value, (list, tuple)) or type(value).__name__ == "OpResultList" else [value]
                    operands[known] = [value_of(sig, name, v, context) for v in many]
                else:
                    operands[known] = value_of(sig, name, value, context)
            elif sig.arity[known] == 0 and (sig.full, known) != ("ttir.to_layout", "output"):  # made by _destination
                raise sig.wrong(f"the argument '{name}' must be a value of the program, got None: it is not optional")
            else:
                operands[known] = None
        elif kind is ATTRIBUTE:
            if value is not None:
                attributes[known] = value
        else:
            extra[name] = value
    prepare = PREPARE.get(sig.full)
    if prepare:
        prepare(builder, sig, operands, attributes, extra)
    check_types(sig, operands)
    check_axes(sig, operands, attributes)
    if sig.cls is None:
        sig.classes()
    try:
        types = result_types(builder, sig, operands, attributes, extra)
    except TypeError as error:
        raise sig.wrong(f"{error}") from error
    builder._complete(sig, attributes, types)
    loc = builder._location(extra["loc"])
    element = builder._element_for_numbers(types, operands)
    call = {}
    for name, given in operands.items():
        call[_tables.safe(name)] = given if given is not None or name not in sig.variadic else []
    for name, given in attributes.items():
        call[_tables.safe(sig.attributes[name][0])] = attribute(sig, name, given, element)
    if types is not None:
        if len(sig.result_names) == 1 and sig.row[3][0][1] >= 2:
            call[sig.result_names[0]] = types
        else:
            call.update(zip(sig.result_names, types))
    try:
        op = sig.cls(loc=loc, **call).operation
    except (TypeError, ValueError, ir.MLIRError) as error:
        raise sig.wrong(f"{error}") from error
    finish(op, extra)
    return op


def finish(op, extra):
    """Unit attributes and the sharding."""
    if extra.get("unit_attrs"):
        for name in extra["unit_attrs"]:
            op.attributes[name] = ir.UnitAttr.get()
    if extra.get("sharding_attr") is not None:
        op.attributes["sdy.sharding"] = extra["sharding_attr"]


def returned(sig, op, operands=None):
    """What a method returns: the result, the results, or for an operation without any the operand that it writes."""
    results = list(op.results)
    if len(results) == 1 or sig.full in signatures.FIRST_RESULT:
        return results[0]
    if results:
        return tuple(results)
    name = signatures.WRITES.get(sig.short)
    if name:
        return op.operands[[n for n, _ in sig.operands].index(name)]
    return None


def method(full):
    """The builder's method of an operation."""
    sig_of = [None]

    def make(self, *args, **kwargs):
        sig = sig_of[0]
        if sig is None:
            sig = sig_of[0] = signature(full)
        if not kwargs and len(args) == sig.plain and self._block is not None:
            first = args[0]
            if isinstance(first, ir.Value) and first.context is self._ctx:
                type = first.type
                if all(isinstance(x, ir.Value) and x.type == type for x in args[1:]):
                    return sig.cls(type, *args, loc=self._location(None)).result
        return returned(sig, build(self, sig, args, kwargs))

    make.full = full
    return make


def add_methods(cls, dialect, skip=()):
    """Gives the class a method for each row of the dialect that it does not define, and the other names of methods."""
    for row in _native._ops(dialect):
        short = row[0].split(".", 1)[1]
        name = short.replace(".", "_").replace("-", "_")
        name = name + "_" if keyword.iskeyword(name) or name in skip else name
        if name not in vars(cls):
            made = method(row[0])
            made.__name__, made.__qualname__ = name, f"{cls.__name__}.{name}"
            made.__doc__ = f"{row[0]}: the operands and attributes of its row, see `tilewright operations {row[0]}`."
            setattr(cls, name, made)
    for name, short in signatures.METHODS.get(dialect, {}).items():
        if name not in vars(cls):
            found = vars(cls).get(short.replace("-", "_")) or vars(cls).get(short + "_")
            if found is not None:
                setattr(cls, name, found)


# ---- what single operations need before they are made ------------------------------------------------------


def _ones_for_steps(builder, sig, operands, attributes, extra):
    key = "step" if "step" in sig.attributes else "strides"
    begins = attributes.get("begins", attributes.get("start_indices"))
    if attributes.get(key) is None:
        attributes[key] = [1] * len(begins)


def _padding_groups(builder, sig, operands, attributes, extra):
    padding = list(extra.pop("padding"))
    if padding and not isinstance(padding[0], (list, tuple)):  # low and high pairs in dimension order
        padding = [padding[2 * i:2 * i + 2] for i in range(len(padding) // 2)]
    attributes["edge_padding_low"] = [p[0] for p in padding]
    attributes["edge_padding_high"] = [p[1] for p in padding]
    attributes["interior_padding"] = [p[2] if len(p) > 2 else 0 for p in padding]


def _all_dimensions(builder, sig, operands, attributes, extra):
    attributes.setdefault("keep_dim", False)


def _mesh_reduce(builder, sig, operands, attributes, extra):
    if isinstance(attributes.get("reduce_type"), enum.Enum) and not isinstance(attributes["reduce_type"], int):
        attributes["reduce_type"] = attributes["reduce_type"].value


def _distribution(joined):
    """The mapper or the composer of the dimensions that the axes of the mesh split."""
    def prepare(builder, sig, operands, attributes, extra):
        dims = list(extra.pop("shard_dims"))
        mesh = "x".join(map(str, builder._mesh_shape))
        if joined:
            known = [d if d is not None and d >= 0 else 0 for d in dims]
            text = f"#ttnn.mesh_composer_config<dims = [{', '.join(map(str, known))}], mesh_shape_override = {mesh}>"
            attributes.setdefault("composer_config", _parsed(sig, text))
        else:
            placements = ", ".join(f"<shard, {d} : i64>" if d is not None and d >= 0 else "<replicate>" for d in dims)
            attributes.setdefault("mapper_config", _parsed(sig, f"#ttnn.mesh_mapper_config<placements = [{placements}], mesh_shape_override = {mesh}>"))

    return prepare


def _parsed(sig, text):
    try:
        return ir.Attribute.parse(text)
    except ir.MLIRError as error:
        raise sig.wrong(f"no attribute {text}: {error}") from error


def _device(builder, sig, operands, attributes, extra):
    """Creation on a device where a buffer of it is asked for."""
    on_host = str(extra.get("buffer_type")).endswith(("SystemMemory", "system_memory"))
    if on_host:
        operands["device"] = None
    elif operands.get("device") is None and (extra.get("buffer_type") is not None or sig.short in ("empty", "rand")):
        operands["device"] = builder.get_device()


def _get_device(builder, sig, operands, attributes, extra):
    attributes.setdefault("mesh_shape", list(builder._mesh_shape))
    attributes.setdefault("mesh_offset", [0, 0])


def _destination(builder, sig, operands, attributes, extra):
    if operands.get("output") is None:
        given = extra["output_type"]
        if not isinstance(given, ir.Type):
            given = builder._tensor_type(list(operands["input"].type.shape), given)
        operands["output"] = builder._empty(given)
    extra["output_type"] = operands["output"].type


def _identity_indices(builder, sig, operands, attributes, extra):
    if attributes.get("scatter_reduce_type") in (None, "invalid"):
        attributes["scatter_reduce_type"] = "invalid"


def _no_zero_count(builder, sig, operands, attributes, extra):
    if not attributes.get("nnz"):
        attributes.pop("nnz", None)


PREPARE = {
    "ttir.sparse_matmul": _no_zero_count, "ttnn.sparse_matmul": _no_zero_count,
    "ttir.slice_static": _ones_for_steps, "ttnn.slice_static": _ones_for_steps, "stablehlo.slice": _ones_for_steps,
    "stablehlo.pad": _padding_groups, "ttnn.distribute_tensor": _distribution(False), "ttnn.aggregate_tensor": _distribution(True),
    "ttnn.get_device": _get_device, "ttir.to_layout": _destination, "ttir.scatter": _identity_indices,
    **{f"ttnn.{name}": _device for name in ("full", "zeros", "ones", "empty", "constant", "arange", "rand")},
    **{f"ttir.{name}": _mesh_reduce for name in ("all_reduce", "all_reduce_async", "reduce_scatter")},
}
