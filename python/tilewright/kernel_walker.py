"""Compiles the body of a Python function to IR: the part that d2m_jit and pykernel share.

Integers are values of arith, a loop over range() is scf.for and a branch scf.if, whose results are the names that it
changes. A language is a subclass: its functions and methods (tables of kernel_table.Function), the type of its integers,
and what is its own in Python's syntax.
"""

import ast
import builtins
import contextlib
import operator

from ttmlir import ir
from ttmlir.dialects import arith, scf

from .kernel_errors import SourceError, reason
from .source import assigned, captures, similar, tree_of

BINARY = {
    ast.Add: ("+", "__add__", arith.addi), ast.Sub: ("-", "__sub__", arith.subi), ast.Mult: ("*", "__mul__", arith.muli),
    ast.FloorDiv: ("//", "__floordiv__", arith.divsi), ast.Mod: ("%", "__mod__", arith.remsi),
    ast.LShift: ("<<", "__lshift__", arith.shli), ast.RShift: (">>", "__rshift__", arith.shrsi),
    ast.BitOr: ("|", "__or__", arith.ori), ast.BitAnd: ("&", "__and__", arith.andi), ast.BitXor: ("^", "__xor__", arith.xori),
    ast.Div: ("/", "__truediv__", None), ast.MatMult: ("@", "__matmul__", None), ast.Pow: ("**", "__pow__", None),
}
UNARY = {ast.USub: ("-", "__neg__"), ast.UAdd: ("+", "__pos__"), ast.Not: ("not", "__not__"), ast.Invert: ("~", "__invert__")}
OPERATORS = {  # of numbers that are known
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}
COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge"}
ADVICE = {
    ast.While: "loop over range(), whose bounds may be computed", ast.Break: "put the rest of the loop into an 'if'",
    ast.Continue: "put the rest of the loop into an 'if'", ast.Try: "a kernel raises nothing",
    ast.With: "a kernel has no context managers", ast.ListComp: "write a loop over range()", ast.Dict: "use names",
    ast.JoinedStr: "use print() with its arguments, where the language has it", ast.Lambda: "write the expression where it is used",
    ast.FunctionDef: "write the function's body where it is called", ast.ClassDef: "define classes outside the kernel",
    ast.IfExp: "write an 'if' statement", ast.Assert: "assert before the kernel is called",
    ast.Await: "data that is loaded is there when it is used: leave out 'await'",
    ast.Yield: "threads are made by the compiler: leave out 'yield'",
}


class Lost:
    """A name without a value on some way to where it is used."""

    def __init__(self, why, hint):
        self.why, self.hint = why, hint


def as_value(item):
    """The single result of an operation, a value as it is."""
    return item.operation.results[0] if isinstance(item, ir.OpView) else item


def is_integer(value):
    return isinstance(value, ir.Value) and isinstance(value.type, (ir.IntegerType, ir.IndexType))


class Walker:
    """Compiles the body of one function. `names` are its own names: values of IR, or what a language makes of them."""

    Error = SourceError
    functions = {}  # {name: Function}
    advice_of_lost = "give it a value before, with the same type on every way"

    def __init__(self, function, context):
        self.function, self.context = function, context
        self.file = function.__code__.co_filename
        found = tree_of(function)
        if not found:
            raise self.Error(f"the source of '{function.__name__}' cannot be found", file=self.file, line=function.__code__.co_firstlineno,
                             hint="define kernels in a file or a notebook's cell: write the text to a file and import that",
                             cause=OSError())
        self.text, self.tree = found
        self.names = {}
        self.outer = captures(function)

    # ---- errors ---------------------------------------------------------------------------------

    def failure(self, node, error, hint=None):
        """The error of a node, from the exception that Python would raise."""
        return self.Error(reason(error), file=self.file, line=node.lineno, col=node.col_offset + 1, source_lines=self.text.splitlines(),
                          snippet_line=node.lineno, hint=hint, cause=error)

    @contextlib.contextmanager
    def at(self, node):
        """Operations made inside have the node's location, and exceptions raised inside become errors there."""
        try:
            with ir.Location.file(self.file, node.lineno, node.col_offset + 1, self.context):
                yield
        except self.Error:
            raise  # of a node inside this one
        except Exception as error:  # noqa: BLE001: whatever the library reports
            raise self.failure(node, error)

    def verify(self, operation):
        """Verifies what was compiled. An error has the node's line where it is known."""
        try:
            operation.verify()
        except ir.MLIRError as error:
            first = error.error_diagnostics[0]
            known = first.location._is_file and first.location.filename == self.file
            line = first.location.start_line if known else self.tree.lineno
            raise self.Error(first.message, file=self.file, line=line, col=first.location.start_col if known else None,
                             source_lines=self.text.splitlines(), snippet_line=line, cause=error) from error

    def unsupported(self, node):
        raise self.failure(node, NotImplementedError(f"unsupported Python syntax inside @kernel: {type(node).__name__}"),
                           ADVICE.get(type(node)))

    def did_you_mean(self, name, candidates):
        found = similar(name, candidates)
        return f"did you mean `{found}`?" if found else None

    # ---- statements -----------------------------------------------------------------------------

    def statements(self, nodes):
        for node in nodes:
            method = getattr(self, "do_" + type(node).__name__, None) or self.unsupported(node)
            with self.at(node):
                method(node)

    def do_Pass(self, node):
        pass

    def do_Expr(self, node):
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):  # a text for readers
            self.evaluate(node.value)

    def do_Assign(self, node):
        if len(node.targets) != 1:
            raise self.failure(node, NotImplementedError("assignments to several targets"), "write one assignment for each")
        self.assign(node.targets[0], node.value)

    def assign(self, target, node):
        """Assigns an expression to a name, or several to several."""
        pairs = [(target, node)]
        if isinstance(target, (ast.Tuple, ast.List)):
            if not isinstance(node, (ast.Tuple, ast.List)) or len(node.elts) != len(target.elts):
                raise self.failure(target, NotImplementedError(f"assignment to {len(target.elts)} names"), "write as many expressions: a, b = 1, 2")
            pairs = list(zip(target.elts, node.elts))
        for to, _ in pairs:
            if not isinstance(to, ast.Name):
                raise self.failure(to, NotImplementedError(f"assignment to {ast.unparse(to)}"), "only names can be assigned to")
        values = [self.evaluate(n) for _, n in pairs]
        for (to, _), value in zip(pairs, values):
            self.set_name(to, value)

    def set_name(self, target, value):
        self.names[target.id] = value

    def do_AugAssign(self, node):
        if not isinstance(node.target, ast.Name):
            raise self.failure(node.target, NotImplementedError(f"assignment to {ast.unparse(node.target)}"), "only names can be assigned to")
        self.set_name(node.target, self.binary(node, node.op, self.of_Name(node.target), self.value(node.value)))

    def do_Return(self, node):
        raise self.failure(node, NotImplementedError("a kernel that returns something" if node.value else "a kernel that returns early"),
                           "results are what is stored; put the rest of the kernel into an 'if'")

    def body(self, nodes):
        """The statements of a function, whose last one may be a bare `return`."""
        if nodes and isinstance(nodes[-1], ast.Return) and nodes[-1].value is None:
            nodes = nodes[:-1]
        self.statements(nodes)

    # ---- loops and branches ---------------------------------------------------------------------

    def kept(self, statements):
        """The names that statements assign and that have a value before."""
        return [n for n in assigned(statements) if isinstance(self.names.get(n), (ir.Value, ir.OpView))]

    def do_For(self, node):
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range" and not call.keywords
                and 1 <= len(call.args) <= 3):
            raise self.failure(node.iter, NotImplementedError("Only range() supported in for loops"), "use range(end), range(begin, end) "
                               "or range(begin, end, step)")
        if node.orelse or not isinstance(node.target, ast.Name):
            raise self.failure(node, NotImplementedError("'else' of a loop" if node.orelse else "a loop over several names"))
        index = ir.IndexType.get(self.context)
        given = list(call.args)
        low = self.value(given.pop(0)) if len(given) > 1 else self.constant(0, index)
        high = self.value(given.pop(0))
        step = self.value(given.pop(0)) if given else self.constant(1, index)
        bounds = [self.cast(v, index) for v in (low, high, step)]
        before = self.names
        names = [n for n in self.kept(node.body) if n != node.target.id]
        loop = scf.ForOp(*bounds, iter_args=[as_value(before[n]) for n in names])
        with ir.InsertionPoint(loop.body):
            self.names = {**before, node.target.id: loop.induction_variable, **dict(zip(names, loop.inner_iter_args))}
            self.statements(node.body)
            ends = [self.carried(n, begin, self.same_type(node, n, before, self.names)) for n, begin in zip(names, loop.inner_iter_args)]
            scf.YieldOp([begin if end is None else end for begin, end in zip(loop.inner_iter_args, ends)])
        results = {n: result for n, result, end in zip(names, loop.results, ends) if end is not None}
        self.names = {**before, **results}
        self.lose(node, [*assigned(node.body), node.target.id], results, "the loop")

    def do_If(self, node):
        test = self.boolean(node.test, self.value(node.test))
        before = self.names
        names = [n for n in self.kept(node.body + node.orelse) if self.leaves_branch(as_value(before[n]))]
        branch = scf.IfOp(test, [as_value(before[n]).type for n in names], hasElse=bool(node.orelse or names))
        blocks = [(branch.then_block, node.body)] + ([(branch.else_block, node.orelse)] if node.orelse or names else [])
        for block, statements in blocks:
            with ir.InsertionPoint(block):
                self.names = dict(before)
                self.statements(statements)
                scf.YieldOp([self.same_type(node, n, before, self.names) for n in names])
        self.names = {**before, **dict(zip(names, branch.operation.results))}
        self.lose(node, assigned(node.body + node.orelse), names, "the 'if'")

    def same_type(self, node, name, before, after):
        """What a region gives back for a name: it has the type that the name had before."""
        old, new = as_value(before[name]), as_value(after[name])
        if not isinstance(new, ir.Value) or new.type != old.type:
            found = new.type if isinstance(new, ir.Value) else "no value"
            raise self.failure(node, TypeError(f"'{name}' is {old.type} before line {node.lineno} and {found} inside"),
                               "a name that a loop or branch changes keeps its type: take another name inside")
        return new

    def carried(self, name, begin, end):
        """What an iteration gives to the next for a name that it changes, from `begin` to `end`; None if the name has no value
        behind the loop."""
        return end

    def leaves_branch(self, value):
        """True if a branch can give back a value."""
        return True

    def lose(self, node, names, given, what):
        """Names that a region assigns and does not give back have no value behind it."""
        for name in names:
            if name not in given and (name not in self.names or isinstance(self.names[name], (ir.Value, ir.OpView))):
                self.names[name] = Lost(f"'{name}' has no value behind {what} of line {node.lineno}, which assigns it", self.advice_of_lost)

    # ---- expressions ----------------------------------------------------------------------------

    def evaluate(self, node):
        method = getattr(self, "of_" + type(node).__name__, None) or self.unsupported(node)
        with self.at(node):
            return method(node)

    def value(self, node):
        """An expression that must be a value of the kernel."""
        found = as_value(self.evaluate(node))
        if not isinstance(found, ir.Value):
            raise self.failure(node, TypeError(f"expected a value, got {'nothing' if found is None else type(found).__name__}"))
        return found

    def constant(self, number, type=None):
        type = type or self.integer_type(number)
        return arith.ConstantOp(type, int(number)).result

    def of_Constant(self, node):
        if not isinstance(node.value, int):
            raise self.failure(node, NotImplementedError(f"constant type {type(node.value).__name__} not implemented"),
                               "kernels compute with integers and what they load")
        return self.constant(node.value)

    def of_Name(self, node):
        if node.id in self.names:
            found = self.names[node.id]
            if isinstance(found, Lost):
                raise self.failure(node, NameError(found.why), found.hint)
            return as_value(found)
        found = self.outer_name(node)
        if isinstance(found, int):
            return self.constant(found)
        raise self.failure(node, TypeError(f"'{node.id}' is a {type(found).__name__} outside of the kernel"),
                           "kernels capture integers; pass what else they need as arguments")

    def outer_name(self, node):
        """The object of a name that is not the kernel's own."""
        for names in (self.outer, self.function.__globals__, vars(builtins)):
            if node.id in names:
                return names[node.id]
        raise self.failure(node, NameError(f"unknown variable '{node.id}'"), self.did_you_mean(node.id, [*self.names, *self.outer]))

    def of_Tuple(self, node):
        return tuple(self.evaluate(n) for n in node.elts)

    of_List = of_Tuple

    def of_BinOp(self, node):
        return self.binary(node, node.op, self.value(node.left), self.value(node.right))

    def binary(self, node, op, a, b):
        sign, method, of_integers = BINARY[type(op)]
        found = self.method(a, method)
        if found:
            return found.build(a, b)
        if not (is_integer(a) and is_integer(b)):
            raise self.failure(node, TypeError(f"'{sign}' of {a.type} and {b.type}"), self.methods_of(a))
        if not of_integers:
            raise self.failure(node, NotImplementedError(f"'{sign}' of integers"), "use '//', which truncates" if sign == "/" else None)
        return of_integers(a, self.cast(b, a.type))

    def of_UnaryOp(self, node):
        sign, method = UNARY[type(node.op)]
        if sign == "-" and isinstance(node.operand, ast.Constant) and type(node.operand.value) is int:
            negative = self.negative(node.operand)
            if negative is not None:
                return negative
        operand = self.value(node.operand)
        found = self.method(operand, method)
        if found:
            return found.build(operand)
        if not is_integer(operand):
            raise self.failure(node, TypeError(f"'{sign}' of {operand.type}"), self.methods_of(operand))
        return self.unary(sign, operand)

    def negative(self, node):
        """The value of a literal with a minus before it, or None to compute it."""
        return self.constant(-node.value)

    def unary(self, sign, operand):
        """An operation of one integer."""
        if sign == "not":
            return arith.cmpi(arith.CmpIPredicate.eq, operand, self.constant(0, operand.type))
        if sign == "+":
            return operand
        other = self.constant(0 if sign == "-" else -1, operand.type)
        return arith.subi(other, operand) if sign == "-" else arith.xori(operand, other)

    def of_Compare(self, node):
        values = [self.value(n) for n in (node.left, *node.comparators)]
        tests = []
        for op, a, b in zip(node.ops, values, values[1:]):
            if type(op) not in COMPARE or not (is_integer(a) and is_integer(b)):
                raise self.failure(node, TypeError(f"'{ast.unparse(node)}' compares {a.type} and {b.type}"),
                                   "blocks are compared by functions: eq, ne, lt, le, gt, ge" if not is_integer(a) else None)
            tests.append(arith.cmpi(getattr(arith.CmpIPredicate, COMPARE[type(op)]), a, self.cast(b, a.type)))
        return self.all_of(tests, arith.andi)

    def of_BoolOp(self, node):
        values = [self.value(n) for n in node.values]  # all are computed: they have no effects
        tests = [self.boolean(n, v) for n, v in zip(node.values, values)]
        return self.all_of(tests, arith.andi if isinstance(node.op, ast.And) else arith.ori)

    def all_of(self, tests, combine):
        out = tests[0]
        for test in tests[1:]:
            out = combine(out, test)
        return out

    def boolean(self, node, value):
        """An integer as i1: true if it is not zero."""
        if not is_integer(value):
            raise self.failure(node, TypeError(f"a condition of {value.type}"), "conditions are integers; blocks are chosen by where()")
        if isinstance(value.type, ir.IntegerType) and value.type.width == 1:
            return value
        return arith.cmpi(arith.CmpIPredicate.ne, value, self.constant(0, value.type))

    def cast(self, value, type):
        """An integer in another type."""
        if value.type == type:
            return value
        if isinstance(value.type, ir.IndexType) or isinstance(type, ir.IndexType):
            return arith.index_cast(type, value)
        return (arith.extui if value.type.width == 1 else arith.extsi if value.type.width < type.width else arith.trunci)(type, value)

    # ---- calls ----------------------------------------------------------------------------------

    def of_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            return self.call_method(node)
        if not isinstance(node.func, ast.Name):
            self.unsupported(node.func)
        found = self.functions.get(node.func.id)
        if not found:
            raise self.failure(node, NameError(f"unknown function '{node.func.id}' in kernel scope"),
                               self.did_you_mean(node.func.id, self.functions) or "kernels call the functions of their language only")
        return found.build(**self.arguments(node, found, node.args))

    def arguments(self, node, function, given):
        """The arguments of a call, those that are values evaluated."""
        try:
            bound = function.bind(given, [(k.arg, k.value) for k in node.keywords])
        except TypeError as error:
            raise self.failure(node, error, f"it is called as {function.signature}")
        return {name: a if not isinstance(a, ast.AST) else self.known(a, name) if p.known else self.argument(a)
                for name, (p, a) in bound.items()}

    def argument(self, node):
        return self.evaluate(node)

    def call_method(self, node):
        receiver = node.func.value
        if isinstance(receiver, ast.Name) and receiver.id not in self.names:
            raise self.failure(node.func, NameError(f"unknown variable '{receiver.id}'"), self.did_you_mean(receiver.id, self.names) or (
                f"functions of the language have no prefix: {node.func.attr}(...)" if node.func.attr in self.functions else None))
        value = self.value(receiver)
        found = self.method(value, node.func.attr)
        if not found:
            kind = self.kind(value)
            raise self.failure(node.func, AttributeError(f"`{ast.unparse(receiver)}` of type {kind} has no method '{node.func.attr}'"),
                               self.did_you_mean(node.func.attr, [n.rpartition(".")[2] for n in self.functions if n.startswith(kind + ".")]))
        return found.build(**self.arguments(node, found, [value, *node.args]))

    def kind(self, value):
        """The name under which a type's methods are found: that of the type without its parameters."""
        text = str(value.type).split("<")[0]
        return text if text.startswith("!") else "!" + text

    def method(self, value, name):
        return self.functions.get(f"{self.kind(value)}.{name}")

    def methods_of(self, value):
        kind = self.kind(value)
        signs = [sign for sign, method, _ in BINARY.values() if f"{kind}.{method}" in self.functions]
        return f"operators of {kind} are {' '.join(signs)}, with operands of that type" if signs else None

    # ---- what is known ---------------------------------------------------------------------------

    def known(self, node, what):
        """The Python value of an argument that becomes an attribute."""
        try:
            return self.python_value(node)
        except (ValueError, TypeError) as error:
            raise self.failure(node, TypeError(f"'{what}' must be known when the kernel is compiled, and {error}"),
                               "write a literal, or a name of the enclosing function or module")

    def python_value(self, node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.python_value(n) for n in node.elts]
        if isinstance(node, ast.Attribute):
            return getattr(self.python_value(node.value), node.attr)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            number = self.python_value(node.operand)
            return -number if isinstance(node.op, ast.USub) else number
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](self.python_value(node.left), self.python_value(node.right))
        if isinstance(node, ast.Name):
            return self.value_of_name(node)
        raise ValueError(f"'{ast.unparse(node)}' is not")

    def value_of_name(self, node):
        if node.id not in self.names:
            return self.outer_name(node)
        value = as_value(self.names[node.id])
        if isinstance(value, (bool, int)):
            return value
        owner = value.owner if isinstance(value, ir.Value) else None
        if isinstance(owner, ir.Operation) and owner.name == "arith.constant":
            return ir.IntegerAttr(owner.attributes["value"]).value
        raise ValueError(f"'{node.id}' is computed by the kernel")
