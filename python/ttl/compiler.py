"""Compiles one thread function from Python's syntax tree to a function of the TTL dialect.

Values known at compile time are computed by Python itself; the rest becomes IR. A `for` over range() is a loop in the
kernel, over anything else it is unrolled; an `if` on a known value selects one branch, otherwise it is a branch in
the kernel. Names that a loop or branch changes become its results.
"""

import ast
import contextlib
import importlib
import math
import sys

from . import connect, intrinsics, intrinsics_blocks, matching, types
from .buffer import name_buffers
from .control import Control, Exit
from .emit import Writer, string
from .errors import TTLangCompileError
from .expressions import Expressions
from .scalars import Arithmetic
from .source import Scope, Source, captures, outer_scope
from .syntax import UNSUPPORTED, leaves, statement_name
from .values import Block, Expression, Local, Scalar, describe


MARKED = (ast.Expr, ast.Assign, ast.AugAssign)  # statements shown by line profiles


class Region(list):
    """The function, a loop or a branch: the blocks that are kept until its end."""

    def __init__(self, sure=True, branch=False):
        super().__init__()
        self.sure, self.branch = sure, branch  # true if it is executed at least once


class Compiler(Control, Expressions):
    """Compiles one thread of a kernel."""

    def __init__(self, kernel, function, kind, kept=frozenset()):
        self.kernel, self.kind = kernel, kind
        self.kept = kept  # indices of expressions that are computed eagerly
        self.writer = Writer(kernel.module)
        self.arithmetic = Arithmetic(self)
        self.tensors, self.arguments = [], []  # indices of the kernel's tensors, in the order of arguments, and their values
        self.buffers = {}  # buffer: its name in IR
        self.calls = 0
        self.source = Source(function)
        self.name = function.__name__
        self.function = function
        self.pipes, self.semaphores = {}, {}  # their names in IR
        self.sent, self.crossed = set(), {}  # pipes that were written; and those read after that: a buffer for their blocks
        self.numbers = {}  # of the kernel's runtime integers: their values in IR
        self.spilled = []  # buffers for parts of expressions
        self.padded = set()  # buffers whose blocks this thread pads
        self.one = {}  # blocks of ones, by element type
        self.blocks = []  # results of wait() and reserve() so far
        self.evaluated = 0  # expressions of blocks
        self.regions = [Region()]  # of the function, and the enclosing loops and branches

    # ---- the function ------------------------------------------------------------------

    def compile(self):
        tree = self.source.tree
        arguments = tree.args
        if arguments.args or arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
            self.fail(tree, "Thread functions must have no parameters. Use make_circular_buffer_like() in kernel body "
                            "and capture CBs in closures.")
        captured = captures(self.function)
        for name in self.function.__code__.co_freevars:
            name_buffers(name, captured.get(name))
            if name in captured and self.kernel.is_tensor(captured[name]):
                self.tensor(captured[name], tree)
            elif isinstance(captured.get(name), intrinsics.CircularBuffer):
                self.buffer(captured[name], tree)
        self.scope = Scope({}, outer_scope(self.function, captured))
        ended = self.block(tree.body)
        if ended and ended.value is not None:
            self.fail(tree, f"the thread returns {describe(ended.value)}, which is discarded",
                      "store results in a block, or print() numbers")
        intrinsics_blocks.end_kept(self, tree)
        for block in self.one.values():
            intrinsics.end(self, tree, block)
        circle = connect.in_circle(self.crossed)
        if circle:
            raise connect.Circle({pipe: self.crossed[pipe] for pipe in circle})

    def finish(self):
        """Adds the function to the kernel's module, once every thread of the kernel has been compiled."""
        kernel, location = self.kernel, self.source.location(self.source.tree)
        numbers = [*self.tensors, *(len(kernel.tensors) + n for n in self.numbers)]
        thread = "compute" if self.kind == "compute" else "noc"
        attributes = {"ttl.base_cta_index": f"{len(kernel.making.buffers)} : i32",
                      "ttl.crta_indices": f"[{', '.join(f'{n} : i32' for n in numbers)}]",
                      "ttl.kernel_thread": f"#ttkernel.thread<{thread}>"}
        kernel.module.function(self.symbol, self.writer.finish(location), location, attributes, [])

    def fail(self, node, message, note=None):
        """Ends the compilation with an error at a node (or a location)."""
        file, line, col = node if isinstance(node, tuple) else self.source.location(node)
        raise TTLangCompileError(message, file, line, col, note)

    # ---- objects of the kernel -----------------------------------------------------------

    def tensor(self, tensor, node):
        """The function's argument for this tensor."""
        number = self.kernel.tensor_number(tensor, lambda m: self.fail(node, m))
        if number not in self.tensors:
            self.arguments.append(self.kernel.module.argument(
                self.writer.head, self.kernel.tensor_type(number), self.source.location(self.source.tree), len(self.tensors)))
            self.tensors.append(number)
        return self.arguments[self.tensors.index(number)]

    def buffer(self, buffer, node):
        if buffer not in self.buffers:
            if buffer not in self.kernel.making.buffers:
                self.fail(node, "this circular buffer belongs to another kernel; make it in the kernel's body")
            if buffer.rows and self.kind == "compute" and math.prod(buffer.shape) % types.TILE_NUMBERS:
                buffer.padded = True  # compute threads are compiled first
                if "coalesce_dma" in self.kernel.options.schedule:
                    self.fail(node, f"{buffer.called} has blocks of {math.prod(buffer.shape)} numbers in rows, "
                                    f"which \"coalesce_dma\" cannot put together", f"use multiples of {types.TILE_NUMBERS} numbers, or another schedule")
            attributes = {"cb_index": f"{buffer._cb_index} : index", "buffer_factor": buffer.buffer_factor}
            if buffer.rows and self.kind != "compute" and math.prod(buffer.shape) % types.TILE_NUMBERS:
                attributes["ttl.padded" if buffer.padded else "ttl.rows"] = None  # pages of another number of elements than a tile
            self.buffers[buffer] = self.writer.at_head("ttl.bind_cb", (), self.type_of(buffer), self.source.location(node), attributes)
        return self.buffers[buffer]

    def type_of(self, buffer):
        """A buffer's type as this thread sees it."""
        shape, rows = buffer.seen_by(self.kind)
        return types.buffer(shape, buffer.element, buffer.buffer_factor, rows)

    def spill_buffer(self, shape, element, taken):
        """A buffer for a part of an expression, other than those in `taken`."""
        for buffer in self.spilled:
            if (buffer.tiles, buffer.element) == (tuple(shape), element) and buffer not in taken:
                return buffer
        self.spilled.append(intrinsics.CircularBuffer(shape=shape, buffer_factor=1, element=element, name="spilled"))
        return self.spilled[-1]

    def keeping(self):
        """The blocks that hold expressions until a region's end."""
        return [block for region in self.regions for block in region]

    @contextlib.contextmanager
    def nested(self, node, sure=False, branch=False):
        """The block of a region; circular buffers' blocks kept in it are released at its end."""
        self.regions.append(Region(sure, branch))
        with self.writer.nested() as block:
            yield block
            intrinsics_blocks.end_kept(self, node)
        self.regions.pop()

    def runtime(self, number):
        """The function's argument for this RuntimeInt."""
        if number.number not in self.numbers:
            self.numbers[number.number] = self.kernel.module.argument(
                self.writer.head, "index", self.source.location(self.source.tree))
        return Scalar(self.numbers[number.number])

    def ones(self, node, element):
        """A block of one tile of ones, in a buffer that the thread itself fills first."""
        if element not in self.one:
            location = self.source.location(node)
            buffer = intrinsics.CircularBuffer(shape=(1, 1), buffer_factor=1, element=element, name="ones")
            name, kind = self.buffer(buffer, node), types.block((1, 1), element)
            self.writer.at_head("ttl.cb_fill", (name,), (), location, {"value": "1.0 : f32"})
            view = self.writer.at_head("ttl.cb_wait", (name,), kind, location)
            value = self.writer.at_head("ttl.attach_cb", (view, name), kind, location)
            self.one[element] = Block(buffer, value, "wait", location)
            self.blocks.append(self.one[element])
        return self.one[element]

    # ---- statements ---------------------------------------------------------------------------

    def block(self, statements):
        """Compiles statements; returns an Exit where they end early."""
        for i, statement in enumerate(statements):
            if isinstance(statement, ast.Match):
                statement = self.matched(statement)
            if isinstance(statement, ast.If):
                test = self.boolean(self.evaluate(statement.test), statement.test)
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
        if not self.kernel.signposts or not isinstance(node, MARKED):
            return method(node)
        with self.marked(node):
            return method(node)

    @contextlib.contextmanager
    def marked(self, node, what=""):
        """Signposts before and after the operations of a line, if the kernel is profiled by lines."""
        location = self.source.location(node)
        if self.kernel.signposts:
            self.writer.op("ttl.signpost", (), (), location, {"name": string(f"line_{location[1]}{what}_before")})
        yield
        if self.kernel.signposts:
            self.writer.op("ttl.signpost", (), (), location, {"name": string(f"line_{location[1]}{what}_after")})

    def do_Pass(self, node):
        pass

    def do_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(self.evaluate(node.value), Expression):
            self.fail(node, "the result of this expression is unused", "store it: block.store(expression)")

    def do_Return(self, node):
        return Exit("return", self.evaluate(node.value) if node.value else None)

    def do_Continue(self, node):
        return Exit("continue")

    def do_Break(self, node):
        return Exit("break", node=node)

    def do_Assert(self, node):
        test = self.boolean(self.evaluate(node.test), node.test)
        if isinstance(test, Scalar):
            self.fail(node, "an assertion on what is known only when the kernel runs",
                      "assert in the kernel's body, on shapes and sizes")
        if not test:
            message = self.evaluate(node.msg) if node.msg else ast.unparse(node.test)
            self.fail(node, f"assertion failed: {message}")

    def matched(self, node):
        """Lowers a `match` to branches on its subject."""
        self.scope.names[matching.SUBJECT] = self.evaluate(node.subject)
        try:
            return matching.as_branches(node)
        except matching.Unsupported as error:
            return self.fail(error.node, str(error), "take tuples apart before, and use 'if'")

    def do_Raise(self, node):
        """A `raise` that the thread certainly reaches is a compile-time error."""
        if any(region.branch for region in self.regions) or node.exc is None:
            self.fail(node, "'raise' statements are not supported in threads", "what a thread does cannot raise; assert in the kernel's body")
        error = self.known(node.exc)
        self.fail(node, f"{type(error).__name__}: {error}" if isinstance(error, BaseException) else error.__name__,
                  "the thread's own 'raise', which is raised when the kernel is compiled")

    def do_Import(self, node):
        for name in node.names:
            module = self.static(node, importlib.import_module, name.name)
            top = sys.modules[name.name.partition(".")[0]]
            self.scope.names[name.asname or name.name.partition(".")[0]] = module if name.asname else top

    def do_ImportFrom(self, node):
        if node.level or any(name.name == "*" for name in node.names):
            self.fail(node, "this form of 'import' is not supported in threads", "import at the top of the file")
        module = self.static(node, importlib.import_module, node.module)
        for name in node.names:
            self.scope.names[name.asname or name.name] = self.static(node, getattr, module, name.name)

    def do_Global(self, node):
        """Threads read the host's objects; assign() rejects writes."""
        self.scope.of_host.update(node.names)

    def do_Delete(self, node):
        for target in node.targets:
            if not isinstance(target, ast.Name) or target.id not in self.scope.names:
                self.fail(target, "only the thread's own names can be deleted", "what the host holds stays")
            del self.scope.names[target.id]

    def do_FunctionDef(self, node):
        self.scope.names[node.name] = Local(self, node, self.scope, self.source)

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
                return intrinsics_blocks.store(self, node, former, self.evaluate(node.value), acc=True)
            self.assign(node.target, self.binary(node, node.op, former, self.evaluate(node.value)))
            return None
        return self.fail(node.target, "only names can be assigned to")

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            if target.id in self.scope.of_host:
                self.fail(target, f"'{target.id}' is the host's, which threads only read",
                          "threads share nothing but circular buffers and semaphores; give it another name here")
            former = self.scope.names.get(target.id)
            if isinstance(former, Block) and not former.ended:
                former.renamed = *self.source.location(target)[:2], target.id
            self.scope.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            if not isinstance(value, (tuple, list)):
                self.fail(target, f"Cannot unpack {describe(value)}")
            rest = next((i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)), None)
            if rest is not None and len(value) >= len(target.elts) - 1:
                behind = len(target.elts) - rest - 1
                middle = list(value[rest:len(value) - behind])
                value = [*value[:rest], middle, *value[len(value) - behind:]]
            if len(value) != len(target.elts):
                self.fail(target, f"Cannot unpack {len(value)} values into {len(target.elts)} variables")
            for t, v in zip(target.elts, value):
                self.assign(t, v)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value)
        elif isinstance(target, ast.Subscript):
            changed = self.evaluate(target.value)
            if isinstance(changed, (dict, list)):
                self.fail(target, f"a {type(changed).__name__} cannot be changed in a thread",
                          "fill it in the kernel's body, or give the value a name")
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
        hint = "circular buffers' blocks are what 'with' gives back: with cb.reserve() as block:"
        if not isinstance(node, ast.Call):
            self.fail(node, "'with' requires a method call (e.g., cb.reserve())", hint)
        if not isinstance(node.func, ast.Attribute):
            self.fail(node, "'with' requires a method call on an object", hint)
        self.fail(node, f"'with' only supports 'reserve()' or 'wait()', got '{node.func.attr}'", hint)
