/* ttir_verify.c: the checks of the ttir dialect that need more than rules. */
#include "ttir/build.h"
#include "ttir/ttir_hooks.h"

#include <ctype.h>

enum { AXES = 16 };

/* One side of a pattern such as "b (h w) c": names in order, and the result dimension that
 * each belongs to. */
typedef struct side {
    tw_str names[AXES];
    int dim[AXES];
    int n_names, n_dims;
} side;

static bool read_side(const char *at, const char *end, side *out)
{
    bool inside = false;
    *out = (side){0};
    while (at < end) {
        if (*at == ' ') {
            at++;
        } else if (*at == '(' || *at == ')') {
            if (inside == (*at == '('))
                return false;
            inside = *at++ == '(';
            out->n_dims += !inside;
        } else {
            const char *start = at;
            while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
                at++;
            if (at == start || out->n_names == AXES)
                return false;
            out->names[out->n_names] = (tw_str){start, (size_t)(at - start)};
            out->dim[out->n_names++] = out->n_dims;
            out->n_dims += !inside;
        }
    }
    return !inside;
}

static int name_at(const side *s, tw_str name)
{
    for (int i = 0; i < s->n_names; i++)
        if (tw_str_equal(s->names[i], name))
            return i;
    return -1;
}

/* Reads "a b c -> (a b) c"; false if it is malformed or a name is on one side only. */
static bool read_pattern(tw_str pattern, side *from, side *to)
{
    const char *end = pattern.data + pattern.size, *arrow = NULL;
    for (const char *c = pattern.data; c + 1 < end; c++)
        if (c[0] == '-' && c[1] == '>')
            arrow = c;
    bool fine = arrow && read_side(pattern.data, arrow, from) &&
                read_side(arrow + 2, end, to) && from->n_names == to->n_names;
    for (int i = 0; fine && i < from->n_names; i++)
        fine = name_at(to, from->names[i]) >= 0;
    return fine;
}

/* A group's index is split by the sizes of the dimensions in it, the last one first. */
ir_affine_map ttir_rearrange_map(const ir_op *op)
{
    ir_context *ctx = op->ctx;
    ir_type in = op->operands[0].value->type;
    side from, to;
    ir_affine results[AXES];
    if (!ir_attr_is(ir_op_attr(op, "pattern"), IR_ATTR_STRING) ||
        !read_pattern(ir_attr_str(ir_op_attr(op, "pattern")), &from, &to) ||
        from.n_dims != from.n_names || in->count != (uint32_t)from.n_dims)
        return NULL;
    int64_t stride = 1;
    for (int i = to.n_names; i-- > 0;) {
        int axis = name_at(&from, to.names[i]);
        if (in->dims[axis] <= 0)
            return NULL;
        if (i + 1 < to.n_names && to.dim[i + 1] != to.dim[i])
            stride = 1;
        results[axis] =
            ir_affine_binary(ctx, IR_AFFINE_FLOORDIV, ir_affine_dim(ctx, to.dim[i]),
                             ir_affine_constant(ctx, stride));
        if (i > 0 && to.dim[i - 1] == to.dim[i])
            results[axis] = ir_affine_binary(ctx, IR_AFFINE_MOD, results[axis],
                                             ir_affine_constant(ctx, in->dims[axis]));
        if (__builtin_mul_overflow(stride, in->dims[axis], &stride))
            return NULL;
    }
    return ir_affine_map_get(ctx, (uint32_t)to.n_dims, 0, results, in->count);
}

/* Names must be the same on both sides; the input's own dimensions are then known, since
 * grouping happens on the way to the result only. */
bool ttir_verify_rearrange(ir_op *op)
{
    tw_str pattern = ir_attr_str(ir_op_attr(op, "pattern"));
    const char *end = pattern.data + pattern.size;
    int arrows = 0;
    for (const char *c = pattern.data; c + 1 < end; c++)
        arrows += c[0] == '-' && c[1] == '>';
    if (arrows != 1)
        return ir_op_error(op, "pattern must contain exactly one '->' separator.");
    side from, to;
    if (!read_pattern(pattern, &from, &to))
        return ir_op_error(op, "failed to parse pattern %.*s.", (int)pattern.size,
                           pattern.data);
    ir_type in = op->operands[0].value->type, out = op->results[0].type;
    if (in->count != (uint32_t)from.n_dims)
        return ir_op_error(
            op,
            "number of dimensions in the pattern's input (%d) must match the rank "
            "of the input tensor (%u).",
            from.n_dims, in->count);
    int64_t want[AXES];
    bool known = from.n_dims == from.n_names;
    for (int i = 0; i < to.n_dims; i++)
        want[i] = 1;
    for (int i = 0; known && i < to.n_names; i++)
        want[to.dim[i]] *= in->dims[name_at(&from, to.names[i])];
    bool same =
        !known || (out->count == (uint32_t)to.n_dims &&
                   (to.n_dims == 0 ||
                    memcmp(want, out->dims, (size_t)to.n_dims * sizeof *want) == 0));
    if (same)
        return true;
    tw_strbuf got = {0}, expected = {0};
    for (uint32_t i = 0; i < out->count; i++)
        tw_strbuf_printf(&got, "%s%lld", i ? "," : "", (long long)out->dims[i]);
    for (int i = 0; i < to.n_dims; i++)
        tw_strbuf_printf(&expected, "%s%lld", i ? "," : "", (long long)want[i]);
    ir_op_error(op, "input tensor shape (%s) does not match the expected shape (%s).",
                tw_strbuf_text(&got), tw_strbuf_text(&expected));
    tw_strbuf_free(&got);
    tw_strbuf_free(&expected);
    return false;
}
