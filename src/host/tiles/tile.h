/* tile.h: the simulated compute unit's operations on whole 32x32 tiles, one set of
 * functions for each instruction set.
 *
 * A tile is 1024 f32 in memory order: four 16x16 faces, each row-major. Results are
 * identical in every set: values in source registers have at most 11 significant bits, and
 * products are added with one rounding. */
#ifndef TILEWRIGHT_HOST_TILES_TILE_H
#define TILEWRIGHT_HOST_TILES_TILE_H

#include "host/isa.h"

enum { KRN_TILE = 1024 };

/* Addresses of the next product's operands and page: a product prefetches them while it
 * computes. */
typedef struct krn_next {
    const void *a, *b, *out;
} krn_next;

typedef struct krn_tile_set {
    const char *isa;
    /* True if tiles should be prefetched: for processors with AVX-512, on which
     * measurements favour it. On an AMD processor with AVX2 sums of bf16 tiles take a
     * quarter more time with it. */
    bool fetches;
    void (*load_bf16)(const uint16_t *from, float *to);
    /* bf16 bits: truncated, or rounded to nearest with ties away from zero (zeros and
     * subnormals become +0, NaN infinity). */
    void (*store_bf16_cut)(const float *from, uint16_t *to);
    void (*store_bf16_away)(const float *from, uint16_t *to);
    /* In place, subnormals to zero: to tf32 by truncation; to bf16 by rounding to nearest,
     * ties up, or by truncation (NaN stays NaN). */
    void (*cut_tf32)(float *x);
    void (*round_bf16)(float *x);
    void (*cut_bf16)(float *x);
    void (*add)(const float *a, const float *b, float *out);
    void (*subtract)(const float *a, const float *b, float *out);
    void (*multiply)(const float *a, const float *b, float *out);
    /* The matrix product; each sum is in the order of k. */
    void (*product)(const float *a, const float *b, float *out);
    /* Stores the product to the page, added to its contents if `adds`. */
    void (*product_on_page)(const float *a, const float *b, bool adds, float *page,
                            const krn_next *next);
    /* True if all values are zeros or finite with a magnitude of at least 2^-40: then no
     * sum of their products is subnormal. */
    bool (*pairs_fit)(const uint16_t *from);
    /* The product of bf16 values that fit (pairs_fit), rounded as by round_bf16 and added
     * to a bf16 page as by sum_bf16. */
    void (*product_onto_bf16)(const float *a, const float *b, uint16_t *page,
                              const krn_next *next);
    /* The product of bf16 tiles, plus `add` if it is not NULL, then rounded as by
     * round_bf16 if `round`. False, without effect, for values that do not fit: the
     * processor's bf16 products and sums would differ. May be NULL. */
    bool (*product_bf16)(const uint16_t *a, const uint16_t *b, const float *add, bool round,
                         float *out);
    /* The same in two steps, for tiles that many products read: pairs of values in the
     * instruction's order (false if they do not fit), then their product; `onto`
     * corresponds to product_onto_bf16. NULL if product_bf16 is. */
    bool (*pair_left)(const uint16_t *from, uint32_t *to);
    bool (*pair_right)(const uint16_t *from, uint32_t *to);
    void (*product_pairs)(const uint32_t *a, const uint32_t *b, const float *add,
                          bool round, float *out);
    void (*product_pairs_onto)(const uint32_t *a, const uint32_t *b, uint16_t *page,
                               const krn_next *next);
    /* f32 to tf32 by truncation, like cut_tf32. */
    void (*load_tf32)(const void *from, float *to);
    /* Stores tile + page, rounded to nearest even bf16, to the page. */
    void (*sum_bf16)(const float *tile, uint16_t *page);
    /* The vector unit's operations on bf16 tiles for a 16-bit DST, which truncates results
     * to bf16. */
    void (*add_bf16)(const uint16_t *a, const uint16_t *b, uint16_t *out);
    void (*subtract_bf16)(const uint16_t *a, const uint16_t *b, uint16_t *out);
    void (*multiply_bf16)(const uint16_t *a, const uint16_t *b, uint16_t *out);
    void (*transpose)(const float *from, float *to);
    /* True if all n words equal `word`. */
    bool (*all)(const uint32_t *words, size_t n, uint32_t word);
    void (*fill)(uint32_t *words, size_t n, uint32_t word);
} krn_tile_set;

/* Returns the chosen set (isa.h). */
const krn_tile_set *krn_tiles(void);
/* Returns the set of an instruction set, for tests; it must not exceed
 * krn_isa_of_machine. */
const krn_tile_set *krn_tiles_of(krn_isa isa);

#endif
