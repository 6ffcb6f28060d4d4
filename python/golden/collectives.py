"""References of operations over a mesh: functions of (attributes, mesh, {device: tensor} for each operand) that return
{device: tensor} for each result.  Then the routing of experts, which is one device's."""

import torch
from torch.nn import functional as F
from golden.movement import NoReference
from golden.nn import layer_norm, rms_norm, wide
from golden.shards import groups_along, join_over, split_over

_REDUCE = {"sum": lambda ts: ts.sum(0), "mean": lambda ts: ts.mean(0), "max": lambda ts: ts.amax(0), "min": lambda ts: ts.amin(0),
           "prod": lambda ts: ts.prod(0), "std": lambda ts: ts.std(0), "var": lambda ts: ts.var(0)}


def _reduced(kind, tensors):
    wide_ones = torch.stack([t if t.dtype not in (torch.bfloat16, torch.float16) else t.to(torch.float32) for t in tensors])
    return _REDUCE[kind](wide_ones).to(tensors[0].dtype)


def _each_group(a, mesh, x, groups, function):
    """function(tensors of the group, in its order) -> their results; devices outside of all groups keep theirs."""
    out = dict(x)
    for group in groups:
        for device, result in zip(group, function([x[d] for d in group])):
            out[device] = result
    return out


def _axis(a, mesh):
    return groups_along(mesh, a.cluster_axis or 0)


def _listed(a):
    return a.replica_groups.reshape(a.replica_groups.shape[0], -1).tolist()


def _gather(d):
    return lambda ts: [torch.cat(ts, d)] * len(ts)


def _all(kind):
    return lambda ts: [_reduced(kind, ts)] * len(ts)


def _scatter(kind, d):
    return lambda ts: list(_reduced(kind, ts).chunk(len(ts), d))


def _exchange(split, join, count):
    def call(ts):
        pieces = [t.chunk(count, split) for t in ts]
        return [torch.cat([p[i] for p in pieces], join) for i in range(len(ts))]

    return call


def _permuted(a, mesh, x):
    pairs = {int(to): int(of) for of, to in a.source_target_pairs.reshape(-1, 2).tolist()}
    return {d: x[pairs[d]].clone() if d in pairs else torch.zeros_like(t) for d, t in x.items()}


def _mesh_shard(a, mesh, x):
    kind, full = str(a.shard_type), str(a.shard_direction) == "full_to_shard"
    if kind in ("manual", "identity") and len(x) > 1:
        return x
    dims = [-1 if kind == "replicate" else d for d in a.shard_dims]
    if full:
        return split_over(x[0], mesh, dims)
    return {0: join_over(x, mesh, dims)}


def _partition(a, mesh, x):
    if a.cluster_axis is None:
        return {d: t.chunk(len(x), a.dim)[d] for d, t in x.items()}
    return _each_group(a, mesh, x, _axis(a, mesh), lambda ts: [t.chunk(len(ts), a.dim)[i] for i, t in enumerate(ts)])


def _distributed(layer):
    def call(a, mesh, x, weight=None, bias=None, residual=None, *_):
        if not layer:
            residual, bias = bias, None
        x = {d: wide(t) if residual is None else wide(t) + wide(residual[d]) for d, t in x.items()}
        out = {}
        for group in _axis(a, mesh):
            joined = [None if t is None else torch.cat([t[d].flatten() for d in group]) for t in (weight, bias)]
            whole = torch.cat([x[d] for d in group], -1)
            norm = layer_norm if layer else rms_norm
            done = norm(whole, whole.shape[-1:], *joined, 1e-5 if a.epsilon is None else a.epsilon)
            out.update(zip(group, done.chunk(len(group), -1)))
        return out

    return call


def _point_to_point(a, mesh, x, into=None):
    columns = mesh[-1]
    of, to = (c[0] * columns + c[1] for c in (a.sender_coord, a.receiver_coord))
    out = dict(x if into is None else into)
    out[to] = x[of].clone()
    return out


def _distribute(a, mesh, x):
    import re

    placements = re.findall(r"replicate|shard[^0-9]*(\d+)", str(a.mapper_config))
    return split_over(x[0], mesh, [int(p) if p else -1 for p in placements] or [-1] * len(mesh))


def _aggregate(a, mesh, x):
    import re

    found = re.search(r"dims = \[([-\d, ]*)\]", str(a.composer_config)) or re.search(r"\[([-\d, ]+)\]", str(a.composer_config))
    return {0: join_over(x, mesh, [int(d) for d in found[1].split(",")] if found else [-1] * len(mesh))}


SHARED = {
    "all_gather": lambda a, m, x: _each_group(a, m, x, _axis(a, m), _gather(a.all_gather_dim)),
    "all_reduce": lambda a, m, x: _each_group(a, m, x, _axis(a, m), _all(str(a.reduce_type))),
    "all_reduce_async": lambda a, m, x, *_: _each_group(a, m, x, _axis(a, m), _all(str(a.reduce_type))),
    "reduce_scatter": lambda a, m, x: _each_group(a, m, x, _axis(a, m), _scatter(str(a.reduce_type), a.scatter_dim)),
    "all_to_all": lambda a, m, x: _each_group(a, m, x, _listed(a), _exchange(a.split_dim, a.concat_dim, a.split_count)),
    "collective_permute": _permuted, "mesh_shard": _mesh_shard, "mesh_partition": _partition,
    "collective_broadcast": lambda a, m, x: _each_group(a, m, x, _listed(a), lambda ts: [ts[0]] * len(ts)),
    "distributed_rms_norm": _distributed(False), "distributed_layer_norm": _distributed(True),
    "point_to_point": _point_to_point, "distribute_tensor": _distribute, "aggregate_tensor": _aggregate,
}


def _hlo_kind(a):
    return {"add": "sum", "maximum": "max", "minimum": "min", "multiply": "prod", "mean": "mean"}.get(a.body or "add", "sum")


STABLEHLO = {
    "all_gather": lambda a, m, x: _each_group(a, m, x, _listed(a), _gather(a.all_gather_dim)),
    "all_reduce": lambda a, m, x: _each_group(a, m, x, _listed(a), _all(_hlo_kind(a))),
    "reduce_scatter": lambda a, m, x: _each_group(a, m, x, _listed(a), _scatter(_hlo_kind(a), a.scatter_dimension)),
    "all_to_all": lambda a, m, x: _each_group(a, m, x, _listed(a), _exchange(a.split_dimension, a.concat_dimension, a.split_count)),
    "collective_permute": _permuted,
    "collective_broadcast": lambda a, m, x: _each_group(a, m, x, _listed(a), lambda ts: [ts[0]] * len(ts)),
    "cross-replica-sum": lambda a, m, x: _each_group(a, m, x, _listed(a), _all("sum")),
}


# ---- experts ------------------------------------------------------------------------------------------


def _router(a, x, weight, bias):
    logits = (wide(x) @ wide(weight)).to(torch.bfloat16)
    logits = (wide(logits) + wide(bias)).to(torch.bfloat16)
    values, positions = torch.sort(logits, dim=-1, descending=True, stable=True)
    return positions[..., :a.k], torch.softmax(wide(values[..., :a.k]), -1)


def _dispatch(a, x, indices, mapping):
    """Tokens of all devices of the axis on the batch axis; here each device holds the same."""
    n = a.num_devices
    return (x.repeat(n, 1, 1, 1).reshape(1, n * x.shape[0], -1, x.shape[-1]),
            indices.repeat(n, 1, 1, 1).reshape(1, n * indices.shape[0], -1, indices.shape[-1]))


def _dispatch_metadata(a, x, indices, scores, mapping, *_):
    n = a.num_devices
    return tuple(torch.cat([t.reshape(1, -1, t.shape[-1])] * n, 1) if a.shapes is None else
                 torch.cat([t.reshape(-1)] * n).reshape(a.shapes[i]) for i, t in enumerate((x, indices, scores)))


def _combine(a, x, metadata, mapping):
    """The rows of the experts that each token chose: [experts of a token, batch, sequence, hidden]."""
    k = a.num_experts_per_tok
    ids = metadata.reshape(-1, metadata.shape[-1]).to(torch.int64)[:, :k]
    rows = x.reshape(x.shape[0], -1, x.shape[-1])
    tokens = min(ids.shape[0], rows.shape[1]) // a.num_devices
    if x.device.type == "meta":
        if a.shapes is None:
            raise TypeError("the result's shape must be given")
        return torch.zeros(a.shapes[0], device="meta")
    out = torch.zeros(k, tokens, x.shape[-1])
    for slot in range(k):
        for token in range(tokens):
            if ids[token, slot] < rows.shape[0]:
                out[slot, token] = rows[ids[token, slot], token]
    return out.reshape(a.shapes[0]) if a.shapes else out


def _remap(a, scores, mapping, metadata):
    local = mapping.shape[-2] // max(1, mapping.shape[-1])
    ids, scores = metadata.to(torch.int64), wide(scores)
    batch = ids.shape[-3] * ids.shape[-2]
    out = torch.zeros(batch, local, device=scores.device)
    if scores.device.type != "meta":
        owned = torch.nonzero(mapping.reshape(-1, mapping.shape[-1])[:, 0]).flatten().tolist()
        flat, given = ids.reshape(batch, -1), scores.reshape(batch, -1)
        for position, expert in enumerate(owned[:local]):
            hit = (flat == expert).any(-1)
            out[:, position] = torch.where(hit, given[:, expert], out[:, position])
    reduced = (out.reshape(-1, a.reduction_size, local) != 0).any(1) if batch % a.reduction_size == 0 else out[:1] != 0
    return out.reshape(1, ids.shape[-3], ids.shape[-2], local), reduced.reshape(1, 1, -1, local)


def _expert(kind, gate, up):
    if kind == "gelu":
        return F.gelu(gate, approximate="tanh") * up
    if kind == "swiglu":
        gate, up = gate.clamp(max=7), up.clamp(-7, 7)
        return (up + 1) * gate * torch.sigmoid(1.702 * gate)
    return F.silu(gate) * up


def _moe_compute(a, x, ids, scores, mapping, w0, w1, w2, b0=None, b1=None, b2=None):
    """[experts of a token, tokens, hidden]: what the chosen experts of this device make of each token."""
    x, ids = wide(x).reshape(-1, x.shape[-1]), ids.reshape(-1, ids.shape[-1]).to(torch.int64)
    w0, w1, w2, b0, b1, b2 = (None if w is None else wide(w)[int(a.layer_id or 0)] for w in (w0, w1, w2, b0, b1, b2))
    out = torch.zeros(ids.shape[1], x.shape[0], w2.shape[-1], device=x.device)
    for token in range(x.shape[0] if x.device.type != "meta" else 0):
        for slot in range(ids.shape[1]):
            e = int(ids[token, slot]) % w0.shape[0]
            gate, up = x[token] @ w0[e], x[token] @ w1[e]
            if b0 is not None:
                gate, up = gate + b0[e].flatten(), up + b1[e].flatten()
            y = _expert(str(a.activation_function or "silu"), gate, up) @ w2[e]
            out[slot, token] = y if b2 is None else y + b2[e].flatten()
    return out.reshape(a.shapes[0]) if a.shapes else out


def _sampling(a, values, positions, k, p, temperature):
    """The most probable candidate: exact where k is 1; otherwise the device draws."""
    flat = values.reshape(-1, values.shape[-1])
    if k.device.type != "meta" and bool((k > 1).any()):
        raise NoReference("the device draws among k candidates with its own generator")
    best = torch.argmax(wide(flat), -1, keepdim=True)
    chosen = positions.reshape(flat.shape).gather(-1, best)
    return chosen.reshape(a.shapes[0] if a.shapes else values.shape[:-1])


EXPERTS = {"topk_router_gpt": _router, "all_to_all_dispatch": _dispatch, "all_to_all_dispatch_metadata": _dispatch_metadata,
           "all_to_all_combine": _combine, "moe_expert_token_remap": _remap, "sampling": _sampling}
TTIR = {"moe_compute": _moe_compute}
