"""Small TTKernel modules as text for tests of the simulated grid: one core, a reader that copies whole tensors into
circular buffers, a compute kernel from the test, a writer that copies one out."""

import numpy as np
import pytest
from tilewright.sim import Buffer, Run, accessor, address, cb

OUT = 16  # the index of the result's buffer
STARTS = ["compute_kernel_hw_startup", "init_sfpu", "binary_op_init_common", "mm_init", "mm_block_init", "reduce_init",
          "transpose_wh_init", "unary_bcast_init", "unary_op_init_common"]  # they set up unpackers and packer
INT = {"si32", "u32", "u16", "u8"}
NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16, "si32": np.int32, "u32": np.uint32,
         "u16": np.uint16, "u8": np.uint8, "bfp_bf8": np.float32, "bfp_bf4": np.float32, "bfp_bf2": np.float32}


def cb_type(pages, dtype):
    return f"!ttkernel.cb<{pages}, !ttcore.tile<32x32, {dtype}>>"


def constants():
    """%0 .. %32 are indices, %w0 .. %w32 are i32."""
    return "\n".join(f"    %c{i} = arith.constant {i} : index\n    %w{i} = arith.constant {i} : i32"
                     for i in [*range(33), 64, 128])


def op(name, operands=(), types=(), attrs="", results=()):
    """One operation in generic form."""
    value = ", ".join(f"%{o}" for o in operands)
    to = ", ".join(results)
    return f'"ttkernel.{name}"({value}) {attrs} : ({", ".join(types)}) -> ({to})'


def port(i, pages, dtype, name):
    return f'    %{name} = "ttkernel.get_compile_time_arg_val"() <{{arg_index = {i} : i32}}> : () -> {cb_type(pages, dtype)}'


def mover(name, tiles, dtype, page, read):
    """Moves `tiles` pages between tensor and circular buffer, all at once."""
    cb_t = cb_type(tiles, dtype)
    begin, pointer, move, barrier, end = (
        ("cb_reserve_back", "get_write_ptr", "noc_async_read_tile", "noc_async_read_barrier", "cb_push_back") if read
        else ("cb_wait_front", "get_read_ptr", "noc_async_write_tile", "noc_async_write_barrier", "cb_pop_front"))
    return f"""
  func.func private @{name}() attributes {{ttkernel.thread = #ttkernel.thread<noc>}} {{
{constants()}
    %n = arith.constant {tiles} : i32
    %nx = arith.constant {tiles} : index
    %page = arith.constant {page} : i32
{port(0, tiles, dtype, "cb")}
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%w1, %w0) <{{operandSegmentSizes = array<i32: 1, 1, 0>}}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %acc = "ttkernel.TensorAccessor"(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    "ttkernel.{begin}"(%cb, %n) : ({cb_t}, i32) -> ()
    %ptr = "ttkernel.{pointer}"(%cb) : ({cb_t}) -> i32
    scf.for %i = %c0 to %nx step %c1 {{
      %i32 = arith.index_cast %i : index to i32
      %offset = arith.muli %i32, %page : i32
      %at = arith.addi %ptr, %offset : i32
      "ttkernel.{move}"(%i32, %acc, %at) : (i32, !ttkernel.TensorAccessor, i32) -> ()
    }}
    "ttkernel.{barrier}"() : () -> ()
    "ttkernel.{end}"(%cb, %n) : ({cb_t}, i32) -> ()
    return
  }}
"""


def module(inputs, output, body):
    """inputs: (tiles, dtype, page) of each; output: the same; body: of the compute kernel, which uses buffers %in0,
    %in1, ... and %out and has all tiles from the start."""
    text = "module {\n"
    for i, (tiles, dtype, page) in enumerate(inputs):
        text += mover(f"read{i}", tiles, dtype, page, True)
    text += mover("write", *output, False)
    text += "  func.func private @compute() attributes {ttkernel.thread = #ttkernel.thread<compute>} {\n" + constants() + "\n"
    for i, (tiles, dtype, _) in enumerate(inputs):
        text += port(i, tiles, dtype, f"in{i}") + "\n"
    text += port(len(inputs), output[0], output[1], "out") + "\n"
    for i, (tiles, dtype, _) in enumerate(inputs):
        text += "    " + op("cb_wait_front", [f"in{i}", f"w{tiles}"], [cb_type(tiles, dtype), "i32"]) + "\n"
    text += "    " + op("cb_reserve_back", ["out", f"w{output[0]}"], [cb_type(*output[:2]), "i32"]) + "\n"
    if not any(f'ttkernel.{init}"' in body for init in STARTS):
        ins = [f"in{i}" for i in (0, len(inputs) - 1)]
        text += "    " + op("compute_kernel_hw_startup", [*ins, "out"],
                            [cb_type(*inputs[int(i[2:])][:2]) for i in ins] + [cb_type(*output[:2])]) + "\n"
    text += body
    text += "    " + op("cb_push_back", ["out", f"w{output[0]}"], [cb_type(*output[:2]), "i32"]) + "\n"
    for i, (tiles, dtype, _) in enumerate(inputs):
        text += "    " + op("cb_pop_front", [f"in{i}", f"w{tiles}"], [cb_type(tiles, dtype), "i32"]) + "\n"
    return text + "    return\n  }\n}\n"


def to_host(array, dtype):
    """float32 converted to the element type."""
    if dtype == "bf16":
        import torch

        return torch.from_numpy(np.ascontiguousarray(array, np.float32)).bfloat16().contiguous()
    return np.ascontiguousarray(array, NUMPY[dtype])


def new_host(shape, dtype):
    if dtype == "bf16":
        import torch

        return torch.zeros(shape, dtype=torch.bfloat16)
    return np.zeros(shape, NUMPY[dtype])


def to_numpy(array):
    return array.float().numpy() if hasattr(array, "float") else array


class Built:
    """A launch of these kernels on one core."""

    def __init__(self, grid, arrays, dtypes, out_shape, out_dtype, body, **config):
        self.inputs = [grid.tensor(a.shape, d, data=to_host(a, d)) for a, d in zip(arrays, dtypes)]
        self.output = grid.tensor(out_shape, out_dtype)
        self.out_shape, self.out_dtype = out_shape, out_dtype

        def shape(t):
            return (-(-t.shape[0] // 32)) * (-(-t.shape[1] // 32)), t.dtype, t.page_bytes

        shapes, out = [shape(t) for t in self.inputs], shape(self.output)
        self.text = module(shapes, out, body)
        n = len(shapes)
        runs = [Run("compute", compile_args=[*(cb(i) for i in range(n)), cb(OUT)], **config)]
        tensors = [*self.inputs, self.output]
        readers = [Run(f"read{i}", compile_args=[cb(i), accessor(i)], common_args=[address(i)]) for i in range(n)]
        # a core has two data movement threads: further readers are steps of the first
        self.kernels = grid.load(join_readers(self.text, n), "kernels")
        if n > 1:
            readers = [Run("readers", compile_args=[a for i in range(n) for a in (cb(i), accessor(i))],
                           common_args=[address(i) for i in range(n)])]
        runs = [*readers, *runs, Run("write", compile_args=[cb(OUT), accessor(n)], common_args=[address(n)], noc=1)]
        buffers = [*(Buffer(i, s[1], s[0]) for i, s in enumerate(shapes)), Buffer(OUT, out[1], out[0])]
        self.launch = self.kernels.launch(runs, buffers, tensors)

    def run(self):
        """The results of the kernels, checked to be equal in three runs (the third may be a repetition)."""
        self.launch.run()
        out, measured = new_host(self.out_shape, self.out_dtype), (self.launch.cycles, self.launch.profile)
        first = to_numpy(self.output.read(out)).copy()
        for _ in range(2):
            self.output.write(new_host(self.out_shape, self.out_dtype))
            self.launch.run()
            assert to_numpy(self.output.read(out)).tobytes() == first.tobytes()
            assert self.launch.cycles == pytest.approx(measured[0]) and self.launch.profile == measured[1]
        return first


def join_readers(text, n):
    """One kernel @readers of the n reader kernels, with their arguments in order."""
    if n < 2:
        return text
    bodies = []
    for i in range(n):
        start = text.index(f"  func.func private @read{i}()")
        body = text[text.index("{\n", start) + 2:text.index("    return\n", start)]
        for name in ("cb", "base", "args", "acc", "ptr", "i", "i32", "offset", "at", "n", "nx", "page"):
            body = body.replace(f"%{name} ", f"%{name}_{i} ").replace(f"%{name},", f"%{name}_{i},").replace(
                f"%{name})", f"%{name}_{i})")
        body = body.replace("arg_index = 0", f"arg_index = {2 * i}").replace(
            'TensorAccessorArgs"(%w1, %w0)', f'TensorAccessorArgs"(%w{2 * i + 1}, %w{i})').replace(
            'get_common_arg_val"(%c0)', f'get_common_arg_val"(%c{i})')
        if i:
            body = body.replace(constants() + "\n", "")
        bodies.append(body)
    kernel = ("  func.func private @readers() attributes {ttkernel.thread = #ttkernel.thread<noc>} {\n" + "".join(bodies)
              + "    return\n  }\n")
    return text.replace("module {\n", "module {\n" + kernel, 1)
