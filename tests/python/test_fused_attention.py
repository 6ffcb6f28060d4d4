"""Attention that is written out, fused to one operation and run, beside torch's."""

import pytest

torch = pytest.importorskip("torch")
from builder.base.builder_apis import compile_ttir_to_flatbuffer, execute_fb  # noqa: E402

B, HEADS, KEYS, SIZE = 2, 4, 64, 32


def written_out(queries, kv_heads, masked, cleared):
    def root(builder):
        shapes = [(B, HEADS, queries, SIZE), (B, kv_heads, KEYS, SIZE), (B, kv_heads, KEYS, SIZE)] + [(B, 1, queries, KEYS)] * masked

        @builder.func(shapes, [torch.float32] * len(shapes))
        def model(q, k, v, *rest):
            builder = rest[-1]
            repeat = HEADS // kv_heads
            if repeat > 1:
                k, v = (builder.repeat_interleave(x, repeat, 1) for x in (k, v))
            scores = builder.matmul(q, builder.transpose(k, -2, -1))
            scores = builder.multiply(scores, builder.full([1, 1, 1, 1], torch.float32, SIZE**-0.5))
            if masked:
                scores = builder.add(scores, rest[0])
            weights = builder.softmax(scores, 3, True)
            if cleared:
                low = builder.full([B, HEADS, queries, KEYS], torch.float32, -float("inf"))
                hidden = builder.logical_not(builder.reduce_or(builder.ne(scores, low), [-1], True))
                weights = builder.where(hidden, builder.zeros([B, HEADS, queries, KEYS], torch.float32), weights)
            out = builder.matmul(weights, v)
            if masked:
                mask = torch.where(torch.rand(B, 1, queries, KEYS) < 0.3, -float("inf"), 0.0)
                mask[0, 0, 0] = -float("inf") if cleared else 0.0
                builder.set_goldens({rest[0]: mask})
            return out

    return root


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("queries, kv_heads, masked, cleared", [
    (32, 4, False, False), (32, 2, True, False), (32, 4, True, True), (1, 2, True, True), (1, 4, False, True)])
def test_attention(queries, kv_heads, masked, cleared, level):
    torch.manual_seed(3)
    builder, binary, ends, inner = compile_ttir_to_flatbuffer(
        written_out(queries, kv_heads, masked, cleared), write=False, pipeline_options=[f"optimization-level={level}"])
    text = binary.as_json()
    fused = '"ScaledDotProductAttentionDecodeOp"' if queries == 1 else '"ScaledDotProductAttentionOp"'
    assert (fused in text) == (level > 0)  # at level 0 it is decomposed again, as in tt-mlir
    found = execute_fb(binary, ends, pcc=0.9999).tensors["program_0"]["device_output_0"][0]
    want = ends[0]["output_0"].shard_at(0)  # one operation is computed in bf16, as tt-mlir's workarounds say
    assert float((found - want).abs().max()) < (2**-6 if level else 1e-5) * float(want.abs().max())
