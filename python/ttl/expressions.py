"""Expressions of threads: known values are computed by Python, the rest becomes operations."""

import ast
import functools
import inspect
import numbers
import operator
import re

from . import functions, hints, intrinsics, intrinsics_blocks, intrinsics_math, intrinsics_move, types
from .buffer import CircularBuffer
from .errors import OnlyInThreads, TTLangCompileError
from .runtime import Coordinate, Later, RuntimeInt, is_later
from .source import Scope, Source, similar, captures, nearest, outer_scope
from .syntax import UNSUPPORTED, expression_name
from .values import Expression, Local, Lost, Method, Scalar, Slice, Text, Tiles, Value, describe, has_value

STATIC_BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.MatMult: operator.matmul,
}
STATIC_UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert}
STATIC_COMPARE = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
DEEPEST_CALL = 64

# methods that change lists, dicts and sets
# Values of threads, in what Python says of them.
KINDS = {"Block": "a block", "Expression": "an expression of blocks", "Scalar": "an integer of the kernel", "Slice": "a part of a tensor"}
CHANGING = {"append", "extend", "insert", "remove", "pop", "popitem", "clear", "sort", "reverse", "update", "setdefault", "add",
            "discard"}


class Expressions:
    """The part of a Compiler that evaluates."""

    def evaluate(self, node):
        method = getattr(self, "of_" + type(node).__name__, None)
        if not method:
            self.fail(node, f"{expression_name(node)} not supported in threads", UNSUPPORTED.get(type(node)))
        value = method(node)
        if type(value).__module__ == "numpy" and isinstance(value, numbers.Number):
            value = value.item()
        if is_later(value):
            return self.now(node, value)
        if isinstance(value, Expression) and value.number is None:
            return self.numbered(node, value)
        if isinstance(value, Lost):
            self.fail(node, value.why, hints.lost(value.why))
        return value

    def now(self, node, value):
        """Resolves what the kernel's body deferred to threads: an integer, or a tuple, list or slice that holds some."""
        if isinstance(value, (tuple, list)):
            return type(value)(self.now(node, v) for v in value)
        if isinstance(value, slice):
            return slice(*(self.now(node, v) for v in (value.start, value.stop, value.step)))
        if not isinstance(value, Later):
            return value
        if isinstance(value, RuntimeInt):
            return self.runtime(value)
        if isinstance(value, Coordinate):
            at = intrinsics.core(self, node, [value.dims], {})
            return at if value.dims == 1 else at[value.number]
        operands = [self.now(node, o) for o in value.operands]
        if value.operation in (min, max):
            return self.arithmetic.extreme(node, operands, value.operation is max)
        op = value.operation()
        if isinstance(op, ast.cmpop):
            return self.arithmetic.compare(node, op, *operands)
        return self.binary(node, op, *operands) if len(operands) == 2 else self.arithmetic.unary(node, op, *operands)

    def numbered(self, node, expression):
        """A new expression; the block that holds it if it is computed eagerly."""
        expression.number = self.evaluated
        self.evaluated += 1
        return intrinsics_blocks.keep(self, node, expression) if expression.number in self.kept else expression

    def static(self, node, function, *values):
        """Python's own result; its exceptions become errors at the node."""
        try:
            return function(*values)
        except (TTLangCompileError, OnlyInThreads):
            raise
        except Exception as error:  # noqa: BLE001: whatever the user's code raises
            message = re.sub(r"'(Block|Expression|Scalar|Slice)' object", lambda m: KINDS[m[1]], str(error))
            return self.fail(node, f"{type(error).__name__}: {message}" if message else type(error).__name__)

    def of_Constant(self, node):
        return node.value

    def of_Name(self, node):
        return self.name_value(node)

    def name_value(self, node):
        try:
            value = self.scope.find(node.id)
        except KeyError:
            close = nearest(node.id, self.scope, [b.name for b in self.kernel.making.buffers if b.name])
            later = [n.lineno for n in ast.walk(self.source.tree) if isinstance(n, ast.Name) and n.id == node.id
                     and isinstance(n.ctx, ast.Store) and (n.lineno, n.col_offset) > (node.lineno, node.col_offset)]
            if later:
                self.fail(node, f"'{node.id}' is used before line {later[0]} gives it a value",
                          "an assignment makes a name the thread's own; take another one for it")
            self.fail(node, f"name '{node.id}' is not defined", hints.FORMER.get(node.id) or (f"did you mean '{close}'?" if close else None))
        if isinstance(value, Lost):
            self.fail(node, value.why, hints.lost(value.why))
        return value

    def of_Tuple(self, node):
        return tuple(self.items(node.elts))

    def of_List(self, node):
        return list(self.items(node.elts))

    def items(self, nodes):
        out = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                out.extend(self.static(node, list, self.evaluate(node.value)))
            else:
                out.append(self.evaluate(node))
        return out

    def of_Dict(self, node):
        out = {}
        for key, value in zip(node.keys, node.values):
            if key is None:  # **value
                out.update(self.static(value, dict, self.known(value)))
            else:
                out[self.evaluate(key)] = self.evaluate(value)
        return out

    def of_JoinedStr(self, node):
        """Text; a Text where parts are known only at run time, for print()."""
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(part.value)
                continue
            value = self.evaluate(part.value)
            if not has_value(value):
                spec = self.evaluate(part.format_spec) if part.format_spec else ""
                convert = {115: str, 114: repr, 97: ascii}.get(part.conversion, lambda x: x)
                value = self.static(part, format, convert(value), spec)
            parts.append(value)
        return "".join(parts) if not has_value(parts) else Text(parts)

    def of_Lambda(self, node):
        return Local(self, node, self.scope, self.source)

    def of_Slice(self, node):
        return slice(*(self.evaluate(x) if x else None for x in (node.lower, node.upper, node.step)))

    def of_NamedExpr(self, node):
        value = self.evaluate(node.value)
        self.assign(node.target, value)
        return value

    def of_ListComp(self, node):
        return self.comprehension(node, lambda: self.evaluate(node.elt))

    def of_GeneratorExp(self, node):
        return self.comprehension(node, lambda: self.evaluate(node.elt))

    def of_SetComp(self, node):
        return self.set_of(node, self.of_ListComp(node))

    def of_Set(self, node):
        return self.set_of(node, self.items(node.elts))

    def set_of(self, node, items):
        if has_value(items):  # their order would change between runs
            self.fail(node, "sets hold what is known when the kernel is compiled", "use a tuple or a list")
        return self.static(node, set, items)

    def of_DictComp(self, node):
        return dict(self.comprehension(node, lambda: (self.evaluate(node.key), self.evaluate(node.value))))

    def comprehension(self, node, element):
        out, former = [], dict(self.scope.names)

        def step(generators):
            if not generators:
                out.append(element())
                return
            for item in self.static(generators[0].iter, list, self.known(generators[0].iter)):
                self.assign(generators[0].target, item)
                if all(self.known(test) for test in generators[0].ifs):
                    step(generators[1:])

        step(node.generators)
        walrus = {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}
        self.scope.names = {**former, **{name: value for name, value in self.scope.names.items() if name in walrus}}
        return out

    def known(self, node):
        value = self.evaluate(node)
        if isinstance(value, Value):
            self.fail(node, f"this must be known when the kernel is compiled, and is {describe(value)}")
        return value

    def of_Attribute(self, node):
        value = self.evaluate(node.value)
        if isinstance(value, Value):
            return intrinsics_blocks.attribute(self, node, value, node.attr)
        try:
            return self.static(node, getattr, value, node.attr)
        except TTLangCompileError as error:
            close = similar(node.attr, dir(value))
            meant = hints.instead(node.attr) if getattr(value, "__name__", "").startswith("ttl") else None
            if isinstance(value, CircularBuffer) and node.attr in ("store", "dtype", "shape"):
                meant = f"blocks have that: with {value.name or 'buffer'}.reserve() as block: block.{node.attr}"
            error.note = meant or f"did you mean '{close}'?" if close and not hasattr(value, node.attr) else meant
            raise

    def of_Subscript(self, node):
        value = self.evaluate(node.value)
        if self.kernel.is_tensor(value):
            return self.part(node, value)
        index = self.evaluate(node.slice)
        if isinstance(value, Tiles):
            self.fail(node, "blocks cannot be indexed", "use tensor[row, column] in ttl.copy()")
        if isinstance(value, Value) or has_value(index):
            self.fail(node, f"cannot index {describe(value)} with {describe(index)} in a thread", "its items are known when the kernel is "
                      "compiled, this index when it runs: loop over a list, which is unrolled" if isinstance(value, (dict, list, tuple)) else None)
        return self.static(node, operator.getitem, value, index)

    def part(self, node, tensor):
        """tensor[...], indexed in tiles."""
        index = self.evaluate(node.slice)
        index = index if isinstance(index, tuple) else (index,)
        starts, extents, ranged = [], [], False
        if len(index) == 1 and len(tensor.shape) == 2 and self.arithmetic.is_integer(index[0]):
            shards = intrinsics_move.shard_tiles(tensor)
            if shards:
                return self.shard(node, tensor, index[0], *shards)
        tiles = self.kernel.units(tensor)
        for i, part in enumerate(index):
            if isinstance(part, slice):
                ranged = True
                start, extent = self.range_of(node, part, tiles[i] if i < len(tiles) else None)
            else:
                start, extent = part, 1
            if not self.arithmetic.is_integer(start):
                self.fail(node, f"tile indices are integers or ranges, not {describe(start)}",
                          "'//' divides integers" if isinstance(start, float) else
                          "take it apart: row, column = ttl.core(dims=2)" if isinstance(start, tuple) else None)
            starts.append(start)
            extents.append(extent)
        return Slice(tensor, starts, extents, ranged, self.source.location(node))

    def shard(self, node, tensor, number, height, width, across):
        """tensor[number]: a shard of (height, width) tiles, in rows of `across` shards."""
        row = self.binary(node, ast.Mult(), self.binary(node, ast.FloorDiv(), number, across), height)
        column = self.binary(node, ast.Mult(), self.binary(node, ast.Mod(), number, across), width)
        side = types.TILE
        whole = tensor.shape[-2] % (height * side) == 0 and tensor.shape[-1] % (width * side) == 0
        return Slice(tensor, [row, column], [height, width], True, self.source.location(node),
                     (height, width, across) if whole else None)

    def range_of(self, node, part, size):
        if not self.kernel.compat and size is not None and (part.start is None or part.stop is None):
            part = slice(0 if part.start is None else part.start, size if part.stop is None else part.stop, part.step)
        if part.start is None:
            self.fail(node, "Slice must have explicit start index")
        if part.stop is None:
            self.fail(node, "Slice must have explicit stop index")
        if part.step not in (None, 1):
            self.fail(node, "Slice step is not supported")
        if isinstance(part.start, int) and isinstance(part.stop, int):
            return part.start, part.stop - part.start
        return part.start, None  # known only at run time

    def of_BinOp(self, node):
        return self.binary(node, node.op, self.evaluate(node.left), self.evaluate(node.right))

    def binary(self, node, op, a, b):
        if isinstance(a, Tiles) or isinstance(b, Tiles):
            return intrinsics_math.block_operator(self, node, op, a, b)
        if isinstance(a, Value) or isinstance(b, Value):
            return self.arithmetic.binary(node, op, a, b)
        buffer = next((x for x in (a, b) if isinstance(x, CircularBuffer)), None)
        if buffer is not None:
            self.fail(node, f"{buffer.called} is a circular buffer, and blocks are computed with", hints.no_block(buffer))
        return self.static(node, STATIC_BINARY[type(op)], a, b)

    def of_UnaryOp(self, node):
        value = self.evaluate(node.operand)
        if isinstance(value, Tiles):
            return intrinsics_math.block_unary(self, node, node.op, value)
        if isinstance(value, Value):
            return self.arithmetic.unary(node, node.op, value)
        return self.static(node, STATIC_UNARY[type(node.op)], value)

    def of_Compare(self, node):
        result, left = None, self.evaluate(node.left)
        for op, right_node in zip(node.ops, node.comparators):
            right = self.evaluate(right_node)
            ordered = isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
            if not isinstance(op, (ast.Is, ast.IsNot)) and (isinstance(left, Tiles) != isinstance(right, Tiles)
                                                            or ordered and isinstance(left, Tiles)):
                self.fail(node, f"{describe(left)} and {describe(right)} cannot be compared: a kernel does not branch on "
                                "what tiles hold", f"compute both ways and {hints.MASKS}")
            if isinstance(op, (ast.Is, ast.IsNot)) or isinstance(left, Tiles):
                part = (left is right) != isinstance(op, (ast.IsNot, ast.NotEq))  # blocks are compared by identity
            elif isinstance(left, Value) or isinstance(right, Value):
                part = self.arithmetic.compare(node, op, left, right)
            else:
                part = self.static(node, STATIC_COMPARE[type(op)], left, right)
            result = part if result is None else self.arithmetic.both(node, result, part)
            left = right
        return result

    def of_BoolOp(self, node):
        """Known operands are decided as in Python; all others are evaluated, since they have no effects."""
        is_and = isinstance(node.op, ast.And)
        result = None
        for operand in node.values:
            value = self.boolean(self.evaluate(operand), operand)
            if not isinstance(value, Scalar):
                if bool(value) != is_and:
                    return value
                continue
            result = value if result is None else self.arithmetic.logical(node, is_and, result, value)
        return is_and if result is None else result

    def of_IfExp(self, node):
        test = self.boolean(self.evaluate(node.test), node.test)
        if not isinstance(test, Scalar):
            return self.evaluate(node.body if test else node.orelse)
        return self.arithmetic.select(node, test, self.evaluate(node.body), self.evaluate(node.orelse))

    def boolean(self, value, node):
        """A boolean: Python's, or an i1."""
        if isinstance(value, Scalar):
            return self.arithmetic.boolean(node, value)
        if isinstance(value, Value):
            self.fail(node, f"{describe(value)} is neither true nor false")
        return self.static(node, bool, value)

    # ---- calls ------------------------------------------------------------------------------------------

    def of_Call(self, node):
        function = self.evaluate(node.func)
        self.keep_captured(node, function)
        args = self.items(node.args)
        kwargs = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                kwargs.update(self.known(keyword.value))
            else:
                kwargs[keyword.arg] = self.evaluate(keyword.value)
        return self.call(node, function, args, kwargs)

    def keep_captured(self, node, function):
        """Host objects are read once, at compile time: threads cannot change them."""
        owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
        if not (isinstance(owner, (list, dict, set)) and name in CHANGING or
                self.kernel.is_tensor(owner) and (name == "fill" or name.endswith("_") and not name.endswith("__"))):
            return
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) \
                and node.func.value.id not in self.scope.names:
            self.fail(node, f"'{name}' changes {describe(owner)} of the host, and threads run on cores",
                      "what a kernel computes gets to a tensor by ttl.copy(block, tensor[row, column])" if self.kernel.is_tensor(owner)
                      else "change it in the kernel's body, or outside")

    def call(self, node, function, args, kwargs):
        if hasattr(function, "in_threads"):
            self.fail(node, *function.in_threads)
        if isinstance(function, Method):
            return intrinsics_blocks.method(self, node, function, args, kwargs)
        if isinstance(function, Local):
            return self.inline(node, function.node, function.scope, function.source, args, kwargs)
        handler = intrinsics.find(function)
        if handler:
            return handler(self, node, args, kwargs)
        if isinstance(function, Value) or not callable(function):
            self.fail(node, f"{describe(function)} cannot be called")
        if isinstance(function, functools.partial):
            return self.call(node, function.func, [*function.args, *args], {**function.keywords, **kwargs})
        if inspect.ismethod(function):
            return self.call(node, function.__func__, [function.__self__, *args], kwargs)
        if inspect.isfunction(getattr(type(function), "__call__", None)):
            return self.call(node, type(function).__call__, [function, *args], kwargs)
        if self.is_known(function, [*args, *kwargs.values()]):
            try:
                return self.static(node, lambda: function(*args, **kwargs))
            except OnlyInThreads as error:  # it works in kernels only
                if not inspect.isfunction(function):
                    self.fail(node, str(error))
        name = getattr(function, "__name__", str(function))
        if inspect.isfunction(function) and (function.__module__ or "").partition(".")[0] not in hints.OF_HOSTS:
            source = Source(function)
            if function.__module__ == "ttl.composites":
                source.shown_at = self.source.location(node)
            return self.inline(node, source.tree, outer_scope(function, captures(function)), source, args, kwargs,
                               defaults=inspect.signature(function))
        return self.fail(node, f"'{name}' cannot be called with what is known only when the kernel runs",
                         f"of blocks, use ttl.math.{name}()" if hasattr(functions, name)
                         or name in functions.ELEMENTWISE else
                         "a list in a thread has what it is written with: [a, b]" if isinstance(
                             getattr(function, "__self__", None), list) else None)

    @staticmethod
    def is_known(function, arguments):
        """True if Python can evaluate a call at compile time: no argument is a runtime value, or the call makes an
        object."""
        if inspect.isfunction(function):
            return not has_value(arguments)
        if isinstance(function, type) and function.__module__ != "builtins":
            return True
        return not has_value([a for a in arguments if not isinstance(a, Local)])

    def inline(self, node, tree, outer, source, args, kwargs, defaults=None):
        """Compiles a Python function's body at its call."""
        self.calls += 1
        if self.calls > DEEPEST_CALL:
            self.fail(node, "calls are nested too deeply; recursion is not supported in threads")
        names = self.bind(node, tree, args, kwargs, defaults)
        former = self.scope, self.source
        self.scope, self.source = Scope(names, outer), source
        if isinstance(tree, ast.Lambda):
            value = self.evaluate(tree.body)
        else:
            ended = self.block(tree.body)
            value = ended.value if ended else None
        self.scope, self.source = former
        self.calls -= 1
        if isinstance(value, Lost):
            self.fail(node, value.why)
        return value

    def bind(self, node, tree, args, kwargs, defaults):
        parameters = [a.arg for a in tree.args.posonlyargs + tree.args.args]
        names = dict(zip(parameters, args))
        extra = args[len(parameters):]
        if extra and not tree.args.vararg:
            name = f"{tree.name}()" if isinstance(tree, ast.FunctionDef) else "this lambda"
            self.fail(node, f"{name} takes {len(parameters)} argument{'s' * (len(parameters) != 1)}, got {len(args)}")
        if tree.args.vararg:
            names[tree.args.vararg.arg] = tuple(extra)
        parameters += [a.arg for a in tree.args.kwonlyargs]
        others = {}
        for name, value in kwargs.items():
            if name in names or name not in parameters and not tree.args.kwarg:
                self.fail(node, f"unexpected argument '{name}'", hints.parameter(name, parameters) if name not in names else None)
            (names if name in parameters else others)[name] = value
        for name in parameters:
            if name in names:
                continue
            default = defaults.parameters[name].default if defaults else self.default_of(tree, name)
            if default is inspect.Parameter.empty:
                self.fail(node, f"argument '{name}' is missing")
            names[name] = default
        return {**names, tree.args.kwarg.arg: others} if tree.args.kwarg else names

    def default_of(self, tree, name):
        positional = [a.arg for a in tree.args.posonlyargs + tree.args.args]
        by_name = dict(zip(reversed(positional), reversed(tree.args.defaults)))
        by_name.update({a.arg: d for a, d in zip(tree.args.kwonlyargs, tree.args.kw_defaults) if d})
        return self.evaluate(by_name[name]) if name in by_name else inspect.Parameter.empty
