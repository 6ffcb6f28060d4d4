/* directive_hlo_types.c: the custom<Name>(...) directives of StableHLO for types. */
#include "ir/text/directive_impl.h"

/* Assigns a function type's inputs to the operands and its result to the last argument. */
static bool deal_function(op_reading *r, const dir *d, ir_type f, const char *at)
{
    uint32_t operands = d->n_args - 1;
    if (f->count != operands)
        return ir_fail_own(r->p, at, "%u operands present, but expected %u", operands,
                           f->count);
    if (f->results != 1)
        return ir_fail_own(r->p, at, "expected single output");
    for (uint32_t i = 0; i < operands; i++)
        dir_add_type(r, &d->args[i], f->types[i]);
    dir_add_type(r, &d->args[operands], ir_function_results(f)[0]);
    return true;
}

static bool parse_same_type(op_reading *r, const dir *d)
{
    const char *at = r->p->tok.at;
    ir_type type = ir_parse_a_type(r->p);
    if (!type)
        return false;
    if (type->kind == IR_TYPE_FUNCTION)
        return deal_function(r, d, type, at);
    for (uint32_t i = 0; i < d->n_args; i++)
        dir_add_type(r, &d->args[i], type);
    return true;
}

static void print_function_of(op_writing *w, const dir *d)
{
    ir_putc(w->p, '(');
    for (uint32_t i = 0; i + 1 < d->n_args; i++) {
        if (i)
            ir_put(w->p, ", ");
        ir_put_type(w->p, dir_type_of(w, &d->args[i], 0));
    }
    ir_put(w->p, ") -> ");
    ir_put_type(w->p, dir_type_of(w, &d->args[d->n_args - 1], 0));
}

static void print_same_type(op_writing *w, const dir *d)
{
    ir_type first = dir_type_of(w, &d->args[0], 0);
    for (uint32_t i = 1; i < d->n_args; i++)
        if (dir_type_of(w, &d->args[i], 0) != first) {
            print_function_of(w, d);
            return;
        }
    ir_put_type(w->p, first);
}

/* (ref(inputs), type(inputs), type(result)) */
static bool parse_variadic_same(op_reading *r, const dir *d)
{
    uint32_t count = dir_group(r, &d->args[1])->uses.count;
    const char *at = r->p->tok.at;
    ir_type type = ir_parse_a_type(r->p);
    if (!type)
        return false;
    if (type->kind == IR_TYPE_FUNCTION) {
        if (type->count != count)
            return ir_fail_own(r->p, at, "%u operands present, but expected %u", count,
                               type->count);
        if (type->results != 1)
            return ir_fail_own(r->p, at, "expected single output");
        for (uint32_t i = 0; i < count; i++)
            dir_add_type(r, &d->args[1], type->types[i]);
        dir_add_type(r, &d->args[2], ir_function_results(type)[0]);
        return true;
    }
    for (uint32_t i = 0; i < count; i++)
        dir_add_type(r, &d->args[1], type);
    dir_group(r, &d->args[1])->typed = true;
    dir_add_type(r, &d->args[2], type);
    return true;
}

static void print_variadic_same(op_writing *w, const dir *d)
{
    ir_type result = dir_type_of(w, &d->args[2], 0);
    size_t n = dir_count_of(w, &d->args[1]);
    for (size_t i = 0; i < n; i++)
        if (dir_type_of(w, &d->args[1], i) != result) {
            ir_put_functional_type(w->p, w->op);
            return;
        }
    ir_put_type(w->p, result);
}

static ir_type real_part(ir_type t)
{
    ir_type element = ir_type_element(t);
    if (!ir_type_is_shaped(t) || element->kind != IR_TYPE_COMPLEX)
        return NULL;
    return ir_type_with_element(t, element->element);
}

static bool parse_complex(op_reading *r, const dir *d)
{
    const char *at = r->p->tok.at;
    ir_type type = ir_parse_a_type(r->p);
    if (!type)
        return false;
    if (type->kind == IR_TYPE_FUNCTION)
        return deal_function(r, d, type, at);
    ir_type part = real_part(type);
    if (!part)
        return ir_fail_own(r->p, at, "expected tensor with complex element type");
    dir_add_type(r, &d->args[0], part);
    dir_add_type(r, &d->args[1], part);
    dir_add_type(r, &d->args[2], type);
    return true;
}

static void print_complex(op_writing *w, const dir *d)
{
    ir_type result = dir_type_of(w, &d->args[2], 0), part = real_part(result);
    if (part && part == dir_type_of(w, &d->args[0], 0) &&
        part == dir_type_of(w, &d->args[1], 0))
        ir_put_type(w->p, result);
    else
        print_function_of(w, d);
}

static bool parse_select(op_reading *r, const dir *d)
{
    const char *at = r->p->tok.at;
    ir_type_list types = {0};
    if (!ir_parse_type_list(r->p, &types))
        return false;
    if (types.count == 1 && types.at[0]->kind == IR_TYPE_FUNCTION)
        return deal_function(r, d, types.at[0], at);
    if (types.count != 2)
        return ir_fail_own(r->p, at, "expected functional type or list of two types");
    for (uint32_t i = 0; i < 4; i++)
        dir_add_type(r, &d->args[i], types.at[i > 0]);
    return true;
}

static void print_select(op_writing *w, const dir *d)
{
    ir_type t = dir_type_of(w, &d->args[1], 0);
    if (t != dir_type_of(w, &d->args[2], 0) || t != dir_type_of(w, &d->args[3], 0)) {
        print_function_of(w, d);
        return;
    }
    ir_put_type(w->p, dir_type_of(w, &d->args[0], 0));
    ir_put(w->p, ", ");
    ir_put_type(w->p, t);
}

static bool parse_pairwise(op_reading *r, const dir *d)
{
    ir_type_list types = {0};
    if (!ir_parse_type_list(r->p, &types))
        return ir_fail_also(r->p, "expected type list");
    for (uint32_t i = 0; i < types.count; i++)
        for (uint32_t k = 0; k < 2; k++)
            dir_add_type(r, &d->args[k], types.at[i]);
    return true;
}

static void print_pairwise(op_writing *w, const dir *d)
{
    (void)d;
    ir_put_operand_types(w->p, w->op, 0, w->op->n_operands);
}

/* The operands' types are the members of the one tuple type. */
static bool parse_tuple(op_reading *r, const dir *d)
{
    const char *at = r->p->tok.at;
    ir_type type = ir_parse_a_type(r->p);
    if (!type)
        return false;
    if (type->kind != IR_TYPE_TUPLE)
        return ir_fail_own(r->p, at, "%s tuple type",
                           strncmp(r->op->def->name, "ttcore.", 7) ? "expected"
                                                                   : "Expected");
    for (uint32_t i = 0; i < type->count; i++) {
        if (d->args[0].args[0].kind == DIR_NAMED) {
            r->flat_operand_types = true;
            ir_type_list_add(r->p, &r->operand_types, type->types[i]);
        } else {
            dir_add_type(r, &d->args[0], type->types[i]);
        }
    }
    if (d->args[0].args[0].kind == DIR_NAMED)
        r->flat_operand_types = true;
    else
        dir_group(r, &d->args[0])->typed = true;
    dir_add_type(r, &d->args[1], type);
    return true;
}

static void print_tuple(op_writing *w, const dir *d)
{
    (void)d;
    ir_put_type(w->p, w->op->results[0].type);
}

const custom_directive ir_hlo_type_directives[] = {
    {"ComplexOpType", parse_complex, print_complex},
    {"PairwiseOpType", parse_pairwise, print_pairwise},
    {"SameOperandsAndResultType", parse_same_type, print_same_type},
    {"SelectOpType", parse_select, print_select},
    {"TupleOpType", parse_tuple, print_tuple},
    {"VariadicSameOperandsAndResultType", parse_variadic_same, print_variadic_same},
    {0},
};
