/* origins.c: what a value depends on: arguments that are constants, others, or none. */
#include "ttcore/ttcore.h"
#include "ttir/build.h"

#include <stdlib.h>

/* Of an operation, as a set; VISITED alone while its operands are looked at. */
enum { VISITED = 1, CONSTANTS = 2, OTHERS = 4 };

struct ttir_origins {
    ir_context *ctx;
    ir_mapping *of; /* operation -> set */
    ttir_origins *outer;
    ir_free_listener listener;
};

static void forget(void *user, const void *thing)
{
    ttir_origins *o = user;
    if (ir_mapping_get(o->of, thing))
        ir_mapping_set(o->of, thing, NULL);
    if (o->listener.freed)
        o->listener.freed(o->listener.user, thing);
}

ttir_origins *ttir_origins_begin(ir_context *ctx)
{
    ttir_origins *o = tw_xcalloc(1, sizeof *o);
    o->ctx = ctx;
    o->of = ir_mapping_create();
    o->outer = ir_context_slot(ctx, IR_SLOT_ORIGINS);
    o->listener = ir_context_set_free_listener(ctx, (ir_free_listener){forget, o});
    ir_context_set_slot(ctx, IR_SLOT_ORIGINS, o, NULL);
    return o;
}

void ttir_origins_end(ttir_origins *o)
{
    ir_context_set_slot(o->ctx, IR_SLOT_ORIGINS, o->outer, NULL);
    ir_context_set_free_listener(o->ctx, o->listener);
    ir_mapping_free(o->of);
    free(o);
}

static unsigned of_argument(const ir_value *argument)
{
    ir_attr kind = ttir_argument_attr(argument, "ttcore.argument_type");
    if (!kind || kind->kind != IR_ATTR_DIALECT || !kind->count)
        return OTHERS;
    int64_t which = ir_attr_int(kind->params[0], -1);
    return which == TTCORE_ArgumentType_Parameter || which == TTCORE_ArgumentType_Constant
               ? CONSTANTS
               : OTHERS;
}

static unsigned known_of(const ir_mapping *of, const ir_op *op)
{
    return (unsigned)(uintptr_t)ir_mapping_get(of, op);
}

static void note(ir_mapping *of, const ir_op *op, unsigned set)
{
    ir_mapping_set(of, op, (void *)(uintptr_t)(set | VISITED));
}

/* An operation on the path from the one that is asked for. */
typedef struct frame {
    const ir_op *op;
    uint32_t next; /* operand */
    unsigned set;
} frame;

/* Ends at the first argument of another kind: all on the path depend on it. */
static unsigned search(ir_mapping *of, const ir_op *op)
{
    frame *path = NULL;
    size_t n = 0, capacity = 0;
    unsigned last = 0; /* of the operand looked at */
    note(of, op, 0);
    TW_PUSH(path, n, capacity, ((frame){op, 0, 0}));
    while (n) {
        frame *f = &path[n - 1];
        f->set |= last;
        last = 0;
        if ((f->set & OTHERS) || f->next == f->op->n_operands) {
            last = f->set;
            note(of, f->op, last);
            n--;
            continue;
        }
        const ir_value *v = f->op->operands[f->next++].value;
        const ir_op *def = ir_value_def(v);
        last = def ? known_of(of, def) : of_argument(v);
        if (last == 0) {
            note(of, def, 0);
            TW_PUSH(path, n, capacity, ((frame){def, 0, 0}));
        }
    }
    free(path);
    return last;
}

static unsigned origins_of(const ir_value *v)
{
    const ir_op *def = ir_value_def(v);
    if (!def)
        return of_argument(v);
    ir_context *ctx = ((ir_op *)def)->ctx;
    const ttir_origins *kept = ir_context_slot(ctx, IR_SLOT_ORIGINS);
    ir_mapping *of = kept ? kept->of : ir_mapping_create();
    unsigned set = known_of(of, def);
    if (!set)
        set = search(of, def);
    if (!kept)
        ir_mapping_free(of);
    return set;
}

bool ttir_traces_to_constants(const ir_value *v)
{
    const unsigned set = origins_of(v);
    return (set & CONSTANTS) && !(set & OTHERS);
}

bool ttir_is_known(const ir_value *v)
{
    return !(origins_of(v) & OTHERS);
}
