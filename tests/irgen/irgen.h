/* irgen.h: random modules that the verifier accepts, made from the dialects' tables.
 *
 * A row defines an operation's operands and attributes; types and attributes are drawn
 * until its constraints and then the verifier accept them. Equal seeds give equal
 * modules. */
#ifndef TILEWRIGHT_TESTS_IRGEN_H
#define TILEWRIGHT_TESTS_IRGEN_H

#include "ir/op.h"

typedef struct irgen_options {
    uint64_t seed;
    int ops;              /* number of operations to attempt */
    const char *dialects; /* "arith,scf": rows to draw from; NULL = all */
    bool plain;           /* only static tensors of the device's element types */
    bool odd; /* also types, attributes and locations outside the tables, blocks, symbols,
                 results and attributes of functions */
    bool broken; /* finally change one operation without consulting the verifier */
    bool core;   /* dialects' types and attributes only where a row requires them */
    const char
        *without; /* operations, and attributes (x.y.name), not to draw; NULL = none */
} irgen_options;

ir_op *irgen_module(ir_context *ctx, const irgen_options *options);

/* ---- between the files of this folder ----------------------------------------------- */

typedef struct irgen {
    ir_context *ctx;
    uint64_t state;
    int depth; /* of nested attributes and types */
    bool plain, odd, core, locations;
    int64_t dims[4]; /* the shape shared by most types of one operation */
    uint32_t rank;
    ir_type element;
} irgen;

uint64_t irgen_next(irgen *g);
static inline uint32_t irgen_below(irgen *g, uint32_t n)
{
    return (uint32_t)(irgen_next(g) % n);
}
static inline bool irgen_chance(irgen *g, uint32_t percent)
{
    return irgen_below(g, 100) < percent;
}
void irgen_new_shape(irgen *g);
/* One that satisfies the constraint, NULL after many tries. */
ir_type irgen_type(irgen *g, const ir_constraint *c);
ir_attr irgen_attr(irgen *g, const ir_constraint *c);
ir_type irgen_any_type(irgen *g);
ir_attr irgen_any_attr(irgen *g);
/* Of the core grammar (irgen_odd.c); NULL where the context does not know it. */
ir_type irgen_odd_type(irgen *g);
ir_attr irgen_odd_attr(irgen *g);
extern const char irgen_resources[];
ir_loc irgen_loc(irgen *g); /* the unknown one unless locations are enabled */

/* ---- operations (irgen.c) and modules (irgen_module.c) ------------------------------- */

typedef struct irgen_maker {
    irgen g;
    const char *without;
    const ir_op_def **rows, **symbols;
    size_t n_rows, rows_capacity, n_symbols, symbols_capacity;
    ir_value **values; /* what an operation may use, outermost first */
    size_t n_values, values_capacity, first_visible;
    ir_block *entry; /* of the function: missing values become its arguments */
    int nesting, named;
} irgen_maker;

void irgen_see(irgen_maker *m, ir_value *value);
ir_value *irgen_value_of(irgen_maker *m, ir_type type);
bool irgen_op(irgen_maker *m, ir_block *block, const ir_op_def *def);
bool irgen_random_op(irgen_maker *m, ir_block *block);
/* True if an attribute, x.y.name, is excluded. */
bool irgen_left_out(const irgen_maker *m, const ir_op_def *def, const ir_attr_use *use);
bool irgen_listed(const char *list, const char *name);

#endif
