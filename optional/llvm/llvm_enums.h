/* llvm_enums.h: enum cases as X(P, symbol, value, text); P is the name prefix. */
#ifndef TILEWRIGHT_MLIR_LLVM_LLVM_ENUMS_H
#define TILEWRIGHT_MLIR_LLVM_LLVM_ENUMS_H

#define LLVM_CASES_AtomicBinOp(X, P)                                                       \
    X(P, xchg, 0, "xchg")                                                                  \
    X(P, add, 1, "add")                                                                    \
    X(P, sub, 2, "sub")                                                                    \
    X(P, _and, 3, "_and")                                                                  \
    X(P, nand, 4, "nand")                                                                  \
    X(P, _or, 5, "_or")                                                                    \
    X(P, _xor, 6, "_xor")                                                                  \
    X(P, max, 7, "max")                                                                    \
    X(P, min, 8, "min")                                                                    \
    X(P, umax, 9, "umax")                                                                  \
    X(P, umin, 10, "umin")                                                                 \
    X(P, fadd, 11, "fadd")                                                                 \
    X(P, fsub, 12, "fsub")                                                                 \
    X(P, fmax, 13, "fmax")                                                                 \
    X(P, fmin, 14, "fmin")                                                                 \
    X(P, uinc_wrap, 15, "uinc_wrap")                                                       \
    X(P, udec_wrap, 16, "udec_wrap")                                                       \
    X(P, usub_cond, 17, "usub_cond")                                                       \
    X(P, usub_sat, 18, "usub_sat")                                                         \
    X(P, fmaximum, 19, "fmaximum")                                                         \
    X(P, fminimum, 20, "fminimum")

#define LLVM_CASES_AtomicOrdering(X, P)                                                    \
    X(P, not_atomic, 0, "not_atomic")                                                      \
    X(P, unordered, 1, "unordered")                                                        \
    X(P, monotonic, 2, "monotonic")                                                        \
    X(P, acquire, 4, "acquire")                                                            \
    X(P, release, 5, "release")                                                            \
    X(P, acq_rel, 6, "acq_rel")                                                            \
    X(P, seq_cst, 7, "seq_cst")

#define LLVM_CASES_CConv(X, P)                                                             \
    X(P, C, 0, "ccc")                                                                      \
    X(P, Fast, 8, "fastcc")                                                                \
    X(P, Cold, 9, "coldcc")                                                                \
    X(P, GHC, 10, "cc_10")                                                                 \
    X(P, HiPE, 11, "cc_11")                                                                \
    X(P, AnyReg, 13, "anyregcc")                                                           \
    X(P, PreserveMost, 14, "preserve_mostcc")                                              \
    X(P, PreserveAll, 15, "preserve_allcc")                                                \
    X(P, Swift, 16, "swiftcc")                                                             \
    X(P, CXX_FAST_TLS, 17, "cxx_fast_tlscc")                                               \
    X(P, Tail, 18, "tailcc")                                                               \
    X(P, CFGuard_Check, 19, "cfguard_checkcc")                                             \
    X(P, SwiftTail, 20, "swifttailcc")                                                     \
    X(P, PTX_Kernel, 71, "ptx_kernelcc")                                                   \
    X(P, PTX_Device, 72, "ptx_devicecc")                                                   \
    X(P, SPIR_FUNC, 75, "spir_funccc")                                                     \
    X(P, SPIR_KERNEL, 76, "spir_kernelcc")                                                 \
    X(P, X86_64_SysV, 78, "x86_64_sysvcc")                                                 \
    X(P, Win64, 79, "win64cc")

#define LLVM_CASES_FCmpPredicate(X, P)                                                     \
    X(P, _false, 0, "_false")                                                              \
    X(P, oeq, 1, "oeq")                                                                    \
    X(P, ogt, 2, "ogt")                                                                    \
    X(P, oge, 3, "oge")                                                                    \
    X(P, olt, 4, "olt")                                                                    \
    X(P, ole, 5, "ole")                                                                    \
    X(P, one, 6, "one")                                                                    \
    X(P, ord, 7, "ord")                                                                    \
    X(P, ueq, 8, "ueq")                                                                    \
    X(P, ugt, 9, "ugt")                                                                    \
    X(P, uge, 10, "uge")                                                                   \
    X(P, ult, 11, "ult")                                                                   \
    X(P, ule, 12, "ule")                                                                   \
    X(P, une, 13, "une")                                                                   \
    X(P, uno, 14, "uno")                                                                   \
    X(P, _true, 15, "_true")

#define LLVM_CASES_FastmathFlags(X, P)                                                     \
    X(P, none, 0, "none")                                                                  \
    X(P, nnan, 1, "nnan")                                                                  \
    X(P, ninf, 2, "ninf")                                                                  \
    X(P, nsz, 4, "nsz")                                                                    \
    X(P, arcp, 8, "arcp")                                                                  \
    X(P, contract, 16, "contract")                                                         \
    X(P, afn, 32, "afn")                                                                   \
    X(P, reassoc, 64, "reassoc")                                                           \
    X(P, fast, 127, "fast")

#define LLVM_CASES_ICmpPredicate(X, P)                                                     \
    X(P, eq, 0, "eq")                                                                      \
    X(P, ne, 1, "ne")                                                                      \
    X(P, slt, 2, "slt")                                                                    \
    X(P, sle, 3, "sle")                                                                    \
    X(P, sgt, 4, "sgt")                                                                    \
    X(P, sge, 5, "sge")                                                                    \
    X(P, ult, 6, "ult")                                                                    \
    X(P, ule, 7, "ule")                                                                    \
    X(P, ugt, 8, "ugt")                                                                    \
    X(P, uge, 9, "uge")

#define LLVM_CASES_IntegerOverflowFlags(X, P)                                              \
    X(P, none, 0, "none")                                                                  \
    X(P, nsw, 1, "nsw")                                                                    \
    X(P, nuw, 2, "nuw")

#define LLVM_CASES_Comdat(X, P)                                                            \
    X(P, Any, 0, "any")                                                                    \
    X(P, ExactMatch, 1, "exactmatch")                                                      \
    X(P, Largest, 2, "largest")                                                            \
    X(P, NoDeduplicate, 3, "nodeduplicate")                                                \
    X(P, SameSize, 4, "samesize")

#define LLVM_CASES_FramePointerKind(X, P)                                                  \
    X(P, None, 0, "none")                                                                  \
    X(P, NonLeaf, 1, "non-leaf")                                                           \
    X(P, All, 2, "all")                                                                    \
    X(P, Reserved, 3, "reserved")                                                          \
    X(P, NonLeafNoReserve, 4, "non-leaf-no-reserve")

#define LLVM_CASES_GEPNoWrapFlags(X, P)                                                    \
    X(P, none, 0, "none")                                                                  \
    X(P, inboundsFlag, 1, "inbounds_flag")                                                 \
    X(P, nusw, 2, "nusw")                                                                  \
    X(P, nuw, 4, "nuw")                                                                    \
    X(P, inbounds, 3, "inbounds")

#define LLVM_CASES_ModRefInfo(X, P)                                                        \
    X(P, NoModRef, 0, "none")                                                              \
    X(P, Ref, 1, "read")                                                                   \
    X(P, Mod, 2, "write")                                                                  \
    X(P, ModRef, 3, "readwrite")

#define LLVM_CASES_UWTableKind(X, P)                                                       \
    X(P, None, 0, "none")                                                                  \
    X(P, Sync, 1, "sync")                                                                  \
    X(P, Async, 2, "async")

enum { LLVM_LINKAGE_EXTERNAL = 10 };
#define LLVM_CASES_Linkage(X, P)                                                           \
    X(P, Private, 0, "private")                                                            \
    X(P, Internal, 1, "internal")                                                          \
    X(P, AvailableExternally, 2, "available_externally")                                   \
    X(P, Linkonce, 3, "linkonce")                                                          \
    X(P, Weak, 4, "weak")                                                                  \
    X(P, Common, 5, "common")                                                              \
    X(P, Appending, 6, "appending")                                                        \
    X(P, ExternWeak, 7, "extern_weak")                                                     \
    X(P, LinkonceODR, 8, "linkonce_odr")                                                   \
    X(P, WeakODR, 9, "weak_odr")                                                           \
    X(P, External, LLVM_LINKAGE_EXTERNAL, "external")

#define LLVM_CASES_TailCallKind(X, P)                                                      \
    X(P, None, 0, "none")                                                                  \
    X(P, Tail, 1, "tail")                                                                  \
    X(P, MustTail, 2, "musttail")                                                          \
    X(P, NoTail, 3, "notail")

#define LLVM_CASES_UnnamedAddr(X, P)                                                       \
    X(P, None, 0, "")                                                                      \
    X(P, Local, 1, "local_unnamed_addr")                                                   \
    X(P, Global, 2, "unnamed_addr")

#define LLVM_CASES_Visibility(X, P)                                                        \
    X(P, Default, 0, "default")                                                            \
    X(P, Hidden, 1, "hidden")                                                              \
    X(P, Protected, 2, "protected")

#endif
