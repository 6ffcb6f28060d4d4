/* transfers.c: NoC transfers between a core's L1 and remote memory, by bytes or by pages of
 * a tensor, to one core, a rectangle of cores, or other devices. */
#include "d2m/d2m_verify.h"
#include "mlir/affine/affine.h"
#include "mlir/builtin/builtin.h"
#include "mlir/loops/loops.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttkernel/from_d2m/from_d2m.h"
#include "ttnn/layout.h"

/* ---- addresses */

ir_value *d2k_noc(d2k *k, ir_builder *b)
{
    return k->noc < 0 ? NULL : d2k_int(b, 8, k->noc);
}

void d2k_translate(ir_builder *b, ir_value *y, ir_value *x, ir_value **out_y,
                   ir_value **out_x)
{
    *out_y = ir_build1(b, TTKERNEL_OP(experimental_convert_logical_y_to_translated),
                       y->type, &y, 1, NULL, 0);
    *out_x = ir_build1(b, TTKERNEL_OP(experimental_convert_logical_x_to_translated),
                       x->type, &x, 1, NULL, 0);
}

void d2k_translate_end(ir_builder *b, ir_value *const start[2], ir_value *const shape[2],
                       ir_value **out_y, ir_value **out_x)
{
    ir_value *end[2];
    for (int i = 0; i < 2; i++) {
        ir_value *sum = d2k_binary(b, ARITH_OP(addi), start[i], shape[i]);
        end[i] = d2k_binary(b, ARITH_OP(subi), sum, arith_index(b, 1));
    }
    d2k_translate(b, end[0], end[1], out_y, out_x);
}

size_t d2k_group(d2k *k, ir_op *op, const char *name, ir_value **out, size_t max)
{
    size_t first, n;
    if (!ir_op_operand_group(op, ir_op_operand_index(op->def, name), &first, &n))
        return 0;
    for (size_t i = 0; i < n && i < max; i++)
        out[i] = d2k_value(k, ir_op_operand(op, first + i));
    return n;
}

/* Remote memory at (row, column or bank, byte) of its core or DRAM bank. */
d2k_endpoint d2k_endpoint_at(d2k *k, ir_builder *b, ir_value *memory,
                             ir_value *const index[3])
{
    d2k_endpoint to = {NULL, NULL, NULL, NULL};
    ir_value *base = d2k_value(k, memory);
    base =
        ir_build1(b, BUILTIN_OP(unrealized_conversion_cast), base->type, &base, 1, NULL, 0);
    bool dram = d2k_space(memory->type) == TTCORE_MemorySpace_DeviceDRAM;
    if (dram)
        to.bank = d2k_to_i32(b, index[1]);
    to.address = d2k_binary(b, ARITH_OP(addi), base, d2k_to_i32(b, index[2]));
    if (!dram)
        d2k_translate(b, index[0], index[1], &to.y, &to.x);
    return to;
}

static d2k_endpoint own_core(d2k *k, ir_builder *b, ir_value *address)
{
    d2k_endpoint to = {NULL, NULL, NULL, address};
    ir_type index = ir_index_type(k->ctx);
    ir_value *y = ir_build1(b, TTKERNEL_OP(my_logical_y_), index, NULL, 0, NULL, 0);
    ir_value *x = ir_build1(b, TTKERNEL_OP(my_logical_x_), index, NULL, 0, NULL, 0);
    d2k_translate(b, y, x, &to.y, &to.x);
    return to;
}

/* The pointer of a circular buffer, plus a byte offset if there is one. */
static ir_value *local_address(d2k *k, ir_builder *b, ir_value *buffer, bool write,
                               ir_value *offset)
{
    ir_value *cb = d2k_cb(k, buffer);
    if (!cb)
        return NULL;
    ir_value *base =
        ir_build1(b, write ? TTKERNEL_OP(get_write_ptr) : TTKERNEL_OP(get_read_ptr),
                  ir_integer_type(k->ctx, 32, IR_SIGNLESS), &cb, 1, NULL, 0);
    return offset ? d2k_binary(b, ARITH_OP(addi), base, d2k_to_i32(b, offset)) : base;
}

static void build_transfer(ir_builder *b, const ir_op_def *def, ir_value *const *operands,
                           size_t n, const int64_t *segments, size_t groups)
{
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    int32_t sizes[8];
    for (size_t i = 0; i < groups; i++)
        sizes[i] = (int32_t)segments[i];
    ir_op_state state = {
        .def = def,
        .loc = b->loc,
        .operands = operands,
        .n_operands = n,
        .attrs = &(ir_named_attr){ir_ident_get(b->ctx, TW_STR("operandSegmentSizes")),
                                  ir_dense_array(i32, sizes, groups)},
        .n_attrs = 1};
    ir_build(b, &state);
}

static size_t put_core(const d2k_endpoint *e, ir_value **out, int64_t counts[2])
{
    counts[0] = e->x ? 2 : 0;
    counts[1] = e->bank ? 1 : 0;
    if (e->x) {
        out[0] = e->x;
        out[1] = e->y;
        return 2;
    }
    out[0] = e->bank;
    return 1;
}

void d2k_read(ir_builder *b, const d2k_endpoint *from, ir_value *to, ir_value *size,
              ir_value *noc)
{
    ir_value *operands[8];
    int64_t counts[6] = {0, 0, 1, 1, 1, noc ? 1 : 0};
    size_t n = put_core(from, operands, counts);
    operands[n++] = from->address;
    operands[n++] = to;
    operands[n++] = size;
    if (noc)
        operands[n++] = noc;
    build_transfer(b, TTKERNEL_OP(noc_async_read), operands, n, counts, 6);
}

void d2k_write(ir_builder *b, ir_value *from, const d2k_endpoint *to, ir_value *size,
               ir_value *noc)
{
    ir_value *operands[8] = {from};
    int64_t counts[6] = {1, 0, 0, 1, 1, noc ? 1 : 0};
    size_t n = 1 + put_core(to, operands + 1, counts + 1);
    operands[n++] = to->address;
    operands[n++] = size;
    if (noc)
        operands[n++] = noc;
    build_transfer(b, TTKERNEL_OP(noc_async_write), operands, n, counts, 6);
}

/* ---- devices */

ir_value *d2k_fabric(d2k *k)
{
    for (ir_op *op = ir_op_body(k->func, 0)->first; op; op = op->next)
        if (op->def == TTKERNEL_OP(experimental_create_fabric_connection_manager))
            return &op->results[0];
    return NULL;
}

ir_value *d2k_device_id(d2k *k, ir_builder *b, ir_value *const *position, size_t n)
{
    ir_value *operands[8] = {d2k_fabric(k)};
    for (size_t i = 0; i < n && i < 7; i++)
        operands[1 + i] = position[i];
    return ir_build1(b, TTKERNEL_OP(experimental_get_device_id_from_logical_mesh_position),
                     ir_integer_type(k->ctx, 16, IR_SIGNLESS), operands, 1 + TW_MIN(n, 7),
                     NULL, 0);
}

void d2k_device_end(ir_builder *b, ir_value *const *start, ir_value *const *shape, size_t n,
                    ir_value **out)
{
    for (size_t i = 0; i < n; i++) {
        ir_value *sum = d2k_binary(b, ARITH_OP(addi), start[i], shape[i]);
        out[i] = d2k_binary(b, ARITH_OP(subi), sum, arith_index(b, 1));
    }
}

ir_value *d2k_in_devices(d2k *k, ir_builder *b, ir_value *const *start,
                         ir_value *const *end, size_t n)
{
    enum { ULE = 7 };
    int64_t mesh[2];
    ir_value *manager = d2k_fabric(k), *mine[2];
    ttnn_device_mesh(k->func, mesh);
    for (int64_t i = 0; i < 2; i++)
        mine[i] = ir_build1(b, TTKERNEL_OP(experimental_get_my_logical_mesh_position),
                            ir_index_type(k->ctx), &manager, 1,
                            IR_ATTRS({"dim", ir_i64_attr(k->ctx, i)}));
    ir_value *all = loop_build_constant(b, ir_integer_type(k->ctx, 1, IR_SIGNLESS), 1);
    for (size_t i = 0; i < n && i < 2; i++) {
        ir_value *low = d2k_compare(b, ULE, start[i], mine[i]);
        all = d2k_binary(b, ARITH_OP(andi), all, low);
        ir_value *high = d2k_compare(b, ULE, mine[i], end[i]);
        all = d2k_binary(b, ARITH_OP(andi), all, high);
    }
    return all;
}

/* ---- by pages of a tensor */

static int64_t element_bytes(ir_type memref)
{
    int64_t bytes = ttcore_tile_bytes(memref->element);
    return bytes ? bytes : ttcore_scalar_bytes(memref->element);
}

/* Builds one page's transfer: its number follows from the position in grid and shard. */
static void page_transfer(d2k *k, ir_op *op, ir_builder *b, ir_value *accessor,
                          ir_value *local, ir_value *const *position, size_t n)
{
    bool read = op->def == D2M_OP(dma_read);
    ir_type remote = ir_op_operand_named(op, read ? "src" : "dst")->type;
    ir_value *page = ir_build1(b, AFFINE_OP(apply), ir_index_type(k->ctx), position, n,
                               IR_ATTRS({"map", ir_op_attr(op, "tensorAccessorPageMap")}));
    page = d2k_to_i32(b, page);
    ir_value *at = arith_index(b, 0);
    for (size_t i = n / 2; i < n; i++) {
        ir_value *extent = arith_index(b, remote->dims[i]);
        at = d2k_binary(b, ARITH_OP(muli), at, extent);
        at = d2k_binary(b, ARITH_OP(addi), at, position[i]);
    }
    at = d2k_binary(b, ARITH_OP(muli), at, arith_index(b, element_bytes(remote)));
    at = d2k_binary(b, ARITH_OP(addi), local, d2k_to_i32(b, at));
    ir_value *noc = k->noc < 0 ? NULL : d2k_int(b, 8, k->noc);
    D2K_CALL(b, read ? TTKERNEL_OP(noc_async_read_tile) : TTKERNEL_OP(noc_async_write_tile),
             page, accessor, at, noc);
}

static bool by_pages(d2k *k, ir_op *op)
{
    bool read = op->def == D2M_OP(dma_read);
    ir_value *remote = ir_op_operand_named(op, read ? "src" : "dst");
    ir_value *position[2 * D2M_MAX_RANK];
    ir_op *memory = ir_value_def(remote);
    ir_value *args = memory ? ir_mapping_get(k->accessors, memory) : NULL;
    size_t n = d2k_group(k, op, read ? "srcIndices" : "dstIndices", position, D2M_MAX_RANK);
    ir_affine_map map = ir_op_attr(op, "tensorAccessorPageMap")->map;
    ir_builder b = ir_builder_before(op);
    ir_value *local =
        local_address(k, &b, ir_op_operand_named(op, read ? "dst" : "src"), read, NULL);
    if (!args || !local || remote->type->count != 2 * n || n > D2M_MAX_RANK ||
        map->n_dims != 2 * n || map->n_results != 1 || map->n_symbols)
        return d2k_illegal(op, "pages need grid indices of an argument of the kernel");
    ir_value *accessor =
        ir_build1(&b, TTKERNEL_OP(TensorAccessor),
                  ir_dialect_type(k->ctx, TTKERNEL_TYPE(TensorAccessor), NULL, 0),
                  IR_VALUES(args, d2k_value(k, remote)), NULL, 0);
    ir_value *zero = arith_index(&b, 0), *one = arith_index(&b, 1), *ends[D2M_MAX_RANK];
    for (size_t i = 0; i < n; i++)
        ends[i] = arith_index(&b, remote->type->dims[n + i]);
    ir_builder in = b;
    for (size_t i = 0; i < n; i++) {
        ir_builder body;
        position[n + i] = d2k_for(&in, zero, ends[i], one, &body);
        in = body;
    }
    page_transfer(k, op, &in, accessor, local, position, 2 * n);
    return d2k_done(k, op, zero);
}

/* ---- by bytes */

/* The thread's role at a buffer: a buffer that is reserved is written. */
static bool is_reserved(const ir_value *buffer)
{
    return ir_op_is(ir_value_def(buffer), D2M_OP(reserve));
}

static ir_value *size_of(d2k *k, ir_op *op, ir_builder *b)
{
    (void)k;
    ir_type type = ir_op_operand_named(op, "src")->type;
    return d2k_int(b, 32, ir_op_int(op, "numElems", 0) * element_bytes(type));
}

static bool is_remote(const ir_value *memory)
{
    return d2m_is_remote(memory->type);
}

bool d2k_dma_read(d2k *k, ir_op *op)
{
    ir_value *from[D2M_MAX_RANK], *to[D2M_MAX_RANK];
    ir_value *src = ir_op_operand_named(op, "src"), *dst = ir_op_operand_named(op, "dst");
    if (ir_op_attr(op, "tensorAccessorPageMap"))
        return by_pages(k, op);
    size_t n = d2k_group(k, op, "srcIndices", from, D2M_MAX_RANK);
    size_t m = d2k_group(k, op, "dstIndices", to, D2M_MAX_RANK);
    if (ir_op_int(op, "numElems", 0) == 0 || m != 1 || n != (is_remote(src) ? 3u : 1u))
        return d2k_illegal(op, NULL);
    ir_builder b = ir_builder_before(op);
    ir_value *address = local_address(k, &b, dst, true, to[0]);
    ir_value *size = size_of(k, op, &b), *noc = d2k_noc(k, &b);
    if (!address)
        return d2k_illegal(op, "its destination is no circular buffer");
    d2k_endpoint end;
    if (is_remote(src)) {
        end = d2k_endpoint_at(k, &b, src, from);
    } else {
        ir_value *own = local_address(k, &b, src, false, from[0]);
        if (!own)
            return d2k_illegal(op, "its source is no circular buffer");
        end = own_core(k, &b, own);
    }
    d2k_read(&b, &end, address, size, noc);
    return d2k_done(k, op, arith_index(&b, 0));
}

static bool write_multicast(d2k *k, ir_op *op, ir_builder *b, ir_value *from, ir_value *to,
                            ir_value *size, ir_value *noc)
{
    ir_value *start[2], *shape[2], *x, *y, *end_x, *end_y;
    if (d2k_group(k, op, "mcastStartIndex", start, 2) != 2 ||
        d2k_group(k, op, "mcastShape", shape, 2) != 2)
        return d2k_illegal(op, "a multicast needs a rectangle of cores");
    if (k->noc < 0)
        return d2k_illegal(op, "unable to resolve datamovement kernel NoC index");
    d2k_translate(b, start[0], start[1], &y, &x);
    d2k_translate_end(b, start, shape, &end_y, &end_x);
    ir_value *all = d2k_to_i32(b, d2k_binary(b, ARITH_OP(muli), shape[0], shape[1]));
    ir_value *others = d2k_binary(b, ARITH_OP(subi), all, arith_i32(b, 1));
    bool flip = k->noc == 1; /* NoC 1 runs the other way round */
    bool same = d2k_cb(k, ir_op_operand_named(op, "src")) ==
                d2k_cb(k, ir_op_operand_named(op, "dst"));
    ir_value *operands[] = {from,
                            size,
                            same ? others : all,
                            flip ? end_x : x,
                            flip ? end_y : y,
                            flip ? x : end_x,
                            flip ? y : end_y,
                            to,
                            noc};
    ir_build_op(b,
                same ? TTKERNEL_OP(noc_async_write_multicast)
                     : TTKERNEL_OP(noc_async_write_multicast_loopback_src),
                NULL, 0, operands, 9, IR_ATTRS({"linked", ir_bool_attr(k->ctx, true)}), 0);
    return true;
}

static bool write_local(d2k *k, ir_op *op, ir_builder *b)
{
    ir_value *src = ir_op_operand_named(op, "src"), *dst = ir_op_operand_named(op, "dst");
    ir_value *noc = d2k_noc(k, b);
    ir_value *from = local_address(k, b, src, is_reserved(src), NULL);
    ir_value *to = local_address(k, b, dst, true, NULL);
    ir_value *size = size_of(k, op, b);
    if (!from || !to)
        return d2k_illegal(op, "its memory is no circular buffer");
    if (d2m_group_size(op, "mcastStartIndex"))
        return write_multicast(k, op, b, from, to, size, noc);
    d2k_endpoint end = own_core(k, b, to);
    d2k_write(b, from, &end, size, noc);
    return true;
}

/* To other devices over the fabric; a range of them may include this one. */
static bool write_devices(d2k *k, ir_op *op, ir_builder *b, ir_value *from,
                          const d2k_endpoint *to, ir_value *size, ir_value *noc)
{
    ir_value *start[4], *shape[4], *end[4], *manager = d2k_fabric(k);
    size_t n = d2k_group(k, op, "startDevice", start, 4);
    size_t m = d2k_group(k, op, "deviceMcastShape", shape, 4);
    if (n > 2 || (m && m != n) || !manager)
        return d2k_illegal(op, "its range of devices must have two dimensions at most");
    ir_value *address =
        to->bank ? ir_build1(b, TTKERNEL_OP(get_noc_addr_from_bank_id),
                             ir_dialect_type(k->ctx, TTKERNEL_TYPE(noc_addr), NULL, 0),
                             IR_VALUES(to->bank, to->address), NULL, 0)
                 : &ir_build_op(b, TTKERNEL_OP(get_noc_addr),
                                (ir_type[]){ir_dialect_type(k->ctx, TTKERNEL_TYPE(noc_addr),
                                                            NULL, 0)},
                                1, IR_VALUES(to->x, to->y, to->address, noc), NULL, 0, 0)
                        ->results[0];
    ir_value *mesh = d2k_int(b, 16, 0), *first = d2k_device_id(k, b, start, n);
    if (!m) {
        D2K_CALL(b, TTKERNEL_OP(experimental_fabric_fast_write_any_len), manager, mesh,
                 first, address, from, size);
        return true;
    }
    d2k_device_end(b, start, shape, n, end);
    ir_value *last = d2k_device_id(k, b, end, n);
    D2K_CALL(b, TTKERNEL_OP(experimental_fabric_mcast_fast_write_any_len), manager, mesh,
             first, last, address, from, size);
    ir_builder then;
    d2k_if(b, d2k_in_devices(k, b, start, end, n), false, &then, NULL);
    d2k_write(&then, from, to, size, noc);
    return true;
}

bool d2k_dma_write(d2k *k, ir_op *op)
{
    ir_value *from[D2M_MAX_RANK], *to[D2M_MAX_RANK];
    ir_value *dst = ir_op_operand_named(op, "dst");
    if (ir_op_attr(op, "tensorAccessorPageMap"))
        return by_pages(k, op);
    size_t n = d2k_group(k, op, "srcIndices", from, D2M_MAX_RANK);
    size_t m = d2k_group(k, op, "dstIndices", to, D2M_MAX_RANK);
    ir_builder b = ir_builder_before(op);
    if (ir_op_int(op, "numElems", 0) == 0)
        return d2k_illegal(op, NULL);
    if (!is_remote(dst))
        return write_local(k, op, &b) && d2k_done(k, op, arith_index(&b, 0));
    if (n != 1 || m != 3)
        return d2k_illegal(op, NULL);
    ir_value *noc = d2k_noc(k, &b);
    ir_value *local = local_address(k, &b, ir_op_operand_named(op, "src"), false, from[0]);
    if (!local)
        return d2k_illegal(op, "its source is no circular buffer");
    d2k_endpoint end = d2k_endpoint_at(k, &b, dst, to);
    ir_value *size = size_of(k, op, &b);
    if (d2m_group_size(op, "startDevice")) {
        if (!write_devices(k, op, &b, local, &end, size, noc))
            return false;
    } else {
        d2k_write(&b, local, &end, size, noc);
    }
    return d2k_done(k, op, arith_index(&b, 0));
}

bool d2k_dma_wait(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_attr kind = ir_type_param(ir_op_operand(op, 0)->type, "dmaType");
    ir_value *noc = d2k_noc(k, &b);
    switch (ir_attr_int(kind, -1)) {
    case D2M_DMAType_Read:
        D2K_CALL(&b, TTKERNEL_OP(noc_async_read_barrier), noc);
        break;
    case D2M_DMAType_Write:
        D2K_CALL(&b, TTKERNEL_OP(noc_async_write_barrier), noc);
        break;
    default:
        break; /* receivers of a multicast wait for a semaphore */
    }
    return d2k_done(k, op, NULL);
}
