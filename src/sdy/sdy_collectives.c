/* sdy_collectives.c: verifies sdy's collectives: applying their axes to the operand's
 * sharding must give the result's. */
#include "sdy/sdy.h"
#include "sdy/sdy_verify.h"
#include "support/strbuf.h"

/* The shardings that a collective relates. */
typedef struct collective {
    ir_op *op;
    sdy_location at;
    ir_attr from, to; /* of the operand (replicated if absent) and the result */
    ir_attr mesh;
} collective;

static ir_attr dims_of(ir_attr sharding)
{
    return sharding->params[1];
}

static ir_attr axes_of(ir_attr sharding, size_t dim)
{
    return dims_of(sharding)->items[dim]->params[0];
}

static bool mesh_note(const collective *c, ir_attr mesh)
{
    ir_op *op = c->op;
    ir_note(op->ctx, ir_value_loc(op->operands[0].value), "operand mesh: %s",
            ir_attr_text(op->ctx, mesh));
    return false;
}

/* Common checks.  `out` is complete even after an error. */
static bool begin(ir_op *op, bool may_lack, bool other_mesh, collective *out)
{
    ir_attr from = sdy_sharding_of(op->operands[0].value);
    ir_attr to = ir_op_attr(op, "out_sharding");
    *out = (collective){.op = op, .at = {op, ""}, .to = to};
    if (!may_lack && !from)
        return ir_op_error(op, "collective on operand without sharding");
    if (!sdy_check_sharding(&out->at, to, op->results[0].type))
        return false;
    out->mesh = sdy_mesh_of(op, to);
    out->from =
        from ? from : sdy_replicated(op->ctx, to->params[0], sdy_sharding_rank(to), false);
    ir_attr mesh = from ? sdy_mesh_of(op, from) : NULL;
    if (!other_mesh && mesh && mesh != out->mesh) {
        ir_op_error(op, "result mesh does not match operand mesh");
        return mesh_note(out, mesh);
    }
    if (from && sdy_sharding_rank(to) != sdy_sharding_rank(from))
        return ir_op_error(op,
                           "result sharding has rank %u but operand sharding has rank %u",
                           sdy_sharding_rank(to), sdy_sharding_rank(from));
    return true;
}

/* ---- axes of one dimension ---------------------------------------------------------- */

/* Removes the axes from the end of a dimension's; reports those that are not there. */
static bool gather(const collective *c, ir_attr axes, ir_attr taken, size_t dim,
                   const char *kind, sdy_axes *out)
{
    char text[128];
    out->n = 0;
    if (!sdy_axes_add_all(out, axes))
        return false;
    for (uint32_t i = sdy_length(taken); i-- > 0;) {
        ir_attr axis = taken->items[i], last = out->n ? out->at[out->n - 1] : NULL;
        if (!last || !sdy_axis_is_suffix(axis, last, c->mesh))
            return sdy_fail(&c->at,
                            "can't apply %s axis %s to operand sharding on dimension %zu",
                            kind, sdy_axis_text(axis, text), dim);
        ir_attr rest = sdy_axis_before(last, axis);
        out->n--;
        if (rest)
            sdy_axes_add(out, rest);
    }
    return true;
}

static bool slice(const collective *c, ir_attr axes, ir_attr added, sdy_axes *out)
{
    out->n = 0;
    if (!sdy_axes_add_all(out, axes))
        return false;
    for (uint32_t i = 0; i < sdy_length(added); i++)
        if (!sdy_axes_add_joined(out, added->items[i], c->mesh))
            return false;
    return true;
}

static bool check_dim(const collective *c, const sdy_axes *wanted, size_t dim)
{
    if (sdy_axes_equal(wanted, axes_of(c->to, dim)))
        return true;
    tw_strbuf text = {0};
    char axis[128];
    for (size_t i = 0; i < wanted->n; i++)
        tw_strbuf_printf(&text, "%s%s", i ? ", " : "", sdy_axis_text(wanted->at[i], axis));
    sdy_fail(&c->at,
             "result sharding doesn't match expected sharding [%s] on dimension %zu",
             tw_strbuf_text(&text), dim);
    tw_strbuf_free(&text);
    return false;
}

/* Checks collectives with a list of axes per dimension.  `kind` NULL: axes are added. */
static bool check_per_dim(const collective *c, ir_attr lists, const char *kind)
{
    sdy_axes seen = {.n = 0}, wanted = {.n = 0};
    ir_attr per_dim = lists->params[0];
    for (uint32_t i = 0; i < sdy_length(per_dim); i++)
        if (!sdy_check_axes(&c->at, c->mesh, per_dim->items[i]->params[0], &seen))
            return false;
    if (sdy_sharding_rank(c->to) != sdy_length(per_dim))
        return sdy_fail(&c->at,
                        "result sharding has rank %u but collective axes has rank %u",
                        sdy_sharding_rank(c->to), sdy_length(per_dim));
    for (uint32_t i = 0; i < sdy_length(per_dim); i++) {
        ir_attr axes = per_dim->items[i]->params[0];
        bool ok = kind ? gather(c, axes_of(c->from, i), axes, i, kind, &wanted)
                       : slice(c, axes_of(c->from, i), axes, &wanted);
        if (!ok || !check_dim(c, &wanted, i))
            return false;
    }
    return true;
}

bool sdy_verify_all_gather(ir_op *op)
{
    collective c;
    return begin(op, false, false, &c) &&
           check_per_dim(&c, ir_op_attr(op, "gathering_axes"), "gathering");
}

bool sdy_verify_all_slice(ir_op *op)
{
    collective c;
    return begin(op, true, false, &c) &&
           check_per_dim(&c, ir_op_attr(op, "slicing_axes"), NULL);
}

/* ---- unreduced axes ----------------------------------------------------------------- */

static tw_str reduction_of(ir_attr op)
{
    const ir_enum_case *c = ir_enum_by_value(&sdy_enum_ReductionOp, ir_attr_int(op, 0));
    return tw_str_from(c ? c->text : "?");
}

/* The axes of `a` without the parts that overlap with `b`. */
static void without(ir_attr a, ir_attr b, ir_attr mesh, sdy_axes *out)
{
    out->n = 0;
    for (uint32_t i = 0; i < sdy_length(a); i++) {
        ir_attr axis = a->items[i];
        while (axis) {
            ir_attr first = NULL;
            for (uint32_t k = 0; k < sdy_length(b); k++)
                if (sdy_axes_overlap(b->items[k], axis) &&
                    (!first || sdy_compare_axes(mesh, b->items[k], first) < 0))
                    first = b->items[k];
            ir_attr before = first ? sdy_axis_before(axis, first) : axis;
            if (before)
                sdy_axes_add(out, before);
            axis = first ? sdy_axis_after(axis, first, mesh) : NULL;
        }
    }
}

static bool check_change(ir_op *op, ir_attr sharding, const sdy_axes *changed,
                         const char *verb, const char *wanted)
{
    tw_str found = reduction_of(sharding->params[4]);
    bool any = false;
    for (size_t i = 0; i < changed->n; i++)
        any |= sdy_axes_any_overlap(sharding->params[3], changed->at[i]);
    return !any || tw_str_is(found, wanted) ||
           ir_op_error(op, "cannot %s '%.*s' unreduced axes. Expected '%s'.", verb,
                       (int)found.size, found.data, wanted);
}

bool sdy_check_unreduced(ir_op *op, ir_attr from, ir_attr to, const char *introduced,
                         const char *removed)
{
    ir_attr a = from->params[3], b = to->params[3], mesh = sdy_mesh_of(op, to);
    ir_attr other = sdy_mesh_of(op, from);
    sdy_axes changed = {.n = 0};
    mesh = mesh ? mesh : other;
    if (!mesh || (other && other != mesh))
        return true;
    without(b, a, mesh, &changed);
    if (changed.n && !introduced) {
        tw_str name = sdy_axis_name(changed.at[0]);
        return ir_op_error(op, "cannot add new unreduced axis '%.*s'.", (int)name.size,
                           name.data);
    }
    if (changed.n && !check_change(op, to, &changed, "introduce", introduced))
        return false;
    without(a, b, mesh, &changed);
    if (changed.n && !removed) {
        tw_str name = sdy_axis_name(changed.at[0]);
        return ir_op_error(
            op,
            "dropped unreduced axis '%.*s' without a blessed operation (e.g., "
            "sdy.reshard). This is an invalid transition from unreduced to "
            "reduced.",
            (int)name.size, name.data);
    }
    if (changed.n && !check_change(op, from, &changed, "reduce", removed))
        return false;
    tw_str before = reduction_of(from->params[4]), after = reduction_of(to->params[4]);
    for (uint32_t i = 0; i < sdy_length(b); i++)
        if (sdy_axes_any_overlap(a, b->items[i]) && !tw_str_equal(before, after))
            return ir_op_error(
                op,
                "cannot change the reduction operator of kept unreduced axes "
                "from %.*s to %.*s.",
                (int)before.size, before.data, (int)after.size, after.data);
    return true;
}

static bool overlaps_dims(ir_attr sharding, ir_attr axis)
{
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++)
        if (sdy_axes_any_overlap(axes_of(sharding, i), axis))
            return true;
    return false;
}

bool sdy_verify_all_reduce(ir_op *op)
{
    collective c;
    sdy_axes seen = {.n = 0};
    char text[128];
    if (!begin(op, true, false, &c))
        return false;
    ir_attr axes = ir_op_attr(op, "reduction_axes")->params[0];
    if (!sdy_shardings_equal(c.from, c.to, true))
        return ir_op_error(op, "operand and result shardings are not equivalent");
    if (!sdy_check_sorted_axes(&c.at, c.mesh, axes, "reduction", &seen))
        return false;
    for (uint32_t i = 0; i < sdy_length(axes); i++) {
        ir_attr axis = axes->items[i];
        sdy_axis_text(axis, text);
        if (overlaps_dims(c.from, axis) || sdy_axes_any_overlap(c.from->params[2], axis))
            return ir_op_error(
                op,
                "reduction axis %s overlaps with operand dimension sharding or "
                "replicated axes",
                text);
        if (sdy_axes_any_overlap(c.to->params[3], axis))
            return ir_op_error(op, "reduction axis %s overlaps with result unreduced axes",
                               text);
    }
    return sdy_check_unreduced(op, c.from, c.to, NULL,
                               reduction_of(ir_op_attr(op, "reduction_op")).data);
}

bool sdy_verify_reduce_scatter(ir_op *op)
{
    collective c;
    return begin(op, true, false, &c) &&
           sdy_check_unreduced(op, c.from, c.to, NULL,
                               reduction_of(ir_op_attr(op, "reduction_op")).data) &&
           check_per_dim(&c, ir_op_attr(op, "reduce_scatter_axes"), NULL);
}

static bool check_sum(ir_op *op, const collective *c)
{
    return tw_str_is(reduction_of(c->to->params[4]), "sum") ||
           ir_op_error(op, "out_sharding reduction_op must be SUM");
}

/* True if the result's unreduced axes are those of the operand and the added ones. */
static bool waits_for(const collective *c, sdy_axes *added)
{
    sdy_axes_add_all(added, c->from->params[3]);
    sdy_axes_sort(added, c->mesh);
    return sdy_axes_equal(added, c->to->params[3]);
}

bool sdy_verify_sharded_to_unreduced(ir_op *op)
{
    collective c;
    sdy_axes added = {.n = 0};
    if (!begin(op, false, false, &c) || !check_sum(op, &c) ||
        !check_per_dim(&c, ir_op_attr(op, "axes"), "shard-to-unreduce"))
        return false;
    ir_attr per_dim = ir_op_attr(op, "axes")->params[0];
    for (uint32_t i = 0; i < sdy_length(per_dim); i++)
        sdy_axes_add_all(&added, per_dim->items[i]->params[0]);
    return waits_for(&c, &added) ||
           ir_op_error(op, "out_unreduced_axes should be in_unreduced_axes + "
                           "sharded_to_unreduced_axes");
}

bool sdy_verify_replicated_to_unreduced(ir_op *op)
{
    collective c;
    sdy_axes seen = {.n = 0}, added = {.n = 0};
    char text[128];
    if (!begin(op, false, false, &c) || !check_sum(op, &c))
        return false;
    if (dims_of(c.from) != dims_of(c.to))
        return ir_op_error(op, "input and output must share the same dimension shardings");
    ir_attr axes = ir_op_attr(op, "axes")->params[0];
    if (sdy_length(axes) == 0)
        return ir_op_error(op, "r2u axes must not be empty");
    if (!sdy_check_sorted_axes(&c.at, c.mesh, axes, "r2u", &seen))
        return false;
    for (uint32_t i = 0; i < axes->count; i++) {
        sdy_axis_text(axes->items[i], text);
        if (overlaps_dims(c.from, axes->items[i]))
            return ir_op_error(op, "r2u axis %s overlaps with operand dimension sharding",
                               text);
        if (sdy_axes_any_overlap(c.from->params[3], axes->items[i]))
            return ir_op_error(op, "r2u axis %s overlaps with operand unreduced axes",
                               text);
    }
    sdy_axes_add_all(&added, axes);
    return waits_for(&c, &added) ||
           ir_op_error(op, "out_unreduced_axes should be in_unreduced_axes + r2u_axes");
}

/* ---- all_to_all --------------------------------------------------------------------- */

enum { MAX_DIMS = 64 };

static bool check_move(const collective *c, ir_attr move, int64_t rank, bool *used,
                       sdy_axes *seen)
{
    const int64_t dims[] = {move->params[1]->value, move->params[2]->value};
    if (!sdy_check_axes(&c->at, c->mesh, move->params[0], seen))
        return false;
    for (size_t i = 0; i < TW_COUNT(dims); i++)
        if (dims[i] < 0 || dims[i] >= rank)
            return sdy_fail(&c->at, "%s dimension %lld is out of range [0, %lld)",
                            i ? "target" : "source", (long long)dims[i], (long long)rank);
    for (size_t i = 0; i < TW_COUNT(dims); i++) {
        if (used[dims[i]])
            return sdy_fail(
                &c->at, "overlapping source/target dimensions in all-to-all params: %lld",
                (long long)dims[i]);
        used[dims[i]] = true;
    }
    return true;
}

bool sdy_verify_all_to_all(ir_op *op)
{
    collective c;
    bool used[MAX_DIMS] = {false};
    sdy_axes seen = {.n = 0}, wanted = {.n = 0};
    if (!begin(op, false, false, &c))
        return false;
    ir_attr moves = ir_op_attr(op, "params")->params[0];
    int64_t before = -1, rank = sdy_sharding_rank(c.to);
    if (sdy_length(moves) == 0)
        return ir_op_error(op, "parameter list is empty");
    if (rank > MAX_DIMS)
        return ir_op_error(op, "takes at most %d dimensions", MAX_DIMS);
    for (uint32_t i = 0; i < moves->count; i++) {
        int64_t source = moves->items[i]->params[1]->value;
        if (!check_move(&c, moves->items[i], rank, used, &seen))
            return false;
        if (before >= source)
            return ir_op_error(op,
                               "source dimensions are not sorted in ascending order: %lld "
                               "appears after %lld",
                               (long long)source, (long long)before);
        before = source;
    }
    for (uint32_t i = 0; i < moves->count; i++) {
        ir_attr axes = moves->items[i]->params[0];
        size_t source = (size_t)moves->items[i]->params[1]->value;
        size_t target = (size_t)moves->items[i]->params[2]->value;
        if (!gather(&c, axes_of(c.from, source), axes, source, "all-to-all", &wanted) ||
            !check_dim(&c, &wanted, source) ||
            !slice(&c, axes_of(c.from, target), axes, &wanted) ||
            !check_dim(&c, &wanted, target))
            return false;
    }
    for (int64_t i = 0; i < rank; i++)
        if (!used[i] && !(slice(&c, axes_of(c.from, (size_t)i), NULL, &wanted) &&
                          check_dim(&c, &wanted, (size_t)i)))
            return false;
    return true;
}

/* ---- collective_permute ------------------------------------------------------------- */

static int64_t shards(ir_attr mesh, ir_attr axes)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        n *= sdy_axis_size(mesh, axes->items[i]);
    return n;
}

static bool same_list(ir_attr a, ir_attr b)
{
    return a == b || (sdy_length(a) == 0 && sdy_length(b) == 0);
}

bool sdy_verify_collective_permute(ir_op *op)
{
    collective c;
    if (!begin(op, false, true, &c))
        return false;
    ir_attr mesh = sdy_mesh_of(op, c.from);
    if (!mesh)
        return true; /* reported by the attribute's owner */
    if (!same_list(mesh->params[0], c.mesh->params[0])) {
        ir_op_error(op, "result mesh has different axes than operand mesh");
        return mesh_note(&c, mesh);
    }
    if (c.from->params[0] != c.to->params[0] &&
        same_list(mesh->params[1], c.mesh->params[1])) {
        ir_op_error(op, "result mesh name is different but same device ids as operand");
        return mesh_note(&c, mesh);
    }
    for (uint32_t i = 0; i < sdy_sharding_rank(c.to); i++) {
        int64_t in = shards(c.mesh, axes_of(c.from, i)),
                out = shards(c.mesh, axes_of(c.to, i));
        if (in != out)
            return ir_op_error(
                op,
                "sharded size of result doesn't match operand on dimension %u: "
                "%lld != %lld",
                i, (long long)out, (long long)in);
    }
    return true;
}
