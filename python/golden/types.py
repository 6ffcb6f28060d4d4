"""Element types and attributes of the IR as torch's and Python's."""

import re

import torch
from ttmlir import ir

TORCH_OF = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "si8": torch.int8, "si16": torch.int16, "si32": torch.int32, "si64": torch.int64,
    "ui8": torch.uint8, "ui16": torch.uint16, "ui32": torch.uint32, "ui64": torch.uint64,
    "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32,  # of ttcore's data types
    "complex<f32>": torch.complex64, "complex<f64>": torch.complex128, "index": torch.int64,
    # Block floats hold values of bf16 with fewer bits.
    "bfp_bf8": torch.bfloat16, "bfp_bf4": torch.bfloat16, "bfp_bf2": torch.bfloat16, "bfp_f8": torch.float16,
    "bfp_f4": torch.float16, "bfp_f2": torch.float16,
}
NAME_OF = {
    torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64", torch.bool: "i1",
    torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.uint8: "ui8",
    torch.uint16: "ui16", torch.uint32: "ui32", torch.uint64: "ui64", torch.complex64: "complex<f32>",
    torch.complex128: "complex<f64>",
}
QUANTIZED = {torch.qint32: ("i32", True, 32), torch.qint8: ("i8", True, 8), torch.quint8: ("ui8", False, 8)}
_TILE = re.compile(r"!ttcore\.tile<\d+x\d+, ?(\w+)>$")
_QUANT = re.compile(r"!quant\.uniform<(\w+?)(?:<[^>]*>)?:(\w+)(:\d+)?, *(.*)>$", re.S)


class Quantized:
    """A !quant.uniform type: codes of `storage`, with scales and zero points for the tensor or along `axis`."""

    def __init__(self, text):
        found = _QUANT.match(text)
        self.storage, self.expressed = TORCH_OF[found[1].replace("u8", "ui8") if found[1] == "u8" else found[1]], TORCH_OF[found[2]]
        self.axis = int(found[3][1:]) if found[3] else None
        pairs = [pair.split(":") for pair in found[4].strip("{} ").split(",")]
        self.scales = [float(pair[0]) for pair in pairs]
        self.zeros = [int(pair[1]) if len(pair) > 1 else 0 for pair in pairs]

    def parameters(self, rank):
        """(scale, zero point) as tensors that broadcast over one of that rank."""
        shape = [1] * rank
        if self.axis is not None:
            shape[self.axis] = -1
        else:
            shape = []
        return (torch.tensor(self.scales, dtype=torch.float64).reshape(shape),
                torch.tensor(self.zeros, dtype=torch.float64).reshape(shape))


def element_name(type):
    """The text of the element type of a tensor, memref, tile, or of the type itself."""
    element = type.element_type if isinstance(type, ir.ShapedType) else type
    text = str(element)
    found = _TILE.match(text)
    return found[1] if found else text


def mlir_type_to_torch_dtype(type):
    """The torch dtype of a type's elements; codes for quantised ones."""
    text = element_name(type)
    if text.startswith("!quant"):
        return Quantized(text).storage
    try:
        return TORCH_OF[text]
    except KeyError:
        raise TypeError(f"no torch dtype for elements of type {text}; there are {', '.join(sorted(TORCH_OF))}") from None


def mlir_datatype_to_torch_dtype(datatype):
    """The torch dtype of a ttcore data type, given as a case, an attribute or its number."""
    text = str(datatype)
    found = re.search(r"<(\w+)>", text)
    name = (found[1] if found else text.rsplit(".", 1)[-1]).lower()
    names = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "uint32": "u32", "uint16": "u16", "uint8": "u8",
             "int32": "si32", "bool": "i1"}
    return TORCH_OF[names.get(name, name)]


def torch_dtype_to_type(dtype, context=None):
    """The element type of a torch dtype; of a quantised one, given as an object with dtype, scale and zero_point."""
    base = getattr(dtype, "dtype", dtype)
    if base in QUANTIZED:
        scale, zero = getattr(dtype, "scale", None), getattr(dtype, "zero_point", None)
        if scale is None or zero is None:
            raise ValueError(f"{base} needs a scale and a zero point: give TypeInfo(dtype={base}, scale=..., zero_point=...)")
        storage = QUANTIZED[base][0].replace("ui", "u")
        return ir.Type.parse(f"!quant.uniform<{storage}:f32, {float(scale)!r}:{int(zero)}>", context)
    if base not in NAME_OF:
        raise TypeError(f"no element type for {dtype!r}: expected a torch dtype such as torch.float32, or a TypeInfo")
    return ir.Type.parse(NAME_OF[base], context)


def _dense(attribute):
    type = attribute.type
    name = element_name(type)
    dtype, shape = TORCH_OF.get(name, torch.float32), list(type.shape)
    if name.startswith("complex"):
        raise TypeError(f"constants of {name} have no reference yet")
    if attribute.is_splat:
        value = attribute.get_splat_value()
        value = value.value if hasattr(value, "value") else value
        return torch.full(shape, value, dtype=torch.int64 if isinstance(value, int) else torch.float64).to(dtype)
    if dtype in (torch.bfloat16, torch.float16, torch.bool):
        values = [x.value if hasattr(x, "value") else x for x in attribute]
        return torch.tensor(values, dtype=torch.float64 if dtype is not torch.bool else torch.bool).to(dtype).reshape(shape)
    import numpy as np

    return torch.from_numpy(np.array(attribute).copy()).to(dtype).reshape(shape)


_ENUM = re.compile(r"#[\w.]+<(\w*)>$")
_ENUM_SHORT = re.compile(r"#\w+<\w+ (\w+)>$")
_SIZES = re.compile(r"#ttnn\.(?:shape|mesh_shape|mesh_offset)<([\dx]*)>$")


def unpack_mlir_attr(attribute):
    """The Python value of an attribute: numbers, text, lists, tensors of dense constants, the text of enum cases; other
    attributes, and what is no attribute, stay as they are."""
    if attribute is None or not isinstance(attribute, ir.Attribute):
        return attribute
    if isinstance(attribute, (ir.BoolAttr, ir.IntegerAttr, ir.FloatAttr, ir.StringAttr, ir.FlatSymbolRefAttr)):
        return attribute.value
    if isinstance(attribute, ir.UnitAttr):
        return True
    if isinstance(attribute, ir.DenseElementsAttr) or type(attribute).__name__.startswith(("DenseResource", "DenseInt", "DenseFP")):
        return _dense(attribute)
    if isinstance(attribute, ir.ArrayAttr):
        return [unpack_mlir_attr(item) for item in attribute]
    if type(attribute).__name__.startswith("Dense"):
        return [bool(x) if "Bool" in type(attribute).__name__ else x for x in attribute]
    text = str(attribute)
    found = _SIZES.match(text)
    if found:
        return [int(x) for x in found[1].split("x") if x]
    found = _ENUM.match(text) or _ENUM_SHORT.match(text)
    return found[1] if found else attribute
