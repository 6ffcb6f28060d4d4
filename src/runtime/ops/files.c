/* files.c: tensors in files, as NumPy's .npy format has them (version 1.0, row-major,
 * little endian), whatever the file's name ends with. bf16 and block floats are written as
 * f32. */
#include "runtime/steps.h"
#include "support/file.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

static const struct {
    const char *descr;
    tw_dtype type;
} types[] = {
    {"<f4", TW_F32},  {"<f2", TW_F16}, {"<i4", TW_I32}, {"<u4", TW_U32},
    {"<i2", TW_I16},  {"<u2", TW_U16}, {"|u1", TW_U8},  {"|i1", TW_I8},
    {"|b1", TW_BOOL}, {"<f8", TW_F64}, {"<i8", TW_I64},
};

enum { MAGIC_BYTES = 10, ALIGNMENT = 64 };
static const char magic[] = "\x93NUMPY\x01";

static const char *file_path(rt_plan *plan, const ir_op *op)
{
    const tw_str path = ir_attr_str(ir_op_attr(op, "file_path"));
    char *copy = tw_arena_alloc(&plan->arena, path.size + 1);
    memcpy(copy, path.data, path.size);
    copy[path.size] = '\0';
    return copy;
}

/* ---- dump_tensor */

typedef struct dump {
    rt_plan *plan;
    const char *path;
    tw_dtype as;
    size_t header;
    char *room; /* the file's contents */
    size_t bytes;
} dump;

static void run_dump(const rt_step *step)
{
    const dump *d = step->state;
    const rt_value *x = step->in[0];
    rt_convert(x->dtype, rt_data(x), d->as, d->room + d->header, (size_t)x->count);
    if (!d->plan->failed)
        d->plan->failed = tw_file_write(d->path, d->room, d->bytes);
}

/* The header's text, padded so that data are aligned and a line ends in front of them. */
static void write_header(tw_strbuf *text, const rt_value *x, const char *descr)
{
    tw_strbuf_printf(text, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < x->rank; i++)
        tw_strbuf_printf(text, "%lld,%s", (long long)x->dims[i],
                         i + 1 < x->rank ? " " : "");
    tw_strbuf_puts(text, "), }");
    while ((MAGIC_BYTES + text->size + 1) % ALIGNMENT)
        tw_strbuf_putc(text, ' ');
    tw_strbuf_putc(text, '\n');
}

tw_status rt_prepare_dump(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0];
    dump *d = TW_ARENA_NEW(&plan->arena, dump);
    size_t row = 0;
    tw_strbuf text = {0};
    d->as = x->dtype == TW_BF16 ? TW_F32 : x->dtype;
    while (row < TW_COUNT(types) && types[row].type != d->as)
        row++;
    if (row == TW_COUNT(types))
        return tw_error(TW_UNSUPPORTED, "'%s' of elements of this type is not implemented",
                        op->def->name);
    write_header(&text, x, types[row].descr);
    d->plan = plan;
    d->path = file_path(plan, op);
    d->header = MAGIC_BYTES + text.size;
    d->bytes = d->header + (size_t)x->count * tw_dtype_size(d->as);
    d->room = rt_scratch_alloc(plan, d->bytes);
    if (d->room) {
        memcpy(d->room, magic, sizeof magic - 1);
        d->room[7] = 0;
        d->room[8] = (char)(text.size & 0xFF);
        d->room[9] = (char)(text.size >> 8);
        memcpy(d->room + MAGIC_BYTES, tw_strbuf_text(&text), text.size);
    }
    tw_strbuf_free(&text);
    step->out = step->in[0]; /* it is read only */
    step->on_grid = true;
    step->state = d;
    step->run = run_dump;
    return TW_SUCCESS;
}

/* ---- load_tensor */

typedef struct load {
    tw_dtype type;
    void *data;
} load;

static void run_load(const rt_step *step)
{
    const load *l = step->state;
    rt_convert_into(l->type, l->data, step->out);
}

static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    return at ? at + strlen(key) + strspn(at + strlen(key), ": ") : "";
}

/* True if the header's shape is the tensor's. */
static bool has_shape(const char *header, const rt_value *v)
{
    const char *at = value_of(header, "'shape'");
    at += *at == '(';
    for (int i = 0; i < v->rank; i++) {
        char *end;
        if (strtoll(at, &end, 10) != v->dims[i] || end == at)
            return false;
        at = end + strspn(end, ", ");
    }
    return *at == ')';
}

static tw_status unreadable(const char *path, const char *why)
{
    return tw_error(TW_INVALID, "'%s' %s; ttnn.dump_tensor and numpy.save write such files",
                    path, why);
}

static tw_status read_array(rt_plan *plan, const char *path, const tw_strbuf *file,
                            const rt_value *out, load *l)
{
    const unsigned char *bytes = (const unsigned char *)file->data;
    if (file->size < MAGIC_BYTES || memcmp(bytes, magic, sizeof magic - 1) != 0)
        return unreadable(path, "is no array of NumPy (.npy, version 1)");
    const size_t size = bytes[8] | (size_t)bytes[9] << 8, start = MAGIC_BYTES + size;
    if (start > file->size)
        return unreadable(path, "ends within its header");
    char *header = tw_arena_alloc(&plan->arena, size + 1);
    memcpy(header, bytes + MAGIC_BYTES, size);
    header[size] = '\0';
    const char *descr = value_of(header, "'descr'");
    size_t row = 0;
    while (row < TW_COUNT(types) &&
           (*descr != '\'' || strncmp(descr + 1, types[row].descr, 3) != 0))
        row++;
    if (row == TW_COUNT(types))
        return unreadable(path, "has elements of an unsupported type");
    if (strncmp(value_of(header, "'fortran_order'"), "False", 5) != 0)
        return unreadable(path, "is not in row-major order");
    if (!has_shape(header, out))
        return unreadable(path, "holds an array of another shape than the result");
    const size_t data = (size_t)out->count * tw_dtype_size(types[row].type);
    if (file->size - start != data)
        return unreadable(path, "does not hold as many bytes as its shape needs");
    l->type = types[row].type;
    l->data = rt_scratch_alloc(plan, data + 1);
    if (l->data)
        memcpy(l->data, bytes + start, data);
    return TW_SUCCESS;
}

/* The file is read when the program is planned. */
tw_status rt_prepare_load(rt_plan *plan, ir_op *op, rt_step *step)
{
    load *l = TW_ARENA_NEW(&plan->arena, load);
    const char *path = file_path(plan, op);
    tw_strbuf file = {0};
    step->n_in = 0;
    tw_status status = tw_file_read(path, &file);
    if (!status)
        status = read_array(plan, path, &file, step->out, l);
    tw_strbuf_free(&file);
    step->state = l;
    step->run = run_load;
    return status;
}
