"""Converts a functional ATen graph to a StableHLO module."""

import operator

import torch

from . import complexes, elementwise, index, nn, prims, recurrent, reduce, shape  # noqa: F401  (they fill the table)
from .capture import SourceLine, attribute_of
from .rows import ROWS, find
from .build import Builder, Module, Unsupported, Value, demand_fit, mlir_type, string
from .programs import Failure, Follows


def emit(nodes, inputs, outputs, parameters, name="main_graph", constants=None):
    """Builds the given nodes as one program.

    `inputs` and `outputs` are nodes; `parameters` holds the inputs that are model parameters; `constants` maps
    get_attr nodes to tensors. Returns (module, failures), the module None if there are any.
    """
    module, constants = Module(name), constants or {}
    b = Builder(module)
    values, failures = {}, []
    for node in inputs:
        values[node] = of_fake(b.argument, node.meta["val"])
    for node in nodes:
        b.loc = location(node)
        try:
            demand_types_of_operands(node, failures)
            demand_type(node)
            demand_one_type(node)
            demand_constants(node, constants)
            values[node] = lower(b, node, values, constants)
        except Unsupported as error:
            failures.append(Failure(node, error))
            values[node] = placeholders(b, node)
    b.loc = None
    attributes = [
        {"ttcore.argument_type": f"#ttcore.argument_type<{'parameter' if p else 'input'}>", "ttir.name": string(node.name)}
        for node, p in zip(inputs, parameters)
    ]
    results = [values[node] for node in outputs]
    if failures:
        return None, failures
    b.finish("main", results, attributes=attributes)
    return module.made, []


def demand_type(node):
    """Fails for a node that reads or makes elements of a type that the device does not support."""
    for fake in parts_of(node):
        mlir_type(fake.dtype)
        if any(isinstance(n, torch.SymInt) for n in fake.shape):
            raise Unsupported("how large its result is depends on its data")


# Operators whose operands must have one type in torch; its tracer does not check this.
ONE_TYPE = {
    find(name)
    for name in """linear mm bmm addmm addmv baddbmm matmul mv dot convolution conv1d conv2d conv3d
    conv_transpose1d conv_transpose2d.input conv_transpose3d.input""".split()
}


def demand_one_type(node):
    """Fails where torch raises an error, so that torch reports it."""
    if node.target in ONE_TYPE:
        types = dict.fromkeys(f.dtype for n in node.all_input_nodes for f in parts_of(n))
        if len(types) > 1:
            raise Unsupported(f"its operands are of different types: {', '.join(map(str, types))}")


def demand_types_of_operands(node, failures):
    for operand in node.all_input_nodes:
        try:
            demand_type(operand)
        except Unsupported as error:
            known = any(f.node is operand for f in failures)
            raise (Follows if known else Unsupported)(str(error)) from error


def demand_constants(node, constants):
    """Fails for a node that reads a constant that the device cannot represent."""
    for operand in node.all_input_nodes:
        tensor = constants.get(operand) if operand.op == "get_attr" else None
        if isinstance(tensor, torch.Tensor) and tensor.dtype == torch.int64 and tensor.numel():
            demand_fit("i64", int(tensor.min()), int(tensor.max()))


def parts_of(node):
    """The tensors that a node computes, as torch's tracer describes them."""
    fake = node.meta.get("val")
    fakes = fake if isinstance(fake, (tuple, list)) else [fake]
    return [f for f in fakes if isinstance(f, torch.Tensor)]


def lower(b, node, values, constants):
    if node.op == "get_attr":
        whole = isinstance(constants[node], torch.nn.Module)  # a graph run by another node
        return constants[node] if whole else b.literal(constants[node])
    if node.target is operator.getitem:
        parent = values[node.args[0]]
        part = parent[node.args[1]] if isinstance(parent, (tuple, list)) else parent
        if part is None:
            part = seldom_part(b, node, values)
        if part is None:
            raise Unsupported(f"result {node.args[1]} of {node.args[0].target} is not computed")
        return part
    if node.target in GRAPHS:
        args = torch.fx.node.map_arg(node.args, values.__getitem__)
        return GRAPHS[node.target](b, node.meta["val"], *args)
    near = [*parts_of(node), *(f for n in node.all_input_nodes for f in parts_of(n))]
    function = complexes.row_of(node.target, any(f.is_complex() for f in near))
    if function is None:
        raise Unsupported("it has no row")
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), values.__getitem__)
    try:
        result = function(b, node.meta.get("val"), *args, **kwargs)
    except (TypeError, AssertionError, IndexError, AttributeError) as error:
        raise Unsupported(f"these arguments are not supported: {error}") from error
    check(node, result)
    return result


# -- nested graphs ---------------------------------------------------------------------------


def inline(b, gm, arguments):
    """The results of a nested graph, whose operations are written inline."""
    values, arguments = {}, iter(arguments)
    constants = {n: attribute_of(gm, n.target) for n in gm.graph.nodes if n.op == "get_attr"}
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            values[node] = next(arguments)
        elif node.op == "output":
            return list(torch.fx.node.map_arg(node.args[0], values.__getitem__))
        else:
            demand_types_of_operands(node, [])
            demand_type(node)
            try:
                values[node] = lower(b, node, values, constants)
            except Unsupported as error:
                raise Unsupported(f"{node.target} in it at {SourceLine(node)}: {error}") from error


def value_of(b, x, like):
    """An operand or result of a graph, which may be a number."""
    return x if isinstance(x, Value) else b.splat(x, tuple(like.shape), mlir_type(like.dtype))


def cond(b, out, predicate, yes, no, operands=()):
    """Both branches are computed; neither has an effect."""
    if not isinstance(predicate, Value):
        return tuple(inline(b, yes if predicate else no, operands))
    pairs = zip(inline(b, yes, operands), inline(b, no, operands), out)
    results = []
    for x, y, like in pairs:
        x, y = value_of(b, x, like), value_of(b, y, like)
        results.append(b.select(b.broadcast(b.convert(predicate, "i1"), x.shape), x, y))
    return tuple(results)


MAX_STEPS = 512


def scan(b, out, combine, init, xs, additional=()):
    """Unrolled: the number of steps is a size."""
    steps = xs[0].shape[0]
    if steps > MAX_STEPS:
        raise Unsupported(f"{steps} steps; at most {MAX_STEPS} are written one after the other")
    carry, rows = [value_of(b, x, like) for x, like in zip(init, out)], []
    for i in range(steps):
        parts = [b.reshape(b.slice_dim(x, 0, i, i + 1), x.shape[1:]) for x in xs]
        found = inline(b, combine, [*carry, *parts, *additional])
        carry, row = found[: len(init)], found[len(init) :]
        rows.append([b.reshape(y, (1, *y.shape)) for y in row])
    return (*carry, *(b.concat(list(column), 0) for column in zip(*rows)))


GRAPHS = {torch.ops.higher_order.cond: cond, torch.ops.higher_order.scan: scan}


def seldom_part(b, node, values):
    """A result that a row computes only if it is used; None if the row cannot compute it."""
    whole, index = node.args
    make = getattr(ROWS.get(whole.target), "parts", {}).get(index)
    if make is None:
        return None
    args, kwargs = torch.fx.node.map_arg((whole.args, whole.kwargs), values.__getitem__)
    return make(b, whole.meta["val"], *args, **kwargs)


def check(node, result):
    """Checks that a row's result has the shape and type that torch promised."""
    fake = node.meta.get("val")
    pairs = zip(result, fake) if isinstance(result, (tuple, list)) else [(result, fake)]
    for value, expected in pairs:
        if value is None or not isinstance(expected, torch.Tensor):
            continue
        want = tuple(int(n) for n in expected.shape), mlir_type(expected.dtype)
        if (value.shape, value.element) != want:
            raise Unsupported(f"its row made {value.type}, torch expects {want}; please report this")


def of_fake(make, fake):
    """A value of the tensor's type, made by `make(shape, element)`, or of some type where the tensor's is unsupported: its
    users fail anyhow (demand_type)."""
    try:
        element = mlir_type(fake.dtype)
    except Unsupported:
        element = "f32"
    return make([n if isinstance(n, int) else 1 for n in fake.shape], element)


def placeholders(b, node):
    """Stand-ins for a failed node's results, so that one pass finds every failure."""
    fake = node.meta.get("val")
    if isinstance(fake, torch.Tensor):
        return of_fake(b.stand_in, fake)
    if isinstance(fake, (tuple, list)):
        return tuple(of_fake(b.stand_in, f) if isinstance(f, torch.Tensor) else f for f in fake)
    return fake


def location(node):
    line = SourceLine(node)
    return (line.file, line.line, line.column) if line.file else None
