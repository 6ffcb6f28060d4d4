"""Compiling for the platform tt without jaxlib's conversions, which take longer than the compilation.

jaxlib turns each program into a portable artifact, by a dozen passes, before a plugin sees it. A serialised executable of
this plugin holds a program, too, so this module writes one around the program's bytecode and has JAX load it, as JAX does
with the executables in its compilation cache. Programs with anything unusual take jaxlib's way."""

import hashlib

# jaxlib checks this part of a serialised executable, and its form is its own matter: others take the usual way.
JAXLIB = "0.10.2"
# Element types as their text in MLIR -> IFRT's numbers of them.
TYPES = {"i1": 1, "i8": 2, "i16": 3, "i32": 4, "ui8": 6, "ui16": 7, "ui32": 8, "f16": 10, "f32": 11, "complex<f32>": 15, "bf16": 16}
# Loading cannot be interrupted by Ctrl-C; programs of more bytes, which take longer than a tenth of a second, can.
MAX_BYTES = 1 << 16
# Dialects whose operations jaxlib's passes replace.
OTHERS = (b"chlo", b"mhlo\0", b"mpmd")


def _varint(value):
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def _field(number, value):
    """A field of a protobuf message: of a number, or of bytes."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _packed(values):
    return _field(1, b"".join(map(_varint, values))) if len(values) else b""


def _result(tensor):
    shape = _packed(tensor.shape)
    return _field(5, _field(1, shape) + _field(2, _field(1, TYPES[str(tensor.element_type)])) + _field(4, b"device") + _field(6, shape))


def _argument(tensor):
    layout = _packed(range(len(tensor.shape) - 1, -1, -1)) + _field(16, 1)
    return _field(6, _field(1, _field(1, _field(1, b"xla::ifrt::PjRtLayout") + _field(2, _field(1, layout)))))


def executable(name, function, code, options):
    """The bytes of a serialised executable; None if a type is unusual. `code` is the bytecode, `options` the compile options' proto."""
    tensors = [*function.inputs, *function.results]
    if not all(getattr(t, "has_static_shape", False) and str(t.element_type) in TYPES for t in tensors):
        return None
    head = _field(1, 3) + _field(2, b"pjrt_ifrt") + b"".join(map(_result, function.results)) + b"".join(map(_argument, function.inputs))
    head += _field(7, name.encode()) + _field(9, b"")
    body = len(code).to_bytes(8, "little") + len(options).to_bytes(8, "little") + code + options
    return _varint(len(head)) + head + b"tilewright tt 1\0" + hashlib.sha256(body).digest() + body


def compiled(backend, module, function, devices, options, bytecode):
    """The loaded executable of a module whose main function has this type; None where jaxlib's way is to be taken."""
    if options.num_replicas != 1 or options.num_partitions != 1:
        return None
    code = bytecode(module)
    if len(code) > MAX_BYTES or any(dialect in code for dialect in OTHERS):
        return None
    data = executable(module.operation.attributes["sym_name"].value, function, code, options.SerializeAsString())
    try:
        return data and backend.deserialize_executable(data, devices, options)
    except RuntimeError:  # jaxlib's way says what is wrong
        return None
