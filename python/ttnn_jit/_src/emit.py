"""A graph as text of MLIR: TTIR with or without layouts, or TTNN with operations tagged for D2M."""

import copy

import ttnn

from . import layouts, operations


def _string(text):
    plain = set(range(32, 127)) - set(b'"\\')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:02X}" for byte in text.encode("utf-8", "surrogateescape")) + '"'


class Types:
    """Types of tensors; layouts get aliases."""

    def __init__(self, laid_out):
        self.laid_out, self.known = laid_out, {}

    def of(self, node, plain=False):
        """The type of a value; plain: without its layout."""
        sizes = "".join(f"{s}x" for s in node.shape)
        if not self.laid_out:
            element = layouts.ELEMENTS[node.dtype]
            return f"tensor<{sizes}{'f32' if element.startswith('!') else element}>"
        if plain:
            return f"tensor<{sizes}{layouts.ELEMENTS[node.dtype]}>"
        layout = layouts.text(node.shape, node.dtype, node.memory)
        alias = self.known.setdefault(layout, "#ttnn_layout" + (str(len(self.known)) if self.known else ""))
        return f"tensor<{sizes}{layouts.ELEMENTS[node.dtype]}, {alias}>"

    def aliases(self):
        return "".join(f"{alias} = {layout}\n" for layout, alias in self.known.items())


class Writer:
    """The lines of a function's body, values numbered as MLIR numbers them."""

    def __init__(self, graph, laid_out, locations):
        self.types, self.locations = Types(laid_out), locations
        self.names = {id(node): f"%arg{i}" for i, node in enumerate(graph.arguments)}
        self.lines = []

    def put(self, node, text, location):
        """An operation with one result, that of `node` (None: of no node)."""
        name = f"%{len(self.lines)}"
        if node is not None:
            self.names[id(node)] = name
        where = f" loc({_string(location[0])}:{location[1]}:1)" if location and self.locations else ""
        self.lines.append(f"    {name} = {text}{where}")
        return name

    def of(self, nodes):
        return ", ".join(self.names[id(n)] for n in nodes), ", ".join(self.types.of(n) for n in nodes)

    def module(self, graph, name):
        arguments = ", ".join(f"{self.names[id(a)]}: {self.types.of(a)}" for a in graph.arguments)
        values, returned = self.of(graph.results)
        head = f"  func.func @{name or graph.name}({arguments}) -> {returned if len(graph.results) == 1 else f'({returned})'} {{"
        body = "\n".join([*self.lines, f"    return {values} : {returned}"])
        return f"{self.types.aliases()}module {{\n{head}\n{body}\n  }}\n}}\n"


def _live(graph):
    """The operations that results need, in order."""
    wanted, stack = set(), [id(r) for r in graph.results]
    nodes = {id(n): n for n in graph.nodes}
    while stack:
        at = stack.pop()
        if at in wanted or at not in nodes:
            continue
        wanted.add(at)
        stack.extend(id(o) for o in nodes[at].operands)
    return [n for n in graph.nodes if id(n) in wanted]


def ttir(graph, *, laid_out, name=None, locations=True):
    """A module of TTIR with one function; without layouts memory configs are left out."""
    out = Writer(graph, laid_out, locations)
    for node in _live(graph):
        operands, kinds = out.of(node.operands)
        kind = out.types.of(node)
        if node.op != "to_layout":
            attributes = f" <{{{node.attributes}}}>" if node.attributes else ""
            out.put(node, f'"ttir.{node.op}"({operands}){attributes} : ({kinds}) -> {kind}', node.location)
        elif laid_out:
            empty = out.put(None, f"ttir.empty() : {kind}", node.location)
            out.put(node, f"ttir.to_layout {operands}, {empty} : {kinds} into {kind} -> {kind}", node.location)
        else:
            out.names[id(node)] = operands
    return out.module(graph, name)


# Operations on elements whose results are operands' values, booleans or small integers: no type of floats rounds them.
EXACT = frozenset("""abs neg relu relu6 sign ceil floor logical_not isfinite eq ne gt ge lt le logical_and logical_or logical_xor maximum minimum where
    clamp_scalar clamp_tensor full typecast""".split())
ON_ELEMENTS = EXACT | frozenset("""acos asin atan cbrt cos erf erfc exp expm1 gelu hardsigmoid log log1p mish reciprocal rsqrt sigmoid silu sin sqrt tan tanh
    add multiply subtract atan2 pow remainder div""".split())
ORDERS = {"gt": ("ne", 1), "ge": ("eq", 0), "lt": ("ne", 0), "le": ("eq", 1)}  # max(a, b) is compared so, with this operand
SIMPLER = ("relu6", "isfinite")
NARROW = (ttnn.DataType.BFLOAT16, ttnn.DataType.FLOAT16, ttnn.DataType.BFLOAT8_B, ttnn.DataType.BFLOAT4_B)


class D2MWriter(Writer):
    """Writes the module that D2M compiles. Only arguments and results have layouts, so that the compiler chooses those between.
    `rounded`: operations on elements compute in f32 and round to the operation's type, as the host does; otherwise they compute
    in that type, which DST truncates to. `in_dram`: results are left in DRAM, whatever their layout."""

    def __init__(self, graph, rounded, in_dram):
        super().__init__(graph, True, True)
        self.rounded, self.in_dram, self.given, self.wide, self.elsewhere = rounded, in_dram, {id(n) for n in graph.arguments}, {}, {}

    def kind(self, node):
        return self.types.of(node, id(node) not in self.given)

    def of(self, nodes):
        return ", ".join(self.names[id(n)] for n in nodes), ", ".join(self.types.of(self.elsewhere.get(id(n), n)) for n in nodes)

    def moved(self, node, to):
        """The value in the layout of `to`."""
        if self.in_dram:
            to = self.elsewhere.setdefault(id(to), copy.copy(to))
            to.memory = ttnn.DRAM_MEMORY_CONFIG
        target = self.types.of(to)
        empty = self.put(None, f"ttir.empty() : {target}", to.location)
        return self.put(None, f"ttir.to_layout {self.names[id(node)]}, {empty} : {self.kind(node)} into {target} -> {target}", to.location)

    def cast(self, name, source, target, location):
        return self.put(None, f'"ttir.typecast"({name}) <{{conservative_folding = true}}> : ({source}) -> {target}', location)

    def computed(self, node):
        """An operation; in f32 where its type is narrower."""
        if node.op in SIMPLER:
            return self.simpler(node)
        if node.op in ORDERS and node.operands[0].dtype in operations.INTEGERS:
            return self.order_of_integers(node)
        operands, kinds = [self.names[id(n)] for n in node.operands], [self.kind(n) for n in node.operands]
        own = self.types.of(node, True)
        wide = self.rounded and node.op in ON_ELEMENTS and node.op not in ("full", "typecast") and any(n.dtype in NARROW for n in (node, *node.operands))
        wide = wide or (node.op in operations.REDUCTIONS and block_float(node.dtype))
        made = own
        if wide:
            for i, n in enumerate(node.operands):
                if n.dtype in NARROW:
                    operands[i], kinds[i] = self.in_f32(n)
            if node.dtype in NARROW:
                made = f32(node)
        attributes = f" <{{{node.attributes}}}>" if node.attributes else ""
        name = self.put(None, f'"ttir.{node.op}"({", ".join(operands)}){attributes} : ({", ".join(kinds)}) -> {made}', node.location)
        if made != own:
            if node.op in EXACT or block_float(node.dtype):
                self.wide[id(node)] = name
            name = self.cast(name, made, own, node.location)
        self.names[id(node)] = name

    def simpler(self, node):
        """An operation that D2M lacks, as operations with the same results that it has."""
        operand, kind, own = self.names[id(node.operands[0])], self.kind(node.operands[0]), self.types.of(node, True)
        if node.op == "relu6":
            shape = ", ".join(map(str, node.shape))
            six = self.put(None, f'"ttir.full"() <{{fill_value = 6.000000e+00 : f32, shape = array<i32{": " if shape else ""}{shape}>}}> : () -> {own}', node.location)
            positive = self.put(None, f'"ttir.relu"({operand}) : ({kind}) -> {own}', node.location)
            self.names[id(node)] = self.put(None, f'"ttir.minimum"({positive}, {six}) : ({own}, {own}) -> {own}', node.location)
            return
        nothing = self.put(None, f'"ttir.subtract"({operand}, {operand}) : ({kind}, {kind}) -> {own}', node.location)  # NaN for infinities
        self.names[id(node)] = self.put(None, f'"ttir.eq"({nothing}, {nothing}) : ({own}, {own}) -> {own}', node.location)

    def order_of_integers(self, node):
        """gt, ge, lt, le of integers without a difference, which may overflow: a > b is max(a, b) != b."""
        a, b = (self.names[id(n)] for n in node.operands)
        kinds, own = ", ".join(map(self.kind, node.operands)), self.types.of(node, True)
        equality, other = ORDERS[node.op]
        larger = self.put(None, f'"ttir.maximum"({a}, {b}) : ({kinds}) -> {own}', node.location)
        against = node.operands[other]
        self.names[id(node)] = self.put(None, f'"ttir.{equality}"({larger}, {self.names[id(against)]}) : ({own}, {self.kind(against)}) -> {own}', node.location)

    def in_f32(self, node):
        """Name and type of the value in f32; block floats round results only."""
        kind = f32(node)
        if id(node) not in self.wide:
            self.wide[id(node)] = self.cast(self.names[id(node)], self.kind(node), kind, node.location)
        return self.wide[id(node)], kind


def f32(node):
    return f"tensor<{''.join(f'{s}x' for s in node.shape)}f32>"


def block_float(dtype):
    return layouts.ELEMENTS[dtype].startswith("!")


def ttir_for_d2m(graph, rounded=True, in_dram=False):
    """The module that D2M compiles; rounded, in_dram: as D2MWriter."""
    out = D2MWriter(graph, rounded, in_dram)
    for node in _live(graph):
        if node.op != "to_layout":
            out.computed(node)
            continue
        source = node.operands[0]
        out.names[id(node)] = out.names[id(source)]
        if id(source) in out.wide:
            out.wide[id(node)] = out.wide[id(source)]
        if id(source) in out.given:
            out.given.add(id(node))
    source = {}  # what a value of to_layout was made from
    for node in graph.nodes:
        source[id(node)] = source.get(id(node.operands[0]), node.operands[0]) if node.op == "to_layout" else node
    for result in dict.fromkeys(graph.results):
        base = source.get(id(result), result)
        argument = any(base is a for a in graph.arguments)
        if base is not result or not argument:
            out.names[id(result)] = out.moved(base, result)
    return out.module(graph, None)


RENAMED = {"div": "divide", "to_layout": "to_memory_config"}
TYPED = ("add", "subtract", "multiply", "divide", "eq", "ne", "gt", "ge", "lt", "le", "logical_and", "logical_or", "logical_xor")


def tagged_ttnn(graph, name=None, locations=True):
    """The module of the older route: TTNN, each computing operation with ttnn.hoist_generic_via_d2m."""
    out = Writer(graph, True, locations)
    device = out.put(None, '"ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device', None)
    for node in _live(graph):
        attributes, tag = node.attributes, " {ttnn.hoist_generic_via_d2m}"
        operands, kinds = out.of(node.operands)
        data_type = f"dtype = #ttcore.supportedDataTypes<{layouts.FORMATS[node.dtype]}>"
        if node.op == "full":
            value = node.attributes.split("fill_value = ")[1].split(", shape")[0]
            attributes = f"{data_type}, fill_value = {value}, layout = #ttnn.layout<tile>, shape = #ttnn.shape<{'x'.join(map(str, node.shape))}>"
            operands, kinds, tag = device, "!ttnn.device", ""
        elif node.op in TYPED:
            attributes = data_type
        elif node.op == "to_layout":
            tag = ""
        attributes = f" <{{{attributes}}}>" if attributes else ""
        out.put(node, f'"ttnn.{RENAMED.get(node.op, node.op)}"({operands}){attributes}{tag} : ({kinds}) -> {out.types.of(node)}', node.location)
    return out.module(graph, name)


def element_type(dtype):
    """The data type that the host computes in: block floats are f32."""
    return ttnn.DataType.FLOAT32 if layouts.ELEMENTS[dtype].startswith("!") else dtype
