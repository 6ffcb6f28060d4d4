"""Training: a graph and its gradients, both compiled for the device.

torch's ahead-of-time autograd traces forward and backward together, decides which values the forward program saves,
and makes the results carry gradients. Its two graphs become programs as the graphs of inference do. It is asked when a
graph first needs gradients, so that models which are only run keep the programs of inference: those keep composites
whole and save nothing.
"""

import contextlib
import functools
import logging
import re
import threading

import torch
from torch._functorch import config
from torch._functorch.aot_autograd import aot_module_simplified
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import _disable_current_modes

from .. import _engine
from . import capture, device, gradients, guards

log = logging.getLogger("tilewright")


class Training:
    """A captured graph with gradients, compiled when it is first called; run by PyTorch if that fails."""

    def __init__(self, gm, held, whole, plan):
        """`held` has a flag for each parameter or buffer; `plan(graph, constant, fallback)` makes the plan of a graph
        and the callable that runs it."""
        self.gm, self.held, self.whole, self.plan = gm, held, whole, plan
        self.runner, self.active = None, False
        self.lock = threading.Lock()

    @torch.compiler.disable
    def __call__(self, *args):
        runner = self.runner or self.compiled(args)
        return runner(*args)

    def compiled(self, args):
        with capture.capturing(), self.lock:
            if self.runner is None:
                try:
                    self.runner = self.compile(args)
                except Exception as error:
                    self.runner = self.left_to_torch(error)
            return self.runner

    def left_to_torch(self, error):
        """PyTorch's tracer, its partitioner or the compiler refused the graph."""
        if self.whole or not isinstance(error, (NotImplementedError, RuntimeError, *_engine.refusals())):
            raise error
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        if self.active and (node := without_gradient(self.gm, why)):
            line = capture.SourceLine(node)
            raise RuntimeError(f"{why}\n    at {line}: {line.code}") from error
        return gradients.in_torch(self.gm, f"it cannot be compiled with gradients: {why}")

    def compile(self, args):
        from . import tracing

        table = tracing.decompositions()
        for op in whole():
            del table[op]
        stored = [flag and not (isinstance(a, torch.Tensor) and a.requires_grad) for flag, a in zip(self.held, args)]

        def forward(graph, inputs):
            with _disable_current_modes():  # torch calls compilers while its fake tensors are enabled
                return self.part(graph, stored if len(inputs) == len(stored) else [False] * len(inputs))

        def backward(graph, inputs):
            report_saved(graph)
            with _disable_current_modes():
                return self.part(graph, [False] * len(inputs))

        # oneDNN's recurrent layers would hide their steps.
        with torch.enable_grad(), capture.on_host(self.gm), without_onednn(), config.patch(force_non_lazy_backward_lowering=True):
            run = aot_module_simplified(
                self.gm, args, fw_compiler=forward, bw_compiler=backward, inference_compiler=forward,
                partition_fn=min_cut_rematerialization_partition, decompositions=table,
            )
        return again_differentiable(run, self.gm)

    def part(self, graph, constant):
        """The callable of a graph that torch's autograd made."""
        expand(graph)
        output = next(n for n in graph.graph.nodes if n.op == "output")
        results = list(output.args[0]) if isinstance(output.args[0], (list, tuple)) else [output.args[0]]
        given = [i for i, n in enumerate(results) if isinstance(n, torch.fx.Node)]
        output.args = (tuple(results[i] for i in given),)

        def in_torch(*args, why=None):
            if why and self.whole:
                raise NotImplementedError(why)
            if why:
                log.warning("a call run by torch instead of the device: %s", why)
            with torch.no_grad():
                return gradients.interpret(graph, args)

        plan, run = self.plan(graph, constant, in_torch)
        run = guards.guarded(run, guards.bounds_of(plan.body, plan.variable()), in_torch)
        pick = None if len(given) == len(results) else dict(zip(given, range(len(given))))

        def call(args):
            found = run(*args)
            args.clear()
            return found if pick is None else [found[pick[i]] if i in pick else n for i, n in enumerate(results)]

        call._boxed_call = True
        return call


@functools.cache
def whole():
    """What is decomposed after the graph has been parted in forward and backward: the partitioner would save transposed
    operands of the gradient's parts, which are copies, in place of the operands themselves."""
    from .decompose_training import convolution_backward

    return {torch.ops.aten.convolution_backward.default: convolution_backward}


def expand(graph):
    """Decomposes the operators of whole() in place."""
    for node in list(graph.graph.nodes):
        if node.target not in whole():
            continue
        tensors = [n for n in node.args if isinstance(n, torch.fx.Node)]

        def parts(*values):
            given = iter(values)
            args = [next(given) if isinstance(a, torch.fx.Node) else a for a in node.args]
            return [found for found in whole()[node.target](*args) if found is not None]

        values = [n.meta["val"] for n in tensors]
        with values[0].fake_mode:
            traced = make_fx(parts)(*values)
        inner = [n for n in traced.graph.nodes if n.op == "placeholder"]
        with graph.graph.inserting_before(node):
            found = iter(graph.graph.graph_copy(traced.graph, dict(zip(inner, tensors))))
        wanted = [next(found) if flag else None for flag in node.args[-1]]
        for use in list(node.users):
            use.replace_all_uses_with(wanted[use.args[1]])
            graph.graph.erase_node(use)
        graph.graph.erase_node(node)
    graph.recompile()


@contextlib.contextmanager
def without_onednn():
    former = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(former)


def without_gradient(gm, message):
    """The node that torch's error means by an operator without gradients."""
    name = re.search(r"derivative for aten::(\w+) is not implemented", message)
    return next((n for n in gm.graph.nodes if name and name[1] in (getattr(n.target, "__name__", n.target), str(n.target))), None)


def report_saved(graph):
    """Logs what the forward program keeps for a backward program: all of its arguments but the results' gradients."""
    kept = [n.meta["val"] for n in graph.graph.nodes if n.op == "placeholder" and not n.name.startswith("tangents")]
    kept = [value for value in kept if isinstance(value, torch.Tensor)]
    log.info("the gradients need %d saved tensors of %d bytes, parameters and inputs included", len(kept),
             sum(value.numel() * value.element_size() for value in kept))


def again_differentiable(run, gm):
    """`run` with results whose gradients have gradients. torch's ahead-of-time autograd computes no second
    derivatives; where they are asked for, PyTorch computes both."""

    def call(*args):
        results = run(*args)
        node = node_of(results)
        if node is not None:
            # Saved tensors are never overwritten by the backward program, so that it can run twice (retain_graph=True).
            node._forward_cls.metadata.bw_donated_idxs = []
            versions = [a._version if isinstance(a, torch.Tensor) else None for a in args]
            node.register_hook(lambda found, slopes: second(found, slopes, gm, args, versions))
        return results

    return call


def node_of(results):
    """The node of the graph of gradients that computes those of all these results."""
    for value in results:
        node = value.grad_fn if isinstance(value, torch.Tensor) else None
        while node is not None and not type(node).__name__.startswith("CompiledFunction"):
            node = node.next_functions[0][0] if node.next_functions else None
        if node is not None:
            return node
    return None


def second(found, slopes, gm, args, versions):
    """Gradients that can be differentiated, in place of those that the device computed; None: keeps these."""
    if not torch.is_grad_enabled() or len(found) != len(args):
        return None
    if versions != [a._version if isinstance(a, torch.Tensor) else None for a in args]:
        raise RuntimeError("a tensor needed for gradients of gradients has been modified by an inplace operation")
    inputs = [gradients.own_input(a, True) if f is not None else a for a, f in zip(args, found)]
    results = gradients.interpret(gm, inputs)
    return gradients.differentiate(results, slopes[-len(results):], inputs, [f is not None for f in found], True)


class Switch:
    """Inference until gradients are first asked for, training from then on."""

    def __init__(self, inference, training):
        self.inference, self.training = inference, training

    def __call__(self, *args):
        return (self.training if self.training.active else self.inference)(*args)


class OnDevice:
    """Training of tensors on the device: their values are host tensors, which carry gradients of their own."""

    def __init__(self, training):
        self.training, self.active = training, False

    def __call__(self, *args):
        return Nested.apply(self.training, *args)


class Nested(torch.autograd.Function):
    @staticmethod
    def forward(ctx, training, *args):
        inputs = [device.host(a) for a in args]
        inputs = [h.detach().requires_grad_() if a is not h and a.requires_grad else h for a, h in zip(args, inputs)]
        with torch.enable_grad():
            results = list(training(*inputs))
        ctx.inner = inputs, results
        ctx.save_for_backward(*[a for a in args if isinstance(a, torch.Tensor)])
        ctx.set_materialize_grads(False)
        outer = [device.wrap(r.detach()) if isinstance(r, torch.Tensor) else r for r in results]
        ctx.mark_non_differentiable(*[o for o, r in zip(outer, results) if isinstance(r, torch.Tensor) and not r.requires_grad])
        return tuple(outer)

    @staticmethod
    @torch.compiler.disable  # backward() may be called in a function that torch compiles
    def backward(ctx, *slopes):
        ctx.saved_tensors  # torch's error for a second backward and for tensors that were changed
        inputs, results = ctx.inner
        slopes = [device.host(s) for s in slopes]
        found = gradients.differentiate(results, slopes, inputs, ctx.needs_input_grad[1:], False, True)
        return None, *(device.wrap(f) if f is not None else None for f in found)
