/* ttl_hooks.h: functions that the operation rows of ttl.def name. */
#ifndef TILEWRIGHT_TTL_TTL_HOOKS_H
#define TILEWRIGHT_TTL_TTL_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void ttl_compute_parse(ir_parser *p, ir_parsed_op *op);
void ttl_compute_print(ir_printer *p, ir_op *op);

void ttl_kernel_parse(ir_parser *p, ir_parsed_op *op);
void ttl_kernel_print(ir_printer *p, ir_op *op);
void ttl_thread_parse(ir_parser *p, ir_parsed_op *op);
void ttl_thread_print(ir_printer *p, ir_op *op);

/* Operands whose types the text leaves out; false after an error. */
bool ttl_add_known(ir_parser *p, ir_parsed_op *op, const ir_ssa_list *uses);
void ttl_plan_parse(ir_parser *p, ir_parsed_op *op);
void ttl_plan_print(ir_printer *p, ir_op *op);
void ttl_cb_parse(ir_parser *p, ir_parsed_op *op);
void ttl_cb_print(ir_printer *p, ir_op *op);
void ttl_copy_print(ir_printer *p, ir_op *op);
void ttl_create_cb_parse(ir_parser *p, ir_parsed_op *op);
void ttl_create_cb_print(ir_printer *p, ir_op *op);
void ttl_create_pipe_parse(ir_parser *p, ir_parsed_op *op);
void ttl_create_pipe_print(ir_printer *p, ir_op *op);
void ttl_create_semaphore_parse(ir_parser *p, ir_parsed_op *op);
void ttl_create_semaphore_print(ir_printer *p, ir_op *op);
void ttl_remote_semaphore_parse(ir_parser *p, ir_parsed_op *op);
void ttl_remote_semaphore_print(ir_printer *p, ir_op *op);
void ttl_semaphore_parse(ir_parser *p, ir_parsed_op *op);
void ttl_semaphore_print(ir_printer *p, ir_op *op);
void ttl_wait_parse(ir_parser *p, ir_parsed_op *op);
void ttl_wait_print(ir_printer *p, ir_op *op);

bool ttl_typecast_verify(ir_op *op);
bool ttl_extract_shard_verify(ir_op *op);
bool ttl_redistribute_verify(ir_op *op);
bool ttl_cb_verify(ir_context *ctx, ir_loc loc, ir_type type);
bool ttl_dist_tensor_verify(ir_context *ctx, ir_loc loc, ir_type type);
bool ttl_compute_region_verify(ir_op *op);
bool ttl_microcore_thread_verify(ir_op *op);
bool ttl_slice_verify(ir_context *ctx, ir_loc loc, ir_attr slice);
bool ttl_attach_cb_verify(ir_op *op);
bool ttl_bind_cb_verify(ir_op *op);
bool ttl_cb_fill_verify(ir_op *op);
bool ttl_cb_pad_verify(ir_op *op);
bool ttl_cb_view_verify(ir_op *op);
bool ttl_compute_verify(ir_op *op);
bool ttl_copy_tile_verify(ir_op *op);
bool ttl_copy_verify(ir_op *op);
bool ttl_create_cb_verify(ir_op *op);
bool ttl_create_pipe_verify(ir_op *op);
bool ttl_get_tile_verify(ir_op *op);
bool ttl_if_pipe_verify(ir_op *op);
bool ttl_kernel_verify(ir_op *op);
bool ttl_linearized_index_verify(ir_op *op);
bool ttl_matmul_verify(ir_op *op);
bool ttl_reduce_verify(ir_op *op);
bool ttl_reshape_cb_verify(ir_op *op);
bool ttl_create_semaphore_verify(ir_op *op);
bool ttl_semaphore_verify(ir_op *op);
bool ttl_remote_semaphore_verify(ir_op *op);
bool ttl_store_verify(ir_op *op);
bool ttl_tensor_accessor_verify(ir_op *op);
bool ttl_thread_verify(ir_op *op);
bool ttl_transpose_verify(ir_op *op);
bool ttl_wait_verify(ir_op *op);

#endif
