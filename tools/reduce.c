/* reduce.c: `tilewright reduce`: the smallest module for which a command still succeeds.
 *
 * Delta debugging (Zeller, Hildebrandt 2002) over lists of edits: erase operations, in
 * chunks that halve; then bodies of functions, attributes and arguments, one by one; all
 * again until nothing changes.  Every try starts from the text of the best module so far.
 */
#include "reduce.h"

#include "dialect/all.h"
#include "ir/op.h"
#include "ir/text.h"
#include "support/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct reducer {
    const reduce_options *options;
    const char *name;
    char path[64]; /* where candidates are written */
    char *command; /* the test with the path behind it */
    tw_strbuf best;
    int tried, kept;
} reducer;

/* ---- the command -------------------------------------------------------------------- */

/* True if the command ends with status 0 in time. */
static bool command_says_yes(const reducer *r)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        setpgid(0, 0);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(127);
        execl("/bin/sh", "sh", "-c", r->command, r->path, NULL);
        _exit(127);
    }
    int status = -1;
    const struct timespec tick = {0, 2000000};
    for (int64_t left = r->options->timeout * 500; left > 0; left--) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        nanosleep(&tick, NULL);
    }
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return false;
}

static bool is_interesting(reducer *r, const tw_strbuf *text)
{
    tw_status written = tw_file_write(r->path, text->data, text->size);
    if (written != TW_SUCCESS) {
        fprintf(stderr, "tilewright: %s\n", tw_status_message(written));
        tw_status_free(written);
        return false;
    }
    r->tried++;
    return command_says_yes(r);
}

/* ---- edits -------------------------------------------------------------------------- */

typedef struct op_list {
    ir_op **at;
    size_t count, capacity;
} op_list;

static ir_walk add_op(ir_op *op, void *user)
{
    op_list *list = user;
    if (op->block && !(op->def->traits & IR_TERMINATOR))
        TW_PUSH(list->at, list->count, list->capacity, op);
    return IR_WALK_ON;
}

/* A value of that type which is there whenever the operation's results are. */
static ir_value *stand_in(const ir_op *op, ir_type type)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_op_operand(op, i)->type == type)
            return ir_op_operand(op, i);
    for (const ir_op *before = op->prev; before; before = before->prev)
        for (uint32_t i = 0; i < before->n_results; i++)
            if (before->results[i].type == type)
                return ir_op_result(before, i);
    for (const ir_block *b = op->block; b;) {
        for (uint32_t i = 0; i < b->n_args; i++)
            if (b->args[i]->type == type)
                return b->args[i];
        const ir_op *parent = b->region ? b->region->owner : NULL;
        if (!parent || parent->def->traits & IR_ISOLATED)
            return NULL;
        b = parent->block;
    }
    return NULL;
}

static bool erase_op(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!ir_value_unused(&op->results[i]) && !stand_in(op, op->results[i].type))
            return false;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!ir_value_unused(&op->results[i]))
            ir_value_replace_uses(&op->results[i], stand_in(op, op->results[i].type));
    ir_op_erase(op);
    return true;
}

/* Backwards, so that users go before what they use and what is inside before its owner. */
static size_t erase_ops(const op_list *list, size_t first, size_t count)
{
    size_t erased = 0;
    for (size_t i = TW_MIN(first + count, list->count); i-- > first;)
        erased += erase_op(list->at[i]);
    return erased;
}

/* A declaration in place of a function; backwards, as what is inside goes with it. */
static size_t empty_bodies(const op_list *list, size_t first, size_t count)
{
    size_t done = 0;
    for (size_t i = TW_MIN(first + count, list->count); i-- > first;) {
        ir_op *op = list->at[i];
        if (!(op->def->traits & IR_FUNCTION_LIKE) || !op->n_regions ||
            !op->regions[0].first)
            continue;
        while (op->regions[0].first)
            ir_block_erase(op->ctx, op->regions[0].first);
        ir_op_set_attr(op, "sym_visibility", ir_string_attr(op->ctx, TW_STR("private")));
        done++;
    }
    return done;
}

static size_t drop_discardable(ir_op *op)
{
    size_t count = op->attrs ? op->attrs->count : 0;
    op->attrs = NULL;
    return count;
}

/* Also those of the module, which is in no list, with the first operation. */
static size_t drop_discardables(const op_list *list, size_t first, size_t count)
{
    size_t dropped = 0;
    for (size_t i = first; i < TW_MIN(first + count, list->count); i++)
        dropped += drop_discardable(list->at[i]);
    if (first == 0 && list->count) {
        ir_op *top = list->at[0];
        while (ir_op_parent(top))
            top = ir_op_parent(top);
        dropped += drop_discardable(top);
    }
    return dropped;
}

/* Inherent attributes that may be absent. */
static size_t drop_optionals(const op_list *list, size_t first, size_t count)
{
    size_t dropped = 0;
    for (size_t i = first; i < TW_MIN(first + count, list->count); i++) {
        ir_op *op = list->at[i];
        for (uint32_t k = 0; k < op->def->attrs.count; k++)
            if (op->props[k] && op->def->attrs.at[k].optional) {
                op->props[k] = NULL;
                dropped++;
            }
    }
    return dropped;
}

/* Arguments that nothing reads, of functions that nobody calls. */
static size_t drop_arguments(const op_list *list, size_t first, size_t count)
{
    size_t dropped = 0;
    for (size_t i = first; i < TW_MIN(first + count, list->count); i++) {
        ir_op *op = list->at[i];
        ir_attr type = ir_op_attr(op, "function_type");
        ir_block *entry = ir_op_body(op, 0);
        if (!entry || !type || type->kind != IR_ATTR_TYPE ||
            type->type->kind != IR_TYPE_FUNCTION || type->type->count != entry->n_args)
            continue;
        for (uint32_t k = entry->n_args; k-- > 0;)
            if (ir_value_unused(entry->args[k])) {
                ir_block_erase_arg(entry, k);
                dropped++;
            }
        ir_type *types = tw_xmalloc((entry->n_args + 1) * sizeof *types);
        for (uint32_t k = 0; k < entry->n_args; k++)
            types[k] = entry->args[k]->type;
        ir_op_set_attr(op, "function_type",
                       ir_type_attr(ir_function_type(op->ctx, types, entry->n_args,
                                                     ir_function_results(type->type),
                                                     type->type->results)));
        ir_op_set_attr(op, "arg_attrs", NULL);
        free(types);
    }
    return dropped;
}

typedef size_t edit_fn(const op_list *list, size_t first, size_t count);

/* ---- trying ------------------------------------------------------------------------- */

typedef enum verdict { NOTHING_THERE, REFUSED, KEPT } verdict;

/* The edit on operations [first, first + count) of the best module. */
static verdict try_edit(reducer *r, edit_fn *edit, size_t first, size_t count,
                        size_t *out_ops)
{
    const ir_parse_options parse = {.no_verify = true};
    verdict result = NOTHING_THERE;
    op_list list = {0};
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, true);
    ir_op *module = ir_parse(ctx, (tw_str){r->best.data, r->best.size}, r->name, &parse);
    if (module)
        ir_walk_pre(module, add_op, &list);
    *out_ops = list.count;
    if (module && first < list.count && edit(&list, first, count) > 0) {
        tw_strbuf text = {0};
        bool valid = r->options->allow_invalid || ir_verify(module);
        ir_print_op(module, NULL, &text);
        result = REFUSED;
        if (valid && is_interesting(r, &text)) {
            tw_strbuf_free(&r->best);
            r->best = text;
            text = (tw_strbuf){0};
            r->kept++;
            result = KEPT;
        }
        tw_strbuf_free(&text);
    }
    free(list.at);
    ir_context_destroy(ctx);
    return result;
}

/* Chunks from all operations down to one; true if anything was kept. */
static bool minimise(reducer *r, edit_fn *edit)
{
    bool any = false;
    size_t ops, size;
    try_edit(r, edit, SIZE_MAX, 0, &ops);
    for (size = ops; size > 0; size /= 2)
        for (size_t first = ops; first > 0;) {
            first = first > size ? first - size : 0;
            if (try_edit(r, edit, first, size, &ops) == KEPT) {
                any = true;
                first = TW_MIN(first + size, ops);
                try_edit(r, edit, SIZE_MAX, 0, &ops);
                first = TW_MIN(first, ops);
            }
        }
    return any;
}

static bool reduce(reducer *r)
{
    static edit_fn *const edits[] = {erase_ops, empty_bodies, drop_discardables,
                                     drop_optionals, drop_arguments};
    if (!is_interesting(r, &r->best)) {
        fprintf(stderr, "tilewright: the command does not succeed for the whole module: "
                        "nothing to reduce\n");
        return false;
    }
    for (bool any = true; any;) {
        any = false;
        for (size_t i = 0; i < TW_COUNT(edits); i++)
            any |= minimise(r, edits[i]);
    }
    return true;
}

int reduce_file(const char *path, const reduce_options *options)
{
    reducer r = {.options = options, .name = path};
    tw_status status = tw_file_read(path, &r.best);
    if (status == TW_SUCCESS) {
        snprintf(r.path, sizeof r.path, "/tmp/tilewright-reduce-XXXXXX.mlir");
        int file = mkstemps(r.path, 5);
        if (file < 0)
            status = tw_error(TW_IO, "cannot make a file in /tmp");
        else
            close(file);
    }
    if (status == TW_SUCCESS) {
        static const char argument[] = " \"$0\"";
        size_t before = r.best.size, n = strlen(options->test);
        r.command = tw_xmalloc(n + sizeof argument);
        memcpy(r.command, options->test, n);
        memcpy(r.command + n, argument, sizeof argument);
        bool ok = reduce(&r);
        free(r.command);
        remove(r.path);
        if (!ok) {
            tw_strbuf_free(&r.best);
            return 1;
        }
        fprintf(stderr, "tilewright: %zu bytes of %zu left after %d tries, %d kept\n",
                r.best.size, before, r.tried, r.kept);
        status = tw_file_write(options->output ? options->output : "-", r.best.data,
                               r.best.size);
    }
    tw_strbuf_free(&r.best);
    if (status == TW_SUCCESS)
        return 0;
    fprintf(stderr, "tilewright: %s\n", tw_status_message(status));
    tw_status_free(status);
    return 1;
}
