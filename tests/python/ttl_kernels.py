"""Three threads in the ttl dialect around a compute body, run on the simulated grid."""

import torch
from tilewright import _core, sim

BITS = {"bf16": torch.bfloat16, "f32": torch.float32}
PIPELINE = "builtin.module(ttl-to-ttkernel-pipeline)"


def tile(dtype):
    return f"!ttcore.tile<32x32, {dtype}>"


def block(shape, dtype):
    return f"tensor<{'x'.join(map(str, shape))}x{tile(dtype)}>"


def cb(shape, dtype, factor=2):
    return f"!ttl.cb<[{', '.join(map(str, shape))}], {tile(dtype)}, {factor}>"


class Program:
    """Blocks of each input flow through a buffer to `body`, whose %out goes to the output. `shapes` are blocks in
    tiles, inputs first, output last; every input has `iterations` blocks along its rows. With `sums` that many blocks are
    accumulated into one block of the output."""

    def __init__(self, shapes, body, dtype="bf16", iterations=1, sums=1):
        self.shapes, self.dtype, self.iterations, self.sums = shapes, dtype, iterations, sums
        n = len(shapes) - 1
        head = "module {\n" + self._thread("reader", range(n), True) + self._thread("writer", [n], False)
        lines = [f"%cb{i} = ttl.bind_cb {{cb_index = {i}, buffer_factor = 2}} : {cb(s, dtype)}"
                 for i, s in enumerate(shapes)]
        out, acc = shapes[-1], " {acc}" if sums > 1 else ""
        lines.append("scf.for %i = %c0 to %iterations step %c1 {")
        lines.append(f"%view = ttl.cb_reserve %cb{n} : {cb(out, dtype)[7:]} -> {block(out, dtype)}")
        lines.append("scf.for %k = %c0 to %sums step %c1 {")
        for i, s in enumerate(shapes[:-1]):
            lines.append(f"%in{i} = ttl.cb_wait %cb{i} : {cb(s, dtype)[7:]} -> {block(s, dtype)}")
        lines.append(body.replace("$out", block(out, dtype)).replace("$in", block(shapes[0], dtype)))
        lines.append(f"%done = ttl.attach_cb %out, %cb{n}{acc} : ({block(out, dtype)}, {cb(out, dtype)}) -> {block(out, dtype)}")
        lines += [f"ttl.cb_pop %cb{i} : {cb(s, dtype)[7:]}" for i, s in enumerate(shapes[:-1])]
        lines += ["}", f"ttl.cb_push %cb{n} : {cb(out, dtype)[7:]}", "}"]
        self.text = head + self._function("compute", "", "compute", lines) + "}\n"

    def _function(self, name, args, kind, lines, indices=()):
        constants = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
                     f"%iterations = arith.constant {self.iterations // self.sums} : index",
                     f"%sums = arith.constant {self.sums} : index",
                     f"%n = arith.constant {self._rounds_of(len(self.shapes) - 1 if name == 'writer' else 0)} : index"]
        attrs = f"ttl.kernel_thread = #ttkernel.thread<{kind}>, ttl.base_cta_index = {len(self.shapes)} : i32, " \
                f"ttl.crta_indices = {list(indices)}"
        return f"func.func @{name}({args}) attributes {{{attrs}}} {{\n" + "\n".join(constants + lines) + "\nreturn\n}\n"

    def _rounds_of(self, i):
        return self.iterations // self.sums if i == len(self.shapes) - 1 else self.iterations

    def _tensor(self, i):
        rows, columns = self.shapes[i]
        grid = f"{rows * self._rounds_of(i)}x{columns}"
        layout = f"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<{grid}x{tile(self.dtype)}, " \
                 "#ttnn.buffer_type<dram>>, <interleaved>>"
        return f"tensor<{grid}x{tile(self.dtype)}, {layout}>"

    def _thread(self, name, numbers, read):
        lines, d = [], self.dtype
        for i in numbers:
            lines.append(f"%cb{i} = ttl.bind_cb {{cb_index = {i}, buffer_factor = 2}} : {cb(self.shapes[i], d)}")
        lines.append("scf.for %i = %c0 to %n step %c1 {")
        for i in numbers:
            s, t, c = self.shapes[i], self._tensor(i), cb(self.shapes[i], d)
            view = block(s, d)
            lines.append(f"%h{i} = arith.constant {s[0]} : index\n%row{i} = arith.muli %i, %h{i} : index")
            lines.append(f"%s{i} = ttl.tensor_slice %t{i}[%row{i}, %c0] : {t} -> {view}")
            if read:
                lines.append(f"%v{i} = ttl.cb_reserve %cb{i} : {c[7:]} -> {view}")
                lines.append(f"%x{i} = ttl.copy %s{i}, %cb{i} : ({view}, {c}) -> !ttl.transfer_handle<read>")
                lines.append(f"ttl.wait %x{i} : !ttl.transfer_handle<read>\nttl.cb_push %cb{i} : {c[7:]}")
            else:
                lines.append(f"%v{i} = ttl.cb_wait %cb{i} : {c[7:]} -> {view}")
                lines.append(f"%x{i} = ttl.copy %cb{i}, %s{i} : ({c}, {view}) -> !ttl.transfer_handle<write>")
                lines.append(f"ttl.wait %x{i} : !ttl.transfer_handle<write>\nttl.cb_pop %cb{i} : {c[7:]}")
        args = ", ".join(f"%t{i}: {self._tensor(i)}" for i in numbers)
        return self._function(name, args, "noc", lines + ["}"], numbers)

    def run(self, inputs, grid, pipeline=PIPELINE, seed=0):
        """The output for dense inputs, at the value level."""
        n, torch_type = len(self.shapes) - 1, BITS[self.dtype]
        grid.set_seed(seed)
        kernels = grid.load(_core.transform(self.text, "program.mlir", pipeline), "program.mlir")
        tensors = []
        for i, (rows, columns) in enumerate(self.shapes):
            dims = (rows * self._rounds_of(i) * 32, columns * 32)
            data = inputs[i].to(torch_type).contiguous() if i < n else None
            tensors.append(grid.tensor(dims, self.dtype, data))
        cbs = [sim.cb(i) for i in range(n + 1)]
        accessors = [sim.accessor(i) for i in range(n + 1)]
        wide = self.dtype == "f32"
        launch = kernels.launch(
            [sim.Run("reader", compile_args=cbs + accessors, common_args=[sim.address(i) for i in range(n)]),
             sim.Run("compute", compile_args=cbs, wide_dst=wide,
                     unpack_to_dst=tuple(range(n + 1)) if wide else ()),
             sim.Run("writer", compile_args=cbs + accessors, common_args=[sim.address(n)], noc=1)],
            cbs=[sim.Buffer(i, self.dtype, 2 * s[0] * s[1]) for i, s in enumerate(self.shapes)], tensors=tensors)
        launch.run()
        return tensors[n].read(torch.empty(tensors[n].shape, dtype=torch_type))
