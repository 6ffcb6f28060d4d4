"""Compiled functions that torch saves and loads: `torch.compile(f, backend="tt", fullgraph=True).aot_compile(...)`,
`save_compiled_function` and `torch.compiler.load_compiled_function`."""

import pickle

import torch
import torch._functorch.config

try:
    from torch._dynamo.aot_compile_types import SerializableCallable
except ImportError:  # torch before 2.9 saves no compiled functions
    SerializableCallable = None


def wanted():
    """True if torch compiles a function in order to save it."""
    return SerializableCallable is not None and getattr(torch._functorch.config, "force_autograd_cache", False)


def bare(gm):
    """A copy of the graph without what torch's tracer noted at its nodes, most of which cannot be saved."""
    graph = torch.fx.Graph()
    graph.output(graph.graph_copy(gm.graph, {}))
    for node in graph.nodes:
        node.meta = {}
    return torch.fx.GraphModule(gm, graph)


if SerializableCallable is not None:

    class Saved(SerializableCallable):
        """A graph with its runner. What is saved is the graph; a loaded one is compiled by its first call, for which
        the cache of lowered programs holds, too."""

        def __init__(self, gm, options, runner=None):
            self.gm, self.options = gm, options
            self.runner = runner or torch.compile(gm, backend="tt", options=options, fullgraph=True)

        def __call__(self, *args):
            return self.runner(*args)

        @classmethod
        def serialize_compile_artifacts(cls, fn):
            from torch.fx._graph_pickler import GraphPickler, Options

            return pickle.dumps((GraphPickler.dumps(bare(fn.gm), Options(ops_filter=None)), fn.options))

        @classmethod
        def deserialize_compile_artifacts(cls, data):
            from torch._subclasses import FakeTensorMode
            from torch.fx._graph_pickler import GraphPickler
            from torch.fx.experimental.symbolic_shapes import ShapeEnv

            graph, options = pickle.loads(data)
            gm = GraphPickler.loads(graph, FakeTensorMode(shape_env=ShapeEnv()))
            gm.recompile()
            return cls(gm, options)
