"""Kernels from Python's syntax tree to functions of ttkernel. Each of its operations is a function of the language, whose parameters
are those of the operation's row; integers have 32 bits, `x: int = 1` makes a variable, and lists are arrays."""

import ast
import warnings

from tilewright.kernel_errors import SourceError
from tilewright.kernel_table import REQUIRED, Function, Parameter
from tilewright.kernel_walker import Walker, as_value, is_integer
from ttmlir import ir
from ttmlir._native import native
from ttmlir.dialects import _tables, arith, emitc, func, memref, scf, ttcore, ttkernel
from ttmlir.passes import pykernel_compile_pipeline, ttkernel_to_cpp

from .arguments import Arguments, CircularBuffer, CompileTimeValue

CLASSES = {"TensorAccessor": "tensor_accessor_"}  # types of ttkernel whose methods are the operations with a prefix


class PyKernelError(SourceError):
    """A kernel that cannot be compiled, or a call that does not fit it."""

    product = "pykernel"


# ---- functions of the language --------------------------------------------------------------------------------


def _result_type(item):
    """A type as a kernel names it: `int`, `bool`, or IR's text."""
    if item is bool or item is int:
        return ir.IntegerType.get_signless(1 if item is bool else 32)
    if isinstance(item, str):
        return ir.Type.parse(item)
    raise TypeError(f"expected a type (int, bool, or a text as in \"!ttkernel.l1_addr_ptr<32>\"), got {item!r}")


def _operand(item, only):
    """A value, or several, as an operand; an integer becomes the only type that the operation takes."""
    if isinstance(item, (tuple, list)):
        return [_operand(i, only) for i in item]
    value = as_value(item)
    if only is None or not is_integer(value):
        return value
    wanted = ir.Type.parse(only)
    if value.type == wanted or not isinstance(wanted, (ir.IntegerType, ir.IndexType)):
        return value
    if isinstance(value.type, ir.IndexType) or isinstance(wanted, ir.IndexType):
        return arith.index_cast(wanted, value)
    return (arith.extsi if value.type.width < wanted.width else arith.trunci)(wanted, value)


# Parameters in another order than the row's, and groups of which a call has exactly one.
ORDERS = {
    "noc_async_read": ("srcAddress", "dstLocalL1Addr", "size", "srcBankId", "srcCoreXY", "noc"),
    "noc_async_write": ("srcLocalL1Addr", "dstAddress", "size", "dstBankId", "dstCoreXY", "noc"),
}
ONE_OF = {"noc_async_read": ("src_bank_id", "src_core"), "noc_async_write": ("dst_bank_id", "dst_core")}


def _snake(name):
    return _tables.snake(name).replace("_core_xy", "_core").replace("_l_1_", "_l1_")


def of_row(name, cls, make):
    """The function of an operation."""
    only = dict(zip(cls.OPERAND_NAMES, native._operand_types(cls.OPERATION_NAME)))
    rows = [row for row in cls._ARGUMENTS if row[1] <= _tables.ATTRIBUTE]
    rows.sort(key=lambda row: ORDERS[name].index(row[0]) if name in ORDERS else 0)
    either, spelled = ONE_OF.get(name, ()), {_snake(row[0]): row for row in rows}
    parameters = [Parameter(shown, kind != _tables.OPERAND, REQUIRED if required and shown not in either else None)
                  for shown, (_, kind, _, _, required) in spelled.items()]

    def build(**given):
        if either and sum(given.get(n) is not None for n in either) != 1:
            raise TypeError(f"{name}() takes one of {' and '.join(either)}: a bank of DRAM, or a core")
        arguments = {spelled[n][0]: [] for n in either}
        for shown, item in given.items():
            row, kind = spelled[shown][:2]
            item = _result_type(item) if kind == _tables.RESULT else _operand(item, only.get(row)) if kind == _tables.OPERAND else item
            arguments[row] = item if shown not in either or isinstance(item, list) else [item]
        return make(**arguments)

    return Function(name, build, parameters)


def functions():
    """{name: Function}; methods are named "!type.name"."""
    out = {}
    for cls in (getattr(ttkernel, name) for name in dir(ttkernel)):
        name = getattr(cls, "OPERATION_NAME", "")
        if not name.startswith("ttkernel."):
            continue
        plain = _tables.function_name(name)
        out[plain] = of_row(plain, cls, getattr(ttkernel, plain))
        for kind, prefix in CLASSES.items():
            if plain.startswith(prefix):
                method = plain.removeprefix(prefix)
                out[f"!ttkernel.{kind}.{method}"] = Function(method, out[plain].build, out[plain].parameters)
    return out


class Cell:
    """A variable: memory of one element."""

    def __init__(self, memory):
        self.memory = memory


class Array(Cell):
    """Memory of several elements."""


class TTKernelCompiler(Walker):
    """Compiles a kernel into a module."""

    Error = PyKernelError
    functions = functions()
    verbose = False

    # ---- the function ---------------------------------------------------------------------------------

    def compile(self, args, kernel_type):
        """The module of the kernel called with arguments."""
        module = ir.Module.create(ir.Location.unknown(self.context))
        with self.at(self.tree), ir.InsertionPoint(module.body):
            parameters = self.parameters(args)
            entry = func.FuncOp(self.tree.name, ([], []))
            ports = [ttkernel.ir.ArgAttr.get(self.context, ttkernel.ArgType.CBPort.value, i)
                     for i in range(sum(isinstance(a, CircularBuffer) for _, a in parameters))]
            entry.attributes[ttkernel.ir.ArgSpecAttr.name] = ttkernel.ir.ArgSpecAttr.get(self.context, [], ports)
            if kernel_type:
                entry.attributes[ttkernel.ir.ThreadTypeAttr.name] = ttkernel.ir.ThreadTypeAttr.get(self.context, kernel_type)
            with ir.InsertionPoint(entry.add_entry_block()):
                if self.verbose:
                    head = self.text.splitlines()[self.tree.lineno - 1:self.tree.body[0].lineno - 1]
                    self.comment("\n".join(["--- Python Function Declaration for Above ---", *head, "-- End Function Declaration"]))
                self.bind(parameters)
                self.body(self.tree.body)
                func.ReturnOp([])
        self.verify(module.operation)
        return module

    def parameters(self, args):
        """[(parameter, argument)], the arguments checked against the annotations."""
        nodes = self.tree.args.args
        known = {a.key: a for a in args if isinstance(a, CompileTimeValue)}
        plain = [a for a in args if not isinstance(a, CompileTimeValue)]
        out = []
        for node in nodes:
            annotation = ast.unparse(node.annotation).strip("'\"").rpartition(".")[2] if node.annotation else None
            if annotation == "CompileTimeValue":
                if node.arg not in known:
                    raise self.failure(node, ValueError(f"Argument {node.arg} not provided into kernel call."),
                                       f"pass CompileTimeValue('{node.arg}', ...)")
                out.append((node.arg, known[node.arg]))
                continue
            if annotation not in (None, "CircularBuffer"):
                raise self.failure(node, TypeError(f"cannot pass {annotation} to a pykernel"),
                                   "parameters are CircularBuffer, CompileTimeValue, or without annotation integers of the run")
            if not plain:
                raise self.failure(node, TypeError(f"kernel '{self.tree.name}' takes {len(nodes)} arguments, got {len(args)}"))
            argument = plain.pop(0)
            wanted = CircularBuffer if annotation else (int, Arguments)
            if not isinstance(argument, wanted):
                raise self.failure(node, TypeError(f"'{node.arg}' is {'a CircularBuffer' if annotation else 'an integer of the run'}, "
                                                   f"got {type(argument).__name__}"))
            out.append((node.arg, argument))
        if plain:
            warnings.warn(f"kernel '{self.tree.name}' takes {len(nodes)} arguments, got {len(args)}: the last are not used", stacklevel=5)
        return out

    def bind(self, parameters):
        """The values of parameters: buffers are compile-time arguments, integers are runtime arguments."""
        self.known_values = {a.key: a.value for _, a in parameters if isinstance(a, CompileTimeValue)}
        i32, index = ir.IntegerType.get_signless(32, self.context), ir.IndexType.get(self.context)
        counts = dict.fromkeys(("buffer", "own", "common"), 0)
        order = sorted(parameters, key=lambda p: not isinstance(p[1], CircularBuffer))
        for name, argument in order:
            if isinstance(argument, CircularBuffer):
                tile = ttcore.ir.TileType.get(self.context, 32, 32, getattr(ttcore.DataType, argument.dtype))
                kind = ttkernel.ir.CBType.get(self.context, ir.MemRefType.get(argument.tilized_shape, tile))
                self.names[name] = ttkernel.get_compile_time_arg_val(kind, counts["buffer"])
                counts["buffer"] += 1
            elif isinstance(argument, CompileTimeValue):
                self.names[name] = self.known_constant(argument.value)
            else:
                common = isinstance(argument, Arguments) and argument.is_common
                key, get = ("common", ttkernel.get_common_arg_val) if common else ("own", ttkernel.get_arg_val)
                self.names[name] = get(i32, self.constant(counts[key], index))
                counts[key] += 1

    def known_constant(self, value):
        if not isinstance(value, int):
            raise TypeError(f"ct_args must be int or bool, got {type(value).__name__}")
        return self.constant(value)

    def integer_type(self, number):
        return ir.IntegerType.get_signless(1 if isinstance(number, bool) else 32, self.context)

    def unary(self, sign, operand):
        if sign == "not":
            return emitc.logical_not(ir.IntegerType.get_signless(1, self.context), operand)
        if sign == "~":
            return emitc.bitwise_not(operand.type, operand)
        return (emitc.UnaryMinusOp if sign == "-" else emitc.UnaryPlusOp)(operand.type, operand).result

    # ---- comments of the C++ --------------------------------------------------------------------------

    def comment(self, text):
        lines = (line.rstrip().rstrip("\\") for line in text.splitlines())  # a backslash would continue the comment
        emitc.verbatim("\n".join(f"// {line}" for line in lines), [])

    def commented(self, node, text=None):
        if self.verbose:
            self.comment(text or ast.get_source_segment(self.text, node))

    def do_Assign(self, node):
        self.commented(node)
        super().do_Assign(node)

    def do_For(self, node):
        self.commented(node, f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}:")
        super().do_For(node)

    # ---- variables and arrays -------------------------------------------------------------------------

    def first(self):
        return [self.constant(0, ir.IndexType.get(self.context))]

    def of_Name(self, node):
        found = self.names.get(node.id)
        if isinstance(found, Array):
            return found.memory
        return memref.LoadOp(found.memory, self.first()).result if isinstance(found, Cell) else super().of_Name(node)

    def set_name(self, target, value):
        found = self.names.get(target.id)
        if isinstance(found, Cell) and not isinstance(found, Array):
            self.store(target, value, found.memory, self.first())
            return
        value = as_value(value)
        self.names[target.id] = Array(value) if isinstance(value, ir.Value) and isinstance(value.type, ir.MemRefType) else value

    def store(self, node, value, memory, indices):
        value, kind = as_value(value), memory.type.element_type
        if value.type != kind and not (is_integer(value) and isinstance(kind, (ir.IntegerType, ir.IndexType))):
            raise self.failure(node, TypeError(f"'{ast.unparse(node)}' holds {kind}, got {value.type}"))
        memref.StoreOp(self.cast(value, kind), memory, indices)

    def do_AnnAssign(self, node):
        """`x: int = 1` makes a variable, `a: [int, 5] = 0` an array, which is filled."""
        self.commented(node)
        if not isinstance(node.target, ast.Name) or node.value is None:
            raise self.failure(node, NotImplementedError(f"the declaration '{ast.unparse(node)}'"), "declare a name with a value: x: int = 0")
        value = self.value(node.value)
        if isinstance(value.type, ir.MemRefType):
            raise self.failure(node.value, TypeError("an array as a variable"), "take one of its elements")
        if isinstance(node.annotation, ast.List):
            shape = self.known(ast.List(node.annotation.elts[1:], ast.Load()), "the shape of an array")
            if not shape or not all(type(n) is int and n > 0 for n in shape):
                raise self.failure(node.annotation, ValueError("Array Initialization must follow [dtype, *shape] syntax."), "as in a: [int, 4] = 0")
            self.names[node.target.id] = Array(self.memory(shape))
            self.fill(self.names[node.target.id].memory, self.cast(value, self.integer_type(0)), shape)
            return
        if not isinstance(self.names.get(node.target.id), Cell):
            self.names[node.target.id] = Cell(memref.alloca(ir.MemRefType.get([1], value.type), [], []))
        self.set_name(node.target, value)

    def memory(self, shape):
        return memref.alloca(ir.MemRefType.get(shape, self.integer_type(0)), [], [])

    def fill(self, memory, value, shape, indices=()):
        """Stores a value to every element."""
        if not shape:
            memref.StoreOp(value, memory, list(indices))
            return
        index = ir.IndexType.get(self.context)
        loop = scf.ForOp(*(self.constant(n, index) for n in (0, shape[0], 1)))
        with ir.InsertionPoint(loop.body):
            self.fill(memory, value, shape[1:], [*indices, loop.induction_variable])
            scf.YieldOp([])

    def of_List(self, node):
        """An array of the elements; lists in it are its rows."""
        shape, elements, level = [], [node], True
        while level:
            lists = [isinstance(e, ast.List) for e in elements]
            level = all(lists) and bool(elements)
            if any(lists) and len({len(e.elts) if isinstance(e, ast.List) else -1 for e in elements}) > 1:
                raise self.failure(node, NotImplementedError("All nested arrays must be of same size."))
            if level:
                shape.append(len(elements[0].elts))
                elements = [x for e in elements for x in e.elts]
        if not elements:
            raise self.failure(node, NotImplementedError("Array object must be filled, otherwise use AnnAssign."), "a: [int, 4] = 0")
        values = [self.value(e) for e in elements]
        for element, value in zip(elements, values):
            if not is_integer(value):
                raise self.failure(element, TypeError(f"Array element must be an integer, got {value.type}"))
        memory, index = self.memory(shape), ir.IndexType.get(self.context)
        for number, value in enumerate(values):
            at = []
            for size in reversed(shape):
                at.insert(0, self.constant(number % size, index))
                number //= size
            memref.StoreOp(self.cast(value, self.integer_type(0)), memory, at)
        return memory

    def element(self, node):
        """(memory, indices) of an array's element: a[i], a[i, j] or a[i][j]."""
        at, base = [], node
        while isinstance(base, ast.Subscript):
            at = [*(base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]), *at]
            base = base.value
        array = self.names.get(base.id) if isinstance(base, ast.Name) else None
        if not isinstance(array, Array):
            raise self.failure(node, TypeError(f"'{ast.unparse(base)}' is no array"), "arrays are made as in a = [1, 2] or a: [int, 2] = 0")
        shape, index = list(array.memory.type.shape), ir.IndexType.get(self.context)
        if len(at) != len(shape):
            raise self.failure(node, IndexError(f"'{ast.unparse(base)}' has {len(shape)} dimensions, got {len(at)} indices"))
        indices = []
        for part, size in zip(at, shape):
            if isinstance(part, ast.Constant) and type(part.value) is int:
                if not 0 <= part.value < size:
                    raise self.failure(part, IndexError(f"Index out of bounds: {part.value} of {size}"))
                indices.append(self.constant(part.value, index))
            else:
                indices.append(self.cast(self.value(part), index))
        return array.memory, indices

    def of_Subscript(self, node):
        if isinstance(node.value, ast.Name) and node.value.id == "ct_args" and "ct_args" not in self.names:
            key = self.known(node.slice, "the name of a compile-time argument")
            if key not in self.known_values:
                raise self.failure(node, KeyError(key), f"the kernel has {', '.join(map(repr, self.known_values)) or 'none'}")
            return self.known_constant(self.known_values[key])
        memory, indices = self.element(node)
        return memref.LoadOp(memory, indices).result

    def assign(self, target, node):
        if not isinstance(target, ast.Subscript):
            return super().assign(target, node)
        memory, indices = self.element(target)
        return self.store(target, self.value(node), memory, indices)

    def do_AugAssign(self, node):
        self.commented(node)
        if not isinstance(node.target, ast.Subscript):
            return super().do_AugAssign(node)
        memory, indices = self.element(node.target)
        old = memref.LoadOp(memory, indices).result
        return self.store(node.target, self.binary(node, node.op, old, self.value(node.value)), memory, indices)

    # ---- calls ----------------------------------------------------------------------------------------

    def argument(self, node):
        return tuple(self.evaluate(n) for n in node.elts) if isinstance(node, ast.List) else self.evaluate(node)

    def of_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "print" and not node.keywords:
            return self.printed(node)
        return super().of_Call(node)

    def printed(self, node):
        """print(): texts, and {} for each value."""
        values, texts = [], []
        for part in node.args:
            if isinstance(part, ast.Constant):
                texts.append(str(part.value))
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "format" and isinstance(
                    part.func.value, ast.Constant):
                texts.append(str(part.func.value.value))
                values += [self.evaluate(n) for n in part.args]
            elif isinstance(part, ast.JoinedStr):
                texts.append("".join(p.value if isinstance(p, ast.Constant) else "{}" for p in part.values))
                values += [self.evaluate(p.value) for p in part.values if not isinstance(p, ast.Constant)]
            else:
                texts.append("{}")
                values.append(self.evaluate(part))
        ttkernel.dprint(" ".join(texts).strip() + "\\n", [as_value(v) for v in values])


def compiled(function, args, kwargs=None, kernel_type=None, verbose=False, optimize=False, shown=False):
    """The C++ of a function called with arguments; its module if it has no kernel type. Keywords are compile-time values."""
    if kernel_type not in (None, "noc", "compute"):
        raise ValueError(f"kernel_type is 'noc', 'compute' or None, got {kernel_type!r}")
    compiler = TTKernelCompiler(function, ir.Context())
    compiler.verbose = verbose
    module = compiler.compile([*args, *(CompileTimeValue(k, v) for k, v in (kwargs or {}).items())], kernel_type)
    if shown:
        print(module)
    if optimize:
        pykernel_compile_pipeline(module)
        if shown:
            print(module)
    return ttkernel_to_cpp(module) if kernel_type else module
