/* format_print.c: prints operations by their declarative formats. */
#include "ir/text/directive_custom.h"
#include "ir/text/format.h"
#include "ir/text/format_impl.h"

static void print_dirs(op_writing *w, const dir *dirs, uint32_t count);

static void put_blank(op_writing *w)
{
    if (dir_blank_before_value(&w->blanks))
        ir_putc(w->p, ' ');
}

static bool enum_is_bare(const ir_enum_def *def)
{
    for (uint32_t i = 0; i < def->cases.count; i++) {
        const char *c = def->cases.at[i].text;
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_'))
            return false;
        for (; *c; c++)
            if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                  (*c >= '0' && *c <= '9') || *c == '_' || *c == '$' || *c == '.'))
                return false;
    }
    return true;
}

static void print_attr_var(op_writing *w, const ir_constraint *c, ir_attr attr,
                           bool qualified)
{
    ir_printer *p = w->p;
    if (!attr) {
        ir_put(p, "<<NULL ATTRIBUTE>>");
    } else if (ir_is_symbol_name_attr(c)) {
        ir_put_symbol(p, ir_attr_str(attr));
    } else if (ir_is_dense_array_attr(c) && attr->kind == IR_ATTR_DENSE_ARRAY) {
        ir_put_dense_array_bare(p, attr);
    } else if (c->def && !qualified && attr->kind == IR_ATTR_DIALECT) {
        ir_put_stripped_attr(p, attr);
    } else if (c->enumeration && !c->as_integer && attr->kind == IR_ATTR_INTEGER) {
        const ir_enum_case *one = ir_enum_by_value(c->enumeration, attr->value);
        if (one && !enum_is_bare(c->enumeration))
            ir_put_quoted(p, tw_str_from(one->text));
        else
            ir_put_enum(p, c->enumeration, attr->value);
    } else if (c->value_type || attr->kind == IR_ATTR_STRING) {
        ir_put_attr_no_type(p, attr);
    } else {
        ir_put_attr(p, attr);
    }
}

static void print_var(op_writing *w, const dir *d, bool qualified)
{
    ir_op *op = w->op;
    size_t start, count;
    switch (d->var_kind) {
    case VAR_OPERAND:
        put_blank(w);
        if (ir_op_operand_group(op, (size_t)d->var, &start, &count))
            ir_put_operands(w->p, op, start, count);
        break;
    case VAR_ATTR:
        put_blank(w);
        print_attr_var(w, op->def->attrs.at[d->var].type, op->props[d->var], qualified);
        break;
    case VAR_REGION:
        put_blank(w);
        for (size_t i = (size_t)d->var; i < op->n_regions; i++) {
            if (i > (size_t)d->var)
                ir_put(w->p, ", ");
            ir_put_region(w->p, &op->regions[i], true, w->keep_terminators);
            if (!op->def->regions.at[d->var].variadic)
                break;
        }
        break;
    case VAR_SUCCESSOR:
        put_blank(w);
        for (size_t i = (size_t)d->var; i < op->n_successors; i++) {
            if (i > (size_t)d->var)
                ir_put(w->p, ", ");
            ir_put_block_name(w->p, op->successors[i]);
            if (!op->def->successors.at[d->var].variadic)
                break;
        }
        break;
    default:
        break;
    }
}

/* An operand or result group's types: only the bodies if the row determines the type. */
static void print_group_types(op_writing *w, const dir *arg, bool qualified)
{
    size_t start = 0, count = 0;
    ir_op *op = w->op;
    bool operand = arg->var_kind == VAR_OPERAND;
    const ir_operand_def *group =
        operand ? &op->def->operands.at[arg->var] : &op->def->results.at[arg->var];
    if (!(operand ? ir_op_operand_group(op, (size_t)arg->var, &start, &count)
                  : ir_op_result_group(op, (size_t)arg->var, &start, &count)))
        return;
    const ir_type_def *def = qualified ? NULL : ir_stripped_type(w->p->ctx, group);
    ir_type type =
        count == 1 ? (operand ? op->operands[start].value->type : op->results[start].type)
                   : NULL;
    if (def && type && type->kind == IR_TYPE_DIALECT && type->def == def)
        ir_put_stripped_type(w->p, type);
    else if (operand)
        ir_put_operand_types(w->p, op, start, count);
    else
        ir_put_result_types(w->p, op, start, count);
}

static void print_types_of(op_writing *w, const dir *arg, bool qualified)
{
    ir_op *op = w->op;
    if (arg->kind == DIR_VAR) {
        print_group_types(w, arg, qualified);
    } else if (tw_str_is(arg->text, "operands")) {
        ir_put_operand_types(w->p, op, 0, op->n_operands);
    } else {
        ir_put_result_types(w->p, op, 0, op->n_results);
    }
}

static size_t types_count(op_writing *w, const dir *arg, ir_type *first)
{
    size_t start = 0, count = 0;
    ir_op *op = w->op;
    if (arg->kind == DIR_VAR && arg->var_kind == VAR_RESULT)
        ir_op_result_group(op, (size_t)arg->var, &start, &count);
    else if (arg->kind == DIR_NAMED)
        count = op->n_results;
    if (count)
        *first = op->results[start].type;
    return count;
}

static void print_call(op_writing *w, const dir *d)
{
    if (tw_str_is(d->text, "type")) {
        put_blank(w);
        print_types_of(w, &d->args[0], false);
    } else if (tw_str_is(d->text, "qualified")) {
        if (d->args[0].kind == DIR_VAR) {
            print_var(w, &d->args[0], true);
        } else {
            put_blank(w);
            print_types_of(w, &d->args[0].args[0], true);
        }
    } else if (tw_str_is(d->text, "functional-type")) {
        ir_type first = NULL;
        put_blank(w);
        ir_putc(w->p, '(');
        print_types_of(w, &d->args[0], true);
        ir_put(w->p, ") -> ");
        bool bare =
            types_count(w, &d->args[1], &first) == 1 && first->kind != IR_TYPE_FUNCTION;
        if (!bare)
            ir_putc(w->p, '(');
        print_types_of(w, &d->args[1], true);
        if (!bare)
            ir_putc(w->p, ')');
    }
}

/* The dictionary omits attributes in the format and inherent defaults. */
static void print_dict(op_writing *w, bool keyword)
{
    const ir_op_def *def = w->op->def;
    const char *elided[64];
    size_t n = 0;
    for (uint32_t i = 0; i < def->attrs.count && n < TW_COUNT(elided); i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        ir_attr value = w->op->props[i];
        bool is_default = value && use->deflt && use->deflt[0] &&
                          value == ir_default_attr(w->p->ctx, use);
        if ((w->format->mentioned >> i & 1) || is_default || w->props_printed)
            elided[n++] = use->name;
    }
    for (uint32_t i = 0; i < def->operands.count && n < TW_COUNT(elided); i++)
        if (def->operands.at[i].arity == IR_VARIADIC_OF_VARIADIC)
            elided[n++] = def->operands.at[i].segments;
    if (keyword)
        ir_put_op_attr_dict_keyword(w->p, w->op, elided, n);
    else
        ir_put_op_attr_dict(w->p, w->op, elided, n);
    w->blanks.want = true;
    w->blanks.punctuation = false;
}

/* Inherent attributes that are not in the format and differ from their defaults. */
static void print_props(op_writing *w)
{
    const ir_op_def *def = w->op->def;
    size_t n = 0;
    for (uint32_t i = 0; i < def->attrs.count; i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        ir_attr value = w->op->props[i];
        bool is_default = value && use->deflt && use->deflt[0] &&
                          value == ir_default_attr(w->p->ctx, use);
        if (!value || (w->format->mentioned >> i & 1) || is_default)
            continue;
        if (n++ == 0)
            put_blank(w);
        ir_put(w->p, n == 1 ? "<{" : ", ");
        ir_put(w->p, use->name);
        ir_put(w->p, " = ");
        ir_put_attr(w->p, value);
    }
    if (n)
        ir_put(w->p, "}>");
    w->props_printed = true;
    w->blanks.want = true;
    w->blanks.punctuation = false;
}

static void print_named(op_writing *w, const dir *d)
{
    if (tw_str_is(d->text, "prop-dict")) {
        print_props(w);
    } else if (tw_str_is(d->text, "attr-dict")) {
        print_dict(w, false);
    } else if (tw_str_is(d->text, "attr-dict-with-keyword")) {
        print_dict(w, true);
    } else if (tw_str_is(d->text, "operands")) {
        put_blank(w);
        ir_put_operands(w->p, w->op, 0, w->op->n_operands);
    } else if (tw_str_is(d->text, "regions")) {
        put_blank(w);
        for (uint16_t i = 0; i < w->op->n_regions; i++) {
            if (i)
                ir_put(w->p, ", ");
            ir_put_region(w->p, &w->op->regions[i], true, w->keep_terminators);
        }
    } else if (tw_str_is(d->text, "successors")) {
        put_blank(w);
        for (uint16_t i = 0; i < w->op->n_successors; i++) {
            if (i)
                ir_put(w->p, ", ");
            ir_put_block_name(w->p, w->op->successors[i]);
        }
    }
}

static bool present(op_writing *w, const dir *d)
{
    ir_op *op = w->op;
    size_t start, count;
    if (d->kind == DIR_CALL || d->kind == DIR_CUSTOM) {
        for (uint32_t i = 0; i < d->n_args; i++)
            if (d->args[i].kind == DIR_NAMED ? op->n_results > 0 : present(w, &d->args[i]))
                return true;
        return false;
    }
    if (d->kind == DIR_NAMED)
        return tw_str_is(d->text, "operands") ? op->n_operands > 0 : op->n_results > 0;
    switch (d->var_kind) {
    case VAR_OPERAND:
        return ir_op_operand_group(op, (size_t)d->var, &start, &count) && count > 0;
    case VAR_RESULT:
        return ir_op_result_group(op, (size_t)d->var, &start, &count) && count > 0;
    case VAR_ATTR: {
        const ir_attr_use *use = &op->def->attrs.at[d->var];
        ir_attr value = op->props[d->var];
        return value &&
               !(use->deflt && use->deflt[0] && value == ir_default_attr(w->p->ctx, use));
    }
    case VAR_REGION:
        return op->n_regions > (size_t)d->var &&
               (op->def->regions.at[d->var].variadic || op->regions[d->var].first);
    default:
        return op->n_successors > (size_t)d->var;
    }
}

static void print_optional(op_writing *w, const dir *d)
{
    const dir *anchor = ir_format_anchor(d->args, d->n_args);
    bool in_then = anchor != NULL;
    if (!anchor)
        anchor = ir_format_anchor(d->other, d->n_other);
    bool then = anchor && present(w, anchor) == in_then;
    const dir *dirs = then ? d->args : d->other;
    uint32_t count = then ? d->n_args : d->n_other;
    for (uint32_t i = 0; i < count; i++)
        if (!(&dirs[i] == anchor && ir_is_unit_var(w->op->def, anchor)))
            print_dirs(w, &dirs[i], 1);
}

static void print_oilist(op_writing *w, const dir *d)
{
    for (uint32_t i = 0; i < d->n_args; i++) {
        const dir *clause = &d->args[i];
        bool any = false;
        for (uint32_t k = 0; k < clause->n_args; k++)
            any |=
                (clause->args[k].kind == DIR_VAR || clause->args[k].kind == DIR_CUSTOM) &&
                present(w, &clause->args[k]);
        for (uint32_t k = 0; any && k < clause->n_args; k++)
            if (!ir_is_unit_var(w->op->def, &clause->args[k]))
                print_dirs(w, &clause->args[k], 1);
    }
}

static void print_dirs(op_writing *w, const dir *dirs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const dir *d = &dirs[i];
        switch (d->kind) {
        case DIR_LITERAL:
            if (dir_blank_before_literal(&w->blanks, d->text))
                ir_putc(w->p, ' ');
            ir_put_str(w->p, d->text);
            break;
        case DIR_EMPTY:
            w->blanks = (dir_blanks){false, true};
            break;
        case DIR_BLANK:
            ir_putc(w->p, ' ');
            w->blanks = (dir_blanks){false, false};
            break;
        case DIR_NEWLINE:
            ir_put_newline(w->p);
            w->blanks = (dir_blanks){false, true};
            break;
        case DIR_VAR:
            print_var(w, d, false);
            break;
        case DIR_NAMED:
            print_named(w, d);
            break;
        case DIR_CALL:
            print_call(w, d);
            break;
        case DIR_CUSTOM:
            put_blank(w);
            ir_print_custom_directive(w, d);
            break;
        case DIR_OPTIONAL:
            print_optional(w, d);
            break;
        case DIR_OILIST:
            print_oilist(w, d);
            break;
        default:
            break;
        }
    }
}

void ir_print_op_format(ir_printer *p, ir_op *op)
{
    op_writing w = {
        .p = p, .op = op, .format = ir_format_of(p->ctx, op->def), .blanks = {true, false}};
    tw_str ignored;
    w.keep_terminators = !ir_def_rule(op->def, "SingleBlockImplicitTerminator", &ignored);
    print_dirs(&w, w.format->dirs, w.format->count);
}
