"""ttir: its operations and enums, and in `ir` its attributes and types, from the library's rows."""

from ttmlir.dialects import _maps, _tables

ir = _tables.Namespace(f"{__name__}.ir", _tables.fill(globals(), "ttir"))

ir.affine_map_compose = _maps.affine_map_compose
ir.rearrange_inv_pattern_map = _maps.rearrange_inv_pattern_map
_tables.rename(ir.ConvolutionLayoutAttr, **{name: f"{name}_dimension" for name in (
    "input_batch", "input_feature", "kernel_output_feature", "kernel_input_feature", "output_batch", "output_feature")})
