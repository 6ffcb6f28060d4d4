"""One thread function, from Python's syntax tree to a function of the TTL dialect.

What is known now is computed now, by Python itself; the rest becomes IR. A `for` over range() is a
loop in the kernel, over anything else it is unrolled; an `if` on what is known takes one way, else
it is a branch in the kernel. Names that a loop or branch changes become its results."""

import ast
import builtins
import inspect
import math
import operator
import textwrap

from . import intrinsics, types
from .emit import Writer, location
from .errors import TTLangCompileError
from .scalars import Arithmetic
from .values import Block, Expression, Handle, Local, Lost, Method, Scalar, Slice, Tiles, Value

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
MOST_UNROLLED = 4096  # steps of loops over what is not range()
DEEPEST_CALL = 64


class Source:
    """The text of a function: where its lines and columns are in its file."""

    def __init__(self, function):
        try:
            lines, first = inspect.getsourcelines(function)
            self.file = inspect.getsourcefile(function) or "<unknown>"
        except (OSError, TypeError):
            raise TTLangCompileError(
                f"the source of '{function.__name__}' cannot be found; kernels must be defined in a file") from None
        text = textwrap.dedent("".join(lines))
        self.indent = len(lines[0]) - len(lines[0].lstrip())
        self.first = first - 1
        self.tree = ast.parse(text).body[0]

    def place(self, node):
        return self.file, self.first + node.lineno, self.indent + node.col_offset + 1


class Scope:
    """Names of one function: its own, then those around it."""

    def __init__(self, names, outer=None):
        self.names, self.outer = names, outer

    def find(self, name):
        scope = self
        while scope:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        raise KeyError(name)


class Exit:
    """How a list of statements ended before its end: "return" with a value, or "continue"."""

    def __init__(self, kind, value=None):
        self.kind, self.value = kind, value


class Compiler:
    def __init__(self, kernel, function, kind):
        self.kernel, self.kind = kernel, kind
        self.writer = Writer()
        self.arithmetic = Arithmetic(self)
        self.tensors = []  # numbers of the kernel's tensors, in the order of arguments
        self.buffers = {}  # buffer: its name in IR
        self.calls = 0
        self.source = Source(function)
        self.name = function.__name__
        self.function = function
        self.blocks = []  # what wait() and reserve() gave so far

    # ---- the function ------------------------------------------------------------------

    def compile(self):
        """The function's text."""
        tree = self.source.tree
        arguments = tree.args
        if arguments.args or arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
            self.fail(tree, "Thread functions must have no parameters. Use make_circular_buffer_like() in kernel body "
                            "and capture CBs in closures.")
        captured = captures(self.function)
        for name in self.function.__code__.co_freevars:
            if name in captured and self.kernel.is_tensor(captured[name]):
                self.tensor(captured[name], tree)
            elif isinstance(captured.get(name), intrinsics.CircularBuffer):
                self.buffer(captured[name], tree)
        self.scope = Scope({}, outer_scope(self.function, captured))
        self.block(tree.body)
        return self.text(tree)

    def text(self, tree):
        kernel = self.kernel
        arguments = ", ".join(
            f"%arg{i}: {kernel.tensor_type(n)} {location(self.source.place(tree))}" for i, n in enumerate(self.tensors))
        thread = "compute" if self.kind == "compute" else "noc"
        place = location(self.source.place(tree))
        attributes = (f"{{ttl.base_cta_index = {len(kernel.making.buffers)} : i32, "
                      f"ttl.crta_indices = [{', '.join(f'{n} : i32' for n in self.tensors)}], "
                      f"ttl.kernel_thread = #ttkernel.thread<{thread}>}}")
        body = "\n".join(self.writer.head + self.writer.lines + [f"    func.return {place}"])
        return f"  func.func @{self.symbol}({arguments}) attributes {attributes} {{\n{body}\n  }} {place}\n"

    def fail(self, node, message, note=None):
        """Ends the compilation with an error at a node (or a place)."""
        file, line, col = node if isinstance(node, tuple) else self.source.place(node)
        raise TTLangCompileError(message, file, line, col, note)

    # ---- what the kernel owns -------------------------------------------------------------

    def tensor(self, tensor, node):
        """The function's argument that is this tensor."""
        number = self.kernel.tensor_number(tensor, lambda m: self.fail(node, m))
        if number not in self.tensors:
            self.tensors.append(number)
        return f"%arg{self.tensors.index(number)}"

    def buffer(self, buffer, node):
        if buffer not in self.buffers:
            if buffer not in self.kernel.making.buffers:
                self.fail(node, "this circular buffer belongs to another kernel; make it in the kernel's body")
            self.buffers[buffer] = self.writer.at_head(
                f"ttl.bind_cb {{cb_index = {buffer._cb_index}, buffer_factor = {buffer.buffer_factor}}} : {buffer.type}",
                self.source.place(node))
        return self.buffers[buffer]

    # ---- statements ---------------------------------------------------------------------------

    def block(self, statements):
        """Compiles statements; an Exit where they end early."""
        for i, statement in enumerate(statements):
            if isinstance(statement, ast.If):
                test = self.truth(self.evaluate(statement.test), statement.test)
                if isinstance(test, Scalar):
                    rest = statements[i + 1:]
                    if leaves(statement.body) or leaves(statement.orelse):
                        return self.branch(statement, test, statement.body + rest, statement.orelse + rest)
                    self.branch(statement, test, statement.body, statement.orelse)
                    continue
                ended = self.block(statement.body if test else statement.orelse)
            else:
                ended = self.statement(statement)
            if ended:
                return ended
        return None

    def statement(self, node):
        method = getattr(self, "do_" + type(node).__name__, None)
        if not method:
            self.fail(node, f"'{statement_name(node)}' statements are not supported in threads", UNSUPPORTED.get(type(node)))
        return method(node)

    def do_Pass(self, node):
        pass

    def do_Expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.evaluate(node.value)

    def do_Return(self, node):
        return Exit("return", self.evaluate(node.value) if node.value else None)

    def do_Continue(self, node):
        return Exit("continue")

    def do_Assert(self, node):
        test = self.truth(self.evaluate(node.test), node.test)
        if isinstance(test, Scalar):
            self.fail(node, "an assertion on what is known only when the kernel runs",
                      "assert in the kernel's body, on shapes and sizes")
        if not test:
            message = self.evaluate(node.msg) if node.msg else ast.unparse(node.test)
            self.fail(node, f"assertion failed: {message}")

    def do_FunctionDef(self, node):
        self.scope.names[node.name] = Local(node, self.scope, self.source)

    def do_Assign(self, node):
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target, value)

    def do_AnnAssign(self, node):
        if node.value:
            self.assign(node.target, self.evaluate(node.value))

    def do_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            former = self.name_value(node.target)
            if isinstance(former, Block) and isinstance(node.op, ast.Add):
                return intrinsics.store(self, node, former, self.evaluate(node.value), acc=True)
            self.assign(node.target, self.binary(node, node.op, former, self.evaluate(node.value)))
            return None
        return self.fail(node.target, "only names can be assigned to")

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.scope.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            if not isinstance(value, (tuple, list)):
                self.fail(target, f"Cannot unpack {describe(value)}")
            if len(value) != len(target.elts):
                self.fail(target, f"Cannot unpack {len(value)} values into {len(target.elts)} variables")
            for t, v in zip(target.elts, value):
                self.assign(t, v)
        elif isinstance(target, ast.Subscript):
            self.fail(target, "blocks and tensors cannot be assigned to by parts",
                      "use block.store(expression) or ttl.copy(block, tensor[...])")
        else:
            self.fail(target, "only names can be assigned to")

    def do_With(self, node):
        taken = []
        for item in node.items:
            value = self.evaluate(item.context_expr)
            if not isinstance(value, Block):
                self.refuse_with(item.context_expr, value)
            if item.optional_vars is not None:
                if not isinstance(item.optional_vars, ast.Name):
                    self.fail(item.optional_vars, "'with ... as var' requires a simple variable name")
                self.scope.names[item.optional_vars.id] = value
            taken.append((value, item.context_expr))
        if leaves(node.body):
            self.fail(node, "a 'with' block must run to its end",
                      "put the condition around the 'with', or inside it without return or continue")
        self.block(node.body)
        for block, expression in reversed(taken):
            if not block.ended:
                intrinsics.end(self, expression, block)

    def refuse_with(self, node, value):
        if not isinstance(node, ast.Call):
            self.fail(node, "'with' requires a method call (e.g., cb.reserve())")
        if not isinstance(node.func, ast.Attribute):
            self.fail(node, "'with' requires a method call on an object")
        self.fail(node, f"'with' only supports 'reserve()' or 'wait()', got '{node.func.attr}'")

    # ---- loops and branches ----------------------------------------------------------------------

    def do_For(self, node):
        if node.orelse:
            self.fail(node, "'else' after a loop is not supported in threads")
        span = self.span(node.iter)
        if span is None:
            return self.unroll(node, self.evaluate(node.iter))
        if not isinstance(node.target, ast.Name):
            self.fail(node.target, "a loop over range() has one variable")
        if all(isinstance(x, int) for x in span) and len(range(*span)) == 0:
            return None
        return self.loop(node, *span)

    def span(self, node):
        """(start, stop, step) if a node is a call of range()."""
        if not (isinstance(node, ast.Call) and self.evaluate(node.func) is range):
            return None
        values = [self.evaluate(a) for a in node.args]
        if node.keywords or not 1 <= len(values) <= 3:
            self.fail(node, "range() takes one to three integers")
        for value, argument in zip(values, node.args):
            if not self.arithmetic.is_integer(value):
                self.fail(argument, f"range() needs integers, not {describe(value)}")
        start, stop, step = ([0, values[0], 1] if len(values) == 1 else values + [1])[:3]
        if not isinstance(step, int):
            self.fail(node, "the step of range() must be known when the kernel is compiled")
        if step == 0:
            self.fail(node, "range() arg 3 must not be zero")
        return start, stop, step

    def unroll(self, node, items):
        if isinstance(items, Value):
            self.fail(node.iter, f"cannot loop over {describe(items)}", "loop over range(...)")
        try:
            items = list(items)
        except TypeError as error:
            self.fail(node.iter, str(error))
        if len(items) > MOST_UNROLLED:
            self.fail(node.iter, f"a loop over {len(items)} items would be unrolled", "loop over range(...)")
        for item in items:
            self.assign(node.target, item)
            ended = self.block(node.body)
            if ended and ended.kind == "return":
                return ended
        return None

    def loop(self, node, start, stop, step):
        writer, arithmetic = self.writer, self.arithmetic
        place = self.source.place(node)
        before = dict(self.scope.names)
        carried = [n for n in assigned(node.body) if n != node.target.id and arithmetic.is_scalar(before.get(n))]
        first = [arithmetic.value(before[n], node) for n in carried]
        natural = isinstance(start, int) and start >= 0 or isinstance(start, Scalar) and start.natural
        down = step < 0
        counter = Scalar(writer.fresh(), natural=natural and not down)
        self.scope.names[node.target.id] = counter
        names = [writer.fresh() for _ in carried]
        for n, v, name in zip(carried, first, names):
            self.scope.names[n] = Scalar(name, v.type)
        with writer.nested() as body:
            if down:  # counts up inside: start - i * |step|
                self.scope.names[node.target.id] = self.binary(
                    node, ast.Sub(), start, self.binary(node, ast.Mult(), counter, -step))
            ended = self.block(node.body)
            if ended and ended.kind == "return":
                self.fail(node, "'return' inside a loop is not supported in threads", "use an 'if' around the rest")
            last = [self.carry(node, n, v) for n, v in zip(carried, first)]
            if carried:
                writer.line(f"scf.yield {', '.join(v.name for v in last)} : {', '.join(v.type for v in first)}", place)
        if down:
            count = self.binary(node, ast.FloorDiv(), self.binary(
                node, ast.Add(), self.binary(node, ast.Sub(), start, stop), -step - 1), -step)
            bounds = [arithmetic.value(x, node) for x in (0, count, 1)]
        else:
            bounds = [arithmetic.value(x, node) for x in (start, stop, step)]
        self.finish_loop(counter, bounds, carried, first, names, body, place)
        self.lose(before, carried, node, "a loop")

    def finish_loop(self, counter, bounds, carried, first, names, body, place):
        writer = self.writer
        results = [writer.fresh() for _ in carried]
        lower, upper, step = (b.name for b in bounds)
        head = f"scf.for {counter.name} = {lower} to {upper} step {step}"
        if carried:
            pairs = ", ".join(f"{n} = {v.name}" for n, v in zip(names, first))
            kinds = ", ".join(v.type for v in first)
            head = f"{', '.join(results)} = {head} iter_args({pairs}) -> ({kinds})"
        self.region(head, [(None, body)], place)
        for n, v, result in zip(carried, first, results):
            self.scope.names[n] = Scalar(result, v.type)

    def region(self, head, parts, place):
        """An operation with regions that have been written."""
        writer, pad = self.writer, "  " * self.writer.depth
        writer.lines.append(f"{pad}{head} {{")
        for word, body in parts:
            if word:
                writer.lines.append(f"{pad}}} {word} {{")
            writer.lines.extend(body)
        writer.lines.append(f"{pad}}} {location(place)}")

    def carry(self, node, name, first):
        """What a loop hands to its next round under a name."""
        value = self.scope.names.get(name)
        if not self.arithmetic.is_scalar(value):
            self.fail(node, f"'{name}' is {first.describe()} before the loop and {describe(value)} after a round")
        value = self.arithmetic.value(value, node)
        if value.type != first.type:
            self.fail(node, f"'{name}' is {first.describe()} before the loop and {value.describe()} after a round")
        return value

    def lose(self, before, kept, node, where):
        """Forgets what names meant inside a region: only `kept` have come out."""
        line = self.source.place(node)[1]
        for name, value in list(self.scope.names.items()):
            if name in kept:
                continue
            if name in before:
                self.scope.names[name] = before[name] if before[name] is value else Lost(
                    f"'{name}' was given another value inside {where} (line {line})")
            else:
                self.scope.names[name] = Lost(f"'{name}' got its value inside {where} (line {line})")

    def branch(self, node, test, then, otherwise):
        """An `if` of the kernel; the Exit of both ways where statements after it went inside."""
        before = dict(self.scope.names)
        ways, open_blocks = [], [b for b in self.blocks if not b.ended]
        ended_in = {}
        for statements in (then, otherwise):
            self.scope.names = dict(before)
            for block in open_blocks:
                block.ended = None
            with self.writer.nested() as lines:
                ended = self.block(statements)
            ended_in.update({b: b.ended for b in open_blocks if b.ended})
            ways.append((lines, self.scope.names, ended))
        for block, place in ended_in.items():
            block.ended = place
        (then_lines, then_names, then_end), (else_lines, else_names, else_end) = ways
        self.scope.names = merged = {}
        results = []
        for name in dict.fromkeys([*then_names, *else_names]):
            merged[name] = self.merge(node, name, then_names.get(name), else_names.get(name), results,
                                      name in then_names and name in else_names)
        value = None
        if then_end or else_end:
            pair = [e.value if e else None for e in (then_end, else_end)]
            value = self.merge(node, "return value", *pair, results, True)
        self.finish_branch(node, test, results, then_lines, else_lines)
        if then_end and else_end and then_end.kind != else_end.kind:
            kind = "return"
        else:
            kind = (then_end or else_end).kind if then_end or else_end else None
        return Exit(kind, value) if kind else None

    def merge(self, node, name, a, b, results, both):
        """What a name means after two ways through the program."""
        if both and same(a, b):
            return a
        arithmetic = self.arithmetic
        if arithmetic.is_scalar(a) and arithmetic.is_scalar(b):
            kinds = [arithmetic.type_of(v) for v in (a, b)]
            if kinds[0] == kinds[1]:
                result = Scalar(self.writer.fresh(), kinds[0], all(map(arithmetic.is_natural, (a, b))))
                results.append((result, a, b))
                return result
        if isinstance(a, Lost) or isinstance(b, Lost):
            return a if isinstance(a, Lost) else b
        line = self.source.place(node)[1]
        return Lost(f"'{name}' depends on the 'if' of line {line}, and is {describe(a)} or {describe(b)}"
                    if both else f"'{name}' has a value on one way through the 'if' of line {line} only")

    def finish_branch(self, node, test, results, then_lines, else_lines):
        writer, place = self.writer, self.source.place(node)
        head = f"scf.if {test.name}"
        if results:
            kinds = ", ".join(r.type for r, _, _ in results)
            head = f"{', '.join(r.name for r, _, _ in results)} = {head} -> ({kinds})"
            for lines, side in ((then_lines, 1), (else_lines, 2)):
                values = [self.arithmetic.value(row[side], node).name for row in results]
                lines.append(f"{'  ' * (writer.depth + 1)}scf.yield {', '.join(values)} : {kinds} {location(place)}")
        parts = [(None, then_lines)] + ([("else", else_lines)] if else_lines else [])
        if then_lines or else_lines:
            self.region(head, parts, place)

    # ---- expressions --------------------------------------------------------------------------------

    def evaluate(self, node):
        method = getattr(self, "of_" + type(node).__name__, None)
        if not method:
            self.fail(node, f"{type(node).__name__} expressions are not supported in threads", UNSUPPORTED.get(type(node)))
        value = method(node)
        if isinstance(value, Lost):
            self.fail(node, value.why, "give it a value before, with the same type on every way")
        return value

    def static(self, node, function, *values):
        """Python's own answer; its exceptions become errors at the node."""
        try:
            return function(*values)
        except TTLangCompileError:
            raise
        except Exception as error:  # noqa: BLE001: whatever the user's code raises
            return self.fail(node, f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)

    def of_Constant(self, node):
        return node.value

    def of_Name(self, node):
        return self.name_value(node)

    def name_value(self, node):
        try:
            value = self.scope.find(node.id)
        except KeyError:
            close = nearest(node.id, self.scope)
            self.fail(node, f"name '{node.id}' is not defined", f"did you mean '{close}'?" if close else None)
        if isinstance(value, Lost):
            self.fail(node, value.why, "give it a value before, with the same type on every way")
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
        return {self.evaluate(k): self.evaluate(v) for k, v in zip(node.keys, node.values)}

    def of_JoinedStr(self, node):
        return [self.evaluate(v.value) if isinstance(v, ast.FormattedValue) else v.value for v in node.values]

    def of_Lambda(self, node):
        return Local(node, self.scope, self.source)

    def of_Slice(self, node):
        return slice(*(self.evaluate(x) if x else None for x in (node.lower, node.upper, node.step)))

    def of_ListComp(self, node):
        return self.comprehension(node, list)

    def of_GeneratorExp(self, node):
        return self.comprehension(node, list)

    def comprehension(self, node, make):
        out, former = [], dict(self.scope.names)

        def step(generators):
            if not generators:
                out.append(self.evaluate(node.elt))
                return
            for item in self.static(generators[0].iter, list, self.known(generators[0].iter)):
                self.assign(generators[0].target, item)
                if all(self.known(test) for test in generators[0].ifs):
                    step(generators[1:])

        step(node.generators)
        self.scope.names = former
        return make(out)

    def known(self, node):
        value = self.evaluate(node)
        if isinstance(value, Value):
            self.fail(node, f"this must be known when the kernel is compiled, and is {describe(value)}")
        return value

    def of_Attribute(self, node):
        value = self.evaluate(node.value)
        if isinstance(value, Value):
            return intrinsics.attribute(self, node, value, node.attr)
        return self.static(node, getattr, value, node.attr)

    def of_Subscript(self, node):
        value = self.evaluate(node.value)
        if self.kernel.is_tensor(value):
            return self.part(node, value)
        index = self.evaluate(node.slice)
        if isinstance(value, Tiles):
            self.fail(node, "blocks cannot be indexed", "use tensor[row, column] in ttl.copy()")
        if isinstance(value, Value) or has_value(index):
            self.fail(node, f"cannot index {describe(value)} with {describe(index)} in a thread")
        return self.static(node, operator.getitem, value, index)

    def part(self, node, tensor):
        """tensor[...], in tiles."""
        index = self.evaluate(node.slice)
        index = index if isinstance(index, tuple) else (index,)
        starts, extents, ranged = [], [], False
        for part in index:
            if isinstance(part, slice):
                ranged = True
                start, extent = self.range_of(node, part)
            else:
                start, extent = part, 1
            if not self.arithmetic.is_integer(start):
                self.fail(node, f"tile indices are integers or ranges, not {describe(start)}")
            starts.append(start)
            extents.append(extent)
        return Slice(tensor, starts, extents, ranged, self.source.place(node))

    def range_of(self, node, part):
        if part.start is None:
            self.fail(node, "Slice must have explicit start index")
        if part.stop is None:
            self.fail(node, "Slice must have explicit stop index")
        if part.step not in (None, 1):
            self.fail(node, "Slice step is not supported")
        if isinstance(part.start, int) and isinstance(part.stop, int):
            return part.start, part.stop - part.start
        return part.start, None  # known when the kernel runs

    def of_BinOp(self, node):
        return self.binary(node, node.op, self.evaluate(node.left), self.evaluate(node.right))

    def binary(self, node, op, a, b):
        if isinstance(a, Tiles) or isinstance(b, Tiles):
            return intrinsics.block_operator(self, node, op, a, b)
        if isinstance(a, Value) or isinstance(b, Value):
            return self.arithmetic.binary(node, op, a, b)
        return self.static(node, STATIC_BINARY[type(op)], a, b)

    def of_UnaryOp(self, node):
        value = self.evaluate(node.operand)
        if isinstance(value, Tiles):
            return intrinsics.block_unary(self, node, node.op, value)
        if isinstance(value, Value):
            return self.arithmetic.unary(node, node.op, value)
        return self.static(node, STATIC_UNARY[type(node.op)], value)

    def of_Compare(self, node):
        result, left = None, self.evaluate(node.left)
        for op, right_node in zip(node.ops, node.comparators):
            right = self.evaluate(right_node)
            if isinstance(op, (ast.Is, ast.IsNot)) or isinstance(left, Tiles) or isinstance(right, Tiles):
                part = (left is right) != isinstance(op, (ast.IsNot, ast.NotEq))  # blocks are compared as objects
            elif isinstance(left, Value) or isinstance(right, Value):
                part = self.arithmetic.compare(node, op, left, right)
            else:
                part = self.static(node, STATIC_COMPARE[type(op)], left, right)
            result = part if result is None else self.arithmetic.both(node, result, part)
            left = right
        return result

    def of_BoolOp(self, node):
        """Known operands decide as in Python; the others are all computed, without effects."""
        is_and = isinstance(node.op, ast.And)
        result = None
        for operand in node.values:
            value = self.truth(self.evaluate(operand), operand)
            if not isinstance(value, Scalar):
                if bool(value) != is_and:
                    return value
                continue
            result = value if result is None else self.arithmetic.logical(node, is_and, result, value)
        return is_and if result is None else result

    def of_IfExp(self, node):
        test = self.truth(self.evaluate(node.test), node.test)
        if not isinstance(test, Scalar):
            return self.evaluate(node.body if test else node.orelse)
        return self.arithmetic.select(node, test, self.evaluate(node.body), self.evaluate(node.orelse))

    def truth(self, value, node):
        """A truth value: Python's, or an i1."""
        if isinstance(value, Scalar):
            return self.arithmetic.truth(node, value)
        if isinstance(value, Value):
            self.fail(node, f"{describe(value)} is neither true nor false")
        return self.static(node, bool, value)

    # ---- calls ------------------------------------------------------------------------------------------

    def of_Call(self, node):
        function = self.evaluate(node.func)
        args = self.items(node.args)
        kwargs = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                kwargs.update(self.known(keyword.value))
            else:
                kwargs[keyword.arg] = self.evaluate(keyword.value)
        return self.call(node, function, args, kwargs)

    def call(self, node, function, args, kwargs):
        if isinstance(function, Method):
            return intrinsics.method(self, node, function, args, kwargs)
        if isinstance(function, Local):
            return self.inline(node, function.node, function.scope, function.source, args, kwargs)
        handler = intrinsics.find(function)
        if handler:
            return handler(self, node, args, kwargs)
        if isinstance(function, Value) or not callable(function):
            self.fail(node, f"{describe(function)} cannot be called")
        if not has_value(args) and not has_value(list(kwargs.values())):
            return self.static(node, lambda: function(*args, **kwargs))
        if inspect.isfunction(function):
            source = Source(function)
            return self.inline(node, source.tree, outer_scope(function, captures(function)), source, args, kwargs,
                               defaults=inspect.signature(function))
        return self.fail(node, f"'{getattr(function, '__name__', function)}' cannot be called with what is known only when "
                               "the kernel runs")

    def inline(self, node, tree, outer, source, args, kwargs, defaults=None):
        """Compiles a Python function's body in the place of a call."""
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
            self.fail(node, f"{len(args)} arguments for {len(parameters)} parameters")
        if tree.args.vararg:
            names[tree.args.vararg.arg] = tuple(extra)
        parameters += [a.arg for a in tree.args.kwonlyargs]
        for name, value in kwargs.items():
            if name not in parameters or name in names:
                self.fail(node, f"unexpected argument '{name}'")
            names[name] = value
        for name in parameters:
            if name in names:
                continue
            default = defaults.parameters[name].default if defaults else self.default_of(tree, name)
            if default is inspect.Parameter.empty:
                self.fail(node, f"argument '{name}' is missing")
            names[name] = default
        return names

    def default_of(self, tree, name):
        positional = [a.arg for a in tree.args.posonlyargs + tree.args.args]
        by_name = dict(zip(reversed(positional), reversed(tree.args.defaults)))
        by_name.update({a.arg: d for a, d in zip(tree.args.kwonlyargs, tree.args.kw_defaults) if d})
        return self.evaluate(by_name[name]) if name in by_name else inspect.Parameter.empty


# ---- helpers ---------------------------------------------------------------------------------------------


UNSUPPORTED = {
    ast.While: "use 'for' with range()",
    ast.Break: "give range() the right end, or put an 'if' around the rest of the body",
    ast.Try: "what a thread does cannot raise; reports come from the device",
    ast.Delete: None,
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.ClassDef: "define classes outside the kernel",
    ast.Await: "threads wait by themselves; call wait() without 'await'",
}


def statement_name(node):
    return {"AsyncFor": "async for", "AsyncWith": "async with", "ImportFrom": "import", "ClassDef": "class",
            "Delete": "del", "TryStar": "try"}.get(type(node).__name__, type(node).__name__.lower())


def describe(value):
    if isinstance(value, Value):
        return value.describe()
    if isinstance(value, (int, float, str, bool, type(None))):
        return repr(value)
    return f"a {type(value).__name__}"


def has_value(x):
    """Whether something holds what is known only when the kernel runs."""
    if isinstance(x, (list, tuple)):
        return any(map(has_value, x))
    if isinstance(x, slice):
        return any(map(has_value, (x.start, x.stop, x.step)))
    return isinstance(x, Value)


def same(a, b):
    if a is b:
        return True
    simple = (int, float, str, bool, type(None), Scalar)
    return isinstance(a, simple) and type(a) is type(b) and a == b


def leaves(statements):
    """Whether statements may return or continue a loop around them."""
    for statement in statements:
        if isinstance(statement, (ast.Return, ast.Continue)):
            return True
        if isinstance(statement, (ast.FunctionDef, ast.Lambda)):
            continue
        if isinstance(statement, ast.For):
            if any(isinstance(n, ast.Return) for n in ast.walk(statement)):
                return True
            continue
        for field in ("body", "orelse"):
            if leaves(getattr(statement, field, [])):
                return True
    return False


def assigned(statements):
    """Names that statements give a value, in order; not those of functions defined in them."""
    out = {}

    def visit(node):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            out[node.id] = True
        for child in ast.iter_child_nodes(node):
            visit(child)

    for statement in statements:
        visit(statement)
    return list(out)


def captures(function):
    """What a function sees of the functions around it."""
    out = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            out[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            pass
    return out


def outer_scope(function, captured):
    return Scope(captured, Scope(function.__globals__, Scope(vars(builtins))))


def nearest(name, scope):
    import difflib

    names = []
    while scope:
        names += [n for n in scope.names if not n.startswith("_")]
        scope = scope.outer
    found = difflib.get_close_matches(name, names, 1)
    return found[0] if found else None


__all__ = ["Compiler", "Source", "Expression", "Handle", "math", "types"]
