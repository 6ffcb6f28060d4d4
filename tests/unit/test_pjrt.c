/* test_pjrt.c: the table of the PJRT plugin: no entry is empty; calls in random order with
 * valid handles return values or errors; damaged bytes are errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../bindings/pjrt/pjrt.h"

enum calls {
#define PJ_CALL(name, function, shape, last) CALL_##name,
#define PJ_PLAIN(name, function, shape) CALL_##name,
#define PJ_NONE(name) CALL_##name,
#include "../../bindings/pjrt/api.def"
#undef PJ_CALL
#undef PJ_PLAIN
#undef PJ_NONE
    CALLS
};
_Static_assert((int)CALLS == (int)PJ_CALL_COUNT, "api.def lists every call");

#define CALL(name, args) ((args)->struct_size = sizeof *(args), call(CALL_##name, args))

static pj_error *call(int index, void *args)
{
    return GetPjrtApi()->calls[index](args);
}

static pj_error *on(int index, void *object)
{
    pj_of_args args = {.struct_size = sizeof args, .object = object};
    return call(index, &args);
}

/* Frees the error and returns its code. */
static int code_of(pj_error *error)
{
    pj_int_args code = {.object = error};
    pj_text_args message = {.object = error};
    if (!error)
        return PJ_OK;
    assert_null(CALL(Error_GetCode, &code));
    CALL(Error_Message, &message);
    assert_int_equal(strlen(message.text), message.size);
    assert_true(message.size > 0);
    on(CALL_Error_Destroy, error);
    return code.value;
}

static const char add[] =
    "module @two {\n"
    "  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32> "
    "{jax.buffer_donor = true}) -> (tensor<2x3xf32>, tensor<2x3xi1>) {\n"
    "    %0 = stablehlo.add %a, %b : tensor<2x3xf32>\n"
    "    %1 = stablehlo.compare LT, %a, %0 : (tensor<2x3xf32>, "
    "tensor<2x3xf32>) -> tensor<2x3xi1>\n"
    "    return %0, %1 : tensor<2x3xf32>, tensor<2x3xi1>\n"
    "  }\n"
    "}\n";

static pj_client *open_client(void)
{
    pj_create_args args = {0};
    assert_null(CALL(Client_Create, &args));
    return args.client;
}

static pj_loaded *compile_text(pj_client *client, const char *text, const char *options,
                               size_t size, int code)
{
    pj_program program = {.code = (char *)(uintptr_t)text,
                          .code_size = strlen(text),
                          .format = "mlir",
                          .format_size = 4};
    pj_compile_args args = {
        .client = client, .program = &program, .options = options, .options_size = size};
    assert_int_equal(code_of(CALL(Client_Compile, &args)), code);
    return args.loaded;
}

static pj_loaded *compile(pj_client *client, const char *options, size_t size, int code)
{
    return compile_text(client, add, options, size, code);
}

static void test_entries(void **state)
{
    static const int absent[] = {
#define PJ_CALL(name, function, shape, last)
#define PJ_PLAIN(name, function, shape)
#define PJ_NONE(name) CALL_##name,
#include "../../bindings/pjrt/api.def"
#undef PJ_CALL
#undef PJ_PLAIN
#undef PJ_NONE
    };
    pj_none_args none = {.struct_size = sizeof none};
    (void)state;
    for (int i = 0; i < CALLS; i++)
        assert_non_null(GetPjrtApi()->calls[i]);
    for (size_t i = 0; i < TW_COUNT(absent); i++)
        assert_int_equal(code_of(call(absent[i], &none)), PJ_UNIMPLEMENTED);
    assert_int_equal(code_of(call(CALL_Client_Compile, &none)), PJ_INVALID_ARGUMENT);
}

/* Replicas 2; a length beyond the end; a varint without an end. */
static void test_options(void **state)
{
    pj_client *client = open_client();
    (void)state;
    compile(client, "\x1a\x02\x20\x02", 4, PJ_INVALID_ARGUMENT);
    compile(client, "\x1a\x7f\x20\x02", 4, PJ_INVALID_ARGUMENT);
    compile(client, "\x1a\x02\x20\xff", 4, PJ_INVALID_ARGUMENT);
    pj_loaded *loaded = compile(client, "\x1a\x04\x20\x01\x28\x01", 6, PJ_OK);
    assert_null(on(CALL_LoadedExecutable_Destroy, loaded));
    assert_null(on(CALL_Client_Destroy, client));
    for (int i = 0; i < 20000; i++) { /* any bytes: true or false, and no more */
        char bytes[24];
        pj_compile_options options;
        size_t size = (size_t)rand() % sizeof bytes;
        for (size_t k = 0; k < size; k++)
            bytes[k] = (char)(rand() % 3 ? rand() % 48 : rand());
        pj_options_read(bytes, size, &options);
    }
}

static void test_damaged(void **state)
{
    pj_client *client = open_client();
    pj_loaded *loaded = compile(client, "", 0, PJ_OK);
    pj_bytes_args whole = {.object = loaded->executable};
    (void)state;
    assert_null(CALL(Executable_Serialize, &whole));
    char *copy = malloc(whole.size);
    for (size_t i = 0; i < whole.size; i++) {
        memcpy(copy, whole.bytes, whole.size);
        copy[i] ^= (char)(1 << i % 8);
        pj_deserialize_args args = {.client = client, .bytes = copy, .size = whole.size};
        assert_int_equal(code_of(CALL(Executable_DeserializeAndLoad, &args)),
                         PJ_INVALID_ARGUMENT);
        memcpy(copy, whole.bytes, whole.size);
        args.size = i;
        assert_int_equal(code_of(CALL(Executable_DeserializeAndLoad, &args)),
                         PJ_INVALID_ARGUMENT);
    }
    pj_deserialize_args args = {.client = client, .bytes = whole.bytes, .size = whole.size};
    assert_null(CALL(Executable_DeserializeAndLoad, &args));
    free(copy);
    whole.destroy(whole.owner);
    assert_null(on(CALL_Client_Destroy, client));
    assert_null(on(CALL_LoadedExecutable_Destroy, loaded));
    assert_null(on(CALL_LoadedExecutable_Destroy, args.loaded));
}

/* Callers of older tables have shorter structures: what lies behind them stays as it is. */
static void test_older_callers(void **state)
{
    pj_client *client = open_client();
    pj_loaded *loaded = compile(client, "", 0, PJ_OK);
    pj_compiled_memory_args use = {
        .executable = loaded->executable, .peak = -1, .total = -1};
    (void)state;
    use.struct_size = offsetof(pj_compiled_memory_args, total);
    assert_null(call(CALL_Executable_GetCompiledMemoryStats, &use));
    assert_true(use.peak > 0);
    assert_int_equal(use.total, -1);
    use.struct_size = offsetof(pj_compiled_memory_args, peak);
    assert_int_equal(code_of(call(CALL_Executable_GetCompiledMemoryStats, &use)),
                     PJ_INVALID_ARGUMENT);
    assert_null(on(CALL_LoadedExecutable_Destroy, loaded));
    assert_null(on(CALL_Client_Destroy, client));
}

/* ---- random order ------------------------------------------------------------------- */

enum { BUFFERS = 12, STEPS = 20000 };

typedef struct world {
    pj_client *client;
    pj_loaded *loaded;
    pj_buffer *buffers[BUFFERS];
} world;

static void put(world *w, int i)
{
    static const float data[64] = {1, 2, 3, 4, 5, 6};
    static const pj_type types[] = {PJ_F32, PJ_F32, PJ_F32,  PJ_PRED,
                                    PJ_C64, PJ_S8,  PJ_TOKEN};
    const int64_t dims[] = {2, rand() % 4 ? 3 : 0}, strides[] = {4, 8};
    pj_from_host_args args = {.client = w->client,
                              .data = data,
                              .type = types[rand() % 7],
                              .dims = dims,
                              .rank = (size_t)(rand() % 8 ? 2 : rand() % 3),
                              .byte_strides = strides,
                              .n_strides = (size_t)(rand() % 3 ? 0 : 2)};
    if (w->buffers[i])
        assert_null(on(CALL_Buffer_Destroy, w->buffers[i]));
    w->buffers[i] = code_of(CALL(Client_BufferFromHostBuffer, &args)) ? NULL : args.buffer;
}

static void fetch(const world *w, int i)
{
    char data[64];
    pj_to_host_args args = {.buffer = w->buffers[i]};
    assert_null(CALL(Buffer_ToHostBuffer, &args));
    assert_true(args.size <= sizeof data);
    args.data = data;
    args.size = (size_t)(rand() % 4 ? (int)sizeof data : rand() % 16);
    int code = code_of(CALL(Buffer_ToHostBuffer, &args));
    assert_true(code == PJ_OK || code == PJ_INVALID_ARGUMENT);
}

static int execute(world *w)
{
    pj_buffer *first[3], *results[2], **result_list[] = {results};
    pj_buffer *const *argument_list[] = {first};
    pj_execute_args args = {.loaded = w->loaded,
                            .arguments = argument_list,
                            .n_devices = 1,
                            .n_arguments = (size_t)(rand() % 8 ? 2 : rand() % 3),
                            .results = result_list};
    for (int k = 0; k < 3; k++) {
        first[k] = w->buffers[rand() % BUFFERS];
        if (!first[k])
            return 0;
    }
    if (code_of(CALL(LoadedExecutable_Execute, &args)))
        return 0;
    assert_null(first[1]->bytes); /* donated */
    for (int k = 0; k < 2; k++)
        assert_null(on(CALL_Buffer_Destroy, results[k]));
    return 1;
}

static void query(const world *w, pj_buffer *b)
{
    pj_list_args dims = {.object = b};
    pj_layout_args layout = {.buffer = b};
    pj_bool_args is_deleted = {.object = b};
    pj_size_args address = {.object = b};
    pj_memory_stats_args stats = {.device = w->client->device_list[0]};
    assert_null(CALL(Buffer_Dimensions, &dims));
    assert_null(CALL(Buffer_GetMemoryLayout, &layout));
    assert_int_equal(layout.layout.tiled.rank, dims.count);
    assert_null(CALL(Buffer_IsDeleted, &is_deleted));
    assert_int_equal(code_of(CALL(Buffer_UnsafePointer, &address)) != PJ_OK,
                     is_deleted.value);
    assert_null(CALL(Device_MemoryStats, &stats));
    assert_true(stats.in_use >= 0 && stats.in_use <= stats.peak.value);
}

static void step(world *w, int *runs)
{
    int i = rand() % BUFFERS;
    pj_buffer *b = w->buffers[i];
    if (!b || rand() % 4 == 0) {
        put(w, i);
        return;
    }
    int what = rand() % 6, to = rand() % BUFFERS;
    pj_copy_args copy = {.buffer = b, .target = w->client->device_list[0]};
    if (what == 0)
        fetch(w, i);
    else if (what == 1 && rand() % 4 == 0)
        assert_null(on(CALL_Buffer_Delete, b));
    else if (what == 2 && !w->buffers[to])
        w->buffers[to] = code_of(CALL(Buffer_CopyToDevice, &copy)) ? NULL : copy.copy;
    else if (what == 3)
        query(w, b);
    else
        *runs += execute(w);
}

/* Now and then the client goes before its buffers and its executable, and a new one comes.
 */
static void change_client(world *w)
{
    assert_null(on(CALL_Client_Destroy, w->client));
    assert_null(on(CALL_LoadedExecutable_Destroy, w->loaded));
    w->client = open_client();
    w->loaded = compile(w->client, "", 0, PJ_OK);
}

static void test_random_order(void **state)
{
    int runs = 0;
    world w = {.client = open_client()};
    (void)state;
    w.loaded = compile(w.client, "", 0, PJ_OK);
    for (int i = 0; i < STEPS; i++) {
        step(&w, &runs);
        if (rand() % 500 == 0)
            change_client(&w);
    }
    assert_true(runs > 100);
    for (int i = 0; i < BUFFERS; i++)
        if (w.buffers[i])
            assert_null(on(CALL_Buffer_Destroy, w.buffers[i]));
    assert_null(on(CALL_LoadedExecutable_Destroy, w.loaded));
    assert_null(on(CALL_Client_Destroy, w.client));
}

/* Handles of one client are errors for another. */
static void test_two_clients(void **state)
{
    world one = {.client = open_client()}, other = {.client = open_client()};
    pj_from_host_args args = {
        .client = one.client, .type = PJ_F32, .device = other.client->device_list[0]};
    (void)state;
    one.loaded = compile(one.client, "", 0, PJ_OK);
    while (!other.buffers[0] || other.buffers[0]->type != PJ_F32 ||
           other.buffers[0]->size != 24)
        put(&other, 0);
    pj_buffer *given[2] = {other.buffers[0], other.buffers[0]}, *results[2],
              **result_list[] = {results};
    pj_buffer *const *given_list[] = {given};
    pj_execute_args run = {.loaded = one.loaded,
                           .arguments = given_list,
                           .n_devices = 1,
                           .n_arguments = 2,
                           .results = result_list};
    pj_copy_args copy = {.buffer = other.buffers[0], .target = one.client->device_list[0]};
    assert_int_equal(code_of(CALL(LoadedExecutable_Execute, &run)), PJ_INVALID_ARGUMENT);
    assert_int_equal(code_of(CALL(Buffer_CopyToDevice, &copy)), PJ_INVALID_ARGUMENT);
    assert_int_equal(code_of(CALL(Client_BufferFromHostBuffer, &args)),
                     PJ_INVALID_ARGUMENT);
    assert_null(on(CALL_Buffer_Destroy, other.buffers[0]));
    assert_null(on(CALL_LoadedExecutable_Destroy, one.loaded));
    assert_null(on(CALL_Client_Destroy, one.client));
    assert_null(on(CALL_Client_Destroy, other.client));
}

static const char count[] =
    "func.func public @main() -> tensor<i32> {\n"
    "  %0 = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %1 = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<10000> : tensor<i32>\n"
    "  %2 = stablehlo.optimization_barrier %n : tensor<i32>\n"
    "  %3 = stablehlo.while(%i = %0) : tensor<i32>\n"
    "  cond {\n"
    "    %go = stablehlo.compare LT, %i, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %go : tensor<i1>\n"
    "  } do {\n"
    "    %j = stablehlo.add %i, %1 : tensor<i32>\n"
    "    stablehlo.return %j : tensor<i32>\n"
    "  }\n"
    "  return %3 : tensor<i32>\n"
    "}\n";

/* Returns what the program returns, which has no arguments. */
static void *run_alone(void *loaded)
{
    static int number;
    pj_buffer *result[1], **result_list[] = {result};
    pj_buffer *const *nothing[] = {NULL};
    pj_execute_args run = {
        .loaded = loaded, .arguments = nothing, .n_devices = 1, .results = result_list};
    pj_to_host_args fetch = {.data = &number, .size = sizeof number};
    if (code_of(CALL(LoadedExecutable_Execute, &run)))
        return NULL;
    fetch.buffer = result[0];
    code_of(CALL(Buffer_ToHostBuffer, &fetch));
    on(CALL_Buffer_Destroy, result[0]);
    return &number;
}

/* A client may be closed while another thread runs a program of it. */
static void test_client_closed_during_a_run(void **state)
{
    pj_client *client = open_client();
    pj_loaded *loaded = compile_text(client, count, "", 0, PJ_OK);
    pthread_t thread;
    void *number = NULL;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, run_alone, loaded), 0);
    assert_null(on(CALL_Client_Destroy, client));
    assert_int_equal(pthread_join(thread, &number), 0);
    assert_non_null(number);
    assert_int_equal(*(int *)number, 10000);
    assert_null(on(CALL_LoadedExecutable_Destroy, loaded));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_older_callers),
        cmocka_unit_test(test_random_order),
        cmocka_unit_test(test_two_clients),
        cmocka_unit_test(test_client_closed_during_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
