/* words.c: words of L1 that kernels set, change, send and wait for. */
#include "grid/machine/program.h"
#include "grid/units/code.h"

#include "ttkernel/ttkernel.h"

/* ---- semaphores -------------------------------------------------------------------- */

static uint32_t semaphore_base(const dev_machine *m)
{
    return (uint32_t)m->chip->l1_base - DEV_MAX_SEMAPHORES * 16;
}

RUN(run_get_semaphore)
{
    int64_t id = DEV_REG(t, in, 0);
    dev_tick(t);
    if (id < 0 || id >= t->machine->n_semaphores)
        dev_report_at(t, DEV_ARGUMENT, in->op, NULL,
                      "semaphores are counted from 0; give the program more of them "
                      "(ttmetal.create_local_semaphore in IR)",
                      "there is no semaphore %lld: the program has %u", (long long)id,
                      t->machine->n_semaphores);
    else
        t->reg[in->dst] = semaphore_base(t->machine) + (uint32_t)id * 16;
    return pc + 1;
}

static bool l1_word(dev_thread *t, const dev_insn *in, int64_t address, size_t size)
{
    if (address >= 0 && (uint64_t)address + size <= t->core->l1.size &&
        address % (int64_t)size == 0)
        return true;
    dev_report_at(t, DEV_NOC_RANGE, in->op, NULL,
                  "a word lies within L1, at a multiple of its size",
                  "address 0x%llx is no word of L1", (long long)address);
    return false;
}

/* Words other than semaphores are values that jobs may still have to write. */
static void await_word(dev_thread *t, int64_t address)
{
    if (!dev_are_semaphores(t->machine, &t->core->l1, (size_t)address, 4))
        dev_await_bytes(t->machine);
}

/* Hardware reads a multicast's word when the packet leaves: it must not change before. */
static void check_sent_word(dev_thread *t, ir_op *op, size_t at, uint32_t from, uint32_t to)
{
    const dev_machine *m = t->machine;
    for (uint32_t n = from == to ? 0 : t->traffic.first; n; n = m->noc.transfers[n].next) {
        const dev_transfer *x = &m->noc.transfers[n];
        if (x->kind == DEV_WRITE && x->is_inline && x->sends_word && !x->flushed &&
            x->from_at == at && x->arrival > t->now) {
            dev_report_at(t, DEV_SEMAPHORE, op, x->op,
                          "the word is sent here; wait with noc_async_write_barrier first",
                          "sets a semaphore from %u to %u while its value is being sent",
                          from, to);
            return;
        }
    }
}

static inline void note_access(const dev_thread *t, const ir_op *op, size_t at)
{
    if (TW_UNLIKELY(t->machine->delays != NULL))
        dev_order_access(t, op, &t->core->l1, at);
}

RUN(run_semaphore_set)
{
    int64_t address = DEV_REG(t, in, 0);
    uint32_t value = (uint32_t)DEV_REG(t, in, 1);
    dev_tick(t);
    dev_sync(t);
    if (l1_word(t, in, address, 4)) {
        uint32_t old;
        await_word(t, address);
        memcpy(&old, t->core->l1.bytes + address, 4);
        check_sent_word(t, in->op, (size_t)address, old, value);
        note_access(t, in->op, (size_t)address);
        memcpy(t->core->l1.bytes + address, &value, 4);
        dev_mark(&t->core->l1, (size_t)address, 4, DEV_DEFINED);
        dev_word_changes(t, in->op, &t->core->l1, (size_t)address, old, value, t->now);
        dev_race_set_word(t, in->op, (size_t)address);
    }
    return pc + 1;
}

/* imm: 1 = at least. */
RUN(run_semaphore_wait)
{
    int64_t address = DEV_REG(t, in, 0);
    dev_tick(t);
    if (!l1_word(t, in, address, 4))
        return pc + 1;
    t->wait.address = (uint32_t)address;
    t->wait.value = (uint32_t)DEV_REG(t, in, 1);
    t->wait.minimum = in->imm == 1;
    await_word(t, address);
    dev_sync(t);
    if (!dev_semaphore_holds(t))
        dev_block(t, DEV_WAIT_SEMAPHORE, in->op);
    note_access(t, in->op, (size_t)address);
    if (t->machine->finds_races) {
        dev_race_see_words(t, &t->core->l1, (size_t)address, 4);
        if (!t->wait.minimum)
            dev_race_wait_word(t, in->op, (size_t)address);
    }
    return pc + 1;
}

RUN(run_semaphore_inc)
{
    int64_t expected = in->imm ? dev_group(t, in, 2, 0, -1) : -1;
    dev_noc_word(t, in->op, dev_noc_unpack(DEV_REG(t, in, 0)), (uint32_t)DEV_REG(t, in, 1),
                 true, dev_noc_of(t, in), true, expected);
    return pc + 1;
}

/* Sends the local word to all cores; imm: 1 = the sender receives too. */
RUN(run_semaphore_multicast)
{
    int64_t from = DEV_REG(t, in, 0);
    if (!l1_word(t, in, from, 4))
        return pc + 1;
    await_word(t, from);
    dev_noc_send_word(t, in->op, dev_noc_unpack(DEV_REG(t, in, 1)), (size_t)from, t->noc,
                      in->imm == 1, DEV_REG(t, in, 2));
    return pc + 1;
}

RUN(run_remote_word)
{
    int64_t from = DEV_REG(t, in, 0);
    if (l1_word(t, in, from, 4))
        dev_noc_send_word(t, in->op, dev_noc_unpack(DEV_REG(t, in, 1)), (size_t)from,
                          dev_noc_of(t, in), false, -1);
    return pc + 1;
}

/* ---- L1 by address ----------------------------------------------------------------- */

static size_t word_size(ir_type t)
{
    return t->width / 8;
}

RUN(run_load)
{
    size_t size = word_size(ir_op_result(in->op, 0)->type);
    int64_t address = DEV_REG(t, in, 0) + DEV_REG(t, in, 1) * (int64_t)size;
    int64_t value = 0;
    dev_tick(t);
    if (!l1_word(t, in, address, size))
        return pc + 1;
    if (t->polled == address) /* it may poll until another thread changes the word */
        dev_sync(t);
    t->polled = address;
    dev_check_owner(t, in->op, &t->core->l1, (size_t)address, size, "address");
    dev_check_read(t, in->op, &t->core->l1, (size_t)address, size, "load from L1");
    if (dev_are_semaphores(t->machine, &t->core->l1, (size_t)address, size))
        note_access(t, in->op, (size_t)address);
    memcpy(&value, t->core->l1.bytes + address, size);
    t->reg[in->dst] = (int64_t)((uint64_t)value << (64 - 8 * size)) >> (64 - 8 * size);
    return pc + 1;
}

RUN(run_store)
{
    size_t size = word_size(ir_op_operand(in->op, 0)->type);
    int64_t address = DEV_REG(t, in, 1) + DEV_REG(t, in, 2) * (int64_t)size;
    int64_t value = DEV_REG(t, in, 0);
    dev_tick(t);
    if (!l1_word(t, in, address, size))
        return pc + 1;
    dev_check_owner(t, in->op, &t->core->l1, (size_t)address, size, "address");
    dev_check_write(t, in->op, &t->core->l1, (size_t)address, size, NULL, false);
    memcpy(t->core->l1.bytes + address, &value, size);
    dev_mark(&t->core->l1, (size_t)address, size, DEV_DEFINED);
    dev_words_changed(&t->core->l1, (size_t)address, size, t->now);
    if (dev_race_is_word(t, &t->core->l1, (size_t)address, size))
        dev_race_set_word(t, in->op, (size_t)address);
    return pc + 1;
}

/* ---- the table --------------------------------------------------------------------- */

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
    [TTKERNEL_get_semaphore] = {run_get_semaphore, .moves = DEV_TO_PROLOGUE,
                                .by_jobs = true},
    [TTKERNEL_noc_semaphore_set] = {run_semaphore_set, .by_jobs = true},
    [TTKERNEL_noc_semaphore_inc] = {run_semaphore_inc, .by_jobs = true},
    [TTKERNEL_noc_semaphore_inc_multicast] = {run_semaphore_inc, .imm = 1, .by_jobs = true},
    [TTKERNEL_noc_semaphore_set_multicast] = {run_semaphore_multicast, .by_jobs = true},
    [TTKERNEL_noc_semaphore_set_multicast_loopback_src] = {run_semaphore_multicast,
                                                           .imm = 1, .by_jobs = true},
    [TTKERNEL_remote_sram_write_u32] = {run_remote_word},
    [TTKERNEL_noc_semaphore_wait] = {run_semaphore_wait, .by_jobs = true},
    [TTKERNEL_noc_semaphore_wait_min] = {run_semaphore_wait, .imm = 1, .by_jobs = true},
    [TTKERNEL_experimental_semaphore_wait] = {run_semaphore_wait, .by_jobs = true},
    [TTKERNEL_experimental_semaphore_wait_min] = {run_semaphore_wait, .imm = 1,
                                                  .by_jobs = true},
    [TTKERNEL_load_from_l1] = {run_load},
    [TTKERNEL_store_to_l1] = {run_store},
};

const dev_op_row *dev_word_row(const ir_op_def *def)
{
    return dev_row_of(rows, def);
}
