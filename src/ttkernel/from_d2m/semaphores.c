/* semaphores.c: semaphores of this core, of other cores and of other devices. */
#include "d2m/d2m_verify.h"
#include "ttkernel/from_d2m/from_d2m.h"

static ir_value *pointer_to(d2k *k, ir_builder *b, ir_value *semaphore)
{
    ir_attr width = ir_raw_int(k->ctx, 32);
    ir_type type = ir_dialect_type(k->ctx, TTKERNEL_TYPE(l1_addr_ptr), &width, 1);
    return ir_build1(b, TTKERNEL_OP(reinterpret_cast), type, &semaphore, 1, NULL, 0);
}

/* The address of a semaphore at another core. */
static ir_value *remote(d2k *k, ir_builder *b, ir_value *semaphore, ir_value *const core[2],
                        ir_value *noc)
{
    ir_value *x, *y;
    ir_type type = ir_dialect_type(k->ctx, TTKERNEL_TYPE(noc_addr), NULL, 0);
    d2k_translate(b, core[0], core[1], &y, &x);
    return &ir_build_op(b, TTKERNEL_OP(get_noc_addr), &type, 1,
                        IR_VALUES(x, y, semaphore, noc), NULL, 0, 0)
                ->results[0];
}

/* Sets the own semaphore and sends its value to a rectangle of cores. */
static bool set_multicast(d2k *k, ir_op *op, ir_builder *b, ir_value *const core[2],
                          ir_value *const shape[2])
{
    ir_value *semaphore = d2k_value(k, ir_op_operand(op, 0)), *x, *y, *end_x, *end_y;
    ir_type type = ir_dialect_type(k->ctx, TTKERNEL_TYPE(noc_addr), NULL, 0);
    if (k->noc < 0)
        return d2k_illegal(op, "unable to resolve datamovement kernel NoC index");
    d2k_translate(b, core[0], core[1], &y, &x);
    d2k_translate_end(b, core, shape, &end_y, &end_x);
    ir_value *all = d2k_to_i32(b, d2k_binary(b, ARITH_OP(muli), shape[0], shape[1]));
    ir_value *others = d2k_binary(b, ARITH_OP(subi), all, arith_i32(b, 1));
    ir_value *noc = d2k_noc(k, b);
    bool flip = k->noc == 1;
    ir_value *corners[] = {flip ? end_x : x, flip ? end_y : y, flip ? x : end_x,
                           flip ? y : end_y, semaphore,        noc};
    ir_value *address = &ir_build_op(b, TTKERNEL_OP(get_noc_multicast_addr), &type, 1,
                                     corners, 6, NULL, 0, 0)
                             ->results[0];
    ir_value *own = pointer_to(k, b, semaphore);
    D2K_CALL(b, TTKERNEL_OP(noc_semaphore_set), own, d2k_value(k, ir_op_operand(op, 1)));
    D2K_CALL(b, TTKERNEL_OP(noc_semaphore_set_multicast), semaphore, address, others);
    /* a multicast before it, linked to this one, sends a buffer that is reused */
    D2K_CALL(b, TTKERNEL_OP(noc_async_write_barrier), noc);
    return true;
}

static bool inc_devices(d2k *k, ir_op *op, ir_builder *b, ir_value *const core[2],
                        ir_value *const *start, size_t n)
{
    ir_value *shape[4], *end[4], *manager = d2k_fabric(k), *noc = d2k_noc(k, b);
    ir_value *value = d2k_value(k, ir_op_operand(op, 1));
    size_t m = d2k_group(k, op, "deviceMcastShape", shape, 4);
    if (!manager || n > 2 || (m && m != n))
        return d2k_illegal(op, "the kernel has no fabric connections to that range of "
                               "devices");
    ir_value *address = remote(k, b, d2k_value(k, ir_op_operand(op, 0)), core, noc);
    ir_value *mesh = d2k_int(b, 16, 0), *first = d2k_device_id(k, b, start, n);
    if (!m) {
        D2K_CALL(b, TTKERNEL_OP(experimental_fabric_sem_inc), manager, mesh, first, address,
                 value);
        return true;
    }
    d2k_device_end(b, start, shape, n, end);
    ir_value *last = d2k_device_id(k, b, end, n);
    D2K_CALL(b, TTKERNEL_OP(experimental_fabric_mcast_sem_inc), manager, mesh, first, last,
             address, value);
    ir_builder then;
    d2k_if(b, d2k_in_devices(k, b, start, end, n), false, &then, NULL);
    D2K_CALL(&then, TTKERNEL_OP(noc_semaphore_inc), address, value, noc);
    return true;
}

bool d2k_semaphore_update(d2k *k, ir_op *op)
{
    ir_value *core[2], *shape[2], *start[4];
    ir_builder b = ir_builder_before(op);
    bool inc = op->def == D2M_OP(semaphore_inc);
    size_t cores = d2k_group(k, op, "dstCoreIndex", core, 2);
    size_t shapes = d2k_group(k, op, "mcastShape", shape, 2);
    size_t devices = d2k_group(k, op, "startDevice", start, 4);
    ir_value *value = d2k_value(k, ir_op_operand(op, 1));
    bool ok = true;
    if ((cores && cores != 2) || (shapes && shapes != 2))
        return d2k_illegal(op, "cores have two coordinates");
    if (devices) {
        ok = inc && cores ? inc_devices(k, op, &b, core, start, devices)
                          : d2k_illegal(op, "other devices' semaphores may only be "
                                            "incremented, at a core");
    } else if (!cores) {
        if (inc)
            return d2k_illegal(op, "d2m.semaphore_inc to local core is illegal");
        ir_value *own = pointer_to(k, &b, d2k_value(k, ir_op_operand(op, 0)));
        D2K_CALL(&b, TTKERNEL_OP(noc_semaphore_set), own, value);
    } else if (!shapes) {
        if (!inc)
            return d2k_illegal(op, "d2m.semaphore_set to single remote core is illegal");
        ir_value *noc = d2k_noc(k, &b);
        ir_value *address = remote(k, &b, d2k_value(k, ir_op_operand(op, 0)), core, noc);
        D2K_CALL(&b, TTKERNEL_OP(noc_semaphore_inc), address, value, noc);
    } else {
        ok = inc ? d2k_illegal(op, "d2m.semaphore_inc multicast is illegal")
                 : set_multicast(k, op, &b, core, shape);
    }
    return ok && d2k_done(k, op, NULL);
}

bool d2k_semaphore_wait(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *own = pointer_to(k, &b, d2k_value(k, ir_op_operand(op, 0)));
    ir_value *reset = ir_op_operand_named(op, "resetValue");
    D2K_CALL(&b, TTKERNEL_OP(experimental_semaphore_wait), own,
             d2k_value(k, ir_op_operand(op, 1)));
    if (reset)
        D2K_CALL(&b, TTKERNEL_OP(noc_semaphore_set), own, d2k_value(k, reset));
    return d2k_done(k, op, NULL);
}

/* Counts this device at all receivers, then waits for as many senders. */
bool d2k_device_synchronize(d2k *k, ir_op *op)
{
    ir_value *core[2], *start[4], *shape[4], *end[4], *manager = d2k_fabric(k);
    ir_builder b = ir_builder_before(op);
    size_t n = d2k_group(k, op, "senderStartDevice", start, 4);
    size_t m = d2k_group(k, op, "senderDeviceMcastShape", shape, 4);
    if (d2k_group(k, op, "coreIndices", core, 2) != 2 || !n || n > 2 || (m && m != n))
        return d2k_illegal(op, "it needs a core and devices");
    if (!manager)
        return d2k_illegal(op, "the kernel has no fabric connections");
    ir_value *semaphore = d2k_value(k, ir_op_operand(op, 0)), *noc = d2k_noc(k, &b);
    ir_value *address = remote(k, &b, semaphore, core, noc);
    ir_value *own = pointer_to(k, &b, semaphore);
    ir_value *mesh = d2k_int(&b, 16, 0), *one = d2k_int(&b, 32, 1);
    ir_value *receivers = d2k_int(&b, 32, ir_op_int(op, "numReceivers", 0));
    ir_value *first = d2k_device_id(k, &b, start, n);
    if (m) {
        d2k_device_end(&b, start, shape, n, end);
        ir_value *last = d2k_device_id(k, &b, end, n);
        D2K_CALL(&b, TTKERNEL_OP(experimental_fabric_mcast_sem_inc), manager, mesh, first,
                 last, address, one);
    } else {
        D2K_CALL(&b, TTKERNEL_OP(experimental_fabric_sem_inc), manager, mesh, first,
                 address, one);
    }
    D2K_CALL(&b, TTKERNEL_OP(experimental_semaphore_wait), own, receivers);
    return d2k_done(k, op, NULL);
}
