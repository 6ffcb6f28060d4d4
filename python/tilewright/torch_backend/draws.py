"""Random numbers. torch's generators draw them, so that a seed gives the numbers that eager torch draws.

Those that depend on no value of the graph are drawn before its program runs, which takes them as arguments; others are
drawn between programs.
"""

import torch

from .gradients import draws

aten = torch.ops.aten

# Operators that use nothing of a tensor operand but its shape, type and strides, and the method that draws as they do in
# eager torch: functional forms of the methods that draw in place would draw in another order of the elements.
IN_PLACE = {
    getattr(getattr(aten, name), overload): getattr(torch.Tensor, method)
    for name, overload, method in (
        ("bernoulli", "p", "bernoulli_"), ("uniform", "default", "uniform_"), ("normal_functional", "default", "normal_"),
        ("exponential", "default", "exponential_"), ("geometric", "default", "geometric_"), ("cauchy", "default", "cauchy_"),
        ("log_normal", "default", "log_normal_"), ("random", "default", "random_"), ("random", "to", "random_"),
        ("random", "from", "random_"),
    )
}
LIKE = {
    getattr(getattr(aten, name), overload)
    for name, overload in (("rand_like", "default"), ("randn_like", "default"), ("randint_like", "default"), ("randint_like", "low_dtype"))
}


def ahead(nodes):
    """The nodes that draw before the program runs, in the order in which torch draws: all up to the first that needs
    computed values."""
    found = []
    for node in nodes:
        if node.op != "call_function" or not draws(node):
            continue
        if node.all_input_nodes and (not (node.target in IN_PLACE or node.target in LIKE) or len(node.all_input_nodes) > 1):
            break
        if not isinstance(node.meta.get("val"), torch.Tensor):
            break
        found.append(node)
    return found


def drawer(node):
    """A function that draws the node's numbers."""
    target, kwargs = IN_PLACE.get(node.target, node.target), dict(node.kwargs)
    if not node.all_input_nodes:
        return lambda: target(*node.args, **kwargs)
    fake, rest = node.args[0].meta["val"], node.args[1:]
    shape, strides, dtype = tuple(map(int, fake.shape)), tuple(map(int, fake.stride())), fake.dtype
    return lambda: target(torch.empty_strided(shape, strides, dtype=dtype), *rest, **kwargs)


class Given:
    """A callable that draws the numbers of these nodes and passes them on as further arguments."""

    def __init__(self, run, nodes, before):
        self.run, self.makers, self.before = run, [drawer(node) for node in nodes], before

    def __call__(self, *args):
        self.before.state = torch.get_rng_state()
        with torch.no_grad():
            return self.run(*args, *(make() for make in self.makers))


def given(run, nodes, before):
    return Given(run, nodes, before) if nodes else run


def undone(fallback, count, before):
    """`fallback`, which takes `count` arguments and draws the numbers itself: those drawn already are undone."""

    def call(*args, **kwargs):
        torch.set_rng_state(before.state)
        return fallback(*args[:count], **kwargs)

    return call
