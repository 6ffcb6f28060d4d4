/* semaphore_waits.c: see semaphore_waits.h.
 *
 * The lowering of pipes and named semaphores annotates the waits (pipes.c of
 * ttl_to_ttkernel) with `ttl.pipe` and `ttl.semaphore`. Reports and profiles use these
 * names instead of words in L1; hand-written kernels have neither. */
#include "grid/check/semaphore_waits.h"

static ir_attr entry(ir_attr dict, const char *name)
{
    return dict ? ir_dict_get(dict, tw_str_from(name)) : NULL;
}

static ir_attr dict_of(const ir_op *wait, const char *name)
{
    ir_attr found = wait ? ir_op_attr(wait, name) : NULL;
    return ir_attr_is(found, IR_ATTR_DICT) ? found : NULL;
}

static tw_str name_in(ir_attr dict)
{
    ir_attr name = entry(dict, "name");
    return ir_attr_is(name, IR_ATTR_STRING) ? ir_attr_str(name) : (tw_str){0};
}

bool dev_pipe_of(const ir_op *wait, dev_pipe *out)
{
    ir_attr dict = dict_of(wait, "ttl.pipe"), cores = entry(dict, "cores");
    int64_t at[6];
    if (!cores || ir_attr_ints(cores, at, 6) != 6)
        return false;
    *out = (dev_pipe){.attr = dict,
                      .made = entry(dict, "source"),
                      .sends = entry(dict, "sends") != NULL,
                      .src = {at[1], at[0]},
                      .first = {at[3], at[2]},
                      .last = {at[5], at[4]}};
    return true;
}

bool dev_same_pipe(const dev_pipe *a, const dev_pipe *b)
{
    return a->made == b->made && memcmp(a->src, b->src, sizeof a->src) == 0 &&
           memcmp(a->first, b->first, sizeof a->first) == 0 &&
           memcmp(a->last, b->last, sizeof a->last) == 0;
}

static void put_name(tw_str name, tw_strbuf *out)
{
    if (name.size)
        tw_strbuf_printf(out, " '%.*s'", (int)name.size, name.data);
}

void dev_pipe_name(const dev_pipe *p, tw_strbuf *out)
{
    const bool one = memcmp(p->first, p->last, sizeof p->first) == 0;
    tw_strbuf_puts(out, "pipe");
    put_name(name_in(p->attr), out);
    tw_strbuf_printf(out, " from core %lld,%lld to core%s %lld,%lld", (long long)p->src[0],
                     (long long)p->src[1], one ? "" : "s", (long long)p->first[0],
                     (long long)p->first[1]);
    if (!one)
        tw_strbuf_printf(out, "-%lld,%lld", (long long)p->last[0], (long long)p->last[1]);
}

bool dev_wait_is_named(const ir_op *wait)
{
    return dict_of(wait, "ttl.semaphore") != NULL;
}

bool dev_wait_name(const ir_op *wait, tw_strbuf *out)
{
    dev_pipe pipe;
    if (dev_pipe_of(wait, &pipe)) {
        dev_pipe_name(&pipe, out);
        return true;
    }
    if (!dev_wait_is_named(wait))
        return false;
    tw_strbuf_puts(out, "semaphore");
    put_name(name_in(dict_of(wait, "ttl.semaphore")), out);
    return true;
}

ir_attr dev_wait_made(const ir_op *wait)
{
    dev_pipe pipe;
    return dev_pipe_of(wait, &pipe) ? pipe.made
                                    : entry(dict_of(wait, "ttl.semaphore"), "source");
}
