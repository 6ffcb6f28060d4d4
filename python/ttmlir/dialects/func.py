"""func: functions, calls, and a decorator that traces a Python function into a func.func."""

import inspect

from ttmlir import ir as _ir
from ttmlir.dialects import _tables

_tables.fill_all(globals(), "func")

ARGUMENT_ATTRIBUTE_NAME = "arg_attrs"
RESULT_ATTRIBUTE_NAME = "res_attrs"


@_tables.register_operation()
class ConstantOp(ConstantOp):  # noqa: F821
    """func.constant"""

    __slots__ = ()

    @property
    def type(self):
        return self.results[0].type


@_tables.register_operation()
class FuncOp(FuncOp):  # noqa: F821
    """func.func(name, type, visibility=None, body_builder=None): `type` is a FunctionType or a
    pair (inputs, results)."""

    __slots__ = ()

    def __init__(self, name, type, *, visibility=None, body_builder=None, loc=None, ip=None):
        context = loc.context if loc is not None else None
        if isinstance(type, tuple):
            type = _ir.FunctionType.get(*type)
        super().__init__(
            _ir.StringAttr.get(str(name), context), _ir.TypeAttr.get(type),
            sym_visibility=None if visibility is None else _ir.StringAttr.get(str(visibility), context),
            loc=loc, ip=ip)
        if body_builder is not None:
            with _ir.InsertionPoint(self.add_entry_block()):
                body_builder(self)

    @property
    def is_external(self):
        return len(self.regions[0].blocks) == 0

    @property
    def body(self):
        return self.regions[0]

    @property
    def type(self):
        return self.attributes["function_type"].value

    @property
    def name(self):
        return self.attributes["sym_name"]

    @property
    def visibility(self):
        return self.attributes["sym_visibility"]

    @property
    def entry_block(self):
        if self.is_external:
            raise IndexError("External function does not have a body")
        return self.regions[0].blocks[0]

    def add_entry_block(self, arg_locs=None):
        """The function's first block, with an argument for each input."""
        if not self.is_external:
            raise IndexError("The function already has an entry block!")
        return _ir.Block.create_at_start(self.body, self.type.inputs, arg_locs)

    @property
    def arguments(self):
        return self.entry_block.arguments

    @property
    def arg_attrs(self):
        found = self.attributes.get(ARGUMENT_ATTRIBUTE_NAME)
        if found is None:
            empty = _ir.DictAttr.get({}, self.context)
            found = _ir.ArrayAttr.get([empty for _ in self.type.inputs], self.context)
        return found

    @arg_attrs.setter
    def arg_attrs(self, attribute):
        if not isinstance(attribute, _ir.ArrayAttr):
            attribute = _ir.ArrayAttr.get(attribute, self.context)
        self.attributes[ARGUMENT_ATTRIBUTE_NAME] = attribute

    @property
    def result_attrs(self):
        return self.attributes[RESULT_ATTRIBUTE_NAME]

    @result_attrs.setter
    def result_attrs(self, attribute):
        self.attributes[RESULT_ATTRIBUTE_NAME] = attribute

    @classmethod
    def from_py_func(cls, *inputs, results=None, name=None):
        """A decorator: calls the Python function with the block's arguments (and with func_op=, if it accepts that);
        its return value becomes a func.return, and the function's result types are inferred. With results= given, the
        body builds its terminator and returns None."""

        def decorate(traced):
            return _trace(cls, traced, inputs, results, name or traced.__name__)

        return decorate


def _takes_func_op(function):
    kinds = inspect.Parameter
    return any(p.kind == kinds.VAR_KEYWORD or
               (p.name == "func_op" and p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY))
               for p in inspect.signature(function).parameters.values())


def _values(returned):
    if returned is None:
        return []
    if isinstance(returned, _ir.Value):
        return [returned]
    if isinstance(returned, (_ir.OpView, _ir.Operation)):
        return list(returned.operation.results)
    return list(returned)


def _trace(cls, traced, inputs, results, name):
    op = cls(name, _ir.FunctionType.get(list(inputs), list(results or [])))
    with _ir.InsertionPoint(op.add_entry_block()):
        extra = {"func_op": op} if _takes_func_op(traced) else {}
        returned = traced(*op.entry_block.arguments, **extra)
        if results is not None:
            assert returned is None, "Capturing a python function with explicit `results=` requires that the wrapped function returns None."
            types = list(results)
        else:
            values = _values(returned)
            ReturnOp(values)  # noqa: F821
            types = [value.operation.result.type if isinstance(value, (_ir.OpView, _ir.Operation)) else value.type
                     for value in values]
            op.attributes["function_type"] = _ir.TypeAttr.get(_ir.FunctionType.get(list(inputs), types))

    def call(*operands):
        made = CallOp(types, _ir.FlatSymbolRefAttr.get(name), list(operands))
        return made.results[0] if len(types) == 1 else made.results

    call.__name__ = traced.__name__
    call.func_op = op
    return call


func = FuncOp.from_py_func


@_tables.register_operation()
class CallOp(CallOp):  # noqa: F821
    """func.call: CallOp(function, operands) or CallOp(result types, name, operands)."""

    __slots__ = ()

    def __init__(self, calleeOrResults, argumentsOrCallee, arguments=None, *, loc=None, ip=None, **attributes):
        if isinstance(calleeOrResults, FuncOp):
            if not isinstance(argumentsOrCallee, (list, tuple, _ir.OpResultList, _ir.BlockArgumentList)):
                raise ValueError("a call of a function takes a list of operands as its second argument, "
                                 f"got {type(argumentsOrCallee)}")
            if arguments is not None:
                raise ValueError("a call of a function takes no third argument")
            callee = _ir.FlatSymbolRefAttr.get(calleeOrResults.name.value, calleeOrResults.context)
            super().__init__(calleeOrResults.type.results, callee, argumentsOrCallee, loc=loc, ip=ip, **attributes)
            return
        if isinstance(argumentsOrCallee, str):
            argumentsOrCallee = _ir.FlatSymbolRefAttr.get(argumentsOrCallee, loc.context if loc is not None else None)
        elif not isinstance(argumentsOrCallee, _ir.FlatSymbolRefAttr):
            raise ValueError("a call by name takes a string or a FlatSymbolRefAttr as its second argument, "
                             f"got {type(argumentsOrCallee)}")
        super().__init__(calleeOrResults, argumentsOrCallee, arguments or [], loc=loc, ip=ip, **attributes)
