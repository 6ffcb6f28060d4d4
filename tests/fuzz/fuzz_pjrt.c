/* fuzz_pjrt.c: calls of the PJRT plugin's table in any order, with handles that are valid:
 * the input chooses the call, its handles and its other arguments, one byte each. */
#include "../../bindings/pjrt/pjrt.h"

#include <stdlib.h>
#include <string.h>

enum calls {
#define PJ_CALL(name, function, shape, last) CALL_##name,
#define PJ_PLAIN(name, function, shape) CALL_##name,
#define PJ_NONE(name) CALL_##name,
#include "../../bindings/pjrt/api.def"
#undef PJ_CALL
#undef PJ_PLAIN
#undef PJ_NONE
};

#define CALL(name, args)                                                                   \
    ((args)->struct_size = sizeof *(args), GetPjrtApi()->calls[CALL_##name](args))

enum { BUFFERS = 8, LOADED = 3 };

typedef struct world {
    const uint8_t *at, *end;
    pj_client *client;
    pj_loaded *loaded[LOADED];
    pj_buffer *buffers[BUFFERS];
} world;

static unsigned next(world *w)
{
    return w->at < w->end ? *w->at++ : 0;
}

/* An error has a code and a message; true if there was none. */
static bool ok(pj_error *error)
{
    pj_int_args code = {.object = error};
    pj_text_args text = {.object = error};
    pj_of_args gone = {.object = error};
    if (!error)
        return true;
    if (CALL(Error_GetCode, &code) || code.value == PJ_OK)
        abort();
    CALL(Error_Message, &text);
    if (!text.size || strlen(text.text) != text.size)
        abort();
    CALL(Error_Destroy, &gone);
    return false;
}

static const char *const programs[] = {
    "func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32> {jax.buffer_donor = true}) "
    "-> (tensor<2x3xf32>, tensor<2x3xi1>) {\n"
    "  %0 = stablehlo.add %a, %b : tensor<2x3xf32>\n"
    "  %1 = stablehlo.compare LT, %a, %0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
    "tensor<2x3xi1>\n"
    "  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi1>\n"
    "}\n",
    "func.func @main(%a: tensor<2x3xi4>) -> (tensor<2x3xi4>, !stablehlo.token) {\n"
    "  %0 = stablehlo.add %a, %a : tensor<2x3xi4>\n"
    "  %1 = stablehlo.create_token : !stablehlo.token\n"
    "  return %0, %1 : tensor<2x3xi4>, !stablehlo.token\n"
    "}\n",
    "func.func @main(%a: tensor<complex<f32>>, %t: !stablehlo.token) -> "
    "tensor<complex<f32>> {\n"
    "  %0 = stablehlo.sine %a : tensor<complex<f32>>\n"
    "  return %0 : tensor<complex<f32>>\n"
    "}\n",
    "func.func @main() { return }\n",
    "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }\n",
};

static void compile(world *w)
{
    static const char options[] = "\x1a\x04\x20\x01\x28\x01";
    pj_loaded **to = &w->loaded[next(w) % LOADED];
    pj_of_args old = {.object = *to};
    const char *text = programs[next(w) % TW_COUNT(programs)];
    pj_program program = {.code = (char *)(uintptr_t)text,
                          .code_size = strlen(text) - (next(w) == 255),
                          .format = next(w) == 255 ? "hlo" : "mlir",
                          .format_size = 4};
    pj_compile_args args = {.client = w->client,
                            .program = &program,
                            .options = options,
                            .options_size = next(w) % sizeof options};
    if (*to && !ok(CALL(LoadedExecutable_Destroy, &old)))
        abort();
    *to = ok(CALL(Client_Compile, &args)) ? args.loaded : NULL;
}

static void put(world *w)
{
    static const char data[256] = {1, 2, 3};
    pj_buffer **to = &w->buffers[next(w) % BUFFERS];
    pj_of_args old = {.object = *to};
    const unsigned shape = next(w);
    const int64_t dims[] = {shape % 4 ? 2 : shape % 3, shape % 5 ? 3 : -1},
                  strides[] = {next(w) % 32, next(w) % 32};
    pj_from_host_args args = {.client = w->client,
                              .data = data,
                              .type = (pj_type)(next(w) % (PJ_TYPE_COUNT + 1)),
                              .dims = dims,
                              .rank = shape % 7 ? 2 : 0,
                              .byte_strides = strides,
                              .n_strides = shape & 64 ? 2 : 0};
    if (*to && !ok(CALL(Buffer_Destroy, &old)))
        abort();
    *to = ok(CALL(Client_BufferFromHostBuffer, &args)) ? args.buffer : NULL;
}

static void run(world *w)
{
    enum { MOST = 3 };
    pj_loaded *loaded = w->loaded[next(w) % LOADED];
    pj_buffer *given[MOST], *results[MOST], **result_list[] = {results};
    pj_buffer *const *given_list[] = {given};
    pj_execute_args args = {.loaded = loaded,
                            .arguments = given_list,
                            .n_devices = next(w) == 255 ? 2 : 1,
                            .n_arguments = next(w) % MOST,
                            .results = result_list};
    for (int i = 0; i < MOST; i++)
        if (!(given[i] = w->buffers[next(w) % BUFFERS]))
            return;
    if (!loaded || !ok(CALL(LoadedExecutable_Execute, &args)))
        return;
    for (size_t i = 0; i < loaded->executable->signature.n_results; i++) {
        pj_buffer **to = &w->buffers[next(w) % BUFFERS];
        pj_of_args old = {.object = *to};
        if (*to && !ok(CALL(Buffer_Destroy, &old)))
            abort();
        *to = results[i];
    }
}

static void use_buffer(world *w)
{
    pj_buffer *b = w->buffers[next(w) % BUFFERS];
    char data[256];
    if (!b)
        return;
    pj_of_args of = {.object = b};
    pj_to_host_args fetch = {.buffer = b};
    pj_copy_args copy = {.buffer = b, .target = w->client->memory_list[0]};
    pj_size_args number = {.object = b};
    pj_layout_args layout = {.buffer = b};
    pj_raw_to_host_args raw = {
        .buffer = b, .data = data, .offset = next(w) % 8 - 1, .size = next(w) % 64};
    switch (next(w) % 6) {
    case 0:
        ok(CALL(Buffer_Delete, &of));
        break;
    case 1:
        if (!ok(CALL(Buffer_ToHostBuffer, &fetch)) || fetch.size > sizeof data)
            abort();
        fetch.data = data;
        fetch.size = next(w);
        ok(CALL(Buffer_ToHostBuffer, &fetch));
        break;
    case 2:
        if (!w->buffers[0] && ok(CALL(Buffer_CopyToMemory, &copy)))
            w->buffers[0] = copy.copy;
        break;
    case 3:
        ok(CALL(Buffer_UnsafePointer, &number));
        break;
    case 4:
        ok(CALL(Buffer_GetMemoryLayout, &layout));
        break;
    default:
        ok(CALL(Buffer_CopyRawToHost, &raw));
    }
}

static void use_loaded(world *w)
{
    pj_loaded *loaded = w->loaded[next(w) % LOADED];
    if (!loaded)
        return;
    pj_of_args of = {.object = loaded};
    pj_to_args inner = {.object = loaded};
    pj_executable *e = loaded->executable;
    pj_program code = {.code = NULL};
    pj_program_args program = {.executable = e, .program = &code};
    pj_bytes_args bytes = {.object = e};
    pj_compiled_memory_args memory = {.executable = e};
    pj_counted_args cost = {.object = e};
    switch (next(w) % 5) {
    case 0:
        ok(CALL(LoadedExecutable_Delete, &of));
        break;
    case 1:
        if (!ok(CALL(LoadedExecutable_GetExecutable, &inner)))
            abort();
        of.object = inner.other;
        ok(CALL(Executable_Destroy, &of));
        break;
    case 2:
        if (!ok(CALL(Executable_OptimizedProgram, &program)))
            abort();
        code.code = malloc(code.code_size + 1);
        code.code_size -= next(w) == 255;
        ok(CALL(Executable_OptimizedProgram, &program));
        free(code.code);
        break;
    case 3:
        if (!ok(CALL(Executable_Serialize, &bytes)))
            abort();
        bytes.destroy(bytes.owner);
        break;
    default:
        ok(CALL(Executable_GetCompiledMemoryStats, &memory));
        ok(CALL(Executable_GetCostAnalysis, &cost));
    }
}

static void open_client(world *w)
{
    pj_create_args args = {.struct_size = sizeof args};
    if (!ok(CALL(Client_Create, &args)))
        abort();
    w->client = args.client;
}

static void close_client(world *w)
{
    pj_of_args of = {.object = w->client};
    if (!ok(CALL(Client_Destroy, &of)))
        abort();
}

static void clear(world *w)
{
    pj_of_args of = {.object = NULL};
    for (int i = 0; i < BUFFERS; i++)
        if ((of.object = w->buffers[i]) && !ok(CALL(Buffer_Destroy, &of)))
            abort();
    for (int i = 0; i < LOADED; i++)
        if ((of.object = w->loaded[i]) && !ok(CALL(LoadedExecutable_Destroy, &of)))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const steps[])(world *) = {put,     put, run,        run,
                                             compile, run, use_buffer, use_loaded};
    world w = {.at = data, .end = data + size};
    open_client(&w);
    while (w.at < w.end) {
        unsigned what = next(&w);
        if (what == 255) { /* buffers and executables outlive their client */
            close_client(&w);
            open_client(&w);
        } else {
            steps[what % TW_COUNT(steps)](&w);
        }
    }
    close_client(&w);
    clear(&w);
    return 0;
}
