"""References of operations that create, move, reduce or index: shared by TTIR and TTNN."""

import math

import torch
from torch.nn import functional as F


def dims(value, rank):
    """The list of dimensions, or all of them."""
    if value is None or value == []:
        return list(range(rank))
    value = value if isinstance(value, (list, tuple)) else [value]
    return sorted(d % rank if rank else 0 for d in value)


def reduction(function):
    """A reduction of (tensor, dimensions, keep)."""
    return lambda a, x: function(x, dims(a.dim_arg, x.dim()), bool(a.keep_dim)) if x.dim() else function(x.reshape(1), [0], False)


def _stepwise(function):
    """One dimension at a time, from the last."""
    def call(x, over, keep):
        for d in reversed(over):
            x = function(x, d, keep)
        return x

    return call


def _mean(x, over, keep):
    return torch.mean(x if x.is_floating_point() else x.to(torch.float32), over, keep)


def argmax(a, x):
    which = a.dim_arg if a.dim_arg is not None else a.dim
    over = dims(which, x.dim())
    kept = [d for d in range(x.dim()) if d not in over]
    flat = x.permute(*kept, *over).reshape(*(x.shape[d] for d in kept), -1) if over else x.unsqueeze(-1)
    found = torch.argmax(flat, -1)
    return found.reshape([1 if d in over else x.shape[d] for d in range(x.dim())]) if a.keep_dim else found


def full(a, *_):
    shape = a.shape if a.shape is not None else a.shapes[0]
    value = a.fill_value if a.fill_value is not None else 0
    return torch.full(list(shape), value, dtype=torch.float64 if isinstance(value, float) else torch.int64, device=a.device_of)


def arange(a, *_):
    count = max(0, math.ceil((a.end - a.start) / a.step))
    line = a.start + torch.arange(count, device=a.device_of) * a.step
    shape = a.shapes[0] if a.shapes else [count]
    d = a.arange_dimension or 0
    return line.reshape([-1 if i == d else 1 for i in range(len(shape))]).expand(list(shape)).clone()


class NoReference(Exception):
    """Results that another implementation cannot repeat: the message says why."""


def rand(a, *_):
    """The device has another generator: there is nothing to compare with."""
    if a.device_of != "meta":
        raise NoReference("random values: the device has another generator")
    return torch.empty(list(a.size), device="meta")


def dropout(a, x):
    """Compared only where nothing is dropped: the device has another generator."""
    if a.prob and x.device.type != "meta":
        raise NoReference("random values: the device has another generator")
    return x * (1.0 if a.scale is None else a.scale)


def pad(a, x, value=None):
    pairs = [a.padding[i:i + 2] for i in range(0, len(a.padding), 2)]
    value = a.value or 0
    if not (x.is_floating_point() or x.is_complex() or x.dtype == torch.bool):  # the largest integer is no f32
        value = min(max(int(value), torch.iinfo(x.dtype).min), torch.iinfo(x.dtype).max)
    return F.pad(x, [n for pair in reversed(pairs) for n in pair], value=value)


def slice_static(a, x):
    return sliced(x, a.begins, a.ends, a.step or [1] * x.dim())


def sliced(x, begins, ends, steps):
    for d, (b, e, s) in enumerate(zip(begins, ends, steps)):
        size = x.shape[d]
        if s == 0:
            raise ValueError(f"the step of dimension {d} is 0")
        b, e = b + size if b < 0 else b, e + size if e < 0 else e
        x = x.index_select(d, torch.arange(b, e, s, device=x.device)[: max(0, -(-abs(e - b) // abs(s)))])
    return x


def slice_dynamic(a, x, begins, ends):
    if x.device.type == "meta":
        raise TypeError("the bounds are values: give the result's shape")
    # The result's size is known; like StableHLO's, a slice that would leave the tensor starts earlier.
    first, last = begins.tolist(), ends.tolist()
    for d, (begin, end) in enumerate(zip(first, last)):
        reach = max(end - begin, 0)
        first[d] = min(max(begin, 0), x.shape[d] - reach)
        last[d] = first[d] + reach
    return sliced(x, first, last, a.step or [1] * x.dim())


def index_select(a, x):
    size, stride, positions = x.shape[a.dim], a.stride or 0, []
    for at in range(a.begin, size, stride) if stride else [a.begin]:
        positions += range(at, min(at + a.length, size))
    return x.index_select(a.dim, torch.tensor(positions, device=x.device))


def rearrange(a, x):
    """einops' patterns without repetition: names, parentheses, one arrow."""
    import re

    def groups(text):
        return [[n for n in part.strip("()").split() if n != "1"] for part in re.findall(r"\([^)]*\)|\S+", text)]

    left, right = (groups(side) for side in a.pattern.split("->"))
    sizes = {}
    for group, size in zip(left, x.shape):
        known = math.prod(sizes.get(n, 1) for n in group[1:])
        for n in group[1:]:
            sizes.setdefault(n, 1)
        if group:
            sizes[group[0]] = size // known
    names = [n for group in left for n in group]
    x = x.reshape([sizes[n] for n in names]).permute([names.index(n) for group in right for n in group])
    return x.reshape([math.prod(sizes[n] for n in group) for group in right])


_SCATTER = {"sum": "sum", "prod": "prod", "max": "amax", "min": "amin"}


def scatter(a, x, index, source):
    kind, index = _SCATTER.get(str(a.scatter_reduce_type)), index.to(torch.int64)
    if kind:
        return torch.scatter_reduce(x, a.dim, index, source.to(x.dtype), kind, include_self=True)
    return torch.scatter(x, a.dim, index, source.to(x.dtype))


def embedding(a, index, weight):
    table = weight.reshape(-1, weight.shape[-1])
    return F.embedding(index.to(torch.int64).clamp(0, table.shape[0] - 1), table)


def embedding_backward(a, index, weight, gradient):
    width = weight.shape[-1]
    table = torch.zeros(weight.numel() // width, width, device=weight.device)
    table = table.index_add(0, index.reshape(-1).to(torch.int64), gradient.reshape(-1, width).to(torch.float32))
    return table.reshape(weight.shape)


def sort(a, x):
    return torch.sort(x, dim=-1 if a.dim is None else a.dim, descending=bool(a.descending), stable=True)


def topk(a, x):
    largest, d = True if a.largest is None else a.largest, -1 if a.dim is None else a.dim
    values, positions = torch.sort(x, dim=d, descending=bool(largest), stable=True)
    return values.narrow(d, 0, a.k), positions.narrow(d, 0, a.k)


def _take(x, d, begin, end, step):
    begin, end = (n + x.shape[d] if n < 0 else n for n in (begin, end))
    return x.index_select(d, torch.arange(begin, end, step, device=x.device))


def _constant(a, *_):
    return a.value.to(a.device_of) if a.device_of == "meta" else a.value


def _keep(a, x, *_):
    return x


def bitcast(a, x):
    if a.types is None:
        raise TypeError("the result's element type must be given")
    to = a.types[0]
    if x.element_size() == torch.empty(0, dtype=to).element_size():
        return x.contiguous().view(to)
    if x.element_size() > torch.empty(0, dtype=to).element_size():
        return x.contiguous().unsqueeze(-1).view(to)
    return x.contiguous().view(to).squeeze(-1)


SHARED = {
    "sum": reduction(torch.sum), "mean": reduction(_mean), "max": reduction(torch.amax), "min": reduction(torch.amin),
    "prod": reduction(_stepwise(torch.prod)), "reduce_and": reduction(lambda x, over, keep: _stepwise(torch.all)(x != 0, over, keep)),
    "reduce_or": reduction(lambda x, over, keep: _stepwise(torch.any)(x != 0, over, keep)), "argmax": argmax,
    "zeros": full, "empty": full, "full": full, "ones": lambda a, *_: torch.ones(list(a.shape), device=a.device_of),
    "constant": _constant, "arange": arange, "rand": rand, "dropout": dropout,
    "reshape": lambda a, x: x.reshape(list(a.shape)), "transpose": lambda a, x: x.transpose(a.dim0, a.dim1),
    "permute": lambda a, x: x.permute(list(a.permutation)), "squeeze": lambda a, x: x.squeeze(a.dim),
    "unsqueeze": lambda a, x: x.unsqueeze(a.dim),
    "broadcast": lambda a, x: x.expand([n * f for n, f in zip(x.shape, a.broadcast_dimensions)]),
    "repeat": lambda a, x: x.repeat(list(a.repeat_dimensions if a.repeat_dimensions is not None else a.repeat_dims)),
    "repeat_interleave": lambda a, x: x.repeat_interleave(a.repeats, a.dim), "concat": lambda a, xs: torch.cat(list(xs), a.dim or 0),
    "pad": pad, "slice_static": slice_static, "slice_dynamic": slice_dynamic,
    "index": lambda a, x: _take(x, a.dim, a.begin, a.end, a.step), "index_select": index_select,
    "reverse": lambda a, x: x.flip(list(a.dimensions)), "rearrange": rearrange,
    "gather": lambda a, x, index: torch.gather(x, a.dim, index.to(torch.int64)), "scatter": scatter,
    "get_dimension_size": lambda a, x: torch.tensor([x.shape[a.dimension or 0]], device=x.device),
    "embedding": embedding, "embedding_backward": embedding_backward, "embedding_bw": embedding_backward, "sort": sort, "topk": topk,
    "cumsum": lambda a, x: torch.cumsum(x, a.dim), "cumprod": lambda a, x: torch.cumprod(x, a.dim),
    "to_layout": _keep, "ttnn_metal_layout_cast": _keep, "to_memory_config": _keep, "to_tensor_spec": _keep,
    "to_device": _keep, "from_device": _keep, "bitcast_convert": bitcast,
}
# Operations that write an operand: (function, the operand that changes).
IN_PLACE = {"copy": (lambda a, source, target: source, 1), "write_tensor": (lambda a, source, target: source, 1)}
