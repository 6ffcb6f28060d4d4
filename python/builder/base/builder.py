"""What all builders share: functions, calls, modules, locations, types, and the references of values."""

import inspect
import re

from collections import OrderedDict

import torch
from builder.base.builder_utils import TypeInfo, get_metal_tensor_layout  # noqa: F401
from builder.base.goldens import Goldens
from builder.base.methods import BuilderError, add_methods, build, caller, finish, returned, signature
from golden.types import mlir_type_to_torch_dtype, torch_dtype_to_type
from ttmlir import ir
from ttmlir.dialects import func, ttcore

_PROGRAM_PREFIXES = ("builtin.module", "ttcore.device_module")


class Builder(Goldens):
    """Makes the operations of a program; each method appends one to the function that is being built."""

    dialect = None
    _frames = 0

    def __init__(self, ctx, location=None, mesh_name="mesh", mesh_dict=OrderedDict([("x", 1), ("y", 1)]), deallocate_goldens=False,
                 deallocated_goldens_dir="./deallocated_goldens", system_desc_path=None):
        torch.manual_seed(0)
        self._ctx, self._loc = ctx, location if location is not None else ir.Location.unknown(ctx)
        self._mesh_name, self._mesh_dict = mesh_name, mesh_dict
        self._mesh_shape = tuple(mesh_dict.values()) if isinstance(mesh_dict, dict) else tuple(mesh_dict[0].values())
        self._module_block, self._block, self._func = None, None, None
        self._lines, self._elements = {}, {}
        self._random = torch.Generator().manual_seed(0)
        self._all, self._nested_funcs, self._functions = [], [], {}
        self._given, self._overrides, self._presharded, self._presharded_results = {}, {}, {}, {}
        self._to_check, self._graph_level, self._bypass_ops = None, False, []
        self._values, self._before, self.golden_notes = None, {}, {}
        self._module = None

    # ---- what a program is made of

    @property
    def context(self):
        return self._ctx

    @property
    def location(self):
        return self._loc

    @property
    def mesh_shape(self):
        return self._mesh_shape

    def get_shape(self, input):
        """The shape of a value."""
        return list(self._value(input).type.shape)

    def get_type(self, input):
        """The element type of a value."""
        return self._value(input).type.element_type

    def _get_type(self, input):
        return self._value(input).type

    @staticmethod
    def _value(given):
        return given if isinstance(given, ir.Value) else given.operation.result

    def create_tensor_encoding(self, shape, element_type, **_):
        """The encoding of tensors that this dialect's functions take; None without one."""
        return None

    def _get_type_from_torch_dtype(self, dtype, scale=None, zero_point=None):
        return self._element(TypeInfo(dtype, scale, zero_point) if scale is not None and zero_point is not None else dtype)

    def _get_torch_dtype_from_type(self, mlir_type):
        return mlir_type_to_torch_dtype(mlir_type)

    def _create_ranked_tensor_type(self, shape, data_type=None, encoding=None):
        return ir.RankedTensorType.get(list(shape), self._element(data_type if data_type is not None else torch.float32), encoding)

    def _element(self, dtype):
        if isinstance(dtype, ir.Type):
            return dtype
        if isinstance(dtype, torch.dtype):
            found = self._elements.get(dtype)
            if found is None:
                found = self._elements[dtype] = torch_dtype_to_type(dtype, self._ctx)
            return found
        if dtype is None or getattr(dtype, "dtype", 0) is None:
            return self._element(torch.float32)
        return torch_dtype_to_type(dtype, self._ctx)

    def _tensor_type(self, shape, dtype):
        return self._result_type(shape, self._element(dtype), {})

    def _result_type(self, shape, element, extra):
        return ir.RankedTensorType.get(shape, element)

    def _element_for_numbers(self, types, operands):
        """The element type by which a number becomes an attribute."""
        if types and isinstance(types[0], ir.ShapedType):
            return types[0].element_type
        first = next((v for v in operands.values() if isinstance(v, ir.Value)), None)
        return first.type.element_type if first is not None and isinstance(first.type, ir.ShapedType) else None

    def _complete(self, sig, attributes, types):
        """Adds attributes that follow from the result types."""

    def _location(self, loc):
        """The given location, or that of the line that calls; the second operation of a line gets a number behind."""
        if loc is not None:
            return loc if isinstance(loc, ir.Location) else ir.Location.name(str(loc))
        location = caller()
        count = self._lines[location] = self._lines.get(location, 0) + 1
        text = f"{location[0]}:{location[1]}"
        return ir.Location.name(text if count == 1 else f"{text}:id({count - 1})")

    def _operation(self, full, *args, **kwargs):
        """The operation of any dialect, made as a method makes it."""
        return build(self, signature(full), args, kwargs)

    def _make(self, full, *args, **kwargs):
        sig = signature(full)
        return returned(sig, build(self, sig, args, kwargs))

    def get_metal_tensor_layout(self, logical_shape, tiled=False, element_dtype=torch.float32, memorySpace=None, grid=None,
                                index_map=None, memory_layout=None, dim_alignments=None):
        """The type of a tensor on the grid."""
        given = {"memorySpace": memorySpace, "memory_layout": memory_layout}
        return get_metal_tensor_layout(self._ctx, logical_shape, tiled, element_dtype, grid=grid, index_map=index_map,
                                       dim_alignments=dim_alignments, **{k: v for k, v in given.items() if v is not None})

    # ---- functions and modules

    def func(self, input_shapes, input_types, ttnn_inputs=False, custom_inputs=None, presharded_args=None, presharded_results=None):
        """A decorator: builds a function of these argument shapes and element types from a Python function of
        (operands..., builder), and gives its operation."""
        def wrong(text):
            return BuilderError(f"@builder.func at {':'.join(map(str, caller()))}: {text}")

        if len(input_types) < len(input_shapes):  # tt-mlir's tests give more types than shapes
            raise wrong(f"{len(input_shapes)} shapes and {len(input_types)} element types were given: each argument needs one of both")
        presharded_args, presharded_results = presharded_args or {}, presharded_results or {}
        types, whole = [], {}
        for i, (shape, dtype) in enumerate(zip(input_shapes, input_types)):
            shape = list(shape)
            if not all(isinstance(size, int) and size >= 0 for size in shape):
                raise wrong(f"the shape of argument {i} must have sizes of 0 or more, got {shape}")
            if i in presharded_args:
                whole[i] = tuple(shape)
                shape = list(self._local_shape_for_shard_dims(shape, self._mesh_shape, presharded_args[i]))
            encoding = None
            if ttnn_inputs or custom_inputs:
                more = custom_inputs[i] if custom_inputs and i < len(custom_inputs) else {}
                encoding = self._create_ttnn_tensor_encoding(shape, dtype, **more)
            else:
                encoding = self.create_tensor_encoding(shape, dtype)
            try:
                types.append(ir.RankedTensorType.get(shape, self._element(dtype), encoding))
            except TypeError as error:
                raise wrong(f"argument {i}: {error}") from error

        def decorate(function):
            takes = _positional(function)
            if takes is not None and not takes[0] <= len(types) + 1 <= takes[1]:
                raise wrong(f"'{function.__name__}' takes {takes[0]} arguments, but must take {len(types) + 1}: one for each of the {len(types)} inputs, "
                            f"then the builder")
            if self._module_block is None:
                raise BuilderError(f"@builder.func of '{function.__name__}': there is no module: pass the function that has it to build_module")
            location = self._code_location(function)
            with location:
                op = self._make_func(function.__name__, types)
                arguments = list(op.regions[0].blocks[0].arguments)
                for i, dims in presharded_args.items():
                    self._presharded[arguments[i]] = (tuple(dims), whole[i])
                    self.set_arg_attribute(arguments[i], "ttcore.shard_status",
                                           ir.Attribute.parse("#ttcore.shard_status<presharded>", self._ctx))
                outputs = self._fill(op, function, arguments)
                for i, dims in presharded_results.items():
                    self._presharded_results[outputs[i]] = tuple(dims)
                    self.set_result_attribute(op, i, "ttcore.shard_status",
                                              ir.Attribute.parse("#ttcore.shard_status<presharded>", self._ctx))
            self._all.append((op, arguments, outputs))
            return op

        return decorate

    @property
    def _programs(self):
        """[(function, arguments, outputs)] of those that are no part of another."""
        return [program for program in self._all if program[0].attributes["sym_name"].value not in self._nested_funcs]

    def _code_location(self, function):
        code = getattr(inspect.unwrap(function), "__code__", None)
        return ir.Location.file(code.co_filename, code.co_firstlineno, 0, self._ctx) if code else self._loc

    def _make_func(self, name, types, visibility=None):
        """An empty function at the end of the module."""
        if self._module is not None and self._functions.get((self._module_block, name)):
            number = 0
            while self._functions.get((self._module_block, f"{name}_{number}")):
                number += 1
            name = f"{name}_{number}"
        with ir.InsertionPoint(self._module_block):
            op = func.FuncOp(name, (types, []), visibility=visibility)
        op.add_entry_block()
        self._functions[(self._module_block, name)] = op
        return op

    def _fill(self, op, function, arguments):
        """Builds the body and the return; gives the outputs."""
        block, before = op.regions[0].blocks[0], (self._block, self._func)
        self._block, self._func = block, op
        try:
            with ir.InsertionPoint(block):
                outputs = self._outputs(function, function(*arguments, self))
                func.ReturnOp(outputs)
        finally:
            self._block, self._func = before
        kind = ir.FunctionType.get([a.type for a in arguments], [o.type for o in outputs])
        op.attributes["function_type"] = ir.TypeAttr.get(kind)
        return outputs

    def _outputs(self, function, result):
        if result is None:
            return []
        if isinstance(result, (ir.Value, ir.OpView, ir.Operation)) or not hasattr(result, "__iter__"):
            result = [result]
        out = []
        for item in result:
            if isinstance(item, (ir.OpView, ir.Operation)):
                out.extend(item.operation.results)
            elif isinstance(item, ir.Value):
                out.append(item)
            else:
                raise BuilderError(f"function '{function.__name__}' returns {type(item).__name__} {item!r:.60}: it must return values of "
                                   f"the program, one or a tuple of them")
        return out

    def call(self, nested_func, original_inputs, loc=None, unit_attrs=None):
        """Calls a Python function of (operands..., builder) as a private function of the module."""
        if self._block is None:
            raise BuilderError("builder.call makes an operation inside a function: use it in one decorated with @builder.func")
        inputs = [self._value(x) for x in original_inputs]
        location = self._location(loc)
        point = self._block
        with self._code_location(nested_func):
            op = self._make_func(nested_func.__name__, [x.type for x in inputs], visibility="private")
            outputs = self._fill(op, nested_func, list(op.regions[0].blocks[0].arguments))
        self._nested_funcs.append(op.attributes["sym_name"].value)
        with ir.InsertionPoint(point):
            made = func.CallOp([o.type for o in outputs], ir.FlatSymbolRefAttr.get(op.attributes["sym_name"].value), inputs, loc=location)
        finish(made.operation, {"unit_attrs": unit_attrs})
        results = list(made.operation.results)
        return results[0] if len(results) == 1 else tuple(results)

    def device_module(self, root_func):
        """A decorator: the functions that it builds are in a module for the device."""
        return self._inner_module(root_func, ttcore.DeviceModuleOp)

    def cpu_module(self, root_func):
        """The same for a module of the host."""
        return self._inner_module(root_func, ttcore.CPUModuleOp)

    def _inner_module(self, root_func, cls):
        before = self._module_block
        with ir.InsertionPoint(before):
            outer = cls()
        block = ir.Block.create_at_start(outer.operation.regions[0], [])
        with ir.InsertionPoint(block):
            inner = ir.Module.create()
            block.append(inner.operation)
        self._module_block = inner.body
        try:
            root_func(self)
        finally:
            self._module_block = before
        return root_func

    # ---- attributes of arguments and results

    def get_arg_attribute(self, operand, attr_name):
        """The named attribute of a function's argument, or None."""
        attributes = self._attribute_lists(self._func_of(operand), "arg_attrs", None)
        for item in attributes[operand.arg_number]:
            if item.name == attr_name:
                return item.attr
        return None

    def set_arg_attribute(self, operand, new_attr_name, new_attr):
        """Sets a named attribute of a function's argument."""
        op = self._func_of(operand)
        self._set_attribute(op, "arg_attrs", len(op.regions[0].blocks[0].arguments), operand.arg_number, new_attr_name, new_attr)

    def set_result_attribute(self, func_op, result_index, new_attr_name, new_attr):
        """Sets a named attribute of a function's result."""
        op = func_op.operation
        count = len(op.attributes["function_type"].value.results)
        self._set_attribute(op, "res_attrs", count, result_index, new_attr_name, new_attr)

    @staticmethod
    def _func_of(operand):
        if not isinstance(operand, ir.BlockArgument):
            raise BuilderError(f"expected an argument of the function, got the result {operand}")
        owner = operand.owner.owner
        return owner.operation if hasattr(owner, "operation") else owner

    @staticmethod
    def _attribute_lists(op, name, count):
        if name in op.attributes:
            return [list(d) for d in op.attributes[name]]
        return [[] for _ in range(count if count is not None else len(op.regions[0].blocks[0].arguments))]

    def _set_attribute(self, op, name, count, index, key, value):
        lists = self._attribute_lists(op, name, count)
        dictionaries = []
        for i in range(count):
            entries = {item.name: item.attr for item in lists[i]}
            if i == index:
                entries[key] = value
            dictionaries.append(ir.DictAttr.get(entries, self._ctx))
        op.attributes[name] = ir.ArrayAttr.get(dictionaries, self._ctx)

    @staticmethod
    def _local_shape_for_shard_dims(global_shape, mesh_shape, shard_dims):
        if len(mesh_shape) != len(shard_dims):
            raise BuilderError(f"shard_dims {tuple(shard_dims)} must name a dimension, or -1, for each axis of the mesh {tuple(mesh_shape)}")
        local = list(global_shape)
        for size, dim in zip(mesh_shape, shard_dims):
            if dim is None or dim == -1:
                continue
            if not -len(local) <= dim < len(local):
                raise BuilderError(f"shard_dims {tuple(shard_dims)}: the shape {tuple(global_shape)} has no dimension {dim}")
            if local[dim] % size:
                raise BuilderError(f"dimension {dim} of shape {tuple(global_shape)} is not divisible by the mesh {tuple(mesh_shape)}")
            local[dim] //= size
        return tuple(local)

    def preshard_arg(self, operand, shard_dims):
        """Marks an argument as already split over the mesh: shard_dims[axis] is the dimension, -1 where it is replicated."""
        local = self._local_shape_for_shard_dims(operand.type.shape, self._mesh_shape, shard_dims)
        text = "x".join([*map(str, local), str(operand.type.element_type)])
        self.set_arg_attribute(operand, "ttcore.runtime_tensor_sharding", ir.Attribute.parse(
            f"#ttcore<runtime_tensor_sharding shard_status = <presharded>, local_shape = tensor<{text}>>", self._ctx))
        mesh = "x".join(map(str, self._mesh_shape))
        self._module.operation.attributes["ttcore.meshes"] = ir.Attribute.parse(
            f'#ttcore.meshes<[<"{self._mesh_name}" = {mesh}>]>', self._ctx)
        self._presharded[operand] = (tuple(shard_dims), tuple(operand.type.shape))

    # ---- what parsed modules are made of

    @classmethod
    def from_module(cls, ctx, mlir_text, golden_inputs=None, deallocate_goldens=False, deallocated_goldens_dir="."):
        """(module, builder) of a program's text; golden_inputs: {function: [tensor, ...]}."""
        location = ir.Location.unknown(ctx)
        with ctx, location:
            module = ir.Module.parse(mlir_text) if isinstance(mlir_text, str) else mlir_text
            builder = cls(ctx, location, mesh_dict=_mesh_of(str(module)))
            builder._adopt(module, golden_inputs)
        return module, builder

    def _adopt(self, module, golden_inputs):
        """Makes the functions of a parsed module this builder's programs."""
        self._module, self._module_block, self._parsed = module, module.body, True
        found = []
        for op in _functions(module.operation):
            attributes = op.attributes
            if "sym_visibility" in attributes and attributes["sym_visibility"].value == "private" or not op.regions[0].blocks:
                continue
            block = op.regions[0].blocks[0]
            self._all.append((op, list(block.arguments), list(list(block.operations)[-1].operation.operands)))
            found.append(attributes["sym_name"].value)
        if not found:
            raise BuilderError("the module has no public function with a body: there is no program to build or run")
        unknown = set(golden_inputs or {}) - set(found)
        if unknown:
            raise BuilderError(f"golden_inputs names {', '.join(sorted(unknown))}; the module's functions are {', '.join(found)}")
        for op, arguments, _ in self._programs:
            given = (golden_inputs or {}).get(op.attributes["sym_name"].value)
            if given is None:
                continue
            if len(given) != len(arguments):
                raise BuilderError(f"golden_inputs of '{op.attributes['sym_name'].value}': {len(given)} tensors for {len(arguments)} arguments")
            self._set(dict(zip(arguments, given)))

    @classmethod
    def split_module(cls, module, builder):
        """[(module, builder)]: a module for each operation, with the operation's own references."""
        out = []
        with builder._ctx, ir.Location.unknown(builder._ctx):
            builder._evaluate()
            for op in _functions(module.operation):
                for block in op.regions[0].blocks:
                    for inner in block.operations:
                        made = cls._split(builder, inner.operation)
                        if made is not None:
                            out.append(made)
        return out

    @classmethod
    def _split(cls, builder, op):
        results = list(op.results)
        if op.name.endswith((".return", "func.call")) or not results or not all(isinstance(r.type, ir.ShapedType) for r in results):
            return None
        operands = list(op.operands)
        inputs = list(dict.fromkeys(operands))
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            function = func.FuncOp(op.name.replace(".", "_"), ([v.type for v in inputs], [r.type for r in results]), loc=op.location)
        block = function.add_entry_block()
        with ir.InsertionPoint(block):
            copy = op.clone()
            for i, v in enumerate(operands):
                copy.operation.operands[i] = block.arguments[inputs.index(v)]
            func.ReturnOp(list(copy.operation.results))
        part = cls(builder._ctx, builder._loc, builder._mesh_name, builder._mesh_dict)
        part._adopt(module, None)
        values = {**builder._values, **builder._before}
        part._given = {a: values[v] for a, v in zip(block.arguments, inputs) if v in values}
        part._overrides = {new: builder._values[old] for new, old in zip(copy.operation.results, results) if old in builder._values}
        return module, part

    # ---- the debug dialect

    def _debug(self, name, operand, loc, unit_attrs, **attributes):
        return self._make(f"debug.{name}", operand, loc=loc, unit_attrs=unit_attrs, output_type=self._value(operand).type
                          if name in ("breakpoint", "print", "memory_snapshot", "dump") and _has_result(name) else None, **attributes)

    def annotate(self, operand, annotation, loc=None, unit_attrs=None):
        """A note at a value."""
        return self._debug("annotate", operand, loc, unit_attrs, annotation=annotation)

    def breakpoint(self, operand, loc=None, unit_attrs=None):
        """A location where the program stops for a debugger; gives the operand."""
        return self._debug("breakpoint", operand, loc, unit_attrs) or operand

    def print(self, operand, message="", loc=None, unit_attrs=None):
        """Prints the value when the program runs."""
        return self._debug("print", operand, loc, unit_attrs, message=message) or operand

    def memory_snapshot(self, operand, file_path, loc=None, unit_attrs=None):
        """Writes the device's memory to a file when the program runs; gives the operand."""
        return self._debug("memory_snapshot", operand, loc, unit_attrs, file_path=file_path) or operand

    def dump(self, operand, file_path, loc=None, unit_attrs=None):
        """Writes the value to a file when the program runs."""
        return self._debug("dump", operand, loc, unit_attrs, file_path=file_path)

    def region_start(self, operand, region_id, loc=None, unit_attrs=None):
        """The begin of a named part of the program."""
        return self._debug("region_start", operand, loc, unit_attrs, region_id=region_id)

    def region_end(self, operand, region_id, loc=None, unit_attrs=None):
        """The end of a named part of the program."""
        return self._debug("region_end", operand, loc, unit_attrs, region_id=region_id)


def _positional(function):
    """The least and the largest number of arguments by position; None where they are not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return sum(p.default is p.empty for p in plain), float("inf") if many else len(plain)


def _has_result(name):
    return bool(signature(f"debug.{name}").row[3])


def _mesh_of(text):
    """The mesh that a program declares, or one device."""
    found = re.search(r"sdy\.mesh @\w+ = <\[([^\]]*)\]", text)
    if found:
        axes = re.findall(r'"(\w+)"=(\d+)', found[1])
        if len(axes) == 1:
            axes.insert(0, ("_", "1"))
        if len(axes) == 2:
            return OrderedDict((name, int(size)) for name, size in axes)
    found = re.search(r'ttcore\.meshes<\[<"\w+" = (\d+)x(\d+)', text)
    return OrderedDict(x=int(found[1]), y=int(found[2])) if found else OrderedDict(x=1, y=1)


def _functions(op):
    """The functions of a module and of the modules for devices in it."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                inner = inner.operation
                if inner.name == "func.func":
                    yield inner
                elif inner.name in _PROGRAM_PREFIXES:
                    yield from _functions(inner)


