"""Each of TTKernel's operations as C++: one of them in a function, with operands of the types that its row requires.
It is emitted, or rejected by name; and the emitted code compiles against the headers that kernels are run with."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tilewright import sim
from tilewright.sim import _core

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD") or Path(sim.__file__).parents[2])
CB = "!ttkernel.cb<4, !ttcore.tile<32x32, bf16>>"
TYPES = {"IndexLike": "i32", "I32": "i32", "UI32": "ui32", "I16": "i16", "I8": "i8", "I1": "i1", "F32": "f32", "Index": "index",
         "TTKernel_CB": CB, "TTKernel_NocAddr": "!ttkernel.noc_addr", "TTKernel_TensorAccessor": "!ttkernel.TensorAccessor",
         "TTKernel_TensorAccessorArgs": "!ttkernel.TensorAccessorArgs", "TTKernel_L1AddrPtr": "!ttkernel.l1_addr_ptr<32>",
         "TTKernel_FabricConnectionManager": "!ttkernel.fabric_connection_manager", "TTKernel_ArgResultType": "i32",
         "TTKernel_DataFormat": "!ttkernel.DataFormat", "TTKernel_LocalSemaphore": "!ttkernel.local_semaphore",
         "TTKernel_TensorAccessorPageMapping": "!ttkernel.PageMapping", "AnyType": "i32", "AnyTypeOf": "i32",
         "I32OrNocAddr": "i32", "AnySignlessIntegerOrIndex": "i32",
         "TTKernel_LaidTensorAccessor": "!ttkernel.tensor_accessor<tensor<32x32xf32>, #ttkernel.layout<tiled>>"}
ATTRS = {"TTCore_DataTypeAttr": "#ttcore.supportedDataTypes<f32>", "BoolAttr": "false", "I32Attr": "1 : i32", "I64Attr": "0 : i64", "I64Attr_Min0": "0 : i64",
         "StrAttr": '"a"', "TTKernel_ReduceTypeAttr": "#ttkernel.reduce_type<reduce_sum>",
         "TTKernel_ReduceDimAttr": "#ttkernel.reduce_dim<reduce_dim_row>",
         "TTKernel_EltwiseBinaryTypeAttr": "#ttkernel.eltwise_binary_type<add>",
         "TTKernel_BinaryDestReuseTypeAttr": "#ttkernel.reuse_type<dest_to_srca>",
         "TTKernel_BcastTypeAttr": "#ttkernel.bcast_type<row>",
         "TTKernel_InputClampingAttr": "#ttkernel.input_clamping<none>"}
# operations that give values of other types
MADE = {"!ttkernel.local_semaphore": ["%z = arith.constant 0 : i32", '{} = "ttkernel.get_semaphore"(%z) : (i32) -> !ttkernel.local_semaphore'],
        "!ttkernel.noc_addr": ["%x = arith.constant 18 : i32",
                               '{} = "ttkernel.get_noc_addr"(%x, %x, %x) <{{operandSegmentSizes = array<i32: 1, 1, 1, 0>}}>'
                               " : (i32, i32, i32) -> !ttkernel.noc_addr"],
        "!ttkernel.l1_addr_ptr<32>": ["%l = arith.constant 4096 : i32",
                                      '{} = "ttkernel.reinterpret_cast"(%l) : (i32) -> !ttkernel.l1_addr_ptr<32>'],
        "!ttkernel.TensorAccessorArgs": ["%n = arith.constant 0 : i32",
                                         '{} = "ttkernel.TensorAccessorArgs"(%n, %n) <{{operandSegmentSizes = array<i32: 1, 1, 0>}}>'
                                         " : (i32, i32) -> !ttkernel.TensorAccessorArgs"],
        "!ttkernel.fabric_connection_manager": ['{} = "ttkernel.experimental.create_fabric_connection_manager"()'
                                                " : () -> !ttkernel.fabric_connection_manager"],
        "ui32": ['{} = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 9 : i32}}> : () -> ui32']}
MADE["!ttkernel.TensorAccessor"] = [MADE["!ttkernel.TensorAccessorArgs"][0],
                                    MADE["!ttkernel.TensorAccessorArgs"][1].replace("{} =", "%a ="),
                                    '{} = "ttkernel.TensorAccessor"(%a, %n, %n) : (!ttkernel.TensorAccessorArgs, i32, i32)'
                                    " -> !ttkernel.TensorAccessor"]
ROWS = "!ttkernel.cb<4096, bf16>"
def rows():
    """The rows of ttkernel.def, families expanded by the C preprocessor."""
    source = ROOT / "src/ttkernel/ttkernel.def"
    done = subprocess.run(["cc", "-E", "-P", "-x", "c", f"-I{ROOT / 'src'}", "-"], text=True, stdout=subprocess.PIPE, check=True,
                          input=f'#define TW_OP(...) @@(__VA_ARGS__)@@\n#include "{source}"\n')
    for row in re.findall(r"@@\((.*?)\)\s*@@", done.stdout, re.S):
        row = re.sub(r"\s+", " ", row).strip()
        def parts(kind):
            words = {"operands": "IN", "results": "OUT", "attrs": "ATTRS"}[kind]
            found = re.search(rf"\b{words}\((.*?)\)", row) or re.search(rf"\.{kind} = IR_LIST\(\w+,(.*?)\)", row)
            return re.findall(r'\{"(\w+)", &C_(\w+?)(?:_\d+)?(?:, (.*?))?\}', found.group(1), re.S) if found else []
        name = re.search(r'\.name = "ttkernel\.([\w.]+)"', row.replace('" "', ""))
        yield name.group(1) if name else row.partition(",")[0], parts("operands"), parts("results"), parts("attrs"), row


def module(name, operands, results, attrs, row, cbs=(), dtype="f32"):
    """The operation in a kernel of its own: operands are results of operations that give such values."""
    number = [2 if o[0].endswith("CoreXY") else int("OPTIONAL" not in o[2] and "VARIADIC" not in o[2] or o[0] in ("cta_base", "crta_base"))
              for o in operands]
    taken = [o for o, n in zip(operands, number) for _ in range(n)]
    given = [f"{n} = {ATTRS[c]}".replace("f32", dtype) for n, c, more in attrs if not more or "confined" in more]
    if "OPERAND_SEGMENTS" in row:
        given.append(f"operandSegmentSizes = array<i32: {', '.join(map(str, number))}>")
    body, names, left_cbs = [], [], list(cbs)
    for i, (_, constraint, _) in enumerate(taken):
        value, made = f"%v{i}", TYPES[constraint]
        if constraint == "AnyTypeOf" and name.startswith("noc_semaphore_set_multicast"):
            made = TYPES["TTKernel_LocalSemaphore"]
        if made == CB and left_cbs:
            made = left_cbs.pop(0)
        if made in ("i32", "i16", "i8", "index", "i1"):
            body.append(f"{value} = arith.constant {'false' if made == 'i1' else '1 : ' + made}")
        elif made == "f32":
            body.append(f"{value} = arith.constant 1.0 : f32")
        elif made in (CB, ROWS):
            body.append(f'{value} = "ttkernel.get_compile_time_arg_val"() <{{arg_index = {i} : i32}}> : () -> {made}')
        else:
            body += [line.format(value) for line in MADE[made]]
        names.append((value, made))
    types = [TYPES[c] for _, c, _ in results]
    left = f"%r:{len(types)} = " if len(types) > 1 else "%r = " if types else ""
    body.append(f'{left}"ttkernel.{name}"({", ".join(n for n, _ in names)})'
                + (f" <{{{', '.join(given)}}}>" if given else "")
                + f" : ({', '.join(t for _, t in names)}) -> ({', '.join(types)})")
    if name == "invoke_sfpi":
        body[-1] = '"ttkernel.invoke_sfpi"() ({ ^bb0: %one = arith.constant 1 : i32 }) : () -> ()'
    lines, end = "\n    ".join(body), "" if "IR_B(TERMINATOR)" in row else "    return\n"
    return f"module {{\n  func.func private @k() attributes {{ttkernel.thread = #ttkernel.thread<compute>}} {{\n    {lines}\n{end}  }}\n}}\n"


def emitted():
    """name: the function's text, or the error."""
    out = {}
    for row in rows():
        errors = []
        for more in ({}, {"cbs": (ROWS, CB)}, {"cbs": (CB, ROWS)}, {"dtype": "si32"}):
            try:
                out[row[0]] = True, _core().transform(module(*row, **more), row[0], "convert-ttkernel-to-emitc", False, False, None, True)
                break
            except RuntimeError as error:
                errors.append(str(error))
        else:
            out[row[0]] = False, errors[0]
    return out


def test_each_operation_is_emitted():
    results = emitted()
    refused = {name: text for name, (ok, text) in results.items() if not ok}
    assert results and not refused


@pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
def test_what_is_emitted_compiles(tmp_path, monkeypatch):
    """All in one file, a function for each operation."""
    monkeypatch.setenv("TILEWRIGHT_KERNEL_CACHE", str(tmp_path))
    includes, functions = set(), []
    for name, (ok, text) in emitted().items():
        before, mark, body = text.partition("void kernel_main()")
        assert ok and mark, name
        includes.update(re.findall(r"(?m)^#include .*", before))
        functions.append(f"void {name.replace('.', '_')}_()" + body)
    helper = re.search(r"(?m)^inline uint32_t float_to_bits.*", text).group(0)
    source = "\n".join([*sorted(includes), helper, *functions, "void kernel_main() {}\n"])
    sim.Grid().load().launch([sim.Run(source, compile_args=[0] * 10, defines={"TW_EMITTED": 1})])
