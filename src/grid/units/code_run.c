/* code_run.c: runs a kernel's code in its thread, and checks for unfinished work. */
#include "grid/units/code.h"

#include "grid/native/native.h"

static void check_end(dev_thread *t)
{
    ir_op *end = ir_op_body(t->code->function, 0)->last;
    dev_machine *m = t->machine;
    const dev_transfer *x = NULL;
    for (uint32_t n = t->traffic.first; n && (!x || x->kind == DEV_ATOMIC);
         n = m->noc.transfers[n].next)
        if (!m->noc.transfers[n].flushed && (!x || m->noc.transfers[n].kind != DEV_ATOMIC))
            x = &m->noc.transfers[n];
    if (x && x->kind == DEV_ATOMIC) /* it arrives nevertheless */
        dev_report_at(t, DEV_UNFINISHED, end, x->op, "this one was never waited for",
                      "the kernel ends with atomics under way; noc_async_atomic_barrier "
                      "waits for them");
    else if (x)
        dev_report_at(t, DEV_MISSING_BARRIER, end, x->op,
                      "this transfer was never waited for",
                      "the kernel ends with NoC transfers under way");
    if (t->is_compute && t->compute->dst.state != DEV_DST_FREE)
        dev_report_at(t, DEV_DST_USE, end, t->compute->dst.state_op,
                      "the last step was here",
                      "the kernel ends without tile_regs_release");
    for (int i = 0; i < DEV_MAX_CBS; i++) {
        dev_cb *cb = &t->core->cb[i];
        if (cb->live && cb->reserved && cb->reserver == t)
            dev_cb_left_reserved(t, cb);
        if (cb->live && cb->waited && cb->waiter == t)
            dev_report_at(/* the next program's buffers start empty nevertheless */
                          t, DEV_CB_KEPT, cb->wait_op, NULL, "pop what was waited for",
                          "circular buffer %d has %u page%s that the kernel waited for and "
                          "never pops",
                          i, cb->waited, dev_s(cb->waited));
    }
}

uint32_t dev_run_end(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    (void)in;
    t->limit = 0;
    t->ended = true;
    return pc;
}

/* Runs the prologue; false if it finds an error. */
static bool run_prologue(dev_thread *t)
{
    const dev_stream *p = &t->code->prologue;
    const double now = t->now;
    t->silent = true;
    for (size_t i = 0; i < p->n && t->silent; i++)
        p->at[i].run(t, &p->at[i], 0);
    bool ok = t->silent;
    t->silent = false;
    t->now = now;
    return ok;
}

/* True unless x is 0; compared as an integer, which takes fewer instructions. */
static inline bool any(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits != 0;
}

static inline void run_chain(int64_t *reg, const dev_chain *chain)
{
    for (const dev_link *l = chain->at, *end = l + chain->n; l < end; l++) {
        uint64_t v = (uint64_t)reg[l->a];
        if (l->kind == DEV_LINK_ADD)
            v += (uint64_t)reg[l->b];
        else if (l->kind == DEV_LINK_MULTIPLY)
            v *= (uint64_t)reg[l->b];
        reg[l->dst] = l->shift ? (int64_t)(v << l->shift) >> l->shift : (int64_t)v;
    }
}

void dev_code_run(void *thread)
{
    dev_thread *t = thread;
    if (t->code->entry) {
        dev_native_run(t);
        if (!t->machine->stop)
            check_end(t);
        return;
    }
    /* what is watched is executed where it is written */
    const bool watched = dev_is_watched(t->machine);
    const dev_insn *in,
        *insns = !watched && run_prologue(t) ? t->code->body.at : t->code->plain.at;
    const uint64_t budget = t->machine->options.budget;
    enum { POLL = 1 << 16 }; /* operations between two checks for cancellation */
    uint32_t pc = 0, before = UINT32_MAX;
    t->steps = 0;
    while (t->steps <= budget) {
        t->limit = t->steps + POLL < budget ? t->steps + POLL : budget + 1;
        do {
            in = &insns[pc];
            if (TW_UNLIKELY(watched)) {
                dev_before_call(t, in->op, !pc || before + 1 != pc || in[-1].op != in->op);
                before = pc;
            }
            if (any(in->lead)) /* updates of the clock are a chain of dependent loads */
                t->now += in->lead;
            t->steps += in->weight;
            if (in->chain)
                run_chain(t->reg, in->chain);
            /* branches are predicted better than indirect calls */
            pc = in->run == dev_run_for_step ? dev_run_for_step(t, in, pc)
                 : in->run == dev_run_check  ? dev_run_check(t, in, pc)
                                             : in->run(t, in, pc);
        } while (TW_LIKELY(t->steps < t->limit));
        if (t->ended && !t->machine->stop)
            check_end(t);
        if (t->ended || t->machine->stop || dev_cancelled(t->machine))
            return;
    }
    t->at = in->op;
    dev_report_at(t, DEV_BUDGET, in->op, NULL,
                  "raise it if the kernel is meant to run so long",
                  "the thread has run its %llu operations: an endless loop?",
                  (unsigned long long)budget);
}
