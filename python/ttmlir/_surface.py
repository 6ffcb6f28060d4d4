"""Members of MLIR's Python classes that need no speed: defined in Python and added to the classes of the extension
module by `complete`."""

import re
import sys


class TypeID:
    """Identifies the class of a type, an attribute or a location."""

    __slots__ = ("_key",)

    def __init__(self, key):
        self._key = key

    def __eq__(self, other):
        return isinstance(other, TypeID) and self._key == other._key

    def __hash__(self):
        return hash(self._key)


def library_class(cls):
    """The class itself, or the library's base class of a user-defined one."""
    return next(base for base in cls.__mro__ if base.__module__.startswith("ttmlir."))


class _StaticTypeID:
    def __get__(self, instance, owner):
        return TypeID(library_class(owner))


_LOCATIONS = ("_is_unknown", "_is_file", "_is_name", "_is_callsite", "_is_fused")


def _type_id(self):
    return TypeID(library_class(type(self)))


def _location_type_id(self):
    return TypeID(next((kind for kind in _LOCATIONS if getattr(self, kind)), "location"))


def _iterator(name):
    def init(self, items):
        self._items = (items[i] for i in range(len(items)))

    return type(name, (), {"__module__": "ttmlir.ir", "__init__": init, "__iter__": lambda self: self,
                           "__next__": lambda self: next(self._items)})


class ThreadPool:
    """No effect: passes over one context run one after another."""

    def get_max_concurrency(self):
        return 1

    def _mlir_thread_pool_ptr(self):
        return hex(id(self))


class AffineExprList(list):
    """The results of a map."""


class IntegerSetConstraint:
    __slots__ = ("expr", "is_eq")

    def __init__(self, expr, is_eq):
        self.expr = expr
        self.is_eq = is_eq


class IntegerSetConstraintList(list):
    pass


# ---- affine expressions -------------------------------------------------------------------------


def _rebuilt(ir, expr, leaf):
    """The expression with `leaf(e)` for dimensions and symbols (None keeps them)."""
    if isinstance(expr, ir.AffineBinaryExpr):
        sides = _rebuilt(ir, expr.lhs, leaf), _rebuilt(ir, expr.rhs, leaf)
        kind = {"AffineAddExpr": "get_add", "AffineMulExpr": "get_mul", "AffineModExpr": "get_mod",
                "AffineFloorDivExpr": "get_floor_div", "AffineCeilDivExpr": "get_ceil_div"}[type(expr).__name__]
        return getattr(ir.AffineExpr, kind)(*sides)
    return leaf(expr) or expr


def _replaced(ir, expr, old, new):
    if expr == old:
        return new
    if isinstance(expr, ir.AffineBinaryExpr):
        lhs, rhs = _replaced(ir, expr.lhs, old, new), _replaced(ir, expr.rhs, old, new)
        if lhs == expr.lhs and rhs == expr.rhs:
            return expr
        kind = {"AffineAddExpr": "get_add", "AffineMulExpr": "get_mul", "AffineModExpr": "get_mod",
                "AffineFloorDivExpr": "get_floor_div", "AffineCeilDivExpr": "get_ceil_div"}[type(expr).__name__]
        return getattr(ir.AffineExpr, kind)(lhs, rhs)
    return expr


def _symbols_of(ir, expr, found):
    if isinstance(expr, ir.AffineBinaryExpr):
        _symbols_of(ir, expr.lhs, found)
        _symbols_of(ir, expr.rhs, found)
    elif isinstance(expr, ir.AffineSymbolExpr):
        found.add(expr.position)


def _affine(ir):
    def shifted(cls):
        def shift(self, number, by, offset=0):
            if offset > number:
                raise ValueError(f"offset {offset} is beyond {number}")
            return _rebuilt(ir, self, lambda e: cls.get(e.position + by, self.context)
                            if isinstance(e, cls) and e.position >= offset else None)

        return shift

    ir.AffineExpr.shift_dims = shifted(ir.AffineDimExpr)
    ir.AffineExpr.shift_symbols = shifted(ir.AffineSymbolExpr)

    def submap(minor):
        def get(self, n_results):
            results = list(self.results)
            if n_results >= len(results):
                raise ValueError("number of results out of bounds")
            chosen = results[len(results) - n_results:] if minor else results[:n_results]
            return ir.AffineMap.get(self.n_dims, self.n_symbols, chosen, self.context)

        return get

    ir.AffineMap.get_major_submap = submap(False)
    ir.AffineMap.get_minor_submap = submap(True)

    def replace(self, expr, replacement, n_result_dims, n_result_syms):
        results = [_replaced(ir, e, expr, replacement) for e in self.results]
        return ir.AffineMap.get(n_result_dims, n_result_syms, results, self.context)

    def compress_unused_symbols(affine_maps, context=None):
        used = set()
        for one in affine_maps:
            for expr in one.results:
                _symbols_of(ir, expr, used)
        index = {old: new for new, old in enumerate(sorted(used))}

        def compressed(one):
            results = [_rebuilt(ir, e, lambda leaf: ir.AffineSymbolExpr.get(index[leaf.position], one.context)
                                if isinstance(leaf, ir.AffineSymbolExpr) else None) for e in one.results]
            return ir.AffineMap.get(one.n_dims, len(index), results, one.context)

        return [compressed(one) for one in affine_maps]

    ir.AffineMap.replace = replace
    ir.AffineMap.compress_unused_symbols = staticmethod(compress_unused_symbols)


def _integer_sets(ir):
    def parts(self):
        """The expressions, read from the text, since a set has no other accessor."""
        text = str(self)
        names = re.match(r"\(([^)]*)\)(?:\[([^\]]*)\])? : \((.*)\)$", text)
        inputs = f"({names[1]})" + (f"[{names[2]}]" if names[2] else "")
        found = IntegerSetConstraintList()
        for one in names[3].split(", "):
            expr, is_eq = re.match(r"(.*) (==|>=) 0$", one).groups()
            attr = ir.Attribute.parse(f"affine_map<{inputs} -> ({expr})>", self.context)
            found.append(IntegerSetConstraint(list(ir.AffineMapAttr(attr).value.results)[0], is_eq == "=="))
        return found

    def get_empty(num_dims, num_symbols, context=None):
        return ir.IntegerSet.get(num_dims, num_symbols, [ir.AffineExpr.get_constant(1, context)], [True], context)

    def is_canonical_empty(self):
        return self == get_empty(self.n_dims, self.n_symbols, self.context)

    def get_replaced(self, dim_exprs, symbol_exprs, num_result_dims, num_result_symbols):
        if len(dim_exprs) != self.n_dims:
            raise ValueError("Expected the number of dimension replacement expressions to match that of dimensions")
        if len(symbol_exprs) != self.n_symbols:
            raise ValueError("Expected the number of symbol replacement expressions to match that of symbols")

        def leaf(e):
            return dim_exprs[e.position] if isinstance(e, ir.AffineDimExpr) else \
                symbol_exprs[e.position] if isinstance(e, ir.AffineSymbolExpr) else None

        found = self.constraints
        return ir.IntegerSet.get(num_result_dims, num_result_symbols, [_rebuilt(ir, c.expr, leaf) for c in found],
                                 [c.is_eq for c in found], self.context)

    ir.IntegerSet.constraints = property(parts)
    ir.IntegerSet.get_empty = staticmethod(get_empty)
    ir.IntegerSet.is_canonical_empty = property(is_canonical_empty)
    ir.IntegerSet.get_replaced = get_replaced


# ---- types and attributes -----------------------------------------------------------------------

_SIMPLE = re.compile(r"[A-Za-z][\w.$]*(<.*>)?$", re.S)


def _opaque(cls, in_bytes):
    """The text after the dialect's name is kept with its dot or brackets."""
    make, data = cls.get, cls.data

    def get(dialect_namespace, buffer, *rest, **named):
        text = buffer.decode() if isinstance(buffer, bytes) else buffer
        return make(dialect_namespace, "." + text if _SIMPLE.match(text) else f"<{text}>", *rest, **named)

    def plain(self):
        kept = data.__get__(self)
        dot, ends = (b".", (b"<", b">")) if in_bytes else (".", ("<", ">"))
        if kept.startswith(dot):
            return kept[1:]
        return kept[1:-1] if kept.startswith(ends[0]) and kept.endswith(ends[1]) else kept

    cls.get = staticmethod(get)
    cls.data = property(plain)


def _shapes(ir):
    dynamic = ir.ShapedType.get_dynamic_size()
    ir.ShapedType.is_static_dim = lambda self, dim: not self.is_dynamic_dim(dim)
    ir.ShapedType.is_static_size = staticmethod(lambda size: size != dynamic)
    ir.ShapedType.is_static_stride_or_offset = staticmethod(lambda size: size != dynamic)
    ir.StridedLayoutAttr.get_fully_dynamic = staticmethod(
        lambda rank, context=None: ir.StridedLayoutAttr.get(dynamic, [dynamic] * rank, context))


def _iterators(ir):
    made = {}
    names = {"ArrayAttr": "ArrayAttributeIterator"}
    names |= {f"Dense{kind}ArrayAttr": f"Dense{kind}ArrayIterator" for kind in ("Bool", "I8", "I16", "I32", "I64", "F32", "F64")}
    for cls, name in names.items():
        made[name] = _iterator(name)
        getattr(ir, cls).__iter__ = lambda self, make=made[name]: make(self)
    return made


def _sequence(name):
    return type(name, (list,), {"__slots__": ()})


def _sequences(ir):
    """Classes for plain lists and iterators of the library."""
    made = {name: _sequence(name) for name in ("OpOperands", "BlockSuccessors", "BlockPredecessors")}
    iterators = {name: _iterator(name) for name in ("OpOperandIterator", "BlockIterator")}
    for cls, member, name in ((ir._OperationBase, "op_operands", "OpOperands"), (ir.Block, "successors", "BlockSuccessors"),
                              (ir.Block, "predecessors", "BlockPredecessors")):
        known = vars(cls)[member]
        setattr(cls, member, property(lambda self, known=known, wrap=made[name]: wrap(known.__get__(self)), doc=known.__doc__))
    uses = ir.Value.uses
    ir.Value.uses = property(lambda self: iterators["OpOperandIterator"](list(uses.__get__(self))))
    ir.Region.__iter__ = lambda self: iterators["BlockIterator"](list(self.blocks))
    return made | iterators


# ---- dynamic types and attributes: no dialect here is extensible, so there are none -----------------


class _Never(type):
    """The metaclass of classes without instances."""

    def __instancecheck__(cls, instance):
        return False

    def __call__(cls, item):
        raise ValueError(f"Cannot cast {cls.noun} to {cls.__name__} (from {item!r})")


def _never(ir, name, noun):
    def refuse(full_name, context):
        dialect, dot, _ = full_name.partition(".")
        if not dot:
            raise ValueError(f"Expected full {noun} name to be in the format '<dialectName>.<{noun}Name>'.")
        context = context if context is not None else ir.Context.current
        if context is None:
            raise RuntimeError("no Context is given and none is current: pass context= or work inside 'with Context():'")
        if dialect not in context._dialect_names():
            raise IndexError(f"Dialect '{dialect}' not found")
        raise ValueError(f"Dialect '{dialect}' is not an extensible dialect.")

    return _Never(name, (), {
        "noun": noun, "get": staticmethod(lambda full_name, attributes, context=None: refuse(full_name, context)),
        "lookup_typeid": staticmethod(lambda full_name, context=None: refuse(full_name, context))})


def _dynamic(ir):
    return {"DynamicType": _never(ir, "DynamicType", "type"),
            "DynamicAttr": _never(ir, "DynamicAttr", "attribute")}


def complete(ir):
    """Adds to the classes of `ir` (a namespace with its names) and returns the new names."""
    _affine(ir)
    _integer_sets(ir)
    _shapes(ir)
    _opaque(ir.OpaqueType, False)
    _opaque(ir.OpaqueAttr, True)
    for base in (ir.Type, ir.Attribute):
        base.static_typeid = _StaticTypeID()
        base.typeid = property(_type_id)
    ir.Location.typeid = property(_location_type_id)
    ir.Value.dump = lambda self: print(self, file=sys.stderr)
    results = ir.AffineMap.results
    ir.AffineMap.results = property(lambda self: AffineExprList(results.__get__(self)))
    ir.Context._mlir_thread_pool_ptr = lambda self: hex(id(self))
    ir.Context.set_thread_pool = lambda self, pool: None
    new = {cls.__name__: cls for cls in (TypeID, ThreadPool, AffineExprList, IntegerSetConstraint, IntegerSetConstraintList)}
    return new | _iterators(ir) | _sequences(ir) | _dynamic(ir)
