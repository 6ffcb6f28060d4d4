/* sfpi_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_SFPI_ENUMS_H
#define TILEWRIGHT_DIALECT_SFPI_ENUMS_H

#include "ir/dialect.h"

#define SFPI_CASES_ABS_MOD1(X)                                                             \
    X(INT, 0, "INT")                                                                       \
    X(FLOAT, 1, "FLOAT")

#define SFPI_CASES_ADD_MOD1(X)                                                             \
    X(ARG_LREG_DST, 0, "ARG_LREG_DST")                                                     \
    X(ARG_IMM, 1, "ARG_IMM")                                                               \
    X(ARG_2SCOMP_LREG_DST, 2, "ARG_2SCOMP_LREG_DST")                                       \
    X(CC_NONE, 4, "CC_NONE")                                                               \
    X(CC_GTE0, 8, "CC_GTE0")

#define SFPI_CASES_ArchVariant(X)                                                          \
    X(wormhole, 0, "wormhole")                                                             \
    X(blackhole, 1, "blackhole")                                                           \
    X(quasar, 2, "quasar")

#define SFPI_CASES_CAST_MOD1(X)                                                            \
    X(INT32_TO_FP32_RNE, 0, "INT32_TO_FP32_RNE")                                           \
    X(INT32_TO_FP32_RNS, 1, "INT32_TO_FP32_RNS")

#define SFPI_CASES_CONFIG_DEST(X)                                                          \
    X(MACRO_INST0, 0, "MACRO_INST0")                                                       \
    X(MACRO_INST1, 1, "MACRO_INST1")                                                       \
    X(MACRO_INST2, 2, "MACRO_INST2")                                                       \
    X(MACRO_INST3, 3, "MACRO_INST3")                                                       \
    X(MACRO_SEQ0, 4, "MACRO_SEQ0")                                                         \
    X(MACRO_SEQ1, 5, "MACRO_SEQ1")                                                         \
    X(MACRO_SEQ2, 6, "MACRO_SEQ2")                                                         \
    X(MACRO_SEQ3, 7, "MACRO_SEQ3")                                                         \
    X(MACRO_CTRL, 8, "MACRO_CTRL")                                                         \
    X(LREG11, 11, "LREG11")                                                                \
    X(LREG12, 12, "LREG12")                                                                \
    X(LREG13, 13, "LREG13")                                                                \
    X(LREG14, 14, "LREG14")                                                                \
    X(SFPU_CTRL, 15, "SFPU_CTRL")

#define SFPI_CASES_CONFIG_MOD1(X) X(SRC_R0_LREG0, 0, "SRC_R0_LREG0")

#define SFPI_CASES_CREG_IDX(X)                                                             \
    X(C0P837300003, 8, "C0P837300003")                                                     \
    X(C0, 9, "C0")                                                                         \
    X(C1, 10, "C1")                                                                        \
    X(PRGM0, 11, "PRGM0")                                                                  \
    X(PRGM1, 12, "PRGM1")                                                                  \
    X(PRGM2, 13, "PRGM2")                                                                  \
    X(PRGM3, 14, "PRGM3")                                                                  \
    X(TILEID, 15, "TILEID")

#define SFPI_CASES_CmpPredicate(X)                                                         \
    X(eq, 0, "eq")                                                                         \
    X(ne, 1, "ne")                                                                         \
    X(lt, 2, "lt")                                                                         \
    X(le, 3, "le")                                                                         \
    X(gt, 4, "gt")                                                                         \
    X(ge, 5, "ge")                                                                         \
    X(uo, 6, "uo")                                                                         \
    X(o, 7, "o")

#define SFPI_CASES_ENCC_IMM12(X)                                                           \
    X(NEITHER, 0, "NEITHER")                                                               \
    X(BOTH, 3, "BOTH")

#define SFPI_CASES_ENCC_MOD1(X)                                                            \
    X(EU_R1, 0, "EU_R1")                                                                   \
    X(EC_R1, 1, "EC_R1")                                                                   \
    X(EI_R1, 2, "EI_R1")                                                                   \
    X(EU_RI, 8, "EU_RI")                                                                   \
    X(EC_RI, 9, "EC_RI")                                                                   \
    X(EI_RI, 10, "EI_RI")

#define SFPI_CASES_EXEXP_MOD1(X)                                                           \
    X(DEBIAS, 0, "DEBIAS")                                                                 \
    X(NODEBIAS, 1, "NODEBIAS")                                                             \
    X(SET_CC_SGN_EXP, 2, "SET_CC_SGN_EXP")                                                 \
    X(SET_CC_COMP_EXP, 8, "SET_CC_COMP_EXP")                                               \
    X(SET_CC_SGN_COMP_EXP, 10, "SET_CC_SGN_COMP_EXP")

#define SFPI_CASES_EXMAN_MOD1(X)                                                           \
    X(PAD8, 0, "PAD8")                                                                     \
    X(PAD9, 1, "PAD9")

#define SFPI_CASES_LOADI_MOD0(X)                                                           \
    X(FLOATB, 0, "FLOATB")                                                                 \
    X(FLOATA, 1, "FLOATA")                                                                 \
    X(USHORT, 2, "USHORT")                                                                 \
    X(SHORT, 4, "SHORT")                                                                   \
    X(UPPER, 8, "UPPER")                                                                   \
    X(LOWER, 10, "LOWER")

#define SFPI_CASES_LOAD_ADDR_MODE(X) X(NOINC, 3, "NOINC")

#define SFPI_CASES_LOAD_MOD0(X)                                                            \
    X(FMT_SRCB, 0, "FMT_SRCB")                                                             \
    X(FMT_FP16A, 1, "FMT_FP16A")                                                           \
    X(FMT_FP16B, 2, "FMT_FP16B")                                                           \
    X(FMT_FP32, 3, "FMT_FP32")                                                             \
    X(FMT_INT32_TO_SM, 12, "FMT_INT32_TO_SM")

#define SFPI_CASES_LUTFP32_MOD0(X)                                                         \
    X(FP32_3ENTRY_TABLE, 0, "FP32_3ENTRY_TABLE")                                           \
    X(FP16_6ENTRY_TABLE1, 2, "FP16_6ENTRY_TABLE1")                                         \
    X(FP16_6ENTRY_TABLE2, 3, "FP16_6ENTRY_TABLE2")                                         \
    X(FP16_3ENTRY_TABLE, 10, "FP16_3ENTRY_TABLE")                                          \
    X(SGN_RETAIN, 4, "SGN_RETAIN")

#define SFPI_CASES_LUT_MOD0(X)                                                             \
    X(SGN_UPDATE, 0, "SGN_UPDATE")                                                         \
    X(SGN_RETAIN, 4, "SGN_RETAIN")

#define SFPI_CASES_LZ_MOD1(X)                                                              \
    X(CC_NONE, 0, "CC_NONE")                                                               \
    X(CC_NE0, 2, "CC_NE0")                                                                 \
    X(CC_COMP, 8, "CC_COMP")                                                               \
    X(CC_EQ0, 10, "CC_EQ0")                                                                \
    X(NOSGN_CC_NONE, 4, "NOSGN_CC_NONE")                                                   \
    X(NOSGN_CC_NE0, 6, "NOSGN_CC_NE0")                                                     \
    X(NOSGN_CC_COMP, 12, "NOSGN_CC_COMP")                                                  \
    X(NOSGN_CC_EQ0, 14, "NOSGN_CC_EQ0")

#define SFPI_CASES_MAD_MOD1(X) X(OFFSET_NONE, 0, "OFFSET_NONE")

#define SFPI_CASES_MOV_MOD1(X) X(COMPSIGN, 1, "COMPSIGN")

#define SFPI_CASES_PUSHC_MOD1(X)                                                           \
    X(PUSH, 0, "PUSH")                                                                     \
    X(REPLACE, 1, "REPLACE")

#define SFPI_CASES_SDIVP2_MOD1(X) X(ADD, 0, "ADD")

#define SFPI_CASES_SETCC_MOD1(X)                                                           \
    X(LREG_LT0, 0, "LREG_LT0")                                                             \
    X(IMM_BIT0, 1, "IMM_BIT0")                                                             \
    X(LREG_NE0, 2, "LREG_NE0")                                                             \
    X(LREG_GTE0, 4, "LREG_GTE0")                                                           \
    X(LREG_EQ0, 6, "LREG_EQ0")                                                             \
    X(COMP, 8, "COMP")

#define SFPI_CASES_SHFT2_MOD1(X)                                                           \
    X(COPY4, 0, "COPY4")                                                                   \
    X(SUBVEC_CHAINED_COPY4, 1, "SUBVEC_CHAINED_COPY4")                                     \
    X(SUBVEC_SHFLROR1_AND_COPY4, 2, "SUBVEC_SHFLROR1_AND_COPY4")                           \
    X(SUBVEC_SHFLROR1, 3, "SUBVEC_SHFLROR1")                                               \
    X(SUBVEC_SHFLSHR1, 4, "SUBVEC_SHFLSHR1")                                               \
    X(SHFT_LREG, 5, "SHFT_LREG")                                                           \
    X(SHFT_IMM, 6, "SHFT_IMM")

#define SFPI_CASES_STOCHRND_MOD1(X)                                                        \
    X(FP32_TO_FP16A, 0, "FP32_TO_FP16A")                                                   \
    X(FP32_TO_FP16B, 1, "FP32_TO_FP16B")                                                   \
    X(FP32_TO_UINT8, 2, "FP32_TO_UINT8")                                                   \
    X(FP32_TO_INT8, 3, "FP32_TO_INT8")                                                     \
    X(INT32_TO_UINT8, 4, "INT32_TO_UINT8")                                                 \
    X(INT32_TO_INT8, 5, "INT32_TO_INT8")                                                   \
    X(FP32_TO_UINT16, 6, "FP32_TO_UINT16")                                                 \
    X(FP32_TO_INT16, 7, "FP32_TO_INT16")                                                   \
    X(IMM8, 8, "IMM8")

#define SFPI_CASES_STOCHRND_RND(X)                                                         \
    X(EVEN, 0, "EVEN")                                                                     \
    X(STOCH, 1, "STOCH")

#define SFPI_CASES_STORE_ADDR_MODE(X) X(NOINC, 3, "NOINC")

#define SFPI_CASES_STORE_MOD0(X)                                                           \
    X(FMT_SRCB, 0, "FMT_SRCB")                                                             \
    X(FMT_FP16A, 1, "FMT_FP16A")                                                           \
    X(FMT_FP16B, 2, "FMT_FP16B")                                                           \
    X(FMT_FP32, 3, "FMT_FP32")                                                             \
    X(FMT_INT32_TO_SM, 12, "FMT_INT32_TO_SM")

#define SFPI_CASES_SWAP_MOD1(X)                                                            \
    X(SWAP, 0, "SWAP")                                                                     \
    X(VEC_MIN_MAX, 1, "VEC_MIN_MAX")                                                       \
    X(SUBVEC_MIN01_MAX23, 2, "SUBVEC_MIN01_MAX23")                                         \
    X(SUBVEC_MIN02_MAX13, 3, "SUBVEC_MIN02_MAX13")                                         \
    X(SUBVEC_MIN03_MAX12, 4, "SUBVEC_MIN03_MAX12")                                         \
    X(SUBVEC_MIN0_MAX123, 5, "SUBVEC_MIN0_MAX123")                                         \
    X(SUBVEC_MIN1_MAX023, 6, "SUBVEC_MIN1_MAX023")                                         \
    X(SUBVEC_MIN2_MAX013, 7, "SUBVEC_MIN2_MAX013")                                         \
    X(SUBVEC_MIN3_MAX012, 8, "SUBVEC_MIN3_MAX012")

#define SFPI_CASES_XBOOL_MOD1(X)                                                           \
    X(OR, 1, "OR")                                                                         \
    X(AND, 2, "AND")                                                                       \
    X(NOT, 3, "NOT")

#define SFPI_CASES_XCMP_MOD1(X)                                                            \
    X(CC_NONE, 0, "CC_NONE")                                                               \
    X(CC_LT, 1, "CC_LT")                                                                   \
    X(CC_EQ, 2, "CC_EQ")                                                                   \
    X(CC_GTE, 3, "CC_GTE")                                                                 \
    X(CC_NE, 4, "CC_NE")                                                                   \
    X(CC_LTE, 5, "CC_LTE")                                                                 \
    X(CC_GT, 6, "CC_GT")

#define SFPI_CASES_XIADD_MOD1(X)                                                           \
    X(SIGNED, 8, "SIGNED")                                                                 \
    X(IS_SUB, 16, "IS_SUB")                                                                \
    X(BIT12, 32, "BIT12")                                                                  \
    X(BIT16, 64, "BIT16")

#define SFPI_CASES_XLOADI_MOD0(X)                                                          \
    X(INT32, 16, "INT32")                                                                  \
    X(UINT32, 17, "UINT32")                                                                \
    X(FLOAT, 18, "FLOAT")

#define SFPI_CASES_XSCMP_MOD1(X)                                                           \
    X(FMT_A, 8, "FMT_A")                                                                   \
    X(FMT_B, 16, "FMT_B")                                                                  \
    X(FMT_FLOAT, 32, "FMT_FLOAT")

#define X(symbol, value, text) SFPI_ENUM(symbol) = value,
#define SFPI_ENUM(symbol) SFPI_ABS_MOD1_##symbol
enum { SFPI_CASES_ABS_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_ADD_MOD1_##symbol
enum { SFPI_CASES_ADD_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_ArchVariant_##symbol
enum { SFPI_CASES_ArchVariant(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_CAST_MOD1_##symbol
enum { SFPI_CASES_CAST_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_CONFIG_DEST_##symbol
enum { SFPI_CASES_CONFIG_DEST(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_CONFIG_MOD1_##symbol
enum { SFPI_CASES_CONFIG_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_CREG_IDX_##symbol
enum { SFPI_CASES_CREG_IDX(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_CmpPredicate_##symbol
enum { SFPI_CASES_CmpPredicate(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_ENCC_IMM12_##symbol
enum { SFPI_CASES_ENCC_IMM12(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_ENCC_MOD1_##symbol
enum { SFPI_CASES_ENCC_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_EXEXP_MOD1_##symbol
enum { SFPI_CASES_EXEXP_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_EXMAN_MOD1_##symbol
enum { SFPI_CASES_EXMAN_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_LOADI_MOD0_##symbol
enum { SFPI_CASES_LOADI_MOD0(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_LOAD_ADDR_MODE_##symbol
enum { SFPI_CASES_LOAD_ADDR_MODE(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_LOAD_MOD0_##symbol
enum { SFPI_CASES_LOAD_MOD0(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_LUTFP32_MOD0_##symbol
enum { SFPI_CASES_LUTFP32_MOD0(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_LUT_MOD0_##symbol
enum { SFPI_CASES_LUT_MOD0(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_LZ_MOD1_##symbol
enum { SFPI_CASES_LZ_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_MAD_MOD1_##symbol
enum { SFPI_CASES_MAD_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_MOV_MOD1_##symbol
enum { SFPI_CASES_MOV_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_PUSHC_MOD1_##symbol
enum { SFPI_CASES_PUSHC_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_SDIVP2_MOD1_##symbol
enum { SFPI_CASES_SDIVP2_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_SETCC_MOD1_##symbol
enum { SFPI_CASES_SETCC_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_SHFT2_MOD1_##symbol
enum { SFPI_CASES_SHFT2_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_STOCHRND_MOD1_##symbol
enum { SFPI_CASES_STOCHRND_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_STOCHRND_RND_##symbol
enum { SFPI_CASES_STOCHRND_RND(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_STORE_ADDR_MODE_##symbol
enum { SFPI_CASES_STORE_ADDR_MODE(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_STORE_MOD0_##symbol
enum { SFPI_CASES_STORE_MOD0(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_SWAP_MOD1_##symbol
enum { SFPI_CASES_SWAP_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_XBOOL_MOD1_##symbol
enum { SFPI_CASES_XBOOL_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_XCMP_MOD1_##symbol
enum { SFPI_CASES_XCMP_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_XIADD_MOD1_##symbol
enum { SFPI_CASES_XIADD_MOD1(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_XLOADI_MOD0_##symbol
enum { SFPI_CASES_XLOADI_MOD0(X) };
#undef SFPI_ENUM
#define SFPI_ENUM(symbol) SFPI_XSCMP_MOD1_##symbol
enum { SFPI_CASES_XSCMP_MOD1(X) };
#undef SFPI_ENUM
#undef X

extern const ir_enum_def sfpi_enum_ABS_MOD1;
extern const ir_enum_def sfpi_enum_ADD_MOD1;
extern const ir_enum_def sfpi_enum_ArchVariant;
extern const ir_enum_def sfpi_enum_CAST_MOD1;
extern const ir_enum_def sfpi_enum_CONFIG_DEST;
extern const ir_enum_def sfpi_enum_CONFIG_MOD1;
extern const ir_enum_def sfpi_enum_CREG_IDX;
extern const ir_enum_def sfpi_enum_CmpPredicate;
extern const ir_enum_def sfpi_enum_ENCC_IMM12;
extern const ir_enum_def sfpi_enum_ENCC_MOD1;
extern const ir_enum_def sfpi_enum_EXEXP_MOD1;
extern const ir_enum_def sfpi_enum_EXMAN_MOD1;
extern const ir_enum_def sfpi_enum_LOADI_MOD0;
extern const ir_enum_def sfpi_enum_LOAD_ADDR_MODE;
extern const ir_enum_def sfpi_enum_LOAD_MOD0;
extern const ir_enum_def sfpi_enum_LUTFP32_MOD0;
extern const ir_enum_def sfpi_enum_LUT_MOD0;
extern const ir_enum_def sfpi_enum_LZ_MOD1;
extern const ir_enum_def sfpi_enum_MAD_MOD1;
extern const ir_enum_def sfpi_enum_MOV_MOD1;
extern const ir_enum_def sfpi_enum_PUSHC_MOD1;
extern const ir_enum_def sfpi_enum_SDIVP2_MOD1;
extern const ir_enum_def sfpi_enum_SETCC_MOD1;
extern const ir_enum_def sfpi_enum_SHFT2_MOD1;
extern const ir_enum_def sfpi_enum_STOCHRND_MOD1;
extern const ir_enum_def sfpi_enum_STOCHRND_RND;
extern const ir_enum_def sfpi_enum_STORE_ADDR_MODE;
extern const ir_enum_def sfpi_enum_STORE_MOD0;
extern const ir_enum_def sfpi_enum_SWAP_MOD1;
extern const ir_enum_def sfpi_enum_XBOOL_MOD1;
extern const ir_enum_def sfpi_enum_XCMP_MOD1;
extern const ir_enum_def sfpi_enum_XIADD_MOD1;
extern const ir_enum_def sfpi_enum_XLOADI_MOD0;
extern const ir_enum_def sfpi_enum_XSCMP_MOD1;

#endif
