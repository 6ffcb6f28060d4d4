/* cbs.h: circular buffers of a d2m.generic: which operand a transfer uses, whether it needs
 * no transfer, and the values of buffers inside. */
#ifndef TILEWRIGHT_D2M_PASSES_CBS_H
#define TILEWRIGHT_D2M_PASSES_CBS_H

#include "d2m/generic.h"

/* remote_load, remote_store and local_copy. */
bool d2m_is_shard_transfer(const ir_op *op);
/* True if the local buffer is the remote memory itself (an operand_alias). */
bool d2m_is_aliased_load(const ir_op *op);
bool d2m_is_aliased_store(const ir_op *op);
/* The operand of the generic that is the transfer's buffer; -1 if it is none. */
int64_t d2m_transfer_port(const ir_op *generic, const ir_op *op);
/* The index of an operand of the generic, -1 if the value is none. */
int64_t d2m_operand_index(const ir_op *generic, const ir_value *v);
/* The d2m.get_cb of an operand in a block; built at its start if there is none. */
ir_value *d2m_cb_of(ir_op *generic, ir_block *block, int64_t operand);
/* A new d2m.get_cb at the start of the block. */
ir_value *d2m_build_cb(ir_op *generic, ir_block *block, int64_t operand);
/* True for buffers of one thread: scratch and the scaler of reductions. */
bool d2m_is_local_buffer(const ir_value *v);
/* The ancestor of an operation in a block (or itself), NULL if there is none. */
ir_op *d2m_ancestor_in(const ir_block *block, ir_op *op);
/* The operations that directly hold a synchronizable one of the list: a set to look parents
 * up in. */
ir_mapping *d2m_synchronized_parents(const ir_op_list *ops);
/* Erases operations in the block that have neither uses nor effects. */
void d2m_erase_dead(ir_block *block);
/* False after an error if every thread that gets a copy of the block would increment, set
 * or reset a semaphore. */
bool d2m_check_replicated_semaphores(ir_block *block);
/* A generic on memrefs with the same operands and attributes in front of this one, with
 * other threads and empty regions. */
ir_op *d2m_copy_shell(ir_op *generic, ir_attr threads, size_t n_regions);

#endif
