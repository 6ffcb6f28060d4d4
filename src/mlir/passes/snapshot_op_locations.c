/* snapshot_op_locations.c: snapshot-op-locations: sets operations' locations to their
 * positions in the text printed now. */
#include "ir/pass/pass.h"
#include "support/file.h"

#include <stdlib.h>

typedef struct op_position {
    ir_op *op;
    size_t offset;
} op_position;

typedef struct op_positions {
    op_position *at;
    size_t n, capacity;
} op_positions;

static void note(void *user, ir_op *op, size_t offset)
{
    op_positions *p = user;
    op_position one = {op, offset};
    TW_PUSH(p->at, p->n, p->capacity, one);
}

static int by_offset(const void *a, const void *b)
{
    size_t x = ((const op_position *)a)->offset, y = ((const op_position *)b)->offset;
    return (x > y) - (x < y);
}

/* Lines count from 1, columns, as in MLIR's pass, from 0. */
static void set_locations(const op_positions *p, const tw_strbuf *text, ir_ident file,
                          tw_str tag)
{
    uint32_t line = 1;
    size_t start = 0, at = 0;
    for (size_t i = 0; i < p->n; i++) {
        ir_op *op = p->at[i].op;
        for (; at < p->at[i].offset; at++)
            if (text->data[at] == '\n')
                line++, start = at + 1;
        ir_loc loc = ir_loc_file(op->ctx, file, line, (uint32_t)(at - start));
        if (tag.size) {
            ir_loc both[] = {op->loc,
                             ir_loc_name(op->ctx, ir_ident_get(op->ctx, tag), loc)};
            loc = ir_loc_fused(op->ctx, both, 2);
        }
        op->loc = loc;
    }
}

static bool run(ir_op *op, pass_run *run)
{
    tw_str filename = pass_option_str(run, "filename"), tag = pass_option_str(run, "tag");
    ir_print_options options = pass_print_options(run);
    op_positions found = {0};
    tw_strbuf text = {0};
    bool ok = true;
    if (!filename.size)
        return ir_op_error(op, "snapshot-op-locations: no file; set filename=FILE");
    options.at_op = note;
    options.at_op_user = &found;
    options.drain = NULL;
    ir_print_op(op, &options, &text);
    if (tw_str_is(filename, "-")) {
        pass_write(run, (tw_str){text.data, text.size});
    } else {
        const char *path = ir_ident_get(op->ctx, filename)->text;
        tw_status status = tw_file_write(path, text.data, text.size);
        if (status != TW_SUCCESS) {
            ok = ir_op_error(op, "%s", tw_status_message(status));
            tw_status_free(status);
        }
    }
    if (found.n)
        qsort(found.at, found.n, sizeof *found.at, by_offset);
    if (ok)
        set_locations(&found, &text, ir_ident_get(op->ctx, filename), tag);
    free(found.at);
    tw_strbuf_free(&text);
    return ok;
}

const pass_def snapshot_op_locations_pass = {
    .name = "snapshot-op-locations",
    .title = "LocationSnapshot",
    .summary = "Generate new locations from the current IR",
    .run = run,
    .options = IR_LIST(
        pass_option_def,
        {"filename", PASS_STRING, "", "The filename to print the generated IR"},
        {"tag", PASS_STRING, "",
         "A tag to use when fusing the new locations with the original. If unset, the "
         "locations are replaced."}),
};
