"""Converts the graph captured by torch.compile to a functional graph of ATen operations.

torch's ahead-of-time tracer removes mutation and the aliasing of views; tracing before dispatch keeps composite
operators (linear, attention, norms) whole. Operators without a row in our table are replaced by torch's own
decomposition of them, if there is one. A process that finds its graphs in the cache folder never imports this.
"""

import functools
import logging
import warnings

import torch
from torch._functorch.aot_autograd import aot_export_module
from torch.fx.experimental.proxy_tensor import make_fx

from . import emit, record  # noqa: F401  (emit fills the table of rows)
from .capture import attribute_of, fakes_of, on_host
from .decompose import OWN
from .decompose_nn import FOREIGN
from .rows import ROWS

log = logging.getLogger("tilewright")


@functools.cache
def decomposition_of(op):
    """The function by which tracers replace an operator: ours, or torch's of an operator of ATen that has no row of its own; else None. In-place operators are made functional
    by the tracer, not decomposed."""
    from torch._decomp import decomposition_table

    if op in OWN or op in ROWS:
        return OWN.get(op)
    if isinstance(op, torch._ops.OpOverload) and (made := FOREIGN.get(op.name().partition(".")[0])):
        return made
    made = decomposition_table.get(op)
    if made and not (writes(op) or wants_words(op, made) or draws(op)):
        return made
    if not isinstance(op, torch._ops.OpOverload):
        return None
    return functools.partial(decompose, op) if op.namespace == "aten" and is_composite(op.name()) else None


@functools.cache
def of_aten():
    """The decompositions of ATen's operators."""
    from torch._decomp import decomposition_table

    names = (name[6:].partition(".") for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::"))
    ops = (getattr(getattr(torch.ops.aten, packet, None), overload or "default", None) for packet, _, overload in names)
    return {op: made for op in {*OWN, *decomposition_table, *ops} if op and (made := decomposition_of(op))}


def foreign_operators():
    """Those of other libraries that have decompositions here, as far as these are loaded."""
    for name in FOREIGN:
        space, _, packet = name.partition("::")
        packet = getattr(getattr(torch.ops, space), packet, None)
        yield from (getattr(packet, overload) for overload in (packet.overloads() if packet is not None else ()) if overload != "out")


def decompositions():
    """Of every operator, as torch's tracers want them."""
    return {**of_aten(), **{op: decomposition_of(op) for op in foreign_operators()}}


def wants_words(op, function):
    """torch's reference functions of composite losses take the reduction's name; the operators take its enum value."""
    return getattr(function, "__module__", "") == "torch._refs.nn.functional" and is_composite(op.name()) and any(
        a.name == "reduction" for a in op._schema.arguments
    )


def is_composite(name):
    """True for composite operators: they are defined by other operators, which may have rows."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd")


def draws(op):
    """True for operators that draw random numbers themselves; other formulas would draw others than torch's."""
    return isinstance(op, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in op.tags and not is_composite(op.name())


def writes(op):
    return hasattr(op, "_schema") and op._schema.is_mutable


def decompose(op, *args, **kwargs):
    return op.decompose(*args, **kwargs)


def functional_graph(gm, inputs):
    """Traces `gm` on CPU fake tensors of the inputs' shapes.

    Returns the ATen graph module and, for each of the graph's first outputs, the index of the input that it replaces
    (mutated inputs come before the results).
    """
    fakes = fakes_of(inputs)
    before = not casts_by_itself(gm)
    with warnings.catch_warnings(), on_host(gm):
        warnings.simplefilter("ignore")
        if before and not transforms(gm):
            try:
                with torch.no_grad():
                    return record.recorded(gm, fakes, decomposition_of), [], []
            except Exception as error:  # torch's tracer takes all graphs, and says what is wrong with one
                log.debug("traced by torch: %s", error)
        if transforms(gm):
            gm, before = untransformed(gm, fakes), False
        with torch.no_grad():
            graph, signature = export(gm, fakes, before)
    drop_tokens(graph, len(signature.input_tokens or ()))
    lifted = len(signature.parameters) + len(signature.buffers)
    order = {name: i for i, name in enumerate(signature.user_inputs)}
    mutated = [order[name] for name in signature.user_inputs_to_mutate.values()]
    attributes = [*signature.inputs_to_parameters.values(), *signature.inputs_to_buffers.values()]
    return graph, mutated, [attribute_of(gm, name) for name in attributes][:lifted]


class Untraceable(NotImplementedError):
    """torch's tracers produce no functional graph for this one."""


def view_of_copy(x, shape):
    """Used where a decomposition returned another memory layout than the operator does."""
    return torch.ops.aten._unsafe_view.default(x.contiguous(), shape)


VIEWS = {torch.ops.aten.view.default: view_of_copy}


def export(gm, fakes, pre_dispatch, more=None):
    """Traced before dispatch, which keeps composites whole; where that tracer fails (some of torch's own composites
    work in place), traced after it."""
    table = {**decompositions(), **(more or {})}
    try:
        return aot_export_module(
            gm, fakes, trace_joint=False, pre_dispatch=pre_dispatch, decompositions=table
        )
    except NotImplementedError:
        raise
    except Exception as error:
        if pre_dispatch:
            return export(gm, fakes, False)
        if more is None:
            return export(gm, fakes, False, VIEWS)
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise Untraceable(f"a graph that torch cannot trace: {why}") from error


def transforms(gm):
    """True if the graph transforms functions (vmap, grad, jvp, scans made of them)."""
    return any("functorch" in (getattr(n.target, "__module__", None) or "") for n in gm.graph.nodes)


def untransformed(gm, fakes):
    """The graph with the transformations applied. Tracing for functional graphs takes nested gradients for zeros, so
    they are traced alone first."""

    def run(*args):
        return torch.fx.Interpreter(gm).run(*args)

    with torch.enable_grad(), torch.fx.traceback.preserve_node_meta():
        return make_fx(run)(*fakes)


def casts_by_itself(gm):
    """True if autocast is enabled, around the call or in the graph. Its casts are made during dispatch, so only a
    trace after dispatch shows them; composites are then decomposed."""
    return torch.is_autocast_enabled("cpu") or any(
        node.target is torch.amp.autocast_mode._enter_autocast for node in gm.graph.nodes
    )


def drop_tokens(graph, count):
    """Operations with effects are ordered by tokens, which are no values: they are the first inputs and results. The
    order of the graph's nodes suffices, so the tokens are removed."""
    if not count:
        return
    output = next(n for n in graph.graph.nodes if n.op == "output")
    output.args = (tuple(output.args[0])[count:],)
    for node in [n for n in graph.graph.nodes if n.op == "placeholder"][:count]:
        if node.users:
            name = next(iter(node.users)).args[1]
            raise NotImplementedError(f"Operation '{name}' with side effects not supported")
        graph.graph.erase_node(node)
