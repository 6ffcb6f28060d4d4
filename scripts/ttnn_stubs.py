#!/usr/bin/env python3
"""Writes python/ttnn/__init__.pyi, by which editors complete ttnn's names, to standard output:
PYTHONPATH=build/python scripts/ttnn_stubs.py > python/ttnn/__init__.pyi"""

import dataclasses
import enum
import inspect
import types

import ttnn
from tilewright import _core

TYPES = {"a tensor": "Tensor", "a tensor or a number": "Tensor | float", "tensors": "Sequence[Tensor]", "a tensor or an integer": "Tensor | int",
         "a device": "Device | None", "a data type": "DataType | None", "a layout": "Layout | None", "a memory config": "MemoryConfig | None",
         "an option": "Any"}
WORDS = (("array", "Sequence[int]"), ("Shape", "Sequence[int]"), ("integer", "int"), ("float", "float"), ("bool", "bool"), ("string", "str"))
HEAD = '''"""Types of ttnn's names for editors. Written by scripts/ttnn_stubs.py."""

import contextlib
import enum
from collections.abc import Sequence
from typing import Any, overload
'''


def type_of(meaning, default):
    found = TYPES.get(meaning) or next((t for word, t in WORDS if word in meaning), "Any")
    return f"{found} | None" if default is not None and found not in ("Any",) and "None" not in found else found


def shown(default):
    return "..." if default not in ("None", "True", "False") and not default.replace(".", "").lstrip("-").isdigit() else default


def row_function(name, row, indent=""):
    """The stub of a function of the library's rows."""
    operation, results, parameters = row
    parts, starred, defaults = [], False, False
    for own, _, meaning, default, by_position in parameters:
        if not own:
            continue
        if not by_position and not starred:
            parts.append("*")
            starred = True
        default = default if default is not None else "None" if defaults and not starred else None
        defaults = defaults or default is not None
        parts.append(f"{own}: {type_of(meaning, default)}" + ("" if default is None else f" = {shown(default)}"))
    if results == 1:
        parts += [*([] if starred else ["*"]), "output_tensor: Tensor | None = None"]
    returns = "None" if not results else "Tensor" if results == 1 else f"tuple[{', '.join(['Tensor'] * results)}]"
    return f'{indent}def {name}({", ".join(parts)}) -> {returns}:\n{indent}    """The operation {operation} of the embedded device."""\n'


def python_function(name, function, indent="", method=False):
    """The stub of a function that is written in Python."""
    parameters = [p.replace(annotation=p.empty, default=p.default if p.default in (None, True, False, p.empty) or isinstance(p.default, (int, float))
                            and not isinstance(p.default, enum.Enum) else ...) for p in inspect.signature(function).parameters.values()]
    text = str(inspect.Signature(parameters)).replace("Ellipsis", "...")
    doc = inspect.getdoc(function)
    body = f'\n{indent}    """{doc.splitlines()[0]}"""' if doc else " ..."
    manager = f"{indent}@contextlib.contextmanager\n" if inspect.isgeneratorfunction(inspect.unwrap(function)) else ""
    made = {"Tensor": "Tensor", "Device": "Device"}.get(RETURNS.get(name, ""), "Any")
    return f"{manager}{indent}def {name}{text} -> {made}:{body}\n"


RETURNS = dict.fromkeys(["from_torch", "as_tensor", "to_layout", "to_device", "from_device", "to_memory_config", "zeros", "ones", "full", "empty",
                         "arange", "rand", "zeros_like", "ones_like", "empty_like", "full_like", "clone", "squeeze", "unsqueeze", "square", "exp2",
                         "softplus", "elu", "hardtanh", "isclose", "floor_div", "to_dtype", "interleaved_to_sharded", "sharded_to_interleaved",
                         "generic_op"], "Tensor") | dict.fromkeys(["open_device", "open_mesh_device", "GetDefaultDevice"], "Device")


def record(name, cls):
    fields = ", ".join(f"{f}: Any = ..." for f in cls._names)
    return f"class {name}:\n    def __init__(self, *, {fields}) -> None: ...\n" + "".join(f"    {f}: Any\n" for f in cls._names)


def members(cls):
    """Methods, properties and fields of a class that ttnn's users see."""
    lines = []
    for field in dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ():
        lines.append(f"    {field.name}: Any\n")
    if dataclasses.is_dataclass(cls):
        lines.append(f"    def __init__(self, {', '.join(f.name + ('' if f.default is f.default_factory is dataclasses.MISSING else '=...') for f in dataclasses.fields(cls))}) -> None: ...\n")
    for name, value in vars(cls).items():
        if name.startswith("__") and name in ("__init__", "__len__", "__getitem__", "__new__") and inspect.isfunction(value) \
                and not dataclasses.is_dataclass(cls):
            lines.append(python_function(name, value, "    "))
        elif name.startswith("_"):
            if name in OPERATORS:
                lines.append(f"    def {name}(self{', other: Any' if name not in ('__neg__', '__abs__') else ''}) -> Tensor: ...\n")
        elif isinstance(value, (property, types.MemberDescriptorType)) or type(value).__name__ == "cached_property":
            lines.append(f"    @property\n    def {name}(self) -> Any: ...\n")
        elif inspect.isfunction(value):
            lines.append(python_function(name, value, "    "))
    if cls is ttnn.Tensor:
        lines += [f"    @property\n    def {n}(self) -> {t}: ...\n" for n, t in (("shape", "tuple[int, ...]"), ("dtype", "DataType"), ("layout", "Layout"))]
    return "".join(lines) or "    ...\n"


OPERATORS = {f"__{side}{n}__" for side in ("", "r") for n in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")} | {
    f"__{n}__" for n in ("matmul", "lt", "le", "gt", "ge", "neg", "abs")}


def class_stub(name, cls):
    if issubclass(cls, enum.Enum):
        return f"class {name}(enum.Enum):\n" + "".join(f"    {m} = ...\n" for m in cls.__members__)
    if hasattr(cls, "_names") and name not in ("UnaryWithParam",):
        return record(name, cls)
    if cls is tuple:
        return f"{name} = tuple\n"
    return f"class {name}{'(tuple)' if issubclass(cls, tuple) else ''}:\n" + members(cls)


def main():
    rows = {name.removeprefix("ttnn."): row for name, row in _core.ttnn_parameters().items()}
    others = {"sub": "subtract", "mul": "multiply", "div": "divide"}
    classes, functions, values, spaces = [], [], [], []
    for name in ttnn.__all__:
        value = getattr(ttnn, name)
        if inspect.isclass(value):
            classes.append(class_stub(name, value))
        elif isinstance(value, types.ModuleType):
            inner = [row_function(n.partition(".")[2], rows[n], "    ").replace("    def ", "    @staticmethod\n    def ", 1)
                     for n in sorted(rows) if n.startswith(name + ".")]
            spaces.append(f"class {name}:\n" + "".join(inner))
        elif isinstance(value, types.BuiltinFunctionType):
            functions.append(row_function(name, rows[others.get(name, name)]))
        elif callable(value):
            functions.append(python_function(name, value))
        else:
            values.append(f"{name}: {type(value).__name__ if type(value).__name__ in ttnn.__all__ else 'Any' if type(value) is not int else 'int'}\n")
    print("\n".join([HEAD, "".join(values), *classes, *functions, *spaces]).replace(", overload", ""), end="")


main()
