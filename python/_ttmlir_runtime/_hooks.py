"""Hooks called before and after each operation of a program, and access to intermediate tensors."""

import contextlib
import ctypes
import inspect
import json
import threading

from tilewright import _core

from ._tensor import Tensor, TensorRef
from ._types import DataType

_registered = {}  # pre_op, post_op, pre_program, post_program
_observers = []  # functions of (event, Binary, CallbackContext, OpContext or None), beside the hooks
_running = threading.local()  # .watches: of the programs that run in this thread, the innermost last


class DebugHooks:
    """Functions called by programs: `pre_op` and `post_op` with (Binary, CallbackContext, OpContext), `pre_program`
    and `post_program` with (Binary, CallbackContext). An exception in one ends the program."""

    @staticmethod
    def get(pre_op=None, post_op=None, pre_program=None, post_program=None):
        """Registers the functions; those that are None are unchanged."""
        for name, hook in (("pre_op", pre_op), ("post_op", post_op), ("pre_program", pre_program),
                           ("post_program", post_program)):
            if hook is not None and not callable(hook):
                raise TypeError(f"{name} must be a function, not {hook!r}")
            if hook is not None:
                _registered[name] = hook
        return DebugHooks()

    def __repr__(self):
        return f"DebugHooks({', '.join(sorted(_registered)) or 'none'})"


def unregister_hooks():
    _registered.clear()


@contextlib.contextmanager
def observed(observer):
    """While it lasts, the observer is called at every event of every run: pre_program, pre_op, post_op, post_program."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


class CallbackContext:
    """A running program: its index, and its live tensors."""

    def __init__(self, binary, program_index, device):
        self._binary, self._index, self._device = binary, program_index, device
        self._pool = {}  # (program, tensor id) -> (address, bytes, type, shape)


class OpContext:
    """An operation of a program, by its indices in the binary."""

    def __init__(self, binary, program, operation, outputs=()):
        self._binary, self._program = binary, program
        self._outputs = outputs
        self._text, self._location, self._read, self._made = binary._file.operation(program, operation)


class _Watch:
    """Calls the registered hooks of one run."""

    def __init__(self, device, binary, index):
        self.device, self.binary, self.hooks = device, binary, dict(_registered)
        self.observers = tuple(_observers) + ((_debugs(binary, index),) if binary.debugs(index) else ())
        self.context = CallbackContext(binary, index, device)

    @contextlib.contextmanager
    def over(self, inputs):
        """While the program runs."""
        former = getattr(_running, "watches", ())
        _running.watches = [*former, self]
        try:
            self._note_inputs(inputs)
            self._call("pre_program")
            yield
            self._call("post_program")
        finally:
            _running.watches = [*former]

    def _note_inputs(self, inputs):
        for ref, tensor in zip(self.binary.inputs(self.context._index), inputs):
            memory = tensor.memory()
            address = ctypes.addressof((ctypes.c_char * len(memory)).from_buffer(memory)) if len(memory) else 0
            self.context._pool[self.context._index, ref["global_id"]] = address, len(memory), tensor.get_dtype().held.value, tensor.get_shape()

    def _call(self, name):
        for observer in self.observers:
            observer(name, self.binary, self.context, None)
        if name in self.hooks:
            self.hooks[name](self.binary, self.context)

    def notify(self, name, before, program, operation, inputs, outputs, l1, dram):
        self.device._used = l1, dram
        if before and "pre_op" not in self.hooks and not self.observers:
            return
        op = OpContext(self.binary, program, operation, outputs)
        for (number, _, _), tensor in zip(op._made, outputs):
            self.context._pool[program, number] = tensor
        event = "pre_op" if before else "post_op"
        for observer in self.observers:
            observer(event, self.binary, self.context, op)
        hook = self.hooks.get(event)
        if hook:
            hook(self.binary, self.context, op)
        if name == "ttnn.deallocate" and not before:
            for number, _, _ in op._read:
                self.context._pool.pop((program, number), None)


def notify(*event):
    """Called by tilewright._core for each operation: see core_memory.h."""
    _running.watches[-1].notify(*event)


def watch(device, binary, index):
    """The watch that calls the hooks of a run; None without hooks, and for TTMetal, whose commands have none."""
    if binary.file_identifier != "TTNN":
        return None
    return _Watch(device, binary, index) if _registered or _observers or binary.debugs(index) else None


def _debugs(binary, index):
    """An observer that does what operations of the debug dialect ask for when their operand has been made."""
    asked = binary.debugs(index)

    def observe(event, binary, program, op):
        for number, _, _ in op._made if event == "post_op" and op._program == index else ():
            for kind, text in asked.get(number, ()):
                if kind == "PrintOp":
                    values = _copy(program._pool[index, number])
                    print(f"{text} {values.get_shape()} {values.get_dtype().name} {_values(values)}", flush=True)
                else:
                    _snapshot(program, op, text)

    return observe


def _values(tensor, shown=8):
    """The first elements."""
    wide = bytearray(8 * tensor.get_volume())
    _core.convert(wide, DataType.Float64.held.value, tensor.memory(), tensor.get_dtype().held.value)
    numbers = memoryview(wide).cast("d")
    return "[" + ", ".join(f"{x:g}" for x in numbers[:shown]) + (", ...]" if len(numbers) > shown else "]")


def _snapshot(program, op, path):
    """Writes the memory in use to a file."""
    views = program._device.get_memory_view()
    fields = "num_banks", "total_bytes_per_bank", "total_bytes_allocated_per_bank", "total_bytes_free_per_bank"
    contents = {kind.name.lower(): {f: getattr(view, f) for f in fields} for kind, view in views.items()}
    try:
        with open(path, "w") as file:
            json.dump({"after": op._text, "location": op._location} | contents, file, indent=2)
    except OSError as error:
        raise RuntimeError(f"debug.memory_snapshot cannot write '{path}': {error.strerror}") from None


# ---- queries of hooks -----------------------------------------------------------------------------------


def _copy(entry):
    address, size, dtype, shape = entry
    memory = bytearray(ctypes.string_at(address, size)) if size else bytearray()
    return Tensor(shape, DataType(dtype), memory)


def get_op_debug_str(op_context):
    """The operation as text."""
    return op_context._text


def get_op_loc_info(op_context):
    """Its location as text: loc("...")."""
    return op_context._location


def get_op_output_tensor(op_context, program_context):
    """{device: the first result}, copied; empty where there is none (yet)."""
    return {0: _copy(op_context._outputs[0])} if op_context._outputs else {}


def _refs(op_context, tensors):
    return [TensorRef(op_context._program, number, shape, dtype) for number, shape, dtype in tensors]


def get_op_output_refs(op_context):
    return _refs(op_context, op_context._made)


def get_op_input_refs(op_context):
    return _refs(op_context, op_context._read)


def retrieve_tensor_from_pool(program_context, tensor_ref, untilize=True):
    """A copy of a live tensor, else None."""
    entry = program_context._pool.get(tensor_ref._key)
    return _copy(entry) if entry else None


def update_tensor_in_pool(program_context, tensor_ref, tensor):
    """Replaces the values of a live tensor, for later operations."""
    entry = program_context._pool.get(tensor_ref._key)
    if entry is None:
        raise RuntimeError("the tensor is not alive at this point of the program")
    address, size, dtype, shape = entry
    if tensor.get_volume() * DataType(dtype).size != size:
        raise RuntimeError(f"a tensor of shape {shape} cannot become one of {tensor.get_shape()}")
    if size:
        room = (ctypes.c_char * size).from_address(address)
        _core.convert(room, dtype, tensor.memory(), tensor.get_dtype().held.value)


def get_program_index(program_context):
    return program_context._index


def invoke_cpu_op(program_context, op_context, inputs):
    raise NotImplementedError("operations that are hoisted to the CPU do not run yet")


def walk_program(binary, program_index, callback):
    """Calls callback(OpContext), or callback(Binary, CallbackContext, OpContext) if it takes three, for each operation in
    order, without running any."""
    context = CallbackContext(binary, program_index, None)
    try:
        inspect.signature(callback).bind(binary)
        first = ()
    except TypeError:
        first = binary, context
    for operation in range(binary._file.program(program_index)[4]):
        callback(*first, OpContext(binary, program_index, operation))
