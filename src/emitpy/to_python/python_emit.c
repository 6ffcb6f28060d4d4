/* python_emit.c: emits Python statements, functions, classes and files from emitpy. */
#include "emitpy/emitpy.h"
#include "emitpy/to_python/python.h"
#include "emitpy/to_python/python_impl.h"
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"

static bool emit_block(py_emitter *e, ir_block *block);
static bool emit_body(py_emitter *e, ir_block *block);

static void put_indent(py_emitter *e)
{
    for (int i = 0; i < e->indent; i++)
        tw_strbuf_puts(e->out, "  ");
}

static tw_str text_of(const ir_op *op, const char *attr)
{
    ir_attr a = ir_op_attr(op, attr);
    return a && a->kind == IR_ATTR_STRING ? ir_attr_str(a) : TW_STR("");
}

/* ---- statements ---------------------------------------------------------------------- */

static bool is_lone_if(ir_op *op)
{
    return op && op->def == EMITPY_OP(if) && !op->next && !ir_op_body(op, 1);
}

static bool emit_if(py_emitter *e, ir_op *op, const char *word)
{
    tw_strbuf_printf(e->out, "%s ", word);
    if (!py_put_format(e, op, text_of(op, "condition")))
        return false;
    tw_strbuf_puts(e->out, ":\n");
    if (!emit_body(e, ir_op_body(op, 0)))
        return false;
    ir_block *other = ir_op_body(op, 1);
    if (!other)
        return true;
    put_indent(e);
    if (is_lone_if(other->first))
        return emit_if(e, other->first, "elif");
    tw_strbuf_puts(e->out, "else:\n");
    return emit_body(e, other);
}

/* import m as n / from m import a as b, c / from m import * */
static bool emit_import(py_emitter *e, ir_op *op)
{
    tw_str module = text_of(op, "module_name"), alias = text_of(op, "module_alias");
    ir_attr members = ir_op_attr(op, "members_to_import");
    ir_attr aliases = ir_op_attr(op, "member_aliases");
    bool from = members || ir_op_attr(op, "import_all");
    tw_strbuf_printf(e->out, "%s %.*s", from ? "from" : "import", (int)module.size,
                     module.data);
    if (!from && alias.size)
        tw_strbuf_printf(e->out, " as %.*s", (int)alias.size, alias.data);
    if (from && !members)
        tw_strbuf_puts(e->out, " import *");
    for (uint32_t i = 0; members && i < members->count; i++) {
        tw_str name = ir_attr_str(members->items[i]);
        tw_str other =
            aliases && i < aliases->count ? ir_attr_str(aliases->items[i]) : TW_STR("");
        tw_strbuf_printf(e->out, "%s%.*s", i ? ", " : " import ", (int)name.size,
                         name.data);
        if (other.size)
            tw_strbuf_printf(e->out, " as %.*s", (int)other.size, other.data);
    }
    tw_strbuf_putc(e->out, '\n');
    return true;
}

static bool emit_return(py_emitter *e, ir_op *op)
{
    tw_strbuf_puts(e->out, "return");
    for (uint32_t i = 0; i < op->n_operands; i++) {
        tw_strbuf_puts(e->out, i ? ", " : " ");
        if (!py_put_value(e, op->operands[i].value))
            return false;
    }
    tw_strbuf_putc(e->out, '\n');
    return true;
}

static bool emit_assign(py_emitter *e, ir_op *op)
{
    uint32_t value = 1;
    if (op->def == EMITPY_OP(assign_global)) {
        tw_strbuf_str(e->out, ir_symbol_leaf(ir_op_attr(op, "name")));
        value = 0;
    } else if (!py_put_value(e, op->operands[0].value)) {
        return false;
    }
    if (op->def == EMITPY_OP(set_attr)) {
        tw_str name = text_of(op, "attr_name");
        tw_strbuf_printf(e->out, ".%.*s", (int)name.size, name.data);
    }
    tw_strbuf_puts(e->out, " = ");
    if (!py_put_value(e, op->operands[value].value))
        return false;
    tw_strbuf_putc(e->out, '\n');
    return true;
}

static bool emit_global(py_emitter *e, ir_op *op)
{
    tw_str name = ir_symbol_name(op);
    tw_strbuf_printf(e->out, "%.*s = ", (int)name.size, name.data);
    if (!py_put_attr(e, op, ir_op_attr(op, "initial_value")))
        return false;
    tw_strbuf_putc(e->out, '\n');
    return true;
}

/* `global x`, once per function; at this point names are those of the function. */
static bool emit_global_statement(py_emitter *e, ir_op *op)
{
    tw_str name = ir_symbol_leaf(ir_op_attr(op, "name"));
    ir_attr key = ir_string_attr(e->ctx, name);
    if (ir_mapping_get(e->used, key))
        return true;
    ir_mapping_set(e->used, key, (void *)key);
    put_indent(e);
    tw_strbuf_printf(e->out, "global %.*s\n", (int)name.size, name.data);
    return true;
}

/* The name that an operation suggests for its results; an expression has that of what it
 * computes. */
static tw_str hint_of(const ir_op *op)
{
    if (op->def == EMITPY_OP(create_dict))
        return text_of(op, "dict_name");
    tw_str hint = text_of(op, "emitpy.name");
    if (op->def != EMITPY_OP(expression) || hint.size)
        return hint;
    const ir_op *inner = ir_value_def(ir_op_body(op, 0)->last->operands[0].value);
    return inner ? text_of(inner, "emitpy.name") : hint;
}

/* True if the result is the new value of a global variable that is an operand. */
static bool updates_global(const ir_op *op, tw_str hint)
{
    for (uint32_t i = 0; op->n_results == 1 && i < op->n_operands; i++) {
        const ir_op *def = ir_value_def(op->operands[i].value);
        if (def && def->def == EMITPY_OP(global_statement) &&
            tw_str_equal(ir_symbol_leaf(ir_op_attr(def, "name")), hint))
            return true;
    }
    return false;
}

/* a, b = expression */
static bool emit_assignment(py_emitter *e, ir_op *op)
{
    tw_str hint = hint_of(op);
    tw_strbuf right = {0};
    tw_strbuf *out = e->out;
    e->out = &right; /* the assigned names are not visible on the right side */
    bool ok = py_put_expression(e, op);
    e->out = out;
    for (uint32_t i = 0; ok && i < op->n_results; i++) {
        if (hint.size && updates_global(op, hint))
            ir_mapping_set(e->names, &op->results[i], (void *)ir_string_attr(e->ctx, hint));
        else
            py_name_value(e, &op->results[i], hint.size ? hint : TW_STR("var_0"));
        tw_strbuf_puts(out, i ? ", " : "");
        ok = py_put_value(e, &op->results[i]);
    }
    tw_strbuf_puts(out, op->n_results ? " = " : "");
    tw_strbuf_append(out, right.data, right.size);
    tw_strbuf_putc(out, '\n');
    tw_strbuf_free(&right);
    return ok;
}

static bool emit_arguments(py_emitter *e, ir_op *op, ir_block *entry, bool method)
{
    tw_strbuf_putc(e->out, '(');
    for (uint32_t i = 0; i < entry->n_args; i++) {
        ir_attr hint =
            op->def == FUNC_OP(func) ? func_arg_attr(op, i, "emitpy.name") : NULL;
        py_name_value(e, entry->args[i],
                      ir_attr_is(hint, IR_ATTR_STRING) ? ir_attr_str(hint)
                      : method && !i                   ? TW_STR("self")
                                                       : TW_STR("inputs"));
        tw_strbuf_puts(e->out, i ? ", " : "");
        if (!py_put_value(e, entry->args[i]))
            return false;
    }
    tw_strbuf_puts(e->out, "):\n");
    return true;
}

static bool put_definition(py_emitter *e, ir_op *op, tw_str name)
{
    if (!py_is_identifier(name))
        return ir_op_error(op, "cannot be written as Python: '%.*s' is no name there",
                           (int)name.size, name.data);
    tw_strbuf_printf(e->out, "def %.*s", (int)name.size, name.data);
    return true;
}

static bool emit_statement(py_emitter *e, ir_op *op)
{
    if (op->def == EMITPY_OP(global_statement))
        return emit_global_statement(e, op);
    if (op->n_results && py_is_inline(op))
        return true;
    put_indent(e);
    if (op->def == EMITPY_OP(if))
        return emit_if(e, op, "if");
    if (op->def == EMITPY_OP(import))
        return emit_import(e, op);
    if (op->def == EMITPY_OP(global))
        return emit_global(e, op);
    if (op->def == FUNC_OP(return ) || op->def == EMITPY_OP(nested_func_return))
        return emit_return(e, op);
    if (op->def == EMITPY_OP(assign) || op->def == EMITPY_OP(assign_global) ||
        op->def == EMITPY_OP(set_attr))
        return emit_assign(e, op);
    if (op->def == EMITPY_OP(verbatim)) {
        bool ok = py_put_format(e, op, text_of(op, "value"));
        tw_strbuf_putc(e->out, '\n');
        return ok;
    }
    if (op->def == EMITPY_OP(nested_func))
        return put_definition(e, op, text_of(op, "sym_name")) &&
               emit_arguments(e, op, ir_op_body(op, 0), false) &&
               emit_body(e, ir_op_body(op, 0));
    return emit_assignment(e, op);
}

static bool emit_block(py_emitter *e, ir_block *block)
{
    for (ir_op *op = block->first; op; op = op->next)
        if (!emit_statement(e, op))
            return false;
    return true;
}

/* An indented block after a colon; `pass` if it is empty. */
static bool emit_body(py_emitter *e, ir_block *block)
{
    size_t before = e->out->size;
    e->indent++;
    bool ok = emit_block(e, block);
    if (e->out->size == before) {
        put_indent(e);
        tw_strbuf_puts(e->out, "pass\n");
    }
    e->indent--;
    return ok;
}

/* ---- functions, classes, files ------------------------------------------------------- */

/* # f takes: input, parameter
 * The order of a function's arguments before activations and weights were split. */
static void put_argument_kinds(py_emitter *e, const ir_op *func)
{
    ir_attr kinds = ir_op_attr(func, "ttcore.original_argument_types");
    if (!ir_attr_is(kinds, IR_ATTR_ARRAY))
        return;
    tw_strbuf_printf(e->out, "# %.*s takes:", (int)ir_symbol_name(func).size,
                     ir_symbol_name(func).data);
    for (uint32_t i = 0; i < kinds->count; i++) {
        const char *text = ir_attr_text(e->ctx, kinds->items[i]);
        const char *from = strchr(text, '<'), *to = strrchr(text, '>');
        bool enclosed = from && to && from < to;
        tw_strbuf_printf(e->out, "%s %.*s", i ? "," : "",
                         enclosed ? (int)(to - from - 1) : (int)strlen(text),
                         enclosed ? from + 1 : text);
    }
    tw_strbuf_putc(e->out, '\n');
}

static bool emit_function(py_emitter *e, ir_op *func, bool in_class)
{
    ir_block *entry = ir_op_body(func, 0);
    tw_str kind = text_of(func, "emitpy.method_kind");
    tw_str name = ir_symbol_name(func);
    if (!entry)
        return true;
    if (entry->next)
        return ir_op_error(func, "cannot be written as Python: branches");
    if (in_class && kind.size && !tw_str_is(kind, "instance")) {
        put_indent(e);
        tw_strbuf_printf(e->out, "@%.*s\n", (int)kind.size, kind.data);
    }
    put_argument_kinds(e, func);
    put_indent(e);
    if (!put_definition(e, func, name))
        return false;
    e->names = ir_mapping_create();
    e->used = ir_mapping_create();
    bool ok = emit_arguments(e, func, entry, in_class) && emit_body(e, entry);
    tw_strbuf_putc(e->out, '\n');
    ir_mapping_free(e->names);
    ir_mapping_free(e->used);
    if (ok && !in_class && tw_str_is(name, "main"))
        tw_strbuf_puts(e->out, "if __name__ == '__main__':\n  main()\n\n");
    return ok;
}

static bool emit_class(py_emitter *e, ir_op *op)
{
    tw_str name = ir_symbol_name(op);
    ir_attr bases = ir_op_attr(op, "base_classes");
    tw_strbuf_printf(e->out, "class %.*s", (int)name.size, name.data);
    for (uint32_t i = 0; bases && i < bases->count; i++) {
        tw_strbuf_puts(e->out, i ? ", " : "(");
        if (!py_put_attr(e, op, bases->items[i]))
            return false;
    }
    tw_strbuf_puts(e->out, bases && bases->count ? "):\n" : ":\n");
    ir_op *first = ir_op_body(op, 0)->first;
    e->indent++;
    bool ok = true;
    if (!first)
        tw_strbuf_puts(e->out, "  pass\n\n");
    for (ir_op *o = first; o && ok; o = o->next)
        ok = o->def == FUNC_OP(func) ? emit_function(e, o, true) : emit_statement(e, o);
    e->indent--;
    return ok;
}

/* Collects the names that variables of functions in a file must not use. */
static void collect_globals(py_emitter *e, ir_block *block)
{
    for (ir_op *op = block->first; op; op = op->next) {
        tw_str name = ir_symbol_name(op);
        if (op->def == EMITPY_OP(import))
            name = text_of(op, text_of(op, "module_alias").size ? "module_alias"
                                                                : "module_name");
        ir_attr key = ir_string_attr(e->ctx, name);
        if (name.size)
            ir_mapping_set(e->globals, key, (void *)key);
    }
}

static bool emit_file(py_emitter *e, ir_op *file);

static bool emit_top(py_emitter *e, ir_op *op)
{
    if (op->def == FUNC_OP(func))
        return emit_function(e, op, false);
    if (op->def == EMITPY_OP(class))
        return emit_class(e, op);
    if (op->def == BUILTIN_OP(module) || op->def == EMITPY_OP(file))
        return emit_file(e, op);
    if (op->def == EMITPY_OP(global) || op->def == EMITPY_OP(import) ||
        op->def == EMITPY_OP(verbatim))
        return emit_statement(e, op);
    return ir_op_error(op, "cannot be written as Python: no statement is known for it");
}

static bool emit_file(py_emitter *e, ir_op *file)
{
    ir_mapping *outer = e->globals;
    e->globals = ir_mapping_create();
    collect_globals(e, ir_op_body(file, 0));
    tw_str id = text_of(file, "id");
    if (file->def == EMITPY_OP(file))
        tw_strbuf_printf(e->out, "# File: \"%.*s\"\n", (int)id.size, id.data);
    bool ok = true;
    for (ir_op *op = ir_op_body(file, 0)->first; op && ok; op = op->next)
        ok = emit_top(e, op);
    ir_mapping_free(e->globals);
    e->globals = outer;
    return ok;
}

bool python_emit(ir_op *module, tw_strbuf *out)
{
    py_emitter e = {.out = out, .ctx = module->ctx};
    return emit_top(&e, module);
}
