/* loan.c: see loan.h. A chunk of L1 has the index of the loan that covers it; a chunk of a
 * bank, the first of the loans whose bytes begin in it. */
#include "grid/machine/machine.h"

#include <stdlib.h>

static size_t chunk_of(size_t at)
{
    return at / DEV_CHUNK;
}

static uint32_t *loans_of(dev_memory *memory)
{
    if (TW_UNLIKELY(!memory->loans))
        memory->loans = tw_xcalloc(memory->size / DEV_CHUNK + 1, sizeof *memory->loans);
    return memory->loans;
}

/* Takes a loan out of its bank's list. */
static void unlink_loan(dev_loans *l, const dev_loan *loan)
{
    if (loan->before)
        l->at[loan->before].next = loan->next;
    else
        loan->from->loans[chunk_of(loan->from_at)] = loan->next;
    if (loan->next)
        l->at[loan->next].before = loan->before;
}

static void link_loan(dev_loans *l, uint32_t number)
{
    dev_loan *loan = &l->at[number];
    uint32_t *first = &loans_of(loan->from)[chunk_of(loan->from_at)];
    loan->before = 0;
    loan->next = *first;
    if (*first)
        l->at[*first].before = number;
    *first = number;
}

static void settle(dev_loans *l, uint32_t number)
{
    dev_loan *loan = &l->at[number];
    memcpy(loan->to->bytes + loan->to_at, loan->from->bytes + loan->from_at, loan->size);
    unlink_loan(l, loan);
    memset(loan->to->loans + chunk_of(loan->to_at), 0,
           chunk_of(loan->size) * sizeof *loan->to->loans);
    loan->to = NULL;
    loan->next = l->free;
    l->free = number;
    l->live--;
}

static uint32_t new_loan(dev_loans *l)
{
    uint32_t number = l->free;
    l->live++;
    if (number) {
        l->free = l->at[number].next;
        return number;
    }
    if (!l->n) /* the first is unused */
        TW_PUSH(l->at, l->n, l->capacity, (dev_loan){0});
    TW_PUSH(l->at, l->n, l->capacity, (dev_loan){0});
    return (uint32_t)l->n - 1;
}

/* Settles the loans whose bytes touch a range of a bank. */
static void settle_lent(dev_loans *l, const dev_memory *bank, size_t at, size_t size)
{
    const size_t last = chunk_of(at + size - 1), begin = chunk_of(at);
    for (size_t i = begin < DEV_LOAN_CHUNKS ? 0 : begin - DEV_LOAN_CHUNKS + 1; i <= last;
         i++)
        for (uint32_t n = bank->loans[i], next; n; n = next) {
            next = l->at[n].next;
            if (l->at[n].from_at + l->at[n].size > at)
                settle(l, n);
        }
}

void dev_loans_settle_range(dev_machine *m, const dev_memory *memory, size_t at,
                            size_t size)
{
    if (!m->loans.live || !size)
        return;
    if (memory->base) {
        settle_lent(&m->loans, memory, at, size);
        return;
    }
    for (size_t i = chunk_of(at); i <= chunk_of(at + size - 1); i++)
        if (memory->loans[i])
            settle(&m->loans, memory->loans[i]);
}

void dev_loans_settle_all(dev_machine *m)
{
    dev_loans *l = &m->loans;
    for (uint32_t n = 1; l->live && n < l->n; n++)
        if (l->at[n].to)
            settle(l, n);
}

const uint8_t *dev_loan_bytes(dev_machine *m, const dev_memory *memory, size_t at,
                              size_t size)
{
    const uint32_t n = memory->loans[chunk_of(at)];
    const dev_loan *loan = &m->loans.at[n];
    if (n && at + size <= loan->to_at + loan->size)
        return loan->from->bytes + loan->from_at + (at - loan->to_at);
    dev_loans_settle_range(m, memory, at, size);
    return memory->bytes + at;
}

bool dev_loan_make(dev_machine *m, dev_memory *to, size_t to_at, dev_memory *from,
                   size_t from_at, size_t size)
{
    dev_loans *l = &m->loans;
    if (!m->work.defers || to->base || to_at < m->chip->l1_base || !from->base ||
        (to_at | from_at | size) % DEV_CHUNK || size > (size_t)DEV_LOAN_CHUNKS * DEV_CHUNK)
        return false;
    uint32_t *covers = loans_of(to) + chunk_of(to_at), number = *covers;
    if (number && l->at[number].to_at == to_at && l->at[number].size == size) {
        unlink_loan(l, &l->at[number]); /* the page's former bytes are not needed */
    } else {
        dev_loans_settle_range(m, to, to_at, size);
        number = new_loan(l);
        for (size_t i = 0; i < chunk_of(size); i++)
            covers[i] = number;
    }
    l->at[number] = (dev_loan){to, from, to_at, from_at, size, 0, 0};
    link_loan(l, number);
    return true;
}
