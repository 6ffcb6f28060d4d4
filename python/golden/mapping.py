"""The reference of every operation: `GOLDENS["ttir.add"]` computes the results from the operands, in torch, written from the
operations' definitions and not from their lowering.

A reference is a function of (attributes, operand tensors); the attributes' members are Python values, absent ones None. The
results are converted to the types that the program gives."""

import torch
from golden import attention, collectives, elementwise, movement, nn, stablehlo
from golden.shards import GoldenMapTensor, apply_sharding, apply_unsharding, map_shards  # noqa: F401
from golden.types import (Quantized, element_name, mlir_datatype_to_torch_dtype, mlir_type_to_torch_dtype,  # noqa: F401
                          unpack_mlir_attr)
from ttmlir._native import native as _native

PLAIN, MESH, IN_PLACE, SEVERAL = "plain", "mesh", "in position", "in position, several"


class Golden:
    """A reference: its function, how it is called, and for IN_PLACE the operand that it renews."""

    __slots__ = ("function", "kind", "written")

    def __init__(self, function, kind=PLAIN, written=None):
        self.function, self.kind, self.written = function, kind, written


def _table():
    table, rows = {}, {d: {r[0].split(".", 1)[1] for r in _native._ops(d)} for d in ("ttir", "ttnn", "stablehlo")}

    def add(dialects, functions, kind=PLAIN):
        for dialect in dialects:
            for name, function in functions.items():
                if name in rows[dialect]:
                    table[f"{dialect}.{name}"] = Golden(*function) if isinstance(function, tuple) else Golden(function, kind)

    both = "ttir", "ttnn"
    for functions in (elementwise.SHARED, movement.SHARED, nn.SHARED, attention.SHARED, collectives.EXPERTS):
        add(both, functions)
    for functions in (nn.TTIR, attention.TTIR, collectives.TTIR):
        add(both[:1], functions)
    for functions in (elementwise.TTNN, nn.TTNN, attention.TTNN):
        add(both[1:], functions)
    add(both, collectives.SHARED, MESH)
    for functions in (movement.IN_PLACE, attention.IN_PLACE):
        add(both, {name: (function, IN_PLACE, written) for name, (function, written) in functions.items()})
    add(both[1:], {"adamw": (nn.adamw, SEVERAL, (0, 2, 3, 4))})
    add(("stablehlo",), elementwise.STABLEHLO)
    add(("stablehlo",), stablehlo.STABLEHLO)
    add(("stablehlo",), collectives.STABLEHLO, MESH)
    same = Golden(lambda a, x, *_: x)
    for name in ("sdy.sharding_constraint", "sdy.reshard", "sdy.all_gather", "sdy.all_slice", "sdy.all_to_all", "sdy.all_reduce",
                 "sdy.collective_permute", "sdy.reduce_scatter", "sdy.sharded_to_unreduced", "sdy.replicated_to_unreduced",
                 "sdy.propagation_barrier", "debug.annotate", "debug.begin_trace", "debug.end_trace", "debug.hook",
                 "debug.profiler_start", "debug.profiler_end", "debug.region_start", "debug.region_end", "debug.snapshot",
                 "debug.timestamp", "debug.breakpoint", "debug.print", "debug.memory_snapshot", "debug.dump", "d2m.to_layout",
                 "d2m.view_layout", "ttcore.optimization_barrier"):
        table[name] = same
    table["debug.overwrite"] = Golden(lambda a, into, x: x)
    return table


GOLDENS = _table()
# Operations that compute no value that could be compared.
NO_REFERENCE = {
    **dict.fromkeys(("ttir.alloc", "ttir.dealloc", "ttnn.alloc", "ttnn.deallocate"), "manages a buffer, computes nothing"),
    **dict.fromkeys(("ttir.tt_lang_op", "ttnn.tt_lang_op"), "a kernel of the user: its reference is registered with it"),
    **dict.fromkeys(("ttnn.generic", "ttnn.d2m_subgraph"), "a program of kernels: what it computes is in another dialect"),
    **dict.fromkeys(("ttnn.get_device", "ttnn.create_global_semaphore", "ttnn.reset_global_semaphore", "ttnn.allocate_moe_compute_semaphore"),
                    "yields a handle, no tensor"),
    **dict.fromkeys(("ttnn.begin_trace_capture", "ttnn.end_trace_capture", "ttnn.execute_trace", "ttnn.capture_or_execute_trace"),
                    "records and replays commands"),
    **dict.fromkeys(("ttnn.dump_tensor", "ttnn.load_tensor"), "the tensor is in a file"),
    **dict.fromkeys(("ttir.moe_gpt", "ttnn.moe_gpt"), "its results are buffers in the device's own layout"),
    **dict.fromkeys(("ttnn.moe_compute", "ttnn.prepare_moe_compute_w0_w1_weights", "ttnn.prepare_moe_compute_w2_weights"),
                    "packed weights: the reference is that of ttir.moe_compute"),
    **dict.fromkeys(("ttir.selective_reduce_combine", "ttnn.selective_reduce_combine"), "its operands are records of moe_gpt"),
    **dict.fromkeys(("stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send", "stablehlo.recv", "stablehlo.create_token",
                     "stablehlo.after_all", "stablehlo.async_start", "stablehlo.async_done"), "exchanges with the host"),
    **dict.fromkeys(("stablehlo.replica_id", "stablehlo.partition_id"), "a number of the device, not of the program"),
    "stablehlo.rng_bit_generator": "bits of a generator that the implementation chooses",
    "stablehlo.collective_reduce": "no consumer here has it",
}
# Operations that the evaluator of programs carries out itself: regions, calls, tuples.
STRUCTURE = ("stablehlo.if", "stablehlo.case", "stablehlo.while", "stablehlo.composite", "stablehlo.tuple",
             "stablehlo.get_tuple_element", "stablehlo.return")
_UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
# A result of more bits is computed with them, not rounded or wrapped on the way: the operands' types, by the result's.
_NARROWER = {torch.float32: (torch.bfloat16, torch.float16), torch.float64: (torch.bfloat16, torch.float16, torch.float32),
             torch.int32: (torch.uint8, torch.int8, torch.int16), torch.uint32: (torch.uint8, torch.int8, torch.int16)}


class Attributes:
    """Attributes of an operation as Python values, its result types, and evaluation of its regions."""

    def __init__(self, read, shapes=None, types=None, device_of="cpu", operands=(), results=(), evaluator=None, op=None):
        self.__dict__.update(_read=read, shapes=shapes, types=types, device_of=device_of, _operands=operands, _results=results,
                             _evaluator=evaluator, _op=op)

    def __getattr__(self, name):
        value = unpack_mlir_attr(self._read(name))
        self.__dict__[name] = value
        return value

    @property
    def quantized(self):
        return [Quantized(element_name(type)) for type in self._results]

    @property
    def operand_quantized(self):
        return [Quantized(element_name(type)) for type in self._operands]

    def region(self, index, values):
        """The values that a region returns for these arguments."""
        return self._evaluator.region(self._op.regions[index].blocks[0], values)

    def _sole(self):
        """The region's operation, if it has one beside its end, and the end."""
        operations = list(self._op.regions[0].blocks[0].operations)
        return (operations[0] if len(operations) == 2 else None), operations[-1], len(operations)

    @property
    def body(self):
        """What combines two values: "add", ...; "update" for the second of them; None for anything longer."""
        block = self._op.regions[0].blocks[0]
        sole, end, count = self._sole()
        arguments = list(block.arguments)
        if count == 1 and len(arguments) == 2 and end.operands[0] == arguments[1]:
            return "update"
        if sole is None or len(arguments) != 2 or set(sole.operands) != set(arguments):
            return None
        return sole.name.split(".", 1)[1]

    @property
    def compares_first(self):
        """The direction of a comparator that compares the first operand's elements only."""
        block = self._op.regions[0].blocks[0]
        sole, end, _ = self._sole()
        if sole is None or sole.name != "stablehlo.compare" or list(sole.operands) != list(block.arguments)[:2]:
            return None
        total = sole.attributes["compare_type"] if "compare_type" in sole.attributes else None
        return None if total is not None and "TOTAL" in str(total) else str(unpack_mlir_attr(sole.attributes["comparison_direction"]))


def _widened(x):
    if isinstance(x, (list, tuple)):
        return [_widened(t) for t in x]
    if isinstance(x, torch.Tensor):
        if x.is_quantized:
            x = x.int_repr()
        if x.dtype in _UNSIGNED:
            return x.to(torch.int64)
    return x


def convert(x, dtype):
    """The tensor in another element type; floats beyond an integer type's range wrap or saturate as the host's conversion."""
    if x.dtype is dtype:
        return x
    if x.dtype.is_complex and not dtype.is_complex:
        x = x.real
    if dtype in (torch.uint8, torch.int8, torch.int16, *_UNSIGNED) and x.dtype.is_floating_point:
        x = x.to(torch.int64)
    return x.to(dtype)


def apply(golden, attributes, operands, types):
    """The results of a reference of one device, in the given torch dtypes (None keeps what it computes)."""
    operands = [_widened(x) for x in operands]
    narrower = _NARROWER.get(types[0], ()) if types else ()
    operands = [_widened(x.to(types[0])) if isinstance(x, torch.Tensor) and x.dtype in narrower else x for x in operands]
    out = golden.function(attributes, *operands)
    out = out if isinstance(out, (tuple, list)) else (out,)
    return [x if types is None or i >= len(types) or types[i] is None else convert(x, types[i]) for i, x in enumerate(out)]


def register_golden(name, function):
    """Sets the reference of an operation, by its name ("ttir.tt_lang_op"): a function of (attributes, operand tensors)."""
    GOLDENS[name] = Golden(function)


# ---- by the operation's class, as other tools ask ------------------------------------------------------


def get_golden_function(op_class, **_):
    """A function of (operands, attributes by name, output_type_mlir=None) for a class of operations."""
    name = op_class if isinstance(op_class, str) else op_class.OPERATION_NAME
    golden = GOLDENS.get(name)
    if golden is None:
        why = NO_REFERENCE.get(name)
        raise AssertionError(f"No golden function found for TTIR operation: {name}" + (f" ({why})" if why else ""))

    def call(*operands, output_type_mlir=None, **attributes):
        types = None if output_type_mlir is None else [mlir_type_to_torch_dtype(output_type_mlir)]
        extra = [v for v in attributes.values() if isinstance(v, (torch.Tensor, GoldenMapTensor))]
        read = Attributes({_snake(k): v for k, v in attributes.items()}.get, device_of=_device_of(operands))

        def one(*tensors):
            done = apply(golden, read, tensors, types)
            return done[0] if len(done) == 1 else tuple(done)

        operands = (*operands, *extra)
        return map_shards(operands, one) if any(isinstance(x, GoldenMapTensor) for x in operands) else one(*operands)

    return call


def _device_of(operands):
    for x in operands:
        if isinstance(x, (list, tuple)):
            found = _device_of(x)
            if found != "cpu":
                return found
        elif isinstance(x, torch.Tensor):
            return x.device.type
    return "cpu"


def _snake(name):
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


class _ByClass(dict):
    """{class: reference}, filled when it is first read."""

    def __init__(self, dialects, make):
        super().__init__()
        self._dialects, self._make = dialects, make

    def _fill(self):
        if not len(self.keys()):
            import importlib

            for name in GOLDENS:
                dialect = name.split(".")[0]
                if dialect in self._dialects:
                    importlib.import_module(f"ttmlir.dialects.{dialect}")
                    self[_class_of(name)] = self._make(name)

    def __missing__(self, key):
        self._fill()
        return dict.__getitem__(self, key) if dict.__contains__(self, key) else self._raise(key)

    def _raise(self, key):
        raise KeyError(key)

    def get(self, key, default=None):
        self._fill()
        return dict.get(self, key, default)

    def __contains__(self, key):
        self._fill()
        return dict.__contains__(self, key)


def _class_of(name):
    import importlib

    from ttmlir.dialects import _tables

    return getattr(importlib.import_module(f"ttmlir.dialects.{name.split('.')[0]}"), _tables.class_name(name))


def get_chisel_golden_function(op_class):
    """A function of (operation, {operand's name: tensor}) -> result or results, for a class of operations; None without one."""
    golden = GOLDENS.get(op_class.OPERATION_NAME)
    if golden is None or golden.kind not in (PLAIN, IN_PLACE):
        return None

    def call(op, inputs):
        from golden.evaluate import attributes_of, result_dtypes

        operands = [inputs.get(name) for name in op_class.OPERAND_NAMES]
        while operands and operands[-1] is None:
            operands.pop()

        def one(*tensors):
            done = apply(golden, attributes_of(op), tensors, result_dtypes(op))
            return done[0] if len(done) == 1 else tuple(done)

        return map_shards(operands, one) if any(isinstance(x, GoldenMapTensor) for x in operands) else one(*operands)

    return call


GOLDEN_MAPPINGS = _ByClass(("ttir", "ttnn", "stablehlo", "sdy", "debug", "d2m"), get_golden_function)
CHISEL_GOLDEN_MAPPINGS = _ByClass(("ttnn",), lambda name: get_chisel_golden_function(_class_of(name)))


def get_custom_call_golden_function(target):
    """The reference of a custom call: of the TTNN or TTIR operation that the target names ("tt.gelu")."""
    name = target.split(".", 1)[1] if "." in target else target
    for dialect in ("ttnn", "ttir"):
        found = GOLDENS.get(f"{dialect}.{name}")
        if found is not None and found.kind == PLAIN:
            return found.function
    raise LookupError(f"no golden function for the custom call '{target}': register one with golden.register_golden")
