"""Results that share memory with arguments or with each other, as they do in torch.

A program computes every result into memory of its own. Where the model returned views, a write to one result must
show in the others: such results are made views again here, by the strides that torch's tracer recorded.
"""

import torch


class Geometry:
    """The position of a tensor's elements in its storage."""

    def __init__(self, tensor):
        self.size = tuple(int(n) for n in tensor.shape)
        self.stride = tuple(int(n) for n in tensor.stride())
        self.offset = int(tensor.storage_offset())
        self.dtype = tensor.dtype
        self.dense = tensor.is_contiguous()
        self.last = self.offset + sum((n - 1) * s for n, s in zip(self.size, self.stride))

    def within(self, base, offset):
        """The same view of `base`, whose first element is the storage's element `offset`."""
        return base.as_strided(self.size, self.stride, base.storage_offset() + self.offset - offset)


def plain(value):
    """True if a traced value has memory that can be compared."""
    return (
        type(value).__name__ == "FakeTensor"
        and value.layout == torch.strided
        and value.numel() > 0
        and not (value.is_conj() or value.is_neg())
        and not any(isinstance(n, torch.SymInt) for n in (*value.shape, *value.stride(), value.storage_offset()))
    )


def storage(value):
    return value.untyped_storage()._cdata


def of_graph(gm):
    """A captured graph's arguments and results, as torch's tracer saw them."""
    nodes = list(gm.graph.nodes)
    results = next(n for n in nodes if n.op == "output").args[0]

    def value(node):
        return node.meta.get("example_value") if isinstance(node, torch.fx.Node) else None

    return [value(n) for n in nodes if n.op == "placeholder"], [value(n) for n in results]


def classify(arguments, results):
    """The results that are views of arguments: (result, argument, geometry, offset of the argument); and groups of
    (result, geometry) that share other memory."""
    stored = {}
    for i, value in enumerate(arguments):
        if plain(value):
            stored.setdefault(storage(value), (i, Geometry(value)))
    of_arguments, groups = [], {}
    for k, value in enumerate(results):
        if not plain(value) or any(value is a for a in arguments):
            continue
        geometry = Geometry(value)
        if storage(value) not in stored:
            groups.setdefault(storage(value), {}).setdefault(id(value), []).append((k, geometry))
            continue
        i, base = stored[storage(value)]
        if base.dtype == geometry.dtype:
            of_arguments.append((k, i, geometry, base.offset))
    groups = [[m for ms in g.values() for m in ms] for g in groups.values() if len(g) > 1]
    return of_arguments, [g for g in groups if len({geometry.dtype for _, geometry in g}) == 1]


def shared(run, arguments, results):
    """`run`, or a callable whose results share memory with each other where the traced results do."""
    joins = [join_of(g) for g in classify(arguments, results)[1]]
    if not joins:
        return run

    def call(*args):
        found = list(run(*args))
        with torch.no_grad():
            for join in joins:
                join(found)
        return found

    return call


def views_of_arguments(run, arguments, results, differentiable):
    """`run`, or a callable whose results are views of its arguments where the traced results are."""
    of_arguments = classify(arguments, results)[0]
    if not of_arguments:
        return run

    def call(*args):
        found = list(run(*args))
        for k, i, geometry, offset in of_arguments:
            found[k] = geometry.within(args[i] if differentiable[k] else args[i].detach(), offset)
        return found

    return call


def join_of(group):
    """A function that makes a group of results share memory."""
    first, last = min(p.offset for _, p in group), max(p.last for _, p in group)
    whole = next((m for m in group if m[1].dense and (m[1].offset, m[1].last) == (first, last)), None)

    def views(found):
        base = found[whole[0]]
        for k, geometry in group:
            if k != whole[0]:
                found[k] = geometry.within(base, first)

    def parts(found):
        base = torch.empty(last + 1 - first, dtype=group[0][1].dtype)
        for k, geometry in group:
            view, values = geometry.within(base, first), found[k]
            for d, step in enumerate(geometry.stride):
                if step == 0:
                    view, values = view.narrow(d, 0, 1), values.narrow(d, 0, 1)
            view.copy_(values)
            found[k] = geometry.within(base, first)

    return views if whole else parts
