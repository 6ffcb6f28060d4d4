/* memory.c: what may be in L1, what it takes there, and for how long (optimizer.h). */
#include "cost/optimizer/optimizer.h"

#include "mlir/func/func.h"
#include "support/number.h"
#include "ttcore/ttcore.h"
#include "ttnn/bank_bytes.h"
#include "ttnn/layout.h"

#include <stdlib.h>

/* ---- the chip ------------------------------------------------------------------------ */

bool opt_is_on(const pass_run *run)
{
    return pass_option_bool(run, "enable") || pass_option_int(run, "level") > 0;
}

/* The chip of a module; false after a diagnostic. */
static bool open_chip(ir_op *module, tw_str cap, opt_chip *out)
{
    int64_t grid[2];
    char text[32], *end;
    const dev_chip *chip = cost_chip_of(module);
    ir_block *body = ir_op_body(module, 0);
    if (!chip || !body || !body->first || !ttnn_device_grid(body->first, false, grid))
        return ir_op_error(module, "layouts are chosen for a device: expected "
                                   "ttcore.system_desc and ttcore.device, found none; run "
                                   "ttcore-register-device first");
    size_t n = TW_MIN(cap.size, sizeof text - 1);
    memcpy(text, cap.data, n);
    text[n] = '\0';
    double share = strtod(text, &end);
    if (end == text || *end || cap.size >= sizeof text || !(share > 0 && share <= 1))
        return ir_op_error(module,
                           "tensor-l1-usage-cap: expected a number above 0, at most "
                           "1, found '%.*s'",
                           (int)cap.size, cap.data);
    cost_open(&out->model, chip);
    out->banks = grid[0] * grid[1];
    memcpy(out->grid, grid, sizeof grid);
    out->bytes = ttnn_chip_int(body->first, "l1Size", (int64_t)chip->l1_bytes) -
                 ttnn_chip_int(body->first, "l1UnreservedBase", (int64_t)chip->l1_base);
    out->align = TW_MAX(ttnn_chip_int(body->first, "nocL1AddressAlignBytes", 16), 1);
    int64_t constants = ir_op_int(module, "ttnn.l1_const_eval_usage", 0);
    out->usable = (double)out->bytes * share - (double)constants;
    return true;
}

static bool is_forward(const ir_op *op)
{
    ir_attr kind = op->def == FUNC_OP(func) ? ir_op_attr(op, "tt.function_type") : NULL;
    ir_block *body = ir_op_body(op, 0);
    return body && !body->next && ir_attr_is(kind, IR_ATTR_STRING) &&
           tw_str_is(ir_attr_str(kind), "forward_device");
}

bool opt_each(ir_op *module, pass_run *run, tw_str cap,
              bool (*on)(opt_chip *chip, ir_op *func, pass_run *run))
{
    opt_chip chip = {0};
    if (!opt_is_on(run))
        return true;
    if (!open_chip(module, cap, &chip))
        return false;
    bool ok =
        opt_read_pins(module, pass_option_str(run, "override-output-layout"), &chip.pins);
    for (ir_op *op = ir_op_body(module, 0)->first; ok && op; op = op->next)
        if (is_forward(op))
            ok = on(&chip, op, run);
    ok = ok && (!chip.pins.placed || opt_check_pins(&chip, module));
    free(chip.pins.at);
    return ok;
}

/* ---- what may be there --------------------------------------------------------------- */

/* SHARDS: its operands and results may be in shards; MOVES: elements only, in rows too.
 */
enum { READS = 1, GIVES = 2, SHARDS = 4, MOVES = 8 };

static bool does(const ir_op *op, uint8_t what)
{
    static const uint8_t rows[TTNN_OP_COUNT] = {
#define TTNN_ELEMENTWISE(ttnn, ...) [TTNN_##ttnn] = READS | GIVES | SHARDS,
#include "ttnn/elementwise.def"
#define TTNN_L1(id, what) [TTNN_##id] = (what),
#include "ttnn/ttnn.def"
    };
    const ir_op_def *def = op->def;
    if (what == SHARDS && cost_is_view(op))
        return true;
    return def >= ttnn_ops && def < ttnn_ops + TTNN_OP_COUNT &&
           (rows[def - ttnn_ops] & what);
}

bool opt_may_be_in_l1(const ir_value *v)
{
    ttnn_layout l;
    const ir_op *def = ir_value_def(v);
    if (!def || !does(def, GIVES) || !v->uses || !ttnn_layout_of(v->type, &l) ||
        ttnn_layout_on_host(&l) || l.memory != TTNN_TensorMemoryLayout_Interleaved ||
        !l.tiled)
        return false;
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (!does(use->owner, READS) || use->owner->block != def->block)
            return false;
    return true;
}

bool opt_moves_rows(const ir_op *op)
{
    return does(op, MOVES);
}

static bool may_be_sharded(const ir_value *v)
{
    if (!opt_may_be_in_l1(v) || !does(ir_value_def(v), SHARDS))
        return false;
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (!does(use->owner, SHARDS))
            return false;
    return true;
}

/* Cores along one side of a grid that have a part each, where none may have more tiles than
 * with all of them. */
static int64_t cores_along(int64_t tiles, int64_t cores)
{
    const int64_t used = TW_MIN(tiles, cores);
    return used < 1 ? 1 : tw_ceil_div(tiles, tw_ceil_div(tiles, used));
}

ir_type opt_sharded(const opt_chip *chip, const ir_value *v, int64_t memory)
{
    ttnn_layout l;
    const ir_type type = v->type;
    if (!may_be_sharded(v) || !ttnn_layout_of(type, &l) || type->count < 2)
        return NULL;
    const int64_t columns = tw_ceil_div(type->dims[type->count - 1], TTNN_TILE);
    int64_t rows = tw_ceil_div(type->dims[type->count - 2], TTNN_TILE), batch = 1;
    for (uint32_t i = 0; i + 2 < type->count; i++)
        batch *= type->dims[i];
    /* shards are rows of the collapsed tensor, whose batches have no padding between them
     */
    if (batch > 1 && type->dims[type->count - 2] % TTNN_TILE != 0)
        return NULL;
    rows *= batch;
    if (rows < 1 || columns < 1)
        return NULL;
    int64_t grid[2] = {1, 1};
    if (memory == TTNN_TensorMemoryLayout_HeightSharded) {
        grid[0] = cores_along(rows, chip->banks);
    } else if (memory == TTNN_TensorMemoryLayout_WidthSharded) {
        grid[1] = cores_along(columns, chip->banks);
    } else {
        grid[0] = cores_along(rows, chip->grid[0]);
        grid[1] = cores_along(columns, chip->grid[1]);
    }
    ttnn_layout_place(&l, TTNN_BufferType_L1, memory);
    return ttnn_layout_shard(&l, ir_value_def(v), memory, grid[0], grid[1])
               ? ttnn_tensor_with(type, &l)
               : NULL;
}

bool opt_is_in_l1(const ir_value *v)
{
    return ttnn_memory_of(v->type) == TTNN_BufferType_L1;
}

int64_t opt_memory(const ir_value *v)
{
    ttnn_layout l;
    return ttnn_layout_of(v->type, &l) ? l.memory : TTNN_ON_HOST;
}

void opt_place(ir_value *v, int64_t buffer)
{
    ttnn_layout l;
    if (!ttnn_layout_of(v->type, &l))
        return;
    ttnn_layout_place(&l, buffer, TTNN_TensorMemoryLayout_Interleaved);
    v->type = ttnn_tensor_with(v->type, &l);
}

int64_t opt_l1_bytes(const opt_chip *chip, const ir_value *v)
{
    int64_t banks;
    return ttnn_bank_bytes(v->type, chip->banks, chip->align, &banks);
}

double opt_cycles_around(opt_chip *chip, const ir_value *v)
{
    double cycles = cost_of_op(&chip->model, ir_value_def(v)).cycles;
    for (const ir_operand *use = v->uses; use; use = use->next_use) {
        bool counted = false; /* with an earlier operand */
        for (size_t i = 0; i < ir_operand_number(use); i++)
            counted |= use->owner->operands[i].value == v;
        if (!counted)
            cycles += cost_of_op(&chip->model, use->owner).cycles;
    }
    return cycles;
}

/* ---- live ranges --------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    const opt_range *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->v > y->v) - (x->v < y->v);
}

void opt_find_ranges(const opt_chip *chip, ir_op *func, opt_ranges *out)
{
    *out = (opt_ranges){0};
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next) {
        op->order = (uint32_t)out->n_ops;
        TW_PUSH(out->ops, out->n_ops, out->ops_capacity, op);
    }
    for (size_t i = 0; i < out->n_ops; i++)
        for (uint32_t k = 0; k < out->ops[i]->n_results; k++) {
            ir_value *v = &out->ops[i]->results[k];
            if (!opt_is_in_l1(v))
                continue;
            opt_range r = {v, i, i, opt_l1_bytes(chip, v)};
            for (const ir_operand *use = v->uses; use; use = use->next_use)
                if (use->owner->block == out->ops[i]->block)
                    r.last = TW_MAX(r.last, use->owner->order);
            TW_PUSH(out->at, out->n, out->capacity, r);
        }
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_first);
}

void opt_free_ranges(opt_ranges *r)
{
    free(r->at);
    free(r->ops);
}
