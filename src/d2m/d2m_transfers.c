/* d2m_transfers.c: verifies the d2m operations that move data: between cores and
 * memories, by rows and their indices, and within a core. */
#include "d2m/d2m_verify.h"
#include "d2m/generic.h"
#include "ir/rules/rules.h"
#include "mlir/arith/arith.h"

static ir_type type_of(const ir_op *op, const char *operand)
{
    const ir_value *v = ir_op_operand_named(op, operand);
    return v ? v->type : NULL;
}

/* ---- dma ---------------------------------------------------------------------------- */

/* A page map gives the location of the pages of a whole shard. */
static bool check_page_map(ir_op *op, ir_type remote, bool whole)
{
    ir_attr attr = ir_op_attr(op, "tensorAccessorPageMap");
    if (!attr)
        return true;
    CHK_ERROR_IF(!whole, "TensorAccessor page map requires shard-level DMA");
    CHK_ERROR_IF(attr->map->n_dims != remote->count || attr->map->n_symbols != 0 ||
                     attr->map->n_results != 1,
                 "TensorAccessor page map must be single-result, no symbols, and one input "
                 "per remote memref dim; expected %u inputs, got %s",
                 remote->count, ir_attr_text(op->ctx, attr));
    return true;
}

/* Number of indices of a transfer of single elements (a whole shard needs none): an
 * offset in a core's own memory, or a core's row and column and an offset there. */
enum { REMOTE_INDICES = 3, LOCAL_INDICES = 1 };

static bool check_indices(ir_op *op, const char *operand, const char *group, bool remote)
{
    size_t n = d2m_group_size(op, group), wanted = remote ? REMOTE_INDICES : LOCAL_INDICES;
    CHK_ERROR_IF(n != wanted, "Must have %zu %s ind%s for %s %s operand", wanted, operand,
                 wanted == 1 ? "ex" : "ices", remote ? "remote" : "local", operand);
    return true;
}

bool d2m_check_read(ir_op *op)
{
    ir_type src = type_of(op, "src"), dst = type_of(op, "dst");
    bool whole = ir_op_int(op, "numElems", 0) == 0;
    CHK_ERROR_IF(d2m_is_remote(dst), "For DMARead, dst must be local");
    CHK_ERROR_IF(src->element != dst->element,
                 "Operands to DMARead must have the same element type");
    if (!check_page_map(op, src, whole))
        return false;
    if (!whole)
        return check_indices(op, "src", "srcIndices", d2m_is_remote(src)) &&
               check_indices(op, "dst", "dstIndices", false);
    CHK_ERROR_IF(d2m_group_size(op, "dstIndices"),
                 "Shard-level DMARead must have 0 dst indices");
    return true;
}

bool d2m_check_write(ir_op *op)
{
    ir_type src = type_of(op, "src"), dst = type_of(op, "dst");
    bool whole = ir_op_int(op, "numElems", 0) == 0;
    size_t start = d2m_group_size(op, "mcastStartIndex");
    size_t many = d2m_group_size(op, "mcastShape");
    CHK_ERROR_IF(d2m_is_remote(src), "For DMAWrite, src must be local");
    CHK_ERROR_IF(src->element != dst->element,
                 "Operands to DMAWrite must have the same element type");
    if (!check_page_map(op, dst, whole))
        return false;
    CHK_ERROR_IF(d2m_is_remote(dst) && many, "cannot mcast to remote dst");
    CHK_ERROR_IF(start && !many, "mcast shape defined but mcast start index is not");
    CHK_ERROR_IF(many && !start, "mcast start index defined but mcast shape is not");
    if (!whole)
        return check_indices(op, "dst", "dstIndices", d2m_is_remote(dst)) &&
               check_indices(op, "src", "srcIndices", false);
    CHK_ERROR_IF(d2m_group_size(op, "srcIndices"),
                 "Shard-level DMAWrite must have 0 src indices");
    CHK_ERROR_IF(many && d2m_group_size(op, "dstIndices"),
                 "Shard-level mcast DMAWrite must have 0 dst indices");
    return true;
}

/* ---- rows --------------------------------------------------------------------------- */

typedef struct row_names {
    const char *from, *to;     /* operands */
    const char *count, *width; /* names of attributes */
    const char *texts[4];      /* the same as in messages */
} row_names;

static bool is_row_element(ir_type t)
{
    return (t->kind == IR_TYPE_FLOAT && (t->sign == IR_F32 || t->sign == IR_BF16)) ||
           (t->kind == IR_TYPE_INTEGER && t->width == 32);
}

static bool check_rows(ir_op *op, const row_names *names)
{
    ir_type indices = type_of(op, "indices")->element;
    ir_type from = type_of(op, names->from)->element, to = type_of(op, names->to)->element;
    ir_attr shape = ir_op_attr(op, "indicesShape");
    int64_t rows = ir_op_int(op, names->count, 0), dims[D2M_MAX_RANK], product = 1;
    CHK_ERROR_IF(indices->kind != IR_TYPE_INTEGER || indices->width != 32,
                 "indices must have 32-bit integer element type");
    CHK_ERROR_IF(!is_row_element(from) || !is_row_element(to),
                 "currently supports f32, bf16, or 32-bit integer %s and %s only",
                 names->texts[0], names->texts[1]);
    CHK_ERROR_IF(from != to, "%s and %s element types must match", names->texts[0],
                 names->texts[1]);
    CHK_ERROR_IF(rows <= 0, "%s must be positive", names->texts[2]);
    CHK_ERROR_IF(ir_op_int(op, names->width, 0) <= 0, "%s must be positive",
                 names->texts[3]);
    int64_t rank = ir_attr_ints(shape, dims, D2M_MAX_RANK);
    CHK_ERROR_IF(rank <= 0, "indices_shape must not be empty");
    for (int64_t i = 0; i < TW_MIN(rank, (int64_t)D2M_MAX_RANK); i++)
        if (__builtin_mul_overflow(product, dims[i], &product))
            product = -1;
    CHK_ERROR_IF(product != rows, "indices_shape must match %s", names->texts[2]);
    return true;
}

bool d2m_check_rows(ir_op *op)
{
    static const row_names names = {"src",
                                    "dst",
                                    "numRows",
                                    "rowWidth",
                                    {"source", "destination", "num_rows", "row_width"}};
    return check_rows(op, &names);
}

bool d2m_check_embedding(ir_op *op)
{
    static const row_names names = {"weight",
                                    "output",
                                    "numIndices",
                                    "embeddingDim",
                                    {"weight", "output", "num_indices", "embedding_dim"}};
    CHK_ERROR_IF(ir_op_result(op, 0)->type != type_of(op, "output"),
                 "result type must match output operand type");
    return check_rows(op, &names);
}

/* ---- within a core ------------------------------------------------------------------ */

static ir_type held_by(ir_type buffer)
{
    ir_attr held = buffer && buffer->kind == IR_TYPE_DIALECT
                       ? ir_type_param(buffer, "underlying")
                       : NULL;
    return ir_attr_is(held, IR_ATTR_TYPE) ? held->type : NULL;
}

static bool is_remote_memory(ir_type type)
{
    return type->kind == IR_TYPE_MEMREF && d2m_is_remote(type);
}

bool d2m_check_local_copy(ir_op *op)
{
    ir_type src = type_of(op, "src"), dst = type_of(op, "dst");
    ir_type src_cb = type_of(op, "srcCb"), dst_cb = type_of(op, "dstCb");
    ir_attr maps = ir_op_attr(op, "indexing_maps");
    bool plain = src && dst;
    CHK_ERROR_IF(
        plain == (src_cb && dst_cb) || op->n_operands != 2,
        "must be either in one of implicit form or explicit CB form (not both, not "
        "neither)");
    CHK_ERROR_IF(plain && is_remote_memory(src), "src must be a local memref");
    CHK_ERROR_IF(plain && is_remote_memory(dst), "dst must be a local memref");
    CHK_ERROR_IF(maps->count != 2, "requires exactly 2 indexing maps");
    src = src ? src : held_by(src_cb);
    dst = dst ? dst : held_by(dst_cb);
    if (!src || !dst)
        return true;
    for (uint32_t i = 0; i < maps->count; i++)
        CHK_ERROR_IF(maps->items[i]->map->n_dims != dst->count,
                     "indexing map #%u has %u dims but dst rank is %u", i,
                     maps->items[i]->map->n_dims, dst->count);
    CHK_ERROR_IF(src->element != dst->element,
                 "source and destination element types must match");
    bool tensors = src->kind == IR_TYPE_TENSOR || (plain && dst->kind == IR_TYPE_TENSOR);
    CHK_ERROR_IF(tensors && !op->n_results, "tensor form requires a result");
    if (tensors || !op->n_results)
        return true;
    CHK_ERROR_IF(!plain, "explicit CB form must not have a result");
    ir_type result = ir_op_result(op, 0)->type;
    CHK_ERROR_IF(result->kind != IR_TYPE_DIALECT || result->def != D2M_TYPE(mem_tx),
                 "memref form result must be !d2m.mem_tx");
    return true;
}

/* ---- between a core and the grid's memory ------------------------------------------- */

/* What a load and a store have in common; the names of their parts differ. */
typedef struct remote {
    ir_type memory, local, cb;
} remote;

/* A transfer uses either a local buffer or a circular buffer, the latter without result. */
static bool check_form(ir_op *op, const remote *r)
{
    CHK_ERROR_IF(r->cb && r->local,
                 "cannot have both circular buffer and local buffer; exactly one must be "
                 "present");
    CHK_ERROR_IF(!r->cb && !r->local,
                 "must have either circular buffer or local buffer; exactly one must be "
                 "present");
    CHK_ERROR_IF(r->cb && op->n_results,
                 "explicit CB form cannot have a result; result must only be present in "
                 "implicit form.");
    return true;
}

static bool check_memory_form(ir_op *op, const remote *r)
{
    CHK_ERROR_IF(r->cb && r->memory->kind == IR_TYPE_TENSOR,
                 "tensor parameters are not allowed in explicit CB form; memref operand "
                 "must be a memref type");
    return true;
}

/* Checks that the buffer at the core holds one shard. */
static bool check_shard(ir_op *op, const char *name, const char *kind, ir_type buffer,
                        ir_type memory)
{
    d2m_shape shard;
    d2m_half_of(memory, true, &shard);
    CHK_ERROR_IF(buffer->count != shard.n,
                 "%s%s rank must match shard shape rank, got %u but expected %u", name,
                 kind, buffer->count, shard.n);
    for (uint32_t i = 0; i < shard.n; i++)
        CHK_ERROR_IF(buffer->dims[i] != shard.at[i],
                     "%s%s shape must match shard shape at dimension %u, got %lld but "
                     "expected %lld",
                     name, kind, i, (long long)buffer->dims[i], (long long)shard.at[i]);
    CHK_ERROR_IF(buffer->element != memory->element,
                 "%s element type must match memref/tensor element type", name);
    return true;
}

static bool check_cb(ir_op *op, const remote *r)
{
    ir_type held = held_by(r->cb);
    return !held || check_shard(op, "circular buffer", " underlying", held, r->memory);
}

static bool check_grid_indices(ir_op *op, const remote *r)
{
    size_t n = d2m_group_size(op, "indices");
    CHK_ERROR_IF(r->memory->count % 2 != 0,
                 "memref/tensor rank must be even for device shape (grid + shard "
                 "dimensions)");
    CHK_ERROR_IF(n != r->memory->count / 2,
                 "number of indices must equal grid rank (N/2 where N is memref/tensor "
                 "rank), got %zu indices but expected %u",
                 n, r->memory->count / 2);
    return true;
}

/* Inside a d2m.generic the memory must be one of its operands, or scratch. */
static bool check_source(ir_op *op, const ir_op *parent, size_t *out_index)
{
    const ir_value *memory = ir_op_operand_named(op, "memref");
    const ir_op *producer = ir_value_def(memory);
    d2m_generic g;
    int64_t loaded = op->def == D2M_OP(remote_load) && d2m_generic_of(parent, &g)
                         ? d2m_generic_loaded(&g, op)
                         : -1;
    *out_index = loaded < 0 ? 0 : (size_t)loaded;
    for (; *out_index < parent->n_operands; ++*out_index)
        if (ir_op_operand(parent, *out_index) == memory)
            return true;
    CHK_ERROR_IF(!producer || producer->def != D2M_OP(scratch_allocate),
                 "memref operand must reference one of the parent generic op's operands or "
                 "a scratch allocation");
    return true;
}

/* The grid dimensions along which a load is multicast, if they are constants. */
static bool mcast_dims(ir_op *op, d2m_shape *out)
{
    size_t first, n;
    out->n = 0;
    if (!ir_op_operand_group(op, ir_op_operand_index(op->def, "mcastDims"), &first, &n))
        return true;
    for (size_t i = 0; i < TW_MIN(n, (size_t)D2M_MAX_RANK); i++) {
        const ir_op *producer = ir_value_def(ir_op_operand(op, first + i));
        CHK_ERROR_IF(!producer || producer->def != ARITH_OP(constant),
                     "mcast dimension must be a constant index");
        ir_attr value = ir_op_attr(producer, "value");
        CHK_ERROR_IF(!ir_attr_is(value, IR_ATTR_INTEGER),
                     "mcast dimension must be an integer attribute");
        out->at[out->n++] = value->value;
    }
    return true;
}

static bool check_mcast(ir_op *op, const ir_op *parent, size_t operand,
                        const d2m_shape *dims)
{
    ir_attr maps = ir_op_attr(parent, "indexing_maps");
    ir_attr iterators = ir_op_attr(parent, "iterator_types");
    bool manual = !d2m_length(maps) && !d2m_length(iterators) &&
                  !d2m_length(ir_op_attr(parent, "block_factors"));
    CHK_ERROR_IF(manual && dims->n,
                 "high-level multicast form (mcast dims) is not allowed in explicit "
                 "datamovement form; use low-level multicast (mcore/mshape) instead");
    if (operand >= d2m_length(maps))
        return true;
    ir_affine_map map = maps->items[operand]->map;
    for (uint32_t i = 0; i < dims->n; i++) {
        int64_t dim = dims->at[i];
        CHK_ERROR_IF(dim < 0 || dim >= map->n_results,
                     "mcast dimension index %lld is out of bounds for grid rank %u",
                     (long long)dim, map->n_results);
        ir_affine e = map->results[dim];
        CHK_ERROR_IF(e->kind == IR_AFFINE_DIM && e->value < d2m_length(iterators) &&
                         ir_enum_value(iterators->items[e->value], -1) !=
                             TTCORE_IteratorType_Parallel,
                     "mcast dimension index %lld must correspond to a parallel iterator "
                     "type, but found reduction",
                     (long long)dim);
    }
    return true;
}

static remote remote_of(const ir_op *op)
{
    return (remote){type_of(op, "memref"), type_of(op, "localBuffer"), type_of(op, "cb")};
}

static bool check_load_buffer(ir_op *op, const remote *r)
{
    bool tensor = r->local && r->local->kind == IR_TYPE_TENSOR;
    CHK_ERROR_IF(tensor && !op->n_results,
                 "implicit tensor form (with tensor localBuffer) must have a result.");
    CHK_ERROR_IF(
        r->local && !tensor && op->n_results,
        "implicit memref form (with memref localBuffer) must not have a result; the "
        "localBuffer is the destination (DPS form).");
    if (!check_memory_form(op, r))
        return false;
    CHK_ERROR_IF(r->local && !d2m_is_remote(r->memory),
                 "failed to get device layout from memref/tensor");
    return !r->local || check_shard(op, "localBuffer", "", r->local, r->memory);
}

bool d2m_check_remote_load(ir_op *op)
{
    remote r = remote_of(op);
    const ir_op *parent = d2m_enclosing(op, D2M_OP(generic));
    size_t start = d2m_group_size(op, "mcastStartIndex"), operand;
    size_t many = d2m_group_size(op, "mcastShape");
    d2m_shape dims;
    if (!check_form(op, &r) || !check_load_buffer(op, &r))
        return false;
    CHK_ERROR_IF(!d2m_is_remote(r.memory), "memref/tensor must have a device layout.");
    if (!check_grid_indices(op, &r))
        return false;
    CHK_ERROR_IF(start && !many, "mcast start index requires mcast shape");
    CHK_ERROR_IF(many && !start, "mcast shape requires mcast start index");
    CHK_ERROR_IF(many && d2m_group_size(op, "mcastDims"),
                 "cannot use both low-level multicast (mcore/mshape) and high-level "
                 "multicast (mcast dims); they are mutually exclusive");
    if (!mcast_dims(op, &dims))
        return false;
    if (parent &&
        (!check_source(op, parent, &operand) || !check_mcast(op, parent, operand, &dims)))
        return false;
    return check_cb(op, &r);
}

bool d2m_check_remote_store(ir_op *op)
{
    remote r = remote_of(op);
    const ir_op *parent = d2m_enclosing(op, D2M_OP(generic));
    bool tensor = r.memory->kind == IR_TYPE_TENSOR;
    size_t operand;
    if (!check_form(op, &r))
        return false;
    CHK_ERROR_IF(r.local && tensor && !op->n_results,
                 "implicit tensor form (with tensor destination) must have a result.");
    CHK_ERROR_IF(r.local && !tensor && op->n_results,
                 "implicit memref form (with memref destination) must not have a result; "
                 "the destination memref is the result (DPS form).");
    if (!check_memory_form(op, &r))
        return false;
    CHK_ERROR_IF(!d2m_is_remote(r.memory),
                 "memref/tensor must be remote (have a device layout)");
    if (!check_grid_indices(op, &r) || (parent && !check_source(op, parent, &operand)) ||
        !check_cb(op, &r) ||
        (r.local && !check_shard(op, "local buffer", "", r.local, r.memory)))
        return false;
    CHK_ERROR_IF(op->n_results && ir_op_result(op, 0)->type != r.memory,
                 "result type must match memref type");
    return true;
}
