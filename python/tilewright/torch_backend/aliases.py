"""Results that share memory with arguments or with each other, as they do in torch.

A program computes every result into memory of its own.  Where the model returned views, whoever
writes into one result must find it in the others: such results are made views again here, by the
strides that torch's tracer recorded.
"""

import torch


class Geometry:
    """Where a tensor's elements are in its storage."""

    def __init__(self, tensor):
        self.size = tuple(int(n) for n in tensor.shape)
        self.stride = tuple(int(n) for n in tensor.stride())
        self.offset = int(tensor.storage_offset())
        self.dtype = tensor.dtype
        self.dense = tensor.is_contiguous()
        self.last = self.offset + sum((n - 1) * s for n, s in zip(self.size, self.stride))

    def within(self, base, offset):
        """The same view of `base`, whose first element is the storage's element `offset`."""
        base = base.detach()
        return base.as_strided(self.size, self.stride, base.storage_offset() + self.offset - offset)


def plain(value):
    """Whether a traced value has a place in memory that can be compared."""
    return (
        type(value).__name__ == "FakeTensor"
        and value.layout == torch.strided
        and value.numel() > 0
        and not (value.is_conj() or value.is_neg())
        and not any(isinstance(n, torch.SymInt) for n in (*value.shape, *value.stride(), value.storage_offset()))
    )


def storage(value):
    return value.untyped_storage()._cdata


def restore(run, gm):
    """`run`, or a callable that makes views of its results where the graph's results are."""
    nodes = list(gm.graph.nodes)
    arguments = {}
    for i, node in enumerate(n for n in nodes if n.op == "placeholder"):
        value = node.meta.get("example_value")
        if plain(value):
            arguments.setdefault(storage(value), (i, Geometry(value)))
    results = next(n for n in nodes if n.op == "output").args[0]
    of_arguments, groups = [], {}
    for k, node in enumerate(results):
        value = node.meta.get("example_value") if isinstance(node, torch.fx.Node) else None
        if not plain(value) or node.op == "placeholder":
            continue
        place = Geometry(value)
        if storage(value) not in arguments:
            groups.setdefault(storage(value), {}).setdefault(node, []).append((k, place))
            continue
        i, base = arguments[storage(value)]
        if base.dtype == place.dtype:
            of_arguments.append((k, i, place, base.offset))
    groups = [[m for ms in g.values() for m in ms] for g in groups.values() if len(g) > 1]
    groups = [g for g in groups if len({place.dtype for _, place in g}) == 1]
    if not of_arguments and not groups:
        return run
    joins = [join_of(g) for g in groups]

    def call(*args):
        found = list(run(*args))
        with torch.no_grad():
            for k, i, place, offset in of_arguments:
                found[k] = place.within(args[i], offset)
            for join in joins:
                join(found)
        return found

    return call


def join_of(group):
    """A function that lets a group of results share memory."""
    first, last = min(p.offset for _, p in group), max(p.last for _, p in group)
    whole = next((m for m in group if m[1].dense and (m[1].offset, m[1].last) == (first, last)), None)

    def views(found):
        base = found[whole[0]]
        for k, place in group:
            if k != whole[0]:
                found[k] = place.within(base, first)

    def parts(found):
        base = torch.empty(last + 1 - first, dtype=group[0][1].dtype)
        for k, place in group:
            view, values = place.within(base, first), found[k]
            for d, step in enumerate(place.stride):
                if step == 0:
                    view, values = view.narrow(d, 0, 1), values.narrow(d, 0, 1)
            view.copy_(values)
            found[k] = place.within(base, first)

    return views if whole else parts
