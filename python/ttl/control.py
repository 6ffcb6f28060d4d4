"""Loops and branches of threads: `for` over range() and `if` on runtime values become scf.for and scf.if; names that
they change become results."""

import ast

from .intrinsics import of_both_ways
from .syntax import assigned
from .values import Block, Lost, Scalar, Value, describe, same

BREAK = "give range() the right end, or put an 'if' around the rest of the body"
MAX_UNROLLED = 4096  # steps of loops over anything but range()


class Exit:
    """How a list of statements was left before its end: "return" with a value, "continue" or "break"."""

    def __init__(self, kind, value=None, node=None):
        self.kind, self.value, self.node = kind, value, node


def alternatives(*ways):
    """The blocks that the branches of an `if` have begun; those of one buffer that are open at the end of several are
    one block afterwards, which is released once."""
    groups = {}
    for i, way in enumerate(ways):
        for block in way:
            if not block.ended:
                groups.setdefault((block.buffer, block.taken), []).append((i, block))
    for group in groups.values():
        for _, block in group:
            block.ways = [b for _, b in group]
            block.maybe |= len({i for i, _ in group}) < len(ways)
    return [block for way in ways for block in way]


class Control:
    """The part of a Compiler that builds regions."""

    def do_For(self, node):
        span = self.span(node.iter)
        if span is None:
            return self.unroll(node, self.evaluate(node.iter))
        if not isinstance(node.target, ast.Name):
            self.fail(node.target, "a loop over range() has one variable")
        if not all(isinstance(x, int) for x in span) or len(range(*span)) > 0:
            self.loop(node, *span)
        return self.block(node.orelse)  # loops of a kernel never end early

    def span(self, node):
        """(start, stop, step) if a node is a call of range()."""
        if not (isinstance(node, ast.Call) and self.evaluate(node.func) is range):
            return None
        values = self.items(node.args)
        if node.keywords or not 1 <= len(values) <= 3:
            self.fail(node, "range() takes one to three integers")
        for i, value in enumerate(values):
            if not self.arithmetic.is_integer(value):
                self.fail(node.args[min(i, len(node.args) - 1)], f"range() needs integers, not {describe(value)}")
            if isinstance(value, int) and not -2**31 <= value < 2**31:
                self.fail(node.args[min(i, len(node.args) - 1)], "range() of a kernel needs integers of 32 bits, "
                          f"got one of {value.bit_length()}", "that many iterations take years")
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
        if len(items) > MAX_UNROLLED:
            self.fail(node.iter, f"a loop over {len(items)} items would be unrolled", "loop over range(...)")
        for item in items:
            self.assign(node.target, item)
            ended = self.block(node.body)
            if ended and ended.kind != "continue":
                return ended if ended.kind == "return" else None
        return self.block(node.orelse)

    def do_While(self, node):
        """A loop whose condition is known at compile time is unrolled."""
        for _ in range(MAX_UNROLLED):
            test = self.boolean(self.evaluate(node.test), node.test)
            if isinstance(test, Scalar):
                self.fail(node, "'while' on what is known only when the kernel runs is not supported",
                          "use 'for' with range(), whose ends may be known then")
            if not test:
                return self.block(node.orelse)
            ended = self.block(node.body)
            if ended and ended.kind != "continue":
                return ended if ended.kind == "return" else None
        return self.fail(node, f"a loop of more than {MAX_UNROLLED} iterations would be unrolled", "use 'for' with range()")

    def loop(self, node, start, stop, step):
        writer, arithmetic = self.writer, self.arithmetic
        location = self.source.location(node)
        before = dict(self.scope.names)
        carried = [n for n in assigned(node.body) if n != node.target.id and arithmetic.is_scalar(before.get(n))]
        first = [arithmetic.value(before[n], node) for n in carried]
        from_0 = step < 0 or not arithmetic.is_natural(start)  # C++ loop counters are unsigned
        last = None if from_0 else arithmetic.upper(stop)
        again = set(assigned(node.body, augmented=False))
        for n in assigned(node.body):
            if n not in again and isinstance(before.get(n), Block):
                continue  # += adds to a block; the name keeps its block
            if n in before and n not in carried and n != node.target.id:
                self.scope.names[n] = Lost(f"'{n}' is {describe(before[n])} in the first iteration of the loop of line {location[1]}, "
                                           "and another value may come from the previous iteration; a loop over a list is unrolled")
        with self.nested(node, all(isinstance(x, int) for x in (start, stop))) as body:
            counter = Scalar(writer.module.argument(body, "index", location), natural=True, upper=None if last is None else last - 1)
            self.scope.names[node.target.id] = counter
            for n, v in zip(carried, first):
                self.scope.names[n] = Scalar(writer.module.argument(body, v.type, location), v.type)
            if from_0:
                self.scope.names[node.target.id] = self.binary(
                    node, ast.Sub() if step < 0 else ast.Add(), start, self.binary(node, ast.Mult(), counter, abs(step)))
            ended = self.block(node.body)
            if ended and ended.kind != "continue":
                self.fail(ended.node or node, f"'{ended.kind}' inside a loop is not supported in threads", "use an 'if' around the rest"
                          if ended.kind == "return" else BREAK)
            last = [self.carry(node, n, v) for n, v in zip(carried, first)]
        writer.module.op(body, "scf.yield", tuple(v.name for v in last), (), None, location)
        span = (0, self.iterations(node, start, stop, step), 1) if from_0 else (start, self.not_negative(node, stop), step)
        bounds = [arithmetic.value(x, node) for x in span]
        operands = tuple(v.name for v in (*bounds, *first))
        result = writer.regions("scf.for", operands, tuple(v.type for v in first), location, (body,))
        for i, (n, v) in enumerate(zip(carried, first)):
            self.scope.names[n] = Scalar(result + i, v.type)
        self.lose(before, carried, node, "a loop")

    def iterations(self, node, start, stop, step):
        """The number of iterations of range()."""
        if all(isinstance(x, int) for x in (start, stop)):
            return len(range(start, stop, step))
        first, last = (stop, start) if step < 0 else (start, stop)
        way = self.binary(node, ast.Sub(), last, first)
        return self.not_negative(node, way if abs(step) == 1 else self.binary(
            node, ast.FloorDiv(), self.binary(node, ast.Add(), way, abs(step) - 1), abs(step)))

    def not_negative(self, node, x):
        return x if self.arithmetic.is_natural(x) else self.arithmetic.extreme(node, [x, 0], largest=True)

    def carry(self, node, name, first):
        """The value that a loop passes to its next iteration under a name."""
        value = self.scope.names.get(name)
        if not self.arithmetic.is_scalar(value):
            self.fail(node, f"'{name}' is {first.describe()} before the loop and {describe(value)} after an iteration")
        value = self.arithmetic.value(value, node)
        if value.type != first.type:
            self.fail(node, f"'{name}' is {first.describe()} before the loop and {value.describe()} after an iteration")
        return value

    def lose(self, before, kept, node, where):
        """Drops the meaning of names changed inside a region: only `kept` are visible after it."""
        line = self.source.location(node)[1]
        for name, value in list(self.scope.names.items()):
            if name in kept:
                continue
            if name in before:
                self.scope.names[name] = before[name] if before[name] is value else Lost(
                    f"'{name}' was given another value inside {where} (line {line})")
            else:
                self.scope.names[name] = Lost(f"'{name}' got its value inside {where} (line {line})")

    def branch(self, node, test, then, otherwise):
        """An `if` of the kernel; returns the Exit of both branches where statements after it were moved inside."""
        return self.conditional(node, test, lambda: self.block(then), lambda: self.block(otherwise))

    def conditional(self, node, test, then, otherwise=lambda: None):
        """Two branches of the kernel, written by functions; those of statements return an Exit or None."""
        before = dict(self.scope.names)
        ways, open_blocks = [], [b for b in self.blocks if not b.ended]
        fields = "ended", "stored", "arriving"
        at_start = {b: [getattr(b, f) for f in fields] for b in open_blocks}
        after, opened = {b: [None] * len(fields) for b in open_blocks}, []
        for way in (then, otherwise):
            self.scope.names = dict(before)
            for block in open_blocks:
                block.ended, block.stored, block.arriving = at_start[block]
            first = len(self.blocks)
            with self.nested(node, branch=True) as body:
                ended = way()
            for block in open_blocks:
                after[block] = [getattr(block, f) or known for f, known in zip(fields, after[block])]
            opened.append(self.blocks[first:])
            del self.blocks[first:]  # the other branch does not see them
            ways.append((body, self.scope.names, ended if isinstance(ended, Exit) else None))
        for block in open_blocks:
            block.ended, block.stored, block.arriving = after[block]
        self.blocks += alternatives(*opened)
        (then_block, then_names, then_end), (else_block, else_names, else_end) = ways
        broken = next((end for end in (then_end, else_end) if end and end.kind == "break"), None)
        if broken:
            self.fail(broken.node, "'break' that depends on what the kernel finds out is not supported", BREAK)
        self.scope.names = merged = {}
        results = []
        for name in dict.fromkeys([*then_names, *else_names]):
            merged[name] = self.merge(node, name, then_names.get(name), else_names.get(name), results,
                                      name in then_names and name in else_names)
        value = None
        if then_end or else_end:
            pair = [e.value if e else None for e in (then_end, else_end)]
            value = self.merge(node, "return value", *pair, results, True)
        self.finish_branch(node, test, results, then_block, else_block)
        if then_end and else_end and then_end.kind != else_end.kind:
            kind = "return"
        else:
            kind = (then_end or else_end).kind if then_end or else_end else None
        return Exit(kind, value) if kind else None

    def merge(self, node, name, a, b, results, both):
        """The meaning of a name after the two branches."""
        if both and same(a, b):
            return a
        arithmetic = self.arithmetic
        if arithmetic.is_scalar(a) and arithmetic.is_scalar(b):
            kinds = [arithmetic.type_of(v) for v in (a, b)]
            if kinds[0] == kinds[1]:
                x, y = map(arithmetic.upper, (a, b))
                result = Scalar(self.writer.fresh(), kinds[0], all(map(arithmetic.is_natural, (a, b))),
                                None if x is None or y is None else max(x, y))
                results.append((result, a, b))
                return result
        if (isinstance(a, Block) and isinstance(b, Block) and not a.ended and not b.ended and a.buffer is b.buffer
                and a.taken == b.taken == "wait"):
            return of_both_ways(self, node, a, b)
        if isinstance(a, Lost) or isinstance(b, Lost):
            return a if isinstance(a, Lost) else b
        line = self.source.location(node)[1]
        return Lost(f"'{name}' depends on the 'if' of line {line}, and is {describe(a)} or {describe(b)}"
                    if both else f"'{name}' has a value on one way through the 'if' of line {line} only")

    def finish_branch(self, node, test, results, then_block, else_block):
        writer, location = self.writer, self.source.location(node)
        module, yields = writer.module, [tuple(self.arithmetic.value(row[side], node).name for row in results) for side in (1, 2)]
        if not results and module.is_empty(then_block) and module.is_empty(else_block):
            return
        if not results and module.is_empty(else_block):
            else_block = None
        for block, values in zip((then_block, else_block), yields):
            if block is not None:
                module.op(block, "scf.yield", values, (), None, location)
        writer.regions("scf.if", (test.name,), tuple(r.type for r, _, _ in results), location, (then_block, else_block),
                       tuple(r.name for r, _, _ in results))
