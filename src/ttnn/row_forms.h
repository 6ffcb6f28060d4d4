/* row_forms.h: what rows of the ttir and ttnn dialects have in common: operands, results
 * and attributes of operations that both have. */
#ifndef TILEWRIGHT_TTNN_ROW_FORMS_H
#define TILEWRIGHT_TTNN_ROW_FORMS_H

#define TT_RESULT .results = IR_LIST(ir_operand_def, {"result", &C_AnyRankedTensor})
#define TT_UNARY                                                                           \
    .operands = IR_LIST(ir_operand_def, {"input", &C_AnyRankedTensor}), TT_RESULT
#define TT_BINARY                                                                          \
    .operands =                                                                            \
        IR_LIST(ir_operand_def, {"lhs", &C_AnyRankedTensor}, {"rhs", &C_AnyRankedTensor}), \
    TT_RESULT
#define TT_WHERE                                                                           \
    .operands = IR_LIST(ir_operand_def, {"first", &C_AnyRankedTensor},                     \
                        {"second", &C_AnyRankedTensor}, {"third", &C_AnyRankedTensor}),    \
    TT_RESULT
#define TT_CLAMP_SCALAR                                                                    \
    TT_UNARY,                                                                              \
        .attrs = IR_LIST(ir_attr_use, {"min", &C_F32OrI32Attr}, {"max", &C_F32OrI32Attr})
#define TT_CLAMP_TENSOR                                                                    \
    .operands = IR_LIST(ir_operand_def, {"input", &C_AnyRankedTensor},                     \
                        {"min", &C_AnyRankedTensor}, {"max", &C_AnyRankedTensor}),         \
    TT_RESULT
#define TT_GELU_BW                                                                         \
    TT_BINARY,                                                                             \
        .attrs = IR_LIST(ir_attr_use, {"approximate", &C_StrAttr, .deflt = "\"none\""})
#define TT_LEAKY_RELU TT_UNARY, .attrs = IR_LIST(ir_attr_use, {"parameter", &C_F32Attr})
#define TT_POW_SCALAR                                                                      \
    .operands = IR_LIST(ir_operand_def, {"lhs", &C_AnyRankedTensor}), TT_RESULT,           \
    .attrs = IR_LIST(ir_attr_use, {"rhs", &C_F32OrI32Attr})

#endif
