"""A graph as a module in memory (tilewright._core.Module): TTIR with or without layouts, or TTNN with operations tagged for D2M."""

import copy
import re

import ttnn
from tilewright import _engine

from . import layouts, operations


class Writer:
    """Builds a module with one function: values are numbers of the module, types and attributes texts that it parses once."""

    def __init__(self, graph, laid_out, locations=True):
        self.laid_out, self.locations, self.types = laid_out, locations, {}
        self.module = _engine.core().Module()
        self.block = self.module.block()
        self.values = {id(node): self.module.argument(self.block, self.type(node), None) for node in graph.arguments}

    def type(self, node, plain=False):
        """The type of a value; plain: without its layout."""
        key = node.shape, node.dtype, None if plain or not self.laid_out else id(node.memory)
        found = self.types.get(key)
        if found is None:
            found = self.types[key] = self.type_text(node, plain)
        return found

    def type_text(self, node, plain):
        sizes, element = "".join(f"{s}x" for s in node.shape), layouts.ELEMENTS[node.dtype]
        if not self.laid_out:
            return f"tensor<{sizes}{'f32' if element.startswith('!') else element}>"
        return f"tensor<{sizes}{element}>" if plain else f"tensor<{sizes}{element}, {layouts.text(node.shape, node.dtype, node.memory)}>"

    def put(self, name, operands, result, location, attributes=None):
        """Appends an operation with one result, whose type is a text; returns its value."""
        where = (*location, 1) if location and self.locations else None
        return self.module.op(self.block, name, tuple(operands), result, attributes or None, where)

    def of(self, nodes):
        """The values of nodes."""
        return [self.values[id(n)] for n in nodes]

    def finish(self, graph, name):
        """The module, with the function closed."""
        where = (*graph.location, 1) if graph.location and self.locations else None
        self.module.op(self.block, "func.return", tuple(self.of(graph.results)), (), None, where)
        self.module.function(name or graph.name, self.block, where, {}, [])
        return self.module


def _live(graph):
    """The operations that results need, in order."""
    wanted = {id(r) for r in graph.results}
    for node in reversed(graph.nodes):  # operands come first
        if id(node) in wanted:
            wanted.update(map(id, node.operands))
    return [n for n in graph.nodes if id(n) in wanted]


def ttir(graph, *, laid_out, name=None, locations=True):
    """A module of TTIR with one function; without layouts memory configs are left out."""
    out = Writer(graph, laid_out, locations)
    for node in _live(graph):
        operands, kind = out.of(node.operands), out.type(node)
        if node.op != "to_layout":
            value = out.put(f"ttir.{node.op}", operands, kind, node.location, node.attributes)
        elif laid_out:
            empty = out.put("ttir.empty", (), kind, node.location)
            value = out.put("ttir.to_layout", (*operands, empty), kind, node.location)
        else:
            value, = operands
        out.values[id(node)] = value
    return out.finish(graph, name)


# Operations on elements whose results are operands' values, booleans or small integers: no type of floats rounds them.
EXACT = frozenset("""abs neg relu relu6 sign ceil floor logical_not isfinite eq ne gt ge lt le logical_and logical_or logical_xor maximum minimum where
    clamp_scalar clamp_tensor full typecast""".split())
ON_ELEMENTS = EXACT | frozenset("""acos asin atan cbrt cos erf erfc exp expm1 gelu hardsigmoid log log1p mish reciprocal rsqrt sigmoid silu sin sqrt tan tanh
    add multiply subtract atan2 pow remainder div""".split())
ORDERS = {"gt": ("ne", 1), "ge": ("eq", 0), "lt": ("ne", 0), "le": ("eq", 1)}  # max(a, b) is compared so, with this operand
SIMPLER = ("relu6", "isfinite")
NARROW = (ttnn.DataType.BFLOAT16, ttnn.DataType.FLOAT16, ttnn.DataType.BFLOAT8_B, ttnn.DataType.BFLOAT4_B)


class D2MWriter(Writer):
    """Builds the module that D2M compiles. Only arguments and results have layouts, so that the compiler chooses those between.
    `rounded`: operations on elements compute in f32 and round to the operation's type, as the host does; otherwise they compute
    in that type, which DST truncates to."""

    def __init__(self, graph, rounded):
        super().__init__(graph, True)
        self.rounded, self.wide = rounded, {}
        self.has_narrow = any(node.dtype in NARROW for node in (*graph.arguments, *graph.nodes))

    def moved(self, node, to):
        """The value in the layout of `to`."""
        target = self.type(to)
        empty = self.put("ttir.empty", (), target, to.location)
        return self.put("ttir.to_layout", (self.values[id(node)], empty), target, to.location)

    def cast(self, value, target, location):
        return self.put("ttir.typecast", (value,), target, location, {"conservative_folding": True})

    def computed(self, node):
        """An operation; in f32 where its type is narrower."""
        if node.op in SIMPLER:
            return self.simpler(node)
        if node.op in ORDERS and node.operands[0].dtype in operations.INTEGERS:
            return self.order_of_integers(node)
        operands = self.of(node.operands)
        own = self.type(node, True)
        wide = self.rounded and self.has_narrow and node.op in ON_ELEMENTS and node.op not in ("full", "typecast") and any(n.dtype in NARROW for n in (node, *node.operands))
        wide = wide or (node.op in operations.REDUCTIONS and block_float(node.dtype))
        made = own
        if wide:
            operands = [self.in_f32(n) if n.dtype in NARROW else value for n, value in zip(node.operands, operands)]
            if node.dtype in NARROW:
                made = f32(node)
        value = self.put(f"ttir.{node.op}", operands, made, node.location, node.attributes)
        if made != own:
            if node.op in EXACT or block_float(node.dtype):
                self.wide[id(node)] = value
            value = self.cast(value, own, node.location)
        self.values[id(node)] = value

    def simpler(self, node):
        """An operation that D2M lacks, as operations with the same results that it has."""
        operand, own = self.values[id(node.operands[0])], self.type(node, True)
        if node.op == "relu6":
            six = self.put("ttir.full", (), own, node.location, operations.full_attributes("6.000000e+00 : f32", node.shape))
            positive = self.put("ttir.relu", (operand,), own, node.location)
            self.values[id(node)] = self.put("ttir.minimum", (positive, six), own, node.location)
            return
        nothing = self.put("ttir.subtract", (operand, operand), own, node.location)  # NaN for infinities
        self.values[id(node)] = self.put("ttir.eq", (nothing, nothing), own, node.location)

    def order_of_integers(self, node):
        """gt, ge, lt, le of integers without a difference, which may overflow: a > b is max(a, b) != b."""
        own = self.type(node, True)
        equality, other = ORDERS[node.op]
        operands = self.of(node.operands)
        larger = self.put("ttir.maximum", operands, own, node.location)
        self.values[id(node)] = self.put(f"ttir.{equality}", (larger, operands[other]), own, node.location)

    def in_f32(self, node):
        """The value in f32; block floats round results only."""
        if id(node) not in self.wide:
            self.wide[id(node)] = self.cast(self.values[id(node)], f32(node), node.location)
        return self.wide[id(node)]


def keeping_dims(graph):
    """The graph as D2M computes it, on tiles of two dimensions: results keep the dimensions of their reductions, as 1, where only
    operations on elements follow these, and a value without dimensions has one. The graph itself if there is no such value; the
    caller reshapes results."""
    if all(node.shape and (node.op not in operations.REDUCTIONS or node.attributes["keep_dim"]) for node in graph.nodes):
        return graph
    kept = {}  # by id of a node: the one that keeps dimensions
    replaced = {}  # by id of a node without dimensions, or of one that reads such: with_dimension's copy
    nodes = []
    for given in graph.nodes:
        node = with_dimension(given, replaced)
        made, others = None, [kept.get(id(o)) for o in given.operands if o.op != "full"]
        if node.op in operations.REDUCTIONS and not node.attributes["keep_dim"]:
            made, x = copy.copy(node), node.operands[0]
            dims = {int(d) for d in re.findall(r"(\d+) : i32", node.attributes["dim_arg"])}
            made.shape = tuple(1 if i in dims else size for i, size in enumerate(x.shape))
            made.memory = layouts.like(x.memory, x.shape, made.shape)
            made.attributes = {**node.attributes, "keep_dim": True}
            if not given.shape:
                nodes.append(made)
                node.op, node.operands, node.attributes = "reshape", (made,), {"shape": operations.i32s((1,))}
        elif others and all(others) and len({o.shape for o in others}) == 1 and given.shape == given.operands[0].shape:
            if node.op == "to_layout":
                kept[id(given)] = others[0]
            elif node.op in ON_ELEMENTS:
                made = copy.copy(node)
                made.shape, made.memory = others[0].shape, others[0].memory
                made.operands = tuple(kept.get(id(o)) or full_like(o, made, nodes) for o in given.operands)
        nodes.append(node)
        if made is not None:
            kept[id(given)] = made
            nodes.append(made)
    changed = copy.copy(graph)
    changed.nodes, changed.results = nodes, [kept.get(id(r)) or replaced.get(id(r), r) for r in graph.results]
    return changed


def with_dimension(node, replaced):
    """The node, or a copy of it that has a dimension and operands that do (`replaced` has those, and gets the copy)."""
    if node.shape and not any(id(o) in replaced for o in node.operands):
        return node
    made = replaced[id(node)] = copy.copy(node)
    made.operands = tuple(replaced.get(id(o), o) for o in node.operands)
    if not node.shape:
        made.shape = (1,)
        if node.op == "full":
            made.attributes = operations.full_attributes(node.attributes["fill_value"], made.shape)
        elif node.op == "reshape":
            made.attributes = {"shape": operations.i32s(made.shape)}
    return made


def full_like(full, other, nodes):
    """The number of a filled tensor, in the shape of another node."""
    made = copy.copy(full)
    made.shape, made.memory = other.shape, other.memory
    made.attributes = operations.full_attributes(full.attributes["fill_value"], other.shape)
    nodes.append(made)
    return made


def f32(node):
    return f"tensor<{''.join([f'{s}x' for s in node.shape])}f32>"


def block_float(dtype):
    return layouts.ELEMENTS[dtype].startswith("!")


def ttir_for_d2m(graph, rounded=True):
    """The module that D2M compiles; rounded: as D2MWriter."""
    out = D2MWriter(graph, rounded)
    for node in _live(graph):
        if node.op != "to_layout":
            out.computed(node)
            continue
        source = node.operands[0]
        out.values[id(node)] = out.values[id(source)]
        if id(source) in out.wide:
            out.wide[id(node)] = out.wide[id(source)]
    source = {}  # what a value of to_layout was made from
    for node in graph.nodes:
        source[id(node)] = source.get(id(node.operands[0]), node.operands[0]) if node.op == "to_layout" else node
    for result in dict.fromkeys(graph.results):
        base = source.get(id(result), result)
        argument = any(base is a for a in graph.arguments)
        if base is not result or not argument:
            out.values[id(result)] = out.moved(base, result)
    return out.finish(graph, None)


RENAMED = {"div": "divide", "to_layout": "to_memory_config"}
TYPED = ("add", "subtract", "multiply", "divide", "eq", "ne", "gt", "ge", "lt", "le", "logical_and", "logical_or", "logical_xor")


def tagged_ttnn(graph, name=None, locations=True):
    """The module of the older route: TTNN, each computing operation with ttnn.hoist_generic_via_d2m."""
    out = Writer(graph, True, locations)
    device = out.put("ttnn.get_device", (), "!ttnn.device", None, {"mesh_offset": "#ttnn<mesh_offset 0x0>", "mesh_shape": "#ttnn<mesh_shape 1x1>"})
    for node in _live(graph):
        operands, attributes = out.of(node.operands), dict(node.attributes)
        if node.op == "full":
            operands, attributes = [device], {
                "dtype": f"#ttcore.supportedDataTypes<{layouts.FORMATS[node.dtype]}>", "fill_value": attributes["fill_value"],
                "layout": "#ttnn.layout<tile>", "shape": f"#ttnn.shape<{'x'.join(map(str, node.shape))}>"}
        elif node.op in TYPED:
            attributes = {"dtype": f"#ttcore.supportedDataTypes<{layouts.FORMATS[node.dtype]}>"}
        elif node.op == "repeat":
            attributes = {"repeat_dims": f"#ttnn.shape<{'x'.join(map(str, attributes['repeat_dimensions']))}>"}
        if node.op not in ("full", "to_layout"):
            attributes["ttnn.hoist_generic_via_d2m"] = None
        out.values[id(node)] = out.put(f"ttnn.{RENAMED.get(node.op, node.op)}", operands, out.type(node), node.location, attributes)
    return out.finish(graph, name)


def element_type(dtype):
    """The data type that the host computes in: block floats are f32."""
    return ttnn.DataType.FLOAT32 if layouts.ELEMENTS[dtype].startswith("!") else dtype
