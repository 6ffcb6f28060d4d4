/* eval_random.c: rng_bit_generator for eval.h: the same bits as XLA's.
 *
 * Threefry-2x32 with 20 rounds and Philox-4x32 with 10 (Salmon and others, "Parallel
 * random numbers: as easy as 1, 2, 3", 2011).  A state is a key and a counter; the order
 * of the counters' words follows XLA's client library.  DEFAULT is Philox, as on XLA's
 * CPU. */
#include "stablehlo/eval/eval.h"

#include "stablehlo/stablehlo.h"

static uint32_t rotate_left(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static void threefry(const uint32_t key[2], uint32_t x[2])
{
    static const int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const uint32_t keys[] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
    x[0] += keys[0];
    x[1] += keys[1];
    for (uint32_t group = 0; group < 5; group++) {
        for (int i = 0; i < 4; i++) {
            x[0] += x[1];
            x[1] = rotate_left(x[1], rotations[group % 2][i]) ^ x[0];
        }
        x[0] += keys[(group + 1) % 3];
        x[1] += keys[(group + 2) % 3] + group + 1;
    }
}

static void philox(const uint32_t key[2], uint32_t x[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t a = UINT64_C(0xD2511F53) * x[0], b = UINT64_C(0xCD9E8D57) * x[2];
        uint32_t next[] = {(uint32_t)(b >> 32) ^ x[1] ^ k0, (uint32_t)b,
                           (uint32_t)(a >> 32) ^ x[3] ^ k1, (uint32_t)a};
        memcpy(x, next, sizeof next);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

static void words_of(uint64_t x, uint32_t out[2])
{
    out[0] = (uint32_t)x;
    out[1] = (uint32_t)(x >> 32);
}

/* The dimension along which the two words of a counter alternate: the first even one,
 * else the first of the longest. */
static size_t split_dimension(const hlo_value *v)
{
    size_t longest = 0;
    for (size_t i = 0; i < v->rank; i++) {
        if (v->dims[i] % 2 == 0)
            return i;
        if (v->dims[i] > v->dims[longest])
            longest = i;
    }
    return longest;
}

/* Returns the counter's final value. */
static uint64_t fill_threefry(const uint32_t key[2], uint64_t counter, hlo_value *out,
                              size_t bytes)
{
    uint32_t x[2];
    if (bytes == 8) {
        for (size_t i = 0; i < out->n; i++) {
            words_of(counter + i, x);
            threefry(key, x);
            out->at[i].i = (int64_t)(x[0] | (uint64_t)x[1] << 32);
        }
        return out->n;
    }
    int64_t half[HLO_MAX_RANK], index[HLO_MAX_RANK] = {0}, at[HLO_MAX_RANK];
    size_t split = split_dimension(out), n = 1;
    for (size_t i = 0; i < out->rank; i++) {
        half[i] = i == split ? (out->dims[i] + 1) / 2 : out->dims[i];
        n *= (size_t)half[i];
    }
    for (size_t i = 0; i < n; i++) {
        words_of(counter + i, x);
        threefry(key, x);
        memcpy(at, index, sizeof at);
        for (int word = 0; word < 2; word++) {
            if (out->rank)
                at[split] = 2 * index[split] + word;
            if (hlo_inside(out, at) && (out->rank || word == 0))
                out->at[hlo_offset(out, at)].i = x[word];
        }
        hlo_next(half, out->rank, index);
    }
    return n;
}

static uint64_t fill_philox(const uint32_t key[2], uint64_t low, uint64_t high,
                            hlo_value *out, size_t bytes)
{
    size_t each = bytes == 8 ? 2 : 4, n = (out->n + each - 1) / each;
    for (size_t i = 0; i < n; i++) {
        uint32_t x[4];
        uint64_t sum = low + i;
        words_of(sum, x);
        words_of(high + (sum < low), x + 2);
        philox(key, x);
        for (size_t k = 0; k < each && i * each + k < out->n; k++)
            out->at[i * each + k].i =
                bytes == 8 ? (int64_t)(x[2 * k] | (uint64_t)x[2 * k + 1] << 32) : x[k];
    }
    return n;
}

static bool eval_bits(hlo_eval *e, ir_op *op)
{
    const hlo_value *state = hlo_operand(e, op, 0);
    hlo_value *next = hlo_new(e, op, state->element, state->dims, state->rank),
              *out = hlo_new_as(e, op, op->results[1].type, NULL);
    if (!next || !out)
        return false;
    size_t bytes = hlo_byte_size(out->element);
    int64_t algorithm = ir_enum_value(ir_op_attr(op, "rng_algorithm"), 0);
    if (out->class != HLO_INT || hlo_byte_size(state->element) != 8 || state->n < 2 ||
        state->n > 3 || out->element->width == 1)
        return hlo_stuck(e, op, "random bits of this type or from this state");
    uint32_t key[2];
    words_of((uint64_t)state->at[0].i, key);
    /* a state without an upper counter half uses the key for it */
    uint64_t low = (uint64_t)state->at[1].i,
             high = (uint64_t)state->at[state->n > 2 ? 2 : 0].i;
    uint64_t steps = algorithm == STABLEHLO_RngAlgorithm_THREE_FRY
                         ? fill_threefry(key, low, out, bytes)
                         : fill_philox(key, low, high, out, bytes);
    for (size_t i = 0; i < out->n; i++)
        out->at[i] = hlo_round(out->element, out->at[i]);
    next->at[0] = state->at[0];
    next->at[1].i = (int64_t)(low + steps);
    if (state->n > 2)
        next->at[2].i = (int64_t)(high + (low + steps < low));
    return hlo_set(e, op, 0, next) && hlo_set(e, op, 1, out);
}

hlo_fn *hlo_find_random(const ir_op_def *def)
{
    return def == STABLEHLO_OP(rng_bit_generator) ? eval_bits : NULL;
}
