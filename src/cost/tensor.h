/* tensor.h: tensors in tiles, and cycles of functions on one tile. */
#ifndef TILEWRIGHT_COST_TENSOR_H
#define TILEWRIGHT_COST_TENSOR_H

#include "cost/share.h"

typedef struct cost_tensor {
    double batch, rows, columns; /* tiles; batch: all dimensions but the last two */
    double tile;                 /* bytes of one */
    double elements;
    bool dram, l1;                    /* where its pages are; in L1 also in shards */
    int64_t memory;                   /* TTNN_TensorMemoryLayout_* of shards; 0: none */
    double shard_rows, shard_columns; /* tiles of the largest shard */
    int cores;                        /* that have shards */
    bool narrow;                      /* at most 16 bits an element */
    bool integers;
} cost_tensor;

/* False if it is no tensor of static shape. */
bool cost_tensor_of(ir_type type, cost_tensor *out);
static inline double cost_tiles(const cost_tensor *t)
{
    return t->batch * t->rows * t->columns;
}
static inline double cost_bytes(const cost_tensor *t)
{
    return cost_tiles(t) * t->tile;
}

/* True if each core has of `a` what it has of `b`: as many tiles in as many shards. */
bool cost_same_shards(const cost_tensor *a, const cost_tensor *b);
/* Cores that compute a result, and the tiles of the one that has most: the cores of its
 * shards, or as many as there are. */
double cost_cores(const cost_model *m, const cost_tensor *out, double *out_tiles);

/* Of an operation's configuration, HiFi4 without one. */
int cost_phases(const ir_op *op);

/* Cycles of a tile: copied to DST, through functions of the vector unit, and packed. False
 * with the cycles of a copy if one of the functions is unknown. */
bool cost_vector_tile(const cost_model *m, const cost_tensor *t, int copies,
                      const char *const *functions, size_t n, double *out);
/* The sum of a stage's units, which work at once: the slowest, and the steps of DST. */
double cost_stage(const cost_model *m, double unpack, double math, double pack);
/* A function of elementwise.def in the accuracy that the tensor's format needs; 0 if it has
 * none. */
double cost_function(const cost_model *m, const char *name, bool integers, bool wide);

#endif
