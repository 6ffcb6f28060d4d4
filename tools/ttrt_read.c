/* ttrt_read.c: `ttrt read`: sections of a binary as JSON. */
#include "flatbuffer/json.h"
#include "support/arena.h"
#include "ttrt.h"

#include <stdio.h>
#include <string.h>

static tw_status put_version(const ttrt_binary *b, tw_strbuf *out)
{
    const uint8_t *v = fb_get_struct(b->root, fb_slot(b->root, "version"));
    tw_strbuf_printf(out, "{\n    \"version\": \"%d.%d.%d\",\n    \"schema_hash\": ",
                     (int)fb_member_int(v, FB_STRUCT_Version, 0),
                     (int)fb_member_int(v, FB_STRUCT_Version, 1),
                     (int)fb_member_int(v, FB_STRUCT_Version, 2));
    tw_json_string(out, ttrt_root_text(b, "schema_hash"));
    tw_strbuf_puts(out, ",\n    \"tt-mlir git hash\": ");
    tw_json_string(out, ttrt_root_text(b, "ttmlir_git_hash"));
    tw_strbuf_puts(out, "\n  }");
    return TW_SUCCESS;
}

static tw_status put_table(const ttrt_binary *b, const char *field, tw_strbuf *out)
{
    fb_view table = ttrt_root_table(b, field);
    if (table.at)
        return fb_to_json(table, 2, 0, out);
    tw_strbuf_puts(out, "null");
    return TW_SUCCESS;
}

static tw_status put_refs(fb_vec refs, tw_strbuf *out)
{
    tw_strbuf_putc(out, '[');
    for (size_t i = 0; i < refs.count; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        TW_TRY(fb_to_json(fb_vec_table(refs, i), 6, 0, out));
    }
    tw_strbuf_putc(out, ']');
    return TW_SUCCESS;
}

/* [{program name: [tensor refs]}] */
static tw_status put_tensors(const ttrt_binary *b, const char *field, tw_strbuf *out)
{
    fb_vec programs = fb_get_vec(b->root, fb_slot(b->root, "programs"));
    tw_strbuf_putc(out, '[');
    for (size_t i = 0; i < programs.count; i++) {
        fb_view program = fb_vec_table(programs, i);
        tw_strbuf_puts(out, i ? ",\n    {" : "\n    {");
        tw_json_string(out, fb_get_str(program, fb_slot(program, "name")));
        tw_strbuf_puts(out, ": ");
        TW_TRY(put_refs(fb_get_vec(program, fb_slot(program, field)), out));
        tw_strbuf_putc(out, '}');
    }
    tw_strbuf_puts(out, programs.count ? "\n  ]" : "]");
    return TW_SUCCESS;
}

/* [{program name: [rows, columns]}] */
static tw_status put_mesh_shapes(const ttrt_binary *b, tw_strbuf *out)
{
    fb_vec programs = fb_get_vec(b->root, fb_slot(b->root, "programs"));
    tw_strbuf_putc(out, '[');
    for (size_t i = 0; i < programs.count; i++) {
        fb_view program = fb_vec_table(programs, i);
        int slot = fb_slot(program, "mesh_shape");
        const uint8_t *mesh = slot < 0 ? NULL : fb_get_struct(program, slot);
        tw_strbuf_puts(out, i ? ",\n    {" : "\n    {");
        tw_json_string(out, fb_get_str(program, fb_slot(program, "name")));
        tw_strbuf_printf(out, ": [%lld, %lld]}",
                         mesh ? (long long)fb_member_int(mesh, FB_STRUCT_Dim2d, 0) : 1,
                         mesh ? (long long)fb_member_int(mesh, FB_STRUCT_Dim2d, 1) : 1);
    }
    tw_strbuf_puts(out, programs.count ? "\n  ]" : "]");
    return TW_SUCCESS;
}

typedef struct tensor_list {
    tw_strbuf *out;
    bool output, any;
} tensor_list;

static tw_status put_tensor(void *user, fb_view ref, bool output)
{
    tensor_list *list = user;
    if (output != list->output)
        return TW_SUCCESS;
    fb_tensor t = fb_read_tensor(ref);
    tw_strbuf_printf(list->out, "%s{\"id\": %u, \"shape\": [", list->any ? ", " : "", t.id);
    for (int i = 0; i < t.rank; i++)
        tw_strbuf_printf(list->out, "%s%lld", i ? ", " : "", (long long)t.dims[i]);
    tw_strbuf_printf(list->out, "], \"data_type\": \"%s\", \"layout\": \"%s\"}",
                     tw_dtype_name(t.dtype), t.tiled ? "Tile" : "RowMajor");
    list->any = true;
    return TW_SUCCESS;
}

/* Extracts "ttnn.add" from the operation's text. */
static tw_str dialect_name(tw_str debug)
{
    const char *end = debug.data + debug.size, *open = memchr(debug.data, '"', debug.size);
    const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
    return close ? (tw_str){open + 1, (size_t)(close - open - 1)} : TW_STR("");
}

static tw_status put_op_stats(const ttrt_binary *b, tw_strbuf *out)
{
    fb_ttnn file;
    if (b->kind != FB_FILE_TTNN) {
        tw_strbuf_puts(out, "[]");
        return TW_SUCCESS;
    }
    TW_TRY(fb_ttnn_open(b->bytes.data, b->bytes.size, &file));
    const char *separator = "";
    tw_strbuf_putc(out, '[');
    for (size_t p = 0; p < fb_ttnn_program_count(&file); p++) {
        fb_program program = fb_ttnn_program(&file, p);
        for (size_t i = 0; i < program.n_operations; i++) {
            fb_op op = fb_program_op(&program, i);
            const char *subtype = fb_op_subtype_name(&op);
            tw_strbuf_printf(
                out, "%s\n    {\"op_name\": \"%s%s%s\", \"dialect_op_name\": ", separator,
                fb_op_kind_name(op.kind), subtype ? "." : "", subtype ? subtype : "");
            tw_json_string(out, dialect_name(op.debug));
            tw_strbuf_puts(out, ", \"loc\": ");
            tw_json_string(out, op.loc);
            for (int output = 0; output < 2; output++) {
                tensor_list list = {.out = out, .output = output};
                tw_strbuf_printf(out, ", \"%s\": [", output ? "outputs" : "inputs");
                TW_TRY(fb_op_each_tensor(&op, put_tensor, &list));
                tw_strbuf_putc(out, ']');
            }
            tw_strbuf_putc(out, '}');
            separator = ",";
        }
    }
    tw_strbuf_puts(out, "\n  ]");
    return TW_SUCCESS;
}

static tw_status put_section(const ttrt_binary *b, const char *section, tw_strbuf *out)
{
    bool has_programs = b->kind != FB_FILE_TTSYS;
    if (strcmp(section, "all") == 0)
        return fb_to_json(b->root, 2, 0, out);
    if (strcmp(section, "version") == 0)
        return put_version(b, out);
    if (strcmp(section, "system_desc") == 0 || strcmp(section, "mlir") == 0)
        return put_table(b, section, out);
    if (strcmp(section, "inputs") == 0 || strcmp(section, "outputs") == 0) {
        if (has_programs)
            return put_tensors(b, section, out);
        tw_strbuf_puts(out, "[]");
        return TW_SUCCESS;
    }
    if (strcmp(section, "op_stats") == 0)
        return put_op_stats(b, out);
    if (strcmp(section, "mesh_shape") == 0 && b->kind == FB_FILE_TTNN)
        return put_mesh_shapes(b, out);
    return tw_error(TW_INVALID,
                    "there is no section '%s'; sections are all, version, system_desc, "
                    "mlir, inputs, outputs, op_stats and, of .ttnn files, mesh_shape",
                    section);
}

tw_status ttrt_read(ttrt *t, const ttrt_binary *b, tw_strbuf *more)
{
    (void)more;
    tw_strbuf text = {0};
    tw_status status = put_section(b, t->section, &text);
    if (!status) {
        printf("%s\n", text.data);
        tw_strbuf_puts(&t->sections, t->n_sections++ ? ",\n  " : "\n  ");
        tw_strbuf_append(&t->sections, text.data, text.size);
    }
    tw_strbuf_free(&text);
    return status;
}
