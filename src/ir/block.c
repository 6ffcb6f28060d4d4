/* block.c: blocks and regions. */
#include "ir/context_impl.h"
#include "ir/op.h"

ir_block *ir_block_create(ir_context *ctx)
{
    return ir_pool_alloc(ctx, sizeof(ir_block));
}

void ir_region_append(ir_region *region, ir_block *block)
{
    block->region = region;
    block->prev = region->last;
    block->next = NULL;
    if (region->last)
        region->last->next = block;
    else
        region->first = block;
    region->last = block;
}

void ir_block_insert_before(ir_block *block, ir_block *before)
{
    block->region = before->region;
    block->prev = before->prev;
    block->next = before;
    if (before->prev)
        before->prev->next = block;
    else
        before->region->first = block;
    before->prev = block;
}

void ir_block_remove(ir_block *block)
{
    ir_region *region = block->region;
    if (!region)
        return;
    if (block->prev)
        block->prev->next = block->next;
    else
        region->first = block->next;
    if (block->next)
        block->next->prev = block->prev;
    else
        region->last = block->prev;
    block->region = NULL;
    block->prev = block->next = NULL;
}

ir_value *ir_block_add_arg(ir_context *ctx, ir_block *block, ir_type type, ir_loc loc)
{
    if (block->n_args == block->args_capacity) {
        uint32_t capacity = block->args_capacity ? block->args_capacity * 2 : 4;
        ir_value **args = ir_pool_alloc(ctx, capacity * sizeof *args);
        if (block->n_args)
            memcpy(args, block->args, block->n_args * sizeof *args);
        ir_pool_free(ctx, block->args, block->args_capacity * sizeof *args);
        block->args = args;
        block->args_capacity = capacity;
    }
    ir_value *arg = ir_pool_alloc(ctx, sizeof *arg);
    *arg = (ir_value){.type = type,
                      .owner = block,
                      .index = block->n_args,
                      .is_argument = true,
                      .loc = loc};
    block->args[block->n_args++] = arg;
    return arg;
}

void ir_block_erase_arg(ir_block *block, size_t index)
{
    assert(!block->args[index]->uses);
    memmove(block->args + index, block->args + index + 1,
            (block->n_args - index - 1) * sizeof *block->args);
    block->n_args--;
    for (uint32_t i = (uint32_t)index; i < block->n_args; i++)
        block->args[i]->index = i;
}

void ir_block_erase(ir_context *ctx, ir_block *block)
{
    while (block->last)
        ir_op_erase(block->last);
    ir_block_remove(block);
    for (uint32_t i = 0; i < block->n_args; i++)
        ir_pool_free(ctx, block->args[i], sizeof(ir_value));
    ir_pool_free(ctx, block->args, block->args_capacity * sizeof *block->args);
    ir_notify_freed(ctx, block);
    ir_pool_free(ctx, block, sizeof *block);
}

void ir_block_splice(ir_block *to, ir_op *before, ir_block *from, ir_op *first, ir_op *last)
{
    for (ir_op *op = first, *next; op; op = next) {
        next = op == last ? NULL : op->next;
        assert(op->block == from);
        (void)from;
        if (before)
            ir_op_insert_before(op, before);
        else
            ir_block_append(to, op);
    }
}

void ir_region_take(ir_region *to, ir_region *from)
{
    while (from->first) {
        ir_block *block = from->first;
        ir_block_remove(block);
        ir_region_append(to, block);
    }
}
