/* format.c: the declarative formats of operations, compiled once per context. */
#include "ir/text/format_impl.h"

static bool resolve_var(void *user, tw_str name, int *kind, int *index)
{
    const ir_op_def *def = user;
#define LOOK(list, code)                                                                   \
    for (uint32_t i = 0; i < def->list.count; i++)                                         \
        if (tw_str_is(name, def->list.at[i].name)) {                                       \
            *kind = code;                                                                  \
            *index = (int)i;                                                               \
            return true;                                                                   \
        }
    LOOK(operands, VAR_OPERAND)
    LOOK(attrs, VAR_ATTR)
    LOOK(results, VAR_RESULT)
    LOOK(regions, VAR_REGION)
    LOOK(successors, VAR_SUCCESSOR)
#undef LOOK
    return false;
}

static void note_mentioned(op_format *f, const dir *dirs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const dir *d = &dirs[i];
        if (d->kind == DIR_VAR && d->var_kind == VAR_ATTR)
            f->mentioned |= (uint64_t)1 << d->var;
        if (d->kind == DIR_NAMED && tw_str_is(d->text, "operands"))
            f->all_operands = true;
        if (d->kind != DIR_CALL || (d->n_args && d->args[0].kind == DIR_VAR))
            note_mentioned(f, d->args, d->n_args);
        note_mentioned(f, d->other, d->n_other);
    }
}

const op_format *ir_format_of(ir_context *ctx, const ir_op_def *def)
{
    ir_mapping *known = ir_context_slot(ctx, IR_SLOT_FORMATS);
    if (!known) {
        known = ir_mapping_create();
        ir_context_set_slot(ctx, IR_SLOT_FORMATS, known, (void (*)(void *))ir_mapping_free);
    }
    op_format *f = ir_mapping_get(known, def);
    if (f)
        return f;
    const char *error;
    f = TW_ARENA_NEW(ir_context_arena(ctx), op_format);
    f->dirs = dir_compile(ir_context_arena(ctx), def->format, resolve_var,
                          (void *)(uintptr_t)def, &f->count, &error);
    assert(f->dirs && "a row's format does not compile");
    note_mentioned(f, f->dirs, f->count);
    ir_mapping_set(known, def, f);
    return f;
}

bool ir_is_dense_array_attr(const ir_constraint *c)
{
    size_t n = c->storage ? strlen(c->storage) : 0;
    return n > 9 && strncmp(c->storage, "Dense", 5) == 0 &&
           strcmp(c->storage + n - 9, "ArrayAttr") == 0;
}

bool ir_is_symbol_name_attr(const ir_constraint *c)
{
    return strcmp(c->name, "SymbolNameAttr") == 0;
}

const dir *ir_format_anchor(const dir *dirs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (dirs[i].anchor)
            return &dirs[i];
    return NULL;
}

bool ir_is_unit_var(const ir_op_def *def, const dir *d)
{
    return d->kind == DIR_VAR && d->var_kind == VAR_ATTR &&
           (strcmp(def->attrs.at[d->var].type->name, "UnitAttr") == 0 ||
            def->attrs.at[d->var].type->is_flag);
}

/* The row of the only dialect type that a single operand or result may have: formats write
 * only its body, `<memref<4xf32>>` for a d2m.cb.  NULL for types without parameters. */
const ir_type_def *ir_stripped_type(ir_context *ctx, const ir_operand_def *group)
{
    if (group->arity == IR_VARIADIC || !group->type || !group->type->def)
        return NULL;
    const ir_type_def *def = ir_type_def_find(ctx, tw_str_from(group->type->def));
    return def && def->params.count ? def : NULL;
}
