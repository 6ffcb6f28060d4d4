/* control_dst_section.c: ttkernel-control-dst-section: hands DST from the math unit to the
 * packer in front of the first pack of a section and gives it back behind the last. */
#include "ir/pass/pass.h"
#include "ttkernel/passes/setup.h"

#include <stdlib.h>

/* The nearest of the two operations in front of or behind one in its block. */
static ir_op *nearest(ir_op *op, bool backward, const ir_op_def *a, const ir_op_def *b)
{
    for (ir_op *at = op; (at = backward ? at->prev : at->next) != NULL;)
        if (at->def == a || at->def == b)
            return at;
    return NULL;
}

/* True if the pack's own block acquires and releases around it. */
static bool is_complete(ir_op *pack)
{
    const ir_op_def *acquire = TTKERNEL_OP(tile_regs_acquire);
    const ir_op_def *release = TTKERNEL_OP(tile_regs_release);
    return ir_op_is(nearest(pack, true, acquire, release), acquire) &&
           ir_op_is(nearest(pack, false, acquire, release), release);
}

static bool acquires(const ir_block *block)
{
    for (const ir_op *op = block->first; op; op = op->next)
        if (op->def == TTKERNEL_OP(tile_regs_acquire))
            return true;
    return false;
}

/* The ancestor of a pack in the nearest block that acquires, NULL if there is none. */
static ir_op *ancestor_in_section(ir_op *op)
{
    while (op && !acquires(op->block))
        op = ir_op_parent(op)->block ? ir_op_parent(op) : NULL;
    return op;
}

typedef struct section {
    ir_op *acquire, *first, *last;
    const ir_op_def *kind;
    ir_loc loc;
} section;

static void extend(section *s, ir_op *at)
{
    if (ir_op_before(s->last, at))
        s->last = at;
    if (ir_op_before(at, s->first))
        s->first = at;
}

static size_t find_sections(const ir_op_list *packs, section *out)
{
    const ir_op_def *acquire = TTKERNEL_OP(tile_regs_acquire);
    size_t n = 0;
    for (size_t i = 0; i < packs->n; i++) {
        ir_op *pack = packs->at[i];
        ir_op *at = is_complete(pack) ? NULL : ancestor_in_section(pack);
        if (!at || ir_op_is(nearest(at, true, TTKERNEL_OP(tile_regs_commit), acquire),
                            TTKERNEL_OP(tile_regs_commit)))
            continue;
        ir_op *opening = nearest(at, true, acquire, acquire);
        size_t s = 0;
        while (s < n && (out[s].acquire != opening || out[s].kind != pack->def))
            s++;
        if (opening && s < n)
            extend(&out[s], at);
        else if (opening)
            out[n++] = (section){opening, at, at, pack->def, pack->loc};
    }
    return n;
}

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    ir_op_list packs = ir_ops_in(func, ttkernel_is_pack);
    section *sections = tw_xmalloc((packs.n + 1) * sizeof *sections);
    size_t n = find_sections(&packs, sections);
    for (size_t i = 0; i < n; i++) {
        ir_builder b = ir_builder_before(sections[i].first);
        b.loc = sections[i].loc;
        ir_build_op(&b, TTKERNEL_OP(tile_regs_commit), NULL, 0, NULL, 0, NULL, 0, 0);
        ir_build_op(&b, TTKERNEL_OP(tile_regs_wait), NULL, 0, NULL, 0, NULL, 0, 0);
        b = ir_builder_after(sections[i].last);
        b.loc = sections[i].loc;
        ir_build_op(&b, TTKERNEL_OP(tile_regs_release), NULL, 0, NULL, 0, NULL, 0, 0);
    }
    free(sections);
    ir_op_list_free(&packs);
    return true;
}

const pass_def ttkernel_control_dst_section_pass = {
    .name = "ttkernel-control-dst-section",
    .summary = "Insert commit, wait and release of DST around packs",
    .anchor = "func.func",
    .run = run,
};
