"""IR of the ttl dialect whose computations need more registers of DST than there are, or whose operations read
circular buffers but get computed values: parts go through private buffers of the thread. Against torch."""

import random
import re

import pytest

torch = pytest.importorskip("torch")

from tilewright import _core, sim  # noqa: E402

PIPELINE = "builtin.module(ttl-to-ttkernel-pipeline)"


def tile(kind):
    return f"!ttcore.tile<32x32, {kind}>"


def block(shape, kind):
    return f"tensor<{shape[0]}x{shape[1]}x{tile(kind)}>"


def buffer(shape, kind):
    return f"!ttl.cb<[{shape[0]}, {shape[1]}], {tile(kind)}, 1>"


def mover(name, number, shape, kind, reads):
    """A thread that reads a tensor into buffer `number`, or stores that."""
    layout = (f"#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<{shape[0]}x{shape[1]}x{tile(kind)}, #ttnn.buffer_type<dram>>, "
              "<interleaved>>")
    tensor, cb = f"tensor<{shape[0]}x{shape[1]}x{tile(kind)}, {layout}>", buffer(shape, kind)
    side = f"%cb{number} : {cb.removeprefix('!ttl.cb')}"
    handle = f"!ttl.transfer_handle<{'read' if reads else 'write'}>"
    copy = (f"ttl.copy %s{number}, %cb{number} : ({tensor}, {cb}) -> {handle}" if reads else
            f"ttl.copy %cb{number}, %s{number} : ({cb}, {tensor}) -> {handle}")
    begin, end = ("reserve", "push") if reads else ("wait", "pop")
    return f"""
    %cb{number} = ttl.bind_cb {{cb_index = {number}, buffer_factor = 1}} : {cb}
    %v{number} = ttl.cb_{begin} {side} -> {block(shape, kind)}
    %s{number} = ttl.tensor_slice %{name}[%c0, %c0] : {tensor} -> {tensor}
    %t{number} = {copy}
    ttl.wait %t{number} : {handle}
    ttl.cb_{end} {side}""", f"%{name}: {tensor}"


def run(compute, inputs, out_shape, kind="f32"):
    """Blocks %x0, %x1, ... wait in buffers; `compute` computes %result from them, which goes to the output. `compute`
    may instead hold the whole thread after the buffers (%cb0, ..., %cbo)."""
    shapes = [tuple(d // 32 for d in t.shape) for t in inputs]
    n = len(inputs)
    parts = [mover(f"a{i}", i, s, kind, True) for i, s in enumerate(shapes)]
    lines = []
    for i, s in enumerate(shapes):
        cb = buffer(s, kind)
        lines += [f"%cb{i} = ttl.bind_cb {{cb_index = {i}, buffer_factor = 1}} : {cb}",
                  f"%w{i} = ttl.cb_wait %cb{i} : {cb.removeprefix('!ttl.cb')} -> {block(s, kind)}",
                  f"%x{i} = ttl.attach_cb %w{i}, %cb{i} : ({block(s, kind)}, {cb}) -> {block(s, kind)}"]
    cb, out = buffer(out_shape, kind), block(out_shape, kind)
    lines += [f"%cbo = ttl.bind_cb {{cb_index = {n}, buffer_factor = 1}} : {cb}",
              f"%view = ttl.cb_reserve %cbo : {cb.removeprefix('!ttl.cb')} -> {out}", compute]
    if "%result" in compute:
        lines.append(f"%stored = ttl.attach_cb %result, %cbo : ({out}, {cb}) -> {out}")
    lines += [f"ttl.cb_pop %cb{i} : {buffer(s, kind).removeprefix('!ttl.cb')}" for i, s in enumerate(shapes)]
    lines.append(f"ttl.cb_push %cbo : {cb.removeprefix('!ttl.cb')}")
    attributes = f"ttl.base_cta_index = {n + 1} : i32"
    write, write_arg = mover("o", n, out_shape, kind, False)
    text = (f"func.func @read({', '.join(p[1] for p in parts)}) attributes {{{attributes}, ttl.crta_indices = {list(range(n))}, "
            f"ttl.kernel_thread = #ttkernel.thread<noc>}} {{\n%c0 = arith.constant 0 : index{''.join(p[0] for p in parts)}\nreturn }}\n"
            f"func.func @compute() attributes {{{attributes}, ttl.crta_indices = [], ttl.kernel_thread = #ttkernel.thread<compute>}} {{\n"
            + "\n".join(lines) + "\nreturn }\n"
            f"func.func @write({write_arg}) attributes {{{attributes}, ttl.crta_indices = [{n}], ttl.kernel_thread = "
            f"#ttkernel.thread<noc>}} {{\n%c0 = arith.constant 0 : index{write}\nreturn }}\n")
    lowered = _core.transform(text, "cut.mlir", PIPELINE)
    grid = sim.Grid("n150")
    dims = tuple(32 * d for d in out_shape)
    tensors = [grid.tensor(tuple(t.shape), kind, data=t) for t in inputs] + [grid.tensor(dims, kind)]
    # the thread's private buffers follow those of the kernel: the host's configuration
    found = {int(i): int(pages) for i, pages in re.findall(r"get_compile_time_arg_val\((\d+)\) : \(\) -> !ttkernel.cb<(\d+),", lowered)}
    ports = [sim.cb(i) for i in range(max(found) + 1)]
    accessors = [sim.accessor(i) for i in range(n + 1)]
    wide = kind == "f32"
    launch = grid.load(lowered, "cut.mlir").launch(
        [sim.Run("read", compile_args=ports[:n + 1] + accessors, common_args=[sim.address(i) for i in range(n)]),
         sim.Run("compute", compile_args=ports, wide_dst=wide, unpack_to_dst=tuple(found) if wide else ()),
         sim.Run("write", compile_args=ports[:n + 1] + accessors, common_args=[sim.address(n)], noc=1)],
        [sim.Buffer(i, kind, pages) for i, pages in found.items()], tensors)
    launch.run()
    launch.run()
    dtype = torch.float32 if wide else torch.bfloat16
    return tensors[-1].read(torch.empty(dims, dtype=dtype)).float(), len(found) - n - 1, lowered


UNARY = {"sin": torch.sin, "tanh": torch.tanh, "abs": torch.abs, "neg": torch.neg, "relu": torch.relu, "sigmoid": torch.sigmoid}
BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "max": torch.maximum}


def expression(rng, inputs, shape, kind, length):
    """Random operations, each of one or two of the values so far; unused values are added up."""
    values = [(f"%x{i}", t.float()) for i, t in enumerate(inputs)]
    unused, lines, kind_of = [], [], block(shape, kind)
    for i in range(length):
        unary = rng.random() < 0.4
        name = rng.choice(sorted(UNARY if unary else BINARY))
        chosen = rng.choices(values, k=1 if unary else 2)
        value = (UNARY[name] if unary else BINARY[name])(*(v for _, v in chosen))
        if value.abs().max() > 1.5:
            continue
        operands = ", ".join(v for v, _ in chosen)
        lines.append(f"%e{i} = ttl.{name} {operands} : {', '.join([kind_of] * len(chosen))} -> {kind_of}")
        unused = [u for u in unused if u[0] not in (c[0] for c in chosen)] + [(f"%e{i}", value)]
        values.append((f"%e{i}", value))
    total, value = unused[0]
    for i, (name, other) in enumerate(unused[1:]):
        lines.append(f"%t{i} = ttl.add {total}, {name} : {kind_of}, {kind_of} -> {kind_of}")
        total, value = f"%t{i}", value + other
    return "\n".join(lines).replace(f"{total} =", "%result =", 1), value


@pytest.mark.parametrize("seed", range(12))
def test_expressions_that_need_many_registers(seed):
    rng = random.Random(seed)
    kind = ("f32", "bf16")[seed % 2]
    shape = rng.choice([(1, 1), (2, 1), (1, 3), (2, 2)])
    torch.manual_seed(seed)
    dtype = torch.float32 if kind == "f32" else torch.bfloat16
    inputs = [(torch.rand(32 * shape[0], 32 * shape[1]) * 2 - 1).to(dtype) for _ in range(3)]
    compute, want = expression(rng, inputs, shape, kind, rng.randint(8, 34))
    got, cut, lowered = run(compute, inputs, shape, kind)
    # f32: the tile functions' own 2 to 4 units; bf16: each of up to 40 results, none above 1.5, is rounded
    assert (got - want).abs().max() <= (1e-4 if kind == "f32" else 40 * 2.0**-9) * max(1.5, want.abs().max()), (cut, compute)


def test_as_many_buffers_as_are_needed_and_no_more():
    x, y = torch.rand(64, 32), torch.rand(64, 32)
    kind = block((2, 1), "f32")

    def tree(level, i):
        if level == 0:
            return f"%u{i} = ttl.{('sin', 'tanh')[i % 2]} %x{i % 2} : {kind} -> {kind}\n", f"%u{i}", torch.sin(x) if i % 2 == 0 else torch.tanh(y)
        (a, left, p), (b, right, q) = tree(level - 1, 2 * i), tree(level - 1, 2 * i + 1)
        name = f"%n{level}_{i}"
        return a + b + f"{name} = ttl.mul {left}, {right} : {kind}, {kind} -> {kind}\n", name, p * q

    for levels, buffers in ((2, 0), (3, 0), (4, 1)):  # a tree of n levels needs n + 1 of 4 registers
        text, last, want = tree(levels, 0)
        got, cut, _ = run(text.replace(f"{last} =", "%result ="), [x, y], (2, 1))
        assert torch.allclose(got, want, atol=1e-5) and cut == buffers, levels


def compute_of(inputs, out, kind, body, maps):
    """A ttl.compute written by hand: inputs' shapes by name, maps by name."""
    names = list(inputs)
    operands = ", ".join(names)
    types = ", ".join(block(inputs[n], kind) for n in names)
    arguments = ", ".join(f"%t{n[1:]}: {tile(kind)}" for n in names)
    spelled = {"id": "(d0, d1)", "row": "(d0, 0)", "column": "(0, d1)", "first": "(0, 0)", "turned": "(d1, d0)"}
    all_maps = ", ".join(f"affine_map<(d0, d1) -> {spelled[m]}>" for m in [*maps, "id"])
    return f"""%empty = tensor.empty() : {block(out, kind)}
    %eo = ttl.attach_cb %empty, %cbo : ({block(out, kind)}, {buffer(out, kind)}) -> {block(out, kind)}
    %result = ttl.compute ins({operands} : {types}) outs(%eo : {block(out, kind)})
        {{indexing_maps = [{all_maps}], iterator_types = ["parallel", "parallel"]}} {{
    ^bb0({arguments}, %to: {tile(kind)}):
      {body.replace("TILE", tile(kind))}
    }} -> {block(out, kind)}"""


TILED = {  # what a ttl.compute does with tiles, shapes of its inputs (the last one is a tile of ones) and output, maps
    "a sum along rows of exponentials": (
        "%e = ttl.tile_sin %tx0 : TILE\n%r = ttl.tile_reduce_sum %e, %tx2, %to [1] : TILE, TILE -> TILE\nttl.yield %r : TILE",
        [(2, 3), (2, 3)], (2, 1), ["row", "id", "first"], lambda x, y: torch.sin(x).sum(1)[:, None]),
    "a largest one of products, twice": (
        "%p = ttl.tile_mul %tx0, %tx1 : TILE\n%r = ttl.tile_reduce_max %p, %tx2, %to [0] : TILE, TILE -> TILE\n"
        "%q = ttl.tile_add %r, %r : TILE\nttl.yield %q : TILE",
        [(3, 2), (3, 2)], (1, 2), ["column", "column", "first"], lambda x, y: 2 * (x * y).amax(0)[None]),
    "a sum of all": (
        "%p = ttl.tile_sub %tx0, %tx1 : TILE\n%a = ttl.tile_abs %p : TILE\n"
        "%r = ttl.tile_reduce_sum %a, %tx2, %to [0, 1] : TILE, TILE -> TILE\nttl.yield %r : TILE",
        [(2, 2), (2, 1)], (1, 1), ["first", "first", "first"],
        lambda x, y: (x - torch.cat([y, y], 1)).abs().sum()[None, None]),
    "a product of what was computed": (
        "%a = ttl.tile_neg %tx0 : TILE\n%b = ttl.tile_relu %tx1 : TILE\n%r = ttl.tile_matmul %a, %b, %to : TILE, TILE -> TILE\n"
        "ttl.yield %r : TILE",
        [(2, 3), (3, 2)], (2, 2), ["row", "column", "first"], lambda x, y: -x @ y.relu()),
    "a sum of a product": (
        "%m = ttl.tile_matmul %tx0, %tx1, %to : TILE, TILE -> TILE\n"
        "%r = ttl.tile_reduce_sum %m, %tx2, %to [1] : TILE, TILE -> TILE\nttl.yield %r : TILE",
        [(2, 3), (3, 2)], (2, 1), ["row", "column", "first"], lambda x, y: (x @ y).sum(1)[:, None]),
    "a transposed one": (
        "%a = ttl.tile_abs %tx0 : TILE\n%r = ttl.tile_transpose %a, %to : TILE -> TILE\nttl.yield %r : TILE",
        [(2, 3), (3, 2)], (3, 2), ["turned", "id", "first"], lambda x, y: x.abs().T),
}


@pytest.mark.parametrize("case", TILED)
@pytest.mark.parametrize("kind", ["f32", "bf16"])
def test_tile_operations_that_read_what_was_computed(case, kind):
    body, shapes, out, maps, want = TILED[case]
    torch.manual_seed(1)
    dtype = torch.float32 if kind == "f32" else torch.bfloat16
    x, y = (torch.randn(32 * r, 32 * c).to(dtype) for r, c in shapes)
    if case == "a sum of all":
        y = y[:, :1].expand(-1, 32).contiguous()
    ones = torch.ones(32, 32, dtype=dtype)
    text = compute_of({"%x0": shapes[0], "%x1": shapes[1], "%x2": (1, 1)}, out, kind, body, maps)
    got, cut, _ = run(text, [x, y, ones], out, kind)
    wanted = want(x.float(), y.float())
    got = got[:wanted.shape[0], :wanted.shape[1]]
    # f32: the matrix unit reads 19 bits; bf16: intermediate values are rounded once more
    assert (got - wanted).abs().max() <= (2.0**-9 if kind == "f32" else 2.0**-6) * wanted.abs().max() and cut >= 1


def test_block_operations_that_read_what_was_computed():
    x, y = torch.randn(64, 64), torch.randn(64, 64)
    kind = block((2, 2), "f32")
    text = f"""%e = ttl.abs %x0 : {kind} -> {kind}
    %p = ttl.matmul %e, %x1 : {kind}, {kind} -> {kind}
    %q = ttl.transpose %p : {kind} -> {kind}
    %result = ttl.add %q, %e : {kind}, {kind} -> {kind}"""
    got, cut, _ = run(text, [x, y], (2, 2))
    want = (x.abs() @ y).T + x.abs()
    assert (got - want).abs().max() <= 2.0**-9 * want.abs().max() and cut == 2


def spilling(order):
    """A thread that loads tiles one by one and spills one or two of them for a while."""
    return f"""%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    ttl.init_sfpu(%cb0, %cbo) : <[1, 1], {tile("f32")}, 1>, <[1, 1], {tile("f32")}, 1>
    ttl.tile_regs_acquire
    %x = ttl.get_tile %cb0, %c0
    %y = ttl.get_tile %cb1, %c0
    {order}
    ttl.tile_regs_commit
    ttl.tile_regs_wait
    ttl.pack_tile %c0, %cbo, %c0
    ttl.tile_regs_release"""


F32 = tile("f32")


@pytest.mark.parametrize("order, want", [
    # one is spilled, the other stays in its register
    (f"%s = ttl.spill_tile_to_l1 %x, %c0\n%z = ttl.tile_sin %y {{dst_idx = 1 : i32}} : {F32}\n%r = ttl.restore_tile_from_l1 %s\n"
     f"%o = ttl.tile_sub %r, %z {{dst_idx = 0 : i32}} : {F32}", lambda x, y: x - y.sin()),
    # its register is reused meanwhile
    (f"%s = ttl.spill_tile_to_l1 %x, %c0\n%z = ttl.tile_mul %y, %y {{dst_idx = 0 : i32}} : {F32}\n%r = ttl.restore_tile_from_l1 %s\n"
     f"%o = ttl.tile_sub %r, %z {{dst_idx = 0 : i32}} : {F32}", lambda x, y: x - y * y),
    # two, restored in another order, one of them twice and overwritten by its user
    (f"%s = ttl.spill_tile_to_l1 %x, %c0\n%z = ttl.tile_abs %y {{dst_idx = 1 : i32}} : {F32}\n%t = ttl.spill_tile_to_l1 %z, %c1\n"
     f"%r = ttl.restore_tile_from_l1 %s\n%q = ttl.tile_sin %r {{dst_idx = 3 : i32}} : {F32}\n%u = ttl.restore_tile_from_l1 %t\n"
     f"%v = ttl.restore_tile_from_l1 %s\n%w = ttl.tile_mul %q, %u {{dst_idx = 2 : i32}} : {F32}\n"
     f"%o = ttl.tile_add %w, %v {{dst_idx = 0 : i32}} : {F32}", lambda x, y: x.sin() * y.abs() + x),
    # spilled, and still used where it is
    (f"%s = ttl.spill_tile_to_l1 %x, %c0\n%z = ttl.tile_neg %x {{dst_idx = 0 : i32}} : {F32}\n%r = ttl.restore_tile_from_l1 %s\n"
     f"%p = ttl.tile_mul %z, %r {{dst_idx = 2 : i32}} : {F32}\n%o = ttl.tile_add %p, %y {{dst_idx = 0 : i32}} : {F32}",
     lambda x, y: -x * x + y)])
def test_tiles_are_spilled_and_restored(order, want):
    torch.manual_seed(2)
    x, y = torch.randn(32, 32), torch.randn(32, 32)
    got, cut, lowered = run(spilling(order), [x, y], (1, 1))
    assert torch.allclose(got, want(x, y), atol=1e-5) and cut == order.count("spill_tile_to_l1")
