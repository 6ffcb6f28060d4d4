"""Attention of one head: softmax(Q K^T / sqrt(d)) V, one block of queries for each core."""

import math

import torch
import ttl


@ttl.kernel(grid=(1, 2))
def attention(q, k, v, ones, out):
    keys, depth = k.shape[0] // 32, k.shape[1] // 32
    q_cb = ttl.make_circular_buffer_like(q, shape=(1, depth))
    k_cb = ttl.make_circular_buffer_like(k, shape=(keys, depth))
    v_cb = ttl.make_circular_buffer_like(v, shape=(keys, depth))
    one_cb = ttl.make_circular_buffer_like(ones, shape=(1, 1))
    turned_cb = ttl.make_circular_buffer_like(k, shape=(depth, keys))
    score_cb = ttl.make_circular_buffer_like(q, shape=(1, keys))
    peak_cb = ttl.make_circular_buffer_like(q, shape=(1, 1))
    exp_cb = ttl.make_circular_buffer_like(q, shape=(1, keys))
    sum_cb = ttl.make_circular_buffer_like(q, shape=(1, 1))
    weight_cb = ttl.make_circular_buffer_like(q, shape=(1, keys))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, depth))
    scale = 1 / math.sqrt(q.shape[1])

    @ttl.compute()
    def compute():
        with k_cb.wait() as key, turned_cb.reserve() as turned:
            turned.store(ttl.transpose(key))
        with q_cb.wait() as query, turned_cb.wait() as turned, score_cb.reserve() as score:
            score.store((query @ turned) * scale)
        with one_cb.wait() as one:
            with score_cb.wait() as score:
                with peak_cb.reserve() as peak:
                    peak.store(ttl.math.reduce_max(score, one, dims=[1]))
                with peak_cb.wait() as peak, exp_cb.reserve() as e:
                    e.store(ttl.math.exp(score - ttl.math.broadcast(peak, dims=[1])))
            with exp_cb.wait() as e:
                with sum_cb.reserve() as total:
                    total.store(ttl.math.recip(ttl.math.reduce_sum(e, one, dims=[1])))
                with sum_cb.wait() as total, weight_cb.reserve() as weight:
                    weight.store(e * ttl.math.broadcast(total, dims=[1]))
        with weight_cb.wait() as weight, v_cb.wait() as value, out_cb.reserve() as o:
            o.store(weight @ value)

    @ttl.datamovement()
    def read():
        row = ttl.core(dims=2)[1]
        with q_cb.reserve() as block:
            ttl.copy(q[row:row + 1, 0:depth], block).wait()
        for tensor, cb in ((k, k_cb), (v, v_cb), (ones, one_cb)):
            with cb.reserve() as block:
                ttl.copy(tensor, block).wait()

    @ttl.datamovement()
    def write():
        row = ttl.core(dims=2)[1]
        with out_cb.wait() as o:
            ttl.copy(o, out[row:row + 1, 0:depth]).wait()


def main():
    q, k, v = torch.randn(64, 64), torch.randn(96, 64), torch.randn(96, 64)
    out = torch.zeros(64, 64)
    attention(q, k, v, torch.ones(32, 32), out)
    want = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
    torch.testing.assert_close(out, want, rtol=1e-2, atol=1e-2)
    print("attention of 64 queries and 96 keys on 2 cores: as torch")


if __name__ == "__main__":
    main()
