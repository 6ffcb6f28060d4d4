"""Pipes and semaphores of ttl between the cores of a row, on the simulated grid."""

import pytest

torch = pytest.importorskip("torch")
from tilewright import _core, sim  # noqa: E402
from ttl_kernels import PIPELINE  # noqa: E402

T, CB, BLOCK = "!ttcore.tile<32x32, bf16>", "!ttl.cb<[1, 2], !ttcore.tile<32x32, bf16>, 2>", "tensor<1x2x!ttcore.tile<32x32, bf16>>"


def tensor(rows):
    return f"tensor<{rows}x2x{T}, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<{rows}x2x{T}, " \
           "#ttnn.buffer_type<dram>>, <interleaved>>>"


def thread(name, args, kind, tensors, body):
    return f"""func.func @{name}({args}) attributes {{ttl.kernel_thread = #ttkernel.thread<{kind}>, ttl.base_cta_index = 2 : i32,
    ttl.crta_indices = {tensors}}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %n = arith.constant 3 : index
  %x = ttl.core_x : index
  %cb0 = ttl.bind_cb {{cb_index = 0, buffer_factor = 2}} : {CB}
  %cb1 = ttl.bind_cb {{cb_index = 1, buffer_factor = 2}} : {CB}
{body}
  return
}}
"""


def program(pipes, send, receive, meeting=""):
    """Three iterations: senders read a block and pass it on; all negate their block and write it."""
    cb, reserve = CB[7:], f"ttl.cb_reserve %cb0 : {CB[7:]} -> {BLOCK}"
    reader = f"""{pipes}
  scf.for %i = %c0 to %n step %c1 {{
    ttl.if_pipe_src {send} {{
    ^bb0(%p: !ttl.pipe):
      %v = {reserve}
      %s = ttl.tensor_slice %t[%i, %c0] : {tensor(3)} -> {BLOCK}
      %h = ttl.copy %s, %cb0 : ({BLOCK}, {CB}) -> !ttl.transfer_handle<read>
      ttl.wait %h : !ttl.transfer_handle<read>
      %g = ttl.copy %cb0, %p {{reserved}} : ({CB}, !ttl.pipe) -> !ttl.transfer_handle<write>
      ttl.wait %g : !ttl.transfer_handle<write>
      ttl.cb_push %cb0 : {cb}
    }}
    ttl.if_pipe_dst {receive} {{
    ^bb0(%p: !ttl.pipe):
      %v = {reserve}
      %h = ttl.copy %p, %cb0 : (!ttl.pipe, {CB}) -> !ttl.transfer_handle<read>
      ttl.wait %h : !ttl.transfer_handle<read>
      ttl.cb_push %cb0 : {cb}
    }}
  }}"""
    compute = f"""  scf.for %i = %c0 to %n step %c1 {{
    %a = ttl.cb_wait %cb0 : {cb} -> {BLOCK}
    %v = ttl.cb_reserve %cb1 : {cb} -> {BLOCK}
    %r = ttl.neg %a : {BLOCK} -> {BLOCK}
    %o = ttl.attach_cb %r, %cb1 : ({BLOCK}, {CB}) -> {BLOCK}
    ttl.cb_push %cb1 : {cb}
    ttl.cb_pop %cb0 : {cb}
  }}"""
    writer = f"""{meeting}
  scf.for %i = %c0 to %n step %c1 {{
    %first = arith.muli %x, %n : index
    %row = arith.addi %first, %i : index
    %v = ttl.cb_wait %cb1 : {cb} -> {BLOCK}
    %s = ttl.tensor_slice %t[%row, %c0] : {tensor(9)} -> {BLOCK}
    %h = ttl.copy %cb1, %s : ({CB}, {BLOCK}) -> !ttl.transfer_handle<write>
    ttl.wait %h : !ttl.transfer_handle<write>
    ttl.cb_pop %cb1 : {cb}
  }}"""
    return "module {\n" + thread("reader", f"%t: {tensor(3)}", "noc", [0], reader) \
        + thread("compute", "", "compute", [], compute) \
        + thread("writer", f"%t: {tensor(9)}", "noc", [1], writer) + "}\n"


def run(text, seed):
    grid = sim.Grid("n150", seed=seed)
    torch.manual_seed(3)
    a = torch.randn(96, 64).to(torch.bfloat16)
    tensors = [grid.tensor((96, 64), "bf16", a), grid.tensor((288, 64), "bf16")]
    kernels = grid.load(_core.transform(text, "pipes.mlir", PIPELINE), "pipes.mlir")
    cores, cbs = (0, 0, 1, 3), [sim.cb(0), sim.cb(1)]
    args = cbs + [sim.accessor(0), sim.accessor(1)]
    kernels.launch([sim.Run("reader", cores, compile_args=args, common_args=[sim.address(0)]),
                    sim.Run("compute", cores, compile_args=cbs),
                    sim.Run("writer", cores, compile_args=args, common_args=[sim.address(1)], noc=1)],
                   cbs=[sim.Buffer(i, "bf16", 4) for i in range(2)], tensors=tensors, semaphores=[0] * 16).run()
    out = tensors[1].read(torch.empty(288, 64, dtype=torch.bfloat16))
    assert torch.equal(out, -a.repeat(3, 1))


MULTICAST = "  %p0 = ttl.create_pipe [0, 0] to [1, 0] through [2, 0] semaphores 0 : !ttl.pipe"

@pytest.mark.parametrize("seed", [0, 1, 5])
def test_multicast(seed):
    run(program(MULTICAST, "%p0", "%p0"), seed)


def test_unicast():
    """From core 1 to core 0, while core 2 gets its blocks from core 1 through a second pipe: one reads for all."""
    pipes = """  %p0 = ttl.create_pipe [1, 0] to [0, 0] semaphores 0 : !ttl.pipe
  %p1 = ttl.create_pipe [1, 0] to [2, 0] semaphores 3 : !ttl.pipe"""
    text = program(pipes, "%p0", "%p0, %p1")
    both = "      %g2 = ttl.copy %cb0, %p1 {reserved} : (" + CB + ", !ttl.pipe) -> !ttl.transfer_handle<write>\n" \
           "      ttl.wait %g2 : !ttl.transfer_handle<write>\n"
    push = "      ttl.cb_push %cb0 : " + CB[7:] + "\n"
    run(text.replace(push, both + push, 1), 2)


@pytest.mark.parametrize("seed", [0, 4])
def test_semaphores(seed):
    """All cores synchronise before they write: two notify core 0, core 0 notifies all."""
    meeting = """  %count = ttl.create_semaphore 8 : !ttl.semaphore
  %go = ttl.create_semaphore 9 scratch 10 : !ttl.semaphore
  %leads = arith.cmpi eq, %x, %c0 : index
  scf.if %leads {
    ttl.semaphore_wait %count, %c2 {comparison = "min", reset_value = 0 : i64} : !ttl.semaphore
    %all = ttl.get_remote_multicast_semaphore %go[%c0, %c0] through [%c2, %c0] : !ttl.semaphore
    ttl.semaphore_set %all, %c7 : !ttl.semaphore
  } else {
    %there = ttl.get_remote_semaphore %count[%c0, %c0] : !ttl.semaphore
    ttl.semaphore_inc %there, %c1 : !ttl.semaphore
  }
  ttl.semaphore_wait %go, %c7 : !ttl.semaphore
  ttl.semaphore_set %go, %c0 : !ttl.semaphore"""
    run(program(MULTICAST, "%p0", "%p0", meeting), seed)


def test_as_the_plan_writes_them():
    """Cores and values as attributes, indices of semaphores assigned by --ttl-allocate-cbs."""
    meeting = """  %count = ttl.create_semaphore {initial_value = 0}
  %go = ttl.create_semaphore {initial_value = 0}
  %leads = arith.cmpi eq, %x, %c0 : index
  scf.if %leads {
    ttl.semaphore_wait %count, 2 {comparison = "min", reset_value = 0}
    ttl.semaphore_set %go, 7 {mcast_range = [[0, 0], [2, 0]]}
  } else {
    ttl.semaphore_inc %count, 1 {core = [0, 0]}
  }
  ttl.semaphore_wait %go, 7 {reset_value = 0, comparison = "equal"}"""
    # the reader's pipe takes 0 to 2: a pipe of the writer's must use others
    text = program("  %p0 = ttl.create_pipe src_core=[0, 0] dst_core_range=[[1, 0], [2, 0]]", "%p0", "%p0",
                   "  %other = ttl.create_pipe src_core=[0, 0] dst_core=[1, 0]\n" + meeting)
    run(_core.transform(text, "pipes.mlir", "builtin.module(ttl-canonicalize,ttl-allocate-cbs)"), 3)


@pytest.mark.parametrize("text, message", [
    ("ttl.create_pipe [0, 0] to [1, 0] through [0, 0] semaphores 0 : !ttl.pipe",
     "dst_core_end must not lie before dst_core"),
    ("ttl.create_pipe [0] to [1, 0] semaphores 0 : !ttl.pipe", "src_core must be a core's column")])
def test_wrong_pipes(text, message):
    with pytest.raises(RuntimeError, match=message):
        _core.transform(f"func.func @f() {{\n %p = {text}\n return\n}}", "f.mlir", None)
