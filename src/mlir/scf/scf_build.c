/* scf_build.c: building operations of scf. */
#include "mlir/scf/scf_build.h"
#include "mlir/scf/scf.h"

ir_value *scf_for(ir_builder *b, ir_value *from, ir_value *to, ir_value *step,
                  ir_builder *body)
{
    ir_op *loop =
        ir_build_op(b, SCF_OP(for), NULL, 0, IR_VALUES(from, to, step), NULL, 0, 1);
    ir_block *block = ir_block_create(b->ctx);
    ir_region_append(&loop->regions[0], block);
    ir_value *iv = ir_block_add_arg(b->ctx, block, from->type, b->loc);
    *body = ir_builder_at_end(b->ctx, block, b->loc);
    body->before = ir_build_op(body, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    return iv;
}
