/* stablehlo_windows.c: verifies windows of reductions, pooling and convolution.
 *
 * A dimension of size n, dilated to d(n) = (n - 1) * dilation + 1 (0 stays 0) and padded
 * on both sides, holds (padded - d(w)) / stride + 1 windows of size w. */
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_verify.h"
#include "support/strbuf.h"

enum { CAPACITY = STABLEHLO_MAX_RANK, MANY = STABLEHLO_MAX_VALUES };

#define FAIL(...) ir_error(op->ctx, op->loc, __VA_ARGS__)

typedef struct window {
    size_t n;
    struct {
        int64_t size, stride, base, dilation, low, high;
    } dim[CAPACITY];
} window;

static const char *text(ir_op *op, ir_type type)
{
    return ir_type_text(op->ctx, type);
}

static bool put_list(tw_strbuf *out, const int64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        if (values[i] == IR_DYNAMIC)
            tw_strbuf_putc(out, '?');
        else
            tw_strbuf_printf(out, "%lld", (long long)values[i]);
    }
    return false;
}

/* ---- attributes --------------------------------------------------------------------- */

typedef struct factors {
    int64_t at[CAPACITY];
    size_t n;
} factors;

static bool read_factors(ir_op *op, const char *name, const char *what, size_t size,
                         factors *out)
{
    ir_attr list = ir_op_attr(op, name);
    int64_t n = list ? ir_attr_ints(list, out->at, CAPACITY) : 0;
    out->n = n < 0 ? 0 : (size_t)n;
    if (out->n == 0 || out->n == size)
        return true;
    return FAIL("expects %s to have same dimension-size as size of window dimensions "
                "(%zu), but got: %zu.",
                what, size, out->n);
}

static bool check_padding_shape(ir_op *op)
{
    ir_attr padding = ir_op_attr(op, "padding");
    if (!ir_attr_is(padding, IR_ATTR_DENSE) ||
        (padding->type->count == 2 && padding->type->dims[1] == 2))
        return true;
    tw_strbuf shape = {0};
    put_list(&shape, padding->type->dims, padding->type->count);
    FAIL("expects the shape of padding-attribute to be {N, 2}, but got {%s}.",
         tw_strbuf_text(&shape));
    tw_strbuf_free(&shape);
    return false;
}

static bool read_padding(ir_op *op, size_t size, window *w)
{
    int64_t pairs[2 * CAPACITY];
    ir_attr padding = ir_op_attr(op, "padding");
    int64_t n = op->def == STABLEHLO_OP(dynamic_conv)
                    ? stablehlo_ints(op->operands[2].value, pairs, 2 * CAPACITY)
                : ir_attr_is(padding, IR_ATTR_DENSE)
                    ? ir_attr_ints(padding, pairs, 2 * CAPACITY)
                    : 0;
    if (n > 2 * CAPACITY)
        n = 0;
    if (n > 0 && (size_t)n / 2 != size)
        return FAIL("expects padding-entries to have same dimension-size as size of window "
                    "dimensions (%zu), but got: %lld.",
                    size, (long long)n / 2);
    for (size_t i = 0; i < size; i++) {
        w->dim[i].low = n > 0 ? pairs[2 * i] : 0;
        w->dim[i].high = n > 0 ? pairs[2 * i + 1] : 0;
    }
    return true;
}

static bool check_positive(ir_op *op, const char *what, size_t i, int64_t value)
{
    return value > 0 || FAIL("expects window to have positive %s for %zu-th window "
                             "dimension, but got %lld.",
                             what, i, (long long)value);
}

/* Reads the window attributes; those for dilations have other names in some operations. */
static bool read_window(ir_op *op, const int64_t *sizes, size_t n, const char *base_name,
                        const char *dilation_name, window *w)
{
    factors strides, bases, dilations, reversal;
    if (!read_factors(op, "window_strides", "window-strides", n, &strides) ||
        !read_factors(op, base_name, "base-dilation factors", n, &bases) ||
        !read_factors(op, dilation_name, "window-dilation factors", n, &dilations) ||
        !read_padding(op, n, w) ||
        !read_factors(op, "window_reversal", "window-reversal", n, &reversal))
        return false;
    w->n = n;
    for (size_t i = 0; i < n; i++) {
        w->dim[i].size = sizes[i];
        w->dim[i].stride = strides.n ? strides.at[i] : 1;
        w->dim[i].base = bases.n ? bases.at[i] : 1;
        w->dim[i].dilation = dilations.n ? dilations.at[i] : 1;
        if ((sizes[i] != IR_DYNAMIC && !check_positive(op, "value", i, sizes[i])) ||
            !check_positive(op, "stride", i, w->dim[i].stride) ||
            !check_positive(op, "base dilation factor", i, w->dim[i].base) ||
            !check_positive(op, "window dilation factor", i, w->dim[i].dilation))
            return false;
    }
    return true;
}

/* Sizes beyond 64 bits are the largest that 64 bits hold. */
static int64_t dilated(int64_t size, int64_t factor)
{
    int64_t n;
    if (size <= 0)
        return 0;
    if (__builtin_mul_overflow(size - 1, factor, &n) || n == INT64_MAX)
        return INT64_MAX;
    return n + 1;
}

static int64_t padded(int64_t size, int64_t low, int64_t high)
{
    int64_t padding, n;
    if (__builtin_add_overflow(low, high, &padding))
        return low < 0 ? 0 : INT64_MAX;
    return __builtin_add_overflow(size, padding, &n) ? INT64_MAX : n;
}

static int64_t window_count(const window *w, size_t i, int64_t base)
{
    if (base == IR_DYNAMIC || w->dim[i].size == IR_DYNAMIC)
        return IR_DYNAMIC;
    int64_t inside = padded(dilated(base, w->dim[i].base), w->dim[i].low, w->dim[i].high);
    int64_t size = dilated(w->dim[i].size, w->dim[i].dilation);
    return inside <= 0 || size > inside ? 0 : (inside - size) / w->dim[i].stride + 1;
}

/* ---- reduce_window ------------------------------------------------------------------ */

static bool reduce_window_of(ir_op *op, size_t n, window *w)
{
    int64_t sizes[CAPACITY];
    int64_t rank = ir_attr_ints(ir_op_attr(op, "window_dimensions"), sizes, CAPACITY);
    ir_type first = op->operands[0].value->type;
    for (size_t i = 1; i < n; i++)
        if (!stablehlo_shapes_fit(first, op->operands[i].value->type))
            return FAIL("expects all inputs to have compatible shapes. Shape at "
                        "input-index %zu is not compatible with shape at input-index 0",
                        i);
    if (!check_padding_shape(op))
        return false;
    for (size_t i = 0; i < n; i++) {
        ir_type type = op->operands[i].value->type;
        if (type->count != rank)
            return FAIL("expects window-dimensions size == input rank, but got "
                        "window-dimensions size: %lld and input: '%s' with rank = %u.",
                        (long long)rank, text(op, type), type->count);
    }
    return rank <= CAPACITY &&
           read_window(op, sizes, (size_t)rank, "base_dilations", "window_dilations", w);
}

static ir_type window_result(ir_op *op, const window *w, ir_type input, size_t i)
{
    int64_t dims[CAPACITY], bounds[CAPACITY];
    ir_op *end = stablehlo_end_of(op, 0);
    ir_type body = end && i < end->n_operands ? end->operands[i].value->type : NULL;
    ir_type element = body && ir_type_is_shaped(body) ? body->element : input->element;
    size_t n_bounds = stablehlo_bounds(input, bounds, CAPACITY);
    for (size_t k = 0; k < w->n; k++) {
        dims[k] = window_count(w, k, input->dims[k]);
        if (n_bounds)
            bounds[k] = window_count(w, k, bounds[k]);
    }
    return stablehlo_bounded(input, element, dims, w->n, bounds, n_bounds);
}

bool stablehlo_infer_reduce_window(ir_op *op, chk_types *out)
{
    ir_type inferred[MANY];
    size_t start, n;
    window w;
    if (!ir_op_operand_group(op, 0, &start, &n) || n > MANY)
        return true;
    if (n == 0)
        return FAIL("requires at least 1 input value");
    if (!reduce_window_of(op, n, &w))
        return false;
    for (size_t i = 0; i < n; i++)
        inferred[i] = window_result(op, &w, op->operands[i].value->type, i);
    return stablehlo_set_types(out, inferred, n);
}

bool stablehlo_verify_reduce_window(ir_op *op)
{
    ir_type inputs[MANY], inits[MANY];
    int64_t sizes[CAPACITY];
    size_t start, n;
    window w;
    if (!ir_op_operand_group(op, 0, &start, &n) || n > MANY || op->n_operands != 2 * n)
        return true;
    if (n == 0)
        return FAIL("requires at least 1 input value");
    if (!reduce_window_of(op, n, &w))
        return false;
    for (size_t i = 0; i < n; i++) {
        inputs[i] = op->operands[i].value->type;
        inits[i] = op->operands[n + i].value->type;
    }
    int64_t rank = ir_attr_ints(ir_op_attr(op, "window_dimensions"), sizes, CAPACITY);
    return stablehlo_check_reducer(op, 0, inputs, inits, n, sizes, (size_t)rank);
}

/* ---- select_and_scatter ------------------------------------------------------------- */

static bool check_select(ir_op *op, ir_type operand)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = stablehlo_end_of(op, 0);
    ir_type wanted = stablehlo_scalar(operand->element);
    if (!body || !end)
        return FAIL("expect non-empty region");
    if (body->n_args != 2)
        return FAIL("expects the select-region to take 2 parameters, but takes %u",
                    body->n_args);
    for (uint32_t i = 0; i < 2; i++) {
        ir_type arg = body->args[i]->type;
        if (!ir_type_is_shaped(arg) || !stablehlo_is_like(wanted, arg, true))
            return FAIL("expects the type of select-region's parameter at index %u to be "
                        "'%s', but got '%s'",
                        i, text(op, wanted), text(op, arg));
    }
    if (end->n_operands != 1)
        return FAIL("expects select-region to return single value, but got: %u",
                    end->n_operands);
    ir_type out = end->operands[0].value->type;
    if (!ir_type_is_tensor(out) || out->count || !ir_type_is_integer(out->element, 1))
        return FAIL("expects the return-type of select-region to be tensor<i1>, but got: "
                    "'%s'",
                    text(op, out));
    return true;
}

bool stablehlo_verify_select_and_scatter(ir_op *op)
{
    ir_type operand = op->operands[0].value->type, source = op->operands[1].value->type;
    ir_type init = op->operands[2].value->type, input = stablehlo_scalar(source->element);
    ir_attr dims = ir_op_attr(op, "window_dimensions");
    int64_t sizes[CAPACITY];
    window w;
    if (!check_select(op, operand) ||
        !stablehlo_check_reducer(op, 1, &input, &init, 1, NULL, 0))
        return false;
    int64_t rank = dims ? ir_attr_ints(dims, sizes, CAPACITY) : 0;
    if (operand->count != rank)
        return FAIL("expects window-dimensions size == operand rank, but got "
                    "window-dimensions size: %lld and operand-type: '%s' with rank = %u.",
                    (long long)rank, text(op, operand), operand->count);
    if (rank > CAPACITY || !check_padding_shape(op) ||
        !read_window(op, sizes, (size_t)rank, "", "", &w))
        return false;
    for (size_t i = 0; i < w.n; i++)
        sizes[i] = window_count(&w, i, operand->dims[i]);
    ir_type wanted = ir_tensor_type(operand->element, sizes, w.n, NULL);
    return stablehlo_is_like(wanted, source, true) ||
           FAIL("expects source-type to be '%s', but got'%s'", text(op, wanted),
                text(op, source));
}

/* ---- convolution -------------------------------------------------------------------- */

/* #stablehlo.conv: parameters in the order of the row. */
typedef struct side {
    int64_t
        dims[CAPACITY]; /* batch, feature, spatial ...; for kernels: input, output, ... */
    size_t n;
} side;

static side side_of(ir_attr numbers, size_t first)
{
    side s = {.n = 2};
    s.dims[0] = numbers->params[first]->value;
    s.dims[1] = numbers->params[first + 1]->value;
    ir_attr spatial = numbers->params[first + 2];
    for (uint32_t i = 0; i < spatial->count && s.n < CAPACITY; i++)
        s.dims[s.n++] = spatial->items[i]->value;
    return s;
}

static bool check_side(ir_op *op, const char *what, const side *s)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < i; k++)
            if (s->dims[i] == s->dims[k]) {
                tw_strbuf list = {0};
                put_list(&list, s->dims, s->n);
                FAIL("expects %s dimension-numbers to be unique, got {%s}.", what,
                     tw_strbuf_text(&list));
                tw_strbuf_free(&list);
                return false;
            }
    return true;
}

static bool check_numbers(ir_op *op, const side *in, const side *kernel, const side *out)
{
    const side *sides[] = {in, kernel, out};
    uint32_t rank = op->operands[0].value->type->count;
    if (in->n != kernel->n || in->n != out->n)
        return FAIL("expects the same size for input, kernel and output "
                    "spatial-dimensions, but got %zu, %zu, and %zu resp.",
                    in->n - 2, kernel->n - 2, out->n - 2);
    for (size_t s = 0; s < 3; s++)
        for (size_t i = 0; i < sides[s]->n; i++)
            if (sides[s]->dims[i] < 0 || sides[s]->dims[i] >= rank)
                return FAIL("expects input, kernel, and output dimension-numbers to be "
                            "in-range [0, %u).",
                            rank);
    return check_side(op, "input", in) && check_side(op, "kernel", kernel) &&
           check_side(op, "output", out);
}

static bool check_groups(ir_op *op, const side *in, const side *kernel)
{
    ir_type lhs = op->operands[0].value->type, rhs = op->operands[1].value->type;
    int64_t features = ir_op_int(op, "feature_group_count", 1);
    int64_t batches = ir_op_int(op, "batch_group_count", 1);
    int64_t batch = lhs->dims[in->dims[0]], feature = lhs->dims[in->dims[1]];
    int64_t kernel_in = rhs->dims[kernel->dims[0]], kernel_out = rhs->dims[kernel->dims[1]];
    if (batches > 1 && features > 1)
        return FAIL("expects batch_group_count and feature_group_count not to be both "
                    "greater than 1. Got %lld and %lld resp.",
                    (long long)batches, (long long)features);
    if (batches < 1 || features < 1)
        return true; /* covered by the attributes' constraints */
    if (batch != IR_DYNAMIC && batch % batches)
        return FAIL("expects input batch dimension (%lld) to be divisible by "
                    "batch_group_count. Got batch_group_count = %lld.",
                    (long long)batch, (long long)batches);
    if (feature != IR_DYNAMIC && feature % features)
        return FAIL("expects input feature dimension (%lld) to be a multiple of "
                    "feature_group_count. Got feature_group_count = %lld.",
                    (long long)feature, (long long)features);
    if (feature != IR_DYNAMIC && kernel_in != IR_DYNAMIC && feature / features != kernel_in)
        return FAIL("expects input feature dimension (%lld) / feature_group_count = kernel "
                    "input feature dimension (%lld). Got feature_group_count = %lld.",
                    (long long)feature, (long long)kernel_in, (long long)features);
    if (kernel_out != IR_DYNAMIC && kernel_out % batches)
        return FAIL("expects output feature dimension size (%lld) to be a multiple of "
                    "batch_group_count. Got batch_group_count = %lld.",
                    (long long)kernel_out, (long long)batches);
    if (kernel_out != IR_DYNAMIC && kernel_out % features)
        return FAIL("expects kernel output feature dimension (%lld) to be divisible by "
                    "feature_group_count. For feature_group_count = %lld.",
                    (long long)kernel_out, (long long)features);
    ir_attr precision = ir_op_attr(op, "precision_config");
    if (precision && precision->count > 2)
        return FAIL("expects precision config to be empty or have <= 2 elements, got %u",
                    precision->count);
    return true;
}

static bool check_arguments(ir_op *op)
{
    ir_type lhs = op->operands[0].value->type, rhs = op->operands[1].value->type;
    if (lhs->count < 2)
        return FAIL("expects convolution arguments to have >= 2 dimensions. Got: '%s' and "
                    "'%s'.",
                    text(op, lhs), text(op, rhs));
    if (lhs->count != rhs->count)
        return FAIL("expects convolution arguments to have same number of dimensions. Got: "
                    "'%s' and '%s'.",
                    text(op, lhs), text(op, rhs));
    if (!stablehlo_is_quantized(lhs->element) && !stablehlo_is_quantized(rhs->element) &&
        lhs->element != rhs->element)
        return FAIL("expects lhs and rhs to have compatible element type. Got: '%s' and "
                    "'%s'",
                    text(op, lhs->element), text(op, rhs->element));
    return true;
}

static bool check_result(ir_op *op, const int64_t *dims, size_t n)
{
    ir_type result = op->results[0].type;
    bool fit = ir_type_is_tensor(result) && result->count == n;
    for (size_t i = 0; fit && i < n; i++)
        fit = stablehlo_sizes_fit(dims[i], result->dims[i]);
    if (fit)
        return true;
    tw_strbuf shape = {0};
    put_list(&shape, dims, n);
    FAIL("inferred shape '[%s]' is incompatible with return type of operation '%s'",
         tw_strbuf_text(&shape), text(op, result));
    tw_strbuf_free(&shape);
    return false;
}

/* Checks shared by both kinds of convolution, before padding. */
static bool check_convolution(ir_op *op, side *in, side *kernel, side *out)
{
    ir_attr numbers = ir_op_attr(op, "dimension_numbers");
    ir_type lhs = op->operands[0].value->type;
    *in = side_of(numbers, 0);
    *kernel = side_of(numbers, 3);
    *out = side_of(numbers, 6);
    if (!check_arguments(op) || !check_numbers(op, in, kernel, out) ||
        !check_groups(op, in, kernel))
        return false;
    return lhs->count == in->n ||
           FAIL("expects convolution arguments to have %zu dimensions. Got: %u", in->n,
                lhs->count);
}

static bool read_kernel(ir_op *op, const side *kernel, window *w)
{
    int64_t sizes[CAPACITY];
    for (size_t i = 2; i < kernel->n; i++)
        sizes[i - 2] = op->operands[1].value->type->dims[kernel->dims[i]];
    return read_window(op, sizes, kernel->n - 2, "lhs_dilation", "rhs_dilation", w);
}

static bool is_too_large(const ir_op *op)
{
    ir_attr numbers = ir_op_attr(op, "dimension_numbers");
    return !ir_attr_is(numbers, IR_ATTR_DIALECT) || numbers->count < 9 ||
           op->operands[0].value->type->count > CAPACITY;
}

/* Computes the result shape; false after an error. */
static bool convolution_shape(ir_op *op, int64_t *dims, size_t *out_n)
{
    ir_type lhs = op->operands[0].value->type, rhs = op->operands[1].value->type;
    side in, kernel, out;
    window w;
    if (!check_convolution(op, &in, &kernel, &out) || !check_padding_shape(op) ||
        !read_kernel(op, &kernel, &w))
        return false;
    int64_t batch = lhs->dims[in.dims[0]], groups = ir_op_int(op, "batch_group_count", 1);
    for (size_t i = 2; i < out.n; i++)
        dims[out.dims[i]] = window_count(&w, i - 2, lhs->dims[in.dims[i]]);
    dims[out.dims[0]] = batch == IR_DYNAMIC ? batch : batch / TW_MAX(groups, 1);
    dims[out.dims[1]] = rhs->dims[kernel.dims[1]];
    *out_n = out.n;
    return true;
}

bool stablehlo_verify_convolution(ir_op *op)
{
    int64_t dims[CAPACITY];
    size_t n;
    return is_too_large(op) ||
           (convolution_shape(op, dims, &n) && check_result(op, dims, n));
}

bool stablehlo_infer_convolution(ir_op *op, chk_types *out)
{
    int64_t dims[CAPACITY];
    size_t n;
    if (is_too_large(op))
        return true;
    if (!convolution_shape(op, dims, &n))
        return false;
    ir_type type = ir_tensor_type(ir_type_element(op->results[0].type), dims, n, NULL);
    return stablehlo_set_types(out, &type, 1);
}

bool stablehlo_verify_dynamic_conv(ir_op *op)
{
    ir_type padding = op->operands[2].value->type;
    side in, kernel, out;
    window w;
    if (is_too_large(op))
        return true;
    if (!check_convolution(op, &in, &kernel, &out))
        return false;
    long long spatial = (long long)in.n - 2;
    if (padding->count != 2)
        return FAIL("expects padding to be of rank 2 but got %u", padding->count);
    if (padding->dims[0] != spatial || padding->dims[1] != 2)
        return FAIL("expects padding to be of shape [%lld, 2], but got [%lld, %lld]",
                    spatial, (long long)padding->dims[0], (long long)padding->dims[1]);
    ir_op *producer = ir_value_def(op->operands[2].value);
    return !producer || !(producer->def->traits & IR_CONSTANT_LIKE) ||
           read_kernel(op, &kernel, &w);
}
