/* register_device.c: registers the target of a module: the system descriptor, the device
 * with its mesh, and the functions that run on it. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "support/number.h"
#include "ttcore/system/sysdesc_attr.h"
#include "ttcore/ttcore.h"

#include <stdlib.h>

enum { MAX_MESH_RANK = 8 };

typedef struct mesh {
    int64_t dims[MAX_MESH_RANK];
    size_t rank;
} mesh;

static int64_t volume(const mesh *m)
{
    int64_t v = 1;
    for (size_t i = 0; i < m->rank; i++)
        v *= m->dims[i];
    return v;
}

/* The first of the module's ttcore.meshes, if it has any. */
static bool mesh_of_module(ir_op *module, mesh *out)
{
    ir_attr meshes = ir_op_attr(module, "ttcore.meshes");
    ir_attr list = meshes ? ir_attr_param(meshes, "meshes") : NULL;
    if (!ir_attr_is(list, IR_ATTR_ARRAY) || !list->count)
        return true;
    ir_attr shape = ir_attr_param(list->items[0], "shape");
    int64_t rank = shape ? ir_attr_ints(shape, out->dims, MAX_MESH_RANK) : 0;
    out->rank = rank > 0 && rank <= MAX_MESH_RANK ? (size_t)rank : 0;
    return rank <= MAX_MESH_RANK ||
           ir_error(module->ctx, module->loc, "a mesh has at most %d axes, found %lld",
                    MAX_MESH_RANK, (long long)rank);
}

static bool parse_mesh(tw_str text, mesh *out)
{
    *out = (mesh){0};
    int64_t rank = tw_read_numbers(text, out->dims, MAX_MESH_RANK);
    for (int64_t i = 0; i < rank; i++)
        if (out->dims[i] > FB_MAX_CHIPS)
            return false;
    out->rank = rank > 0 ? (size_t)rank : 0;
    return rank >= 0;
}

static bool find_mesh(ir_op *module, pass_run *run, mesh *out)
{
    mesh asked;
    if (!parse_mesh(pass_option_str(run, "mesh-shape"), &asked))
        return ir_error(module->ctx, module->loc,
                        "mesh-shape is a list of extents such as 2,4");
    if (!mesh_of_module(module, out))
        return false;
    bool differs = out->rank != asked.rank ||
                   memcmp(out->dims, asked.dims, asked.rank * sizeof asked.dims[0]) != 0;
    if (out->rank && asked.rank && differs)
        return ir_error(module->ctx, module->loc, "Error determining mesh shape");
    if (!out->rank)
        *out = asked;
    for (size_t i = 0; i < out->rank; i++)
        if (out->dims[i] < 1 || volume(out) > FB_MAX_CHIPS)
            return ir_error(module->ctx, module->loc,
                            "mesh shape is out of range: at most %d chips", FB_MAX_CHIPS);
    return true;
}

static bool report(ir_op *module, tw_status status)
{
    if (!status)
        return true;
    ir_error(module->ctx, module->loc, "%s", tw_status_message(status));
    tw_status_free(status);
    return false;
}

/* Loads the descriptor from a file if one is named; otherwise sets the default one if the
 * module has none. */
static bool set_system(ir_op *module, pass_run *run, const mesh *mesh)
{
    tw_str path = pass_option_str(run, "system-desc-path");
    fb_system *system = NULL;
    if (path.size) {
        char *terminated =
            tw_arena_copy(ir_context_arena(module->ctx), path.data, path.size);
        if (!report(module, fb_sysdesc_load(terminated, &system)))
            return false;
    } else if (!ir_op_attr(module, "ttcore.system_desc")) {
        tw_str arch = pass_option_str(run, "mock-system-desc-arch");
        char *name = tw_arena_copy(ir_context_arena(module->ctx), arch.data, arch.size);
        if (!report(module, fb_system_preset(name, (size_t)volume(mesh), &system)))
            return false;
    }
    if (system)
        ir_op_set_attr(module, "ttcore.system_desc",
                       fb_system_to_attr(module->ctx, system));
    free(system);
    return true;
}

/* DRAM addresses: pages of s4 bytes are interleaved over the channels. */
#define DRAM_BYTE "((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2)"

static ir_attr device_attr(ir_op *module, const mesh *mesh, tw_str topology)
{
    fb_system *system;
    if (!report(module,
                fb_system_from_attr(ir_op_attr(module, "ttcore.system_desc"), &system)))
        return NULL;
    if (!system->n_chips) {
        free(system);
        ir_error(module->ctx, module->loc, "the system descriptor has no chips");
        return NULL;
    }
    const fb_chip *chip = &system->kinds[system->kind_of[0]];
    int channels = (int)chip->num_dram_channels;
    tw_strbuf text = {0};
    tw_strbuf_printf(
        &text,
        "#ttcore.device<workerGrid = #ttcore.grid<%dx%d, virt_to_physical_map = (d0, d1) "
        "-> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = "
        "#ttcore.grid<%dx%d>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), ",
        (int)chip->grid[0], (int)chip->grid[1], (int)chip->dram_grid[0],
        (int)chip->dram_grid[1]);
    tw_strbuf_printf(
        &text,
        "dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (" DRAM_BYTE
        " floordiv s4) mod %d, ((" DRAM_BYTE " floordiv s4) floordiv %d) * s4 + " DRAM_BYTE
        " mod s4 + s5), meshShape = ",
        channels, channels);
    for (size_t i = 0; i < mesh->rank; i++)
        tw_strbuf_printf(&text, "%s%d", i ? "x" : "", (int)mesh->dims[i]);
    tw_strbuf_puts(&text, ", chipIds = [");
    for (int i = 0; i < (int)volume(mesh); i++)
        tw_strbuf_printf(&text, "%s%d", i ? ", " : "", i);
    tw_strbuf_putc(&text, ']');
    if (topology.size)
        tw_strbuf_printf(&text, ", meshTopology = [%.*s]", (int)topology.size,
                         topology.data);
    tw_strbuf_putc(&text, '>');
    ir_attr attr = ir_parse_attr(module->ctx, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    free(system);
    return attr;
}

/* "ring,linear" */
static bool is_topology(tw_str text)
{
    const char *c = text.data, *end = c + text.size;
    while (c < end) {
        const char *stop = memchr(c, ',', (size_t)(end - c));
        stop = stop ? stop : end;
        if (!ir_enum_by_text(&ttcore_enum_Topology, (tw_str){c, (size_t)(stop - c)}))
            return false;
        c = stop + 1;
    }
    return true;
}

static bool register_device(ir_op *module, pass_run *run)
{
    mesh mesh = {0};
    if (!find_mesh(module, run, &mesh) || !set_system(module, run, &mesh))
        return false;
    if (ir_symbol_lookup(module, TW_STR("default_device")))
        return true;
    tw_str topology = pass_option_str(run, "mesh-topology");
    if (!is_topology(topology))
        return ir_error(module->ctx, module->loc,
                        "mesh-topology is a list of ring, linear and disabled, not '%.*s'",
                        (int)topology.size, topology.data);
    ir_attr device = device_attr(module, &mesh, topology);
    if (!device)
        return false;
    ir_builder b = ir_builder_at_start(module->ctx, module->regions[0].first, module->loc);
    ir_build_op(
        &b, TTCORE_OP(device), NULL, 0, NULL, 0,
        IR_ATTRS({"sym_name", ir_string_attr(module->ctx, TW_STR("default_device"))},
                 {"device_attr", device}),
        0);
    return true;
}

const pass_def ttcore_register_device_pass = {
    .name = "ttcore-register-device",
    .summary = "Set the system's descriptor and create the device",
    .anchor = "builtin.module",
    .run = register_device,
    .options = IR_LIST(
        pass_option_def, {"system-desc-path", PASS_STRING, "", "A .ttsys file"},
        {"mock-system-desc-arch", PASS_STRING, "wormhole_b0",
         "Descriptor without a file: wormhole_b0, blackhole, n150, n300 or p150"},
        {"mesh-shape", PASS_LIST, "", "Extents of the device's mesh"},
        {"mesh-topology", PASS_LIST, "", "Topology of each axis: ring, linear, disabled"}),
};

static ir_walk mark_function(ir_op *op, void *user)
{
    (void)user;
    if (op->def != FUNC_OP(func))
        return IR_WALK_ON;
    if (!ir_op_attr(op, "tt.function_type") && !ir_symbol_is_private(op))
        ir_op_set_attr(op, "tt.function_type",
                       ir_string_attr(op->ctx, TW_STR("forward_device")));
    return IR_WALK_SKIP;
}

/* Also marks functions of nested modules. */
static bool mark_functions(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, mark_function, NULL);
    return true;
}

const pass_def ttcore_mark_functions_pass = {
    .name = "ttcore-mark-functions-as-forward",
    .summary = "Mark public functions as running on the device",
    .anchor = "builtin.module",
    .run = mark_functions,
};
