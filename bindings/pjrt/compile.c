/* compile.c: programs become executables; executables become bytes and come back. */
#include "pjrt.h"

#include "support/arena.h"
#include "support/sha256.h"
#include "support/status.h"
#include "support/threadpool.h"

#include <stdlib.h>
#include <string.h>

static char *copied(const char *data, size_t size)
{
    char *copy = tw_xmalloc(size + 1);
    memcpy(copy, data, size);
    copy[size] = 0;
    return copy;
}

/* Complex results have one dimension more in the library's description; sizes agree. */
static tw_status check_sizes(const pj_executable *e)
{
    const pj_signature *s = &e->signature;
    bool same = tw_program_input_count(e->program) == s->n_arguments &&
                tw_program_output_count(e->program) == s->n_results;
    for (size_t i = 0; same && i < s->n_arguments; i++)
        same = tw_program_input(e->program, i)->bytes == s->arguments[i].bytes;
    for (size_t i = 0; same && i < s->n_results; i++)
        same = tw_program_output(e->program, i)->bytes == s->results[i].bytes;
    return same ? TW_SUCCESS
                : tw_error(TW_INTERNAL, "the compiled program has another signature");
}

static void list_memory_kinds(pj_executable *e)
{
    size_t n = TW_MAX(e->signature.n_arguments, e->signature.n_results);
    e->memory_kinds = tw_xmalloc((n + 1) * sizeof *e->memory_kinds);
    e->memory_kind_sizes = tw_xmalloc((n + 1) * sizeof *e->memory_kind_sizes);
    for (size_t i = 0; i < n; i++) {
        e->memory_kinds[i] = PJ_MEMORY_KIND;
        e->memory_kind_sizes[i] = strlen(PJ_MEMORY_KIND);
    }
}

/* The number of processors that this process may use. */
static int processors(void)
{
    static atomic_int count;
    if (!count) {
        tw_threadpool *pool;
        tw_status status = tw_threadpool_create(0, &pool);
        count = status ? 1 : tw_threadpool_threads(pool);
        tw_status_free(status);
        tw_threadpool_release(status ? NULL : pool);
    }
    return count;
}

static tw_status build_program(pj_executable *e, const volatile int *cancel)
{
    const pj_settings *s = &e->settings;
    tw_compile_options options = {.name = "<program>",
                                  .entry = "main",
                                  .host = true,
                                  .dram_fallback = s->dram_fallback,
                                  .threads = s->threads ? s->threads : processors(),
                                  .dump_dir = s->dump_dir,
                                  .cache_dir = s->cache_dir,
                                  .cancel = cancel};
    tw_status status = tw_program_compile(e->code, e->code_size, &options, &e->program);
    if (tw_status_code(status) != TW_IO || !s->dump_dir)
        return status;
    pj_log("TTXLA_LOGGER_LEVEL", PJ_WARNING, "%s; the program runs without dumps",
           tw_status_message(status));
    tw_status_free(status);
    options.dump_dir = NULL;
    return tw_program_compile(e->code, e->code_size, &options, &e->program);
}

static tw_status build(pj_executable *e)
{
    TW_TRY(pj_signature_read(e->code, e->code_size, &e->signature));
    if (e->settings.dump_dir)
        pj_settings_number_dump(&e->settings);
    const volatile int *flag =
        pj_python_interrupts.begin ? pj_python_interrupts.begin() : NULL;
    tw_status status = build_program(e, flag);
    if (flag)
        pj_python_interrupts.end(flag);
    TW_TRY(status);
    TW_TRY(check_sizes(e));
    if (e->settings.profile_path) {
        e->profile = pj_profile_begin(e->settings.profile_path);
        tw_program_set_profiling(e->program, true);
    }
    pj_log(PJ_RUNTIME_LOG, PJ_INFO, "Loaded program with %zu operations",
           tw_program_step_count(e->program));
    list_memory_kinds(e);
    e->hlo = pj_hlo_write(&e->signature, &e->hlo_size);
    tw_sha256_hex(e->code, e->code_size, e->fingerprint);
    return TW_SUCCESS;
}

void pj_executable_release(pj_executable *e)
{
    if (atomic_fetch_sub(&e->refs, 1) != 1)
        return;
    tw_program_destroy(e->program);
    pj_signature_free(&e->signature);
    pj_settings_clear(&e->settings);
    pthread_mutex_destroy(&e->running);
    pj_client_release(e->client);
    free(e->code);
    free(e->options);
    free(e->hlo);
    free(e->memory_kinds);
    free(e->memory_kind_sizes);
    free(e);
}

pj_error *pj_compile(pj_client *client, const char *code, size_t code_size,
                     const char *options, size_t options_size, pj_loaded **out)
{
    pj_compile_options asked;
    if (!pj_options_read(options, options_size, &asked))
        return pj_fail(PJ_INVALID_ARGUMENT, "the compile options are malformed");
    if (asked.replicas != 1 || asked.partitions != 1)
        return pj_fail(
            PJ_INVALID_ARGUMENT,
            "the program is for %lld devices (%lld replicas of %lld partitions); "
            "the platform 'tt' has %d",
            (long long)(asked.replicas * asked.partitions), (long long)asked.replicas,
            (long long)asked.partitions, PJ_DEVICES);
    pj_settings settings;
    pj_error *error = pj_settings_read(&asked, &settings);
    if (error)
        return error;
    pj_executable *e = tw_xcalloc(1, sizeof *e);
    e->refs = 1;
    e->settings = settings;
    e->client = pj_client_keep(client);
    pthread_mutex_init(&e->running, NULL);
    e->code = copied(code, code_size);
    e->code_size = code_size;
    e->options = copied(options, options_size);
    e->options_size = options_size;
    tw_status status = build(e);
    if (status) {
        pj_executable_release(e);
        return pj_of_status(status);
    }
    pj_loaded *loaded = tw_xcalloc(1, sizeof *loaded);
    loaded->executable = e;
    *out = loaded;
    return NULL;
}

pj_error *pj_client_compile(pj_compile_args *args)
{
    const pj_program *p = args->program;
    if (p->format_size != 4 || memcmp(p->format, "mlir", 4) != 0)
        return pj_fail(PJ_UNIMPLEMENTED, "programs have format 'mlir', not '%.*s'",
                       (int)p->format_size, p->format);
    return pj_compile(args->client, p->code, p->code_size, args->options,
                      args->options_size, &args->loaded);
}

/* ---- serialised: the program and its options, which are compiled again -------------- */

typedef struct stored {
    char magic[16];
    uint8_t digest[32]; /* of what follows */
    uint64_t code_size, options_size;
    char data[]; /* code, options */
} stored;

static const char magic[16] = "tilewright tt 1";

static void digest_of(const stored *s, size_t size, uint8_t out[32])
{
    tw_sha256 h;
    size_t skip = offsetof(stored, code_size);
    tw_sha256_begin(&h);
    tw_sha256_add(&h, (const char *)s + skip, size - skip);
    tw_sha256_end(&h, out);
}

pj_error *pj_executable_serialize(pj_bytes_args *args)
{
    const pj_executable *e = args->object;
    size_t size = sizeof(stored) + e->code_size + e->options_size;
    stored *s = tw_xcalloc(1, size);
    memcpy(s->magic, magic, sizeof magic);
    s->code_size = e->code_size;
    s->options_size = e->options_size;
    memcpy(s->data, e->code, e->code_size);
    memcpy(s->data + e->code_size, e->options, e->options_size);
    digest_of(s, size, s->digest);
    args->bytes = s;
    args->size = size;
    args->owner = s;
    args->destroy = free;
    return NULL;
}

pj_error *pj_executable_deserialize_and_load(pj_deserialize_args *args)
{
    uint8_t digest[32];
    if (args->size < sizeof(stored) || memcmp(args->bytes, magic, sizeof magic) != 0)
        return pj_fail(PJ_INVALID_ARGUMENT,
                       "the bytes are no executable of the platform 'tt'; compile the "
                       "program again");
    stored *s = (stored *)(void *)copied(args->bytes, args->size); /* aligned */
    digest_of(s, args->size, digest);
    pj_error *error;
    if (memcmp(digest, s->digest, sizeof digest) != 0 ||
        s->code_size > args->size - sizeof *s ||
        s->options_size != args->size - sizeof *s - s->code_size)
        error = pj_fail(PJ_INVALID_ARGUMENT,
                        "the executable is damaged; compile the program again");
    else
        error = pj_compile(args->client, s->data, s->code_size, s->data + s->code_size,
                           s->options_size, &args->loaded);
    free(s);
    return error;
}
