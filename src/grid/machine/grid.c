/* grid.c: the public interface for hosts that launch kernels (tilewright/grid.h): grids,
 * tensors and modules of kernels.  Launches are in grid_launch.c. */
#include "grid/machine/grid.h"
#include "support/guard.h"

#include "grid/native/kernel_headers.h"
#include "ir/text.h"
#include "mlir/func/func.h"
#include "pipelines/dialects.h"
#include "pipelines/module.h"
#include "support/bf16_f16.h"
#include "ttkernel/ttkernel_accessors.h"

#include <stdlib.h>

/* ---- the grid ---------------------------------------------------------------------- */

static void init_mutex(tw_grid *grid)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&grid->mutex, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

/* In a child of fork: a thread that used the grid exists in the parent only; drops the rest
 * of its run and its references. */
static void after_fork(tw_fork_watch *watch)
{
    tw_grid *grid = TW_FORK_OWNER(watch, tw_grid, fork);
    init_mutex(grid);
    if (grid->depth && pthread_equal(grid->owner, pthread_self())) {
        for (unsigned i = 0; i < grid->depth; i++)
            pthread_mutex_lock(&grid->mutex);
    } else if (grid->depth) {
        grid->references -= grid->depth;
        grid->depth = 0;
        dev_machine_abandon(grid->m);
    }
}

TW_UNDER_GUARD guarded_grid_open(const tw_grid_options *options, tw_grid **out_grid)
{
    static const tw_grid_options defaults = {0};
    const tw_grid_options *o = options ? options : &defaults;
    const dev_chip *chip = dev_chip_find(tw_str_from(o->chip ? o->chip : "n150"));
    if (!chip)
        return tw_error(TW_NOT_FOUND, "no chip '%s': there are n150, n300 and p150",
                        o->chip);
    if ((unsigned)o->numerics >= DEV_NUMERICS)
        return tw_error(TW_INVALID, "there is no level of numerics %d", (int)o->numerics);
    if (o->threads < 0 || o->threads > 2)
        return tw_error(TW_INVALID, "a grid runs on 1 or 2 threads of the host, not %d",
                        o->threads);
    tw_grid *grid = tw_xcalloc(1, sizeof *grid);
    init_mutex(grid);
    grid->references = 1;
    grid->ctx = ir_context_create();
    ir_register_all(grid->ctx);
    grid->log.list = o->diagnostics;
    ir_context_set_sink(grid->ctx, dev_natives_sink(&grid->natives, &grid->log));
    grid->m = dev_machine_create(chip, grid->ctx,
                                 &(dev_options){.seed = o->seed,
                                                .budget = o->budget,
                                                .numerics = (dev_numerics)o->numerics,
                                                .profile = o->profile,
                                                .two_threads = o->threads == 2,
                                                .no_races = o->no_races});
    grid->m->natives = &grid->natives;
    tw_fork_watch_begin(&grid->fork, after_fork);
    *out_grid = grid;
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_grid_open(const tw_grid_options *options, tw_grid **out_grid)
{
    TW_RETURN_GUARDED(guarded_grid_open(options, out_grid));
}

void grid_release(tw_grid *grid)
{
    grid->references--;
}

tw_grid *grid_enter(tw_grid *grid)
{
    pthread_mutex_lock(&grid->mutex);
    grid->owner = pthread_self();
    grid->depth++;
    grid->references++;
    return grid;
}

void grid_leave(tw_grid *const *entered)
{
    tw_grid *grid = *entered;
    const bool last = !--grid->references;
    grid->depth--;
    pthread_mutex_unlock(&grid->mutex);
    if (!last)
        return;
    tw_fork_watch_end(&grid->fork);
    pthread_mutex_destroy(&grid->mutex);
    dev_machine_destroy(grid->m);
    dev_natives_free(&grid->natives);
    ir_context_destroy(grid->ctx);
    tw_strbuf_free(&grid->log.text);
    free(grid);
}

TW_EXPORT void tw_grid_close(tw_grid *grid)
{
    if (!grid)
        return;
    GRID_ENTER(grid);
    grid_release(grid);
}

TW_EXPORT void tw_grid_size(const tw_grid *grid, int *out_rows, int *out_columns)
{
    *out_rows = grid->m->chip->grid_y;
    *out_columns = grid->m->chip->grid_x;
}

TW_EXPORT void tw_grid_set_seed(tw_grid *grid, uint64_t seed)
{
    GRID_ENTER(grid);
    grid->m->options.seed = seed;
}

/* ---- tensors ----------------------------------------------------------------------- */

static int64_t divide_up(int64_t a, int64_t b)
{
    return b ? (a + b - 1) / b : 0;
}

/* The given size, or as even as possible. */
static int64_t shard_size(int64_t pages, int64_t shards, int64_t given)
{
    return given > 0 ? TW_MIN(given, pages) : divide_up(pages, shards);
}

static tw_status describe(const tw_grid_layout *l, dev_buffer *b, dev_array *a)
{
    int64_t rows = 1, matrices = 1, n = 1;
    if (l->rank < 0 || l->rank > 8)
        return tw_error(TW_INVALID, "a tensor of rank %d: the device's have 0 to 8",
                        l->rank);
    for (int i = 0; i < l->rank; i++) {
        if (l->dims[i] <= 0 || __builtin_mul_overflow(n, l->dims[i], &n) ||
            n > INT64_C(1) << 33)
            return tw_error(TW_INVALID, "dimension %d of a tensor is %lld", i,
                            (long long)l->dims[i]);
        matrices *= i < l->rank - 2 ? l->dims[i] : 1;
    }
    int64_t columns = l->rank ? l->dims[l->rank - 1] : 1;
    int64_t height = l->rank > 1 ? l->dims[l->rank - 2] : 1;
    rows = matrices * height;
    size_t size = tw_dtype_size(l->dtype);
    if ((int)l->dtype < 0 || l->dtype >= TW_DTYPE_COUNT ||
        (l->tiled ? !dev_tile_bytes(l->dtype) : !size || size > 4))
        return tw_error(TW_UNSUPPORTED, "the device has no %s of %s%s",
                        l->tiled ? "tiles" : "rows", tw_dtype_name(l->dtype),
                        l->tiled || !dev_tile_bytes(l->dtype)
                            ? ""
                            : ", only tiles (layout=ttnn.TILE_LAYOUT)");
    bool sharded = l->memory == TW_DRAM_SHARDED || l->memory == TW_L1_SHARDED;
    if (sharded && (l->shard_rows <= 0 || l->shard_columns <= 0))
        return tw_error(TW_INVALID, "a sharded tensor of %dx%d shards", l->shard_rows,
                        l->shard_columns);
    static const dev_space spaces[] = {
        [TW_DRAM_INTERLEAVED] = DEV_DRAM_INTERLEAVED,
        [TW_L1_INTERLEAVED] = DEV_L1_INTERLEAVED,
        [TW_DRAM_SHARDED] = DEV_DRAM_SHARDED,
        [TW_L1_SHARDED] = DEV_L1,
    };
    int64_t side = l->tiled ? DEV_TILE_SIDE : 1;
    int64_t pages_down = matrices * divide_up(height, side),
            pages_across = divide_up(columns, side);
    *b = (dev_buffer){.space = spaces[l->memory],
                      .format = l->dtype,
                      .tiled = l->tiled,
                      .matrix_rows = height,
                      .columns = columns,
                      .grid_y = sharded ? l->shard_rows : 1,
                      .grid_x = sharded ? l->shard_columns : 1,
                      .core_y = l->core_row,
                      .core_x = l->core_column,
                      .core_columns = l->core_columns};
    b->shard_y = shard_size(pages_down, b->grid_y, sharded ? l->shard_height : 0);
    b->shard_x = shard_size(pages_across, b->grid_x, sharded ? l->shard_width : 0);
    if (b->shard_y * b->grid_y < pages_down || b->shard_x * b->grid_x < pages_across)
        return tw_error(
            TW_INVALID,
            "%lldx%lld shards of %lldx%lld do not hold a tensor of %lldx%lld %s",
            (long long)b->grid_y, (long long)b->grid_x, (long long)b->shard_y,
            (long long)b->shard_x, (long long)pages_down, (long long)pages_across,
            l->tiled ? "tiles" : "numbers");
    *a = (dev_array){.dtype = l->dtype, .rows = rows, .columns = columns};
    return TW_SUCCESS;
}

TW_UNDER_GUARD guarded_grid_tensor_create(tw_grid *grid, const tw_grid_layout *layout,
                                          tw_grid_tensor **out_tensor)
{
    dev_buffer b;
    dev_array a;
    size_t index;
    if ((unsigned)layout->memory > TW_L1_SHARDED)
        return tw_error(TW_INVALID, "there is no memory %d", (int)layout->memory);
    TW_TRY(describe(layout, &b, &a));
    TW_TRY(dev_buffer_add(grid->m, b, true, 1, &index));
    tw_grid_tensor *t = tw_xcalloc(1, sizeof *t);
    t->references = 1;
    t->grid = grid;
    grid->references++;
    t->index = index;
    t->array = a;
    *out_tensor = t;
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_grid_tensor_create(tw_grid *grid, const tw_grid_layout *layout,
                                          tw_grid_tensor **out_tensor)
{
    GRID_ENTER(grid);
    TW_RETURN_GUARDED(guarded_grid_tensor_create(grid, layout, out_tensor));
}

void grid_tensor_release(tw_grid_tensor *tensor)
{
    if (--tensor->references)
        return;
    dev_buffer_remove(tensor->grid->m, tensor->index);
    grid_release(tensor->grid);
    free(tensor);
}

TW_EXPORT void tw_grid_tensor_destroy(tw_grid_tensor *tensor)
{
    if (!tensor)
        return;
    GRID_ENTER(tensor->grid);
    grid_tensor_release(tensor);
}

TW_EXPORT tw_status tw_grid_tensor_write(tw_grid_tensor *tensor, tw_dtype dtype,
                                         const void *data)
{
    GRID_ENTER(tensor->grid);
    dev_array a = tensor->array;
    a.dtype = dtype;
    a.data = (uint8_t *)(uintptr_t)data; /* only read */
    return dev_buffer_write(tensor->grid->m, tensor->index, &a);
}

TW_EXPORT tw_status tw_grid_tensor_empty(tw_grid_tensor *tensor)
{
    GRID_ENTER(tensor->grid);
    dev_buffer_empty(tensor->grid->m, tensor->index);
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_grid_tensor_read(tw_grid_tensor *tensor, tw_dtype dtype, void *data)
{
    GRID_ENTER(tensor->grid);
    dev_array a = tensor->array;
    a.dtype = dtype;
    a.data = data;
    return dev_buffer_read(tensor->grid->m, tensor->index, &a);
}

TW_EXPORT uint64_t tw_grid_tensor_address(const tw_grid_tensor *tensor)
{
    return tensor->grid->m->tensors.buffers[tensor->index].address;
}

TW_EXPORT size_t tw_grid_tensor_page_bytes(const tw_grid_tensor *tensor)
{
    return tensor->grid->m->tensors.buffers[tensor->index].page;
}

/* ---- kernels ----------------------------------------------------------------------- */

static ir_walk add_kernel(ir_op *op, void *user)
{
    tw_kernels *k = user;
    if (op->def != FUNC_OP(func) || !ir_op_attr(op, "ttkernel.thread"))
        return IR_WALK_ON;
    bool compute;
    if (!dev_code_kind(op, &compute)) {
        k->broken = true;
        return IR_WALK_STOP;
    }
    tw_str name = ir_symbol_name(op);
    grid_kernel kernel = {op, tw_arena_copy(&k->arena, name.data, name.size), compute};
    TW_PUSH(k->at, k->count, k->capacity, kernel);
    return IR_WALK_ON;
}

static tw_kernels *new_kernels(tw_grid *grid, ir_context *ctx, const char *name)
{
    tw_kernels *k = tw_xcalloc(1, sizeof *k);
    k->references = 1;
    k->grid = grid;
    grid->references++;
    k->ctx = ctx;
    k->name = tw_arena_printf(&k->arena, "%s", name ? name : "<kernels>");
    ir_context_set_sink(ctx, dev_natives_sink(&grid->natives, &grid->log));
    return k;
}

/* Finds the kernels in the module, which is NULL if it could not be read. */
static tw_status list_kernels(tw_kernels *k, bool may_be_empty, tw_kernels **out_kernels)
{
    k->broken = k->module && !ttkernel_lower_tensor_accessors(k->module);
    if (k->module && !k->broken)
        ir_walk_pre(k->module, add_kernel, k);
    ir_flush_diagnostics(k->ctx);
    tw_status status =
        !k->module || k->broken
            ? tw_error(TW_INVALID, "%s", tw_strbuf_text(&k->grid->log.text))
        : !k->count && !may_be_empty
            ? tw_error(TW_INVALID, "%s has no function with ttkernel.thread", k->name)
            : TW_SUCCESS;
    if (status == TW_SUCCESS)
        *out_kernels = k;
    else
        grid_kernels_release(k);
    return status;
}

TW_UNDER_GUARD guarded_kernels_load(tw_grid *grid, const char *text, size_t size,
                                    const char *name, tw_kernels **out_kernels)
{
    tw_kernels *k = new_kernels(grid, grid->ctx, name);
    k->text = (tw_str){tw_arena_copy(&k->arena, text, size), size};
    grid_log_begin(grid, k);
    k->module = ir_parse(grid->ctx, k->text, k->name, NULL);
    return list_kernels(k, !size, out_kernels);
}

TW_EXPORT tw_status tw_kernels_load(tw_grid *grid, const char *text, size_t size,
                                    const char *name, tw_kernels **out_kernels)
{
    GRID_ENTER(grid);
    TW_RETURN_GUARDED(guarded_kernels_load(grid, text, size, name, out_kernels));
}

TW_UNDER_GUARD guarded_kernels_of_module(tw_grid *grid, tw_module *module, const char *name,
                                         tw_kernels **out_kernels)
{
    ir_context *ctx;
    const bool verified = module->verified;
    ir_op *op = tw_module_take(module, &ctx);
    tw_kernels *k = new_kernels(grid, ctx, name);
    grid_log_begin(grid, k);
    k->module = verified || ir_verify(op) ? op : NULL;
    return list_kernels(k, false, out_kernels);
}

TW_EXPORT tw_status tw_kernels_of_module(tw_grid *grid, tw_module *module, const char *name,
                                         tw_kernels **out_kernels)
{
    GRID_ENTER(grid);
    TW_RETURN_GUARDED(guarded_kernels_of_module(grid, module, name, out_kernels));
}

void grid_kernels_release(tw_kernels *k)
{
    if (--k->references)
        return;
    if (k->grid->log.quotes.name == k->name) {
        k->grid->log.quotes.text = (tw_str){0};
        k->grid->log.quotes.name = NULL;
    }
    for (size_t i = 0; i < k->count; i++)
        dev_native_remove(&k->grid->natives, k->at[i].function);
    if (k->ctx != k->grid->ctx) {
        if (k->grid->m->ctx == k->ctx)
            k->grid->m->ctx = k->grid->ctx;
        ir_context_destroy(k->ctx);
    } else if (k->module) {
        ir_op_erase(k->module);
    }
    grid_release(k->grid);
    tw_arena_free(&k->arena);
    free(k->at);
    free(k);
}

TW_UNDER_GUARD guarded_kernels_add_cpp(tw_kernels *k, const tw_cpp_kernel *kernel)
{
    dev_native_source source;
    grid_kernel *at = NULL;
    TW_TRY(dev_native_source_of(&k->arena, kernel, &source));
    for (size_t i = 0; i < k->count; i++)
        if (strcmp(k->at[i].name, kernel->name) == 0)
            at = &k->at[i];
    if (at && k->references > 1)
        return tw_error(TW_INVALID, "@%s is in use by a launch", kernel->name);
    if (!at) {
        grid_kernel made = {.name = source.name};
        TW_PUSH(k->at, k->count, k->capacity, made);
        at = &k->at[k->count - 1];
    } else {
        dev_native_remove(&k->grid->natives, at->function);
    }
    at->compute = source.compute;
    at->function = dev_native_add(&k->grid->natives, k->ctx, k->module, &source)->function;
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_kernels_add_cpp(tw_kernels *k, const tw_cpp_kernel *kernel)
{
    GRID_ENTER(k->grid);
    TW_RETURN_GUARDED(guarded_kernels_add_cpp(k, kernel));
}

TW_EXPORT tw_status tw_kernel_api_write(const char *folder)
{
    return dev_headers_write(folder);
}

TW_EXPORT char *tw_kernel_api_names(void)
{
    tw_strbuf text = {0};
    dev_headers_names(&text);
    return tw_strbuf_take(&text);
}

TW_EXPORT void tw_kernels_destroy(tw_kernels *kernels)
{
    if (!kernels)
        return;
    GRID_ENTER(kernels->grid);
    grid_kernels_release(kernels);
}

TW_EXPORT size_t tw_kernels_count(const tw_kernels *kernels)
{
    return kernels->count;
}

TW_EXPORT const char *tw_kernels_name(const tw_kernels *kernels, size_t i)
{
    return i < kernels->count ? kernels->at[i].name : NULL;
}

TW_EXPORT tw_kernel_kind tw_kernels_kind(const tw_kernels *kernels, size_t i)
{
    return i < kernels->count && kernels->at[i].compute ? TW_KERNEL_COMPUTE
                                                        : TW_KERNEL_DATA;
}
