/* linalg_maps.c: indexing maps of named operations. */
#include "ir/rules/rules.h"
#include "mlir/linalg/linalg.h"
#include "mlir/linalg/linalg_hooks.h"
#include "mlir/shared/shape_checks.h"

#include <stdlib.h>

enum { MAX_MAPS = 8, MAX_LETTERS = 16 }; /* of a row of letters */

/* Operands' dimensions, operands separated by blanks; equal letters are one loop.  H, W, D
 * are h, w, d times their stride plus y, x, z, the loops over the window, times their
 * dilation; the order of these letters is that of the values in the attributes.  Loops are
 * numbered as MLIR does: those of the result, those of the right side, others; or in the
 * order given. */
typedef struct letters {
    const char *name, *maps, *order;
} letters;
static const letters named[] = {
    {"batch_matmul", "bmk bkn bmn"},
    {"batch_matvec", "bmk bk bm"},
    {"batch_mmt4d", "bmkij bnklj bmnil", "bmnkilj"},
    {"batch_reduce_matmul", "bmk bkn mn", "bmnk"},
    {"batch_vecmat", "bk bkn bn"},
    {"conv_1d", "W x w"},
    {"conv_1d_ncw_fcw", "ncW fcx nfw"},
    {"conv_1d_nwc_wcf", "nWc xcf nwf"},
    {"conv_2d", "HW yx hw"},
    {"conv_2d_nchw_fchw", "ncHW fcyx nfhw"},
    {"conv_2d_ngchw_fgchw", "ngcHW fgcyx ngfhw"},
    {"conv_2d_ngchw_gfchw", "ngcHW gfcyx ngfhw"},
    {"conv_2d_nhwc_fhwc", "nHWc fyxc nhwf"},
    {"conv_2d_nhwc_hwcf", "nHWc yxcf nhwf"},
    {"conv_2d_nhwgc_gfhwc", "nHWgc gfyxc nhwgf"},
    {"conv_3d", "DHW zyx dhw"},
    {"conv_3d_ncdhw_fcdhw", "ncDHW fczyx nfdhw"},
    {"conv_3d_ndhwc_dhwcf", "nDHWc zyxcf ndhwf"},
    {"depthwise_conv_1d_ncw_cw", "ncW cx ncw", "nwcx"},
    {"depthwise_conv_1d_nwc_wc", "nWc xc nwc"},
    {"depthwise_conv_1d_nwc_wcm", "nWc xcm nwcm"},
    {"depthwise_conv_2d_nchw_chw", "ncHW cyx nchw", "nhwcyx"},
    {"depthwise_conv_2d_nhwc_hwc", "nHWc yxc nhwc"},
    {"depthwise_conv_2d_nhwc_hwcm", "nHWc yxcm nhwcm"},
    {"depthwise_conv_3d_ncdhw_cdhw", "ncDHW czyx ncdhw", "ndhwzyxc"},
    {"depthwise_conv_3d_ndhwc_dhwc", "nDHWc zyxc ndhwc", "ndhwzyxc"},
    {"depthwise_conv_3d_ndhwc_dhwcm", "nDHWc zyxcm ndhwcm", "ndhwmzyxc"},
    {"dot", "k k "},
    {"matmul", "mk kn mn"},
    {"matvec", "mk k m"},
    {"mmt4d", "mkij nklj mnil", "mnkilj"},
    {"pooling_nchw", "ncHW yx nchw"},
    {"pooling_ncw", "ncW x ncw"},
    {"pooling_ndhwc", "nDHWc zyx ndhwc"},
    {"pooling_nhwc", "nHWc yx nhwc"},
    {"pooling_nwc", "nWc x nwc"},
    {"vecmat", "k kn n"},
};

/* Looks up the name without parts that do not affect the maps: quantized_NAME and NAME_q
 * have two more scalar operands; the last words of a pool are its reduction. */
static const letters *letters_of(const ir_op_def *def, bool *quantized)
{
    const char *name = def->name + strlen("linalg.");
    size_t size = strlen(name), head = strlen("quantized_"), pool = strlen("pooling_");
    bool prefix = strncmp(name, "quantized_", head) == 0;
    *quantized = prefix || (size > 2 && strcmp(name + size - 2, "_q") == 0);
    if (prefix)
        name += head, size -= head;
    else if (*quantized)
        size -= 2;
    if (strncmp(name, "pooling_", pool) == 0)
        size = pool + strcspn(name + pool, "_");
    for (size_t i = 0; i < TW_COUNT(named); i++)
        if (strlen(named[i].name) == size && memcmp(named[i].name, name, size) == 0)
            return &named[i];
    return NULL;
}

typedef struct loops {
    char seen[MAX_LETTERS];
    uint32_t n;
} loops;

static ir_affine loop(ir_context *ctx, loops *l, char letter)
{
    uint32_t i = 0;
    while (i < l->n && l->seen[i] != letter)
        i++;
    if (i == l->n)
        l->seen[l->n++] = letter;
    return ir_affine_dim(ctx, i);
}

static int64_t nth(const ir_op *op, const char *name, uint32_t i)
{
    ir_attr list = op ? ir_op_attr(op, name) : NULL;
    if (!list || list->kind != IR_ATTR_DENSE || ir_type_num_elements(list->type) <= i)
        return 1;
    return ir_dense_int(list, i);
}

/* The dimension of a window's `i`-th letter. */
static ir_affine window(ir_context *ctx, const ir_op *op, loops *l, char letter, uint32_t i)
{
    char inside = letter == 'H' ? 'y' : letter == 'W' ? 'x' : 'z';
    ir_affine outer = loop(ctx, l, (char)(letter - 'A' + 'a')),
              inner = loop(ctx, l, inside);
    ir_affine by_stride = ir_affine_binary(ctx, IR_AFFINE_MUL, outer,
                                           ir_affine_constant(ctx, nth(op, "strides", i)));
    ir_affine by_dilation = ir_affine_binary(
        ctx, IR_AFFINE_MUL, inner, ir_affine_constant(ctx, nth(op, "dilations", i)));
    return ir_affine_binary(ctx, IR_AFFINE_ADD, by_stride, by_dilation);
}

static void number_loops(ir_context *ctx, const letters *row, loops *l)
{
    const char *last = strrchr(row->maps, ' '), *right = strchr(row->maps, ' ');
    for (const char *c = row->order ? row->order : last + 1; *c; c++)
        loop(ctx, l, *c);
    for (const char *c = right + 1; c < last; c++)
        loop(ctx, l, *c);
}

/* `op` has the strides and dilations, if any. */
static ir_attr maps_by_letters(ir_context *ctx, const ir_op *op, const letters *row,
                               bool quantized, uint32_t *n_loops)
{
    ir_affine at[MAX_MAPS][MAX_LETTERS];
    size_t sizes[MAX_MAPS] = {0}, n = 0;
    loops l = {.n = 0};
    uint32_t windows = 0;
    number_loops(ctx, row, &l);
    for (const char *c = row->maps;; c++) {
        if (*c >= 'A' && *c <= 'Z')
            at[n][sizes[n]++] = window(ctx, op, &l, *c, windows++);
        else if (*c >= 'a')
            at[n][sizes[n]++] = loop(ctx, &l, *c);
        else
            n += n == 1 && quantized ? 3 : 1;
        if (!*c)
            break;
    }
    ir_attr maps[MAX_MAPS];
    for (size_t i = 0; i < n; i++)
        maps[i] = ir_affine_map_attr(ctx, ir_affine_map_get(ctx, l.n, 0, at[i], sizes[i]));
    *n_loops = l.n;
    return ir_array_attr(ctx, maps, n);
}

/* The array of maps, which are freed. */
static ir_attr array_of(ir_context *ctx, ir_attr *maps, size_t n)
{
    const ir_attr all = ir_array_attr(ctx, maps, n);
    free(maps);
    return all;
}

static uint32_t rank(const ir_op *op, uint32_t i)
{
    ir_type type = ir_op_operand(op, i)->type;
    return ir_type_is_ranked(type) ? type->count : 0;
}

/* Element-wise; scalars are broadcast. */
static ir_attr maps_by_rank(const ir_op *op, uint32_t *n_loops)
{
    ir_affine dims[SHAPE_MAX_RANK];
    uint32_t n = op->n_operands ? rank(op, op->n_operands - 1) : 0;
    if (n > SHAPE_MAX_RANK)
        return NULL;
    ir_attr *maps = tw_xmalloc((op->n_operands + 1u) * sizeof *maps);
    for (uint32_t i = 0; i < n; i++)
        dims[i] = ir_affine_dim(op->ctx, i);
    for (uint32_t i = 0; i < op->n_operands; i++)
        maps[i] = ir_affine_map_attr(
            op->ctx, ir_affine_map_get(op->ctx, n, 0, dims, rank(op, i) ? n : 0));
    *n_loops = n;
    return array_of(op->ctx, maps, op->n_operands);
}

static bool is_listed(const int64_t *list, int64_t n, int64_t which)
{
    for (int64_t i = 0; i < n; i++)
        if (list[i] == which)
            return true;
    return false;
}

/* Operations with a list of dimensions: reductions omit them in their results, broadcasts
 * in their inputs, transpositions permute by them. */
static ir_attr maps_by_dims(const ir_op *op, uint32_t *n_loops)
{
    int64_t list[SHAPE_MAX_RANK], n = 0;
    ir_affine all[SHAPE_MAX_RANK], few[SHAPE_MAX_RANK] = {NULL};
    bool reduces = op->def == LINALG_OP(reduce), turns = op->def == LINALG_OP(transpose);
    uint32_t loops = rank(op, reduces ? 0 : 1), kept = 0;
    n = shape_ints(op, turns ? "permutation" : "dimensions", list);
    if (n < 0 || loops > SHAPE_MAX_RANK || (turns && n != loops))
        return NULL;
    ir_attr *maps = tw_xmalloc((op->n_operands + 1u) * sizeof *maps);
    for (uint32_t i = 0; i < loops; i++) {
        all[i] = ir_affine_dim(op->ctx, i);
        if (turns)
            few[list[i] >= 0 && list[i] < n ? list[i] : i] = all[i], kept++;
        else if (!is_listed(list, n, i))
            few[kept++] = all[i];
    }
    ir_attr full =
        ir_affine_map_attr(op->ctx, ir_affine_map_get(op->ctx, loops, 0, all, loops));
    ir_attr part =
        ir_affine_map_attr(op->ctx, ir_affine_map_get(op->ctx, loops, 0, few, kept));
    for (uint32_t i = 0; i < op->n_operands; i++)
        maps[i] = (i < op->n_operands / 2) == reduces ? full : part;
    *n_loops = loops;
    return array_of(op->ctx, maps, op->n_operands);
}

/* Of operations whose row has no such attribute it can be anything. */
static bool are_maps(ir_attr attr)
{
    if (!ir_attr_is(attr, IR_ATTR_ARRAY))
        return false;
    for (uint32_t i = 0; i < attr->count; i++)
        if (!ir_attr_is(attr->items[i], IR_ATTR_AFFINE_MAP))
            return false;
    return true;
}

ir_attr linalg_maps_of(const ir_op *op, uint32_t *n_loops)
{
    bool quantized;
    const letters *row = letters_of(op->def, &quantized);
    ir_attr given = ir_op_attr(op, "indexing_maps");
    if (!are_maps(given))
        given = NULL;
    if (given && given->count) {
        *n_loops = given->items[0]->map->n_dims;
        return given;
    }
    *n_loops = 0;
    if (op->def == LINALG_OP(elementwise) || op->def == LINALG_OP(contract) ||
        op->def == LINALG_OP(fill_rng_2d))
        return given;
    if (op->def == LINALG_OP(broadcast) || op->def == LINALG_OP(reduce) ||
        op->def == LINALG_OP(transpose))
        return maps_by_dims(op, n_loops);
    return row ? maps_by_letters(op->ctx, op, row, quantized, n_loops)
               : maps_by_rank(op, n_loops);
}

ir_attr linalg_default_maps(ir_context *ctx, const ir_op_def *def, size_t operands,
                            ir_type last)
{
    bool quantized;
    uint32_t n_loops;
    const letters *row = letters_of(def, &quantized);
    if (ir_def_prop_index(def, TW_STR("indexing_maps")) == SIZE_MAX)
        return NULL;
    if (row)
        return maps_by_letters(ctx, NULL, row, quantized, &n_loops);
    if (def != LINALG_OP(elementwise) || !ir_type_is_ranked(last))
        return NULL;
    ir_attr *maps = tw_xmalloc((operands + 1) * sizeof *maps);
    for (size_t i = 0; i < operands; i++)
        maps[i] = ir_affine_map_attr(ctx, ir_affine_identity(ctx, last->count));
    return array_of(ctx, maps, operands);
}

void linalg_note_maps(ir_op *op, ir_attr maps)
{
    static const char name[] = "linalg.memoized_indexing_maps";
    bool quantized;
    if (letters_of(op->def, &quantized) &&
        ir_def_prop_index(op->def, TW_STR("indexing_maps")) == SIZE_MAX &&
        !ir_op_attr(op, name))
        ir_op_set_attr(op, name, maps);
}

static bool uses_dim(ir_affine_map map, uint32_t dim)
{
    for (uint32_t i = 0; i < map->n_results; i++)
        if (map->results[i]->kind == IR_AFFINE_DIM && map->results[i]->value == dim)
            return true;
    return false;
}

/* Each loop of a convolution is a batch, image, window or channel loop, unless a stride or
 * a dilation is 0. */
static bool check_convolution(ir_op *op, ir_attr maps)
{
    ir_affine_map image = maps->items[0]->map, filter = maps->items[1]->map,
                  out = maps->items[maps->count - 1]->map;
    for (uint32_t i = 0; i < image->n_results; i++)
        if (image->results[i]->kind != IR_AFFINE_DIM &&
            image->results[i]->kind != IR_AFFINE_ADD)
            return ir_error_at_op(op, "unexpected input index map for convolutions");
    for (uint32_t d = 0; d < image->n_dims; d++) {
        bool alone = uses_dim(image, d), in_sum = false;
        bool in_filter = uses_dim(filter, d), in_out = uses_dim(out, d);
        for (uint32_t i = 0; i < image->n_results; i++)
            in_sum |= image->results[i]->kind == IR_AFFINE_ADD &&
                      ir_affine_mentions(image->results[i], IR_AFFINE_DIM, d);
        bool known = in_out      ? alone || in_sum != in_filter
                     : in_filter ? alone || in_sum
                                 : false;
        if (!known)
            return ir_error_at_op(op, "unexpected loop dimension for convolution op");
    }
    return true;
}

static bool check_fill(ir_op *op)
{
    ir_type value = ir_op_operand(op, 0)->type;
    if (op->n_operands != 2)
        return ir_error_at_op(op, "expected op with 1 input and 1 output");
    if (ir_type_is_shaped(value))
        return ir_error_at_op(op, "expected op with scalar input");
    ir_type element = ir_type_element(ir_op_operand(op, 1)->type);
    return value == element ||
           ir_op_error(op,
                       "expected fill value type ('%s') to match output element type "
                       "('%s')",
                       ir_type_text(op->ctx, value), ir_type_text(op->ctx, element));
}

bool linalg_verify_kind(ir_op *op, ir_attr maps)
{
    if (op->def == LINALG_OP(fill))
        return check_fill(op);
    return !ir_def_has(op->def, "ConvolutionOpInterface") || check_convolution(op, maps);
}
