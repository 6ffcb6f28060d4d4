"""Gradients of results that a program of inference computed.

When they are first asked for, the graph is compiled with its gradients (training.py), run once more from the same
inputs, and differentiated; later calls run the program of training at once. Graphs that are not repeatable, because
they draw random numbers or write to their inputs, are compiled with gradients from the start.
"""

import logging

import torch

from .capture import FRAME

log = logging.getLogger("tilewright")


def expected(gm):
    """For each result of the captured graph: true if it requires gradients, as determined by torch's tracer."""
    results = next(n for n in gm.graph.nodes if n.op == "output").args[0]
    values = (n.meta.get("example_value") if isinstance(n, torch.fx.Node) else None for n in results)
    return [isinstance(v, torch.Tensor) and v.requires_grad for v in values]


def recorded(inputs):
    """True if torch records operations on these inputs."""
    return torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in inputs)


def not_repeatable(graph, mutated):
    """The reason why a second run of the functional graph would give other results than the first; None if it would
    not."""
    if mutated:
        return "it writes to an input, a parameter or a buffer"
    return "it draws random numbers" if any(draws(n) for n in graph.graph.nodes) else None


# Argument values for which operators that may draw random numbers draw none.
STILL = {"dropout_p": 0, "p": 0, "dropout": 0, "train": False, "training": False}


def draws(node):
    """True if a node draws random numbers."""
    if not isinstance(node.target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in node.target.tags:
        return False
    for i, argument in enumerate(node.target._schema.arguments):
        given = node.args[i] if i < len(node.args) else node.kwargs.get(argument.name, argument.default_value)
        if argument.name in STILL and isinstance(given, (int, float)) and given == STILL[argument.name]:
            return False
    return True


def subject(gm):
    """The module or function that the graph was captured from, by the name its user knows."""
    for node in gm.graph.nodes:
        modules = list((node.meta.get("nn_module_stack") or {}).values())
        if modules:
            kind = modules[0][1]
            return f"module {getattr(kind, '__name__', str(kind).rpartition('.')[2])}"
        for line in (node.meta.get("stack_trace") or "").splitlines():
            frame = FRAME.match(line)
            if frame:
                return f"function {frame[3]} ({frame[1]}:{frame[2]})"
    return "a graph without operations"


class Once:
    """A warning that is given once."""

    def __init__(self, *words):
        self.words = words

    def __call__(self):
        words, self.words = self.words, None
        if words:
            log.warning(*words)


def in_torch(gm, why):
    """The graph run and recorded by torch, for calls that record gradients."""
    warn = Once(
        "torch.compile backend 'tt': %s runs in PyTorch because an input requires grad and %s; "
        "use torch.no_grad() or torch.inference_mode() to run it on tt", subject(gm), why,
    )

    def run(*args):
        warn()
        return interpret(gm, args)

    return run


def interpret(gm, args):
    interpreter = torch.fx.Interpreter(gm)
    interpreter.extra_traceback = False
    return tuple(interpreter.run(*args))


def attached(run, gm, differentiable, training):
    """`run`, with results from which gradients can be computed."""
    part = Part(run, gm, differentiable, training)
    return lambda *args: Attach.apply(part, *args)


class Part:
    """A compiled graph, and how it is run again for gradients: for the device, or recorded by torch where gradients
    of gradients are asked for."""

    def __init__(self, run, gm, differentiable, training):
        self.run, self.gm, self.differentiable, self.training = run, gm, differentiable, training

    def again(self, args, autocast, more):
        with torch.enable_grad(), torch.autocast("cpu", **autocast):
            if more:
                return interpret(self.gm, args)
            self.training.active = True
            return self.training(*args)


class Attach(torch.autograd.Function):
    @staticmethod
    def forward(ctx, part, *args):
        ctx.part = part
        ctx.autocast = {"enabled": torch.is_autocast_enabled("cpu"), "dtype": torch.get_autocast_dtype("cpu")}
        ctx.others = [None if isinstance(a, torch.Tensor) else a for a in args]
        ctx.save_for_backward(*[a if isinstance(a, torch.Tensor) else None for a in args])
        ctx.set_materialize_grads(False)
        results = tuple(part.run(*args))
        plain = [r for r, flag in zip(results, part.differentiable) if isinstance(r, torch.Tensor) and not flag]
        ctx.mark_non_differentiable(*(r for r in plain if not any(r is a for a in args)))
        return results

    @staticmethod
    @torch.compiler.disable  # backward() may be called in a function that torch compiles
    def backward(ctx, *slopes):
        part, wanted = ctx.part, ctx.needs_input_grad[1:]
        more = torch.is_grad_enabled()  # gradients of the gradients are requested, too
        args = [other if t is None else t for t, other in zip(ctx.saved_tensors, ctx.others)]
        inputs = [own_input(a, more) if need else a for a, need in zip(args, wanted)]
        results = part.again(inputs, ctx.autocast, more)
        return None, *differentiate(results, slopes, inputs, wanted, more)


def differentiate(results, slopes, inputs, wanted, more, retain=None):
    """The gradients of the wanted inputs; None for the others."""
    pairs = [(r, g) for r, g in zip(results, slopes) if g is not None and isinstance(r, torch.Tensor) and r.requires_grad]
    sources = [v for v, need in zip(inputs, wanted) if need]
    if not pairs or not sources:
        return tuple(None for _ in wanted)
    found = iter(torch.autograd.grad(
        [r for r, _ in pairs], sources, [g for _, g in pairs], retain_graph=retain, allow_unused=True, create_graph=more))
    return tuple(next(found) if need else None for need in wanted)


def own_input(tensor, more):
    """The tensor as an input of the second run only."""
    return tensor.view_as(tensor) if more else tensor.detach().requires_grad_()
