/* perf_metrics.c: ttnn-collect-perf-metrics: a report in JSON on a lowered module: where
 * results lie, how much arithmetic there is, and a bound on the time of one step.
 *
 * The bound takes, of every matrix product and attention, the longer of reading its weights
 * from DRAM (as bfp8: 17 bytes for 16 numbers) and computing with every core at HiFi2.
 * Products measured on hardware reach 0.7 of that and more. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "support/file.h"
#include "support/json.h"
#include "ttcore/ttcore.h"
#include "ttnn/flops.h"
#include "ttnn/layout.h"

#include <math.h>
#include <stdlib.h>

static const double utilization = 0.7;

/* Published figures: bytes a second of DRAM, clock of the cores (docs/sim-operations.md).
 */
static const struct chip {
    int64_t arch;
    const char *name;
    uint64_t bandwidth, clock;
} chips[] = {
    {TTCORE_Arch_WormholeB0, "wormhole_b0", 288000000000, 1000000000},
    {TTCORE_Arch_Blackhole, "blackhole", 512000000000, 1350000000},
};

typedef struct detail {
    const ir_op *op;
    bool sharded, spilled, on_host;
} detail;

typedef struct work {
    const ir_op *op;
    uint64_t flops;
    int64_t fidelity;
} work;

typedef struct tally {
    const char *name;
    uint64_t n;
} tally;

typedef struct metrics {
    pass_run *run;
    const struct chip *chip;
    uint64_t n_chips, cores;
    int64_t mesh[2];
    /* where results lie */
    uint64_t ops, tensors, shardable, sharded, kept, spilled, dram, host;
    detail *details;
    size_t n_details, details_capacity;
    tally *names;
    size_t n_names, names_capacity;
    /* arithmetic */
    work *work;
    size_t n_work, work_capacity;
    uint64_t flops;
    double ideal; /* seconds at each operation's peak */
    /* the bound */
    uint64_t by_dram, by_compute, skipped, weights, weight_bytes;
    double ms;
} metrics;

/* ---- the bound ---------------------------------------------------------------------- */

static uint64_t total_elements(const ir_op *op, bool results)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < (results ? op->n_results : op->n_operands); i++) {
        ir_type t = results ? op->results[i].type : op->operands[i].value->type;
        total += ir_type_is_tensor(t) ? (uint64_t)ir_type_num_elements(t) : 0;
    }
    return total;
}

/* Whether reading it costs what it seems to: in DRAM, and a parameter, or computed from
 * parameters once without having grown. */
static bool is_weight(const ir_value *v)
{
    ttnn_layout l;
    if (!ttnn_layout_of(v->type, &l) || l.buffer != TTNN_BufferType_DRAM)
        return false;
    const ir_op *from = ir_value_def(v);
    if (from)
        return from->def == TTCORE_OP(load_cached) &&
               total_elements(from, false) == total_elements(from, true);
    ir_op *func = ir_value_block(v)->region->owner;
    if (func->def != FUNC_OP(func))
        return false;
    int64_t kind = ir_enum_value(func_arg_attr(func, v->index, "ttcore.argument_type"), -1);
    return kind == TTCORE_ArgumentType_Parameter || kind == TTCORE_ArgumentType_Constant ||
           func_arg_attr(func, v->index, "ttcore.kv_cache");
}

static void bound_op(metrics *m, const ir_op *op)
{
    const ir_value *weights[2] = {NULL, NULL};
    uint64_t tiles = 0;
    if (op->def == TTNN_OP(matmul) || op->def == TTNN_OP(linear)) {
        weights[0] = op->operands[1].value;
        tiles = ttnn_matmul_tiles(op);
    } else if (op->def == TTNN_OP(scaled_dot_product_attention) ||
               op->def == TTNN_OP(scaled_dot_product_attention_decode) ||
               op->def == TTNN_OP(paged_scaled_dot_product_attention_decode)) {
        bool decoding = op->def != TTNN_OP(scaled_dot_product_attention);
        if (!decoding && ir_op_operand_named(op, "attention_mask")) {
            m->skipped++; /* unknown how much of it a mask leaves */
            return;
        }
        weights[0] = ir_op_operand_named(op, "key");
        weights[1] = ir_op_operand_named(op, "value");
        tiles = decoding ? 0 : ttnn_attention_tiles(op);
    } else
        return;
    uint64_t elements = 0, bytes = 0;
    for (int i = 0; i < 2 && weights[i]; i++) {
        if (!is_weight(weights[i])) {
            m->skipped++;
            return;
        }
        uint64_t n = (uint64_t)ir_type_num_elements(weights[i]->type);
        elements += n;
        bytes += (n * 17 + 8) / 16;
    }
    /* microseconds */
    double reading = (double)bytes / (double)m->chip->bandwidth * 1e6;
    double computing = (double)(tiles * ttnn_fidelity_cycles(TTNN_MathFidelity_HiFi2)) *
                       1e6 / (double)(m->cores * m->chip->clock);
    m->weights += elements;
    m->weight_bytes += bytes;
    m->ms += fmax(reading, computing) / 1000;
    if (reading >= computing)
        m->by_dram++;
    else
        m->by_compute++;
}

static ir_walk bound(ir_op *op, void *user)
{
    metrics *m = user;
    bound_op(m, op);
    uint64_t flops = ttnn_flops(op, m->mesh);
    if (flops == 0)
        return IR_WALK_ON;
    ir_attr config = ir_op_attr(op, "compute_config");
    ir_attr fidelity = config ? ir_attr_param(config, "math_fidelity") : NULL;
    work w = {op, flops, ir_enum_value(fidelity, TTNN_MathFidelity_HiFi4)};
    TW_PUSH(m->work, m->n_work, m->work_capacity, w);
    m->flops += flops;
    m->ideal += (double)flops / ttnn_peak_flops(m->cores, m->chip->clock, w.fidelity);
    return IR_WALK_ON;
}

/* ---- where results lie -------------------------------------------------------------- */

static bool lies_in(const ir_value *v, int64_t buffer)
{
    ttnn_layout l;
    return ttnn_layout_of(v->type, &l) && l.buffer == buffer;
}

static bool is_sharded(const ir_value *v)
{
    ttnn_layout l;
    return ttnn_layout_of(v->type, &l) && l.buffer == TTNN_BufferType_L1 &&
           ttnn_memory_is_sharded(l.memory);
}

/* Whether it is copied to DRAM. */
static bool is_spilled(const ir_value *v)
{
    for (const ir_operand *u = v->uses; u; u = u->next_use)
        if (u->owner->def == TTNN_OP(to_memory_config) &&
            lies_in(&u->owner->results[0], TTNN_BufferType_DRAM))
            return true;
    return false;
}

static void count_name(metrics *m, const char *name)
{
    size_t i = 0;
    while (i < m->n_names && strcmp(m->names[i].name, name) != 0)
        i++;
    if (i == m->n_names) {
        tally t = {name, 0};
        TW_PUSH(m->names, m->n_names, m->names_capacity, t);
    }
    m->names[i].n++;
}

static ir_walk record(ir_op *op, void *user)
{
    metrics *m = user;
    count_name(m, op->def->name);
    if (op->def == TTNN_OP(get_device))
        return IR_WALK_ON;
    m->ops++;
    const ir_value *v = op->n_results ? &op->results[0] : NULL;
    if (!v || !ir_type_is_tensor(v->type))
        return IR_WALK_ON;
    m->tensors++;
    if (op->def == TTNN_OP(to_memory_config) || op->def < ttnn_ops ||
        op->def >= ttnn_ops + TTNN_OP_COUNT)
        return IR_WALK_ON;
    m->shardable++;
    detail d = {op, is_sharded(v), false, lies_in(v, TTNN_BufferType_SystemMemory)};
    d.spilled = d.sharded && is_spilled(v);
    m->sharded += d.sharded;
    m->spilled += d.spilled;
    m->kept += d.sharded && !d.spilled;
    m->dram += lies_in(v, TTNN_BufferType_DRAM);
    m->host += d.on_host;
    TW_PUSH(m->details, m->n_details, m->details_capacity, d);
    return IR_WALK_ON;
}

/* ---- the report: names in alphabetical order */

static tw_str location(const ir_op *op)
{
    ir_attr a = op->loc.bits ? ir_loc_attr(op->ctx, op->loc) : NULL;
    return ir_attr_is(a, IR_ATTR_LOC_NAME) ? (tw_str){a->ident->text, a->ident->size}
                                           : TW_STR("unknown");
}

static uint64_t peak(const metrics *m, int64_t fidelity)
{
    return (uint64_t)llround(ttnn_peak_flops(m->cores, m->chip->clock, fidelity));
}

static void put_flops(const metrics *m, tw_json *j, bool verbose)
{
    tw_json_open(j, "flops", '{');
    double all = m->ideal > 0 ? (double)m->flops / m->ideal : 0;
    tw_json_u64(j, "peak_flops_per_sec", (uint64_t)llround(all));
    tw_json_open(j, "peak_flops_per_sec_by_fidelity", '{');
    tw_json_u64(j, "hifi2", peak(m, TTNN_MathFidelity_HiFi2));
    tw_json_u64(j, "hifi3", peak(m, TTNN_MathFidelity_HiFi3));
    tw_json_u64(j, "hifi4", peak(m, TTNN_MathFidelity_HiFi4));
    tw_json_u64(j, "lofi", peak(m, TTNN_MathFidelity_LoFi));
    tw_json_close(j, '}');
    if (verbose) {
        tw_json_open(j, "per_op", '[');
        for (size_t i = 0; i < m->n_work; i++) {
            const work *w = &m->work[i];
            const ir_enum_case *f = ir_enum_by_value(&ttnn_enum_MathFidelity, w->fidelity);
            tw_json_open(j, NULL, '{');
            tw_json_u64(j, "flops", w->flops);
            tw_json_text(j, "location", location(w->op));
            tw_json_text(j, "math_fidelity", tw_str_from(f ? f->text : "hifi4"));
            tw_json_text(j, "operation", tw_str_from(w->op->def->name));
            tw_json_close(j, '}');
        }
        tw_json_close(j, ']');
    }
    tw_json_u64(j, "total_flops", m->flops);
    tw_json_close(j, '}');
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tally *)a)->name, ((const tally *)b)->name);
}

static void put_names(metrics *m, tw_json *j)
{
    qsort(m->names, m->n_names, sizeof *m->names, by_name);
    tw_json_open(j, "operation_type_breakdown", '{');
    for (size_t i = 0; i < m->n_names; i++)
        tw_json_u64(j, m->names[i].name, m->names[i].n);
    tw_json_close(j, '}');
}

/* Weights of one chip say nothing about several. */
static void put_bound(const metrics *m, tw_json *j)
{
    if (m->n_chips != 1)
        return;
    tw_json_open(j, "perf_targets", '{');
    tw_json_u64(j, "aiclk_hz", m->chip->clock);
    tw_json_text(j, "arch", tw_str_from(m->chip->name));
    tw_json_u64(j, "compute_bound_ops", m->by_compute);
    tw_json_u64(j, "cycles_per_tile_matmul", ttnn_fidelity_cycles(TTNN_MathFidelity_HiFi2));
    tw_json_u64(j, "dram_bandwidth_bytes_per_sec", m->chip->bandwidth);
    tw_json_u64(j, "dram_bound_ops", m->by_dram);
    tw_json_u64(j, "num_chips", m->n_chips);
    tw_json_u64(j, "num_tensix_cores", m->cores);
    tw_json_u64(j, "params_count", m->weights);
    tw_json_u64(j, "params_memory_bytes", m->weight_bytes);
    tw_json_real(j, "roofline_ms", m->ms);
    tw_json_u64(j, "skipped_ops", m->skipped);
    tw_json_real(j, "top_perf_estimate_ms", m->ms / utilization);
    tw_json_close(j, '}');
}

static void put_details(const metrics *m, tw_json *j)
{
    tw_json_open(j, "shardable_operations", '[');
    for (size_t i = 0; i < m->n_details; i++) {
        const detail *d = &m->details[i];
        ir_attr layout = d->op->results[0].type->encoding;
        tw_json_open(j, NULL, '{');
        tw_json_bool(j, "has_system_memory", d->on_host);
        tw_json_bool(j, "is_sharded", d->sharded);
        tw_json_bool(j, "is_spilled_to_dram", d->spilled);
        tw_json_text(j, "layout_info",
                     tw_str_from(layout ? ir_attr_text(d->op->ctx, layout) : ""));
        tw_json_text(j, "location", location(d->op));
        tw_json_text(j, "operation", tw_str_from(d->op->def->name));
        tw_json_close(j, '}');
    }
    tw_json_close(j, ']');
}

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static void put_summary(const metrics *m, tw_json *j)
{
    tw_json_open(j, "summary", '{');
    tw_json_u64(j, "dram_spilled_ops", m->dram);
    tw_json_u64(j, "effectively_sharded_ops", m->kept);
    tw_json_real(j, "effectively_sharded_percentage", percent(m->kept, m->shardable));
    tw_json_u64(j, "sharded_and_spilled_ops", m->spilled);
    tw_json_u64(j, "sharded_ops", m->sharded);
    tw_json_real(j, "sharded_percentage", percent(m->sharded, m->shardable));
    tw_json_real(j, "spilled_percentage", percent(m->dram, m->shardable));
    tw_json_u64(j, "system_memory_ops", m->host);
    tw_json_real(j, "system_memory_percentage", percent(m->host, m->shardable));
    tw_json_u64(j, "total_ops", m->ops);
    tw_json_u64(j, "total_ops_with_output_tensor", m->tensors);
    tw_json_u64(j, "total_shardable_ops", m->shardable);
    tw_json_close(j, '}');
}

/* ---- the pass ----------------------------------------------------------------------- */

static bool is_function_of(const ir_op *op, const char *kind)
{
    ir_attr type = op->def == FUNC_OP(func) ? ir_op_attr(op, "tt.function_type") : NULL;
    return ir_attr_is(type, IR_ATTR_STRING) && tw_str_is(ir_attr_str(type), kind);
}

/* The file that the user named, else one after the module or its first function. */
static void output_path(ir_op *module, const pass_run *run, tw_strbuf *out)
{
    tw_str path = pass_option_str(run, "ttnn-perf-metrics-output-file");
    if (path.size) {
        tw_strbuf_str(out, path);
        if (path.size < 5 || memcmp(path.data + path.size - 5, ".json", 5) != 0)
            tw_strbuf_puts(out, ".json");
        return;
    }
    tw_str name = ir_symbol_name(module);
    for (ir_op *op = ir_op_body(module, 0)->first; op && !name.size; op = op->next)
        if (op->def == FUNC_OP(func) && !is_function_of(op, "const_eval"))
            name = ir_symbol_name(op);
    tw_strbuf_puts(out, "perf_metrics/");
    tw_strbuf_str(out, name.size ? name : TW_STR("UnnamedModule"));
    tw_strbuf_puts(out, "_perf_metrics.json");
}

static bool write_report(ir_op *module, metrics *m)
{
    tw_strbuf text = {0}, path = {0};
    tw_json j = {.out = &text};
    bool verbose = pass_option_bool(m->run, "ttnn-perf-metrics-verbose-output-enabled");
    tw_json_open(&j, NULL, '{');
    put_flops(m, &j, verbose);
    if (verbose)
        put_names(m, &j);
    put_bound(m, &j);
    if (verbose)
        put_details(m, &j);
    put_summary(m, &j);
    tw_json_close(&j, '}');
    tw_strbuf_putc(&text, '\n');
    output_path(module, m->run, &path);
    const char *name = strrchr(path.data, '/');
    tw_status status = TW_SUCCESS;
    if (name && name != path.data) {
        path.data[name - path.data] = 0;
        status = tw_folder_make(path.data);
        path.data[strlen(path.data)] = '/';
    }
    if (!status)
        status = tw_file_write(path.data, text.data, text.size);
    bool ok = !status || ir_op_error(module, "%s", tw_status_message(status));
    tw_status_free(status);
    tw_strbuf_free(&text);
    tw_strbuf_free(&path);
    return ok;
}

static bool read_system(ir_op *module, metrics *m)
{
    ir_attr system = ir_op_attr(module, "ttcore.system_desc");
    ir_attr list = system ? ir_attr_param(system, "chipDescs") : NULL;
    int64_t grid[2] = {1, 1};
    if (!ir_attr_is(list, IR_ATTR_ARRAY) || list->count == 0)
        return ir_op_error(module, "TTNNCollectPerfMetrics: no ttcore.system_desc on the "
                                   "module; cannot compute perf target estimate.");
    int64_t arch = ir_enum_value(ir_attr_param(list->items[0], "arch"), -1);
    for (size_t i = 0; i < TW_COUNT(chips); i++)
        if (chips[i].arch == arch)
            m->chip = &chips[i];
    if (!m->chip)
        return ir_op_error(module, "TTNNCollectPerfMetrics: perf target estimate not "
                                   "calibrated for arch 'quasar'.");
    int64_t rank = ir_attr_ints(ir_attr_param(list->items[0], "grid"), grid, 2);
    m->n_chips = list->count;
    m->cores = (uint64_t)grid[0] * (uint64_t)(rank > 1 ? grid[1] : 1);
    ttnn_device_mesh(ir_op_body(module, 0)->first, m->mesh);
    return true;
}

static bool run_metrics(ir_op *module, metrics *m)
{
    bool traced = pass_option_bool(m->run, "ttnn-enable-trace");
    ir_op *outer = NULL, *trace = NULL;
    size_t n = 0;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        if (is_function_of(op, "forward_device") && !ir_symbol_is_private(op)) {
            outer = op;
            n++;
        }
        if (!trace && traced && is_function_of(op, "trace_main"))
            trace = op;
    }
    if (n != 1)
        return ir_op_error(module,
                           "TTNNCollectPerfMetrics: expected exactly one outer "
                           "forward-device function for perf target estimate; got %zu.",
                           n);
    if (!read_system(module, m))
        return false;
    ir_walk_post(trace ? trace : outer, bound, m);
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (is_function_of(op, traced ? "trace_main" : "forward_device"))
            ir_walk_post(op, record, m);
    return write_report(module, m);
}

static bool run(ir_op *module, pass_run *run)
{
    metrics m = {.run = run, .mesh = {1, 1}};
    bool ok = run_metrics(module, &m);
    free(m.details);
    free(m.names);
    free(m.work);
    return ok;
}

const pass_def ttnn_collect_perf_metrics_pass = {
    .name = "ttnn-collect-perf-metrics",
    .title = "TTNNCollectPerfMetrics",
    .summary = "Write where results lie and how fast the module can be at best",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def,
                {"ttnn-perf-metrics-output-file", PASS_STRING, "ttnn_perf_metrics.json",
                 "The file to write"},
                {"ttnn-perf-metrics-verbose-output-enabled", PASS_BOOL, "false",
                 "List every operation"},
                {"ttnn-enable-trace", PASS_BOOL, "false", "Look at the recorded function"}),
};
