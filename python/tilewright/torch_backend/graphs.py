"""Higher-order operations of torch, which run a graph inside the captured one, as functions that can be traced."""

import math

import torch


def run(body, *operands, **_):
    """Interpreted, so that traced nodes keep the lines of the body."""
    return torch.fx.Interpreter(body).run(*operands)


def run_region(body, name, *operands):
    return run(body, *operands)


def flex_attention(
    query, key, value, score_mod, block_mask, scale, options, score_buffers=(), mask_buffers=()
):
    """Attention whose scores and mask are computed by nested graphs. Both are written for one score at a time; index
    tensors that broadcast against each other compute all at once."""
    groups = query.shape[1] // key.shape[1]
    key, value = (t.repeat_interleave(groups, 1) for t in (key, value))
    scores = (query.float() @ key.float().transpose(-2, -1)) * scale
    positions = [
        torch.arange(n).reshape([-1 if i == d else 1 for i in range(4)])
        for d, n in enumerate(scores.shape)
    ]
    seen = run(block_mask[-1], *positions, *mask_buffers)
    scores = run(score_mod, scores, *positions, *score_buffers)
    scores = torch.where(seen, scores, -math.inf)
    weights = torch.ops.aten._safe_softmax(scores, -1)
    logarithm, top = torch.logsumexp(scores, -1), scores.amax(-1)
    return weights.to(query.dtype) @ value, logarithm / math.log(2), top / math.log(2)


# Names of higher-order operations, some of which a torch version may lack, and their replacements.
FUNCTIONS = {
    "tag_activation_checkpoint": run,
    "wrap": run,
    "invoke_subgraph": run_region,
    "flex_attention": flex_attention,
}


def with_functions(gm):
    """The graph with such operations replaced."""
    found = False
    for node in gm.graph.nodes:
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            function = FUNCTIONS.get(node.target.name())
            if function is not None:
                node.target, found = function, True
    if found:
        gm.recompile()
    return gm
