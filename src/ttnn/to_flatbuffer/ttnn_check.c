/* ttnn_check.c: whether a well-formed .ttnn means something that can be run. */
#include "ttnn/to_flatbuffer/ttnn_program.h"

#include "support/arena.h"
#include "support/hash.h"

#include <stdlib.h>

/* No tensor of a program that fits a flatbuffer's world comes near this many elements. */
#define MAX_ELEMENTS ((int64_t)1 << 48)
/* Grids have at most 130 cores; every core could be a range of its own. */
enum { MAX_CORE_RANGES = 1024 };
/* Programs call each other a few deep (const-eval, traces). */
enum { MAX_CALL_DEPTH = 16 };

typedef struct known {
    uint32_t id; /* 0 = free */
    bool gone;   /* deallocated */
    fb_view ref;
} known;

typedef struct checker {
    const fb_ttnn *file;
    fb_program program;
    size_t op_index; /* SIZE_MAX: the program's inputs and outputs */
    known *known;    /* open addressing */
    size_t n_known, capacity;
    size_t work; /* a file without tricks visits less than it has bytes */
} checker;

static tw_status bad(checker *c, const char *what, uint32_t id)
{
    int name = (int)TW_MIN(c->program.name.size, (size_t)100);
    if (c->op_index == SIZE_MAX)
        return tw_error(TW_INVALID, "program '%.*s': tensor %u %s", name,
                        c->program.name.data, id, what);
    fb_op op = fb_program_op(&c->program, c->op_index);
    return tw_error(TW_INVALID, "program '%.*s', operation %zu (%s): tensor %u %s", name,
                    c->program.name.data, c->op_index, fb_op_kind_name(op.kind), id, what);
}

static tw_status bad_op(checker *c, const char *what)
{
    fb_op op = fb_program_op(&c->program, c->op_index);
    int name = (int)TW_MIN(c->program.name.size, (size_t)100);
    return tw_error(TW_INVALID, "program '%.*s', operation %zu (%s): %s", name,
                    c->program.name.data, c->op_index, fb_op_kind_name(op.kind), what);
}

/* ---- tensors known so far ----------------------------------------------------------- */

static known *find(known *table, size_t capacity, uint32_t id)
{
    size_t i = tw_hash_end(tw_hash_mix(0, id)) & (capacity - 1);
    while (table[i].id && table[i].id != id)
        i = (i + 1) & (capacity - 1);
    return &table[i];
}

static known *lookup(checker *c, uint32_t id)
{
    if (c->n_known * 2 >= c->capacity) {
        size_t capacity = c->capacity ? c->capacity * 2 : 64;
        known *table = tw_xcalloc(capacity, sizeof *table);
        for (size_t i = 0; i < c->capacity; i++)
            if (c->known[i].id)
                *find(table, capacity, c->known[i].id) = c->known[i];
        free(c->known);
        c->known = table;
        c->capacity = capacity;
    }
    return find(c->known, c->capacity, id);
}

static tw_status check_desc(checker *c, fb_view ref, uint32_t id)
{
    fb_view desc = fb_get_table(ref, FB_ttnn_TensorRef_desc);
    fb_vec shape = fb_get_vec(desc, FB_ttnn_TensorDesc_shape);
    if (shape.count > FB_MAX_RANK)
        return bad(c, "has more than 16 dimensions", id);
    if (fb_get_vec(desc, FB_ttnn_TensorDesc_mesh_shape).count > FB_MAX_RANK ||
        fb_get_vec(desc, FB_ttnn_TensorDesc_local_shape).count > FB_MAX_RANK)
        return bad(c, "has a mesh or local shape of more than 16 dimensions", id);
    int64_t elements = 1;
    for (size_t i = 0; i < shape.count; i++) {
        int64_t dim = fb_vec_int(shape, i);
        if (dim < 0)
            return bad(c, "has a negative dimension", id);
        if (dim && elements > MAX_ELEMENTS / dim)
            return bad(c, "has too many elements", id);
        elements *= dim;
    }
    fb_tensor tensor = fb_read_tensor(ref);
    if (tensor.tile_y < 1 || tensor.tile_y > 1024 || tensor.tile_x < 1 ||
        tensor.tile_x > 1024)
        return bad(c, "has a tile that is not between 1x1 and 1024x1024", id);
    if (tensor.memory.shard.cores.count > MAX_CORE_RANGES)
        return bad(c, "is distributed over too many core ranges", id);
    for (size_t i = 0; i < tensor.memory.shard.rank; i++)
        if (tensor.memory.shard.shape[i] < 1)
            return bad(c, "has a shard of no extent", id);
    return TW_SUCCESS;
}

static tw_status define(checker *c, fb_view ref)
{
    uint32_t id = (uint32_t)fb_get_int(ref, FB_ttnn_TensorRef_global_id);
    if (!id)
        return bad(c, "is defined without an id", id);
    TW_TRY(check_desc(c, ref, id));
    known *k = lookup(c, id);
    /* Operations that work in place name the tensor they were given as their result. */
    if (k->id && !fb_equal(fb_get_table(k->ref, FB_ttnn_TensorRef_desc),
                           fb_get_table(ref, FB_ttnn_TensorRef_desc)))
        return bad(c, "is described in two ways", id);
    c->n_known += !k->id;
    *k = (known){.id = id, .ref = ref};
    return TW_SUCCESS;
}

static tw_status use(checker *c, fb_view ref)
{
    uint32_t id = (uint32_t)fb_get_int(ref, FB_ttnn_TensorRef_global_id);
    known *k = id ? lookup(c, id) : NULL;
    if (!k || !k->id)
        return bad(c, "is used before it is defined", id);
    if (k->gone)
        return bad(c, "is used after it was deallocated", id);
    if (!fb_equal(fb_get_table(k->ref, FB_ttnn_TensorRef_desc),
                  fb_get_table(ref, FB_ttnn_TensorRef_desc)))
        return bad(c, "is described in two ways", id);
    return TW_SUCCESS;
}

static tw_status visit(void *user, fb_view ref, bool output)
{
    checker *c = user;
    if (c->work-- == 0)
        return tw_error(TW_INVALID,
                        "the file's programs refer to the same tensors too often");
    return output ? define(c, ref) : use(c, ref);
}

/* ---- operations --------------------------------------------------------------------- */

static tw_status check_constant(checker *c, fb_view table)
{
    fb_tensor out;
    if (!fb_get_tensor(table, FB_ttnn_ConstantOp_out, &out))
        return TW_SUCCESS; /* the schema's check has asked for it */
    size_t bytes = fb_get_vec(table, FB_ttnn_ConstantOp_input).count;
    size_t size =
        tw_dtype_size(fb_dtype_from(fb_get_int(table, FB_ttnn_ConstantOp_input_dtype)));
    uint64_t elements = 1;
    for (size_t i = 0; i < out.rank; i++)
        elements *= (uint64_t)out.dims[i];
    if (!size)
        return bad_op(c, "the constant's data cannot be in a block format");
    if (bytes != elements * size && bytes != size)
        return bad_op(c, "the constant's data does not have the size of its shape");
    return TW_SUCCESS;
}

/* Fields with the index of a program. */
static const struct {
    uint8_t kind;
    uint8_t slots[3];
    uint8_t n_slots;
} calls[] = {
    {FB_ttnn_OpType_FuncCallOp, {FB_ttnn_FuncCallOp_program_id}, 1},
    {FB_ttnn_OpType_LoadCachedOp, {FB_ttnn_LoadCachedOp_program_idx}, 1},
    {FB_ttnn_OpType_CaptureOrExecuteTraceOp,
     {FB_ttnn_CaptureOrExecuteTraceOp_capture_program_id,
      FB_ttnn_CaptureOrExecuteTraceOp_execute_program_id,
      FB_ttnn_CaptureOrExecuteTraceOp_allocate_slots_program_id},
     3},
};

/* The programs that an operation calls; returns how many. */
static size_t callees(const fb_op *op, uint32_t out[3])
{
    for (size_t i = 0; i < TW_COUNT(calls); i++) {
        if (calls[i].kind != op->kind)
            continue;
        for (size_t s = 0; s < calls[i].n_slots; s++)
            out[s] = (uint32_t)fb_get_int(op->table, calls[i].slots[s]);
        return calls[i].n_slots;
    }
    return 0;
}

static tw_status check_op(checker *c)
{
    if (c->work-- == 0)
        return tw_error(TW_INVALID, "the file's programs share too many operations");
    fb_op op = fb_program_op(&c->program, c->op_index);
    uint32_t called[3];
    TW_TRY(fb_op_each_tensor(&op, visit, c));
    size_t n = callees(&op, called);
    for (size_t i = 0; i < n; i++)
        if (called[i] >= c->file->programs.count)
            return bad_op(c, "calls a program that the file does not have");
    if (op.kind == FB_ttnn_OpType_DeallocateOp)
        lookup(c, fb_tensor_id(op.table, FB_ttnn_DeallocateOp_in))->gone = true;
    if (op.kind == FB_ttnn_OpType_ConstantOp)
        return check_constant(c, op.table);
    return TW_SUCCESS;
}

static tw_status check_program(checker *c)
{
    const fb_program *program = &c->program;
    c->op_index = SIZE_MAX;
    for (size_t i = 0; i < program->inputs.count; i++) {
        fb_view ref = fb_vec_table(program->inputs, i);
        uint32_t id = (uint32_t)fb_get_int(ref, FB_ttnn_TensorRef_global_id);
        if (id && lookup(c, id)->id)
            return bad(c, "is an input twice", id);
        TW_TRY(define(c, ref));
    }
    for (c->op_index = 0; c->op_index < program->n_operations; c->op_index++)
        TW_TRY(check_op(c));
    c->op_index = SIZE_MAX;
    for (size_t i = 0; i < program->outputs.count; i++)
        TW_TRY(use(c, fb_vec_table(program->outputs, i)));
    return TW_SUCCESS;
}

/* `state[p]`: 0 = not looked at, 1 = on the way, 2 = done. */
static tw_status check_calls(const fb_ttnn *file, uint32_t p, uint8_t *state, int level)
{
    fb_program program = fb_ttnn_program(file, p);
    int name = (int)TW_MIN(program.name.size, (size_t)100);
    if (state[p] == 1)
        return tw_error(TW_INVALID, "program '%.*s' calls itself", name, program.name.data);
    if (level > MAX_CALL_DEPTH)
        return tw_error(TW_INVALID, "programs call each other more than %d deep",
                        MAX_CALL_DEPTH);
    if (state[p])
        return TW_SUCCESS;
    state[p] = 1;
    for (size_t i = 0; i < program.n_operations; i++) {
        fb_op op = fb_program_op(&program, i);
        uint32_t called[3];
        size_t n = callees(&op, called);
        for (size_t k = 0; k < n; k++)
            TW_TRY(check_calls(file, called[k], state, level + 1));
    }
    state[p] = 2;
    return TW_SUCCESS;
}

tw_status fb_ttnn_open(const void *data, size_t size, fb_ttnn *out)
{
    fb_ttnn file;
    TW_TRY(fb_open(data, size, FB_FILE_TTNN, &file.root));
    file.programs = fb_get_vec(file.root, FB_ttnn_TTNNBinary_programs);
    checker c = {.file = &file, .work = size};
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < file.programs.count && !status; i++) {
        c.program = fb_ttnn_program(&file, i);
        if (c.n_known)
            memset(c.known, 0, c.capacity * sizeof *c.known);
        c.n_known = 0;
        status = check_program(&c);
    }
    free(c.known);
    uint8_t *state = tw_xcalloc(file.programs.count + 1, 1);
    for (size_t i = 0; i < file.programs.count && !status; i++)
        status = check_calls(&file, (uint32_t)i, state, 0);
    free(state);
    if (!status)
        *out = file;
    return status;
}
