/* overrides.c: what the user decides instead of the optimizer, for operations that have a
 * name as their location, loc("name"):
 *
 *   override-output-layout=name=l1:interleaved,...      where its result is
 *   override-conv2d-config=name=parameter#value:...,... parameters of its conv2d_config
 *   override-conv3d-config                              likewise
 *
 * Layouts are read by each pass of the optimizer; ttnn-override-conv-configs, which runs
 * before them, sets the configurations and says what has no effect. */
#include "cost/optimizer/optimizer.h"

#include "ttcore/ttcore.h"
#include "ttnn/build.h"
#include "ttnn/layout.h"

#include <stdlib.h>

/* ---- text ---------------------------------------------------------------------------- */

static bool is_name_of(tw_str name, const ir_op *op)
{
    ir_attr loc = op->loc.bits ? ir_loc_attr(op->ctx, op->loc) : NULL;
    return ir_attr_is(loc, IR_ATTR_LOC_NAME) &&
           tw_str_equal(ir_ident_str(loc->ident), name);
}

static bool no_such_name(ir_op *module, const char *option, tw_str name)
{
    return ir_op_error(module,
                       "%s names '%.*s': expected the name of an operation's location, "
                       "loc(\"%.*s\"), found none",
                       option, (int)name.size, name.data, (int)name.size, name.data);
}

/* ---- layouts ------------------------------------------------------------------------- */

#define LAYOUTS "override-output-layout"

static bool is_grid(tw_str text)
{
    bool digits = false;
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];
        if ((c < '0' || c > '9') && (c != 'x' || !digits))
            return false;
        digits = c != 'x';
    }
    return digits;
}

/* Parts of a layout that the optimizer does not choose. */
static bool is_other_part(tw_str text)
{
    static const char *const names[] = {"none", "row_major"};
    bool found = is_grid(text) ||
                 ir_enum_by_text(TTCORE_ATTR(supportedDataTypes)->enumeration, text);
    for (size_t i = 0; i < TW_COUNT(names); i++)
        found |= tw_str_is(text, names[i]);
    return found;
}

static bool read_part(ir_op *module, tw_str part, bool warn, opt_pin *pin)
{
    const ir_enum_case *memory = ir_enum_by_text(&ttnn_enum_TensorMemoryLayout, part);
    if (memory && ttnn_memory_is_sharded(memory->value)) {
        pin->buffer = TTNN_BufferType_L1;
        pin->memory = memory->value;
    } else if (tw_str_is(part, "l1") || tw_str_is(part, "dram")) {
        pin->buffer = tw_str_is(part, "l1") ? TTNN_BufferType_L1 : TTNN_BufferType_DRAM;
    } else if (is_other_part(part)) {
        if (warn)
            ir_op_warning(module,
                          LAYOUTS ": '%.*s' of '%.*s' has no effect: the optimizer chooses "
                                  "where tiles are, and grids of shards by their size",
                          (int)part.size, part.data, (int)pin->name.size, pin->name.data);
    } else if (!tw_str_is(part, "interleaved") && !tw_str_is(part, "tile")) {
        return ir_op_error(module,
                           LAYOUTS ": expected l1, dram, interleaved, height_sharded, "
                                   "width_sharded, block_sharded or tile for '%.*s', found "
                                   "'%.*s'",
                           (int)pin->name.size, pin->name.data, (int)part.size, part.data);
    }
    return true;
}

static bool read_pins(ir_op *module, tw_str text, bool warn, opt_pins *out)
{
    while (text.size) {
        tw_str item = tw_str_cut(&text, ',');
        opt_pin pin = {.name = tw_str_cut(&item, '='), .buffer = -1};
        if (!item.size)
            return ir_op_error(module,
                               LAYOUTS ": expected name=l1 or name=dram, found '%.*s'",
                               (int)pin.name.size, pin.name.data);
        while (item.size)
            if (!read_part(module, tw_str_cut(&item, ':'), warn, &pin))
                return false;
        TW_PUSH(out->at, out->n, out->capacity, pin);
    }
    return true;
}

bool opt_read_pins(ir_op *module, tw_str text, opt_pins *out)
{
    return read_pins(module, text, false, out);
}

/* Copies between layouts have the names of what they copy. */
static bool is_copy(const ir_op *op)
{
    return op->def == TTNN_OP(to_tensor_spec) || op->def == TTNN_OP(to_layout) ||
           op->def == TTNN_OP(to_memory_config) || op->def == TTNN_OP(to_device) ||
           op->def == TTNN_OP(from_device);
}

opt_pin *opt_pin_of(const opt_chip *chip, const ir_value *v)
{
    const ir_op *op = ir_value_def(v);
    for (size_t i = 0; op && !is_copy(op) && i < chip->pins.n; i++)
        if (is_name_of(chip->pins.at[i].name, op))
            return &chip->pins.at[i];
    return NULL;
}

bool opt_is_kept_in_l1(const opt_chip *chip, const ir_value *v)
{
    const opt_pin *pin = opt_pin_of(chip, v);
    return pin && pin->buffer == TTNN_BufferType_L1;
}

bool opt_check_pins(const opt_chip *chip, ir_op *module)
{
    for (size_t i = 0; i < chip->pins.n; i++) {
        const opt_pin *pin = &chip->pins.at[i];
        if (pin->refused && !pin->met)
            return ir_op_error(pin->refused,
                               LAYOUTS " asks for L1, where this result cannot be: it is "
                                       "not of interleaved tiles, it leaves the function, "
                                       "or its operation or one that reads it needs DRAM, "
                                       "or none of such shards");
        if (!pin->met)
            return no_such_name(module, LAYOUTS, pin->name);
    }
    return true;
}

/* ---- configurations of convolutions -------------------------------------------------- */

static ir_attr bool_of(ir_context *ctx, tw_str text)
{
    return tw_str_is(text, "true") || tw_str_is(text, "false")
               ? ir_bool_attr(ctx, tw_str_is(text, "true"))
               : NULL;
}

static ir_attr number_of(ir_context *ctx, tw_str text)
{
    int64_t n = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || n > UINT32_MAX / 10)
            return NULL;
        n = n * 10 + (text.data[i] - '0');
    }
    return text.size && n <= UINT32_MAX ? ir_raw_int(ctx, n) : NULL;
}

static ir_attr activation_of(ir_context *ctx, tw_str text)
{
    const ir_attr_def *def = TTNN_ATTR(unary_with_param);
    const ir_enum_case *which = ir_enum_by_text(def->params.at[0].enumeration, text);
    return which ? tnb_with(ctx, def, NULL, "op_type", ir_raw_int(ctx, which->value))
                 : NULL;
}

/* The value of a parameter as its row has it; NULL if the text is none. */
static ir_attr value_of(ir_context *ctx, const ir_param_def *p, tw_str text)
{
    if (p->kind == IR_PARAM_ENUM) {
        const ir_enum_case *which = ir_enum_by_text(p->enumeration, text);
        return which ? ir_raw_int(ctx, which->value) : NULL;
    }
    if (p->kind == IR_PARAM_INT)
        return number_of(ctx, text);
    if (p->of && strcmp(p->of, "ttnn.unary_with_param") == 0)
        return activation_of(ctx, text);
    return p->of ? NULL : bool_of(ctx, text);
}

typedef struct config {
    const char *option, *attr; /* of the pass, of the operation */
    const ir_attr_def *def;
} config;

static bool set_parameter(ir_op *op, const config *c, tw_str text)
{
    const tw_str all = text, name = tw_str_cut(&text, '#');
    for (size_t i = 0; i < c->def->params.count; i++) {
        const ir_param_def *p = &c->def->params.at[i];
        if (!tw_str_is(name, p->name))
            continue;
        ir_attr old = ir_op_attr(op, c->attr), value = value_of(op->ctx, p, text);
        const bool none = p->of && tw_str_is(text, "none");
        if (!value && !none)
            return ir_op_error(op, "%s: '%.*s' is no value of '%s' (%s)", c->option,
                               (int)text.size, text.data, p->name, p->cpp);
        ir_op_set_attr(op, c->attr, tnb_with(op->ctx, c->def, old, p->name, value));
        return true;
    }
    return ir_op_error(op, "%s: expected parameter#value of %s, found '%.*s'", c->option,
                       c->def->mnemonic, (int)all.size, all.data);
}

typedef struct search {
    const config *config;
    tw_str name, parameters;
    bool found, ok;
} search;

/* Whether operations of that kind have the attribute. */
static bool has_row(const ir_op *op, const char *attr)
{
    for (size_t i = 0; i < op->def->attrs.count; i++)
        if (strcmp(op->def->attrs.at[i].name, attr) == 0)
            return true;
    return false;
}

static ir_walk set_config(ir_op *op, void *user)
{
    search *s = user;
    if (!is_name_of(s->name, op) || !has_row(op, s->config->attr))
        return IR_WALK_ON;
    s->found = true;
    for (tw_str rest = s->parameters; s->ok && rest.size;)
        s->ok = set_parameter(op, s->config, tw_str_cut(&rest, ':'));
    return s->ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool set_configs(ir_op *module, const config *c, tw_str text)
{
    while (text.size) {
        tw_str item = tw_str_cut(&text, ',');
        search s = {.config = c, .name = tw_str_cut(&item, '='), .ok = true};
        s.parameters = item;
        ir_walk_pre(module, set_config, &s);
        if (!s.ok || (!s.found && !no_such_name(module, c->option, s.name)))
            return false;
    }
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    static const config configs[] = {
        {"override-conv2d-config", "conv2d_config", TTNN_ATTR(conv2d_config)},
        {"override-conv3d-config", "conv3d_config", TTNN_ATTR(conv3d_config)}};
    static const char *const options[] = {LAYOUTS, "override-conv2d-config",
                                          "override-conv3d-config"};
    opt_pins pins = {0};
    for (size_t i = 0; i < TW_COUNT(options) && !opt_is_on(run); i++)
        if (pass_option_str(run, options[i]).size)
            ir_op_warning(module,
                          "%s has no effect: the optimizer is off; set "
                          "enable-optimizer=true",
                          options[i]);
    if (!opt_is_on(run))
        return true;
    bool ok = read_pins(module, pass_option_str(run, LAYOUTS), true, &pins);
    free(pins.at);
    for (size_t i = 0; ok && i < TW_COUNT(configs); i++)
        ok = set_configs(module, &configs[i], pass_option_str(run, configs[i].option));
    return ok;
}

const pass_def ttnn_override_conv_configs_pass = {
    .name = "ttnn-override-conv-configs",
    .summary = "Set what the user gives of convolutions' configurations",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(
        pass_option_def, OPT_WHEN,
        {"override-conv2d-config", PASS_STRING, "", "name=parameter#value:...,..."},
        {"override-conv3d-config", PASS_STRING, "", "name=parameter#value:...,..."}),
};
