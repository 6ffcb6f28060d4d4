"""Settings of the optimizer, as the options of `ttir-to-ttnn-runtime-pipeline`.

`OptimizerOverridesHandler` collects settings by the names of operations' locations; `to_string()` is the text for the
pipeline. Fields of parameters that are not set are None and not written.
"""

from dataclasses import dataclass, field, fields

from ttmlir.dialects import ttcore as _ttcore
from ttmlir.dialects import ttnn as _ttnn

__all__ = ["BufferType", "Conv2dConfigOverrideParams", "DataType", "InsertMemReconfigParams", "Layout",
           "OptimizerOverridesHandler", "OutputLayoutOverrideParams", "TensorMemoryLayout"]

BufferType, Layout, TensorMemoryLayout, DataType = (
    _ttnn.BufferType, _ttnn.Layout, _ttnn.TensorMemoryLayout, _ttcore.DataType)


def _truth(text, what):
    return text == "True"


def _count(text, what):
    if not text.isdigit():
        raise ValueError(f"Invalid {what}: {text}")
    return int(text)


def _one_of(enum):
    def find(text, what):
        for member in enum:
            if str(member) == text:
                return member
        raise ValueError(f"Invalid {what}: {text}")

    return find


def _activation(text, what):
    if text not in ("none", "relu"):
        raise ValueError(f"Invalid {what}: {text}")
    return None if text == "none" else _one_of(_ttnn.UnaryOpType)(text, what)


def _with_setters(**readers):
    """Adds set_NAME_from_str for each field that has a reader of text."""

    def add(cls):
        for name, reader in readers.items():
            def set_it(self, text, name=name, reader=reader):
                if not isinstance(text, str):
                    raise TypeError(f"{name}: expected text, found {type(text).__name__}")
                setattr(self, name, reader(text, name.replace("_", " ")))

            set_it.__name__ = f"set_{name}_from_str"
            setattr(cls, set_it.__name__, set_it)
        return cls

    return add


class _Params:
    def empty(self):
        """True if nothing is set."""
        return all(getattr(self, f.name) is None for f in fields(self))


@dataclass
class InsertMemReconfigParams:
    operand_idxes: list = field(default_factory=list)

    def _text(self):
        return ":".join(map(str, self.operand_idxes))


@_with_setters(buffer_type=_one_of(BufferType), tensor_memory_layout=_one_of(TensorMemoryLayout),
               memory_layout=_one_of(Layout), data_type=_one_of(DataType))
@dataclass
class OutputLayoutOverrideParams(_Params):
    grid: list = None
    buffer_type: BufferType = None
    tensor_memory_layout: TensorMemoryLayout = None
    memory_layout: Layout = None
    data_type: DataType = None

    def _text(self):
        grid = None if self.grid is None else "x".join(map(str, self.grid))
        parts = [grid, self.buffer_type, self.tensor_memory_layout, self.memory_layout, self.data_type]
        return ":".join(str(part) for part in parts if part is not None)


@_with_setters(weights_dtype=_one_of(DataType), activation=_activation, deallocate_activation=_truth,
               reallocate_halo_output=_truth, act_block_h_override=_count, act_block_w_div=_count,
               reshard_if_not_optimal=_truth, override_sharding_config=_truth,
               shard_layout=_one_of(TensorMemoryLayout), transpose_shards=_truth, output_layout=_one_of(Layout),
               enable_act_double_buffer=_truth, enable_weights_double_buffer=_truth)
@dataclass
class Conv2dConfigOverrideParams(_Params):
    weights_dtype: DataType = None
    activation: object = None
    deallocate_activation: bool = None
    reallocate_halo_output: bool = None
    act_block_h_override: int = None
    act_block_w_div: int = None
    reshard_if_not_optimal: bool = None
    override_sharding_config: bool = None
    shard_layout: TensorMemoryLayout = None
    core_grid: object = None
    transpose_shards: bool = None
    output_layout: Layout = None
    enable_act_double_buffer: bool = None
    enable_weights_double_buffer: bool = None

    def _text(self):
        values = [(f.name, getattr(self, f.name)) for f in fields(self) if f.name != "core_grid"]
        return ":".join(f"{name}#{str(value).lower() if isinstance(value, bool) else value}"
                        for name, value in values if value is not None)


def _numbers(values, what):
    values = list(values)
    if not all(isinstance(v, int) for v in values):
        raise TypeError(f"{what}: expected a list of int")
    return values


class OptimizerOverridesHandler:
    """Settings and overrides; see to_string."""

    def __init__(self):
        self._settings = {name: kind() for name, kind in _SETTINGS.items()}
        self._memreconfig, self._layouts, self._conv2d = {}, {}, {}

    def add_insert_memreconfig(self, name, operand_idxes):
        """Memory reconfiguration before the operation's operands of these indices."""
        self._memreconfig[str(name)] = InsertMemReconfigParams(_numbers(operand_idxes, "operand_idxes"))

    def add_output_layout_override(self, name, params, *more):
        """The operation's result layout: parameters, or grid, buffer type, tensor memory layout, layout, data type."""
        if more or not isinstance(params, OutputLayoutOverrideParams):
            params = OutputLayoutOverrideParams(_numbers(params, "grid"), *more)
        self._layouts[str(name)] = params

    def add_conv2d_config_override(self, name, params):
        if not isinstance(params, Conv2dConfigOverrideParams):
            raise TypeError(f"expected Conv2dConfigOverrideParams, found {type(params).__name__}")
        self._conv2d[str(name)] = params

    def get_insert_memreconfig(self):
        return dict(self._memreconfig)

    def get_output_layout_overrides(self):
        return dict(self._layouts)

    def get_conv2d_config_overrides(self):
        return dict(self._conv2d)

    def to_string(self):
        """`name=value` of everything that is set, separated by blanks."""

        def table(overrides):
            return ",".join(f"{name}={params._text()}" for name, params in overrides.items())

        s = self._settings
        options = {"enable-optimizer": s["enable_optimizer"], "memory-layout-analysis-enabled": s["enable_memory_layout_analysis"],
                   "insert-memreconfig": table(self._memreconfig), "override-output-layout": table(self._layouts),
                   "override-conv2d-config": table(self._conv2d), "system-desc-path": s["system_desc_path"],
                   "max-legal-layouts": s["max_legal_layouts"], "mesh-shape": ",".join(map(str, s["mesh_shape"])),
                   "tensor-l1-usage-cap": f"{s['tensor_l1_usage_cap']:f}" if s["tensor_l1_usage_cap"] else ""}
        return " ".join(f"{name}={'true' if value is True else value}" for name, value in options.items() if value)


_SETTINGS = {"enable_optimizer": bool, "enable_memory_layout_analysis": bool, "system_desc_path": str,
             "max_legal_layouts": int, "mesh_shape": list, "tensor_l1_usage_cap": float}


def _add_accessors(name, kind):
    def set_it(self, value):
        takes = (int, float) if kind is float else (list, tuple) if kind is list else kind
        if not isinstance(value, takes):
            raise TypeError(f"{name}: expected {kind.__name__}, found {type(value).__name__}")
        self._settings[name] = kind(value)

    setattr(OptimizerOverridesHandler, f"set_{name}", set_it)
    setattr(OptimizerOverridesHandler, f"get_{name}", lambda self: self._settings[name])


for _name, _kind in _SETTINGS.items():
    _add_accessors(_name, _kind)
