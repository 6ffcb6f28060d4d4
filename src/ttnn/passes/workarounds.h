/* workarounds.h: what the parts of ttnn-workaround share.
 *
 * TTNN's own operations take fewer layouts and element types than their definitions say.
 * Two kinds of mending: operands and results are brought into a form that works
 * (workaround_operands.c), and operations are rewritten into others (workaround_*.c). */
#ifndef TILEWRIGHT_TTNN_PASSES_WORKAROUNDS_H
#define TILEWRIGHT_TTNN_PASSES_WORKAROUNDS_H

#include "ir/rewrite/rewrite.h"
#include "ttnn/build.h"

typedef enum wa_page { WA_ANY, WA_ROWS, WA_TILES } wa_page;
typedef enum wa_place {
    WA_ANYWHERE,
    WA_HOST,
    WA_DRAM,    /* interleaved */
    WA_L1,      /* interleaved */
    WA_L1_KEPT, /* in L1, sharded as before */
    WA_L1_HEIGHT,
} wa_place;

/* What one operand or result must be; zero leaves it alone. */
typedef struct wa_form {
    wa_page page;
    int dtype; /* TTCORE_DataType_* + 1 */
    wa_place memory;
    bool const_eval; /* may live in L1 although it is computed in advance */
} wa_form;

enum { WA_MAX_OPERANDS = 16 };

typedef struct wa_forms {
    wa_form operands[WA_MAX_OPERANDS], results[WA_MAX_OPERANDS];
    const char *warning; /* of values that these forms change; NULL: none of note */
} wa_forms;

/* What an operation's operands and results must be; false: nothing. */
bool wa_forms_of(ir_op *op, wa_forms *out);
/* Whether the optimizer leaves this operation's operands to the workarounds. */
bool wa_with_optimizer(const ir_op *op);

typedef struct wa_patterns {
    const rw_pattern *at;
    size_t count;
} wa_patterns;

extern const wa_patterns wa_shape_patterns, wa_attention_patterns, wa_config_patterns;

/* Replaces the operation by a value of its own type. */
static inline bool wa_finish(rw_rewriter *rw, ir_op *op, ir_value *v)
{
    v->type = op->results[0].type;
    rw_replace1(rw, op, v);
    return true;
}

#endif
