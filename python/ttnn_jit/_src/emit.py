"""A graph as text of MLIR: TTIR with or without layouts, or TTNN with operations tagged for D2M."""

import ttnn

from . import layouts


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


def ttir_for_d2m(graph):
    """The module that D2M compiles: layouts of arguments and results only, so that the compiler chooses those between."""
    out = Writer(graph, True, True)
    given = {id(node) for node in graph.arguments}

    def moved(node, to, kind):
        """The value in the layout of `to`."""
        target = out.types.of(to)
        empty = out.put(None, f"ttir.empty() : {target}", node.location)
        return out.put(None, f"ttir.to_layout {out.names[id(node)]}, {empty} : {kind} into {target} -> {target}", node.location)

    kinds = lambda nodes: ", ".join(out.types.of(n, id(n) not in given) for n in nodes)
    for node in _live(graph):
        if node.op == "to_layout":
            out.names[id(node)] = out.names[id(node.operands[0])]
            if id(node.operands[0]) in given:
                given.add(id(node))
            continue
        attributes = f" <{{{node.attributes}}}>" if node.attributes else ""
        operands = ", ".join(out.names[id(n)] for n in node.operands)
        out.put(node, f'"ttir.{node.op}"({operands}){attributes} : ({kinds(node.operands)}) -> {out.types.of(node, True)}', node.location)
    source = {}  # what a value of to_layout was made from
    for node in graph.nodes:
        source[id(node)] = source.get(id(node.operands[0]), node.operands[0]) if node.op == "to_layout" else node
    for result in dict.fromkeys(graph.results):
        base = source.get(id(result), result)
        argument = any(base is a for a in graph.arguments)
        if base is not result or not argument:
            out.names[id(result)] = moved(base, result, out.types.of(base, not argument))
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
