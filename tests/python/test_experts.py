"""Mixtures of experts, sampling and the scores of sparse attention as operations of TTNN on one chip, beside torch."""

import numpy as np
import pytest

from one_op import RNG, brain, real, run, unbrain, whole

torch = pytest.importorskip("torch")
import ttnn  # noqa: E402


def bf16(*shape):
    return unbrain(brain(real(*shape)))


@pytest.mark.parametrize("k", [1, 4, 8])
def test_router(k):
    x, weight, bias = bf16(32, 64), bf16(64, 128), bf16(32, 128)
    indices, weights = run("topk_router_gpt", [brain(x), brain(weight), brain(bias)], [((32, k), "ui16"), ((32, k), "bf16")],
                           f"k = {k} : i32, num_experts = 128 : i32")
    logits = torch.from_numpy(x).double() @ torch.from_numpy(weight).double()
    logits = (logits.bfloat16().float() + torch.from_numpy(bias)).bfloat16().float()
    values, order = torch.sort(logits, dim=-1, descending=True, stable=True)
    np.testing.assert_array_equal(indices, order[:, :k].numpy())
    np.testing.assert_array_equal(unbrain(weights), torch.softmax(values[:, :k], -1).bfloat16().float().numpy())


def sparsity(*shape):
    return RNG.integers(0, 2, shape).astype(np.float32)


@pytest.mark.parametrize("element", ["f32", "bf16"])
@pytest.mark.parametrize("a, b, groups, attrs", [
    ((2, 3, 5, 7), (1, 4, 7, 9), (2, 3, 1, 4), "is_input_a_sparse = false, is_input_b_sparse = true"),
    ((6, 4, 5, 7), (1, 4, 7, 9), (1, 1, 6, 4), "is_input_a_sparse = true, is_input_b_sparse = false"),
    ((1, 4, 5, 7), (1, 4, 7, 9), (1, 1, 1, 4), "is_input_a_sparse = true, is_input_b_sparse = true"),
])
def test_sparse_products(a, b, groups, attrs, element):
    x, y, used = bf16(*a), bf16(*b), sparsity(*groups)
    both = np.einsum("abmk,xekn->abxemn", x, y) if "a_sparse = false" in attrs else x @ y
    want = np.where(used.reshape(*both.shape[:-2], 1, 1) != 0, both, 0)
    inputs = [brain(x), brain(y)] if element == "bf16" else [x, y]
    out, = run("sparse_matmul", [*inputs, used], [(want.shape, element)], attrs)
    out = unbrain(out) if element == "bf16" else out
    np.testing.assert_allclose(out, want, rtol=2**-8 if element == "bf16" else 1e-6, atol=2**-8 if element == "bf16" else 1e-5)
    assert not out[np.broadcast_to(used.reshape(*both.shape[:-2], 1, 1) == 0, both.shape)].any()


def test_tokens_go_to_the_only_device_and_back():
    tokens, chosen, mapping = bf16(4, 3, 1, 16), whole(8, 4, 3, 1, 2), np.ones((1, 1, 8, 1), np.int32)
    where, metadata = run("all_to_all_dispatch", [brain(tokens), chosen, mapping], [((1, 4, 3, 16), "bf16"), ((1, 4, 3, 2), "si32")],
                          "num_devices = 1 : i64, cluster_axis = 0 : i64")
    np.testing.assert_array_equal(unbrain(where), tokens.reshape(1, 4, 3, 16))
    np.testing.assert_array_equal(metadata, chosen.reshape(1, 4, 3, 2))
    made = bf16(8, 4, 3, 16)
    back, = run("all_to_all_combine", [brain(made), metadata, mapping], [((2, 4, 3, 16), "bf16")],
                "num_devices = 1 : i64, cluster_axis = 0 : i64, num_experts_per_tok = 2 : i64, output_shard_dim = 2 : i64")
    batch, place = np.meshgrid(range(4), range(3), indexing="ij")
    want = np.stack([made[chosen[:, :, 0, slot], batch, place] for slot in range(2)])
    np.testing.assert_array_equal(unbrain(back), want)


def test_tokens_of_several_devices_are_an_error():
    with pytest.raises(Exception, match="'ttnn.all_to_all_dispatch' over more than one device is not implemented"):
        run("all_to_all_dispatch", [real(4, 3, 1, 16), whole(8, 4, 3, 1, 2), whole(2, 1, 1, 8, 2)],
            [((1, 8, 3, 16), "f32"), ((1, 8, 3, 2), "si32")], "num_devices = 2 : i64, cluster_axis = 0 : i64")


@pytest.mark.parametrize("activation, biased, dtype", [("silu", False, torch.bfloat16), ("swiglu", True, torch.bfloat16), ("silu", True, torch.float32)])
def test_all_experts_in_one_operation(activation, biased, dtype):
    """ttir.moe_compute through a binary; 40 tokens: more than are multiplied at a time; two layers of weights, the second is meant."""
    from builder.base.builder_apis import compile_and_execute_ttir

    def scaled(*shape):
        return lambda _: (torch.randn(shape, generator=draw) / 8).to(dtype)

    draw = torch.Generator().manual_seed(4)
    tokens, experts, hidden, inner, chosen = 40, 4, 64, 96, 2
    layers = 1 if biased else 2
    shapes = [(1, tokens, hidden), (1, tokens, chosen), (1, tokens, chosen), (1, experts), (layers, experts, hidden, inner), (layers, experts, hidden, inner),
              (layers, experts, inner, hidden)] + [(1, experts, inner)] * (2 * biased) + [(1, experts, hidden)] * biased
    types = [dtype, torch.uint16, dtype, torch.uint16] + [dtype] * (len(shapes) - 4)

    def root(builder):
        @builder.func(shapes, types)
        def model(x, ids, scores, mapping, w0, w1, w2, *rest):
            *biases, builder = rest
            given = torch.stack([torch.randperm(experts, generator=draw)[:chosen] for _ in range(tokens)]).reshape(1, tokens, chosen)
            given[0, 3] = given[0, 3, 0]  # one expert twice
            builder.set_goldens({ids: given.to(torch.uint16), mapping: torch.zeros(1, experts, dtype=torch.uint16), w0: scaled(*shapes[4]), w1: scaled(*shapes[5])})
            return builder.moe_compute(x, ids, scores, mapping, w0, w1, w2, layers - 1, 4, inner, 1, (chosen, tokens, hidden), dtype, activation_function=activation,
                                       **dict(zip(("bias_0", "bias_1", "bias_2"), biases)))

    report = compile_and_execute_ttir(root, pcc=0.9999)
    assert not report.failures
    assert not compile_and_execute_ttir(root, pcc=0.9999, enable_intermediate_verification=True).failures


def test_scores_of_the_chosen_experts():
    scores, chosen = real(1, 6, 5, 8), whole(8, 1, 6, 5, 3)
    mapping, reduced = run("moe_expert_token_remap", [scores, np.ones((1, 1, 8, 1), np.int32), chosen],
                           [((1, 6, 5, 8), "f32"), ((1, 1, 8, 8), "ui16")], "reduction_size = 4 : i64")
    hit = np.zeros((30, 8), bool)
    np.put_along_axis(hit, chosen.reshape(30, 3), True, 1)
    np.testing.assert_array_equal(mapping.reshape(30, 8), np.where(hit, scores.reshape(30, 8), 0))
    want = [hit[i:i + 4].any(0) for i in range(0, 30, 4)]
    np.testing.assert_array_equal(reduced.reshape(8, 8), np.array(want))


@pytest.mark.parametrize("start", [0, 3, 40])
def test_scores_of_an_indexer(start):
    q, k, w = real(1, 4, 6, 16), real(1, 1, 20, 16), real(1, 4, 6, 1)
    out, = run("indexer_score_dsa", [q, k, w], [((1, 1, 6, 20), "f32")], f"chunk_start_idx = {start} : ui32")
    want = (np.maximum(q.astype(np.float64) @ k.swapaxes(-1, -2), 0) * w).sum(1, keepdims=True)
    behind = np.arange(20)[None, :] > start + np.arange(6)[:, None]
    np.testing.assert_array_equal(np.isneginf(out[0, 0]), behind)
    np.testing.assert_allclose(out[0, 0][~behind], want[0, 0][~behind], rtol=1e-5, atol=1e-5)


# ---- sampling ----------------------------------------------------------------------------------------


def sample(logits, k, p, temperature, seed=0):
    batch, candidates = logits.shape
    ids = np.argsort(RNG.random((batch, 1000)), 1)[:, :candidates].astype(np.int32)
    rows = [np.broadcast_to(np.asarray(v, t), batch).copy() for v, t in ((k, np.uint32), (p, np.float32), (temperature, np.float32))]
    out, = run("sampling", [logits.astype(np.float32), ids, *rows], [((batch,), "ui32")], f"seed = {seed} : ui32")
    drawn = [list(line).index(i) for line, i in zip(ids, out)]  # fails unless the result is one of the row's candidates
    return np.array(drawn)


def test_the_most_probable_candidate():
    logits = real(32, 50)
    np.testing.assert_array_equal(sample(logits, 1, 1, 1), logits.argmax(1))
    np.testing.assert_array_equal(sample(logits, 50, 0, 1), logits.argmax(1))
    np.testing.assert_array_equal(sample(logits, 50, 1, 1e-5), logits.argmax(1))


def allowed(row, k, p, temperature):
    """The candidates that may be drawn, with their probabilities."""
    values, order = torch.sort(torch.from_numpy(row).double() / temperature, dim=-1, descending=True, stable=True)
    mass = torch.softmax(values[:k], 0)
    kept = int((mass.cumsum(0) - mass < p).sum())
    return order[:kept].numpy(), (mass[:kept] / mass[:kept].sum()).numpy()


@pytest.mark.parametrize("k, p, temperature", [(50, 1.0, 1.0), (5, 1.0, 2.0), (50, 0.6, 0.7), (8, 0.9, 1.3)])
def test_draws_follow_the_probabilities(k, p, temperature):
    row = real(50)
    drawn = np.concatenate([sample(np.tile(row, (32, 1)), k, p, temperature, seed) for seed in range(60)])
    ids, mass = allowed(row, k, p, temperature)
    assert set(drawn) <= set(ids)
    counts = np.array([(drawn == i).sum() for i in ids])
    # Each count is binomial: five standard deviations, and one for those that are expected less than once.
    assert (abs(counts - len(drawn) * mass) <= 1 + 5 * np.sqrt(len(drawn) * mass * (1 - mass))).all()


def test_a_seed_repeats_a_draw():
    logits = real(32, 64)
    first, again, other = (sample(logits, 64, 1, 3, seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_eager_calls():
    device = ttnn.open_device(device_id=0)

    def put(x, dtype, layout=ttnn.ROW_MAJOR_LAYOUT):
        return ttnn.from_torch(x, dtype=dtype, layout=layout, device=device)

    logits = torch.from_numpy(real(1, 1, 32, 64))
    ids = torch.arange(64, dtype=torch.int32).expand(1, 1, 32, 64).contiguous()
    one = torch.ones(32)
    out = ttnn.sampling(put(logits, ttnn.float32), put(ids, ttnn.int32), k=put(one.int(), ttnn.uint32), p=put(one, ttnn.float32),
                        temp=put(one, ttnn.float32), seed=3)
    assert torch.equal(ttnn.to_torch(out).flatten().long(), logits.argmax(-1).flatten())
    x, w, b = torch.from_numpy(bf16(32, 64)), torch.from_numpy(bf16(64, 128)), torch.from_numpy(bf16(32, 128))
    indices, weights = ttnn.experimental.topk_router_gpt(put(x, ttnn.bfloat16), weight_tensor=put(w, ttnn.bfloat16),
                                                         bias_tensor=put(b, ttnn.bfloat16), k=8, num_experts=128)
    assert indices.shape == weights.shape == (32, 8) and torch.allclose(ttnn.to_torch(weights).float().sum(-1), one, atol=0.03)
    x, w = torch.from_numpy(bf16(2, 1, 4, 8)), torch.from_numpy(bf16(1, 3, 8, 5))
    out = ttnn.sparse_matmul(put(x, ttnn.bfloat16), put(w, ttnn.bfloat16), sparsity=put(torch.ones(2, 1, 1, 3), ttnn.bfloat16))
    assert torch.allclose(ttnn.to_torch(out).float(), torch.einsum("abmk,xekn->abxemn", x, w), rtol=2**-8, atol=2**-8)
    q, k = torch.from_numpy(bf16(1, 2, 4, 8)), torch.from_numpy(bf16(1, 1, 4, 8))
    out = ttnn.experimental.indexer_score_dsa(put(q, ttnn.bfloat16), put(k, ttnn.bfloat16), put(torch.ones(1, 2, 4, 1), ttnn.bfloat16))
    assert out.shape == (1, 1, 4, 4)
