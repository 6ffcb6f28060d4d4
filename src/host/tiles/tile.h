/* tile.h: what the simulated compute unit does to whole 32x32 tiles, one set of functions
 * for each instruction set.
 *
 * A tile is 1024 f32 in the order of memory: four 16x16 faces, each row by row.  Results
 * are the same in every set: numbers in source registers have at most 11 significant bits,
 * and products are added with one rounding. */
#ifndef TILEWRIGHT_HOST_TILES_TILE_H
#define TILEWRIGHT_HOST_TILES_TILE_H

#include "host/isa.h"

enum { KRN_TILE = 1024 };

/* Where the next product's operands and its page lie: a product brings them to the caches
 * while it computes. */
typedef struct krn_next {
    const void *a, *b, *out;
} krn_next;

typedef struct krn_tile_set {
    const char *isa;
    /* Whether to ask for tiles before they are needed: for processors with AVX-512, on
     * which it was measured to pay.  On an AMD processor with AVX2 sums of bf16 tiles take
     * a quarter more time with it. */
    bool fetches;
    void (*load_bf16)(const uint16_t *from, float *to);
    /* bf16 bits: the low half cut off, or rounded to nearest with ties away from zero
     * (zeros and subnormals become +0, NaN infinity). */
    void (*store_bf16_cut)(const float *from, uint16_t *to);
    void (*store_bf16_away)(const float *from, uint16_t *to);
    /* In place, subnormals to zero: to tf32 by cutting; to bf16 by rounding halves up, or
     * by cutting (NaN stays NaN). */
    void (*cut_tf32)(float *x);
    void (*round_bf16)(float *x);
    void (*cut_bf16)(float *x);
    void (*add)(const float *a, const float *b, float *out);
    void (*subtract)(const float *a, const float *b, float *out);
    void (*multiply)(const float *a, const float *b, float *out);
    /* The matrix product's sums, each in the order of the inner index. */
    void (*product)(const float *a, const float *b, float *out);
    /* The product into the page, plus what the page holds if `adds`. */
    void (*product_on_page)(const float *a, const float *b, bool adds, float *page,
                            const krn_next *next);
    /* Whether all are zeros or finite numbers from 2^-40 up: of such numbers' products no
     * sum is subnormal. */
    bool (*halves_fit)(const uint16_t *from);
    /* The product of bf16 numbers that fit, rounded as round_bf16 does and added to a bf16
     * page as sum_bf16 does. */
    void (*product_onto_halves)(const float *a, const float *b, uint16_t *page,
                                const krn_next *next);
    /* The product of bf16 tiles, plus `add` if it is not NULL, then rounded as round_bf16
     * does if `round`.  false, and nothing done, for numbers that do not fit: the
     * processor's bf16 products and sums would not be these.  May be NULL. */
    bool (*product_bf16)(const uint16_t *a, const uint16_t *b, const float *add, bool round,
                         float *out);
    /* In two steps, for tiles that many products read: pairs of numbers as the instruction
     * takes them (false if they do not fit), then the product of those; `onto` is what
     * product_onto_halves is.  NULL where the one is. */
    bool (*pair_left)(const uint16_t *from, uint32_t *to);
    bool (*pair_right)(const uint16_t *from, uint32_t *to);
    void (*product_pairs)(const uint32_t *a, const uint32_t *b, const float *add,
                          bool round, float *out);
    void (*product_pairs_onto)(const uint32_t *a, const uint32_t *b, uint16_t *page,
                               const krn_next *next);
    /* f32 to tf32 by cutting, as cut_tf32 does. */
    void (*load_tf32)(const void *from, float *to);
    /* tile + page, rounded to nearest even bf16, into the page. */
    void (*sum_bf16)(const float *tile, uint16_t *page);
    /* The vector unit's operations on bf16 tiles of which a 16-bit DST keeps bf16, cut. */
    void (*add_bf16)(const uint16_t *a, const uint16_t *b, uint16_t *out);
    void (*subtract_bf16)(const uint16_t *a, const uint16_t *b, uint16_t *out);
    void (*multiply_bf16)(const uint16_t *a, const uint16_t *b, uint16_t *out);
    void (*transpose)(const float *from, float *to);
    /* Whether all n words are `word`. */
    bool (*all)(const uint32_t *words, size_t n, uint32_t word);
    void (*fill)(uint32_t *words, size_t n, uint32_t word);
} krn_tile_set;

/* The chosen set (isa.h). */
const krn_tile_set *krn_tiles(void);
/* A certain one, for tests: which must not be more than krn_isa_of_machine. */
const krn_tile_set *krn_tiles_of(krn_isa isa);

#endif
