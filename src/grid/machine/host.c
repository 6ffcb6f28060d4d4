/* host.c: runs the host function of a simulated program: arrays, buffers, semaphores and
 * the programs that it enqueues. */
#include "grid/machine/launch.h"
#include "grid/machine/sim.h"

#include "ir/text.h"
#include "mlir/arith/arith.h"
#include "mlir/memref/memref.h"
#include "support/bf16_f16.h"
#include "ttcore/ttcore.h"
#include "ttmetal/ttmetal.h"

typedef struct host {
    tw_sim *sim;
    dev_machine *m;
    ir_mapping *arrays;    /* value to dev_array */
    ir_mapping *buffers;   /* value to 1 + index of the buffer */
    ir_mapping *words;     /* value to the word that kernels get for it */
    ir_mapping *globals;   /* value to global_semaphore */
    uint32_t n_semaphores; /* made so far; the ids of programs go around */
    tw_arena arena;
} host;

static dev_array *array_of(host *h, ir_value *v)
{
    return ir_mapping_get(h->arrays, v);
}

static bool buffer_of(host *h, ir_op *op, ir_value *v, size_t *out)
{
    uintptr_t known = (uintptr_t)ir_mapping_get(h->buffers, v);
    if (!known || !h->m->tensors.buffers[known - 1].live)
        return ir_op_error(op, "uses a tensor that is not on the device (any more)");
    *out = known - 1;
    return true;
}

/* Returns NULL for a type other than an array's; its `data` is NULL if out of memory. */
static dev_array *new_array(host *h, ir_type type)
{
    dev_array *a = TW_ARENA_NEW(&h->arena, dev_array);
    if (!dev_array_describe(type, a))
        return NULL;
    a->data = tw_arena_try_alloc(&h->arena, a->bytes + 1);
    if (a->data)
        memset(a->data, 0, a->bytes);
    return a;
}

static tw_status no_memory(const char *what, const dev_array *a)
{
    return tw_error(TW_RESOURCE, "no memory for the %zu bytes of %s", a->bytes, what);
}

/* Element by element: the arrays may be padded differently. */
static bool copy_array(host *h, ir_op *op)
{
    ir_type types[2];
    const dev_array *a[2];
    int64_t strides[2][DEV_MAX_SHARD_DIMS];
    for (size_t i = 0; i < 2; i++) {
        types[i] = ir_op_operand(op, i)->type;
        a[i] = array_of(h, ir_op_operand(op, i));
        if (!a[i] || !dev_array_strides(types[i], strides[i]))
            return ir_op_error(op, "needs arrays of the host");
    }
    size_t size = tw_dtype_size(a[0]->dtype);
    int64_t n = ir_type_num_elements(types[0]);
    for (int64_t e = 0; e < n; e++) {
        int64_t at[2] = {0, 0}, rest = e;
        for (uint32_t d = types[0]->count; d-- > 0; rest /= types[0]->dims[d])
            for (size_t i = 0; i < 2; i++)
                at[i] += rest % types[0]->dims[d] * strides[i][d];
        memcpy(a[1]->data + (size_t)at[1] * size, a[0]->data + (size_t)at[0] * size, size);
    }
    return true;
}

/* The values of a memref.global. */
static bool get_global(host *h, ir_op *op)
{
    ir_op *global = ir_symbol_resolve(op, ir_op_attr(op, "name"));
    ir_attr dense = global ? ir_op_attr(global, "initial_value") : NULL;
    dev_array *a = new_array(h, ir_op_result(op, 0)->type);
    if (!a || !a->data || !ir_attr_is(dense, IR_ATTR_DENSE) ||
        ir_op_result(op, 0)->type->encoding)
        return ir_op_error(op, "needs a global with values of at most 32 bits");
    size_t size = tw_dtype_size(a->dtype);
    for (size_t i = 0; i < a->bytes / size; i++) {
        if (dense->type->element->kind == IR_TYPE_FLOAT) {
            float value = (float)ir_dense_real(dense, i);
            if (a->dtype == TW_F32)
                memcpy(a->data + i * size, &value, size);
            else {
                uint16_t half = a->dtype == TW_BF16 ? tw_bf16_nearest_even(value)
                                                    : tw_f16_nearest_even(value);
                memcpy(a->data + i * size, &half, size);
            }
        } else {
            int64_t value = ir_dense_int(dense, i);
            memcpy(a->data + i * size, &value, size);
        }
    }
    ir_mapping_set(h->arrays, ir_op_result(op, 0), a);
    return true;
}

/* ---- words: scalars and semaphores -------------------------------------------------- */

static void set_word(host *h, ir_value *v, uint32_t word)
{
    uint32_t *known = TW_ARENA_NEW(&h->arena, uint32_t);
    *known = word;
    ir_mapping_set(h->words, v, known);
}

/* The bits of a constant as a kernel's argument: a number's low 32. */
static uint32_t word_of(ir_attr value)
{
    uint32_t word;
    if (!ir_attr_is(value, IR_ATTR_FLOAT))
        return (uint32_t)ir_attr_int(value, 0);
    float real = (float)ir_attr_real(value, 0);
    const ir_type type = value->type;
    if (type->kind == IR_TYPE_FLOAT && type->sign == IR_BF16)
        return tw_bf16_nearest_even(real);
    if (type->kind == IR_TYPE_FLOAT && type->sign == IR_F16)
        return tw_f16_nearest_even(real);
    memcpy(&word, &real, sizeof word);
    return word;
}

/* The element that the operation's operands from `first` on name: an array and its indices.
 */
static unsigned char *element_of(host *h, ir_op *op, uint32_t first, size_t *size)
{
    ir_value *memref = ir_op_operand(op, first);
    const dev_array *a = array_of(h, memref);
    int64_t strides[DEV_MAX_SHARD_DIMS], at = 0;
    if (!a || !dev_array_strides(memref->type, strides)) {
        ir_op_error(op, "needs an array of the host");
        return NULL;
    }
    for (uint32_t d = 0; d < memref->type->count; d++) {
        const uint32_t *index = ir_mapping_get(h->words, ir_op_operand(op, first + 1 + d));
        if (!index || *index >= memref->type->dims[d]) {
            ir_op_error(op, "has an index %u that is no constant within %s", d,
                        ir_type_text(op->ctx, memref->type));
            return NULL;
        }
        at += *index * strides[d];
    }
    *size = tw_dtype_size(a->dtype);
    return (unsigned char *)a->data + (size_t)at * *size;
}

/* memref.load and memref.store of one element. */
static bool load_element(host *h, ir_op *op)
{
    size_t size;
    uint32_t word = 0;
    const unsigned char *from = element_of(h, op, 0, &size);
    if (from) {
        memcpy(&word, from, size);
        set_word(h, ir_op_result(op, 0), word);
    }
    return from != NULL;
}

static bool store_element(host *h, ir_op *op)
{
    size_t size;
    const uint32_t *word = ir_mapping_get(h->words, ir_op_operand(op, 0));
    if (!word)
        return ir_op_error(op, "stores what is no number of the host");
    unsigned char *to = element_of(h, op, 1, &size);
    if (to)
        memcpy(to, word, size);
    return to != NULL;
}

static bool create_semaphore(host *h, ir_op *op)
{
    ir_mapping_set(h->buffers, ir_op_result(op, 0),
                   (void *)((uintptr_t)(h->n_semaphores++ % DEV_MAX_SEMAPHORES) + 1));
    h->m->n_semaphores = TW_MIN(h->n_semaphores, (uint32_t)DEV_MAX_SEMAPHORES);
    return true;
}

/* A word in the L1 of each core of a rectangle. */
typedef struct global_semaphore {
    uint32_t address;
    int64_t at[2], size[2];
} global_semaphore;

static void set_global(host *h, const global_semaphore *s, uint32_t value)
{
    for (int64_t y = s->at[0]; y < s->at[0] + s->size[0]; y++)
        for (int64_t x = s->at[1]; x < s->at[1] + s->size[1]; x++) {
            dev_memory *l1 = &dev_core_at(h->m, (int)y, (int)x)->l1;
            memcpy(l1->bytes + s->address, &value, sizeof value);
            dev_mark(l1, s->address, sizeof value, DEV_DEFINED);
        }
}

/* True if a live buffer of L1 has the word: D2M allocates one behind each semaphore. */
static bool has_room(const dev_machine *m, uint32_t address)
{
    for (size_t i = 0; i < m->tensors.n; i++) {
        const dev_buffer *b = &m->tensors.buffers[i];
        if (b->live && dev_space_is_l1(b->space) && address >= b->address &&
            address + sizeof(uint32_t) <= b->address + b->per_bank)
            return true;
    }
    return false;
}

static bool create_global_semaphore(host *h, ir_op *op)
{
    enum { WORDS = 4 }; /* L1 is aligned to 16 bytes */
    global_semaphore *s = TW_ARENA_NEW(&h->arena, global_semaphore);
    ir_attr range = ir_op_attr(op, "core_range");
    const int64_t address = ir_op_int(op, "address", 0);
    size_t index;
    if (!range || ir_attr_ints(range->params[0], s->at, 2) != 2 ||
        ir_attr_ints(range->params[1], s->size, 2) != 2 ||
        !dev_cores_exist(h->m->chip, s->at[0], s->at[1], s->size[0], s->size[1]))
        return ir_op_error(op, "needs a core_range within the %dx%d workers",
                           h->m->chip->grid_y, h->m->chip->grid_x);
    if (address <= 0 || address > (int64_t)h->m->chip->l1_bytes - 4 * WORDS || address % 4)
        return ir_op_error(op, "needs an address of a word in L1, not %lld",
                           (long long)address);
    s->address = (uint32_t)address;
    if (!has_room(h->m, s->address)) {
        const dev_buffer word = {.space = DEV_L1,
                                 .format = TW_U32,
                                 .address = s->address,
                                 .grid_y = s->size[0],
                                 .grid_x = s->size[1],
                                 .core_y = (int)s->at[0],
                                 .core_x = (int)s->at[1],
                                 .shard_y = 1,
                                 .shard_x = WORDS};
        tw_status status = dev_buffer_add(h->m, word, false, 1, &index);
        if (status) {
            ir_op_error(op, "%s", tw_status_message(status));
            tw_status_free(status);
            return false;
        }
    }
    set_global(h, s, (uint32_t)ir_op_int(op, "initial_value", 0));
    set_word(h, ir_op_result(op, 0), s->address);
    ir_mapping_set(h->globals, ir_op_result(op, 0), s);
    return true;
}

static bool reset_global_semaphore(host *h, ir_op *op)
{
    const global_semaphore *s = ir_mapping_get(h->globals, ir_op_operand(op, 0));
    if (!s)
        return ir_op_error(op, "needs a semaphore of create_global_semaphore");
    set_global(h, s, (uint32_t)ir_op_int(op, "value", 0));
    return true;
}

/* ---- programs ----------------------------------------------------------------------- */

static tw_status enqueue(host *h, ir_op *op)
{
    dev_operand *operands = TW_ARENA_ARRAY(&h->arena, dev_operand, op->n_operands + 1);
    const ir_value *semaphores[DEV_MAX_SEMAPHORES] = {NULL};
    for (size_t i = 0; i < op->n_operands; i++) {
        ir_value *v = ir_op_operand(op, i);
        ir_op *def = ir_value_def(v);
        uintptr_t known = (uintptr_t)ir_mapping_get(h->buffers, v);
        const uint32_t *word = ir_mapping_get(h->words, v);
        if (def && def->def == TTMETAL_OP(create_local_semaphore)) {
            operands[i] = (dev_operand){DEV_OPERAND_SEMAPHORE, (int64_t)known - 1};
            if (semaphores[known - 1] && semaphores[known - 1] != v) {
                ir_op_error(
                    op,
                    "operands are semaphores that were not created in a row; a core "
                    "has %d, and a program's are the last ones",
                    DEV_MAX_SEMAPHORES);
                return tw_error(TW_INVALID, "the program cannot be launched");
            }
            semaphores[known - 1] = v;
        } else if (word)
            operands[i] =
                (dev_operand){ir_mapping_get(h->globals, v) ? DEV_OPERAND_GLOBAL_SEMAPHORE
                                                            : DEV_OPERAND_NUMBER,
                              (int32_t)*word};
        else if (known && h->m->tensors.buffers[known - 1].live)
            operands[i] = (dev_operand){DEV_OPERAND_BUFFER, (int64_t)known - 1};
        else if (known) {
            ir_op_error(op,
                        "operand %zu has been given back; deallocate a buffer after "
                        "the last program that uses it",
                        i);
            return tw_error(TW_INVALID, "the program cannot be launched");
        }
    }
    return dev_launch(h->m, op, operands, &h->sim->profile, &h->sim->json, &h->sim->html);
}

static bool create_buffer(host *h, ir_op *op)
{
    size_t index;
    if (!dev_buffer_create(h->m, op, ir_op_result(op, 0)->type,
                           (uint64_t)ir_op_int(op, "address", 0), &index))
        return false;
    ir_mapping_set(h->buffers, ir_op_result(op, 0), (void *)((uintptr_t)index + 1));
    return true;
}

static bool transfer(host *h, ir_op *op, bool write)
{
    size_t buffer;
    dev_array *a = array_of(h, ir_op_operand(op, write ? 0 : 1));
    if (!buffer_of(h, op, ir_op_operand(op, write ? 1 : 0), &buffer))
        return false;
    if (!a)
        return ir_op_error(op, "needs an array of the host");
    dev_array bytes = *a;
    bytes.as_pages =
        ir_op_attr(op, TTMETAL_PAGES_ATTR) && dev_has_pages_of(h->m, buffer, a);
    tw_status status = write ? dev_buffer_write(h->m, buffer, &bytes)
                             : dev_buffer_read(h->m, buffer, &bytes);
    if (status == TW_SUCCESS)
        return true;
    ir_op_error(op, "%s", tw_status_message(status));
    tw_status_free(status);
    return false;
}

/* The shard of the only device is the whole array. */
static bool mesh_shard(host *h, ir_op *op)
{
    ir_type from = ir_op_operand(op, 0)->type, to = ir_op_result(op, 0)->type;
    dev_array *a = array_of(h, ir_op_operand(op, 0));
    if (!a)
        return ir_op_error(op, "needs an array of the host");
    if (from->element != to->element || from->count != to->count ||
        memcmp(from->dims, to->dims, from->count * sizeof *from->dims) != 0 ||
        from->encoding != to->encoding)
        return ir_op_error(op,
                           "divides %s among the devices of a mesh; one device is "
                           "simulated, whose shard is the whole array",
                           ir_type_text(op->ctx, from));
    ir_mapping_set(h->arrays, ir_op_result(op, 0), a);
    return true;
}

/* False after a diagnostic; *status is set if there is more to report. */
static bool step(host *h, ir_op *op, tw_status *status)
{
    size_t buffer;
    if (op->def == TTMETAL_OP(finish) || op->def == MEMREF_OP(dealloc))
        return true;
    if (op->def == ARITH_OP(constant)) {
        set_word(h, ir_op_result(op, 0), word_of(ir_op_attr(op, "value")));
        return true;
    }
    if (op->def == TTMETAL_OP(create_global_semaphore))
        return create_global_semaphore(h, op);
    if (op->def == TTMETAL_OP(reset_global_semaphore))
        return reset_global_semaphore(h, op);
    if (op->def == TTMETAL_OP(mesh_shard))
        return mesh_shard(h, op);
    if (op->def == TTMETAL_OP(create_buffer))
        return create_buffer(h, op);
    if (op->def == TTMETAL_OP(create_local_semaphore))
        return create_semaphore(h, op);
    if (op->def == TTMETAL_OP(enqueue_write_buffer))
        return transfer(h, op, true);
    if (op->def == TTMETAL_OP(enqueue_read_buffer))
        return transfer(h, op, false);
    if (op->def == TTMETAL_OP(enqueue_program)) {
        *status = enqueue(h, op);
        return *status == TW_SUCCESS;
    }
    if (op->def == TTMETAL_OP(deallocate_buffer)) {
        if (!buffer_of(h, op, ir_op_operand(op, 0), &buffer))
            return false;
        h->m->tensors.buffers[buffer].live = false;
        return true;
    }
    if (op->def == MEMREF_OP(copy))
        return copy_array(h, op);
    if (op->def == MEMREF_OP(load))
        return load_element(h, op);
    if (op->def == MEMREF_OP(store))
        return store_element(h, op);
    if (op->def == MEMREF_OP(get_global))
        return get_global(h, op);
    if (op->def == MEMREF_OP(alloc)) {
        dev_array *a = new_array(h, ir_op_result(op, 0)->type);
        ir_mapping_set(h->arrays, ir_op_result(op, 0), a);
        if (a && !a->data)
            *status = no_memory(op->def->name, a);
        return a ? a->data != NULL
                 : ir_op_error(op, "needs a static memref of numbers of at most 32 bits");
    }
    *status = tw_error(TW_UNSUPPORTED, "a host operation is not executed");
    return ir_op_error(op, "is not executed by the simulated device's host");
}

static void notify(const tw_sim *sim, const ir_op *op, int64_t number, bool before)
{
    const tw_op_event event = {
        .name = op->def->name, .before = before, .program = -1, .operation = number};
    if (sim->observer.notify)
        sim->observer.notify(sim->observer.user, &event);
}

static tw_status run_host(host *h, const void *const *inputs, void *const *outputs)
{
    tw_sim *sim = h->sim;
    ir_block *body = ir_op_body(sim->entry, 0);
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < sim->n_inputs; i++) {
        if (body->args[i]->type->kind != IR_TYPE_MEMREF) {
            uint32_t word = 0;
            memcpy(&word, inputs[i], sim->inputs[i].bytes);
            set_word(h, body->args[i], word);
            continue;
        }
        dev_array *a = new_array(h, body->args[i]->type);
        if (!a->data)
            return no_memory("an argument", a);
        memcpy(a->data, inputs[i], a->bytes);
        ir_mapping_set(h->arrays, body->args[i], a);
    }
    int64_t number = 0;
    for (ir_op *op = body->first; op && op != body->last; op = op->next, number++) {
        notify(sim, op, number, true);
        if (!step(h, op, &status))
            return status ? status : tw_error(TW_INVALID, "the host function failed");
        notify(sim, op, number, false);
    }
    for (size_t i = 0; i < sim->n_outputs; i++) {
        dev_array *a = array_of(h, ir_op_operand(body->last, i));
        if (!a)
            return tw_error(TW_UNSUPPORTED, "result %zu is not an array of the host", i);
        memcpy(outputs[i], a->data, a->bytes);
    }
    return TW_SUCCESS;
}

tw_status dev_host_run(tw_sim *sim, dev_machine *m, const void *const *inputs,
                       void *const *outputs)
{
    host h = {.sim = sim,
              .m = m,
              .arrays = ir_mapping_create(),
              .buffers = ir_mapping_create(),
              .words = ir_mapping_create(),
              .globals = ir_mapping_create()};
    tw_status status = run_host(&h, inputs, outputs);
    ir_mapping_free(h.arrays);
    ir_mapping_free(h.buffers);
    ir_mapping_free(h.words);
    ir_mapping_free(h.globals);
    tw_arena_free(&h.arena);
    return status;
}
