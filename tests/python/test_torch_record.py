"""Graphs that are recorded in one run are those that torch's tracer makes, and what cannot be recorded is left to that tracer."""

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402

from tilewright.torch_backend import capture, record, tracing  # noqa: E402


def captured(function, *inputs):
    """The graph that Dynamo captures, and its inputs."""
    found = []

    def backend(gm, example):
        found.append((gm, example))
        return gm.forward

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(function, backend=backend)(*inputs)
    (only,) = found
    return only


def described(graph):
    """All that is read of a graph: operators, operands by position, results, lines."""
    order, lines = {}, []
    for node in graph.graph.nodes:
        order[node] = len(order)
        value = node.meta.get("val") if node.op != "output" else None
        values = value if isinstance(value, (tuple, list)) else (value,)
        lines.append((
            node.op,
            str(node.target) if node.op == "call_function" else None,
            str(torch.fx.map_arg((node.args, node.kwargs), lambda n: f"%{order[n]}")),
            [(v.shape, v.stride(), v.dtype) if isinstance(v, torch.Tensor) else v for v in values],
            str(node.meta.get("original_aten")),
            (node.meta.get("stack_trace") or None) if node.op == "call_function" else None,
        ))
    return lines


def by_torch(gm, inputs):
    with torch.no_grad():
        graph, signature = tracing.export(gm, capture.fakes_of(inputs), True)
    assert not signature.user_inputs_to_mutate
    graph.graph.eliminate_dead_code()
    return graph


def recorded(gm, inputs):
    with torch.no_grad():
        return record.recorded(gm, capture.fakes_of(inputs), tracing.decomposition_of)


def attention(x, w, b, mask):
    q, k, v = F.linear(x, w, b).chunk(3, -1)
    q, k, v = (t.unflatten(-1, (2, -1)).transpose(1, 2) for t in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(x.shape)


def factories(x):
    at = torch.arange(x.shape[1], device=x.device)
    return x + at, torch.zeros_like(x) + torch.ones(3, 1), torch.full((2,), 7), torch.where(at > 1, at, torch.tensor_split(at, 2)[0].sum())


CASES = {
    "attention": (attention, torch.randn(2, 5, 8), torch.randn(24, 8), torch.randn(24), torch.zeros(5, 5)),
    "convolutions": (
        torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1, bias=False), torch.nn.BatchNorm2d(8), torch.nn.ReLU6(), torch.nn.MaxPool2d(2)).eval(),
        torch.randn(1, 3, 9, 9),
    ),
    "encoder": (torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval(), torch.randn(2, 7, 16)),
    "dropout of nothing": (lambda x: F.dropout(x, 0.5, training=False) + F.dropout(x, 0.0, training=True), torch.randn(4)),
    "factories": (factories, torch.randn(3, 4)),
    "two results": (lambda x: (*torch.max(x, 1), *x.split(2), x), torch.randn(4, 3)),
    "aliases": (lambda x: (x.T, x.reshape(-1), x.contiguous(), x.detach() + 1, x.expand(2, 3, 4)[:, 1:]), torch.randn(3, 4)),
    "a result twice": (lambda x: (y := x.sin(), y, y.view(-1)), torch.randn(2, 3)),
    "integers and booleans": (lambda i: (i // 3, i.float().mean(), (i > 2) & (i < 5)), torch.arange(7)),
    "losses": (lambda x, y: F.cross_entropy(x, y) + F.mse_loss(x, x * 2) + F.smooth_l1_loss(x, x + 1), torch.randn(3, 4), torch.tensor([1, 0, 3])),
    "indices": (lambda x, i: (x[i], x[:, ::2], x[..., None], x[1], torch.stack([x, x]).flip(0)), torch.randn(4, 5), torch.tensor([3, 0])),
    "no results of tensors": (lambda x: (x + 1, None, 3), torch.randn(2)),
}


# Of the others, torch's tracer keeps conversions to the type that a value has, assertions and copies.
SAME = ("attention", "convolutions", "factories", "two results", "aliases", "a result twice", "indices", "no results of tensors")


@pytest.mark.parametrize("name", SAME)
def test_records_what_torch_traces(name):
    gm, inputs = captured(*CASES[name])
    assert described(recorded(gm, inputs)) == described(by_torch(gm, inputs))


@pytest.mark.parametrize("name", CASES)
def test_records_what_the_graph_computes(name):
    gm, inputs = captured(*CASES[name])
    got = torch.fx.Interpreter(recorded(gm, inputs)).run(*inputs)
    with torch.no_grad():
        torch.testing.assert_close(tuple(got), tuple(gm(*inputs)), rtol=1e-5, atol=1e-6)


def writes(x):
    y = x + 1
    y[0] = 3
    return y


UNRECORDED = {
    "in place": (lambda x: (x + 1).mul_(2), torch.randn(4)),
    "a written part": (writes, torch.randn(4)),
    "an argument": (lambda x: x.add_(1), torch.randn(4)),
    "batch norm in training": (torch.nn.BatchNorm1d(4), torch.randn(3, 4)),
    "random numbers": (lambda x: x + torch.rand(4), torch.randn(4)),
    "dropout": (lambda x: F.dropout(x, 0.5), torch.randn(4)),
    "a constant": (lambda x: x + torch.tensor([1.0, 2.0]), torch.randn(2)),
    "another graph": (lambda x: torch.cond(x.sum() > 0, lambda t: t + 1, lambda t: t - 1, (x,)), torch.randn(4)),
}


@pytest.mark.parametrize("name", UNRECORDED)
def test_leaves_other_graphs_to_torch(name):
    gm, inputs = captured(*UNRECORDED[name])
    with pytest.raises(record.Unrecorded):
        recorded(gm, inputs)


@pytest.mark.parametrize("name", ["in place", "a written part", "a constant", "another graph"])
def test_computes_these_as_well(name):
    function, *inputs = UNRECORDED[name]
    expected = function(*[t.clone() for t in inputs])
    with torch.no_grad():
        got = torch.compile(function, backend="tt")(*inputs)
    torch.testing.assert_close(got, expected)
