"""Rewrites in Python: a matched operation is replaced with what kernels compute.

    @d2m.pattern(root="ttir.exp", match=lambda op: ...)
    def lower(op, rewriter):
        x = d2m.to_layout(d2m.from_value(op.operands[0]), layout)
        ...
        return d2m.from_device(out)

    d2m.apply_patterns(module)
"""

import importlib.util
import itertools
import sys
import warnings

from ttmlir import ir
from ttmlir.rewrite import PDLModule, apply_patterns_and_fold_greedily

from . import types
from .builder import LazyTensor, RewriteScope, _get_scope, _push_scope, lazy
from .tensor_layout import Layout


class Pattern:
    """One registered rewrite, and its text in pdl: the operation's name, then the predicate, then the rewrite."""

    _numbers = itertools.count()

    def __init__(self, root, benefit, function, match):
        self.root, self.benefit, self.function, self.match = root, benefit, function, match
        self.symbol = f"d2m_pattern_{next(Pattern._numbers)}"

    def text(self):
        constraint = f'pdl.apply_native_constraint "{self.symbol}_match"(%op : !pdl.operation)\n' if self.match else ""
        return f"""pdl.pattern @{self.symbol} : benefit({self.benefit}) {{
  %operands = pdl.operands
  %types = pdl.types
  %op = pdl.operation "{self.root}"(%operands : !pdl.range<value>) -> (%types : !pdl.range<type>)
  {constraint}  pdl.rewrite %op {{
    %v = pdl.apply_native_rewrite "{self.symbol}"(%op : !pdl.operation) : !pdl.value
    pdl.replace %op with (%v : !pdl.value)
  }}
}}
"""

    def matches(self, rewriter, results, values):
        """True refuses the match, as pdl has it. An error of the predicate is a warning, and no match."""
        try:
            return None if self.match(values[0]) else True
        except Exception as error:  # noqa: BLE001: the user's function
            warnings.warn(f"the predicate of pattern '{self.function.__name__}' raised {error!r}, which is no match", stacklevel=2)
            return True

    def rewrite(self, rewriter, results, values):
        with _push_scope(RewriteScope(rewriter, values[0])):
            made = self.function(values[0], rewriter)
        if isinstance(made, LazyTensor):
            made = made.value
        if not isinstance(made, ir.Value):
            raise TypeError(f"pattern '{self.function.__name__}' returned a {type(made).__name__}: it must return the value or LazyTensor that "
                            "replaces the operation. What it does not rewrite is excluded by match=, before it is called")
        results.append(made)


_registered = []


def pattern(*, root, benefit=1, match=None):
    """A decorator: the function (op, rewriter) returns what replaces an operation.

    root: the operation's name, or its class. benefit: patterns with more are tried first. match: a predicate of the operation, which
    changes nothing.
    """
    name = root if isinstance(root, str) else getattr(root, "OPERATION_NAME", None)
    if not name:
        raise TypeError(f"pattern root must be an operation's name or class, got {root!r}")

    def register(function):
        _registered.append(Pattern(name, int(benefit), function, match))
        return function

    return register


def apply_patterns(module_or_op):
    """Rewrites with all registered patterns until none applies."""
    if not _registered:
        return
    patterns = PDLModule(ir.Module.parse("\n".join(p.text() for p in _registered), module_or_op.context))
    for p in _registered:
        patterns.register_rewrite_function(p.symbol, p.rewrite)
        if p.match:
            patterns.register_constraint_function(f"{p.symbol}_match", p.matches)
    apply_patterns_and_fold_greedily(module_or_op, patterns.freeze())


def apply_patterns_text(input_text, pattern_paths):
    """The module of a text, rewritten by the patterns of Python files only."""
    module = ir.Module.parse(input_text, ir.Context())
    kept, _registered[:] = list(_registered), []
    try:
        for number, path in enumerate(pattern_paths):
            spec = importlib.util.spec_from_file_location(f"d2m_jit_patterns_{id(module)}_{number}", path)
            if spec is None:
                raise ImportError(f"'{path}' is no Python file")
            user = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = user  # kernels find their text by their module
            spec.loader.exec_module(user)
        apply_patterns(module)
        module.operation.verify()
        return str(module)
    finally:
        _registered[:] = kept


# ---- values as tensors --------------------------------------------------------------------------------------


def from_value(value, layout=None):
    """A value of the rewritten program as a tensor; without a layout, with infer_layout's."""
    if not isinstance(value, ir.Value):
        raise TypeError(f"from_value expects an ir.Value, got {type(value).__name__}")
    return LazyTensor(layout or infer_layout(value), value, _get_scope().generation)


def from_device(lt):
    """A tensor of the device as a value of the host's type, as what it replaces has."""
    lt = lazy("from_device", lt)._resolve()
    with _get_scope().building() as context:
        return types.to_host(lt.layout, context, lt.value)


def infer_layout(value_or_type, **overrides):
    """The layout of a value: untiled, one block on one core. `overrides` are other fields."""
    found = value_or_type.type if isinstance(value_or_type, ir.Value) else value_or_type
    if not isinstance(found, ir.RankedTensorType):
        raise TypeError(f"infer_layout: expected a ranked tensor, got {found}")
    shape = list(found.shape)
    fields = {"shape": shape, "dtype": types.dtype_of_scalar(found.element_type), "block_shape": shape, "grid_shape": [1] * len(shape),
              "tiled": False}
    return Layout(**{**fields, **overrides})
