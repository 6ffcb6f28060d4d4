/* grid_selection.c: d2m-grid-selection: divides tensors and generics, which are on one core
 * so far, between the cores of the device. */
#include "d2m/passes/grid_selection.h"
#include "d2m/generic.h"

#include "ir/pass/pass.h"
#include "ttnn/layout.h"

#include <stdlib.h>

enum { MAX_SIDE = 1024 };

static bool read_cores(ir_op *module, pass_run *run, int64_t cores[2])
{
    tw_str text = pass_option_str(run, "override-device-shape");
    if (text.size == 0) {
        if (ttnn_device_grid(module, false, cores) && cores[0] > 0 && cores[1] > 0 &&
            cores[0] <= MAX_SIDE && cores[1] <= MAX_SIDE)
            return true;
        ir_error(module->ctx, module->loc, "Device not found");
        ir_help(module->ctx, "run --ttcore-register-device before");
        return false;
    }
    if (pass_option_ints(run, "override-device-shape", cores, 2) != 2 || cores[0] < 1 ||
        cores[1] < 1 || cores[0] > MAX_SIDE || cores[1] > MAX_SIDE)
        return ir_error(module->ctx, module->loc,
                        "option 'override-device-shape' is '%.*s': expected two numbers "
                        "from 1 to %d",
                        (int)text.size, text.data, MAX_SIDE);
    return true;
}

/* Plans for all generics that are not left alone. */
static bool plan_all(const ir_op_list *generics, const int64_t cores[2], bool ttnn,
                     d2m_grid_plan *plans, size_t *n)
{
    for (size_t i = 0; i < generics->n; i++) {
        d2m_generic g;
        ir_op *op = generics->at[i];
        if (ir_op_attr(op, "d2m.skip_grid_selection"))
            continue;
        if (!d2m_generic_read(op, &g))
            return false;
        if (d2m_generic_is_explicit(&g))
            continue;
        if (d2m_length(g.maps) != g.n_io || g.n_outputs == 0)
            return ir_op_error(op, "has %u indexing maps for %u inputs and outputs",
                               d2m_length(g.maps), g.n_io);
        if (!d2m_plan_grids(&g, cores, ttnn, &plans[(*n)++]))
            return false;
    }
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    int64_t cores[2];
    bool ttnn = pass_option_bool(run, "ttnn-mode");
    ir_op_list generics = d2m_generics_in(module);
    if (generics.n == 0) {
        ir_op_list_free(&generics);
        return true;
    }
    d2m_grid_plan *plans = calloc(generics.n, sizeof *plans);
    size_t n = 0;
    bool fine =
        read_cores(module, run, cores) && plan_all(&generics, cores, ttnn, plans, &n);
    for (size_t i = 0; fine && i < n; i++)
        fine = d2m_apply_grids(&plans[i], ttnn);
    for (size_t i = 0; i < n; i++)
        d2m_grid_plan_free(&plans[i]);
    free(plans);
    ir_op_list_free(&generics);
    return fine && d2m_plan_topk(module, cores);
}

const pass_def d2m_grid_selection_pass = {
    .name = "d2m-grid-selection",
    .title = "D2MGridSelection",
    .summary = "Divide tensors and generics between the cores of the device",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def,
                {"override-device-shape", PASS_LIST, "",
                 "Rows and columns of cores to use instead of the device's"},
                {"ttnn-mode", PASS_BOOL, "false",
                 "Grids that layouts of ttnn express: nothing is padded for a grid"}),
};
