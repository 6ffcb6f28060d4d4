"""Programs of TTIR."""

import torch
from builder.base.builder import Builder
from builder.base.builder_utils import *  # noqa: F401,F403
from builder.base.methods import add_methods, signature
from ttmlir import ir
from ttmlir.dialects import ttnn


class TTIRBuilder(Builder):
    """A method for each operation of TTIR."""

    dialect = "ttir"

    def _create_ttnn_tensor_encoding(self, shape, element_type, layout=ttnn.Layout.Tile, buffer_type=ttnn.BufferType.DRAM,
                                     tensor_memory_layout=ttnn.TensorMemoryLayout.Interleaved, grid_shape=None, core_range_set=None):
        from builder.ttnn.ttnn_builder import encoding

        return encoding(self, shape, element_type, layout, buffer_type, tensor_memory_layout, grid_shape, core_range_set)

    def _empty(self, type):
        return self._make("ttir.empty", type.shape, None, output_type=type)

    def topk_indices(self, topk_values):
        """The second result of the topk that made these values."""
        return self._value(topk_values).owner.operation.results[1]

    def upsample2d(self, in0, in1, scale_factor, mode="nearest", **common):
        """ttir.upsample2d; the result has the type of in1, or is inferred where that is None."""
        return self._make("ttir.upsample2d", in0, in1, scale_factor, mode, **common)

    def _quantized(self, name, in0, scale, zero_point, dtype, **common):
        """The result type has the scale and zero point, except for dequantize."""
        element = dtype if name == "dequantize" else TypeInfo(dtype, scale, zero_point)  # noqa: F405
        type = ir.RankedTensorType.get(list(self._value(in0).type.shape), self._element(element))
        return self._make(f"ttir.{name}", in0, scale, zero_point, dtype, output_type=type, **common)

    def quantize(self, in0, scale, zero_point, dtype, **common):
        """Codes of floats."""
        return self._quantized("quantize", in0, scale, zero_point, dtype, **common)

    def dequantize(self, in0, scale, zero_point, dtype, **common):
        """Floats of codes."""
        return self._quantized("dequantize", in0, scale, zero_point, dtype, **common)

    def requantize(self, in0, scale, zero_point, dtype, **common):
        """Codes with another scale and zero point."""
        return self._quantized("requantize", in0, scale, zero_point, dtype, **common)

    def conv2d(self, in0, weight, bias, stride, padding, dilation, groups, output_type=None, **common):
        """ttir.conv2d; the product of quantised operands has the product of their scales."""
        wanted = str(self._value(in0).type.element_type)
        if wanted.startswith("!quant") and output_type is None:
            from golden.types import Quantized

            a, b = Quantized(wanted), Quantized(str(self._value(weight).type.element_type))
            shape = list(self._make_shape("ttir.conv2d", in0, weight, bias, stride, padding, dilation, groups))
            output_type = ir.RankedTensorType.get(shape, self._element(TypeInfo(torch.qint32, a.scales[0] * b.scales[0], 0)))  # noqa: F405
        return self._make("ttir.conv2d", in0, weight, bias, stride, padding, dilation, groups, output_type=output_type, **common)

    def _make_shape(self, full, in0, weight, bias, stride, padding, dilation, groups):
        from builder.base.results import _by_reference

        sig = signature(full)
        attributes = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        operands = {"input": self._value(in0), "weight": self._value(weight), "bias": None if bias is None else self._value(bias)}
        return _by_reference(sig, operands, attributes, {}, None)[0]


add_methods(TTIRBuilder, "ttir")
