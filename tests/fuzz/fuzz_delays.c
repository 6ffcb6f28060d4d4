/* fuzz_delays.c: any bytes as a file of delays (--replay): what is read is sorted and
 * within its limits, and is the same after it is written and read again. */
#include "grid/search/explore.h"
#include "ir/context.h"

#include <stdlib.h>

static bool is_same(const dev_delay *a, const dev_delay *b)
{
    return a->program == b->program && a->thread == b->thread && a->kind == b->kind &&
           a->nth == b->nth && a->cycles == b->cycles;
}

static void check(const dev_replay *r)
{
    static const double MAX_CYCLES = (double)(UINT64_C(1) << 50);
    dev_replay again = {0};
    tw_strbuf text = {0};
    ir_context *ctx = ir_context_create();
    dev_replay_write(ctx, r, &text);
    tw_status status =
        dev_replay_read((tw_str){tw_strbuf_text(&text), text.size}, "written", &again);
    if (status != TW_SUCCESS || again.seed != r->seed || again.budget != r->budget ||
        again.delays.n != r->delays.n)
        abort();
    for (size_t i = 0; i < r->delays.n; i++) {
        const dev_delay *d = &r->delays.at[i];
        if (d->kind >= DEV_DELAY_KINDS || !(d->cycles >= 0 && d->cycles <= MAX_CYCLES) ||
            !is_same(d, &again.delays.at[i]))
            abort();
    }
    free(again.delays.at);
    tw_strbuf_free(&text);
    ir_context_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dev_replay r = {0};
    char *copy = tw_xmalloc(size + 1); /* of its size, so that reads beyond it are seen */
    memcpy(copy, data, size);
    tw_status status = dev_replay_read((tw_str){copy, size}, "input", &r);
    free(copy);
    if (status == TW_SUCCESS)
        check(&r);
    tw_status_free(status);
    free(r.delays.at);
    return 0;
}
