/* stablehlo_collectives.c: verifies collectives. */
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_hooks.h"
#include "stablehlo/stablehlo_verify.h"

#include <stdlib.h>

enum { CAPACITY = STABLEHLO_MAX_RANK, MANY = STABLEHLO_MAX_VALUES };

#define FAIL(...) ir_error(op->ctx, op->loc, __VA_ARGS__)

/* ---- replica groups ----------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The ids in the order of the attribute; NULL if there are none to check. */
static int64_t *read_ids(ir_op *op, size_t *out_n)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    int64_t n = ir_attr_is(groups, IR_ATTR_DENSE) ? ir_attr_ints(groups, NULL, 0) : 0;
    if (n <= 0)
        return NULL;
    int64_t *ids = tw_xmalloc((size_t)n * sizeof *ids);
    ir_attr_ints(groups, ids, (size_t)n);
    *out_n = (size_t)n;
    return ids;
}

typedef struct placed_id {
    int64_t id;
    size_t at;
} placed_id;

static int compare_placed(const void *a, const void *b)
{
    const placed_id *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id)
                          : (x->at > y->at) - (x->at < y->at);
}

/* The first id that repeats an earlier one; -1 if all differ. */
static int64_t first_seen_twice(const int64_t *ids, size_t n)
{
    placed_id *sorted = tw_xmalloc((n + 1) * sizeof *sorted);
    size_t first = n;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (placed_id){ids[i], i};
    qsort(sorted, n, sizeof *sorted, compare_placed);
    for (size_t i = 1; i < n; i++)
        if (sorted[i].id == sorted[i - 1].id && sorted[i].id != -1)
            first = TW_MIN(first, sorted[i].at);
    free(sorted);
    return first < n ? ids[first] : -1;
}

static bool check_ids(ir_op *op, const int64_t *ids, size_t n, bool same_size)
{
    size_t kept = 0;
    int64_t *present = tw_xmalloc((n + 1) * sizeof *present), missing = -1;
    int64_t twice = first_seen_twice(ids, n);
    bool hole = false;
    for (size_t i = 0; i < n; i++) {
        hole |= ids[i] == -1;
        if (ids[i] != -1)
            present[kept++] = ids[i];
    }
    qsort(present, kept, sizeof *present, compare_ids);
    for (int64_t id = 0; missing < 0 && id < (int64_t)kept; id++)
        if (!bsearch(&id, present, kept, sizeof *present, compare_ids))
            missing = id;
    free(present);
    if (hole && same_size)
        return FAIL("Invalid replica id -1");
    if (twice >= 0)
        return FAIL("replica id #%lld seen more than once", (long long)twice);
    return missing < 0 ||
           FAIL("replica id #%lld not seen in replica groups", (long long)missing);
}

/* Replica groups by mesh axes must name an existing mesh. */
bool stablehlo_verify_groups(ir_op *op)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    bool axes = ir_attr_is(groups, IR_ATTR_DIALECT) &&
                groups->def == STABLEHLO_ATTR(replica_group_mesh_axes);
    ir_attr mesh = axes ? groups->params[0] : NULL;
    if (!ir_attr_is(mesh, IR_ATTR_SYMBOL_REF) || ir_symbol_resolve(op, mesh))
        return true;
    tw_str name = ir_symbol_leaf(mesh);
    return ir_op_error(op, "replica_groups: mesh symbol '%.*s' not found", (int)name.size,
                       name.data);
}

/* `size`: required size of every group, -1 for any. */
static bool check_groups(ir_op *op, bool same_size, bool global, int64_t size)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    if (!ir_attr_is(groups, IR_ATTR_DENSE))
        return true;
    ir_type type = groups->type;
    if (type->count != 2)
        return FAIL("replica groups should be a rank 2 tensor");
    if (global && (type->dims[0] == 0 || type->dims[1] == 0))
        return FAIL(
            "if `use_global_device_ids` is set, the replica groups cannot be empty");
    size_t n = 0;
    int64_t *ids = read_ids(op, &n);
    bool ok = !ids || check_ids(op, ids, n, same_size);
    free(ids);
    if (ok && same_size && size >= 0 && (type->dims[0] == 0 || type->dims[1] != size))
        return FAIL("group size of replica_groups must be %lld", (long long)size);
    return ok;
}

static bool is_global(const ir_op *op)
{
    return ir_op_bool(op, "use_global_device_ids");
}

static int64_t channel_of(const ir_op *op)
{
    ir_attr handle = ir_op_attr(op, "channel_handle");
    return ir_attr_is(handle, IR_ATTR_DIALECT) ? handle->params[0]->value : 0;
}

static bool check_channel(ir_op *op)
{
    return !is_global(op) || channel_of(op) > 0 ||
           FAIL("channel_id must be positive when useGlobalDeviceIds is set but got: %lld",
                (long long)channel_of(op));
}

/* The computation reduces elements of each operand's type. */
static bool check_computation(ir_op *op, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ir_type input = op->operands[i].value->type;
        ir_type init = stablehlo_scalar(input->element);
        if (!stablehlo_check_reducer(op, 0, &input, &init, 1, NULL, 0))
            return false;
    }
    return true;
}

/* ---- operations --------------------------------------------------------------------- */

bool stablehlo_verify_all_reduce(ir_op *op)
{
    return check_groups(op, false, is_global(op), -1) && check_channel(op) &&
           check_computation(op, op->n_operands);
}

/* Results have the operands' shapes with the computation's element types. */
bool stablehlo_infer_collective_result(ir_op *op, chk_types *out)
{
    ir_type inferred[MANY];
    ir_op *end = stablehlo_end_of(op, 0);
    uint32_t n = op->n_operands - (ir_op_bool(op, "has_dynamic_root") && op->n_operands);
    if (n > MANY)
        return true;
    for (uint32_t i = 0; i < n; i++) {
        ir_type body = end && end->n_operands ? end->operands[0].value->type : NULL;
        inferred[i] = op->operands[i].value->type;
        if (body && ir_type_is_shaped(body))
            inferred[i] = ir_type_with_element(inferred[i], body->element);
    }
    return stablehlo_set_types(out, inferred, n);
}

static bool check_gathered(ir_op *op, int64_t dim, ir_type operand, ir_type result)
{
    if (dim >= operand->count)
        return FAIL("all_gather_dim must be a valid index of operand");
    if (dim >= 0 && operand->dims[dim] == 0)
        return FAIL("dimension size of operand at 'all_gather_dim' cannot be zero");
    if (result->count != operand->count)
        return FAIL("operand and result must have the same rank");
    for (uint32_t i = 0; i < operand->count; i++)
        if (i != dim && !stablehlo_sizes_fit(operand->dims[i], result->dims[i]))
            return FAIL("operand and result should have the same shape except for the "
                        "dimension size at 'all_gather_dim'");
    if (dim < 0 || operand->dims[dim] == IR_DYNAMIC || result->dims[dim] == IR_DYNAMIC)
        return true;
    return result->dims[dim] % operand->dims[dim] == 0 ||
           FAIL("result gather dimension has size %lld, expected to be a multiple of "
                "operand gather dimension size %lld",
                (long long)result->dims[dim], (long long)operand->dims[dim]);
}

bool stablehlo_verify_all_gather(ir_op *op)
{
    int64_t dim = ir_op_int(op, "all_gather_dim", 0);
    if (!check_groups(op, true, is_global(op), -1))
        return false;
    if (is_global(op) && channel_of(op) < 0)
        return FAIL("channel_id cannot be negative when useGlobalDeviceIds is set");
    for (uint32_t i = 0; i < op->n_operands && i < op->n_results; i++)
        if (!check_gathered(op, dim, op->operands[i].value->type, op->results[i].type))
            return false;
    return true;
}

bool stablehlo_infer_all_to_all(ir_op *op, chk_types *out)
{
    ir_type inferred[MANY];
    int64_t split = ir_op_int(op, "split_dimension", 0);
    int64_t concat = ir_op_int(op, "concat_dimension", 0);
    int64_t count = ir_op_int(op, "split_count", 1);
    if (op->n_operands > MANY || count <= 0)
        return true;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        int64_t dims[CAPACITY], bounds[CAPACITY];
        ir_type type = op->operands[i].value->type;
        size_t n = type->count, n_bounds = stablehlo_bounds(type, bounds, CAPACITY);
        if (n > CAPACITY || split < 0 || concat < 0 || split >= (int64_t)n ||
            concat >= (int64_t)n)
            return true;
        memcpy(dims, type->dims, n * sizeof *dims);
        for (int k = 0; k < (n_bounds == n ? 2 : 1); k++) {
            int64_t *list = k ? bounds : dims;
            if (list[split] != IR_DYNAMIC)
                list[split] /= count;
            if (list[concat] != IR_DYNAMIC)
                list[concat] *= count;
        }
        inferred[i] = stablehlo_bounded(type, type->element, dims, n, bounds, n_bounds);
    }
    return stablehlo_set_types(out, inferred, op->n_operands);
}

bool stablehlo_check_all_to_all_groups(ir_op *op)
{
    return check_groups(op, true, false, ir_op_int(op, "split_count", 1));
}

/* With a dynamic root, the last operand identifies the sender. */
static bool check_root(ir_op *op, const char *name)
{
    bool dynamic = ir_op_bool(op, "has_dynamic_root");
    if (!dynamic)
        return op->n_operands || FAIL("%s requires at least one data operand", name);
    if (op->n_operands < 2)
        return FAIL("%s with has_dynamic_root=true requires at least two operands (data + "
                    "root)",
                    name);
    ir_type root = op->operands[op->n_operands - 1].value->type;
    if (!ir_type_is_tensor(root) || root->count != 1 ||
        !ir_type_is_signless(root->element, 32))
        return FAIL("last operand of %s with has_dynamic_root=true must be a rank-1 i32 "
                    "tensor, but got '%s'",
                    name, ir_type_text(op->ctx, root));
    return root->dims[0] == op->n_operands - 1 ||
           FAIL("last operand of %s with has_dynamic_root=true must have the same number "
                "of elements as data operands (%u), but got %lld",
                name, op->n_operands - 1, (long long)root->dims[0]);
}

bool stablehlo_verify_collective_broadcast(ir_op *op)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    size_t n = 0;
    if (ir_attr_is(groups, IR_ATTR_DENSE) && groups->type->count != 2)
        return FAIL("replica groups should be a rank 2 tensor,but instead it is of rank %u",
                    groups->type->count);
    int64_t *ids = read_ids(op, &n), negative = 0;
    int64_t twice = ids ? first_seen_twice(ids, n) : -1;
    for (size_t i = 0; ids && negative == 0 && i < n; i++)
        negative = ids[i] < 0 ? ids[i] : 0;
    free(ids);
    if (negative)
        return FAIL("replica_groups values must be positive, but was given %lld",
                    (long long)negative);
    if (twice >= 0)
        return FAIL("replica id #%lld seen more than once", (long long)twice);
    return check_root(op, "collective_broadcast");
}

bool stablehlo_verify_collective_reduce(ir_op *op)
{
    return check_groups(op, false, is_global(op), -1) && check_channel(op) &&
           check_root(op, "collective_reduce") &&
           check_computation(op,
                             op->n_operands - (ir_op_bool(op, "has_dynamic_root") ? 1 : 0));
}

static bool check_scattered(ir_op *op, int64_t dim, ir_type operand, ir_type result)
{
    int64_t from = operand->dims[dim], to = result->dims[dim];
    if (from == IR_DYNAMIC || to == IR_DYNAMIC)
        return true;
    if (to == 0)
        return FAIL("result dimension size at scatter_dimension cannot be zero");
    if (from == 0)
        return FAIL("operand dimension size at scatter_dimension cannot be zero");
    if (from % to)
        return FAIL("operand scatter dimension has size %lld, expected to be a multiple of "
                    "result scatter dimension size %lld",
                    (long long)from, (long long)to);
    for (uint32_t i = 0; i < operand->count; i++)
        if (i != dim && !stablehlo_sizes_fit(operand->dims[i], result->dims[i]))
            return FAIL("non scatter dimensions should be same for operand (%lld) and "
                        "result (%lld)",
                        (long long)operand->dims[i], (long long)result->dims[i]);
    ir_op *end = stablehlo_end_of(op, 0);
    ir_type made = end->operands[0].value->type->element;
    return result->element == made ||
           FAIL("result element-type is expected to be '%s', but got '%s'",
                ir_type_text(op->ctx, made), ir_type_text(op->ctx, result->element));
}

bool stablehlo_verify_reduce_scatter(ir_op *op)
{
    ir_type operand = op->operands[0].value->type, result = op->results[0].type;
    int64_t dim = ir_op_int(op, "scatter_dimension", 0);
    if (!check_groups(op, true, is_global(op), -1) || !check_computation(op, 1))
        return false;
    if (operand->count != result->count)
        return FAIL("operand and result should have same rank");
    if (dim >= operand->count)
        return FAIL("scatter dim should be less than operand/result rank");
    return check_channel(op) && (dim < 0 || check_scattered(op, dim, operand, result));
}
