/* like.c: operations made after another one. */
#include "ir/like.h"

#include <stdlib.h>

ir_op *ir_build_like(ir_builder *b, const ir_op *op, ir_op_state state)
{
    const size_t n = ir_def_n_props(op->def);
    ir_named_attr *attrs = tw_xmalloc((n + 1) * sizeof *attrs);
    state.def = op->def;
    state.attrs = attrs;
    state.n_attrs = 0;
    for (size_t i = 0; i < n; i++)
        if (op->props[i])
            attrs[state.n_attrs++] = (ir_named_attr){
                ir_ident_from(b->ctx, ir_def_prop_name(op->def, i)), op->props[i]};
    ir_op *made = ir_build(b, &state);
    free(attrs);
    return made;
}
