/* affine_syntax.c: the hand-written text of apply, min, max, memory accesses, for and
 * if. */
#include "mlir/affine/affine.h"
#include "mlir/affine/affine_hooks.h"
#include "mlir/memref/memref_hooks.h"
#include "mlir/shared/control_syntax.h"

/* ---- operands of maps --------------------------------------------------------------- */

/* The message differs by operation. */
static bool fail_count(ir_parser *p, const ir_parsed_op *op, const char *what)
{
    if (op->def == AFFINE_OP(apply))
        return ir_fail_own(p, op->at, "dimension or symbol index mismatch");
    if (op->def == AFFINE_OP(min) || op->def == AFFINE_OP(max))
        return ir_fail(p, op->at,
                       "'%s' op operand count and affine map dimension and symbol count "
                       "must match",
                       op->def->name);
    return ir_fail_own(p, op->at, "%s operand count and %s %s count must match", what,
                       op->def == AFFINE_OP(if) ? "integer set" : "affine map", what);
}

static bool parse_indices(ir_parser *p, ir_parsed_op *op, const char *brackets,
                          uint32_t wanted, const char *what)
{
    ir_ssa_list uses = {0};
    if (!ir_expect_punct(p, brackets[0]) || !ir_parse_ssa_list(p, &uses) ||
        !ir_expect_punct(p, brackets[1]))
        return false;
    if (uses.count != wanted)
        return fail_count(p, op, what);
    for (uint32_t i = 0; i < uses.count; i++)
        if (!ir_add_operand(p, op, uses.at[i], ir_index_type(p->ctx)))
            return false;
    return true;
}

bool affine_parse_map_operands(ir_parser *p, ir_parsed_op *op, uint32_t n_dims,
                               uint32_t n_symbols)
{
    if (!parse_indices(p, op, "()", n_dims, "dim"))
        return false;
    if (!n_symbols && !ir_at_punct(p, '['))
        return true;
    return parse_indices(p, op, "[]", n_symbols, "symbol");
}

void affine_put_map_operands(ir_printer *p, const ir_op *op, size_t start, size_t count,
                             uint32_t n_dims)
{
    size_t dims = n_dims < count ? n_dims : count;
    ir_putc(p, '(');
    ir_put_operands(p, op, start, dims);
    ir_putc(p, ')');
    if (count == dims)
        return;
    ir_putc(p, '[');
    ir_put_operands(p, op, start + dims, count - dims);
    ir_putc(p, ']');
}

bool affine_add_uses(ir_parser *p, ir_parsed_op *op, const ir_affine_uses *uses)
{
    for (uint32_t i = 0; i < uses->dims.count; i++)
        if (!ir_add_operand(p, op, uses->dims.at[i], ir_index_type(p->ctx)))
            return false;
    for (uint32_t i = 0; i < uses->symbols.count; i++)
        if (!ir_add_operand(p, op, uses->symbols.at[i], ir_index_type(p->ctx)))
            return false;
    return true;
}

/* A map, possibly by its alias; NULL after an error. */
static ir_attr parse_map(ir_parser *p)
{
    const char *at = p->tok.at;
    ir_attr attr = ir_parse_an_attr(p, NULL);
    if (attr && attr->kind != IR_ATTR_AFFINE_MAP) {
        ir_fail_own(p, at, "expected an affine map");
        return NULL;
    }
    return attr;
}

/* ---- apply, min, max: map operands attr-dict ---------------------------------------- */

void affine_apply_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_attr map = parse_map(p);
    if (!map || !affine_parse_map_operands(p, op, map->map->n_dims, map->map->n_symbols) ||
        !ir_parse_op_attr_dict(p, op))
        return;
    ir_add_attr(p, op, "map", map);
    ir_add_result(p, op, ir_index_type(p->ctx));
}

void affine_apply_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"map"};
    ir_attr map = ir_op_attr(op, "map");
    ir_putc(p, ' ');
    ir_put_attr(p, map);
    affine_put_map_operands(p, op, 0, op->n_operands, map->map->n_dims);
    ir_put_op_attr_dict(p, op, elided, 1);
}

/* ---- accesses --------------------------------------------------------------------------
 *
 *   load, vector_load      access dict ":" memref [ "," vector ]
 *   store, vector_store    ssa "," access dict ":" memref [ "," vector ]
 *   prefetch               access "," read "," locality<n> "," data dict ":" memref */

void affine_access_parse(ir_parser *p, ir_parsed_op *op)
{
    bool stores = op->def == AFFINE_OP(store) || op->def == AFFINE_OP(vector_store);
    bool vector = op->def == AFFINE_OP(vector_load) || op->def == AFFINE_OP(vector_store);
    bool prefetch = op->def == AFFINE_OP(prefetch);
    ir_ssa_use value = {0}, memref;
    ir_affine_uses uses = {0};
    ir_type type, element;
    if (stores && (!ir_parse_ssa(p, &value) || !ir_expect_punct(p, ',')))
        return;
    if (!ir_parse_ssa(p, &memref))
        return;
    ir_affine_map map = ir_parse_affine_access(p, &uses);
    if (!map || (prefetch && !memref_parse_prefetch_words(p, op)) ||
        !ir_parse_op_attr_dict(p, op))
        return;
    const char *at = p->tok.at;
    if (!(type = ir_parse_colon_type(p)))
        return;
    if (type->kind != IR_TYPE_MEMREF) {
        ir_fail_own(p, at, "expected a memref type");
        return;
    }
    element = type->element;
    if (vector && (!ir_expect_punct(p, ',') || !(element = ir_parse_a_type(p))))
        return;
    ir_add_attr(p, op, "map", ir_affine_map_attr(p->ctx, map));
    if ((stores && !ir_add_operand(p, op, value, element)) ||
        !ir_add_operand(p, op, memref, type) || !affine_add_uses(p, op, &uses))
        return;
    if (!stores && !prefetch)
        ir_add_result(p, op, element);
}

void affine_access_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"map", "isWrite", "localityHint", "isDataCache"};
    uint32_t first = op->def == AFFINE_OP(store) || op->def == AFFINE_OP(vector_store);
    ir_affine_map map = ir_op_attr(op, "map")->map;
    ir_putc(p, ' ');
    if (first) {
        ir_put_value(p, ir_op_operand(op, 0));
        ir_put(p, ", ");
    }
    ir_put_value(p, ir_op_operand(op, first));
    ir_putc(p, '[');
    for (uint32_t i = 0; i < map->n_results; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_affine_of_values(p, map->results[i], op->operands + first + 1,
                                op->n_operands - first - 1, map->n_dims);
    }
    ir_putc(p, ']');
    if (op->def == AFFINE_OP(prefetch))
        memref_put_prefetch_words(p, op);
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
    ir_put(p, " : ");
    ir_put_type(p, ir_op_operand(op, first)->type);
    if (op->def == AFFINE_OP(vector_load) || op->def == AFFINE_OP(vector_store)) {
        ir_put(p, ", ");
        ir_put_type(p, first ? ir_op_operand(op, 0)->type : op->results[0].type);
    }
}

/* ---- for ---------------------------------------------------------------------------- */

/* int | ssa | [ min | max ] map operands */
static bool parse_bound(ir_parser *p, ir_parsed_op *op, bool lower, int32_t *out_count)
{
    const char *word = lower ? "max" : "min", *at = p->tok.at;
    bool several = ir_accept_keyword(p, word);
    uint32_t before = op->n_operands;
    ir_affine_map map;
    if (!several && p->tok.kind == IR_TOK_VALUE) {
        ir_ssa_use use;
        if (!ir_parse_ssa(p, &use) || !ir_add_operand(p, op, use, ir_index_type(p->ctx)))
            return false;
        map =
            ir_affine_map_get(p->ctx, 0, 1, (ir_affine[]){ir_affine_symbol(p->ctx, 0)}, 1);
    } else if (!several && (p->tok.kind == IR_TOK_INTEGER || ir_at_punct(p, '-'))) {
        int64_t value;
        if (!ir_parse_int(p, &value))
            return false;
        map = ir_affine_map_get(p->ctx, 0, 0,
                                (ir_affine[]){ir_affine_constant(p->ctx, value)}, 1);
    } else {
        ir_attr attr = parse_map(p);
        if (!attr)
            return false;
        map = attr->map;
        if (map->n_results > 1 && !several)
            return ir_fail_own(
                p, at,
                "%s loop bound affine map with multiple results requires '%s' prefix",
                lower ? "lower" : "upper", word);
        if (!affine_parse_map_operands(p, op, map->n_dims, map->n_symbols))
            return false;
    }
    ir_add_attr(p, op, lower ? "lowerBoundMap" : "upperBoundMap",
                ir_affine_map_attr(p->ctx, map));
    *out_count = (int32_t)(op->n_operands - before);
    return true;
}

static bool expect_to(ir_parser *p)
{
    return ir_accept_keyword(p, "to") ||
           ir_fail_own(p, p->tok.at, "expected 'to' between bounds");
}

void affine_for_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_parsed_arg induction = {.type = ir_index_type(p->ctx)};
    ir_carried carried = {0};
    ir_type_list types = {0};
    int32_t sizes[3] = {0};
    int64_t step = 1;
    induction.loc = ir_loc_at(p, p->tok.at);
    if (!ir_parse_ssa(p, &induction.name) || !ir_expect_punct(p, '=') ||
        !parse_bound(p, op, true, &sizes[0]) || !expect_to(p) ||
        !parse_bound(p, op, false, &sizes[1]))
        return;
    const char *at = p->tok.at;
    if (ir_accept_keyword(p, "step")) {
        at = p->tok.at;
        if (!ir_parse_int(p, &step))
            return;
        if (step < 0) {
            ir_fail_own(p, at,
                        "expected step to be representable as a positive signed integer");
            return;
        }
    }
    ir_add_attr(p, op, "step", ir_index_attr(p->ctx, step));
    at = p->tok.at;
    if (ir_accept_keyword(p, "iter_args") &&
        (!ir_parse_carried(p, &carried) || !ir_parse_arrow_types(p, &types)))
        return;
    if (types.count != carried.count) {
        ir_fail_own(p, at,
                    "mismatch between the number of loop-carried values and results");
        return;
    }
    ir_arg_list args = {0};
    ir_arg_list_add(p, &args, induction);
    if (!ir_add_carried(p, op, &carried, &types, &args))
        return;
    sizes[2] = (int32_t)carried.count;
    ir_add_operand_segments(p, op, sizes, 3);
    if (ir_parse_op_region(p, op, args.at, args.count))
        ir_parse_op_attr_dict(p, op);
}

static void put_bound(ir_printer *p, const ir_op *op, bool lower)
{
    ir_attr attr = ir_op_attr(op, lower ? "lowerBoundMap" : "upperBoundMap");
    ir_affine_map map = attr->map;
    size_t start = 0, count = 0;
    ir_op_operand_group(op, lower ? 0 : 1, &start, &count);
    if (map->n_results == 1) {
        ir_affine e = map->results[0];
        if (e->kind == IR_AFFINE_CONSTANT && map->n_dims + map->n_symbols == 0) {
            ir_put_int(p, e->value);
            return;
        }
        if (e->kind == IR_AFFINE_SYMBOL && map->n_dims == 0 && map->n_symbols == 1 &&
            count) {
            ir_put_value(p, ir_op_operand(op, start));
            return;
        }
    } else {
        ir_put(p, lower ? "max " : "min ");
    }
    ir_put_attr(p, attr);
    affine_put_map_operands(p, op, start, count, map->n_dims);
}

void affine_for_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"lowerBoundMap", "upperBoundMap", "step",
                                         "operandSegmentSizes"};
    const ir_block *body = ir_op_body(op, 0);
    size_t start = 0, count = 0;
    int64_t step = ir_op_int(op, "step", 1);
    ir_putc(p, ' ');
    ir_put_value(p, body->args[0]);
    ir_put(p, " = ");
    put_bound(p, op, true);
    ir_put(p, " to ");
    put_bound(p, op, false);
    if (step != 1)
        ir_putf(p, " step %lld", (long long)step);
    ir_op_operand_group(op, 2, &start, &count);
    if (count) {
        ir_put(p, " iter_args");
        ir_put_carried(p, body, 1, op, start, count);
        ir_put_results_in_parens(p, op);
    }
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, count > 0);
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
}

/* ---- if ----------------------------------------------------------------------------- */

void affine_if_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_type_list types = {0};
    const char *at = p->tok.at;
    ir_attr set = ir_parse_an_attr(p, NULL);
    if (!set)
        return;
    if (set->kind != IR_ATTR_INTEGER_SET) {
        ir_fail_own(p, at, "invalid kind of attribute specified");
        return;
    }
    ir_add_attr(p, op, "condition", set);
    if (!affine_parse_map_operands(p, op, set->set->n_dims, set->set->n_symbols) ||
        !ir_accept_arrow_types(p, &types))
        return;
    ir_add_results(p, op, &types);
    if (ir_parse_then_else(p, op))
        ir_parse_op_attr_dict(p, op);
}

void affine_if_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"condition"};
    ir_attr set = ir_op_attr(op, "condition");
    ir_putc(p, ' ');
    ir_put_attr(p, set);
    affine_put_map_operands(p, op, 0, op->n_operands, set->set->n_dims);
    ir_put_arrow_results(p, op);
    ir_putc(p, ' ');
    ir_put_then_else(p, op, op->n_results > 0);
    ir_put_op_attr_dict(p, op, elided, 1);
}
